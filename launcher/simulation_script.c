#include "launcher/cli.h"
#include "launcher/plot.h"
#include "launcher/simulation.h"

/* More names of rules than these are slanted. */
#define UPRIGHT_MAX 5u
/* Height of the axes of both pictures, and of a line of the legend, in pixels. */
#define AXES 330u
#define LINE 18u

/* Moments are told apart by how dark they are; with the border that survives black and
 * white. */
static void add_grey(struct text *out, unsigned int i, unsigned int n)
{
	unsigned int level = n > 1 ? 25 + 215 * i / (n - 1) : 90;

	text_add(out, "\"#%02x%02x%02x\"", level, level, level);
}

static const char *moment(const struct simulation *s, unsigned int i, struct arena *a)
{
	double at = s->options->sim.samples[i];
	const char *text = at > 0 ? cli_text(a, "%g s later", at)
				  : "when all ranks are awake, out of start-up";

	return text ? text : "";
}

static void add_terminal(struct text *out, unsigned int height, bool svg)
{
	text_add(out,
		 "set terminal %s noenhanced font \"Sans,%s\" size 1100,%u background rgb "
		 "\"white\"\nset encoding utf8\n",
		 svg ? "svg" : "pngcairo", svg ? "12" : "9", height);
	text_add(out, "set grid ytics lc rgb \"#d8d8d8\"\nset border 3\nset tics nomirror\n"
		      "set tmargin 3\n");
}

static const char *title_of(const struct simulation *s, struct arena *a)
{
	const char *text = cli_text(a, "%u ranks, %u simulated launches",
				    s->planning->request.nranks, s->options->runs);

	return text ? text : "";
}

/* --- differences, of one rule -------------------------------------------------- */

static unsigned int largest(const struct simulation *s)
{
	unsigned int most = 1;

	for (unsigned int i = 0; i < s->options->sim.nsamples; i++) {
		const struct simulation_row *row = &s->rows[0];

		most = row->plain.samples[i].worst > most ? row->plain.samples[i].worst : most;
		if (s->have_plan && row->planned.samples[i].worst > most)
			most = row->planned.samples[i].worst;
	}
	return most;
}

static void add_differences(struct text *out, const struct simulation *s,
			    const struct simulation_variant *v, const char *name)
{
	for (unsigned int i = 0; i < s->options->sim.nsamples; i++) {
		text_add(out, "$%s%u << END\n", name, i);
		for (unsigned int d = 0; d <= v->samples[i].worst; d++)
			text_add(out, "%u %.9g\n", d,
				 100.0 * v->samples[i].differences[d] / s->options->runs);
		text_add(out, "END\n");
	}
}

static void add_panel(struct text *out, const struct simulation *s, const char *name, bool legend)
{
	unsigned int n = s->options->sim.nsamples;
	double width = 0.8 / n;

	text_add(out, "plot ");
	for (unsigned int i = 0; i < n; i++) {
		text_add(out,
			 "%s$%s%u using ($1%+.4f):2:(%.4f) with boxes fillstyle solid border rgb "
			 "\"black\" fillcolor rgb ",
			 i ? ", \\\n  " : "", name, i, (i - (n - 1) / 2.0) * width, width);
		add_grey(out, i, n);
		if (legend) {
			text_add(out, " title ");
			plot_quoted(out, moment(s, i, out->arena));
		} else {
			text_add(out, " notitle");
		}
	}
	text_add(out, "\n");
}

static void add_title(struct text *out, const struct simulation *s, const char *what)
{
	const char *text =
	    cli_text(out->arena, "%s, rule %s: %s", what, s->rows[0].name, title_of(s, out->arena));

	text_add(out, "set title ");
	plot_quoted(out, text ? text : "");
	text_add(out, "\n");
}

