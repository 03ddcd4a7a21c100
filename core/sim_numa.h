/* Automatic NUMA balancing in the simulated machine: kernel-policy notes 1.5.
 *
 * A task's memory is where it ran while it first touched it, which is taken to be
 * evenly in the first second of its work. From then on the balancer looks at a task
 * every second (numa_balancing_scan_delay_ms and scan_period_min_ms are 1000, scan_size_mb
 * is 256: Documentation/admin-guide/sysctl/kernel.rst, 5.12): if most of its memory is on another
 * node it is moved there, or swapped with a task there, where the rule allows that;
 * else up to 256 MB of its memory come to where it is. Internal to the simulator
 * (core/sim*.c).
 */
#ifndef EVENKEEL_CORE_SIM_NUMA_H
#define EVENKEEL_CORE_SIM_NUMA_H

#include "core/sim_world.h"

#define SIM_SCAN_DELAY_US 1000000u
#define SIM_SCAN_PERIOD_US 1000000u
#define SIM_SCAN_MB 256.0

/* All its memory is on node, for tests and what starts in the midst of its work. */
void sim_numa_set(struct sim_world *w, struct sim_task *t, unsigned int node);

/* What t looks at next when its work begins now: after the scan delay, without
 * retry-init by up to a second later, as numa_migrate_retry came from its parent. */
uint64_t sim_numa_first(struct sim_world *w);

/* One look at t, whose memory is megabytes large: whether there is more to do. */
bool sim_numa_look(struct sim_world *w, struct sim_task *t, double megabytes);

#endif
