/* The ranking of IS: count, deal, count again, sum up. */
#include "examples/nas/is.h"

#include <mpi.h>
#include <string.h>

void is_count_buckets(struct is *s)
{
	const struct is_class *c = &is_classes[s->run->cls];
	int32_t *restrict count = s->bucket_count;
	const int32_t *restrict keys = s->keys;
	int shift = s->shift;

	memset(count, 0, (size_t)(s->buckets + IS_TESTS) * sizeof(*count));
	for (int64_t i = 0; i < s->own; i++)
		count[keys[i] >> shift]++;
	/* One rank knows each test key and the others add 0. */
	for (int i = 0; i < IS_TESTS; i++)
		if (c->test_index[i] / s->own == s->run->rank)
			count[s->buckets + i] = keys[c->test_index[i] % s->own];
	MPI_Allreduce(count, s->all, s->buckets + IS_TESTS, MPI_INT32_T, MPI_SUM, MPI_COMM_WORLD);
}

/* Own keys, bucket by bucket, into sorted. */
static void sort_by_bucket(struct is *s)
{
	int64_t *restrict fill = s->fill;
	int32_t *restrict sorted = s->sorted;
	const int32_t *restrict keys = s->keys;
	int shift = s->shift;
	int64_t at = 0;

	for (int b = 0; b < s->buckets; b++) {
		fill[b] = at;
		at += s->bucket_count[b];
	}
	for (int64_t i = 0; i < s->own; i++) {
		int32_t key = keys[i];

		sorted[fill[key >> shift]++] = key;
	}
}

/* Deals the buckets: rank r's end with the one by which r + 1 shares of all
 * keys are reached; the last rank takes what is left. Fills in what Alltoallv
 * wants to know of the sending, and this rank's range. */
static void deal_buckets(struct is *s, int *send, int *send_at)
{
	int size = s->run->size, rank = 0, at = 0, first_bucket = 0;
	int64_t sum = 0, before = 0;

	send[0] = 0;
	send_at[0] = 0;
	for (int b = 0; b < s->buckets; b++) {
		bool last = b == s->buckets - 1;

		sum += s->all[b];
		send[rank] += s->bucket_count[b];
		at += s->bucket_count[b];
		while (last ? rank < size : rank < size - 1 && sum >= s->own * (rank + 1)) {
			if (rank == s->run->rank) {
				s->before = before;
				s->low = (int32_t)first_bucket << s->shift;
				s->high = (int32_t)(b + 1) << s->shift;
			}
			before = sum;
			first_bucket = b + 1;
			if (++rank < size) {
				send[rank] = 0;
				send_at[rank] = at;
			}
		}
	}
}

/* Moves every key to the rank that has its bucket. */
static void exchange(struct is *s)
{
	int size = s->run->size;
	int *send = s->moves, *send_at = send + size, *get = send_at + size, *get_at = get + size;

	deal_buckets(s, send, send_at);
	MPI_Alltoall(send, 1, MPI_INT, get, 1, MPI_INT, MPI_COMM_WORLD);
	s->dealt_count = 0;
	for (int i = 0; i < size; i++) {
		get_at[i] = (int)s->dealt_count;
		s->dealt_count += get[i];
	}
	MPI_Alltoallv(s->sorted, send, send_at, MPI_INT32_T, s->dealt, get, get_at, MPI_INT32_T,
	    MPI_COMM_WORLD);
}

/* How many keys there are of each value of this rank's range, then running
 * sums: counts[v] = keys of this rank up to and with v. */
static void count_values(struct is *s)
{
	int32_t *restrict counts = s->counts;
	const int32_t *restrict dealt = s->dealt;
	int32_t sum = 0;

	if (s->high > s->low)
		memset(counts + s->low, 0, (size_t)(s->high - s->low) * sizeof(*counts));
	for (int64_t i = 0; i < s->dealt_count; i++)
		counts[dealt[i]]++;
	for (int32_t v = s->low; v < s->high; v++) {
		sum += counts[v];
		counts[v] = sum;
	}
}

static void check_tests(struct is *s, int t)
{
	const struct is_class *c = &is_classes[s->run->cls];

	for (int i = 0; i < IS_TESTS; i++) {
		int32_t key = s->all[s->buckets + i];
		int64_t wanted = c->test_rank[i] + c->sign[i] * (t - c->since[i]);

		if (key < s->low || key >= s->high)
			continue;
		s->passed += s->before + (key > s->low ? s->counts[key - 1] : 0) == wanted;
	}
}

void is_rank_keys(struct is *s, int t)
{
	/* Two keys change each time, at either end of the values. */
	if (s->run->rank == 0) {
		s->keys[t] = t;
		s->keys[t + IS_ITERATIONS] = s->max_key - t;
	}
	is_count_buckets(s);
	sort_by_bucket(s);
	exchange(s);
	count_values(s);
	check_tests(s, t);
}

int is_in_order(struct is *s)
{
	int32_t last = -1, before = -1;
	int ordered = 1;

	/* counts[v] is where the keys of value v end: fill them downwards. */
	for (int64_t i = 0; i < s->dealt_count; i++) {
		int32_t at = --s->counts[s->dealt[i]];

		if (at < 0 || at >= s->dealt_count)
			ordered = 0;
		else
			s->sorted[at] = s->dealt[i];
	}
	for (int64_t i = 1; i < s->dealt_count; i++)
		ordered &= s->sorted[i - 1] <= s->sorted[i];
	if (s->dealt_count)
		last = s->sorted[s->dealt_count - 1];
	/* A maximum, since a rank in between may hold no key at all. */
	MPI_Exscan(&last, &before, 1, MPI_INT32_T, MPI_MAX, MPI_COMM_WORLD);
	if (s->run->rank > 0 && s->dealt_count)
		ordered &= before <= s->sorted[0];
	return ordered;
}
