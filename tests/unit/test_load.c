/* What runs on the host: /proc/stat and /proc/loadavg of recorded trees, and
 * processes of our own. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/load.h"
#include "core/machine_text.h"
#include "tests/unit/systree.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define STAT "proc/stat"

static void running_tasks_are_the_fourth_field_of_loadavg(void **state)
{
	static const struct {
		const char *text; /* NULL = no file */
		unsigned int running;
		int error;
	} rows[] = {
		{ NULL, 0, ENOENT },
		{ "", 0, EINVAL },
		{ "0.20", 0, EINVAL },
		{ "0.20 0.18 0.12", 0, EINVAL },
		{ "0.20 0.18 0.12 ", 0, EINVAL },
		{ "0.20 0.18 0.12 1", 0, EINVAL },
		{ "0.20 0.18 0.12 1 80 11206", 0, EINVAL },
		{ "0.20 0.18 0.12 /80 11206", 0, EINVAL },
		{ "0.20 0.18 0.12 x/80 11206", 0, EINVAL },
		{ "0.20 0.18 0.12 -1/80 11206", 0, EINVAL },
		{ "0.20  0.18 0.12 1/80 11206", 0, EINVAL },
		{ "0.20 0.18 0.12 4294967296/80 1", 0, EINVAL },
		{ "0.20 0.18 0.12 99999999999999999999999/80 1", 0, EINVAL },
		{ "0.20 0.18 0.12 1/80 11206", 1, 0 },
		{ "1400.20 1300.18 1200.12 1403/80000 4194304", 1403, 0 },
		{ "0.00 0.00 0.00 4294967295/1 1", 4294967295u, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *root = systree_new();
		unsigned int running = 77;
		int rc;

		if (rows[i].text)
			systree_put(root, "proc/loadavg", rows[i].text);
		errno = 0;
		rc = load_running(&running, root);
		if (rc != (rows[i].error ? -1 : 0) || (rc < 0 && errno != rows[i].error))
			fail_msg("row %zu: %d, errno %d", i, rc, errno);
		assert_int_equal(running, rows[i].error ? 77 : rows[i].running);
		systree_free(root);
	}
}

static void this_host_runs_us(void **state)
{
	unsigned int running = 0;

	(void)state;
	if (access("/proc/loadavg", R_OK) < 0)
		skip();
	assert_int_equal(load_running(&running, ""), 0);
	assert_true(running >= 1);
}

static void a_table_of_cpus_that_cannot_be_read_is_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"intr 1 2 3",
		"Cpu0 1 2 3 4",
		" cpu0 1 2 3 4",
		"cpu",
		"cpu0",
		"cpu0 ",
		"cpu0 1 2 3",
		"cpu0 1 2 3 ",
		"cpu0 1 2 3 x",
		"cpu0 1 2 3 -4",
		"cpu0 1,2,3,4",
		"cpu0  1 2 3 4",
		"cpu0\t1 2 3 4",
		"cpu0 1 2 3 4x",
		"cpux 1 2 3 4",
		"cpu-1 1 2 3 4",
		"cpu0 1 2 3 99999999999999999999999999",
		"cpu99999999999999999999999999 1 2 3 4",
		"cpu  1 2 3 4\\ncpu0 1 2 3 4 5 6 7 8\\ncpu1 1 2",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arena a = UNIT_ARENA;
		char *root = systree_new();
		struct load_sample s;

		systree_put(root, STAT, rows[i]);
		errno = 0;
		if (load_read(&s, &a, 4, root) != -1 || errno != EINVAL)
			fail_msg("'%s' was taken, errno %d", rows[i], errno);
		systree_free(root);
		arena_free(&a);
	}
}

static void a_missing_table_or_one_that_is_no_file_is_refused(void **state)
{
	struct arena a = UNIT_ARENA;
	char *root = systree_new();
	struct load_sample s;

	(void)state;
	assert_int_equal(load_read(&s, &a, 4, root), -1);
	assert_int_equal(errno, ENOENT);
	systree_put(root, "proc/stat/below", "cpu0 1 2 3 4");
	assert_int_equal(load_read(&s, &a, 4, root), -1);
	assert_int_equal(errno, EISDIR);
	systree_free(root);
	arena_free(&a);
}

