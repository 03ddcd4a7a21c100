/* core/stats against published figures, against figures worked out by hand, and
 * against what must be refused. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/stats.h"
#include "core/stats_random.h"

static const struct stats_options quick = { .resamples = 999, .permutations = 999, .seed = 1 };

/* tbench on NPS2, tip and patched, with 16, 32 and 64 clients (published tables,
 * "Statistics with their inputs"): three runs each, whose columns are Min, Max,
 * Median, AMean, GMean, HMean, Stddev, CoefVar as printed. */
static const struct published {
	double runs[3];
	const char *columns[8];
} published[] = {
	{ { 5528.71, 5576.24, 5584.80 },
	  { "5528.71", "5584.80", "5576.24", "5563.25", "5563.20", "5563.14", "30.22", "0.54" } },
	{ { 4911.89, 4981.15, 5266.24 },
	  { "4911.89", "5266.24", "4981.15", "5053.09", "5050.79", "5048.52", "187.81", "3.72" } },
	{ { 10206.90, 9296.28, 10710.00 },
	  { "9296.28", "10710.00", "10206.90", "10071.06", "10053.81", "10036.35", "716.58",
	    "7.12" } },
	{ { 9342.78, 9222.35, 9128.25 },
	  { "9128.25", "9342.78", "9222.35", "9231.13", "9230.71", "9230.29", "107.53", "1.16" } },
	{ { 16488.30, 15222.50, 17063.60 },
	  { "15222.50", "17063.60", "16488.30", "16258.13", "16239.68", "16220.99", "941.88",
	    "5.79" } },
	{ { 15043.90, 15612.60, 15188.30 },
	  { "15043.90", "15612.60", "15188.30", "15281.60", "15279.70", "15277.82", "295.61",
	    "1.93" } },
};

static void summaries_are_those_published(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(published) / sizeof(*published); i++) {
		struct arena a = UNIT_ARENA;
		struct stats_summary s;
		char text[32];

		assert_int_equal(stats_summarize(&s, &a, published[i].runs, 3), 0);
		const double got[8] = { s.min,	 s.max,	  s.median, s.mean,
					s.gmean, s.hmean, s.stddev, s.coefvar };
		for (unsigned int j = 0; j < 8; j++) {
			snprintf(text, sizeof(text), "%.2f", got[j]);
			assert_string_equal(text, published[i].columns[j]);
		}
		assert_true(s.n == 3 && s.range == s.max - s.min);
		arena_free(&a);
	}
}

static const struct change {
	double base, value;
	enum stats_better better;
	const char *printed;
} changes[] = {
	/* 2022: hackbench, STREAM, schbench, tbench. */
	{ 10.70, 12.04, STATS_LOWER, "-12.52" },
	{ 189113.11, 183548.36, STATS_HIGHER, "-2.94" },
	{ 29.00, 22.50, STATS_LOWER, "22.41" },
	{ 8763.86, 9843.94, STATS_HIGHER, "12.32" },
	/* 2021: STREAM Copy, NPS1, against the tip (the NPS4 column of that table is
	 * cut, not rounded: 571.077 and 29.094 stand there as 571.07 and 29.09). */
	{ 113666.77, 214885.89, STATS_HIGHER, "89.05" },
	{ 113666.77, 212162.63, STATS_HIGHER, "86.65" },
	{ 113666.77, 226065.79, STATS_HIGHER, "98.88" },
	{ 37762.14, 48748.60, STATS_HIGHER, "29.09" },
	{ 37762.14, 164765.83, STATS_HIGHER, "336.33" },
	/* mg.D, 2022: Mean and Range of v5.18rc4 + series v1 + revert against the
	 * baseline; nobody printed these. */
	{ 130.49, 96.54, STATS_LOWER, "26.02" },
	{ 64.58, 4.63, STATS_LOWER, "92.83" },
	{ 2, 2, STATS_LOWER, "0.00" },
	{ 2, 2, STATS_HIGHER, "0.00" },
	{ -4, -2, STATS_HIGHER, "50.00" },
	{ -4, -2, STATS_LOWER, "-50.00" },
};

static void a_change_is_positive_when_it_is_better(void **state)
{
	char text[32];

	(void)state;
	assert_true(isnan(stats_change(0, 5, STATS_LOWER)));
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		const struct change *c = &changes[i];

		snprintf(text, sizeof(text), "%.2f", stats_change(c->base, c->value, c->better));
		assert_string_equal(text, c->printed);
	}
}

