/* What launchers say about a rank, and what is no such thing. */
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "core/plan.h"
#include "shim/launchvars.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define ENTRIES 8

/* An environment, and what it says. */
struct row {
	const char *env[ENTRIES];
	const char *launcher; /* NULL: not a rank */
	unsigned int rank, nranks;
};

typedef bool reader(char *const *envp, struct launchvars *v);

static void check(reader *read, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *env[ENTRIES + 1] = {NULL};
		struct launchvars v = {0};
		bool found;

		memcpy(env, rows[i].env, sizeof(rows[i].env));
		found = read(env, &v);
		if (found != !!rows[i].launcher)
			fail_msg("row %zu (%s): %s a rank", i, env[0] ? env[0] : "empty",
				 found ? "taken for" : "not taken for");
		if (!found)
			continue;
		assert_string_equal(v.launcher, rows[i].launcher);
		if (v.rank != rows[i].rank || v.nranks != rows[i].nranks)
			fail_msg("row %zu (%s): rank %u of %u", i, env[0], v.rank, v.nranks);
	}
}

#define CHECK(read, rows) check(read, rows, COUNT(rows))
#define HYDRA(id, n) \
	{ \
		"MPI_LOCALRANKID=" id, "MPI_LOCALNRANKS=" n \
	}
#define OMPI(id, n) \
	{ \
		"OMPI_COMM_WORLD_LOCAL_RANK=" id, "OMPI_COMM_WORLD_LOCAL_SIZE=" n \
	}

static const struct row not_hydra[] = {
    {{NULL}, NULL, 0, 0},
    {{"PATH=/bin"}, NULL, 0, 0},
    {{"MPI_LOCALRANKID=0"}, NULL, 0, 0},
    {{"MPI_LOCALNRANKS=2"}, NULL, 0, 0},
    {{"MPI_LOCALRANKIDX=0", "MPI_LOCALNRANKS=2"}, NULL, 0, 0},
    {{"XMPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2"}, NULL, 0, 0},
    {{"MPI_LOCALRANKID", "MPI_LOCALNRANKS=2"}, NULL, 0, 0},
    {HYDRA("", "2"), NULL, 0, 0},
    {HYDRA("0", ""), NULL, 0, 0},
    {HYDRA("2", "2"), NULL, 0, 0},
    {HYDRA("3", "2"), NULL, 0, 0},
    {HYDRA("0", "0"), NULL, 0, 0},
    {HYDRA("-1", "2"), NULL, 0, 0},
    {HYDRA("0", "-2"), NULL, 0, 0},
    {HYDRA("+1", "2"), NULL, 0, 0},
    {HYDRA(" 1", "2"), NULL, 0, 0},
    {HYDRA("1 ", "2"), NULL, 0, 0},
    {HYDRA("1", "2x"), NULL, 0, 0},
    {HYDRA("1", "0x8"), NULL, 0, 0},
    {HYDRA("1", "2.0"), NULL, 0, 0},
    {HYDRA("one", "two"), NULL, 0, 0},
    {HYDRA("0", "1000000000"), NULL, 0, 0},
    {HYDRA("1000000000", "1000000001"), NULL, 0, 0},
    {HYDRA("0", "4294967297"), NULL, 0, 0},
    {HYDRA("4294967296", "2"), NULL, 0, 0},
    {HYDRA("0", "18446744073709551617"), NULL, 0, 0},
    {HYDRA("0", "99999999999999999999999999999999999999"), NULL, 0, 0},
    {HYDRA("0", "1048577"), NULL, 0, 0},
};

static void no_number_or_an_impossible_pair_of_hydra_is_no_rank(void **state)
{
	(void)state;
	CHECK(launchvars_hydra, not_hydra);
	CHECK(launchvars_any, not_hydra);
}

