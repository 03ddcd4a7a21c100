#include "launcher/placement.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "launcher/cli.h"
#include "launcher/crowd.h"

#define FIRST_PAGES_S 0.1
#define MAPS_MAX (16u << 20)

struct placement_rank {
	bool up; /* has mapped shared memory of MPI */
	double delay_ns;
	double here, all; /* KiB of private pages */
};

int placement_init(struct placement_watch *w, struct arena *a, const struct machine *m,
		   const struct cpus *allowed, const struct plan_request *request,
		   const char *ledger, bool pages, pid_t root)
{
	memset(w, 0, sizeof(*w));
	report_init(&w->report, a, m, allowed, request, ledger, root);
	w->arena = a;
	w->pages = pages && m->nnodes > 1;
	w->next_pages_s = FIRST_PAGES_S;
	w->placement.nnodes = m->nnodes;
	w->placement.remote_share = NAN;
	w->placement.start = arena_array(a, m->nnodes, sizeof(unsigned int));
	w->placement.end = arena_array(a, m->nnodes, sizeof(unsigned int));
	w->first = arena_array(a, m->nnodes, sizeof(unsigned int));
	return w->placement.start && w->placement.end && w->first ? 0 : -1;
}

/* --- one rank ------------------------------------------------------------------ */

/* A whole file of /proc, however long, in scratch; NULL when that is not to be
 * had. */
static char *read_all(struct arena *scratch, const char *path)
{
	for (size_t size = 1u << 16; path && size <= MAPS_MAX; size *= 4) {
		char *text = arena_alloc(scratch, size);

		if (!text)
			return NULL;
		if (file_read(path, text, size) >= 0)
			return text;
		if (errno != EFBIG)
			return NULL;
	}
	return NULL;
}

/* MPICH, UCX and Open MPI keep what ranks of a host share in files there. */
static bool has_shared_memory(struct arena *scratch, pid_t pid)
{
	char *maps = read_all(scratch, cli_text(scratch, "/proc/%d/maps", pid));

	return maps && strstr(maps, " /dev/shm/");
}

/* Nanoseconds that the threads of pid have waited for a cpu: the second number
 * of schedstat (kernel 6.12, fs/proc/base.c, proc_pid_schedstat). */
static double run_delay_ns(struct arena *scratch, pid_t pid)
{
	const char *folder = cli_text(scratch, "/proc/%d/task", pid);
	DIR *dir = folder ? opendir(folder) : NULL;
	struct dirent *entry;
	double sum = 0;

	while (dir && (entry = readdir(dir))) {
		char text[128], *second;
		const char *path;

		if (*entry->d_name == '.')
			continue;
		path = cli_text(scratch, "%s/%s/schedstat", folder, entry->d_name);
		if (!path || file_read(path, text, sizeof(text)) < 0)
			continue;
		second = strchr(text, ' ');
		if (second)
			sum += strtod(second, NULL);
	}
	if (dir)
		closedir(dir);
	return sum;
}

/* One line of numa_maps; words in it end at blanks. */
static void count_line(char *line, unsigned int node, double *here, double *all)
{
	double page_kb = 4, mine = 0, sum = 0;
	bool private = false;
	char *rest = NULL;

	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		unsigned int at;
		double pages;

		if (!strncmp(word, "anon=", 5))
		private = true;
		else if (!strncmp(word, "kernelpagesize_kB=", 18))
		    page_kb = strtod(word + 18, NULL);
		else if (sscanf(word, "N%u=%lf", &at, &pages) == 2)
		{
			sum += pages;
			mine += at == node ? pages : 0;
		}
	}
	if (!private)
		return;
	*here += mine * page_kb;
	*all += sum * page_kb;
}

void placement_count_pages(char *text, unsigned int node, double *here, double *all)
{
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		count_line(line, node, here, all);
}

static void look_at_pages(struct placement_watch *w, struct arena *scratch,
			  struct placement_rank *rank, const struct report_rank *seen)
{
	char *text = read_all(scratch, cli_text(scratch, "/proc/%d/numa_maps", seen->worker));

	if (!text)
		return;
	rank->here = rank->all = 0;
	placement_count_pages(text, w->report.machine->nodes[seen->at].os, &rank->here, &rank->all);
}

/* --- all of them ---------------------------------------------------------------- */

static bool counts(const struct report *r, const struct report_rank *rank)
{
	return rank->look == r->looks && rank->samples && (rank->local >= 0 || rank->rank >= 0);
}

