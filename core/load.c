#include "core/load.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/file.h"
#include "core/outbuf.h"
#include "core/proc.h"

/* Columns of a cpu's line in /proc/stat (proc(5)): user nice system idle iowait
 * irq softirq steal; guest time is part of user time. Old kernels end sooner. */
enum { COLUMN_IDLE = 3, COLUMN_IOWAIT = 4, COLUMNS_LEAST = 4, COLUMNS = 8 };

/* Ticks in which every idle cpu shows one: the window has five. */
#define TICKS_TELL 4

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
	for (; *s >= '0' && *s <= '9'; s++) {
		if (*n > (UINT64_MAX - 9) / 10)
			return false;
		*n = *n * 10 + (uint64_t)(*s - '0');
	}
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
	if (!number(&p, &n) || *p != '/' || n > UINT32_MAX) {
		errno = EINVAL;
		return -1;
	}
	*running = (unsigned int)n;
	return 0;
}

/* "cpuN a b c ...", or the sum of all cpus, "cpu  a b c ..." */
static bool take_line(struct load_sample *s, const char *line)
{
	uint64_t cpu, value, busy = 0, idle = 0;
	int column = 0;

	line += strlen("cpu");
	if (*line == ' ')
		return true;
	if (!number(&line, &cpu))
		return false;
	for (; column < COLUMNS && *line == ' '; column++) {
		line++;
		if (!number(&line, &value))
			return false;
		if (column == COLUMN_IDLE || column == COLUMN_IOWAIT)
			idle += value;
		else
			busy += value;
	}
	if (column < COLUMNS_LEAST || (*line && *line != ' '))
		return false;
	if (cpu < s->ncpus) {
		s->busy[cpu] = busy;
		s->idle[cpu] = idle;
	}
	return true;
}

/* Takes the whole lines of text as long as they are cpus', and tells where it
 * stopped; *end at the first other line. NULL when one cannot be read. */
static char *take_whole(struct load_sample *s, char *text, bool *any, bool *end)
{
	char *newline;

	while (!*end && (newline = strchr(text, '\n')) != NULL) {
		*newline = '\0';
		*end = strncmp(text, "cpu", 3);
		if (!*end && !take_line(s, text))
			return NULL;
		*any |= !*end;
		text = newline + 1;
	}
	return text;
}

