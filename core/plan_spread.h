/* Spreads the ranks of one job over the groups of a plan_tree.
 *
 * Internal to the plan (core/plan*.c). All memory is the arena's.
 */
#ifndef EVENKEEL_CORE_PLAN_SPREAD_H
#define EVENKEEL_CORE_PLAN_SPREAD_H

#include "core/plan_nearest.h"

/* Ranks that share a set of nodes. */
struct plan_share {
	struct plan_share *next;
	struct cpus nodes;
	unsigned int nranks;
};

struct plan_spread {
	struct arena *a;
	struct plan_tree tree;
	unsigned int nranks;
	unsigned int width;            /* 0 = unknown */
	unsigned int weight;           /* cpus one rank counts as */
	uint64_t capacity, busy, idle; /* sums over the usable nodes; capacity > 0 */
	bool crowded; /* more is wanted than there is: shares, not idle cpus, bound a node */
	/* The answer. */
	unsigned int *alone;       /* by node: ranks that have this node and no other */
	struct plan_share *shares; /* no two have the same nodes, none those of an alone */
	uint64_t *planned;         /* by node: cpus planned, when the width is known */
	/* Work space. */
	struct plan_nearest nearest;
	struct cpus set;
};

/* Looks at the usable nodes (capacity > 0; at least one) and fills everything
 * but the answer. busy has an entry per node. 0, or -1 with errno ENOMEM. */
int plan_spread_init(struct plan_spread *s, struct arena *a, const struct machine *m,
		     const unsigned int *capacity, const unsigned int *busy, unsigned int nranks,
		     unsigned int width);

/* Spreads nranks >= 1 ranks. 0, or -1 with errno ENOMEM. */
int plan_spread_ranks(struct plan_spread *s);

/* Puts all ranks on one usable node instead. */
void plan_spread_on(struct plan_spread *s, unsigned int node);

#endif
