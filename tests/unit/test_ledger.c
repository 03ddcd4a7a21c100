/* Jobs that come, see each other and go. What the file itself may suffer is in
 * test_ledger_file.c and test_ledger_format.c. */
#include "tests/unit/ledger_help.h"

#include <sys/resource.h>
#include <time.h>

#define CROWD 16
/* Opening may honestly time out on a machine that is overrun. */
#define TRIES 40

static void two_jobs_one_after_the_other_see_each_other(void **state)
{
	const struct place *p = *state;
	struct ledger_node nodes[] = { { 0, 1, 4 }, { 20000, 2, 3 } };
	struct ledger_job one = job_of(1, 7), two = job_of(2, 1), *seen;
	struct arena a = UNIT_ARENA;
	struct ledger_slot me = slot_of(0);
	struct ledger l;

	one.key.start = UINT64_MAX;
	one.width = 5;
	one.nnodes = 2;
	one.nodes = nodes;
	open_well(&l, &a, p->dir);
	assert_int_equal(l.njobs, 0);
	assert_null(ledger_find(&l, &one.key));
	add_well(&l, &one, me);
	close_well(&l);

	open_well(&l, &a, p->dir);
	assert_int_equal(l.njobs, 1);
	assert_null(ledger_find(&l, &two.key));
	seen = ledger_find(&l, &one.key);
	assert_non_null(seen);
	assert_int_equal(seen->nranks, 7);
	assert_int_equal(seen->width, 5);
	assert_int_equal(seen->nnodes, 2);
	assert_memory_equal(seen->nodes, nodes, sizeof(nodes));
	assert_int_equal(seen->slots[0].pid, getpid());
	assert_true(seen->slots[0].start == me.start);
	for (unsigned int i = 1; i < 7; i++)
		assert_int_equal(seen->slots[i].pid, 0);
	add_well(&l, &two, me);
	close_well(&l);
	assert_int_equal(seen->nodes[1].planned, 3);

	open_well(&l, &a, p->dir);
	assert_int_equal(l.njobs, 2);
	assert_non_null(ledger_find(&l, &one.key));
	assert_non_null(ledger_find(&l, &two.key));
	close_well(&l);
	close_well(&l);
	arena_free(&a);
}

static void keys_differ_by_every_one_of_their_parts(void **state)
{
	const struct place *p = *state;
	static const struct ledger_key keys[] = {
		{ -1, 1, 5 }, { -2, 1, 5 }, { -1, 2, 5 }, { -1, 1, 6 }, { -1, 1, 5 + (1ull << 32) },
	};
	enum { KEYS = sizeof(keys) / sizeof(*keys) };
	struct arena a = UNIT_ARENA;
	struct ledger l;

	open_well(&l, &a, p->dir);
	for (uint32_t i = 0; i < KEYS; i++) {
		struct ledger_job job = job_of(0, 1);

		job.key = keys[i];
		job.width = i;
		add_well(&l, &job, slot_of(0));
		errno = 0;
		assert_int_equal(ledger_add(&l, &job), -1);
		assert_int_equal(errno, EEXIST);
	}
	close_well(&l);
	open_well(&l, &a, p->dir);
	assert_int_equal(l.njobs, KEYS);
	for (uint32_t i = 0; i < KEYS; i++)
		assert_int_equal(ledger_find(&l, &keys[i])->width, i);
	close_well(&l);
	arena_free(&a);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* A try that gives up before its time is a failure. */
static int open_patiently(struct ledger *l, struct arena *a, const char *dir)
{
	for (int i = 0; i < TRIES; i++) {
		int64_t from = now_ms();

		if (ledger_open(l, a, dir) == 0)
			return 0;
		if (errno != ETIMEDOUT || now_ms() - from < LEDGER_WAIT_MS - 1)
			break;
	}
	return -1;
}

/* One rank of a crowd: joins job key.group, tells what busy it read there (or
 * wrote, if it was first; 0 = failure), and stays. */
static void crowd_rank(const char *dir, uint32_t group, uint32_t rank, int gate, int answer)
{
	struct ledger_node node = { .busy = rank + 1 };
	struct ledger_job job = job_of(group, CROWD), *mine;
	struct arena a = { 0 };
	struct ledger l;
	uint32_t busy = 0;
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	job.nnodes = 1;
	job.nodes = &node;
	if (read(gate, &c, 1) != 0 || open_patiently(&l, &a, dir) < 0)
		goto out;
	mine = ledger_find(&l, &job.key);
	if (!mine && ledger_add(&l, &job) == 0)
		mine = ledger_find(&l, &job.key);
	if (mine) {
		mine->slots[rank] = slot_of(0);
		busy = mine->nodes[0].busy;
	}
	if (ledger_close(&l) < 0)
		busy = 0;
out:
	if (write(answer, &busy, sizeof(busy)) != sizeof(busy))
		_exit(1);
	for (;;)
		pause();
}

/* Sixteen processes that all start at once, in one job or in one each. */
static void crowd_run(const char *dir, bool together, pid_t pids[CROWD], uint32_t busy[CROWD])
{
	int gate[2], answer[2];

	assert_int_equal(pipe(gate), 0);
	assert_int_equal(pipe(answer), 0);
	for (uint32_t i = 0; i < CROWD; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			close(gate[1]);
			crowd_rank(dir, together ? 1 : i + 1, i, gate[0], answer[1]);
		}
		assert_true(pids[i] > 0);
	}
	close(gate[0]);
	close(gate[1]);
	close(answer[1]);
	for (uint32_t i = 0; i < CROWD; i++)
		assert_int_equal(read(answer[0], &busy[i], sizeof(*busy)), sizeof(*busy));
	close(answer[0]);
}

