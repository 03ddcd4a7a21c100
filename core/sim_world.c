#include "core/sim_world.h"

#include <math.h>
#include <string.h>

/* LOAD_AVG_PERIOD of PELT: load halves in so many milliseconds
 * (kernel/sched/pelt.c, 6.12). */
#define HALF_US 32000.0

int sim_world_init(struct sim_world *w, struct arena *a, const struct machine *m,
		   unsigned int ntasks)
{
	double *shares = arena_array(a, (size_t)ntasks * m->nnodes, sizeof(*shares));

	*w = (struct sim_world){ .machine = m, .ntasks = ntasks };
	if (!shares || sim_map_init(&w->map, a, m) < 0)
		return -1;
	w->tasks = arena_array(a, ntasks, sizeof(*w->tasks));
	w->cpus = arena_array(a, w->map.ncpus, sizeof(*w->cpus));
	w->node_running = arena_array(a, m->nnodes, sizeof(*w->node_running));
	w->node_idle = arena_array(a, m->nnodes, sizeof(*w->node_idle));
	w->llc_idle = arena_array(a, w->map.nllcs, sizeof(*w->llc_idle));
	w->served = arena_array(a, m->nnodes, sizeof(*w->served));
	w->moved = arena_array(a, ntasks, sizeof(*w->moved));
	if (!w->served || !w->moved || !w->tasks || !w->cpus || !w->node_running || !w->node_idle ||
	    !w->llc_idle)
		return -1;
	for (unsigned int i = 0; i < ntasks; i++)
		w->tasks[i].share = &shares[(size_t)i * m->nnodes];
	return 0;
}

struct sim_mask *sim_world_mask(const struct sim_world *w, struct arena *a, const struct cpus *cpus)
{
	struct sim_mask *mask = arena_alloc(a, sizeof(*mask));

	if (!mask)
		return NULL;
	mask->may = arena_array(a, w->map.ncpus, sizeof(*mask->may));
	mask->in_node = arena_array(a, w->map.nnodes, sizeof(*mask->in_node));
	if (!mask->may || !mask->in_node)
		return NULL;
	for (unsigned int i = 0; i < w->map.ncpus; i++) {
		mask->may[i] = cpus_has(cpus, w->map.os[i]);
		mask->in_node[w->map.node_of[i]] += mask->may[i];
	}
	return mask;
}

/* --- who is where ---------------------------------------------------------------- */

static double decayed(double load, double us)
{
	return load * exp2(-us / HALF_US);
}

double sim_world_blocked(const struct sim_world *w, unsigned int cpu)
{
	const struct sim_cpu *c = &w->cpus[cpu];

	/* c6f886546cb8: what brings it up to date comes late on an idle cpu
	 * (section 1.7; "late" is taken as not before the cpu is busy again). */
	if (!c->running && policy_has(w->rule, POLICY_LATE_BLOCKED_LOAD))
		return c->blocked;
	return decayed(c->blocked, (double)(w->now - c->since));
}

double sim_world_own_blocked(const struct sim_world *w, const struct sim_task *t)
{
	if (t->awake || t->cpu == SIM_NONE)
		return 0;
	if (!w->cpus[t->cpu].running && policy_has(w->rule, POLICY_LATE_BLOCKED_LOAD))
		return 1;
	return decayed(1, (double)(w->now - t->slept));
}

static void settle_blocked(struct sim_world *w, unsigned int cpu, double added)
{
	struct sim_cpu *c = &w->cpus[cpu];
	double load = sim_world_blocked(w, cpu) + added;

	c->blocked = load > 0 ? load : 0;
	c->since = w->now;
}

static void enter(struct sim_world *w, unsigned int cpu)
{
	unsigned int node = w->map.node_of[cpu];

	settle_blocked(w, cpu, 0);
	if (w->cpus[cpu].running++) {
		w->waiting++;
	} else {
		w->node_idle[node]--;
		w->llc_idle[w->map.llc_of[cpu]]--;
	}
	w->node_running[node]++;
	w->changes++;
}

static void leave(struct sim_world *w, unsigned int cpu)
{
	unsigned int node = w->map.node_of[cpu];

	settle_blocked(w, cpu, 0);
	if (--w->cpus[cpu].running) {
		w->waiting--;
	} else {
		w->node_idle[node]++;
		w->llc_idle[w->map.llc_of[cpu]]++;
	}
	w->node_running[node]--;
	w->changes++;
}

void sim_world_wake(struct sim_world *w, struct sim_task *t, unsigned int cpu)
{
	/* It takes its load along. */
	if (t->cpu != SIM_NONE)
		settle_blocked(w, t->cpu, -sim_world_own_blocked(w, t));
	t->awake = true;
	t->cpu = cpu;
	enter(w, cpu);
}

void sim_world_sleep(struct sim_world *w, struct sim_task *t)
{
	leave(w, t->cpu);
	t->awake = false;
	t->slept = w->now;
	settle_blocked(w, t->cpu, 1);
}

unsigned int sim_world_lift(struct sim_world *w, struct sim_task *t)
{
	unsigned int cpu = t->cpu;

	leave(w, cpu);
	t->awake = false;
	t->cpu = SIM_NONE;
	return cpu;
}

void sim_world_begin(struct sim_world *w, unsigned int nranks)
{
	w->begin = w->now;
	memset(w->served, 0, w->map.nnodes * sizeof(*w->served));
	for (unsigned int i = 0; i < nranks; i++) {
		w->tasks[i].works = true;
		w->tasks[i].touched = w->now;
		w->served[sim_world_node(w, &w->tasks[i])]++;
	}
}

