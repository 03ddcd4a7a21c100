/* What compare says of results: claims, words, groups, tables. */
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/stats_random.h"
#include "launcher/analysis.h"
#include "launcher/tables.h"

static const struct stats_options options = { .resamples = 999, .permutations = 999, .seed = 1 };

static void results_init(struct results *r, struct arena *a, const char *unit,
			 enum stats_better better)
{
	memset(r, 0, sizeof(*r));
	r->arena = a;
	r->metric[0] = (struct results_metric){ "wall", unit, better };
	r->nmetrics = 1;
	assert_int_equal(results_variant(r, "plain"), 0);
	assert_int_equal(results_variant(r, "evenkeel"), 1);
}

/* fullest of eight ranks are on one of two nodes; 0: no rank was seen. */
static struct run *add_run(struct results *r, unsigned int variant, double value,
			   unsigned int fullest)
{
	struct run *run = results_add_run(r);

	assert_non_null(run);
	run->number = r->nruns;
	run->variant = variant;
	run->values[0] = value;
	if (!fullest)
		return run;
	run->placement.ranks = 8;
	run->placement.nnodes = 2;
	run->placement.start = arena_array(r->arena, 2, sizeof(unsigned int));
	run->placement.end = run->placement.start;
	run->placement.start[0] = fullest;
	run->placement.start[1] = 8 - fullest;
	run->placement.worst = 2 * fullest - 8;
	return run;
}

/* n runs of each: base times 1 or slow, other times factor. */
static void add_runs(struct results *r, unsigned int n, unsigned int nslow, double slow,
		     double factor)
{
	struct stats_random random;

	stats_random_init(&random, 5);
	for (unsigned int i = 0; i < n; i++) {
		double noise = 1 + 0.005 * stats_random_normal(&random);

		add_run(r, 0, 100 * noise * (i < nslow ? slow : 1), i < nslow ? 6 + i % 3 : 4);
		noise = 1 + 0.005 * stats_random_normal(&random);
		add_run(r, 1, 100 * noise * factor, 4);
	}
}

static const struct {
	unsigned int n, nslow;
	double slow, factor;
	enum stats_better better;
	const char *unit;
	const char *words[3], *never;
	bool worse;
	enum analysis_claim spread, location;
} cases[] = {
	{ 3,
	  0,
	  1,
	  2,
	  STATS_LOWER,
	  "s",
	  { "no difference is shown between evenkeel and plain", "so few runs show hardly anything" },
	  "by luck",
	  false,
	  ANALYSIS_NONE,
	  ANALYSIS_NONE },
	{ 10,
	  0,
	  1,
	  1,
	  STATS_LOWER,
	  "s",
	  { "no difference is shown", "fewer than 20 runs", "by luck" },
	  "hardly",
	  false,
	  ANALYSIS_NONE,
	  ANALYSIS_NONE },
	{ 20,
	  0,
	  1,
	  1,
	  STATS_LOWER,
	  "s",
	  { "no difference is shown between evenkeel and plain\n" },
	  "fewer",
	  false,
	  ANALYSIS_NONE,
	  ANALYSIS_NONE },
	{ 20,
	  7,
	  1.7,
	  1,
	  STATS_LOWER,
	  "s",
	  { "evenkeel is steadier than plain (its standard deviation is 0.0", " of plain's)",
	    "; no difference of the medians is shown\n" },
	  "faster",
	  false,
	  ANALYSIS_LESS,
	  ANALYSIS_NONE },
	{ 20,
	  0,
	  1,
	  0.8,
	  STATS_LOWER,
	  "s",
	  { "evenkeel is faster than plain (its median is ", " % better)",
	    "; no difference in spread is shown\n" },
	  "stead",
	  false,
	  ANALYSIS_NONE,
	  ANALYSIS_LESS },
	{ 20,
	  0,
	  1,
	  1.2,
	  STATS_LOWER,
	  "s",
	  { "evenkeel is slower than plain (its median is ", " % worse)" },
	  "faster",
	  true,
	  ANALYSIS_NONE,
	  ANALYSIS_MORE },
	{ 20,
	  0,
	  1,
	  1.2,
	  STATS_HIGHER,
	  "MB/s",
	  { "evenkeel is better than plain", " % better)" },
	  "faster",
	  false,
	  ANALYSIS_NONE,
	  ANALYSIS_MORE },
	{ 20,
	  0,
	  1,
	  0.8,
	  STATS_HIGHER,
	  "MB/s",
	  { "evenkeel is worse than plain", " % worse)" },
	  "slower",
	  true,
	  ANALYSIS_NONE,
	  ANALYSIS_LESS },
	{ 20,
	  8,
	  1.7,
	  0.8,
	  STATS_LOWER,
	  "s",
	  { "evenkeel is steadier than plain (", ") and faster (its median is " },
	  "no difference",
	  false,
	  ANALYSIS_LESS,
	  ANALYSIS_LESS },
};

