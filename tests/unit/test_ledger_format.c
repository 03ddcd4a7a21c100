/* The bytes of the ledger's file: recorded, damaged and forged. */
#include "tests/unit/ledger_help.h"

#include <limits.h>

/* Where format 2 keeps things; told in core/ledger_format.c. */
enum { VERSION_AT = 8, LENGTH_AT = 12, CHECKSUM_AT = 16, JOBS_AT = 24, HEAD = 32 };
enum { RANKS_AT = HEAD + 16, NODES_AT = HEAD + 24, OPEN_AT = HEAD + 28, FIRST_NODE = HEAD + 32 };

static void number_set(unsigned char *p, uint64_t n, int bytes)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (unsigned char)(n >> 8 * i);
}

static void checksum_set(unsigned char *text, size_t len)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = CHECKSUM_AT + 8; i < len; i++)
		sum = (sum ^ text[i]) * 0x100000001b3u;
	number_set(text + CHECKSUM_AT, sum, 8);
}

/* The file is as it is: the golden job or none is seen, never an error, and
 * after that the file is a good one. Returns how many jobs were seen. */
static unsigned int file_digest(const struct place *p)
{
	struct arena a = UNIT_ARENA;
	struct ledger_job job = golden_job(), other = job_of(77, 1);
	struct ledger l;
	unsigned int seen;

	open_well(&l, &a, p->dir);
	seen = l.njobs;
	if (seen > 1 || (seen && (!ledger_find(&l, &job.key) || !job_is_golden(l.jobs))))
		fail_msg("%u jobs, or wrong ones", seen);
	close_well(&l);
	assert_int_equal(jobs_seen(p->dir), seen);
	open_well(&l, &a, p->dir);
	add_well(&l, &other, slot_of(0));
	close_well(&l);
	assert_int_equal(jobs_seen(p->dir), seen + 1);
	arena_free(&a);
	return seen;
}

static void a_file_cut_at_any_length_is_read_as_empty(void **state)
{
	const struct place *p = *state;
	unsigned char text[256];
	size_t len = golden_file(p, text, sizeof(text));

	for (size_t cut = 0; cut <= len; cut++) {
		bytes_write(p->path, text, cut);
		if (file_digest(p) != (cut == len))
			fail_msg("cut at %zu of %zu", cut, len);
	}
}

static void a_file_with_any_bit_flipped_is_read_as_empty(void **state)
{
	const struct place *p = *state;
	unsigned char text[256];
	size_t len = golden_file(p, text, sizeof(text));

	for (size_t bit = 0; bit < len * 8; bit++) {
		text[bit / 8] ^= (unsigned char)(1u << bit % 8);
		bytes_write(p->path, text, len);
		if (file_digest(p) != 0)
			fail_msg("bit %zu", bit);
		text[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
}

static void a_file_of_another_version_is_set_aside(void **state)
{
	static const uint32_t versions[] = { 0, 1, 3, 256, 0x01000000, UINT32_MAX };
	const struct place *p = *state;
	unsigned char text[256];
	size_t len = golden_file(p, text, sizeof(text));

	for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
		number_set(text + VERSION_AT, versions[i], 4);
		checksum_set(text, len);
		bytes_write(p->path, text, len);
		assert_int_equal(file_digest(p), 0);
	}
	number_set(text + VERSION_AT, 2, 4);
	bytes_write(p->path, text, len);
	assert_int_equal(file_digest(p), 1);
}

static void a_file_of_random_bytes_is_set_aside_at_any_size(void **state)
{
	static const size_t sizes[] = { 1, 31, 32, 33, 64, 4096, 65537, LEDGER_SIZE_MAX,
					LEDGER_SIZE_MAX + 1, 2 * LEDGER_SIZE_MAX };
	const struct place *p = *state;
	unsigned char good[256], *text = malloc(2 * LEDGER_SIZE_MAX);
	uint64_t random = 20240607;
	struct stat st;

	assert_non_null(text);
	golden_file(p, good, sizeof(good));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes) * 2; i++) {
		size_t size = sizes[i / 2];

		for (size_t k = 0; k < size; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			text[k] = (unsigned char)(random >> 56);
		}
		/* Once with a good head, the length apart. */
		if (i % 2 && size >= HEAD)
			memcpy(text, good, HEAD);
		if (i % 2 && size >= HEAD)
			number_set(text + LENGTH_AT, size, 4);
		bytes_write(p->path, text, size);
		assert_int_equal(file_digest(p), 0);
		assert_int_equal(stat(p->path, &st), 0);
		assert_true(st.st_size < 256);
	}
	free(text);
}

