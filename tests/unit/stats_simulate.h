/* Made-up comparisons, to see how often core/stats calls two sets different. Used
 * by a test and by bench/power. */
#ifndef EVENKEEL_TESTS_STATS_SIMULATE_H
#define EVENKEEL_TESTS_STATS_SIMULATE_H

#include <stdint.h>

/* How a run's time is drawn. */
struct simulate_times {
	enum simulate_shape {
		SIMULATE_NORMAL = 0, /* median 1 */
		SIMULATE_SKEWED,     /* log-normal, median 1 */
		SIMULATE_EXPONENTIAL,
		SIMULATE_UNIFORM, /* 0.5 to 1.5 */
	} shape;
	double noise;			/* standard deviation, of the logarithm where skewed */
	double factor;			/* on all times; 0 = 1 */
	double slow_share, slow_factor; /* each run is slower with that probability */
};

/* Share of sets comparisons of n runs each in which location or spread differs
 * at 5 % after Holm, as compare's verdict has it. */
double simulate_found(const struct simulate_times *base, const struct simulate_times *other,
		      unsigned int n, unsigned int sets, unsigned int permutations, uint64_t seed);

/* Share of sets of n runs in which two groups are seen. */
double simulate_groups(const struct simulate_times *times, unsigned int n, unsigned int sets,
		       uint64_t seed);

#endif
