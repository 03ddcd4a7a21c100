/* The settle marker: believed by the process it was made for and its children,
 * on this boot, in this PID namespace, whole; and by nobody else. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/marker.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

struct markers {
	struct arena arena;
	struct cpus node, wide;
	char *value; /* this process's own */
};

static bool believed(const char *value)
{
	struct arena a = UNIT_ARENA;
	struct cpus node, wide;
	bool yes = marker_read(value, &a, &node, &wide);

	arena_free(&a);
	return yes;
}

static int set_up(void **state)
{
	static struct markers m = { .arena = UNIT_ARENA };

	cpus_init(&m.node, &m.arena, 64);
	cpus_init(&m.wide, &m.arena, CPUS_MAX);
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		cpus_add(&m.node, 10 + cpu);
	cpus_or(&m.wide, &m.node);
	cpus_add(&m.wide, 0);
	cpus_add(&m.wide, CPUS_MAX - 1);
	m.value = marker_make(&m.arena, &m.node, &m.wide);
	*state = &m;
	return m.value ? 0 : -1;
}

static int tear_down(void **state)
{
	struct markers *m = *state;

	arena_free(&m->arena);
	return 0;
}

/* The marker with field (0-based) replaced. */
static char *with_field(struct markers *m, unsigned int field, const char *text)
{
	const char *from = m->value, *end;
	char *out = arena_alloc(&m->arena, strlen(m->value) + strlen(text) + 1);

	for (; field; field--)
		from += strcspn(from, ":") + 1;
	end = from + strcspn(from, ":");
	memcpy(out, m->value, (size_t)(from - m->value));
	strcat(strcat(out, text), end);
	return out;
}

static void what_is_no_marker_is_not_believed(void **state)
{
	static const char *const rows[] = {
		"",	       ":",	    "1",	    "1:",	     "1:held",
		"1:settle",    "1:settle:", "1:settle::::::", "1:settle:::::::", "0:settle:",
		"2:settle:1:2:3:4:0:0:", "settle", "1:settle:x:y:z:a:b:c:", "1:settle:\n",
		"1:SETTLE:a:1:1:1:0:0:",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (believed(rows[i]))
			fail_msg("'%s' was believed", rows[i]);
	assert_false(marker_wants_settle(""));
	assert_false(marker_wants_settle(MARKER_HELD));
	assert_false(marker_wants_settle("1:settl"));
	assert_false(marker_wants_settle(" 1:settle:"));
}

static void a_marker_cut_anywhere_or_longer_is_not_believed(void **state)
{
	struct markers *m = *state;
	size_t len = strlen(m->value);
	char *text = arena_alloc(&m->arena, len + 2);

	assert_true(believed(m->value));
	for (size_t cut = 0; cut < len; cut++) {
		memcpy(text, m->value, cut);
		text[cut] = '\0';
		if (believed(text))
			fail_msg("'%s' was believed", text);
	}
	for (const char *more = ": ,0x"; *more; more++) {
		memcpy(text, m->value, len);
		text[len] = *more;
		text[len + 1] = '\0';
		if (believed(text))
			fail_msg("'%s' was believed", text);
	}
}

static void a_change_in_any_byte_before_the_masks_is_not_believed(void **state)
{
	struct markers *m = *state;
	char *text = arena_alloc(&m->arena, strlen(m->value) + 1);
	const char *masks = m->value;

	for (int field = 0; field < 6; field++)
		masks += strcspn(masks, ":") + 1;
	for (size_t at = 0; at < (size_t)(masks - m->value); at++)
		for (const char *c = " :fz"; *c; c++) {
			strcpy(text, m->value);
			if (text[at] == *c)
				continue;
			text[at] = *c;
			if (believed(text))
				fail_msg("'%s' was believed", text);
		}
}

static void forged_fields_are_not_believed(void **state)
{
	static const struct {
		unsigned int field;
		const char *text;
	} rows[] = {
		{ 2, "00000000-0000-0000-0000-000000000000" }, /* another boot */
		{ 2, "" },
		{ 3, "4026531835" },	     /* another PID namespace */
		{ 3, "4026531836000" },
		{ 3, "" },
		{ 4, "0" },
		{ 4, "" },
		{ 4, "-1" },
		{ 4, "4294967297" },
		{ 4, "99999999999999999999999" },
		{ 5, "0" },
		{ 5, "18446744073709551615" },
		{ 5, "18446744073709551616" },
		{ 6, "" },
		{ 6, "4-2" },
		{ 6, "16384" },
		{ 6, "0-4294967295" },
		{ 6, "x" },
		{ 6, "10-13,15" }, /* a mask that was never within the wide one */
		{ 7, "" },
		{ 7, "0-" },
		{ 7, "0-99999" },
		{ 7, "0-3;" },
		{ 7, "0-12" }, /* less than the node */
	};
	struct markers *m = *state;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *forged = with_field(m, rows[i].field, rows[i].text);

		if (believed(forged))
			fail_msg("'%s' was believed", forged);
	}
	/* The forger's tool forges: an unchanged field is believed. */
	assert_true(believed(with_field(m, 6, "10-13")));
}

