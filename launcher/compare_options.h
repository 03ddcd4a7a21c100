/* The options of `compare` alone. Strings point into argv. */
#ifndef EVENKEEL_LAUNCHER_COMPARE_OPTIONS_H
#define EVENKEEL_LAUNCHER_COMPARE_OPTIONS_H

#include <stdbool.h>

#include "core/arena.h"
#include "core/stats.h"
#include "launcher/cli.h"

#define COMPARE_RUNS_MAX 10000

struct compare_options {
	unsigned int runs, warmup; /* of each variant */
	bool random;
	double timeout_s, cooldown_s;
	const char *setup;
	unsigned int nvariants, nmetrics, nfrom;
	const char **variants, **metrics, **from; /* as given, in their order */
	enum stats_better better;
	const char *record, *plot;
	bool csv, markdown;
	unsigned int seed;
	bool fail_on_spread, fail_on_slower;
};

/* Reads c->own. ncommand: words of a command behind the options. 0, or -1 with
 * errno EINVAL (err says what was seen and wanted) or ENOMEM. */
int compare_options_read(struct compare_options *o, struct arena *a, const struct cli *c,
			 int ncommand, struct cli_error *err);

#endif
