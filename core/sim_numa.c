#include "core/sim_numa.h"

void sim_numa_set(struct sim_world *w, struct sim_task *t, unsigned int node)
{
	for (unsigned int i = 0; i < w->map.nnodes; i++)
		t->share[i] = i == node;
	t->touched = UINT64_MAX;
	t->prefers = node;
}

uint64_t sim_numa_first(struct sim_world *w)
{
	uint64_t at = w->now + SIM_SCAN_DELAY_US;

	if (!policy_has(w->rule, POLICY_RETRY_INIT))
		at += stats_random_below(&w->random, SIM_SCAN_PERIOD_US);
	return at;
}

/* The node with most of its memory; the one it is on where several have as much. */
static unsigned int preferred(const struct sim_world *w, const struct sim_task *t)
{
	unsigned int best = sim_world_node(w, t);

	for (unsigned int i = 0; i < w->map.nnodes; i++)
		if (t->share[i] > t->share[best] + 1e-9)
			best = i;
	return best;
}

static bool move_to(struct sim_world *w, struct sim_task *t, unsigned int node)
{
	unsigned int from = sim_world_node(w, t), cpu;
	struct policy_group src = sim_world_node_group(w, from);
	struct policy_group dst = sim_world_node_group(w, node);

	if (!sim_may_node(t, node) || !policy_numa_moves(w->rule, &w->map.views[from], &src, &dst))
		return false;
	cpu = sim_world_cpu_of(w, t, node);
	if (cpu == SIM_NONE || w->cpus[cpu].running)
		return false;
	sim_world_move(w, t, cpu);
	return true;
}

/* Trades places with a task on node if both together gain. All tasks of the job are
 * of one numa group, so with no-swap none is tried while node has cpus to spare. */
static bool swap_with_one_on(struct sim_world *w, struct sim_task *t, unsigned int node)
{
	unsigned int from = sim_world_node(w, t), cpu = t->cpu;
	unsigned int start = stats_random_below(&w->random, w->ntasks);

	if (w->node_idle[node] && policy_has(w->rule, POLICY_NO_SWAP))
		return false;
	for (unsigned int i = 0; i < w->ntasks; i++) {
		struct sim_task *o = &w->tasks[(start + i) % w->ntasks];

		if (o == t || !o->awake || sim_world_node(w, o) != node || !sim_may(o, cpu) ||
		    !sim_may(t, o->cpu))
			continue;
		if (t->share[node] - t->share[from] + o->share[from] - o->share[node] <= 1e-9)
			continue;
		sim_world_move(w, t, o->cpu);
		sim_world_move(w, o, cpu);
		return true;
	}
	return false;
}

/* Up to so much of its memory comes to where it is; whether some is left. */
static bool fetch(struct sim_world *w, struct sim_task *t, double share)
{
	unsigned int here = sim_world_node(w, t);
	bool left = false;

	for (unsigned int i = 0; i < w->map.nnodes; i++) {
		double moved = t->share[i] < share ? t->share[i] : share;

		if (i == here)
			continue;
		t->share[i] -= moved;
		t->share[here] += moved;
		if (t->works) {
			w->served[i] -= moved;
			w->served[here] += moved;
		}
		share -= moved;
		left |= t->share[i] > 1e-9;
	}
	return left;
}

bool sim_numa_look(struct sim_world *w, struct sim_task *t, double megabytes)
{
	sim_world_touch(w, t);
	t->prefers = preferred(w, t);
	if (t->prefers != sim_world_node(w, t) &&
	    (move_to(w, t, t->prefers) || swap_with_one_on(w, t, t->prefers)))
		return true;
	return fetch(w, t, megabytes > SIM_SCAN_MB ? SIM_SCAN_MB / megabytes : 1);
}
