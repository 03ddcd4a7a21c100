#include "shim/role.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/options.h"
#include "shim/env.h"
#include "shim/glibc.h"
#include "shim/launcher.h"
#include "shim/proxy.h"
#include "shim/rank.h"
#include "shim/remote.h"
#include "shim/standdown.h"

enum role role_of_process;

static bool starts_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Hydra's mpiexec goes by many names, which Open MPI's launcher shares; what
 * runs is always a file of this name. */
static bool is_hydra_mpiexec(const char *name)
{
	char exe[4096];
	ssize_t n;

	if (!starts_with(name, "mpiexec") && !starts_with(name, "mpirun"))
		return false;
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n <= 0)
		return false;
	exe[n] = '\0';
	return starts_with(standdown_basename(exe), "mpiexec.hydra");
}

/* Names of processes whose children are ranks, as their "comm" shows them (cut
 * at 15 bytes): Hydra, Intel MPI's Hydra, Open MPI, PRRTE, Slurm, Flux, PALS,
 * LSF. */
bool role_is_daemon(const char *name)
{
	static const char daemons[][16] = {
		"hydra_pmi_proxy", "pmi_proxy",  "hydra_bstrap_pr", "orted",
		"orterun",	   "prted",	 "prterun",	    "prte",
		"mpirun",	   "mpiexec",	 "mpirun.openmpi",  "mpiexec.openmpi",
		"slurmstepd",	   "flux-shell", "palsd",	    "jsmd",
	};

	for (size_t i = 0; i < sizeof(daemons) / sizeof(*daemons); i++)
		if (!strncmp(name, daemons[i], 15))
			return true;
	return false;
}

/* text starts with word. In place, since in the many processes that are none of
 * ours the first call of a C library function costs a thousand instructions of
 * symbol look-up, more than all the rest. */
static inline bool begins(const char *text, const char *word)
{
	while (*word)
		if (*text++ != *word++)
			return false;
	return true;
}

static const char *program_name(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

/* What the environment says: a rank's marker (its value is returned in marker),
 * or launch variables that call for a closer look. */
static bool environment_of_rank(char *const *envp, const char **marker)
{
	bool vars = false;

	*marker = NULL;
	for (; *envp; envp++) {
		const char *e = *envp;

		if (*e == 'E' && begins(e, ENV_RANK "="))
			*marker = e + sizeof(ENV_RANK);
		else if (*e == 'M' || *e == 'O' || *e == 'S')
			vars |= begins(e, "MPI_LOCALRANKID=") || begins(e, "SLURM_LOCALID=") ||
				begins(e, "OMPI_COMM_WORLD_LOCAL_RANK=");
	}
	return vars || *marker;
}

/* The process is one that may act: privileges and the rest are looked at. */
static enum role start(const char *name, char **envp, const char *marker)
{
	if (getauxval(AT_SECURE))
		return ROLE_INERT;
	if (remote_is_proxy(name))
		return proxy_start(envp) ? ROLE_PROXY : ROLE_INERT;
	if (is_hydra_mpiexec(name))
		return launcher_start() ? ROLE_LAUNCHER : ROLE_INERT;
	if (marker)
		return rank_has_marker(marker) ? ROLE_RANK : ROLE_INERT;
	return !role_is_daemon(name) && rank_start(name, envp) ? ROLE_RANK : ROLE_INERT;
}

__attribute__((constructor)) static void decide(int argc, char **argv, char **envp)
{
	const char *name, *marker;
	bool rank;

	if (!glibc_is_here())
		return;
	name = argc > 0 && argv[0] ? program_name(argv[0]) : "";
	rank = environment_of_rank(envp, &marker);
	if (rank || begins(name, "mpi") || begins(name, "hydra_") || begins(name, "pmi_"))
		role_of_process = start(name, envp, marker);
}
