/* Random numbers for the statistics: the same seed gives the same numbers on
 * every host. xoshiro256** with its state filled by splitmix64 (Blackman and
 * Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47, 2021,
 * and their public description of both). Not for secrets. Pure; one state must
 * not be used by two threads at once.
 */
#ifndef EVENKEEL_CORE_STATS_RANDOM_H
#define EVENKEEL_CORE_STATS_RANDOM_H

#include <stdint.h>

struct stats_random {
	uint64_t s[4];
};

/* Any seed will do, 0 too. */
void stats_random_init(struct stats_random *r, uint64_t seed);

/* All 64 bits are equally good. */
uint64_t stats_random_next(struct stats_random *r);

/* From 0 to below n, each equally often; n at least 1. */
unsigned int stats_random_below(struct stats_random *r, unsigned int n);

/* From 0 to below 1, in steps of 2^-53. */
double stats_random_unit(struct stats_random *r);

/* Standard normal, by the polar method of Marsaglia and Bray (SIAM Review 6,
 * 1964); the second number of each pair is dropped. */
double stats_random_normal(struct stats_random *r);

#endif
