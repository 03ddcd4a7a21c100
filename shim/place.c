#include "shim/place.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "shim/join.h"
#include "shim/place_open.h"
#include "shim/say.h"

static enum policy_rule rule_of(const struct options *o)
{
	enum policy_rule rule = POLICY_UNSET;
	enum policy_certainty certainty;
	struct utsname u;

	if (o->rule)
		return policy_by_name(o->rule);
	if (o->kernel)
		policy_of_version(o->kernel, &rule, &certainty);
	else if (uname(&u) == 0)
		policy_of_version(u.release, &rule, &certainty);
	return rule;
}

/* What the job's first rank froze. */
static void frozen(const struct ledger_job *job, const struct machine *m, unsigned int *busy)
{
	for (unsigned int n = 0; n < job->nnodes; n++) {
		unsigned int node = machine_node_of(m, job->nodes[n].cpu);

		if (node != CPUS_NONE)
			busy[node] = job->nodes[n].busy;
	}
}

/* Cpus the plan keeps busy on each node. A rank of unknown width is sure of
 * one; a rank over several nodes is spread over them. */
static void planned(const struct plan *p, unsigned int *cpus)
{
	unsigned int width = p->width ? p->width : 1;

	for (unsigned int i = 0; i < p->nplaces; i++) {
		const struct plan_place *place = &p->places[i];
		unsigned int total = place->nranks * width, nodes = cpus_count(&place->nodes);
		unsigned int at = 0;

		cpus_for_each(node, &place->nodes) {
			cpus[node] += total / nodes + (at < total % nodes);
			at++;
		}
	}
}

/* The job as it goes into the ledger. */
static int make_job(struct ledger_job *job, struct arena *a, const struct machine *m,
		    const struct cpus *allowed, const struct place_rank *r, const struct plan *p)
{
	unsigned int *cpus = arena_array(a, m->nnodes, sizeof(*cpus));

	memset(job, 0, sizeof(*job));
	if (!cpus)
		return -1;
	planned(p, cpus);
	job->key = r->key;
	job->nranks = r->nranks;
	job->width = r->width;
	return join_nodes(job, a, m, allowed, p->busy, cpus);
}

static int plan_with(struct place *p, struct arena *a, const struct machine *m,
		     const struct cpus *allowed, const struct options *o,
		     const struct place_rank *r, unsigned int width, const unsigned int *busy)
{
	struct plan_request req = {
		.nranks = r->nranks,
		.width = width,
		.order = o->order,
		.together = o->together,
		.rule = o->together ? rule_of(o) : POLICY_UNSET,
		.busy = busy,
	};

	return plan_make(&p->plan, a, m, allowed, &req);
}

/* Plans the job as its first rank, and puts it into the ledger. */
static struct ledger_job *plan_first(struct ledger *l, const struct foreign *f, struct place *p,
				     struct arena *a, const struct machine *m,
				     const struct cpus *allowed, const struct options *o,
				     const struct place_rank *r)
{
	unsigned int *busy = join_busy(l, f, a, m, allowed, &r->key);
	struct ledger_job new;

	if (!busy || plan_with(p, a, m, allowed, o, r, r->width, busy) < 0 ||
	    make_job(&new, a, m, allowed, r, &p->plan) < 0 || ledger_add(l, &new) < 0)
		return NULL;
	return ledger_find(l, &r->key);
}

/* Plans the job as its first rank did. Ranks of one job may have different
 * OMP_NUM_THREADS; all must make the same plan. */
static int plan_again(const struct ledger_job *job, struct place *p, struct arena *a,
		      const struct machine *m, const struct cpus *allowed, const struct options *o,
		      const struct place_rank *r)
{
	unsigned int *busy = arena_array(a, m->nnodes, sizeof(*busy));

	if (!busy || job->open || job->nranks != r->nranks)
		return -1;
	frozen(job, m, busy);
	return plan_with(p, a, m, allowed, o, r, job->width, busy);
}

/* The plan by what the ledger knows; the job and this rank are in it then. On -1
 * they are not, and the plan must be made without it: other ranks would not see
 * the same load. */
static int plan_by_ledger(struct ledger *l, const struct foreign *f, struct place *p,
			  struct arena *a, const struct machine *m, const struct cpus *allowed,
			  const struct options *o, const struct place_rank *r)
{
	struct ledger_job *job = ledger_find(l, &r->key);

	if (job && plan_again(job, p, a, m, allowed, o, r) < 0)
		return -1;
	if (!job)
		job = plan_first(l, f, p, a, m, allowed, o, r);
	if (!job)
		return -1;
	if (r->rank < job->nranks)
		p->again = !join_slot(&job->slots[r->rank]);
	return 0;
}

/* Whether the plan depends on what else is on the host. */
static bool load_matters(const struct machine *m, const struct cpus *allowed,
			 const struct place_rank *r)
{
	unsigned int nodes = place_nodes(m, allowed);

	if (r->nranks > 1)
		return nodes > 1 || r->slice;
	return nodes > 1 && r->width;
}

unsigned int place_nodes(const struct machine *m, const struct cpus *allowed)
{
	unsigned int nodes = 0;

	for (unsigned int n = 0; n < m->nnodes; n++)
		nodes += cpus_intersects(&m->nodes[n].cpus, allowed);
	return nodes;
}

