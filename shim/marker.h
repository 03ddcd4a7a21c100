/* EVENKEEL_RANK: what a rank that will settle is told about itself.
 *
 *   1:settle:BOOTID:PIDNS:PID:START:NODECPUS:WIDECPUS:
 *   1:held          (kept preload, placed by a proxy: nothing to do)
 *
 * BOOTID is /proc/sys/kernel/random/boot_id, PIDNS the inode number of the PID
 * namespace, PID and START (clock ticks after boot) the process that was
 * placed, the last two cpu lists: the mask it was given and the one it had.
 * A marker is only believed by the process it was made for and its children
 * (within MARKER_STEPS), so one that leaked into another job does nothing.
 */
#ifndef EVENKEEL_SHIM_MARKER_H
#define EVENKEEL_SHIM_MARKER_H

#include <stdbool.h>

#include "core/cpus.h"

#define MARKER_STEPS 8
#define MARKER_HELD "1:held"
/* Longest marker that is made or read; the kernel takes 128 KiB a string. */
#define MARKER_MAX 65536u

/* The value for the calling process (which execs next), or NULL with errno:
 * ENOMEM, E2BIG (cpu lists too long) or why /proc could not be read. */
char *marker_make(struct arena *a, const struct cpus *node, const struct cpus *wide);

/* Reads value; true when it is a settle marker that is meant for this process.
 * node and wide are filled then. */
bool marker_read(const char *value, struct arena *a, struct cpus *node, struct cpus *wide);

/* A settle marker by its first words; no system call. */
bool marker_wants_settle(const char *value);

#endif
