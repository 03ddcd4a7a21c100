/* What the ledger tests need: a folder of their own, processes to write down,
 * and whole files read and written. */
#ifndef EVENKEEL_TESTS_LEDGER_HELP_H
#define EVENKEEL_TESTS_LEDGER_HELP_H

#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ledger.h"
#include "core/proc.h"

/* An errno that no call here gives: it must survive success. */
#define ERRNO_KEPT 4242

struct place {
	char dir[200];
	char path[300];
};

static inline int place_make(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	const char *tmp = getenv("TMPDIR");

	snprintf(p->dir, sizeof(p->dir), "%s/ek-ledger-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(p->dir) || ledger_path(p->path, sizeof(p->path), p->dir) < 0)
		return -1;
	*state = p;
	return 0;
}

static inline int place_remove(void **state)
{
	struct place *p = *state;

	if (unlink(p->path) < 0 && errno == EISDIR)
		rmdir(p->path);
	rmdir(p->dir);
	free(p);
	return 0;
}

static inline struct ledger_slot slot_of(pid_t pid)
{
	struct proc_stat st;

	assert_int_equal(proc_stat_read(&st, pid), 0);
	return (struct ledger_slot){ .pid = st.pid, .start = st.start };
}

/* A job without a daemon: it lives by its slots. */
static inline struct ledger_job job_of(uint32_t group, uint32_t nranks)
{
	return (struct ledger_job){ .key = { .pid = 0, .group = group }, .nranks = nranks };
}

/* A process that does nothing until it is killed; ends with its parent. */
static inline pid_t sleeper_start(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static inline void process_end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The exit status of a child; a signal counts as failure. */
static inline int process_status(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static inline void open_well(struct ledger *l, struct arena *a, const char *dir)
{
	errno = ERRNO_KEPT;
	if (ledger_open(l, a, dir) < 0)
		fail_msg("ledger_open: %s", strerror(errno));
	assert_int_equal(errno, ERRNO_KEPT);
}

static inline void close_well(struct ledger *l)
{
	errno = ERRNO_KEPT;
	if (ledger_close(l) < 0)
		fail_msg("ledger_close: %s", strerror(errno));
	assert_int_equal(errno, ERRNO_KEPT);
	assert_int_equal(l->fd, -1);
}

/* Adds job with slot 0 taken by who. */
static inline void add_well(struct ledger *l, const struct ledger_job *job, struct ledger_slot who)
{
	struct ledger_job *added;

	errno = ERRNO_KEPT;
	assert_int_equal(ledger_add(l, job), 0);
	assert_int_equal(errno, ERRNO_KEPT);
	added = ledger_find(l, &job->key);
	assert_ptr_equal(added, &l->jobs[l->njobs - 1]);
	if (added->nranks)
		added->slots[0] = who;
}

/* The number of jobs that a fresh look finds. */
static inline unsigned int jobs_seen(const char *dir)
{
	struct arena a = UNIT_ARENA;
	struct ledger l;
	unsigned int n;

	open_well(&l, &a, dir);
	n = l.njobs;
	close_well(&l);
	arena_free(&a);
	return n;
}

static inline size_t bytes_read(const char *path, unsigned char *buf, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n;

	assert_true(fd >= 0);
	n = read(fd, buf, size);
	assert_true(n >= 0);
	close(fd);
	return (size_t)n;
}

static inline void bytes_write(const char *path, const void *buf, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, buf, size), size);
	close(fd);
}

static struct ledger_node two_nodes[] = { { 0, 0x11, 0x112 }, { 10000, 0x21, 0x122 } };

/* The job that tests/golden/ledger-v2.hex speaks of. */
static inline struct ledger_job golden_job(void)
{
	return (struct ledger_job){
		.key = { .pid = -2, .group = 0x03040506, .start = 0x08090a0b0c0d0e0f },
		.nranks = 2,
		.width = 3,
		.nnodes = 2,
		.nodes = two_nodes,
	};
}

static inline bool job_is_golden(const struct ledger_job *job)
{
	return job->nranks == 2 && job->width == 3 && job->nnodes == 2 &&
	       memcmp(job->nodes, two_nodes, sizeof(two_nodes)) == 0 &&
	       job->slots[0].pid == getpid() && job->slots[1].pid == 0;
}

/* Leaves a good file with that job, held by this process; its bytes into text. */
static inline size_t golden_file(const struct place *p, unsigned char *text, size_t size)
{
	struct arena a = UNIT_ARENA;
	struct ledger_job job = golden_job();
	struct ledger l;

	open_well(&l, &a, p->dir);
	add_well(&l, &job, slot_of(0));
	close_well(&l);
	arena_free(&a);
	return bytes_read(p->path, text, size);
}

#define test_in_place(f) cmocka_unit_test_setup_teardown(f, place_make, place_remove)

#endif
