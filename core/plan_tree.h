/* The NUMA nodes that a plan may use, as a tree of groups.
 *
 * The root holds all usable nodes, a leaf one. A group is divided at the
 * largest threshold at which "both ways no farther than this" is an
 * equivalence relation on its nodes and does divide it; a threshold where it
 * is none (the ring of four sockets: neighbours are related, opposite ones
 * are not) makes no level. In the end every node is its own group, so the
 * tree always reaches the nodes.
 *
 * Internal to the plan (core/plan*.c). All memory is the arena's.
 */
#ifndef EVENKEEL_CORE_PLAN_TREE_H
#define EVENKEEL_CORE_PLAN_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"

struct plan_group {
	unsigned int parent;    /* index in plan_tree.groups; CPUS_NONE for the root */
	unsigned int child;     /* the first child; children are neighbours, ... */
	unsigned int nchildren; /* ... ascending by lowest node; 0 = one node */
	unsigned int start;     /* its nodes are nodes[start .. start + nnodes - 1], ... */
	unsigned int nnodes;    /* ... ascending; >= 1 */
	/* Sums over its nodes, in cpus; all 0 after plan_tree_build. */
	uint64_t capacity;
	uint64_t load;      /* busy and planned; may exceed the capacity */
	uint64_t room;      /* what may still be planned here */
	unsigned int nlive; /* nodes that count as having an idle cpu */
	unsigned int ranks; /* work space of plan_spread.c */
};

struct plan_tree {
	const struct machine *m;
	unsigned int nnodes; /* usable nodes */
	unsigned int *nodes; /* their indexes, each group's side by side */
	unsigned int ngroups;
	struct plan_group *groups; /* [0] is the root; parents stand before children */
	unsigned int *leaf_of;     /* by node index: its one-node group, or CPUS_NONE */
};

/* The tree of the nodes that have capacity[node] > 0 (m->nnodes entries); at
 * least one must. 0, or -1 with errno ENOMEM. O(nodes^2 * distinct distances). */
int plan_tree_build(struct plan_tree *t, struct arena *a, const struct machine *m,
		    const unsigned int *capacity);

/* The larger of the two distances between two nodes; never 0. */
unsigned int plan_tree_separation(const struct machine *m, unsigned int i, unsigned int j);

static inline struct plan_group *plan_tree_leaf(const struct plan_tree *t, unsigned int node)
{
	return &t->groups[t->leaf_of[node]];
}

/* Adds a usable node's numbers to its group and all groups above. */
void plan_tree_fill(struct plan_tree *t, unsigned int node, unsigned int capacity,
		    unsigned int busy, uint64_t room, bool live);

/* Plans cpus on a usable node: its load grows, its room shrinks (not below 0),
 * and so do those of all groups above. */
void plan_tree_charge(struct plan_tree *t, unsigned int node, uint64_t cpus);

/* Is a less full than b, load per capacity? Both have capacity > 0. */
static inline bool plan_tree_emptier(const struct plan_group *a, const struct plan_group *b)
{
	return a->load * b->capacity < b->load * a->capacity;
}

#endif
