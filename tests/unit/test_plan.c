#include "tests/unit/by_hand.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/plan.h"

/* Machines of the kernel-policy notes, section 3.1, and smaller ones. */
enum kind {
	XEON,     /* 2 x 20 cores SMT2, 10/21 */
	NPS4,     /* Zen3, 2 packages of 4 nodes of 32 cpus, 10/12/32 */
	RING,     /* 4 sockets in a ring, 8 cpus each, 10/21/31: no level within */
	UNEVEN,   /* 3 and 8 cpus */
	SMALL,    /* 2 packages of 2 nodes of 4 cpus, 10/12/21 */
	LINE,     /* 4 nodes of 4 cpus, the farther the more 12, 14, 16 */
	CROSSED,  /* 4 nodes of 4 cpus; 0 and 2, 1 and 3 are near */
	TINY,     /* 2, 2 and 8 cpus, flat */
	FLAT3,    /* 3 nodes of 40 cpus */
	SINGLE,   /* 1 node of 4 cpus */
};

static unsigned int distance_in(enum kind kind, unsigned int i, unsigned int j)
{
	unsigned int hops = i > j ? i - j : j - i;

	if (i == j)
		return 10;
	switch (kind) {
	case NPS4:
		return i / 4 == j / 4 ? 12 : 32;
	case RING:
		return hops == 2 ? 31 : 21;
	case SMALL:
		return i / 2 == j / 2 ? 12 : 21;
	case LINE:
		return 10 + 2 * hops;
	case CROSSED:
		return i % 2 == j % 2 ? 12 : 21;
	default:
		return 21;
	}
}

static void make_machine(struct machine *m, struct arena *a, enum kind kind)
{
	static const struct {
		unsigned int nnodes, cpus[8];
	} shapes[] = {
		[XEON] = { 2, { 40, 40 } },
		[NPS4] = { 8, { 32, 32, 32, 32, 32, 32, 32, 32 } },
		[RING] = { 4, { 8, 8, 8, 8 } },
		[UNEVEN] = { 2, { 3, 8 } },
		[SMALL] = { 4, { 4, 4, 4, 4 } },
		[LINE] = { 4, { 4, 4, 4, 4 } },
		[CROSSED] = { 4, { 4, 4, 4, 4 } },
		[TINY] = { 3, { 2, 2, 8 } },
		[FLAT3] = { 3, { 40, 40, 40 } },
		[SINGLE] = { 1, { 4 } },
	};
	unsigned int distances[64], n = shapes[kind].nnodes;

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; j < n; j++)
			distances[i * n + j] = distance_in(kind, i, j);
	machine_by_hand(m, a, n, shapes[kind].cpus, distances, 1);
}

/* "nodes:ranks" for each place. */
static void print_places(const struct plan *p, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (unsigned int i = 0; i < p->nplaces && len + 40 < size; i++) {
		if (i)
			buf[len++] = ' ';
		len += cpus_format(&p->places[i].nodes, buf + len, size - len);
		len += (size_t)snprintf(buf + len, size - len, ":%u", p->places[i].nranks);
	}
}

struct row {
	enum kind kind;
	unsigned int nranks, width;
	bool together;
	unsigned int busy[8];
	const char *allowed; /* NULL = all */
	enum plan_why why;
	const char *places;
	unsigned int weight, difference;
	bool unstable;
};

