/* Machines filled in by hand, without a reader. */
#ifndef EVENKEEL_TESTS_BY_HAND_H
#define EVENKEEL_TESTS_BY_HAND_H

#include "tests/unit/unit.h"

#include "core/machine.h"

/* Node i has cpus[i] >= 1 cpus, numbered through from 0 in steps of step (> 1
 * leaves holes); one LLC per node, no SMT. distances is nnodes x nnodes. All
 * memory is the arena's. */
static inline void machine_by_hand(struct machine *m, struct arena *a, unsigned int nnodes,
				   const unsigned int *cpus, const unsigned int *distances,
				   unsigned int step)
{
	unsigned int total = 0, cpu = 0;

	for (unsigned int i = 0; i < nnodes; i++)
		total += cpus[i];
	*m = (struct machine){ .ncpus = (total - 1) * step + 1,
			       .nnodes = nnodes,
			       .reclaim_distance = MACHINE_RECLAIM_DISTANCE };
	m->nodes = arena_array(a, nnodes, sizeof(*m->nodes));
	m->distances = arena_array(a, (size_t)nnodes * nnodes, sizeof(*m->distances));
	m->node_of = arena_array(a, m->ncpus, sizeof(*m->node_of));
	m->core_of = arena_array(a, m->ncpus, sizeof(*m->core_of));
	m->llc_of = arena_array(a, m->ncpus, sizeof(*m->llc_of));
	assert_true(m->nodes && m->distances && m->node_of && m->core_of && m->llc_of);
	assert_int_equal(cpus_init(&m->usable, a, m->ncpus), 0);
	assert_int_equal(cpus_init(&m->isolated, a, m->ncpus), 0);
	for (unsigned int i = 0; i < m->ncpus; i++)
		m->node_of[i] = m->core_of[i] = m->llc_of[i] = CPUS_NONE;
	for (unsigned int i = 0; i < nnodes * nnodes; i++)
		m->distances[i] = distances[i];
	for (unsigned int i = 0; i < nnodes; i++) {
		unsigned int first = cpu;

		m->nodes[i].os = i;
		m->nodes[i].memory = true;
		assert_int_equal(cpus_init(&m->nodes[i].cpus, a, m->ncpus), 0);
		for (unsigned int n = 0; n < cpus[i]; n++, cpu += step) {
			cpus_add(&m->nodes[i].cpus, cpu);
			cpus_add(&m->usable, cpu);
			m->node_of[cpu] = i;
			m->core_of[cpu] = cpu;
			m->llc_of[cpu] = first;
		}
	}
}

#endif
