#include "shim/launchvars.h"

#include <string.h>

#include "core/options.h"

/* More local ranks than any host has are a slip or a forgery. */
#define RANKS_MAX PLAN_RANKS_MAX

/* PMIX_RANK is the rank in the whole job; those above are wildcards and errors
 * (pmix_common.h: PMIX_RANK_VALID). */
#define PMIX_RANK_MAX (UINT32_MAX - 50u)

/* Steps from here on are Slurm's own: batch script, interactive shell, external
 * processes (slurm/slurm.h: SLURM_BATCH_SCRIPT 0xfffffffb and its neighbours). */
#define SLURM_STEP_MAX 0xfffffff0u

/* How the number of local ranks is told. */
enum size {
	SIZE_VARIABLE, /* by a variable of its own */
	SIZE_SLURM,    /* by the list of the host's tasks, or of the hosts' numbers of tasks */
	SIZE_FLUX,     /* by the job's size, when the job is on one host */
	SIZE_UNKNOWN,  /* not at all */
};

/* One row per launcher, in order of trust. Names in place, not by pointer: each
 * pointer costs time in every process of a job.
 *
 * Tried with the software itself: Hydra (MPICH), Open MPI, Slurm, PMIx. From
 * documents and source alone: Intel MPI (Hydra's row; "Intel MPI Library Developer
 * Reference"), MVAPICH2 (its src/pm/mpirun/mpispawn.c), PRRTE (Open MPI's row;
 * docs.open-mpi.org, "Environment variables set for MPI applications"), PALS
 * (Slurm's src/plugins/mpi/cray_shasta/mpi_cray_shasta.c, which speaks its
 * language, and Argonne's programs for Aurora), LSF's jsrun (PRRTE's own example
 * of asking, and HPCToolkit's OSUtil.c), Flux (flux-environment(7)). */
static const struct row {
	char launcher[12];
	char rank[28];
	char sizes[2][28];
	char job[2][20];
	char hosts[20];
	unsigned char size; /* enum size */
} rows[] = {
    {"Open MPI",
     "OMPI_COMM_WORLD_LOCAL_RANK",
     {"OMPI_COMM_WORLD_LOCAL_SIZE"},
     {"PMIX_NAMESPACE"},
     "",
     SIZE_VARIABLE},
    {"Hydra", "MPI_LOCALRANKID", {"MPI_LOCALNRANKS"}, {""}, "", SIZE_VARIABLE},
    {"MVAPICH2",
     "MV2_COMM_WORLD_LOCAL_RANK",
     {"MV2_COMM_WORLD_LOCAL_SIZE"},
     {""},
     "",
     SIZE_VARIABLE},
    {"PALS",
     "PALS_LOCAL_RANKID",
     {"PALS_LOCAL_SIZE", "PMI_LOCAL_SIZE"},
     {"PALS_APID"},
     "",
     SIZE_VARIABLE},
    {"jsrun",
     "JSM_NAMESPACE_LOCAL_RANK",
     {"JSM_NAMESPACE_LOCAL_SIZE"},
     {"LSB_JOBID", "PMIX_NAMESPACE"},
     "LSB_MCPU_HOSTS",
     SIZE_VARIABLE},
    {"Flux", "FLUX_TASK_LOCAL_ID", {"FLUX_JOB_SIZE"}, {"FLUX_JOB_ID"}, "", SIZE_FLUX},
    {"Slurm",
     "SLURM_LOCALID",
     {"SLURM_GTIDS", "SLURM_STEP_TASKS_PER_NODE"},
     {"SLURM_JOB_ID", "SLURM_STEP_ID"},
     "SLURM_STEP_NODELIST",
     SIZE_SLURM},
    {"PMIx", "PMIX_RANK", {""}, {"PMIX_NAMESPACE"}, "", SIZE_UNKNOWN},
};
#define NROWS (sizeof(rows) / sizeof(*rows))
#define OPENMPI (&rows[0])
#define HYDRA (&rows[1])

/* A whole number up to max at the start of text; NULL, or what follows it. */
static const char *read_number(const char *text, unsigned int max, unsigned int *n)
{
	uint64_t v = 0;

	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		v = v * 10 + (unsigned int)(*text - '0');
		if (v > max)
			return NULL;
	}
	*n = (unsigned int)v;
	return text;
}

static bool number(char *const *envp, const char *name, unsigned int max, unsigned int *n)
{
	const char *text = options_getenv(envp, name);

	text = text ? read_number(text, max, n) : NULL;
	return text && !*text;
}

