#include "launcher/metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER "([-+]?[0-9]*\\.?[0-9]+([eE][-+]?[0-9]+)?)"
#define BLANKS "[ \t]+"

/* Formats: NAS report, sections 7 and 12, and recorded outputs of the tools under
 * tests/golden/metrics. */
static const struct row {
	const char *option; /* for --metric; several rows may share it */
	const char *name;
	enum metric_source source;
	const char *unit;
	enum stats_better better;
	bool sum;
	const char *pattern;
	const char *must;
} rows[] = {
	{ "wall", "wall", METRIC_WALL, "s", STATS_LOWER, false, NULL, NULL },
	{ "user", "user", METRIC_USER, "s", STATS_LOWER, false, NULL, NULL },
	{ "system", "system", METRIC_SYSTEM, "s", STATS_LOWER, false, NULL, NULL },
	/* "Time in seconds" has two decimals and prints 0.00 for small classes. */
	{ "npb", "npb", METRIC_OUTPUT, "Mop/s", STATS_HIGHER, false,
	  "^ *Mop/s total *= *" NUMBER " *$", "^ *Verification *= *SUCCESSFUL *$" },
	{ "npb-time", "npb-time", METRIC_OUTPUT, "s", STATS_LOWER, false,
	  "^ *Time in seconds *= *" NUMBER " *$", "^ *Verification *= *SUCCESSFUL *$" },
	{ "hackbench", "hackbench", METRIC_OUTPUT, "s", STATS_LOWER, false, "^Time: *" NUMBER " *$",
	  NULL },
	{ "perf-bench", "perf-bench", METRIC_OUTPUT, "s", STATS_LOWER, false,
	  "^ *Total time: *" NUMBER " *\\[sec\\]", NULL },
	{ "tbench", "tbench", METRIC_OUTPUT, "MB/s", STATS_HIGHER, false,
	  "^Throughput " NUMBER " MB/sec ", NULL },
	{ "stream", "stream Copy", METRIC_OUTPUT, "MB/s", STATS_HIGHER, false,
	  "^Copy:" BLANKS NUMBER BLANKS, "^Solution Validates" },
	{ "stream", "stream Scale", METRIC_OUTPUT, "MB/s", STATS_HIGHER, false,
	  "^Scale:" BLANKS NUMBER BLANKS, "^Solution Validates" },
	{ "stream", "stream Add", METRIC_OUTPUT, "MB/s", STATS_HIGHER, false,
	  "^Add:" BLANKS NUMBER BLANKS, "^Solution Validates" },
	{ "stream", "stream Triad", METRIC_OUTPUT, "MB/s", STATS_HIGHER, false,
	  "^Triad:" BLANKS NUMBER BLANKS, "^Solution Validates" },
	/* A line per instance; together they are what the host moved. */
	{ "stress-ng-stream", "stress-ng-stream", METRIC_OUTPUT, "MB/s read", STATS_HIGHER, true,
	  "stream: memory rate: " NUMBER " MB read/sec,", NULL },
	{ "schbench", "schbench", METRIC_OUTPUT, "usec", STATS_LOWER, false,
	  "^Wakeup Latencies percentiles \\(usec\\)[^\n]*(\n[ \t]+[0-9.]+th:[^\n]*)*\n"
	  "[ \t]*\\*?[ \t]*99\\.0th: *" NUMBER BLANKS,
	  NULL },
	{ "unixbench", "unixbench", METRIC_OUTPUT, "lps", STATS_HIGHER, false,
	  "^Process Creation +" NUMBER " lps ", NULL },
	{ "unixbench-spawn", "unixbench-spawn", METRIC_OUTPUT, "loops", STATS_HIGHER, false,
	  "^COUNT\\|" NUMBER "\\|1\\|lps$", NULL },
	{ "ycsb", "ycsb", METRIC_OUTPUT, "ops/s", STATS_HIGHER, false,
	  "^\\[OVERALL\\], Throughput\\(ops/sec\\), " NUMBER " *$", NULL },
};
#define NROWS (sizeof(rows) / sizeof(*rows))

/* NUMBER has two pairs of parentheses, and is the last thing in a row's pattern
 * that has any. */
#define GROUPS_MAX 8

const char *metric_names(void)
{
	return "wall, user, system, npb, npb-time, hackbench, perf-bench, tbench, stream, "
	       "stress-ng-stream, schbench, unixbench, unixbench-spawn, ycsb";
}

bool metric_known(const char *text)
{
	for (size_t i = 0; i < NROWS; i++)
		if (!strcmp(rows[i].option, text) || !strcmp(rows[i].name, text))
			return true;
	return false;
}

static int compile(regex_t *regex, const char *pattern, struct cli_error *err)
{
	int error = regcomp(regex, pattern, REG_EXTENDED | REG_NEWLINE);
	char text[128];

	if (!error)
		return 0;
	regerror(error, regex, text, sizeof(text));
	cli_error_set(err, "--metric: '%s' is no regular expression: %s", pattern, text);
	errno = error == REG_ESPACE ? ENOMEM : EINVAL;
	return -1;
}

