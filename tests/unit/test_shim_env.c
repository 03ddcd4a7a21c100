/* The copies of an environment that mpiexec, the proxy and ranks are given. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "shim/env.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void a_preload_list_without_us_stays_as_it_is(void **state)
{
	static const char *const lists[] = {
		"",
		" ",
		":",
		" : ",
		"libevenkeel.so.0",
		"libevenkeel.soo",
		"libevenkeel.s",
		"LIBEVENKEEL.SO",
		"notlibevenkeel.so",
		"/opt/xlibevenkeel.so",
		"/opt/libevenkeel.so/other.so",
		"/opt/libevenkeel.so/",
		"/opt/libevenkeel.so.bak:/opt/my-libevenkeel.so",
		"/a.so  /b.so::/c.so: ",
		"libevenkeel.so;libother.so",
		"\tlibevenkeel.so\t",
	};
	struct arena a = UNIT_ARENA;

	(void)state;
	for (size_t i = 0; i < COUNT(lists); i++) {
		char *out = env_preload_without_us(&a, lists[i]);

		if (env_preload_has_us(lists[i]))
			fail_msg("'%s' was taken for ours", lists[i]);
		assert_non_null(out);
		assert_ptr_not_equal(out, lists[i]);
		assert_string_equal(out, lists[i]);
	}
	arena_free(&a);
}

static void our_name_goes_and_the_others_keep_order_and_separators(void **state)
{
	static const struct {
		const char *list, *rest;
	} rows[] = {
		{ "libevenkeel.so", "" },
		{ "/opt/evenkeel/libevenkeel.so", "" },
		{ "/opt/$LIB/libevenkeel.so", "" },
		{ "./libevenkeel.so", "" },
		{ " libevenkeel.so ", "" },
		{ "::libevenkeel.so::", "" },
		{ "libevenkeel.so:/a.so", "/a.so" },
		{ "libevenkeel.so /a.so", "/a.so" },
		{ "/a.so:libevenkeel.so", "/a.so" },
		{ "/a.so libevenkeel.so", "/a.so" },
		{ "/a.so:/x/libevenkeel.so:/b.so", "/a.so:/b.so" },
		{ "/a.so /x/libevenkeel.so:/b.so", "/a.so:/b.so" },
		{ "/a.so:/x/libevenkeel.so /b.so", "/a.so /b.so" },
		{ "/a.so::/x/libevenkeel.so::/b.so", "/a.so:/b.so" },
		{ "  /a.so  libevenkeel.so  /b.so  ", "/a.so /b.so" },
		{ "/x/libevenkeel.so:/x/libevenkeel.so", "" },
		{ "/x/libevenkeel.so:/a.so:/y/libevenkeel.so:/b.so:libevenkeel.so", "/a.so:/b.so" },
		{ "/a.so:/a.so:libevenkeel.so", "/a.so:/a.so" },
		{ "xlibevenkeel.so:libevenkeel.so:libevenkeel.so.0",
		  "xlibevenkeel.so:libevenkeel.so.0" },
	};
	struct arena a = UNIT_ARENA;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *out = env_preload_without_us(&a, rows[i].list);

		if (!env_preload_has_us(rows[i].list))
			fail_msg("we were not found in '%s'", rows[i].list);
		assert_non_null(out);
		if (strcmp(out, rows[i].rest))
			fail_msg("'%s' became '%s', not '%s'", rows[i].list, out, rows[i].rest);
		assert_false(env_preload_has_us(out));
	}
	arena_free(&a);
}

static void only_our_variables_are_ours(void **state)
{
	static const char *const others[] = {
		"",	     "=",	      "EVEN=1",	    "EVENKEELX=1", "XEVENKEEL=1",
		"evenkeel=", "EVENKEEL",      "EVENKEE_L=", " EVENKEEL=1", "LD_PRELOAD=EVENKEEL=",
	};
	static const char *const ours[] = {
		"EVENKEEL=off", "EVENKEEL=", "EVENKEEL_MODE=settle", "EVENKEEL_RANK=1:held",
		"EVENKEEL_=",	"EVENKEEL_",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++)
		if (env_is_ours(others[i]))
			fail_msg("'%s' was taken for ours", others[i]);
	for (size_t i = 0; i < COUNT(ours); i++)
		if (!env_is_ours(ours[i]))
			fail_msg("'%s' was not taken for ours", ours[i]);
	assert_false(env_is("LD_PRELOADED=1", ENV_PRELOAD));
	assert_false(env_is("LD_PRELOAD", ENV_PRELOAD));
	assert_true(env_is("LD_PRELOAD=", ENV_PRELOAD));
}

static unsigned int count(char *const *env)
{
	unsigned int n = 0;

	while (env[n])
		n++;
	return n;
}

static void a_copy_leaves_out_what_is_ours_and_keeps_the_rest_by_pointer(void **state)
{
	char path[] = "PATH=/bin", preload[] = "LD_PRELOAD=/a.so:/x/libevenkeel.so";
	char mode[] = "EVENKEEL_MODE=settle", off[] = "EVENKEEL=on", odd[] = "NOVALUE";
	char second[] = "LD_PRELOAD=libevenkeel.so", rank[] = "EVENKEEL_RANK=1:held";
	char last[] = "LD_PRELOADX=libevenkeel.so";
	char *env[] = { path, off, preload, mode, odd, second, rank, last, NULL };
	struct arena a = UNIT_ARENA;
	unsigned int n = 99;
	char **copy = env_without_us(&a, env, 2, &n);

	(void)state;
	assert_non_null(copy);
	assert_int_equal(n, 4);
	assert_ptr_equal(copy[0], path);
	assert_string_equal(copy[1], "LD_PRELOAD=/a.so");
	assert_ptr_equal(copy[2], odd);
	assert_ptr_equal(copy[3], last);
	assert_null(copy[4]);
	/* Nothing was written to, and room for two more is there. */
	assert_string_equal(preload, "LD_PRELOAD=/a.so:/x/libevenkeel.so");
	assert_ptr_equal(env[2], preload);
	env_put(copy, &n, mode);
	env_put(copy, &n, rank);
	assert_int_equal(n, 6);
	assert_int_equal(count(copy), 6);
	arena_free(&a);
}

