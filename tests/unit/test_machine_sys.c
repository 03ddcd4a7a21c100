#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/machine_sys.h"
#include "core/machine_text.h"
#include "tests/unit/systree.h"

#define CPU "sys/devices/system/cpu/"
#define NODE "sys/devices/system/node/"
#define HEAD "evenkeel-machine 1\n"
#define NODES HEAD "node 0 cpus 0-3\nnode 1 cpus 4-7\n"
#define DISTANCES "distance 0 10 21\ndistance 1 21 10\n"
#define LLCS "llc 0-3\nllc 4-7\n"
#define CORES "core 0-1\ncore 2-3\ncore 4-5\ncore 6-7\n"
#define RECLAIM "reclaim-distance 30\n"

/* Two nodes of two cores of two threads. */
static char *base(void)
{
	char *root = systree_new();

	systree_put(root, CPU "online", "0-7");
	systree_put(root, CPU "isolated", "");
	systree_put(root, CPU "cpu{0,2,4,6}/topology/core_cpus_list", "{+0}-{+1}");
	systree_put(root, CPU "cpu{1,3,5,7}/topology/core_cpus_list", "{-1}-{+0}");
	systree_put(root, CPU "cpu{0-7}/cache/index0/level", "1");
	systree_put(root, CPU "cpu{0-7}/cache/index0/type", "Data");
	systree_put(root, CPU "cpu{0-7}/cache/index0/shared_cpu_list", "{+0}");
	systree_put(root, CPU "cpu{0-7}/cache/index1/level", "3");
	systree_put(root, CPU "cpu{0-7}/cache/index1/type", "Unified");
	systree_put(root, CPU "cpu{0-3}/cache/index1/shared_cpu_list", "0-3");
	systree_put(root, CPU "cpu{4-7}/cache/index1/shared_cpu_list", "4-7");
	systree_put(root, NODE "online", "0-1");
	systree_put(root, NODE "has_memory", "0-1");
	systree_put(root, NODE "node0/cpulist", "0-3");
	systree_put(root, NODE "node1/cpulist", "4-7");
	systree_put(root, NODE "node0/distance", "10 21");
	systree_put(root, NODE "node1/distance", "21 10");
	return root;
}

/* path with content NULL: deleted. */
struct change {
	const char *path, *content;
};

static char *changed(const struct change *c, size_t n)
{
	char *root = base();

	for (size_t i = 0; i < n && c[i].path; i++)
		if (c[i].content)
			systree_put(root, c[i].path, c[i].content);
		else
			systree_delete(root, c[i].path);
	return root;
}

static void trees_the_kernel_cannot_have_written_are_refused(void **state)
{
	static const struct {
		struct change change[3];
		int error;
	} rows[] = {
		{ { { "sys", NULL } }, ENOENT },
		{ { { NODE "", NULL }, { CPU "online", NULL } }, ENOENT },
		{ { { NODE "", NULL }, { CPU "online", "" } }, ENODATA },
		{ { { CPU "online", "all" } }, EINVAL },
		{ { { CPU "online", "0-99999" } }, EINVAL },
		{ { { CPU "isolated", "4-" } }, EINVAL },
		{ { { NODE "online", "zero" } }, EINVAL },
		{ { { NODE "online", "0-2000" } }, EINVAL },
		{ { { NODE "node1/cpulist", "4..7" } }, EINVAL },
		{ { { NODE "node1/cpulist", "7-4" } }, EINVAL },
		{ { { CPU "online", "8" } }, ENODATA },
		{ { { CPU "isolated", "0-7" } }, ENODATA },
		{ { { NODE "online", "" } }, ENODATA },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *root = changed(rows[i].change, 3);
		struct arena a = UNIT_ARENA;
		struct machine m;
		int rc;

		errno = 0;
		rc = machine_sys_read(&m, &a, root);
		if (rc != -1 || errno != rows[i].error)
			fail_msg("row %zu: rc %d errno %d", i, rc, errno);
		systree_free(root);
		arena_free(&a);
	}
}

