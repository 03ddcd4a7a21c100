#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"
#include "core/stats_random.h"
#include "core/stats_sets.h"

/* Each use of random numbers has a stream of its own, so that none shifts
 * another. */
enum stream {
	STREAM_MEDIAN = 1,
	STREAM_DIFFERENCE,
	STREAM_LOCATION,
	STREAM_SPREAD,
	STREAM_LOG_RATIO,
};

/* Two statistics that are equal but for the order of their sums count as equal. */
#define SAME 1e-9

/* The values of both sets together, in rising order, and which of them are the
 * first set's. */
struct deal {
	unsigned int n, first; /* in all; in the first set */
	double *values;
	unsigned char *mine;
	unsigned int *order; /* a permutation of 0 .. n-1 */
	double scale;	     /* largest absolute value */
};

/* How far apart the two sets of a deal are; never negative. */
typedef double (*statistic)(const struct deal *d);

static void random_init(struct stats_random *r, const struct stats_options *o, enum stream stream)
{
	stats_random_init(r, o->seed + 0x100000001b3u * (uint64_t)stream);
}

/* --- bootstrap ---------------------------------------------------------------- */

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The middle 95 % of n values, which are sorted in place. The ends are order
 * statistics, so that infinite values do no harm. */
static struct stats_interval middle(double *values, unsigned int n)
{
	unsigned int cut = (unsigned int)(0.025 * (n + 1));

	qsort(values, n, sizeof(*values), by_value);
	if (cut)
		cut--;
	return (struct stats_interval){ values[cut], values[n - 1 - cut] };
}

/* The median of n values drawn from sorted; drawn counts them by place. */
static double drawn_median(const double *sorted, unsigned int n, unsigned int *drawn,
			   struct stats_random *r)
{
	unsigned int seen = 0, low = n, i;

	memset(drawn, 0, n * sizeof(*drawn));
	for (i = 0; i < n; i++)
		drawn[stats_random_below(r, n)]++;
	for (i = 0; i < n; i++) {
		seen += drawn[i];
		if (low == n && seen >= (n + 1) / 2)
			low = i;
		if (seen >= n / 2 + 1)
			break;
	}
	return n % 2 ? sorted[i] : sorted[low] / 2 + sorted[i] / 2;
}

static double drawn_stddev(const double *values, unsigned int n, double *drawn,
			   struct stats_random *r)
{
	for (unsigned int i = 0; i < n; i++)
		drawn[i] = values[stats_random_below(r, n)];
	return stats_stddev(drawn, n);
}

static double log_ratio(double over, double under)
{
	if (isnan(over) || isnan(under) || (over == 0 && under == 0))
		return NAN;
	return log(over / under);
}

static const struct stats_interval no_interval = { NAN, NAN };

int stats_median_interval(struct stats_interval *ci, struct arena *a, const double *values,
			  unsigned int n, const struct stats_options *o)
{
	double *sorted = stats_sorted(a, values, n);
	double *medians = arena_array(a, o->resamples, sizeof(*medians));
	unsigned int *drawn = arena_array(a, n, sizeof(*drawn));
	struct stats_random r;

	if (!sorted || !medians || !drawn)
		return -1;
	random_init(&r, o, STREAM_MEDIAN);
	for (unsigned int i = 0; i < o->resamples; i++)
		medians[i] = drawn_median(sorted, n, drawn, &r);
	*ci = o->resamples ? middle(medians, o->resamples) : no_interval;
	return 0;
}

/* Both intervals of c. base and other are sorted. */
static int set_intervals(struct stats_comparison *c, struct arena *a, const double *base,
			 unsigned int nbase, const double *other, unsigned int nother,
			 const struct stats_options *o)
{
	unsigned int most = nbase > nother ? nbase : nother, n = 0;
	double *results = arena_array(a, o->resamples, sizeof(*results));
	double *values = arena_array(a, most, sizeof(*values));
	unsigned int *drawn = arena_array(a, most, sizeof(*drawn));
	struct stats_random r;

	c->difference_ci = c->log_sd_ratio_ci = no_interval;
	if (!results || !values || !drawn)
		return -1;
	/* One value tells nothing of how others would lie. */
	if (!o->resamples || nbase < 2 || nother < 2)
		return 0;
	random_init(&r, o, STREAM_DIFFERENCE);
	for (unsigned int i = 0; i < o->resamples; i++) {
		results[i] = drawn_median(other, nother, drawn, &r);
		results[i] -= drawn_median(base, nbase, drawn, &r);
	}
	c->difference_ci = middle(results, o->resamples);
	random_init(&r, o, STREAM_LOG_RATIO);
	for (unsigned int i = 0; i < o->resamples; i++) {
		double over = drawn_stddev(other, nother, values, &r);
		double ratio = log_ratio(over, drawn_stddev(base, nbase, values, &r));

		/* A draw without any spread in both sets tells no ratio. */
		if (!isnan(ratio))
			results[n++] = ratio;
	}
	if (n)
		c->log_sd_ratio_ci = middle(results, n);
	return 0;
}

