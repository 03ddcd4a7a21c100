/* Helpers that the files of core/stats share; not for others. Pure. */
#ifndef EVENKEEL_CORE_STATS_SETS_H
#define EVENKEEL_CORE_STATS_SETS_H

#include "core/arena.h"

/* values in rising order, in the arena. NULL with errno EINVAL (n is 0 or above
 * STATS_VALUES_MAX, or a value is not finite) or ENOMEM. */
double *stats_sorted(struct arena *a, const double *values, unsigned int n);

/* n at least 1. */
double stats_sorted_median(const double *sorted, unsigned int n);

/* Divided by n - 1; NAN when n is 1. */
double stats_stddev(const double *values, unsigned int n);

#endif
