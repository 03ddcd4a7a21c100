/* IS: integer sort. Ranks small integers, again and again.
 *
 * NAS report, kernel IS: N keys in [0, max), bell-shaped (each is the sum of
 * four uniform numbers), are spread over the ranks in order. The rank of a key
 * is how many keys are smaller. Ten times: change two keys, rank all keys,
 * compare five known ones. At the end the keys are put in order by their
 * ranks, which is not timed.
 *
 * Method: buckets of equal key width are counted and summed over all ranks;
 * contiguous buckets go to each rank so that everybody holds about N/P keys;
 * keys are moved bucket by bucket (Alltoallv); each rank counts its own range,
 * and a running sum of the counts ranks every key. Random increments and a
 * total exchange: bound by memory latency and by the interconnect.
 */
#include "examples/nas/is.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "examples/nas/lcg.h"

const struct is_class is_classes[NAS_CLASSES] = {
	[NAS_S] = { 16, 11, 9, { 48427, 17148, 23627, 62548, 4431 },
	    { 0, 18, 346, 64917, 65463 }, { 1, 1, 1, -1, -1 }, { 0, 0, 0, 0, 0 } },
	[NAS_W] = { 20, 16, 10, { 357773, 934767, 875723, 898999, 404505 },
	    { 1249, 11698, 1039987, 1043896, 1048018 }, { 1, 1, -1, -1, -1 },
	    { 2, 2, 0, 0, 0 } },
	[NAS_A] = { 23, 19, 10, { 2112377, 662041, 5336171, 3642833, 4250760 },
	    { 104, 17523, 123928, 8288932, 8388264 }, { 1, 1, 1, -1, -1 },
	    { 1, 1, 1, 1, 1 } },
	[NAS_B] = { 25, 21, 10, { 41869, 812306, 5102857, 18232239, 26860214 },
	    { 33422937, 10244, 59149, 33135281, 99 }, { -1, 1, 1, -1, 1 },
	    { 0, 0, 0, 0, 0 } },
	[NAS_C] = { 27, 23, 10, { 44172927, 72999161, 74326391, 129606274, 21736814 },
	    { 61147, 882988, 266290, 133997595, 133525895 }, { 1, 1, 1, -1, -1 },
	    { 0, 0, 0, 0, 0 } },
	[NAS_D] = { 31, 27, 10,
	    { 1317351170, 995930646, 1157283250, 1503301535, 1453734525 },
	    { 1, 36538729, 1978098519, 2145192618, 2147425337 }, { 1, 1, -1, -1, -1 },
	    { 0, 0, 0, 0, 0 } },
};

/* Counts of a rank's messages are ints: class D needs four ranks. Rank 0
 * holds the 20 changed keys, so a rank holds at least that many. */
static int is_nearest(const struct nas_run *run)
{
	return nas_nearest_power(run->size, run->cls == NAS_D ? 4 : 1,
	    run->cls == NAS_S ? 128 : 1024);
}

/* Key i of all (0-based) from its four numbers, 4i+1 .. 4i+4. */
static void generate(struct is *s)
{
	uint64_t x = lcg_skip(LCG_SEED, 4 * (uint64_t)s->first);
	double quarter = (double)s->max_key / 4;

	for (int64_t i = 0; i < s->own; i++) {
		double sum = lcg_next(&x);

		sum += lcg_next(&x);
		sum += lcg_next(&x);
		sum += lcg_next(&x);
		s->keys[i] = (int32_t)(quarter * sum);
	}
}

/* How many keys a rank can be dealt: a rank's buckets end with the one that
 * reaches its share, so it gets less than a share and one largest bucket. The
 * keys changed later can add 20 to any of them. */
static int64_t most_dealt(const struct is *s)
{
	int64_t largest = 0;

	for (int b = 0; b < s->buckets; b++)
		if (s->all[b] > largest)
			largest = s->all[b];
	return s->total / s->run->size + largest + 2 * 20;
}

static bool take(void **piece, int64_t count, size_t size)
{
	*piece = malloc((size_t)count * size);
	return *piece != NULL;
}

