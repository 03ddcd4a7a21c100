/* The machine that a job is placed on. */
#ifndef EVENKEEL_SHIM_MACHINE_H
#define EVENKEEL_SHIM_MACHINE_H

#include "core/machine.h"
#include "core/options.h"

/* The machine that o names: a file, a text, or this host's /sys. 0, or -1 with
 * errno: as the readers of core, or what reading the file gave. */
int machine_chosen(struct machine *m, struct arena *a, const struct options *o);

#endif
