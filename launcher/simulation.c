#include "launcher/simulation.h"

#include <math.h>

const char simulation_caution[] =
    "a model of the kernel's rules and of how Hydra starts ranks; nothing was run or measured";

static int init_variant(struct simulation_variant *v, struct arena *a, const struct planning *p,
			unsigned int nsamples)
{
	unsigned int n = p->request.nranks;

	v->min = INFINITY;
	v->first = arena_array(a, n, sizeof(*v->first));
	v->from = arena_array(a, n, sizeof(*v->from));
	v->ranks = arena_array(a, (size_t)nsamples * p->machine.nnodes, sizeof(*v->ranks));
	if (!v->first || !v->from || !v->ranks)
		return -1;
	for (unsigned int i = 0; i < nsamples; i++) {
		v->samples[i].differences =
		    arena_array(a, n + 1u, sizeof(*v->samples[i].differences));
		if (!v->samples[i].differences)
			return -1;
	}
	return 0;
}

static void count_samples(struct simulation_variant *v, const struct planning *p,
			  const struct sim_params *sim, const struct sim_outcome *o)
{
	unsigned int nnodes = p->machine.nnodes;

	for (unsigned int i = 0; i < sim->nsamples; i++) {
		const unsigned int *ranks = &o->ranks[(size_t)i * nnodes];
		struct simulation_sample *sample = &v->samples[i];
		unsigned int difference = sim_difference(ranks, p->plan.capacity, nnodes);

		sample->uneven += sim_uneven(ranks, p->request.busy, p->plan.capacity, nnodes);
		sample->worst = difference > sample->worst ? difference : sample->worst;
		sample->differences[difference]++;
	}
}

static void keep_first(struct simulation_variant *v, const struct planning *p,
		       const struct sim_params *sim, const struct sim_outcome *o)
{
	for (unsigned int i = 0; i < sim->nranks; i++) {
		v->first[i] = o->first[i];
		v->from[i] = o->from[i];
	}
	for (unsigned int i = 0; i < sim->nsamples * p->machine.nnodes; i++)
		v->ranks[i] = o->ranks[i];
}

static int run_variant(struct simulation_variant *v, const struct simulation *s, struct arena *a,
		       struct sim_params *sim)
{
	const struct planning *p = s->planning;
	const struct simulate_options *o = s->options;
	struct arena scratch = { .get = a->get, .put = a->put };
	struct sim *one = sim_new(&scratch, &p->machine, sim);
	double sum = 0;
	int result = -1;

	if (!one || init_variant(v, a, p, sim->nsamples) < 0)
		goto out;
	for (unsigned int run = 0; run < o->runs; run++) {
		struct sim_outcome outcome;

		/* Neighbouring seeds give launches that have nothing in common. */
		sim_run(one, ((uint64_t)o->seed << 32) + run, &outcome);
		count_samples(v, p, sim, &outcome);
		if (!run)
			keep_first(v, p, sim, &outcome);
		v->min = fmin(v->min, outcome.seconds);
		v->max = fmax(v->max, outcome.seconds);
		sum += outcome.seconds;
	}
	v->range = v->max - v->min;
	v->mean = sum / o->runs;
	result = 0;
out:
	arena_free(&scratch);
	return result;
}

int simulation_run(struct simulation *s, struct arena *a, const struct planning *p,
		   const struct simulate_options *o, bool settle)
{
	struct sim_params sim = o->sim;

	*s = (struct simulation){ .planning = p, .options = o, .settle = settle };
	s->have_plan = sim.launch != SIM_THREADS;
	s->nrows = o->nrules;
	s->rows = arena_array(a, s->nrows, sizeof(*s->rows));
	if (!s->rows)
		return -1;
	sim.nranks = p->request.nranks;
	sim.busy = p->request.busy;
	sim.allowed = &p->allowed;
	for (unsigned int i = 0; i < s->nrows; i++) {
		struct simulation_row *row = &s->rows[i];

		row->name = o->names[i];
		row->rule = sim.rule = o->rules[i];
		sim.plan = NULL;
		sim.settle = false;
		if (run_variant(&row->plain, s, a, &sim) < 0)
			return -1;
		sim.plan = &p->plan;
		sim.settle = settle;
		if (s->have_plan && run_variant(&row->planned, s, a, &sim) < 0)
			return -1;
	}
	return 0;
}
