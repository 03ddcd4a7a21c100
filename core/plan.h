/* Plans all ranks of a job on one host at once: how many on each node, and
 * which cpus each rank may use.
 *
 * Deterministic: the same machine, allowed cpus and request give the same
 * plan, so ranks that plan for themselves agree. Never refuses a job: what
 * cannot be placed gets "no request". Pure; memory comes from the arena.
 */
#ifndef EVENKEEL_CORE_PLAN_H
#define EVENKEEL_CORE_PLAN_H

#include <stdbool.h>

#include "core/machine.h"
#include "core/policy.h"

/* Most ranks on one host that are planned; more get "no request". Well above
 * the default kernel.pid_max of a large host. */
#define PLAN_RANKS_MAX (1u << 20)

enum plan_order {
	PLAN_ORDER_UNSET = 0, /* = block */
	PLAN_ORDER_BLOCK,     /* neighbouring ranks share a node */
	PLAN_ORDER_CYCLIC,    /* ranks go round the nodes */
};

struct plan_request {
	unsigned int nranks;      /* local ranks of the job; 0 = no request */
	unsigned int width;       /* cpus one rank keeps busy; 0 = unknown */
	enum plan_order order;
	bool together;            /* width known only: keep a small job on one node if it would stay */
	enum policy_rule rule;    /* used by together and for plan.stable; UNSET = G8 */
	const unsigned int *busy; /* cpus busy per node, machine->nnodes entries, or NULL = none */
};

enum plan_why {
	PLAN_WHY_UNSET = 0,   /* there is a request */
	PLAN_ONE_NODE,        /* at most one node has allowed cpus */
	PLAN_LONE_RANK,       /* one rank of unknown width: it may use everything */
	PLAN_NO_RANKS,        /* nranks is 0 or above PLAN_RANKS_MAX */
};
const char *plan_why_text(enum plan_why why);

/* Some ranks that share one set of nodes. */
struct plan_place {
	unsigned int nranks;
	unsigned int first;  /* index of the node it counts at: the one with the lowest index */
	struct cpus nodes;   /* node indexes */
	struct cpus cpus;    /* allowed cpus of those nodes, OS numbers */
};

/* A plan.
 *
 * stable is judged on busy and planned cpus as running tasks (a rank of unknown
 * width is one task), for each pair of sibling groups at each NUMA level. While
 * the less full one has a cpu to spare and the other is not overloaded, the
 * difference must be at most policy_stable_difference. Otherwise the kernel
 * goes by load: one task more would have to make the less full group at least
 * as full, per capacity, as the other. Raw counts are compared, so groups of
 * unequal capacity that are full in proportion are mostly not stable. A pair
 * that some rank may use both groups of is stable: there is nothing to undo.
 */
struct plan {
	unsigned int nranks;
	enum plan_why why;           /* UNSET: ranks are placed; else nobody asks for anything */
	unsigned int width;          /* as requested */
	unsigned int weight;         /* cpus one rank was counted as; >= 1 */
	unsigned int nnodes;         /* as the machine's */
	unsigned int *capacity;      /* allowed cpus per node */
	unsigned int *busy;          /* busy cpus per node that were planned around */
	unsigned int *ranks;         /* ranks counted at each node; also set without a request */
	unsigned int nplaces;        /* ascending by first node; together hold all ranks */
	struct plan_place *places;
	enum plan_order order;       /* never UNSET */
	bool crowded;                /* more cpus wanted than idle, or than the quota gives */
	unsigned int difference;     /* largest - smallest of ranks[] over nodes with allowed cpus */
	bool stable;                 /* the rule's balancer would leave these counts alone */
};

/* Plans req on the cpus of m that are in allowed (NULL = all usable). With no
 * request (p->why says why; the first of enum plan_why that applies, in the
 * order ONE_NODE, NO_RANKS, LONE_RANK) every rank may use all allowed cpus;
 * places then holds one place with all of them, and all ranks count at the
 * lowest usable node. Where no node has an allowed cpu, that place is empty,
 * its first is 0 and ranks[] is all 0. p is self-contained but for the arena.
 * O(nranks * NUMA levels * children) for the counts. 0, or -1 with errno
 * ENOMEM; p is unspecified then.
 *
 * Counts, width known: one rank after the other goes, from the top level down,
 * to the group with the smallest busy + planned cpus per capacity (ties: lower
 * node) that still has its width idle; when the job and the busy cpus exceed
 * the machine, to one whose cpus hold it and that is below its share of the
 * whole demand. Where no group of a level can take it, the rank gets the
 * fewest nodes near each other that together can (ties: the more idle ones,
 * then the lower). A width above all cpus: everyone gets everything.
 *
 * Width unknown: a rank counts as its fair share of the idle cpus. At least as
 * many ranks as nodes with an idle cpu: a node each, one rank on each of these
 * first, the others as above. Fewer: the nodes are divided among the ranks,
 * top level down; each child group gets at least one rank or, where there are
 * fewer ranks than children, each rank gets a run of whole children. Nodes
 * without an idle cpu are left out, unless all are such. */
int plan_make(struct plan *p, struct arena *a, const struct machine *m, const struct cpus *allowed,
	      const struct plan_request *req);

/* The place of local rank r (0-based). Block: the first ranks to the first
 * place and so on. Cyclic: round after round, each place that still has ranks
 * left takes one. O(places), cyclic O(places * log nranks). NULL when r >=
 * nranks. */
const struct plan_place *plan_place_of(const struct plan *p, unsigned int r);

/* The same, and which of the place's ranks r is, in ascending order (0-based).
 * *index is left alone when there is no place. */
const struct plan_place *plan_index_of(const struct plan *p, unsigned int r, unsigned int *index);

/* Ranks may have parts of their own: they are placed, or several share the only node
 * there is, which calls for no choice of nodes but for parts all the same. */
bool plan_has_slices(const struct plan *p);

/* A part of its place's cpus for local rank r, apart from the parts of the
 * place's other ranks, for programs that pin their own threads: with equal masks
 * every rank would start on the same core. Whole cores where there are as many
 * cores as ranks, else single cpus, else (more ranks than cpus) shared ones;
 * sizes differ by at most one core (cpu). The first cores of a node are passed
 * over, one for each cpu that is busy there, if the others hold the ranks' width.
 * 0 with an initialised non-empty mask, or -1 with errno ENOMEM, or EINVAL when r
 * has no place or the place no cpus. */
int plan_slice(const struct plan *p, struct arena *a, const struct machine *m, unsigned int r,
	       struct cpus *mask);

#endif
