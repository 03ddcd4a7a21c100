/* A launch under way. Internal to the simulator (core/sim*.c) and its tests. */
#ifndef EVENKEEL_CORE_SIM_INTERNAL_H
#define EVENKEEL_CORE_SIM_INTERNAL_H

#include "core/sim.h"
#include "core/sim_balance.h"
#include "core/sim_numa.h"
#include "core/sim_place.h"
#include "core/sim_queue.h"
#include "core/sim_world.h"

enum sim_kind {
	SIM_FORK,    /* the parent forks rank `which` */
	SIM_EXEC,    /* rank `which` execs */
	SIM_WORK,    /* it has come to its next sleep, or out of MPI_Init */
	SIM_SERVE,   /* the proxy has time for the next answer, or sleeps */
	SIM_RELEASE, /* a barrier is answered */
	SIM_INSIDE,  /* tasks that wait are looked for within nodes */
	SIM_BALANCE, /* a round of balancer `which` */
	SIM_LOOK,    /* NUMA balancing looks at rank `which` */
	SIM_SAMPLE,
};

struct sim {
	struct sim_params p;
	struct sim_world w;
	struct sim_balance balance;
	struct sim_queue queue;
	const struct sim_mask *everywhere; /* NULL, or p.allowed */
	const struct sim_mask **places;	   /* by rank; NULL = no plan */

	/* Start-up. The parent is the task behind the ranks, but for SIM_THREADS. */
	struct sim_task *parent;
	unsigned int *phase;  /* by rank: answers it has had */
	unsigned int *asking; /* ring: ranks that wait for an answer */
	unsigned int first_asking, nasking, entered, up;
	bool serving, forking, inside;

	/* Work, from when all are up. */
	bool working, finished;
	uint64_t begin;
	double left;	   /* seconds of work if all is even */
	uint64_t reckoned; /* as of when left is */
	double speed;
	bool stale;	      /* speed is to be found out anew */
	unsigned int nodes;   /* that have cpus for the ranks */
	unsigned int changes; /* of the world, when last looked at */
	unsigned int crowded; /* the same, when waiting tasks found no idle cpu in their node */
	unsigned int nsampled;
	uint64_t horizon;

	unsigned int *first, *from, *samples;
	double seconds;
};

/* Does everything that is in the queue until the horizon. */
void sim_go_on(struct sim *s);

/* All ranks are at work from now on. */
void sim_begin(struct sim *s);

/* Events of start-up (core/sim_launch.c). */
void sim_launch(struct sim *s);
void sim_launch_event(struct sim *s, const struct sim_event *e);

#endif
