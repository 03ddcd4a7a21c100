#include "core/sim_place.h"

/* The cpus of a group that t may use. */
static unsigned int allowed_in(const struct sim_task *t, const struct sim_group *g)
{
	unsigned int n = 0;

	for (unsigned int i = 0; t->mask && i < g->nnodes; i++)
		n += t->mask->in_node[g->nodes[i]];
	return t->mask ? n : g->cpus;
}

/* Less load per cpu; among those with idle cpus that is more of these. */
static bool idler(const struct policy_group *a, const struct policy_group *b)
{
	if (a->idle != b->idle)
		return a->idle > b->idle;
	return (uint64_t)a->running * b->cpus < (uint64_t)b->running * a->cpus;
}

static struct policy_group group_for(const struct sim_world *w, const struct sim_task *t,
				     const struct sim_group *g)
{
	bool few = t->mask && policy_fork_counts_allowed(w->rule);
	struct policy_group counted = sim_world_group(w, g, few ? t->mask : NULL);

	counted.allowed = t->mask ? allowed_in(t, g) : 0;
	return counted;
}

/* The idlest other group of a level that t may use, or NULL. */
static const struct sim_group *find_idlest(const struct sim_world *w, const struct sim_task *t,
					   unsigned int level, unsigned int node,
					   struct policy_group *best)
{
	const struct sim_map *map = &w->map;
	const struct sim_group *own = &map->own[level * map->nnodes], *found = NULL;
	const struct sim_group *others = &map->others[level * map->nnodes + node];

	for (unsigned int i = 0; i < others->nnodes; i++) {
		const struct sim_group *g = &own[others->nodes[i]];
		struct policy_group counted;

		if (!allowed_in(t, g))
			continue;
		counted = group_for(w, t, g);
		if (found && !idler(&counted, best))
			continue;
		*best = counted;
		found = g;
	}
	return found;
}

/* A node of the group, each with the chance of its idle cpus: the kernel takes an
 * idle cpu, which one depends on how deep and how long each sleeps. */
static unsigned int node_in(struct sim_world *w, const struct sim_task *t,
			    const struct sim_group *g)
{
	unsigned int idle = 0, best = SIM_NONE, pick;

	for (unsigned int i = 0; i < g->nnodes; i++) {
		unsigned int node = g->nodes[i];

		if (!sim_may_node(t, node))
			continue;
		idle += w->node_idle[node];
		if (best == SIM_NONE || w->node_running[node] < w->node_running[best])
			best = node;
	}
	if (!idle)
		return best;
	pick = stats_random_below(&w->random, idle);
	for (unsigned int i = 0; i < g->nnodes; i++) {
		unsigned int node = g->nodes[i];

		if (!sim_may_node(t, node))
			continue;
		if (pick < w->node_idle[node])
			return node;
		pick -= w->node_idle[node];
	}
	return best;
}

/* Some node that t may use: where the levels that may be crossed lead to none. */
static unsigned int any_node(const struct sim_world *w, const struct sim_task *t)
{
	for (unsigned int node = 0; node < w->map.nnodes; node++)
		if (sim_may_node(t, node))
			return node;
	return 0;
}

/* Section 1.3: from the highest level that may be crossed down. */
static unsigned int choose_new(struct sim_world *w, const struct sim_task *t, unsigned int cpu)
{
	const struct sim_map *map = &w->map;
	unsigned int node = map->node_of[cpu], level = map->crosses[node];

	while (level--) {
		const struct sim_group *own = &map->own[level * map->nnodes + node], *best;
		struct policy_group local, remote;

		best = find_idlest(w, t, level, node, &remote);
		if (!best)
			continue;
		if (allowed_in(t, own)) {
			local = group_for(w, t, own);
			if (policy_fork_stays(w->rule, &map->views[node], level, &local, &remote))
				continue;
		}
		node = node_in(w, t, best);
	}
	if (!sim_may_node(t, node))
		node = any_node(w, t);
	cpu = sim_world_cpu_of(w, t, node);
	return cpu == SIM_NONE ? map->node_cpu[node] : cpu;
}

void sim_place_fork(struct sim_world *w, struct sim_task *t, unsigned int cpu)
{
	sim_world_wake(w, t, choose_new(w, t, cpu));
}

void sim_place_exec(struct sim_world *w, struct sim_task *t)
{
	unsigned int cpu = sim_world_lift(w, t);

	sim_world_wake(w, t, choose_new(w, t, cpu));
}

void sim_place_narrow(struct sim_world *w, struct sim_task *t, const struct sim_mask *mask)
{
	unsigned int start, n = w->map.ncpus;

	t->mask = mask;
	if (sim_may(t, t->cpu))
		return;
	start = stats_random_below(&w->random, n);
	for (unsigned int i = 0; i < n; i++) {
		unsigned int cpu = (start + i) % n;

		if (sim_may(t, cpu)) {
			sim_world_move(w, t, cpu);
			return;
		}
	}
}

/* wake_affine: the waker's cpu or the task's own. */
static unsigned int wake_affine(const struct sim_world *w, const struct sim_task *t,
				unsigned int waker, bool sync)
{
	const struct sim_map *map = &w->map;
	double here, there;

	if (!sim_may(t, waker) ||
	    !sim_map_reaches(map, w->machine, map->node_of[waker], map->node_of[t->cpu]))
		return t->cpu;
	if (sync && w->cpus[waker].running == 1)
		return waker;
	if (map->llc_of[waker] == map->llc_of[t->cpu])
		return t->cpu;
	/* wake_affine_weight: the loads after the move, the task's own left out where
	 * it slept, the waker's where it is about to sleep. */
	here = w->cpus[waker].running + sim_world_blocked(w, waker) + 1 - (sync ? 1 : 0);
	there =
	    w->cpus[t->cpu].running + sim_world_blocked(w, t->cpu) - sim_world_own_blocked(w, t);
	return here < there ? waker : t->cpu;
}

/* An idle cpu that shares target's cache: target, the task's own, any. */
static unsigned int idle_near(struct sim_world *w, const struct sim_task *t, unsigned int target)
{
	const struct sim_map *map = &w->map;
	unsigned int llc = map->llc_of[target], cpu;

	if (!w->cpus[target].running)
		return target;
	if (map->llc_of[t->cpu] == llc && !w->cpus[t->cpu].running && sim_may(t, t->cpu))
		return t->cpu;
	if (!w->llc_idle[llc])
		return target;
	cpu = sim_world_idle(w, t, map->llc_cpu[llc], map->llc_cpu[llc + 1]);
	return cpu == SIM_NONE ? target : cpu;
}

void sim_place_wake(struct sim_world *w, struct sim_task *t, unsigned int waker, bool sync)
{
	unsigned int target = waker == SIM_NONE ? t->cpu : wake_affine(w, t, waker, sync);

	sim_world_wake(w, t, idle_near(w, t, target));
}
