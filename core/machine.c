#include "core/machine.h"

#include <errno.h>
#include <string.h>

/* AMD's family number of the first Zen; Hygon's only family is later. */
#define ZEN_FAMILY 0x17u
#define REMOTE_DISTANCE 20u

unsigned int machine_node_of(const struct machine *m, unsigned int cpu)
{
	return cpu < m->ncpus ? m->node_of[cpu] : CPUS_NONE;
}

unsigned int machine_node_by_os(const struct machine *m, unsigned int os)
{
	for (unsigned int i = 0; i < m->nnodes; i++)
		if (m->nodes[i].os == os)
			return i;
	return CPUS_NONE;
}

unsigned int machine_reclaim_distance(const char *vendor, unsigned int family)
{
	if (vendor && family >= ZEN_FAMILY &&
	    (strcmp(vendor, "AuthenticAMD") == 0 || strcmp(vendor, "HygonGenuine") == 0))
		return MACHINE_RECLAIM_DISTANCE_ZEN;
	return MACHINE_RECLAIM_DISTANCE;
}

/* Cpus of node i within allowed, by distance from node of; span[d] then counts
 * the cpus at exactly d, and seen[d] tells that some two nodes are d apart. */
static void count_by_distance(const struct machine *m, unsigned int of,
			      const struct cpus *allowed, unsigned int *span, bool *seen)
{
	for (unsigned int i = 0; i < m->nnodes; i++) {
		unsigned int d = i == of ? 0 : machine_distance(m, of, i);

		span[d] += cpus_and_count(&m->nodes[i].cpus, allowed);
		for (unsigned int j = 0; j < m->nnodes; j++)
			if (i != j)
				seen[machine_distance(m, i, j)] = true;
	}
}

int machine_view(const struct machine *m, unsigned int cpu, const struct cpus *allowed,
		 struct arena *a, struct machine_view *view)
{
	unsigned int node = machine_node_of(m, cpu);
	unsigned int span[MACHINE_DISTANCE_MAX + 1] = { 0 };
	bool seen[MACHINE_DISTANCE_MAX + 1] = { false };
	unsigned int nlevels = 0, sum, total;

	if (!allowed)
		allowed = &m->usable;
	if (node == CPUS_NONE || !cpus_has(allowed, cpu)) {
		errno = EINVAL;
		return -1;
	}
	memset(view, 0, sizeof(*view));
	count_by_distance(m, node, allowed, span, seen);
	view->package = span[0];
	cpus_for_each(n, &m->nodes[node].cpus)
		view->llc += cpus_has(allowed, n) && m->llc_of[n] == m->llc_of[cpu];
	for (unsigned int d = 0; d <= MACHINE_DISTANCE_MAX; d++)
		nlevels += seen[d];
	view->levels = arena_array(a, nlevels, sizeof(*view->levels));
	if (!view->levels)
		return -1;
	total = cpus_and_count(&m->usable, allowed);
	sum = span[0];
	for (unsigned int d = 1; d <= MACHINE_DISTANCE_MAX && sum < total; d++) {
		if (!seen[d])
			continue;
		sum += span[d];
		view->levels[view->nlevels++] = (struct machine_level){
			.distance = d,
			.span = sum,
			.crosses = d <= m->reclaim_distance,
		};
	}
	return 0;
}

/* --- finishing ------------------------------------------------------------ */

/* The indices of raw's nodes in ascending OS index; EINVAL when one is there
 * twice. Readers deliver them nearly sorted, so insertion is cheap. */
static int sort_nodes(const struct machine_raw *raw, unsigned int *order)
{
	for (unsigned int i = 0; i < raw->nnodes; i++) {
		unsigned int os = raw->nodes[i].os, j = i;

		while (j > 0 && raw->nodes[order[j - 1]].os > os) {
			order[j] = order[j - 1];
			j--;
		}
		order[j] = i;
		if (j > 0 && raw->nodes[order[j - 1]].os == os) {
			errno = EINVAL;
			return -1;
		}
	}
	return 0;
}

