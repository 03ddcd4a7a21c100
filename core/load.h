/* What runs on the host right now, from wherever it comes.
 *
 * Used by the first rank of a job, between fork and exec: system calls and the
 * arena only. root as in machine_sys_read: "" for the live system.
 */
#ifndef EVENKEEL_CORE_LOAD_H
#define EVENKEEL_CORE_LOAD_H

#include <stdint.h>
#include <sys/types.h>

#include "core/arena.h"
#include "core/machine.h"

/* Shortest window over which busy cpus can be told: five ticks of the 10 ms in
 * which /proc/stat counts (USER_HZ is 100 on every architecture evenkeel knows). */
#define LOAD_WINDOW_MS 50

/* Tasks that are running or wait for a cpu on the whole host at this moment,
 * the caller included: the fourth field of /proc/loadavg. 0, or -1 with errno:
 * what open gave, or EINVAL. */
int load_running(unsigned int *running, const char *root);

/* Time each cpu has been busy and idle since boot, in ticks, by cpu number. */
struct load_sample {
	unsigned int ncpus;
	uint64_t *busy;
	uint64_t *total;
};

/* Reads /proc/stat for cpus 0 .. ncpus-1; one that is not listed has 0. Waiting
 * for I/O counts as idle, stolen time as busy. 0, or -1 with errno: what open
 * gave, EINVAL or ENOMEM. */
int load_read(struct load_sample *s, struct arena *a, unsigned int ncpus, const char *root);

/* Hundredths of a cpu that were busy on each node of m between two samples:
 * the busy share of each cpu, summed. A cpu without a tick in between counts as
 * idle. centi has m->nnodes entries. */
void load_between(const struct load_sample *first, const struct load_sample *last,
		  const struct machine *m, unsigned int *centi);

/* A process that is known, so that what it uses is not counted as foreign. */
struct load_process {
	pid_t pid;
	uint64_t ticks; /* cpu time of it and its living descendants */
	int cpu;        /* where it ran last */
	unsigned int running; /* how many of these are running or ready */
};

/* Fills everything but pid; descendants as far as the kernel lists children
 * (CONFIG_PROC_CHILDREN), LOAD_DEPTH generations. A process that is gone has
 * used nothing. */
#define LOAD_DEPTH 4
void load_process(struct load_process *p);

#endif