static size_t most_taken, taken;

static void *counted_get(size_t size)
{
	taken += size;
	if (taken > most_taken)
		most_taken = taken;
	return malloc(size);
}

static void a_file_of_absurd_size_is_set_aside_unread(void **state)
{
	const struct place *p = *state;
	static const off_t sizes[] = { LEDGER_SIZE_MAX + 1, (off_t)1 << 40 };
	unsigned char text[256];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct arena a = { .get = counted_get, .put = free };
		struct ledger l;

		golden_file(p, text, sizeof(text));
		/* Sparse: it takes no room. */
		assert_int_equal(truncate(p->path, sizes[i]), 0);
		most_taken = taken = 0;
		open_well(&l, &a, p->dir);
		assert_int_equal(l.njobs, 0);
		assert_int_equal(most_taken, 0);
		close_well(&l);
		arena_free(&a);
		assert_int_equal(file_digest(p), 0);
		unlink(p->path);
	}
}

static void counts_that_cannot_be_true_are_refused_though_the_checksum_is_right(void **state)
{
	static const struct {
		int at, at2;
		uint32_t n, n2;
	} rows[] = {
		{ JOBS_AT, JOBS_AT, 0, 0 },
		{ JOBS_AT, JOBS_AT, 2, 2 },
		{ JOBS_AT, JOBS_AT, UINT32_MAX, UINT32_MAX },
		{ JOBS_AT, JOBS_AT, 0x08000001, 0x08000001 },
		{ RANKS_AT, RANKS_AT, 0, 0 },
		{ RANKS_AT, RANKS_AT, 1, 1 },
		{ RANKS_AT, RANKS_AT, 3, 3 },
		{ RANKS_AT, RANKS_AT, UINT32_MAX, UINT32_MAX },
		{ RANKS_AT, RANKS_AT, 0x15555556 + 2, 0x15555556 + 2 }, /* x 12 wraps to 32 */
		{ NODES_AT, NODES_AT, 1, 1 },
		{ NODES_AT, NODES_AT, 3, 3 },
		{ NODES_AT, NODES_AT, UINT32_MAX, UINT32_MAX },
		{ NODES_AT, NODES_AT, 0x80000002, 0x80000002 },
		{ NODES_AT, RANKS_AT, 0x80000002, 0x80000002 },
		{ NODES_AT, RANKS_AT, UINT32_MAX, UINT32_MAX },
		{ NODES_AT, RANKS_AT, UINT32_MAX, 5 },
		{ NODES_AT, RANKS_AT, 5, UINT32_MAX },
		{ LENGTH_AT, LENGTH_AT, 0, 0 },
		{ LENGTH_AT, LENGTH_AT, 23, 23 },
		{ LENGTH_AT, LENGTH_AT, 31, 31 },
		{ LENGTH_AT, LENGTH_AT, 32, 32 },
		{ LENGTH_AT, LENGTH_AT, 113, 113 },
		{ LENGTH_AT, LENGTH_AT, UINT32_MAX, UINT32_MAX },
	};
	const struct place *p = *state;
	unsigned char good[256], text[256];
	size_t len = golden_file(p, good, sizeof(good));

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena a = { .get = counted_get, .put = free };
		struct ledger l;

		memcpy(text, good, len);
		number_set(text + rows[i].at, rows[i].n, 4);
		number_set(text + rows[i].at2, rows[i].n2, 4);
		checksum_set(text, rows[i].at == LENGTH_AT && rows[i].n < len ? rows[i].n : len);
		bytes_write(p->path, text, len);
		most_taken = taken = 0;
		open_well(&l, &a, p->dir);
		if (l.njobs != 0 || most_taken > 64 * len)
			fail_msg("row %zu: %u jobs, %zu bytes", i, l.njobs, most_taken);
		close_well(&l);
		arena_free(&a);
		assert_int_equal(file_digest(p), 0);
	}
}

