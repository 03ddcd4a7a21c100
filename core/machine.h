/* The machine as evenkeel sees it: NUMA nodes, their cpus and distances.
 *
 * A struct machine is filled by one of the readers (machine_sys.h from /sys,
 * machine_text.h from our text form, launcher/topology.h through hwloc) and not
 * changed afterwards. All its memory belongs to the arena given to the reader.
 *
 * Only what can hold a rank is a node here: nodes without usable cpus, and
 * nodes all of whose cpus belong to an earlier node too (GPU and HBM nodes),
 * are left out and listed in left_out. Memory-less nodes are kept for their
 * cpus. Isolated and offline cpus are in no node.
 */
#ifndef EVENKEEL_CORE_MACHINE_H
#define EVENKEEL_CORE_MACHINE_H

#include <stdbool.h>

#include "core/arena.h"
#include "core/cpus.h"

/* RECLAIM_DISTANCE of Linux (include/linux/topology.h, 6.12): NUMA levels
 * farther than this are never crossed by fork or exec; 32 on AMD Zen and
 * Hygon, 10 on powerpc (kernel-policy notes 2.2). */
#define MACHINE_RECLAIM_DISTANCE 30u
#define MACHINE_RECLAIM_DISTANCE_ZEN 32u
#define MACHINE_RECLAIM_DISTANCE_POWER 10u

/* Distance of a node to itself, and the kernel's own limit for the others
 * (ACPI SLIT: one byte each). */
#define MACHINE_LOCAL_DISTANCE 10u
#define MACHINE_DISTANCE_MAX 255u

/* Most nodes a reader accepts: MAX_NUMNODES of Linux 6.12 x86-64. */
#define MACHINE_NODES_MAX 1024u

enum machine_left_out_why {
	MACHINE_LEFT_OUT_UNSET = 0,
	MACHINE_LEFT_OUT_NO_CPUS,     /* no cpus at all (memory-only node) */
	MACHINE_LEFT_OUT_UNUSABLE,    /* all its cpus are isolated or offline */
	MACHINE_LEFT_OUT_SHARED_CPUS, /* all its cpus belong to an earlier node */
};

struct machine_left_out {
	unsigned int os; /* OS index of the node */
	enum machine_left_out_why why;
};

struct machine_node {
	unsigned int os;    /* OS index of the node */
	bool memory;        /* has memory of its own */
	struct cpus cpus;   /* usable cpus, OS numbers; never empty */
};

struct machine {
	unsigned int ncpus;         /* 1 + the highest cpu number in any set below */
	unsigned int nnodes;        /* >= 1; nodes are in ascending OS index */
	struct machine_node *nodes;
	unsigned int *distances;    /* nnodes x nnodes, row = from, as in /sys */
	unsigned int nleft_out;
	struct machine_left_out *left_out;
	struct cpus usable;         /* union of the nodes' cpus */
	struct cpus isolated;       /* isolcpus=domain; in no node; may be empty */
	/* By cpu number, ncpus entries each. CPUS_NONE for a cpu in no node.
	 * core and llc are the lowest usable cpu that shares the core / the
	 * last-level cache (not clipped to the node: levels do that). */
	unsigned int *node_of;      /* index into nodes[], not OS index */
	unsigned int *core_of;
	unsigned int *llc_of;
	unsigned int reclaim_distance;
	unsigned int quota;         /* cgroup cpu.max in whole cpus, rounded up; 0 = none */
};

/* From node index i to node index j. */
static inline unsigned int machine_distance(const struct machine *m, unsigned int i,
					    unsigned int j)
{
	return m->distances[i * m->nnodes + j];
}

/* Index of the node that holds cpu, or CPUS_NONE. Any cpu number is allowed. */
unsigned int machine_node_of(const struct machine *m, unsigned int cpu);

/* The NUMA levels seen from one cpu, as the kernel's sched domains have them
 * before degeneration (kernel-policy notes 2.4). */
struct machine_level {
	unsigned int distance; /* d_j: nodes within it are in the span */
	unsigned int span;     /* S_j: cpus in the span, >= 1 */
	bool crosses;          /* fork and exec may cross: d_1..d_j <= reclaim distance */
};

struct machine_view {
	unsigned int package;  /* P: cpus of the first domain above the LLC */
	unsigned int llc;      /* L: cpus that share the last-level cache, clipped to the node */
	unsigned int nlevels;  /* 0 on a one-node machine */
	struct machine_level *levels; /* nearest first */
};

/* The view from cpu when only the cpus in allowed exist (a cpuset partition;
 * NULL = all usable ones). Levels come from the distinct distances of cpu's
 * node; the list ends at the level that spans everything. 0, or -1 with errno
 * EINVAL (cpu is in no node or not allowed) or ENOMEM. */
int machine_view(const struct machine *m, unsigned int cpu, const struct cpus *allowed,
		 struct arena *a, struct machine_view *view);

/* Helps a reader to finish a machine: the reader fills raw nodes (all of the
 * host's, in any order, cpus unfiltered), the online and isolated sets, the
 * core and llc of each cpu as any shared number; this drops what cannot hold a
 * rank, sorts, and fills every field of m. Distances are nraw x nraw; NULL or
 * rows with impossible values (0, > MACHINE_DISTANCE_MAX, remote < local) mean
 * 10 on the diagonal and 20 elsewhere. A raw list without any usable cpu gives
 * -1 with errno ENODATA. */
struct machine_raw {
	unsigned int nnodes;
	struct machine_node *nodes;
	const unsigned int *distances;
	struct cpus online;     /* empty room (nbits 0) = every cpu of the nodes */
	struct cpus isolated;
	const unsigned int *core_of; /* ncpus entries; NULL = every cpu its own core */
	const unsigned int *llc_of;  /* NULL = the node is one LLC */
	unsigned int ncpus;
	unsigned int reclaim_distance; /* 0 = MACHINE_RECLAIM_DISTANCE */
	unsigned int quota;
};
int machine_finish(struct machine *m, struct arena *a, const struct machine_raw *raw);

#endif
