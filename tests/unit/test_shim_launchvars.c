/* What launchers say about a rank, and what is no such thing. */
#include "tests/unit/unit.h"

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
		char *env[ENTRIES + 1] = { NULL };
		struct launchvars v = { 0 };
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
#define HYDRA(id, n) { "MPI_LOCALRANKID=" id, "MPI_LOCALNRANKS=" n }
#define OMPI(id, n) { "OMPI_COMM_WORLD_LOCAL_RANK=" id, "OMPI_COMM_WORLD_LOCAL_SIZE=" n }

static const struct row not_hydra[] = {
	{ { NULL }, NULL, 0, 0 },
	{ { "PATH=/bin" }, NULL, 0, 0 },
	{ { "MPI_LOCALRANKID=0" }, NULL, 0, 0 },
	{ { "MPI_LOCALNRANKS=2" }, NULL, 0, 0 },
	{ { "MPI_LOCALRANKIDX=0", "MPI_LOCALNRANKS=2" }, NULL, 0, 0 },
	{ { "XMPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2" }, NULL, 0, 0 },
	{ { "MPI_LOCALRANKID", "MPI_LOCALNRANKS=2" }, NULL, 0, 0 },
	{ HYDRA("", "2"), NULL, 0, 0 },
	{ HYDRA("0", ""), NULL, 0, 0 },
	{ HYDRA("2", "2"), NULL, 0, 0 },
	{ HYDRA("3", "2"), NULL, 0, 0 },
	{ HYDRA("0", "0"), NULL, 0, 0 },
	{ HYDRA("-1", "2"), NULL, 0, 0 },
	{ HYDRA("0", "-2"), NULL, 0, 0 },
	{ HYDRA("+1", "2"), NULL, 0, 0 },
	{ HYDRA(" 1", "2"), NULL, 0, 0 },
	{ HYDRA("1 ", "2"), NULL, 0, 0 },
	{ HYDRA("1", "2x"), NULL, 0, 0 },
	{ HYDRA("1", "0x8"), NULL, 0, 0 },
	{ HYDRA("1", "2.0"), NULL, 0, 0 },
	{ HYDRA("one", "two"), NULL, 0, 0 },
	{ HYDRA("0", "1000000000"), NULL, 0, 0 },
	{ HYDRA("1000000000", "1000000001"), NULL, 0, 0 },
	{ HYDRA("0", "4294967297"), NULL, 0, 0 },
	{ HYDRA("4294967296", "2"), NULL, 0, 0 },
	{ HYDRA("0", "18446744073709551617"), NULL, 0, 0 },
	{ HYDRA("0", "99999999999999999999999999999999999999"), NULL, 0, 0 },
	{ HYDRA("0", "1048577"), NULL, 0, 0 },
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
		{ HYDRA("0", "1"), "Hydra", 0, 1 },
		{ HYDRA("1", "2"), "Hydra", 1, 2 },
		{ HYDRA("007", "08"), "Hydra", 7, 8 },
		{ HYDRA("9", "19"), "Hydra", 9, 19 },
		{ HYDRA("1048575", "1048576"), "Hydra", PLAN_RANKS_MAX - 1, PLAN_RANKS_MAX },
		{ { "MPI_LOCALNRANKS=3", "A=B", "MPI_LOCALRANKID=2" }, "Hydra", 2, 3 },
		/* The C library, too, takes the first of two. */
		{ { "MPI_LOCALRANKID=1", "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2" }, "Hydra", 1, 2 },
	};

	(void)state;
	CHECK(launchvars_hydra, rows);
	CHECK(launchvars_any, rows);
}

static void open_mpis_pair_must_be_possible_too(void **state)
{
	static const struct row rows[] = {
		{ { "OMPI_COMM_WORLD_LOCAL_RANK=0" }, NULL, 0, 0 },
		{ { "OMPI_COMM_WORLD_LOCAL_SIZE=2" }, NULL, 0, 0 },
		{ { "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=2" }, NULL, 0, 0 },
		{ OMPI("2", "2"), NULL, 0, 0 },
		{ OMPI("0", "0"), NULL, 0, 0 },
		{ OMPI("", "2"), NULL, 0, 0 },
		{ OMPI("x", "2"), NULL, 0, 0 },
		{ OMPI("0", "1000000000"), NULL, 0, 0 },
		{ OMPI("1", "2"), "Open MPI", 1, 2 },
		{ OMPI("0", "1"), "Open MPI", 0, 1 },
	};

	(void)state;
	CHECK(launchvars_any, rows);
}

