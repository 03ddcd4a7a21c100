#include "core/sim_balance.h"

int sim_balance_init(struct sim_balance *b, struct arena *a, const struct sim_world *w)
{
	const struct sim_map *map = &w->map;

	*b = (struct sim_balance){ .n = map->nlevels * map->nnodes };
	b->of = arena_array(a, b->n, sizeof(*b->of));
	if (!b->of)
		return -1;
	for (unsigned int i = 0; i < b->n; i++) {
		unsigned int level = i / map->nnodes, node = i % map->nnodes;
		const struct machine_view *v = &map->views[node];

		if (level >= v->nlevels || map->own[i].nodes[0] != node || !map->others[i].nnodes)
			continue;
		b->of[i].there = true;
		b->of[i].interval_us = v->levels[level].span * 1000;
	}
	return 0;
}

/* The fullest other group of the level. */
static const struct sim_group *find_busiest(const struct sim_world *w, unsigned int i,
					    struct policy_group *busiest)
{
	const struct sim_map *map = &w->map;
	const struct sim_group *own = &map->own[i / map->nnodes * map->nnodes], *found = NULL;

	for (unsigned int j = 0; j < map->others[i].nnodes; j++) {
		const struct sim_group *g = &own[map->others[i].nodes[j]];
		struct policy_group counted = sim_world_group(w, g, NULL);

		if (found && (uint64_t)counted.running * busiest->cpus <=
				 (uint64_t)busiest->running * counted.cpus)
			continue;
		*busiest = counted;
		found = g;
	}
	return found;
}

/* The first idle cpu of a group, which balances for it. */
static unsigned int balancing_cpu(const struct sim_world *w, const struct sim_group *g)
{
	for (unsigned int i = 0; i < g->nnodes; i++) {
		unsigned int node = g->nodes[i];

		if (!w->node_idle[node])
			continue;
		for (unsigned int cpu = w->map.node_cpu[node]; cpu < w->map.node_cpu[node + 1];
		     cpu++)
			if (!w->cpus[cpu].running)
				return cpu;
	}
	return SIM_NONE;
}

static bool waits(const struct sim_world *w, const struct sim_task *t)
{
	return t->awake && w->cpus[t->cpu].running > 1;
}

/* A task of the group that waits and may go to cpu, or NULL. */
static struct sim_task *find_waiting(struct sim_world *w, const struct sim_group *g,
				     unsigned int cpu, unsigned int failed)
{
	for (unsigned int i = 0; w->waiting && i < w->ntasks; i++) {
		struct sim_task *t = &w->tasks[i];

		if (!waits(w, t) || !sim_may(t, cpu) || !sim_group_has(g, sim_world_node(w, t)))
			continue;
		/* Its memory is there: not until some rounds have failed. */
		if (t->prefers != sim_world_node(w, t) || failed > SIM_FAILED_LOCALITY)
			return t;
	}
	return NULL;
}

/* Any task of the group, for active balance; NULL when it may not go to cpu. */
static struct sim_task *find_running(struct sim_world *w, const struct sim_group *g,
				     unsigned int cpu)
{
	unsigned int start = stats_random_below(&w->random, w->ntasks);

	for (unsigned int i = 0; i < w->ntasks; i++) {
		struct sim_task *t = &w->tasks[(start + i) % w->ntasks];

		if (t->awake && sim_group_has(g, sim_world_node(w, t)))
			return sim_may(t, cpu) ? t : NULL;
	}
	return NULL;
}

/* Whether a round can ever move one of the group's tasks as they are. */
static bool movable(const struct sim_world *w, const struct sim_balance *b,
		    const struct sim_group *g, unsigned int cpu)
{
	for (unsigned int i = 0; i < w->ntasks; i++) {
		const struct sim_task *t = &w->tasks[i];

		if (t->awake && (waits(w, t) || b->unrelated < 1) && sim_may(t, cpu) &&
		    sim_group_has(g, sim_world_node(w, t)))
			return true;
	}
	return false;
}

/* Moves up to n waiting tasks; how many. */
static unsigned int pull_waiting(struct sim_world *w, unsigned int i, const struct sim_group *from,
				 unsigned int n, unsigned int failed)
{
	unsigned int done = 0;

	for (; done < n; done++) {
		unsigned int cpu = balancing_cpu(w, &w->map.own[i]);
		struct sim_task *t = cpu == SIM_NONE ? NULL : find_waiting(w, from, cpu, failed);

		if (!t)
			break;
		sim_world_move(w, t, cpu);
	}
	return done;
}

bool sim_balance_round(struct sim_world *w, struct sim_balance *b, unsigned int i)
{
	const struct sim_map *map = &w->map;
	unsigned int level = i / map->nnodes, node = i % map->nnodes;
	unsigned int cpu = balancing_cpu(w, &map->own[i]), pulls;
	struct policy_group local = sim_world_group(w, &map->own[i], NULL), busiest;
	const struct sim_group *from = find_busiest(w, i, &busiest);
	struct sim_task *t;

	pulls = policy_balance_pulls(w->rule, &map->views[node], level, &local, &busiest);
	if (cpu == SIM_NONE || !pulls || !movable(w, b, from, cpu)) {
		b->of[i].failed = 0;
		return false;
	}
	if (pull_waiting(w, i, from, pulls, b->of[i].failed) ||
	    (b->unrelated > 0 && stats_random_unit(&w->random) < b->unrelated)) {
		b->of[i].failed = 0;
		return true;
	}
	if (++b->of[i].failed <= SIM_FAILED_ACTIVE)
		return true;
	t = find_running(w, from, cpu);
	if (t) {
		sim_world_move(w, t, cpu);
		b->of[i].failed = 0;
	}
	return true;
}

void sim_balance_newly_idle(struct sim_world *w, unsigned int cpu)
{
	const struct sim_map *map = &w->map;
	unsigned int node = map->node_of[cpu];
	struct sim_group here = { .nnodes = 1, .nodes = &node };
	struct sim_task *t;

	if (!w->waiting)
		return;
	t = find_waiting(w, &here, cpu, SIM_FAILED_ACTIVE);
	for (unsigned int level = 0; !t && level < map->views[node].nlevels; level++) {
		unsigned int i = level * map->nnodes + node;
		struct policy_group local = sim_world_group(w, &map->own[i], NULL), busiest;
		const struct sim_group *from = find_busiest(w, i, &busiest);

		if (from &&
		    policy_balance_pulls(w->rule, &map->views[node], level, &local, &busiest))
			t = find_waiting(w, from, cpu, 0);
	}
	if (t)
		sim_world_move(w, t, cpu);
}

bool sim_balance_inside(struct sim_world *w)
{
	bool moved = false;

	for (unsigned int i = 0; w->waiting && i < w->ntasks; i++) {
		struct sim_task *t = &w->tasks[i];
		unsigned int node, cpu;

		if (!waits(w, t))
			continue;
		node = sim_world_node(w, t);
		cpu = w->node_idle[node] ? sim_world_cpu_of(w, t, node) : SIM_NONE;
		if (cpu == SIM_NONE || w->cpus[cpu].running)
			continue;
		sim_world_move(w, t, cpu);
		moved = true;
	}
	return moved;
}
