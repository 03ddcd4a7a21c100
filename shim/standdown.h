/* Why a rank is left alone: the user's own binding wins, always.
 * Pure but for opening the rank's script; async-signal-safe. */
#ifndef EVENKEEL_SHIM_STANDDOWN_H
#define EVENKEEL_SHIM_STANDDOWN_H

#include <stdbool.h>

#include "core/arena.h"
#include "core/options.h"

enum standdown {
	STANDDOWN_NONE = 0,  /* may be placed */
	STANDDOWN_OFF,       /* EVENKEEL=off, or the site says off */
	STANDDOWN_NARROWED,  /* taskset or the like in front of mpiexec */
	STANDDOWN_BINDING,   /* the user asked Hydra for a binding */
	STANDDOWN_MASK,      /* the mask is not the launcher's any more */
	STANDDOWN_GPUS,      /* the launcher gave this rank its own GPUs */
	STANDDOWN_DENIED,    /* the site's deny list */
	STANDDOWN_TOOL,      /* the rank starts through numactl, taskset ... */
	STANDDOWN_PLACES,    /* an OpenMP variable names cpu numbers */
	STANDDOWN_MACHINE,   /* the machine could not be read */
	STANDDOWN_PLAN,      /* the plan asks for nothing (its own reason) */
	STANDDOWN_EVERYTHING, /* a rank wants every cpu that is allowed */
	STANDDOWN_REFUSED,   /* the kernel did not give the mask */
	STANDDOWN_LAUNCHER,  /* the launcher bound the rank, asked or not */
	STANDDOWN_NO_LEDGER, /* nobody knows how many ranks there are, nor of the others */
	STANDDOWN_NO_WIDTH,  /* the same, and too few are seen for a node each */
	STANDDOWN_WIDE,      /* the same, and one node is not enough for the rank */
};

/* For the user: a few words that follow "not placed: ". */
const char *standdown_text(enum standdown why);

/* By the rank's environment alone. base is the launcher daemon's environment:
 * what stands there too is not this rank's own (it was exported, or leaked from
 * an outer job); NULL = not known, everything counts. */
enum standdown standdown_env(char *const *envp, char *const *base);

/* By the rank's command: the site's deny list and tools that bind. numactl -C
 * refuses cpus outside the mask it inherits (libnuma: "cpu argument is out of
 * range"), so a rank that would call it must not be narrowed: the tools are
 * looked for among the arguments and in the first 64 KiB of a script, also of
 * one that a shell, env, time and the like are to start. */
enum standdown standdown_command(const char *deny, const char *file, char *const *argv,
				 char *const *envp, struct arena *a);

/* file is a program that sets affinity for what it starts. */
bool standdown_is_tool(const char *file);

/* file is a program that only starts others: a shell, env, time ... */
bool standdown_is_wrapper(const char *file);

/* The last component of a path. */
const char *standdown_basename(const char *path);

#endif
