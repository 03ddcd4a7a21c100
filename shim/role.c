#include "shim/role.h"

#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "core/options.h"
#include "shim/env.h"
#include "shim/launcher.h"
#include "shim/proxy.h"
#include "shim/rank.h"
#include "shim/standdown.h"

enum role role_of_process;

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
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
	static const char *const daemons[] = {
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

__attribute__((constructor)) static void decide(int argc, char **argv, char **envp)
{
	const char *name = argc > 0 && argv[0] ? standdown_basename(argv[0]) : "";
	const char *marker;

	if (getauxval(AT_SECURE))
		return;
	if (proxy_is(name)) {
		if (proxy_start(envp))
			role_of_process = ROLE_PROXY;
	} else if (is_hydra_mpiexec(name)) {
		if (launcher_start())
			role_of_process = ROLE_LAUNCHER;
	} else if ((marker = options_getenv(envp, ENV_RANK)) != NULL) {
		if (rank_has_marker(marker))
			role_of_process = ROLE_RANK;
	} else if (!role_is_daemon(name)) {
		if (rank_start(name, envp))
			role_of_process = ROLE_RANK;
	}
}