static const struct row rows[] = {
	/* No request. */
	{ SINGLE, 4, 0, .why = PLAN_ONE_NODE, .places = "0:4", .weight = 1 },
	{ SINGLE, 0, 0, .why = PLAN_ONE_NODE, .places = "0:0", .weight = 1 },
	{ XEON, 4, 2, .allowed = "45", .why = PLAN_ONE_NODE, .places = "1:4", .weight = 2 },
	{ XEON, 4, 0, .allowed = "99", .why = PLAN_ONE_NODE, .places = ":4", .weight = 1 },
	{ XEON, 0, 3, .why = PLAN_NO_RANKS, .places = "0-1:0", .weight = 3 },
	{ XEON, PLAN_RANKS_MAX + 1, 0, .why = PLAN_NO_RANKS, .places = "0-1:1048577", .weight = 1,
	  .difference = 1048577 },
	{ XEON, ~0u, ~0u, .why = PLAN_NO_RANKS, .places = "0-1:4294967295", .weight = ~0u,
	  .difference = ~0u },
	{ XEON, 1, 0, .busy = { 9, 0 }, .why = PLAN_LONE_RANK, .places = "0-1:1", .weight = 71,
	  .difference = 1 },
	{ XEON, 1, 0, .why = PLAN_LONE_RANK, .places = "0-1:1", .weight = 80, .difference = 1 },

	/* Width unknown, a node each. */
	{ XEON, 16, 0, .places = "0:8 1:8", .weight = 5 },
	{ XEON, 2, 0, .places = "0:1 1:1", .weight = 40 },
	{ XEON, 3, 0, .places = "0:2 1:1", .weight = 26, .difference = 1 },
	{ XEON, 100, 0, .places = "0:50 1:50", .weight = 1 },
	{ XEON, 8, 0, .busy = { 8, 0 }, .places = "0:4 1:4", .weight = 9, .unstable = true },
	{ XEON, 4, 0, .busy = { 40, 0 }, .places = "1:4", .weight = 10, .difference = 4,
	  .unstable = true },
	{ XEON, 4, 0, .busy = { 39, 0 }, .places = "0:1 1:3", .weight = 10, .difference = 2,
	  .unstable = true },
	{ XEON, 4, 0, .busy = { 40, 40 }, .places = "0:2 1:2", .weight = 1 },
	{ XEON, 60, 0, .busy = { 40, 0 }, .places = "0:10 1:50", .weight = 1, .difference = 40 },
	{ NPS4, 8, 0, .places = "0:1 1:1 2:1 3:1 4:1 5:1 6:1 7:1", .weight = 32 },
	{ NPS4, 9, 0, .places = "0:2 1:1 2:1 3:1 4:1 5:1 6:1 7:1", .weight = 28, .difference = 1 },
	{ NPS4, 10, 0, .places = "0:2 1:1 2:1 3:1 4:2 5:1 6:1 7:1", .weight = 25,
	  .difference = 1 },
	{ UNEVEN, 11, 0, .places = "0:3 1:8", .weight = 1, .difference = 5 },
	{ XEON, 4, 0, .allowed = "0-3,40-51", .places = "0:1 1:3", .weight = 4, .difference = 2 },

	/* Width unknown, several nodes each. */
	{ NPS4, 2, 0, .places = "0-3:1 4-7:1", .weight = 128, .difference = 1 },
	{ NPS4, 3, 0, .places = "0-1:1 2-3:1 4-7:1", .weight = 85, .difference = 1 },
	{ NPS4, 4, 0, .places = "0-1:1 2-3:1 4-5:1 6-7:1", .weight = 64, .difference = 1 },
	{ NPS4, 5, 0, .places = "0:1 1:1 2-3:1 4-5:1 6-7:1", .weight = 51, .difference = 1 },
	{ NPS4, 7, 0, .places = "0:1 1:1 2:1 3:1 4:1 5:1 6-7:1", .weight = 36, .difference = 1 },
	{ NPS4, 2, 0, .busy = { 0, 32 }, .places = "0,2-3:1 4-7:1", .weight = 112,
	  .difference = 1, .unstable = true },
	{ NPS4, 2, 0, .busy = { 32, 32, 32, 32 }, .places = "4-5:1 6-7:1", .weight = 64,
	  .difference = 1, .unstable = true },
	{ NPS4, 2, 0, .busy = { 32, 32, 32, 32, 32, 32, 32, 32 }, .places = "0-3:1 4-7:1",
	  .weight = 1, .difference = 1 },
	{ RING, 2, 0, .places = "0-1:1 2-3:1", .weight = 16, .difference = 1 },
	{ RING, 3, 0, .places = "0:1 1:1 2-3:1", .weight = 10, .difference = 1 },
	{ CROSSED, 2, 0, .places = "0,2:1 1,3:1", .weight = 8, .difference = 1 },

	/* Width known. */
	{ XEON, 16, 1, .places = "0:8 1:8", .weight = 1 },
	{ XEON, 100, 1, .places = "0:50 1:50", .weight = 1 },
	{ XEON, 8, 1, .busy = { 8, 0 }, .places = "1:8", .weight = 1, .difference = 8 },
	{ XEON, 9, 1, .busy = { 8, 0 }, .places = "0:1 1:8", .weight = 1, .difference = 7 },
	{ XEON, 3, 20, .places = "0:2 1:1", .weight = 20, .difference = 1, .unstable = true },
	{ XEON, 80, 1, .busy = { 60, 0 }, .places = "0:10 1:70", .weight = 1, .difference = 60 },
	{ XEON, 1, 10, .busy = { 35, 32 }, .places = "0-1:1", .weight = 10, .difference = 1 },
	{ XEON, 1, 41, .places = "0-1:1", .weight = 41, .difference = 1 },
	{ XEON, 5, 81, .places = "0-1:5", .weight = 81, .difference = 5 },
	{ XEON, 5, ~0u, .places = "0-1:5", .weight = ~0u, .difference = 5 },
	{ XEON, 3, 30, .places = "0:2 1:1", .weight = 30, .difference = 1, .unstable = true },
	{ NPS4, 8, 1, .places = "0:1 1:1 2:1 3:1 4:1 5:1 6:1 7:1", .weight = 1 },
	{ NPS4, 2, 1, .places = "0:1 4:1", .weight = 1, .difference = 1 },
	{ NPS4, 2, 1, .busy = { 1, 0, 0, 0, 2 }, .places = "1:1 2:1", .weight = 1,
	  .difference = 1 },
	{ NPS4, 1, 40, .places = "0-1:1", .weight = 40, .difference = 1, .unstable = true },
	{ NPS4, 4, 64, .places = "0-1:1 2-3:1 4-5:1 6-7:1", .weight = 64, .difference = 1 },
	{ NPS4, 3, 40, .places = "0-1:1 2-3:1 4-5:1", .weight = 40, .difference = 1,
	  .unstable = true },
	{ NPS4, 1, 129, .places = "0-4:1", .weight = 129, .difference = 1 },
	{ UNEVEN, 4, 1, .places = "0:1 1:3", .weight = 1, .difference = 2, .unstable = true },
	{ UNEVEN, 11, 1, .places = "0:3 1:8", .weight = 1, .difference = 5 },
	{ UNEVEN, 22, 1, .places = "0:6 1:16", .weight = 1, .difference = 10 },
	{ UNEVEN, 2, 4, .places = "1:2", .weight = 4, .difference = 2, .unstable = true },
	{ SMALL, 4, 3, .places = "0:1 1:1 2:1 3:1", .weight = 3 },
	{ SMALL, 5, 3, .places = "0:1 0-2:1 1:1 2:1 3:1", .weight = 3, .difference = 1 },
	{ SMALL, 1, 5, .busy = { 0, 4 }, .places = "2-3:1", .weight = 5, .difference = 1,
	  .unstable = true },
	{ LINE, 1, 6, .busy = { 0, 3, 0, 0 }, .places = "2-3:1", .weight = 6, .difference = 1,
	  .unstable = true },
	{ LINE, 1, 6, .busy = { 1, 3, 3, 1 }, .places = "0,3:1", .weight = 6, .difference = 1 },
	{ CROSSED, 1, 6, .places = "0,2:1", .weight = 6, .difference = 1, .unstable = true },
	{ FLAT3, 2, 60, .places = "0-1:1 1-2:1", .weight = 60, .difference = 1 },
	{ FLAT3, 1, 60, .places = "0-1:1", .weight = 60, .difference = 1, .unstable = true },
	{ TINY, 10, 4, .places = "0-1:3 2:7", .weight = 4, .difference = 7 },
	{ SMALL, 5, 8, .places = "0-1:3 2-3:2", .weight = 8, .difference = 3,
	  .unstable = true },
	{ RING, 5, 16, .places = "0-1:3 2-3:2", .weight = 16, .difference = 3,
	  .unstable = true },
	{ XEON, 8, 2, .allowed = "0-7,40-47", .places = "0:4 1:4", .weight = 2 },
	{ XEON, 2, 9, .allowed = "0-7,40-47", .places = "0-1:2", .weight = 9, .difference = 2 },

	/* Together, rule G8: imb_numa_nr is 5 on XEON, 2 within and 4 between
	 * the packages on NPS4. */
	{ XEON, 2, 1, true, .places = "0:2", .weight = 1, .difference = 2 },
	{ XEON, 3, 1, true, .places = "0:2 1:1", .weight = 1, .difference = 1 },
	{ XEON, 1, 2, true, .places = "0:1", .weight = 2, .difference = 1 },
	{ XEON, 2, 1, true, .busy = { 4, 4 }, .places = "0:2", .weight = 1, .difference = 2 },
	{ XEON, 2, 1, true, .busy = { 5, 5 }, .places = "0:1 1:1", .weight = 1 },
	{ XEON, 2, 1, true, .busy = { 1, 0 }, .places = "1:2", .weight = 1, .difference = 2 },
	{ XEON, 2, 1, true, .busy = { 4, 0 }, .places = "1:2", .weight = 1, .difference = 2 },
	{ XEON, 6, 1, true, .busy = { 4, 0 }, .places = "1:6", .weight = 1, .difference = 6 },
	{ XEON, 2, 0, true, .places = "0:1 1:1", .weight = 40 },
	{ XEON, 2, 1, .places = "0:1 1:1", .weight = 1 },
	{ NPS4, 2, 1, true, .places = "0:2", .weight = 1, .difference = 2 },
	{ NPS4, 3, 1, true, .places = "0:1 1:1 4:1", .weight = 1, .difference = 1 },
};

