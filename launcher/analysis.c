#include "launcher/analysis.h"

#include <math.h>
#include <string.h>

#include "launcher/cli.h"

static int make_variant(struct analysis_variant *v, struct arena *a, const struct results *r,
			unsigned int m, unsigned int index, const struct stats_options *o)
{
	v->name = r->variant[index];
	v->values = results_values(r, a, m, index, &v->n, &v->runs);
	if (!v->values)
		return -1;
	for (unsigned int i = 0; i < r->nruns; i++)
		v->nfailed += r->runs[i].variant == index && !r->runs[i].warmup &&
			      r->runs[i].failed;
	if (!v->n)
		return 0;
	if (stats_summarize(&v->summary, a, v->values, v->n) < 0 ||
	    stats_median_interval(&v->median_ci, a, v->values, v->n, o) < 0)
		return -1;
	return stats_find_groups(&v->groups, a, v->values, v->n);
}

static enum analysis_claim claim_of(double p, struct stats_interval ci)
{
	if (!(p <= ANALYSIS_ALPHA))
		return ANALYSIS_NONE;
	if (ci.high < 0)
		return ANALYSIS_LESS;
	return ci.low > 0 ? ANALYSIS_MORE : ANALYSIS_UNCLEAR;
}

static int compare_all(struct analysis *an, struct arena *a, const struct stats_options *o)
{
	const struct analysis_variant *base = &an->variant[0];
	double p[2 * VARIANTS_MAX];
	unsigned int n = 0;

	for (unsigned int i = 1; i < an->n && base->n; i++) {
		struct analysis_variant *v = &an->variant[i];

		if (!v->n)
			continue;
		if (stats_compare(&v->comparison, a, base->values, base->n, v->values, v->n, o) < 0)
			return -1;
		v->compared = true;
		p[n++] = v->comparison.location_p;
		p[n++] = v->comparison.spread_p;
	}
	stats_holm(p, n);
	an->tests = n;
	n = 0;
	for (unsigned int i = 1; i < an->n; i++) {
		struct analysis_variant *v = &an->variant[i];

		if (!v->compared)
			continue;
		v->location_p = p[n++];
		v->spread_p = p[n++];
		v->location = claim_of(v->location_p, v->comparison.difference_ci);
		v->spread = claim_of(v->spread_p, v->comparison.log_sd_ratio_ci);
	}
	return 0;
}

int analysis_make(struct analysis *an, struct arena *a, const struct results *r, unsigned int m,
		  const struct stats_options *o)
{
	memset(an, 0, sizeof(*an));
	an->metric = m;
	an->what = r->metric[m];
	an->n = r->nvariants;
	for (unsigned int i = 0; i < an->n; i++)
		if (make_variant(&an->variant[i], a, r, m, i, o) < 0)
			return -1;
	return compare_all(an, a, o);
}

bool analysis_worse(const struct analysis *an, unsigned int v)
{
	return an->variant[v].location ==
	       (an->what.better == STATS_HIGHER ? ANALYSIS_LESS : ANALYSIS_MORE);
}

int analysis_decimals(const struct analysis *an)
{
	double least = INFINITY;

	for (unsigned int i = 0; i < an->n; i++)
		if (an->variant[i].n && fabs(an->variant[i].summary.median) > 0)
			least = fmin(least, fabs(an->variant[i].summary.median));
	if (least >= 10)
		return 2;
	return least >= 1 ? 3 : least >= 0.1 ? 4 : least >= 0.01 ? 5 : 6;
}

/* --- words --------------------------------------------------------------------- */

static bool is_time(const struct analysis *an)
{
	return an->what.better == STATS_LOWER &&
	       (!strcmp(an->what.unit, "s") || !strcmp(an->what.unit, "usec"));
}

static void add_spread(struct text *out, const struct analysis_variant *v,
		       const struct analysis_variant *base)
{
	if (v->spread == ANALYSIS_LESS)
		text_add(out, "is steadier than %s", base->name);
	else if (v->spread == ANALYSIS_MORE)
		text_add(out, "is less steady than %s", base->name);
	else
		text_add(out,
			 "may differ from %s in spread: the p-value says so, the interval does not",
			 base->name);
	if (v->spread != ANALYSIS_UNCLEAR)
		text_add(out, " (its standard deviation is %.2g of %s's)",
			 exp(v->comparison.log_sd_ratio), base->name);
}

