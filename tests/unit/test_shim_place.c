/* A rank's place by what the ledger says of other jobs. On cpus that no host has,
 * but for one, so that what runs here decides nothing. */
#include "tests/unit/unit.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/machine_text.h"
#include "core/proc.h"
#include "shim/place.h"

/* A daemon, which never does anything, with one real cpu; another cpu of the same
 * node, and a node that it may not use at all. */
static struct host {
	char dir[200];
	struct proc_stat daemon;
	unsigned int cpu;
	struct arena a;
	struct machine m;
	struct cpus allowed;
} host;

static pid_t start_daemon(unsigned int cpu)
{
	pid_t pid = fork();
	cpu_set_t set;

	if (pid == 0) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sched_setaffinity(0, sizeof(set), &set);
		raise(SIGSTOP);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	/* Stopped: it has its mask. */
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	return pid;
}

static int set_up(void **state)
{
	const char *tmp = getenv("TMPDIR");
	cpu_set_t set;
	char text[200];

	(void)state;
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return -1;
	memset(&host, 0, sizeof(host));
	host.a = (struct arena)UNIT_ARENA;
	while (!CPU_ISSET(host.cpu, &set))
		host.cpu++;
	snprintf(host.dir, sizeof(host.dir), "%s/ek-place-XXXXXX", tmp ? tmp : "/tmp");
	snprintf(text, sizeof(text), "evenkeel-machine 1;node 0 cpus %u,9000;node 1 cpus 9001-9002",
		 host.cpu);
	if (!mkdtemp(host.dir) ||
	    machine_text_read(&host.m, &host.a, text, strlen(text), NULL) < 0 ||
	    cpus_init(&host.allowed, &host.a, CPUS_MAX) < 0 ||
	    proc_stat_read(&host.daemon, start_daemon(host.cpu)) < 0)
		return -1;
	for (unsigned int cpu = 9000; cpu <= 9002; cpu++)
		cpus_add(&host.allowed, cpu);
	return 0;
}

static int tear_down(void **state)
{
	char path[300];

	(void)state;
	kill(host.daemon.pid, SIGKILL);
	waitpid(host.daemon.pid, NULL, 0);
	if (ledger_path(path, sizeof(path), host.dir) == 0)
		unlink(path);
	arena_free(&host.a);
	return rmdir(host.dir);
}

/* Another job, which keeps one cpu of node 0 busy. */
static void add_job(const struct ledger_key *key)
{
	struct ledger_node node = { .cpu = host.cpu, .planned = 1 };
	struct ledger_job job = { .key = *key, .nranks = 1, .width = 1, .nnodes = 1,
				  .nodes = &node };
	struct ledger l;

	assert_int_equal(ledger_open(&l, &host.a, host.dir), 0);
	assert_int_equal(ledger_add(&l, &job), 0);
	l.jobs[l.njobs - 1].slots[0].pid = host.daemon.pid;
	l.jobs[l.njobs - 1].slots[0].start = host.daemon.start;
	assert_int_equal(ledger_close(&l), 0);
}

static struct ledger_key key_of(int32_t pid, uint64_t start, uint32_t group)
{
	return (struct ledger_key){ .pid = pid, .start = start, .group = group };
}

/* The node of rank r of a job of ours. */
static unsigned int node_of(uint32_t group, unsigned int nranks, unsigned int rank,
			    unsigned int width)
{
	struct options o = { .ledger = host.dir };
	struct place_rank r = { .key = { .pid = getpid(), .group = group }, .nranks = nranks,
				.rank = rank, .width = width };
	struct proc_stat self;
	struct place p;

	assert_int_equal(proc_stat_read(&self, 0), 0);
	r.key.start = self.start;
	place_plan(&p, &host.a, &host.m, &host.allowed, &o, &r);
	assert_int_equal(p.why, STANDDOWN_NONE);
	return plan_place_of(&p.plan, rank)->first;
}

static void a_job_that_keeps_the_node_busy_is_avoided(void **state)
{
	struct ledger_key key = key_of(host.daemon.pid, host.daemon.start, 0);

	(void)state;
	cpus_add(&host.allowed, host.cpu);
	add_job(&key);
	assert_int_equal(node_of(1, 1, 0, 1), 1);
}