/* An insertion that keeps the list sorted; its room is enough. */
static int leave_out(struct machine *m, unsigned int os, enum machine_left_out_why why)
{
	unsigned int j = m->nleft_out;

	while (j > 0 && m->left_out[j - 1].os > os)
		j--;
	if ((j > 0 && m->left_out[j - 1].os == os) || machine_node_by_os(m, os) != CPUS_NONE) {
		errno = EINVAL;
		return -1;
	}
	memmove(&m->left_out[j + 1], &m->left_out[j],
		(m->nleft_out - j) * sizeof(*m->left_out));
	m->left_out[j] = (struct machine_left_out){ os, why };
	m->nleft_out++;
	return 0;
}

static unsigned int highest(const struct cpus *c)
{
	for (unsigned int i = c->nbits / 64; i-- > 0;)
		if (c->bits[i])
			return i * 64 + 63 - (unsigned int)__builtin_clzl(c->bits[i]);
	return CPUS_NONE;
}

static void raise_ncpus(struct machine *m, const struct cpus *c)
{
	unsigned int n = highest(c);

	if (n != CPUS_NONE && n >= m->ncpus)
		m->ncpus = n + 1;
}

/* The sets are sized for every cpu that anything names; ncpus is narrowed to
 * what is left when all nodes are known. */
static int init_sets(struct machine *m, struct arena *a, const struct machine_raw *raw)
{
	raise_ncpus(m, &raw->isolated);
	for (unsigned int i = 0; i < raw->nnodes; i++)
		raise_ncpus(m, &raw->nodes[i].cpus);
	if (cpus_init(&m->usable, a, m->ncpus) < 0 || cpus_init(&m->isolated, a, m->ncpus) < 0)
		return -1;
	cpus_or(&m->isolated, &raw->isolated);
	if (raw->online.nbits)
		cpus_and(&m->isolated, &raw->online);
	return 0;
}

/* Adds raw node src to m, or to the nodes left out. *kept says which. */
static int add_node(struct machine *m, struct arena *a, const struct machine_raw *raw,
		    const struct machine_node *src, bool *kept)
{
	struct machine_node *dst = &m->nodes[m->nnodes];

	*kept = false;
	if (cpus_empty(&src->cpus))
		return leave_out(m, src->os, MACHINE_LEFT_OUT_NO_CPUS);
	if (cpus_init(&dst->cpus, a, m->ncpus) < 0)
		return -1;
	cpus_or(&dst->cpus, &src->cpus);
	if (raw->online.nbits)
		cpus_and(&dst->cpus, &raw->online);
	cpus_andnot(&dst->cpus, &m->isolated);
	if (cpus_empty(&dst->cpus))
		return leave_out(m, src->os, MACHINE_LEFT_OUT_UNUSABLE);
	cpus_andnot(&dst->cpus, &m->usable);
	if (cpus_empty(&dst->cpus))
		return leave_out(m, src->os, MACHINE_LEFT_OUT_SHARED_CPUS);
	dst->os = src->os;
	dst->memory = src->memory;
	cpus_or(&m->usable, &dst->cpus);
	m->nnodes++;
	*kept = true;
	return 0;
}

static bool distances_possible(const struct machine *m)
{
	for (unsigned int i = 0; i < m->nnodes; i++)
		for (unsigned int j = 0; j < m->nnodes; j++) {
			unsigned int d = machine_distance(m, i, j);

			if (d == 0 || d > MACHINE_DISTANCE_MAX || d < machine_distance(m, i, i))
				return false;
		}
	return true;
}

/* order: for each node of m its index in raw. */
static int fill_distances(struct machine *m, struct arena *a, const struct machine_raw *raw,
			  const unsigned int *order)
{
	unsigned int n = m->nnodes;

	m->distances = arena_array(a, (size_t)n * n, sizeof(*m->distances));
	if (!m->distances)
		return -1;
	for (unsigned int i = 0; i < n && raw->distances; i++)
		for (unsigned int j = 0; j < n; j++)
			m->distances[i * n + j] = raw->distances[order[i] * raw->nnodes + order[j]];
	if (raw->distances && distances_possible(m))
		return 0;
	for (unsigned int i = 0; i < n * n; i++)
		m->distances[i] = i % (n + 1) == 0 ? MACHINE_LOCAL_DISTANCE : REMOTE_DISTANCE;
	return 0;
}

