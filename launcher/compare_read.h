/* What `compare --from` reads, and what of it is asked for. */
#ifndef EVENKEEL_LAUNCHER_COMPARE_READ_H
#define EVENKEEL_LAUNCHER_COMPARE_READ_H

#include "launcher/compare_options.h"
#include "launcher/results.h"

/* Reads the files of --from into r, which is empty but for its arena. Where two
 * files have a variant of one name, all variants get their file's name and a
 * colon in front. note: a word about a file that is not whole, or "". 0, or -1
 * with errno and err set. */
int compare_read_files(struct results *r, const struct compare_options *o, struct cli_error *err,
		       struct cli_error *note);

/* Keeps the variants that --variants names alone, in its order, and puts the
 * metrics that --metric names into chosen, *n indexes of METRICS_MAX at most;
 * without these options all. 0, or -1 with errno EINVAL or ENOMEM and err set. */
int compare_choose(struct results *r, const struct compare_options *o, unsigned int *chosen,
		   unsigned int *n, struct cli_error *err);

#endif
