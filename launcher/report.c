#include "launcher/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/daemon.h"
#include "core/file.h"
#include "core/ledger.h"
#include "core/options.h"
#include "core/proc.h"
#include "launcher/cli.h"
#include "launcher/crowd.h"

/* A rank that joins the ledger in its constructor may be seen before that. */
#define LEDGER_TRIES 3
#define ENVIRON_MAX (4u << 20)

struct report_job {
	struct ledger_key key;
	struct plan plan;
	struct report_job *next;
};

void report_init(struct report *r, struct arena *a, const struct machine *m,
		 const struct cpus *allowed, const struct plan_request *request, const char *ledger,
		 pid_t root)
{
	memset(r, 0, sizeof(*r));
	r->arena = a;
	r->machine = m;
	r->allowed = allowed;
	r->request = *request;
	r->ledger = ledger;
	r->root = root;
}

/* The rank that p is, or works for: the nearest process from p upwards that a
 * daemon below root has started. A fork of the daemon that has not yet exec'ed
 * has the daemon's name, and is none. NULL if there is none. */
static const struct proc_stat *rank_of(const struct crowd *c, const struct proc_stat *p, pid_t root)
{
	const struct proc_stat *rank = NULL;

	for (unsigned int i = 0; p && i < CROWD_DEPTH_MAX; i++) {
		const struct proc_stat *parent = crowd_find(c, p->ppid);

		if (p->pid == root)
			return rank;
		if (!rank && parent && daemon_is(parent->comm) && !daemon_is(p->comm))
			rank = p;
		p = parent;
	}
	return NULL;
}

/* --- one rank -------------------------------------------------------------- */

static int number_of(char *const *vars, const char *const *names)
{
	unsigned int n;

	for (; *names; names++) {
		const char *value = options_getenv(vars, *names);

		if (value && cli_number(value, INT32_MAX, &n))
			return (int)n;
	}
	return -1;
}

/* What the environment it was started with says. */
static void read_numbers(struct report_rank *rank, struct arena *scratch)
{
	static const char *const global[] = { "PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
					      "SLURM_PROCID", NULL };
	static const char *const local[] = { "MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK",
					     "SLURM_LOCALID", NULL };
	const char *path = cli_text(scratch, "/proc/%d/environ", rank->pid);
	unsigned int n = 0;
	char *text = NULL, **vars;
	ssize_t len = -1;

	for (size_t size = 1u << 16; path && len < 0 && size <= ENVIRON_MAX; size *= 4) {
		text = arena_alloc(scratch, size);
		if (!text)
			return;
		len = file_read(path, text, size);
		if (len < 0 && errno != EFBIG)
			return;
	}
	for (ssize_t i = 0; i < len; i++)
		n += !text[i];
	vars = len > 0 ? arena_array(scratch, n + 2, sizeof(*vars)) : NULL;
	if (!vars)
		return;
	n = 0;
	for (char *s = text; s < text + len; s += strlen(s) + 1)
		vars[n++] = s;
	rank->rank = number_of(vars, global);
	rank->local = number_of(vars, local);
}

static struct report_rank *find_rank(struct report *r, const struct proc_stat *p,
				     struct arena *scratch)
{
	struct report_rank *rank;

	for (unsigned int i = 0; i < r->nranks; i++)
		if (r->ranks[i].pid == p->pid && r->ranks[i].start == p->start)
			return &r->ranks[i];
	rank = crowd_grow(r->arena, r->ranks, r->nranks, &r->room, sizeof(*rank));
	if (!rank)
		return NULL;
	r->ranks = rank;
	rank += r->nranks;
	*rank = (struct report_rank){
		.pid = p->pid, .start = p->start, .daemon = p->ppid, .rank = -1, .local = -1
	};
	rank->seen = arena_array(r->arena, r->machine->nnodes, sizeof(*rank->seen));
	if (!rank->seen)
		return NULL;
	read_numbers(rank, scratch);
	r->nranks++;
	return rank;
}

static void read_mask(struct report *r, struct report_rank *rank, pid_t pid, struct arena *scratch)
{
	static const char word[] = "\nCpus_allowed_list:\t";
	const char *path = cli_text(scratch, "/proc/%d/status", pid);
	size_t size = 1u << 16;
	char *text = arena_alloc(scratch, size), *line, *end;

	if (!path || !text || file_read(path, text, size) < 0)
		return;
	line = strstr(text, word);
	if (!line)
		return;
	line += strlen(word);
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	if (rank->last_mask && !strcmp(rank->last_mask, line))
		return;
	rank->last_mask = cli_text(r->arena, "%s", line);
	if (!rank->first_mask)
		rank->first_mask = rank->last_mask;
}

/* --- what was planned -------------------------------------------------------- */

static bool same_key(const struct ledger_key *a, const struct ledger_key *b)
{
	return a->pid == b->pid && a->group == b->group && a->start == b->start;
}

/* The plan of a job as its ranks made it: the load it was planned around is
 * frozen in the record. */
static const struct plan *plan_of(struct report *r, const struct ledger_job *job)
{
	struct plan_request request = r->request;
	struct report_job *known;
	unsigned int *busy;

	for (known = r->jobs; known; known = known->next)
		if (same_key(&known->key, &job->key))
			return &known->plan;
	known = arena_alloc(r->arena, sizeof(*known));
	busy = arena_array(r->arena, r->machine->nnodes, sizeof(*busy));
	if (!known || !busy)
		return NULL;
	for (unsigned int i = 0; i < job->nnodes; i++) {
		unsigned int node = machine_node_of(r->machine, job->nodes[i].cpu);

		if (node != CPUS_NONE)
			busy[node] = job->nodes[i].busy;
	}
	request.nranks = job->nranks;
	request.width = job->width;
	request.busy = busy;
	if (plan_make(&known->plan, r->arena, r->machine, r->allowed, &request) < 0)
		return NULL;
	known->key = job->key;
	known->next = r->jobs;
	r->jobs = known;
	return &known->plan;
}

