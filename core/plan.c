#include "core/plan.h"

#include <string.h>

#include "core/plan_rule.h"
#include "core/plan_spread.h"

const char *plan_why_text(enum plan_why why)
{
	switch (why) {
	case PLAN_WHY_UNSET:
		return "the ranks are placed";
	case PLAN_ONE_NODE:
		return "at most one node has allowed cpus";
	case PLAN_LONE_RANK:
		return "a lone rank of unknown width may use everything";
	case PLAN_NO_RANKS:
		return "no ranks, or more than can be planned";
	}
	return "unknown";
}

/* Sets what follows from the machine alone; returns the number of usable
 * nodes, or -1. */
static int read_machine(struct plan *p, struct arena *a, const struct machine *m,
			const struct cpus *allowed, const unsigned int *busy)
{
	int usable = 0;

	p->nnodes = m->nnodes;
	p->capacity = arena_array(a, m->nnodes, sizeof(*p->capacity));
	p->busy = arena_array(a, m->nnodes, sizeof(*p->busy));
	p->ranks = arena_array(a, m->nnodes, sizeof(*p->ranks));
	if (!p->capacity || !p->busy || !p->ranks)
		return -1;
	for (unsigned int i = 0; i < m->nnodes; i++) {
		const struct cpus *cpus = &m->nodes[i].cpus;

		p->capacity[i] = allowed ? cpus_and_count(cpus, allowed) : cpus_count(cpus);
		p->busy[i] = busy ? busy[i] : 0;
		usable += p->capacity[i] > 0;
	}
	return usable;
}

static enum plan_why why_not(const struct plan_request *req, int usable)
{
	if (usable <= 1)
		return PLAN_ONE_NODE;
	if (req->nranks == 0 || req->nranks > PLAN_RANKS_MAX)
		return PLAN_NO_RANKS;
	if (req->nranks == 1 && req->width == 0)
		return PLAN_LONE_RANK;
	return PLAN_WHY_UNSET;
}

/* Fills a place for nranks ranks whose nodes are set already. */
static int fill_place(struct plan *p, struct plan_place *place, unsigned int nranks,
		      struct arena *a, const struct machine *m, const struct cpus *allowed)
{
	if (cpus_init(&place->cpus, a, m->ncpus) < 0)
		return -1;
	cpus_for_each(node, &place->nodes)
		cpus_or(&place->cpus, &m->nodes[node].cpus);
	if (allowed)
		cpus_and(&place->cpus, allowed);
	place->nranks = nranks;
	place->first = cpus_next(&place->nodes, 0);
	if (place->first == CPUS_NONE)
		place->first = 0;
	else
		p->ranks[place->first] += nranks;
	return 0;
}

/* No request: one place with everything that is allowed. */
static int place_nobody(struct plan *p, struct arena *a, const struct machine *m,
			const struct cpus *allowed)
{
	p->places = arena_alloc(a, sizeof(*p->places));
	if (!p->places || cpus_init(&p->places->nodes, a, m->nnodes) < 0)
		return -1;
	p->nplaces = 1;
	for (unsigned int i = 0; i < m->nnodes; i++)
		if (p->capacity[i])
			cpus_add(&p->places->nodes, i);
	return fill_place(p, p->places, p->nranks, a, m, allowed);
}

/* By lowest node, then by the next lowest, and so on; {0} before {0,1}. */
static bool stands_before(const struct plan_place *x, const struct plan_place *y)
{
	unsigned int i = cpus_next(&x->nodes, 0), j = cpus_next(&y->nodes, 0);

	while (i == j && i != CPUS_NONE) {
		i = cpus_next(&x->nodes, i + 1);
		j = cpus_next(&y->nodes, j + 1);
	}
	if (i == CPUS_NONE || j == CPUS_NONE)
		return i == CPUS_NONE && j != CPUS_NONE;
	return i < j;
}

static void sort_places(struct plan *p)
{
	for (unsigned int i = 1; i < p->nplaces; i++) {
		struct plan_place place = p->places[i];
		unsigned int at = i;

		for (; at > 0 && stands_before(&place, &p->places[at - 1]); at--)
			p->places[at] = p->places[at - 1];
		p->places[at] = place;
	}
}

/* Turns the spread's answer into places. */
static int collect_places(struct plan *p, struct arena *a, const struct machine *m,
			  const struct cpus *allowed, const struct plan_spread *s)
{
	unsigned int count = m->nnodes;

	for (const struct plan_share *share = s->shares; share; share = share->next)
		count++;
	p->places = arena_array(a, count, sizeof(*p->places));
	if (!p->places)
		return -1;
	for (unsigned int i = 0; i < m->nnodes; i++) {
		struct plan_place *place = &p->places[p->nplaces];

		if (!s->alone[i])
			continue;
		if (cpus_init(&place->nodes, a, m->nnodes) < 0)
			return -1;
		cpus_add(&place->nodes, i);
		if (fill_place(p, place, s->alone[i], a, m, allowed) < 0)
			return -1;
		p->nplaces++;
	}
	for (const struct plan_share *share = s->shares; share; share = share->next) {
		struct plan_place *place = &p->places[p->nplaces++];

		place->nodes = share->nodes;
		if (fill_place(p, place, share->nranks, a, m, allowed) < 0)
			return -1;
	}
	sort_places(p);
	return 0;
}

