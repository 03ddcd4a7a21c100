/* When a rank is left alone: what its environment and its command say. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/standdown.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define ENTRIES 4

struct env_row {
	const char *env[ENTRIES];
	const char *base[ENTRIES]; /* the launcher daemon's */
	enum standdown why;
};

static void check_env(const struct env_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char *env[ENTRIES + 1] = { NULL }, *base[ENTRIES + 1] = { NULL };
		enum standdown why;

		memcpy(env, rows[i].env, sizeof(rows[i].env));
		memcpy(base, rows[i].base, sizeof(rows[i].base));
		why = standdown_env(env, base);
		if (why != rows[i].why)
			fail_msg("row %zu (%s): %s", i, env[0] ? env[0] : "empty",
				 standdown_text(why));
	}
}

#define CHECK_ENV(rows) check_env(rows, COUNT(rows))

static void an_environment_that_asks_for_nothing_is_placed(void **state)
{
	static const struct env_row rows[] = {
		{ { NULL }, { NULL }, STANDDOWN_NONE },
		{ { "" }, { NULL }, STANDDOWN_NONE },
		{ { "=" }, { NULL }, STANDDOWN_NONE },
		{ { "PATH=/usr/bin/numactl" }, { NULL }, STANDDOWN_NONE },
		{ { "EVENKEEL=" }, { NULL }, STANDDOWN_NONE },
		{ { "EVENKEEL=on" }, { NULL }, STANDDOWN_NONE },
		{ { "EVENKEEL=offline" }, { NULL }, STANDDOWN_NONE },
		{ { "EVENKEELX=off" }, { NULL }, STANDDOWN_NONE },
		{ { "HYDRA_USER_PROVIDED_BINDINGS=1" }, { NULL }, STANDDOWN_NONE },
		{ { "VISIBLE_DEVICES=0" }, { NULL }, STANDDOWN_NONE },
		{ { "_VISIBLE_DEVICES=0" }, { NULL }, STANDDOWN_NONE },
		{ { "CUDA_VISIBLE_DEVICESX=0" }, { NULL }, STANDDOWN_NONE },
		{ { "X=CUDA_VISIBLE_DEVICES=0" }, { NULL }, STANDDOWN_NONE },
		{ { "ZE_AFFINITY_MASKS=0" }, { NULL }, STANDDOWN_NONE },
		{ { "XZE_AFFINITY_MASK=0" }, { NULL }, STANDDOWN_NONE },
		{ { "OMP_PLACES=cores" }, { NULL }, STANDDOWN_NONE },
		{ { "OMP_PLACES=sockets(2)" }, { NULL }, STANDDOWN_NONE },
		{ { "OMP_PLACES" }, { NULL }, STANDDOWN_NONE },
		{ { "OMP_PROC_BIND=close" }, { NULL }, STANDDOWN_NONE },
		{ { "KMP_AFFINITY=compact" }, { NULL }, STANDDOWN_NONE },
		{ { "GOMP_CPU_AFFINITYX=0" }, { NULL }, STANDDOWN_NONE },
	};

	(void)state;
	CHECK_ENV(rows);
}

static void the_users_own_wish_is_followed(void **state)
{
	static const struct env_row rows[] = {
		{ { "A=B", "EVENKEEL=off" }, { NULL }, STANDDOWN_OFF },
		{ { "EVENKEEL=OFF" }, { NULL }, STANDDOWN_OFF },
		{ { "EVENKEEL=0" }, { NULL }, STANDDOWN_OFF },
		{ { "EVENKEEL=no" }, { NULL }, STANDDOWN_OFF },
		{ { "EVENKEEL_OFF=1" }, { NULL }, STANDDOWN_OFF },
		{ { "HYDRA_USER_PROVIDED_BINDING=1" }, { NULL }, STANDDOWN_BINDING },
		{ { "HYDRA_USER_PROVIDED_BINDING=" }, { NULL }, STANDDOWN_BINDING },
		{ { "OMPI_MCA_orte_bound_at_launch=1" }, { NULL }, STANDDOWN_LAUNCHER },
		{ { "OMP_PLACES={0},{1}" }, { NULL }, STANDDOWN_PLACES },
		{ { "OMP_PLACES=  {0:4}:2" }, { NULL }, STANDDOWN_PLACES },
		{ { "GOMP_CPU_AFFINITY=0-3" }, { NULL }, STANDDOWN_PLACES },
		{ { "KMP_AFFINITY=verbose,proclist=[3,4],explicit" }, { NULL }, STANDDOWN_PLACES },
		/* Off is off, whatever else there is. */
		{ { "CUDA_VISIBLE_DEVICES=0", "HYDRA_USER_PROVIDED_BINDING=1", "EVENKEEL=off" },
		  { NULL }, STANDDOWN_OFF },
	};

	(void)state;
	CHECK_ENV(rows);
}

