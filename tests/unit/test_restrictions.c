/* What a job gets where it may not use everything: cpusets, batch systems,
 * containers, odd machines, threads. Each row stands for a report from the
 * field, whose number it bears (letters: C containers and batch systems, F spawn, G
 * hybrid and self-pinning programs, H topology; A and B are other jobs and uneven
 * nodes), and is a test of its own.
 *
 * Options and widths come from variables, as a rank's do.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "core/machine_sys.h"
#include "core/options.h"
#include "core/plan.h"
#include "shim/standdown.h"
#include "tests/unit/systree.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define NODES_MAX 16

#define ONE_NODE "at most one node"
#define LONE "lone rank"

static const struct row {
	const char *report, *what;
	const char *machine; /* tests/machines/NAME.sys */
	const char *cpus;    /* allowed; NULL = all */
	unsigned int nranks;
	const char *env[4];
	unsigned int busy[NODES_MAX];
	const char *counts; /* ranks counted at each node */
	const char *masks;  /* RANK:LIST ..., of some ranks */
	bool crowded;
	const char *why; /* in the text of why nothing is asked for; NULL = placed */
} rows[] = {
	/* --- C: cgroups, cpusets, batch systems, containers */
	{ "C30", "half cores: one thread of each", "two-20c-smt2", "0-39", 4, { NULL }, { 0 },
	  "2,2", "0:0-19 1:0-19 2:20-39 3:20-39", false, NULL },
	{ "C30", "half cores: a slice is whole cores as far as they are there", "two-20c-smt2",
	  "0-39", 4, { "OMP_PROC_BIND=true", "OMP_NUM_THREADS=10" }, { 0 }, "2,2",
	  "0:0-9 1:10-19 2:20-29 3:30-39", false, NULL },
	{ "C30", "first threads of one node, second threads of the other", "two-20c-smt2",
	  "0-19,60-79", 2, { NULL }, { 0 }, "1,1", "0:0-19 1:60-79", false, NULL },
	{ "C31", "more ranks than cpus are spread, not refused", "two-8", "2,9", 6,
	  { "EVENKEEL_WIDTH=1" }, { 0 }, "3,3", "0:2 5:9", true, NULL },
	{ "C31", "3 cpus of node 0 and 8 of node 1: a rank each", "two-8", "0-2,8-15", 11,
	  { "EVENKEEL_WIDTH=1" }, { 0 }, "3,8", "2:0-2 3:8-15", false, NULL },
	{ "C31", "3 and 8 cpus: ranks that may be threaded", "two-8", "0-2,8-15", 4, { NULL },
	  { 0 }, "1,3", "0:0-2 1:8-15 3:8-15", false, NULL },
	{ "C31", "3 and 8 cpus: a rank of four threads fits the second only", "two-8", "0-2,8-15",
	  2, { "OMP_NUM_THREADS=4" }, { 0 }, "0,2", "0:8-15 1:8-15", false, NULL },
	{ "C31", "3 and 8 cpus: twice as many ranks, in proportion", "two-8", "0-2,8-15", 22,
	  { "EVENKEEL_WIDTH=1" }, { 0 }, "6,16", "5:0-2 6:8-15", true, NULL },
	{ "C31", "a cpu quota is all that there is", "two-4-quota", NULL, 8,
	  { "EVENKEEL_WIDTH=1" }, { 0 }, "4,4", "0:0-3 7:4-7", true, NULL },
	{ "C31", "a cpu quota that suffices", "two-4-quota", NULL, 4, { "EVENKEEL_WIDTH=1" },
	  { 0 }, "2,2", "0:0-3 3:4-7", false, NULL },
	{ "C31", "a cpu quota that the threads exceed", "two-4-quota", NULL, 2,
	  { "OMP_NUM_THREADS=4" }, { 0 }, "1,1", "0:0-3 1:4-7", true, NULL },
	{ "C32", "docker --cpuset-cpus=1,2 within one node", "two-4", "1-2", 2, { NULL }, { 0 },
	  "2,0", "0:1-2 1:1-2", false, ONE_NODE },
	{ "C32", "docker --cpuset-cpus=3,4 across the nodes", "two-4", "3-4", 2, { NULL }, { 0 },
	  "1,1", "0:3 1:4", false, NULL },
	{ "C35", "a batch system left a mask narrower than the ranks", "two-8", "0-1", 8,
	  { "EVENKEEL_WIDTH=1" }, { 0 }, "8,0", "0:0-1 7:0-1", true, ONE_NODE },
	{ "C36", "six ranks on one cpu", "two-8", "0", 6, { NULL }, { 0 }, "6,0", "0:0 5:0", true,
	  ONE_NODE },
	{ "C36", "six ranks on one cpu of each node", "two-8", "0,8", 6, { NULL }, { 0 }, "3,3",
	  "0:0 5:8", true, NULL },
	{ "C36", "one cpu, and programs that pin themselves", "two-8", "8", 2,
	  { "OMP_PROC_BIND=true" }, { 0 }, "0,2", "0:8 1:8", true, ONE_NODE },
	{ "C38", "srun has bound the daemon to half of each node", "two-8", "0-3,8-11", 4,
	  { "SLURM_CPUS_PER_TASK=2", "SLURM_CPU_BIND=none" }, { 0 }, "2,2", "0:0-3 2:8-11", false,
	  NULL },
	{ "C39", "counts come from the launcher, not from SLURM_*", "two-8", NULL, 4,
	  { "SLURM_NTASKS=64", "SLURM_TASKS_PER_NODE=64" }, { 0 }, "2,2", "0:0-7 2:8-15", false,
	  NULL },
	{ "C40", "an empty cpuset", "two-8", "", 4, { NULL }, { 0 }, "0,0", "", false, ONE_NODE },
	{ "C40", "a cpuset of cpus that the machine has not got", "two-8", "100-200", 4,
	  { "OMP_PROC_BIND=true" }, { 0 }, "0,0", "", false, ONE_NODE },
	{ "C40", "a node emptied: the others as if it were not there", "three-nodes", "0-3,8-11",
	  4, { NULL }, { 0 }, "2,0,2", "0:0-3 2:8-11", false, NULL },
	{ "C40", "a package emptied", "zen3-nps4", "64-127,192-255", 4, { NULL }, { 0 },
	  "0,0,0,0,1,1,1,1", "0:64-79,192-207 3:112-127,240-255", false, NULL },
	{ "C40", "all but one cpu of a package emptied", "zen3-nps4", "0,64-127", 5,
	  { "EVENKEEL_WIDTH=1" }, { 0 }, "1,0,0,0,1,1,1,1", "0:0 1:64-79", false, NULL },
	{ "C41", "no cpu on the node of the GPU", "two-8", "8-11", 2, { NULL }, { 0 }, "0,2",
	  "0:8-11 1:8-11", false, ONE_NODE },
	{ "C42", "cpu numbers with a hole", "holes-in-cpus", NULL, 4, { NULL }, { 0 }, "2,2",
	  "0:0-3 3:8-11", false, NULL },
	{ "C42", "cpu numbers with a hole, two of them allowed", "holes-in-cpus", "1,9", 2,
	  { NULL }, { 0 }, "1,1", "0:1 1:9", false, NULL },
	{ "C42", "node numbers with holes", "holes-in-nodes", NULL, 3, { NULL }, { 0 }, "1,1,1",
	  "0:0-1 1:2-3 2:4-5", false, NULL },
	{ "C42", "a resource set that begins in the middle", "two-20c-smt2", "36-43", 2,
	  { "EVENKEEL_WIDTH=1" }, { 0 }, "1,1", "0:40-43 1:36-39", false, NULL },
	{ "C43", "a mask with offline cpus in it", "offline", "0-15", 14, { "EVENKEEL_WIDTH=1" },
	  { 0 }, "7,7", "0:0-3,8,10-11 13:4-7,12,14-15", false, NULL },
	{ "C43", "offline cpus halve cores", "offline", "8-9,12-13", 2, { NULL }, { 0 }, "1,1",
	  "0:8 1:12", false, NULL },
	{ "C43", "nothing but offline cpus", "offline", "9,13", 2, { NULL }, { 0 }, "0,0", "",
	  false, ONE_NODE },
	{ "C44", "cpus that the container has not got", "two-8", "4,12,40-60", 2, { NULL }, { 0 },
	  "1,1", "0:4 1:12", false, NULL },
	{ "C47", "isolated cpus are given to nobody", "isolated", NULL, 6, { "EVENKEEL_WIDTH=1" },
	  { 0 }, "3,3", "0:1-3 5:4-6", false, NULL },
	{ "C47", "isolated cpus are in no slice", "isolated", NULL, 6, { "EVENKEEL_BIND=slice" },
	  { 0 }, "3,3", "0:1 1:2 2:3 3:4 4:5 5:6", false, NULL },
	{ "C47", "an isolated node", "isolated-node", NULL, 2, { NULL }, { 0 }, "2",
	  "0:0-3 1:0-3", false, ONE_NODE },
	{ "C47", "nothing but isolated cpus", "isolated", "0,7", 2, { NULL }, { 0 }, "0,0", "",
	  false, ONE_NODE },
	/* --- F: spawn */
	{ "F61", "one worker on each node, without a word", "zen3-nps4", NULL, 8, { NULL }, { 0 },
	  "1,1,1,1,1,1,1,1", "0:0-15,128-143 7:112-127,240-255", false, NULL },
	{ "F61", "a lone worker may use everything", "zen3-nps4", NULL, 1, { NULL }, { 0 },
	  "1,0,0,0,0,0,0,0", "0:0-255", false, LONE },
	{ "F62", "children go where the parents are not", "two-8", NULL, 2,
	  { "EVENKEEL_WIDTH=1" }, { 2, 0 }, "0,2", "0:8-15", false, NULL },
	{ "F62", "children beside evenly placed parents", "two-8", NULL, 2,
	  { "EVENKEEL_WIDTH=1" }, { 1, 1 }, "1,1", "0:0-7 1:8-15", false, NULL },
	{ "F62", "children that pin themselves, beside parents", "two-8", NULL, 2,
	  { "OMP_PROC_BIND=true", "OMP_NUM_THREADS=1" }, { 1, 1 }, "1,1", "0:1-7 1:9-15", false,
	  NULL },
	{ "F62", "parents fill the host", "two-8", NULL, 2, { "EVENKEEL_WIDTH=1" }, { 8, 8 },
	  "1,1", "0:0-7 1:8-15", true, NULL },
	/* --- G: hybrid programs, programs that pin themselves */
	{ "G64", "two ranks have room for their threads", "two-8", NULL, 2,
	  { "OMP_NUM_THREADS=8" }, { 0 }, "1,1", "0:0-7 1:8-15", false, NULL },
	{ "G64", "a rank wider than a node has both", "two-8", NULL, 1, { "OMP_NUM_THREADS=16" },
	  { 0 }, "1,0", "0:0-15", false, NULL },
	{ "G64", "a rank of as many threads as a node of 192", "epyc-9654-nps1", NULL, 1,
	  { "OMP_NUM_THREADS=192" }, { 0 }, "1,0", "0:0-95,192-287", false, NULL },
	{ "G64", "a rank of more threads than cpus: everything", "two-8", NULL, 2,
	  { "OMP_NUM_THREADS=64" }, { 0 }, "2,0", "0:0-15 1:0-15", true, NULL },
	{ "G65", "threads of a rank share its node", "two-8", NULL, 4, { "OMP_NUM_THREADS=4" },
	  { 0 }, "2,2", "0:0-7 1:0-7 2:8-15 3:8-15", false, NULL },
	{ "G65", "three ranks of five threads: one has to lie across", "two-8", NULL, 3,
	  { "OMP_NUM_THREADS=5" }, { 0 }, "2,1", "0:0-7 1:0-15 2:8-15", false, NULL },
	{ "G65", "nested threads: the first number counts", "two-8", NULL, 2,
	  { "OMP_NUM_THREADS=8,2" }, { 0 }, "1,1", "0:0-7 1:8-15", false, NULL },
	{ "G65", "EVENKEEL_WIDTH goes before OMP_NUM_THREADS", "two-8", NULL, 1,
	  { "EVENKEEL_WIDTH=9", "OMP_NUM_THREADS=1" }, { 0 }, "1,0", "0:0-15", false, NULL },
	{ "G65", "a wide rank has neighbouring nodes", "zen3-nps4", NULL, 4,
	  { "OMP_NUM_THREADS=64" }, { 0 }, "1,0,1,0,1,0,1,0",
	  "0:0-31,128-159 3:96-127,224-255", false, NULL },
	{ "G66", "OMP_PROC_BIND: a core for each thread", "two-8", NULL, 4,
	  { "OMP_PROC_BIND=true", "OMP_NUM_THREADS=4" }, { 0 }, "2,2",
	  "0:0-3 1:4-7 2:8-11 3:12-15", false, NULL },
	{ "G66", "OMP_PLACES=cores alone pins too", "two-8", NULL, 4,
	  { "OMP_PLACES=cores", "OMP_NUM_THREADS=4" }, { 0 }, "2,2", "0:0-3 1:4-7 3:12-15", false,
	  NULL },
	{ "G66", "KMP_AFFINITY=compact pins too", "two-8", NULL, 4,
	  { "KMP_AFFINITY=compact", "OMP_NUM_THREADS=4" }, { 0 }, "2,2", "0:0-3 3:12-15", false,
	  NULL },
	{ "G66", "OMP_PROC_BIND=false does not", "two-8", NULL, 4,
	  { "OMP_PROC_BIND=false", "OMP_PLACES=cores", "OMP_NUM_THREADS=4" }, { 0 }, "2,2",
	  "0:0-7 1:0-7 3:8-15", false, NULL },
	{ "G66", "KMP_AFFINITY=none does not", "two-8", NULL, 4, { "KMP_AFFINITY=none" }, { 0 },
	  "2,2", "0:0-7 3:8-15", false, NULL },
	{ "G66", "pinned ranks round the nodes", "two-8", NULL, 4,
	  { "OMP_PROC_BIND=spread", "EVENKEEL_ORDER=cyclic" }, { 0 }, "2,2",
	  "0:0-3 1:8-11 2:4-7 3:12-15", false, NULL },
	{ "G66", "more pinned ranks than cpus", "two-8", "0-1,8-9", 8, { "OMP_PROC_BIND=true" },
	  { 0 }, "4,4", "0:0 1:1 2:0 3:1 4:8 7:9", true, NULL },
	{ "G66", "OMP_PLACES with cpu numbers is the user's own binding", "two-8", NULL, 2,
	  { "OMP_PLACES={0:4},{8:4}" }, { 0 }, NULL, NULL, false, "OpenMP" },
	{ "G66", "GOMP_CPU_AFFINITY is the user's own binding", "two-8", NULL, 2,
	  { "GOMP_CPU_AFFINITY=0-3" }, { 0 }, NULL, NULL, false, "OpenMP" },
	{ "G67", "nodes, even for those that pin themselves, if told", "two-8", NULL, 4,
	  { "OMP_PROC_BIND=true", "EVENKEEL_BIND=node" }, { 0 }, "2,2", "0:0-7 3:8-15", false,
	  NULL },
	{ "G67", "strict, if told", "two-20c-smt2", NULL, 4,
	  { "EVENKEEL_BIND=slice", "EVENKEEL_WIDTH=20" }, { 0 }, "2,2",
	  "0:0-9,40-49 1:10-19,50-59 2:20-29,60-69 3:30-39,70-79", false, NULL },
	{ "G67", "a value that is none leaves the default", "two-8", NULL, 2,
	  { "EVENKEEL_BIND=core", "EVENKEEL_WIDTH=many" }, { 0 }, "1,1", "0:0-7 1:8-15", false,
	  NULL },
	/* --- H: odd machines */
	{ "H70", "nodes without memory are kept for their cpus", "memoryless", NULL, 4, { NULL },
	  { 0 }, "1,1,1,1", "0:0-3,16-19 1:4-7,20-23 3:12-15,28-31", false, NULL },
	{ "H70", "nodes without cpus are none", "cpuless-cxl", NULL, 4, { NULL }, { 0 }, "2,2",
	  "0:0-3 3:4-7", false, NULL },
	{ "H70", "high-bandwidth memory without cpus", "cpuless-hbm", NULL, 2, { NULL }, { 0 },
	  "1,1", "0:0-3 1:4-7", false, NULL },
	{ "H71", "two kinds of cores are one node", "hybrid-cores", NULL, 4, { NULL }, { 0 }, "4",
	  "0:0-11", false, ONE_NODE },
	{ "H72", "a node of a GPU that shares cpus", "gpu-shares-cpus", NULL, 4, { NULL }, { 0 },
	  "2,2", "0:0-3 2:4-7", false, NULL },
	{ "H74", "threads of a core stand together", "power9-16c", NULL, 4,
	  { "EVENKEEL_BIND=slice", "EVENKEEL_WIDTH=8" }, { 0 }, "2,2",
	  "0:0-31 1:32-63 2:64-95 3:96-127", false, NULL },
	{ "H74", "threads of a core stand apart", "two-1024c", NULL, 4, { "EVENKEEL_BIND=slice" },
	  { 0 }, "2,2", "0:0-255,1024-1279 3:768-1023,1792-2047", false, NULL },
	{ "H74", "nodes interleaved cpu by cpu", "two-4-interleaved", NULL, 4,
	  { "EVENKEEL_BIND=slice" }, { 0 }, "2,2", "0:0,2,8,10 1:4,6,12,14 3:5,7,13,15", false,
	  NULL },
	{ "H75", "each host by itself: 16 cpus", "two-8", NULL, 5, { NULL }, { 0 }, "3,2",
	  "2:0-7 3:8-15", false, NULL },
	{ "H75", "each host by itself: 80 cpus", "two-20c-smt2", NULL, 5, { NULL }, { 0 }, "3,2",
	  "2:0-19,40-59 3:20-39,60-79", false, NULL },
	{ "H78", "more than 1,024 cpus", "two-1024c", NULL, 4, { NULL }, { 0 }, "2,2",
	  "0:0-511,1024-1535 3:512-1023,1536-2047", false, NULL },
	{ "H78", "two cpus beyond 1,024", "two-1024c", "1030,2047", 2, { NULL }, { 0 }, "1,1",
	  "0:1030 1:2047", false, NULL },
	{ "H83", "a machine without nodes costs nothing", "no-numa", NULL, 4, { NULL }, { 0 },
	  "4", "0:0-3 3:0-3", false, ONE_NODE },
	/* --- A and B: other jobs, uneven nodes */
	{ "A1", "the second job takes the other node", "two-8", NULL, 4, { "EVENKEEL_WIDTH=1" },
	  { 4, 0 }, "0,4", "0:8-15", false, NULL },
	{ "A2", "a rank's whole width counts", "two-8", NULL, 1, { "OMP_NUM_THREADS=4" },
	  { 4, 3 }, "0,1", "0:8-15", false, NULL },
	{ "A7", "small jobs go round", "two-8", NULL, 1, { "EVENKEEL_WIDTH=1" }, { 1, 0 }, "0,1",
	  "0:8-15", false, NULL },
	{ "A8", "more ranks than free cpus is said", "two-8", NULL, 8, { "EVENKEEL_WIDTH=1" },
	  { 5, 5 }, "4,4", "0:0-7", true, NULL },
	{ "B17", "24 ranks in two blocks of 12", "two-20c-smt2", NULL, 24, { NULL }, { 0 },
	  "12,12", "11:0-19,40-59 12:20-39,60-79", false, NULL },
	{ "B19", "eight ranks are not put on the first package", "two-20c-smt2", NULL, 8,
	  { "EVENKEEL_WIDTH=1" }, { 0 }, "4,4", "3:0-19,40-59 4:20-39,60-79", false, NULL },
	{ "B27", "a lone rank on its host may use all of it", "two-20c-smt2", NULL, 1, { NULL },
	  { 0 }, "1,0", "0:0-79", false, LONE },
};

