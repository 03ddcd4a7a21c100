#include "core/plan.h"

#include <errno.h>
#include <stdint.h>

/* The cpus of a place that slices are cut from, in an order in which those of
 * one core stand together. */
struct row {
	unsigned int ncpus, ncores;
	unsigned int *cpus;
	unsigned int *cores; /* where each core starts in cpus, and the end */
};

/* cpu is the lowest of its core's that the place has. */
static bool leads_core(const struct machine *m, const struct cpus *from, unsigned int cpu)
{
	for (unsigned int i = m->core_of[cpu]; i < cpu; i++)
		if (m->core_of[i] == m->core_of[cpu] && cpus_has(from, i))
			return false;
	return true;
}

/* Appends the place's cpus of one core. */
static void add_core(struct row *row, const struct machine *m, const struct cpus *from,
		     unsigned int first)
{
	row->cores[row->ncores++] = row->ncpus;
	cpus_for_each(cpu, from)
		if (m->core_of[cpu] == m->core_of[first])
			row->cpus[row->ncpus++] = cpu;
}

/* Cores of a node that are passed over: one for each busy cpu, if the others
 * hold the place's ranks. */
static unsigned int passed_over(const struct plan *p, const struct plan_place *place,
				const struct machine *m, unsigned int node)
{
	uint64_t want = (uint64_t)place->nranks * (p->width ? p->width : 1);
	unsigned int cores = 0, left = 0, nodes = cpus_count(&place->nodes);

	cpus_for_each(cpu, &m->nodes[node].cpus)
		cores += cpus_has(&place->cpus, cpu) && leads_core(m, &place->cpus, cpu);
	if (cores <= p->busy[node])
		return 0;
	left = (unsigned int)((uint64_t)p->capacity[node] * (cores - p->busy[node]) / cores);
	return left >= (want + nodes - 1) / nodes ? p->busy[node] : 0;
}

static int make_row(struct row *row, struct arena *a, const struct plan *p,
		    const struct plan_place *place, const struct machine *m)
{
	unsigned int n = cpus_count(&place->cpus);

	row->ncpus = row->ncores = 0;
	row->cpus = arena_array(a, n, sizeof(*row->cpus));
	row->cores = arena_array(a, n + 1, sizeof(*row->cores));
	if (!row->cpus || !row->cores)
		return -1;
	cpus_for_each(node, &place->nodes) {
		unsigned int skip = passed_over(p, place, m, node);

		cpus_for_each(cpu, &m->nodes[node].cpus) {
			if (!cpus_has(&place->cpus, cpu) || !leads_core(m, &place->cpus, cpu))
				continue;
			if (skip > 0)
				skip--;
			else
				add_core(row, m, &place->cpus, cpu);
		}
	}
	row->cores[row->ncores] = row->ncpus;
	return 0;
}

bool plan_has_slices(const struct plan *p)
{
	return !p->why || (p->why == PLAN_ONE_NODE && p->nranks > 1 &&
			   p->nranks <= PLAN_RANKS_MAX && !cpus_empty(&p->places[0].cpus));
}

int plan_slice(const struct plan *p, struct arena *a, const struct machine *m, unsigned int r,
	       struct cpus *mask)
{
	unsigned int index = 0, from, to;
	const struct plan_place *place = plan_index_of(p, r, &index);
	struct row row;

	if (!place || cpus_empty(&place->cpus)) {
		errno = EINVAL;
		return -1;
	}
	if (cpus_init(mask, a, m->ncpus) < 0 || make_row(&row, a, p, place, m) < 0)
		return -1;
	if (row.ncores >= place->nranks) {
		from = row.cores[(uint64_t)index * row.ncores / place->nranks];
		to = row.cores[(uint64_t)(index + 1) * row.ncores / place->nranks];
	} else if (row.ncpus >= place->nranks) {
		from = (unsigned int)((uint64_t)index * row.ncpus / place->nranks);
		to = (unsigned int)((uint64_t)(index + 1) * row.ncpus / place->nranks);
	} else {
		from = index % row.ncpus;
		to = from + 1;
	}
	for (unsigned int i = from; i < to; i++)
		cpus_add(mask, row.cpus[i]);
	return 0;
}
