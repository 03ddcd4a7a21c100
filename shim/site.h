/* The site's and the user's options, and the machine they choose. */
#ifndef EVENKEEL_SHIM_SITE_H
#define EVENKEEL_SHIM_SITE_H

#include "core/machine.h"
#include "core/options.h"

#define SITE_FILE "/etc/evenkeel.conf"
/* Names another site file: for tests and trials. */
#define SITE_VARIABLE "EVENKEEL_CONF"
#define SITE_FILE_MAX 65536u

/* Options of envp over those of the site file; "off" and "deny" of the site
 * file cannot be overridden. The strings are the arena's or envp's. A site file
 * that cannot be read counts as empty. */
void site_options(struct options *o, struct arena *a, char *const *envp);

/* The machine that o names (NULL = /sys). 0, or -1 with errno: as the readers
 * of core, or what reading the file gave. */
int site_machine(struct machine *m, struct arena *a, const struct options *o);

#endif