static void hydras_pair_is_read_up_to_the_largest_job(void **state)
{
	static const struct row rows[] = {
	    {HYDRA("0", "1"), "Hydra", 0, 1},
	    {HYDRA("1", "2"), "Hydra", 1, 2},
	    {HYDRA("007", "08"), "Hydra", 7, 8},
	    {HYDRA("9", "19"), "Hydra", 9, 19},
	    {HYDRA("1048575", "1048576"), "Hydra", PLAN_RANKS_MAX - 1, PLAN_RANKS_MAX},
	    {{"MPI_LOCALNRANKS=3", "A=B", "MPI_LOCALRANKID=2"}, "Hydra", 2, 3},
	    /* The C library, too, takes the first of two. */
	    {{"MPI_LOCALRANKID=1", "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2"}, "Hydra", 1, 2},
	};

	(void)state;
	CHECK(launchvars_hydra, rows);
	CHECK(launchvars_any, rows);
}

static void open_mpis_pair_must_be_possible_too(void **state)
{
	static const struct row rows[] = {
	    {{"OMPI_COMM_WORLD_LOCAL_RANK=0"}, NULL, 0, 0},
	    {{"OMPI_COMM_WORLD_LOCAL_SIZE=2"}, NULL, 0, 0},
	    {{"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=2"}, NULL, 0, 0},
	    {OMPI("2", "2"), NULL, 0, 0},
	    {OMPI("0", "0"), NULL, 0, 0},
	    {OMPI("", "2"), NULL, 0, 0},
	    {OMPI("x", "2"), NULL, 0, 0},
	    {OMPI("0", "1000000000"), NULL, 0, 0},
	    {OMPI("1", "2"), "Open MPI", 1, 2},
	    {OMPI("0", "1"), "Open MPI", 0, 1},
	};

	(void)state;
	CHECK(launchvars_any, rows);
}

static void slurms_own_variables_make_a_rank_only_in_a_step(void **state)
{
	static const struct row rows[] = {
	    /* What a batch script sees. */
	    {{"SLURM_LOCALID=0", "SLURM_JOB_ID=7", "SLURM_GTIDS=0", "SLURM_PROCID=0"}, NULL, 0, 0},
	    {{"SLURM_LOCALID=0", "SLURM_STEP_ID=0"}, NULL, 0, 0},
	    {{"SLURM_STEP_ID=0", "SLURM_GTIDS=0,1"}, NULL, 0, 0},
	    {{"SLURM_LOCALID=2", "SLURM_STEP_ID=0", "SLURM_GTIDS=0,1"}, NULL, 0, 0},
	    {{"SLURM_LOCALID=0", "SLURM_STEP_ID=0", "SLURM_GTIDS="}, NULL, 0, 0},
	    {{"SLURM_LOCALID=x", "SLURM_STEP_ID=0", "SLURM_GTIDS=0,1"}, NULL, 0, 0},
	    {{"SLURM_LOCALID=", "SLURM_STEP_ID=0", "SLURM_GTIDS=0,1"}, NULL, 0, 0},
	    {{"SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=all,of"}, NULL, 0, 0},
	    {{"SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=0,,"}, NULL, 0, 0},
	    {{"SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=0,1,"}, NULL, 0, 0},
	    {{"SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=,0,1"}, NULL, 0, 0},
	    {{"SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=0-3"}, NULL, 0, 0},
	    {{"SLURM_LOCALID=0", "SLURM_STEP_ID=0", "SLURM_GTIDS=5"}, "Slurm", 0, 1},
	    {{"SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=4,59,90"}, "Slurm", 1, 3},
	};

	(void)state;
	CHECK(launchvars_any, rows);
}