static void values_that_are_none_are_refused(void **state)
{
	struct stats_comparison c;
	struct stats_interval ci;
	struct stats_groups g;
	struct stats_summary s;
	const double bad[][3] = { { 1, NAN, 2 }, { INFINITY, 1, 2 }, { 1, 2, -INFINITY } };
	const double good[] = { 1, 2, 3 };

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		const double *values = i < 3 ? bad[i] : good;
		unsigned int n = i < 3 ? 3 : 0;
		struct arena a = UNIT_ARENA;

		errno = 0;
		assert_int_equal(stats_summarize(&s, &a, values, n), -1);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(stats_median_interval(&ci, &a, values, n, &quick), -1);
		assert_int_equal(stats_find_groups(&g, &a, values, n), -1);
		assert_int_equal(stats_compare(&c, &a, values, n, good, 3, &quick), -1);
		assert_int_equal(stats_compare(&c, &a, good, 3, values, n, &quick), -1);
		assert_int_equal(errno, EINVAL);
		arena_free(&a);
	}
	struct arena a = UNIT_ARENA;

	assert_int_equal(stats_summarize(&s, &a, good, STATS_VALUES_MAX + 1), -1);
	assert_int_equal(errno, EINVAL);
	arena_free(&a);
}

static void what_does_not_exist_is_nan(void **state)
{
	const double one[] = { 7 }, mixed[] = { -1, 0, 4 }, zero[] = { -1, 1 };
	struct arena a = UNIT_ARENA;
	struct stats_summary s;

	(void)state;
	assert_int_equal(stats_summarize(&s, &a, one, 1), 0);
	assert_true(s.median == 7 && s.range == 0 && fabs(s.gmean - 7) < 1e-12);
	assert_true(isnan(s.stddev) && isnan(s.coefvar));
	assert_int_equal(stats_summarize(&s, &a, mixed, 3), 0);
	assert_true(isnan(s.gmean) && isnan(s.hmean) && s.mean == 1 && s.median == 0);
	assert_int_equal(stats_summarize(&s, &a, zero, 2), 0);
	assert_true(isnan(s.coefvar) && s.median == 0);
	arena_free(&a);
}

/* Three against three: 20 ways. Medians as far apart as of 1 2 3 against 7 8 9
 * are given by 1 2 7 against 3 8 9 too, and by the mirror images of both. */
static void few_values_are_tried_in_all_ways(void **state)
{
	const double low[] = { 3, 1, 2 }, high[] = { 8, 9, 7 };
	struct arena a = UNIT_ARENA;
	struct stats_comparison c;

	(void)state;
	assert_int_equal(stats_compare(&c, &a, low, 3, high, 3, &quick), 0);
	assert_true(c.exact);
	assert_true(fabs(c.location_p - 4.0 / 20) < 1e-12);
	assert_true(fabs(c.least_p - 2.0 / 20) < 1e-12);
	assert_true(c.difference == 6);
	/* The deviations are -1 0 1 twice: no way is less extreme. */
	assert_true(c.spread_f == 0 && c.spread_p == 1);
	assert_true(c.log_sd_ratio == 0 && c.range_ratio == 1);
	arena_free(&a);
}

/* F worked out by hand: deviations 1 0 1 and 4 0 4, means 2/3 and 8/3, between
 * 3*3/6*4 = 6, within 2/3 + 32/3 = 34/3, F = 6 / (34/3) * 4. */
static void brown_and_forsythes_f_is_as_by_hand(void **state)
{
	const double narrow[] = { 9, 10, 11 }, wide[] = { 6, 10, 14 };
	struct arena a = UNIT_ARENA;
	struct stats_comparison c;

	(void)state;
	assert_int_equal(stats_compare(&c, &a, narrow, 3, wide, 3, &quick), 0);
	assert_true(fabs(c.spread_f - 6 / (34.0 / 3) * 4) < 1e-12);
	assert_true(fabs(c.log_sd_ratio - log(4)) < 1e-12);
	assert_true(c.range_ratio == 4 && c.difference == 0 && c.location_p == 1);
	arena_free(&a);
}

/* 8 against 8 are 12,870 ways, tried in full; the same sets by random dealing
 * must come to the same within its error. */
