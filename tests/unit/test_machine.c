#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>

#include "core/machine.h"

/* --- machines from shapes ------------------------------------------------- */

/* Cores are counted through the nodes; second threads follow all first ones. */
struct shape {
	unsigned int nodes, cores, smt, llc; /* cores a node; cores an LLC */
	unsigned int near, per_package;      /* distance in a package, nodes in one */
	unsigned int far;
	bool ring; /* far, but 31 to the node across */
};

static unsigned int shape_distance(const struct shape *s, unsigned int i, unsigned int j)
{
	if (i == j)
		return 10;
	if (s->ring && (i + 2) % 4 == j)
		return 31;
	return s->per_package && i / s->per_package == j / s->per_package ? s->near : s->far;
}

static void make(struct machine *m, struct arena *a, const struct shape *s)
{
	unsigned int total = s->nodes * s->cores, ncpus = total * s->smt;
	unsigned int *core = arena_array(a, ncpus, sizeof(*core));
	unsigned int *llc = arena_array(a, ncpus, sizeof(*llc));
	unsigned int *d = arena_array(a, s->nodes * s->nodes, sizeof(*d));
	struct machine_node *nodes = arena_array(a, s->nodes, sizeof(*nodes));
	struct machine_raw raw = {
		.nnodes = s->nodes, .nodes = nodes,   .distances = d,
		.core_of = core,    .llc_of = llc,    .ncpus = ncpus,
	};

	for (unsigned int i = 0; i < s->nodes; i++) {
		nodes[i].os = i;
		assert_int_equal(cpus_init(&nodes[i].cpus, a, ncpus), 0);
		for (unsigned int j = 0; j < s->nodes; j++)
			d[i * s->nodes + j] = shape_distance(s, i, j);
	}
	for (unsigned int n = 0; n < ncpus; n++) {
		core[n] = n % total;
		llc[n] = n % total / s->llc;
		cpus_add(&nodes[n % total / s->cores].cpus, n);
	}
	assert_int_equal(machine_finish(m, a, &raw), 0);
}

