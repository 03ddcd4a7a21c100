/* One table of options for the command line, the environment and the site file. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/options.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Options with something in every field, so that a change is seen. */
static struct options full(void)
{
	struct options o = {
		.mode = OPTIONS_SETTLE,
		.order = PLAN_ORDER_CYCLIC,
		.width = 7,
		.together = true,
		.verbose = 1,
		.machine = "/m",
		.kernel = "6.1",
		.rule = "G8",
		.ledger = "/l",
		.deny = "a",
	};

	return o;
}

static bool same(const struct options *a, const struct options *b)
{
	return a->mode == b->mode && a->order == b->order && a->width == b->width &&
	       a->together == b->together && a->keep == b->keep && a->off == b->off &&
	       a->verbose == b->verbose && a->machine == b->machine && a->kernel == b->kernel &&
	       a->rule == b->rule && a->ledger == b->ledger && a->deny == b->deny;
}

static const struct bad_row {
	const char *name, *value;
	const char *says; /* part of the error */
} bad[] = {
	{ "mode", NULL, "mode: '' is not hold or settle" },
	{ "mode", "", "hold or settle" },
	{ "mode", "Hold", "'Hold'" },
	{ "mode", "hold ", "'hold '" },
	{ "order", "blocks", "block or cyclic" },
	{ "order", "", "block or cyclic" },
	{ "width", "", "1 to 16384" },
	{ "width", "0", "'0'" },
	{ "width", "-1", "'-1'" },
	{ "width", "+1", "'+1'" },
	{ "width", " 1", "' 1'" },
	{ "width", "1 ", "'1 '" },
	{ "width", "1,2", "'1,2'" },
	{ "width", "1.5", "'1.5'" },
	{ "width", "0x8", "'0x8'" },
	{ "width", "eight", "'eight'" },
	{ "width", "16385", "'16385'" },
	{ "width", "4294967297", "'4294967297'" },
	{ "width", "99999999999999999999999999", "1 to 16384" },
	{ "together", "maybe", "on or off" },
	{ "together", "2", "on or off" },
	{ "keep", "yes!", "on or off" },
	{ "off", "of", "on or off" },
	{ "verbose", "3", "0, 1 or 2" },
	{ "verbose", "-1", "0, 1 or 2" },
	{ "verbose", "very", "0, 1 or 2" },
	{ "machine", "", "a file or a machine text" },
	{ "kernel", "", "kernel version" },
	{ "kernel", "new", "'new'" },
	{ "kernel", "6", "'6'" },
	{ "rule", "", "name of a rule" },
	{ "rule", "G99", "'G99'" },
	{ "ledger", "", "full path" },
	{ "ledger", "here", "'here'" },
	{ "ledger", "None", "'None'" },
	{ "deny", "", "list of program names" },
};

static void a_bad_value_is_refused_in_words_and_changes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct options o = full(), before = full();
		struct options_error err = { "" };

		errno = 0;
		if (options_set(&o, bad[i].name, bad[i].value, &err) != -1 || errno != EINVAL)
			fail_msg("%s '%s' was taken", bad[i].name, bad[i].value);
		assert_true(same(&o, &before));
		if (!strstr(err.text, bad[i].says) || strncmp(err.text, bad[i].name,
							      strlen(bad[i].name)))
			fail_msg("'%s' does not say \"%s\"", err.text, bad[i].says);
		assert_null(strchr(err.text, '\n'));
		assert_int_equal(options_set(&o, bad[i].name, bad[i].value, NULL), -1);
	}
}

static void a_name_that_is_no_option_is_refused(void **state)
{
	static const char *const names[] = {
		"", " ", "modes", "mod", "mode ", "mode=hold", "--mode", "EVENKEEL_MODE", "rank", "conf",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		struct options o = full(), before = full();
		struct options_error err = { "" };

		errno = 0;
		if (options_set(&o, names[i], "1", &err) != -1 || errno != ENOENT)
			fail_msg("'%s' was taken", names[i]);
		assert_true(same(&o, &before));
		assert_non_null(strstr(err.text, names[i]));
	}
}