static void a_job_that_was_given_other_cpus_of_the_node_is_not_in_the_way(void **state)
{
	struct ledger_key key = key_of(host.daemon.pid, host.daemon.start, 0);

	(void)state;
	add_job(&key);
	key.group = 1;
	add_job(&key);
	assert_int_equal(node_of(1, 1, 0, 1), 0);
}

static void a_job_of_which_that_is_not_known_counts(void **state)
{
	struct ledger_key key = key_of(0, 7, 0);

	(void)state;
	add_job(&key);
	assert_int_equal(node_of(1, 1, 0, 1), 1);
}

static void all_ranks_plan_with_what_the_first_one_saw(void **state)
{
	struct ledger_key key = key_of(0, 7, 0);

	(void)state;
	/* Node 0 has one cpu of three: two ranks would go to node 1 if it were
	 * busy; the width is the first one's too. */
	assert_int_equal(node_of(1, 2, 0, 1), 0);
	add_job(&key);
	assert_int_equal(node_of(1, 2, 1, 1), 1);
	assert_int_equal(node_of(1, 2, 0, 3), 0);
	assert_int_equal(node_of(2, 2, 0, 1), 1);
}

static void a_record_of_another_size_is_not_believed(void **state)
{
	struct ledger_key key = key_of(0, 7, 0);

	(void)state;
	add_job(&key);
	assert_int_equal(node_of(1, 1, 0, 1), 1);
	/* The same key with two ranks: as without a ledger. */
	assert_int_equal(node_of(1, 2, 0, 1), 0);
	assert_int_equal(node_of(1, 2, 1, 1), 1);
}

/* --- ranks that come one by one -------------------------------------------- */

/* Rank id of an open job of a daemon whose mask nobody knows. */
static struct place arrive(uint32_t group, unsigned int id, unsigned int width, const char *ledger)
{
	struct options o = { .ledger = ledger, .no_measure = true };
	struct place_rank r = { .key = key_of(0, 99, group), .rank = id, .width = width };
	struct place p;

	place_plan(&p, &host.a, &host.m, &host.allowed, &o, &r);
	return p;
}

static unsigned int arrives_at(uint32_t group, unsigned int id, unsigned int width)
{
	struct place p = arrive(group, id, width, host.dir);

	assert_int_equal(p.why, STANDDOWN_NONE);
	assert_int_equal(cpus_count(p.nodes), 1);
	assert_true(cpus_subset(&p.mask, &host.allowed));
	assert_true(cpus_subset(&p.mask, &host.m.nodes[cpus_next(p.nodes, 0)].cpus));
	return cpus_next(p.nodes, 0);
}

static void ranks_that_come_one_by_one_are_even_at_any_moment(void **state)
{
	(void)state;
	cpus_add(&host.allowed, host.cpu);
	for (unsigned int job = 0; job < 3; job++) {
		unsigned int count[2] = { 0 };

		/* Their numbers are those of the whole job. */
		for (unsigned int i = 0; i < 7; i++) {
			count[arrives_at(job, 40 + 13 * i, 1)]++;
			assert_true(count[0] <= count[1] + 1 && count[1] <= count[0] + 1);
		}
	}
}

static void a_rank_that_comes_again_is_the_same_one(void **state)
{
	struct place p;

	(void)state;
	cpus_add(&host.allowed, host.cpu);
	p = arrive(1, 5, 1, host.dir);
	assert_true(p.opened && !p.again);
	assert_int_equal(cpus_next(p.nodes, 0), 0);
	p = arrive(1, 5, 1, host.dir);
	assert_true(!p.opened && p.again);
	assert_int_equal(cpus_next(p.nodes, 0), 0);
	p = arrive(1, 6, 1, host.dir);
	assert_true(!p.opened && !p.again);
	assert_int_equal(cpus_next(p.nodes, 0), 1);
	assert_int_equal(arrives_at(1, 5, 1), 0);
	assert_int_equal(arrives_at(1, 7, 1), 0);
}

