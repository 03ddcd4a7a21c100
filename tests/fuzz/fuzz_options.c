/* Options: as a site's file, as variables, and what else of an environment is
 * looked at. */
#include "core/options.h"
#include "shim/env.h"
#include "shim/launchvars.h"
#include "shim/standdown.h"
#include "tests/fuzz/fuzz.h"

#define LINES_MAX 64

static void check_options(const struct options *o)
{
	fuzz_check(o->width <= OPTIONS_WIDTH_MAX && o->verbose <= 2);
	fuzz_check(o->mode <= OPTIONS_SETTLE && o->order <= PLAN_ORDER_CYCLIC);
	fuzz_check(o->bind <= OPTIONS_BIND_SLICE && o->mem <= OPTIONS_MEM_INTERLEAVE);
	fuzz_check(!o->rule || policy_by_name(o->rule) != POLICY_UNSET);
	fuzz_check(!o->ledger || *o->ledger == '/' || !strcmp(o->ledger, OPTIONS_LEDGER_NONE));
}

static void as_file(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct options o = { 0 };
	unsigned int bad, skipped = options_from_file(&o, text, &bad);

	fuzz_check(!skipped == !bad);
	check_options(&o);
	options_denied(o.deny, "a/b/numactl");
	free(text);
}

/* Without our library, and the rest as it was. */
static void check_env(char **envp, struct arena *a)
{
	unsigned int n, count = 0;
	char **env = env_without_us(a, envp, 1, &n), *one;

	while (envp[count])
		count++;
	fuzz_check(env && n <= count);
	for (unsigned int i = 0; i < n; i++) {
		fuzz_check(!env_is_ours(env[i]));
		if (env_is(env[i], ENV_PRELOAD))
			fuzz_check(!env_preload_has_us(env[i] + strlen(ENV_PRELOAD) + 1));
	}
	one = env_entry(a, "ONE", "1");
	env_put(env, &n, one);
	fuzz_check(n <= count + 1 && options_getenv(env, "ONE"));
}

static void as_environment(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size), *lines[LINES_MAX];
	struct arena a = FUZZ_ARENA;
	struct options o = { 0 };
	struct launchvars v;

	fuzz_lines(lines, LINES_MAX, text, size);
	options_from_env(&o, lines);
	check_options(&o);
	fuzz_check(!o.deny);
	fuzz_check(options_width(&o, lines) <= OPTIONS_WIDTH_MAX);
	options_slice(&o, lines);
	if (launchvars_any(lines, &v))
		fuzz_check(v.rank < v.nranks);
	fuzz_check(*standdown_text(standdown_env(lines, NULL)));
	check_env(lines, &a);
	arena_free(&a);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	as_file(data, size);
	as_environment(data, size);
	return 0;
}
