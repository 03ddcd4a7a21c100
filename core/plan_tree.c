#include "core/plan_tree.h"

#include <limits.h>
#include <string.h>

unsigned int plan_tree_separation(const struct machine *m, unsigned int i, unsigned int j)
{
	unsigned int there = machine_distance(m, i, j), back = machine_distance(m, j, i);
	unsigned int far = there > back ? there : back;

	return far ? far : 1;
}

/* The largest separation within g that is smaller than limit; 0 = none. */
static unsigned int next_threshold(const struct plan_tree *t, const struct plan_group *g,
				   unsigned int limit)
{
	const unsigned int *nodes = t->nodes + g->start;
	unsigned int largest = 0;

	for (unsigned int i = 0; i < g->nnodes; i++)
		for (unsigned int j = 0; j < i; j++) {
			unsigned int s = plan_tree_separation(t->m, nodes[i], nodes[j]);

			if (s < limit && s > largest)
				largest = s;
		}
	return largest;
}

/* Labels each node of g with the lowest node it is related to at threshold.
 * Having the same label is an equivalence, so the relation is one exactly when
 * the two agree on every pair. */
static bool label_nodes(const struct plan_tree *t, const struct plan_group *g,
			unsigned int threshold, unsigned int *label)
{
	const unsigned int *nodes = t->nodes + g->start;

	for (unsigned int i = 0; i < g->nnodes; i++) {
		unsigned int j = 0;

		while (j < i && plan_tree_separation(t->m, nodes[i], nodes[j]) > threshold)
			j++;
		label[nodes[i]] = nodes[j];
	}
	for (unsigned int i = 0; i < g->nnodes; i++)
		for (unsigned int j = 0; j < i; j++) {
			bool near = plan_tree_separation(t->m, nodes[i], nodes[j]) <= threshold;

			if (near != (label[nodes[i]] == label[nodes[j]]))
				return false;
		}
	return true;
}

/* Appends the children of group index g. label and moved have room for every
 * node of the machine and of the tree. */
static void split(struct plan_tree *t, unsigned int index, unsigned int *label, unsigned int *moved)
{
	struct plan_group *g = &t->groups[index];
	unsigned int *nodes = t->nodes + g->start;
	unsigned int threshold = next_threshold(t, g, UINT_MAX);
	unsigned int at = 0;

	/* Threshold 0 relates nobody, which is an equivalence: this ends. */
	do
		threshold = next_threshold(t, g, threshold);
	while (!label_nodes(t, g, threshold, label));

	g->child = t->ngroups;
	for (unsigned int i = 0; i < g->nnodes; i++) {
		struct plan_group *child = &t->groups[t->ngroups];
		unsigned int start = at;

		if (label[nodes[i]] != nodes[i])
			continue;
		for (unsigned int j = i; j < g->nnodes; j++)
			if (label[nodes[j]] == nodes[i])
				moved[at++] = nodes[j];
		child->parent = index;
		child->start = g->start + start;
		child->nnodes = at - start;
		t->ngroups++;
		g->nchildren++;
	}
	memcpy(nodes, moved, at * sizeof(*nodes));
}

int plan_tree_build(struct plan_tree *t, struct arena *a, const struct machine *m,
		    const unsigned int *capacity)
{
	unsigned int *label = arena_array(a, m->nnodes, sizeof(*label));
	unsigned int *moved = arena_array(a, m->nnodes, sizeof(*moved));

	memset(t, 0, sizeof(*t));
	t->m = m;
	t->nodes = arena_array(a, m->nnodes, sizeof(*t->nodes));
	t->leaf_of = arena_array(a, m->nnodes, sizeof(*t->leaf_of));
	/* Each inner group has at least two children. */
	t->groups = arena_array(a, 2 * (size_t)m->nnodes, sizeof(*t->groups));
	if (!label || !moved || !t->nodes || !t->leaf_of || !t->groups)
		return -1;
	for (unsigned int i = 0; i < m->nnodes; i++) {
		t->leaf_of[i] = CPUS_NONE;
		if (capacity[i])
			t->nodes[t->nnodes++] = i;
	}
	t->ngroups = 1;
	t->groups[0].parent = CPUS_NONE;
	t->groups[0].nnodes = t->nnodes;
	for (unsigned int g = 0; g < t->ngroups; g++) {
		if (t->groups[g].nnodes > 1)
			split(t, g, label, moved);
		else
			t->leaf_of[t->nodes[t->groups[g].start]] = g;
	}
	return 0;
}

void plan_tree_fill(struct plan_tree *t, unsigned int node, unsigned int capacity,
		    unsigned int busy, uint64_t room, bool live)
{
	for (unsigned int g = t->leaf_of[node]; g != CPUS_NONE; g = t->groups[g].parent) {
		t->groups[g].capacity += capacity;
		t->groups[g].load += busy;
		t->groups[g].room += room;
		t->groups[g].nlive += live;
	}
}

void plan_tree_charge(struct plan_tree *t, unsigned int node, uint64_t cpus)
{
	uint64_t room = plan_tree_leaf(t, node)->room;
	uint64_t taken = cpus < room ? cpus : room;

	for (unsigned int g = t->leaf_of[node]; g != CPUS_NONE; g = t->groups[g].parent) {
		t->groups[g].load += cpus;
		t->groups[g].room -= taken;
	}
}
