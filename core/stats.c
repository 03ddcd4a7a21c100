#include "core/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats_sets.h"

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

double *stats_sorted(struct arena *a, const double *values, unsigned int n)
{
	double *sorted;

	if (!n || n > STATS_VALUES_MAX) {
		errno = EINVAL;
		return NULL;
	}
	for (unsigned int i = 0; i < n; i++) {
		if (!isfinite(values[i])) {
			errno = EINVAL;
			return NULL;
		}
	}
	sorted = arena_array(a, n, sizeof(*sorted));
	if (!sorted)
		return NULL;
	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_value);
	return sorted;
}

double stats_sorted_median(const double *sorted, unsigned int n)
{
	/* Halves first: the sum of two large values may be none. */
	return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] / 2 + sorted[n / 2] / 2;
}

double stats_stddev(const double *values, unsigned int n)
{
	double mean = 0, sum = 0;

	for (unsigned int i = 0; i < n; i++)
		mean += values[i] / n;
	for (unsigned int i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return n > 1 ? sqrt(sum / (n - 1)) : NAN;
}

int stats_summarize(struct stats_summary *s, struct arena *a, const double *values, unsigned int n)
{
	double *sorted = stats_sorted(a, values, n), logs = 0, inverses = 0, mean = 0;

	if (!sorted)
		return -1;
	for (unsigned int i = 0; i < n; i++) {
		mean += sorted[i] / n;
		logs += log(sorted[i]) / n;
		inverses += 1 / sorted[i] / n;
	}
	*s = (struct stats_summary){
		.n = n,
		.min = sorted[0],
		.max = sorted[n - 1],
		.range = sorted[n - 1] - sorted[0],
		.median = stats_sorted_median(sorted, n),
		.mean = mean,
		.gmean = sorted[0] > 0 ? exp(logs) : NAN,
		.hmean = sorted[0] > 0 ? 1 / inverses : NAN,
		.stddev = stats_stddev(sorted, n),
	};
	s->coefvar = mean != 0 ? 100 * s->stddev / mean : NAN;
	return 0;
}

double stats_change(double base, double value, enum stats_better better)
{
	double change = 100 * (value - base) / fabs(base);

	if (base == 0)
		return NAN;
	return better == STATS_HIGHER || change == 0 ? change : -change;
}

void stats_holm(double *p, unsigned int n)
{
	double last = 0;

	/* n is a handful: pick the smallest that is left, n times. Those done
	 * are marked by a value that no p-value has. */
	for (unsigned int step = 0; step < n; step++) {
		unsigned int least = n;

		for (unsigned int i = 0; i < n; i++)
			if (p[i] <= 1 && (least == n || p[i] < p[least]))
				least = i;
		if (least == n)
			break;
		last = fmax(last, fmin(1, p[least] * (n - step)));
		p[least] = 2 + last;
	}
	for (unsigned int i = 0; i < n; i++)
		if (p[i] >= 2)
			p[i] -= 2;
}

int stats_find_groups(struct stats_groups *g, struct arena *a, const double *values, unsigned int n)
{
	double *sorted = stats_sorted(a, values, n), gap = 0;
	unsigned int cut = 0;

	memset(g, 0, sizeof(*g));
	if (!sorted)
		return -1;
	if (n < STATS_GROUPS_FROM)
		return 0;
	for (unsigned int i = STATS_GROUP_MIN; i + STATS_GROUP_MIN <= n; i++) {
		if (sorted[i] - sorted[i - 1] <= gap)
			continue;
		gap = sorted[i] - sorted[i - 1];
		cut = i;
	}
	if (!cut || gap < STATS_GROUP_GAP * (sorted[n - 1] - sorted[0]))
		return 0;
	*g = (struct stats_groups){
		.two = true,
		.low = cut,
		.high = n - cut,
		.bound = sorted[cut - 1] + gap / 2,
		.low_median = stats_sorted_median(sorted, cut),
		.high_median = stats_sorted_median(sorted + cut, n - cut),
	};
	return 0;
}
