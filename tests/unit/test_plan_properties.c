/* What must hold for every plan, on generated machines and loads.
 *
 * Rooms and limits are stated again from the contract in core/plan.h.
 * EVENKEEL_TEST_CASES=N in the environment runs N cases, for slow checkers.
 */
#include "tests/unit/plan_cases.h"

#include <stdio.h>
#include <string.h>

#include "core/policy.h"

#define CASES 120000u

#define HOLDS(job, what, condition) \
	do { \
		if (!(condition)) \
			broken((job), (what), #condition); \
	} while (0)

static void broken(const struct job *j, const char *what, const char *condition)
{
	char list[256];

	print_error("%u ranks, width %u, order %d, together %d, rule %d, weight %u, why %d\n",
		    j->req.nranks, j->req.width, j->req.order, j->req.together, j->req.rule,
		    j->p.weight, j->p.why);
	for (unsigned int i = 0; i < j->n; i++) {
		print_error("node %u: %u cpus, %u busy, %u ranks, distances", i,
			    (unsigned int)j->capacity[i], j->busy[i], j->p.ranks[i]);
		for (unsigned int k = 0; k < j->n; k++)
			print_error(" %u", machine_distance(&j->m, i, k));
		print_error("\n");
	}
	for (unsigned int i = 0; i < j->p.nplaces; i++) {
		cpus_format(&j->p.places[i].nodes, list, sizeof(list));
		print_error("%u ranks on nodes %s\n", j->p.places[i].nranks, list);
	}
	fail_msg("case %u: %s: %s", j->number, what, condition);
}

static unsigned int nodes_of(const struct plan_place *place)
{
	unsigned int nodes = 0;

	cpus_for_each(node, &place->nodes)
		nodes |= 1u << node;
	return nodes;
}

/* Ranks whose nodes all lie within nodes. */
static unsigned int ranks_within(const struct job *j, unsigned int nodes)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < j->p.nplaces; i++)
		if (!(nodes_of(&j->p.places[i]) & ~nodes))
			sum += j->p.places[i].nranks;
	return sum;
}

static uint64_t sum_over(const uint64_t *values, unsigned int nodes)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < NODES_MAX; i++)
		if (nodes >> i & 1)
			sum += values[i];
	return sum;
}

static uint64_t busy_in(const struct job *j, unsigned int nodes)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < j->n; i++)
		if (nodes >> i & 1)
			sum += j->busy[i];
	return sum;
}

/* More ranks that may go to node by its share of a crowded machine; "one rank
 * less would be strictly below the share" is the same as "rounded up". */
static uint64_t limit_left(const struct job *j, unsigned int node)
{
	uint64_t unit = j->req.width ? j->req.width : 1, n = 0;
	uint64_t demand = j->sum_busy + j->req.nranks * unit;

	while ((j->busy[node] + n * unit) * j->sum_capacity < demand * j->capacity[node])
		n++;
	return n > j->p.ranks[node] ? n - j->p.ranks[node] : 0;
}

static void check_places(const struct job *j)
{
	const struct plan *p = &j->p;
	unsigned int sum = 0, counted[NODES_MAX] = { 0 };

	for (unsigned int i = 0; i < p->nplaces; i++) {
		const struct plan_place *place = &p->places[i];
		unsigned int cpus = 0;

		sum += place->nranks;
		counted[place->first] += place->nranks;
		HOLDS(j, "a place has allowed nodes", !(nodes_of(place) & ~j->usable));
		cpus_for_each(cpu, &place->cpus) {
			unsigned int node = machine_node_of(&j->m, cpu);

			cpus++;
			HOLDS(j, "a mask is its nodes'", cpus_has(&place->nodes, node));
			HOLDS(j, "a mask is allowed", !j->allowed || cpus_has(j->allowed, cpu));
		}
		HOLDS(j, "a mask is whole", cpus == sum_over(j->capacity, nodes_of(place)));
		if (!j->usable)
			continue;
		HOLDS(j, "a mask is not empty", cpus > 0);
		HOLDS(j, "a place counts at its first node",
		      place->first == lowest(nodes_of(place)));
		HOLDS(j, "a place has ranks",
		      place->nranks > 0 || p->why == PLAN_NO_RANKS || p->why == PLAN_ONE_NODE);
	}
	HOLDS(j, "all ranks have a place", sum == j->req.nranks);
	for (unsigned int i = 0; i < j->n; i++)
		HOLDS(j, "ranks count where they are", !j->usable || counted[i] == p->ranks[i]);
	for (unsigned int i = 1; i < p->nplaces; i++)
		HOLDS(j, "places ascend", p->places[i - 1].first <= p->places[i].first);
	for (unsigned int i = 0; i < p->nplaces; i++)
		for (unsigned int k = 0; k < i; k++)
			HOLDS(j, "places differ",
			      !cpus_equal(&p->places[i].nodes, &p->places[k].nodes));
}