/* Keys first, since the room for dealt keys follows from their buckets. */
static int is_setup(struct is *s)
{
	const struct is_class *c = &is_classes[s->run->cls];
	int size = s->run->size;
	int64_t ranges, buckets;
	bool got;

	s->total = INT64_C(1) << c->log_keys;
	s->max_key = INT32_C(1) << c->log_max;
	s->shift = c->log_max - c->log_buckets;
	s->buckets = 1 << c->log_buckets;
	s->own = s->total / size;
	s->first = s->own * s->run->rank;
	/* A rank counts its own range of key values only; the ranges of all
	 * ranks make up max_key. The rest of counts is never touched. */
	ranges = ((int64_t)s->max_key + size - 1) / size * 4;
	/* The fullest of 1024 buckets has about 2/3 * 4/1024 of the keys. */
	buckets = 2 * s->total / 384;
	if (nas_memory_fits(s->run, (s->own * 3 + buckets) * 4 + ranges) < 0)
		return -1;
	got = take((void **)&s->keys, s->own, sizeof(*s->keys));
	got = take((void **)&s->counts, s->max_key, sizeof(*s->counts)) && got;
	got = take((void **)&s->bucket_count, s->buckets + IS_TESTS, sizeof(int32_t)) && got;
	got = take((void **)&s->all, s->buckets + IS_TESTS, sizeof(int32_t)) && got;
	got = take((void **)&s->fill, s->buckets, sizeof(*s->fill)) && got;
	got = take((void **)&s->moves, 4 * (int64_t)size, sizeof(*s->moves)) && got;
	if (nas_agree(s->run, got) < 0)
		return -1;
	generate(s);
	if (s->run->damage && c->test_index[0] / s->own == s->run->rank)
		s->keys[c->test_index[0] % s->own] = s->max_key / 2;
	is_count_buckets(s);
	s->room = most_dealt(s);
	got = take((void **)&s->sorted, s->room, sizeof(*s->sorted));
	got = take((void **)&s->dealt, s->room, sizeof(*s->dealt)) && got;
	return nas_agree(s->run, got);
}

static void is_free(struct is *s)
{
	free(s->keys);
	free(s->counts);
	free(s->bucket_count);
	free(s->all);
	free(s->fill);
	free(s->moves);
	free(s->sorted);
	free(s->dealt);
}

static void is_run(struct is *s, struct nas_result *result)
{
	int64_t mine, all;
	int wanted = IS_ITERATIONS * IS_TESTS + s->run->size;

	is_rank_keys(s, 1);
	s->passed = 0;
	nas_clock_start(s->run);
	if (s->run->rank == 0)
		printf("   iteration\n");
	for (int t = 1; t <= IS_ITERATIONS; t++) {
		if (s->run->rank == 0)
			printf("        %d\n", t);
		is_rank_keys(s, t);
	}
	nas_clock_stop(s->run);
	mine = s->passed + is_in_order(s);
	MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
	result->size[0] = s->total;
	result->iterations = IS_ITERATIONS;
	result->mops = (double)IS_ITERATIONS * (double)s->total / 1e6;
	/* Keys are read for the buckets, moved, sent, got and counted; the
	 * counts are cleared, and summed in place. */
	result->bytes = IS_ITERATIONS * (24.0 * (double)s->total + 12.0 * s->max_key);
	result->error = (double)(wanted - all);
	result->limit = 0;
	result->verified = all == wanted;
}

int main(int argc, char **argv)
{
	static const struct nas_kernel kernel = {
		.name = "IS",
		.about = "sort of integers, random access and a total exchange",
		.operation = "keys ranked",
		.rule = "a power of two, up to 1024 (S: up to 128; D: from 4)",
		.nearest = is_nearest,
	};
	struct nas_run run;
	struct nas_result result = { 0 };
	struct is s = { .run = &run };

	if (nas_begin(&run, &kernel, argc, argv) == 0) {
		if (is_setup(&s) == 0) {
			is_run(&s, &result);
			nas_report(&run, &result);
		}
		is_free(&s);
	}
	return nas_end(&run);
}