static void a_binding_that_leaked_from_an_outer_job_is_not_this_ranks(void **state)
{
	static const struct env_row rows[] = {
		{ { "HYDRA_USER_PROVIDED_BINDING=1" }, { "HYDRA_USER_PROVIDED_BINDING=1" },
		  STANDDOWN_NONE },
		{ { "HYDRA_USER_PROVIDED_BINDING=1" }, { "HYDRA_BINDING=1" }, STANDDOWN_BINDING },
		{ { "OMPI_MCA_orte_bound_at_launch=1" }, { "OMPI_MCA_orte_bound_at_launch=1" },
		  STANDDOWN_NONE },
	};
	char off[] = "EVENKEEL=off", bound[] = "HYDRA_USER_PROVIDED_BINDING=1";
	char *env[] = { off, NULL }, *env_bound[] = { bound, NULL };

	(void)state;
	CHECK_ENV(rows);
	/* What the daemon has is not known: everything counts. */
	assert_int_equal(standdown_env(env, NULL), STANDDOWN_OFF);
	assert_int_equal(standdown_env(env_bound, NULL), STANDDOWN_BINDING);
}

static void gpus_count_when_the_launcher_gave_this_rank_its_own(void **state)
{
	static const struct env_row rows[] = {
		{ { "CUDA_VISIBLE_DEVICES=0,1" }, { "CUDA_VISIBLE_DEVICES=0,1" }, STANDDOWN_NONE },
		{ { "CUDA_VISIBLE_DEVICES=" }, { "A=B", "CUDA_VISIBLE_DEVICES=" }, STANDDOWN_NONE },
		{ { "CUDA_VISIBLE_DEVICES=1" }, { "CUDA_VISIBLE_DEVICES=0,1" }, STANDDOWN_GPUS },
		{ { "CUDA_VISIBLE_DEVICES=0" }, { "CUDA_VISIBLE_DEVICES=0,1" }, STANDDOWN_GPUS },
		{ { "CUDA_VISIBLE_DEVICES=0" }, { "ROCR_VISIBLE_DEVICES=0" }, STANDDOWN_GPUS },
		{ { "CUDA_VISIBLE_DEVICES=0" }, { NULL }, STANDDOWN_GPUS },
		{ { "ROCR_VISIBLE_DEVICES=0" }, { NULL }, STANDDOWN_GPUS },
		{ { "HIP_VISIBLE_DEVICES=" }, { NULL }, STANDDOWN_GPUS },
		{ { "NVIDIA_VISIBLE_DEVICES=all" }, { NULL }, STANDDOWN_GPUS },
		{ { "ZE_AFFINITY_MASK=0.1" }, { NULL }, STANDDOWN_GPUS },
		{ { "ZE_AFFINITY_MASK=0" }, { "ZE_AFFINITY_MASK=0" }, STANDDOWN_NONE },
		{ { "CUDA_VISIBLE_DEVICES=0", "ZE_AFFINITY_MASK=0" }, { "CUDA_VISIBLE_DEVICES=0" },
		  STANDDOWN_GPUS },
	};

	(void)state;
	CHECK_ENV(rows);
}