static void ranks_of_one_job_that_come_at_once_agree_on_one_record(void **state)
{
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	pid_t pids[CROWD];
	uint32_t busy[CROWD];
	struct ledger l;

	crowd_run(p->dir, true, pids, busy);
	assert_true(busy[0] > 0);
	for (int i = 1; i < CROWD; i++)
		assert_int_equal(busy[i], busy[0]);
	open_well(&l, &a, p->dir);
	assert_int_equal(l.njobs, 1);
	assert_int_equal(l.jobs[0].nodes[0].busy, busy[0]);
	for (int i = 0; i < CROWD; i++)
		assert_int_equal(l.jobs[0].slots[i].pid, pids[i]);
	close_well(&l);
	for (int i = 0; i < CROWD - 1; i++)
		process_end(pids[i]);
	assert_int_equal(jobs_seen(p->dir), 1);
	process_end(pids[CROWD - 1]);
	assert_int_equal(jobs_seen(p->dir), 0);
	arena_free(&a);
}

static void jobs_that_come_at_once_are_all_written_down(void **state)
{
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	pid_t pids[CROWD];
	uint32_t busy[CROWD];
	struct ledger l;

	crowd_run(p->dir, false, pids, busy);
	open_well(&l, &a, p->dir);
	assert_int_equal(l.njobs, CROWD);
	for (uint32_t i = 0; i < CROWD; i++) {
		struct ledger_job want = job_of(i + 1, CROWD), *job = ledger_find(&l, &want.key);

		assert_non_null(job);
		assert_int_equal(job->slots[i].pid, pids[i]);
	}
	close_well(&l);
	for (int i = 0; i < CROWD; i++)
		process_end(pids[i]);
	assert_int_equal(jobs_seen(p->dir), 0);
	arena_free(&a);
}

static void a_job_goes_when_its_last_rank_has_ended(void **state)
{
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	struct ledger_job job = job_of(1, 3);
	pid_t first = sleeper_start(), last = sleeper_start();
	siginfo_t info;
	struct ledger l;

	open_well(&l, &a, p->dir);
	add_well(&l, &job, slot_of(first));
	ledger_find(&l, &job.key)->slots[2] = slot_of(last);
	close_well(&l);
	assert_int_equal(jobs_seen(p->dir), 1);
	process_end(first);
	assert_int_equal(jobs_seen(p->dir), 1);
	/* Not waited for yet: a zombie is no rank any more. */
	kill(last, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)last, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(jobs_seen(p->dir), 0);
	assert_int_equal(process_status(last), -SIGKILL);
	arena_free(&a);
}

