/* The part of Hydra's proxy: every rank it forks is placed between fork and
 * exec. */
#ifndef EVENKEEL_SHIM_PROXY_H
#define EVENKEEL_SHIM_PROXY_H

#include <stdbool.h>

#include "core/arena.h"
#include "core/cpus.h"
#include "core/options.h"

/* A proxy by the last component of its file name. */
bool proxy_is(const char *name);

/* In the constructor: reads options and machine, starts to count forks. False
 * when out of memory. */
bool proxy_start(char **envp);

/* What an exec of file in a child of the proxy, or a spawn by the proxy, is to
 * be. */
struct proxy_exec {
	char **env;       /* NULL = as it was */
	bool set;         /* mask is to be set first, and memory */
	struct cpus mask;
	enum options_mem mem;
	struct cpus nodes; /* indexes of the nodes that the mask is on */
};

/* Decides for one exec or spawn. Between fork and exec, in a vfork child and in
 * the proxy itself (spawn): memory from a, no global is written but the count
 * of spawned ranks. errno may change. */
void proxy_exec(struct proxy_exec *x, struct arena *a, const char *file, char *const *argv,
		char *const *envp, bool spawn);

/* In a child that execs next, or around a spawn: the calling thread takes the
 * mask and the memory policy. */
void proxy_set(struct arena *a, const struct proxy_exec *x);

#endif
