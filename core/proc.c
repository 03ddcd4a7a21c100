#include "core/proc.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "core/file.h"

/* Fields are numbered as in proc(5); the name is field 2. */
enum {
	FIELD_STATE = 3,
	FIELD_PPID = 4,
	FIELD_SESSION = 6,
	FIELD_UTIME = 14,
	FIELD_STIME = 15,
	FIELD_START = 22,
	FIELD_CPU = 39,
};

static bool number(const char **p, const char *end, uint64_t *n)
{
	const char *s = *p;
	bool negative = s < end && *s == '-';

	*n = 0;
	if (negative)
		s++;
	if (s == end || *s < '0' || *s > '9')
		return false;
	while (s < end && *s >= '0' && *s <= '9')
		*n = *n * 10 + (uint64_t)(*s++ - '0');
	if (negative)
		*n = 0 - *n;
	*p = s;
	return true;
}

static const char *find_last(const char *text, size_t len, char c)
{
	while (len > 0)
		if (text[--len] == c)
			return text + len;
	return NULL;
}

int proc_stat_parse(struct proc_stat *st, const char *text, size_t len)
{
	const char *end = text + len, *p = text;
	const char *open = memchr(text, '(', len), *close = find_last(text, len, ')');
	uint64_t n, user = 0, sys = 0;
	size_t name;

	memset(st, 0, sizeof(*st));
	if (!open || !close || close < open || !number(&p, end, &n))
		goto bad;
	st->pid = (pid_t)n;
	name = (size_t)(close - open - 1);
	if (name >= sizeof(st->comm))
		name = sizeof(st->comm) - 1;
	memcpy(st->comm, open + 1, name);
	p = close + 1;
	if (end - p < 3)
		goto bad;
	st->state = p[1];
	p += 2;
	for (int field = FIELD_STATE + 1; field <= FIELD_CPU; field++) {
		if (p == end || *p++ != ' ' || !number(&p, end, &n))
			goto bad;
		switch (field) {
		case FIELD_PPID:
			st->ppid = (pid_t)n;
			break;
		case FIELD_SESSION:
			st->session = (pid_t)n;
			break;
		case FIELD_UTIME:
			user = n;
			break;
		case FIELD_STIME:
			sys = n;
			break;
		case FIELD_START:
			st->start = n;
			break;
		case FIELD_CPU:
			st->cpu = (int)n;
			break;
		default:
			break;
		}
	}
	st->cpu_ticks = user + sys;
	return 0;
bad:
	errno = EINVAL;
	return -1;
}

/* "/proc/PID/stat" without stdio. */
static void stat_path(char path[32], pid_t pid)
{
	char digits[12];
	int i = 0;
	size_t len = 6;

	memcpy(path, "/proc/", 6);
	if (pid <= 0) {
		memcpy(path + len, "self", 4);
		len += 4;
	} else {
		for (; pid; pid /= 10)
			digits[i++] = (char)('0' + pid % 10);
		while (i)
			path[len++] = digits[--i];
	}
	memcpy(path + len, "/stat", 6);
}

int proc_stat_read(struct proc_stat *st, pid_t pid)
{
	char path[32], text[1024];
	ssize_t len;

	stat_path(path, pid);
	len = file_read(path, text, sizeof(text));
	if (len < 0) {
		if (errno == ENOENT)
			errno = ESRCH;
		return -1;
	}
	return proc_stat_parse(st, text, (size_t)len);
}

bool proc_alive(pid_t pid, uint64_t start)
{
	struct proc_stat st;

	return pid > 0 && proc_stat_read(&st, pid) == 0 && st.start == start && st.state != 'Z' &&
	       st.state != 'X';
}

bool proc_ancestor(pid_t pid, unsigned int steps,
		   bool (*match)(const struct proc_stat *st, const void *arg), const void *arg,
		   struct proc_stat *st)
{
	struct proc_stat here;

	if (proc_stat_read(&here, pid) < 0)
		return false;
	for (; steps > 0; steps--) {
		if (here.ppid <= 0 || proc_stat_read(&here, here.ppid) < 0)
			return false;
		if (match(&here, arg)) {
			*st = here;
			return true;
		}
	}
	return false;
}