static void slurms_own_variables_make_a_rank_only_in_a_step(void **state)
{
	static const struct row rows[] = {
		/* What a batch script sees. */
		{ { "SLURM_LOCALID=0", "SLURM_JOB_ID=7", "SLURM_GTIDS=0", "SLURM_PROCID=0" },
		  NULL, 0, 0 },
		{ { "SLURM_LOCALID=0", "SLURM_STEP_ID=0" }, NULL, 0, 0 },
		{ { "SLURM_STEP_ID=0", "SLURM_GTIDS=0,1" }, NULL, 0, 0 },
		{ { "SLURM_LOCALID=2", "SLURM_STEP_ID=0", "SLURM_GTIDS=0,1" }, NULL, 0, 0 },
		{ { "SLURM_LOCALID=0", "SLURM_STEP_ID=0", "SLURM_GTIDS=" }, NULL, 0, 0 },
		{ { "SLURM_LOCALID=x", "SLURM_STEP_ID=0", "SLURM_GTIDS=0,1" }, NULL, 0, 0 },
		{ { "SLURM_LOCALID=", "SLURM_STEP_ID=0", "SLURM_GTIDS=0,1" }, NULL, 0, 0 },
		{ { "SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=all,of" }, NULL, 0, 0 },
		{ { "SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=0,," }, NULL, 0, 0 },
		{ { "SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=0,1," }, NULL, 0, 0 },
		{ { "SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=,0,1" }, NULL, 0, 0 },
		{ { "SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=0-3" }, NULL, 0, 0 },
		{ { "SLURM_LOCALID=0", "SLURM_STEP_ID=0", "SLURM_GTIDS=5" }, "Slurm", 0, 1 },
		{ { "SLURM_LOCALID=1", "SLURM_STEP_ID=0", "SLURM_GTIDS=4,59,90" }, "Slurm", 1, 3 },
	};

	(void)state;
	CHECK(launchvars_any, rows);
}

static void the_launcher_nearest_to_the_rank_is_trusted_first(void **state)
{
#define SLURM "SLURM_LOCALID=0", "SLURM_STEP_ID=0", "SLURM_GTIDS=0"
	static const struct row rows[] = {
		/* An impossible pair decides as well: no other launcher's is believed. */
		{ { "OMPI_COMM_WORLD_LOCAL_RANK=9", "OMPI_COMM_WORLD_LOCAL_SIZE=2",
		    "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2" },
		  NULL, 0, 0 },
		{ { "MPI_LOCALRANKID=2", "MPI_LOCALNRANKS=2", SLURM }, NULL, 0, 0 },
		{ { "OMPI_COMM_WORLD_LOCAL_RANK=0", SLURM }, NULL, 0, 0 },
		{ { SLURM, "MPI_LOCALRANKID=1", "MPI_LOCALNRANKS=2" }, "Hydra", 1, 2 },
		{ { SLURM, "OMPI_COMM_WORLD_LOCAL_RANK=2", "OMPI_COMM_WORLD_LOCAL_SIZE=3" },
		  "Open MPI", 2, 3 },
		{ { "MPI_LOCALRANKID=0", "MPI_LOCALNRANKS=2", "OMPI_COMM_WORLD_LOCAL_RANK=2",
		    "OMPI_COMM_WORLD_LOCAL_SIZE=3" },
		  "Open MPI", 2, 3 },
		/* A size without a rank is nobody's pair. */
		{ { "OMPI_COMM_WORLD_LOCAL_SIZE=3", "MPI_LOCALNRANKS=2", SLURM }, "Slurm", 0, 1 },
	};

	(void)state;
	CHECK(launchvars_any, rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_number_or_an_impossible_pair_of_hydra_is_no_rank),
		cmocka_unit_test(hydras_pair_is_read_up_to_the_largest_job),
		cmocka_unit_test(open_mpis_pair_must_be_possible_too),
		cmocka_unit_test(slurms_own_variables_make_a_rank_only_in_a_step),
		cmocka_unit_test(the_launcher_nearest_to_the_rank_is_trusted_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
