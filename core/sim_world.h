/* Cpus and tasks of the simulated machine, and who is where.
 *
 * A task that is awake is on a cpu; the first there runs, others wait. Counts by
 * node and by cache follow. The rules of the kernel are not here but in sim_place,
 * sim_balance and sim_numa. Internal to the simulator (core/sim*.c).
 */
#ifndef EVENKEEL_CORE_SIM_WORLD_H
#define EVENKEEL_CORE_SIM_WORLD_H

#include <stdint.h>

#include "core/policy.h"
#include "core/sim_map.h"
#include "core/stats_random.h"

#define SIM_NONE (~0u)

/* The cpus that a task may use. */
struct sim_mask {
	unsigned char *may;    /* by cpu */
	unsigned int *in_node; /* how many, by node */
};

struct sim_task {
	const struct sim_mask *mask; /* NULL = every cpu */
	unsigned int cpu;	     /* where it is, or slept; SIM_NONE = nowhere yet */
	bool awake;
	uint64_t slept;	      /* when it fell asleep */
	unsigned int prefers; /* node that its memory is on; SIM_NONE = not known yet */
	bool seeks;	      /* NUMA balancing will look at it */
	bool works;	      /* a rank at work, with memory */
	bool moved;	      /* it is in the world's list */
	uint64_t touched;     /* up to when its memory was reckoned */
	double *share;	      /* of its memory, by node; sums up to what was touched yet */
};

struct sim_cpu {
	unsigned int running; /* tasks that are awake on it */
	double blocked;	      /* load that tasks left which slept here, in tasks, ... */
	uint64_t since;	      /* ... as of then */
};

struct sim_world {
	const struct machine *machine;
	struct sim_map map;
	enum policy_rule rule;
	struct stats_random random;
	uint64_t now; /* microseconds */
	unsigned int ntasks;
	struct sim_task *tasks;
	struct sim_cpu *cpus;
	unsigned int *node_running, *node_idle, *llc_idle;
	unsigned int waiting; /* tasks awake beyond the first of their cpu */
	unsigned int changes; /* counts every change of a node's running tasks */
	uint64_t begin;	      /* when the ranks' work began */
	/* The memory each node serves, in ranks; what a rank has not touched yet is
	 * where it is. */
	double *served;
	unsigned int *moved, nmoved; /* tasks at work that moved since the list was emptied */
};

/* Memory is touched evenly in so long a time from the beginning of the work. */
#define SIM_TOUCH_US 1000000u

/* Room for ntasks on m. 0, or -1 with errno ENOMEM. */
int sim_world_init(struct sim_world *w, struct arena *a, const struct machine *m,
		   unsigned int ntasks);

/* Nobody there, time 0; busy tells how many cpus of each node others keep busy for
 * good (NULL = none; what a node has not got is left out). */
void sim_world_reset(struct sim_world *w, enum policy_rule rule, uint64_t seed,
		     const unsigned int *busy);

/* The mask of a set of cpus with the system's numbers; NULL with errno ENOMEM. */
struct sim_mask *sim_world_mask(const struct sim_world *w, struct arena *a,
				const struct cpus *cpus);

static inline unsigned int sim_world_node(const struct sim_world *w, const struct sim_task *t)
{
	return w->map.node_of[t->cpu];
}

static inline bool sim_may(const struct sim_task *t, unsigned int cpu)
{
	return !t->mask || t->mask->may[cpu];
}

static inline bool sim_may_node(const struct sim_task *t, unsigned int node)
{
	return !t->mask || t->mask->in_node[node];
}

/* A task that is nowhere or asleep becomes awake on cpu. */
void sim_world_wake(struct sim_world *w, struct sim_task *t, unsigned int cpu);
/* One that is awake falls asleep where it is. */
void sim_world_sleep(struct sim_world *w, struct sim_task *t);
/* It is nowhere, as when it execs and is in no count; returns the cpu it was on. */
unsigned int sim_world_lift(struct sim_world *w, struct sim_task *t);
/* One that is awake goes to another cpu. */
void sim_world_move(struct sim_world *w, struct sim_task *t, unsigned int cpu);

/* The first nranks tasks, all of them awake, are at work from now on. */
void sim_world_begin(struct sim_world *w, unsigned int nranks);
/* What t has touched where it has been since it was last asked is taken down. */
void sim_world_touch(struct sim_world *w, struct sim_task *t);

/* Whether something is idle; a cpu of [from, to) that is idle and t may use, beginning
 * at a random one; or SIM_NONE. */
unsigned int sim_world_idle(struct sim_world *w, const struct sim_task *t, unsigned int from,
			    unsigned int to);
/* The same of a node, out of the cache with the most idle cpus first. Where none is
 * idle the cpu with the fewest tasks; SIM_NONE where t may use none. */
unsigned int sim_world_cpu_of(struct sim_world *w, const struct sim_task *t, unsigned int node);

/* The load that tasks which slept on cpu left there, in tasks. It halves every 32 ms
 * (PELT); with late-blocked-load it stays while the cpu is idle. */
double sim_world_blocked(const struct sim_world *w, unsigned int cpu);
/* What t has in that itself. */
double sim_world_own_blocked(const struct sim_world *w, const struct sim_task *t);

/* A group's counts as the kernel's statistics have them. With mask NULL over all
 * cpus; else over its cpus alone. */
struct policy_group sim_world_group(const struct sim_world *w, const struct sim_group *g,
				    const struct sim_mask *mask);
struct policy_group sim_world_node_group(const struct sim_world *w, unsigned int node);

#endif
