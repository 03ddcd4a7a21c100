/* Watches where the ranks of a job run, for `evenkeel run --report`.
 *
 * Ranks are found from outside, by /proc alone: processes below root whose
 * parent is a launcher daemon and that have a rank's variables or a slot in the
 * ledger. What was planned for them is made again from the ledger's record of
 * their job. Nothing of theirs is touched. Ranks that live shorter than the
 * time between two samples may be missed. Not for two threads.
 */
#ifndef EVENKEEL_LAUNCHER_REPORT_H
#define EVENKEEL_LAUNCHER_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/arena.h"
#include "core/machine.h"
#include "core/plan.h"

struct report_job; /* a plan, by its key in the ledger */

struct report_rank {
	pid_t pid;
	uint64_t start; /* clock ticks after boot */
	pid_t daemon;
	int rank;			  /* in the job, or -1 */
	int local;			  /* on this host, or -1 */
	unsigned int tries;		  /* times it was looked for in the ledger */
	const struct plan_place *planned; /* NULL = evenkeel did not place it */
	unsigned int samples;
	unsigned int *seen;	      /* samples on each node; machine->nnodes entries */
	char *first_mask, *last_mask; /* list form */
	/* When it was last seen: the look (report.looks), the node, and which of
	 * its processes that was of. */
	unsigned int look, at;
	pid_t worker;
};

struct report {
	struct arena *arena;
	const struct machine *machine;
	const struct cpus *allowed;
	struct plan_request request; /* busy and width come from the ledger */
	const char *ledger;	     /* its folder, "none", or NULL for the default */
	pid_t root;
	unsigned int nranks, room;
	struct report_rank *ranks; /* as they were found */
	struct report_job *jobs;
	unsigned int looks;   /* samples tried so far */
	unsigned int samples; /* in which at least one rank ran */
	unsigned int most;    /* ranks that ran at once */
	unsigned int worst;   /* difference between nodes while most ran */
};

/* Watches the descendants of root. request says order, together and rule; ledger
 * is the option of that name. m and allowed are used until the end and must be
 * what the job plans with. */
void report_init(struct report *r, struct arena *a, const struct machine *m,
		 const struct cpus *allowed, const struct plan_request *request, const char *ledger,
		 pid_t root);

/* Takes one sample. 0, or -1 with errno ENOMEM or what opening /proc gave; the
 * report stays usable. */
int report_sample(struct report *r);

/* The difference between the nodes that the job may use, of which counts has as
 * many as the machine. */
unsigned int report_difference(const struct report *r, const unsigned int *counts);

/* Drops what turned out to be no rank and sorts the rest by daemon, then rank.
 * No samples after that. */
void report_finish(struct report *r);

/* A job was planned on more cpus than were idle, or more ranks ran at once than
 * the job may use cpus. */
bool report_crowded(const struct report *r);

/* Index of the node the rank was seen on most (ties to the lower), or
 * CPUS_NONE. */
unsigned int report_home(const struct report *r, const struct report_rank *rank);

#endif
