/* Generated machines, loads and requests for the tests of the plan. */
#ifndef EVENKEEL_TESTS_PLAN_CASES_H
#define EVENKEEL_TESTS_PLAN_CASES_H

#include "tests/unit/unit.h"

#include <stdbool.h>

#include "core/plan.h"

#define NODES_MAX 16u
#define GROUPS_MAX (2 * NODES_MAX)

/* A group of nodes as a bit set; the children are those whose parent it is. */
struct group {
	unsigned int nodes;
	int parent;
};

/* One case. Sets of nodes are bit sets of node indexes. */
struct job {
	unsigned int number;
	struct arena a;
	struct machine m;
	unsigned int n;             /* nodes */
	const struct cpus *allowed; /* NULL or &set */
	struct cpus set;
	unsigned int busy[NODES_MAX]; /* what req.busy points to unless that is NULL */
	struct plan_request req;
	/* What follows from these. Rooms and sums are in cpus. */
	uint64_t capacity[NODES_MAX], idle[NODES_MAX];
	unsigned int usable, live; /* nodes with an allowed cpu, with an idle one */
	uint64_t sum_capacity, sum_busy, sum_idle;
	bool crowded; /* more is wanted than there is */
	struct group groups[GROUPS_MAX]; /* [0] is the root, parent -1 */
	int ngroups;
	/* The test's. */
	struct plan p;
	bool single; /* every place is one node */
};

static inline unsigned int count_of(unsigned int nodes)
{
	return (unsigned int)__builtin_popcount(nodes);
}

static inline unsigned int lowest(unsigned int nodes)
{
	return (unsigned int)__builtin_ctz(nodes);
}

/* Fills j but for the test's part: case number gives the same job everywhere. 1 to 16
 * nodes of 1 to 12 cpus, equal or not, cpu numbers with or without holes; one
 * to three levels, rings and distances that are no levels; allowed cpus; load
 * up to three times the cpus; up to three ranks a cpu of width 0 to 20. The
 * caller frees j->a. */
void plan_case_make(struct job *j, unsigned int number);

#endif