/* Text of a last line without a newline. */
static void put_raw(const char *root, const char *text, size_t len)
{
	char path[300];
	FILE *f;

	systree_put(root, STAT, "");
	snprintf(path, sizeof(path), "%s/%s", root, STAT);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static void a_line_that_is_cut_or_longer_than_any_does_no_harm(void **state)
{
	static const char cut[] = "cpu  9 9 9 9\ncpu0 1 2 3 4\ncpu1 1 2 3 4";
	static const char nul[] = "cpu0 1 2 3 4\ncpu1 5\0 6 7 8\ncpu2 1 2 3 4\n";
	struct arena a = UNIT_ARENA;
	char *root = systree_new(), *text = malloc(100000);
	struct load_sample s;

	(void)state;
	assert_non_null(text);
	put_raw(root, cut, sizeof(cut) - 1);
	assert_int_equal(load_read(&s, &a, 4, root), 0);
	assert_true(s.busy[0] == 6 && s.idle[0] == 4 && s.busy[1] == 0);
	put_raw(root, nul, sizeof(nul) - 1);
	assert_int_equal(load_read(&s, &a, 4, root), 0);
	assert_true(s.busy[0] == 6 && s.busy[1] == 0 && s.busy[2] == 0);
	memset(text, '1', 100000);
	memcpy(text, "cpu0 1 2 3 ", 11);
	put_raw(root, text, 100000);
	assert_int_equal(load_read(&s, &a, 4, root), -1);
	assert_int_equal(errno, EINVAL);
	free(text);
	systree_free(root);
	arena_free(&a);
}

static void busy_is_all_but_idle_and_waiting_for_io(void **state)
{
	struct arena a = UNIT_ARENA;
	char *root = systree_new();
	struct load_sample s;

	(void)state;
	/* user nice system idle iowait irq softirq steal guest guest_nice; holes
	 * in the numbers, another order, cpus beyond the machine's, an old
	 * kernel's short line. */
	systree_put(root, STAT,
		    "cpu  7 7 7 7 7 7 7 7 7 7\\n"
		    "cpu3 1 20 300 4000 50000 600000 7000000 80000000 900000000 1000000000\\n"
		    "cpu0 1 2 3 4\\n"
		    "cpu17 9 9 9 9\\n"
		    "cpu6 5 0 0 6 7 0 0 0 5 0 11 12 13\\n"
		    "intr 1\\n"
		    "cpu1 9 9 9 9");
	assert_int_equal(load_read(&s, &a, 8, root), 0);
	assert_int_equal(s.ncpus, 8);
	assert_true(s.busy[3] == 87600321u && s.idle[3] == 54000u);
	assert_true(s.busy[0] == 6 && s.idle[0] == 4);
	assert_true(s.busy[6] == 5 && s.idle[6] == 13);
	for (unsigned int cpu = 1; cpu < 8; cpu++)
		if (cpu != 3 && cpu != 6)
			assert_true(s.busy[cpu] == 0 && s.idle[cpu] == 0);
	systree_free(root);
	arena_free(&a);
}

static void more_than_a_thousand_cpus_are_read_to_the_last(void **state)
{
	enum { CPUS = 3000 };
	struct arena a = UNIT_ARENA;
	char *root = systree_new(), *text = malloc(CPUS * 90);
	struct load_sample s;
	size_t len = 0;

	(void)state;
	assert_non_null(text);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		len += (size_t)sprintf(text + len, "cpu%u %u 0 0 %llu 0 0 0 0 0 0\n", cpu, cpu + 1,
				       1000000000000ull + cpu);
	len += (size_t)sprintf(text + len, "intr 1 2 3\n");
	put_raw(root, text, len);
	assert_int_equal(load_read(&s, &a, CPUS, root), 0);
	for (unsigned int cpu = 0; cpu < CPUS; cpu++)
		if (s.busy[cpu] != cpu + 1 || s.idle[cpu] != 1000000000000ull + cpu)
			fail_msg("cpu %u: %llu", cpu, (unsigned long long)s.busy[cpu]);
	free(text);
	systree_free(root);
	arena_free(&a);
}

/* A sample of eight cpus. */
static struct load_sample sample(struct arena *a, const uint64_t busy[8], const uint64_t idle[8])
{
	struct load_sample s = { 8, arena_array(a, 8, 8), arena_array(a, 8, 8) };

	assert_non_null(s.idle);
	memcpy(s.busy, busy, 8 * sizeof(*busy));
	memcpy(s.idle, idle, 8 * sizeof(*idle));
	return s;
}

static void busy_shares_are_summed_by_node(void **state)
{
	static const struct {
		const char *allowed; /* NULL = all */
		uint64_t busy[2][8], idle[2][8];
		unsigned int centi[2];
	} rows[] = {
		/* Nothing has happened, and nothing was ever known. */
		{ NULL, { { 5, 5 }, { 5, 5 } }, { { 9, 9 }, { 9, 9 } }, { 0, 0 } },
		{ NULL, { { 0 }, { 0 } }, { { 0 }, { 0 } }, { 0, 0 } },
		/* Busy time that runs backwards. */
		{ NULL, { { 5, 5 }, { 4, 10 } }, { { 0 }, { 0 } }, { 100, 0 } },
		/* A cpu that went offline, one that came. */
		{ NULL, { { 5, 0 }, { 0, 5 } }, { { 5, 0 }, { 0, 5 } }, { 50, 0 } },
		/* Idle time that runs backwards does not hide busy time. */
		{ NULL, { { 5 }, { 10 } }, { { 9 }, { 8 } }, { 100, 0 } },
		{ NULL, { { 5 }, { 10 } }, { { 9 }, { 1 } }, { 100, 0 } },
		/* Cpus 0-2 and 6 are node 0, 4 and 5 node 1, 3 and 7 in none. */
		{ NULL,
		  { { 0 }, { 5, 5, 5, 5, 5, 5, 5, 5 } },
		  { { 0 }, { 0, 0, 0, 0, 0, 0, 0, 0 } },
		  { 400, 200 } },
		{ NULL,
		  { { 0 }, { 5, 2, 0, 0, 1, 0, 0, 0 } },
		  { { 0 }, { 0, 3, 5, 5, 4, 5, 5, 5 } },
		  { 140, 20 } },
		/* Only what happens on the cpus that the job may use counts. */
		{ "1-2,4",
		  { { 0 }, { 5, 5, 0, 5, 0, 5, 5, 5 } },
		  { { 0 }, { 0, 0, 5, 0, 5, 0, 0, 0 } },
		  { 100, 0 } },
		{ "", { { 0 }, { 5, 5, 5, 5, 5, 5, 5, 5 } }, { { 0 }, { 0 } }, { 0, 0 } },
		/* A cpu whose counts stand still is busy when others' have grown by
		 * four; one that was never listed is not. */
		{ NULL,
		  { { 7, 7, 7, 0, 0 }, { 7, 12, 7, 0, 0 } },
		  { { 9, 9, 9, 0, 9 }, { 9, 9, 14, 0, 13 } },
		  { 200, 0 } },
		{ NULL,
		  { { 7, 7, 7, 0, 7 }, { 7, 10, 7, 0, 7 } },
		  { { 9, 9, 9, 0, 9 }, { 9, 9, 12, 0, 9 } },
		  { 100, 0 } },
		/* Numbers beyond any host's do not overflow. */
		{ NULL,
		  { { 0 }, { UINT64_MAX, UINT64_MAX / 2 } },
		  { { 0 }, { UINT64_MAX, UINT64_MAX / 2 } },
		  { 100, 0 } },
	};
	static const char text[] = "evenkeel-machine 1\nnode 0 cpus 0-2,6\nnode 1 cpus 4-5\n";

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arena a = UNIT_ARENA;
		struct load_sample first = sample(&a, rows[i].busy[0], rows[i].idle[0]);
		struct load_sample last = sample(&a, rows[i].busy[1], rows[i].idle[1]);
		unsigned int centi[2] = { 9, 9 };
		struct cpus allowed;
		struct machine m;

		assert_int_equal(machine_text_read(&m, &a, text, sizeof(text) - 1, NULL), 0);
		assert_int_equal(cpus_init(&allowed, &a, 64), 0);
		if (rows[i].allowed)
			assert_int_equal(cpus_parse(&allowed, rows[i].allowed,
						    strlen(rows[i].allowed)), 0);
		load_between(&first, &last, &m, rows[i].allowed ? &allowed : NULL, centi);
		if (centi[0] != rows[i].centi[0] || centi[1] != rows[i].centi[1])
			fail_msg("row %zu: %u, %u", i, centi[0], centi[1]);
		arena_free(&a);
	}
}