static void a_marker_of_a_megabyte_is_not_believed(void **state)
{
	struct markers *m = *state;
	size_t len = strlen(m->value), size = 1u << 20;
	char *text = arena_alloc(&m->arena, size + 1);

	memcpy(text, m->value, len);
	memset(text + len, '0', size - len);
	assert_false(believed(text));
	memset(text, '1', size);
	assert_false(believed(text));
	memcpy(text, "1:settle:", 9);
	assert_false(believed(text));
}

static void the_process_it_was_made_for_reads_both_masks(void **state)
{
	struct markers *m = *state;
	struct cpus node, wide;

	assert_true(marker_wants_settle(m->value));
	assert_true(marker_read(m->value, &m->arena, &node, &wide));
	assert_true(cpus_equal(&node, &m->node));
	assert_true(cpus_equal(&wide, &m->wide));
}

/* Runs at depth generations below this process; its exit status says whether
 * value was believed there. */
static bool believed_below(const char *value, unsigned int depth)
{
	int status = 0;
	pid_t child;

	if (!depth)
		return believed(value);
	child = fork();
	if (child == 0)
		_exit(believed_below(value, depth - 1) ? 0 : 1);
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void children_of_the_rank_believe_it_to_the_eighth_generation(void **state)
{
	struct markers *m = *state;

	assert_true(believed_below(m->value, 1));
	assert_true(believed_below(m->value, MARKER_STEPS));
	assert_false(believed_below(m->value, MARKER_STEPS + 1));
}

/* A marker that another process made for itself, which lives until it is told
 * by closing *keep. */
static char *of_another(struct markers *m, int *keep)
{
	char *text = arena_alloc(&m->arena, 4096);
	int to[2], from[2];
	ssize_t n;

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	if (fork() == 0) {
		struct arena a = { 0 };
		const char *value = marker_make(&a, &m->node, &m->wide);
		char c;

		close(to[1]);
		n = value ? write(from[1], value, strlen(value)) : 0;
		_exit(read(to[0], &c, 1) == 0 && n > 0 ? 0 : 1);
	}
	close(to[0]);
	close(from[1]);
	n = read(from[0], text, 4095);
	close(from[0]);
	assert_true(n > 0);
	*keep = to[1];
	return text;
}

static void a_marker_that_leaked_is_not_believed(void **state)
{
	struct markers *m = *state;
	int keep, status;
	char *value = of_another(m, &keep);

	/* Its owner lives, and is a child or a sibling of who reads it. */
	assert_true(marker_wants_settle(value));
	assert_false(believed(value));
	assert_false(believed_below(value, 1));
	close(keep);
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	/* Its owner is gone. */
	assert_false(believed(value));
	assert_false(believed_below(value, 1));
}

static void masks_too_long_to_tell_give_no_marker(void **state)
{
	struct markers *m = *state;
	struct cpus odd;

	assert_int_equal(cpus_init(&odd, &m->arena, CPUS_MAX), 0);
	for (unsigned int cpu = 1; cpu < CPUS_MAX; cpu += 2)
		cpus_add(&odd, cpu);
	errno = 0;
	assert_null(marker_make(&m->arena, &odd, &odd));
	assert_int_equal(errno, E2BIG);
	assert_non_null(marker_make(&m->arena, &m->node, &m->wide));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_marker_is_not_believed),
		cmocka_unit_test(a_marker_cut_anywhere_or_longer_is_not_believed),
		cmocka_unit_test(a_change_in_any_byte_before_the_masks_is_not_believed),
		cmocka_unit_test(forged_fields_are_not_believed),
		cmocka_unit_test(a_marker_of_a_megabyte_is_not_believed),
		cmocka_unit_test(the_process_it_was_made_for_reads_both_masks),
		cmocka_unit_test(children_of_the_rank_believe_it_to_the_eighth_generation),
		cmocka_unit_test(a_marker_that_leaked_is_not_believed),
		cmocka_unit_test(masks_too_long_to_tell_give_no_marker),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
