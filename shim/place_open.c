/* PMIx tells a rank its number in the whole job and nothing of the others on its
 * host, and asking its server would be the rank's own PMIx_Init. So each rank, as it
 * comes, takes the node on which least is busy and planned, and writes that down for
 * the next: the counts are even at any moment, whatever number they come to. */
#include "shim/place_open.h"

#include <errno.h>
#include <string.h>

#include "core/load.h"
#include "shim/join.h"

/* More children of a daemon than this are not counted. */
#define SIBLINGS_MAX 1024u

/* Ranks that the daemon has started so far, as far as can be seen: slurmstepd has
 * forked all of them before the first one runs. */
static unsigned int siblings(struct arena *a, pid_t daemon)
{
	struct load_crowd c;
	unsigned int n = 0;

	if (load_crowd_init(&c, a, SIBLINGS_MAX) < 0)
		return 0;
	load_crowd_add(&c, daemon, 0);
	for (unsigned int i = 0; i < c.n; i++)
		n += c.processes[i].depth == 1;
	return n;
}

/* With one cpu or more for each rank, a smaller share of it is taken. */
static bool emptier(const struct ledger_node *x, unsigned int x_cpus, const struct ledger_node *y,
		    unsigned int y_cpus)
{
	uint64_t in_x = (uint64_t)x->busy + x->planned, in_y = (uint64_t)y->busy + y->planned;

	return in_x * y_cpus < in_y * x_cpus;
}

/* The index in job->nodes of the node for one rank more, or CPUS_NONE when none is
 * as wide as the rank. */
static unsigned int pick(const struct ledger_job *job, const struct machine *m,
			 const struct cpus *allowed, unsigned int width)
{
	unsigned int best = CPUS_NONE, best_cpus = 0;

	for (unsigned int n = 0; n < job->nnodes; n++) {
		unsigned int node = machine_node_of(m, job->nodes[n].cpu), cpus;

		if (node == CPUS_NONE)
			continue;
		cpus = cpus_and_count(&m->nodes[node].cpus, allowed);
		if (!cpus || cpus < width)
			continue;
		if (best != CPUS_NONE &&
		    !emptier(&job->nodes[n], cpus, &job->nodes[best], best_cpus))
			continue;
		best = n;
		best_cpus = cpus;
	}
	return best;
}

static struct ledger_job *open_job(struct ledger *l, const struct foreign *f, struct arena *a,
				   const struct machine *m, const struct cpus *allowed,
				   const struct place_rank *r)
{
	struct ledger_job job = {.key = r->key, .open = 1, .width = r->width};
	unsigned int *busy = join_busy(l, f, a, m, allowed, &r->key);

	if (!busy || join_nodes(&job, a, m, allowed, busy, NULL) < 0 || ledger_add(l, &job) < 0)
		return NULL;
	return ledger_find(l, &r->key);
}

/* The rank's slot with its node in it; NULL when there is none for it, p->why then
 * says it. */
static struct ledger_slot *slot_of(struct place *p, struct ledger *l, struct ledger_job *job,
				   const struct machine *m, const struct cpus *allowed,
				   const struct place_rank *r)
{
	unsigned int width = r->width ? r->width : 1, node;
	struct ledger_slot *slot;

	for (unsigned int i = 0; i < job->nranks; i++)
		if (job->slots[i].rank == r->rank)
			return &job->slots[i];
	node = pick(job, m, allowed, width);
	if (node == CPUS_NONE)
		p->why = STANDDOWN_WIDE;
	slot = node == CPUS_NONE ? NULL : ledger_arrive(l, job);
	if (!slot)
		return NULL;
	slot->rank = r->rank;
	slot->node = node;
	job->nodes[node].planned += width;
	return slot;
}

/* Sets the mask, and what is to be said of it: of the plan only the numbers. */
static int take_node(struct place *p, struct arena *a, const struct machine *m,
		     const struct cpus *allowed, unsigned int node)
{
	struct cpus *nodes = arena_alloc(a, sizeof(*nodes));

	if (node == CPUS_NONE || !nodes || cpus_init(nodes, a, m->nnodes) < 0 ||
	    cpus_init(&p->mask, a, m->ncpus) < 0)
		return -1;
	cpus_add(nodes, node);
	cpus_or(&p->mask, &m->nodes[node].cpus);
	cpus_and(&p->mask, allowed);
	p->nodes = nodes;
	return cpus_empty(&p->mask) ? -1 : 0;
}

/* few: no width is known, and fewer ranks than nodes are seen. Whoever finds the job
 * open knows that he is not alone. */
static int join(struct place *p, struct ledger *l, const struct foreign *f, struct arena *a,
		const struct machine *m, const struct cpus *allowed, const struct place_rank *r,
		bool few)
{
	struct ledger_job *job = ledger_find(l, &r->key);
	struct ledger_slot *slot;

	p->joined = job || !few;
	if (!p->joined) {
		p->why = STANDDOWN_NO_WIDTH;
		return -1;
	}
	p->opened = !job;
	if (!job)
		job = open_job(l, f, a, m, allowed, r);
	/* The same key for a job of known size is not this job. */
	slot = job && job->open ? slot_of(p, l, job, m, allowed, r) : NULL;
	if (!slot ||
	    take_node(p, a, m, allowed, machine_node_of(m, job->nodes[slot->node].cpu)) < 0)
		return -1;
	p->again = !join_slot(slot);
	return 0;
}

void place_open(struct place *p, struct arena *a, const struct machine *m,
		const struct cpus *allowed, const struct options *o, const struct place_rank *r)
{
	unsigned int nodes = place_nodes(m, allowed);
	struct options opts = *o;
	struct foreign f;
	struct ledger l;
	bool joined, few;

	if (nodes < 2) {
		p->plan_why = PLAN_ONE_NODE;
		return;
	}
	few = !r->width && siblings(a, r->key.pid) < nodes;
	opts.no_measure |= few;
	p->why = STANDDOWN_NO_LEDGER;
	if (o->ledger && !strcmp(o->ledger, OPTIONS_LEDGER_NONE))
		return;
	if (join_open(&l, &f, a, m, &opts, &r->key) < 0) {
		p->ledger_stuck = errno == ETIMEDOUT;
		return;
	}
	joined = join(p, &l, &f, a, m, allowed, r, few) == 0;
	/* What could not be written the others will not see. */
	if (ledger_close(&l) == 0 && joined)
		p->why = STANDDOWN_NONE;
}
