/* Cpu lists: what is read is written and read back as the same set. */
#include "core/cpus.h"
#include "tests/fuzz/fuzz.h"

static void check_again(const struct cpus *c, struct arena *a)
{
	size_t len = cpus_format(c, NULL, 0);
	char *list = arena_alloc(a, len + 1), *cut = arena_alloc(a, len / 2 + 1);
	struct cpus again;

	fuzz_check(cpus_format(c, list, len + 1) == len && strlen(list) == len);
	fuzz_check(cpus_init(&again, a, CPUS_MAX) == 0);
	fuzz_check(cpus_parse(&again, list, len) == 0);
	fuzz_check(cpus_equal(c, &again) && cpus_count(c) == cpus_count(&again));
	fuzz_check(cpus_format(c, cut, len / 2 + 1) == len);
	cpus_andnot(&again, c);
	fuzz_check(cpus_empty(&again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	unsigned int max = cpus_parse_max(text, size);
	struct arena a = FUZZ_ARENA;
	struct cpus c;

	fuzz_check(max == CPUS_NONE || max < CPUS_MAX);
	fuzz_check(cpus_init(&c, &a, max == CPUS_NONE ? 0 : max + 1) == 0);
	if (cpus_parse(&c, text, size) == 0) {
		fuzz_check(max == CPUS_NONE ? cpus_empty(&c) : cpus_has(&c, max));
		fuzz_check(cpus_next(&c, max == CPUS_NONE ? 0 : max + 1) == CPUS_NONE);
		check_again(&c, &a);
	}
	arena_free(&a);
	free(text);
	return 0;
}
