/* What a set of measurements says, and whether two of them differ.
 *
 * Nothing here knows a distribution: intervals come from the bootstrap, p-values
 * from permutation, so no tables are needed and no outlier is ever removed. All
 * is seeded: the same values in the same order with the same options give the
 * same answer on every host. Values are finite numbers of any unit. Needs libm,
 * and so is a library of its own that the shim does not link. Pure; memory comes
 * from the arena that is passed.
 */
#ifndef EVENKEEL_CORE_STATS_H
#define EVENKEEL_CORE_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/arena.h"

/* Most values of one set; more are refused with EINVAL. */
#define STATS_VALUES_MAX 100000u

/* One set of values in figures. NAN stands for what does not exist. */
struct stats_summary {
	unsigned int n;
	double min, max;
	double range; /* max - min */
	double median;
	double mean;	/* arithmetic */
	double gmean;	/* geometric; NAN unless all values are above 0 */
	double hmean;	/* harmonic; the same */
	double stddev;	/* of the sample, divided by n - 1; NAN when n is 1 */
	double coefvar; /* 100 * stddev / mean, in per cent; NAN when either is none */
};

/* n from 1 to STATS_VALUES_MAX. 0, or -1 with errno EINVAL (n out of range, a
 * value that is not finite) or ENOMEM. */
int stats_summarize(struct stats_summary *s, struct arena *a, const double *values, unsigned int n);

enum stats_better {
	STATS_BETTER_UNSET = 0,
	STATS_LOWER,
	STATS_HIGHER,
};

/* How much better value is than base, in per cent of base; positive is better
 * whatever the unit (the sign of the tables published with the kernel's NUMA
 * series of 2022: 10.70 s to 12.04 s is -12.52). NAN when base is 0. */
double stats_change(double base, double value, enum stats_better better);

struct stats_interval {
	double low, high; /* low <= high; may be infinite */
};

struct stats_options {
	unsigned int resamples;	   /* of each bootstrap; 0 = no intervals (NAN) */
	unsigned int permutations; /* when not all can be tried; at least 1 */
	uint64_t seed;
};
#define STATS_RESAMPLES 9999
#define STATS_PERMUTATIONS 9999
/* Where at most so many ways exist to deal the values to the two sets, all of
 * them are tried and the p-value is exact: 8 against 8 has 12,870. */
#define STATS_EXACT_MAX 13000

/* The 95 % percentile bootstrap interval of the median. 0, or -1 as
 * stats_summarize. */
int stats_median_interval(struct stats_interval *ci, struct arena *a, const double *values,
			  unsigned int n, const struct stats_options *o);

/* Two sets held against each other. */
struct stats_comparison {
	/* Median of other minus median of base, its 95 % percentile bootstrap
	 * interval, and how often so large a difference in either direction
	 * comes from dealing the same values out at random. */
	double difference;
	struct stats_interval difference_ci;
	double location_p;

	/* Brown and Forsythe's F: the analysis of variance of the absolute
	 * deviations from each set's median (J. Am. Stat. Assoc. 69, 1974). For
	 * its p-value the signed deviations are dealt out at random, and F is
	 * computed anew with the medians of the sets so made. INFINITY when
	 * neither set's deviations vary but their means differ. */
	double spread_f;
	double spread_p;

	/* ln(stddev of other / stddev of base) and its interval; NAN when both
	 * are 0 or a set has one value, infinite when one of them is 0. */
	double log_sd_ratio;
	struct stats_interval log_sd_ratio_ci;

	/* range of other / range of base. It grows with n and has no population
	 * value, so it has no interval. NAN when both are 0. */
	double range_ratio;

	bool exact;	/* all ways of dealing were tried */
	double least_p; /* so few values cannot give a p-value below this */
};

/* Sets of nbase and nother values, each 1 .. STATS_VALUES_MAX. With fewer than
 * two in one of them the p-values are 1 and the intervals NAN. 0, or -1 with errno EINVAL or ENOMEM
 * as in stats_summarize. */
int stats_compare(struct stats_comparison *c, struct arena *a, const double *base,
		  unsigned int nbase, const double *other, unsigned int nother,
		  const struct stats_options *o);

/* Corrects n p-values for being n (Holm, Scand. J. Stat. 6, 1979), in place. */
void stats_holm(double *p, unsigned int n);

/* Two clearly separate groups in one set. The sorted values are cut at the
 * largest gap that leaves STATS_GROUP_MIN on each side. It counts as clear when
 * it is at least STATS_GROUP_GAP of the whole range and the set has at least
 * STATS_GROUPS_FROM values. docs/variance.md has the false alarms for sets
 * of one group, made by bench/power. */
#define STATS_GROUP_MIN 2u
#define STATS_GROUP_GAP 0.6
#define STATS_GROUPS_FROM 8u
struct stats_groups {
	bool two;
	unsigned int low;  /* values in the lower group */
	unsigned int high; /* and in the upper one */
	double bound;	   /* midway between them */
	double low_median, high_median;
};

/* 0, or -1 as stats_summarize; without two groups all but two is 0. */
int stats_find_groups(struct stats_groups *g, struct arena *a, const double *values,
		      unsigned int n);

#endif
