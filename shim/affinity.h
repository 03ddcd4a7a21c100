/* The one place of the shim that reads and changes affinity. Raw system calls
 * on masks sized at run time; async-signal-safe. */
#ifndef EVENKEEL_SHIM_AFFINITY_H
#define EVENKEEL_SHIM_AFFINITY_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/cpus.h"

/* The mask of thread tid (0 = the caller) into a new set. 0, or -1 with errno
 * ENOMEM or what sched_getaffinity gave (ESRCH, EPERM, ENOSYS). */
int affinity_get(struct cpus *mask, struct arena *a, pid_t tid);

/* The same into a set that is there; EINVAL when it is smaller than the
 * kernel's own masks, so room for CPUS_MAX is right. */
int affinity_look(struct cpus *mask, pid_t tid);

/* Sets the caller's mask and reads it back. 0 when the mask that then holds is
 * not empty and within mask; -1 with errno otherwise. */
int affinity_set(struct arena *a, const struct cpus *mask);

/* Gives every thread of this process whose mask is node the mask wide, until a
 * pass over /proc/self/task changes nothing. Where wide is all that the cpuset
 * allows, the threads get the all-ones mask, as a task that was never
 * restricted has. Returns the number of threads changed, or -1 with errno when
 * the caller's own mask is not node (someone else decided) or cannot be read. */
int affinity_widen(struct arena *a, const struct cpus *node, const struct cpus *wide);

#endif