static void a_very_long_value_is_cut_in_the_error(void **state)
{
	struct options o = full();
	struct options_error err;
	char value[2000];

	(void)state;
	memset(value, '9', sizeof(value));
	value[sizeof(value) - 1] = '\0';
	memset(&err, 'x', sizeof(err));
	assert_int_equal(options_set(&o, "width", value, &err), -1);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void each_option_takes_its_values(void **state)
{
	struct options o = { 0 };
	static const char *const on[] = { NULL, "", "1", "on", "ON", "yes", "True" };
	static const char *const off[] = { "0", "off", "Off", "no", "false" };

	(void)state;
#define SET(name, value) assert_int_equal(options_set(&o, name, value, NULL), 0)
	SET("mode", "settle");
	assert_int_equal(o.mode, OPTIONS_SETTLE);
	SET("Mode", "hold");
	assert_int_equal(o.mode, OPTIONS_HOLD);
	SET("order", "cyclic");
	assert_int_equal(o.order, PLAN_ORDER_CYCLIC);
	SET("order", "block");
	assert_int_equal(o.order, PLAN_ORDER_BLOCK);
	SET("width", "99");
	assert_int_equal(o.width, 99);
	SET("width", "1");
	assert_int_equal(o.width, 1);
	SET("width", "00016384");
	assert_int_equal(o.width, OPTIONS_WIDTH_MAX);
	SET("kernel", "6.12.117-generic");
	assert_string_equal(o.kernel, "6.12.117-generic");
	SET("rule", "G8");
	assert_string_equal(o.rule, "G8");
	SET("machine", "/etc/machine.txt");
	assert_string_equal(o.machine, "/etc/machine.txt");
	SET("machine", "live");
	assert_null(o.machine);
	SET("ledger", "/run/x");
	assert_string_equal(o.ledger, "/run/x");
	SET("ledger", "none");
	assert_string_equal(o.ledger, "none");
	SET("deny", "a b");
	assert_string_equal(o.deny, "a b");
	for (size_t i = 0; i < COUNT(on); i++) {
		o.together = o.keep = o.off = false;
		o.verbose = 2;
		SET("together", on[i]);
		SET("keep", on[i]);
		SET("off", on[i]);
		SET("verbose", on[i]);
		assert_true(o.together && o.keep && o.off && o.verbose == 1);
	}
	for (size_t i = 0; i < COUNT(off); i++) {
		o.together = o.keep = o.off = true;
		o.verbose = 2;
		SET("together", off[i]);
		SET("keep", off[i]);
		SET("off", off[i]);
		SET("verbose", off[i]);
		assert_true(!o.together && !o.keep && !o.off && o.verbose == 0);
	}
	SET("verbose", "2");
	assert_int_equal(o.verbose, 2);
#undef SET
}

static unsigned int from_env(struct options *o, const char *a, const char *b, const char *c)
{
	char text[3][200], *env[4] = { NULL };
	const char *in[] = { a, b, c };

	for (size_t i = 0; i < 3 && in[i]; i++) {
		snprintf(text[i], sizeof(text[i]), "%s", in[i]);
		env[i] = text[i];
	}
	return options_from_env(o, env);
}

static void a_bad_variable_is_skipped_and_counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct options o = full(), before = full();
		char entry[200] = "EVENKEEL_", *at = entry + 9;

		for (const char *n = bad[i].name; *n; n++)
			*at++ = (char)(*n - 'a' + 'A');
		snprintf(at, 100, "=%s", bad[i].value ? bad[i].value : "");
		/* deny is the site's alone: not even looked at. */
		assert_int_equal(from_env(&o, entry, NULL, NULL), strcmp(bad[i].name, "deny") != 0);
		if (!same(&o, &before))
			fail_msg("%s changed something", entry);
	}
}

static void variables_that_are_not_ours_change_nothing(void **state)
{
	static const char *const rows[] = {
		"",
		"=",
		"EVENKEEL_",
		"EVENKEEL_=",
		"EVENKEEL_MODE",
		"EVENKEEL_MODES=hold",
		"XEVENKEEL_MODE=hold",
		"123456789MODE=hold",
		"EVENKEELMODE=hold",
		"MODE=hold",
		"EVENKEEL",
		"EVENKEEL=",
		"EVENKEEL=on",
		"EVENKEEL=perhaps",
		"EVENKEEL_RANK=1:held",
		"EVENKEEL_CONF=/etc/x",
		"EVENKEEL_DENY=b",
		"EVENKEEL_A_NAME_LONGER_THAN_ANY_OPTION_HAS=1",
		"EVENKEEL_123456789012345=1",
		"EVENKEEL_1234567890123456=1",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct options o = full(), before = full();

		if (from_env(&o, rows[i], NULL, NULL) || !same(&o, &before))
			fail_msg("'%s' was taken", rows[i]);
	}
}