static void views_are_those_of_the_published_machines(void **state)
{
	static const struct {
		const char *name;
		struct shape shape;
		unsigned int package, llc, spans[2], distances[2];
		unsigned int crosses; /* levels */
	} rows[] = {
		{ "2x20c SMT2", { 2, 20, 2, 20, .far = 21 }, 40, 40, { 80 }, { 21 }, 1 },
		{ "Zen3 NPS1", { 2, 64, 2, 8, .far = 32 }, 128, 16, { 256 }, { 32 }, 0 },
		{ "Zen3 NPS2", { 4, 32, 2, 8, 12, 2, 32, false }, 64, 16,
		  { 128, 256 }, { 12, 32 }, 1 },
		{ "Zen3 NPS4", { 8, 16, 2, 8, 12, 4, 32, false }, 32, 16,
		  { 128, 256 }, { 12, 32 }, 1 },
		{ "2x8", { 2, 8, 1, 8, .far = 20 }, 8, 8, { 16 }, { 20 }, 1 },
		{ "2x4", { 2, 4, 1, 4, .far = 20 }, 4, 4, { 8 }, { 20 }, 1 },
		{ "2x8, LLC of both nodes", { 2, 8, 1, 16, .far = 20 }, 8, 8, { 16 }, { 20 }, 1 },
		{ "2x8, two LLCs a node", { 2, 8, 1, 4, .far = 20 }, 8, 4, { 16 }, { 20 }, 1 },
		{ "4S ring 32c", { 4, 32, 2, 32, .far = 21, .ring = true }, 64, 64, { 192, 256 },
		  { 21, 31 }, 1 },
		{ "4S mesh 32c", { 4, 32, 2, 32, .far = 21 }, 64, 64, { 256 }, { 21 }, 1 },
		{ "4S ring 28c", { 4, 28, 2, 28, .far = 21, .ring = true }, 56, 56, { 168, 224 },
		  { 21, 31 }, 1 },
		{ "SPR 2x56c SNC4", { 8, 14, 2, 14, 12, 4, 21, false }, 28, 28,
		  { 112, 224 }, { 12, 21 }, 2 },
		{ "SPR 2x60c SNC4, package-wide LLC", { 8, 15, 2, 60, 12, 4, 21, false }, 30, 30,
		  { 120, 240 }, { 12, 21 }, 2 },
		{ "Altra clusters of 2", { 2, 80, 1, 2, .far = 20 }, 80, 2, { 160 }, { 20 }, 1 },
		{ "Altra no cluster", { 2, 80, 1, 1, .far = 20 }, 80, 1, { 160 }, { 20 }, 1 },
		{ "Altra SLC", { 2, 80, 1, 80, .far = 20 }, 80, 80, { 160 }, { 20 }, 1 },
		{ "POWER9 2x16c", { 2, 16, 4, 2, .far = 40 }, 64, 8, { 128 }, { 40 }, 0 },
		{ "POWER9 2x20c", { 2, 20, 4, 2, .far = 40 }, 80, 8, { 160 }, { 40 }, 0 },
		{ "POWER9 2x22c", { 2, 22, 4, 2, .far = 40 }, 88, 8, { 176 }, { 40 }, 0 },
		{ "9654 NPS1", { 2, 96, 2, 8, .far = 32 }, 192, 16, { 384 }, { 32 }, 0 },
		{ "9654 NPS2", { 4, 48, 2, 8, 12, 2, 32, false }, 96, 16,
		  { 192, 384 }, { 12, 32 }, 1 },
		{ "9654 NPS4", { 8, 24, 2, 8, 12, 4, 32, false }, 48, 16,
		  { 192, 384 }, { 12, 32 }, 1 },
		{ "Zen2 NPS1", { 2, 64, 2, 4, .far = 32 }, 128, 8, { 256 }, { 32 }, 0 },
		{ "one node", { 1, 8, 1, 8, .far = 20 }, 8, 8, { 0 }, { 0 }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena a = UNIT_ARENA;
		struct machine m;
		struct machine_view v;
		unsigned int levels = !!rows[i].spans[0] + !!rows[i].spans[1];

		make(&m, &a, &rows[i].shape);
		cpus_for_each(cpu, &m.usable) {
			assert_int_equal(machine_view(&m, cpu, NULL, &a, &v), 0);
			if (v.package != rows[i].package || v.llc != rows[i].llc ||
			    v.nlevels != levels)
				fail_msg("%s, cpu %u: P %u L %u levels %u", rows[i].name, cpu,
					 v.package, v.llc, v.nlevels);
			for (unsigned int j = 0; j < levels; j++) {
				assert_int_equal(v.levels[j].span, rows[i].spans[j]);
				assert_int_equal(v.levels[j].distance, rows[i].distances[j]);
				assert_int_equal(v.levels[j].crosses, j < rows[i].crosses);
			}
		}
		arena_free(&a);
	}
}

static void the_reclaim_distance_itself_is_still_crossed(void **state)
{
	static const struct shape zen = { 4, 32, 2, 8, 12, 2, 32, false };
	struct arena a = UNIT_ARENA;
	struct machine m;
	struct machine_view v;

	(void)state;
	make(&m, &a, &zen);
	m.reclaim_distance = 32;
	assert_int_equal(machine_view(&m, 0, NULL, &a, &v), 0);
	assert_true(v.levels[0].crosses && v.levels[1].crosses);
	m.reclaim_distance = 31;
	assert_int_equal(machine_view(&m, 0, NULL, &a, &v), 0);
	assert_true(v.levels[0].crosses && !v.levels[1].crosses);
	m.reclaim_distance = 10;
	assert_int_equal(machine_view(&m, 0, NULL, &a, &v), 0);
	assert_true(!v.levels[0].crosses && !v.levels[1].crosses);
	arena_free(&a);
}

static void a_view_within_a_cpuset_is_clipped_to_it(void **state)
{
	static const struct shape snc = { 8, 14, 2, 14, 12, 4, 21, false };
	static const struct {
		const char *allowed;
		unsigned int cpu;
		int error;
		unsigned int package, llc, nlevels, spans[2];
	} rows[] = {
		{ "0-3", 4, EINVAL, 0, 0, 0, { 0 } },
		{ "", 0, EINVAL, 0, 0, 0, { 0 } },
		{ "0-500", 400, EINVAL, 0, 0, 0, { 0 } },
		{ "0-3", 0, 0, 4, 4, 0, { 0 } },
		{ "0-13,112-125", 112, 0, 28, 28, 0, { 0 } },
		{ "0-13", 3, 0, 14, 14, 0, { 0 } },
		{ "0-27", 27, 0, 14, 14, 1, { 28 } },
		{ "0-13,56-57", 0, 0, 14, 14, 2, { 14, 16 } },
		{ "0-500", 223, 0, 28, 28, 2, { 112, 224 } },
	};
	struct arena a = UNIT_ARENA;
	struct machine m;

	(void)state;
	make(&m, &a, &snc);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct machine_view v;
		struct cpus allowed;
		int rc;

		assert_int_equal(cpus_init(&allowed, &a, 512), 0);
		assert_int_equal(
		    cpus_parse(&allowed, rows[i].allowed, strlen(rows[i].allowed)), 0);
		errno = 0;
		rc = machine_view(&m, rows[i].cpu, &allowed, &a, &v);
		if (rc != (rows[i].error ? -1 : 0) || errno != rows[i].error)
			fail_msg("row %zu: rc %d errno %d", i, rc, errno);
		if (rc < 0)
			continue;
		assert_int_equal(v.package, rows[i].package);
		assert_int_equal(v.llc, rows[i].llc);
		assert_int_equal(v.nlevels, rows[i].nlevels);
		for (unsigned int j = 0; j < v.nlevels; j++)
			assert_int_equal(v.levels[j].span, rows[i].spans[j]);
	}
	arena_free(&a);
}

