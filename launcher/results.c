#include "launcher/results.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "launcher/crowd.h"

struct run *results_add_run(struct results *r)
{
	struct run *runs = crowd_grow(r->arena, r->runs, r->nruns, &r->run_room, sizeof(*runs));
	struct run *run;

	if (!runs)
		return NULL;
	r->runs = runs;
	run = &runs[r->nruns];
	*run = (struct run){ .switches = -1, .wall_s = NAN, .user_s = NAN, .system_s = NAN };
	run->placement.remote_share = NAN;
	run->values = arena_array(r->arena, METRICS_MAX, sizeof(*run->values));
	if (!run->values)
		return NULL;
	for (unsigned int i = 0; i < METRICS_MAX; i++)
		run->values[i] = NAN;
	r->nruns++;
	return run;
}

int results_variant(struct results *r, const char *name)
{
	for (unsigned int i = 0; i < r->nvariants; i++)
		if (!strcmp(r->variant[i], name))
			return (int)i;
	if (r->nvariants == VARIANTS_MAX) {
		errno = ENOSPC;
		return -1;
	}
	r->variant[r->nvariants] = cli_text(r->arena, "%s", name);
	if (!r->variant[r->nvariants])
		return -1;
	return (int)r->nvariants++;
}

double results_value(const struct results *r, const struct run *run, unsigned int m)
{
	const char *name = r->metric[m].name;

	if (!isnan(run->values[m]))
		return run->values[m];
	if (!strcmp(name, "wall"))
		return run->wall_s;
	if (!strcmp(name, "user"))
		return run->user_s;
	if (!strcmp(name, "system"))
		return run->system_s;
	return NAN;
}

double *results_values(const struct results *r, struct arena *a, unsigned int m,
		       unsigned int variant, unsigned int *n, const struct run ***runs)
{
	double *values = arena_array(a, r->nruns, sizeof(*values));

	*n = 0;
	if (runs)
		*runs = arena_array(a, r->nruns, sizeof(**runs));
	if (!values || (runs && !*runs))
		return NULL;
	for (unsigned int i = 0; i < r->nruns; i++) {
		const struct run *run = &r->runs[i];

		if (run->variant != variant || run->failed || run->warmup ||
		    isnan(results_value(r, run, m)))
			continue;
		if (runs)
			(*runs)[*n] = run;
		values[(*n)++] = results_value(r, run, m);
	}
	return values;
}
