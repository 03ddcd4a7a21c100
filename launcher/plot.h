/* A picture of one metric, drawn by gnuplot: every run a dot, by variant and in
 * the order they ran. */
#ifndef EVENKEEL_LAUNCHER_PLOT_H
#define EVENKEEL_LAUNCHER_PLOT_H

#include "launcher/analysis.h"

/* Whether a picture can be drawn there: gnuplot is in the PATH (*have_gnuplot)
 * and path ends in .svg or .png and can be made. Nothing is left behind. 0, or -1
 * with err set. */
int plot_check(const char *path, bool *have_gnuplot, struct cli_error *err);

/* The script, which draws to its standard output. svg: else png. */
void plot_script(struct text *out, const struct analysis *an, const struct results *r, bool svg);

/* Draws. The file appears only when it is complete. 0, or -1 with err set. */
int plot_draw(const char *path, const struct analysis *an, const struct results *r, struct arena *a,
	      struct cli_error *err);

#endif
