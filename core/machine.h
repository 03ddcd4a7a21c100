/* The machine as evenkeel sees it: NUMA nodes, their cpus and distances.
 *
 * A struct machine is filled by one of the readers (machine_sys.h from /sys,
 * machine_text.h from our text form, launcher/topology.h through hwloc) and not
 * changed afterwards. All its memory belongs to the arena given to the reader.
 *
 * Only what can hold a rank is a node here: nodes without usable cpus, and
 * nodes all of whose cpus belong to an earlier node too (GPU and HBM nodes),
 * are left out and listed in left_out. Memory-less nodes are kept for their
 * cpus. Isolated and offline cpus are in no node. A cpu that two nodes claim
 * belongs to the one with the lower OS index.
 */
#ifndef EVENKEEL_CORE_MACHINE_H
#define EVENKEEL_CORE_MACHINE_H

#include <stdbool.h>

#include "core/arena.h"
#include "core/cpus.h"

/* RECLAIM_DISTANCE of Linux (include/linux/topology.h, 6.12): NUMA levels
 * farther than this are never crossed by fork or exec; 32 on AMD Zen and
 * Hygon (arch/x86/kernel/cpu/amd.c), 10 on powerpc (arch/powerpc/include/asm/
 * topology.h); kernel-policy notes 2.2 and 3.1. */
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

/* Index of the node with that OS index, or CPUS_NONE. */
unsigned int machine_node_by_os(const struct machine *m, unsigned int os);

/* The reclaim distance the kernel uses on an x86 cpu of that vendor (as
 * /proc/cpuinfo spells it, "AuthenticAMD", "HygonGenuine"; NULL = unknown) and
 * family (decimal there; Zen is 0x17 and later): one of the three above. */
unsigned int machine_reclaim_distance(const char *vendor, unsigned int family);

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
 * NULL = all usable ones). One level for each distinct distance between any
 * two nodes of the machine, not only those of cpu's own node: the kernel
 * collects them once for all (sched_init_numa, kernel 6.12
 * kernel/sched/topology.c), so a level may add nothing to the one before; that
 * counts, as the first one is what thresholds are scaled by. The list ends at
 * the level that spans everything, and is empty where the node alone does.
 * levels is in a. 0, or -1 with errno EINVAL (cpu is in no node or not
 * allowed) or ENOMEM. */
int machine_view(const struct machine *m, unsigned int cpu, const struct cpus *allowed,
		 struct arena *a, struct machine_view *view);

/* What a reader found, for machine_finish. Nodes are all of the host's, in any
 * order, each OS index once, cpus unfiltered; bits may be NULL for a node
 * without cpus. Nothing here is kept: machine_finish copies. */
struct machine_raw {
	unsigned int nnodes; /* 1 .. MACHINE_NODES_MAX */
	const struct machine_node *nodes;
	/* nnodes x nnodes in the order of nodes. NULL, or impossible values
	 * between nodes that are kept (0, > MACHINE_DISTANCE_MAX, remote <
	 * local), mean 10 on the diagonal and 20 elsewhere: what Linux takes
	 * when the firmware has no or a broken table (mm/numa code, 6.12). */
	const unsigned int *distances;
	struct cpus online;   /* nbits 0 = every cpu of the nodes */
	struct cpus isolated; /* nbits 0 = none */
	/* By cpu number, ncpus entries: a number < ncpus that the cpus of one
	 * core (LLC) have in common and no others have. CPUS_NONE, or an array
	 * that is NULL or too short: a core of its own; the LLC that all such
	 * cpus of its node share. */
	const unsigned int *core_of;
	const unsigned int *llc_of;
	unsigned int ncpus;
	/* Nodes known beforehand to be left out, in any order, not in nodes. */
	const struct machine_left_out *left_out;
	unsigned int nleft_out;
	unsigned int reclaim_distance; /* 0 = MACHINE_RECLAIM_DISTANCE */
	unsigned int quota;            /* as in struct machine */
};

/* Makes a machine of what a reader found: drops what cannot hold a rank,
 * sorts, and fills every field of m. 0, or -1 with errno EINVAL (an OS index
 * twice, too many nodes, a core or LLC number >= ncpus), ENODATA (no usable
 * cpu at all) or ENOMEM; m is unspecified then. */
int machine_finish(struct machine *m, struct arena *a, const struct machine_raw *raw);

#endif
