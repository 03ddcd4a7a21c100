/* How a rank joins its job in the ledger: what both ways to place one need, that of
 * a job whose size is known (place.c) and that of ranks that come one by one
 * (place_open.c). System calls and the arena only. */
#ifndef EVENKEEL_SHIM_JOIN_H
#define EVENKEEL_SHIM_JOIN_H

#include "core/ledger.h"
#include "core/machine.h"
#include "core/options.h"
#include "shim/foreign.h"

/* Opens the ledger. Where the job is not in it yet and something foreign may run,
 * the ledger is closed again while that is looked into and measured (f says): other
 * jobs need not wait for this one, and this job's other ranks wait side by side,
 * until the first of them has put the job in. 0, or -1 with errno of ledger_open. */
int join_open(struct ledger *l, struct foreign *f, struct arena *a, const struct machine *m,
	      const struct options *o, const struct ledger_key *key);

/* Cpus that are busy on each node of m, and not by the job of key: what the
 * ledger's other jobs plan to keep busy, asleep or awake, and what f measured. Jobs
 * that a batch system has given other cpus of the same nodes are not in the way.
 * NULL with errno ENOMEM. */
unsigned int *join_busy(const struct ledger *l, const struct foreign *f, struct arena *a,
			const struct machine *m, const struct cpus *allowed,
			const struct ledger_key *key);

/* The job's nodes as the ledger knows them, from the machine's: those with an
 * allowed cpu, with what is busy there, and planned (NULL = nothing). 0, or -1 with
 * errno ENOMEM. */
int join_nodes(struct ledger_job *job, struct arena *a, const struct machine *m,
	       const struct cpus *allowed, const unsigned int *busy, const unsigned int *planned);

/* Puts this process into its slot, unless a living ancestor holds it: a wrapper and
 * what it starts are one rank. True when nobody was in it before. */
bool join_slot(struct ledger_slot *slot);

#endif