static void the_environment_sets_options_by_their_names(void **state)
{
	struct options o = { 0 };

	(void)state;
	assert_int_equal(from_env(&o, "EVENKEEL_MODE=settle", "EVENKEEL_WIDTH=4",
				  "EVENKEEL_TOGETHER="), 0);
	assert_true(o.mode == OPTIONS_SETTLE && o.width == 4 && o.together && !o.off);
	/* A value that cannot be read leaves the others. */
	assert_int_equal(from_env(&o, "EVENKEEL_WIDTH=x", "EVENKEEL_MODE=hold",
				  "EVENKEEL_ORDER=?"), 2);
	assert_true(o.mode == OPTIONS_HOLD && o.width == 4);
	assert_int_equal(from_env(&o, "A=B", "EVENKEEL=off", NULL), 0);
	assert_true(o.off);
	assert_int_equal(from_env(&o, "EVENKEEL=on", NULL, NULL), 0);
	assert_false(o.off);
	from_env(&o, "EVENKEEL=0", NULL, NULL);
	assert_true(o.off);
}

static unsigned int from_file(struct options *o, char *buf, const char *text, unsigned int *first)
{
	strcpy(buf, text);
	return options_from_file(o, buf, first);
}

static void bad_lines_of_a_site_file_are_skipped_and_the_first_is_named(void **state)
{
	static const struct {
		const char *text;
		unsigned int bad, first;
	} rows[] = {
		{ "mode", 1, 1 },
		{ "mode sometimes\n", 1, 1 },
		{ "=\n", 1, 1 },
		{ "mode=settle\n", 1, 1 },
		{ "mode settle now\n", 1, 1 },
		{ "EVENKEEL_MODE settle\n", 1, 1 },
		{ "\n# a comment\nwidth 0\nwidth none\nwidth 99999\n", 3, 3 },
		{ "width 7\n\nmachine\nnonsense 1", 2, 3 },
	};
	char buf[200];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct options o = full(), before = full();
		unsigned int first = 99, n = from_file(&o, buf, rows[i].text, &first);

		if (n != rows[i].bad || first != rows[i].first)
			fail_msg("row %zu: %u bad lines, the first is %u", i, n, first);
		assert_true(same(&o, &before));
		from_file(&o, buf, rows[i].text, NULL);
	}
}

static void a_site_file_is_names_values_and_comments(void **state)
{
	static const char *const nothing[] = { "", "\n", "\n\n", " \t\r\n", "#", "# mode hold",
					       "  # mode hold\n", "\n#" };
	struct options o = full(), before = full();
	unsigned int first = 99;
	char buf[400];

	(void)state;
	for (size_t i = 0; i < COUNT(nothing); i++) {
		assert_int_equal(from_file(&o, buf, nothing[i], &first), 0);
		assert_int_equal(first, 0);
		assert_true(same(&o, &before));
	}
	memset(&o, 0, sizeof(o));
	assert_int_equal(from_file(&o, buf,
				   "# for this site\r\n"
				   "  mode \t settle  # until MPI is up\n"
				   "together\n"
				   "\tWIDTH\t2\r\n"
				   "off no\n"
				   "deny  emacs /opt/bin/x\n"
				   "order cyclic", &first), 0);
	assert_int_equal(first, 0);
	assert_true(o.mode == OPTIONS_SETTLE && o.together && o.width == 2 && !o.off);
	assert_int_equal(o.order, PLAN_ORDER_CYCLIC);
	assert_string_equal(o.deny, "emacs /opt/bin/x");
}

static void the_later_source_wins(void **state)
{
	struct options o = { 0 };
	char buf[100];

	(void)state;
	from_file(&o, buf, "width 2\nwidth 3\nmode settle\n", NULL);
	assert_int_equal(o.width, 3);
	from_env(&o, "EVENKEEL_WIDTH=4", "EVENKEEL_WIDTH=5", NULL);
	assert_int_equal(o.width, 5);
	assert_int_equal(options_set(&o, "width", "6", NULL), 0);
	assert_true(o.width == 6 && o.mode == OPTIONS_SETTLE);
}

