#include <math.h>
#include <string.h>

#include "launcher/cli.h"
#include "launcher/plot.h"

#define CLASSES 4
/* Lines of the legend of the dots, which has two columns. */
#define LEGEND_LINES 4u
/* More names of variants than these are slanted. */
#define UPRIGHT_MAX 4

/* Dots are told apart by shape and by how dark they are, so that a picture in
 * black and white says the same; the colours are of one hue scale whose
 * lightness falls from class to class. */
static const struct look {
	unsigned int point; /* of gnuplot's svg and pngcairo terminals */
	const char *colour;
} looks[CLASSES] = {
	{ 6, "#5aa9dd" },  /* open circle */
	{ 9, "#e08a1e" },  /* triangle */
	{ 5, "#b0305c" },  /* square */
	{ 13, "#1b1033" }, /* diamond */
};
static const struct look plain_look = { 7, "#305f8d" };

/* Worst differences from bound[i] on are of class i; n = 0: no run has any. */
struct classes {
	unsigned int n, bound[CLASSES], most;
	bool used[CLASSES], unseen; /* there are such runs */
};

/* A difference of 1 is even with an odd number of ranks; the rest is cut in parts
 * of one size. */
static struct classes make_classes(const struct analysis *an)
{
	struct classes c = { 0 };
	unsigned int step;
	bool any = false;

	for (unsigned int i = 0; i < an->n; i++) {
		for (unsigned int j = 0; j < an->variant[i].n; j++) {
			const struct placement *p = &an->variant[i].runs[j]->placement;

			any |= p->ranks > 0;
			c.most = p->ranks && p->worst > c.most ? p->worst : c.most;
		}
	}
	if (!any)
		return c;
	step = c.most > 1 ? (c.most - 1 + CLASSES - 2) / (CLASSES - 1) : 1;
	for (c.n = 1; c.n < CLASSES && 2 + (c.n - 1) * step <= c.most; c.n++)
		c.bound[c.n] = 2 + (c.n - 1) * step;
	return c;
}

static bool in_class(const struct classes *c, unsigned int kind, const struct run *run)
{
	unsigned int worst = run->placement.worst;

	if (!c->n)
		return true;
	if (!run->placement.ranks)
		return false;
	return worst >= c->bound[kind] && (kind + 1 == c->n || worst < c->bound[kind + 1]);
}

void plot_quoted(struct text *out, const char *s)
{
	text_add(out, "\"");
	for (; *s; s++) {
		if (*s == '"' || *s == '\\' || *s == '`')
			text_add(out, "\\%c", *s);
		else
			text_add(out, "%c", (unsigned char)*s < ' ' ? '?' : *s);
	}
	text_add(out, "\"");
}

/* Which of the classes there are. */
static void note_used(struct classes *c, const struct analysis *an)
{
	for (unsigned int i = 0; i < an->n; i++) {
		for (unsigned int j = 0; j < an->variant[i].n; j++) {
			const struct run *run = an->variant[i].runs[j];

			for (unsigned int kind = 0; kind < c->n; kind++)
				c->used[kind] |= in_class(c, kind, run);
			c->unseen |= c->n && !run->placement.ranks;
		}
	}
}

static double order_of(const struct results *r, const struct run *run)
{
	return (double)(run - r->runs) + 1;
}

/* Dots that would lie on each other are moved to the side, always alike. */
static double beside(unsigned int i)
{
	static const double steps[] = { 0, 0.12, -0.12, 0.24, -0.24, 0.06, -0.06, 0.18, -0.18 };

	return steps[i % (sizeof(steps) / sizeof(*steps))];
}

