/* Copies of an environment with our own entries taken out or put in. The
 * strings of the source are never written to; new strings and the new array
 * are the arena's. Async-signal-safe. */
#ifndef EVENKEEL_SHIM_ENV_H
#define EVENKEEL_SHIM_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"

/* Our library's name in a preload list, whatever folder it is in. */
#define ENV_LIBRARY "libevenkeel.so"
#define ENV_PRELOAD "LD_PRELOAD"
#define ENV_RANK "EVENKEEL_RANK"

/* One of our variables: EVENKEEL or EVENKEEL_*. */
bool env_is_ours(const char *entry);
/* entry is "NAME=..." of that name. */
bool env_is(const char *entry, const char *name);

/* The preload list (value of LD_PRELOAD: names separated by blanks or colons)
 * names our library. */
bool env_preload_has_us(const char *list);
/* The first such name in list, of *len bytes; NULL when there is none. */
const char *env_preload_us(const char *list, size_t *len);

/* list without our library, the others in order and with their separators;
 * equal to list when we are not in it. NULL with errno ENOMEM. */
char *env_preload_without_us(struct arena *a, const char *list);

/* A copy of envp with room for extra more entries: without our preload entry
 * (LD_PRELOAD goes altogether when nothing else is in it), and without
 * EVENKEEL and EVENKEEL_*. *n gets the number of entries. NULL: ENOMEM. */
char **env_without_us(struct arena *a, char *const *envp, unsigned int extra, unsigned int *n);

/* Sets entry ("NAME=VALUE", kept by pointer) in env of *n entries, replacing
 * one of that name; there must be room. */
void env_put(char **env, unsigned int *n, char *entry);

/* "NAME=VALUE" or NULL with ENOMEM. */
char *env_entry(struct arena *a, const char *name, const char *value);

#endif
