#include "shim/foreign.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/proc.h"
#include "shim/affinity.h"

/* The count of running tasks is of one moment, in which a kernel thread may
 * have run: something foreign is there when it is seen every time. */
#define LOOKS 4

/* Most processes that are told from foreign ones. */
#define KNOWN_MAX 4096u

/* A launch is told by its root: mpiexec where that is the daemon's parent, else
 * the daemon. */
static pid_t launch_root(pid_t daemon)
{
	struct proc_stat st, parent;

	if (daemon > 0 && proc_stat_read(&st, daemon) == 0 && st.ppid > 1 &&
	    proc_stat_read(&parent, st.ppid) == 0 &&
	    (!strncmp(parent.comm, "mpiexec", 7) || !strncmp(parent.comm, "mpirun", 6)))
		return parent.pid;
	return daemon;
}

/* This launch and those of the ledger, with all that they have started; ranks
 * whose daemon is gone or has moved away, by their slots. */
static void gather(struct load_crowd *c, const struct ledger *l, pid_t daemon)
{
	c->n = 0;
	load_crowd_add(c, getpid(), 0);
	load_crowd_add(c, launch_root(daemon), 0);
	for (unsigned int j = 0; j < l->njobs; j++) {
		const struct ledger_job *job = &l->jobs[j];

		if (job->key.pid > 0 && job->key.pid != daemon &&
		    proc_alive(job->key.pid, job->key.start))
			load_crowd_add(c, launch_root(job->key.pid), 0);
		for (unsigned int r = 0; r < job->nranks; r++)
			if (job->slots[r].pid > 0)
				load_crowd_add(c, job->slots[r].pid, job->slots[r].start);
	}
}

/* More is running than we know of, at every look. */
static bool something_runs(struct load_crowd *c, const struct ledger *l, pid_t daemon)
{
	for (int i = 0; i < LOOKS; i++) {
		unsigned int running;

		if (load_running(&running, "") < 0)
			return false;
		gather(c, l, daemon);
		if (running <= load_crowd_running(c))
			return false;
	}
	return true;
}

static int64_t clock_ms(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) < 0 ? -1 : t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int start_clocks(struct foreign *f)
{
	int64_t boot = clock_ms(CLOCK_BOOTTIME);

	f->tick_ms = 1000 / sysconf(_SC_CLK_TCK);
	f->start = clock_ms(CLOCK_MONOTONIC);
	if (f->start < 0 || boot < 0 || f->tick_ms <= 0)
		return -1;
	f->began = (uint64_t)(boot / f->tick_ms);
	return 0;
}

bool foreign_likely(void)
{
	unsigned int running;

	return load_running(&running, "") == 0 && running > 1;
}

bool foreign_begin(struct foreign *f, struct arena *a, const struct machine *m,
		   const struct ledger *l, pid_t daemon)
{
	f->begun = false;
	if (load_crowd_init(&f->before, a, KNOWN_MAX) < 0 ||
	    !something_runs(&f->before, l, daemon) || start_clocks(f) < 0 ||
	    load_read(&f->first, a, m->ncpus, "") < 0)
		return false;
	gather(&f->before, l, daemon);
	f->begun = true;
	return true;
}

void foreign_wait(const struct foreign *f)
{
	int64_t until = f->start + LOAD_WINDOW_MS;
	struct timespec t = { .tv_sec = until / 1000, .tv_nsec = until % 1000 * 1000000 };

	while (f->begun && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

static bool may_run_on(const struct cpus *mask, const struct cpus *allowed,
		       const struct machine_node *node)
{
	cpus_for_each(cpu, &node->cpus)
		if (cpus_has(mask, cpu) && cpus_has(allowed, cpu))
			return true;
	return false;
}

static void take(unsigned int *centi, uint64_t *used)
{
	unsigned int part = *used < *centi ? (unsigned int)*used : *centi;

	*centi -= part;
	*used -= part;
}

/* Takes what the known processes used off what was measured, where each was
 * seen. One whose threads are on several nodes has used more than was seen
 * there; half a cpu may be the clock's doing. */
static void subtract(unsigned int *centi, const struct foreign *f, const struct load_crowd *known,
		     const struct machine *m, const struct cpus *allowed, struct cpus *mask)
{
	int64_t window = clock_ms(CLOCK_MONOTONIC) - f->start;

	for (unsigned int i = 0; i < known->n && window > 0; i++) {
		const struct load_process *p = &known->processes[i];
		uint64_t used = load_crowd_used(known, i, &f->before, f->began);
		unsigned int node = machine_node_of(m, (unsigned int)p->cpu);

		if (!used || node == CPUS_NONE || !cpus_has(allowed, (unsigned int)p->cpu))
			continue;
		used = used * (uint64_t)f->tick_ms * 100 / (uint64_t)window;
		take(&centi[node], &used);
		if (used < 50 || affinity_look(mask, p->pid) < 0)
			continue;
		for (unsigned int n = 0; n < m->nnodes && used; n++)
			if (may_run_on(mask, allowed, &m->nodes[n]))
				take(&centi[n], &used);
	}
}

void foreign_busy(const struct foreign *f, unsigned int *busy, struct arena *a,
		  const struct machine *m, const struct cpus *allowed, const struct ledger *l,
		  pid_t daemon)
{
	unsigned int *centi = arena_array(a, m->nnodes, sizeof(*centi));
	struct load_sample last;
	struct load_crowd known;
	struct cpus mask;

	if (!f->begun || !centi || load_crowd_init(&known, a, KNOWN_MAX) < 0 ||
	    cpus_init(&mask, a, CPUS_MAX) < 0 || load_read(&last, a, m->ncpus, "") < 0)
		return;
	gather(&known, l, daemon);
	load_between(&f->first, &last, m, allowed, centi);
	subtract(centi, f, &known, m, allowed, &mask);
	for (unsigned int n = 0; n < m->nnodes; n++)
		busy[n] += (centi[n] + 50) / 100;
}