static void verdicts_claim_what_the_figures_show(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct arena a = UNIT_ARENA;
		struct text out = { .arena = &a };
		struct analysis an;
		struct results r;

		results_init(&r, &a, cases[i].unit, cases[i].better);
		add_runs(&r, cases[i].n, cases[i].nslow, cases[i].slow, cases[i].factor);
		assert_int_equal(analysis_make(&an, &a, &r, 0, &options), 0);
		analysis_verdict(&out, &an, 1);
		for (unsigned int j = 0; j < 3 && cases[i].words[j]; j++) {
			if (!strstr(out.s, cases[i].words[j]))
				print_message("# case %zu: %s", i, out.s);
			assert_non_null(strstr(out.s, cases[i].words[j]));
		}
		assert_null(strstr(out.s, cases[i].never));
		assert_ptr_equal(strchr(out.s, '\n'), out.s + out.len - 1);
		assert_int_equal(analysis_worse(&an, 1), cases[i].worse);
		assert_int_equal(an.variant[1].spread, cases[i].spread);
		assert_int_equal(an.variant[1].location, cases[i].location);
		arena_free(&a);
	}
}

static void failed_and_warm_up_runs_are_not_counted(void **state)
{
	struct arena a = UNIT_ARENA;
	struct text out = { .arena = &a };
	struct analysis an;
	struct results r;

	(void)state;
	results_init(&r, &a, "s", STATS_LOWER);
	add_run(&r, 0, 5, 0)->warmup = true;
	add_run(&r, 0, 1, 0);
	add_run(&r, 0, 9, 0)->failed = "exit status 1";
	add_run(&r, 0, NAN, 0);
	assert_int_equal(analysis_make(&an, &a, &r, 0, &options), 0);
	assert_int_equal(an.variant[0].n, 1);
	assert_int_equal(an.variant[0].nfailed, 1);
	assert_true(an.variant[0].summary.max == 1);
	assert_false(an.variant[1].compared);
	analysis_verdict(&out, &an, 1);
	assert_string_equal(out.s, "verdict: none: evenkeel has no run that counts\n");
	tables_summary(&out, &a, &an, TEXT_PLAIN, true);
	assert_non_null(strstr(out.s, "1 of 2"));
	arena_free(&a);
}

static void two_groups_come_with_their_placements(void **state)
{
	struct arena a = UNIT_ARENA;
	struct text out = { .arena = &a };
	struct analysis an;
	struct results r;

	(void)state;
	results_init(&r, &a, "s", STATS_LOWER);
	add_runs(&r, 20, 4, 1.7, 1);
	assert_int_equal(analysis_make(&an, &a, &r, 0, &options), 0);
	analysis_groups(&out, &an, &a);
	assert_non_null(strstr(out.s, "plain has two groups: 16 of 20 runs near 1"));
	assert_non_null(strstr(out.s, ", 4 near 1"));
	assert_non_null(strstr(out.s, "; ranks on the fullest node: 4 or fewer in the lower group, "
				      "6 or more in the upper\n"));
	assert_null(strstr(out.s, "evenkeel"));
	/* One fast run with a full node: then it is not the placement alone. */
	r.runs[38].placement.start[0] = 7;
	out = (struct text){ .arena = &a };
	assert_int_equal(analysis_make(&an, &a, &r, 0, &options), 0);
	analysis_groups(&out, &an, &a);
	assert_non_null(strstr(out.s, "the placement does not tell them apart: 4 to 7 ranks on the "
				      "fullest node in the lower group, 6 to 8 in the upper"));
	r.runs[38].placement.start[0] = 6;
	out = (struct text){ .arena = &a };
	assert_int_equal(analysis_make(&an, &a, &r, 0, &options), 0);
	analysis_groups(&out, &an, &a);
	assert_non_null(strstr(out.s, "4 to 6 ranks on the fullest node in the lower group"));
	arena_free(&a);
}

static void all_tests_of_a_metric_are_corrected_together(void **state)
{
	struct arena a = UNIT_ARENA;
	struct analysis an;
	struct results r;

	(void)state;
	results_init(&r, &a, "s", STATS_LOWER);
	assert_int_equal(results_variant(&r, "third"), 2);
	add_runs(&r, 10, 0, 1, 1);
	for (unsigned int i = 0; i < 10; i++)
		add_run(&r, 2, 50 + 0.1 * i, 0);
	assert_int_equal(analysis_make(&an, &a, &r, 0, &options), 0);
	assert_int_equal(an.tests, 4);
	assert_true(fabs(an.variant[2].location_p - 4 * an.variant[2].comparison.location_p) <
		    1e-12);
	arena_free(&a);
}

