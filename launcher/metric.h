/* What a run is judged by: times of the process, or a number that the command
 * prints. One table knows the tools; there is no code per tool. */
#ifndef EVENKEEL_LAUNCHER_METRIC_H
#define EVENKEEL_LAUNCHER_METRIC_H

#include <regex.h>
#include <stdbool.h>

#include "core/arena.h"
#include "core/stats.h"
#include "launcher/cli.h"

enum metric_source {
	METRIC_UNSET = 0,
	METRIC_WALL, /* of the whole process, start-up included */
	METRIC_USER,
	METRIC_SYSTEM,
	METRIC_OUTPUT,
};

struct metric {
	const char *name; /* "wall", "stream Copy", or the expression itself */
	const char *unit; /* "" = not known */
	enum stats_better better;
	enum metric_source source;
	/* With METRIC_OUTPUT from here on. */
	bool sum;  /* of all places where it is found; else the last one counts */
	bool must; /* there is one more expression that has to match */
	regex_t value, verdict;
	const char *must_text; /* what verdict is, for the user */
};

#define METRICS_MAX 16
struct metrics {
	unsigned int n;
	struct metric m[METRICS_MAX];
};

/* Adds the metrics that text names: one or more rows of the table, or else text
 * is a POSIX extended regular expression whose first parenthesis (without one:
 * the whole) is the value; ^ and $ match at lines. better: from --better, for
 * expressions alone; UNSET is refused there. 0, or -1 with errno EINVAL or ENOMEM
 * and err set. */
int metric_add(struct metrics *all, struct arena *a, const char *text, enum stats_better better,
	       struct cli_error *err);

/* Names the table's metrics in one line, for usage texts. */
const char *metric_names(void);

/* Whether text names something in the table, by the name on the command line or
 * that of one metric. */
bool metric_known(const char *text);

/* Gives the compiled expressions back. */
void metric_free(struct metrics *all);

/* The value in output. 0; -1 with err saying what is missing: the metric, a
 * number where it stands, or a run's own verdict that it went well. */
int metric_find(double *value, const struct metric *m, const char *output, struct cli_error *err);

#endif
