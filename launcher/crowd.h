/* All processes of one moment, by pid. Memory from the caller's arena; not for
 * two threads. */
#ifndef EVENKEEL_LAUNCHER_CROWD_H
#define EVENKEEL_LAUNCHER_CROWD_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/arena.h"
#include "core/proc.h"

/* Parents of a process that are looked at; deeper trees are not a job's. */
#define CROWD_DEPTH_MAX 64

struct crowd {
	struct arena *arena; /* set before crowd_read; all else 0 */
	unsigned int n, room;
	struct proc_stat *procs; /* sorted by pid */
};

/* Reads /proc. Processes that come or go meanwhile may be missing. 0, or -1 with
 * errno ENOMEM or what opening /proc gave. */
int crowd_read(struct crowd *c);

/* NULL when there is none. */
const struct proc_stat *crowd_find(const struct crowd *c, pid_t pid);

/* p is root, or root started it or one of its ancestors that still lives. */
bool crowd_below(const struct crowd *c, const struct proc_stat *p, pid_t root);

/* items with room for one more, of n in use; *room follows. NULL with errno
 * ENOMEM. */
void *crowd_grow(struct arena *a, void *items, unsigned int n, unsigned int *room, size_t size);

#endif
