#include "core/sim.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/sim_internal.h"

#define SECOND 1000000.0

void sim_defaults(struct sim_params *p)
{
	*p = (struct sim_params){
		.rule = POLICY_G8,
		.launch = SIM_HYDRA,
		.nranks = 1,
		/* bench/hydra-start, rounded. */
		.gap_us = 1300,
		.exec_us = 6000,
		.start_us = 65000,
		.setup_us = 9000,
		.connect_us = 45000,
		.between_us = 75,
		.serve_us = 50,
		.sleep_us = 400,
		.jitter = 0.25,
		.megabytes = 1800,
		.even_seconds = 96,
		.bandwidth_share = 1,
		.nsamples = 4,
		.samples = { 0, 1, 10, 100 },
	};
}

static bool in_unit(double x)
{
	return x >= 0 && x <= 1;
}

static bool possible(const struct sim_params *p)
{
	if (!p->nranks || p->nranks > SIM_RANKS_MAX || p->nsamples > SIM_SAMPLES_MAX ||
	    !p->launch || !in_unit(p->jitter) || !in_unit(p->unrelated) ||
	    !in_unit(p->bandwidth_share) || !(p->megabytes > 0) || !isfinite(p->megabytes) ||
	    !(p->even_seconds >= 0) || p->even_seconds > SIM_SECONDS_MAX)
		return false;
	for (unsigned int i = 0; i < p->nsamples; i++)
		if (!(p->samples[i] >= (i ? p->samples[i - 1] : 0)) ||
		    p->samples[i] > SIM_SECONDS_MAX)
			return false;
	return true;
}

static int make_masks(struct sim *s, struct arena *a)
{
	const struct plan *plan = s->p.plan;
	const struct sim_mask **of;

	if (s->p.allowed && !cpus_equal(s->p.allowed, &s->w.machine->usable)) {
		s->everywhere = sim_world_mask(&s->w, a, s->p.allowed);
		if (!s->everywhere)
			return -1;
	}
	if (!plan)
		return 0;
	of = arena_array(a, plan->nplaces + 1u, sizeof(*of));
	s->places = arena_array(a, s->p.nranks, sizeof(*s->places));
	if (!of || !s->places)
		return -1;
	for (unsigned int i = 0; i < plan->nplaces; i++) {
		of[i] = sim_world_mask(&s->w, a, &plan->places[i].cpus);
		if (!of[i])
			return -1;
	}
	for (unsigned int r = 0; r < s->p.nranks; r++) {
		const struct plan_place *place = plan_place_of(plan, r);

		s->places[r] = place && !plan->why ? of[place - plan->places] : s->everywhere;
	}
	return 0;
}

struct sim *sim_new(struct arena *a, const struct machine *m, const struct sim_params *p)
{
	struct sim *s = arena_alloc(a, sizeof(*s));
	unsigned int n = p->nranks, room;

	if (!possible(p)) {
		errno = EINVAL;
		return NULL;
	}
	if (!s || sim_world_init(&s->w, a, m, n + 1) < 0 ||
	    sim_balance_init(&s->balance, a, &s->w) < 0)
		return NULL;
	s->p = *p;
	s->balance.unrelated = p->unrelated;
	/* One event of its own start-up and one of NUMA balancing a rank, one a
	 * balancer, a sample each, and what there is one of. */
	room = 2 * n + s->balance.n + SIM_SAMPLES_MAX + 8;
	s->phase = arena_array(a, n, sizeof(*s->phase));
	s->asking = arena_array(a, n, sizeof(*s->asking));
	s->first = arena_array(a, n, sizeof(*s->first));
	s->from = arena_array(a, n, sizeof(*s->from));
	s->samples = arena_array(a, (size_t)SIM_SAMPLES_MAX * m->nnodes, sizeof(*s->samples));
	if (!s->phase || !s->asking || !s->first || !s->from || !s->samples ||
	    sim_queue_init(&s->queue, a, room) < 0 || make_masks(s, a) < 0)
		return NULL;
	for (unsigned int i = 0; i < m->nnodes; i++)
		s->nodes += !s->everywhere || s->everywhere->in_node[i];
	return s;
}

/* --- how fast the work goes -------------------------------------------------------- */

