/* Busy cpus that no evenkeel job accounts for: other users' jobs, and what no
 * mpiexec started. Measured only when something foreign runs.
 *
 * In two halves, since nobody else should have to wait for the ledger while time
 * passes: foreign_likely, close the ledger, foreign_begin, foreign_wait, open it
 * again, foreign_busy. System calls only.
 */
#ifndef EVENKEEL_SHIM_FOREIGN_H
#define EVENKEEL_SHIM_FOREIGN_H

#include <stdbool.h>

#include "core/ledger.h"
#include "core/load.h"
#include "core/machine.h"

struct foreign {
	bool begun; /* by foreign_begin; the rest is valid then */
	struct load_sample first;
	struct load_crowd before;
	int64_t start;  /* ms, CLOCK_MONOTONIC */
	uint64_t began; /* the same moment in clock ticks after boot */
	int64_t tick_ms;
};

/* Whether anything but the caller is running on the host: the cheap question
 * before the dear one. */
bool foreign_likely(void);

/* Starts to measure if more tasks are running on the host than the ledger's
 * jobs and the launch have: daemon (or, above it, Hydra's mpiexec) with its
 * descendants. l may be closed. False, with f->begun false, when that is not so or
 * any trouble comes. */
bool foreign_begin(struct foreign *f, struct arena *a, const struct machine *m,
		   const struct ledger *l, pid_t daemon);

/* Until LOAD_WINDOW_MS after the start. */
void foreign_wait(const struct foreign *f);

/* Adds to busy (m->nnodes entries) the whole cpus of each node, of those in
 * allowed, that were busy since the start, rounded, less what the ledger's jobs
 * and the launch used meanwhile on these. Adds nothing if not begun, or when
 * there is any trouble. */
void foreign_busy(const struct foreign *f, unsigned int *busy, struct arena *a,
		  const struct machine *m, const struct cpus *allowed, const struct ledger *l,
		  pid_t daemon);

#endif
