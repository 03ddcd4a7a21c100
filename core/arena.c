#include "core/arena.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* One mapping, or one piece when get is set. Pieces follow the header. */
struct arena_chunk {
	struct arena_chunk *next;
	size_t size; /* of the whole chunk, header included */
	size_t used; /* likewise */
};

#define ALIGN 16u
#define HEADER ((sizeof(struct arena_chunk) + ALIGN - 1) / ALIGN * ALIGN)
#define CHUNK_SIZE (64u * 1024u)
/* Nothing here needs more; a larger wish is a forged or damaged number. */
#define PIECE_MAX (SIZE_MAX / 4)

static struct arena_chunk *chunk_new(struct arena *a, size_t size)
{
	struct arena_chunk *c;

	if (a->get) {
		c = a->get(size);
		if (!c) {
			errno = ENOMEM;
			return NULL;
		}
	} else {
		void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			       -1, 0);

		if (p == MAP_FAILED) {
			errno = ENOMEM;
			return NULL;
		}
		c = p;
	}
	c->size = size;
	c->used = HEADER;
	c->next = a->chunks;
	a->chunks = c;
	return c;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct arena_chunk *c = a->chunks;
	size_t need;
	char *piece;

	if (size > PIECE_MAX) {
		errno = ENOMEM;
		return NULL;
	}
	need = (size + ALIGN - 1) / ALIGN * ALIGN;
	if (a->get)
		c = chunk_new(a, HEADER + size);
	else if (!c || c->size - c->used < need)
		c = chunk_new(a, HEADER + need > CHUNK_SIZE ? HEADER + need : CHUNK_SIZE);
	if (!c)
		return NULL;
	piece = (char *)c + c->used;
	c->used += need;
	/* Mapped pages are zero already; touching them would cost. */
	if (a->get)
		memset(piece, 0, size);
	return piece;
}

void *arena_array(struct arena *a, size_t count, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(count, size, &total)) {
		errno = ENOMEM;
		return NULL;
	}
	return arena_alloc(a, total);
}

void arena_free(struct arena *a)
{
	while (a->chunks) {
		struct arena_chunk *c = a->chunks;

		a->chunks = c->next;
		if (a->put)
			a->put(c);
		else
			munmap(c, c->size);
	}
}
