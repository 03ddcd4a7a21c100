#include <math.h>
#include <string.h>

#include "launcher/cli.h"
#include "launcher/simulation.h"

static const char *const launches[] = {
	[SIM_HYDRA] = "Hydra starts",
	[SIM_THREADS] = "one process starts threads,",
	[SIM_SPIN] = "one process forks children that work at once,",
	[SIM_SLEEP] = "one process forks children that sleep at once,",
};

static void add_head(struct text *out, const struct simulation *s)
{
	const struct planning *p = s->planning;
	const struct simulate_options *o = s->options;
	unsigned int n = p->request.nranks, cpus = cpus_count(&p->allowed);

	text_add(out, "simulated   %s\n", simulation_caution);
	text_add(out, "machine     %s: %u node%s, %u cpu%s allowed\n",
		 strchr(p->spec, '\n') || strchr(p->spec, ';') ? "given text" : p->spec,
		 p->machine.nnodes, p->machine.nnodes == 1 ? "" : "s", cpus, cpus == 1 ? "" : "s");
	text_add(out, "launch      %s %u %s%s; %u run%s, seed %u\n", launches[o->sim.launch], n,
		 o->sim.launch == SIM_THREADS ? "in all"
		 : n == 1		      ? "rank"
					      : "ranks",
		 o->sim.walk ? " that walk over the cpus" : "", o->runs, o->runs == 1 ? "" : "s",
		 o->seed);
	if (!s->have_plan)
		text_add(out, "plan        none: threads are not placed\n");
	else if (p->plan.why)
		text_add(out, "plan        no rank asks for anything: %s\n",
			 plan_why_text(p->plan.why));
	else
		text_add(out, "plan        ranks %s; see evenkeel plan\n",
			 s->settle ? "keep to their nodes until MPI is up"
				   : "keep to their nodes for life");
	if (n > cpus)
		text_add(out, "crowded     more ranks than cpus: that the kernel then goes by load is "
			      "not in the model\n");
	for (unsigned int i = 0; i < s->nrows; i++)
		text_add(out, "rule        %s: %s%s, %s\n", s->rows[i].name,
			 policy_name(s->rows[i].rule),
			 (unsigned int)s->rows[i].rule >= POLICY_NRULES ? " changed" : "",
			 policy_describe(s->rows[i].rule));
}

/* Shares of launches never read 0 or 100 when they are not. */
static void share_cell(struct text_table *t, unsigned int n, unsigned int runs)
{
	double share = 100.0 * n / runs;

	if (n && share < 0.05)
		text_cell(t, "< 0.1");
	else if (n < runs && share >= 99.95)
		text_cell(t, "> 99.9");
	else
		text_cell(t, "%.1f", share);
}

static void uneven_row(struct text_table *t, const struct simulation *s,
		       const struct simulation_row *row, bool planned)
{
	const struct simulation_variant *v = planned ? &row->planned : &row->plain;

	text_cell(t, "%s", row->name);
	text_cell(t, "%s", planned ? "planned" : "plain");
	for (unsigned int i = 0; i < s->options->sim.nsamples; i++) {
		share_cell(t, v->samples[i].uneven, s->options->runs);
		text_cell(t, "%u", v->samples[i].worst);
	}
	text_end_row(t);
}

static const char *moment(const struct simulation *s, unsigned int i, struct arena *a)
{
	double at = s->options->sim.samples[i];
	const char *text = at > 0 ? cli_text(a, "%g s", at) : "wake";

	return text ? text : "";
}

static void add_uneven(struct text *out, const struct simulation *s)
{
	struct text_table t = { .arena = out->arena, .left = 3 };

	text_add(out,
		 "\nuneven launches in per cent, and the largest difference between two nodes\n"
		 "in ranks, at the wake after start-up and later\n");
	text_cell(&t, "rule");
	text_cell(&t, "launch");
	for (unsigned int i = 0; i < s->options->sim.nsamples; i++) {
		text_cell(&t, "%s", moment(s, i, out->arena));
		text_cell(&t, "worst");
	}
	text_end_row(&t);
	for (unsigned int i = 0; i < s->nrows; i++) {
		uneven_row(&t, s, &s->rows[i], false);
		if (s->have_plan)
			uneven_row(&t, s, &s->rows[i], true);
	}
	text_put_table(out, &t, TEXT_PLAIN);
}