/* Machines of thousands of files are written once. */
static struct shelf {
	const char *name;
	struct machine m;
} shelf[32];
static struct arena shelf_memory = UNIT_ARENA;

static const struct machine *machine_of(const char *name)
{
	char path[512], *root;
	unsigned int i;

	for (i = 0; shelf[i].name; i++)
		if (!strcmp(shelf[i].name, name))
			return &shelf[i].m;
	assert_true(i + 1 < COUNT(shelf));
	snprintf(path, sizeof(path), MACHINES "/%s.sys", name);
	root = systree_expand(path);
	if (machine_sys_read(&shelf[i].m, &shelf_memory, root) < 0)
		fail_msg("%s cannot be read", path);
	systree_free(root);
	shelf[i].name = name;
	return &shelf[i].m;
}

static void check_counts(const struct row *row, const struct plan *p)
{
	char text[200] = "";
	size_t len = 0;

	for (unsigned int i = 0; i < p->nnodes; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u", i ? "," : "",
					p->ranks[i]);
	if (strcmp(text, row->counts))
		fail_msg("ranks per node %s, not %s", text, row->counts);
}

/* The mask that rank r gets, as the shim has it; without a request nobody is
 * given one, and the place is shown. */
static void mask_of(struct cpus *mask, const struct plan *p, struct arena *a,
		    const struct machine *m, unsigned int r, bool slice)
{
	const struct plan_place *place = plan_place_of(p, r);

	assert_non_null(place);
	*mask = place->cpus;
	if (slice && !p->why)
		assert_int_equal(plan_slice(p, a, m, r, mask), 0);
}

