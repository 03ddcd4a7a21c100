/* Pictures, drawn by gnuplot. */
#ifndef EVENKEEL_LAUNCHER_PLOT_H
#define EVENKEEL_LAUNCHER_PLOT_H

#include "launcher/analysis.h"

/* Whether a picture can be drawn there: gnuplot is in the PATH (*have_gnuplot)
 * and path ends in .svg or .png and can be made. Nothing is left behind. 0, or -1
 * with err set. */
int plot_check(const char *path, bool *have_gnuplot, struct cli_error *err);

bool plot_is_svg(const char *path);

/* s in double quotes, as gnuplot reads it. Backslashes and backquotes would mean
 * something there, and control characters would break the line. */
void plot_quoted(struct text *out, const char *s);

/* The script for a picture of one metric, which draws to its standard output: every
 * run a dot, by variant and in the order they ran. svg: else png. */
void plot_script(struct text *out, const struct analysis *an, const struct results *r, bool svg);

/* Draws what the script says. The file appears only when it is complete. 0, or -1 with
 * err set. */
int plot_draw(const char *path, const struct text *script, struct cli_error *err);

#endif
