/* Reads the machine from /sys and the cgroup limits from /proc and /sys.
 *
 * Plain open, read and close on files below root; async-signal-safe; tens of
 * microseconds on a small machine, one cache entry per LLC.
 */
#ifndef EVENKEEL_CORE_MACHINE_SYS_H
#define EVENKEEL_CORE_MACHINE_SYS_H

#include "core/machine.h"

/* Fills m from ROOT/sys/devices/system/{node,cpu} and ROOT/proc. root is a
 * folder that holds a recorded sys and proc tree, "" for the live system. A
 * host without NUMA in its kernel (no node folder) is one node with all online
 * cpus. Missing optional files (distances, caches, topology, isolated,
 * cpu.max) mean their defaults as in machine_finish.
 *   ROOT/sys/devices/system/cpu/{online,isolated}
 *   ROOT/sys/devices/system/cpu/cpuN/topology/{core_cpus_list,thread_siblings_list}
 *   ROOT/sys/devices/system/cpu/cpuN/cache/indexK/{level,type,shared_cpu_list}
 *   ROOT/sys/devices/system/node/{online,nodeN/cpulist,nodeN/distance,nodeN/meminfo,has_memory}
 *   ROOT/proc/cpuinfo only for the vendor that decides the reclaim distance
 *   ROOT/proc/self/cgroup, ROOT/sys/fs/cgroup/.../cpu.max (v2) or cpu.cfs_quota_us (v1)
 * 0, or -1 with errno: ENOENT (no /sys at all), EINVAL (a file that cannot be
 * what the kernel writes), ENODATA (no usable cpu), ENOMEM. */
int machine_sys_read(struct machine *m, struct arena *a, const char *root);

#endif