static void a_writer_killed_at_any_byte_leaves_the_old_the_new_or_nothing(void **state)
{
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	struct ledger_job job = golden_job(), second = job_of(9, 3);
	unsigned char old[512] = { 0 }, new[512] = { 0 }, mixed[512];
	size_t lengths[2] = { golden_file(p, old, sizeof(old)), 0 };
	struct ledger l;

	open_well(&l, &a, p->dir);
	add_well(&l, &second, slot_of(0));
	close_well(&l);
	lengths[1] = bytes_read(p->path, new, sizeof(new));
	/* Growing from old to new, then shrinking from new to old. */
	for (int way = 0; way < 2; way++) {
		const unsigned char *from = way ? new : old, *to = way ? old : new;

		for (size_t done = 0; done <= lengths[!way]; done++) {
			size_t len = done > lengths[way] ? done : lengths[way];

			memcpy(mixed, from, len);
			memcpy(mixed, to, done);
			bytes_write(p->path, mixed, len);
			open_well(&l, &a, p->dir);
			if (l.njobs && !(l.njobs <= 2 && job_is_golden(&l.jobs[0])))
				fail_msg("way %d, %zu bytes: %u jobs", way, done, l.njobs);
			assert_true(l.njobs < 2 || ledger_find(&l, &second.key));
			assert_int_equal(l.njobs != 0, ledger_find(&l, &job.key) != NULL);
			if (done == lengths[!way])
				assert_int_equal(l.njobs, way ? 1 : 2);
			close_well(&l);
		}
	}
	arena_free(&a);
}

static size_t golden_bytes(const char *name, unsigned char *text, size_t size)
{
	const char *srcdir = getenv("srcdir");
	char path[PATH_MAX];
	size_t len = 0;
	FILE *f;
	int c;

	snprintf(path, sizeof(path), "%s/tests/golden/%s", srcdir ? srcdir : ".", name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	while ((c = fgetc(f)) != EOF) {
		unsigned int byte;

		if (c == '#')
			while (c != '\n' && c != EOF)
				c = fgetc(f);
		if (c == ' ' || c == '\t' || c == '\n')
			continue;
		ungetc(c, f);
		assert_int_equal(fscanf(f, "%2x", &byte), 1);
		assert_true(len < size);
		text[len++] = (unsigned char)byte;
	}
	fclose(f);
	return len;
}

static void format_2_is_written_and_read_as_ever(void **state)
{
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	struct ledger_job job = golden_job();
	struct ledger_slot me = slot_of(0);
	unsigned char want[256], got[256];
	size_t len = golden_bytes("ledger-v2.hex", want, sizeof(want)), slot = FIRST_NODE + 24;
	struct ledger l;

	open_well(&l, &a, p->dir);
	assert_int_equal(ledger_add(&l, &job), 0);
	close_well(&l);
	assert_int_equal(bytes_read(p->path, got, sizeof(got)), len);
	assert_memory_equal(got, want, len);

	/* Nobody lives in the recorded file: this process moves in. */
	number_set(want + slot, (uint64_t)me.pid, 4);
	number_set(want + slot + 4, me.start, 8);
	checksum_set(want, len);
	bytes_write(p->path, want, len);
	assert_int_equal(file_digest(p), 1);
	arena_free(&a);
}

static void damaged_files_of_every_format_are_set_aside_as_ever(void **state)
{
	static const char *const names[] = { "ledger-v1.hex", "ledger-v1-damaged.hex",
					    "ledger-v2-damaged.hex" };
	const struct place *p = *state;
	unsigned char text[512], after[512];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t len = golden_bytes(names[i], text, sizeof(text));

		assert_true(len > HEAD);
		bytes_write(p->path, text, len);
		if (file_digest(p) != 0)
			fail_msg("%s was believed", names[i]);
		/* What file_digest added is all that is there now. */
		assert_true(bytes_read(p->path, after, sizeof(after)) <= len);
	}
}

/* An open job on two nodes: one rank is there, another has ended. */
static struct ledger_job open_job(struct arena *a, struct ledger *l, struct ledger_slot who)
{
	struct ledger_job job = golden_job(), *added;
	struct ledger_slot *slot;

	job.open = 1;
	job.nranks = 0;
	assert_int_equal(ledger_add(l, &job), 0);
	added = ledger_find(l, &job.key);
	slot = ledger_arrive(l, added);
	*slot = (struct ledger_slot){ .rank = 7, .node = 1 };
	slot = ledger_arrive(l, added);
	assert_int_equal(added->slots[0].rank, 7);
	*slot = who;
	slot->rank = 0x01020304;
	(void)a;
	return job;
}

