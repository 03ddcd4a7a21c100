/* The part of Hydra's proxy and of Open MPI's daemons: every rank they fork is placed
 * between fork and exec. */
#ifndef EVENKEEL_SHIM_PROXY_H
#define EVENKEEL_SHIM_PROXY_H

#include <stdbool.h>

#include "core/arena.h"
#include "core/cpus.h"
#include "shim/place.h"

/* Whose daemon this is. */
enum proxy_kind {
	PROXY_HYDRA = 0,
	PROXY_OPENMPI, /* orted, prted */
	PROXY_MPIRUN,  /* Open MPI's mpirun: the user's command as well */
};

/* In the constructor: reads options and machine, starts to count forks. False
 * when out of memory. */
bool proxy_start(char **envp, enum proxy_kind kind);

/* One exec in a child of the proxy, or one spawn by it, from decision to
 * environment. All of it works between fork and exec, in a vfork child and in
 * the proxy itself (spawn): memory from a, no global is written but the count
 * of spawned ranks. errno may change. */
struct proxy_exec {
	bool is_rank; /* else nothing is to be changed; the rest is valid only then */
	bool spawn;
	enum options_mem mem;
	struct place_rank rank;
	struct place place;
	struct cpus before; /* the mask that was found */
};

/* Decides; nothing is set. envp is what is handed to exec or spawn. */
void proxy_decide(struct proxy_exec *x, struct arena *a, const char *file, char *const *argv,
		  char *const *envp, bool spawn);

/* The calling thread takes the mask and the memory policy, if that was decided
 * and the kernel lets it. */
void proxy_take(struct proxy_exec *x, struct arena *a);

/* The environment for the rank, and the lines that were asked for. NULL when
 * out of memory: the environment stays as it is. */
char **proxy_env(struct proxy_exec *x, struct arena *a, char *const *envp);

/* The rank could not be started after all. */
void proxy_failed(const struct proxy_exec *x);

#endif
