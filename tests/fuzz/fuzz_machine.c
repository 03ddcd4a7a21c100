/* Machine texts: what is read is written and read back as the same machine, and
 * a plan can be made for it. */
#include <errno.h>

#include "core/machine_text.h"
#include "tests/fuzz/fuzz.h"

static void check_plan(const struct machine *m, struct arena *a)
{
	struct plan_request request = { .nranks = 5, .width = m->nnodes % 3 };
	struct machine_view view;
	struct plan p;

	fuzz_check(machine_view(m, cpus_next(&m->usable, 0), NULL, a, &view) == 0);
	fuzz_check(view.package >= 1 && view.llc >= 1);
	fuzz_check(plan_make(&p, a, m, &m->usable, &request) == 0);
	fuzz_check_plan(&p, m, &m->usable);
}

static void check_again(const struct machine *m, struct arena *a)
{
	size_t len = machine_text_write(m, NULL, 0);
	char *text = arena_alloc(a, len + 1), *more = arena_alloc(a, len + 1);
	struct machine again;

	fuzz_check(machine_text_write(m, text, len + 1) == len);
	fuzz_check(machine_text_is(text, len));
	fuzz_check(machine_text_read(&again, a, text, len, NULL) == 0);
	fuzz_check(machine_text_write(&again, more, len + 1) == len);
	fuzz_check(!strcmp(text, more));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct machine_text_error err = { .text = "" };
	struct arena a = FUZZ_ARENA;
	struct machine m;

	if (machine_text_read(&m, &a, text, size, &err) == 0) {
		fuzz_check(machine_text_is(text, size));
		if (m.ncpus <= FUZZ_CPUS_MAX)
			check_again(&m, &a);
		check_plan(&m, &a);
	} else {
		fuzz_check(errno == EINVAL || errno == ENODATA);
		fuzz_check(*err.text && strlen(err.text) < sizeof(err.text));
		fuzz_check(!strchr(err.text, '\n'));
	}
	arena_free(&a);
	free(text);
	return 0;
}