void sim_world_touch(struct sim_world *w, struct sim_task *t)
{
	uint64_t to = w->now;

	if (!t->works)
		return;
	if (to > w->begin + SIM_TOUCH_US)
		to = w->begin + SIM_TOUCH_US;
	if (to <= t->touched)
		return;
	t->share[sim_world_node(w, t)] += (double)(to - t->touched) / SIM_TOUCH_US;
	t->touched = to;
}

/* What t has not touched yet goes along; whatever else is its, stays. */
static void carry(struct sim_world *w, struct sim_task *t, unsigned int to)
{
	double rest = 1;

	sim_world_touch(w, t);
	for (unsigned int i = 0; i < w->map.nnodes; i++)
		rest -= t->share[i];
	w->served[sim_world_node(w, t)] -= rest;
	w->served[to] += rest;
	if (t->moved)
		return;
	t->moved = true;
	w->moved[w->nmoved++] = (unsigned int)(t - w->tasks);
}

void sim_world_move(struct sim_world *w, struct sim_task *t, unsigned int cpu)
{
	if (t->works && w->map.node_of[cpu] != sim_world_node(w, t))
		carry(w, t, w->map.node_of[cpu]);
	leave(w, t->cpu);
	t->cpu = cpu;
	enter(w, cpu);
}

void sim_world_reset(struct sim_world *w, enum policy_rule rule, uint64_t seed,
		     const unsigned int *busy)
{
	const struct sim_map *map = &w->map;

	w->rule = rule;
	w->now = 0;
	w->waiting = w->changes = w->nmoved = 0;
	w->begin = 0;
	stats_random_init(&w->random, seed);
	memset(w->cpus, 0, map->ncpus * sizeof(*w->cpus));
	memset(w->node_running, 0, map->nnodes * sizeof(*w->node_running));
	for (unsigned int i = 0; i < map->nnodes; i++)
		w->node_idle[i] = map->node_cpu[i + 1] - map->node_cpu[i];
	for (unsigned int i = 0; i < map->nllcs; i++)
		w->llc_idle[i] = map->llc_cpu[i + 1] - map->llc_cpu[i];
	for (unsigned int i = 0; i < w->ntasks; i++) {
		double *share = w->tasks[i].share;

		memset(share, 0, map->nnodes * sizeof(*share));
		w->tasks[i] =
		    (struct sim_task){ .cpu = SIM_NONE, .prefers = SIM_NONE, .share = share };
	}
	for (unsigned int i = 0; busy && i < map->nnodes; i++) {
		unsigned int n = busy[i] < w->node_idle[i] ? busy[i] : w->node_idle[i];

		for (unsigned int j = 0; j < n; j++)
			enter(w, map->node_cpu[i] + j);
	}
}

/* --- looking for a cpu ----------------------------------------------------------- */

unsigned int sim_world_idle(struct sim_world *w, const struct sim_task *t, unsigned int from,
			    unsigned int to)
{
	unsigned int start = from + stats_random_below(&w->random, to - from);

	for (unsigned int i = start; i < to; i++)
		if (!w->cpus[i].running && sim_may(t, i))
			return i;
	for (unsigned int i = from; i < start; i++)
		if (!w->cpus[i].running && sim_may(t, i))
			return i;
	return SIM_NONE;
}

static unsigned int least_busy(const struct sim_world *w, const struct sim_task *t,
			       unsigned int from, unsigned int to)
{
	unsigned int best = SIM_NONE;

	for (unsigned int i = from; i < to; i++)
		if (sim_may(t, i) &&
		    (best == SIM_NONE || w->cpus[i].running < w->cpus[best].running))
			best = i;
	return best;
}

unsigned int sim_world_cpu_of(struct sim_world *w, const struct sim_task *t, unsigned int node)
{
	const struct sim_map *map = &w->map;
	unsigned int from = map->node_cpu[node], to = map->node_cpu[node + 1], cpu, best;

	if (!sim_may_node(t, node))
		return SIM_NONE;
	if (!w->node_idle[node])
		return least_busy(w, t, from, to);
	best = map->llc_of[from];
	for (unsigned int llc = best; llc <= map->llc_of[to - 1]; llc++)
		if (w->llc_idle[llc] > w->llc_idle[best])
			best = llc;
	cpu = sim_world_idle(w, t, map->llc_cpu[best], map->llc_cpu[best + 1]);
	if (cpu == SIM_NONE)
		cpu = sim_world_idle(w, t, from, to);
	return cpu == SIM_NONE ? least_busy(w, t, from, to) : cpu;
}

/* --- statistics ------------------------------------------------------------------ */

static void count_masked(const struct sim_world *w, unsigned int node, const struct sim_mask *mask,
			 struct policy_group *g)
{
	for (unsigned int i = w->map.node_cpu[node]; i < w->map.node_cpu[node + 1]; i++) {
		if (!mask->may[i])
			continue;
		g->running += w->cpus[i].running;
		g->idle += !w->cpus[i].running;
	}
}

struct policy_group sim_world_group(const struct sim_world *w, const struct sim_group *group,
				    const struct sim_mask *mask)
{
	struct policy_group g = { .cpus = group->cpus };

	for (unsigned int i = 0; i < group->nnodes; i++) {
		unsigned int node = group->nodes[i];

		if (mask) {
			count_masked(w, node, mask, &g);
		} else {
			g.running += w->node_running[node];
			g.idle += w->node_idle[node];
		}
	}
	return g;
}

struct policy_group sim_world_node_group(const struct sim_world *w, unsigned int node)
{
	return (struct policy_group){
		.cpus = w->map.node_cpu[node + 1] - w->map.node_cpu[node],
		.running = w->node_running[node],
		.idle = w->node_idle[node],
	};
}
