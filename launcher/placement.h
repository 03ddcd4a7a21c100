/* Where the ranks of one run were, and what that cost them.
 *
 * Made of the samples of a report, plus what /proc says of each rank's pages and
 * waiting. All of it is seen from outside, so it is a sample: what happens
 * between two looks is missed, and nothing of the ranks is touched. Memory from
 * the caller's arena; not for two threads.
 */
#ifndef EVENKEEL_LAUNCHER_PLACEMENT_H
#define EVENKEEL_LAUNCHER_PLACEMENT_H

#include <stdbool.h>

#include "core/arena.h"
#include "launcher/report.h"

struct placement {
	unsigned int ranks;  /* most that ran at once on this host; 0 = none was seen */
	unsigned int nnodes; /* entries of start and end */
	/* Ranks on each node. start: in the first look after every rank had
	 * mapped the memory that MPI shares on a host, that is, as MPI_Init
	 * returned; where no rank ever does, in the first with all ranks. end: in
	 * the last look with all ranks. */
	unsigned int *start, *end;
	unsigned int worst;   /* largest difference between nodes, from start to end */
	unsigned int samples; /* looks in which a rank was seen */
	double remote_share;  /* of the ranks' private pages that lay on another node than
			       * the rank when last looked at, 0 .. 1; NAN = not known */
	double run_delay_s;   /* time that all threads of the ranks waited for a cpu */
};

struct placement_watch {
	struct report report;
	struct placement placement;
	struct arena *arena;
	bool pages;	     /* the machine is the live one: its nodes are the kernel's */
	unsigned int *first; /* as start, in the first look with all ranks */
	enum placement_phase {
		PLACEMENT_LAUNCH = 0,
		PLACEMENT_UP,	/* every rank has MPI's shared memory */
		PLACEMENT_RUNS, /* start is set */
	} phase;
	double next_pages_s; /* age of the run at which pages are looked at again */
	unsigned int room;
	struct placement_rank *ranks; /* as report.ranks */
};

/* Watches the ranks below root; the other arguments are those of report_init.
 * pages: whether m's nodes are the kernel's own. 0, or -1 with errno ENOMEM. */
int placement_init(struct placement_watch *w, struct arena *a, const struct machine *m,
		   const struct cpus *allowed, const struct plan_request *request,
		   const char *ledger, bool pages, pid_t root);

/* One look, age_s seconds after the start. Pages are looked at only when the run
 * has become half as old again, for that walks through all of them. Errors are
 * lost looks. */
void placement_look(struct placement_watch *w, double age_s);

/* Ends the watch and gives what it saw, which lives in the arena. */
struct placement placement_finish(struct placement_watch *w);

/* Ranks on the fullest node at the start or the end, whichever is more; 0
 * without ranks. */
unsigned int placement_fullest(const struct placement *p);

/* "4/4" in the arena; "-" without ranks. NULL with errno ENOMEM. */
const char *placement_counts(struct arena *a, const struct placement *p,
			     const unsigned int *counts);

/* --- for tests -------------------------------------------------------------- */

/* Adds the private pages that the text of /proc/PID/numa_maps lists to *here
 * (those on node, an OS index) and *all, in KiB. text is changed. */
void placement_count_pages(char *text, unsigned int node, double *here, double *all);

#endif
