/* What the runs say: each variant in figures, each held against the first, and a
 * verdict in words that claims no more. Memory from the caller's arena. */
#ifndef EVENKEEL_LAUNCHER_ANALYSIS_H
#define EVENKEEL_LAUNCHER_ANALYSIS_H

#include "core/stats.h"
#include "launcher/results.h"
#include "launcher/text.h"

/* Fewer runs of a variant are warned about. */
#define ANALYSIS_RUNS_FEW 10
/* Fewer can show next to nothing. */
#define ANALYSIS_RUNS_LEAST 6
/* Fewer find rare slow runs only by luck. All three: docs/variance.md. */
#define ANALYSIS_RUNS_ENOUGH 20
#define ANALYSIS_ALPHA 0.05

/* What may be said of a variant against the first one. */
enum analysis_claim {
	ANALYSIS_NONE = 0, /* no difference is shown, which is not: there is none */
	ANALYSIS_LESS,	   /* p after Holm at most 0.05, and the interval lies below */
	ANALYSIS_MORE,	   /* and above */
	ANALYSIS_UNCLEAR,  /* p at most 0.05, but the interval has both signs */
};

struct analysis_variant {
	const char *name;
	unsigned int n, nfailed;
	const double *values;
	const struct run **runs;      /* n of each */
	struct stats_summary summary; /* n is 0 when there is no run */
	struct stats_interval median_ci;
	struct stats_groups groups;
	/* Against the first variant; not for the first, nor without runs. */
	bool compared;
	struct stats_comparison comparison;
	double location_p, spread_p;	      /* after Holm over all of the metric's tests */
	enum analysis_claim location, spread; /* LESS: a smaller median; less spread */
};

struct analysis {
	unsigned int metric; /* index in results.metric */
	struct results_metric what;
	unsigned int n;
	struct analysis_variant variant[VARIANTS_MAX];
	unsigned int tests; /* that Holm's correction is for */
};

/* Metric m of all variants. 0, or -1 with errno ENOMEM. */
int analysis_make(struct analysis *an, struct arena *a, const struct results *r, unsigned int m,
		  const struct stats_options *o);

/* Whether variant v is slower, or its metric otherwise worse, than the first. */
bool analysis_worse(const struct analysis *an, unsigned int v);

/* Adds the verdict on variant v > 0: one line with its newline. */
void analysis_verdict(struct text *out, const struct analysis *an, unsigned int v);

/* Adds a line for each variant whose values are two clear groups, with the
 * placements that go with each. */
void analysis_groups(struct text *out, const struct analysis *an, struct arena *a);

/* Decimals that show four or more digits of the values. */
int analysis_decimals(const struct analysis *an);

#endif
