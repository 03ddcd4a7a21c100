/* The functions behind our hooks: the next ones after this library. */
#ifndef EVENKEEL_SHIM_REAL_H
#define EVENKEEL_SHIM_REAL_H

enum real_name {
	REAL_EXECV,
	REAL_EXECVE,
	REAL_EXECVP,
	REAL_EXECVPE,
	REAL_POSIX_SPAWN,
	REAL_POSIX_SPAWNP,
	REAL_MPI_INIT,
	REAL_MPI_INIT_THREAD,
	REAL_PMPI_INIT,
	REAL_PMPI_INIT_THREAD,
	REAL_MPI_COMM_CREATE_FROM_GROUP,
	REAL_PMPI_COMM_CREATE_FROM_GROUP,
	REAL_COUNT,
};

/* Looks up the exec and spawn functions, so that no look-up is left for the
 * time between fork and exec. Called from the constructor of processes that
 * act; all others look up a function when they first call its hook. */
void real_load_exec(void);

/* The real function, or NULL when there is none. errno is kept. caller is an
 * address in the code that called the hook: where the usual search order finds
 * nothing (MPI loaded with dlopen and RTLD_LOCAL), its own object is asked. */
void *real_get(enum real_name name, void *caller);

#endif
