/* The per-host ledger of what every evenkeel job of this user has planned.
 *
 * One file per user and PID namespace, DIR/evenkeel-UID-PIDNS, where DIR is
 * /dev/shm, else $XDG_RUNTIME_DIR, else there is no ledger; never /tmp. Mode
 * 0600, opened O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK; a file of another owner, of
 * another type than regular, with a second link, or that others may touch is
 * not used. Guarded by an OFD lock taken on a descriptor opened here, waited for
 * at most LEDGER_WAIT_MS in all. A damaged file, or one of another format, is
 * set aside (read as empty, overwritten at close) and costs nothing but memory
 * of other jobs. At most LEDGER_SIZE_MAX bytes.
 *
 * No ledger is a normal state: callers plan without load then.
 * System calls only (open, fstat, fcntl, pread, pwrite, fallocate, ftruncate,
 * close, access, stat, readlink, kill, getrlimit, geteuid, clock_gettime,
 * clock_nanosleep, sysconf and what proc.h uses), memory from the arena:
 * async-signal-safe. Not for two threads on one struct ledger; a struct ledger
 * that was open when the process forked is for the parent alone.
 */
#ifndef EVENKEEL_CORE_LEDGER_H
#define EVENKEEL_CORE_LEDGER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/arena.h"

#define LEDGER_SIZE_MAX (1u << 20)
#define LEDGER_WAIT_MS 500
/* Longest search for processes that have ended, in cpu time; others wait meanwhile. */
#define LEDGER_SWEEP_MS 200
/* A group whose daemon is younger than this lives even without a live slot:
 * its first ranks may have come and gone before the last ones arrive. */
#define LEDGER_YOUNG_S 10

/* Tells one process group of one launcher daemon from all others. */
struct ledger_key {
	int32_t pid;    /* the daemon (hydra_pmi_proxy, slurmstepd ...); <= 0: there is none,
			 * the job lives by its slots alone */
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
	int32_t pid;    /* <= 0 = has not arrived */
	uint64_t start; /* clock ticks after boot */
	/* In an open job only: */
	uint32_t rank;  /* the number its launcher gave it */
	uint32_t node;  /* index in the job's nodes, < nnodes */
};

/* A job as stored; the arrays point into the arena and stay readable after
 * ledger_close. Between open and close the values of nodes and slots may be
 * changed in place (a rank that arrives fills its slot) and are written back;
 * the counts and pointers may not. */
struct ledger_job {
	struct ledger_key key;
	uint32_t open;   /* 1: nobody knows how many ranks will come; nranks have. Else 0 */
	uint32_t nranks;
	uint32_t width;  /* 0 = unknown */
	uint32_t nnodes;
	struct ledger_node *nodes;
	struct ledger_slot *slots; /* nranks entries; of an open job, in order of arrival */
};

struct ledger {
	int fd;                   /* -1 = closed */
	struct arena *arena;
	unsigned int njobs;       /* those that live */
	struct ledger_job *jobs;
	unsigned int room;        /* entries allocated in jobs */
	const unsigned char *was; /* the file as it was read; NULL = it was too long */
	uint64_t was_size;        /* its bytes */
};

/* Opens and locks the ledger, creating it if need be, reads it and drops the
 * jobs that no longer live: those without a live slot whose daemon is gone or
 * LEDGER_YOUNG_S old. A process of which nothing can be learned for want of
 * descriptors or memory, or within LEDGER_SWEEP_MS, counts as alive. dir is the folder, or NULL for the
 * default ones. 0 with errno as it was, or -1 with errno: ENOENT (no folder),
 * EPERM (owner, type, links or permissions are wrong), ETIMEDOUT (the lock was
 * not had in time), ENOMEM, or what open, fcntl or pread gave (EACCES, EROFS,
 * ENOSPC, EMFILE ...). On -1 nothing is held and the file is as it was. l needs
 * no initialisation. */
int ledger_open(struct ledger *l, struct arena *a, const char *dir);

/* The job of that key, or NULL. Valid until the next ledger_add. */
struct ledger_job *ledger_find(struct ledger *l, const struct ledger_key *key);

/* Adds a copy of job with all slots empty (job->slots is not looked at); it is
 * the last of l->jobs. 0 with errno as it was, or -1 with errno ENOMEM, EEXIST
 * (the key is there), or ENOSPC when the file would pass LEDGER_SIZE_MAX. On -1
 * the ledger is as before. */
int ledger_add(struct ledger *l, const struct ledger_job *job);

/* One more slot, an empty one, at the end of an open job's; job is one of l->jobs.
 * The older slots move. NULL with errno ENOMEM or ENOSPC, and nothing changed. */
struct ledger_slot *ledger_arrive(struct ledger *l, struct ledger_job *job);

/* Writes back what changed, unlocks, closes. A closed ledger is left alone.
 * 0 with errno as it was, or -1 with errno: ENOMEM, EFBIG (RLIMIT_FSIZE;
 * SIGXFSZ is never raised), ENOSPC or what pwrite gave; even then the lock is
 * gone and the file is either as before or damaged in a way that the next
 * ledger_open notices. A job added before that is known to nobody else: its
 * planner does as if there were no ledger. */
int ledger_close(struct ledger *l);

/* The file's name for this user and PID namespace into buf, with a NUL. dir as
 * for ledger_open. PIDNS is the inode number of /proc/self/ns/pid, 0 when that
 * cannot be read. Of the default folders the first that this user can create
 * files in is taken, $XDG_RUNTIME_DIR only if it is absolute, the user's own and
 * closed to others. 0 with errno as it was, or -1 with errno ENOENT (no default
 * folder) or ENAMETOOLONG (buf is then not to be used). */
int ledger_path(char *buf, size_t size, const char *dir);

#endif