static int fill_nodes(struct machine *m, struct arena *a, const struct machine_raw *raw)
{
	unsigned int *order = arena_array(a, raw->nnodes, sizeof(*order));

	m->nodes = arena_array(a, raw->nnodes, sizeof(*m->nodes));
	m->left_out = arena_array(a, raw->nnodes + raw->nleft_out, sizeof(*m->left_out));
	if (!order || !m->nodes || !m->left_out)
		return -1;
	if (sort_nodes(raw, order) < 0)
		return -1;
	for (unsigned int i = 0; i < raw->nnodes; i++) {
		unsigned int from = order[i];
		bool kept;

		if (add_node(m, a, raw, &raw->nodes[from], &kept) < 0)
			return -1;
		if (kept)
			order[m->nnodes - 1] = from;
	}
	for (unsigned int i = 0; i < raw->nleft_out; i++)
		if (leave_out(m, raw->left_out[i].os, raw->left_out[i].why) < 0)
			return -1;
	if (m->nnodes == 0) {
		errno = ENODATA;
		return -1;
	}
	return fill_distances(m, a, raw, order);
}

/* An array of m->ncpus entries, all CPUS_NONE. */
static unsigned int *none_array(const struct machine *m, struct arena *a)
{
	unsigned int *p = arena_array(a, m->ncpus, sizeof(*p));

	if (p)
		memset(p, 0xff, m->ncpus * sizeof(*p));
	return p;
}

/* Turns shared numbers into "the lowest usable cpu with the same number". A
 * cpu without a number is alone (by_node false) or shares with the other such
 * cpus of its node. */
static int fill_lowest(const struct machine *m, struct arena *a, const struct machine_raw *raw,
		       const unsigned int *shared, bool by_node, unsigned int *out)
{
	unsigned int *first = arena_array(a, raw->ncpus, sizeof(*first));

	if (!first)
		return -1;
	memset(first, 0xff, raw->ncpus * sizeof(*first));
	for (unsigned int i = 0; i < m->nnodes; i++) {
		unsigned int rest = CPUS_NONE;

		cpus_for_each(n, &m->nodes[i].cpus) {
			if (shared && n < raw->ncpus && shared[n] != CPUS_NONE) {
				if (shared[n] >= raw->ncpus) {
					errno = EINVAL;
					return -1;
				}
				if (n < first[shared[n]])
					first[shared[n]] = n;
			} else if (by_node && rest != CPUS_NONE) {
				out[n] = rest;
			} else {
				out[n] = rest = n;
			}
		}
	}
	cpus_for_each(n, &m->usable)
		if (out[n] == CPUS_NONE)
			out[n] = first[shared[n]];
	return 0;
}

static int fill_cpus(struct machine *m, struct arena *a, const struct machine_raw *raw)
{
	m->ncpus = 0;
	raise_ncpus(m, &m->usable);
	raise_ncpus(m, &m->isolated);
	m->node_of = none_array(m, a);
	m->core_of = none_array(m, a);
	m->llc_of = none_array(m, a);
	if (!m->node_of || !m->core_of || !m->llc_of)
		return -1;
	for (unsigned int i = 0; i < m->nnodes; i++)
		cpus_for_each(n, &m->nodes[i].cpus)
			m->node_of[n] = i;
	if (fill_lowest(m, a, raw, raw->core_of, false, m->core_of) < 0)
		return -1;
	return fill_lowest(m, a, raw, raw->llc_of, true, m->llc_of);
}

int machine_finish(struct machine *m, struct arena *a, const struct machine_raw *raw)
{
	memset(m, 0, sizeof(*m));
	if (raw->nnodes > MACHINE_NODES_MAX || raw->nleft_out > MACHINE_NODES_MAX) {
		errno = EINVAL;
		return -1;
	}
	m->reclaim_distance =
	    raw->reclaim_distance ? raw->reclaim_distance : MACHINE_RECLAIM_DISTANCE;
	m->quota = raw->quota;
	if (init_sets(m, a, raw) < 0 || fill_nodes(m, a, raw) < 0)
		return -1;
	return fill_cpus(m, a, raw);
}
