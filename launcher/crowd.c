#include "launcher/crowd.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "launcher/cli.h"

void *crowd_grow(struct arena *a, void *items, unsigned int n, unsigned int *room, size_t size)
{
	void *more;

	if (n < *room)
		return items;
	more = arena_array(a, *room ? 2 * (size_t)*room : 64, size);
	if (!more)
		return NULL;
	if (n)
		memcpy(more, items, n * size);
	*room = *room ? 2 * *room : 64;
	return more;
}

static int by_pid(const void *left, const void *right)
{
	const struct proc_stat *a = left, *b = right;

	return (a->pid > b->pid) - (a->pid < b->pid);
}

int crowd_read(struct crowd *c)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	unsigned int pid;
	int result = 0;

	if (!dir)
		return -1;
	while (result == 0 && (entry = readdir(dir))) {
		if (!cli_number(entry->d_name, INT32_MAX, &pid))
			continue;
		c->procs = crowd_grow(c->arena, c->procs, c->n, &c->room, sizeof(*c->procs));
		if (!c->procs)
			result = -1;
		else if (proc_stat_read(&c->procs[c->n], (pid_t)pid) == 0)
			c->n++;
	}
	closedir(dir);
	if (result == 0 && c->n)
		qsort(c->procs, c->n, sizeof(*c->procs), by_pid);
	return result;
}

const struct proc_stat *crowd_find(const struct crowd *c, pid_t pid)
{
	struct proc_stat key = { .pid = pid };

	return c->n ? bsearch(&key, c->procs, c->n, sizeof(*c->procs), by_pid) : NULL;
}

bool crowd_below(const struct crowd *c, const struct proc_stat *p, pid_t root)
{
	for (unsigned int i = 0; p && i < CROWD_DEPTH_MAX; i++) {
		if (p->pid == root)
			return true;
		p = crowd_find(c, p->ppid);
	}
	return false;
}