static int take_lines(struct load_sample *s, int fd)
{
	char buf[CHUNK], *rest;
	size_t len = 0;
	bool any = false, end = false;

	while (!end && len + 1 < sizeof(buf)) {
		ssize_t n = read(fd, buf + len, sizeof(buf) - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		buf[len + (size_t)n] = '\0';
		/* A NUL in what was read ends it: no such line is a cpu's. */
		len = strlen(buf);
		rest = take_whole(s, buf, &any, &end);
		if (!rest)
			goto bad;
		len -= (size_t)(rest - buf);
		memmove(buf, rest, len);
	}
	if (any)
		return 0;
bad:
	errno = EINVAL;
	return -1;
}

int load_read(struct load_sample *s, struct arena *a, unsigned int ncpus, const char *root)
{
	char path[PATH_SIZE];
	int fd, rc, saved;

	s->ncpus = ncpus;
	s->busy = arena_array(a, ncpus, sizeof(*s->busy));
	s->idle = arena_array(a, ncpus, sizeof(*s->idle));
	if (!s->busy || !s->idle)
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

/* Hundredths. */
static unsigned int share(uint64_t busy, uint64_t idle)
{
	for (; (busy | idle) >> 50; busy >>= 1)
		idle >>= 1;
	return (unsigned int)(busy * 100 / (busy + idle));
}

/* Ticks of a cpu in between, busy or idle; none where a count ran backwards. */
static uint64_t grown(const struct load_sample *first, const struct load_sample *last,
		      unsigned int cpu)
{
	uint64_t before = first->busy[cpu] + first->idle[cpu];
	uint64_t after = last->busy[cpu] + last->idle[cpu];

	return after > before ? after - before : 0;
}

/* The kernel adds up an idle cpu's time whenever it is asked. A cpu whose counts
 * stand still while others' grow has work and has not come to its tick: one that
 * runs a single task without ticks, or one of a virtual machine whose host does
 * not let it run and does not say so. */
static bool without_tick(const struct load_sample *first, const struct load_sample *last,
			 unsigned int cpu, uint64_t most)
{
	return most >= TICKS_TELL && (first->busy[cpu] || first->idle[cpu]) &&
	       first->busy[cpu] == last->busy[cpu] && first->idle[cpu] == last->idle[cpu];
}

void load_between(const struct load_sample *first, const struct load_sample *last,
		  const struct machine *m, const struct cpus *allowed, unsigned int *centi)
{
	unsigned int ncpus = first->ncpus < last->ncpus ? first->ncpus : last->ncpus;
	uint64_t most = 0;

	memset(centi, 0, m->nnodes * sizeof(*centi));
	for (unsigned int cpu = 0; cpu < ncpus; cpu++) {
		uint64_t ticks = grown(first, last, cpu);

		most = ticks > most ? ticks : most;
	}
	for (unsigned int cpu = 0; cpu < ncpus; cpu++) {
		unsigned int node = machine_node_of(m, cpu);
		uint64_t busy, idle = 0;

		if (node == CPUS_NONE || (allowed && !cpus_has(allowed, cpu)))
			continue;
		if (without_tick(first, last, cpu, most))
			centi[node] += 100;
		if (last->busy[cpu] <= first->busy[cpu])
			continue;
		busy = last->busy[cpu] - first->busy[cpu];
		if (last->idle[cpu] > first->idle[cpu])
			idle = last->idle[cpu] - first->idle[cpu];
		centi[node] += share(busy, idle);
	}
}

/* --- processes --------------------------------------------------------------- */

int load_crowd_init(struct load_crowd *c, struct arena *a, unsigned int room)
{
	c->n = 0;
	c->room = room;
	c->processes = arena_array(a, room, sizeof(*c->processes));
	return c->processes ? 0 : -1;
}

static const struct load_process *find(const struct load_crowd *c, pid_t pid)
{
	for (unsigned int i = 0; i < c->n; i++)
		if (c->processes[i].pid == pid)
			return &c->processes[i];
	return NULL;
}

static void add_one(struct load_crowd *c, pid_t pid, unsigned int depth)
{
	struct load_process *p = &c->processes[c->n];
	struct proc_stat st;

	if (c->n == c->room || pid <= 0 || find(c, pid) || proc_stat_read(&st, pid) < 0)
		return;
	p->pid = pid;
	p->start = st.start;
	p->ticks = st.cpu_ticks;
	p->cpu = st.cpu;
	p->running = st.state == 'R';
	p->depth = (unsigned char)depth;
	c->n++;
}

static int open_children(pid_t pid)
{
	char path[64];
	struct outbuf o = { path, sizeof(path), 0 };

	outbuf_text(&o, "/proc/");
	outbuf_number(&o, (unsigned int)pid);
	outbuf_text(&o, "/task/");
	outbuf_number(&o, (unsigned int)pid);
	outbuf_text(&o, "/children");
	outbuf_end(&o);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* A proxy may have thousands of children: piece by piece. */
static void add_children(struct load_crowd *c, pid_t pid, unsigned int depth)
{
	int fd = open_children(pid);
	char buf[1024];
	pid_t child = 0;
	ssize_t len;

	if (fd < 0)
		return;
	while ((len = read(fd, buf, sizeof(buf))) > 0)
		for (ssize_t i = 0; i < len; i++) {
			if (buf[i] >= '0' && buf[i] <= '9') {
				child = child * 10 + (buf[i] - '0');
				continue;
			}
			add_one(c, child, depth);
			child = 0;
		}
	add_one(c, child, depth);
	close(fd);
}

void load_crowd_add(struct load_crowd *c, pid_t pid, uint64_t start)
{
	unsigned int first = c->n;

	add_one(c, pid, 0);
	if (start && c->n > first && c->processes[first].start != start)
		c->n = first;
	for (unsigned int i = first; i < c->n; i++)
		if (c->processes[i].depth < LOAD_DEPTH)
			add_children(c, c->processes[i].pid, c->processes[i].depth + 1u);
}

unsigned int load_crowd_running(const struct load_crowd *c)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < c->n; i++)
		n += c->processes[i].running;
	return n;
}

uint64_t load_crowd_used(const struct load_crowd *now, unsigned int i,
			 const struct load_crowd *before, uint64_t began)
{
	const struct load_process *p = &now->processes[i], *was;

	/* Both were gathered in the same way: mostly in the same order too. */
	was = i < before->n && before->processes[i].pid == p->pid ? &before->processes[i]
								  : find(before, p->pid);
	if (was && was->start == p->start)
		return p->ticks > was->ticks ? p->ticks - was->ticks : 0;
	return p->start >= began ? p->ticks : 0;
}
