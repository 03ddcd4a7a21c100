#include "core/sim_map.h"

/* Every node's cpus behind those of the node before, a cache's together. */
static void number_cpus(struct sim_map *map, const struct machine *m)
{
	unsigned int n = 0, llc = 0;

	for (unsigned int node = 0; node < m->nnodes; node++) {
		map->node_cpu[node] = n;
		cpus_for_each (first, &m->nodes[node].cpus) {
			bool new_llc = true;

			/* The first cpu of its cache within the node opens it. */
			for (unsigned int i = map->node_cpu[node]; i < n && new_llc; i++)
				new_llc = m->llc_of[map->os[i]] != m->llc_of[first];
			if (!new_llc)
				continue;
			map->llc_cpu[llc] = n;
			cpus_for_each (cpu, &m->nodes[node].cpus) {
				if (m->llc_of[cpu] != m->llc_of[first])
					continue;
				map->os[n] = cpu;
				map->node_of[n] = node;
				map->llc_of[n++] = llc;
			}
			llc++;
		}
	}
	map->node_cpu[m->nnodes] = map->llc_cpu[llc] = n;
	map->nllcs = llc;
}

static int add_group(struct sim_group *g, struct arena *a, const struct machine *m,
		     unsigned int node, unsigned int reach)
{
	g->nodes = arena_array(a, m->nnodes, sizeof(*g->nodes));
	if (!g->nodes)
		return -1;
	for (unsigned int i = 0; i < m->nnodes; i++) {
		if (i != node && machine_distance(m, node, i) > reach)
			continue;
		g->nodes[g->nnodes++] = i;
		g->cpus += cpus_count(&m->nodes[i].cpus);
	}
	return 0;
}

bool sim_group_has(const struct sim_group *g, unsigned int node)
{
	for (unsigned int i = 0; i < g->nnodes; i++)
		if (g->nodes[i] == node)
			return true;
	return false;
}

/* A node for each group but node's own; nodes that an earlier group holds are no
 * group of their own (build_overlap_sched_groups, section 2.1). */
static int add_others(struct sim_map *map, struct arena *a, const struct machine *m,
		      unsigned int level, unsigned int node)
{
	const struct sim_group *own = &map->own[level * map->nnodes];
	struct sim_group *g = &map->others[level * map->nnodes + node];
	unsigned int reach = map->views[node].levels[level].distance;

	g->nodes = arena_array(a, m->nnodes, sizeof(*g->nodes));
	if (!g->nodes)
		return -1;
	for (unsigned int i = 1; i < m->nnodes; i++) {
		unsigned int other = (node + i) % m->nnodes;
		bool covered = sim_group_has(&own[node], other);

		if (machine_distance(m, node, other) > reach)
			continue;
		for (unsigned int j = 0; j < g->nnodes && !covered; j++)
			covered = sim_group_has(&own[g->nodes[j]], other);
		if (!covered)
			g->nodes[g->nnodes++] = other;
	}
	return 0;
}

static int add_levels(struct sim_map *map, struct arena *a, const struct machine *m)
{
	size_t n = (size_t)map->nlevels * map->nnodes;

	map->own = arena_array(a, n, sizeof(*map->own));
	map->others = arena_array(a, n, sizeof(*map->others));
	if (!map->own || !map->others)
		return -1;
	for (unsigned int level = 0; level < map->nlevels; level++) {
		for (unsigned int node = 0; node < map->nnodes; node++) {
			const struct machine_view *v = &map->views[node];
			unsigned int reach = 0;

			if (level && level <= v->nlevels)
				reach = v->levels[level - 1].distance;
			else if (level)
				reach = MACHINE_DISTANCE_MAX;
			if (add_group(&map->own[level * map->nnodes + node], a, m, node, reach) < 0)
				return -1;
		}
		for (unsigned int node = 0; node < map->nnodes; node++)
			if (level < map->views[node].nlevels &&
			    add_others(map, a, m, level, node) < 0)
				return -1;
	}
	return 0;
}

int sim_map_init(struct sim_map *map, struct arena *a, const struct machine *m)
{
	unsigned int n = cpus_count(&m->usable);

	*map = (struct sim_map){ .ncpus = n, .nnodes = m->nnodes };
	map->os = arena_array(a, n, sizeof(*map->os));
	map->node_of = arena_array(a, n, sizeof(*map->node_of));
	map->llc_of = arena_array(a, n, sizeof(*map->llc_of));
	map->node_cpu = arena_array(a, m->nnodes + 1u, sizeof(*map->node_cpu));
	map->llc_cpu = arena_array(a, n + 1u, sizeof(*map->llc_cpu));
	map->views = arena_array(a, m->nnodes, sizeof(*map->views));
	map->crosses = arena_array(a, m->nnodes, sizeof(*map->crosses));
	if (!map->os || !map->node_of || !map->llc_of || !map->node_cpu || !map->llc_cpu ||
	    !map->views || !map->crosses)
		return -1;
	number_cpus(map, m);
	for (unsigned int node = 0; node < m->nnodes; node++) {
		struct machine_view *v = &map->views[node];

		if (machine_view(m, map->os[map->node_cpu[node]], NULL, a, v) < 0)
			return -1;
		while (map->crosses[node] < v->nlevels && v->levels[map->crosses[node]].crosses)
			map->crosses[node]++;
		if (v->nlevels > map->nlevels)
			map->nlevels = v->nlevels;
	}
	return add_levels(map, a, m);
}

bool sim_map_reaches(const struct sim_map *map, const struct machine *m, unsigned int from,
		     unsigned int to)
{
	unsigned int n = map->crosses[from];

	return from == to ||
	       (n && machine_distance(m, from, to) <= map->views[from].levels[n - 1].distance);
}
