#include "tests/unit/stats_simulate.h"

#include <math.h>
#include <stdlib.h>

#include "core/stats.h"
#include "core/stats_random.h"

#define RUNS_MAX 100

static double draw(const struct simulate_times *t, struct stats_random *r)
{
	double v = 1;

	switch (t->shape) {
	case SIMULATE_NORMAL:
		v = 1 + t->noise * stats_random_normal(r);
		break;
	case SIMULATE_SKEWED:
		v = exp(t->noise * stats_random_normal(r));
		break;
	case SIMULATE_EXPONENTIAL:
		v = -log(1 - stats_random_unit(r));
		break;
	case SIMULATE_UNIFORM:
		v = 0.5 + stats_random_unit(r);
		break;
	}
	if (t->slow_share > 0 && stats_random_unit(r) < t->slow_share)
		v *= t->slow_factor;
	return t->factor > 0 ? v * t->factor : v;
}

double simulate_found(const struct simulate_times *base, const struct simulate_times *other,
		      unsigned int n, unsigned int sets, unsigned int permutations, uint64_t seed)
{
	struct stats_options o = { .resamples = 0, .permutations = permutations };
	unsigned int found = 0;
	struct stats_random r;

	stats_random_init(&r, seed);
	for (unsigned int i = 0; i < sets; i++) {
		struct arena a = { .get = malloc, .put = free };
		double x[RUNS_MAX], y[RUNS_MAX], p[2] = { 0, 0 };
		struct stats_comparison c;

		for (unsigned int j = 0; j < n; j++)
			x[j] = draw(base, &r);
		for (unsigned int j = 0; j < n; j++)
			y[j] = draw(other, &r);
		o.seed = i;
		if (stats_compare(&c, &a, x, n, y, n, &o) == 0) {
			p[0] = c.location_p;
			p[1] = c.spread_p;
		}
		stats_holm(p, 2);
		found += p[0] <= 0.05 || p[1] <= 0.05;
		arena_free(&a);
	}
	return (double)found / sets;
}

double simulate_groups(const struct simulate_times *times, unsigned int n, unsigned int sets,
		       uint64_t seed)
{
	unsigned int found = 0;
	struct stats_random r;

	stats_random_init(&r, seed);
	for (unsigned int i = 0; i < sets; i++) {
		struct arena a = { .get = malloc, .put = free };
		struct stats_groups g = { .two = false };
		double x[RUNS_MAX];

		for (unsigned int j = 0; j < n; j++)
			x[j] = draw(times, &r);
		stats_find_groups(&g, &a, x, n);
		found += g.two;
		arena_free(&a);
	}
	return (double)found / sets;
}