static void the_launcher_nearest_to_the_rank_is_trusted_first(void **state)
{
#define SLURM "SLURM_LOCALID=0", "SLURM_STEP_ID=0", "SLURM_GTIDS=0"
	static const struct row rows[] = {
	    /* An impossible pair decides as well: no other launcher's is believed. */
	    {{"OMPI_COMM_WORLD_LOCAL_RANK=9", "OMPI_COMM_WORLD_LOCAL_SIZE=2", "MPI_LOCALRANKID=0",
	      "MPI_LOCALNRANKS=2"},
	     NULL,
	     0,
	     0},
	    {{"MPI_LOCALRANKID=2", "MPI_LOCALNRANKS=2", SLURM}, NULL, 0, 0},
	    {{"OMPI_COMM_WORLD_LOCAL_RANK=0", SLURM}, NULL, 0, 0},
	    {{SLURM, "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=2"}, "Hydra", 1, 2},
	    {{SLURM, "OMPI_COMM_WORLD_LOCAL_RANK=2", "OMPI_COMM_WORLD_LOCAL_SIZE=3"},
	     "Open MPI",
	     2,
	     3},
	    {{"MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2", "OMPI_COMM_WORLD_LOCAL_RANK=2",
	      "OMPI_COMM_WORLD_LOCAL_SIZE=3"},
	     "Open MPI",
	     2,
	     3},
	    /* A size without a rank is nobody's pair. */
	    {{"OMPI_COMM_WORLD_LOCAL_SIZE=3", "MPI_LOCALNRANKS=2", SLURM}, "Slurm", 0, 1},
	};

	(void)state;
	CHECK(launchvars_any, rows);
}

#define STEP(id) "SLURM_STEP_ID=0", "SLURM_LOCALID=" id
#define LIST(list, node) "SLURM_STEP_TASKS_PER_NODE=" list, "SLURM_NODEID=" node

static void slurms_list_of_tasks_per_host_stands_in_for_the_ids(void **state)
{
	static const struct row rows[] = {
	    {{STEP("0"), LIST("2", "0")}, "Slurm", 0, 2},
	    {{STEP("3"), LIST("4,1(x2)", "0")}, "Slurm", 3, 4},
	    {{STEP("0"), LIST("4,1(x2)", "1")}, "Slurm", 0, 1},
	    {{STEP("0"), LIST("4,1(x2)", "2")}, "Slurm", 0, 1},
	    {{STEP("1"), LIST("2(x3),1", "2")}, "Slurm", 1, 2},
	    {{STEP("0"), LIST("2(x3),1", "3")}, "Slurm", 0, 1},
	    {{STEP("7"), LIST("8(x1000000)", "999999")}, "Slurm", 7, 8},
	    {{STEP("1"), "SLURM_GTIDS=0,1", LIST("2(x3),1", "2")}, "Slurm", 1, 2},
	    /* One that cannot be read says nothing beside the ids. */
	    {{STEP("1"), "SLURM_GTIDS=0,1", LIST("x", "0")}, "Slurm", 1, 2},
	    {{STEP("1"), "SLURM_GTIDS=0,1", LIST("2", "1")}, "Slurm", 1, 2},
	    /* Both readable and not agreed: neither is believed. */
	    {{STEP("1"), "SLURM_GTIDS=0,1", LIST("3", "0")}, NULL, 0, 0},
	    {{STEP("1"), "SLURM_GTIDS=x", LIST("2", "0")}, NULL, 0, 0},
	    {{STEP("1"), "SLURM_GTIDS=", LIST("2", "0")}, NULL, 0, 0},
	    {{STEP("1"), LIST("2(x3),1", "4")}, NULL, 0, 0},
	    {{STEP("1"), LIST("2(x3),1", "3")}, NULL, 0, 0},
	    {{STEP("2"), LIST("2", "0")}, NULL, 0, 0},
	    {{STEP("0"), LIST("0", "0")}, NULL, 0, 0},
	    {{STEP("0"), LIST("", "0")}, NULL, 0, 0},
	    {{STEP("0"), LIST("2,", "0")}, "Slurm", 0, 2},
	    {{STEP("0"), LIST("2,", "1")}, NULL, 0, 0},
	    {{STEP("0"), LIST("2(x3", "0")}, NULL, 0, 0},
	    {{STEP("0"), LIST("2(3)", "0")}, NULL, 0, 0},
	    {{STEP("0"), LIST("2(x)", "0")}, NULL, 0, 0},
	    {{STEP("0"), LIST("2(x0),3", "0")}, "Slurm", 0, 3},
	    {{STEP("0"), LIST("2(x3)1", "0")}, NULL, 0, 0},
	    {{STEP("0"), LIST("two", "0")}, NULL, 0, 0},
	    {{STEP("0"), LIST("-2", "0")}, NULL, 0, 0},
	    {{STEP("0"), LIST("1000000000", "0")}, NULL, 0, 0},
	    {{STEP("0"), LIST("2(x1000000000)", "0")}, NULL, 0, 0},
	    {{STEP("0"), LIST("2", "x")}, NULL, 0, 0},
	    {{STEP("0"), LIST("2", "1000000000")}, NULL, 0, 0},
	    {{STEP("0"), "SLURM_STEP_TASKS_PER_NODE=2"}, NULL, 0, 0},
	    {{"SLURM_LOCALID=0", LIST("2", "0")}, NULL, 0, 0},
	};

	(void)state;
	CHECK(launchvars_any, rows);
}