static void differences_script(struct text *out, const struct simulation *s, bool svg)
{
	unsigned int lines = s->options->sim.nsamples, most = largest(s);
	unsigned int below = 70 + LINE * lines, height = AXES + 40 + below;

	add_terminal(out, height, svg);
	add_differences(out, s, &s->rows[0].plain, "plain");
	if (s->have_plan)
		add_differences(out, s, &s->rows[0].planned, "planned");
	text_add(out,
		 "set key at screen 0.05,%.3f bottom left vertical Left reverse maxrows %u\n"
		 "set bmargin at screen %.3f\nset multiplot layout 1,%u\n"
		 "set yrange [0:104]\nset xrange [-0.6:%u.6]\nset xtics %u\n"
		 "set xlabel \"ranks that the fullest node has more than the emptiest\"\n"
		 "set ylabel \"share of launches (per cent)\"\n",
		 6.0 / height, lines, (double)below / height, s->have_plan ? 2u : 1u, most,
		 most / 12 + 1);
	add_title(out, s, "plain");
	add_panel(out, s, "plain", true);
	if (s->have_plan) {
		text_add(out, "unset ylabel\nset format y \"\"\n");
		add_title(out, s, s->settle ? "planned, settled" : "planned, held");
		add_panel(out, s, "planned", false);
	}
	text_add(out, "unset multiplot\n");
}

/* --- seconds, of several ------------------------------------------------------- */

static void add_seconds(struct text *out, const struct simulation *s, bool planned)
{
	text_add(out, "$%s << END\n", planned ? "planned" : "plain");
	for (unsigned int i = 0; i < s->nrows; i++) {
		const struct simulation_variant *v = planned ? &s->rows[i].planned
							     : &s->rows[i].plain;

		text_add(out, "%.2f %.9g %.9g %.9g\n", i + (planned ? 0.15 : -0.15), v->mean,
			 v->min, v->max);
	}
	text_add(out, "END\n");
}

static void add_names(struct text *out, const struct simulation *s, unsigned int *below)
{
	size_t longest = 0;

	text_add(out, "set xtics (");
	for (unsigned int i = 0; i < s->nrows; i++) {
		size_t width = text_width(s->rows[i].name);

		longest = width > longest ? width : longest;
		text_add(out, "%s", i ? ", " : "");
		plot_quoted(out, s->rows[i].name);
		text_add(out, " %u", i);
	}
	text_add(out, ")");
	if (longest * s->nrows > 90 || s->nrows > 4 * UPRIGHT_MAX) {
		text_add(out, " rotate by -35");
		*below += (unsigned int)(5 * longest);
	}
	text_add(out, "\n");
}

static void seconds_script(struct text *out, const struct simulation *s, bool svg)
{
	struct text names = { .arena = out->arena };
	unsigned int below = 85 + 2 * LINE, height;

	add_names(&names, s, &below);
	height = AXES + 40 + below;
	add_terminal(out, height, svg);
	text_add(out, "%s", names.s ? names.s : "");
	add_seconds(out, s, false);
	if (s->have_plan)
		add_seconds(out, s, true);
	text_add(out,
		 "set key at screen 0.05,%.3f bottom left vertical Left reverse maxrows 2\n"
		 "set bmargin at screen %.3f\nset xrange [-0.6:%u.6]\nset offsets 0,0,graph "
		 "0.05,graph 0.05\nset ylabel \"run time (seconds)\"\nset xlabel \"kernel or rule\"\n"
		 "set title ",
		 6.0 / height, (double)below / height, s->nrows - 1);
	plot_quoted(out, title_of(s, out->arena));
	text_add(out, "\nplot $plain using 1:2:3:4 with yerrorbars pt 5 ps 1 lw 2 lc rgb \"black\" "
		      "title \"plain: mean, fastest, slowest\"");
	if (s->have_plan)
		text_add(out,
			 ", \\\n  $planned using 1:2:3:4 with yerrorbars pt 6 ps 1.3 lw 2 lc rgb "
			 "\"#808080\" title \"planned, %s: the same\"",
			 s->settle ? "settled" : "held");
	text_add(out, "\n");
}

void simulation_script(struct text *out, const struct simulation *s, bool svg)
{
	if (s->nrows == 1)
		differences_script(out, s, svg);
	else
		seconds_script(out, s, svg);
}