static void a_slot_lives_only_as_the_process_it_was_taken_by(void **state)
{
	const struct place *p = *state;
	struct ledger_slot me = slot_of(0);
	const struct {
		int32_t pid;
		uint64_t start;
		unsigned int seen;
	} rows[] = {
		{ 0, 0, 0 },
		{ 0, me.start, 0 },
		{ -1, me.start, 0 },
		{ -me.pid, me.start, 0 },
		{ INT32_MIN, me.start, 0 },
		{ INT32_MAX, me.start, 0 },
		{ me.pid, 0, 0 },
		{ me.pid, me.start - 1, 0 },
		{ me.pid, me.start + 1, 0 },
		{ me.pid, UINT64_MAX, 0 },
		{ me.pid, me.start, 1 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena a = UNIT_ARENA;
		struct ledger_job job = job_of(1, 1);
		struct ledger l;
		unsigned int seen;

		open_well(&l, &a, p->dir);
		add_well(&l, &job, (struct ledger_slot){ .pid = rows[i].pid, .start = rows[i].start });
		close_well(&l);
		seen = jobs_seen(p->dir);
		if (seen != rows[i].seen)
			fail_msg("row %zu: %u jobs", i, seen);
		arena_free(&a);
	}
}

static void a_young_daemon_keeps_its_job_and_a_dead_one_does_not(void **state)
{
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	struct ledger_job job = job_of(1, 2);
	pid_t daemon = sleeper_start();
	struct ledger_slot slot = slot_of(daemon);
	struct ledger l;

	job.key.pid = slot.pid;
	job.key.start = slot.start;
	open_well(&l, &a, p->dir);
	assert_int_equal(ledger_add(&l, &job), 0);
	job.key.start++;
	assert_int_equal(ledger_add(&l, &job), 0);
	close_well(&l);
	assert_int_equal(jobs_seen(p->dir), 1);
	process_end(daemon);
	assert_int_equal(jobs_seen(p->dir), 0);
	arena_free(&a);
}

static void an_old_daemon_keeps_nothing(void **state)
{
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	struct ledger_job empty = job_of(1, 1), held = job_of(2, 1);
	struct ledger_slot first = slot_of(1);
	struct timespec now;
	struct ledger l;

	clock_gettime(CLOCK_BOOTTIME, &now);
	if ((uint64_t)now.tv_sec * (uint64_t)sysconf(_SC_CLK_TCK) <
	    first.start + (LEDGER_YOUNG_S + 1) * (uint64_t)sysconf(_SC_CLK_TCK)) {
		print_message("process 1 is not old enough yet\n");
		skip();
	}
	empty.key.pid = held.key.pid = 1;
	empty.key.start = held.key.start = first.start;
	open_well(&l, &a, p->dir);
	assert_int_equal(ledger_add(&l, &empty), 0);
	add_well(&l, &held, slot_of(0));
	close_well(&l);
	open_well(&l, &a, p->dir);
	assert_int_equal(l.njobs, 1);
	assert_non_null(ledger_find(&l, &held.key));
	close_well(&l);
	arena_free(&a);
}

static void a_thousand_jobs_that_ended_are_swept_and_one_that_lives_is_kept(void **state)
{
	enum { JOBS = 1000, RANKS = 80 };
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	struct ledger_job alive = job_of(JOBS, 1);
	struct ledger_slot me = slot_of(0), gone;
	pid_t child = sleeper_start();
	struct ledger l;

	gone = slot_of(child);
	process_end(child);
	open_well(&l, &a, p->dir);
	for (uint32_t i = 0; i < JOBS; i++) {
		struct ledger_job job = job_of(i, RANKS);

		add_well(&l, &job, me);
		for (int r = 0; r < RANKS; r++)
			l.jobs[i].slots[r] = gone;
		/* Some pids belong to someone else by now. */
		l.jobs[i].slots[i % RANKS] = (struct ledger_slot){ .pid = me.pid, .start = me.start + 1 };
	}
	add_well(&l, &alive, me);
	assert_int_equal(l.njobs, JOBS + 1);
	close_well(&l);
	open_well(&l, &a, p->dir);
	/* Each search ends after LEDGER_SWEEP_MS; a slow host needs more of them. */
	for (unsigned int left = l.njobs; left > 1; left = l.njobs) {
		close_well(&l);
		open_well(&l, &a, p->dir);
		assert_true(l.njobs < left);
	}
	assert_int_equal(l.njobs, 1);
	assert_non_null(ledger_find(&l, &alive.key));
	close_well(&l);
	arena_free(&a);
}

/* 0, or the number of the step that failed. */
static int short_of_descriptors(const char *dir)
{
	struct arena a = { 0 };
	struct rlimit limit;
	struct ledger l;
	int next = dup(0);

	/* One for the ledger, none for /proc. */
	close(next);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = (rlim_t)next + 1;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || ledger_open(&l, &a, dir) < 0)
		return 1;
	if (l.njobs != 1 || ledger_close(&l) < 0)
		return 2;
	limit.rlim_cur--;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0 || ledger_open(&l, &a, dir) == 0)
		return 3;
	return errno == EMFILE && l.fd == -1 ? 0 : 4;
}

static void a_process_without_descriptors_takes_nobody_for_dead(void **state)
{
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	struct ledger_job job = job_of(1, 1);
	struct ledger l;
	pid_t child;

	open_well(&l, &a, p->dir);
	add_well(&l, &job, slot_of(0));
	close_well(&l);
	arena_free(&a);
	child = fork();
	if (child == 0)
		_exit(short_of_descriptors(p->dir));
	assert_int_equal(process_status(child), 0);
	assert_int_equal(jobs_seen(p->dir), 1);
}