static void dealing_at_random_agrees_with_all_ways(void **state)
{
	const double x[] = { 1.0, 1.4, 2.1, 2.9, 3.3, 3.7, 4.6, 5.2 };
	const double y[] = { 2.2, 3.1, 3.9, 4.4, 5.5, 6.3, 7.4, 9.9 };
	struct stats_options o = { .resamples = 0, .permutations = 20000, .seed = 3 };
	double more_x[9], more_y[9];
	struct arena a = UNIT_ARENA;
	struct stats_comparison all, some;

	(void)state;
	assert_int_equal(stats_compare(&all, &a, x, 8, y, 8, &o), 0);
	assert_true(all.exact && isnan(all.difference_ci.low));
	/* A ninth value in the middle of each takes it over the limit. */
	memcpy(more_x, x, sizeof(x));
	memcpy(more_y, y, sizeof(y));
	more_x[8] = 3.1;
	more_y[8] = 4.95;
	assert_int_equal(stats_compare(&some, &a, more_x, 9, more_y, 9, &o), 0);
	assert_false(some.exact);
	assert_true(some.least_p == 1 / 20001.0);
	assert_true(all.location_p > 0.01 && all.location_p < 0.2);
	assert_true(fabs(some.location_p - all.location_p) < 0.05);
	assert_true(fabs(some.spread_p - all.spread_p) < 0.1);
	arena_free(&a);
}

static void the_order_of_sets_turns_signs_alone(void **state)
{
	const double x[] = { 95.8, 96.1, 96.5, 96.2, 170.4, 96.0, 95.9, 168.8, 96.3, 96.4 };
	const double y[] = { 95.5, 95.9, 96.0, 95.7, 95.8, 96.1, 95.6, 95.9, 96.2, 95.8 };
	struct arena a = UNIT_ARENA;
	struct stats_comparison c, mirror;

	(void)state;
	assert_int_equal(stats_compare(&c, &a, x, 10, y, 10, &quick), 0);
	assert_int_equal(stats_compare(&mirror, &a, y, 10, x, 10, &quick), 0);
	assert_true(fabs(c.difference + mirror.difference) < 1e-12);
	assert_true(fabs(c.log_sd_ratio + mirror.log_sd_ratio) < 1e-12);
	assert_true(fabs(c.spread_f - mirror.spread_f) < 1e-9);
	assert_true(c.log_sd_ratio_ci.low <= c.log_sd_ratio);
	assert_true(c.log_sd_ratio <= c.log_sd_ratio_ci.high);
	arena_free(&a);
}

static void the_same_values_give_the_same_answer(void **state)
{
	const double x[] = { 1, 5, 2, 8, 3, 9, 4, 7, 6, 5 },
		     y[] = { 2, 6, 3, 9, 4, 10, 5, 8, 7, 6 };
	struct stats_options other = quick;
	struct stats_comparison c[3];

	(void)state;
	other.seed = 2;
	memset(c, 0, sizeof(c));
	for (unsigned int i = 0; i < 3; i++) {
		struct arena a = UNIT_ARENA;

		assert_int_equal(stats_compare(&c[i], &a, x, 10, y, 10, i < 2 ? &quick : &other),
				 0);
		arena_free(&a);
	}
	assert_true(c[0].location_p == c[1].location_p && c[0].spread_p == c[1].spread_p);
	assert_memory_equal(&c[0].difference_ci, &c[1].difference_ci, sizeof(c[0].difference_ci));
	assert_memory_equal(&c[0].log_sd_ratio_ci, &c[1].log_sd_ratio_ci,
			    sizeof(c[0].log_sd_ratio_ci));
	assert_true(c[0].location_p != c[2].location_p || c[0].spread_p != c[2].spread_p);
}

/* What was seen is one of the ways: no number of dealings can give 0. */
static void a_p_value_is_never_nothing(void **state)
{
	double x[20], y[20];
	struct arena a = UNIT_ARENA;
	struct stats_comparison c;

	(void)state;
	for (unsigned int i = 0; i < 20; i++) {
		x[i] = 100 + 0.1 * i;
		y[i] = 200 + 5.0 * i;
	}
	assert_int_equal(stats_compare(&c, &a, x, 20, y, 20, &quick), 0);
	assert_true(c.location_p == c.least_p && c.spread_p == c.least_p);
	assert_true(c.least_p == 1 / 1000.0);
	arena_free(&a);
}