static void check_order(const struct job *j)
{
	const struct plan *p = &j->p;
	unsigned int left[GROUPS_MAX * 8], at = 0;

	assert_true(p->nplaces <= GROUPS_MAX * 8);
	for (unsigned int i = 0; i < p->nplaces; i++)
		left[i] = p->places[i].nranks;
	for (unsigned int r = 0; r < p->nranks; r++) {
		const struct plan_place *place = plan_place_of(p, r);

		while (!left[at])
			at = (at + 1) % p->nplaces;
		HOLDS(j, "ranks go to places in order", place == &p->places[at]);
		left[at]--;
		if (j->req.order == PLAN_ORDER_CYCLIC)
			at = (at + 1) % p->nplaces;
	}
	HOLDS(j, "no more ranks than asked for", !plan_place_of(p, p->nranks));
}

static void check_request(const struct job *j)
{
	unsigned int usable = count_of(j->usable);
	enum plan_why why = PLAN_WHY_UNSET;

	if (usable <= 1)
		why = PLAN_ONE_NODE;
	else if (j->req.nranks == 0)
		why = PLAN_NO_RANKS;
	else if (j->req.nranks == 1 && j->req.width == 0)
		why = PLAN_LONE_RANK;
	HOLDS(j, "no request where none is due", j->p.why == why);
	if (why || j->req.width > j->sum_capacity) {
		HOLDS(j, "everyone gets everything", j->p.nplaces == 1);
		HOLDS(j, "everyone gets everything", nodes_of(&j->p.places[0]) == j->usable);
	}
}

static void check_difference(const struct job *j)
{
	unsigned int low = ~0u, high = 0;
	bool even = true;

	for (unsigned int i = 0; i < j->n; i++) {
		if (!(j->usable >> i & 1))
			continue;
		low = j->p.ranks[i] < low ? j->p.ranks[i] : low;
		high = j->p.ranks[i] > high ? j->p.ranks[i] : high;
		even = even && !j->busy[i] &&
		       j->capacity[i] == j->capacity[lowest(j->usable)];
	}
	HOLDS(j, "the difference is that of the counts",
	      !j->usable || j->p.difference == high - low);
	if (even && !j->p.why && j->single && !j->req.together)
		HOLDS(j, "equal idle nodes get equal counts", j->p.difference <= 1);
}

/* What group nodes can still take, in cpus, at the end. */
static uint64_t room_left(const struct job *j, unsigned int nodes)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < j->n; i++) {
		uint64_t planned = (uint64_t)j->p.ranks[i] * j->p.weight;

		if (!(nodes >> i & 1))
			continue;
		if (j->crowded)
			sum += limit_left(j, i) * (j->req.width ? j->req.width : 1);
		else
			sum += planned < j->idle[i] ? j->idle[i] - planned : 0;
	}
	return sum;
}

/* At every level and for every two sibling groups x and y: had x one rank less
 * than it has, it would not be fuller per capacity than y, if y can still take
 * a rank and x has more than it is due whatever the load (a rank of unknown
 * width for each of its nodes with an idle cpu). For groups of equal capacity
 * that says: no move of a rank makes the fuller of the two less full. */
static void check_optimal(const struct job *j)
{
	uint64_t need = j->req.width ? j->req.width : 1;

	for (int x = 1; x < j->ngroups; x++)
		for (int y = 1; y < j->ngroups; y++) {
			unsigned int from = j->groups[x].nodes, to = j->groups[y].nodes;
			unsigned int due = j->req.width ? 0 : count_of(from & j->live);
			uint64_t here, there;

			if (x == y || j->groups[x].parent != j->groups[y].parent ||
			    ranks_within(j, from) <= due || room_left(j, to) < need ||
			    sum_over(j->capacity, to) < need)
				continue;
			here = busy_in(j, from) + (uint64_t)ranks_within(j, from) * j->p.weight;
			there = busy_in(j, to) + (uint64_t)ranks_within(j, to) * j->p.weight;
			HOLDS(j, "no rank would be better placed in a sibling group",
			      (here - j->p.weight) * sum_over(j->capacity, to) <=
				      there * sum_over(j->capacity, from));
		}
}

