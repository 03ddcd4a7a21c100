/* Text put together piece by piece without stdio or malloc. Pure,
 * async-signal-safe. */
#ifndef EVENKEEL_CORE_OUTBUF_H
#define EVENKEEL_CORE_OUTBUF_H

#include <stddef.h>

#include "core/cpus.h"

/* A buffer that counts past its end: what does not fit is dropped, and len
 * tells the length of the whole, as snprintf does. Start with { buf, size, 0 };
 * buf may be NULL when size is 0. */
struct outbuf {
	char *buf;
	size_t size, len;
};

void outbuf_put(struct outbuf *o, const char *bytes, size_t len);
void outbuf_text(struct outbuf *o, const char *s);
/* In decimal. */
void outbuf_number(struct outbuf *o, unsigned int n);
/* In the kernel's list form. */
void outbuf_cpus(struct outbuf *o, const struct cpus *c);
/* Puts the NUL behind the text, or over the last byte of a text that was cut.
 * More may be put afterwards. */
void outbuf_end(struct outbuf *o);

#endif
