/* sleepers: where does the kernel start the children of one parent?
 *
 * The effect that evenkeel is against, without MPI: one process forks children
 * one by one, each of which notes the node of its first instant and then blocks
 * (--spin: spins). The next is forked when the one before has come to that. Then
 * all are woken at once and work for a while. Prints JSON: children per node at
 * three moments (first, woken, end), and for each child in order the node it
 * was forked from, its three nodes, how many tasks were runnable before and after, and
 * the cpus.
 */
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHILDREN_MAX 256
#define NODES_MAX 64
#define QUIET_TRIES 100

enum moment { FIRST, WOKEN, END, NMOMENTS };

static const char *const moment_names[] = {"first", "woken", "end"};

/* Shared by parent and children. The parent writes the first four, the child the
 * rest. */
struct slot {
	int parent_node, parent_cpu;
	/* Tasks that ran or wanted to just before the fork, all told, and when the
	 * child had come to its block or spin. */
	int running, running_after;
	int node[NMOMENTS], cpu[NMOMENTS];
	_Atomic int ready;
};

static struct shared {
	_Atomic int go;
	struct slot slot[CHILDREN_MAX];
} * shared;

static struct options {
	int children, spin;
	double seconds; /* of work after the wake-up */
	long gap_us;	/* between two forks, the parent spinning */
} opt = {.children = 8, .seconds = 0.05, .gap_us = 1000};

static const char usage[] =
    "Usage: sleepers [options]\n"
    "Forks children that block at once, and prints as JSON where each started.\n"
    "\n"
    "  -n, --children N   how many, 1 to 256 (default 8)\n"
    "      --spin         they spin instead of blocking\n"
    "  -s, --seconds S    work of each after all were woken (default 0.05)\n"
    "      --gap-us N     pause, spinning, before each fork (default 1000); again while\n"
    "                     anything else runs\n"
    "  -h, --help         this text\n";

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void look(int *node, int *cpu)
{
	unsigned int n = 0, c = 0;

	getcpu(&c, &n);
	*node = (int)n;
	*cpu = (int)c;
}

/* The kernel's count of runnable tasks, the caller among them; -1 when it does
 * not tell. */
static int running_now(void)
{
	char buf[128];
	int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC), running = -1;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	buf[n] = '\0';
	return sscanf(buf, "%*s %*s %*s %d", &running) == 1 ? running : -1;
}

static void spin(double seconds)
{
	double end = now() + seconds;

	while (now() < end)
		;
}

/* Spins for the gap, and on until nothing but us runs (kernel threads come and go),
 * but not for ever. Returns the tasks that run. */
static int quiet(int expected)
{
	int running, tries = 0;

	do {
		spin((double)opt.gap_us * 1e-6);
		running = running_now();
	} while (running != expected && ++tries < QUIET_TRIES);
	return running;
}

static void child(struct slot *slot, int wait_fd)
{
	char c;

	look(&slot->node[FIRST], &slot->cpu[FIRST]);
	atomic_store(&slot->ready, 1);
	if (opt.spin)
		while (!atomic_load(&shared->go))
			;
	else if (read(wait_fd, &c, 1) != 0)
		_exit(1);
	look(&slot->node[WOKEN], &slot->cpu[WOKEN]);
	spin(opt.seconds);
	look(&slot->node[END], &slot->cpu[END]);
	_exit(0);
}

/* The child sleeps in its read: state S in /proc/PID/stat. */
static int asleep(pid_t pid)
{
	char name[64], buf[256], *state;
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 1;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return 1;
	buf[n] = '\0';
	state = strrchr(buf, ')');
	return state && state[1] && state[2] != 'R';
}

