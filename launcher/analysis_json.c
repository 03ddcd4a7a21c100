#include "launcher/analysis_json.h"

#include <math.h>
#include <string.h>

#include <jansson.h>

#include "launcher/cli.h"

static json_t *number_of(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *pair_of(double low, double high)
{
	return json_pack("[o,o]", number_of(low), number_of(high));
}

/* jansson takes UTF-8 alone. */
static json_t *text_of(const char *s)
{
	json_t *text = s && *s ? json_string(s) : NULL;

	return text ? text : json_null();
}

static json_t *counts_of(const struct placement *p, const unsigned int *counts)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < p->nnodes; i++)
		json_array_append_new(list, json_integer(counts[i]));
	return list;
}

static json_t *runs_of(const struct analysis_variant *v)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < v->n; i++) {
		const struct run *run = v->runs[i];
		const struct placement *p = &run->placement;
		json_t *one = json_pack("{s:i,s:o}", "run", (int)run->number, "value",
					number_of(v->values[i]));

		if (p->ranks) {
			json_object_set_new(one, "start", counts_of(p, p->start));
			json_object_set_new(one, "end", counts_of(p, p->end));
			json_object_set_new(one, "worst", json_integer(p->worst));
		}
		json_array_append_new(list, one);
	}
	return list;
}

static json_t *groups_of(const struct stats_groups *g)
{
	if (!g->two)
		return json_null();
	return json_pack("[{s:i,s:o},{s:i,s:o}]", "runs", (int)g->low, "median",
			 number_of(g->low_median), "runs", (int)g->high, "median",
			 number_of(g->high_median));
}

static json_t *variant_of(const struct analysis *an, const struct analysis_variant *v)
{
	const struct stats_summary *s = &v->summary;
	json_t *one = json_pack("{s:o,s:i,s:i}", "name", text_of(v->name), "runs", (int)v->n,
				"failed", (int)v->nfailed);
	const struct stats_summary *base = &an->variant[0].summary;
	struct member {
		const char *name;
		double v;
	} members[] = {
		{ "min", s->min },
		{ "max", s->max },
		{ "range", s->range },
		{ "mean", s->mean },
		{ "median", s->median },
		{ "gmean", s->gmean },
		{ "hmean", s->hmean },
		{ "stddev", s->stddev },
		{ "coefvar_pct", s->coefvar },
		{ "mean_change_pct", stats_change(base->mean, s->mean, an->what.better) },
		{ "median_change_pct", stats_change(base->median, s->median, an->what.better) },
		{ "range_change_pct", stats_change(base->range, s->range, STATS_LOWER) },
	};

	if (!v->n)
		return one;
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		json_object_set_new(one, members[i].name, number_of(members[i].v));
	json_object_set_new(one, "median_ci", pair_of(v->median_ci.low, v->median_ci.high));
	json_object_set_new(one, "groups", groups_of(&v->groups));
	json_object_set_new(one, "values", runs_of(v));
	return one;
}

static const char *claim_name(enum analysis_claim claim)
{
	static const char *const names[] = { "none", "less", "more", "unclear" };

	return names[claim];
}

static json_t *comparison_of(const struct analysis *an, unsigned int index, struct arena *a)
{
	const struct analysis_variant *v = &an->variant[index];
	const struct stats_comparison *c = &v->comparison;
	struct text verdict = { .arena = a };

	analysis_verdict(&verdict, an, index);
	if (verdict.len)
		verdict.s[strcspn(verdict.s, "\n")] = '\0';
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:s,s:o,s:b,s:o}",
			 "variant", text_of(v->name), "against", text_of(an->variant[0].name),
			 "median_difference", number_of(c->difference), "median_difference_ci",
			 pair_of(c->difference_ci.low, c->difference_ci.high), "location_p",
			 number_of(c->location_p), "location_p_holm", number_of(v->location_p),
			 "location", claim_name(v->location), "spread_f", number_of(c->spread_f),
			 "sd_ratio", number_of(exp(c->log_sd_ratio)), "sd_ratio_ci",
			 pair_of(exp(c->log_sd_ratio_ci.low), exp(c->log_sd_ratio_ci.high)),
			 "spread_p", number_of(c->spread_p), "spread_p_holm",
			 number_of(v->spread_p), "spread", claim_name(v->spread), "range_ratio",
			 number_of(c->range_ratio), "exact", c->exact, "verdict",
			 text_of(verdict.s));
}

static json_t *metric_of(const struct analysis *an, struct arena *a)
{
	json_t *variants = json_array(), *comparisons = json_array();

	for (unsigned int i = 0; i < an->n; i++) {
		json_array_append_new(variants, variant_of(an, &an->variant[i]));
		if (an->variant[i].compared)
			json_array_append_new(comparisons, comparison_of(an, i, a));
	}
	return json_pack("{s:o,s:s,s:s,s:o,s:o}", "name", text_of(an->what.name), "unit",
			 an->what.unit, "better",
			 an->what.better == STATS_HIGHER ? "higher" : "lower", "variants", variants,
			 "comparisons", comparisons);
}

static json_t *row_of(const struct results_row *row)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o}", "name", text_of(row->variant), "min",
			 number_of(row->min), "max", number_of(row->max), "range",
			 number_of(row->max - row->min), "mean", number_of(row->mean));
}

static json_t *host_of(const struct host_facts *h)
{
	/* Without a record of a host there is none. */
	if (!h->name)
		return json_null();
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "name", text_of(h->name), "kernel",
			 text_of(h->kernel), "mpi", text_of(h->mpi), "numa_balancing",
			 h->numa_balancing < 0 ? json_null() : json_integer(h->numa_balancing),
			 "governor", text_of(h->governor), "load", number_of(h->load),
			 "mems_allowed", text_of(h->mems), "machine", text_of(h->machine));
}

char *analysis_json(const struct analysis *const *all, unsigned int n, const struct results *r,
		    struct arena *a)
{
	json_t *metrics = json_array(), *rows = json_array(), *object;
	char *text;

	for (unsigned int i = 0; i < n; i++)
		json_array_append_new(metrics, metric_of(all[i], a));
	for (unsigned int i = 0; i < r->nrows; i++)
		json_array_append_new(rows, row_of(&r->rows[i]));
	object =
	    json_pack("{s:o,s:o,s:o}", "host", host_of(&r->host), "metrics", metrics, "rows", rows);
	text = object ? json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) : NULL;
	json_decref(object);
	return text;
}
