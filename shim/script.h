/* Looks into the file behind a command, to see whether it is a script and what it
 * calls. Regular files alone are opened. Async-signal-safe; errno may change. */
#ifndef EVENKEEL_SHIM_SCRIPT_H
#define EVENKEEL_SHIM_SCRIPT_H

#include <stdbool.h>

#include "core/arena.h"

/* Of a script no more than this is read, bytes. */
#define SCRIPT_MAX 65536u

/* A descriptor of that file, or -1: it is not there, no regular file, or may not be
 * read. */
int script_open(const char *path);

/* The same for a file as execvp finds it by the PATH of envp. */
int script_open_command(const char *file, char *const *envp);

/* The text behind fd, which is closed: the first SCRIPT_MAX bytes up to a zero byte.
 * NULL when it does not begin with "#!" (any: when it is shorter than two bytes), or
 * without memory. */
char *script_read(int fd, struct arena *a, bool any);

#endif