static int start(pid_t *pids, int *fds)
{
	for (int i = 0; i < opt.children; i++) {
		struct slot *slot = &shared->slot[i];

		spin((double)opt.gap_us * 1e-6);
		slot->running = quiet(1 + (opt.spin ? i : 0));
		look(&slot->parent_node, &slot->parent_cpu);
		pids[i] = fork();
		if (pids[i] < 0)
			return -1;
		if (pids[i] == 0) {
			close(fds[1]);
			child(slot, fds[0]);
		}
		while (!atomic_load(&slot->ready) || (!opt.spin && !asleep(pids[i])))
			;
		slot->running_after = running_now();
	}
	return 0;
}

static void print_moments(void)
{
	int nodes = 1;

	for (int i = 0; i < opt.children; i++)
		for (int m = 0; m < NMOMENTS; m++)
			if (shared->slot[i].node[m] >= nodes && shared->slot[i].node[m] < NODES_MAX)
				nodes = shared->slot[i].node[m] + 1;
	printf("{\"ranks\": %d, \"nodes\": %d, \"moments\": [", opt.children, nodes);
	for (int m = 0; m < NMOMENTS; m++) {
		int count[NODES_MAX] = {0};

		for (int i = 0; i < opt.children; i++)
			count[shared->slot[i].node[m] % NODES_MAX]++;
		printf("%s{\"at\": \"%s\", \"ranks_per_node\": [", m ? ", " : "", moment_names[m]);
		for (int n = 0; n < nodes; n++)
			printf("%s%d", n ? ", " : "", count[n]);
		fputs("]}", stdout);
	}
}

static void print(void)
{
	print_moments();
	printf("], \"spin\": %d, \"child\": [", opt.spin);
	for (int i = 0; i < opt.children; i++) {
		const struct slot *slot = &shared->slot[i];

		printf("%s{\"parent\": %d, \"first\": %d, \"woken\": %d, \"end\": %d, "
		       "\"running\": [%d, %d], \"parent_cpu\": %d, \"cpu\": [%d, %d, %d]}",
		       i ? ", " : "", slot->parent_node, slot->node[FIRST], slot->node[WOKEN],
		       slot->node[END], slot->running, slot->running_after, slot->parent_cpu,
		       slot->cpu[FIRST], slot->cpu[WOKEN], slot->cpu[END]);
	}
	puts("]}");
}

/* 0 = go on; else the exit status + 1. */
static int parse(int argc, char **argv)
{
	static const struct option longs[] = {
	    {"children", 1, NULL, 'n'}, {"spin", 0, NULL, 'S'}, {"seconds", 1, NULL, 's'},
	    {"gap-us", 1, NULL, 'g'},	{"help", 0, NULL, 'h'}, {0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "n:s:h", longs, NULL)) != -1) {
		switch (c) {
		case 'n':
			opt.children = atoi(optarg);
			break;
		case 'S':
			opt.spin = 1;
			break;
		case 's':
			opt.seconds = atof(optarg);
			break;
		case 'g':
			opt.gap_us = atol(optarg);
			break;
		case 'h':
			fputs(usage, stdout);
			return 1;
		default:
			return 3;
		}
	}
	if (opt.children < 1 || opt.children > CHILDREN_MAX || optind < argc) {
		fprintf(stderr, "sleepers: wanted 1 to %d children and no arguments\n",
			CHILDREN_MAX);
		return 3;
	}
	return 0;
}

int main(int argc, char **argv)
{
	pid_t pids[CHILDREN_MAX];
	int fds[2], failed = 0, rc = parse(argc, argv);

	if (rc)
		return rc - 1;
	shared =
	    mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || pipe(fds) < 0 || start(pids, fds) < 0) {
		perror("sleepers");
		/* Children that came about are in our group and must not stay. */
		signal(SIGTERM, SIG_IGN);
		kill(0, SIGTERM);
		return 1;
	}
	atomic_store(&shared->go, 1);
	close(fds[1]);
	for (int i = 0; i < opt.children; i++) {
		int status;

		if (waitpid(pids[i], &status, 0) < 0 || status)
			failed = 1;
	}
	if (failed) {
		fputs("sleepers: a child failed\n", stderr);
		return 1;
	}
	print();
	return 0;
}