static void samples_of_different_sizes_are_compared_as_far_as_both_go(void **state)
{
	static const char text[] = "evenkeel-machine 1\nnode 0 cpus 0-9\n";
	struct arena a = UNIT_ARENA;
	struct load_sample first = sample(&a, (uint64_t[8]){ 0 }, (uint64_t[8]){ 0 });
	struct load_sample last = sample(&a, (uint64_t[8]){ 5, 5, 5, 5, 5, 5, 5, 5 },
					 (uint64_t[8]){ 0 });
	struct machine m;
	unsigned int centi;

	(void)state;
	assert_int_equal(machine_text_read(&m, &a, text, sizeof(text) - 1, NULL), 0);
	first.ncpus = 3;
	load_between(&first, &last, &m, NULL, &centi);
	assert_int_equal(centi, 300);
	arena_free(&a);
}

/* --- processes --------------------------------------------------------------- */

/* A child that starts below children of its own, each below the one before,
 * and then spins or sleeps, as all of them do; its death is theirs. */
static pid_t family(unsigned int below, bool spin)
{
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		pid_t leader = getpid();

		setpgid(0, 0);
		alarm(60);
		while (below-- > 0 && fork() == 0)
			setpgid(0, leader);
		/* The last one says that all are there. */
		if (below == ~0u && write(ready[1], "", 1) < 0)
			_exit(1);
		close(ready[1]);
		while (spin)
			;
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static bool lists_children(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	return access(path, R_OK) == 0;
}

static void nobody_is_found_below_no_process(void **state)
{
	struct arena a = UNIT_ARENA;
	struct load_crowd c;
	pid_t gone = fork();

	(void)state;
	if (gone == 0)
		_exit(0);
	waitpid(gone, NULL, 0);
	assert_int_equal(load_crowd_init(&c, &a, 8), 0);
	load_crowd_add(&c, gone, 0);
	load_crowd_add(&c, 0, 0);
	load_crowd_add(&c, -1, 0);
	assert_int_equal(c.n, 0);
	assert_int_equal(load_crowd_running(&c), 0);
	/* Another process had the number. */
	load_crowd_add(&c, getpid(), 1);
	assert_int_equal(c.n, 0);
	assert_int_equal(load_crowd_init(&c, &a, 0), 0);
	load_crowd_add(&c, getpid(), 0);
	assert_int_equal(c.n, 0);
	arena_free(&a);
}

static void a_process_and_its_descendants_are_found_once(void **state)
{
	struct arena a = UNIT_ARENA;
	pid_t pid = family(3, false);
	struct load_crowd c;

	(void)state;
	assert_int_equal(load_crowd_init(&c, &a, 64), 0);
	load_crowd_add(&c, pid, 0);
	load_crowd_add(&c, pid, c.processes[0].start);
	if (c.n > 1)
		load_crowd_add(&c, c.processes[1].pid, 0);
	assert_int_equal(c.processes[0].pid, pid);
	assert_true(c.processes[0].cpu >= 0);
	assert_int_equal(c.n, lists_children() ? 4 : 1);
	for (unsigned int i = 0; i < c.n; i++)
		assert_int_equal(c.processes[i].depth, i);
	end(pid);
	arena_free(&a);
}

static void deeper_generations_and_what_finds_no_room_are_left_out(void **state)
{
	struct arena a = UNIT_ARENA;
	pid_t pid = family(LOAD_DEPTH + 3, false);
	struct load_crowd c;

	(void)state;
	assert_int_equal(load_crowd_init(&c, &a, 64), 0);
	load_crowd_add(&c, pid, 0);
	if (lists_children())
		assert_int_equal(c.n, LOAD_DEPTH + 1);
	assert_int_equal(load_crowd_init(&c, &a, 3), 0);
	load_crowd_add(&c, pid, 0);
	assert_true(c.n <= 3);
	end(pid);
	arena_free(&a);
}

/* More pids than one read of the list gives. */
static void hundreds_of_children_are_all_found(void **state)
{
	enum { MANY = 400 };
	struct arena a = UNIT_ARENA;
	struct load_crowd c;
	pid_t leader;
	int ready[2];
	char byte;

	(void)state;
	if (!lists_children())
		skip();
	assert_int_equal(pipe(ready), 0);
	leader = fork();
	if (leader == 0) {
		setpgid(0, 0);
		alarm(60);
		for (int i = 0; i < MANY; i++)
			if (fork() == 0)
				for (;;)
					pause();
		if (write(ready[1], "", 1) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	assert_int_equal(load_crowd_init(&c, &a, 4096), 0);
	load_crowd_add(&c, leader, 0);
	assert_int_equal(c.n, MANY + 1);
	end(leader);
	arena_free(&a);
}

static void who_spins_is_running_and_uses_time(void **state)
{
	struct arena a = UNIT_ARENA;
	pid_t spinner = family(0, true), sleeper = family(0, false);
	struct load_crowd before, now;
	uint64_t used = 0;

	(void)state;
	assert_int_equal(load_crowd_init(&before, &a, 8), 0);
	load_crowd_add(&before, sleeper, 0);
	load_crowd_add(&before, spinner, 0);
	for (int i = 0; i < 1000 && used < 2; i++) {
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
		assert_int_equal(load_crowd_init(&now, &a, 8), 0);
		/* The other way round: found by pid, not by place. */
		load_crowd_add(&now, spinner, 0);
		load_crowd_add(&now, sleeper, 0);
		assert_int_equal(now.n, 2);
		used = load_crowd_used(&now, 0, &before, 0);
	}
	assert_true(used >= 2);
	assert_true(load_crowd_running(&now) >= 1 && now.processes[0].running);
	assert_false(now.processes[1].running);
	assert_int_equal(load_crowd_used(&now, 1, &before, 0), 0);
	end(spinner);
	end(sleeper);
	arena_free(&a);
}

static void time_that_was_used_before_the_window_does_not_count(void **state)
{
	struct load_process was[] = { { .pid = 10, .start = 100, .ticks = 50 },
				      { .pid = 11, .start = 100, .ticks = 50 },
				      { .pid = 12, .start = 100, .ticks = 50 } };
	struct load_process is[] = { { .pid = 11, .start = 100, .ticks = 55 },
				     { .pid = 10, .start = 700, .ticks = 4 },
				     { .pid = 12, .start = 100, .ticks = 40 },
				     { .pid = 13, .start = 699, .ticks = 60 },
				     { .pid = 14, .start = 700, .ticks = 3 } };
	static const uint64_t used[] = { 5, 4, 0, 0, 3 };
	struct load_crowd before = { COUNT(was), COUNT(was), was };
	struct load_crowd now = { COUNT(is), COUNT(is), is };

	(void)state;
	for (unsigned int i = 0; i < COUNT(is); i++)
		if (load_crowd_used(&now, i, &before, 700) != used[i])
			fail_msg("row %u: %llu", i, (unsigned long long)load_crowd_used(
							&now, i, &before, 700));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(running_tasks_are_the_fourth_field_of_loadavg),
		cmocka_unit_test(this_host_runs_us),
		cmocka_unit_test(a_table_of_cpus_that_cannot_be_read_is_refused),
		cmocka_unit_test(a_missing_table_or_one_that_is_no_file_is_refused),
		cmocka_unit_test(a_line_that_is_cut_or_longer_than_any_does_no_harm),
		cmocka_unit_test(busy_is_all_but_idle_and_waiting_for_io),
		cmocka_unit_test(more_than_a_thousand_cpus_are_read_to_the_last),
		cmocka_unit_test(busy_shares_are_summed_by_node),
		cmocka_unit_test(samples_of_different_sizes_are_compared_as_far_as_both_go),
		cmocka_unit_test(nobody_is_found_below_no_process),
		cmocka_unit_test(a_process_and_its_descendants_are_found_once),
		cmocka_unit_test(deeper_generations_and_what_finds_no_room_are_left_out),
		cmocka_unit_test(hundreds_of_children_are_all_found),
		cmocka_unit_test(who_spins_is_running_and_uses_time),
		cmocka_unit_test(time_that_was_used_before_the_window_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
