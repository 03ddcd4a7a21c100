/* The metrics against outputs of the tools: recorded ones and ones written from
 * their formats (tests/golden/metrics), and the same outputs broken. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "launcher/metric.h"

#define BREAKS_MAX 6

/* What is replaced in a sample, so that no value may be read from it. with NULL:
 * the output ends there. */
struct damage {
	const char *what, *with;
};

static const struct sample {
	const char *metric, *file;
	unsigned int n;
	double want[4];
	enum stats_better better;
	const char *unit;
	struct damage damage[BREAKS_MAX];
} samples[] = {
	{ "npb",
	  "npb.txt",
	  1,
	  { 1503.41 },
	  STATS_HIGHER,
	  "Mop/s",
	  { { " Mop/s total", NULL },
	    { "Mop/s total     =                  1503.41", "Mop/s total     =" },
	    { "1503.41", "*******" },
	    { "SUCCESSFUL\n Version", "UNSUCCESSFUL\n Version" },
	    { " Verification ", NULL } } },
	{ "npb-time",
	  "npb.txt",
	  1,
	  { 0.01 },
	  STATS_LOWER,
	  "s",
	  { { " Time in", NULL },
	    { "0.01", "" },
	    { "Verification    = ", "Verification    : " } } },
	{ "hackbench",
	  "hackbench.txt",
	  1,
	  { 0.191 },
	  STATS_LOWER,
	  "s",
	  { { "Time:", NULL },
	    { "0.191", "" },
	    { "0.191", "0.191 of 10" },
	    { "Time:", "No Time:" } } },
	{ "perf-bench",
	  "perf-bench.txt",
	  1,
	  { 0.206 },
	  STATS_LOWER,
	  "s",
	  { { "Total time", NULL }, { "0.206", "nan" }, { "[sec]", "[usec]" } } },
	{ "tbench",
	  "tbench.txt",
	  1,
	  { 617.304 },
	  STATS_HIGHER,
	  "MB/s",
	  { { "Throughput", NULL },
	    { "617.304", "-" },
	    { "Throughput 617.304 MB", "Throughput 617.304 KB" } } },
	{ "stream",
	  "stream.txt",
	  4,
	  { 10008.2, 9931.7, 11244.9, 11180.5 },
	  STATS_HIGHER,
	  "MB/s",
	  { { "Copy:", NULL },
	    { "Copy:           10008.2", "Copy:               inf" },
	    { "Triad:", "Triads:" },
	    { "Scale:           9931.7 ", "Scale: 9931.7x" },
	    { "Solution Validates", "Failed Validation on array a[]" } } },
	{ "stress-ng-stream",
	  "stress-ng-stream.txt",
	  1,
	  { 3634.08 + 3471.71 },
	  STATS_HIGHER,
	  "MB/s read",
	  { { "memory rate", NULL }, { "MB read/sec", "MB/sec" }, { "rate: ", "rate: about " } } },
	{ "schbench",
	  "schbench.txt",
	  1,
	  { 5416 },
	  STATS_LOWER,
	  "usec",
	  { { "Wakeup", NULL },
	    { "99.0th", NULL },
	    { "* 99.0th: ", "* 99.0th: - " },
	    { "(usec)", "(msec)" } } },
	{ "unixbench",
	  "unixbench.txt",
	  1,
	  { 1153.4 },
	  STATS_HIGHER,
	  "lps",
	  { { "Process", NULL },
	    { "1153.4 lps", "1153.4 lpm" },
	    { "1153.4", "no measured results" } } },
	{ "unixbench-spawn",
	  "unixbench-spawn.txt",
	  1,
	  { 3470 },
	  STATS_HIGHER,
	  "loops",
	  { { "COUNT", NULL }, { "3470", "" }, { "|1|", "|60|" }, { "lps", "lpm" } } },
	{ "ycsb",
	  "ycsb.txt",
	  1,
	  { 989.1196834817013 },
	  STATS_HIGHER,
	  "ops/s",
	  { { "[OVERALL], Throughput", NULL },
	    { "989.", "NaN" },
	    { "Throughput(ops/sec)", "Throughput(ops/min)" } } },
};
#define NSAMPLES (sizeof(samples) / sizeof(*samples))

static void read_sample(const char *name, char *text, size_t size)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", METRICS, name);
	assert_true(file_read(path, text, size) > 0);
}

/* Every place of d->what in text is changed. */
static void break_sample(char *text, size_t size, const struct damage *d)
{
	char *at = strstr(text, d->what);

	assert_non_null(at);
	if (!d->with) {
		*at = '\0';
		return;
	}
	for (; at; at = strstr(at + strlen(d->with), d->what)) {
		size_t what = strlen(d->what), with = strlen(d->with);

		assert_true(strlen(text) + with < size);
		memmove(at + with, at + what, strlen(at + what) + 1);
		memcpy(at, d->with, with);
	}
}

