#include "core/cpus.h"

#include <errno.h>
#include <string.h>

#define WORD 64u

static unsigned int nwords(const struct cpus *c)
{
	return c->nbits / WORD;
}

static unsigned int min_words(const struct cpus *a, const struct cpus *b)
{
	return nwords(a) < nwords(b) ? nwords(a) : nwords(b);
}

int cpus_init(struct cpus *c, struct arena *a, unsigned int n)
{
	unsigned int words = n ? (n + WORD - 1) / WORD : 1;

	if (n > CPUS_MAX) {
		errno = EINVAL;
		return -1;
	}
	c->bits = arena_array(a, words, sizeof(*c->bits));
	if (!c->bits)
		return -1;
	c->nbits = words * WORD;
	return 0;
}

int cpus_copy(struct cpus *dst, struct arena *a, const struct cpus *src)
{
	if (cpus_init(dst, a, src->nbits) < 0)
		return -1;
	memcpy(dst->bits, src->bits, nwords(src) * sizeof(*src->bits));
	return 0;
}

void cpus_clear(struct cpus *c)
{
	memset(c->bits, 0, nwords(c) * sizeof(*c->bits));
}

void cpus_add(struct cpus *c, unsigned int n)
{
	if (n < c->nbits)
		c->bits[n / WORD] |= 1ul << (n % WORD);
}

void cpus_del(struct cpus *c, unsigned int n)
{
	if (n < c->nbits)
		c->bits[n / WORD] &= ~(1ul << (n % WORD));
}

bool cpus_has(const struct cpus *c, unsigned int n)
{
	return n < c->nbits && (c->bits[n / WORD] >> (n % WORD) & 1);
}

unsigned int cpus_count(const struct cpus *c)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < nwords(c); i++)
		count += (unsigned int)__builtin_popcountl(c->bits[i]);
	return count;
}

bool cpus_empty(const struct cpus *c)
{
	return cpus_next(c, 0) == CPUS_NONE;
}

unsigned int cpus_next(const struct cpus *c, unsigned int from)
{
	for (unsigned int i = from / WORD; i < nwords(c); i++) {
		unsigned long w = c->bits[i];

		if (i == from / WORD)
			w &= ~0ul << (from % WORD);
		if (w)
			return i * WORD + (unsigned int)__builtin_ctzl(w);
	}
	return CPUS_NONE;
}

void cpus_or(struct cpus *dst, const struct cpus *src)
{
	for (unsigned int i = 0; i < min_words(dst, src); i++)
		dst->bits[i] |= src->bits[i];
}

void cpus_and(struct cpus *dst, const struct cpus *src)
{
	for (unsigned int i = 0; i < nwords(dst); i++)
		dst->bits[i] &= i < nwords(src) ? src->bits[i] : 0;
}

void cpus_andnot(struct cpus *dst, const struct cpus *src)
{
	for (unsigned int i = 0; i < min_words(dst, src); i++)
		dst->bits[i] &= ~src->bits[i];
}

unsigned int cpus_and_count(const struct cpus *a, const struct cpus *b)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < min_words(a, b); i++)
		count += (unsigned int)__builtin_popcountl(a->bits[i] & b->bits[i]);
	return count;
}

bool cpus_equal(const struct cpus *a, const struct cpus *b)
{
	return cpus_subset(a, b) && cpus_subset(b, a);
}

bool cpus_subset(const struct cpus *a, const struct cpus *b)
{
	for (unsigned int i = 0; i < nwords(a); i++)
		if (a->bits[i] & ~(i < nwords(b) ? b->bits[i] : 0))
			return false;
	return true;
}

bool cpus_intersects(const struct cpus *a, const struct cpus *b)
{
	return cpus_and_count(a, b) != 0;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Reads one number at *pos; false when there is none. Numbers are capped, so
 * that no length of digits overflows; CPUS_MAX and above are refused later. */
static bool read_number(const char *text, size_t len, size_t *pos, unsigned int *n)
{
	size_t start = *pos;

	*n = 0;
	while (*pos < len && text[*pos] >= '0' && text[*pos] <= '9') {
		*n = *n * 10 + (unsigned int)(text[*pos] - '0');
		if (*n > CPUS_MAX)
			*n = CPUS_MAX;
		++*pos;
	}
	return *pos > start;
}

/* Calls visit for each range of the list. */
static int parse(const char *text, size_t len,
		 int (*visit)(void *arg, unsigned int first, unsigned int last), void *arg)
{
	size_t pos = 0;

	while (len > 0 && blank(text[len - 1]))
		len--;
	while (pos < len && blank(text[pos]))
		pos++;
	while (pos < len) {
		unsigned int first, last;

		if (!read_number(text, len, &pos, &first))
			goto bad;
		last = first;
		if (pos < len && text[pos] == '-') {
			pos++;
			if (!read_number(text, len, &pos, &last) || last < first)
				goto bad;
		}
		if (visit(arg, first, last) < 0)
			return -1;
		if (pos == len)
			break;
		if (text[pos++] != ',' || pos == len)
			goto bad;
	}
	return 0;
bad:
	errno = EINVAL;
	return -1;
}

static int visit_add(void *arg, unsigned int first, unsigned int last)
{
	struct cpus *c = arg;

	if (last >= c->nbits) {
		errno = ERANGE;
		return -1;
	}
	for (unsigned int n = first; n <= last; n++)
		cpus_add(c, n);
	return 0;
}

int cpus_parse(struct cpus *c, const char *text, size_t len)
{
	return parse(text, len, visit_add, c);
}

static int visit_max(void *arg, unsigned int first, unsigned int last)
{
	unsigned int *max = arg;

	(void)first;
	if (last >= CPUS_MAX)
		return -1;
	if (*max == CPUS_NONE || last > *max)
		*max = last;
	return 0;
}

unsigned int cpus_parse_max(const char *text, size_t len)
{
	unsigned int max = CPUS_NONE;

	return parse(text, len, visit_max, &max) < 0 ? CPUS_NONE : max;
}

/* An output buffer that counts past its end. */
struct out {
	char *buf;
	size_t size, len;
};

static void put(struct out *o, char c)
{
	if (o->len + 1 < o->size)
		o->buf[o->len] = c;
	o->len++;
}

static void put_number(struct out *o, unsigned int n)
{
	char digits[10];
	int i = 0;

	do
		digits[i++] = (char)('0' + n % 10);
	while (n /= 10);
	while (i)
		put(o, digits[--i]);
}

size_t cpus_format(const struct cpus *c, char *buf, size_t size)
{
	struct out o = { buf, size, 0 };
	unsigned int n = cpus_next(c, 0);

	while (n != CPUS_NONE) {
		unsigned int last = n;

		while (cpus_has(c, last + 1))
			last++;
		if (o.len)
			put(&o, ',');
		put_number(&o, n);
		if (last > n) {
			put(&o, '-');
			put_number(&o, last);
		}
		n = cpus_next(c, last + 1);
	}
	if (size)
		buf[o.len < size ? o.len : size - 1] = '\0';
	return o.len;
}
