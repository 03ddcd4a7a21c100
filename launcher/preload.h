/* Where the preload library is, and what goes into the environment for it. */
#ifndef EVENKEEL_LAUNCHER_PRELOAD_H
#define EVENKEEL_LAUNCHER_PRELOAD_H

#include "core/arena.h"
#include "launcher/cli.h"

#define PRELOAD_LIBRARY "libevenkeel.so"

/* Finds the library beside the build of this very program
 * (DIR/../shim/.libs/, DIR = that of /proc/self/exe), else in the installed
 * PKGLIBDIR. The path is absolute and in the arena. NULL with errno: ENOENT
 * (in neither place), ENOEXEC (not a whole library for this kind of machine),
 * EINVAL (the path has a blank or a colon, at which ld.so would cut it), ENOMEM;
 * err says so. */
char *preload_find(struct arena *a, struct cli_error *err);

/* The value of LD_PRELOAD with library first and the entries of old (NULL = not
 * set; parted by blanks or colons, as ld.so reads it) after it in their order;
 * library itself is not repeated. NULL with errno ENOMEM. */
char *preload_value(struct arena *a, const char *library, const char *old);

/* The variables for the given options: count entries of NAME=VALUE, with
 * --machine read and turned into its text, so that nothing depends on the
 * working directory or on files afterwards. 0, or -1 with errno and
 * err set. */
int preload_variables(const struct cli *c, struct arena *a, char ***variables, unsigned int *count,
		      struct cli_error *err);

/* text in single quotes for sh: reads back as text whatever it holds. NULL with
 * errno ENOMEM. */
char *preload_quote(struct arena *a, const char *text);

#endif
