/* Would the balancer of a kernel generation leave a plan alone? The one place
 * of the plan that asks core/policy.h.
 *
 * Internal to the plan (core/plan*.c). All memory is the arena's.
 */
#ifndef EVENKEEL_CORE_PLAN_RULE_H
#define EVENKEEL_CORE_PLAN_RULE_H

#include "core/plan.h"
#include "core/plan_tree.h"

struct plan_rule {
	enum policy_rule rule;
	const struct plan_tree *t;
	struct machine_view *views; /* by node: from its first cpu; usable nodes only */
	/* The caller's to fill. */
	uint64_t *running;               /* by node */
	const struct plan_place *places; /* NULL = none */
	unsigned int nplaces;
};

/* Takes the views of the usable nodes; nothing runs, and there are no places. The views are the
 * whole machine's: an affinity mask or a plain cpuset leaves the scheduling
 * domains as they are. 0, or -1 with errno ENOMEM. */
int plan_rule_init(struct plan_rule *r, struct arena *a, const struct plan_tree *t,
		   enum policy_rule rule);

/* Every pair of sibling groups at every level would be left alone, as struct
 * plan says for its field stable. */
bool plan_rule_stable(const struct plan_rule *r);

/* The same for the groups around node only, as those that others would pull
 * from. */
bool plan_rule_keeps(const struct plan_rule *r, unsigned int node);

#endif
