/* The kernel's load balancer in the simulated machine: kernel-policy notes 1.4.
 *
 * Each group of a NUMA level has one cpu, its first idle one, that looks round at the
 * level's interval. What the notes leave open is taken as follows. The interval is
 * the level's cpus in milliseconds (sd_init's min_interval, kernel/sched/topology.c
 * 6.12). A group without an idle cpu pulls nothing. After active balance the count
 * of failed rounds begins anew (active_load_balance_cpu_stop, kernel/sched/fair.c
 * 6.12). Within a node a task that waits is taken to an idle cpu at the next look
 * of its cache's level. Internal to the simulator (core/sim*.c).
 */
#ifndef EVENKEEL_CORE_SIM_BALANCE_H
#define EVENKEEL_CORE_SIM_BALANCE_H

#include "core/sim_world.h"

/* Failed rounds until a task that runs alone is moved: more than cache_nice_tries
 * (2 at NUMA levels) + 2; and until one that waits may lose its preferred node
 * (section 1.4). */
#define SIM_FAILED_ACTIVE 4u
#define SIM_FAILED_LOCALITY 2u

struct sim_balancer {
	bool there; /* the node is the first of its group, and there are others */
	bool armed; /* a round is to come */
	unsigned int failed;
	unsigned int interval_us;
};

struct sim_balance {
	unsigned int n;		 /* levels * nodes */
	struct sim_balancer *of; /* [level * nnodes + node] */
	/* Chance that a round finds a task of somebody else's to move instead, which
	 * begins the count of failed rounds anew. */
	double unrelated;
};

/* 0, or -1 with errno ENOMEM. */
int sim_balance_init(struct sim_balance *b, struct arena *a, const struct sim_world *w);

/* One round of balancer i: whether there was an imbalance that a later round can do
 * something about. Without one, no round does anything until a count changes. */
bool sim_balance_round(struct sim_world *w, struct sim_balance *b, unsigned int i);

/* cpu has just run out of tasks: one that waits is pulled, from its own node or from
 * where its groups find an imbalance. */
void sim_balance_newly_idle(struct sim_world *w, unsigned int cpu);

/* The look within nodes: waiting tasks go to idle cpus of their node. Whether one did. */
bool sim_balance_inside(struct sim_world *w);

#endif
