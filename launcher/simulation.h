/* Many simulated launches, counted: one row for each rule, without and with the plan. */
#ifndef EVENKEEL_LAUNCHER_SIMULATION_H
#define EVENKEEL_LAUNCHER_SIMULATION_H

#include "core/stats.h"
#include "launcher/planning.h"
#include "launcher/simulate_options.h"
#include "launcher/text.h"

/* Launches at one moment after the wake. */
struct simulation_sample {
	unsigned int uneven;	   /* launches, by sim_uneven */
	unsigned int worst;	   /* largest difference between two nodes */
	unsigned int *differences; /* launches with each difference, 0 .. ranks */
};

struct simulation_variant {
	struct simulation_sample samples[SIM_SAMPLES_MAX];
	double min, max, range, mean; /* seconds of a run */
	/* Of the first launch: by rank its node and its parent's at its first instant;
	 * [sample * nnodes + node]. */
	unsigned int *first, *from, *ranks;
};

struct simulation_row {
	const char *name;
	enum policy_rule rule;
	struct simulation_variant plain;
	struct simulation_variant planned; /* meaningless without have_plan */
};

struct simulation {
	const struct planning *planning;
	const struct simulate_options *options;
	bool have_plan; /* of ranks; threads are not placed */
	bool settle;
	unsigned int nrows;
	struct simulation_row *rows;
};

/* Runs all; planning->request.nranks is at least 1. 0, or -1 with errno ENOMEM. */
int simulation_run(struct simulation *s, struct arena *a, const struct planning *p,
		   const struct simulate_options *o, bool settle);

/* What it says, for people; detail: the first launch of each row too. */
void simulation_text(struct text *out, const struct simulation *s, bool detail);

/* As a JSON object, from malloc; NULL when there is no memory. evenkeel-simulate(1)
 * lists its members. */
char *simulation_json(const struct simulation *s);

/* gnuplot's script for a picture: of one row the differences, of more the seconds. */
void simulation_script(struct text *out, const struct simulation *s, bool svg);

/* The sentence that says what this is. */
extern const char simulation_caution[];

#endif