static void add_location(struct text *out, const struct analysis *an,
			 const struct analysis_variant *v, const struct analysis_variant *base,
			 bool first)
{
	double change = stats_change(base->summary.median, v->summary.median, an->what.better);
	bool worse = analysis_worse(an, (unsigned int)(v - an->variant));
	const char *word = is_time(an) ? worse ? "slower" : "faster" : worse ? "worse" : "better";

	/* With unlike spreads the p-value may be of those. */
	if (v->location == ANALYSIS_UNCLEAR) {
		if (first)
			text_add(out,
				 "may differ from %s in its median: the p-value says so, the "
				 "interval does not",
				 base->name);
		else
			text_add(out, "; whether its median differs is not clear");
		return;
	}
	if (first)
		text_add(out, "is %s than %s", word, base->name);
	else
		text_add(out, " and %s", word);
	if (isnan(change))
		return;
	text_add(out, " (its median is %.*f %% %s)", fabs(change) < 1 ? 2 : 1, fabs(change),
		 worse ? "worse" : "better");
}

/* What so few runs could not have shown. */
static void add_too_few(struct text *out, const struct analysis *an,
			const struct analysis_variant *v, const struct analysis_variant *base)
{
	unsigned int n = v->n < base->n ? v->n : base->n;

	if (n < ANALYSIS_RUNS_LEAST || v->comparison.least_p * an->tests > ANALYSIS_ALPHA)
		text_add(out, "; so few runs show hardly anything");
	else if (n < ANALYSIS_RUNS_ENOUGH)
		text_add(out,
			 "; fewer than %d runs each find occasional slow runs only by luck "
			 "(more with --runs)",
			 ANALYSIS_RUNS_ENOUGH);
}

void analysis_verdict(struct text *out, const struct analysis *an, unsigned int index)
{
	const struct analysis_variant *v = &an->variant[index], *base = &an->variant[0];

	text_add(out, "verdict: ");
	if (!v->compared) {
		text_add(out, "none: %s has no run that counts\n", v->n ? base->name : v->name);
		return;
	}
	if (v->spread == ANALYSIS_NONE && v->location == ANALYSIS_NONE) {
		text_add(out, "no difference is shown between %s and %s", v->name, base->name);
		add_too_few(out, an, v, base);
		text_add(out, "\n");
		return;
	}
	text_add(out, "%s ", v->name);
	if (v->spread != ANALYSIS_NONE)
		add_spread(out, v, base);
	if (v->location != ANALYSIS_NONE)
		add_location(out, an, v, base, v->spread == ANALYSIS_NONE);
	if (v->location == ANALYSIS_NONE)
		text_add(out, "; no difference of the medians is shown");
	else if (v->spread == ANALYSIS_NONE)
		text_add(out, "; no difference in spread is shown");
	text_add(out, "\n");
}

/* --- groups --------------------------------------------------------------------- */

struct range {
	unsigned int n, min, max;
};

/* Ranks on the fullest node, over the runs of one group. */
static struct range fullest_of(const struct analysis_variant *v, bool upper)
{
	struct range found = { 0, ~0u, 0 };

	for (unsigned int i = 0; i < v->n; i++) {
		unsigned int most = placement_fullest(&v->runs[i]->placement);

		if ((v->values[i] > v->groups.bound) != upper || !most)
			continue;
		found.n++;
		found.min = most < found.min ? most : found.min;
		found.max = most > found.max ? most : found.max;
	}
	return found;
}

static const char *span(struct arena *a, struct range r)
{
	return r.min == r.max ? cli_text(a, "%u", r.min) : cli_text(a, "%u to %u", r.min, r.max);
}

static void add_placements(struct text *out, const struct analysis_variant *v, struct arena *a)
{
	struct range low = fullest_of(v, false), high = fullest_of(v, true);

	if (!low.n || !high.n)
		return;
	if (high.min > low.max)
		text_add(out,
			 "; ranks on the fullest node: %u or fewer in the lower group, %u or "
			 "more in the upper",
			 low.max, high.min);
	else if (low.min > high.max)
		text_add(out,
			 "; ranks on the fullest node: %u or more in the lower group, %u or "
			 "fewer in the upper",
			 low.min, high.max);
	else
		text_add(out,
			 "; the placement does not tell them apart: %s ranks on the fullest "
			 "node in the lower group, %s in the upper",
			 span(a, low), span(a, high));
}

void analysis_groups(struct text *out, const struct analysis *an, struct arena *a)
{
	int decimals = analysis_decimals(an);

	for (unsigned int i = 0; i < an->n; i++) {
		const struct analysis_variant *v = &an->variant[i];
		const char *gap = *an->what.unit ? " " : "";

		if (!v->groups.two)
			continue;
		text_add(out, "%s has two groups: %u of %u runs near %.*f%s%s, %u near %.*f%s%s",
			 v->name, v->groups.low, v->n, decimals, v->groups.low_median, gap,
			 an->what.unit, v->groups.high, decimals, v->groups.high_median, gap,
			 an->what.unit);
		add_placements(out, v, a);
		text_add(out, "\n");
	}
}
