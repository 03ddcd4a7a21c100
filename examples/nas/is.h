/* IS: the state of a rank, and the ranking itself (is_rank.c). */
#ifndef EVENKEEL_EXAMPLES_NAS_IS_H
#define EVENKEEL_EXAMPLES_NAS_IS_H

#include <stdint.h>

#include "examples/nas/nas.h"

#define IS_ITERATIONS 10
#define IS_TESTS 5

/* A class, with the five keys whose rank is known: the key found at position
 * test_index has, at iteration t, the rank test_rank + sign * (t - since). */
struct is_class {
	int log_keys, log_max, log_buckets;
	int64_t test_index[IS_TESTS];
	int64_t test_rank[IS_TESTS];
	int sign[IS_TESTS];
	int since[IS_TESTS];
};

extern const struct is_class is_classes[NAS_CLASSES];

struct is {
	struct nas_run *run;
	int64_t total;   /* keys of all ranks */
	int64_t own;     /* keys of each rank */
	int64_t first;   /* global position of this rank's first key */
	int32_t max_key; /* keys are below it */
	int buckets;     /* of equal width: bucket = key >> shift */
	int shift;

	int32_t *keys;         /* own: this rank's part of the input */
	int32_t *sorted;       /* room: keys by bucket; at the end keys in order */
	int32_t *dealt;        /* room: the keys of this rank's buckets */
	int32_t *counts;       /* max_key; touched in this rank's range only */
	int32_t *bucket_count; /* buckets + IS_TESTS: own counts, test keys */
	int32_t *all;          /* the same summed over the ranks */
	int64_t *fill;         /* buckets: next free place in sorted */
	int *moves;            /* 4 * size: what Alltoallv is told */
	int64_t room;
	int64_t dealt_count; /* keys in dealt after a ranking */
	int64_t before;      /* keys of all ranks below this rank's range */
	int32_t low, high;   /* this rank's range of key values, high excluded */
	int64_t passed;      /* partial checks passed on this rank */
};

/* Counts the own keys per bucket, and sums over the ranks into all, with the
 * keys at the test positions behind them. Collective. */
void is_count_buckets(struct is *s);

/* One ranking, t = 1..IS_ITERATIONS, with its partial checks. Collective.
 * Leaves counts as running sums: keys of this rank up to and with a value. */
void is_rank_keys(struct is *s, int t);

/* 1 when the keys, placed by their ranks, are in order on this rank and not
 * below those of the ranks before. Consumes counts. Collective. */
int is_in_order(struct is *s);

#endif
