/* What the fuzz targets share. A target is one file fuzz_NAME.c with libFuzzer's
 * entry; linked with libFuzzer it searches, with replay.c it runs what is in
 * corpus/NAME. */
#ifndef EVENKEEL_TESTS_FUZZ_H
#define EVENKEEL_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/machine.h"
#include "core/plan.h"

/* A machine's text takes a time that grows with the square of its cpus: a tenth of
 * a second for 13,000 of them, a hundred times that with all checkers. */
#define FUZZ_CPUS_MAX 2048u

/* Memory checkers see every piece. */
#define FUZZ_ARENA { .get = malloc, .put = free }

/* Runs one input. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for every input; ends the process with a line where it does not. */
#define fuzz_check(condition)                                                        \
	do {                                                                         \
		if (!(condition)) {                                                  \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                     \
		}                                                                    \
	} while (0)

/* A copy of the input with a NUL, exactly as long, so that a step beyond it is
 * seen. From malloc. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* Cuts text of size bytes at its newlines (or NULs) into a NULL-ended list of at
 * most max - 1 strings. */
static inline size_t fuzz_lines(char **lines, size_t max, char *text, size_t size)
{
	size_t n = 0;

	for (char *line = text, *end; line <= text + size && n + 1 < max; line = end + 1) {
		end = line + strcspn(line, "\n");
		*end = '\0';
		lines[n++] = line;
	}
	lines[n] = NULL;
	return n;
}

/* A plan keeps its own promises: all ranks are at a node, each has a place whose
 * cpus are allowed and not empty. */
static inline void fuzz_check_plan(const struct plan *p, const struct machine *m,
				   const struct cpus *allowed)
{
	unsigned int ranks = 0;

	fuzz_check(p->nnodes == m->nnodes);
	for (unsigned int n = 0; n < p->nnodes; n++)
		ranks += p->ranks[n];
	if (p->why == PLAN_WHY_UNSET)
		fuzz_check(ranks == p->nranks);
	for (unsigned int r = 0; r < p->nranks; r += 1 + p->nranks / 64) {
		const struct plan_place *place = plan_place_of(p, r);

		fuzz_check(place);
		fuzz_check(cpus_subset(&place->cpus, allowed));
		fuzz_check(p->why != PLAN_WHY_UNSET || !cpus_empty(&place->cpus));
	}
	fuzz_check(!plan_place_of(p, p->nranks));
}

#endif