static void add_data(struct text *out, const struct analysis *an, const struct results *r,
		     const struct classes *c)
{
	for (unsigned int kind = 0; kind < (c->n ? c->n : 1); kind++) {
		text_add(out, "$dots%u << END\n", kind);
		/* A block must not be empty. */
		text_add(out, "NaN NaN NaN\n");
		for (unsigned int i = 0; i < an->n; i++)
			for (unsigned int j = 0; j < an->variant[i].n; j++)
				if (in_class(c, kind, an->variant[i].runs[j]))
					text_add(out, "%.9g %.9g %.9g\n", i + beside(j),
						 an->variant[i].values[j],
						 order_of(r, an->variant[i].runs[j]));
		text_add(out, "END\n");
	}
	text_add(out, "$unseen << END\nNaN NaN NaN\n");
	for (unsigned int i = 0; c->n && i < an->n; i++)
		for (unsigned int j = 0; j < an->variant[i].n; j++)
			if (!an->variant[i].runs[j]->placement.ranks)
				text_add(out, "%.9g %.9g %.9g\n", i + beside(j),
					 an->variant[i].values[j],
					 order_of(r, an->variant[i].runs[j]));
	text_add(out, "END\n$medians << END\nNaN NaN NaN NaN\n");
	for (unsigned int i = 0; i < an->n; i++)
		if (an->variant[i].n)
			text_add(out, "%u %.9g %.9g %.9g\n", i, an->variant[i].summary.median,
				 an->variant[i].median_ci.low, an->variant[i].median_ci.high);
	text_add(out, "END\n");
	for (unsigned int i = 0; i < an->n; i++) {
		text_add(out, "$order%u << END\nNaN NaN\n", i);
		for (unsigned int j = 0; j < an->variant[i].n; j++)
			text_add(out, "%.9g %.9g\n", order_of(r, an->variant[i].runs[j]),
				 an->variant[i].values[j]);
		text_add(out, "END\n");
	}
}

/* Room above and below; the same in both panels. */
static void add_range(struct text *out, const struct analysis *an)
{
	double min = INFINITY, max = -INFINITY, pad;

	for (unsigned int i = 0; i < an->n; i++) {
		if (!an->variant[i].n)
			continue;
		min = fmin(min, an->variant[i].summary.min);
		max = fmax(max, an->variant[i].summary.max);
	}
	if (min > max)
		min = max = 0;
	pad = max > min ? 0.06 * (max - min) : fmax(fabs(max) * 0.05, 1e-6);
	text_add(out, "set yrange [%.9g:%.9g]\n", min - pad, max + pad);
}

static void add_class_title(struct text *out, const struct classes *c, unsigned int kind)
{
	unsigned int last = kind + 1 == c->n ? c->most : c->bound[kind + 1] - 1;

	if (!c->n)
		text_add(out, "\"a run\"");
	else if (c->bound[kind] >= last)
		text_add(out, "\"a run, worst difference %u\"", c->bound[kind]);
	else
		text_add(out, "\"a run, worst difference %u to %u\"", c->bound[kind], last);
}

static void add_dots(struct text *out, const struct classes *c, const char *columns, bool titles)
{
	for (unsigned int kind = 0; kind < (c->n ? c->n : 1); kind++) {
		struct look look = c->n ? looks[kind] : plain_look;

		text_add(out, ", \\\n  $dots%u using %s with points pt %u ps size lc rgb \"%s\"",
			 kind, columns, look.point, look.colour);
		if (titles && (!c->n || c->used[kind])) {
			text_add(out, " title ");
			add_class_title(out, c, kind);
		} else {
			text_add(out, " notitle");
		}
	}
	if (c->unseen)
		text_add(out,
			 ", \\\n  $unseen using %s with points pt 2 ps size lc rgb \"#707070\" %s",
			 columns, titles ? "title \"a run whose ranks were not seen\"" : "notitle");
}

