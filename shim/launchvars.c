#include "shim/launchvars.h"

#include "core/options.h"

/* More local ranks than any host has are a slip or a forgery. */
#define RANKS_MAX PLAN_RANKS_MAX

static bool number(const char *text, unsigned int *n)
{
	unsigned int v = 0;

	if (!text || !*text)
		return false;
	for (; *text >= '0' && *text <= '9'; text++) {
		v = v * 10 + (unsigned int)(*text - '0');
		if (v > RANKS_MAX)
			return false;
	}
	*n = v;
	return !*text;
}

static bool pair(char *const *envp, const char *rank, const char *size, struct launchvars *v)
{
	return number(options_getenv(envp, rank), &v->rank) &&
	       number(options_getenv(envp, size), &v->nranks) && v->rank < v->nranks;
}

bool launchvars_hydra(char *const *envp, struct launchvars *v)
{
	v->launcher = "Hydra";
	return pair(envp, "MPI_LOCALRANKID", "MPI_LOCALNRANKS", v);
}

/* Members of a list of numbers with commas between; 0 for anything else. */
static unsigned int count_list(const char *list)
{
	unsigned int n = 0;

	for (;; list++) {
		if (*list < '0' || *list > '9')
			return 0;
		while (*list >= '0' && *list <= '9')
			list++;
		n++;
		if (*list != ',')
			return *list ? 0 : n;
	}
}

/* SLURM_GTIDS lists the global ids of the step's tasks on this host. */
static bool slurm(char *const *envp, struct launchvars *v)
{
	const char *ids = options_getenv(envp, "SLURM_GTIDS");

	v->launcher = "Slurm";
	if (!ids || !options_getenv(envp, "SLURM_STEP_ID") ||
	    !number(options_getenv(envp, "SLURM_LOCALID"), &v->rank))
		return false;
	v->nranks = count_list(ids);
	return v->rank < v->nranks;
}

bool launchvars_any(char *const *envp, struct launchvars *v)
{
	if (options_getenv(envp, "OMPI_COMM_WORLD_LOCAL_RANK")) {
		v->launcher = "Open MPI";
		return pair(envp, "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", v);
	}
	if (options_getenv(envp, "MPI_LOCALRANKID"))
		return launchvars_hydra(envp, v);
	return slurm(envp, v);
}