/* --- permutation --------------------------------------------------------------- */

/* Ways to choose k of n; any number above STATS_EXACT_MAX when there are more. */
static double ways(unsigned int n, unsigned int k)
{
	double count = 1;

	for (unsigned int i = 1; i <= k && count <= STATS_EXACT_MAX; i++)
		count = count * (n - k + i) / i;
	return round(count);
}

static int deal_init(struct deal *d, struct arena *a, const double *first, unsigned int nfirst,
		     const double *second, unsigned int nsecond)
{
	unsigned int n = nfirst + nsecond, i = 0, j = 0;

	d->n = n;
	d->first = nfirst;
	d->values = arena_array(a, n, sizeof(*d->values));
	d->mine = arena_alloc(a, n);
	d->order = arena_array(a, n, sizeof(*d->order));
	if (!d->values || !d->mine || !d->order)
		return -1;
	/* Both are sorted. */
	for (unsigned int k = 0; k < n; k++) {
		d->mine[k] = j == nsecond || (i < nfirst && first[i] <= second[j]);
		d->values[k] = d->mine[k] ? first[i++] : second[j++];
		d->order[k] = k;
	}
	d->scale = fmax(fabs(d->values[0]), fabs(d->values[n - 1]));
	return 0;
}

/* Deals the values out anew. The smaller set is drawn. */
static void deal_shuffle(struct deal *d, struct stats_random *r)
{
	bool draw_first = d->first * 2 <= d->n;
	unsigned int draws = draw_first ? d->first : d->n - d->first;

	memset(d->mine, !draw_first, d->n);
	for (unsigned int i = 0; i < draws; i++) {
		unsigned int j = i + stats_random_below(r, d->n - i), swap = d->order[i];

		d->order[i] = d->order[j];
		d->order[j] = swap;
		d->mine[d->order[i]] = draw_first;
	}
}

/* The next way of dealing, in the order of the sets' smallest places first.
 * order holds the places of the first set, rising. false after the last one. */
static bool deal_next(struct deal *d)
{
	unsigned int k = d->first, i = k;

	while (i-- > 0 && d->order[i] == d->n - k + i)
		;
	if (i >= k)
		return false;
	d->order[i]++;
	for (unsigned int j = i + 1; j < k; j++)
		d->order[j] = d->order[j - 1] + 1;
	memset(d->mine, 0, d->n);
	for (unsigned int j = 0; j < k; j++)
		d->mine[d->order[j]] = 1;
	return true;
}

/* The medians of the two sets: values are sorted, so counting will do. */
static void deal_medians(const struct deal *d, double median[2])
{
	unsigned int size[2] = { d->n - d->first, d->first }, seen[2] = { 0, 0 };
	double low[2] = { 0, 0 };

	for (unsigned int i = 0; i < d->n; i++) {
		unsigned int set = d->mine[i], at = ++seen[set];

		if (at == (size[set] + 1) / 2)
			low[set] = d->values[i];
		if (at == size[set] / 2 + 1)
			median[set] = low[set] / 2 + d->values[i] / 2;
	}
}

static double difference_of(const struct deal *d)
{
	double median[2];

	deal_medians(d, median);
	return fabs(median[0] - median[1]);
}

