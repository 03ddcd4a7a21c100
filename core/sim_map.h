/* A machine laid out for the simulator: cpus numbered without holes, node by node
 * and cache by cache, and the groups that the kernel compares at each NUMA level.
 *
 * Internal to the simulator (core/sim*.c). Never changes once made. All memory is
 * the arena's.
 */
#ifndef EVENKEEL_CORE_SIM_MAP_H
#define EVENKEEL_CORE_SIM_MAP_H

#include "core/machine.h"

/* Some nodes, ascending. */
struct sim_group {
	unsigned int nnodes, cpus;
	unsigned int *nodes;
};

struct sim_map {
	unsigned int ncpus, nnodes, nllcs;
	unsigned int nlevels; /* of the node that sees most */
	/* By cpu. Caches are clipped to their node. */
	unsigned int *os, *node_of, *llc_of;
	/* First cpu of each node (cache); one entry more than there are. */
	unsigned int *node_cpu, *llc_cpu;
	/* By node: what its first cpu sees, and how many of the levels, from the
	 * nearest on, fork, exec and wake-ups may cross. */
	struct machine_view *views;
	unsigned int *crosses;
	/* [level * nnodes + node]: the group that the node is in at that level, and
	 * a node of each other group of the level, in the order the kernel links
	 * them, round from the node itself. nnodes 0: the node has no such level. */
	struct sim_group *own, *others;
};

/* 0, or -1 with errno ENOMEM. */
int sim_map_init(struct sim_map *map, struct arena *a, const struct machine *m);

bool sim_group_has(const struct sim_group *g, unsigned int node);

/* Fork, exec and wake-ups may go from one node to the other (SD_BALANCE_FORK, EXEC
 * and WAKE_AFFINE go together: kernel-policy notes 2.2). */
bool sim_map_reaches(const struct sim_map *map, const struct machine *m, unsigned int from,
		     unsigned int to);

#endif
