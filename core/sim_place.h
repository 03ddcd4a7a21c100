/* Where a task goes when it is forked, execs or wakes: the kernel's choices of
 * kernel-policy notes 1.3 and 5.3. Internal to the simulator (core/sim*.c). */
#ifndef EVENKEEL_CORE_SIM_PLACE_H
#define EVENKEEL_CORE_SIM_PLACE_H

#include "core/sim_world.h"

/* Section 1.3. t is a new task, forked by one on cpu. */
void sim_place_fork(struct sim_world *w, struct sim_task *t, unsigned int cpu);

/* The same at exec; the task itself is in no count. It must be awake. */
void sim_place_exec(struct sim_world *w, struct sim_task *t);

/* The mask of an awake task becomes mask: it moves, to any cpu of the mask, only if
 * its own is not in it (5.3). */
void sim_place_narrow(struct sim_world *w, struct sim_task *t, const struct sim_mask *mask);

/* Section 5.3, item (1). A sleeping task is woken from waker's cpu; SIM_NONE: from
 * its own (a timer). sync: the waker said that it is about to sleep, as a write to a
 * socket does. imb_numa_nr has no say here. */
void sim_place_wake(struct sim_world *w, struct sim_task *t, unsigned int waker, bool sync);

#endif
