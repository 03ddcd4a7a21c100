/* On which hosts of a job the preload is active, by the lines that it writes on
 * standard error when it is asked to (EVENKEEL_VERBOSE): there is no other way back
 * from a host, and none is needed.
 *
 *	evenkeel[PID]: HOST: N ranks, ...           a proxy on HOST has it
 *	evenkeel[PID]: HOST: not active: REASON     mpiexec or the stub on HOST says why not
 *
 * Memory from the caller's arena. Not for two threads.
 */
#ifndef EVENKEEL_LAUNCHER_HOSTS_H
#define EVENKEEL_LAUNCHER_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"

/* What every line of the preload begins with. */
#define HOSTS_LINE "evenkeel["

struct hosts_host {
	char *name;
	char *why; /* NULL = active */
};

struct hosts {
	struct arena *arena; /* set by the caller; all else 0 */
	unsigned int n, room;
	struct hosts_host *hosts; /* as they were heard of; each once */
};

/* Takes in what one line of len bytes, without its newline, says of a host; any other
 * line says nothing. A host that was active once stays so. 0, or -1 with errno
 * ENOMEM. */
int hosts_line(struct hosts *h, const char *line, size_t len);

unsigned int hosts_active(const struct hosts *h);

/* The names of all hosts that are not active for the reason of host i, with ", "
 * between them, where i is the first of these; else NULL. NULL with errno ENOMEM, too. */
const char *hosts_alike(const struct hosts *h, unsigned int i);

#endif