static void an_environment_with_nothing_of_ours_is_copied_whole(void **state)
{
	char path[] = "PATH=/bin", preload[] = "LD_PRELOAD=/a.so  /b.so";
	char *env[] = { path, preload, NULL }, *none[] = { NULL };
	struct arena a = UNIT_ARENA;
	unsigned int n = 99;
	char **copy = env_without_us(&a, env, 0, &n);

	(void)state;
	assert_non_null(copy);
	assert_int_equal(n, 2);
	assert_memory_equal(copy, env, sizeof(env));
	copy = env_without_us(&a, none, 0, &n);
	assert_non_null(copy);
	assert_int_equal(n, 0);
	assert_null(copy[0]);
	arena_free(&a);
}

static void putting_replaces_the_same_name_and_no_other(void **state)
{
	char a1[] = "A=1", ab[] = "AB=2", b[] = "B=3", a2[] = "A=", c[] = "C=A=1";
	char *env[6] = { ab, a1, b, NULL };
	unsigned int n = 3;

	(void)state;
	env_put(env, &n, a2);
	assert_int_equal(n, 3);
	assert_ptr_equal(env[0], ab);
	assert_ptr_equal(env[1], a2);
	assert_ptr_equal(env[2], b);
	assert_null(env[3]);
	env_put(env, &n, c);
	assert_int_equal(n, 4);
	assert_ptr_equal(env[3], c);
	assert_null(env[4]);
}

static void an_entry_is_name_and_value(void **state)
{
	struct arena a = UNIT_ARENA;

	(void)state;
	assert_string_equal(env_entry(&a, "LD_PRELOAD", "/a.so:/b.so"), "LD_PRELOAD=/a.so:/b.so");
	assert_string_equal(env_entry(&a, "X", ""), "X=");
	arena_free(&a);
}

/* How many pieces of memory may still be had. */
static unsigned int pieces;

static void *few_pieces(size_t size)
{
	return pieces && pieces-- ? malloc(size) : NULL;
}

static void without_memory_there_is_no_copy_and_no_damage(void **state)
{
	char preload[] = "LD_PRELOAD=/a.so:/x/libevenkeel.so", path[] = "PATH=/bin";
	char *env[] = { preload, path, NULL };
	struct arena a = { .get = few_pieces, .put = free };
	unsigned int n, enough = 0;

	(void)state;
	for (; enough < 10; enough++) {
		pieces = enough;
		errno = 0;
		if (env_without_us(&a, env, 0, &n))
			break;
		assert_int_equal(errno, ENOMEM);
	}
	/* The array, the list and the entry. */
	assert_int_equal(enough, 3);
	pieces = 0;
	assert_null(env_preload_without_us(&a, "x"));
	assert_null(env_entry(&a, "X", "1"));
	assert_string_equal(preload, "LD_PRELOAD=/a.so:/x/libevenkeel.so");
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_preload_list_without_us_stays_as_it_is),
		cmocka_unit_test(our_name_goes_and_the_others_keep_order_and_separators),
		cmocka_unit_test(only_our_variables_are_ours),
		cmocka_unit_test(a_copy_leaves_out_what_is_ours_and_keeps_the_rest_by_pointer),
		cmocka_unit_test(an_environment_with_nothing_of_ours_is_copied_whole),
		cmocka_unit_test(putting_replaces_the_same_name_and_no_other),
		cmocka_unit_test(an_entry_is_name_and_value),
		cmocka_unit_test(without_memory_there_is_no_copy_and_no_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
