/* The cpu quota that the cgroups of this process set. */
#ifndef EVENKEEL_CORE_QUOTA_H
#define EVENKEEL_CORE_QUOTA_H

#include "core/arena.h"

/* *cpus becomes the smallest quota on the way from this process's cgroup
 * (ROOT/proc/self/cgroup) up to the root, in whole cpus, rounded up; 0 = none.
 * Version 2: cpu.max below ROOT/sys/fs/cgroup. Version 1: cpu.cfs_quota_us and
 * cpu.cfs_period_us below ROOT/sys/fs/cgroup/cpu (or the folder named after
 * all controllers of the hierarchy). Folders that are not there, as in a
 * container that sees only its own part, are passed over, and so is whatever
 * cannot be read as a quota. root as in machine_sys_read.
 * Async-signal-safe. 0, or -1 with errno ENOMEM. */
int quota_read(unsigned int *cpus, struct arena *a, const char *root);

#endif