static void an_open_job_is_written_and_read_as_ever(void **state)
{
	const struct place *p = *state;
	struct ledger_slot me = slot_of(0), none = { 0 };
	unsigned char want[256], got[256];
	size_t len = golden_bytes("ledger-v2-open.hex", want, sizeof(want));
	struct arena a = UNIT_ARENA;
	struct ledger_job job;
	struct ledger l;

	open_well(&l, &a, p->dir);
	open_job(&a, &l, none);
	close_well(&l);
	assert_int_equal(bytes_read(p->path, got, sizeof(got)), len);
	assert_memory_equal(got, want, len);
	unlink(p->path);

	open_well(&l, &a, p->dir);
	job = open_job(&a, &l, me);
	close_well(&l);
	open_well(&l, &a, p->dir);
	assert_int_equal(l.njobs, 1);
	assert_int_equal(l.jobs[0].open, 1);
	assert_int_equal(l.jobs[0].nranks, 2);
	assert_int_equal(l.jobs[0].slots[0].rank, 7);
	assert_int_equal(l.jobs[0].slots[0].node, 1);
	assert_int_equal(l.jobs[0].slots[0].pid, 0);
	assert_int_equal(l.jobs[0].slots[1].rank, 0x01020304);
	assert_int_equal(l.jobs[0].slots[1].node, 0);
	assert_int_equal(l.jobs[0].slots[1].pid, me.pid);
	assert_non_null(ledger_find(&l, &job.key));
	close_well(&l);
	arena_free(&a);
}

static void an_open_jobs_counts_that_cannot_be_true_are_refused(void **state)
{
	enum { SLOTS = FIRST_NODE + 24, NODE_OF_SLOT = SLOTS + 16 };
	static const struct {
		int at;
		uint32_t n;
	} rows[] = {
		{ OPEN_AT, 0 },		 { OPEN_AT, 2 },	  { OPEN_AT, UINT32_MAX },
		{ NODE_OF_SLOT, 2 },	 { NODE_OF_SLOT, UINT32_MAX }, { RANKS_AT, 0 },
		{ RANKS_AT, 1 },	 { RANKS_AT, 3 },	  { RANKS_AT, UINT32_MAX },
		{ NODES_AT, 1 },	 { NODES_AT, 0 },
	};
	const struct place *p = *state;
	struct ledger_slot me = slot_of(0);
	unsigned char good[256], text[256];
	size_t len = golden_bytes("ledger-v2-open.hex", good, sizeof(good));

	number_set(good + SLOTS + 20, (uint64_t)me.pid, 4);
	number_set(good + SLOTS + 24, me.start, 8);
	checksum_set(good, len);
	bytes_write(p->path, good, len);
	assert_int_equal(jobs_seen(p->dir), 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		memcpy(text, good, len);
		number_set(text + rows[i].at, rows[i].n, 4);
		checksum_set(text, len);
		bytes_write(p->path, text, len);
		if (jobs_seen(p->dir))
			fail_msg("row %zu", i);
	}
}

static void an_open_job_grows_up_to_the_largest_file(void **state)
{
	const struct place *p = *state;
	struct ledger_job job = golden_job();
	struct arena a = UNIT_ARENA;
	struct ledger_job *added;
	struct ledger l;
	unsigned int most = (LEDGER_SIZE_MAX - 32 - 32 - 24) / 20;

	job.open = 1;
	job.nranks = most - 2;
	open_well(&l, &a, p->dir);
	assert_int_equal(ledger_add(&l, &job), 0);
	added = ledger_find(&l, &job.key);
	assert_non_null(ledger_arrive(&l, added));
	assert_non_null(ledger_arrive(&l, added));
	assert_null(ledger_arrive(&l, added));
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(added->nranks, most);
	added->slots[most - 1] = slot_of(0);
	close_well(&l);
	assert_int_equal(jobs_seen(p->dir), 1);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_place(a_file_cut_at_any_length_is_read_as_empty),
		test_in_place(a_file_with_any_bit_flipped_is_read_as_empty),
		test_in_place(a_file_of_another_version_is_set_aside),
		test_in_place(a_file_of_absurd_size_is_set_aside_unread),
		test_in_place(a_file_of_random_bytes_is_set_aside_at_any_size),
		test_in_place(
		    counts_that_cannot_be_true_are_refused_though_the_checksum_is_right),
		test_in_place(a_writer_killed_at_any_byte_leaves_the_old_the_new_or_nothing),
		test_in_place(format_2_is_written_and_read_as_ever),
		test_in_place(an_open_job_is_written_and_read_as_ever),
		test_in_place(an_open_jobs_counts_that_cannot_be_true_are_refused),
		test_in_place(an_open_job_grows_up_to_the_largest_file),
		test_in_place(damaged_files_of_every_format_are_set_aside_as_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
