/* Names of the launchers' daemons: processes whose children are ranks. Pure. */
#ifndef EVENKEEL_CORE_DAEMON_H
#define EVENKEEL_CORE_DAEMON_H

#include <stdbool.h>

/* name (a process's "comm": 15 bytes at most, as the kernel keeps it) is that of
 * a daemon of Hydra, Intel MPI, MVAPICH2, Open MPI, PRRTE, Slurm, Flux, PALS or
 * LSF. */
bool daemon_is(const char *name);

#endif