static void jobs_get_the_places_that_the_table_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		struct plan_request req = { .nranks = row->nranks, .width = row->width,
					    .together = row->together, .busy = row->busy };
		struct arena a = UNIT_ARENA;
		struct cpus allowed;
		struct machine m;
		struct plan p;
		char places[256];

		make_machine(&m, &a, row->kind);
		assert_int_equal(cpus_init(&allowed, &a, 128), 0);
		if (row->allowed)
			assert_int_equal(cpus_parse(&allowed, row->allowed, strlen(row->allowed)),
					 0);
		assert_int_equal(plan_make(&p, &a, &m, row->allowed ? &allowed : NULL, &req), 0);
		print_places(&p, places, sizeof(places));
		if (strcmp(places, row->places) || p.why != row->why || p.weight != row->weight ||
		    p.difference != row->difference || p.stable == row->unstable)
			fail_msg("row %zu (%u ranks, width %u): places %s, why %d, weight %u, "
				 "difference %u, stable %d",
				 i, row->nranks, row->width, places, p.why, p.weight, p.difference,
				 p.stable);
		arena_free(&a);
	}
}

/* The places of ranks 0.. as letters, "a" the first place. */
static void ranks_go_to_places_in_the_order_asked_for(void **state)
{
	static const struct {
		enum kind kind;
		unsigned int nranks, width, busy[4];
		enum plan_order order, used;
		const char *letters;
	} table[] = {
		{ XEON, 0, 0, { 0 }, PLAN_ORDER_CYCLIC, PLAN_ORDER_CYCLIC, "" },
		{ XEON, 5, 0, { 0 }, PLAN_ORDER_UNSET, PLAN_ORDER_BLOCK, "aaabb" },
		{ XEON, 5, 0, { 0 }, (enum plan_order)9, PLAN_ORDER_BLOCK, "aaabb" },
		{ XEON, 5, 0, { 0 }, PLAN_ORDER_BLOCK, PLAN_ORDER_BLOCK, "aaabb" },
		{ XEON, 5, 0, { 0 }, PLAN_ORDER_CYCLIC, PLAN_ORDER_CYCLIC, "ababa" },
		{ XEON, 8, 1, { 6, 0 }, PLAN_ORDER_CYCLIC, PLAN_ORDER_CYCLIC, "abbbbbbb" },
		{ XEON, 8, 1, { 0, 4 }, PLAN_ORDER_CYCLIC, PLAN_ORDER_CYCLIC, "ababaaaa" },
		{ SMALL, 5, 3, { 0 }, PLAN_ORDER_BLOCK, PLAN_ORDER_BLOCK, "abcde" },
		{ SMALL, 7, 1, { 0 }, PLAN_ORDER_CYCLIC, PLAN_ORDER_CYCLIC, "abcdabc" },
		{ SINGLE, 3, 0, { 0 }, PLAN_ORDER_CYCLIC, PLAN_ORDER_CYCLIC, "aaa" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct plan_request req = { .nranks = table[i].nranks, .width = table[i].width,
					    .order = table[i].order, .busy = table[i].busy };
		struct arena a = UNIT_ARENA;
		struct machine m;
		struct plan p;
		char letters[16] = "";

		make_machine(&m, &a, table[i].kind);
		assert_int_equal(plan_make(&p, &a, &m, NULL, &req), 0);
		assert_int_equal(p.order, table[i].used);
		assert_null(plan_place_of(&p, p.nranks));
		assert_null(plan_place_of(&p, ~0u));
		for (unsigned int r = 0; r < p.nranks; r++)
			letters[r] = (char)('a' + (plan_place_of(&p, r) - p.places));
		if (strcmp(letters, table[i].letters))
			fail_msg("row %zu: %s, wanted %s", i, letters, table[i].letters);
		arena_free(&a);
	}
}

static void a_place_holds_the_allowed_cpus_of_its_nodes(void **state)
{
	struct plan_request req = { .nranks = 2, .width = 9 };
	struct arena a = UNIT_ARENA;
	struct cpus allowed;
	struct machine m;
	struct plan p;
	char list[64];

	(void)state;
	make_machine(&m, &a, XEON);
	assert_int_equal(cpus_init(&allowed, &a, 200), 0);
	assert_int_equal(cpus_parse(&allowed, "2,30-39,50-70,150", 17), 0);
	assert_int_equal(plan_make(&p, &a, &m, &allowed, &req), 0);
	assert_int_equal(p.nplaces, 2);
	cpus_format(&p.places[0].cpus, list, sizeof(list));
	assert_string_equal(list, "2,30-39");
	cpus_format(&p.places[1].cpus, list, sizeof(list));
	assert_string_equal(list, "50-70");
	assert_int_equal(p.places[1].first, 1);
	assert_int_equal(p.capacity[0], 11);
	assert_int_equal(p.capacity[1], 21);
	arena_free(&a);
}

/* On an idle machine with 40 cpus a node a difference of 5 stays on 5.18, 2 on
 * 5.6 and 6.0, 1 on 5.5 (kernel-policy notes, section 1.4, last list). */
static void the_rule_decides_what_stays_together_and_what_is_stable(void **state)
{
	static const struct {
		enum policy_rule rule;
		unsigned int most;
	} table[] = {
		{ POLICY_G2, 1 }, { POLICY_G3, 2 },   { POLICY_G7, 5 },
		{ POLICY_G8, 2 }, { POLICY_UNSET, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		for (unsigned int n = 1; n < 8; n++) {
			struct plan_request req = { .nranks = n, .width = 1, .together = true,
						    .rule = table[i].rule };
			unsigned int busy[2] = { n, 0 };
			struct arena a = UNIT_ARENA;
			struct machine m;
			struct plan p;

			make_machine(&m, &a, XEON);
			assert_int_equal(plan_make(&p, &a, &m, NULL, &req), 0);
			if ((p.ranks[0] == n) != (n <= table[i].most))
				fail_msg("%s: %u together: %u", policy_name(req.rule), n,
					 p.ranks[0]);
			/* Not lightly loaded: no generation allows more than 1. */
			req = (struct plan_request){ .nranks = 2, .width = 20, .busy = busy,
						     .rule = table[i].rule };
			assert_int_equal(plan_make(&p, &a, &m, NULL, &req), 0);
			if (n <= 20 && p.stable != (n <= 1))
				fail_msg("%s: difference %u stable %d", policy_name(req.rule), n,
					 p.stable);
			arena_free(&a);
		}
}

/* Also shows that no step is quadratic in the ranks. */
static void a_million_ranks_are_planned(void **state)
{
	static const unsigned int widths[] = { 0, 1, 8, 20, 64 };
	unsigned int cpus[64], distances[64 * 64];
	struct arena a = UNIT_ARENA;
	struct machine m;

	(void)state;
	for (unsigned int i = 0; i < 64; i++) {
		cpus[i] = 16;
		for (unsigned int j = 0; j < 64; j++)
			distances[i * 64 + j] = i == j ? 10 : i / 8 == j / 8 ? 12 : 32;
	}
	machine_by_hand(&m, &a, 64, cpus, distances, 1);
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		struct plan_request req = { .nranks = PLAN_RANKS_MAX, .width = widths[i] };
		unsigned int sum = 0;
		struct plan p;

		assert_int_equal(plan_make(&p, &a, &m, NULL, &req), 0);
		for (unsigned int k = 0; k < p.nplaces; k++)
			sum += p.places[k].nranks;
		assert_int_equal(sum, PLAN_RANKS_MAX);
		if (widths[i] <= 16)
			assert_int_equal(p.difference, 0);
		assert_true(p.nplaces <= 128);
	}
	arena_free(&a);
}

static unsigned int pieces_left;

static void *get_a_few(size_t size)
{
	return pieces_left-- ? malloc(size) : NULL;
}

static void without_memory_the_plan_fails_with_enomem(void **state)
{
	static const struct plan_request requests[] = {
		{ .nranks = 0 },
		{ .nranks = 3 },
		{ .nranks = 9, .width = 3 },
		{ .nranks = 1, .width = 1, .together = true },
	};
	struct arena whole = UNIT_ARENA;
	struct machine m;

	(void)state;
	make_machine(&m, &whole, SMALL);
	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		unsigned int pieces = 0;
		int rc;

		do {
			struct arena a = { .get = get_a_few, .put = free };
			struct plan p;

			pieces_left = pieces;
			errno = 0;
			rc = plan_make(&p, &a, &m, NULL, &requests[i]);
			assert_int_equal(errno, rc ? ENOMEM : 0);
			arena_free(&a);
			assert_true(pieces++ < 1000);
		} while (rc < 0);
		assert_true(pieces > 5);
	}
	arena_free(&whole);
}

static void every_reason_has_a_text(void **state)
{
	(void)state;
	for (int why = PLAN_WHY_UNSET; why <= PLAN_NO_RANKS; why++)
		assert_string_not_equal(plan_why_text((enum plan_why)why), "unknown");
	assert_string_equal(plan_why_text((enum plan_why)99), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_get_the_places_that_the_table_says),
		cmocka_unit_test(ranks_go_to_places_in_the_order_asked_for),
		cmocka_unit_test(a_place_holds_the_allowed_cpus_of_its_nodes),
		cmocka_unit_test(the_rule_decides_what_stays_together_and_what_is_stable),
		cmocka_unit_test(a_million_ranks_are_planned),
		cmocka_unit_test(without_memory_the_plan_fails_with_enomem),
		cmocka_unit_test(every_reason_has_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
