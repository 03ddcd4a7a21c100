/* Memory that is taken in small pieces and given back all at once.
 *
 * The shim works between fork and exec, where malloc is not allowed: by
 * default an arena maps anonymous pages itself (mmap and munmap only, so it is
 * async-signal-safe and usable in a vfork child). The launcher and the tests
 * may set get and put to malloc and free, so that memory checkers see every
 * piece on its own. Not safe for use from two threads at once.
 */
#ifndef EVENKEEL_CORE_ARENA_H
#define EVENKEEL_CORE_ARENA_H

#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* newest first; NULL = empty */
	/* Both NULL (the default): pages are mapped. Both set: every piece is
	 * taken with get and given back with put. */
	void *(*get)(size_t size);
	void (*put)(void *piece);
};

/* A zero-filled, 16-byte aligned piece of size bytes (0 gives a valid, empty
 * piece). It lives until arena_free. NULL with errno ENOMEM when the system
 * gives no memory or size is absurd; the arena stays usable. */
void *arena_alloc(struct arena *a, size_t size);

/* The same for count items of size bytes; ENOMEM also when the product
 * overflows. */
void *arena_array(struct arena *a, size_t count, size_t size);

/* Gives everything back. The arena is empty and usable afterwards. */
void arena_free(struct arena *a);

#endif