static void slurms_own_steps_are_no_ranks(void **state)
{
	/* Batch script and interactive shell; text; nothing. */
	static const struct row rows[] = {
	    {{"SLURM_STEP_ID=4294967291", "SLURM_LOCALID=0", "SLURM_GTIDS=0,1"}, NULL, 0, 0},
	    {{"SLURM_STEP_ID=4294967290", "SLURM_LOCALID=0", "SLURM_GTIDS=0,1"}, NULL, 0, 0},
	    {{"SLURM_STEP_ID=batch", "SLURM_LOCALID=0", "SLURM_GTIDS=0,1"}, NULL, 0, 0},
	    {{"SLURM_STEP_ID=", "SLURM_LOCALID=0", "SLURM_GTIDS=0,1"}, NULL, 0, 0},
	    {{"SLURM_STEP_ID=4000000000", "SLURM_LOCALID=0", "SLURM_GTIDS=0,1"}, "Slurm", 0, 2},
	};

	(void)state;
	CHECK(launchvars_any, rows);
}

/* A launcher that has a variable for each number: the names, and rows of both. */
static void check_pair(const char *launcher, const char *rank, const char *size)
{
	static const struct {
		const char *rank, *size;
		bool is_rank;
	} rows[] = {
	    {"0", "1", true},
	    {"1", "2", true},
	    {"1048575", "1048576", true},
	    {NULL, "2", false},
	    {"0", NULL, false},
	    {"", "2", false},
	    {"0", "", false},
	    {"2", "2", false},
	    {"0", "0", false},
	    {"-1", "2", false},
	    {"x", "2", false},
	    {"0", "two", false},
	    {"0", "1000000000", false},
	    {"1000000000", "2", false},
	    {"0", "99999999999999999999", false},
	    {"0", "2 ", false},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[2][64], *env[3] = {NULL};
		struct launchvars v;
		size_t n = 0;

		if (rows[i].rank) {
			snprintf(text[0], sizeof(text[0]), "%s=%s", rank, rows[i].rank);
			env[n++] = text[0];
		}
		if (rows[i].size) {
			snprintf(text[1], sizeof(text[1]), "%s=%s", size, rows[i].size);
			env[n++] = text[1];
		}
		if (launchvars_any(env, &v) != rows[i].is_rank)
			fail_msg("%s, row %zu", launcher, i);
		if (!rows[i].is_rank)
			continue;
		assert_string_equal(v.launcher, launcher);
		assert_int_equal(v.rank, atoi(rows[i].rank));
		assert_int_equal(v.nranks, atoi(rows[i].size));
	}
}

