/* What runs on the host right now, from wherever it comes.
 *
 * Used by the first rank of a job, between fork and exec: system calls and the
 * arena only. root as in machine_sys_read: "" for the live system.
 */
#ifndef EVENKEEL_CORE_LOAD_H
#define EVENKEEL_CORE_LOAD_H

#include <stdbool.h>
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
	uint64_t *idle;
};

/* Reads /proc/stat for cpus 0 .. ncpus-1; one that is not listed has 0. Waiting
 * for I/O counts as idle, stolen time as busy. 0, or -1 with errno: what open or
 * read gave, EINVAL (no cpu's line, or one that cannot be read) or ENOMEM. */
int load_read(struct load_sample *s, struct arena *a, unsigned int ncpus, const char *root);

/* Hundredths of a cpu that were busy on each node of m between two samples:
 * the busy share of each of its cpus that is in allowed (NULL = all), summed. A
 * cpu that is listed and shows neither busy nor idle time, while another shows
 * four ticks, is busy. One whose busy time ran backwards counts as idle; idle
 * time that runs backwards (proc(5): it may) as none. centi has
 * m->nnodes entries. */
void load_between(const struct load_sample *first, const struct load_sample *last,
		  const struct machine *m, const struct cpus *allowed, unsigned int *centi);

/* A process that is known, so that what it uses is not counted as foreign. */
struct load_process {
	pid_t pid;
	uint64_t start;      /* clock ticks after boot */
	uint64_t ticks;      /* user and system time of all its threads */
	int cpu;             /* where its first thread ran last */
	bool running;        /* that thread runs or is ready */
	unsigned char depth; /* generations below the root it was found from */
};

struct load_crowd {
	unsigned int n, room;
	struct load_process *processes;
};

/* An empty crowd with room for so many. 0, or -1 with errno ENOMEM. */
int load_crowd_init(struct load_crowd *c, struct arena *a, unsigned int room);

/* Adds pid, if it started at start (0 = whenever), and its descendants,
 * LOAD_DEPTH generations, as far as the kernel lists children
 * (CONFIG_PROC_CHILDREN; those of a first thread only). Each process once; who is
 * gone, or finds no room, is left out. */
#define LOAD_DEPTH 4
void load_crowd_add(struct load_crowd *c, pid_t pid, uint64_t start);

/* How many of them are running. */
unsigned int load_crowd_running(const struct load_crowd *c);

/* Ticks that process i of now has used since before was taken: all of its time
 * when before has not got it, but it started at began or later. 0 for one of
 * which that cannot be told. */
uint64_t load_crowd_used(const struct load_crowd *now, unsigned int i,
			 const struct load_crowd *before, uint64_t began);

#endif
