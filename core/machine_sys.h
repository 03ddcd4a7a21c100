/* Reads the machine from /sys and the cgroup limits from /proc and /sys.
 *
 * Plain open, read and close on files below root; async-signal-safe. Cost is
 * the number of files, some 5 us each: ten, per node two, per core one, per
 * last-level cache three (four to ten where there is no L3). Memory: some
 * 100 KiB of the arena, and the machine.
 */
#ifndef EVENKEEL_CORE_MACHINE_SYS_H
#define EVENKEEL_CORE_MACHINE_SYS_H

#include "core/machine.h"

/* Fills m from ROOT/sys/devices/system/{node,cpu} and ROOT/proc. root is a
 * folder that holds a recorded sys and proc tree, "" for the live system. A
 * host without NUMA in its kernel (no node folder) is one node with all online
 * cpus.
 *   ROOT/sys/devices/system/cpu/{online,isolated}
 *   ROOT/sys/devices/system/cpu/cpuN/topology/{core_cpus_list,thread_siblings_list}
 *   ROOT/sys/devices/system/cpu/cpuN/topology/cluster_cpus_list where there is no L3
 *   ROOT/sys/devices/system/cpu/cpuN/cache/indexK/{level,type,shared_cpu_list}
 *   ROOT/sys/devices/system/node/{online,has_memory,nodeN/cpulist,nodeN/distance}
 *   ROOT/sys/devices/system/node/nodeN/meminfo where there is no has_memory
 *   ROOT/proc/cpuinfo only for the vendor that decides the reclaim distance
 *   ROOT/proc/self/cgroup and below ROOT/sys/fs/cgroup: see core/quota.h
 *
 * The LLC of a cpu is its data or unified cache of level 3, else of level 2,
 * else its core (kernel-policy notes 2.4); where that is smaller than its
 * cluster (arm64: cpus that share L2 tags or a mid-level interconnect), the
 * cluster, as CONFIG_SCHED_CLUSTER has it. A cpu without a cache folder shares
 * with the others of its node.
 *
 * The files that say which cpus there are (both online, isolated, cpulist) must
 * be what the kernel writes; one that is not there says nothing. Whatever else
 * is missing or not understood means its default, as in machine_finish.
 *
 * 0, or -1 with errno: ENOENT (no /sys at all), EINVAL (one of the files above
 * is not a list), ENODATA (no usable cpu), ENOMEM, or what reading gave. */
int machine_sys_read(struct machine *m, struct arena *a, const char *root);

/* Parts of it, for a reader that has the nodes from elsewhere. */

/* The cpus that the boot option isolcpus=domain and cpuset partitions took out
 * of load balancing; an empty set when the file is not there. 0, or -1 with
 * errno EINVAL or ENOMEM or what reading gave. */
int machine_sys_isolated(struct cpus *isolated, struct arena *a, const char *root);

/* The kernel's reclaim distance, guessed from the first 512 bytes of
 * ROOT/proc/cpuinfo; MACHINE_RECLAIM_DISTANCE when that says nothing. */
unsigned int machine_sys_reclaim_distance(const char *root);

#endif
