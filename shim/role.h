/* What this process is to us. Decided once, by the library's constructor,
 * without a system call unless the process is one that acts. */
#ifndef EVENKEEL_SHIM_ROLE_H
#define EVENKEEL_SHIM_ROLE_H

enum role {
	ROLE_INERT = 0, /* hooks pass through */
	ROLE_LAUNCHER,  /* Hydra's mpiexec: hands the preload to its local proxy only */
	ROLE_PROXY,     /* Hydra's proxy, Open MPI's daemons: places the ranks it forks */
	ROLE_RANK,      /* a rank that settles once MPI is up */
};

/* Written by the constructor only. */
extern enum role role_of_process;

#endif
