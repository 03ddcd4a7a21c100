/* 2,000 made-up comparisons of each kind: equal ones must seldom be called
 * different, and the published kind of unsteadiness must be found. The dealing at
 * random is done 999 times instead of compare's 9,999, which makes no p-value
 * wrong; `make bench-power` has the long version. */
#include "tests/unit/unit.h"

#include "tests/unit/stats_simulate.h"

#define SETS 2000
#define PERMUTATIONS 999
/* 5 % and three standard errors of 2,000. */
#define ALARMS_MAX 0.065

static const struct equal {
	const char *name;
	struct simulate_times times;
} equals[] = {
	{ "normal", { .noise = 0.01 } },
	{ "skewed", { .shape = SIMULATE_SKEWED, .noise = 0.5 } },
	{ "1.7 times slower in 0.4", { .noise = 0.01, .slow_share = 0.4, .slow_factor = 1.7 } },
};

static void equal_distributions_are_seldom_called_different(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < sizeof(equals) / sizeof(*equals); i++) {
		for (unsigned int n = 10; n <= 20; n += 10) {
			double share = simulate_found(&equals[i].times, &equals[i].times, n, SETS,
						      PERMUTATIONS, 100 + i);

			print_message("# %s, n = %u: called different in %.2f %%\n", equals[i].name,
				      n, 100 * share);
			assert_true(share <= ALARMS_MAX);
			/* A test that never says anything would pass too. */
			assert_true(share >= 0.02);
		}
	}
}

/* The published baseline: 96 s, or 1.7 times that in two runs of five. */
static void slow_runs_are_found_with_twenty_runs_and_not_reliably_with_ten(void **state)
{
	const struct simulate_times base = { .noise = 0.01, .slow_share = 0.4, .slow_factor = 1.7 };
	const struct simulate_times steady = { .noise = 0.01 };
	double ten = simulate_found(&base, &steady, 10, SETS, PERMUTATIONS, 7);
	double twenty = simulate_found(&base, &steady, 20, SETS, PERMUTATIONS, 7);

	(void)state;
	print_message("# slow runs found: n = 10 in %.1f %%, n = 20 in %.1f %%\n", 100 * ten,
		      100 * twenty);
	assert_true(twenty >= 0.80);
	assert_true(ten < 0.80);
}

static void one_group_is_seldom_taken_for_two(void **state)
{
	const struct simulate_times one[] = {
		{ .shape = SIMULATE_NORMAL, .noise = 0.1 },
		{ .shape = SIMULATE_UNIFORM },
		{ .shape = SIMULATE_SKEWED, .noise = 0.5 },
		{ .shape = SIMULATE_EXPONENTIAL },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(one) / sizeof(*one); i++) {
		for (unsigned int n = 10; n <= 20; n += 10) {
			double share = simulate_groups(&one[i], n, 20000, 5);

			print_message("# shape %u, n = %u: two groups seen in %.2f %%\n", i, n,
				      100 * share);
			assert_true(share <= 0.02);
		}
	}
}

static void two_groups_are_seen(void **state)
{
	const struct simulate_times two = { .noise = 0.02, .slow_share = 0.4, .slow_factor = 1.7 };

	(void)state;
	assert_true(simulate_groups(&two, 10, 2000, 5) >= 0.85);
	assert_true(simulate_groups(&two, 20, 2000, 5) >= 0.95);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_distributions_are_seldom_called_different),
		cmocka_unit_test(slow_runs_are_found_with_twenty_runs_and_not_reliably_with_ten),
		cmocka_unit_test(one_group_is_seldom_taken_for_two),
		cmocka_unit_test(two_groups_are_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