/* divided_up: the nodes are shared out among fewer ranks, whatever the load. */
static void check_bounds(const struct job *j, bool divided_up)
{
	for (unsigned int i = 0; i < j->p.nplaces; i++) {
		const struct plan_place *place = &j->p.places[i];
		unsigned int nodes = nodes_of(place);
		uint64_t planned = (uint64_t)place->nranks * j->p.weight;

		if (!j->crowded && j->req.width)
			HOLDS(j, "idle cpus hold a place's ranks",
			      planned <= sum_over(j->idle, nodes));
		if (!j->crowded && !j->req.width && j->live)
			HOLDS(j, "full nodes are left out", !(nodes & ~j->live));
		if (!j->crowded || divided_up || nodes & (nodes - 1))
			continue;
		/* One rank less must be strictly below the share. */
		HOLDS(j, "no node gets more than its share",
		      (j->busy[place->first] + planned - j->p.weight) * j->sum_capacity <
			      (j->sum_busy + (uint64_t)j->req.nranks * j->p.weight) *
				      j->capacity[place->first]);
	}
}

/* Width unknown. */
static void check_coverage(const struct job *j)
{
	unsigned int covered = 0, nlive = count_of(j->live);

	for (unsigned int i = 0; i < j->p.nplaces; i++)
		covered |= nodes_of(&j->p.places[i]);
	HOLDS(j, "no idle cpu is left out", !(j->live & ~covered));
	if (j->req.nranks < (nlive ? nlive : count_of(j->usable)))
		return;
	HOLDS(j, "enough ranks get a node each", j->single);
}

/* Width unknown, fewer ranks than live nodes: the children of g that are live,
 * in the order of their first nodes, are shared out. */
static void check_shares(const struct job *j, int g, unsigned int live)
{
	unsigned int children[NODES_MAX], n = 0, owner[NODES_MAX], runs = 0, least = ~0u, most = 0;
	unsigned int ranks = ranks_within(j, j->groups[g].nodes);

	for (int c = 1; c < j->ngroups; c++)
		if (j->groups[c].parent == g && j->groups[c].nodes & live)
			children[n++] = j->groups[c].nodes & live;
	if (n == 0 || ranks == 0)
		return;
	if (ranks >= n) {
		for (unsigned int c = 0; c < n; c++)
			HOLDS(j, "each child has ranks", ranks_within(j, children[c]) > 0);
		return;
	}
	for (unsigned int c = 0; c < n; c++) {
		unsigned int owners = 0;

		for (unsigned int i = 0; i < j->p.nplaces; i++)
			if (nodes_of(&j->p.places[i]) & children[c]) {
				owner[c] = i;
				owners++;
				HOLDS(j, "a rank gets whole children",
				      !(children[c] & ~nodes_of(&j->p.places[i])));
				HOLDS(j, "a rank shares no children", j->p.places[i].nranks == 1);
			}
		HOLDS(j, "a child has one rank", owners == 1);
	}
	for (unsigned int c = 0, length = 0; c < n; c++) {
		length++;
		if (c + 1 < n && owner[c + 1] == owner[c])
			continue;
		least = length < least ? length : least;
		most = length > most ? length : most;
		length = 0;
		runs++;
	}
	HOLDS(j, "shares are runs", runs == ranks);
	HOLDS(j, "shares differ by at most one child", most - least <= 1);
}

/* The balancer of the group at local, asked directly, about what runs in
 * busiest. */
static bool would_leave(struct job *j, unsigned int local, unsigned int busiest,
			const uint64_t *running)
{
	unsigned int node = lowest(local), level = 0, far = 0;
	uint64_t here = sum_over(running, local), there = sum_over(running, busiest);
	uint64_t here_cpus = sum_over(j->capacity, local);
	uint64_t there_cpus = sum_over(j->capacity, busiest);
	struct machine_view view;

	for (unsigned int i = 0; i < j->p.nplaces; i++)
		if (nodes_of(&j->p.places[i]) & local && nodes_of(&j->p.places[i]) & busiest)
			return true;
	if (here >= here_cpus || there > there_cpus)
		return (here + 1) * there_cpus >= there * here_cpus;
	for (unsigned int i = 0; i < j->n; i++)
		if (busiest >> i & 1 && machine_distance(&j->m, node, i) > far)
			far = machine_distance(&j->m, node, i);
	if (machine_view(&j->m, cpus_next(&j->m.nodes[node].cpus, 0), NULL, &j->a, &view) < 0)
		fail_msg("case %u: no view from node %u", j->number, node);
	while (view.levels[level].distance < far)
		level++;
	return there <= here + policy_stable_difference(j->req.rule ? j->req.rule : POLICY_G8,
							&view, level, (unsigned int)here,
							(unsigned int)here_cpus);
}

/* The siblings of all groups, or of those that hold node, leave them alone. */
static bool all_leave(struct job *j, const uint64_t *running, unsigned int nodes)
{
	for (int x = 1; x < j->ngroups; x++)
		for (int y = 1; y < j->ngroups; y++)
			if (x != y && j->groups[x].parent == j->groups[y].parent &&
			    j->groups[y].nodes & nodes &&
			    !would_leave(j, j->groups[x].nodes, j->groups[y].nodes, running))
				return false;
	return true;
}

