/* Machines for the simulator's tests. */
#ifndef EVENKEEL_TESTS_SIM_MACHINES_H
#define EVENKEEL_TESTS_SIM_MACHINES_H

#include "core/machine.h"

enum sim_machine {
	TWO_8,	   /* 2 nodes of 8 cpus */
	TWO_40,	   /* 2 nodes of 40 cpus: 20 cores, SMT2 */
	ZEN3_NPS1, /* 2 nodes of 128 cpus, 16 to a cache */
	ZEN3_NPS2,
	ZEN3_NPS4,
	SPR_SNC4,  /* 8 nodes of 28 cpus */
	FOUR_RING, /* 4 nodes of 64 cpus in a ring */
	EIGHT_32,  /* 8 nodes of 32 cpus, all as far from each other */
	SIM_MACHINES,
};

/* The machine, in a; never fails. */
void sim_machine_make(struct machine *m, struct arena *a, enum sim_machine which);

#endif
