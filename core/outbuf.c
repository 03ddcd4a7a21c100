#include "core/outbuf.h"

#include <string.h>

void outbuf_put(struct outbuf *o, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++, o->len++)
		if (o->len + 1 < o->size)
			o->buf[o->len] = bytes[i];
}

void outbuf_text(struct outbuf *o, const char *s)
{
	outbuf_put(o, s, strlen(s));
}

void outbuf_number(struct outbuf *o, unsigned int n)
{
	char digits[10];
	size_t i = sizeof(digits);

	do
		digits[--i] = (char)('0' + n % 10);
	while (n /= 10);
	outbuf_put(o, digits + i, sizeof(digits) - i);
}

void outbuf_cpus(struct outbuf *o, const struct cpus *c)
{
	size_t room = o->len < o->size ? o->size - o->len : 0;

	o->len += cpus_format(c, room ? o->buf + o->len : NULL, room);
}

void outbuf_end(struct outbuf *o)
{
	if (o->size)
		o->buf[o->len < o->size ? o->len : o->size - 1] = '\0';
}
