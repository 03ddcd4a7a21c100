/* Analyses as one JSON object, for `compare --json`. */
#ifndef EVENKEEL_LAUNCHER_ANALYSIS_JSON_H
#define EVENKEEL_LAUNCHER_ANALYSIS_JSON_H

#include "launcher/analysis.h"

/* The object's text, from malloc; figures that do not exist are null. NULL when
 * there is no memory. evenkeel-compare(1) lists its members. */
char *analysis_json(const struct analysis *const *all, unsigned int n, const struct results *r,
		    struct arena *a);

#endif
