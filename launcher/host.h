/* What is to be known of a host before times taken on it mean anything. */
#ifndef EVENKEEL_LAUNCHER_HOST_H
#define EVENKEEL_LAUNCHER_HOST_H

#include "launcher/results.h"

/* Reads /proc, /sys and uname. What cannot be read is "" (numbers as struct
 * host_facts says). machine may be NULL. The MPI's name is asked of command when
 * its first word is called mpiexec or mpirun: it is run once with --version.
 * 0, or -1 with errno ENOMEM. */
int host_read(struct host_facts *h, struct arena *a, const struct machine *machine,
	      char *const *command);

#endif