static void sets_without_spread_or_with_one_value_are_borne(void **state)
{
	const double flat[] = { 5, 5, 5, 5 }, other[] = { 6, 6, 6, 6 }, rough[] = { 1, 9, 2, 8 };
	struct arena a = UNIT_ARENA;
	struct stats_comparison c;

	(void)state;
	assert_int_equal(stats_compare(&c, &a, flat, 4, other, 4, &quick), 0);
	assert_true(c.difference == 1 && c.difference_ci.low == 1 && c.difference_ci.high == 1);
	/* Of 70 ways the medians differ by 1 with no, one, three or four 6 in the
	 * first set: 1 + 16 + 16 + 1. */
	assert_true(fabs(c.location_p - 34.0 / 70) < 1e-12 && c.spread_p == 1);
	assert_true(isnan(c.log_sd_ratio) && isnan(c.log_sd_ratio_ci.low) && isnan(c.range_ratio));
	assert_int_equal(stats_compare(&c, &a, flat, 4, rough, 4, &quick), 0);
	assert_true(isinf(c.log_sd_ratio) && isinf(c.range_ratio));
	assert_int_equal(stats_compare(&c, &a, rough, 4, rough, 1, &quick), 0);
	assert_true(c.location_p == 1 && c.spread_p == 1 && isnan(c.log_sd_ratio));
	assert_int_equal(stats_compare(&c, &a, flat, 1, other, 1, &quick), 0);
	assert_true(c.difference == 1 && c.location_p == 1);
	arena_free(&a);
}

static void the_interval_of_a_median_lies_around_it(void **state)
{
	const double x[] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3 }, flat[] = { 2, 2, 2 };
	struct arena a = UNIT_ARENA;
	struct stats_interval ci;
	struct stats_options none = { .resamples = 0, .permutations = 1 };

	(void)state;
	assert_int_equal(stats_median_interval(&ci, &a, x, 10, &quick), 0);
	assert_true(ci.low >= 1 && ci.low < 3.5 && ci.high > 3.5 && ci.high <= 9);
	assert_int_equal(stats_median_interval(&ci, &a, flat, 3, &quick), 0);
	assert_true(ci.low == 2 && ci.high == 2);
	assert_int_equal(stats_median_interval(&ci, &a, x, 10, &none), 0);
	assert_true(isnan(ci.low) && isnan(ci.high));
	arena_free(&a);
}

/* Coverage of the 95 % interval of a difference of medians: the percentile
 * bootstrap is known to be a little too wide for medians, not too narrow. */
static void intervals_hold_what_they_promise(void **state)
{
	const struct stats_options o = { .resamples = 399, .permutations = 1, .seed = 9 };
	unsigned int inside = 0, inside_sd = 0, sets = 400;
	struct stats_random r;

	(void)state;
	stats_random_init(&r, 11);
	for (unsigned int i = 0; i < sets; i++) {
		struct arena a = UNIT_ARENA;
		struct stats_comparison c;
		double x[20], y[20];

		for (unsigned int j = 0; j < 20; j++) {
			x[j] = 100 + stats_random_normal(&r);
			y[j] = 103 + 2 * stats_random_normal(&r);
		}
		assert_int_equal(stats_compare(&c, &a, x, 20, y, 20, &o), 0);
		inside += c.difference_ci.low <= 3 && 3 <= c.difference_ci.high;
		inside_sd += c.log_sd_ratio_ci.low <= log(2) && log(2) <= c.log_sd_ratio_ci.high;
		arena_free(&a);
	}
	print_message("# 95 %% intervals hold: difference %u of %u, log ratio %u of %u\n", inside,
		      sets, inside_sd, sets);
	assert_in_range(inside, sets * 91 / 100, sets * 99 / 100);
	/* Percentile intervals of a spread are somewhat narrow at n = 20. */
	assert_in_range(inside_sd, sets * 85 / 100, sets * 98 / 100);
}

static const struct holm {
	unsigned int n;
	double p[4], want[4];
} holms[] = {
	{ 0, { 0 }, { 0 } },
	{ 1, { 0.04 }, { 0.04 } },
	{ 2, { 0.03, 0.02 }, { 0.04, 0.04 } },
	{ 2, { 0.01, 0.04 }, { 0.02, 0.04 } },
	{ 2, { 0.9, 0.8 }, { 1, 1 } },
	{ 3, { 1, 1, 1 }, { 1, 1, 1 } },
	{ 4, { 0.01, 0.04, 0.03, 0.005 }, { 0.03, 0.06, 0.06, 0.02 } },
};

