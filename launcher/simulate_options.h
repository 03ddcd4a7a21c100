/* The options of `simulate` alone. Strings point into argv. */
#ifndef EVENKEEL_LAUNCHER_SIMULATE_OPTIONS_H
#define EVENKEEL_LAUNCHER_SIMULATE_OPTIONS_H

#include "core/arena.h"
#include "core/sim.h"
#include "launcher/cli.h"

#define SIMULATE_RUNS_MAX 1000000u
/* Longest time of one step of a launch. */
#define SIMULATE_US_MAX 1000000000u

struct simulate_options {
	unsigned int runs, seed;
	const char *plot;      /* NULL = none */
	struct sim_params sim; /* all but rule, nranks, busy, allowed, plan, settle */
	unsigned int nrules;
	enum policy_rule *rules; /* one a row, patched */
	const char **names;	 /* their names, for the user */
};

/* Reads c->own. rule is that of --kernel and --rule, which has one row unless --rows is
 * given. 0, or -1 with errno EINVAL (err says what was seen and wanted) or ENOMEM. */
int simulate_options_read(struct simulate_options *o, struct arena *a, const struct cli *c,
			  const struct cli_rule *rule, struct cli_error *err);

#endif