static void ranks_that_come_one_by_one_see_other_jobs_and_are_seen(void **state)
{
	struct ledger_key key = key_of(0, 7, 0);

	(void)state;
	/* Node 0 has one allowed cpu, node 1 two. */
	assert_int_equal(arrives_at(1, 0, 1), 0);
	assert_int_equal(node_of(2, 1, 0, 1), 1);
	add_job(&key);
	assert_int_equal(arrives_at(1, 1, 1), 1);
	assert_int_equal(arrives_at(3, 1, 1), 1);
}

static void of_unequal_nodes_each_gets_its_share(void **state)
{
	unsigned int count[2] = { 0 };

	(void)state;
	/* Node 0 has one allowed cpu, node 1 two. */
	for (unsigned int i = 0; i < 6; i++)
		count[arrives_at(1, i, 1)]++;
	assert_int_equal(count[0], 2);
	assert_int_equal(count[1], 4);
}

static void a_rank_wider_than_a_node_is_left_alone(void **state)
{
	(void)state;
	assert_int_equal(arrives_at(1, 0, 2), 1);
	assert_int_equal(arrive(1, 1, 3, host.dir).why, STANDDOWN_WIDE);
	assert_int_equal(arrives_at(1, 1, 2), 1);
}

static void without_a_ledger_or_a_width_nobody_is_placed_one_by_one(void **state)
{
	struct place p;

	(void)state;
	assert_int_equal(arrive(1, 0, 1, "none").why, STANDDOWN_NO_LEDGER);
	assert_int_equal(arrive(1, 0, 1, "/nowhere").why, STANDDOWN_NO_LEDGER);
	/* What has no children has fewer than nodes. */
	p = arrive(1, 0, 0, host.dir);
	assert_int_equal(p.why, STANDDOWN_NO_WIDTH);
	assert_false(p.joined);
	/* Of those that came before some may have ended. */
	assert_int_equal(arrives_at(1, 0, 1), 0);
	assert_int_equal(arrives_at(1, 1, 0), 1);
}

static void one_node_is_no_choice(void **state)
{
	(void)state;
	cpus_del(&host.allowed, 9000);
	assert_int_equal(arrive(1, 0, 1, host.dir).why, STANDDOWN_PLAN);
	assert_int_equal(arrive(1, 0, 1, host.dir).plan_why, PLAN_ONE_NODE);
}

static void a_job_of_known_size_and_one_without_are_never_taken_for_each_other(void **state)
{
	struct ledger_key key = key_of(0, 99, 9);
	struct options o = { .ledger = host.dir, .no_measure = true };
	struct place_rank r = { .key = key, .nranks = 2, .width = 1 };
	struct place p;

	(void)state;
	cpus_add(&host.allowed, host.cpu);
	assert_int_equal(arrives_at(9, 0, 1), 0);
	r.rank = 1;
	place_plan(&p, &host.a, &host.m, &host.allowed, &o, &r);
	assert_int_equal(p.why, STANDDOWN_NONE);
	assert_int_equal(plan_place_of(&p.plan, 1)->first, 1);
	key.group = 10;
	add_job(&key);
	assert_int_equal(arrive(10, 0, 1, host.dir).why, STANDDOWN_NO_LEDGER);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_job_that_keeps_the_node_busy_is_avoided),
		TEST(a_job_that_was_given_other_cpus_of_the_node_is_not_in_the_way),
		TEST(a_job_of_which_that_is_not_known_counts),
		TEST(all_ranks_plan_with_what_the_first_one_saw),
		TEST(a_record_of_another_size_is_not_believed),
		TEST(ranks_that_come_one_by_one_are_even_at_any_moment),
		TEST(a_rank_that_comes_again_is_the_same_one),
		TEST(ranks_that_come_one_by_one_see_other_jobs_and_are_seen),
		TEST(of_unequal_nodes_each_gets_its_share),
		TEST(a_rank_wider_than_a_node_is_left_alone),
		TEST(without_a_ledger_or_a_width_nobody_is_placed_one_by_one),
		TEST(one_node_is_no_choice),
		TEST(a_job_of_known_size_and_one_without_are_never_taken_for_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
