/* The groups of nodes are found here by another way than in core/plan_tree.c:
 * as connected components that must be cliques. */
#include "tests/unit/plan_cases.h"

#include "tests/unit/by_hand.h"

/* splitmix64: small, and the same everywhere. */
static uint64_t random_state;

static uint64_t random_bits(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 0 .. n - 1 */
static unsigned int below(unsigned int n)
{
	return (unsigned int)(random_bits() % n);
}

static void random_distances(unsigned int n, unsigned int *distances)
{
	unsigned int kind = below(5), package[NODES_MAX], board[NODES_MAX];
	unsigned int boards = 1 + below(3), packages = 1 + below(4);
	bool mixed = below(4) == 0;

	for (unsigned int i = 0; i < n; i++) {
		package[i] = mixed ? below(packages) : i * packages / n;
		board[i] = package[i] * boards / packages;
	}
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < n; k++) {
			unsigned int *d = &distances[i * n + k];
			unsigned int hops = i > k ? i - k : k - i;

			hops = hops > n - hops ? n - hops : hops;
			if (i == k)
				*d = 10;
			else if (kind == 0) /* flat */
				*d = 20;
			else if (kind == 1) /* two levels */
				*d = package[i] == package[k] ? 12 : 32;
			else if (kind == 2) /* three levels */
				*d = package[i] == package[k] ? 12 : board[i] == board[k] ? 21 : 31;
			else if (kind == 3) /* ring */
				*d = 11 + 10 * hops;
			else /* anything, not even the same both ways */
				*d = 11 + below(3) * 10;
		}
}

static unsigned int random_machine(struct job *j)
{
	unsigned int cpus[NODES_MAX], distances[NODES_MAX * NODES_MAX];
	unsigned int total = 0, most = 1 + below(12);
	bool equal = below(2);

	j->n = 1 + below(below(3) ? 8 : NODES_MAX);
	for (unsigned int i = 0; i < j->n; i++) {
		cpus[i] = equal ? most : 1 + below(most);
		total += cpus[i];
	}
	random_distances(j->n, distances);
	machine_by_hand(&j->m, &j->a, j->n, cpus, distances, 1 + below(3));
	return total;
}

static void random_allowed(struct job *j)
{
	unsigned int kind = below(4);

	if (kind < 2)
		return;
	/* Also room for cpus that the machine has not got. */
	assert_int_equal(cpus_init(&j->set, &j->a, j->m.ncpus + below(100)), 0);
	for (unsigned int cpu = 0; cpu < j->set.nbits; cpu++) {
		unsigned int node = machine_node_of(&j->m, cpu);
		bool in = kind == 2 ? below(4) > 0 : node == CPUS_NONE || node % 3 != 1;

		if (in)
			cpus_add(&j->set, cpu);
	}
	j->allowed = &j->set;
}

static void random_load(struct job *j)
{
	unsigned int kind = below(5);

	for (unsigned int i = 0; i < j->n; i++) {
		unsigned int cap = cpus_count(&j->m.nodes[i].cpus);

		if (kind == 1 || kind == 2)
			j->busy[i] = below(cap + 1);
		else if (kind == 3) /* some nodes full */
			j->busy[i] = below(2) ? cap : below(2);
		else if (kind == 4)
			j->busy[i] = below(3 * cap);
	}
	j->req.busy = kind ? j->busy : NULL;
}

static void random_request(struct job *j, unsigned int total)
{
	static const unsigned int rules[] = { POLICY_UNSET, POLICY_G0, POLICY_G2, POLICY_G3,
					      POLICY_G5,    POLICY_G6, POLICY_G7, POLICY_G8 };

	j->req.nranks = below(3) ? below(2 * j->n + 1) : below(3 * total + 1);
	j->req.width = below(2) ? 0 : below(2) ? 1 + below(3) : below(21);
	j->req.order = below(3);
	j->req.together = below(3) == 0;
	j->req.rule = rules[below(sizeof(rules) / sizeof(*rules))];
}

static bool near(const struct job *j, unsigned int i, unsigned int k, unsigned int d)
{
	return machine_distance(&j->m, i, k) <= d && machine_distance(&j->m, k, i) <= d;
}

/* The nodes reachable from node by steps within d inside nodes. */
static unsigned int component(const struct job *j, unsigned int nodes, unsigned int node,
			      unsigned int d)
{
	unsigned int reached = 1u << node, before;

	do {
		before = reached;
		for (unsigned int i = 0; i < j->n; i++)
			for (unsigned int k = 0; k < j->n; k++)
				if (reached >> i & nodes >> k & 1 && near(j, i, k, d))
					reached |= 1u << k;
	} while (reached != before);
	return reached;
}

static bool clique(const struct job *j, unsigned int nodes, unsigned int d)
{
	for (unsigned int i = 0; i < j->n; i++)
		for (unsigned int k = 0; k < i; k++)
			if (nodes >> i & nodes >> k & 1 && !near(j, i, k, d))
				return false;
	return true;
}

/* Adds the children of group g at threshold d; false when there are none. */
static bool divided(struct job *j, int g, unsigned int d)
{
	unsigned int nodes = j->groups[g].nodes, seen = 0;
	int first = j->ngroups;

	for (unsigned int i = 0; i < j->n; i++) {
		unsigned int part;

		if (!(nodes >> i & 1) || seen >> i & 1)
			continue;
		part = component(j, nodes, i, d);
		seen |= part;
		if (part == nodes || !clique(j, part, d)) {
			j->ngroups = first;
			return false;
		}
		j->groups[j->ngroups++] = (struct group){ part, g };
	}
	return true;
}

static void find_groups(struct job *j)
{
	j->groups[0] = (struct group){ j->usable, -1 };
	j->ngroups = 1;
	for (int g = 0; g < j->ngroups; g++)
		if (count_of(j->groups[g].nodes) > 1)
			for (unsigned int d = MACHINE_DISTANCE_MAX; !divided(j, g, d); d--)
				;
}

static void derive(struct job *j)
{
	for (unsigned int i = 0; i < j->n; i++) {
		uint64_t cap = 0, busy = j->req.busy ? j->busy[i] : 0;

		cpus_for_each(cpu, &j->m.nodes[i].cpus)
			cap += !j->allowed || cpus_has(j->allowed, cpu);
		j->busy[i] = (unsigned int)busy;
		j->capacity[i] = cap;
		j->idle[i] = busy < cap ? cap - busy : 0;
		if (!cap)
			continue;
		j->usable |= 1u << i;
		j->live |= (unsigned int)(j->idle[i] > 0) << i;
		j->sum_capacity += cap;
		j->sum_busy += busy;
		j->sum_idle += j->idle[i];
	}
	if (j->req.width)
		j->crowded = j->sum_busy + (uint64_t)j->req.nranks * j->req.width > j->sum_capacity;
	else
		j->crowded = j->req.nranks > j->sum_idle;
	find_groups(j);
}

void plan_case_make(struct job *j, unsigned int number)
{
	unsigned int total;

	*j = (struct job){ .number = number, .a = UNIT_ARENA };
	random_state = number * 0x100000001b3u;
	total = random_machine(j);
	random_request(j, total);
	random_load(j);
	random_allowed(j);
	derive(j);
}
