#include <math.h>
#include <string.h>

#include "launcher/cli.h"
#include "launcher/plot.h"

/* Dots are told apart by shape and by how dark they are, so that a picture in
 * black and white says the same; the colours are of one hue scale whose
 * lightness falls from class to class. */
#define CLASSES 4
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

static bool in_class(const struct classes *c, unsigned int class, const struct run *run)
{
	unsigned int worst = run->placement.worst;

	if (!c->n)
		return true;
	if (!run->placement.ranks)
		return false;
	return worst >= c->bound[class] && (class + 1 == c->n || worst < c->bound[class + 1]);
}

/* s in double quotes. Backslashes and backquotes would mean something there, and
 * control characters would break the line. */
static void add_quoted(struct text *out, const char *s)
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
	for (unsigned int class = 0; class < (c->n ? c->n : 1); class ++) {
		text_add(out, "$dots%u << END\n", class);
		/* A block must not be empty. */
		text_add(out, "NaN NaN NaN\n");
		for (unsigned int i = 0; i < an->n; i++)
			for (unsigned int j = 0; j < an->variant[i].n; j++)
				if (in_class(c, class, an->variant[i].runs[j]))
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

static void add_class_title(struct text *out, const struct classes *c, unsigned int class)
{
	unsigned int last = class + 1 == c->n ? c->most : c->bound[class + 1] - 1;

	if (!c->n)
		text_add(out, "\"a run\"");
	else if (c->bound[class] >= last)
		text_add(out, "\"a run, worst difference %u\"", c->bound[class]);
	else
		text_add(out, "\"a run, worst difference %u to %u\"", c->bound[class], last);
}

static void add_dots(struct text *out, const struct classes *c, const char *columns, bool titles)
{
	for (unsigned int class = 0; class < (c->n ? c->n : 1); class ++) {
		struct look look = c->n ? looks[class] : plain_look;

		text_add(out, ", \\\n  $dots%u using %s with points pt %u ps 1.1 lc rgb \"%s\"",
			 class, columns, look.point, look.colour);
		if (titles) {
			text_add(out, " title ");
			add_class_title(out, c, class);
		} else {
			text_add(out, " notitle");
		}
	}
	if (c->n)
		text_add(out,
			 ", \\\n  $unseen using %s with points pt 2 ps 1.1 lc rgb \"#707070\" %s",
			 columns, "notitle");
}

static void add_variants(struct text *out, const struct analysis *an, const struct classes *c)
{
	text_add(out, "set title \"every run, by variant\"\nset xrange [-0.6:%.1f]\nset xtics (",
		 an->n - 0.4);
	for (unsigned int i = 0; i < an->n; i++) {
		text_add(out, "%s", i ? ", " : "");
		add_quoted(out, an->variant[i].name);
		text_add(out, " %u", i);
	}
	text_add(out, ")%s\n", an->n > 4 ? " rotate by -25" : "");
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
		 "set key at screen 0.55,0.02\nset title \"in the order they ran\"\nset xrange "
		 "[0:%u]\nunset xtics\n"
		 "set xtics autofreq norotate nomirror\nset xlabel \"run\"\nset format y \"\"\n"
		 "unset ylabel\nplot ",
		 r->nruns + 1);
	for (unsigned int i = 0; i < an->n; i++) {
		text_add(out,
			 "%s$order%u using 1:2 with lines dt %u lw 1.5 lc rgb \"#505050\" title ",
			 i ? ", \\\n  " : "", i, i % 5 + 1);
		add_quoted(out, an->variant[i].name);
	}
	add_dots(out, c, "3:2", false);
	text_add(out, "\n");
}

void plot_script(struct text *out, const struct analysis *an, const struct results *r, bool svg)
{
	struct classes c = make_classes(an);
	const char *label;

	text_add(out,
		 "%s noenhanced font \"Sans,12\" background rgb \"white\"\n"
		 "set encoding utf8\n",
		 svg ? "set terminal svg size 1100,560" : "set terminal pngcairo size 1100,560");
	add_data(out, an, r, &c);
	text_add(out, "set key at screen 0.03,0.02 bottom left vertical Left reverse maxrows 3 "
		      "samplen 2.5 width 2\nset tmargin 3\nset bmargin 8\nset grid ytics lc rgb "
		      "\"#d8d8d8\"\nset border 3\n"
		      "set tics nomirror\nset multiplot layout 1,2\nset ylabel ");
	label = *an->what.unit ? cli_text(out->arena, "%s (%s)", an->what.name, an->what.unit)
			       : an->what.name;
	add_quoted(out, label ? label : "");
	text_add(out, "\n");
	add_range(out, an);
	add_variants(out, an, &c);
	add_order(out, an, r, &c);
	text_add(out, "unset multiplot\n");
}