static void a_tool_is_known_by_its_whole_name(void **state)
{
	static const char *const others[] = { "",	    "/",	   "numactl/",	 "numactl2",
					      "xnumactl",   "NUMACTL",	   "numactl.sh", "task",
					      "/numactl/x", "hwloc-bind-", "mytaskset",	 "a.out" };
	static const char *const tools[] = {
		"numactl",     "taskset",	"/usr/bin/taskset",   "./hwloc-bind", "likwid-pin",
		"dplace",      "likwid-mpirun", "/opt/sgi/omplace", "schedtool",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(others); i++)
		if (standdown_is_tool(others[i]))
			fail_msg("'%s' was taken for a tool", others[i]);
	for (size_t i = 0; i < COUNT(tools); i++)
		if (!standdown_is_tool(tools[i]))
			fail_msg("'%s' was not taken for a tool", tools[i]);
	assert_string_equal(standdown_basename("/a/b"), "b");
	assert_string_equal(standdown_basename("b"), "b");
	assert_string_equal(standdown_basename("/a/"), "");
}

static void every_reason_has_its_words(void **state)
{
	(void)state;
	for (enum standdown why = STANDDOWN_NONE; why <= STANDDOWN_REFUSED; why++)
		assert_true(strlen(standdown_text(why)) > 5);
}

/* A folder with commands in it. */
static char folder[] = "/tmp/evenkeel-standdown-XXXXXX";
static char path[128];

static void put(const char *name, const char *text, size_t len)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", folder, name);
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(full, 0700), 0);
}

static void put_far(const char *name, size_t before)
{
	static char text[200000];

	memset(text, '#', before);
	memcpy(text, "#!/bin/sh\n", 10);
	memcpy(text + before, "\nnumactl ./a\n", 14);
	put(name, text, before + 13);
}

static int set_up(void **state)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		{ "plain.sh", "#!/bin/sh\n./app numactlx my_numactl numactl-like\n" },
		{ "binds.sh", "#!/bin/bash\nexec numactl -C 3 ./app\n" },
		{ "path.sh", "#!/bin/sh\n/usr/bin/taskset -c 1 ./app\n" },
		{ "end.sh", "#!/bin/sh\n./app | numactl" },
		{ "quoted.sh", "#!/bin/sh\n\"numactl\" ./app\n" },
		{ "nohead", "numactl ./app\n" },
		{ "places.sh", "#!/bin/sh\nexport OMP_PLACES=\"{0},{1}\"\n./app\n" },
		{ "cores.sh", "#!/bin/sh\nexport OMP_PLACES=cores\n./app\n" },
		{ "short", "#" },
		{ "empty", "" },
	};
	const char binary[] = "#!\0 numactl \n";
	char full[256];

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "PATH=/nowhere:%s", folder);
	for (size_t i = 0; i < COUNT(files); i++)
		put(files[i].name, files[i].text, strlen(files[i].text));
	put("binary", binary, sizeof(binary));
	put_far("near.sh", 60000);
	put_far("far.sh", 70000);
	snprintf(full, sizeof(full), "%s/dir", folder);
	if (mkdir(full, 0700) < 0)
		return -1;
	snprintf(full, sizeof(full), "%s/fifo", folder);
	return mkfifo(full, 0700);
}

static int tear_down(void **state)
{
	static const char *const names[] = { "plain.sh", "binds.sh", "path.sh",	 "end.sh",
					     "nohead",	 "short",    "empty",	 "binary",
					     "near.sh",	 "far.sh",   "fifo",	 "quoted.sh",
					     "places.sh", "cores.sh" };
	char full[256];

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(full, sizeof(full), "%s/%s", folder, names[i]);
		unlink(full);
	}
	snprintf(full, sizeof(full), "%s/dir", folder);
	rmdir(full);
	return rmdir(folder);
}

struct command_row {
	const char *argv[6]; /* argv[0] is the file too; "@" stands for the folder */
	enum standdown why;
};