static void every_launcher_with_a_pair_is_read_alike(void **state)
{
	(void)state;
	check_pair("Open MPI", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
	check_pair("Hydra", "MPI_LOCALRANKID", "MPI_LOCALNRANKS");
	check_pair("MVAPICH2", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE");
	check_pair("PALS", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE");
	check_pair("PALS", "PALS_LOCAL_RANKID", "PMI_LOCAL_SIZE");
	check_pair("jsrun", "JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_SIZE");
}

static void of_two_sizes_the_launchers_own_is_the_one(void **state)
{
	static const struct row rows[] = {
	    {{"PALS_LOCAL_RANKID=1", "PALS_LOCAL_SIZE=2", "PMI_LOCAL_SIZE=3"}, "PALS", 1, 2},
	    {{"PALS_LOCAL_RANKID=1", "PALS_LOCAL_SIZE=", "PMI_LOCAL_SIZE=3"}, NULL, 0, 0},
	};

	(void)state;
	CHECK(launchvars_any, rows);
}

#define FLUX(id, size, hosts) \
	{ \
		"FLUX_TASK_LOCAL_ID=" id, "FLUX_JOB_SIZE=" size, "FLUX_JOB_NNODES=" hosts \
	}

static void flux_says_the_size_on_one_host_alone(void **state)
{
	static const struct row rows[] = {
	    {FLUX("1", "2", "1"), "Flux", 1, 2},
	    {FLUX("1", "8", "4"), "Flux", 1, 0},
	    {FLUX("1", "x", "4"), "Flux", 1, 0},
	    {FLUX("2", "2", "1"), NULL, 0, 0},
	    {FLUX("0", "0", "1"), NULL, 0, 0},
	    {FLUX("0", "x", "1"), NULL, 0, 0},
	    {FLUX("0", "2", "0"), NULL, 0, 0},
	    {FLUX("0", "2", "x"), NULL, 0, 0},
	    {FLUX("", "2", "1"), NULL, 0, 0},
	    {FLUX("0", "1000000000", "1"), NULL, 0, 0},
	    {{"FLUX_TASK_LOCAL_ID=0", "FLUX_JOB_SIZE=2"}, NULL, 0, 0},
	    {{"FLUX_JOB_SIZE=2", "FLUX_JOB_NNODES=1"}, NULL, 0, 0},
	};

	(void)state;
	CHECK(launchvars_any, rows);
}

static void pmix_numbers_ranks_and_says_no_size(void **state)
{
	static const struct row rows[] = {
	    {{"PMIX_NAMESPACE=slurm.pmix.7.0", "PMIX_RANK=3"}, "PMIx", 3, 0},
	    {{"PMIX_NAMESPACE=x", "PMIX_RANK=2000000000"}, "PMIx", 2000000000u, 0},
	    {{"PMIX_RANK=3"}, NULL, 0, 0},
	    {{"PMIX_NAMESPACE=x"}, NULL, 0, 0},
	    {{"PMIX_NAMESPACE=", "PMIX_RANK=3"}, NULL, 0, 0},
	    {{"PMIX_NAMESPACE=x", "PMIX_RANK="}, NULL, 0, 0},
	    {{"PMIX_NAMESPACE=x", "PMIX_RANK=-1"}, NULL, 0, 0},
	    /* PMIX_RANK_UNDEF, PMIX_RANK_WILDCARD */
	    {{"PMIX_NAMESPACE=x", "PMIX_RANK=4294967295"}, NULL, 0, 0},
	    {{"PMIX_NAMESPACE=x", "PMIX_RANK=4294967294"}, NULL, 0, 0},
	    /* Whoever says more is believed first, and alone. */
	    {{"PMIX_NAMESPACE=x", "PMIX_RANK=3", "OMPI_COMM_WORLD_LOCAL_RANK=1",
	      "OMPI_COMM_WORLD_LOCAL_SIZE=2"},
	     "Open MPI",
	     1,
	     2},
	    {{"PMIX_NAMESPACE=x", "PMIX_RANK=3", "SLURM_LOCALID=1", "SLURM_STEP_ID=0",
	      "SLURM_GTIDS=2,3"},
	     "Slurm",
	     1,
	     2},
	    {{"PMIX_NAMESPACE=x", "PMIX_RANK=3", "SLURM_LOCALID=1"}, NULL, 0, 0},
	};

	(void)state;
	CHECK(launchvars_any, rows);
}

static void jobs_are_told_apart_by_what_names_them(void **state)
{
	static char *const envs[][5] = {
	    {"SLURM_LOCALID=0", "SLURM_GTIDS=0,1", "SLURM_STEP_ID=0", "SLURM_JOB_ID=7"},
	    {"SLURM_LOCALID=0", "SLURM_GTIDS=0,1", "SLURM_STEP_ID=1", "SLURM_JOB_ID=7"},
	    {"SLURM_LOCALID=0", "SLURM_GTIDS=0,1", "SLURM_STEP_ID=7", "SLURM_JOB_ID=0"},
	    {"SLURM_LOCALID=0", "SLURM_GTIDS=0,1", "SLURM_STEP_ID=0"},
	    {"PMIX_NAMESPACE=1234", "PMIX_RANK=0"},
	    {"PMIX_NAMESPACE=1235", "PMIX_RANK=0"},
	};
	struct launchvars v[COUNT(envs)], again;

	(void)state;
	for (size_t i = 0; i < COUNT(envs); i++) {
		assert_true(launchvars_any(envs[i], &v[i]));
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(v[i].job, v[k].job);
	}
	assert_true(launchvars_any(envs[0], &again));
	assert_int_equal(again.job, v[0].job);
}

static void the_cpus_of_a_job_and_its_hosts_are_told_where_known(void **state)
{
	static char *const env[] = {"SLURM_LOCALID=0",
				    "SLURM_GTIDS=0,1",
				    "SLURM_STEP_ID=0",
				    "SLURM_CPUS_ON_NODE=12",
				    "SLURM_STEP_NODELIST=h[1-2]",
				    NULL};
	static char *const text[] = {"SLURM_LOCALID=0", "SLURM_GTIDS=0,1", "SLURM_STEP_ID=0",
				     "SLURM_CPUS_ON_NODE=12(x2)", NULL};
	static char *const stale[] = {"MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2",
				      "SLURM_CPUS_ON_NODE=12", NULL};
	struct launchvars v;

	(void)state;
	assert_true(launchvars_any(env, &v));
	assert_int_equal(v.cpus, 12);
	assert_string_equal(v.hosts, "h[1-2]");
	assert_true(launchvars_any(text, &v));
	assert_int_equal(v.cpus, 0);
	assert_null(v.hosts);
	assert_true(launchvars_any(stale, &v));
	assert_int_equal(v.cpus, 0);
}

#define NAMED(id, n, job) \
	{ \
		"OMPI_COMM_WORLD_LOCAL_RANK=" id, "OMPI_COMM_WORLD_LOCAL_SIZE=" n, \
		    "PMIX_NAMESPACE=" job \
	}

static void what_an_mpirun_inside_a_rank_starts_is_not_taken_for_that_rank(void **state)
{
	static char *const outside[] = {"PATH=/bin", NULL};
	static char *const inside[4] = NAMED("0", "2", "17");
	static char *const rank[4] = NAMED("0", "2", "18");
	static char *const nameless[3] = OMPI("0", "2");
	struct launchvars v;

	(void)state;
	assert_true(launchvars_openmpi(rank, outside, &v));
	assert_true(launchvars_openmpi(nameless, outside, &v));
	assert_true(launchvars_openmpi(rank, inside, &v));
	assert_false(launchvars_openmpi(inside, inside, &v));
	assert_false(launchvars_openmpi(nameless, inside, &v));
	assert_false(launchvars_openmpi(rank, nameless, &v));
	assert_false(launchvars_openmpi(outside, outside, &v));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(no_number_or_an_impossible_pair_of_hydra_is_no_rank),
	    cmocka_unit_test(hydras_pair_is_read_up_to_the_largest_job),
	    cmocka_unit_test(open_mpis_pair_must_be_possible_too),
	    cmocka_unit_test(slurms_own_variables_make_a_rank_only_in_a_step),
	    cmocka_unit_test(the_launcher_nearest_to_the_rank_is_trusted_first),
	    cmocka_unit_test(slurms_list_of_tasks_per_host_stands_in_for_the_ids),
	    cmocka_unit_test(slurms_own_steps_are_no_ranks),
	    cmocka_unit_test(every_launcher_with_a_pair_is_read_alike),
	    cmocka_unit_test(of_two_sizes_the_launchers_own_is_the_one),
	    cmocka_unit_test(flux_says_the_size_on_one_host_alone),
	    cmocka_unit_test(pmix_numbers_ranks_and_says_no_size),
	    cmocka_unit_test(jobs_are_told_apart_by_what_names_them),
	    cmocka_unit_test(the_cpus_of_a_job_and_its_hosts_are_told_where_known),
	    cmocka_unit_test(what_an_mpirun_inside_a_rank_starts_is_not_taken_for_that_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