static void tables_have_the_published_layout(void **state)
{
	static const char want[] =
	    "variant   runs    Min     Max   Range    Mean  Median  Mean %    Range %\n"
	    "plain        3  95.84   96.55    0.71   96.16   96.10   +0.00      +0.00\n"
	    "evenkeel     3  96.02  197.08  101.06  154.70  171.00  -60.87  -14133.80\n";
	struct arena a = UNIT_ARENA;
	struct text out = { .arena = &a };
	struct analysis an;
	struct results r;

	(void)state;
	results_init(&r, &a, "s", STATS_LOWER);
	add_run(&r, 0, 95.84, 0);
	add_run(&r, 0, 96.10, 0);
	add_run(&r, 0, 96.55, 0);
	add_run(&r, 1, 171.00, 0);
	add_run(&r, 1, 96.02, 0);
	add_run(&r, 1, 197.08, 0);
	assert_int_equal(analysis_make(&an, &a, &r, 0, &options), 0);
	tables_summary(&out, &a, &an, TEXT_PLAIN, false);
	if (strcmp(out.s, want))
		print_message("%s", out.s);
	assert_string_equal(out.s, want);
	out = (struct text){ .arena = &a };
	tables_dots(&out, &a, &an);
	/* Three runs near each other, then three far apart. */
	assert_non_null(strstr(out.s, "plain    |"));
	assert_non_null(strstr(out.s, "95.84"));
	assert_non_null(strstr(out.s, "197.08 s\n"));
	arena_free(&a);
}

static void text_in_tables_is_escaped_by_style(void **state)
{
	static const struct {
		enum text_style style;
		const char *want;
	} rows[] = {
		{ TEXT_CSV, "name,n\n\"a \"\"b\"\", c|\",1\n" },
		{ TEXT_MARKDOWN, "| name | n |\n|---|--:|\n| a \"b\", c\\| | 1 |\n" },
		{ TEXT_PLAIN, "name       n\na \"b\", c|  1\n" },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct arena a = UNIT_ARENA;
		struct text_table t = { .arena = &a, .left = 1 };
		struct text out = { .arena = &a };

		text_cell(&t, "name");
		text_cell(&t, "n");
		text_end_row(&t);
		text_cell(&t, "%s", "a \"b\", c|");
		text_cell(&t, "%d", 1);
		text_end_row(&t);
		text_put_table(&out, &t, rows[i].style);
		assert_string_equal(out.s, rows[i].want);
		arena_free(&a);
	}
}

static void placements_are_counted_by_kind(void **state)
{
	struct arena a = UNIT_ARENA;
	struct text out = { .arena = &a };
	struct results r;

	(void)state;
	results_init(&r, &a, "s", STATS_LOWER);
	tables_placement(&out, &a, &r, TEXT_PLAIN);
	assert_int_equal(out.len, 0);
	add_runs(&r, 4, 1, 1.7, 1);
	tables_placement(&out, &a, &r, TEXT_PLAIN);
	assert_non_null(strstr(out.s, "plain           4/4 x3, 6/2 x1"));
	assert_non_null(strstr(out.s, "evenkeel        4/4 x4"));
	arena_free(&a);
}

/* numa_maps of kernel 6.1: pages of the program's own file and of shared memory
 * are not the rank's; huge pages weigh by their size. */
static void private_pages_are_counted_by_node(void **state)
{
	char text[] = "55d0c0000000 default file=/usr/bin/x mapped=10 N0=10 kernelpagesize_kB=4\n"
		      "55d0c1000000 default heap anon=30 dirty=30 N0=10 N1=20 kernelpagesize_kB=4\n"
		      "7f0000000000 default anon=2 dirty=2 N1=2 kernelpagesize_kB=2048\n"
		      "7f1000000000 default file=/dev/shm/mpich mapped=99 dirty=99 N0=99 "
		      "kernelpagesize_kB=4\n"
		      "7f2000000000 bind:1 anon=5 dirty=5 active=0 N10=5 kernelpagesize_kB=4\n"
		      "7f3000000000 default\n"
		      "nonsense N1= Nx=3 anon=\n";
	double here = 0, all = 0;

	(void)state;
	placement_count_pages(text, 1, &here, &all);
	assert_true(here == 20 * 4 + 2 * 2048);
	assert_true(all == 30 * 4 + 2 * 2048 + 5 * 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts_claim_what_the_figures_show),
		cmocka_unit_test(failed_and_warm_up_runs_are_not_counted),
		cmocka_unit_test(two_groups_come_with_their_placements),
		cmocka_unit_test(all_tests_of_a_metric_are_corrected_together),
		cmocka_unit_test(tables_have_the_published_layout),
		cmocka_unit_test(text_in_tables_is_escaped_by_style),
		cmocka_unit_test(placements_are_counted_by_kind),
		cmocka_unit_test(private_pages_are_counted_by_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
