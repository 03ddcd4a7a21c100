/* Chooses few nodes near each other for a rank that no single node holds.
 *
 * Internal to the plan (core/plan*.c).
 */
#ifndef EVENKEEL_CORE_PLAN_NEAREST_H
#define EVENKEEL_CORE_PLAN_NEAREST_H

#include "core/plan_tree.h"

/* Work space, taken once and used for every search on one tree. */
struct plan_nearest {
	const struct plan_tree *t;
	unsigned int *by_room;     /* nodes of the searched group, most room first */
	unsigned int *by_capacity; /* likewise */
	unsigned int n;            /* how many */
	uint64_t *cost;            /* by node: sum of separations from the chosen ones */
	struct cpus chosen;
};

/* 0, or -1 with errno ENOMEM. */
int plan_nearest_init(struct plan_nearest *s, struct arena *a, const struct plan_tree *t);

/* Puts into best (room for every node of the machine) the fewest nodes of group
 * g whose rooms together hold need cpus, and as few more as it takes for their
 * capacities to hold them too. Among as few, those with the smallest sum of
 * separations, as a greedy search from each node finds it, then those with the
 * most room, then the ones found from the lowest node. The group's room and
 * capacity must be >= need > 0. O(n^2 * chosen) for n nodes in the group. */
void plan_nearest_find(struct plan_nearest *s, const struct plan_group *g, uint64_t need,
		       struct cpus *best);

#endif
