#include "shim/role.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/daemon.h"
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

/* A variable by which a launcher numbers its ranks (the table is in launchvars.c). */
static inline bool numbers_rank(const char *e)
{
	switch (*e) {
	case 'F':
		return begins(e, "FLUX_TASK_LOCAL_ID=");
	case 'J':
		return begins(e, "JSM_NAMESPACE_LOCAL_RANK=");
	case 'M':
		return begins(e, "MPI_LOCALRANKID=") || begins(e, "MV2_COMM_WORLD_LOCAL_RANK=");
	case 'O':
		return begins(e, "OMPI_COMM_WORLD_LOCAL_RANK=");
	case 'P':
		return begins(e, "PMIX_RANK=") || begins(e, "PALS_LOCAL_RANKID=");
	case 'S':
		return begins(e, "SLURM_LOCALID=");
	}
	return false;
}

/* What the environment says: a rank's marker (its value is returned in marker),
 * or launch variables that call for a closer look. */
static bool environment_of_rank(char *const *envp, const char **marker)
{
	bool vars = false;

	*marker = NULL;
	for (; *envp; envp++) {
		if (**envp == 'E' && begins(*envp, ENV_RANK "="))
			*marker = *envp + sizeof(ENV_RANK);
		else
			vars |= numbers_rank(*envp);
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
	return !daemon_is(name) && rank_start(name, envp) ? ROLE_RANK : ROLE_INERT;
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