static void trees_are_read_with_defaults_for_what_is_missing_or_broken(void **state)
{
	static const struct {
		struct change change[7];
		const char *text;
	} rows[] = {
		{ { { NULL, NULL } }, NODES DISTANCES LLCS CORES RECLAIM },
		/* Nodes. */
		{ { { NODE "", NULL } },
		  HEAD "node 0 cpus 0-7\ndistance 0 10\n" LLCS CORES RECLAIM },
		{ { { CPU "online", NULL } }, NODES DISTANCES LLCS CORES RECLAIM },
		{ { { CPU "isolated", NULL } }, NODES DISTANCES LLCS CORES RECLAIM },
		{ { { CPU "isolated", "1,4-5,90" } },
		  HEAD "node 0 cpus 0,2-3\nnode 1 cpus 6-7\n" DISTANCES
		       "llc 0,2-3\nllc 6-7\ncore 2-3\ncore 6-7\nisolated 1,4-5\n" RECLAIM },
		{ { { CPU "isolated", "4-7" } },
		  HEAD "node 0 cpus 0-3\nleft-out 1 unusable\ndistance 0 10\nllc 0-3\ncore 0-1\n"
		       "core 2-3\nisolated 4-7\n" RECLAIM },
		{ { { NODE "node1/cpulist", "" } },
		  HEAD "node 0 cpus 0-3\nleft-out 1 no-cpus\ndistance 0 10\nllc 0-3\ncore 0-1\n"
		       "core 2-3\n" RECLAIM },
		{ { { NODE "node1/cpulist", NULL } },
		  HEAD "node 0 cpus 0-3\nleft-out 1 no-cpus\ndistance 0 10\nllc 0-3\ncore 0-1\n"
		       "core 2-3\n" RECLAIM },
		{ { { NODE "node1/cpulist", "0-3" } },
		  HEAD "node 0 cpus 0-3\nleft-out 1 shared-cpus\ndistance 0 10\nllc 0-3\ncore 0-1\n"
		       "core 2-3\n" RECLAIM },
		/* Memory. */
		{ { { NODE "has_memory", "1" } },
		  HEAD "node 0 cpus 0-3 no-memory\nnode 1 cpus 4-7\n" DISTANCES LLCS CORES
		  RECLAIM },
		{ { { NODE "has_memory", NULL } }, NODES DISTANCES LLCS CORES RECLAIM },
		{ { { NODE "has_memory", NULL },
		    { NODE "node0/meminfo", "Node 0 MemTotal:       16384 kB\\nNode 0 MemFree: 0" },
		    { NODE "node1/meminfo", "\\nNode 1 MemTotal:       0 kB" } },
		  HEAD "node 0 cpus 0-3\nnode 1 cpus 4-7 no-memory\n" DISTANCES LLCS CORES
		  RECLAIM },
		/* Distances. */
		{ { { NODE "node1/distance", NULL } },
		  NODES "distance 0 10 20\ndistance 1 20 10\n" LLCS CORES RECLAIM },
		{ { { NODE "node1/distance", "21" } },
		  NODES "distance 0 10 20\ndistance 1 20 10\n" LLCS CORES RECLAIM },
		{ { { NODE "node1/distance", "21 10 5" } },
		  NODES "distance 0 10 20\ndistance 1 20 10\n" LLCS CORES RECLAIM },
		{ { { NODE "node0/distance", "10 far" } },
		  NODES "distance 0 10 20\ndistance 1 20 10\n" LLCS CORES RECLAIM },
		{ { { NODE "node0/distance", "10 4294967306" } },
		  NODES "distance 0 10 20\ndistance 1 20 10\n" LLCS CORES RECLAIM },
		/* Cores. */
		{ { { CPU "cpu0/topology", NULL }, { CPU "cpu1/topology", NULL } },
		  NODES DISTANCES LLCS "core 2-3\ncore 4-5\ncore 6-7\n" RECLAIM },
		{ { { CPU "cpu0/topology/core_cpus_list", NULL },
		    { CPU "cpu0/topology/thread_siblings_list", "0-1" } },
		  NODES DISTANCES LLCS "core 0-1\n" RECLAIM },
		{ { { CPU "cpu{0-1}/topology/core_cpus_list", "?" } },
		  NODES DISTANCES LLCS "core 2-3\ncore 4-5\ncore 6-7\n" RECLAIM },
		/* Caches: none, none above level 1, level 2, an instruction cache, level 4. */
		{ { { CPU "cpu{4-7}/cache/index1/shared_cpu_list", "4-5" },
		    { CPU "cpu{6-7}/cache/index1/shared_cpu_list", "6-7" } },
		  NODES DISTANCES "llc 0-3\nllc 4-5\nllc 6-7\n" CORES RECLAIM },
		{ { { CPU "cpu0/cache", NULL },
		    { CPU "cpu1/cache", NULL },
		    { CPU "cpu2/cache", NULL },
		    { CPU "cpu3/cache", NULL } },
		  NODES DISTANCES LLCS CORES RECLAIM },
		{ { { CPU "cpu{0-7}/cache/index1/level", "1" } },
		  NODES DISTANCES "llc 0-1\nllc 2-3\nllc 4-5\nllc 6-7\n" CORES RECLAIM },
		{ { { CPU "cpu{0-7}/cache/index1/level", "2" } },
		  NODES DISTANCES LLCS CORES RECLAIM },
		{ { { CPU "cpu{0-7}/cache/index1/level", "three" } },
		  NODES DISTANCES "llc 0-1\nllc 2-3\nllc 4-5\nllc 6-7\n" CORES RECLAIM },
		{ { { CPU "cpu{0-3}/cache/index2/level", "2" },
		    { CPU "cpu{0-3}/cache/index2/type", "Unified" },
		    { CPU "cpu{0-3}/cache/index2/shared_cpu_list", "{+0}" } },
		  NODES DISTANCES LLCS CORES RECLAIM },
		{ { { CPU "cpu{0-7}/cache/index0/level", "2" },
		    { CPU "cpu{0-7}/cache/index1/type", "Instruction" } },
		  NODES DISTANCES "llc 0\nllc 1\nllc 2\nllc 3\nllc 4\nllc 5\nllc 6\nllc 7\n" CORES
		  RECLAIM },
		{ { { CPU "cpu{0-7}/cache/index0/level", "4" },
		    { CPU "cpu{0-7}/cache/index0/type", "Unified" },
		    { CPU "cpu{0-7}/cache/index0/shared_cpu_list", "0-7" } },
		  NODES DISTANCES LLCS CORES RECLAIM },
		/* A cache that the firmware says spans the nodes; clipping is the view's. */
		{ { { CPU "cpu{0-7}/cache/index1/shared_cpu_list", "0-7" } },
		  NODES DISTANCES "llc 0-7\n" CORES RECLAIM },
		{ { { CPU "cpu{0-7}/cache/index1/shared_cpu_list", "x" } },
		  NODES DISTANCES LLCS CORES RECLAIM },
		/* A cluster counts where there is no L3. */
		{ { { CPU "cpu{0-7}/topology/cluster_cpus_list", "0-7" } },
		  NODES DISTANCES LLCS CORES RECLAIM },
		{ { { CPU "cpu{0-7}/cache/index1/level", "1" },
		    { CPU "cpu{0-3}/topology/cluster_cpus_list", "0-3" },
		    { CPU "cpu{4-7}/topology/cluster_cpus_list", "{+0}" } },
		  NODES DISTANCES "llc 0-3\nllc 4-5\nllc 6-7\n" CORES RECLAIM },
		/* The vendor. */
		{ { { "proc/cpuinfo", "vendor_id\t: AuthenticAMD\\ncpu family\t: 23" } },
		  NODES DISTANCES LLCS CORES "reclaim-distance 32\n" },
		{ { { "proc/cpuinfo", "vendor_id\t: AuthenticAMD\\ncpu family\t: 22" } },
		  NODES DISTANCES LLCS CORES RECLAIM },
		{ { { "proc/cpuinfo", "vendor_id\t: HygonGenuine\\ncpu family\t: 24" } },
		  NODES DISTANCES LLCS CORES "reclaim-distance 32\n" },
		{ { { "proc/cpuinfo", "vendor_id\t: AuthenticAMDAuthAMD\\ncpu family\t: 23" } },
		  NODES DISTANCES LLCS CORES RECLAIM },
		{ { { "proc/cpuinfo", "processor\t: 0\\ncpu\t\t: POWER10 (architected)" } },
		  NODES DISTANCES LLCS CORES "reclaim-distance 10\n" },
		{ { { "proc/cpuinfo", "cpu family" } }, NODES DISTANCES LLCS CORES RECLAIM },
		/* The quota. */
		{ { { "proc/self/cgroup", "0::/" }, { "sys/fs/cgroup/cpu.max", "300000 100000" } },
		  NODES DISTANCES LLCS CORES RECLAIM "quota 3\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *root = changed(rows[i].change, 7), buf[1024];
		struct arena a = UNIT_ARENA;
		struct machine m;

		if (machine_sys_read(&m, &a, root) < 0)
			fail_msg("row %zu: errno %d", i, errno);
		machine_text_write(&m, buf, sizeof(buf));
		if (strcmp(buf, rows[i].text) != 0)
			fail_msg("row %zu: %s", i, buf);
		systree_free(root);
		arena_free(&a);
	}
}

/* /proc/cpuinfo of a large host has megabytes. */
static void a_long_cpuinfo_does_not_hide_the_vendor(void **state)
{
	char *root = base(), *info = malloc(15000);

	(void)state;
	assert_non_null(info);
	memset(info, 'f', 14999);
	info[14999] = '\0';
	memcpy(info, "vendor_id : AuthenticAMD\\ncpu family : 25\\nflags : ", 50);
	systree_put(root, "proc/cpuinfo", info);
	assert_int_equal(machine_sys_reclaim_distance(root), 32);
	free(info);
	systree_free(root);
}

static void numbers_with_holes_and_beyond_1024_are_read(void **state)
{
	struct arena a = UNIT_ARENA;
	char *root = systree_new(), buf[512];
	struct machine m;

	(void)state;
	systree_put(root, CPU "online", "0,5,1100,8191");
	systree_put(root, NODE "online", "3,900");
	systree_put(root, NODE "node3/cpulist", "0,1100");
	systree_put(root, NODE "node900/cpulist", "5,8191");
	systree_put(root, NODE "node3/distance", "10 17");
	systree_put(root, NODE "node900/distance", "17 10");
	systree_put(root, CPU "cpu{0,1100}/topology/core_cpus_list", "0,1100");
	assert_int_equal(machine_sys_read(&m, &a, root), 0);
	machine_text_write(&m, buf, sizeof(buf));
	assert_string_equal(buf, HEAD "node 3 cpus 0,1100\nnode 900 cpus 5,8191\n"
				      "distance 3 10 17\ndistance 900 17 10\n"
				      "llc 0,1100\nllc 5,8191\ncore 0,1100\n" RECLAIM);
	systree_free(root);
	arena_free(&a);
}

static void the_isolated_set_is_read_alone(void **state)
{
	char *root = base();
	struct arena a = UNIT_ARENA;
	struct cpus c;

	(void)state;
	systree_put(root, CPU "isolated", "x");
	errno = 0;
	assert_int_equal(machine_sys_isolated(&c, &a, root), -1);
	assert_int_equal(errno, EINVAL);
	systree_delete(root, CPU "isolated");
	assert_int_equal(machine_sys_isolated(&c, &a, root), 0);
	assert_true(cpus_empty(&c));
	systree_put(root, CPU "isolated", "3,2000");
	assert_int_equal(machine_sys_isolated(&c, &a, root), 0);
	assert_int_equal(cpus_count(&c), 2);
	assert_true(cpus_has(&c, 2000));
	systree_free(root);
	arena_free(&a);
}

static void a_root_longer_than_any_path_is_refused(void **state)
{
	struct arena a = UNIT_ARENA;
	char *root = malloc(10000);
	struct machine m;

	(void)state;
	assert_non_null(root);
	memset(root, '/', 9999);
	root[9999] = '\0';
	errno = 0;
	assert_int_equal(machine_sys_read(&m, &a, root), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_int_equal(machine_sys_reclaim_distance(root), 30);
	free(root);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees_the_kernel_cannot_have_written_are_refused),
		cmocka_unit_test(trees_are_read_with_defaults_for_what_is_missing_or_broken),
		cmocka_unit_test(a_long_cpuinfo_does_not_hide_the_vendor),
		cmocka_unit_test(numbers_with_holes_and_beyond_1024_are_read),
		cmocka_unit_test(the_isolated_set_is_read_alone),
		cmocka_unit_test(a_root_longer_than_any_path_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
