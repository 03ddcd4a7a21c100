/* Records of runs: JSON lines, one for the host and one for each run, and how
 * they are read again.
 *
 * Each line is an object with "evenkeel_compare": 1, the version, and "kind":
 * "host" or "run". Readers skip members they do not know and refuse a version
 * above theirs. evenkeel-compare(1) lists the members. Not for two threads.
 */
#ifndef EVENKEEL_LAUNCHER_RECORD_H
#define EVENKEEL_LAUNCHER_RECORD_H

#include "launcher/results.h"

#define RECORD_VERSION 1

/* A record that is written. path NULL: none is wanted, and all calls do
 * nothing. */
struct record {
	const char *path;
	int fd; /* -1 after an error */
};

/* Makes the file, which must not exist. 0, or -1 with err set. */
int record_create(struct record *rec, const char *path, struct cli_error *err);

/* Appends a line. A line that does not fit is taken back whole. 0, or -1 with err
 * set; further lines are then dropped silently. */
int record_host(struct record *rec, const struct results *r, char *const *command,
		struct cli_error *err);
int record_run(struct record *rec, const struct results *r, const struct run *run,
	       struct cli_error *err);
/* 0, or -1 with err set. */
int record_close(struct record *rec, struct cli_error *err);

/* Reads a file of JSON lines, or CSV with the heading "variant,value" (another
 * column names what it is) or "variant,min,max,range,mean", and adds what it has
 * to r. What is wrong is refused with its line: the numbers of a row whose range
 * is not max - min to the digits printed or whose mean is outside; a last line
 * without its newline is left out, with a word in note (which is "" otherwise).
 * prefix, when not NULL, is put before the names of variants.
 *
 * r->metric becomes all that the records speak of: those that were asked for when
 * they were made, and "value" with this better for CSV. 0, or -1 with errno and err
 * set. */
int record_read(struct results *r, const char *path, const char *prefix, enum stats_better better,
		struct cli_error *err, struct cli_error *note);

/* The same for CSV. text is changed. */
int record_read_csv(struct results *r, const char *path, const char *prefix, char *text,
		    enum stats_better better, struct cli_error *err);

#endif