static void samples_have_the_values_that_stand_in_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < NSAMPLES; i++) {
		const struct sample *s = &samples[i];
		struct arena a = UNIT_ARENA;
		struct metrics all = { 0 };
		struct cli_error err = { "" };
		char text[16384];
		double v;

		read_sample(s->file, text, sizeof(text));
		assert_int_equal(metric_add(&all, &a, s->metric, STATS_BETTER_UNSET, &err), 0);
		assert_int_equal(all.n, s->n);
		for (unsigned int j = 0; j < all.n; j++) {
			assert_int_equal(metric_find(&v, &all.m[j], text, &err), 0);
			assert_true(fabs(v - s->want[j]) < 1e-9);
			assert_int_equal(all.m[j].better, s->better);
			assert_string_equal(all.m[j].unit, s->unit);
			assert_non_null(strstr(metric_names(), s->metric));
		}
		metric_free(&all);
		arena_free(&a);
	}
}

/* At least one of a tool's metrics is then missed. */
static void broken_samples_have_none(void **state)
{
	(void)state;
	for (size_t i = 0; i < NSAMPLES; i++) {
		const struct sample *s = &samples[i];

		for (unsigned int k = 0; k < BREAKS_MAX && s->damage[k].what; k++) {
			struct arena a = UNIT_ARENA;
			struct metrics all = { 0 };
			struct cli_error err = { "" };
			unsigned int missed = 0;
			char text[16384];
			double v;

			assert_true(k < 3 || s->damage[2].what);
			read_sample(s->file, text, sizeof(text));
			break_sample(text, sizeof(text), &s->damage[k]);
			assert_int_equal(metric_add(&all, &a, s->metric, STATS_BETTER_UNSET, &err),
					 0);
			for (unsigned int j = 0; j < all.n; j++)
				missed += metric_find(&v, &all.m[j], text, &err) < 0;
			if (!missed)
				print_message("# %s: '%s' was borne\n", s->metric,
					      s->damage[k].what);
			assert_true(missed);
			assert_true(strlen(err.text) > 20);
			metric_free(&all);
			arena_free(&a);
		}
	}
}

static const struct {
	const char *regex, *output;
	double want; /* NAN: not found */
} expressions[] = {
	{ "took ([0-9]+)", "", NAN },
	{ "took ([0-9]+)", "took long", NAN },
	{ "took (.*)", "took long", NAN },
	{ "took (x)?", "took", NAN },
	{ "^took ([0-9]+)$", "it took 5", NAN },
	{ "^took ([0-9]+)$", "a\ntook 5 s\n", NAN },
	{ "took ([0-9]+)", "took 5", 5 },
	{ "^took ([0-9]+)$", "a\ntook 5\nb", 5 },
	/* The last one counts. */
	{ "^t=([0-9]+)$", "t=1\nt=2\nt=3\n", 3 },
	{ "t=([0-9]+)", "t=1 t=2 t=x", 2 },
	{ "^t=([0-9]+)", "t=1t=2", 1 },
	{ "[0-9.]+", "1.5 2.5", 2.5 },
	{ "([0-9]+)-([0-9]+)", "3-4", 3 },
	{ "t=(.*)", "t=-1.5e-3", -1.5e-3 },
	{ "t=(.*)", "t=inf", NAN },
	{ "t=(.*)", "t=1e999", NAN },
	{ "x*", "yyy", NAN },
};

static void expressions_of_the_users_own_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++) {
		struct arena a = UNIT_ARENA;
		struct metrics all = { 0 };
		struct cli_error err;
		double v = NAN;
		int got;

		assert_int_equal(metric_add(&all, &a, expressions[i].regex, STATS_LOWER, &err), 0);
		got = metric_find(&v, &all.m[0], expressions[i].output, &err);
		assert_int_equal(got, isnan(expressions[i].want) ? -1 : 0);
		if (!got)
			assert_true(v == expressions[i].want);
		metric_free(&all);
		arena_free(&a);
	}
}

static void what_is_no_metric_is_refused(void **state)
{
	static const struct {
		const char *text;
		enum stats_better better;
	} bad[] = {
		{ "", STATS_LOWER },	       { "(", STATS_LOWER },
		{ "[", STATS_HIGHER },	       { "a{2", STATS_LOWER },
		{ "nbp", STATS_BETTER_UNSET }, { "t=([0-9]+)", STATS_BETTER_UNSET },
	};
	struct arena a = UNIT_ARENA;
	struct metrics all = { 0 };
	struct cli_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		errno = 0;
		assert_int_equal(metric_add(&all, &a, bad[i].text, bad[i].better, &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(all.n, 0);
	}
	assert_int_equal(metric_add(&all, &a, "wall", STATS_BETTER_UNSET, &err), 0);
	assert_int_equal(metric_add(&all, &a, "wall", STATS_BETTER_UNSET, &err), -1);
	assert_int_equal(metric_add(&all, &a, "stream", STATS_BETTER_UNSET, &err), 0);
	assert_int_equal(metric_add(&all, &a, "stream Triad", STATS_BETTER_UNSET, &err), -1);
	for (unsigned int i = all.n; i < METRICS_MAX; i++) {
		char text[] = "a";

		text[0] += (char)i;
		assert_int_equal(metric_add(&all, &a, text, STATS_LOWER, &err), 0);
	}
	assert_int_equal(metric_add(&all, &a, "z", STATS_LOWER, &err), -1);
	metric_free(&all);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_metric_is_refused),
		cmocka_unit_test(broken_samples_have_none),
		cmocka_unit_test(samples_have_the_values_that_stand_in_them),
		cmocka_unit_test(expressions_of_the_users_own_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
