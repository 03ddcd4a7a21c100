/* Places one rank: joins its job in the ledger, plans, sets the mask.
 * Between fork and exec: system calls and the arena only. */
#ifndef EVENKEEL_SHIM_PLACE_H
#define EVENKEEL_SHIM_PLACE_H

#include "core/ledger.h"
#include "core/machine.h"
#include "core/options.h"
#include "core/plan.h"
#include "shim/standdown.h"

/* Which rank of which job. */
struct place_rank {
	struct ledger_key key;
	unsigned int nranks; /* local ranks of the process group; 0 = nobody knows */
	unsigned int rank;   /* local rank, < nranks; else a number of its own */
	const char *hosts;   /* the job's, as its launcher writes them, or NULL */
	unsigned int width;  /* 0 = unknown */
	bool slice;          /* gets a part of its place's cpus to itself */
};

/* What became of it. */
struct place {
	enum standdown why;  /* NONE: mask is to be set, or was */
	enum plan_why plan_why;
	bool ledger_stuck;   /* its lock was waited for in vain */
	bool joined;         /* the ledger was had */
	bool opened;         /* nranks 0: this rank was the job's first */
	bool again;          /* this rank was in the ledger before: nothing is to be said */
	bool settles;        /* set by who sets the mask: until MPI is up */
	struct cpus mask;    /* cpus of the rank's place */
	const struct cpus *nodes; /* indexes of its nodes; with a mask only */
	struct plan plan;
	unsigned int quota;  /* the machine's; 0 = none */
};

/* Plans rank r on the cpus in allowed and fills p; nothing is set. The ledger
 * is used if it can be had. */
void place_plan(struct place *p, struct arena *a, const struct machine *m,
		const struct cpus *allowed, const struct options *o, const struct place_rank *r);

/* Nodes of m with a cpu in allowed. */
unsigned int place_nodes(const struct machine *m, const struct cpus *allowed);

/* The lines EVENKEEL_VERBOSE asks for: one per job, from its local rank 0 or, where
 * nobody knows how many ranks there are, from the first to come; and at 2 one per
 * rank. */
void place_say(const struct place *p, const struct machine *m, const struct options *o,
	       const struct place_rank *r);

/* The line, at 2, for a rank that was placed and could not be started. */
void place_say_failed(const struct options *o, const struct place_rank *r);

#endif
