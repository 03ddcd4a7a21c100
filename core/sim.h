/* What the kernel's rule would make of a launch: a model, not the kernel.
 *
 * A parent forks children that sleep in start-up and wake together; the rules of
 * core/policy say where they go at fork, exec, wake-up, and when the balancers
 * look round. Time is counted in microseconds, and nothing is done in between
 * events, so a launch costs no more than ranks times cpus. Sources: the project's
 * kernel-policy notes, by section at each rule; what they leave open stands at
 * core/sim_place, sim_balance and sim_numa.
 *
 * Deterministic: the same machine, parameters and seed give the same launch on
 * every host. Pure; memory comes from the arena. One struct sim is not for two
 * threads at once. Needs libm and core/stats_random.
 *
 * Not in the model: other tasks (but for cpus that are busy all the time), SMT,
 * nodes beyond the sched domains, ranks that block when at work, cpu frequencies,
 * huge pages.
 */
#ifndef EVENKEEL_CORE_SIM_H
#define EVENKEEL_CORE_SIM_H

#include <stdint.h>

#include "core/plan.h"
#include "core/policy.h"

enum sim_launch {
	SIM_LAUNCH_UNSET = 0,
	SIM_HYDRA,   /* the parent is Hydra's proxy; see below */
	SIM_THREADS, /* the parent is rank 0; its children work at once, as OpenMP's do */
	SIM_SPIN,    /* no rank: it spins until all children are forked, which work at once */
	SIM_SLEEP,   /* the same, but they sleep at once, and it wakes them in the end */
};

#define SIM_SAMPLES_MAX 16u
#define SIM_RANKS_MAX 65536u
/* Longest time, in seconds, that is looked at. */
#define SIM_SECONDS_MAX 100000.0

/* SIM_HYDRA: every gap_us the proxy, which runs, forks a child. exec_us later that
 * execs; start_us later it begins to ask the proxy things and to enter barriers, in
 * the order of MPICH's MPI_Init (sim_launch.c), each time asleep until the proxy has
 * answered, with between_us of work in between, or setup_us before the first barrier
 * and connect_us before the last. The proxy sleeps when it has nothing to do, and
 * takes serve_us for each answer; of a barrier the first comes sleep_us after the last
 * rank entered. All wake-ups are synchronous, as those of sockets are. The others:
 * gap_us alone counts. Each time is multiplied by a random number of 1 - jitter ..
 * 1 + jitter. */
struct sim_params {
	enum policy_rule rule;
	enum sim_launch launch;
	unsigned int nranks; /* 1 .. SIM_RANKS_MAX */
	unsigned int gap_us, exec_us, start_us, setup_us, connect_us;
	unsigned int between_us, serve_us, sleep_us;
	double jitter; /* 0 .. 1 */
	/* MPICH 4.0's hwloc: at the end of its start each rank walks over all cpus it
	 * may use, and stays on the last. */
	bool walk;
	double unrelated;	  /* 0 .. 1: struct sim_balance */
	double megabytes;	  /* memory of one rank */
	double even_seconds;	  /* work when all nodes have the same share of the memory */
	double bandwidth_share;	  /* 0 .. 1: the part of it that waits for memory */
	const unsigned int *busy; /* cpus busy by node, or NULL */
	/* Where ranks may run: NULL = all cpus. */
	const struct cpus *allowed;
	/* NULL, or each rank has the cpus of its place from just before its exec on
	 * (SIM_HYDRA), or from its fork on; until MPI is up, when settle is set. */
	const struct plan *plan;
	bool settle;
	unsigned int nsamples; /* up to SIM_SAMPLES_MAX, ascending, seconds from the wake on */
	double samples[SIM_SAMPLES_MAX];
};

/* gap_us and so on as bench/hydra-start measured them for MPICH 4.0.2; memory and work
 * of a rank as of NAS mg.D on 16. */
void sim_defaults(struct sim_params *p);

/* One launch. The arrays belong to the struct sim, until its next launch. */
struct sim_outcome {
	const unsigned int *first; /* by rank: node at its first instant */
	const unsigned int *from;  /* by rank: its parent's node then */
	const unsigned int *ranks; /* [sample * nnodes + node] */
	double seconds;		   /* from the first fork to the end of the work */
};

struct sim;

/* Everything that p points to must live as long. NULL with errno ENOMEM, or EINVAL for
 * numbers out of range. */
struct sim *sim_new(struct arena *a, const struct machine *m, const struct sim_params *p);

void sim_run(struct sim *s, uint64_t seed, struct sim_outcome *o);

/* Some rank is on a node that is busier for its capacity, the rank itself not
 * counted, than another: moving it there would make it more even. capacity: cpus that
 * may be used, by node; a node without any is passed over. busy: cpus that others keep
 * busy, by node, or NULL = none. */
bool sim_uneven(const unsigned int *ranks, const unsigned int *busy, const unsigned int *capacity,
		unsigned int nnodes);

/* Most ranks of a node minus fewest, over nodes with capacity. */
unsigned int sim_difference(const unsigned int *ranks, const unsigned int *capacity,
			    unsigned int nnodes);

#endif