/* A process that has the ledger open for good. */
static pid_t holder_start(const char *dir)
{
	struct arena a = { 0 };
	struct ledger l;
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (open_patiently(&l, &a, dir) < 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void a_holder_that_is_stopped_costs_a_bounded_wait_and_a_dead_one_none(void **state)
{
	const struct place *p = *state;
	struct arena a = UNIT_ARENA;
	struct ledger_job job = job_of(1, 1);
	struct ledger l;
	pid_t holder;
	int64_t from;

	open_well(&l, &a, p->dir);
	add_well(&l, &job, slot_of(0));
	close_well(&l);
	holder = holder_start(p->dir);
	kill(holder, SIGSTOP);
	from = now_ms();
	errno = 0;
	assert_int_equal(ledger_open(&l, &a, p->dir), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_int_equal(l.fd, -1);
	assert_in_range(now_ms() - from, LEDGER_WAIT_MS - 1, 5000);
	close_well(&l);
	process_end(holder);
	assert_int_equal(jobs_seen(p->dir), 1);
	arena_free(&a);
}

static void a_process_shuts_out_its_own_child_and_the_child_holds_nothing_of_it(void **state)
{
	const struct place *p = *state;
	struct arena a = { 0 };
	struct ledger l, mine;
	pid_t child, heir;

	open_well(&l, &a, p->dir);
	/* This would drop a lock of the older kind. */
	close(open(p->path, O_RDONLY));
	child = fork();
	if (child == 0)
		_exit(ledger_open(&mine, &a, p->dir) < 0 && errno == ETIMEDOUT ? 0 : 1);
	assert_int_equal(process_status(child), 0);
	heir = sleeper_start();
	close_well(&l);
	assert_int_equal(jobs_seen(p->dir), 0);
	process_end(heir);
	arena_free(&a);
}

static bool has_open(pid_t pid, const char *path)
{
	char link[64], target[512];
	bool found = false;

	for (int fd = 0; fd < 64 && !found; fd++) {
		ssize_t n;

		snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, fd);
		n = readlink(link, target, sizeof(target) - 1);
		if (n > 0) {
			target[n] = '\0';
			found = strcmp(target, path) == 0;
		}
	}
	return found;
}

static void whoever_waits_for_a_file_that_is_deleted_takes_the_new_one(void **state)
{
	const struct place *p = *state;
	struct timespec pause = { .tv_nsec = 1000000 };
	struct arena a = { 0 };
	struct ledger_job job = job_of(1, 1);
	struct ledger_slot me = slot_of(0);
	struct ledger l, theirs;
	int ready[2];
	pid_t child;
	char c;

	assert_int_equal(pipe(ready), 0);
	open_well(&l, &a, p->dir);
	child = fork();
	if (child == 0) {
		/* Else this copy of it would look like the child's own. */
		close(l.fd);
		if (write(ready[1], "x", 1) != 1 || open_patiently(&theirs, &a, p->dir) < 0 ||
		    ledger_add(&theirs, &job) < 0)
			_exit(1);
		theirs.jobs[0].slots[0] = me;
		_exit(ledger_close(&theirs) < 0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	for (int i = 0; i < 1000 && !has_open(child, p->path); i++)
		nanosleep(&pause, NULL);
	assert_int_equal(unlink(p->path), 0);
	close_well(&l);
	assert_int_equal(process_status(child), 0);
	assert_int_equal(jobs_seen(p->dir), 1);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_in_place(two_jobs_one_after_the_other_see_each_other),
		test_in_place(keys_differ_by_every_one_of_their_parts),
		test_in_place(ranks_of_one_job_that_come_at_once_agree_on_one_record),
		test_in_place(jobs_that_come_at_once_are_all_written_down),
		test_in_place(a_job_goes_when_its_last_rank_has_ended),
		test_in_place(a_slot_lives_only_as_the_process_it_was_taken_by),
		test_in_place(a_young_daemon_keeps_its_job_and_a_dead_one_does_not),
		test_in_place(an_old_daemon_keeps_nothing),
		test_in_place(a_thousand_jobs_that_ended_are_swept_and_one_that_lives_is_kept),
		test_in_place(a_process_without_descriptors_takes_nobody_for_dead),
		test_in_place(a_holder_that_is_stopped_costs_a_bounded_wait_and_a_dead_one_none),
		test_in_place(
		    a_process_shuts_out_its_own_child_and_the_child_holds_nothing_of_it),
		test_in_place(whoever_waits_for_a_file_that_is_deleted_takes_the_new_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
