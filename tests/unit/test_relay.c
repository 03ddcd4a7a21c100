/* What passes through `evenkeel run -v` and --report, and what it says of hosts. */
#include "tests/unit/unit.h"

#include <string.h>

#include "launcher/relay.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void lines_that_name_no_host_say_nothing(void **state)
{
	static const char *const lines[] = {
		"",
		"evenkeel[",
		"evenkeel[]: h1: 2 ranks, hold",
		"evenkeel[1]:",
		"evenkeel[1]: ",
		"evenkeel[1]: : ",
		"evenkeel[1]: h1",
		"evenkeel[1]: h1: ",
		"evenkeel[1]: h1: ranks",
		"evenkeel[1]: h1: not active:",
		"evenkeel[1] h1: 2 ranks",
		" evenkeel[1]: h1: 2 ranks",
		"evenkeel[x]: h1: 2 ranks",
		"evenkeel[1 0]: rank 0 on node 0, cpus 0, held",
		"evenkeel[1]: not placed: a binding was asked for",
		"evenkeel[1]: warning: more cpus are wanted than are idle: 2 ranks, 2 cpus, 2 busy",
		"h1: 2 ranks, hold",
	};
	struct arena a = UNIT_ARENA;
	struct hosts h = { .arena = &a };

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		assert_int_equal(hosts_line(&h, lines[i], strlen(lines[i])), 0);
		if (h.n)
			fail_msg("'%s' names '%s'", lines[i], h.hosts[0].name);
	}
	arena_free(&a);
}

static void hosts_are_counted_once_and_alike_ones_named_together(void **state)
{
	static const char *const lines[] = {
		"evenkeel[7]: h3: not active: /x is not there",
		"evenkeel[17]: h1: 2 ranks, node 0: 1, node 1: 1, hold",
		"evenkeel[18]: h1: 1 rank, not placed: at most one node has allowed cpus",
		"evenkeel[9]: h4: not active: other: reason",
		"evenkeel[7]: h5: not active: /x is not there",
		"evenkeel[7]: h1: not active: /x is not there",
		"evenkeel[8]: h6: not active: late",
		"evenkeel[8]: h6: 3 ranks, hold",
		"evenkeel[9]: h7: ranks that come one by one, hold",
	};
	struct arena a = UNIT_ARENA;
	struct hosts h = { .arena = &a };

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++)
		assert_int_equal(hosts_line(&h, lines[i], strlen(lines[i])), 0);
	assert_int_equal(h.n, 6);
	assert_int_equal(hosts_active(&h), 3);
	assert_string_equal(hosts_alike(&h, 0), "h3, h5");
	assert_string_equal(h.hosts[0].why, "/x is not there");
	assert_null(hosts_alike(&h, 1));
	assert_string_equal(hosts_alike(&h, 2), "h4");
	assert_string_equal(h.hosts[2].why, "other: reason");
	assert_null(hosts_alike(&h, 3));
	assert_null(hosts_alike(&h, 4));
	arena_free(&a);
}

/* Takes text in pieces of size bytes; out gets what was passed on. */
static void take(struct relay *r, const char *text, size_t size, char *out)
{
	size_t len = strlen(text), n = 0;

	for (size_t at = 0; at < len; at += size)
		n += relay_take(r, text + at, len - at < size ? len - at : size, out + n);
	out[n] = '\0';
}

static const char mixed[] = "plain\nevenkeel[1]: h1: 2 ranks, hold\nevenkeel run\nevenkeel[2]: "
			    "h2: not active: why\n\n x evenkeel[3]: h3: 1 rank\neven";

static void everything_is_passed_on_whatever_pieces_it_comes_in(void **state)
{
	struct arena a = UNIT_ARENA;
	char out[2 * sizeof(mixed)];

	(void)state;
	for (size_t size = 1; size <= sizeof(mixed); size++) {
		struct relay r = { .show = true, .hosts = { .arena = &a } };

		take(&r, mixed, size, out);
		assert_memory_equal(out, mixed, strlen(out));
		assert_int_equal(strlen(out) + r.len, strlen(mixed));
		assert_int_equal(r.hosts.n, 2);
	}
	arena_free(&a);
}

static void a_report_keeps_the_preloads_lines_to_itself(void **state)
{
	static const char rest[] = "plain\nevenkeel run\n\n x evenkeel[3]: h3: 1 rank\n";
	struct arena a = UNIT_ARENA;
	char out[2 * sizeof(mixed)];

	(void)state;
	for (size_t size = 1; size <= sizeof(mixed); size++) {
		struct relay r = { .hosts = { .arena = &a } };

		take(&r, mixed, size, out);
		assert_string_equal(out, rest);
		assert_memory_equal(r.line, "even", r.len);
		assert_int_equal(r.hosts.n, 2);
	}
	arena_free(&a);
}

static void a_line_without_an_end_is_passed_on_when_it_is_too_long(void **state)
{
	char text[3 * RELAY_LINE_MAX], out[4 * RELAY_LINE_MAX];
	struct arena a = UNIT_ARENA;
	struct relay r = { .hosts = { .arena = &a } };

	(void)state;
	memset(text, 'x', sizeof(text));
	memcpy(text, HOSTS_LINE, strlen(HOSTS_LINE));
	text[sizeof(text) - 1] = '\0';
	take(&r, text, 100, out);
	assert_string_equal(out, text);
	take(&r, "\nevenkeel[1]: h1: 1 rank\n.", 100, out);
	assert_string_equal(out, "\n.");
	assert_int_equal(r.hosts.n, 1);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_name_no_host_say_nothing),
		cmocka_unit_test(hosts_are_counted_once_and_alike_ones_named_together),
		cmocka_unit_test(everything_is_passed_on_whatever_pieces_it_comes_in),
		cmocka_unit_test(a_report_keeps_the_preloads_lines_to_itself),
		cmocka_unit_test(a_line_without_an_end_is_passed_on_when_it_is_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