/* The node that may keep the whole job, or CPUS_NONE: the least busy per
 * capacity of those whose idle cpus hold it and that the rule leaves alone.
 * rule->running is the load without the job, before and after. */
static unsigned int node_for_all(const struct plan *p, const struct plan_spread *s,
				 struct plan_rule *rule)
{
	uint64_t cpus = (uint64_t)p->nranks * p->width;
	unsigned int best = CPUS_NONE;

	for (unsigned int i = 0; i < s->tree.nnodes; i++) {
		const struct plan_group *leaf;
		unsigned int node = s->tree.nodes[i];

		leaf = plan_tree_leaf(&s->tree, node);
		if (leaf->load + cpus > leaf->capacity)
			continue;
		rule->running[node] += cpus;
		if (plan_rule_keeps(rule, node) &&
		    (best == CPUS_NONE || plan_tree_emptier(leaf, plan_tree_leaf(&s->tree, best)) ||
		     (!plan_tree_emptier(plan_tree_leaf(&s->tree, best), leaf) && node < best)))
			best = node;
		rule->running[node] -= cpus;
	}
	return best;
}

static int place_ranks(struct plan *p, struct arena *a, const struct machine *m,
		       const struct cpus *allowed, bool together, struct plan_spread *s,
		       struct plan_rule *rule)
{
	unsigned int node = CPUS_NONE;

	if (together && p->width)
		node = node_for_all(p, s, rule);
	if (node != CPUS_NONE)
		plan_spread_on(s, node);
	else if (plan_spread_ranks(s) < 0)
		return -1;
	return collect_places(p, a, m, allowed, s);
}

static unsigned int difference_of(const struct plan *p, const struct plan_tree *t)
{
	unsigned int low = ~0u, high = 0;

	for (unsigned int i = 0; i < t->nnodes; i++) {
		unsigned int n = p->ranks[t->nodes[i]];

		low = n < low ? n : low;
		high = n > high ? n : high;
	}
	return high - low;
}

int plan_make(struct plan *p, struct arena *a, const struct machine *m, const struct cpus *allowed,
	      const struct plan_request *req)
{
	struct plan_spread s;
	struct plan_rule rule;
	int usable;

	memset(p, 0, sizeof(*p));
	p->nranks = req->nranks;
	p->width = req->width;
	p->weight = req->width ? req->width : 1;
	p->order = req->order == PLAN_ORDER_CYCLIC ? PLAN_ORDER_CYCLIC : PLAN_ORDER_BLOCK;
	usable = read_machine(p, a, m, allowed, req->busy);
	if (usable < 0)
		return -1;
	p->why = why_not(req, usable);
	if (p->why && place_nobody(p, a, m, allowed) < 0)
		return -1;
	p->stable = true;
	if (usable == 0)
		return 0;
	if (plan_spread_init(&s, a, m, p->capacity, p->busy, p->nranks, p->width) < 0)
		return -1;
	p->weight = s.weight;
	p->crowded = s.crowded ||
		     (m->quota && (uint64_t)p->nranks * (p->width ? p->width : 1) > m->quota);
	if (usable == 1)
		return 0;
	if (plan_rule_init(&rule, a, &s.tree, req->rule ? req->rule : POLICY_G8) < 0)
		return -1;
	for (unsigned int i = 0; i < m->nnodes; i++)
		rule.running[i] = p->busy[i];
	if (!p->why && place_ranks(p, a, m, allowed, req->together, &s, &rule) < 0)
		return -1;
	/* A rank of unknown width is one task as far as anyone knows. */
	for (unsigned int i = 0; i < m->nnodes; i++)
		rule.running[i] += p->width ? s.planned[i] : p->ranks[i];
	rule.places = p->places;
	rule.nplaces = p->nplaces;
	p->stable = plan_rule_stable(&rule);
	p->difference = difference_of(p, &s.tree);
	return 0;
}

/* Ranks that the places take in the first rounds, at most one per place and
 * round. */
static unsigned int ranks_in_rounds(const struct plan *p, unsigned int rounds)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < p->nplaces; i++)
		sum += p->places[i].nranks < rounds ? p->places[i].nranks : rounds;
	return sum;
}

/* Rank r of a job that goes round the places. */
static const struct plan_place *place_of_cyclic(const struct plan *p, unsigned int r,
						unsigned int *index)
{
	unsigned int low = 0, high = p->nranks; /* whole rounds before r's own */

	while (high - low > 1) {
		unsigned int middle = low + (high - low) / 2;

		if (ranks_in_rounds(p, middle) <= r)
			low = middle;
		else
			high = middle;
	}
	r -= ranks_in_rounds(p, low);
	for (unsigned int i = 0; i < p->nplaces; i++)
		if (p->places[i].nranks > low && r-- == 0) {
			*index = low;
			return &p->places[i];
		}
	return NULL;
}

const struct plan_place *plan_index_of(const struct plan *p, unsigned int r, unsigned int *index)
{
	if (r >= p->nranks)
		return NULL;
	if (p->order == PLAN_ORDER_CYCLIC)
		return place_of_cyclic(p, r, index);
	for (unsigned int i = 0; i < p->nplaces; i++) {
		if (r < p->places[i].nranks) {
			*index = r;
			return &p->places[i];
		}
		r -= p->places[i].nranks;
	}
	return NULL;
}

const struct plan_place *plan_place_of(const struct plan *p, unsigned int r)
{
	unsigned int index;

	return plan_index_of(p, r, &index);
}
