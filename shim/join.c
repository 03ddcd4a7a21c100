#include "shim/join.h"

#include <errno.h>
#include <string.h>

#include "core/proc.h"
#include "shim/affinity.h"

/* Whether a job may use a cpu of the node that this one may use too. What a job
 * may use is its daemon's mask; without that, everything. */
static bool shares_node(const struct cpus *theirs, const struct cpus *allowed,
			const struct machine_node *node)
{
	cpus_for_each(cpu, &node->cpus)
		if (cpus_has(allowed, cpu) && (!theirs || cpus_has(theirs, cpu)))
			return true;
	return false;
}

static int occupancy(const struct ledger *l, struct arena *a, const struct machine *m,
		     const struct cpus *allowed, unsigned int *busy)
{
	struct cpus theirs;

	if (cpus_init(&theirs, a, CPUS_MAX) < 0)
		return -1;
	for (unsigned int j = 0; j < l->njobs; j++) {
		const struct ledger_job *job = &l->jobs[j];
		bool known = job->key.pid > 0 && affinity_look(&theirs, job->key.pid) == 0;

		for (unsigned int n = 0; n < job->nnodes; n++) {
			unsigned int node = machine_node_of(m, job->nodes[n].cpu);

			if (node != CPUS_NONE &&
			    shares_node(known ? &theirs : NULL, allowed, &m->nodes[node]))
				busy[node] += job->nodes[n].planned;
		}
	}
	return 0;
}

unsigned int *join_busy(const struct ledger *l, const struct foreign *f, struct arena *a,
			const struct machine *m, const struct cpus *allowed,
			const struct ledger_key *key)
{
	unsigned int *busy = arena_array(a, m->nnodes, sizeof(*busy));

	if (!busy || occupancy(l, a, m, allowed, busy) < 0)
		return NULL;
	foreign_busy(f, busy, a, m, allowed, l, key->pid);
	return busy;
}

static unsigned int lowest_cpu(const struct machine *m, unsigned int node,
			       const struct cpus *allowed)
{
	cpus_for_each(cpu, &m->nodes[node].cpus)
		if (cpus_has(allowed, cpu))
			return cpu;
	return CPUS_NONE;
}

int join_nodes(struct ledger_job *job, struct arena *a, const struct machine *m,
	       const struct cpus *allowed, const unsigned int *busy, const unsigned int *planned)
{
	job->nodes = arena_array(a, m->nnodes, sizeof(*job->nodes));
	job->nnodes = 0;
	if (!job->nodes)
		return -1;
	for (unsigned int n = 0; n < m->nnodes; n++) {
		unsigned int cpu = lowest_cpu(m, n, allowed);

		if (cpu == CPUS_NONE)
			continue;
		job->nodes[job->nnodes].cpu = cpu;
		job->nodes[job->nnodes].busy = busy[n];
		job->nodes[job->nnodes++].planned = planned ? planned[n] : 0;
	}
	return 0;
}

static bool is_ancestor(const struct proc_stat *st, const void *arg)
{
	const struct ledger_slot *slot = arg;

	return st->pid == slot->pid && st->start == slot->start;
}

bool join_slot(struct ledger_slot *slot)
{
	struct proc_stat self, holder;
	bool first = slot->pid <= 0;

	if ((!first && proc_ancestor(0, 8, is_ancestor, slot, &holder)) ||
	    proc_stat_read(&self, 0) < 0)
		return false;
	slot->pid = self.pid;
	slot->start = self.start;
	return first;
}

int join_open(struct ledger *l, struct foreign *f, struct arena *a, const struct machine *m,
	      const struct options *o, const struct ledger_key *key)
{
	f->begun = false;
	if (ledger_open(l, a, o->ledger) < 0)
		return -1;
	if (o->no_measure || ledger_find(l, key) || !foreign_likely())
		return 0;
	ledger_close(l);
	if (foreign_begin(f, a, m, l, key->pid))
		foreign_wait(f);
	return ledger_open(l, a, o->ledger);
}
