/* Parts of a place's cpus for ranks that pin their own threads.
 * EVENKEEL_TEST_CASES=N in the environment runs N generated cases. */
#include "tests/unit/plan_cases.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/machine_text.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define CASES 20000u

#define TWO_4 "node 0 cpus 0-3;node 1 cpus 4-7"
#define ONE_8 "node 0 cpus 0-7"
/* Siblings stand apart, as x86 firmware numbers them, and together. */
#define SMT_4 "node 0 cpus 0-3,8-11;node 1 cpus 4-7,12-15;core 0,8;core 1,9;core 2,10;" \
	      "core 3,11;core 4,12;core 5,13;core 6,14;core 7,15"
#define SMT_2 "node 0 cpus 0-3;node 1 cpus 4-7;core 0-1;core 2-3;core 4-5;core 6-7"
#define SMT4_2 "node 0 cpus 0-7;core 0-3;core 4-7"
#define HOLES "node 0 cpus 1,3,500,1500;node 1 cpus 2,2000-2002"

static const struct row {
	const char *machine;
	const char *allowed; /* NULL = all */
	unsigned int nranks, width;
	enum plan_order order;
	unsigned int busy[2];
	const char *slices; /* of the ranks in turn; '!' = EINVAL */
} rows[] = {
	/* Nobody has a place. */
	{ TWO_4, "", 2, 1, 0, { 0 }, "! !" },
	{ TWO_4, "8-100", 2, 1, 0, { 0 }, "! !" },
	/* A rank alone on its node has all of it. */
	{ TWO_4, NULL, 2, 1, 0, { 0 }, "0-3 4-7" },
	{ TWO_4, NULL, 4, 1, 0, { 0 }, "0-1 2-3 4-5 6-7" },
	{ TWO_4, NULL, 4, 1, PLAN_ORDER_CYCLIC, { 0 }, "0-1 4-5 2-3 6-7" },
	{ TWO_4, NULL, 6, 1, 0, { 0 }, "0 1 2-3 4 5 6-7" },
	{ TWO_4, NULL, 8, 1, 0, { 0 }, "0 1 2 3 4 5 6 7" },
	/* Places of different size, going round. */
	{ TWO_4, NULL, 5, 1, PLAN_ORDER_CYCLIC, { 0 }, "0 4-5 1 6-7 2-3" },
	{ TWO_4, "0,1,4-7", 6, 1, PLAN_ORDER_CYCLIC, { 0 }, "0 4 1 5 6 7" },
	/* The width may be unknown. */
	{ TWO_4, NULL, 4, 0, 0, { 0 }, "0-1 2-3 4-5 6-7" },
	/* More ranks than cpus: some share. */
	{ TWO_4, "0,4", 6, 1, 0, { 0 }, "0 0 0 4 4 4" },
	{ TWO_4, "0,1,4,5", 6, 1, 0, { 0 }, "0 1 0 4 5 4" },
	/* Whole cores. */
	{ SMT_4, NULL, 4, 2, 0, { 0 }, "0-1,8-9 2-3,10-11 4-5,12-13 6-7,14-15" },
	{ SMT_4, NULL, 8, 2, 0, { 0 }, "0,8 1,9 2,10 3,11 4,12 5,13 6,14 7,15" },
	{ SMT_2, NULL, 4, 2, 0, { 0 }, "0-1 2-3 4-5 6-7" },
	{ SMT_4, NULL, 6, 1, 0, { 0 }, "0,8 1,9 2-3,10-11 4,12 5,13 6-7,14-15" },
	/* More ranks than cores: single cpus. */
	{ SMT_2, NULL, 8, 1, 0, { 0 }, "0 1 2 3 4 5 6 7" },
	{ SMT_2, NULL, 6, 1, 0, { 0 }, "0 1 2-3 4 5 6-7" },
	{ SMT4_2, NULL, 3, 1, 0, { 0 }, "0-1 2-4 5-7" },
	{ SMT4_2, NULL, 9, 1, 0, { 0 }, "0 1 2 3 4 5 6 7 0" },
	/* Half cores, as a batch system leaves them. */
	{ SMT_4, "0-7", 4, 2, 0, { 0 }, "0-1 2-3 4-5 6-7" },
	{ SMT_4, "0,8,1,4-7", 4, 1, 0, { 0 }, "0,8 1 4-5 6-7" },
	{ SMT_4, "8-15", 4, 1, 0, { 0 }, "8-9 10-11 12-13 14-15" },
	/* Machines of one node ask for nothing, but slices can be had. */
	{ ONE_8, NULL, 4, 2, 0, { 0 }, "0-1 2-3 4-5 6-7" },
	{ ONE_8, NULL, 3, 2, 0, { 0 }, "0-1 2-4 5-7" },
	{ ONE_8, "5", 2, 1, 0, { 0 }, "5 5" },
	/* One core is passed over for each busy cpu. */
	{ TWO_4, NULL, 2, 1, 0, { 1, 1 }, "1-3 5-7" },
	{ TWO_4, NULL, 2, 3, 0, { 1, 1 }, "1-3 5-7" },
	{ TWO_4, NULL, 4, 1, 0, { 2, 2 }, "2 3 6 7" },
	{ TWO_4, NULL, 4, 1, 0, { 1, 1 }, "1 2-3 5 6-7" },
	{ SMT_4, NULL, 4, 2, 0, { 2, 2 }, "2,10 3,11 6,14 7,15" },
	{ SMT_4, "0-7", 2, 1, 0, { 3, 3 }, "3 7" },
	/* Not where the others would not do. */
	{ SMT_4, NULL, 4, 2, 0, { 3, 3 }, "0-1,8-9 2-3,10-11 4-5,12-13 6-7,14-15" },
	{ TWO_4, NULL, 8, 1, 0, { 1, 1 }, "0 1 2 3 4 5 6 7" },
	{ TWO_4, NULL, 2, 1, 0, { 4, 4 }, "0-3 4-7" },
	{ TWO_4, NULL, 2, 1, 0, { 400, 400 }, "0-3 4-7" },
	/* A rank wider than a node: its slice is cut from all its nodes. */
	{ TWO_4, NULL, 1, 6, 0, { 0 }, "0-7" },
	{ TWO_4, NULL, 1, 6, 0, { 1, 1 }, "1-3,5-7" },
	{ TWO_4, NULL, 2, 16, 0, { 0 }, "0-3 4-7" },
	{ TWO_4, NULL, 3, 16, 0, { 0 }, "0-1 2-4 5-7" },
	/* Cpu numbers have holes and pass 1,024. */
	{ HOLES, NULL, 4, 1, 0, { 0 }, "1,3 500,1500 2,2000 2001-2002" },
	{ HOLES, "3,1500,2001", 3, 1, 0, { 0 }, "3 1500 2001" },
};