static void check_commands(const struct command_row *rows, size_t n, const char *deny)
{
	for (size_t i = 0; i < n; i++) {
		char *argv[COUNT(rows->argv) + 1] = { NULL }, *env[] = { path, NULL };
		char full[COUNT(rows->argv)][256];
		struct arena a = UNIT_ARENA;
		enum standdown why;

		for (size_t k = 0; k < COUNT(rows->argv) && rows[i].argv[k]; k++) {
			const char *arg = rows[i].argv[k];
			size_t before = strcspn(arg, "@");

			snprintf(full[k], sizeof(full[k]), "%.*s%s%s", (int)before, arg,
				 arg[before] ? folder : "", arg + before + !!arg[before]);
			argv[k] = full[k];
		}
		why = standdown_command(deny, argv[0], argv, env, &a);
		if (why != rows[i].why)
			fail_msg("row %zu (%s %s): %s", i, argv[0], argv[1] ? argv[1] : "",
				 standdown_text(why));
		arena_free(&a);
	}
}

#define CHECK_COMMANDS(rows, deny) check_commands(rows, COUNT(rows), deny)

static void a_command_without_a_tool_is_placed(void **state)
{
	static const struct command_row rows[] = {
		{ { "" }, STANDDOWN_NONE },
		{ { "not-there" }, STANDDOWN_NONE },
		{ { "@/not-there" }, STANDDOWN_NONE },
		{ { "@/dir" }, STANDDOWN_NONE },
		{ { "@/fifo" }, STANDDOWN_NONE },
		{ { "@/empty" }, STANDDOWN_NONE },
		{ { "@/short" }, STANDDOWN_NONE },
		{ { "@/binary" }, STANDDOWN_NONE },
		{ { "@/nohead" }, STANDDOWN_NONE },
		{ { "@/far.sh" }, STANDDOWN_NONE },
		{ { "@/plain.sh", "numactlx", "/a/numactl_b", "taskset-c" }, STANDDOWN_NONE },
		{ { "/bin/true", "--help" }, STANDDOWN_NONE },
		{ { "sh" }, STANDDOWN_NONE },
		{ { "sh", "" }, STANDDOWN_NONE },
		{ { "bash", "@/plain.sh" }, STANDDOWN_NONE },
		{ { "bash", "-c", "./app" }, STANDDOWN_NONE },
		/* Not a shell: its argument is data. */
		{ { "cat", "@/binds.sh" }, STANDDOWN_NONE },
		{ { "env", "A=1", "@/plain.sh" }, STANDDOWN_NONE },
		{ { "@/cores.sh" }, STANDDOWN_NONE },
		{ { "bash", "@/plain.sh", "@/binds.sh" }, STANDDOWN_NONE },
	};

	(void)state;
	CHECK_COMMANDS(rows, NULL);
}

static void a_command_that_binds_by_itself_is_left_alone(void **state)
{
	static const struct command_row rows[] = {
		{ { "numactl", "-C", "0", "./app" }, STANDDOWN_TOOL },
		{ { "/usr/bin/taskset", "1", "./app" }, STANDDOWN_TOOL },
		{ { "env", "A=B", "numactl", "./app" }, STANDDOWN_TOOL },
		{ { "time", "/opt/bin/likwid-pin", "./app" }, STANDDOWN_TOOL },
		{ { "sh", "-c", "exec numactl ./app" }, STANDDOWN_TOOL },
		{ { "sh", "-c", "(taskset 1 ./app)" }, STANDDOWN_TOOL },
		{ { "@/binds.sh" }, STANDDOWN_TOOL },
		{ { "@/path.sh" }, STANDDOWN_TOOL },
		{ { "@/end.sh" }, STANDDOWN_TOOL },
		{ { "@/quoted.sh" }, STANDDOWN_TOOL },
		{ { "@/near.sh" }, STANDDOWN_TOOL },
		{ { "binds.sh" }, STANDDOWN_TOOL }, /* found in PATH */
		{ { "bash", "@/binds.sh" }, STANDDOWN_TOOL },
		{ { "/bin/sh", "@/nohead", "a" }, STANDDOWN_TOOL },
		{ { "bash", "-l", "@/binds.sh" }, STANDDOWN_TOOL },
		{ { "bash", "-e", "-u", "@/nohead" }, STANDDOWN_TOOL },
		{ { "env", "A=1", "@/binds.sh" }, STANDDOWN_TOOL },
		{ { "/usr/bin/env", "-u", "B", "bash", "@/nohead" }, STANDDOWN_TOOL },
		{ { "timeout", "-k", "5", "60", "@/binds.sh", "x" }, STANDDOWN_TOOL },
		{ { "bash", "-o", "pipefail", "@/binds.sh" }, STANDDOWN_TOOL },
		{ { "python3", "@/nohead" }, STANDDOWN_TOOL },
		{ { "sh", "-c", "exec @/binds.sh" }, STANDDOWN_TOOL },
		{ { "@/places.sh" }, STANDDOWN_PLACES },
	};

	(void)state;
	CHECK_COMMANDS(rows, NULL);
}