static void look_up(struct report *r, struct report_rank *rank, const struct ledger *l)
{
	for (unsigned int i = 0; i < l->njobs; i++) {
		const struct ledger_job *job = &l->jobs[i];

		for (unsigned int slot = 0; slot < job->nranks; slot++) {
			const struct plan *plan;

			if (job->slots[slot].pid != rank->pid ||
			    job->slots[slot].start != rank->start)
				continue;
			rank->tries = LEDGER_TRIES;
			rank->local = (int)slot;
			plan = plan_of(r, job);
			if (plan && !plan->why)
				rank->planned = plan_place_of(plan, slot);
			return;
		}
	}
}

static void ask_ledger(struct report *r, struct arena *scratch)
{
	struct ledger l;
	unsigned int i;

	for (i = 0; i < r->nranks && r->ranks[i].tries >= LEDGER_TRIES; i++)
		;
	if (i == r->nranks || (r->ledger && !strcmp(r->ledger, "none")))
		return;
	if (ledger_open(&l, scratch, r->ledger) < 0)
		return;
	for (; i < r->nranks; i++)
		if (r->ranks[i].tries++ < LEDGER_TRIES)
			look_up(r, &r->ranks[i], &l);
	ledger_close(&l);
}

/* --- samples ------------------------------------------------------------------ */

unsigned int report_difference(const struct report *r, const unsigned int *counts)
{
	unsigned int least = ~0u, most = 0;

	for (unsigned int i = 0; i < r->machine->nnodes; i++) {
		if (!cpus_intersects(&r->machine->nodes[i].cpus, r->allowed))
			continue;
		if (counts[i] < least)
			least = counts[i];
		if (counts[i] > most)
			most = counts[i];
	}
	return most > least ? most - least : 0;
}

static void count_sample(struct report *r, const unsigned int *counts)
{
	unsigned int all = 0, worst = report_difference(r, counts);

	for (unsigned int i = 0; i < r->machine->nnodes; i++)
		all += counts[i];
	if (!all || all < r->most) {
		r->samples += all > 0;
		return;
	}
	r->samples++;
	if (all > r->most || worst > r->worst)
		r->worst = worst;
	r->most = all;
}

/* For each rank the one of its processes that has used most time: the rank
 * itself, or what a wrapper has started. */
static int see_crowd(struct report *r, const struct crowd *c, struct arena *scratch)
{
	const struct proc_stat **busiest = arena_array(scratch, c->n + 1, sizeof(*busiest));
	unsigned int *counts = arena_array(scratch, r->machine->nnodes, sizeof(*counts));

	if (!busiest || !counts)
		return -1;
	for (unsigned int i = 0; i < c->n; i++) {
		const struct proc_stat *p = &c->procs[i], *rank = rank_of(c, p, r->root);

		if (!rank || p->state == 'Z')
			continue;
		if (!busiest[rank - c->procs] || busiest[rank - c->procs]->cpu_ticks < p->cpu_ticks)
			busiest[rank - c->procs] = p;
	}
	for (unsigned int i = 0; i < c->n; i++) {
		struct report_rank *rank;
		unsigned int node;

		if (!busiest[i])
			continue;
		rank = find_rank(r, &c->procs[i], scratch);
		if (!rank)
			return -1;
		node = machine_node_of(r->machine, (unsigned int)busiest[i]->cpu);
		read_mask(r, rank, busiest[i]->pid, scratch);
		if (node == CPUS_NONE)
			continue;
		rank->seen[node]++;
		rank->samples++;
		rank->at = node;
		rank->worker = busiest[i]->pid;
		rank->look = r->looks;
		/* Helpers that daemons start besides ranks have no number. */
		if (rank->local >= 0 || rank->rank >= 0)
			counts[node]++;
	}
	count_sample(r, counts);
	return 0;
}

int report_sample(struct report *r)
{
	struct arena scratch = { .get = malloc, .put = free };
	struct crowd c = { .arena = &scratch };
	int result = crowd_read(&c);

	r->looks++;
	if (result == 0)
		result = see_crowd(r, &c, &scratch);
	if (result == 0)
		ask_ledger(r, &scratch);
	arena_free(&scratch);
	return result;
}

static int by_rank(const void *left, const void *right)
{
	const struct report_rank *a = left, *b = right;

	if (a->daemon != b->daemon)
		return a->daemon < b->daemon ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->local > b->local) - (a->local < b->local);
}

void report_finish(struct report *r)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < r->nranks; i++)
		if (r->ranks[i].local >= 0 || r->ranks[i].rank >= 0)
			r->ranks[n++] = r->ranks[i];
	r->nranks = n;
	if (r->nranks)
		qsort(r->ranks, r->nranks, sizeof(*r->ranks), by_rank);
}

unsigned int report_home(const struct report *r, const struct report_rank *rank)
{
	unsigned int home = 0;

	for (unsigned int i = 1; i < r->machine->nnodes; i++)
		if (rank->seen[i] > rank->seen[home])
			home = i;
	return rank->samples ? home : CPUS_NONE;
}

bool report_crowded(const struct report *r)
{
	for (const struct report_job *job = r->jobs; job; job = job->next)
		if (job->plan.crowded)
			return true;
	return r->most > cpus_and_count(&r->machine->usable, r->allowed);
}
