#include "shim/marker.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/proc.h"

#define SETTLE "1:settle:"

/* Where this process is: the same for all processes of one boot and PID
 * namespace. "BOOTID:PIDNS:" */
static int place_name(char *buf, size_t size)
{
	char ns[64];
	const char *digits;
	ssize_t len = file_read("/proc/sys/kernel/random/boot_id", buf, size / 2), n;

	if (len < 0)
		return -1;
	while (len > 0 && buf[len - 1] == '\n')
		len--;
	n = readlink("/proc/self/ns/pid", ns, sizeof(ns) - 1);
	if (n < 0)
		return -1;
	ns[n] = '\0';
	digits = ns + strcspn(ns, "0123456789");
	ns[strcspn(ns, "]")] = '\0';
	n = (ssize_t)strlen(digits);
	if ((size_t)(len + n) + 3 > size) {
		errno = EINVAL;
		return -1;
	}
	buf[len++] = ':';
	memcpy(buf + len, digits, (size_t)n);
	len += n;
	buf[len++] = ':';
	buf[len] = '\0';
	return 0;
}

static size_t put_number(char *buf, uint64_t n)
{
	char digits[20];
	size_t len = 0, out = 0;

	do
		digits[len++] = (char)('0' + n % 10);
	while (n /= 10);
	while (len)
		buf[out++] = digits[--len];
	buf[out++] = ':';
	return out;
}

char *marker_make(struct arena *a, const struct cpus *node, const struct cpus *wide)
{
	char place[160];
	struct proc_stat st;
	size_t lists = cpus_format(node, NULL, 0) + cpus_format(wide, NULL, 0), len, size;
	char *value;

	if (place_name(place, sizeof(place)) < 0 || proc_stat_read(&st, 0) < 0)
		return NULL;
	size = sizeof(SETTLE) + sizeof(place) + 2 * 21 + lists + 3;
	if (size > MARKER_MAX) {
		errno = E2BIG;
		return NULL;
	}
	value = arena_alloc(a, size);
	if (!value)
		return NULL;
	len = strlen(SETTLE);
	memcpy(value, SETTLE, len);
	memcpy(value + len, place, strlen(place));
	len += strlen(place);
	len += put_number(value + len, (uint64_t)st.pid);
	len += put_number(value + len, st.start);
	len += cpus_format(node, value + len, size - len);
	value[len++] = ':';
	len += cpus_format(wide, value + len, size - len);
	value[len++] = ':';
	value[len] = '\0';
	return value;
}

bool marker_wants_settle(const char *value)
{
	return !strncmp(value, SETTLE, strlen(SETTLE));
}

static bool take_number(const char **p, uint64_t *n)
{
	const char *s = *p;

	*n = 0;
	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(*n, 10u, n) ||
		    __builtin_add_overflow(*n, (uint64_t)(*s - '0'), n))
			return false;
	if (s == *p || *s != ':')
		return false;
	*p = s + 1;
	return true;
}

static bool take_cpus(const char *text, size_t len, struct arena *a, struct cpus *c)
{
	return cpus_init(c, a, CPUS_MAX) == 0 && cpus_parse(c, text, len) == 0 && !cpus_empty(c);
}

struct owner {
	uint64_t pid, start;
};

static bool is_owner(const struct proc_stat *st, const void *arg)
{
	const struct owner *o = arg;

	return (uint64_t)st->pid == o->pid && st->start == o->start;
}

/* This process is the one that was placed, or one of its children. */
static bool ours(const struct owner *o)
{
	struct proc_stat st;

	return (proc_stat_read(&st, 0) == 0 && is_owner(&st, o)) ||
	       proc_ancestor(0, MARKER_STEPS, is_owner, o, &st);
}

bool marker_read(const char *value, struct arena *a, struct cpus *node, struct cpus *wide)
{
	char place[160];
	struct owner o;
	size_t len, end;

	if (!marker_wants_settle(value) || strnlen(value, MARKER_MAX) == MARKER_MAX)
		return false;
	value += strlen(SETTLE);
	if (place_name(place, sizeof(place)) < 0 || strncmp(value, place, strlen(place)))
		return false;
	value += strlen(place);
	if (!take_number(&value, &o.pid) || !take_number(&value, &o.start))
		return false;
	len = strcspn(value, ":");
	if (value[len] != ':')
		return false;
	end = len + 1 + strcspn(value + len + 1, ":");
	/* The last colon shows that nothing was cut off. */
	return value[end] == ':' && !value[end + 1] && take_cpus(value, len, a, node) &&
	       take_cpus(value + len + 1, end - len - 1, a, wide) && cpus_subset(node, wide) &&
	       ours(&o);
}
