/* where: on which NUMA node are the ranks of this job, and when?
 *
 * Prints the ranks per node at main(), when MPI_Init has returned, and at given
 * moments of a run, in which every rank streams through memory and polls (as
 * MPICH does while it waits), or works and sleeps in turn (--sleep-us). With
 * --nodes the caller says which cpus make a node, for machines that exist only
 * in a file.
 */
#include <errno.h>
#include <getopt.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOMENTS_MAX 32
#define NODES_MAX 64
#define MASK_CPUS 4096

struct sample {
	int cpu, node;
};

static struct options {
	double seconds;
	long work_us, sleep_us, mb;
	int nmoments;
	double moments[MOMENTS_MAX]; /* share of the run, 0 .. 1 */
	const char *nodes;           /* "0-3:4-7" */
	int per_rank, json;
} opt = { .seconds = 0.3, .work_us = 2000, .mb = 8, .nmoments = 5,
	  .moments = { 0, 0.10, 0.25, 0.50, 0.95 } };

static const char usage[] =
	"Usage: where [options]\n"
	"Prints the ranks per NUMA node at main(), after MPI_Init and during a run.\n"
	"\n"
	"  -s, --seconds S     length of the run (default 0.3; 0 = none)\n"
	"  -a, --at P,P,...    moments of the run in per cent (default 0,10,25,50,95)\n"
	"  -m, --mb N          memory each rank streams through, MB (default 8)\n"
	"      --sleep-us N    work, then sleep N microseconds, in turn (default: never)\n"
	"      --work-us N     work between two sleeps (default 2000)\n"
	"      --nodes L:L...  cpus of each node, instead of what the kernel says\n"
	"  -r, --ranks         also a line per rank: cpu, mask at main() and after MPI_Init\n"
	"  -j, --json          one JSON object instead\n"
	"  -h, --help          this text\n";

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The number of the list in opt.nodes that holds cpu, or -1. */
static int node_in_list(int cpu)
{
	const char *p = opt.nodes;

	for (int node = 0; *p; node++) {
		while (*p && *p != ':') {
			char *end;
			long first = strtol(p, &end, 10), last = first;

			if (*end == '-')
				last = strtol(end + 1, &end, 10);
			if (cpu >= first && cpu <= last)
				return node;
			p = end + (*end == ',');
			if (p == end && *p && *p != ':')
				return -1;
		}
		p += *p == ':';
	}
	return -1;
}

static struct sample look(void)
{
	unsigned int cpu = 0, node = 0;
	struct sample s;

	getcpu(&cpu, &node);
	s.cpu = (int)cpu;
	s.node = opt.nodes ? node_in_list((int)cpu) : (int)node;
	return s;
}

/* The caller's mask as a cpu list. */
static void mask_text(char *buf, size_t size)
{
	cpu_set_t *set = CPU_ALLOC(MASK_CPUS);
	size_t bytes = CPU_ALLOC_SIZE(MASK_CPUS), len = 0;

	buf[0] = '\0';
	if (!set || sched_getaffinity(0, bytes, set) < 0)
		goto out;
	for (int cpu = 0; cpu < MASK_CPUS && len + 16 < size; cpu++) {
		int last = cpu;

		if (!CPU_ISSET_S(cpu, bytes, set))
			continue;
		while (last + 1 < MASK_CPUS && CPU_ISSET_S(last + 1, bytes, set))
			last++;
		len += (size_t)snprintf(buf + len, size - len, "%s%d", len ? "," : "", cpu);
		if (last > cpu)
			len += (size_t)snprintf(buf + len, size - len, "-%d", last);
		cpu = last;
	}
out:
	CPU_FREE(set);
}

static int parse_moments(const char *text)
{
	opt.nmoments = 0;
	while (*text) {
		char *end;
		double v = strtod(text, &end);

		if (end == text || v < 0 || v > 100 || opt.nmoments == MOMENTS_MAX ||
		    (*end && *end != ','))
			return -1;
		opt.moments[opt.nmoments++] = v / 100;
		text = end + (*end == ',');
	}
	return 0;
}

static int parse_number(const char *text, double max, double *v)
{
	char *end;

	errno = 0;
	*v = strtod(text, &end);
	return end == text || *end || errno || *v < 0 || *v > max ? -1 : 0;
}

/* 0 = go on; else the exit status + 1. */
static int parse(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "seconds", 1, NULL, 's' }, { "at", 1, NULL, 'a' },    { "mb", 1, NULL, 'm' },
		{ "sleep-us", 1, NULL, 'S' }, { "work-us", 1, NULL, 'W' }, { "nodes", 1, NULL, 'n' },
		{ "ranks", 0, NULL, 'r' },   { "json", 0, NULL, 'j' },  { "help", 0, NULL, 'h' },
		{ 0 },
	};
	double v = 0;
	int c, bad = 0;

	while ((c = getopt_long(argc, argv, "s:a:m:rjh", longs, NULL)) != -1) {
		if (strchr("smSW", c))
			bad = parse_number(optarg, 1e6, &v);
		switch (c) {
		case 's': opt.seconds = v; break;
		case 'm': opt.mb = (long)v; break;
		case 'S': opt.sleep_us = (long)v; break;
		case 'W': opt.work_us = (long)v; break;
		case 'a': bad = parse_moments(optarg); break;
		case 'n': opt.nodes = optarg; break;
		case 'r': opt.per_rank = 1; break;
		case 'j': opt.json = 1; break;
		case 'h': fputs(usage, stdout); return 1;
		default: return 3;
		}
		if (bad) {
			fprintf(stderr, "where: -%c: '%s' is not a number in range\n", c, optarg);
			return 3;
		}
	}
	if (optind < argc) {
		fprintf(stderr, "where: unexpected argument '%s'\n", argv[optind]);
		return 3;
	}
	return 0;
}

