#include <math.h>
#include <string.h>

#include "launcher/cli.h"
#include "launcher/tables.h"

/* Different placements that are told one by one. */
#define KINDS_SHOWN 3

/* --- placement by variant --------------------------------------------------------- */

struct kind {
	const char *counts;
	unsigned int runs;
};

static bool counted(const struct run *run, unsigned int variant)
{
	return run->variant == variant && !run->warmup && !run->failed && run->placement.ranks;
}

/* "6/2 in 5 runs, 4/4 in 3": the most frequent first. */
static const char *kinds_text(struct arena *a, const struct results *r, unsigned int variant,
			      bool end)
{
	struct kind *kinds = arena_array(a, r->nruns, sizeof(*kinds));
	const char *text = "";
	unsigned int n = 0, others = 0;

	for (unsigned int i = 0; kinds && i < r->nruns; i++) {
		const struct placement *p = &r->runs[i].placement;
		const char *counts;
		unsigned int k;

		if (!counted(&r->runs[i], variant))
			continue;
		counts = placement_counts(a, p, end ? p->end : p->start);
		if (!counts)
			return "-";
		for (k = 0; k < n && strcmp(kinds[k].counts, counts); k++)
			;
		kinds[k].counts = counts;
		kinds[k].runs++;
		n = k == n ? n + 1 : n;
		/* Keep the order; one step up is enough for one more run. */
		for (; k && kinds[k - 1].runs < kinds[k].runs; k--) {
			struct kind swap = kinds[k];

			kinds[k] = kinds[k - 1];
			kinds[k - 1] = swap;
		}
	}
	for (unsigned int k = 0; text && k < n; k++) {
		if (k < KINDS_SHOWN)
			text = cli_text(a, "%s%s%s x%u", text, k ? ", " : "", kinds[k].counts,
					kinds[k].runs);
		else
			others += kinds[k].runs;
	}
	if (text && others)
		text = cli_text(a, "%s, others x%u", text, others);
	return text && n ? text : "-";
}

struct means {
	unsigned int runs, worst, known_pages, known_switches;
	double remote, switches, delay;
};

static struct means means_of(const struct results *r, unsigned int variant)
{
	struct means m = { 0 };

	for (unsigned int i = 0; i < r->nruns; i++) {
		const struct run *run = &r->runs[i];
		const struct placement *p = &run->placement;

		if (!counted(run, variant))
			continue;
		m.runs++;
		m.worst = p->worst > m.worst ? p->worst : m.worst;
		m.delay += isnan(p->run_delay_s) ? 0 : p->run_delay_s;
		if (!isnan(p->remote_share)) {
			m.known_pages++;
			m.remote += p->remote_share;
		}
		if (run->switches >= 0) {
			m.known_switches++;
			m.switches += (double)run->switches;
		}
	}
	return m;
}

static void text_or_dash(struct text_table *t, bool known, const char *format, double v)
{
	if (!known) {
		text_cell(t, "-");
		return;
	}
	if (!strcmp(format, "%"))
		text_cell(t, "%.1f", 100 * v);
	else if (!strcmp(format, "0"))
		text_cell(t, "%.0f", v);
	else
		text_cell(t, "%.3f", v);
}

void tables_placement(struct text *out, struct arena *a, const struct results *r,
		      enum text_style style)
{
	static const char *const head[] = { "ranks per node",	"after MPI_Init", "at the end",
					    "worst difference", "remote pages %", "switches",
					    "run delay s" };
	struct text_table t = { .arena = a, .left = 7 };
	bool any = false;

	for (unsigned int i = 0; i < sizeof(head) / sizeof(*head); i++)
		text_cell(&t, "%s", head[i]);
	text_end_row(&t);
	for (unsigned int v = 0; v < r->nvariants; v++) {
		struct means m = means_of(r, v);

		any |= m.runs > 0;
		text_cell(&t, "%s", r->variant[v]);
		text_cell(&t, "%s", kinds_text(a, r, v, false));
		text_cell(&t, "%s", kinds_text(a, r, v, true));
		text_or_dash(&t, m.runs, "0", m.worst);
		text_or_dash(&t, m.known_pages, "%", m.remote / m.known_pages);
		text_or_dash(&t, m.known_switches, "0", m.switches / m.known_switches);
		text_or_dash(&t, m.runs, "3", m.delay / m.runs);
		text_end_row(&t);
	}
	if (any)
		text_put_table(out, &t, style);
}

/* --- run by run --------------------------------------------------------------------- */

void tables_runs(struct text *out, struct arena *a, const struct results *r, unsigned int m,
		 enum text_style style)
{
	static const char *const head[] = { "run",   "variant",	 "after MPI_Init", "at the end",
					    "worst", "remote %", "switches",	   "run delay s" };
	struct text_table t = { .arena = a, .left = 2 | 1u << 9 };
	struct results_metric what = r->metric[m];

	text_cell(&t, "%s", head[0]);
	text_cell(&t, "%s", head[1]);
	text_cell(&t, "%s%s%s", what.name, *what.unit ? " " : "", what.unit);
	for (unsigned int i = 2; i < sizeof(head) / sizeof(*head); i++)
		text_cell(&t, "%s", head[i]);
	text_cell(&t, "note");
	text_end_row(&t);
	for (unsigned int i = 0; i < r->nruns; i++) {
		const struct run *run = &r->runs[i];
		const struct placement *p = &run->placement;
		double value = results_value(r, run, m);

		text_cell(&t, "%u", run->number);
		text_cell(&t, "%s", r->variant[run->variant]);
		text_cell(&t, isnan(value) ? "-" : "%.6g", value);
		text_cell(&t, "%s", placement_counts(a, p, p->start));
		text_cell(&t, "%s", placement_counts(a, p, p->end));
		text_or_dash(&t, p->ranks, "0", p->worst);
		text_or_dash(&t, !isnan(p->remote_share), "%", p->remote_share);
		text_or_dash(&t, run->switches >= 0, "0", (double)run->switches);
		text_or_dash(&t, p->ranks, "3", p->run_delay_s);
		text_cell(&t, "%s%s%s", run->warmup ? "warm-up" : "",
			  run->warmup && run->failed ? ", " : "", run->failed ? run->failed : "");
		text_end_row(&t);
	}
	text_put_table(out, &t, style);
}
