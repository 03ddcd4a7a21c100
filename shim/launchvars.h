/* What a launcher tells a rank about itself through the environment. Pure. */
#ifndef EVENKEEL_SHIM_LAUNCHVARS_H
#define EVENKEEL_SHIM_LAUNCHVARS_H

#include <stdbool.h>

struct launchvars {
	const char *launcher; /* for the user */
	unsigned int rank;    /* local rank, < nranks */
	unsigned int nranks;  /* local ranks, >= 1 */
};

/* Hydra's own pair, MPI_LOCALRANKID and MPI_LOCALNRANKS: the only ones that a
 * Hydra proxy always sets. False when one is absent or no such number. */
bool launchvars_hydra(char *const *envp, struct launchvars *v);

/* Any launcher. Trusted in this order, since the ranks of mpirun and Hydra
 * inside a Slurm allocation carry the SLURM_* of their daemon: OMPI_*,
 * MPI_LOCAL*, SLURM_*. The first pair that is there decides; false when it is
 * impossible (local rank >= size ...) or no pair is there. A batch script's
 * own SLURM_LOCALID=0 (no SLURM_STEP_ID) is not a rank. */
bool launchvars_any(char *const *envp, struct launchvars *v);

#endif
