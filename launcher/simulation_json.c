#include <jansson.h>

#include "launcher/simulation.h"

static json_t *counts_of(const unsigned int *counts, unsigned int n)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < n; i++)
		json_array_append_new(list, json_integer(counts[i]));
	return list;
}

static json_t *sample_of(const struct simulation_sample *sample, double at)
{
	return json_pack("{s:f, s:i, s:i, s:o}", "at", at, "uneven", (int)sample->uneven, "worst",
			 (int)sample->worst, "differences",
			 counts_of(sample->differences, sample->worst + 1));
}

static json_t *first_of(const struct simulation *s, const struct simulation_variant *v)
{
	const struct planning *p = s->planning;
	json_t *list = json_array();

	for (unsigned int i = 0; i < p->request.nranks; i++)
		json_array_append_new(list, json_integer(p->machine.nodes[v->first[i]].os));
	return list;
}

static json_t *variant_of(const struct simulation *s, const struct simulation_variant *v)
{
	const struct sim_params *sim = &s->options->sim;
	json_t *samples = json_array();

	for (unsigned int i = 0; i < sim->nsamples; i++)
		json_array_append_new(samples, sample_of(&v->samples[i], sim->samples[i]));
	return json_pack("{s:i, s:i, s:o, s:{s:f, s:f, s:f, s:f}, s:o}", "uneven",
			 (int)v->samples[0].uneven, "worst", (int)v->samples[0].worst, "samples",
			 samples, "seconds", "min", v->min, "max", v->max, "range", v->range,
			 "mean", v->mean, "first", first_of(s, v));
}

static json_t *planned_of(const struct simulation *s, const struct simulation_row *row)
{
	return s->have_plan ? variant_of(s, &row->planned) : json_null();
}

static json_t *patches_of(enum policy_rule rule)
{
	json_t *list = json_array();

	for (enum policy_patch p = POLICY_PATCH_UNSET + 1; p < POLICY_NPATCHES; p++)
		if (policy_has(rule, p))
			json_array_append_new(list, json_string(policy_patch_name(p)));
	return list;
}

static json_t *row_of(const struct simulation *s, const struct simulation_row *row)
{
	return json_pack("{s:o*, s:s, s:o, s:o, s:o}", "name", json_string(row->name), "rule",
			 policy_name(row->rule), "patches", patches_of(row->rule), "plain",
			 variant_of(s, &row->plain), "planned", planned_of(s, row));
}

char *simulation_json(const struct simulation *s)
{
	const struct planning *p = s->planning;
	json_t *rows = json_array(), *object;
	char *text;

	for (unsigned int i = 0; i < s->nrows; i++)
		json_array_append_new(rows, row_of(s, &s->rows[i]));
	object = json_pack("{s:s, s:o*, s:i, s:i, s:I, s:s, s:o, s:o, s:o, s:o}", "simulated",
			   simulation_caution, "machine", json_string(p->spec), "ranks",
			   (int)p->request.nranks, "runs", (int)s->options->runs, "seed",
			   (json_int_t)s->options->seed, "mode", s->settle ? "settle" : "hold",
			   "plan", counts_of(p->plan.ranks, p->plan.nnodes), "plain",
			   variant_of(s, &s->rows[0].plain), "planned", planned_of(s, &s->rows[0]),
			   "rows", rows);
	text = object ? json_dumps(object, JSON_INDENT(2)) : NULL;
	json_decref(object);
	return text;
}
