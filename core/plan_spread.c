#include "core/plan_spread.h"

#include <string.h>

static unsigned int idle_cpus(unsigned int capacity, unsigned int busy)
{
	return busy < capacity ? capacity - busy : 0;
}

/* total * part / whole, rounded down, for part <= whole. Shifting keeps the
 * products in 64 bits; it costs accuracy only beyond 2^30 cpus. */
static uint64_t portion(uint64_t total, uint64_t part, uint64_t whole)
{
	for (; whole >> 30; whole >>= 1)
		part >>= 1;
	return total / whole * part + total % whole * part / whole;
}

/* Most cpus that may be planned on a node of a crowded machine, in whole
 * ranks: what its share of the whole demand leaves after its own busy cpus,
 * rounded up.
 *
 * There is always a place left: the limits sum to at least
 * sum((demand * capacity_i / capacity - busy_i) / unit) * unit
 * = demand - busy = all ranks, as rounding up and cutting at 0 only add; and
 * each rank takes exactly its width of the room that is left. (A width above
 * all cpus may overflow here; nobody asks for rooms then.) */
static uint64_t limit_of(const struct plan_spread *s, uint64_t capacity, uint64_t busy)
{
	uint64_t unit = s->width ? s->width : 1;
	uint64_t demand = s->busy + s->nranks * unit;
	uint64_t share = demand * capacity, used = busy * s->capacity;

	if (share <= used)
		return 0;
	return (share - used + s->capacity * unit - 1) / (s->capacity * unit) * unit;
}

int plan_spread_init(struct plan_spread *s, struct arena *a, const struct machine *m,
		     const unsigned int *capacity, const unsigned int *busy, unsigned int nranks,
		     unsigned int width)
{
	memset(s, 0, sizeof(*s));
	s->a = a;
	s->nranks = nranks;
	s->width = width;
	s->alone = arena_array(a, m->nnodes, sizeof(*s->alone));
	s->planned = arena_array(a, m->nnodes, sizeof(*s->planned));
	if (!s->alone || !s->planned || cpus_init(&s->set, a, m->nnodes) < 0 ||
	    plan_tree_build(&s->tree, a, m, capacity) < 0 ||
	    plan_nearest_init(&s->nearest, a, &s->tree) < 0)
		return -1;
	for (unsigned int i = 0; i < s->tree.nnodes; i++) {
		unsigned int node = s->tree.nodes[i];

		s->capacity += capacity[node];
		s->busy += busy[node];
		s->idle += idle_cpus(capacity[node], busy[node]);
	}
	if (width) {
		s->weight = width;
		s->crowded = s->busy + (uint64_t)nranks * width > s->capacity;
	} else {
		/* A cgroup's quota is all that the ranks' threads get. */
		uint64_t fair = m->quota && m->quota < s->idle ? m->quota : s->idle;

		s->weight = nranks && fair > nranks ? (unsigned int)(fair / nranks) : 1;
		s->crowded = nranks > s->idle;
	}
	for (unsigned int i = 0; i < s->tree.nnodes; i++) {
		unsigned int node = s->tree.nodes[i];
		unsigned int idle = idle_cpus(capacity[node], busy[node]);
		uint64_t room = s->crowded ? limit_of(s, capacity[node], busy[node]) : idle;

		plan_tree_fill(&s->tree, node, capacity[node], busy[node], room,
			       idle > 0 || s->idle == 0);
	}
	return 0;
}

void plan_spread_on(struct plan_spread *s, unsigned int node)
{
	s->alone[node] = s->nranks;
	s->planned[node] = (uint64_t)s->nranks * s->width;
}

static void charge(struct plan_spread *s, unsigned int node, uint64_t cpus)
{
	plan_tree_charge(&s->tree, node, cpus);
	s->planned[node] += cpus;
}

