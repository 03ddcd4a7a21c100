/* EVENKEEL_RANK: as it is, and after the words that make it this process's own. */
#include <unistd.h>

#include "core/proc.h"
#include "shim/marker.h"
#include "tests/fuzz/fuzz.h"

static void read_one(const char *value)
{
	struct arena a = FUZZ_ARENA;
	struct cpus node, wide;

	if (marker_read(value, &a, &node, &wide)) {
		fuzz_check(marker_wants_settle(value) && strlen(value) < MARKER_MAX);
		fuzz_check(!cpus_empty(&node) && cpus_subset(&node, &wide));
	}
	arena_free(&a);
}

/* This process's own marker without its lists: up to the last but two colons. */
static size_t own_words(char *buf, size_t size)
{
	struct arena a = FUZZ_ARENA;
	struct cpus one;
	char *value;
	size_t len;

	fuzz_check(cpus_init(&one, &a, 1) == 0);
	cpus_add(&one, 0);
	value = marker_make(&a, &one, &one);
	fuzz_check(value);
	len = strlen(value) - strlen("0:0:");
	fuzz_check(len < size);
	memcpy(buf, value, len);
	arena_free(&a);
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char words[512];
	static size_t len;
	char *text = fuzz_text(data, size), *value;

	if (!len)
		len = own_words(words, sizeof(words));
	read_one(text);
	value = malloc(len + size + 1);
	fuzz_check(value);
	memcpy(value, words, len);
	memcpy(value + len, text, size + 1);
	read_one(value);
	free(value);
	free(text);
	return 0;
}
