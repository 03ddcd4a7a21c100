/* The part of Hydra's mpiexec: our preload entry and our variables go to its
 * proxies, on other hosts as far as the library can be loaded there, and to nothing
 * else that mpiexec starts or forwards, so that no rank is asked to load a library
 * that may not be there. */
#ifndef EVENKEEL_SHIM_LAUNCHER_H
#define EVENKEEL_SHIM_LAUNCHER_H

#include <stdbool.h>

#include "core/arena.h"

/* In the constructor: takes us out of this process's environment. False when
 * nothing is to be given to proxies (switched off, or mpiexec's own affinity
 * was set by its caller, e.g. taskset) or the work failed. */
bool launcher_start(void);

/* Within the session some ancestor's mask is not this process's: someone put taskset,
 * numactl or the like in front of it. A mask that the whole session has is its limit
 * (a batch system's, a container's), and so is one that a daemon set for what it
 * starts. */
bool launcher_narrowed(void);

/* One exec or spawn by mpiexec: what is to be changed of it, the arena's; NULL =
 * nothing. */
struct launcher_exec {
	char **argv;
	char **env;
};

/* For an exec of file with argv and envp: a proxy here gets our entries, the command
 * that starts one on another host is rewritten (shim/remote.h). Lines that were asked
 * for are said. No global is written; errno may change. */
void launcher_exec(struct launcher_exec *x, struct arena *a, const char *file, char *const *argv,
		   char *const *envp);

#endif
