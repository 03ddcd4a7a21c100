/* The part of a rank: settles once MPI is up, and places itself where no proxy
 * of ours did. */
#ifndef EVENKEEL_SHIM_RANK_H
#define EVENKEEL_SHIM_RANK_H

#include <stdbool.h>

/* In the constructor of a process with EVENKEEL_RANK: true when it is to
 * settle. No system call; whether the marker is meant for this process is
 * looked at when it settles. */
bool rank_has_marker(const char *marker);

/* In the constructor of any other process: places it if launch variables say
 * that it is a rank and nobody else decided on its affinity. name is the
 * program's. True when it is to settle. */
bool rank_start(const char *name, char **envp);

/* MPI is up in this process: gives all its threads their old mask back, if the
 * mask is still the one that was given. errno is kept. Does nothing the second
 * time. */
void rank_settle(void);

#endif
