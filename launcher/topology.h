/* The machine through hwloc: this host, a recorded one, or an imagined one.
 *
 * The only file that includes hwloc.h is topology.c. What it fills is the same
 * struct machine that the shim reads from /sys by itself; tests hold the two
 * readers against each other.
 */
#ifndef EVENKEEL_LAUNCHER_TOPOLOGY_H
#define EVENKEEL_LAUNCHER_TOPOLOGY_H

#include "core/machine.h"

/* For the user: what was seen, what was wanted, where; one line, no newline. */
struct topology_error {
	char text[320];
};

/* Fills m from spec, all its memory from a:
 *
 * NULL or "live": this host, whole, whatever this process is bound to.
 *   hwloc's own variables count: with HWLOC_FSROOT it is the tree recorded
 *   there, with HWLOC_XMLFILE or HWLOC_SYNTHETIC what they say. hwloc's x86
 *   part is left out, as it would walk over all cpus by sched_setaffinity.
 *   Isolated cpus, reclaim distance and quota come from /sys and /proc
 *   (core/machine_sys.h).
 * an existing file: our own text form when its first statement is that form's
 *   header, else hwloc XML. Pipes are files.
 * anything else: an hwloc synthetic string ("pack:2 numa:4 core:8 pu:2").
 *
 * Nodes: a NUMA node's cpus are those hwloc gives it. hwloc lends a node
 * without cpus (HBM, CXL, GPU) those of its nearest nodes, so such a node may be
 * left out as shared-cpus where /sys says no-cpus. A node without memory is
 * kept, as not having any.
 * LLC of a cpu: its L3, else L2, else core, or its "Cluster" group where that
 * is larger, as in core/machine_sys.h; where the topology has no cache at all
 * for a cpu, it shares with the others of its node: "numa:2 core:8 pu:1" is
 * two nodes of one LLC each.
 * Distances: the matrix NUMALatency, else any latencies between all NUMA
 * nodes. Where a file or string has none, several packages and a package of
 * several nodes, evenkeel assumes 10 within a node, 12 between the nodes of one
 * package and 21 between packages, as on a recent two-socket Xeon; otherwise
 * machine_finish's 10 and 20. This host is never assumed about: 10 and 20 then.
 * Reclaim distance: from CPUVendor and CPUFamilyNumber, or Architecture ppc*.
 *
 * 0, or -1 with *err set and errno: ENOENT and the like (the file cannot be
 * read), EINVAL (not understood), EFBIG (a file over 64 MiB), ENODATA (no
 * usable cpu), ENOMEM. err may be NULL. hwloc's own messages are not shown:
 * standard error points to /dev/null meanwhile, so no other thread should write
 * to it. */
int topology_load(const char *spec, struct machine *m, struct arena *a,
		  struct topology_error *err);

/* The version of hwloc this was built with, "2.9.0". */
const char *topology_version(void);

#endif
