/* Busy cpus that no evenkeel job accounts for: other users' jobs, and what no
 * mpiexec started. Measured only when something foreign runs. */
#ifndef EVENKEEL_SHIM_FOREIGN_H
#define EVENKEEL_SHIM_FOREIGN_H

#include "core/ledger.h"
#include "core/machine.h"

/* Adds to busy (m->nnodes entries) the whole cpus on each node that were busy,
 * rounded, over LOAD_WINDOW_MS, less what the ranks in the ledger and the launch
 * itself used meanwhile. The launch is daemon (or, above it, Hydra's mpiexec) with its children.
 * Where no more tasks are running on the host than the ledger's ranks and the
 * launch have, nothing is measured and nothing is waited for. Any trouble adds
 * nothing. */
void foreign_busy(unsigned int *busy, struct arena *a, const struct machine *m,
		  const struct ledger *l, pid_t daemon);

#endif
