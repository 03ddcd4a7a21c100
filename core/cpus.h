/* Sets of cpus (or of anything numbered from 0), sized at run time.
 *
 * Numbers are the kernel's own (OS index); they may have holes and may exceed
 * 1,024. Sets of different sizes mix freely: what a set has no room for is
 * not in it. All functions are pure, async-signal-safe and usable from any
 * thread on sets of its own.
 */
#ifndef EVENKEEL_CORE_CPUS_H
#define EVENKEEL_CORE_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"

/* Largest number of members a set may have room for; every parser refuses
 * higher numbers. Twice the kernel's own largest NR_CPUS (8192 on x86-64,
 * include/asm and Kconfig of Linux 6.12). */
#define CPUS_MAX 16384u

#define CPUS_NONE (~0u)

struct cpus {
	unsigned long *bits; /* the kernel's cpumask layout: bit n % 64 of word n / 64 */
	unsigned int nbits;  /* room; a multiple of 64 */
};

/* An empty set with room for numbers 0 .. n-1 (rounded up to whole words; n = 0
 * gives one word). 0, or -1 with errno ENOMEM, or EINVAL when n > CPUS_MAX. */
int cpus_init(struct cpus *c, struct arena *a, unsigned int n);

/* A copy of src with the same room. 0, or -1 with errno ENOMEM. */
int cpus_copy(struct cpus *dst, struct arena *a, const struct cpus *src);

void cpus_clear(struct cpus *c);
/* n beyond the room is ignored. */
void cpus_add(struct cpus *c, unsigned int n);
void cpus_del(struct cpus *c, unsigned int n);
bool cpus_has(const struct cpus *c, unsigned int n);
unsigned int cpus_count(const struct cpus *c);
bool cpus_empty(const struct cpus *c);

/* The lowest member >= from, or CPUS_NONE. */
unsigned int cpus_next(const struct cpus *c, unsigned int from);
#define cpus_for_each(n, c) \
	for (unsigned int n = cpus_next((c), 0); n != CPUS_NONE; n = cpus_next((c), n + 1))

/* dst op= src; members that dst has no room for are dropped. */
void cpus_or(struct cpus *dst, const struct cpus *src);
void cpus_and(struct cpus *dst, const struct cpus *src);
void cpus_andnot(struct cpus *dst, const struct cpus *src);
/* Size of the intersection. */
unsigned int cpus_and_count(const struct cpus *a, const struct cpus *b);
bool cpus_equal(const struct cpus *a, const struct cpus *b);
/* Every member of a is in b. */
bool cpus_subset(const struct cpus *a, const struct cpus *b);
bool cpus_intersects(const struct cpus *a, const struct cpus *b);

/* Reads the kernel's list form ("0-3,8,10-11"; optional stride "0-30:2" is not
 * read), len bytes, surrounding blanks and a final newline allowed; an empty
 * list is an empty set. Members are added to an initialised c. 0, or -1 with
 * errno EINVAL (not a list, or a range that runs backwards) or ERANGE (a
 * number that c has no room for); c is unspecified then. */
int cpus_parse(struct cpus *c, const char *text, size_t len);

/* Highest number named in such a list, or CPUS_NONE for an empty or broken one
 * or a number >= CPUS_MAX: to size a set before cpus_parse. */
unsigned int cpus_parse_max(const char *text, size_t len);

/* Writes the list form of c and a NUL to buf, at most size bytes. Returns the
 * length the whole list has, as snprintf does; a return >= size means it was
 * cut. */
size_t cpus_format(const struct cpus *c, char *buf, size_t size);

#endif
