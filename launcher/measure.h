/* Runs the variants of a command in turn and keeps what each run gave. Prints
 * nothing: what is to be said goes through the caller's functions. One at a time,
 * as trials are. */
#ifndef EVENKEEL_LAUNCHER_MEASURE_H
#define EVENKEEL_LAUNCHER_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "launcher/metric.h"
#include "launcher/record.h"
#include "launcher/results.h"
#include "launcher/trial.h"
#include "launcher/variants.h"

struct measure_plan {
	const struct variants *variants;
	struct metrics *metrics;   /* as results.metric */
	unsigned int runs, warmup; /* of each variant; warm-up runs come first */
	bool random;		   /* the order within each round, by seed */
	uint64_t seed;
	double cooldown_s;	    /* between runs; 0 = none */
	char **setup;		    /* a command before each run; NULL = none */
	struct trial_request trial; /* all but argv and envp */
	struct record *record;
};

struct measure_events {
	/* Before run number (from 1) of total. last_s: wall time of the run before,
	 * left_s: what is left by the pace so far; NAN at first. */
	void (*progress)(unsigned int number, unsigned int total, const char *variant,
			 double last_s, double left_s);
	/* A text of one line, or of one line and the last lines of an output. */
	void (*say)(const char *text);
};

enum measure_end {
	MEASURE_DONE = 0,
	MEASURE_STOPPED,    /* by a signal: trial_stop_signal */
	MEASURE_HOPELESS,   /* no use to go on; it was said why */
	MEASURE_CANNOT_RUN, /* a command could not be executed: *error; it was said */
};

/* Measures into r, whose variants and metrics are those of the plan. Runs that
 * failed are kept with the reason. When the record can no longer be written, that
 * is said once, *record_failed is set and measuring goes on. */
enum measure_end measure(struct results *r, const struct measure_plan *plan,
			 const struct measure_events *events, int *error, bool *record_failed);

/* The last lines of output, each with mark before it, in the arena; "" for no
 * output. NULL with errno ENOMEM. */
const char *measure_last_lines(struct arena *a, const char *output, unsigned int lines,
			       const char *mark);

#endif