static void load(struct machine *m, struct arena *a, const char *text)
{
	struct machine_text_error err;
	char whole[600];

	snprintf(whole, sizeof(whole), "evenkeel-machine 1;%s", text);
	if (machine_text_read(m, a, whole, strlen(whole), &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static void slices(const struct row *row, char *text, size_t size)
{
	struct arena a = UNIT_ARENA;
	struct plan_request req = { .nranks = row->nranks, .width = row->width,
				    .order = row->order, .busy = row->busy };
	struct cpus allowed, mask;
	struct machine m;
	struct plan p;
	size_t len = 0;

	load(&m, &a, row->machine);
	assert_int_equal(cpus_init(&allowed, &a, CPUS_MAX), 0);
	if (row->allowed)
		assert_int_equal(cpus_parse(&allowed, row->allowed, strlen(row->allowed)), 0);
	assert_int_equal(plan_make(&p, &a, &m, row->allowed ? &allowed : NULL, &req), 0);
	for (unsigned int r = 0; r < row->nranks; r++) {
		len += (size_t)snprintf(text + len, size - len, "%s", r ? " " : "");
		errno = 0;
		if (plan_slice(&p, &a, &m, r, &mask) == 0)
			len += cpus_format(&mask, text + len, size - len);
		else if (errno == EINVAL)
			len += (size_t)snprintf(text + len, size - len, "!");
		else
			fail_msg("errno %d", errno);
		assert_true(len < size);
	}
	arena_free(&a);
}

static void each_rank_has_its_own_part_of_its_nodes(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[400];

		slices(&rows[i], text, sizeof(text));
		if (strcmp(text, rows[i].slices))
			fail_msg("row %zu: %s on %s: %s, not %s", i,
				 rows[i].allowed ? rows[i].allowed : "all", rows[i].machine, text,
				 rows[i].slices);
	}
}

static void a_rank_that_the_job_has_not_got_has_no_slice(void **state)
{
	struct arena a = UNIT_ARENA;
	struct plan_request req = { .nranks = 2 };
	struct cpus mask;
	struct machine m;
	struct plan p;

	(void)state;
	load(&m, &a, TWO_4);
	for (unsigned int nranks = 0; nranks <= 2; nranks += 2) {
		req.nranks = nranks;
		assert_int_equal(plan_make(&p, &a, &m, NULL, &req), 0);
		for (unsigned int i = 0; i < 2; i++) {
			errno = 0;
			assert_int_equal(plan_slice(&p, &a, &m, i ? ~0u : nranks, &mask), -1);
			assert_int_equal(errno, EINVAL);
		}
	}
	arena_free(&a);
}

static void the_index_of_a_rank_counts_within_its_place(void **state)
{
	static const struct {
		unsigned int nranks;
		enum plan_order order;
		const char *want; /* place and index of each rank */
	} cases[] = {
		{ 1, PLAN_ORDER_BLOCK, "0:0 " },
		{ 5, PLAN_ORDER_BLOCK, "0:0 0:1 0:2 1:0 1:1 " },
		{ 5, PLAN_ORDER_CYCLIC, "0:0 1:0 0:1 1:1 0:2 " },
		{ 6, PLAN_ORDER_CYCLIC, "0:0 1:0 0:1 1:1 0:2 1:2 " },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arena a = UNIT_ARENA;
		struct plan_request req = { .nranks = cases[i].nranks, .width = 1,
					    .order = cases[i].order };
		char text[100];
		size_t len = 0;
		struct machine m;
		struct plan p;
		unsigned int index = 77;

		load(&m, &a, TWO_4);
		assert_int_equal(plan_make(&p, &a, &m, NULL, &req), 0);
		assert_null(plan_index_of(&p, cases[i].nranks, &index));
		assert_int_equal(index, 77);
		for (unsigned int r = 0; r < p.nranks; r++) {
			const struct plan_place *place = plan_index_of(&p, r, &index);

			assert_ptr_equal(place, plan_place_of(&p, r));
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%u:%u ",
						place->first, index);
		}
		if (strcmp(text, cases[i].want))
			fail_msg("case %zu: %s, not %s", i, text, cases[i].want);
		arena_free(&a);
	}
}

/* --- properties ---------------------------------------------------------------- */

/* Joins cpus of a node to cores of up to four. */
static void add_smt(struct job *j, unsigned int smt)
{
	for (unsigned int n = 0; n < j->n; n++) {
		unsigned int total = cpus_count(&j->m.nodes[n].cpus), seen = 0;
		unsigned int cores = (total + smt - 1) / smt, leaders[16];

		cpus_for_each(cpu, &j->m.nodes[n].cpus) {
			unsigned int core = j->number % 2 ? seen % cores : seen / smt;

			if (j->number % 2 ? seen < cores : seen % smt == 0)
				leaders[core] = cpu;
			j->m.core_of[cpu] = leaders[core];
			seen++;
		}
	}
}

static void broken(const struct job *j, const char *what)
{
	fail_msg("case %u: %u ranks, width %u: %s", j->number, j->req.nranks, j->req.width, what);
}

/* Cores in set, and whether each is there as whole as in from. */
static unsigned int count_cores(const struct job *j, const struct cpus *set,
				const struct cpus *from, bool *whole)
{
	unsigned int n = 0;

	cpus_for_each(cpu, set) {
		bool first = true;

		for (unsigned int i = 0; i < j->m.ncpus; i++) {
			if (j->m.core_of[i] != j->m.core_of[cpu] || !cpus_has(from, i))
				continue;
			if (!cpus_has(set, i))
				*whole = false;
			else if (i < cpu)
				first = false;
		}
		n += first;
	}
	return n;
}

struct place_check {
	struct cpus all;
	unsigned int ranks, least_cores, most_cores, least_cpus, most_cpus;
	bool whole, apart;
};

static void check_rank(struct job *j, const struct plan_place *place, struct place_check *c,
		       unsigned int r)
{
	struct cpus mask;
	unsigned int cores, cpus;

	if (plan_slice(&j->p, &j->a, &j->m, r, &mask) < 0)
		broken(j, "no slice");
	if (cpus_empty(&mask) || !cpus_subset(&mask, &place->cpus))
		broken(j, "not in its place");
	if (cpus_intersects(&mask, &c->all))
		c->apart = false;
	cores = count_cores(j, &mask, &place->cpus, &c->whole);
	cpus = cpus_count(&mask);
	if (!c->ranks || cores < c->least_cores)
		c->least_cores = cores;
	if (cores > c->most_cores)
		c->most_cores = cores;
	if (!c->ranks || cpus < c->least_cpus)
		c->least_cpus = cpus;
	if (cpus > c->most_cpus)
		c->most_cpus = cpus;
	cpus_or(&c->all, &mask);
	c->ranks++;
}

static void check_place(struct job *j, const struct plan_place *place, const struct place_check *c)
{
	bool whole = true;
	unsigned int cores = count_cores(j, &place->cpus, &place->cpus, &whole), busy = 0;
	unsigned int used = count_cores(j, &c->all, &place->cpus, &whole);

	cpus_for_each(node, &place->nodes)
		busy += j->p.busy[node];
	if (used < cores && cores - used > busy)
		broken(j, "more cores are passed over than cpus are busy");
	if (c->apart && c->ranks <= used) {
		if (!c->whole || c->most_cores - c->least_cores > 1)
			broken(j, "cores are cut, or shares differ");
	} else if (c->apart) {
		if (c->most_cpus - c->least_cpus > 1)
			broken(j, "shares differ");
	} else if (c->ranks <= cpus_count(&c->all)) {
		broken(j, "ranks share what is enough for all");
	} else if (c->most_cpus > 1) {
		broken(j, "a rank that shares has more than one cpu");
	}
}

static void slices_of_a_place_are_apart_whole_and_alike(void **state)
{
	const char *wish = getenv("EVENKEEL_TEST_CASES");
	unsigned int cases = wish ? (unsigned int)strtoul(wish, NULL, 10) : CASES;

	(void)state;
	for (unsigned int number = 0; number < cases; number++) {
		struct job job, *j = &job;
		struct place_check *checks;

		plan_case_make(j, number);
		add_smt(j, 1 + number % 4);
		assert_int_equal(plan_make(&j->p, &j->a, &j->m, j->allowed, &j->req), 0);
		checks = arena_array(&j->a, j->p.nplaces, sizeof(*checks));
		assert_non_null(checks);
		for (unsigned int i = 0; i < j->p.nplaces; i++) {
			checks[i].whole = checks[i].apart = true;
			assert_int_equal(cpus_init(&checks[i].all, &j->a, j->m.ncpus), 0);
		}
		for (unsigned int r = 0; r < j->p.nranks && j->usable; r++) {
			const struct plan_place *place = plan_place_of(&j->p, r);

			check_rank(j, place, &checks[place - j->p.places], r);
		}
		for (unsigned int i = 0; i < j->p.nplaces; i++)
			if (checks[i].ranks)
				check_place(j, &j->p.places[i], &checks[i]);
		arena_free(&j->a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rank_that_the_job_has_not_got_has_no_slice),
		cmocka_unit_test(each_rank_has_its_own_part_of_its_nodes),
		cmocka_unit_test(the_index_of_a_rank_counts_within_its_place),
		cmocka_unit_test(slices_of_a_place_are_apart_whole_and_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