static void add_variants(struct text *out, const struct analysis *an, const struct classes *c)
{
	text_add(out, "set title \"every run, by variant\"\nset xrange [-0.6:%.1f]\nset xtics (",
		 an->n - 0.4);
	for (unsigned int i = 0; i < an->n; i++) {
		text_add(out, "%s", i ? ", " : "");
		plot_quoted(out, an->variant[i].name);
		text_add(out, " %u", i);
	}
	text_add(out, ")%s\n", an->n > UPRIGHT_MAX ? " rotate by -25" : "");
	text_add(out, "plot $medians using 1:2:3:4 with yerrorbars pt -1 lw 2 lc rgb \"black\" "
		      "title \"95 %% interval of the median\", \\\n"
		      "  $medians using ($1-0.34):2:(0.68):(0) with vectors nohead lw 3 "
		      "lc rgb \"black\" title \"median\"");
	add_dots(out, c, "1:2", true);
	text_add(out, "\n");
}

static void add_order(struct text *out, const struct analysis *an, const struct results *r,
		      const struct classes *c)
{
	text_add(out,
		 "set title \"in the order they ran\"\nset xrange "
		 "[0:%u]\nunset xtics\n"
		 "set xtics autofreq norotate nomirror\nset xlabel \"run\"\nset format y \"\"\n"
		 "unset ylabel\nplot ",
		 r->nruns + 1);
	for (unsigned int i = 0; i < an->n; i++) {
		text_add(out,
			 "%s$order%u using 1:2 with lines dt %u lw %s lc rgb \"#505050\" title ",
			 i ? ", \\\n  " : "", i, i % 5 + 1, i < 5 ? "1.5" : "3");
		plot_quoted(out, an->variant[i].name);
	}
	add_dots(out, c, "3:2", false);
	text_add(out, "\n");
}

/* The picture's height and where its axes end below, in pixels: the legends take
 * a line for each variant, and names that are slanted take room by their length. */
static void measure_picture(const struct analysis *an, unsigned int *height, unsigned int *below)
{
	unsigned int lines = an->n > LEGEND_LINES ? an->n : LEGEND_LINES, longest = 0;

	for (unsigned int i = 0; i < an->n; i++)
		if (text_width(an->variant[i].name) > longest)
			longest = (unsigned int)text_width(an->variant[i].name);
	*below = 70 + 18 * lines;
	if (an->n > UPRIGHT_MAX)
		*below += 3 * longest;
	*height = 410 + *below;
}

void plot_script(struct text *out, const struct analysis *an, const struct results *r, bool svg)
{
	struct classes c = make_classes(an);
	unsigned int height, below;
	const char *label;

	measure_picture(an, &height, &below);
	/* A point is 1/72 inch for cairo, a pixel for svg. */
	text_add(out,
		 "set terminal %s noenhanced font \"Sans,%s\" size 1100,%u background rgb "
		 "\"white\"\nset encoding utf8\nsize = %s\n",
		 svg ? "svg" : "pngcairo", svg ? "12" : "9", height, svg ? "1.1" : "1.7");
	note_used(&c, an);
	add_data(out, an, r, &c);
	text_add(out,
		 "set key at screen 0.03,%.3f bottom left vertical Left reverse maxrows %u samplen "
		 "2.5 width 1\nset tmargin 3\nset bmargin at screen %.3f\n"
		 "set grid ytics lc rgb \"#d8d8d8\"\nset border 3\nset tics nomirror\n"
		 "set multiplot layout 1,2\nset ylabel ",
		 8.0 / height, LEGEND_LINES, (double)below / height);
	label = *an->what.unit ? cli_text(out->arena, "%s (%s)", an->what.name, an->what.unit)
			       : an->what.name;
	plot_quoted(out, label ? label : "");
	text_add(out, "\n");
	add_range(out, an);
	add_variants(out, an, &c);
	text_add(out, "set key at screen 0.62,%.3f maxrows %u\n", 8.0 / height,
		 an->n > LEGEND_LINES ? an->n : LEGEND_LINES);
	add_order(out, an, r, &c);
	text_add(out, "unset multiplot\n");
}
