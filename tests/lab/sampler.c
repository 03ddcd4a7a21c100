/* sampler: on which node is each process of a name, time after time?
 *
 *   sampler NAME MILLISECONDS
 *
 * Looks at /proc/PID/stat (field 39: the cpu last run on) of all processes whose
 * "comm" is NAME until it gets SIGTERM, then prints one line: "@sampler " and a
 * JSON array of samples, each [milliseconds since the start, [pid, node, delay],
 * ...]; delay is the time in microseconds that the process has waited for a cpu
 * (/proc/PID/schedstat, second field), -1 where the kernel does not tell.
 */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CPUS_MAX 4096
#define NODES_MAX 64

static int node_of[CPUS_MAX];
static volatile sig_atomic_t ended;

static void end(int sig)
{
	(void)sig;
	ended = 1;
}

static void read_nodes(void)
{
	for (int node = 0; node < NODES_MAX; node++) {
		int first, last;
		char path[64];
		FILE *f;

		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
		f = fopen(path, "r");
		if (!f)
			continue;
		while (fscanf(f, "%d", &first) == 1) {
			last = first;
			if (fscanf(f, "-%d", &last) < 0)
				last = first;
			for (int cpu = first; cpu <= last && cpu < CPUS_MAX; cpu++)
				node_of[cpu] = node;
			if (fgetc(f) != ',')
				break;
		}
		fclose(f);
	}
}

/* The cpu of a process whose comm is name, or -1. */
static int cpu_of(const char *pid, const char *name)
{
	char path[280], buf[1024], *comm, *at;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "r");
	if (!f)
		return -1;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	comm = strchr(buf, '(');
	at = strrchr(buf, ')');
	if (!comm || !at || (size_t)(at - comm - 1) != strlen(name) ||
	    strncmp(comm + 1, name, strlen(name)))
		return -1;
	/* Field 3 follows the parenthesis and a blank. */
	for (int field = 2; field < 39 && at; field++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at) : -1;
}

static long delay_us(const char *pid)
{
	unsigned long long delay;
	char path[280];
	int found;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/schedstat", pid);
	f = fopen(path, "r");
	if (!f)
		return -1;
	found = fscanf(f, "%*u %llu", &delay);
	fclose(f);
	return found == 1 ? (long)(delay / 1000) : -1;
}

/* Appends one sample to out when there are such processes. */
static void sample(FILE *out, const char *name, long ms, int *any)
{
	struct dirent *e;
	int found = 0;
	DIR *proc = opendir("/proc");

	while (proc && (e = readdir(proc))) {
		int cpu;

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		cpu = cpu_of(e->d_name, name);
		if (cpu < 0 || cpu >= CPUS_MAX)
			continue;
		if (!found++)
			fprintf(out, "%s[%ld", (*any)++ ? ", " : "", ms);
		fprintf(out, ", [%s, %d, %ld]", e->d_name, node_of[cpu], delay_us(e->d_name));
	}
	if (proc)
		closedir(proc);
	if (found)
		fputs("]", out);
}

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = end};
	long every = argc == 3 ? atol(argv[2]) : 0, ms = 0;
	struct timespec nap = {every / 1000, every % 1000 * 1000000}, t0, t;
	char *text = NULL;
	size_t size = 0;
	int any = 0;
	FILE *out;

	if (every <= 0) {
		fputs("Usage: sampler NAME MILLISECONDS\n", stderr);
		return 2;
	}
	sigaction(SIGTERM, &sa, NULL);
	read_nodes();
	out = open_memstream(&text, &size);
	if (!out)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &t0);
	while (!ended) {
		sample(out, argv[1], ms, &any);
		nanosleep(&nap, NULL);
		clock_gettime(CLOCK_MONOTONIC, &t);
		ms = (t.tv_sec - t0.tv_sec) * 1000 + (t.tv_nsec - t0.tv_nsec) / 1000000;
	}
	fclose(out);
	printf("@sampler [%s]\n", text);
	free(text);
	return 0;
}