static void check_masks(const struct row *row, const struct plan *p, struct arena *a,
			const struct machine *m, bool slice)
{
	unsigned int r;
	char want[200], got[400];
	struct cpus mask;
	int used;

	for (const char *s = row->masks; sscanf(s, " %u:%199s%n", &r, want, &used) == 2; s += used) {
		mask_of(&mask, p, a, m, r, slice);
		cpus_format(&mask, got, sizeof(got));
		if (strcmp(got, want))
			fail_msg("rank %u has cpus %s, not %s", r, got, want);
	}
}

static void check_why(const struct row *row, const char *why)
{
	if (!row->why && why)
		fail_msg("not placed: %s", why);
	if (row->why && (!why || !strstr(why, row->why)))
		fail_msg("%s, not: %s", why ? why : "placed", row->why);
}

static void check(void **state)
{
	const struct row *row = *state;
	const struct machine *m = machine_of(row->machine);
	struct arena a = UNIT_ARENA;
	char *env[5] = { NULL };
	struct options o = { 0 };
	struct plan_request req = { .nranks = row->nranks, .busy = row->busy };
	enum standdown why;
	struct cpus allowed;
	struct plan p;

	memcpy(env, row->env, sizeof(row->env));
	options_from_env(&o, env);
	req.width = options_width(&o, env);
	req.order = o.order;
	why = standdown_env(env, NULL);
	if (why) {
		check_why(row, standdown_text(why));
		return;
	}
	assert_int_equal(cpus_init(&allowed, &a, CPUS_MAX), 0);
	if (row->cpus)
		assert_int_equal(cpus_parse(&allowed, row->cpus, strlen(row->cpus)), 0);
	assert_int_equal(plan_make(&p, &a, m, row->cpus ? &allowed : NULL, &req), 0);
	check_why(row, p.why ? plan_why_text(p.why) : NULL);
	check_counts(row, &p);
	check_masks(row, &p, &a, m, options_slice(&o, env));
	if (p.crowded != row->crowded)
		fail_msg("%scrowded", p.crowded ? "" : "not ");
	arena_free(&a);
}

static int empty_shelf(void **state)
{
	(void)state;
	arena_free(&shelf_memory);
	return 0;
}

int main(void)
{
	static char names[COUNT(rows)][160];
	struct CMUnitTest tests[COUNT(rows)];

	for (size_t i = 0; i < COUNT(rows); i++) {
		snprintf(names[i], sizeof(names[i]), "report %s: %s", rows[i].report, rows[i].what);
		tests[i] = (struct CMUnitTest){ .name = names[i], .test_func = check,
						.initial_state = (void *)&rows[i] };
	}
	return cmocka_run_group_tests(tests, NULL, empty_shelf);
}