/* Gives nranks ranks the nodes of set. */
static int add_share(struct plan_spread *s, const struct cpus *set, unsigned int nranks)
{
	struct plan_share *share = s->shares;

	while (share && !cpus_equal(&share->nodes, set))
		share = share->next;
	if (!share) {
		share = arena_alloc(s->a, sizeof(*share));
		if (!share || cpus_copy(&share->nodes, s->a, set) < 0)
			return -1;
		share->next = s->shares;
		s->shares = share;
	}
	share->nranks += nranks;
	return 0;
}

/* Everyone may use everything. */
static int give_all(struct plan_spread *s)
{
	for (unsigned int i = 0; i < s->tree.nnodes; i++)
		cpus_add(&s->set, s->tree.nodes[i]);
	return add_share(s, &s->set, s->nranks);
}

/* The emptiest child of g that has room and cpus for need more, or CPUS_NONE. */
static unsigned int emptiest_child(const struct plan_tree *t, const struct plan_group *g,
				   unsigned int need)
{
	unsigned int best = CPUS_NONE;

	for (unsigned int c = g->child; c < g->child + g->nchildren; c++) {
		const struct plan_group *child = &t->groups[c];

		if (child->room < need || child->capacity < need)
			continue;
		if (best == CPUS_NONE || plan_tree_emptier(child, &t->groups[best]))
			best = c;
	}
	return best;
}

/* Charges cpus to the nodes of s->set, whose rooms hold them. Idle nodes are
 * filled one after the other: what one rank leaves of the last is a smaller
 * piece for the next rank than if all nodes were begun. Of a crowded set each
 * node takes its part, so that the same set is found again. */
static void charge_set(struct plan_spread *s, uint64_t room, uint64_t cpus)
{
	uint64_t left = cpus;

	if (s->crowded)
		cpus_for_each(node, &s->set) {
			uint64_t part = portion(cpus, plan_tree_leaf(&s->tree, node)->room, room);

			part = part < left ? part : left;
			charge(s, node, part);
			left -= part;
		}
	cpus_for_each(node, &s->set) {
		uint64_t free_room = plan_tree_leaf(&s->tree, node)->room;
		uint64_t part = free_room < left ? free_room : left;

		charge(s, node, part);
		left -= part;
	}
}

/* Places at most left ranks on a set of nodes of g; tells how many.
 *
 * One at a time while there are idle cpus. Of a crowded set half the ranks it
 * still takes go at once, since a million ranks would search a million times:
 * no set ends above its share, and the last ranks go one by one again. */
static int place_set(struct plan_spread *s, const struct plan_group *g, unsigned int left,
		     unsigned int *placed)
{
	uint64_t room = 0, count;

	plan_nearest_find(&s->nearest, g, s->width, &s->set);
	cpus_for_each(node, &s->set)
		room += plan_tree_leaf(&s->tree, node)->room;
	count = room / (2 * (uint64_t)s->width);
	if (count < 1)
		count = 1;
	if (count > left)
		count = left;
	*placed = (unsigned int)count;
	charge_set(s, room, count * s->width);
	return add_share(s, &s->set, *placed);
}

/* Places left ranks, one after the other to the emptiest group at each level
 * that can take one.
 *
 * The root always can: see limit_of for a crowded machine; else the rooms are
 * the idle cpus, at least all ranks' width, or with the width unknown at least
 * nranks * weight, so that before the last rank some node is below its idle
 * cpus. A rank of unknown width needs one cpu, so it always gets to a node. */
static int place_ranks(struct plan_spread *s, unsigned int left)
{
	unsigned int need = s->width ? s->width : 1;
	unsigned int placed;

	for (; left > 0; left -= placed) {
		const struct plan_group *g = &s->tree.groups[0];

		while (g->nchildren) {
			unsigned int c = emptiest_child(&s->tree, g, need);

			if (c == CPUS_NONE)
				break;
			g = &s->tree.groups[c];
		}
		placed = 1;
		if (!g->nchildren) {
			unsigned int node = s->tree.nodes[g->start];

			s->alone[node]++;
			charge(s, node, s->weight);
		} else if (place_set(s, g, left, &placed) < 0) {
			return -1;
		}
	}
	return 0;
}

