/* What is to happen, in the order of time; what is due at one time, in the order it
 * was put in. Internal to the simulator (core/sim*.c). */
#ifndef EVENKEEL_CORE_SIM_QUEUE_H
#define EVENKEEL_CORE_SIM_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/arena.h"

struct sim_event {
	uint64_t at;	    /* microseconds */
	uint64_t number;    /* of the events put in so far */
	unsigned int kind;  /* the simulator's */
	unsigned int which; /* rank, node ... */
};

struct sim_queue {
	struct sim_event *heap;
	unsigned int n, room;
	uint64_t count;
};

/* Room for that many events at once. 0, or -1 with errno ENOMEM. */
int sim_queue_init(struct sim_queue *q, struct arena *a, unsigned int room);
void sim_queue_clear(struct sim_queue *q);

/* There must be room. */
void sim_queue_put(struct sim_queue *q, uint64_t at, unsigned int kind, unsigned int which);

/* Takes the earliest; false when there is none. */
bool sim_queue_take(struct sim_queue *q, struct sim_event *e);

#endif
