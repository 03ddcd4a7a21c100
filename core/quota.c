#include "core/quota.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/file.h"
#include "core/outbuf.h"

#define BUF_SIZE 16384u  /* /proc/self/cgroup: some dozen lines */
#define PATH_SIZE 8192u  /* a cgroup's path is up to PATH_MAX by itself */
#define VALUE_SIZE 64u

struct reader {
	const char *root;
	char *buf, *path;
	unsigned int cpus; /* smallest so far; 0 = none */
};

static bool read_file(struct reader *r, const char *folder, size_t folder_len, const char *cgroup,
		      size_t cgroup_len, const char *name, char *value)
{
	struct outbuf o = { r->path, PATH_SIZE, 0 };

	outbuf_text(&o, r->root);
	outbuf_text(&o, "/sys/fs/cgroup");
	outbuf_put(&o, folder, folder_len);
	outbuf_put(&o, cgroup, cgroup_len);
	outbuf_text(&o, name);
	outbuf_end(&o);
	return o.len < o.size && file_read(r->path, value, VALUE_SIZE) >= 0;
}

/* A positive number at *s, which then points behind it; 0 when there is none.
 * Numbers are capped long before they overflow. */
static uint64_t number(const char **s)
{
	uint64_t n = 0;

	while (**s >= '0' && **s <= '9') {
		if (n < UINT64_MAX / 16)
			n = n * 10 + (uint64_t)(**s - '0');
		++*s;
	}
	return n;
}

static void take(struct reader *r, uint64_t quota, uint64_t period)
{
	uint64_t cpus;

	if (quota == 0 || period == 0)
		return;
	cpus = quota / period + (quota % period != 0);
	/* More than any machine has is no limit. */
	if (cpus < CPUS_MAX && (r->cpus == 0 || cpus < r->cpus))
		r->cpus = (unsigned int)cpus;
}

static void take_v2(struct reader *r, const char *cgroup, size_t len)
{
	char value[VALUE_SIZE];
	const char *s = value;
	uint64_t quota;

	if (!read_file(r, "", 0, cgroup, len, "/cpu.max", value))
		return;
	quota = number(&s); /* 0 for "max" */
	if (*s++ == ' ')
		take(r, quota, number(&s));
}

static void take_v1(struct reader *r, const char *folder, size_t folder_len, const char *cgroup,
		    size_t len)
{
	char value[VALUE_SIZE];
	const char *s = value;
	uint64_t quota;

	if (!read_file(r, folder, folder_len, cgroup, len, "/cpu.cfs_quota_us", value))
		return;
	quota = number(&s); /* 0 for "-1" */
	s = value;
	if (quota && read_file(r, folder, folder_len, cgroup, len, "/cpu.cfs_period_us", value))
		take(r, quota, number(&s));
}

/* One of the comma-separated controllers is cpu. */
static bool has_cpu(const char *controllers, size_t len)
{
	const char *end = controllers + len;

	while (controllers < end) {
		const char *comma = memchr(controllers, ',', (size_t)(end - controllers));
		const char *stop = comma ? comma : end;

		if (stop - controllers == 3 && memcmp(controllers, "cpu", 3) == 0)
			return true;
		controllers = stop + 1;
	}
	return false;
}

/* controllers is empty for version 2. Goes up from cgroup, "/" last. */
static void take_hierarchy(struct reader *r, char *controllers, size_t len, const char *cgroup,
			   size_t cgroup_len)
{
	/* A process outside its cgroup namespace's root sees "/../..": what is
	 * mounted is the root then, and the path must not lead elsewhere. */
	if (memmem(cgroup, cgroup_len, "/..", 3))
		cgroup_len = 0;
	while (cgroup_len > 0 && cgroup[cgroup_len - 1] == '/')
		cgroup_len--;
	for (;;) {
		if (len == 0) {
			take_v2(r, cgroup, cgroup_len);
		} else {
			take_v1(r, "/cpu", 4, cgroup, cgroup_len);
			controllers[-1] = '/'; /* over the colon */
			if (len > 3)
				take_v1(r, controllers - 1, len + 1, cgroup, cgroup_len);
		}
		if (cgroup_len == 0)
			break;
		while (cgroup[--cgroup_len] != '/')
			;
	}
}

/* "ID:CONTROLLERS:/PATH", the controllers empty for version 2. */
static void take_line(struct reader *r, char *line, size_t len)
{
	char *colon = memchr(line, ':', len);
	char *path = colon ? memchr(colon + 1, ':', len - (size_t)(colon + 1 - line)) : NULL;
	size_t controllers_len;

	if (!path || path + 1 >= line + len || path[1] != '/')
		return;
	controllers_len = (size_t)(path - colon - 1);
	if (controllers_len == 0 || has_cpu(colon + 1, controllers_len))
		take_hierarchy(r, colon + 1, controllers_len, path + 1,
			       len - (size_t)(path + 1 - line));
}

int quota_read(unsigned int *cpus, struct arena *a, const char *root)
{
	struct reader r = { .root = root };
	struct outbuf o;
	ssize_t len;

	*cpus = 0;
	r.buf = arena_alloc(a, BUF_SIZE);
	r.path = arena_alloc(a, PATH_SIZE);
	if (!r.buf || !r.path)
		return -1;
	o = (struct outbuf){ r.path, PATH_SIZE, 0 };
	outbuf_text(&o, root);
	outbuf_text(&o, "/proc/self/cgroup");
	outbuf_end(&o);
	len = file_read(r.path, r.buf, BUF_SIZE);
	for (char *line = r.buf; line < r.buf + len;) {
		char *end = memchr(line, '\n', (size_t)(r.buf + len - line));

		if (!end)
			end = r.buf + len;
		take_line(&r, line, (size_t)(end - line));
		line = end + 1;
	}
	*cpus = r.cpus;
	return 0;
}