/* Unknown width, a node each: every node with an idle cpu gets one first. On a
 * crowded machine that is within its limit: its share exceeds its capacity. */
static int place_single(struct plan_spread *s)
{
	unsigned int left = s->nranks;

	for (unsigned int i = 0; s->idle && i < s->tree.nnodes; i++) {
		unsigned int node = s->tree.nodes[i];

		if (!plan_tree_leaf(&s->tree, node)->nlive)
			continue;
		s->alone[node]++;
		charge(s, node, s->weight);
		left--;
	}
	return place_ranks(s, left);
}

static unsigned int live_children(const struct plan_tree *t, const struct plan_group *g)
{
	unsigned int count = 0;

	for (unsigned int c = g->child; c < g->child + g->nchildren; c++)
		count += t->groups[c].nlive > 0;
	return count;
}

/* At least one of g's ranks to each live child, the others to the emptiest. */
static void divide_ranks(struct plan_spread *s, const struct plan_group *g)
{
	struct plan_group *first = &s->tree.groups[g->child], *end = first + g->nchildren;
	unsigned int left = g->ranks;

	for (struct plan_group *c = first; c < end; c++)
		if (c->nlive) {
			c->ranks = 1;
			c->load += s->weight;
			left--;
		}
	for (; left > 0; left--) {
		struct plan_group *best = NULL;

		for (struct plan_group *c = first; c < end; c++)
			if (c->nlive && (!best || plan_tree_emptier(c, best)))
				best = c;
		best->ranks++;
		best->load += s->weight;
	}
}

/* Fewer ranks than live children: each rank gets a run of them, and all their
 * live nodes. */
static int divide_children(struct plan_spread *s, const struct plan_group *g, unsigned int nlive)
{
	const struct plan_tree *t = &s->tree;
	unsigned int seen = 0, rank = 0;

	cpus_clear(&s->set);
	for (unsigned int c = g->child; c < g->child + g->nchildren; c++) {
		const struct plan_group *child = &t->groups[c];

		if (!child->nlive)
			continue;
		for (unsigned int i = 0; i < child->nnodes; i++) {
			unsigned int node = t->nodes[child->start + i];

			if (plan_tree_leaf(t, node)->nlive)
				cpus_add(&s->set, node);
		}
		/* Runs end at the multiples of nlive / ranks: their lengths
		 * differ by at most one. */
		if (++seen == (rank + 1) * nlive / g->ranks) {
			if (add_share(s, &s->set, 1) < 0)
				return -1;
			cpus_clear(&s->set);
			rank++;
		}
	}
	return 0;
}

/* Unknown width, fewer ranks than live nodes: the nodes are divided among the
 * ranks, group by group (parents stand before their children). */
static int divide(struct plan_spread *s)
{
	struct plan_tree *t = &s->tree;

	t->groups[0].ranks = s->nranks;
	for (unsigned int i = 0; i < t->ngroups; i++) {
		const struct plan_group *g = &t->groups[i];
		unsigned int nlive = live_children(t, g);

		if (!g->ranks)
			continue;
		if (!g->nchildren)
			s->alone[t->nodes[g->start]] += g->ranks;
		else if (g->ranks >= nlive)
			divide_ranks(s, g);
		else if (divide_children(s, g, nlive) < 0)
			return -1;
	}
	return 0;
}

int plan_spread_ranks(struct plan_spread *s)
{
	if (s->width > s->capacity)
		return give_all(s);
	if (s->width)
		return place_ranks(s, s->nranks);
	if (s->nranks >= s->tree.groups[0].nlive)
		return place_single(s);
	return divide(s);
}
