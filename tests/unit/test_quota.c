#include "tests/unit/unit.h"

#include "core/quota.h"
#include "tests/unit/systree.h"

#define CGROUP "proc/self/cgroup"
#define FS "sys/fs/cgroup/"

static void the_smallest_quota_on_the_way_up_counts(void **state)
{
	static const struct {
		const char *files[8]; /* path, content, ... */
		unsigned int cpus;
	} rows[] = {
		{ { NULL }, 0 },
		{ { CGROUP, "" }, 0 },
		{ { CGROUP, "garbage\n::\n0:\n0::\n0::x\n:::::" }, 0 },
		{ { CGROUP, "0::/a" }, 0 },
		{ { CGROUP, "0::/a", FS "a/cpu.max", "max 100000" }, 0 },
		{ { CGROUP, "0::/a", FS "a/cpu.max", "" }, 0 },
		{ { CGROUP, "0::/a", FS "a/cpu.max", "200000" }, 0 },
		{ { CGROUP, "0::/a", FS "a/cpu.max", "200000 0" }, 0 },
		{ { CGROUP, "0::/a", FS "a/cpu.max", "x 100000" }, 0 },
		{ { CGROUP, "0::/a", FS "a/cpu.max", "99999999999999999999999999 1" }, 0 },
		{ { CGROUP, "0::/a", FS "a/cpu.max", "200000 100000" }, 2 },
		{ { CGROUP, "0::/a", FS "a/cpu.max", "200001 100000" }, 3 },
		{ { CGROUP, "0::/a", FS "a/cpu.max", "1000 100000" }, 1 },
		/* The root of a container is a cgroup too. */
		{ { CGROUP, "0::/", FS "cpu.max", "150000 100000" }, 2 },
		{ { CGROUP, "0::/a/b/c", FS "a/cpu.max", "500000 100000", FS "a/b/c/cpu.max",
		    "max 100000" },
		  5 },
		{ { CGROUP, "0::/a/b", FS "a/cpu.max", "300000 100000", FS "a/b/cpu.max",
		    "400000 100000" },
		  3 },
		{ { CGROUP, "0::/a/b", FS "a/cpu.max", "400000 100000", FS "a/b/cpu.max",
		    "300000 100000" },
		  3 },
		/* What is not mounted here is passed over. */
		{ { CGROUP, "0::/docker/123", FS "cpu.max", "700000 100000" }, 7 },
		{ { CGROUP, "0::/../../x", FS "cpu.max", "700000 100000", "sys/x/cpu.max",
		    "100000 100000" },
		  7 },
		{ { CGROUP, "4:cpu,cpuacct:/j\\n2:cpuset:/k", FS "cpu/j/cpu.cfs_quota_us", "-1",
		    FS "cpu/j/cpu.cfs_period_us", "100000" },
		  0 },
		{ { CGROUP, "4:cpu,cpuacct:/j\\n2:cpuset:/k", FS "cpu/j/cpu.cfs_quota_us", "250000",
		    FS "cpu/j/cpu.cfs_period_us", "100000" },
		  3 },
		{ { CGROUP, "4:cpu,cpuacct:/j\\n0::/", FS "cpu,cpuacct/cpu.cfs_quota_us", "50000",
		    FS "cpu,cpuacct/cpu.cfs_period_us", "100000" },
		  1 },
		{ { CGROUP, "4:cpuset,cpuacct:/j", FS "cpu/j/cpu.cfs_quota_us", "250000",
		    FS "cpu/j/cpu.cfs_period_us", "100000" },
		  0 },
		{ { CGROUP, "3:cpu:/j\\n0::/u", FS "cpu/j/cpu.cfs_quota_us", "250000",
		    FS "cpu/j/cpu.cfs_period_us", "100000", FS "u/cpu.max", "200000 100000" },
		  2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena a = UNIT_ARENA;
		char *root = systree_new();
		unsigned int cpus = 99;

		for (unsigned int j = 0; j < 8 && rows[i].files[j]; j += 2)
			systree_put(root, rows[i].files[j], rows[i].files[j + 1]);
		assert_int_equal(quota_read(&cpus, &a, root), 0);
		if (cpus != rows[i].cpus)
			fail_msg("row %zu: %u cpus", i, cpus);
		systree_free(root);
		arena_free(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_smallest_quota_on_the_way_up_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
