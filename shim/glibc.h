/* The C library we are in. A job script may start programs of another one (musl),
 * which load us too: there everything must be inert, and no function may be
 * missing, since that would end the program. */
#ifndef EVENKEEL_SHIM_GLIBC_H
#define EVENKEEL_SHIM_GLIBC_H

#include <stdbool.h>
#include <stddef.h>

/* What glibc's pthread_atfork calls. The last argument is the library that the
 * handlers are in; NULL: it is never unloaded. Weak: NULL without glibc. */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
		      void *library) __attribute__((weak));

/* Only glibc hands argc, argv and envp to a library's constructor. */
static inline bool glibc_is_here(void)
{
	return __register_atfork != NULL;
}

#endif