static void holm_corrects_as_by_hand(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(holms) / sizeof(*holms); i++) {
		double p[4];

		memcpy(p, holms[i].p, sizeof(p));
		stats_holm(p, holms[i].n);
		for (unsigned int j = 0; j < holms[i].n; j++)
			assert_true(fabs(p[j] - holms[i].want[j]) < 1e-12);
	}
}

static const struct grouped {
	unsigned int n, low;
	double values[20];
} grouped[] = {
	/* Too few; one slow run; a tail; even steps; no spread. */
	{ 7, 0, { 1, 1, 1, 1, 9, 9, 9 } },
	{ 10, 0, { 96, 96, 95, 96, 95, 96, 97, 96, 95, 170 } },
	{ 10, 0, { 1, 1.1, 1.2, 1.4, 1.7, 2.1, 2.6, 3.2, 4.5, 6 } },
	{ 10, 0, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } },
	{ 8, 0, { 3, 3, 3, 3, 3, 3, 3, 3 } },
	/* The published kind: most near 96 s, some near 170 s; the other way round. */
	{ 10, 8, { 96, 171, 95, 96, 95, 96, 97, 96, 95, 170 } },
	{ 10, 2, { 171, 96, 170, 171, 172, 169, 170, 171, 95, 170 } },
	{ 8, 4, { 1, 9, 1, 9, 1, 9, 1, 9 } },
};

static void two_clear_groups_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(grouped) / sizeof(*grouped); i++) {
		struct arena a = UNIT_ARENA;
		struct stats_groups g;

		assert_int_equal(stats_find_groups(&g, &a, grouped[i].values, grouped[i].n), 0);
		assert_int_equal(g.two, grouped[i].low > 0);
		assert_int_equal(g.low, grouped[i].low);
		if (g.two) {
			assert_int_equal(g.low + g.high, grouped[i].n);
			assert_true(g.low_median < g.bound && g.bound < g.high_median);
		}
		arena_free(&a);
	}
}

static void random_numbers_are_the_published_ones(void **state)
{
	/* xoshiro256** with its state from splitmix64 of 0, as other
	 * implementations of both give it. */
	const uint64_t want[] = { 11091344671253066420u, 13793997310169335082u,
				  1900383378846508768u };
	unsigned int count[7] = { 0 };
	struct stats_random r;
	double sum = 0, squares = 0;

	(void)state;
	stats_random_init(&r, 0);
	for (unsigned int i = 0; i < 3; i++)
		assert_true(stats_random_next(&r) == want[i]);
	for (unsigned int i = 0; i < 70000; i++)
		count[stats_random_below(&r, 7)]++;
	for (unsigned int i = 0; i < 7; i++)
		assert_in_range(count[i], 9600, 10400);
	for (unsigned int i = 0; i < 20000; i++) {
		double x = stats_random_normal(&r);

		sum += x;
		squares += x * x;
	}
	assert_true(fabs(sum / 20000) < 0.03 && fabs(squares / 20000 - 1) < 0.05);
	assert_int_equal(stats_random_below(&r, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_that_are_none_are_refused),
		cmocka_unit_test(what_does_not_exist_is_nan),
		cmocka_unit_test(a_p_value_is_never_nothing),
		cmocka_unit_test(sets_without_spread_or_with_one_value_are_borne),
		cmocka_unit_test(summaries_are_those_published),
		cmocka_unit_test(a_change_is_positive_when_it_is_better),
		cmocka_unit_test(few_values_are_tried_in_all_ways),
		cmocka_unit_test(brown_and_forsythes_f_is_as_by_hand),
		cmocka_unit_test(dealing_at_random_agrees_with_all_ways),
		cmocka_unit_test(the_order_of_sets_turns_signs_alone),
		cmocka_unit_test(the_same_values_give_the_same_answer),
		cmocka_unit_test(the_interval_of_a_median_lies_around_it),
		cmocka_unit_test(intervals_hold_what_they_promise),
		cmocka_unit_test(holm_corrects_as_by_hand),
		cmocka_unit_test(two_clear_groups_are_found),
		cmocka_unit_test(random_numbers_are_the_published_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