/* One pass over a piece of the array, and one poll. */
static void work(double *data, size_t n, size_t *at)
{
	size_t piece = n < 8192 ? n : 8192;
	int flag;

	if (*at + piece > n)
		*at = 0;
	for (size_t i = *at; i < *at + piece; i++)
		data[i] = data[i] * 0.5 + 1.0;
	*at += piece;
	MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

static void run(struct sample *samples)
{
	size_t n = (size_t)opt.mb * 1000000 / sizeof(double) + 1, at = 0;
	double *data = calloc(n, sizeof(*data));
	double start, slept;
	int next = 0;

	if (!data)
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Barrier(MPI_COMM_WORLD);
	start = slept = now();
	while (next < opt.nmoments) {
		double t = now();

		if (t - start >= opt.moments[next] * opt.seconds) {
			samples[next++] = look();
			continue;
		}
		work(data, n, &at);
		if (opt.sleep_us && (t - slept) * 1e6 >= (double)opt.work_us) {
			struct timespec nap = { opt.sleep_us / 1000000,
						opt.sleep_us % 1000000 * 1000 };

			nanosleep(&nap, NULL);
			slept = now();
		}
	}
	free(data);
}

static const char *moment_name(int i, char *buf, size_t size)
{
	if (i < 2)
		return i ? "MPI_Init" : "main";
	snprintf(buf, size, "%g%%", opt.moments[i - 2] * 100);
	return buf;
}

/* all is ranks x moments. */
static void print(const struct sample *all, int ranks, int moments)
{
	int nodes = 1;

	for (int i = 0; i < ranks * moments; i++)
		if (all[i].node + 1 > nodes && all[i].node < NODES_MAX)
			nodes = all[i].node + 1;
	if (opt.json)
		printf("{\"ranks\": %d, \"nodes\": %d, \"moments\": [", ranks, nodes);
	for (int m = 0; m < moments; m++) {
		int count[NODES_MAX] = { 0 };
		char buf[32];

		for (int r = 0; r < ranks; r++)
			if (all[r * moments + m].node >= 0)
				count[all[r * moments + m].node]++;
		printf(opt.json ? "%s{\"at\": \"%s\", \"ranks_per_node\": [" : "%s%-9s",
		       opt.json && m ? ", " : "", moment_name(m, buf, sizeof(buf)));
		for (int n = 0; n < nodes; n++)
			printf(opt.json ? "%s%d" : "%s%d", n ? (opt.json ? ", " : "/") : "",
			       count[n]);
		fputs(opt.json ? "]}" : "\n", stdout);
	}
}

/* Also the masks: they are told by each rank in turn to rank 0. */
static void print_ranks(const struct sample *all, int ranks, int moments, char *masks, size_t size)
{
	if (opt.json)
		fputs("], \"rank\": [", stdout);
	for (int r = 0; r < ranks && (opt.per_rank || opt.json); r++) {
		const struct sample *main_s = &all[r * moments], *last = main_s + moments - 1;
		const char *mask = masks + (size_t)r * 2 * size;

		printf(opt.json ? "%s{\"rank\": %d, \"node\": %d, \"cpu\": %d, \"mask_main\": \"%s\", "
				  "\"mask_init\": \"%s\", \"node_at\": ["
				: "%srank %d: node %d, cpu %d, mask %s at main, %s after MPI_Init\n",
		       opt.json && r ? ", " : "", r, last->node, last->cpu, mask, mask + size);
		for (int m = 0; m < moments && opt.json; m++)
			printf("%s%d", m ? ", " : "", main_s[m].node);
		if (opt.json)
			fputs("]}", stdout);
	}
	if (opt.json)
		puts("]}");
}

int main(int argc, char **argv)
{
	enum { MASK_SIZE = 1024 };
	struct sample mine[MOMENTS_MAX + 2], *all = NULL;
	char masks[2][MASK_SIZE], *all_masks = NULL;
	int rank, ranks, moments, rc = parse(argc, argv);

	if (rc)
		return rc - 1;
	mine[0] = look();
	mask_text(masks[0], MASK_SIZE);
	MPI_Init(&argc, &argv);
	mine[1] = look();
	mask_text(masks[1], MASK_SIZE);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	moments = 2 + (opt.seconds > 0 ? opt.nmoments : 0);
	if (moments > 2)
		run(mine + 2);
	if (rank == 0) {
		all = malloc((size_t)ranks * (size_t)moments * sizeof(*all));
		all_masks = malloc((size_t)ranks * sizeof(masks));
		if (!all || !all_masks)
			MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Gather(mine, moments * 2, MPI_INT, all, moments * 2, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Gather(masks, sizeof(masks), MPI_CHAR, all_masks, sizeof(masks), MPI_CHAR, 0,
		   MPI_COMM_WORLD);
	if (rank == 0) {
		print(all, ranks, moments);
		print_ranks(all, ranks, moments, all_masks, MASK_SIZE);
	}
	free(all);
	free(all_masks);
	MPI_Finalize();
	return 0;
}