/* --- finishing ------------------------------------------------------------ */

/* Raw nodes from lists, ended by a NULL list. */
struct raw_node {
	unsigned int os;
	const char *cpus;
};

static void set(struct cpus *c, struct arena *a, const char *list)
{
	assert_int_equal(cpus_init(c, a, 64), 0);
	assert_int_equal(cpus_parse(c, list, strlen(list)), 0);
}

static void raw_make(struct machine_raw *raw, struct arena *a, const struct raw_node *from)
{
	struct machine_node *nodes = arena_array(a, 8, sizeof(*nodes));

	memset(raw, 0, sizeof(*raw));
	raw->nodes = nodes;
	for (; from->cpus; from++, raw->nnodes++) {
		nodes[raw->nnodes].os = from->os;
		nodes[raw->nnodes].memory = true;
		set(&nodes[raw->nnodes].cpus, a, from->cpus);
	}
}

static void assert_set(const struct cpus *c, const char *list)
{
	char buf[128];

	cpus_format(c, buf, sizeof(buf));
	assert_string_equal(buf, list);
}

static void machines_that_cannot_be_are_refused(void **state)
{
	static const struct {
		struct raw_node nodes[4];
		const char *online, *isolated;
		unsigned int left_out;
		int error;
	} rows[] = {
		{ { { 0, NULL } }, NULL, "", CPUS_NONE, ENODATA },
		{ { { 0, "" }, { 1, "" } }, NULL, "", CPUS_NONE, ENODATA },
		{ { { 0, "0-3" } }, NULL, "0-3", CPUS_NONE, ENODATA },
		{ { { 0, "0-3" } }, "4-7", "", CPUS_NONE, ENODATA },
		{ { { 0, "0-3" }, { 0, "4-7" } }, NULL, "", CPUS_NONE, EINVAL },
		{ { { 3, "0-3" }, { 1, "8" }, { 3, "" } }, NULL, "", CPUS_NONE, EINVAL },
		{ { { 0, "0-3" } }, NULL, "", 0, EINVAL },
		{ { { 0, "0-3" }, { 1, "" } }, NULL, "", 1, EINVAL },
		{ { { 0, "0-3" } }, NULL, "", 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct machine_left_out gone = { rows[i].left_out, MACHINE_LEFT_OUT_NO_CPUS };
		struct arena a = UNIT_ARENA;
		struct machine_raw raw;
		struct machine m;
		int rc;

		raw_make(&raw, &a, rows[i].nodes);
		set(&raw.isolated, &a, rows[i].isolated);
		if (rows[i].online)
			set(&raw.online, &a, rows[i].online);
		raw.left_out = &gone;
		raw.nleft_out = rows[i].left_out != CPUS_NONE;
		errno = 0;
		rc = machine_finish(&m, &a, &raw);
		if (rc != (rows[i].error ? -1 : 0) || errno != rows[i].error)
			fail_msg("row %zu: rc %d errno %d", i, rc, errno);
		arena_free(&a);
	}
}

static void only_what_can_hold_a_rank_is_a_node(void **state)
{
	static const struct raw_node nodes[] = {
		{ 9, "12-15" },        { 2, "0-3" }, { 4, "" },	      { 0, "4-8" },
		{ 252, "0-3" },	       { 5, "20-21" }, { 7, "8,22-23" }, { 0, NULL },
	};
	static const unsigned int left_out[][2] = {
		{ 4, MACHINE_LEFT_OUT_NO_CPUS },
		{ 5, MACHINE_LEFT_OUT_UNUSABLE },
		{ 6, MACHINE_LEFT_OUT_UNUSABLE },
		{ 252, MACHINE_LEFT_OUT_SHARED_CPUS },
	};
	static const struct machine_left_out known = { 6, MACHINE_LEFT_OUT_UNUSABLE };
	struct arena a = UNIT_ARENA;
	struct machine_raw raw;
	struct machine m;

	(void)state;
	raw_make(&raw, &a, nodes);
	set(&raw.online, &a, "0-15,22-23,40");
	set(&raw.isolated, &a, "15,30,40");
	raw.left_out = &known;
	raw.nleft_out = 1;
	assert_int_equal(machine_finish(&m, &a, &raw), 0);
	assert_int_equal(m.nnodes, 4);
	assert_int_equal(m.nodes[0].os, 0);
	assert_set(&m.nodes[0].cpus, "4-8");
	assert_int_equal(m.nodes[1].os, 2);
	assert_set(&m.nodes[1].cpus, "0-3");
	assert_int_equal(m.nodes[2].os, 7);
	assert_set(&m.nodes[2].cpus, "22-23");
	assert_int_equal(m.nodes[3].os, 9);
	assert_set(&m.nodes[3].cpus, "12-14");
	assert_set(&m.usable, "0-8,12-14,22-23");
	assert_set(&m.isolated, "15,40");
	assert_int_equal(m.ncpus, 41);
	assert_int_equal(m.nleft_out, 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(m.left_out[i].os, left_out[i][0]);
		assert_int_equal(m.left_out[i].why, left_out[i][1]);
	}
	assert_int_equal(machine_node_of(&m, 8), 0);
	assert_int_equal(machine_node_of(&m, 15), CPUS_NONE);
	assert_int_equal(machine_node_of(&m, 9), CPUS_NONE);
	assert_int_equal(machine_node_of(&m, 1000000), CPUS_NONE);
	assert_int_equal(machine_node_by_os(&m, 9), 3);
	assert_int_equal(machine_node_by_os(&m, 252), CPUS_NONE);
	arena_free(&a);
}

static void cores_and_llcs_are_named_by_their_lowest_usable_cpu(void **state)
{
	static const struct raw_node nodes[] = { { 0, "0-3,8-11" }, { 1, "4-7" }, { 0, NULL } };
	/* Too short for cpus 8 to 11; cpu 0 is isolated. */
	static const unsigned int core[] = { 7, 7, 5, 5, 4, 4, CPUS_NONE, 6 };
	static const unsigned int llc[] = { 1, 1, 1, CPUS_NONE, 1, 1, CPUS_NONE, CPUS_NONE };
	static const unsigned int core_of[] = { CPUS_NONE, 1, 2, 2, 4, 4, 6, 7, 8, 9, 10, 11 };
	static const unsigned int llc_of[] = { CPUS_NONE, 1, 1, 3, 1, 1, 6, 6, 3, 3, 3, 3 };
	struct arena a = UNIT_ARENA;
	struct machine_raw raw;
	struct machine m;

	(void)state;
	raw_make(&raw, &a, nodes);
	set(&raw.isolated, &a, "0");
	raw.core_of = core;
	raw.llc_of = llc;
	raw.ncpus = 8;
	assert_int_equal(machine_finish(&m, &a, &raw), 0);
	assert_int_equal(m.ncpus, 12);
	for (unsigned int n = 0; n < 12; n++) {
		assert_int_equal(m.core_of[n], core_of[n]);
		assert_int_equal(m.llc_of[n], llc_of[n]);
	}
	raw.ncpus = 7; /* now 7 is no number for a core */
	errno = 0;
	assert_int_equal(machine_finish(&m, &a, &raw), -1);
	assert_int_equal(errno, EINVAL);
	arena_free(&a);
}

/* The raw nodes are 2, 0, 1; node 1 has no cpus, so that its row is dropped. */
static void impossible_distances_become_10_and_20(void **state)
{
	static const struct raw_node nodes[] = { { 2, "0-1" }, { 0, "2-3" }, { 1, "" },
						 { 0, NULL } };
	static const struct {
		unsigned int raw[9], m[4];
	} rows[] = {
		{ { 10, 0, 5, 21, 10, 5, 5, 5, 10 }, { 10, 20, 20, 10 } },
		{ { 10, 256, 5, 21, 10, 5, 5, 5, 10 }, { 10, 20, 20, 10 } },
		{ { 10, 9, 5, 21, 10, 5, 5, 5, 10 }, { 10, 20, 20, 10 } },
		{ { 10, 21, 5, 9, 10, 5, 5, 5, 10 }, { 10, 20, 20, 10 } },
		{ { 0, 21, 5, 21, 10, 5, 5, 5, 10 }, { 10, 20, 20, 10 } },
		{ { 10, 21, 0, 22, 10, 999, 1, 0, 0 }, { 10, 22, 21, 10 } },
		{ { 10, 10, 5, 255, 10, 5, 5, 5, 10 }, { 10, 255, 10, 10 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena a = UNIT_ARENA;
		struct machine_raw raw;
		struct machine m;

		raw_make(&raw, &a, nodes);
		raw.distances = rows[i].raw;
		assert_int_equal(machine_finish(&m, &a, &raw), 0);
		assert_int_equal(m.nnodes, 2);
		for (unsigned int j = 0; j < 4; j++)
			if (m.distances[j] != rows[i].m[j])
				fail_msg("row %zu entry %u: %u", i, j, m.distances[j]);
		arena_free(&a);
	}
}

/* Nodes 0 and 1 are 12 apart, node 2 is 21 from both: the kernel knows 12 and
 * 21 everywhere, so the first level of node 2 holds nothing but itself. */
static void levels_are_the_distances_of_the_whole_machine(void **state)
{
	static const struct raw_node nodes[] = { { 0, "0-3" }, { 1, "4-7" }, { 2, "8-11" },
						 { 0, NULL } };
	static const unsigned int d[] = { 10, 12, 21, 12, 10, 21, 21, 21, 10 };
	struct arena a = UNIT_ARENA;
	struct machine_raw raw;
	struct machine m;
	struct machine_view v;

	(void)state;
	raw_make(&raw, &a, nodes);
	raw.distances = d;
	assert_int_equal(machine_finish(&m, &a, &raw), 0);
	assert_int_equal(machine_view(&m, 0, NULL, &a, &v), 0);
	assert_int_equal(v.nlevels, 2);
	assert_int_equal(v.levels[0].span, 8);
	assert_int_equal(v.levels[1].span, 12);
	assert_int_equal(machine_view(&m, 8, NULL, &a, &v), 0);
	assert_int_equal(v.nlevels, 2);
	assert_int_equal(v.levels[0].span, 4);
	assert_int_equal(v.levels[1].span, 12);
	arena_free(&a);
}

static void the_reclaim_distance_follows_the_vendor(void **state)
{
	static const struct {
		const char *vendor;
		unsigned int family, distance;
	} rows[] = {
		{ NULL, 0, 30 },
		{ NULL, 25, 30 },
		{ "", 25, 30 },
		{ "GenuineIntel", 25, 30 },
		{ "AuthenticAMD", 0x16, 30 },
		{ "AuthenticAMD", 0x17, 32 },
		{ "AuthenticAMD", 0x1a, 32 },
		{ "HygonGenuine", 0x18, 32 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(machine_reclaim_distance(rows[i].vendor, rows[i].family),
				 rows[i].distance);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_are_those_of_the_published_machines),
		cmocka_unit_test(the_reclaim_distance_itself_is_still_crossed),
		cmocka_unit_test(a_view_within_a_cpuset_is_clipped_to_it),
		cmocka_unit_test(machines_that_cannot_be_are_refused),
		cmocka_unit_test(only_what_can_hold_a_rank_is_a_node),
		cmocka_unit_test(cores_and_llcs_are_named_by_their_lowest_usable_cpu),
		cmocka_unit_test(impossible_distances_become_10_and_20),
		cmocka_unit_test(levels_are_the_distances_of_the_whole_machine),
		cmocka_unit_test(the_reclaim_distance_follows_the_vendor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