/* Brown and Forsythe's F for two sets. */
static double spread_of(const struct deal *d)
{
	double size[2] = { d->n - d->first, d->first };
	double median[2], sum[2] = { 0, 0 }, within = 0, between, mean[2];

	deal_medians(d, median);
	for (unsigned int i = 0; i < d->n; i++)
		sum[d->mine[i]] += fabs(d->values[i] - median[d->mine[i]]);
	mean[0] = sum[0] / size[0];
	mean[1] = sum[1] / size[1];
	for (unsigned int i = 0; i < d->n; i++) {
		double off = fabs(d->values[i] - median[d->mine[i]]) - mean[d->mine[i]];

		within += off * off;
	}
	between = size[0] * size[1] / d->n * (mean[0] - mean[1]) * (mean[0] - mean[1]);
	/* What is left of a difference by rounding is none. */
	if (between <= SAME * SAME * d->scale * d->scale)
		return 0;
	if (within <= SAME * SAME * d->scale * d->scale)
		return INFINITY;
	return between / within * (d->n - 2);
}

/* How often dealing at random gives at least seen. */
static double permute(struct deal *d, statistic of, double seen, double all,
		      const struct stats_options *o, enum stream stream)
{
	double least = isinf(seen) ? seen : seen - SAME * fmax(seen, d->scale * SAME);
	unsigned int hits = 0;
	struct stats_random r;

	if (all <= STATS_EXACT_MAX) {
		memset(d->mine, 0, d->n);
		memset(d->mine, 1, d->first);
		do
			hits += of(d) >= least;
		while (deal_next(d));
		return hits / all;
	}
	random_init(&r, o, stream);
	for (unsigned int i = 0; i < o->permutations; i++) {
		deal_shuffle(d, &r);
		hits += of(d) >= least;
	}
	/* What was seen is one of the ways too (Phipson and Smyth, Stat. Appl.
	 * Genet. Mol. Biol. 9, 2010). */
	return (hits + 1.0) / (o->permutations + 1.0);
}

static double *deviations(struct arena *a, const double *sorted, unsigned int n)
{
	double *off = arena_array(a, n, sizeof(*off)), median = stats_sorted_median(sorted, n);

	for (unsigned int i = 0; off && i < n; i++)
		off[i] = sorted[i] - median;
	return off;
}

static int set_p(struct stats_comparison *c, struct arena *a, const double *base,
		 unsigned int nbase, const double *other, unsigned int nother,
		 const struct stats_options *o)
{
	double all = ways(nbase + nother, nbase < nother ? nbase : nother);
	double *off_base = deviations(a, base, nbase), *off_other = deviations(a, other, nother);
	struct deal location, spread;

	if (!off_base || !off_other || deal_init(&location, a, base, nbase, other, nother) < 0 ||
	    deal_init(&spread, a, off_base, nbase, off_other, nother) < 0)
		return -1;
	c->exact = all <= STATS_EXACT_MAX;
	/* With sets of one size the mirror image is as extreme. */
	c->least_p = c->exact ? (nbase == nother ? 2 : 1) / all : 1 / (o->permutations + 1.0);
	c->spread_f = spread_of(&spread);
	c->location_p = c->spread_p = 1;
	if (nbase < 2 || nother < 2)
		return 0;
	c->location_p =
	    permute(&location, difference_of, difference_of(&location), all, o, STREAM_LOCATION);
	c->spread_p = permute(&spread, spread_of, c->spread_f, all, o, STREAM_SPREAD);
	return 0;
}

int stats_compare(struct stats_comparison *c, struct arena *a, const double *base,
		  unsigned int nbase, const double *other, unsigned int nother,
		  const struct stats_options *o)
{
	double range[2], *sorted[2];

	memset(c, 0, sizeof(*c));
	sorted[0] = stats_sorted(a, base, nbase);
	sorted[1] = sorted[0] ? stats_sorted(a, other, nother) : NULL;
	if (!sorted[1])
		return -1;
	c->difference =
	    stats_sorted_median(sorted[1], nother) - stats_sorted_median(sorted[0], nbase);
	c->log_sd_ratio =
	    log_ratio(stats_stddev(sorted[1], nother), stats_stddev(sorted[0], nbase));
	range[0] = sorted[0][nbase - 1] - sorted[0][0];
	range[1] = sorted[1][nother - 1] - sorted[1][0];
	c->range_ratio = range[0] == 0 && range[1] == 0 ? NAN : range[1] / range[0];
	if (set_intervals(c, a, sorted[0], nbase, sorted[1], nother, o) < 0)
		return -1;
	return set_p(c, a, sorted[0], nbase, sorted[1], nother, o);
}
