#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "core/cpus.h"

/* Refused lists first, then lists and what they print as. */
static void lists_are_read_and_refused_as_the_kernel_writes_them(void **state)
{
	static const struct {
		const char *text;
		int error;
		const char *printed;
		unsigned int max;
	} rows[] = {
		{ "x", EINVAL, NULL, CPUS_NONE },
		{ "1,", EINVAL, NULL, CPUS_NONE },
		{ ",1", EINVAL, NULL, CPUS_NONE },
		{ "1,,2", EINVAL, NULL, CPUS_NONE },
		{ "3-1", EINVAL, NULL, CPUS_NONE },
		{ "1-", EINVAL, NULL, CPUS_NONE },
		{ "-1", EINVAL, NULL, CPUS_NONE },
		{ "1 2", EINVAL, NULL, CPUS_NONE },
		{ "0x3", EINVAL, NULL, CPUS_NONE },
		{ "64", ERANGE, NULL, 64 },
		{ "0-64", ERANGE, NULL, 64 },
		{ "99999999999999999999", ERANGE, NULL, CPUS_NONE },
		{ "", 0, "", CPUS_NONE },
		{ "\n", 0, "", CPUS_NONE },
		{ "0", 0, "0", 0 },
		{ " 0-3\n", 0, "0-3", 3 },
		{ "0-3,8,10-11\n", 0, "0-3,8,10-11", 11 },
		{ "5,4,3", 0, "3-5", 5 },
		{ "63", 0, "63", 63 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena a = UNIT_ARENA;
		struct cpus c;
		char buf[64];
		int rc;

		assert_int_equal(cpus_init(&c, &a, 64), 0);
		errno = 0;
		rc = cpus_parse(&c, rows[i].text, strlen(rows[i].text));
		if (rc != (rows[i].error ? -1 : 0) || errno != rows[i].error)
			fail_msg("row %zu '%s': rc %d errno %d", i, rows[i].text, rc, errno);
		assert_int_equal(cpus_parse_max(rows[i].text, strlen(rows[i].text)), rows[i].max);
		if (rc == 0) {
			assert_int_equal(cpus_format(&c, buf, sizeof(buf)), strlen(rows[i].printed));
			assert_string_equal(buf, rows[i].printed);
		}
		arena_free(&a);
	}
}

static void a_list_that_does_not_fit_is_cut_and_its_length_told(void **state)
{
	struct arena a = UNIT_ARENA;
	struct cpus c;
	char buf[4] = "xyz";

	(void)state;
	assert_int_equal(cpus_init(&c, &a, 200), 0);
	assert_int_equal(cpus_parse(&c, "100-102,130", 11), 0);
	assert_int_equal(cpus_format(&c, buf, sizeof(buf)), 11);
	assert_string_equal(buf, "100");
	assert_int_equal(cpus_format(&c, NULL, 0), 11);
	arena_free(&a);
}

static void sets_of_different_sizes_mix(void **state)
{
	struct arena a = UNIT_ARENA;
	struct cpus small, large;

	(void)state;
	assert_int_equal(cpus_init(&small, &a, 10), 0);
	assert_int_equal(cpus_init(&large, &a, 5000), 0);
	cpus_add(&small, 3);
	cpus_add(&small, 4000); /* no room: ignored */
	cpus_add(&large, 3);
	assert_true(cpus_equal(&small, &large));
	cpus_add(&large, 4999);
	assert_false(cpus_equal(&small, &large));
	assert_true(cpus_subset(&small, &large));
	assert_false(cpus_subset(&large, &small));
	assert_int_equal(cpus_next(&large, 4), 4999);
	assert_int_equal(cpus_next(&large, 5000), CPUS_NONE);
	assert_int_equal(cpus_and_count(&small, &large), 1);
	cpus_and(&large, &small);
	assert_int_equal(cpus_count(&large), 1);
	cpus_andnot(&large, &small);
	assert_true(cpus_empty(&large));
	cpus_or(&large, &small);
	assert_true(cpus_has(&large, 3));
	assert_false(cpus_has(&large, 100000));
	errno = 0;
	assert_int_equal(cpus_init(&large, &a, CPUS_MAX + 1), -1);
	assert_int_equal(errno, EINVAL);
	arena_free(&a);
}

static void every_member_is_visited_once_in_order(void **state)
{
	struct arena a = UNIT_ARENA;
	struct cpus c;
	unsigned int seen[4], n = 0;

	(void)state;
	assert_int_equal(cpus_init(&c, &a, 130), 0);
	assert_int_equal(cpus_parse(&c, "0,63-64,129", 11), 0);
	cpus_for_each(cpu, &c)
		seen[n++] = cpu;
	assert_int_equal(n, 4);
	assert_int_equal(seen[0], 0);
	assert_int_equal(seen[1], 63);
	assert_int_equal(seen[2], 64);
	assert_int_equal(seen[3], 129);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read_and_refused_as_the_kernel_writes_them),
		cmocka_unit_test(a_list_that_does_not_fit_is_cut_and_its_length_told),
		cmocka_unit_test(sets_of_different_sizes_mix),
		cmocka_unit_test(every_member_is_visited_once_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