/* A place for one more. NULL with errno and err set. */
static struct metric *new_metric(struct metrics *all, const char *name, struct cli_error *err)
{
	errno = EINVAL;
	for (unsigned int i = 0; i < all->n; i++) {
		if (!strcmp(all->m[i].name, name)) {
			cli_error_set(err, "--metric: '%s' is named twice", name);
			return NULL;
		}
	}
	if (all->n == METRICS_MAX) {
		cli_error_set(err, "--metric: '%s' is one more than the %u there may be", name,
			      METRICS_MAX);
		return NULL;
	}
	return &all->m[all->n];
}

static int add_row(struct metrics *all, const struct row *row, struct cli_error *err)
{
	struct metric *m = new_metric(all, row->name, err);

	if (!m)
		return -1;
	*m = (struct metric){ .name = row->name,
			      .unit = row->unit,
			      .better = row->better,
			      .source = row->source,
			      .sum = row->sum };
	if (row->pattern && compile(&m->value, row->pattern, err) < 0)
		return -1;
	if (row->must && compile(&m->verdict, row->must, err) < 0) {
		regfree(&m->value);
		return -1;
	}
	m->must = row->must;
	m->must_text = row->must;
	all->n++;
	return 0;
}

int metric_add(struct metrics *all, struct arena *a, const char *text, enum stats_better better,
	       struct cli_error *err)
{
	bool found = false;
	struct metric *m;

	for (size_t i = 0; i < NROWS; i++) {
		if (strcmp(rows[i].option, text) && strcmp(rows[i].name, text))
			continue;
		if (add_row(all, &rows[i], err) < 0)
			return -1;
		found = true;
	}
	if (found)
		return 0;
	errno = EINVAL;
	if (!*text) {
		cli_error_set(err, "--metric: '' is neither a name nor an expression");
		return -1;
	}
	if (better == STATS_BETTER_UNSET) {
		cli_error_set(err,
			      "--metric: for the expression '%s' --better lower or higher is "
			      "wanted; names are %s",
			      text, metric_names());
		return -1;
	}
	m = new_metric(all, text, err);
	if (!m)
		return -1;
	*m = (struct metric){ .unit = "", .better = better, .source = METRIC_OUTPUT };
	m->name = cli_text(a, "%s", text);
	if (!m->name) {
		cli_error_set(err, "%s", strerror(errno));
		return -1;
	}
	if (compile(&m->value, text, err) < 0)
		return -1;
	all->n++;
	return 0;
}

void metric_free(struct metrics *all)
{
	for (unsigned int i = 0; i < all->n; i++) {
		struct metric *m = &all->m[i];

		if (m->source == METRIC_OUTPUT)
			regfree(&m->value);
		if (m->must)
			regfree(&m->verdict);
	}
	all->n = 0;
}

/* The group that holds the value: NUMBER's in a row, the first of an expression
 * of the user's, the whole where there is none. */
static size_t value_group(const struct metric *m)
{
	if (!metric_known(m->name))
		return m->value.re_nsub ? 1 : 0;
	return m->value.re_nsub - 1;
}

static int read_value(double *value, const char *from, regmatch_t at)
{
	char number[64], *end;
	size_t len = (size_t)(at.rm_eo - at.rm_so);

	if (at.rm_so < 0 || !len || len >= sizeof(number))
		return -1;
	memcpy(number, from + at.rm_so, len);
	number[len] = '\0';
	*value = strtod(number, &end);
	return *end || !isfinite(*value) ? -1 : 0;
}

int metric_find(double *value, const struct metric *m, const char *output, struct cli_error *err)
{
	regmatch_t at[GROUPS_MAX];
	size_t group = value_group(m);
	const char *from = output;
	bool found = false;
	double one;
	int flags = 0;

	*value = 0;
	while (regexec(&m->value, from, GROUPS_MAX, at, flags) == 0) {
		if (read_value(&one, from, at[group]) < 0) {
			cli_error_set(err, "'%s' stands in the output without a number", m->name);
			return -1;
		}
		*value = m->sum && found ? *value + one : one;
		found = true;
		from += at[0].rm_eo > 0 ? at[0].rm_eo : 1;
		if (!from[-1] || !*from)
			break;
		flags = from[-1] == '\n' ? 0 : REG_NOTBOL;
	}
	if (!found) {
		cli_error_set(err, "the metric '%s' is not in the output", m->name);
		return -1;
	}
	if (m->must && regexec(&m->verdict, output, 0, NULL, 0)) {
		cli_error_set(err, "'%s' is in the output, but not that the run went well (%s)",
			      m->name, m->must_text);
		return -1;
	}
	return 0;
}
