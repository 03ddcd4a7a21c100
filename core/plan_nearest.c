#include "core/plan_nearest.h"

#include <string.h>

typedef uint64_t measure_fn(const struct plan_tree *t, unsigned int node);

static uint64_t room_of(const struct plan_tree *t, unsigned int node)
{
	return plan_tree_leaf(t, node)->room;
}

static uint64_t capacity_of(const struct plan_tree *t, unsigned int node)
{
	return plan_tree_leaf(t, node)->capacity;
}

int plan_nearest_init(struct plan_nearest *s, struct arena *a, const struct plan_tree *t)
{
	memset(s, 0, sizeof(*s));
	s->t = t;
	s->by_room = arena_array(a, t->nnodes, sizeof(*s->by_room));
	s->by_capacity = arena_array(a, t->nnodes, sizeof(*s->by_capacity));
	s->cost = arena_array(a, t->m->nnodes, sizeof(*s->cost));
	if (!s->by_room || !s->by_capacity || !s->cost)
		return -1;
	return cpus_init(&s->chosen, a, t->m->nnodes);
}

/* Sorts the group's nodes by measure, largest first, then by index. */
static void sort_nodes(const struct plan_tree *t, const struct plan_group *g, measure_fn *measure,
		       unsigned int *sorted)
{
	for (unsigned int i = 0; i < g->nnodes; i++) {
		unsigned int node = t->nodes[g->start + i], at = i;

		for (; at > 0 && measure(t, sorted[at - 1]) < measure(t, node); at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = node;
	}
}

/* Adds node to the chosen ones; returns the separations that this adds. */
static uint64_t choose(struct plan_nearest *s, unsigned int node)
{
	cpus_add(&s->chosen, node);
	for (unsigned int i = 0; i < s->n; i++)
		s->cost[s->by_room[i]] += plan_tree_separation(s->t->m, node, s->by_room[i]);
	return s->cost[node] - plan_tree_separation(s->t->m, node, node);
}

static uint64_t sum_of(const struct plan_tree *t, const struct cpus *nodes, measure_fn *measure)
{
	uint64_t sum = 0;

	cpus_for_each(node, nodes)
		sum += measure(t, node);
	return sum;
}

/* Is node a better next choice than best? Both are not yet chosen. */
static bool better(const struct plan_nearest *s, unsigned int node, unsigned int best)
{
	if (best == CPUS_NONE)
		return true;
	if (s->cost[node] != s->cost[best])
		return s->cost[node] < s->cost[best];
	if (room_of(s->t, node) != room_of(s->t, best))
		return room_of(s->t, node) > room_of(s->t, best);
	return node < best;
}

/* The nearest node not yet chosen with which count nodes, this one included,
 * can still make up missing. */
static unsigned int pick(const struct plan_nearest *s, const unsigned int *sorted,
			 measure_fn *measure, unsigned int count, uint64_t missing)
{
	uint64_t top = 0, next = 0; /* the count - 1 largest, and the one after them */
	unsigned int best = CPUS_NONE, pos = 0;

	for (unsigned int i = 0; i < s->n && pos < count; i++) {
		if (cpus_has(&s->chosen, sorted[i]))
			continue;
		if (++pos < count)
			top += measure(s->t, sorted[i]);
		else
			next = measure(s->t, sorted[i]);
	}
	pos = 0;
	for (unsigned int i = 0; i < s->n; i++) {
		unsigned int node = sorted[i];
		uint64_t reach;

		if (cpus_has(&s->chosen, node))
			continue;
		reach = ++pos < count ? top + next : top + measure(s->t, node);
		if (reach >= missing && better(s, node, best))
			best = node;
	}
	return best;
}

/* Chooses the fewest further nodes with which the measures of all chosen ones
 * hold need; returns the separations that this adds. */
static uint64_t extend(struct plan_nearest *s, const unsigned int *sorted, measure_fn *measure,
		       uint64_t need)
{
	uint64_t have = sum_of(s->t, &s->chosen, measure), reach = have, cost = 0;
	unsigned int count = 0;

	for (unsigned int i = 0; i < s->n && reach < need; i++) {
		if (cpus_has(&s->chosen, sorted[i]))
			continue;
		reach += measure(s->t, sorted[i]);
		count++;
	}
	for (; count > 0; count--) {
		unsigned int node = pick(s, sorted, measure, count, need - have);

		have += measure(s->t, node);
		cost += choose(s, node);
	}
	return cost;
}

/* A set of nodes that was found. */
struct found {
	unsigned int count;
	uint64_t cost, room;
};

static bool beats(const struct found *x, const struct found *y)
{
	if (x->count != y->count)
		return x->count < y->count;
	if (x->cost != y->cost)
		return x->cost < y->cost;
	return x->room > y->room;
}

void plan_nearest_find(struct plan_nearest *s, const struct plan_group *g, uint64_t need,
		       struct cpus *best)
{
	struct found record = {.count = CPUS_NONE};

	s->n = g->nnodes;
	sort_nodes(s->t, g, room_of, s->by_room);
	sort_nodes(s->t, g, capacity_of, s->by_capacity);
	for (unsigned int i = 0; i < g->nnodes; i++) {
		unsigned int seed = s->t->nodes[g->start + i];
		struct found now;

		if (!room_of(s->t, seed))
			continue;
		cpus_clear(&s->chosen);
		memset(s->cost, 0, s->t->m->nnodes * sizeof(*s->cost));
		now.cost = choose(s, seed);
		now.cost += extend(s, s->by_room, room_of, need);
		now.cost += extend(s, s->by_capacity, capacity_of, need);
		now.count = cpus_count(&s->chosen);
		now.room = sum_of(s->t, &s->chosen, room_of);
		if (!beats(&now, &record))
			continue;
		record = now;
		cpus_clear(best);
		cpus_or(best, &s->chosen);
	}
}