/* The first of the row's variables that is there decides. */
static bool size_variable(char *const *envp, const struct row *row, unsigned int *n)
{
	const char *name = row->sizes[0];

	if (*row->sizes[1] && !options_getenv(envp, name))
		name = row->sizes[1];
	return number(envp, name, RANKS_MAX, n);
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

/* Entry at of a list such as "4,1(x2)", in which N(xR) stands for R times N; 0
 * when the list is anything else or shorter. */
static unsigned int entry_of(const char *list, unsigned int at)
{
	for (;; list++) {
		unsigned int n, times = 1;

		list = read_number(list, RANKS_MAX, &n);
		if (list && !strncmp(list, "(x", 2)) {
			list = read_number(list + 2, RANKS_MAX, &times);
			list = list && *list == ')' ? list + 1 : NULL;
		}
		if (!list || (*list && *list != ','))
			return 0;
		if (at < times)
			return n;
		at -= times;
		if (!*list)
			return 0;
	}
}

/* SLURM_GTIDS has the global ids of the step's tasks on this host. Where both are
 * there they must agree. */
static bool size_slurm(char *const *envp, const struct row *row, unsigned int *n)
{
	const char *ids = options_getenv(envp, row->sizes[0]);
	const char *list = options_getenv(envp, row->sizes[1]);
	unsigned int step, node, listed = 0;

	if (!number(envp, row->job[1], SLURM_STEP_MAX, &step))
		return false;
	if (list && number(envp, "SLURM_NODEID", RANKS_MAX, &node))
		listed = entry_of(list, node);
	*n = ids ? count_list(ids) : listed;
	return !listed || *n == listed;
}

static bool size_flux(char *const *envp, const struct row *row, unsigned int *n)
{
	unsigned int hosts;

	if (!number(envp, "FLUX_JOB_NNODES", RANKS_MAX, &hosts) || !hosts)
		return false;
	return hosts > 1 || (number(envp, row->sizes[0], RANKS_MAX, n) && *n);
}

/* FNV-1a, 32 bits (Fowler, Noll, Vo), over the values that name the job. A
 * launcher's daemon has few jobs, if more than one. */
static uint32_t job_of(char *const *envp, const struct row *row)
{
	uint32_t sum = 0x811c9dc5u;

	for (int i = 0; i < 2 && *row->job[i]; i++) {
		const char *text = options_getenv(envp, row->job[i]);

		for (; text && *text; text++)
			sum = (sum ^ (unsigned char)*text) * 0x01000193u;
		sum = (sum ^ '.') * 0x01000193u;
	}
	return sum;
}

static bool size_of(char *const *envp, const struct row *row, struct launchvars *v)
{
	const char *job;

	switch ((enum size)row->size) {
	case SIZE_VARIABLE:
		return size_variable(envp, row, &v->nranks) && v->nranks;
	case SIZE_SLURM:
		/* Slurm does not say it of other launchers' ranks. */
		if (!number(envp, "SLURM_CPUS_ON_NODE", CPUS_MAX, &v->cpus))
			v->cpus = 0;
		return size_slurm(envp, row, &v->nranks) && v->nranks;
	case SIZE_FLUX:
		return size_flux(envp, row, &v->nranks);
	case SIZE_UNKNOWN:
		job = options_getenv(envp, row->job[0]);
		return job && *job;
	}
	return false;
}

static bool read_row(char *const *envp, const struct row *row, struct launchvars *v)
{
	unsigned int max = row->size == SIZE_UNKNOWN ? PMIX_RANK_MAX : RANKS_MAX;

	memset(v, 0, sizeof(*v));
	v->launcher = row->launcher;
	if (!number(envp, row->rank, max, &v->rank) || !size_of(envp, row, v) ||
	    (v->nranks && v->rank >= v->nranks))
		return false;
	v->job = job_of(envp, row);
	if (*row->hosts)
		v->hosts = options_getenv(envp, row->hosts);
	return true;
}

bool launchvars_hydra(char *const *envp, struct launchvars *v)
{
	return read_row(envp, HYDRA, v);
}

/* The job's name is the one thing that must be a rank's own. */
bool launchvars_openmpi(char *const *envp, char *const *base, struct launchvars *v)
{
	const char *job = options_getenv(envp, OPENMPI->job[0]);
	const char *theirs = options_getenv(base, OPENMPI->job[0]);

	if (!read_row(envp, OPENMPI, v))
		return false;
	return !options_getenv(base, OPENMPI->rank) || (job && theirs && strcmp(job, theirs) != 0);
}

bool launchvars_any(char *const *envp, struct launchvars *v)
{
	for (size_t i = 0; i < NROWS; i++)
		if (options_getenv(envp, rows[i].rank))
			return read_row(envp, &rows[i], v);
	return false;
}
