/* The memory policy of a rank, by the raw system call: libnuma would be a
 * library in every process of the job. Async-signal-safe. */
#ifndef EVENKEEL_SHIM_MEMORY_H
#define EVENKEEL_SHIM_MEMORY_H

#include "core/cpus.h"
#include "core/machine.h"
#include "core/options.h"

/* Sets the calling thread's policy, which exec keeps: MPOL_LOCAL, or MPOL_BIND
 * or MPOL_INTERLEAVE over those of nodes (indexes into m) that have memory;
 * with none of these nothing is set. OPTIONS_MEM_UNSET sets nothing. Refusals
 * (EPERM in a container, EINVAL for a node outside Mems_allowed, ENOSYS) are
 * expected and quiet. errno may change. */
void memory_set(enum options_mem mem, struct arena *a, const struct machine *m,
		const struct cpus *nodes);

#endif