/* Seconds of even work done in a second. Time goes with the ranks whose memory the
 * most burdened node serves, over those when all is even; and no rank is faster than
 * its share of its cpu lets it. */
static double speed(struct sim *s)
{
	double even = (s->p.nranks + s->nodes - 1) / s->nodes, share = s->p.bandwidth_share;
	double memory = 0, slower;
	unsigned int most = 1;

	for (unsigned int i = 0; i < s->w.map.nnodes; i++)
		memory = s->w.served[i] > memory ? s->w.served[i] : memory;
	slower = 1 - share + share * memory / even;
	for (unsigned int i = 0; s->w.waiting && i < s->p.nranks; i++) {
		const struct sim_task *t = &s->w.tasks[i];

		if (s->w.cpus[t->cpu].running > most)
			most = s->w.cpus[t->cpu].running;
	}
	return 1 / (slower > most ? slower : most);
}

/* Work goes on until now. */
static void reckon(struct sim *s)
{
	double done = (double)(s->w.now - s->reckoned) / SECOND * s->speed;

	if (s->working && !s->finished && done >= s->left) {
		s->finished = true;
		s->seconds = (double)s->reckoned / SECOND + s->left / s->speed;
	}
	s->left -= done;
	s->reckoned = s->w.now;
}

/* --- events ------------------------------------------------------------------------ */

/* A rank away from some of its memory is looked at in the next period. */
static void seek(struct sim *s, struct sim_task *t, unsigned int rank)
{
	if (t->seeks || t->share[sim_world_node(&s->w, t)] > 1 - 1e-9)
		return;
	t->seeks = true;
	sim_queue_put(&s->queue, s->w.now + SIM_SCAN_PERIOD_US, SIM_LOOK, rank);
}

/* What a change of the counts calls for: balancers that had nothing to do, a look
 * inside nodes, and at ranks that are away from their memory. */
static void arm(struct sim *s)
{
	const struct sim_world *w = &s->w;

	if (w->waiting && !s->inside && s->crowded != w->changes) {
		s->inside = true;
		sim_queue_put(&s->queue, w->now + 1000u * (w->map.llc_cpu[1] - w->map.llc_cpu[0]),
			      SIM_INSIDE, 0);
	}
	if (s->changes == w->changes)
		return;
	s->changes = w->changes;
	for (unsigned int i = 0; i < s->balance.n; i++) {
		struct sim_balancer *b = &s->balance.of[i];

		if (!b->there || b->armed)
			continue;
		b->armed = true;
		sim_queue_put(&s->queue,
			      w->now + 1 + stats_random_below(&s->w.random, b->interval_us),
			      SIM_BALANCE, i);
	}
	for (unsigned int i = 0; i < s->w.nmoved; i++) {
		struct sim_task *t = &s->w.tasks[s->w.moved[i]];

		t->moved = false;
		seek(s, t, s->w.moved[i]);
	}
	s->w.nmoved = 0;
	s->stale = true;
}

void sim_begin(struct sim *s)
{
	s->working = true;
	sim_world_begin(&s->w, s->p.nranks);
	s->begin = s->reckoned = s->w.now;
	s->left = s->p.even_seconds;
	s->horizon = s->w.now;
	if (s->p.nsamples)
		s->horizon += (uint64_t)(s->p.samples[s->p.nsamples - 1] * SECOND);
	for (unsigned int i = 0; i < s->p.nsamples; i++)
		sim_queue_put(&s->queue, s->begin + (uint64_t)(s->p.samples[i] * SECOND),
			      SIM_SAMPLE, i);
	for (unsigned int i = 0; i < s->p.nranks; i++) {
		s->w.tasks[i].seeks = true;
		sim_queue_put(&s->queue, sim_numa_first(&s->w), SIM_LOOK, i);
	}
	s->stale = true;
}

static void take_sample(struct sim *s, unsigned int sample)
{
	unsigned int *ranks = &s->samples[(size_t)sample * s->w.map.nnodes];

	for (unsigned int i = 0; i < s->p.nranks; i++)
		ranks[sim_world_node(&s->w, &s->w.tasks[i])]++;
	s->nsampled++;
}

static void balance(struct sim *s, unsigned int i)
{
	struct sim_balancer *b = &s->balance.of[i];

	b->armed = sim_balance_round(&s->w, &s->balance, i);
	if (b->armed)
		sim_queue_put(&s->queue, s->w.now + b->interval_us, SIM_BALANCE, i);
}

