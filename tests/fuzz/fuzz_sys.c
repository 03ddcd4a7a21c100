/* Recorded machines, in the form of tests/machines/NAME.sys: the reader of /sys
 * and /proc finds these files instead. Stands in for core/file.c. */
#include <errno.h>

#include "core/file.h"
#include "core/machine_sys.h"
#include "core/machine_text.h"
#include "tests/fuzz/fuzz.h"

#define LINES_MAX 512
/* A list that names every second cpu there can be makes 8,192 of them look for
 * their caches: nothing new, and slow. */
#define READS_MAX 2000

static char *lines[LINES_MAX];
static unsigned int reads;

/* n is in the list "0-3,8" that ends at end; with numbers of any length. */
static bool in_list(const char *list, const char *end, unsigned long n)
{
	while (list < end) {
		char *after;
		unsigned long from = strtoul(list, &after, 10), to = from;

		if (after == list)
			return false;
		if (*after == '-')
			to = strtoul(after + 1, &after, 10);
		if (from <= n && n <= to)
			return true;
		list = after + 1;
	}
	return false;
}

/* The number that stands in path where pattern has {LIST}; *n is 0 without one.
 * False when they are different. */
static bool matches(const char *pattern, const char *path, unsigned int *n)
{
	const char *open = strchr(pattern, '{'), *close = open ? strchr(open, '}') : NULL;

	*n = 0;
	if (!close)
		return !strcmp(pattern, path);
	if (strncmp(pattern, path, (size_t)(open - pattern)))
		return false;
	path += open - pattern;
	if (*path < '0' || *path > '9')
		return false;
	while (*path >= '0' && *path <= '9' && *n < CPUS_MAX)
		*n = *n * 10 + (unsigned int)(*path++ - '0');
	return !strcmp(close + 1, path) && in_list(open + 1, close, *n);
}

/* content for number n: {+K} and {-K} are that much more or less, \n a newline. */
static size_t fill(char *buf, size_t size, const char *content, unsigned int n)
{
	size_t len = 0;

	while (*content && len + 16 < size) {
		int shift, used = 0;

		if (sscanf(content, "{%5d}%n", &shift, &used) == 1 && used) {
			len += (size_t)snprintf(buf + len, size - len, "%d", (int)n + shift);
			content += used;
		} else if (!strncmp(content, "\\n", 2)) {
			buf[len++] = '\n';
			content += 2;
		} else {
			buf[len++] = *content++;
		}
	}
	buf[len++] = '\n';
	buf[len] = '\0';
	return len;
}

ssize_t file_read(const char *path, char *buf, size_t size)
{
	unsigned int n;

	fuzz_check(*path == '/');
	errno = ++reads > READS_MAX ? EIO : ENOENT;
	if (reads > READS_MAX)
		return -1;
	for (char **line = lines; *line; line++) {
		char *tab = strchr(*line, '\t');
		bool here;

		if (!tab)
			continue;
		*tab = '\0';
		here = matches(*line, path + 1, &n);
		*tab = '\t';
		if (here)
			return (ssize_t)fill(buf, size, tab + 1, n);
	}
	return -1;
}

/* The text form says the same machine. */
static void check(const struct machine *m, struct arena *a)
{
	size_t len = machine_text_write(m, NULL, 0);
	char *text = arena_alloc(a, len + 1);
	struct plan_request request = { .nranks = 7 };
	struct machine again;
	struct plan p;

	machine_text_write(m, text, len + 1);
	fuzz_check(machine_text_read(&again, a, text, len, NULL) == 0);
	fuzz_check(again.nnodes == m->nnodes && cpus_equal(&again.usable, &m->usable));
	fuzz_check(plan_make(&p, a, m, &m->usable, &request) == 0);
	fuzz_check_plan(&p, m, &m->usable);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	struct arena a = FUZZ_ARENA;
	struct machine m;

	reads = 0;
	fuzz_lines(lines, LINES_MAX, text, size);
	if (machine_sys_read(&m, &a, "") == 0 && m.ncpus <= FUZZ_CPUS_MAX)
		check(&m, &a);
	arena_free(&a);
	free(text);
	return 0;
}