static int make_room(struct placement_watch *w)
{
	struct placement_rank *more;

	if (w->report.nranks <= w->room)
		return 0;
	more = arena_array(w->arena, w->report.room, sizeof(*more));
	if (!more)
		return -1;
	if (w->room)
		memcpy(more, w->ranks, w->room * sizeof(*more));
	w->ranks = more;
	w->room = w->report.room;
	return 0;
}

static void note_worst(struct placement_watch *w, const unsigned int *now)
{
	unsigned int difference = report_difference(&w->report, now);

	if (difference > w->placement.worst)
		w->placement.worst = difference;
}

/* Notes where all the ranks are, when this look has seen all of them. */
static void note_counts(struct placement_watch *w, const unsigned int *now, unsigned int all,
			bool up)
{
	struct placement *p = &w->placement;
	size_t size = p->nnodes * sizeof(*now);

	p->samples += all > 0;
	if (!all || all < p->ranks)
		return;
	if (all > p->ranks) {
		memcpy(w->first, now, size);
		w->phase = PLACEMENT_LAUNCH;
		p->worst = 0;
	}
	p->ranks = all;
	memcpy(p->end, now, size);
	if (w->phase == PLACEMENT_UP) {
		memcpy(p->start, now, size);
		w->phase = PLACEMENT_RUNS;
	} else if (w->phase == PLACEMENT_LAUNCH && up) {
		w->phase = PLACEMENT_UP;
	}
	if (w->phase == PLACEMENT_RUNS)
		note_worst(w, now);
}

static void look_at_ranks(struct placement_watch *w, struct arena *scratch, bool pages)
{
	struct report *r = &w->report;
	unsigned int *now = arena_array(scratch, r->machine->nnodes, sizeof(*now)), all = 0;
	bool up = true;

	if (!now)
		return;
	for (unsigned int i = 0; i < r->nranks; i++) {
		const struct report_rank *seen = &r->ranks[i];
		struct placement_rank *rank = &w->ranks[i];

		if (!counts(r, seen))
			continue;
		now[seen->at]++;
		all++;
		rank->delay_ns = run_delay_ns(scratch, seen->worker);
		if (!rank->up && w->phase == PLACEMENT_LAUNCH)
			rank->up = has_shared_memory(scratch, seen->worker);
		up &= rank->up;
		if (pages)
			look_at_pages(w, scratch, rank, seen);
	}
	note_counts(w, now, all, up);
}

void placement_look(struct placement_watch *w, double age_s)
{
	struct arena scratch = { .get = malloc, .put = free };
	bool pages = w->pages && age_s >= w->next_pages_s;

	if (report_sample(&w->report) == 0 && make_room(w) == 0) {
		look_at_ranks(w, &scratch, pages);
		if (pages)
			w->next_pages_s = 1.5 * age_s;
	}
	arena_free(&scratch);
}

struct placement placement_finish(struct placement_watch *w)
{
	struct placement *p = &w->placement;
	double here = 0, all = 0;

	if (w->phase == PLACEMENT_LAUNCH)
		memcpy(p->start, w->first, p->nnodes * sizeof(*p->start));
	else if (w->phase == PLACEMENT_UP)
		memcpy(p->start, p->end, p->nnodes * sizeof(*p->start));
	if (p->ranks && w->phase != PLACEMENT_RUNS) {
		note_worst(w, p->start);
		note_worst(w, p->end);
	}
	for (unsigned int i = 0; i < w->report.nranks && i < w->room; i++) {
		p->run_delay_s += w->ranks[i].delay_ns * 1e-9;
		here += w->ranks[i].here;
		all += w->ranks[i].all;
	}
	if (all > 0)
		p->remote_share = (all - here) / all;
	return *p;
}

unsigned int placement_fullest(const struct placement *p)
{
	unsigned int most = 0;

	for (unsigned int i = 0; p->ranks && i < p->nnodes; i++) {
		most = p->start[i] > most ? p->start[i] : most;
		most = p->end[i] > most ? p->end[i] : most;
	}
	return most;
}

const char *placement_counts(struct arena *a, const struct placement *p,
			     const unsigned int *counts_of)
{
	const char *text = p->ranks ? "" : "-";

	for (unsigned int i = 0; p->ranks && text && i < p->nnodes; i++)
		text = cli_text(a, "%s%s%u", text, *text ? "/" : "", counts_of[i]);
	return text;
}