static void look(struct sim *s, unsigned int rank)
{
	struct sim_task *t = &s->w.tasks[rank];

	t->seeks = sim_numa_look(&s->w, t, s->p.megabytes);
	s->stale = true;
	if (t->seeks)
		sim_queue_put(&s->queue, s->w.now + SIM_SCAN_PERIOD_US, SIM_LOOK, rank);
}

static void handle(struct sim *s, const struct sim_event *e)
{
	switch ((enum sim_kind)e->kind) {
	case SIM_INSIDE:
		s->inside = false;
		if (!sim_balance_inside(&s->w))
			s->crowded = s->w.changes;
		break;
	case SIM_BALANCE:
		balance(s, e->which);
		break;
	case SIM_LOOK:
		look(s, e->which);
		break;
	case SIM_SAMPLE:
		take_sample(s, e->which);
		break;
	default:
		sim_launch_event(s, e);
		break;
	}
}

/* Nothing is left to be seen: all samples are taken, the work is done. */
static bool is_over(const struct sim *s)
{
	return s->working && s->finished && s->nsampled == s->p.nsamples;
}

void sim_go_on(struct sim *s)
{
	struct sim_event e;

	while (!is_over(s) && sim_queue_take(&s->queue, &e)) {
		if (s->working && e.at > s->horizon &&
		    e.at > s->begin + (uint64_t)(SIM_SECONDS_MAX * SECOND))
			break;
		s->w.now = e.at;
		reckon(s);
		handle(s, &e);
		arm(s);
		if (s->working && !s->finished && s->stale)
			s->speed = speed(s);
		s->stale = false;
	}
	if (!s->finished)
		s->seconds = (double)s->reckoned / SECOND + s->left / s->speed;
}

static void reset(struct sim *s, uint64_t seed)
{
	unsigned int n = s->p.nranks;

	sim_world_reset(&s->w, s->p.rule, seed, s->p.busy);
	sim_queue_clear(&s->queue);
	for (unsigned int i = 0; i < s->balance.n; i++) {
		s->balance.of[i].armed = false;
		s->balance.of[i].failed = 0;
	}
	memset(s->phase, 0, n * sizeof(*s->phase));
	memset(s->samples, 0, sizeof(*s->samples) * SIM_SAMPLES_MAX * s->w.map.nnodes);
	s->first_asking = s->nasking = s->entered = s->up = s->nsampled = 0;
	s->serving = s->forking = s->inside = s->working = s->finished = false;
	s->begin = s->reckoned = s->horizon = 0;
	s->changes = s->w.changes;
	s->crowded = s->w.changes - 1;
	s->speed = 1;
	s->left = s->seconds = 0;
}

void sim_run(struct sim *s, uint64_t seed, struct sim_outcome *o)
{
	reset(s, seed);
	sim_launch(s);
	arm(s);
	sim_go_on(s);
	*o = (struct sim_outcome){ s->first, s->from, s->samples, s->seconds };
}

static uint64_t tasks(const unsigned int *ranks, const unsigned int *busy, unsigned int node)
{
	return (uint64_t)ranks[node] + (busy ? busy[node] : 0);
}

bool sim_uneven(const unsigned int *ranks, const unsigned int *busy, const unsigned int *capacity,
		unsigned int nnodes)
{
	for (unsigned int i = 0; i < nnodes; i++)
		for (unsigned int j = 0; ranks[i] && capacity[i] && j < nnodes; j++)
			if (capacity[j] && (tasks(ranks, busy, i) - 1) * capacity[j] >
					       tasks(ranks, busy, j) * capacity[i])
				return true;
	return false;
}

unsigned int sim_difference(const unsigned int *ranks, const unsigned int *capacity,
			    unsigned int nnodes)
{
	unsigned int most = 0, fewest = SIM_NONE;

	for (unsigned int i = 0; i < nnodes; i++) {
		if (!capacity[i])
			continue;
		most = ranks[i] > most ? ranks[i] : most;
		fewest = ranks[i] < fewest ? ranks[i] : fewest;
	}
	return fewest == SIM_NONE ? 0 : most - fewest;
}