static void an_empty_part_of_path_is_the_folder_one_is_in(void **state)
{
	static const char *const paths[] = { "PATH=", "PATH=:/nowhere", "PATH=/nowhere::/bin",
					     "PATH=/nowhere:" };
	char file[] = "binds.sh", *argv[] = { file, NULL };
	int here = open(".", O_RDONLY | O_DIRECTORY);

	(void)state;
	assert_true(here >= 0);
	assert_int_equal(chdir(folder), 0);
	for (size_t i = 0; i < COUNT(paths); i++) {
		char text[64], *env[] = { text, NULL };
		struct arena a = UNIT_ARENA;

		strcpy(text, paths[i]);
		if (standdown_command(NULL, file, argv, env, &a) != STANDDOWN_TOOL)
			fail_msg("%s: the script was not found", paths[i]);
		arena_free(&a);
	}
	assert_int_equal(fchdir(here), 0);
	close(here);
}

static void a_shell_finds_its_script_where_it_is(void **state)
{
	char shell[] = "bash", option[] = "-e", script[] = "nohead", none[] = "PATH=/nowhere";
	char *argv[] = { shell, option, script, NULL }, *env[] = { none, NULL };
	int here = open(".", O_RDONLY | O_DIRECTORY);
	struct arena a = UNIT_ARENA;

	(void)state;
	assert_true(here >= 0);
	assert_int_equal(standdown_command(NULL, shell, argv, env, &a), STANDDOWN_NONE);
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(standdown_command(NULL, shell, argv, env, &a), STANDDOWN_TOOL);
	assert_int_equal(fchdir(here), 0);
	close(here);
	arena_free(&a);
}

static void the_sites_deny_list_comes_first(void **state)
{
	static const struct command_row rows[] = {
		{ { "abc" }, STANDDOWN_NONE },
		{ { "app.x" }, STANDDOWN_NONE },
		{ { "cat", "app" }, STANDDOWN_NONE },
		{ { "app" }, STANDDOWN_DENIED },
		{ { "/opt/bin/app" }, STANDDOWN_DENIED },
		{ { "numactl", "app" }, STANDDOWN_DENIED },
		{ { "nice", "/opt/bin/app" }, STANDDOWN_DENIED },
		{ { "sh", "-c", "cd /tmp; ./app x" }, STANDDOWN_DENIED },
	};

	(void)state;
	CHECK_COMMANDS(rows, "app numactl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_environment_that_asks_for_nothing_is_placed),
		cmocka_unit_test(the_users_own_wish_is_followed),
		cmocka_unit_test(a_binding_that_leaked_from_an_outer_job_is_not_this_ranks),
		cmocka_unit_test(gpus_count_when_the_launcher_gave_this_rank_its_own),
		cmocka_unit_test(a_tool_is_known_by_its_whole_name),
		cmocka_unit_test(every_reason_has_its_words),
		cmocka_unit_test(a_command_without_a_tool_is_placed),
		cmocka_unit_test(a_command_that_binds_by_itself_is_left_alone),
		cmocka_unit_test(an_empty_part_of_path_is_the_folder_one_is_in),
		cmocka_unit_test(a_shell_finds_its_script_where_it_is),
		cmocka_unit_test(the_sites_deny_list_comes_first),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