void place_plan(struct place *p, struct arena *a, const struct machine *m,
		const struct cpus *allowed, const struct options *o, const struct place_rank *r)
{
	const struct plan_place *place;
	bool none = o->ledger && !strcmp(o->ledger, OPTIONS_LEDGER_NONE), planned_so = false;
	struct foreign f;
	struct ledger l;

	memset(p, 0, sizeof(*p));
	p->why = STANDDOWN_PLAN;
	if (!r->nranks) {
		place_open(p, a, m, allowed, o, r);
		return;
	}
	none |= !load_matters(m, allowed, r);
	if (!none && join_open(&l, &f, a, m, o, &r->key) < 0) {
		p->ledger_stuck = errno == ETIMEDOUT;
	} else if (!none) {
		p->joined = true;
		planned_so = plan_by_ledger(&l, &f, p, a, m, allowed, o, r) == 0;
		/* What could not be written nobody else knows of. */
		planned_so = ledger_close(&l) == 0 && planned_so;
	}
	if (!planned_so && plan_with(p, a, m, allowed, o, r, r->width, NULL) < 0)
		return;
	p->quota = m->quota;
	place = plan_place_of(&p->plan, r->rank);
	if (!place || (p->plan.why && !(r->slice && plan_has_slices(&p->plan)))) {
		p->plan_why = p->plan.why;
		return;
	}
	p->mask = place->cpus;
	p->nodes = &place->nodes;
	if (r->slice && plan_slice(&p->plan, a, m, r->rank, &p->mask) < 0)
		p->mask = place->cpus;
	p->why = cpus_subset(allowed, &p->mask) ? STANDDOWN_EVERYTHING : STANDDOWN_NONE;
}

static void say_nodes(struct say *s, const struct machine *m, const struct cpus *nodes)
{
	const char *sep = cpus_count(nodes) == 1 ? "node " : "nodes ";

	cpus_for_each(n, nodes) {
		say_text(s, sep);
		say_number(s, m->nodes[n].os);
		sep = ",";
	}
}

/* The warning of an oversubscribed host, a line of its own. */
static void say_crowded(const struct place *p)
{
	unsigned int capacity = 0, busy = 0;
	struct say s;

	for (unsigned int n = 0; n < p->plan.nnodes; n++) {
		capacity += p->plan.capacity[n];
		busy += p->plan.capacity[n] ? p->plan.busy[n] : 0;
	}
	say_begin(&s, getpid(), -1);
	say_text(&s, "warning: more cpus are wanted than are idle: ");
	say_number(&s, p->plan.nranks);
	say_text(&s, p->plan.nranks == 1 ? " rank" : " ranks");
	if (p->plan.width > 1) {
		say_text(&s, " of ");
		say_number(&s, p->plan.width);
		say_text(&s, " cpus");
	}
	say_text(&s, ", ");
	say_number(&s, capacity);
	say_text(&s, capacity == 1 ? " cpu, " : " cpus, ");
	say_number(&s, busy);
	say_text(&s, " busy");
	if (p->quota) {
		say_text(&s, ", a quota of ");
		say_number(&s, p->quota);
	}
	say_end(&s);
}

static void say_ranks(struct say *s, const struct place_rank *r)
{
	if (!r->nranks) {
		say_text(s, "ranks that come one by one");
		return;
	}
	say_number(s, r->nranks);
	say_text(s, r->nranks == 1 ? " rank" : " ranks");
}

static void say_why_not(struct say *s, const struct place *p)
{
	say_text(s, "not placed: ");
	say_text(s, p->plan_why ? plan_why_text(p->plan_why) : standdown_text(p->why));
}

static void say_job(const struct place *p, const struct machine *m, const struct place_rank *r)
{
	struct utsname u;
	struct say s;

	say_begin(&s, getpid(), -1);
	if (uname(&u) == 0) {
		say_text(&s, u.nodename);
		say_text(&s, ": ");
	}
	say_ranks(&s, r);
	if (p->why == STANDDOWN_NONE) {
		for (unsigned int n = 0; n < p->plan.nnodes; n++) {
			if (!p->plan.capacity[n])
				continue;
			say_text(&s, ", node ");
			say_number(&s, m->nodes[n].os);
			say_text(&s, ": ");
			say_number(&s, p->plan.ranks[n]);
		}
		say_text(&s, p->settles ? ", settle" : ", hold");
	} else {
		say_text(&s, ", ");
		say_why_not(&s, p);
	}
	if (r->hosts) {
		say_text(&s, ", one of ");
		say_text(&s, r->hosts);
	}
	say_end(&s);
	if (p->plan.crowded)
		say_crowded(p);
}

/* One rank of the job speaks for all: the first, or whoever opens a job of which
 * nobody knows how many there will be. */
static bool speaks(const struct place *p, const struct place_rank *r)
{
	return r->nranks || !p->joined ? r->rank == 0 : p->opened;
}

void place_say(const struct place *p, const struct machine *m, const struct options *o,
	       const struct place_rank *r)
{
	struct say s;

	if (p->again)
		return;
	if (o->verbose >= 1 && speaks(p, r))
		say_job(p, m, r);
	if (o->verbose < 2)
		return;
	say_begin(&s, getpid(), r->rank);
	say_text(&s, "rank ");
	say_number(&s, r->rank);
	if (p->why == STANDDOWN_NONE) {
		say_text(&s, " on ");
		say_nodes(&s, m, p->nodes);
		say_text(&s, ", cpus ");
		say_cpus(&s, &p->mask);
		say_text(&s, p->settles ? ", until MPI is up" : ", held");
	} else {
		say_text(&s, " ");
		say_why_not(&s, p);
	}
	say_end(&s);
}

void place_say_failed(const struct options *o, const struct place_rank *r)
{
	struct say s;

	if (o->verbose < 2)
		return;
	say_begin(&s, getpid(), r->rank);
	say_text(&s, "rank ");
	say_number(&s, r->rank);
	say_text(&s, " could not be started");
	say_end(&s);
}
