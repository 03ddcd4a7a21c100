#include "launcher/tables.h"

#include <math.h>
#include <string.h>

#include "launcher/cli.h"

#define DOTS_WIDTH 60

/* A figure; "-" for what does not exist. */
static const char *figure(struct arena *a, double v, int decimals)
{
	const char *text = isnan(v) ? "-" : cli_text(a, "%.*f", decimals, v);

	return text ? text : "-";
}

/* A change in per cent, with its sign. */
static const char *per_cent(struct arena *a, double v)
{
	const char *text = isnan(v) ? "-" : cli_text(a, "%+.2f", v == 0 ? 0.0 : v);

	return text ? text : "-";
}

static const char *p_text(struct arena *a, double p)
{
	const char *text = p < 0.00095 ? cli_text(a, "%.1g", p) : cli_text(a, "%.3f", p);

	return text ? text : "-";
}

/* --- figures ------------------------------------------------------------------- */

static void head_cells(struct text_table *t, const char *const *names)
{
	for (; *names; names++)
		text_cell(t, "%s", *names);
	text_end_row(t);
}

static void summary_row(struct text_table *t, struct arena *a, const char *name, const char *runs,
			const struct stats_summary *s, const struct stats_summary *base,
			enum stats_better better, int decimals)
{
	text_cell(t, "%s", name);
	text_cell(t, "%s", runs);
	text_cell(t, "%s", figure(a, s->min, decimals));
	text_cell(t, "%s", figure(a, s->max, decimals));
	text_cell(t, "%s", figure(a, s->range, decimals));
	text_cell(t, "%s", figure(a, s->mean, decimals));
	text_cell(t, "%s", figure(a, s->median, decimals));
	text_cell(t, "%s", per_cent(a, stats_change(base->mean, s->mean, better)));
	/* One run has no range to speak of; rows of figures do not tell their n. */
	text_cell(t, "%s",
		  s->n == 1 || base->n == 1
		      ? "-"
		      : per_cent(a, stats_change(base->range, s->range, STATS_LOWER)));
	text_end_row(t);
}

static const char *const summary_head[] = { "variant", "runs",	 "Min",	   "Max",     "Range",
					    "Mean",    "Median", "Mean %", "Range %", NULL };
static const struct stats_summary no_summary = { 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };

/* AMean is Mean; it stands here again so that the columns are those of the
 * published tables. */
static void put_detail(struct text *out, struct arena *a, const struct analysis *an,
		       enum text_style style, int decimals)
{
	static const char *const head[] = { "variant", "AMean",	    "GMean",	   "HMean",
					    "Stddev",  "CoefVar %", "Median 95 %", NULL };
	struct text_table t = { .arena = a, .left = 1 };

	head_cells(&t, head);
	for (unsigned int i = 0; i < an->n; i++) {
		const struct analysis_variant *v = &an->variant[i];
		const struct stats_summary *s = v->n ? &v->summary : &no_summary;

		text_cell(&t, "%s", v->name);
		text_cell(&t, "%s", figure(a, s->mean, decimals));
		text_cell(&t, "%s", figure(a, s->gmean, decimals));
		text_cell(&t, "%s", figure(a, s->hmean, decimals));
		text_cell(&t, "%s", figure(a, s->stddev, decimals));
		text_cell(&t, "%s", figure(a, s->coefvar, 2));
		if (v->n)
			text_cell(&t, "%s to %s", figure(a, v->median_ci.low, decimals),
				  figure(a, v->median_ci.high, decimals));
		else
			text_cell(&t, "-");
		text_end_row(&t);
	}
	text_add(out, "\n");
	text_put_table(out, &t, style);
}

void tables_summary(struct text *out, struct arena *a, const struct analysis *an,
		    enum text_style style, bool detail)
{
	const struct analysis_variant *base = &an->variant[0];
	struct text_table t = { .arena = a, .left = 1 };
	int decimals = analysis_decimals(an);

