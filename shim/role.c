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

/* Hydra's mpiexec goes by many names, which Open MPI's launcher shares; which of them
 * this is says the file that runs. "" when it cannot be read. */
static const char *own_file(char *buf, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buf, size - 1);

	buf[n > 0 ? n : 0] = '\0';
	return standdown_basename(buf);
}

static bool is_mpiexec(const char *name)
{
	return starts_with(name, "mpiexec") || starts_with(name, "mpirun");
}

/* Open MPI's and PRRTE's launcher, which starts the ranks of its own host itself. */
static bool is_openmpi_mpirun(const char *name)
{
	return !strcmp(name, "orterun") || !strcmp(name, "prterun");
}

enum mpiexec { MPIEXEC_NONE = 0, MPIEXEC_HYDRA, MPIEXEC_OPENMPI };

static enum mpiexec mpiexec_of(const char *name)
{
	char buf[4096];
	const char *file;

	if (!is_mpiexec(name) && !is_openmpi_mpirun(name))
		return MPIEXEC_NONE;
	file = own_file(buf, sizeof(buf));
	if (is_openmpi_mpirun(file))
		return MPIEXEC_OPENMPI;
	return is_mpiexec(name) && starts_with(file, "mpiexec.hydra") ? MPIEXEC_HYDRA
								      : MPIEXEC_NONE;
}

/* What starts them on other hosts, or for whoever asks. */
static bool is_openmpi_daemon(const char *name)
{
	return !strcmp(name, "orted") || !strcmp(name, "prted") || !strcmp(name, "prte");
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
		return proxy_start(envp, PROXY_HYDRA) ? ROLE_PROXY : ROLE_INERT;
	if (is_openmpi_daemon(name))
		return proxy_start(envp, PROXY_OPENMPI) ? ROLE_PROXY : ROLE_INERT;
	switch (mpiexec_of(name)) {
	case MPIEXEC_HYDRA:
		return launcher_start() ? ROLE_LAUNCHER : ROLE_INERT;
	case MPIEXEC_OPENMPI:
		return proxy_start(envp, PROXY_MPIRUN) ? ROLE_PROXY : ROLE_INERT;
	case MPIEXEC_NONE:
		break;
	}
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
	if (rank || begins(name, "mpi") || begins(name, "hydra_") || begins(name, "pmi_") ||
	    begins(name, "orte") || begins(name, "prte"))
		role_of_process = start(name, envp, marker);
}