static void check_stable(struct job *j)
{
	unsigned int tasks = j->req.width ? j->req.width : 1;
	uint64_t running[NODES_MAX] = { 0 };

	/* How a wide rank's threads are counted is not told. */
	if (!j->single && j->req.width)
		return;
	for (unsigned int i = 0; i < j->n; i++)
		running[i] = j->busy[i] + (uint64_t)j->p.ranks[i] * tasks;
	HOLDS(j, "stable is what the rule says", j->p.stable == all_leave(j, running, j->usable));
}

static bool same_plan(const struct plan *x, const struct plan *y)
{
	if (x->nplaces != y->nplaces || x->why != y->why || x->weight != y->weight ||
	    x->stable != y->stable || x->difference != y->difference || x->order != y->order ||
	    memcmp(x->ranks, y->ranks, x->nnodes * sizeof(*x->ranks)) != 0)
		return false;
	for (unsigned int i = 0; i < x->nplaces; i++)
		if (x->places[i].nranks != y->places[i].nranks ||
		    x->places[i].first != y->places[i].first ||
		    !cpus_equal(&x->places[i].nodes, &y->places[i].nodes) ||
		    !cpus_equal(&x->places[i].cpus, &y->places[i].cpus))
			return false;
	return true;
}

/* Together, width known: all on one node exactly when there is a node that
 * holds all and is left alone; and then on the least busy such one. */
static void check_together(struct job *j)
{
	uint64_t cpus = (uint64_t)j->req.nranks * j->req.width;
	unsigned int best = CPUS_NONE;
	struct plan apart, kept = j->p;

	j->p.nplaces = 0; /* no rank yet uses two groups */
	for (unsigned int i = 0; i < j->n; i++) {
		uint64_t running[NODES_MAX];

		for (unsigned int k = 0; k < j->n; k++)
			running[k] = j->busy[k] + (k == i ? cpus : 0);
		if (!(j->usable >> i & 1) || running[i] > j->capacity[i] ||
		    !all_leave(j, running, 1u << i))
			continue;
		if (best == CPUS_NONE ||
		    j->busy[i] * j->capacity[best] < j->busy[best] * j->capacity[i])
			best = i;
	}
	j->p = kept;
	if (best != CPUS_NONE) {
		HOLDS(j, "what may stay together stays", j->p.ranks[best] == j->req.nranks);
		HOLDS(j, "what may stay together stays", j->single && j->p.nplaces == 1);
		return;
	}
	j->req.together = false;
	assert_int_equal(plan_make(&apart, &j->a, &j->m, j->allowed, &j->req), 0);
	HOLDS(j, "what may not stay together is planned as ever", same_plan(&apart, &j->p));
}

static void check(struct job *j)
{
	struct arena mapped = { 0 };
	struct plan again;
	unsigned int nlive = count_of(j->live ? j->live : j->usable);
	bool divided_up;

	j->single = true;
	for (unsigned int i = 0; i < j->p.nplaces; i++)
		j->single = j->single && cpus_count(&j->p.places[i].nodes) == 1;
	assert_int_equal(plan_make(&again, &mapped, &j->m, j->allowed, &j->req), 0);
	HOLDS(j, "the same again gives the same", same_plan(&again, &j->p));
	arena_free(&mapped);
	check_places(j);
	check_order(j);
	check_request(j);
	check_difference(j);
	check_stable(j);
	if (j->p.why || j->req.width > j->sum_capacity)
		return;
	if (j->req.together && j->req.width) {
		check_together(j);
		if (j->req.together)
			return;
	}
	divided_up = !j->req.width && j->req.nranks < nlive;
	check_bounds(j, divided_up);
	if (!j->req.width)
		check_coverage(j);
	if (divided_up)
		for (int g = 0; g < j->ngroups; g++)
			check_shares(j, g, j->live ? j->live : j->usable);
	else if (j->single)
		check_optimal(j);
}

static void every_generated_plan_has_every_property(void **state)
{
	const char *wish = getenv("EVENKEEL_TEST_CASES");
	unsigned int cases = wish ? (unsigned int)strtoul(wish, NULL, 10) : CASES;

	(void)state;
	for (unsigned int i = 0; i < cases; i++) {
		struct job j;

		plan_case_make(&j, i);
		assert_int_equal(plan_make(&j.p, &j.a, &j.m, j.allowed, &j.req), 0);
		check(&j);
		arena_free(&j.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_generated_plan_has_every_property),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
