/* Places ranks of which nobody knows how many there will be. For place.c. */
#ifndef EVENKEEL_SHIM_PLACE_OPEN_H
#define EVENKEEL_SHIM_PLACE_OPEN_H

#include "shim/place.h"

/* As place_plan, for r->nranks 0; p is zeroed but for why. Without the ledger, or
 * where the rank's width is not known and fewer ranks than nodes are seen, it is
 * left alone. */
void place_open(struct place *p, struct arena *a, const struct machine *m,
		const struct cpus *allowed, const struct options *o, const struct place_rank *r);

#endif
