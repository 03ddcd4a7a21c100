/* The memory policy of a rank, by the raw system call: libnuma would be a
 * library in every process of the job. Async-signal-safe. */
#ifndef EVENKEEL_SHIM_MEMORY_H
#define EVENKEEL_SHIM_MEMORY_H

#include <stdbool.h>

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

struct memory_policy {
	bool known;
	int mode;
	unsigned long nodes[MACHINE_NODES_MAX / (8 * sizeof(unsigned long))];
};

/* The calling thread's policy, before memory_set(mem, ...) changes it, and back.
 * Nothing is asked where that would change nothing. errno may change. */
void memory_save(struct memory_policy *p, enum options_mem mem);
void memory_restore(const struct memory_policy *p);

#endif
