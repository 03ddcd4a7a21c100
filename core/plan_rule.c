#include "core/plan_rule.h"

#include <string.h>

int plan_rule_init(struct plan_rule *r, struct arena *a, const struct plan_tree *t,
		   enum policy_rule rule)
{
	memset(r, 0, sizeof(*r));
	r->rule = rule;
	r->t = t;
	r->views = arena_array(a, t->m->nnodes, sizeof(*r->views));
	r->running = arena_array(a, t->m->nnodes, sizeof(*r->running));
	if (!r->views || !r->running)
		return -1;
	for (unsigned int i = 0; i < t->nnodes; i++) {
		unsigned int node = t->nodes[i];
		unsigned int cpu = cpus_next(&t->m->nodes[node].cpus, 0);

		if (machine_view(t->m, cpu, NULL, a, &r->views[node]) < 0)
			return -1;
	}
	return 0;
}

static uint64_t running_in(const struct plan_rule *r, const struct plan_group *g)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < g->nnodes; i++)
		sum += r->running[r->t->nodes[g->start + i]];
	return sum;
}

/* The level of the view from local's first node that first spans busiest. */
static unsigned int level_between(const struct plan_rule *r, const struct plan_group *local,
				  const struct plan_group *busiest)
{
	unsigned int from = r->t->nodes[local->start], far = 0, level = 0;
	const struct machine_view *view = &r->views[from];

	for (unsigned int i = 0; i < busiest->nnodes; i++) {
		unsigned int to = r->t->nodes[busiest->start + i];
		unsigned int distance = machine_distance(r->t->m, from, to);

		far = distance > far ? distance : far;
	}
	while (level + 1 < view->nlevels && view->levels[level].distance < far)
		level++;
	return level;
}

static bool uses(const struct plan_rule *r, const struct plan_place *place,
		 const struct plan_group *g)
{
	for (unsigned int i = 0; i < g->nnodes; i++)
		if (cpus_has(&place->nodes, r->t->nodes[g->start + i]))
			return true;
	return false;
}

/* May some rank use both groups? */
static bool joined(const struct plan_rule *r, const struct plan_group *x,
		   const struct plan_group *y)
{
	for (unsigned int i = 0; i < r->nplaces; i++)
		if (uses(r, &r->places[i], x) && uses(r, &r->places[i], y))
			return true;
	return false;
}

/* Would local leave busiest alone? */
static bool leaves(const struct plan_rule *r, const struct plan_group *local,
		   const struct plan_group *busiest)
{
	uint64_t here = running_in(r, local), there = running_in(r, busiest);

	if (here >= local->capacity || there > busiest->capacity)
		return (here + 1) * busiest->capacity >= there * local->capacity ||
		       joined(r, local, busiest);
	if (there <= here)
		return true;
	return there - here <=
		   policy_stable_difference(r->rule, &r->views[r->t->nodes[local->start]],
					    level_between(r, local, busiest), (unsigned int)here,
					    (unsigned int)local->capacity) ||
	       joined(r, local, busiest);
}

/* Do all siblings of busiest leave it alone? */
static bool siblings_leave(const struct plan_rule *r, unsigned int busiest)
{
	const struct plan_group *groups = r->t->groups;
	const struct plan_group *parent = &groups[groups[busiest].parent];

	for (unsigned int c = parent->child; c < parent->child + parent->nchildren; c++)
		if (c != busiest && !leaves(r, &groups[c], &groups[busiest]))
			return false;
	return true;
}

bool plan_rule_stable(const struct plan_rule *r)
{
	for (unsigned int g = 1; g < r->t->ngroups; g++)
		if (!siblings_leave(r, g))
			return false;
	return true;
}

bool plan_rule_keeps(const struct plan_rule *r, unsigned int node)
{
	for (unsigned int g = r->t->leaf_of[node]; g != 0; g = r->t->groups[g].parent)
		if (!siblings_leave(r, g))
			return false;
	return true;
}
