#include "core/load.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/outbuf.h"
#include "core/proc.h"

/* Columns of a cpu's line in /proc/stat (proc(5)): user nice system idle iowait
 * irq softirq steal; guest time is part of user time. */
enum { COLUMN_IDLE = 3, COLUMN_IOWAIT = 4, COLUMNS = 8 };

#define PATH_SIZE 4096
/* A line of /proc/stat for a cpu, and far more. The line of interrupts is
 * longer, but it comes after the cpus. */
#define CHUNK 16384

static void path_below(char *path, const char *root, const char *name)
{
	struct outbuf o = { path, PATH_SIZE, 0 };

	outbuf_text(&o, root);
	outbuf_text(&o, name);
	outbuf_end(&o);
}

static bool number(const char **p, uint64_t *n)
{
	const char *s = *p;

	*n = 0;
	while (*s >= '0' && *s <= '9')
		*n = *n * 10 + (uint64_t)(*s++ - '0');
	if (s == *p)
		return false;
	*p = s;
	return true;
}

int load_running(unsigned int *running, const char *root)
{
	char path[PATH_SIZE], text[256];
	const char *p = text;
	uint64_t n;

	path_below(path, root, "/proc/loadavg");
	if (file_read(path, text, sizeof(text)) < 0)
		return -1;
	for (int blanks = 0; *p && blanks < 3; p++)
		blanks += *p == ' ';
	if (!number(&p, &n) || *p != '/') {
		errno = EINVAL;
		return -1;
	}
	*running = (unsigned int)n;
	return 0;
}

/* "cpuN a b c ..." */
static bool take_line(struct load_sample *s, const char *line)
{
	uint64_t cpu, value, busy = 0, total = 0;

	if (strncmp(line, "cpu", 3))
		return false;
	line += 3;
	if (!number(&line, &cpu))
		return *line == ' '; /* the sum of all cpus */
	for (int column = 0; column < COLUMNS && *line == ' '; column++) {
		line++;
		if (!number(&line, &value))
			return false;
		total += value;
		busy += column == COLUMN_IDLE || column == COLUMN_IOWAIT ? 0 : value;
	}
	if (cpu < s->ncpus) {
		s->busy[cpu] = busy;
		s->total[cpu] = total;
	}
	return true;
}

/* Reads lines as long as they are cpus'. */
static int take_lines(struct load_sample *s, int fd)
{
	char buf[CHUNK];
	size_t len = 0;
	bool any = false;

	for (;;) {
		ssize_t n = read(fd, buf + len, sizeof(buf) - 1 - len);
		char *line = buf, *end;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
		buf[len] = '\0';
		while ((end = strchr(line, '\n')) != NULL) {
			*end = '\0';
			if (!take_line(s, line))
				goto done;
			any = true;
			line = end + 1;
		}
		len -= (size_t)(line - buf);
		memmove(buf, line, len);
		if (len == sizeof(buf) - 1)
			break;
	}
done:
	if (any)
		return 0;
	errno = EINVAL;
	return -1;
}

int load_read(struct load_sample *s, struct arena *a, unsigned int ncpus, const char *root)
{
	char path[PATH_SIZE];
	int fd, rc, saved;

	s->ncpus = ncpus;
	s->busy = arena_array(a, ncpus, sizeof(*s->busy));
	s->total = arena_array(a, ncpus, sizeof(*s->total));
	if (!s->busy || !s->total)
		return -1;
	path_below(path, root, "/proc/stat");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -1;
	rc = take_lines(s, fd);
	saved = errno;
	close(fd);
	errno = saved;
	return rc;
}

void load_between(const struct load_sample *first, const struct load_sample *last,
		  const struct machine *m, unsigned int *centi)
{
	memset(centi, 0, m->nnodes * sizeof(*centi));
	for (unsigned int cpu = 0; cpu < first->ncpus && cpu < last->ncpus; cpu++) {
		uint64_t busy = last->busy[cpu] - first->busy[cpu];
		uint64_t total = last->total[cpu] - first->total[cpu];
		unsigned int node = machine_node_of(m, cpu);

		/* Idle time may run backwards a little (proc(5)). */
		if (node == CPUS_NONE || last->busy[cpu] < first->busy[cpu] ||
		    last->total[cpu] <= first->total[cpu] || busy > total)
			continue;
		centi[node] += (unsigned int)(busy * 100 / total);
	}
}

static void add_process(struct load_process *p, pid_t pid, int depth);

static void add_children(struct load_process *p, pid_t pid, int depth)
{
	char path[64], list[4096];
	struct outbuf o = { path, sizeof(path), 0 };
	const char *at = list;
	uint64_t child;

	outbuf_text(&o, "/proc/");
	outbuf_number(&o, (unsigned int)pid);
	outbuf_text(&o, "/task/");
	outbuf_number(&o, (unsigned int)pid);
	outbuf_text(&o, "/children");
	outbuf_end(&o);
	if (file_read(path, list, sizeof(list)) < 0)
		return;
	while (number(&at, &child)) {
		add_process(p, (pid_t)child, depth - 1);
		at += *at == ' ';
	}
}

static void add_process(struct load_process *p, pid_t pid, int depth)
{
	struct proc_stat st;

	if (proc_stat_read(&st, pid) < 0)
		return;
	if (pid == p->pid || st.state == 'R')
		p->cpu = st.cpu;
	p->ticks += st.cpu_ticks;
	p->running += st.state == 'R';
	if (depth > 0)
		add_children(p, pid, depth);
}

void load_process(struct load_process *p)
{
	p->ticks = 0;
	p->cpu = -1;
	p->running = 0;
	if (p->pid > 0)
		add_process(p, p->pid, LOAD_DEPTH);
}
