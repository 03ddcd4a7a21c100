/* What a launcher tells a rank about itself through the environment. Pure. */
#ifndef EVENKEEL_SHIM_LAUNCHVARS_H
#define EVENKEEL_SHIM_LAUNCHVARS_H

#include <stdbool.h>
#include <stdint.h>

struct launchvars {
	const char *launcher; /* for the user */
	const char *hosts;    /* the job's hosts as the launcher writes them, or NULL */
	unsigned int rank;    /* local rank, < nranks; with nranks 0 any number of its own */
	unsigned int nranks;  /* local ranks; 0 = the launcher does not say */
	unsigned int cpus;    /* cpus of this host that the job was given; 0 = not said */
	uint32_t job;	      /* tells jobs of one daemon apart */
};

/* Hydra's own pair, MPI_LOCALRANKID and MPI_LOCALNRANKS: the only ones that a
 * Hydra proxy always sets. False when one is absent or no such number. */
bool launchvars_hydra(char *const *envp, struct launchvars *v);

/* Open MPI's and PRRTE's, in a child of their daemon, whose own environment is
 * base. False also when that is not a rank of that daemon: an mpirun inside a rank
 * has that rank's variables, and so has the ssh that it starts. */
bool launchvars_openmpi(char *const *envp, char *const *base, struct launchvars *v);

/* Any launcher, in the order of the table in the .c: Slurm's last of those that
 * number ranks, since the ranks of mpirun and Hydra inside a Slurm allocation
 * carry the SLURM_* of their daemon, and PMIx, which says least, after all. The
 * first whose local rank is there decides; false when what it says is impossible
 * (local rank >= size ...) or none is there. A batch script's own
 * SLURM_LOCALID=0 (no SLURM_STEP_ID) is not a rank. */
bool launchvars_any(char *const *envp, struct launchvars *v);

#endif