	head_cells(&t, summary_head);
	for (unsigned int i = 0; i < an->n; i++) {
		const struct analysis_variant *v = &an->variant[i];
		const char *runs = v->nfailed ? cli_text(a, "%u of %u", v->n, v->n + v->nfailed)
					      : cli_text(a, "%u", v->n);

		summary_row(&t, a, v->name, runs ? runs : "-", v->n ? &v->summary : &no_summary,
			    base->n ? &base->summary : &no_summary, an->what.better, decimals);
	}
	text_put_table(out, &t, style);
	if (detail)
		put_detail(out, a, an, style, decimals);
}

void tables_rows(struct text *out, struct arena *a, const struct results *r, enum text_style style)
{
	struct text_table t = { .arena = a, .left = 1 };
	struct stats_summary base = no_summary;

	head_cells(&t, summary_head);
	for (unsigned int i = 0; i < r->nrows; i++) {
		const struct results_row *row = &r->rows[i];
		struct stats_summary s = no_summary;

		s.min = row->min;
		s.max = row->max;
		s.range = row->max - row->min;
		s.mean = row->mean;
		if (!i)
			base = s;
		summary_row(&t, a, row->variant, "-", &s, &base, r->metric[0].better, 2);
	}
	text_put_table(out, &t, style);
	if (style == TEXT_PLAIN)
		text_add(out, "\nthese are figures without their runs: nothing can be tested\n");
}

void tables_comparison(struct text *out, struct arena *a, const struct analysis *an,
		       enum text_style style)
{
	static const char *const head[] = {
		"", "median", "95 %", "%", "p", "Stddev ratio", "95 %", "p", "Range ratio", NULL
	};
	struct text_table t = { .arena = a, .left = 1 };
	const struct analysis_variant *base = &an->variant[0];
	int decimals = analysis_decimals(an);

	text_cell(&t, "against %s", base->name);
	head_cells(&t, head + 1);
	for (unsigned int i = 1; i < an->n; i++) {
		const struct analysis_variant *v = &an->variant[i];
		const struct stats_comparison *c = &v->comparison;

		if (!v->compared)
			continue;
		text_cell(&t, "%s", v->name);
		text_cell(&t, "%+.*f", decimals, c->difference);
		if (isnan(c->difference_ci.low))
			text_cell(&t, "-");
		else
			text_cell(&t, "%+.*f to %+.*f", decimals, c->difference_ci.low, decimals,
				  c->difference_ci.high);
		text_cell(&t, "%s",
			  per_cent(a, stats_change(base->summary.median, v->summary.median,
						   an->what.better)));
		text_cell(&t, "%s", p_text(a, v->location_p));
		text_cell(&t, "%s", figure(a, exp(c->log_sd_ratio), 3));
		if (isnan(c->log_sd_ratio_ci.low))
			text_cell(&t, "-");
		else
			text_cell(&t, "%.3f to %.3f", exp(c->log_sd_ratio_ci.low),
				  exp(c->log_sd_ratio_ci.high));
		text_cell(&t, "%s", p_text(a, v->spread_p));
		text_cell(&t, "%s", figure(a, c->range_ratio, 3));
		text_end_row(&t);
	}
	if (an->tests)
		text_put_table(out, &t, style);
}

/* --- machines ------------------------------------------------------------------- */

static void csv_numbers(struct text_table *t, const double *v, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		if (isfinite(v[i]))
			text_cell(t, "%.9g", v[i]);
		else
			text_cell(t, "%s", "");
	}
}