static void the_width_is_the_first_that_is_a_number(void **state)
{
	static const struct {
		unsigned int given;
		const char *env[3];
		unsigned int width;
	} rows[] = {
		{ 0, { NULL }, 0 },
		{ 0, { "OMP_NUM_THREADS=" }, 0 },
		{ 0, { "OMP_NUM_THREADS=0" }, 0 },
		{ 0, { "OMP_NUM_THREADS=-4" }, 0 },
		{ 0, { "OMP_NUM_THREADS=x" }, 0 },
		{ 0, { "OMP_NUM_THREADS=16385" }, 0 },
		{ 0, { "OMP_NUM_THREADS=4x" }, 0 },
		{ 0, { "OMP_NUM_THREADS=4 " }, 0 },
		{ 0, { "OMP_NUM_THREADS=,4" }, 0 },
		{ 0, { "SLURM_CPUS_PER_TASK=many" }, 0 },
		{ 0, { "XOMP_NUM_THREADS=4" }, 0 },
		{ 0, { "OMP_NUM_THREADS=4" }, 4 },
		{ 0, { "OMP_NUM_THREADS=4,2" }, 4 },
		{ 0, { "SLURM_CPUS_PER_TASK=8" }, 8 },
		{ 0, { "SLURM_CPUS_PER_TASK=8", "OMP_NUM_THREADS=4" }, 4 },
		{ 0, { "SLURM_CPUS_PER_TASK=8", "OMP_NUM_THREADS=0" }, 8 },
		{ 3, { "SLURM_CPUS_PER_TASK=8", "OMP_NUM_THREADS=4" }, 3 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct options o = { .width = rows[i].given };
		char *env[4] = { NULL };

		memcpy(env, rows[i].env, sizeof(rows[i].env));
		if (options_width(&o, env) != rows[i].width)
			fail_msg("row %zu: width %u", i, options_width(&o, env));
	}
}

static void the_value_of_a_variable_is_the_first_of_its_name(void **state)
{
	char a[] = "AB=1", b[] = "A", c[] = "A=2", d[] = "A=3", e[] = "B=", *env[] = { a, b, c, d, e, NULL };
	char *none[] = { NULL };

	(void)state;
	assert_null(options_getenv(none, "A"));
	assert_null(options_getenv(env, "C"));
	assert_string_equal(options_getenv(env, "A"), "2");
	assert_string_equal(options_getenv(env, "AB"), "1");
	assert_string_equal(options_getenv(env, "B"), "");
}

static void a_program_is_denied_by_its_last_component(void **state)
{
	static const struct {
		const char *deny, *program;
		bool denied;
	} rows[] = {
		{ NULL, "app", false },
		{ "", "app", false },
		{ " \t ", "app", false },
		{ " \t ", "", false },
		{ "app", "", false },
		{ "app", "/opt/app/", false },
		{ "app", "ap", false },
		{ "app", "apps", false },
		{ "apps ap", "app", false },
		{ "/opt/app/", "app", false },
		{ "app", "App", false },
		{ "app", "app", true },
		{ "app", "/opt/bin/app", true },
		{ "/opt/bin/app", "app", true },
		{ "/opt/bin/app", "/usr/bin/app", true },
		{ " x  y\tapp ", "./app", true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		if (options_denied(rows[i].deny, rows[i].program) != rows[i].denied)
			fail_msg("row %zu: '%s' in '%s'", i, rows[i].program, rows[i].deny);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bad_value_is_refused_in_words_and_changes_nothing),
		cmocka_unit_test(a_name_that_is_no_option_is_refused),
		cmocka_unit_test(a_very_long_value_is_cut_in_the_error),
		cmocka_unit_test(each_option_takes_its_values),
		cmocka_unit_test(a_bad_variable_is_skipped_and_counted),
		cmocka_unit_test(variables_that_are_not_ours_change_nothing),
		cmocka_unit_test(the_environment_sets_options_by_their_names),
		cmocka_unit_test(bad_lines_of_a_site_file_are_skipped_and_the_first_is_named),
		cmocka_unit_test(a_site_file_is_names_values_and_comments),
		cmocka_unit_test(the_later_source_wins),
		cmocka_unit_test(the_width_is_the_first_that_is_a_number),
		cmocka_unit_test(the_value_of_a_variable_is_the_first_of_its_name),
		cmocka_unit_test(a_program_is_denied_by_its_last_component),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
