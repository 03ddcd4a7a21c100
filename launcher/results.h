/* What was measured: host, variants and runs, whether measured just now or read
 * from records. Memory from the arena; not for two threads. */
#ifndef EVENKEEL_LAUNCHER_RESULTS_H
#define EVENKEEL_LAUNCHER_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/arena.h"
#include "core/stats.h"
#include "launcher/cli.h"
#include "launcher/metric.h"
#include "launcher/placement.h"
#include "launcher/variants.h"

/* Where the runs took place. Texts are "" when not known. */
struct host_facts {
	const char *name, *kernel, *governor, *machine, *mpi, *mems, *time;
	int numa_balancing; /* -1 = not known */
	double load;	    /* the one-minute average at the start; NAN = not known */
};

/* What is compared, without what it takes to measure it. */
struct results_metric {
	const char *name, *unit;
	enum stats_better better;
};

struct run {
	unsigned int number;  /* in its record, from 1, in the order they ran */
	unsigned int variant; /* index in results.variant */
	bool warmup;
	const char *failed; /* why it is not counted; NULL = it is */
	double wall_s, user_s, system_s;
	long switches;		    /* involuntary context switches; -1 = not known */
	double *values;		    /* one per results.metric; NAN = not known */
	struct placement placement; /* ranks 0 = none was seen */
};

/* A row of a published table: figures whose runs are not known. */
struct results_row {
	const char *variant;
	double min, max, mean;
};

struct results {
	struct arena *arena;
	struct host_facts host; /* of the first record */
	unsigned int nmetrics;
	struct results_metric metric[METRICS_MAX];
	unsigned int nvariants;
	const char *variant[VARIANTS_MAX];
	unsigned int nruns, run_room;
	struct run *runs;
	unsigned int nrows, row_room;
	struct results_row *rows;
};

/* An empty run, counted last in runs, with values all NAN. NULL with errno
 * ENOMEM. It moves when the next is added. */
struct run *results_add_run(struct results *r);

/* The index of the variant of that name, added when it is new. -1 with errno
 * ENOSPC (VARIANTS_MAX) or ENOMEM. */
int results_variant(struct results *r, const char *name);

/* The value of metric m in a run: among its values, or one of its times. */
double results_value(const struct results *r, const struct run *run, unsigned int m);

/* The values of metric m of the variant's counted runs, in the order they ran,
 * in the arena; *n of them. runs, when not NULL, gets the runs. NULL with errno
 * ENOMEM. */
double *results_values(const struct results *r, struct arena *a, unsigned int m,
		       unsigned int variant, unsigned int *n, const struct run ***runs);

#endif
