/* The part of Hydra's mpiexec: our preload entry and our variables go to the
 * local proxy and to nothing else that mpiexec starts or forwards, so that no
 * rank on another host is asked to load a library that may not be there. */
#ifndef EVENKEEL_SHIM_LAUNCHER_H
#define EVENKEEL_SHIM_LAUNCHER_H

#include <stdbool.h>

#include "core/arena.h"

/* In the constructor: takes us out of this process's environment. False when
 * nothing is to be given to proxies (switched off, or mpiexec's own affinity
 * was set by its caller, e.g. taskset) or the work failed. */
bool launcher_start(void);

/* For an exec of file with envp: the environment with our entries, or NULL when
 * envp is right as it is (not a proxy; no memory). No global is written. */
char **launcher_env(struct arena *a, const char *file, char *const *envp);

#endif
