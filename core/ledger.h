/* The per-host ledger of what every evenkeel job of this user has planned.
 *
 * One file per user and PID namespace, DIR/evenkeel-UID-PIDNS, where DIR is
 * /dev/shm, else $XDG_RUNTIME_DIR, else there is no ledger; never /tmp. Mode
 * 0600, opened O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK; a file of another owner, of
 * another type than regular, or with other permissions is not used. Guarded by
 * an OFD lock taken on a descriptor opened here, waited for at most 500 ms in
 * all. A damaged file is set aside (truncated and started anew) and costs
 * nothing but memory of other jobs. At most LEDGER_SIZE_MAX bytes.
 *
 * No ledger is a normal state: callers plan without load then.
 * System calls only (open, fstat, fcntl, pread, pwrite, ftruncate, close,
 * kill, clock_gettime, clock_nanosleep and what proc.h uses), memory from the
 * arena: async-signal-safe. Not for two threads on one struct ledger.
 */
#ifndef EVENKEEL_CORE_LEDGER_H
#define EVENKEEL_CORE_LEDGER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/arena.h"

#define LEDGER_SIZE_MAX (1u << 20)
#define LEDGER_WAIT_MS 500
/* A group whose daemon is younger than this lives even without a live slot:
 * its first ranks may have come and gone before the last ones arrive. */
#define LEDGER_YOUNG_S 10

/* Tells one process group of one launcher daemon from all others. */
struct ledger_key {
	int32_t pid;    /* the daemon (hydra_pmi_proxy, slurmstepd ...) */
	uint32_t group; /* process group inside it: fork ordinal of its local rank 0 */
	uint64_t start; /* start time of the daemon, clock ticks after boot */
};

/* One node of a job. Nodes are told by their lowest allowed cpu, so that jobs
 * with different ideas of node numbers understand each other. */
struct ledger_node {
	uint32_t cpu;     /* lowest cpu of the node */
	uint32_t busy;    /* cpus that were busy there when this job was planned */
	uint32_t planned; /* cpus this job plans to keep busy there */
};

struct ledger_slot {
	int32_t pid;    /* 0 = has not arrived */
	uint32_t pad;
	uint64_t start;
};

/* A job as stored; the arrays point into the ledger's memory. */
struct ledger_job {
	struct ledger_key key;
	uint32_t nranks;
	uint32_t width;  /* 0 = unknown */
	uint32_t nnodes;
	struct ledger_node *nodes;
	struct ledger_slot *slots; /* nranks entries */
};

struct ledger {
	int fd;           /* -1 = closed */
	struct arena *arena;
	bool dirty;
	unsigned int njobs;
	struct ledger_job *jobs;
	unsigned int room; /* entries allocated in jobs */
};

/* Opens and locks the ledger, reads it and drops what no longer lives. dir is
 * the folder, or NULL for the default ones. 0, or -1 with errno: ENOENT (no
 * folder), EPERM (owner, type or permissions are wrong), ETIMEDOUT (the lock
 * was not had in time), EROFS, ENOSPC, EMFILE, ENOMEM ... On -1 nothing is
 * held. l needs no initialisation. */
int ledger_open(struct ledger *l, struct arena *a, const char *dir);

/* The job of that key, or NULL. Valid until the next ledger_add. */
struct ledger_job *ledger_find(struct ledger *l, const struct ledger_key *key);

/* Adds a copy of job with all slots empty. 0, or -1 with errno ENOMEM, or
 * ENOSPC when the file would pass LEDGER_SIZE_MAX. */
int ledger_add(struct ledger *l, const struct ledger_job *job);

/* Writes back what changed, unlocks, closes. 0, or -1 with errno; even then the
 * lock is gone and the file is either as before or damaged in a way that the
 * next ledger_open notices. */
int ledger_close(struct ledger *l);

/* The file's name for this user and PID namespace into buf. 0, or -1. */
int ledger_path(char *buf, size_t size, const char *dir);

#endif
