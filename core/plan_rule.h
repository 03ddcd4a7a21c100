/* Would the balancer of a kernel generation leave a plan alone? The one place
 * of the plan that asks core/policy.h.
 *
 * Internal to the plan (core/plan*.c). All memory is the arena's.
 */
#ifndef EVENKEEL_CORE_PLAN_RULE_H
#define EVENKEEL_CORE_PLAN_RULE_H

#include "core/plan_tree.h"
#include "core/policy.h"

struct plan_rule {
	enum policy_rule rule;
	const struct plan_tree *t;
	struct machine_view *views; /* by node: from its first cpu; usable nodes only */
	uint64_t *running;          /* by node; the caller's to fill */
};

/* Takes the views of the usable nodes; running is all 0. The views are the
 * whole machine's: an affinity mask or a plain cpuset leaves the scheduling
 * domains as they are. 0, or -1 with errno ENOMEM. */
int plan_rule_init(struct plan_rule *r, struct arena *a, const struct plan_tree *t,
		   enum policy_rule rule);

/* Every pair of sibling groups at every level would be left alone.
 *
 * A pair where the one group has a cpu to spare and the other is not
 * overloaded is judged by the rule on running counts. Else the kernel goes by
 * load, and the pair is left alone when one task more would make the less full
 * group at least as full, per capacity, as the other one is now. */
bool plan_rule_stable(const struct plan_rule *r);

/* The same for the groups around node only, as those that others would pull
 * from. */
bool plan_rule_keeps(const struct plan_rule *r, unsigned int node);

#endif