static void csv_row(struct text_table *t, const struct analysis *an,
		    const struct analysis_variant *v)
{
	const struct stats_summary *s = v->n ? &v->summary : &no_summary, *b = &no_summary;
	const struct stats_comparison *c = &v->comparison;
	double figures[12], tests[11];

	if (an->variant[0].n)
		b = &an->variant[0].summary;
	memcpy(figures,
	       (double[]){ s->min, s->max, s->range, s->mean, s->median, s->gmean, s->hmean,
			   s->stddev, s->coefvar, stats_change(b->mean, s->mean, an->what.better),
			   stats_change(b->median, s->median, an->what.better),
			   stats_change(b->range, s->range, STATS_LOWER) },
	       sizeof(figures));
	for (unsigned int i = 0; i < 11; i++)
		tests[i] = NAN;
	if (v->compared)
		memcpy(tests,
		       (double[]){ c->difference, c->difference_ci.low, c->difference_ci.high,
				   c->location_p, v->location_p, exp(c->log_sd_ratio),
				   exp(c->log_sd_ratio_ci.low), exp(c->log_sd_ratio_ci.high),
				   c->spread_p, v->spread_p, c->range_ratio },
		       sizeof(tests));
	text_cell(t, "%s", an->what.name);
	text_cell(t, "%s", an->what.unit);
	text_cell(t, "%s", v->name);
	text_cell(t, "%u", v->n);
	text_cell(t, "%u", v->nfailed);
	csv_numbers(t, figures, 12);
	csv_numbers(t, tests, 11);
	text_end_row(t);
}

void tables_csv(struct text *out, struct arena *a, const struct analysis *const *all,
		unsigned int n)
{
	static const char *const head[] = { "metric",
					    "unit",
					    "variant",
					    "runs",
					    "failed",
					    "min",
					    "max",
					    "range",
					    "mean",
					    "median",
					    "gmean",
					    "hmean",
					    "stddev",
					    "coefvar_pct",
					    "mean_change_pct",
					    "median_change_pct",
					    "range_change_pct",
					    "median_difference",
					    "median_difference_low",
					    "median_difference_high",
					    "location_p",
					    "location_p_holm",
					    "sd_ratio",
					    "sd_ratio_low",
					    "sd_ratio_high",
					    "spread_p",
					    "spread_p_holm",
					    "range_ratio",
					    NULL };
	struct text_table t = { .arena = a };

	head_cells(&t, head);
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int v = 0; v < all[i]->n; v++)
			csv_row(&t, all[i], &all[i]->variant[v]);
	text_put_table(out, &t, TEXT_CSV);
}

/* --- dots ------------------------------------------------------------------------ */

static char dot(unsigned int n)
{
	if (n < 3)
		return " .:"[n];
	return n < 10 ? (char)('0' + n) : '#';
}

static void dot_line(char line[DOTS_WIDTH + 1], const struct analysis_variant *v, double min,
		     double max)
{
	unsigned int count[DOTS_WIDTH] = { 0 };

	for (unsigned int i = 0; i < v->n; i++) {
		double at = max > min ? (v->values[i] - min) / (max - min) : 0.5;

		count[(unsigned int)(at * (DOTS_WIDTH - 1) + 0.5)]++;
	}
	for (unsigned int i = 0; i < DOTS_WIDTH; i++)
		line[i] = dot(count[i]);
	line[DOTS_WIDTH] = '\0';
}

void tables_dots(struct text *out, struct arena *a, const struct analysis *an)
{
	double min = INFINITY, max = -INFINITY;
	int decimals = analysis_decimals(an), width = 0;
	const char *left, *right;
	char line[DOTS_WIDTH + 1];

	for (unsigned int i = 0; i < an->n; i++) {
		const struct analysis_variant *v = &an->variant[i];

		width = (int)text_width(v->name) > width ? (int)text_width(v->name) : width;
		if (!v->n)
			continue;
		min = fmin(min, v->summary.min);
		max = fmax(max, v->summary.max);
	}
	if (min > max)
		return;
	for (unsigned int i = 0; i < an->n; i++) {
		const char *name = an->variant[i].name;

		dot_line(line, &an->variant[i], min, max);
		text_add(out, "%s%*s |%s|\n", name, width - (int)text_width(name), "", line);
	}
	left = figure(a, min, decimals);
	right = cli_text(a, "%s%s%s", figure(a, max, decimals), *an->what.unit ? " " : "",
			 an->what.unit);
	text_add(out, "%*s  %s%*s\n", width, "", left, DOTS_WIDTH - (int)strlen(left),
		 right ? right : "");
}