static void difference_row(struct text_table *t, const struct simulation *s,
			   const struct simulation_row *row, unsigned int difference)
{
	text_cell(t, "%u", difference);
	for (unsigned int planned = 0; planned <= s->have_plan; planned++) {
		const struct simulation_variant *v = planned ? &row->planned : &row->plain;

		for (unsigned int i = 0; i < s->options->sim.nsamples; i++)
			share_cell(t, v->samples[i].differences[difference], s->options->runs);
	}
	text_end_row(t);
}

static bool occurs(const struct simulation *s, const struct simulation_row *row,
		   unsigned int difference)
{
	for (unsigned int i = 0; i < s->options->sim.nsamples; i++)
		if (row->plain.samples[i].differences[difference] ||
		    (s->have_plan && row->planned.samples[i].differences[difference]))
			return true;
	return false;
}

/* The distribution, for one rule. */
static void add_differences(struct text *out, const struct simulation *s)
{
	struct text_table t = { .arena = out->arena };

	text_add(out, "\nlaunches in per cent by the difference between the fullest and the "
		      "emptiest node\n");
	text_cell(&t, "difference");
	for (unsigned int planned = 0; planned <= s->have_plan; planned++)
		for (unsigned int i = 0; i < s->options->sim.nsamples; i++)
			text_cell(&t, "%s %s", planned ? "planned" : "plain",
				  moment(s, i, out->arena));
	text_end_row(&t);
	for (unsigned int d = 0; d <= s->planning->request.nranks; d++)
		if (occurs(s, &s->rows[0], d))
			difference_row(&t, s, &s->rows[0], d);
	text_put_table(out, &t, TEXT_PLAIN);
}

static void seconds_row(struct text_table *t, const struct simulation_row *row, bool planned)
{
	const struct simulation_variant *v = planned ? &row->planned : &row->plain;

	text_cell(t, "%s", row->name);
	text_cell(t, "%s", planned ? "planned" : "plain");
	text_cell(t, "%.2f", v->min);
	text_cell(t, "%.2f", v->max);
	text_cell(t, "%.2f", v->range);
	text_cell(t, "%.2f", v->mean);
	text_end_row(t);
}

static void add_seconds(struct text *out, const struct simulation *s)
{
	struct text_table t = { .arena = out->arena, .left = 3 };
	static const char *const heads[] = { "rule", "launch", "Min", "Max", "Range", "Mean" };

	text_add(out,
		 "\nseconds of a run whose work takes %g s when even, %g of it in memory's time\n",
		 s->options->sim.even_seconds, s->options->sim.bandwidth_share);
	for (unsigned int i = 0; i < 6; i++)
		text_cell(&t, "%s", heads[i]);
	text_end_row(&t);
	for (unsigned int i = 0; i < s->nrows; i++) {
		seconds_row(&t, &s->rows[i], false);
		if (s->have_plan)
			seconds_row(&t, &s->rows[i], true);
	}
	text_put_table(out, &t, TEXT_PLAIN);
}

static void add_first(struct text *out, const struct simulation *s,
		      const struct simulation_row *row, bool planned)
{
	const struct simulation_variant *v = planned ? &row->planned : &row->plain;
	const struct planning *p = s->planning;

	text_add(out, "%s %s: ", row->name, planned ? "planned" : "plain");
	for (unsigned int i = 0; i < p->request.nranks; i++) {
		if (v->first[i] == v->from[i])
			text_add(out, "L");
		else if (p->machine.nnodes == 2)
			text_add(out, "R");
		else
			text_add(out, "(%u)", p->machine.nodes[v->first[i]].os);
	}
	for (unsigned int i = 0; i < s->options->sim.nsamples; i++) {
		text_add(out, "; %s", moment(s, i, out->arena));
		for (unsigned int n = 0; n < p->machine.nnodes; n++)
			text_add(out, "%c%u", n ? '/' : ' ', v->ranks[i * p->machine.nnodes + n]);
	}
	text_add(out, "\n");
}

void simulation_text(struct text *out, const struct simulation *s, bool detail)
{
	add_head(out, s);
	add_uneven(out, s);
	if (s->nrows == 1)
		add_differences(out, s);
	add_seconds(out, s);
	if (!detail)
		return;
	text_add(out, "\nthe first launch of each: where each rank began (L: on its parent's "
		      "node), and\nranks by node\n");
	for (unsigned int i = 0; i < s->nrows; i++) {
		add_first(out, s, &s->rows[i], false);
		if (s->have_plan)
			add_first(out, s, &s->rows[i], true);
	}
}
