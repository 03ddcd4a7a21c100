#include "shim/foreign.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/load.h"
#include "core/proc.h"

/* The count of running tasks is of one moment, in which a kernel thread may
 * have run: something foreign is there when it is seen every time. */
#define LOOKS 4

/* Most processes that are told from foreign ones. */
#define KNOWN_MAX 4096u

struct known {
	unsigned int n;
	struct load_process *now, *before;
};

static unsigned int count_slots(const struct ledger *l)
{
	unsigned int n = 0;

	for (unsigned int j = 0; j < l->njobs; j++)
		for (unsigned int r = 0; r < l->jobs[j].nranks; r++)
			n += l->jobs[j].slots[r].pid > 0;
	return n < KNOWN_MAX ? n : KNOWN_MAX;
}

/* The launch itself, told by its root: mpiexec where that is the daemon's
 * parent, else the daemon. Descendants are counted with it. */
static pid_t launch_root(pid_t daemon)
{
	struct proc_stat st, parent;

	if (daemon > 0 && proc_stat_read(&st, daemon) == 0 && st.ppid > 1 &&
	    proc_stat_read(&parent, st.ppid) == 0 &&
	    (!strncmp(parent.comm, "mpiexec", 7) || !strncmp(parent.comm, "mpirun", 6)))
		return parent.pid;
	return daemon;
}

/* The launch, and every rank of other launches that has arrived. */
static int collect(struct known *k, struct arena *a, const struct ledger *l, pid_t daemon)
{
	unsigned int slots = count_slots(l), n = 0;

	k->now = arena_array(a, slots + 1, sizeof(*k->now));
	k->before = arena_array(a, slots + 1, sizeof(*k->before));
	if (!k->now || !k->before)
		return -1;
	if (daemon > 0)
		k->now[n++].pid = launch_root(daemon);
	for (unsigned int j = 0; j < l->njobs; j++)
		for (unsigned int r = 0; r < l->jobs[j].nranks && n <= slots; r++)
			if (l->jobs[j].slots[r].pid > 0 && l->jobs[j].key.pid != daemon)
				k->now[n++].pid = l->jobs[j].slots[r].pid;
	k->n = n;
	return 0;
}

static void look(struct known *k)
{
	for (unsigned int i = 0; i < k->n; i++)
		load_process(&k->now[i]);
}

/* More is running than we know of, at every look. */
static bool something_runs(struct known *k)
{
	for (int i = 0; i < LOOKS; i++) {
		unsigned int running, ours = 0;

		if (load_running(&running, "") < 0)
			return false;
		look(k);
		for (unsigned int j = 0; j < k->n; j++)
			ours += k->now[j].running;
		if (running <= ours)
			return false;
	}
	return true;
}

static void pause_until(struct timespec *t)
{
	t->tv_nsec += LOAD_WINDOW_MS * 1000000l;
	if (t->tv_nsec >= 1000000000l) {
		t->tv_nsec -= 1000000000l;
		t->tv_sec++;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, t, NULL) == EINTR)
		;
}

/* Takes what the known processes used off what was measured. */
static void subtract(unsigned int *centi, const struct known *k, const struct machine *m)
{
	long tick_ms = 1000 / sysconf(_SC_CLK_TCK);

	for (unsigned int i = 0; i < k->n; i++) {
		unsigned int node = machine_node_of(m, (unsigned int)k->now[i].cpu);
		uint64_t used = k->now[i].ticks - k->before[i].ticks;

		if (node == CPUS_NONE || k->now[i].ticks < k->before[i].ticks)
			continue;
		used = used * (uint64_t)tick_ms * 100 / LOAD_WINDOW_MS;
		centi[node] -= used < centi[node] ? (unsigned int)used : centi[node];
	}
}

void foreign_busy(unsigned int *busy, struct arena *a, const struct machine *m,
		  const struct ledger *l, pid_t daemon)
{
	unsigned int *centi = arena_array(a, m->nnodes, sizeof(*centi));
	struct load_sample first, last;
	struct timespec start;
	struct known k;

	if (!centi || collect(&k, a, l, daemon) < 0 || !something_runs(&k))
		return;
	if (clock_gettime(CLOCK_MONOTONIC, &start) < 0 ||
	    load_read(&first, a, m->ncpus, "") < 0)
		return;
	look(&k);
	for (unsigned int i = 0; i < k.n; i++)
		k.before[i] = k.now[i];
	pause_until(&start);
	if (load_read(&last, a, m->ncpus, "") < 0)
		return;
	look(&k);
	load_between(&first, &last, m, centi);
	subtract(centi, &k, m);
	for (unsigned int n = 0; n < m->nnodes; n++)
		busy[n] += (centi[n] + 50) / 100;
}
