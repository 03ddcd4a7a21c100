/* The results as text: tables, the list of runs, and dots on a line. All of it is
 * added to out; memory from the arena. */
#ifndef EVENKEEL_LAUNCHER_TABLES_H
#define EVENKEEL_LAUNCHER_TABLES_H

#include "launcher/analysis.h"
#include "launcher/results.h"
#include "launcher/text.h"

/* One line per variant: Min, Max, Range, Mean and Median, the change of Mean and
 * Range against the first in per cent (positive is better; less range is better
 * whatever the metric). detail adds GMean, HMean, Stddev and CoefVar as a second
 * table. style PLAIN or MARKDOWN. */
void tables_summary(struct text *out, struct arena *a, const struct analysis *an,
		    enum text_style style, bool detail);

/* The same for rows of published figures. */
void tables_rows(struct text *out, struct arena *a, const struct results *r, enum text_style style);

/* One line per variant but the first: differences, intervals, p-values. */
void tables_comparison(struct text *out, struct arena *a, const struct analysis *an,
		       enum text_style style);

/* One line per variant: ranks per node in how many runs, worst difference, remote
 * pages, switches, waiting. Nothing when no run has a placement. */
void tables_placement(struct text *out, struct arena *a, const struct results *r,
		      enum text_style style);

/* One line per run, failed and warm-up ones too. */
void tables_runs(struct text *out, struct arena *a, const struct results *r, unsigned int m,
		 enum text_style style);

/* All figures of the metrics in one table with one heading, for machines. */
void tables_csv(struct text *out, struct arena *a, const struct analysis *const *all,
		unsigned int n);

/* A line of dots per variant over one scale: '.' a run, ':' two, then the
 * number, '#' ten or more. */
void tables_dots(struct text *out, struct arena *a, const struct analysis *an);

#endif
