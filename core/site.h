/* The options that hold for a job: the site's file, then the environment. */
#ifndef EVENKEEL_CORE_SITE_H
#define EVENKEEL_CORE_SITE_H

#include "core/arena.h"
#include "core/options.h"

#define SITE_FILE "/etc/evenkeel.conf"
/* Names one more such file, which goes before the site's: for tests and trials. */
#define SITE_VARIABLE "EVENKEEL_CONF"
#define SITE_FILE_MAX 65536u

/* Fills o from the site file, then the file that SITE_VARIABLE of envp names, then
 * envp. "off" and "deny" of a file stay, whatever comes after: nobody can lift
 * them. A file that is not there or cannot be read counts as empty. Strings are
 * the arena's or envp's. Async-signal-safe. */
void site_options(struct options *o, struct arena *a, char *const *envp);

#endif
