#include "tests/unit/unit.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "core/sim.h"
#include "core/stats_random.h"
#include "tests/unit/sim_machines.h"

static void what_cannot_be_simulated_is_refused(void **state)
{
	struct arena a = UNIT_ARENA;
	struct sim_params good, p;
	struct machine m;

	(void)state;
	sim_machine_make(&m, &a, TWO_8);
	sim_defaults(&good);
	assert_non_null(sim_new(&a, &m, &good));
#define REFUSED(change) \
	do { \
		p = good; \
		change; \
		errno = 0; \
		assert_null(sim_new(&a, &m, &p)); \
		assert_int_equal(errno, EINVAL); \
	} while (0)
	REFUSED(p.nranks = 0);
	REFUSED(p.nranks = SIM_RANKS_MAX + 1);
	REFUSED(p.launch = SIM_LAUNCH_UNSET);
	REFUSED(p.nsamples = SIM_SAMPLES_MAX + 1);
	REFUSED(p.samples[1] = -1);
	REFUSED(p.samples[3] = 5);
	REFUSED(p.samples[3] = SIM_SECONDS_MAX + 1);
	REFUSED(p.samples[2] = NAN);
	REFUSED(p.jitter = 1.1);
	REFUSED(p.jitter = NAN);
	REFUSED(p.unrelated = -0.1);
	REFUSED(p.unrelated = NAN);
	REFUSED(p.bandwidth_share = 2);
	REFUSED(p.bandwidth_share = NAN);
	REFUSED(p.megabytes = 0);
	REFUSED(p.megabytes = INFINITY);
	REFUSED(p.even_seconds = -1);
	REFUSED(p.even_seconds = NAN);
	REFUSED(p.even_seconds = SIM_SECONDS_MAX * 2);
#undef REFUSED
	arena_free(&a);
}

static void a_launch_depends_on_its_seed_alone(void **state)
{
	struct arena a = UNIT_ARENA;
	struct sim_outcome first, again;
	unsigned int ranks[4 * 8], differ = 0;
	struct sim_params p;
	struct machine m;
	struct sim *s, *other;
	double seconds;

	(void)state;
	sim_machine_make(&m, &a, ZEN3_NPS4);
	sim_defaults(&p);
	p.nranks = 20;
	s = sim_new(&a, &m, &p);
	other = sim_new(&a, &m, &p);
	for (uint64_t seed = 0; seed < 20; seed++) {
		sim_run(s, seed, &first);
		memcpy(ranks, first.ranks, sizeof(ranks));
		seconds = first.seconds;
		/* Another launch in between leaves nothing behind. */
		sim_run(s, seed + 1, &again);
		differ += memcmp(ranks, again.ranks, sizeof(ranks)) != 0;
		sim_run(s, seed, &again);
		assert_memory_equal(ranks, again.ranks, sizeof(ranks));
		assert_true(seconds == again.seconds);
		sim_run(other, seed, &again);
		assert_memory_equal(ranks, again.ranks, sizeof(ranks));
		assert_true(seconds == again.seconds);
	}
	assert_in_range(differ, 15, 20);
	arena_free(&a);
}

/* Where children of one parent begin: L on its node. */
static void fork_children(enum sim_machine which, enum policy_rule rule, enum sim_launch launch,
			  unsigned int n, char *sequence)
{
	struct arena a = UNIT_ARENA;
	struct sim_outcome o;
	struct sim_params p;
	struct machine m;

	sim_machine_make(&m, &a, which);
	sim_defaults(&p);
	p.rule = rule;
	p.launch = launch;
	p.nranks = n;
	p.gap_us = 10;
	sim_run(sim_new(&a, &m, &p), rule, &o);
	for (unsigned int i = 0; i < n; i++)
		sequence[i] = o.first[i] == o.from[i] ? 'L' : 'R';
	sequence[n] = '\0';
	arena_free(&a);
}

/* Kernel-policy notes 3.2, and G0 and G1, which it leaves out. */
static void spinning_children_begin_where_the_notes_say(void **state)
{
	static const struct {
		enum sim_machine machine;
		enum policy_rule first, last;
		const char *sequence;
	} rows[] = {
		{ TWO_40, POLICY_G0, POLICY_G1, "LLLLLLLLLLRLRLRL" },
		{ TWO_40, POLICY_G2, POLICY_G4B, "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLRR" },
		{ TWO_40, POLICY_G5, POLICY_G5, "LLLLLLLLLLLLLLLLLLLRRRRRRRRRRRRR" },
		{ TWO_40, POLICY_G6, POLICY_G6, "LLLLLLLLRRRRRRRR" },
		{ TWO_40, POLICY_G7, POLICY_G7, "LLLLLLLLLRRRRRRR" },
		{ TWO_40, POLICY_G8, POLICY_G9, "LLRLRLRRRLRLRLRL" },
		{ ZEN3_NPS1, POLICY_G8, POLICY_G9, "LLRLRLRLRLRLRRRLRLRLRLRLRLRLRLRL" },
		{ ZEN3_NPS1, POLICY_G7, POLICY_G7, "LLLLLLLRRRRRRRRLRLRLRLRLRLRLRLRL" },
		{ TWO_8, POLICY_G8, POLICY_G9, "RLRLRLRLRL" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (enum policy_rule r = rows[i].first; r <= rows[i].last; r++) {
			char got[64];

			fork_children(rows[i].machine, r, SIM_SPIN,
				      (unsigned int)strlen(rows[i].sequence), got);
			if (strcmp(got, rows[i].sequence))
				fail_msg("row %zu %s: %s", i, policy_name(r), got);
		}
}

static void sleeping_children_all_begin_on_one_node(void **state)
{
	(void)state;
	for (enum policy_rule r = POLICY_G0; r <= POLICY_G9; r++) {
		/* 6.0 has imb_numa_nr 1 on nodes of 8 cpus, 5.15.33 asks for 1 + 1 < 8 / 4. */
		bool away = r == POLICY_G6 || r >= POLICY_G8;
		char got[17];

		fork_children(TWO_40, r, SIM_SLEEP, 16, got);
		assert_string_equal(got, "LLLLLLLLLLLLLLLL");
		fork_children(ZEN3_NPS1, r, SIM_SLEEP, 16, got);
		assert_string_equal(got, "LLLLLLLLLLLLLLLL");
		fork_children(TWO_8, r, SIM_SLEEP, 16, got);
		assert_string_equal(got, away ? "RRRRRRRRRRRRRRRR" : "LLLLLLLLLLLLLLLL");
	}
}

static void unevenness_is_by_capacity(void **state)
{
	static const struct {
		unsigned int ranks[3], capacity[3];
		bool uneven;
		unsigned int difference;
	} rows[] = {
		{ { 0, 0, 0 }, { 4, 4, 4 }, false, 0 }, { { 1, 0, 0 }, { 4, 4, 4 }, false, 1 },
		{ { 2, 0, 1 }, { 4, 4, 4 }, true, 2 },	{ { 2, 1, 1 }, { 4, 4, 4 }, false, 1 },
		{ { 2, 0, 2 }, { 4, 0, 4 }, false, 0 }, { { 2, 4, 2 }, { 4, 8, 4 }, false, 2 },
		{ { 3, 4, 2 }, { 4, 8, 4 }, false, 2 }, { { 4, 4, 2 }, { 4, 8, 4 }, true, 2 },
		{ { 9, 0, 0 }, { 4, 0, 0 }, false, 0 }, { { 0, 0, 0 }, { 0, 0, 0 }, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (sim_uneven(rows[i].ranks, NULL, rows[i].capacity, 3) != rows[i].uneven)
			fail_msg("row %zu: not %d", i, rows[i].uneven);
		assert_int_equal(sim_difference(rows[i].ranks, rows[i].capacity, 3),
				 rows[i].difference);
	}
}

/* What others keep busy counts as ranks do, but is nobody's to move. */
static void busy_cpus_make_a_node_fuller(void **state)
{
	static const unsigned int capacity[2] = { 40, 40 };
	static const struct {
		unsigned int ranks[2], busy[2];
		bool uneven;
	} rows[] = {
		{ { 3, 13 }, { 10, 0 }, false }, { { 8, 8 }, { 10, 0 }, true },
		{ { 0, 4 }, { 40, 0 }, false },	 { { 2, 2 }, { 10, 0 }, true },
		{ { 0, 0 }, { 40, 0 }, false },	 { { 2, 2 }, { 3, 3 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (sim_uneven(rows[i].ranks, rows[i].busy, capacity, 2) != rows[i].uneven)
			fail_msg("row %zu: not %d", i, rows[i].uneven);
}

#define random_below stats_random_below

/* Whatever is asked for, every rank is on one of its cpus at every look, and work is
 * never done faster than when all is even. */
static void no_rank_is_lost(void **state)
{
	struct stats_random r;

	(void)state;
	stats_random_init(&r, 7);
	for (unsigned int i = 0; i < 300; i++) {
		enum sim_machine which = (enum sim_machine)random_below(&r, SIM_MACHINES);
		struct arena a = UNIT_ARENA;
		unsigned int busy[8], capacity[8] = { 0 };
		struct plan_request request = { 0 };
		struct sim_outcome o;
		struct sim_params p;
		struct cpus allowed;
		struct machine m;
		struct plan plan;

		sim_machine_make(&m, &a, which);
		cpus_copy(&allowed, &a, &m.usable);
		for (unsigned int n = random_below(&r, 2) * random_below(&r, m.ncpus - 1); n; n--)
			cpus_del(&allowed, random_below(&r, m.ncpus));
		cpus_add(&allowed, random_below(&r, m.ncpus));
		for (unsigned int n = 0; n < m.nnodes; n++) {
			busy[n] = random_below(&r, 2) * random_below(&r, 20);
			capacity[n] = cpus_and_count(&m.nodes[n].cpus, &allowed);
		}
		sim_defaults(&p);
		p.rule = (enum policy_rule)(POLICY_G0 + random_below(&r, POLICY_NRULES - 1));
		p.launch = (enum sim_launch)(SIM_HYDRA + random_below(&r, SIM_SLEEP));
		p.nranks = 1 + random_below(&r, random_below(&r, 4) ? 40 : 400);
		p.allowed = &allowed;
		p.busy = busy;
		p.unrelated = random_below(&r, 3) / 2.0;
		p.walk = random_below(&r, 2);
		p.settle = random_below(&r, 2);
		p.even_seconds = random_below(&r, 20);
		request.nranks = p.nranks;
		assert_int_equal(plan_make(&plan, &a, &m, &allowed, &request), 0);
		p.plan = random_below(&r, 2) ? &plan : NULL;
		sim_run(sim_new(&a, &m, &p), i, &o);
		for (unsigned int j = 0; j < p.nsamples; j++) {
			unsigned int sum = 0;

			for (unsigned int n = 0; n < m.nnodes; n++) {
				sum += o.ranks[j * m.nnodes + n];
				assert_true(capacity[n] || !o.ranks[j * m.nnodes + n]);
			}
			if (sum != p.nranks)
				fail_msg("launch %u: %u of %u ranks at look %u", i, sum, p.nranks,
					 j);
		}
		assert_true(o.seconds >= p.even_seconds && isfinite(o.seconds));
		arena_free(&a);
	}
}

/* All rules but that of 5.7 to 5.9, under which NUMA balancing takes back what the
 * balancer moves. */
static void the_balancer_ends_at_the_stable_difference(void **state)
{
	(void)state;
	for (enum policy_rule rule = POLICY_G0; rule <= POLICY_G9; rule++) {
		struct arena a = UNIT_ARENA;
		struct machine_view view;
		struct sim_outcome o;
		struct sim_params p;
		struct machine m;

		if (rule == POLICY_G4A)
			continue;
		sim_machine_make(&m, &a, TWO_40);
		sim_defaults(&p);
		p.rule = rule;
		p.nranks = 16;
		sim_run(sim_new(&a, &m, &p), 1, &o);
		assert_int_equal(machine_view(&m, 0, NULL, &a, &view), 0);
		assert_int_equal(o.ranks[0] % 16, 0); /* the wake: all on one node */
		for (unsigned int node = 0; node < 2; node++) {
			const unsigned int *end = &o.ranks[3 * 2];
			unsigned int fewer = end[node], more = end[1 - node];

			if (more > fewer + policy_stable_difference(rule, &view, 0, fewer, 40))
				fail_msg("%s: %u and %u", policy_name(rule), fewer, more);
		}
		arena_free(&a);
	}
}

static unsigned int uneven_of(const struct machine *m, struct arena *a, const struct sim_params *p,
			      unsigned int runs, unsigned int *worst)
{
	struct sim *s = sim_new(a, m, p);
	unsigned int capacity[8], uneven = 0;

	for (unsigned int n = 0; n < m->nnodes; n++)
		capacity[n] = cpus_count(&m->nodes[n].cpus);
	for (unsigned int run = 0; run < runs; run++) {
		struct sim_outcome o;

		sim_run(s, run, &o);
		uneven += sim_uneven(o.ranks, NULL, capacity, m->nnodes);
		*worst = sim_difference(o.ranks, capacity, m->nnodes);
	}
	return uneven;
}

/* The plan, settled, under every rule from 4.2 to 7.1. */
static void planned_ranks_are_even_when_they_wake(void **state)
{
	static const enum sim_machine machines[] = { TWO_40,	ZEN3_NPS1, ZEN3_NPS2,
						     ZEN3_NPS4, SPR_SNC4,  FOUR_RING };

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		struct arena a = UNIT_ARENA;
		struct plan_request request = { .nranks = 16 };
		unsigned int worst = 0;
		struct sim_params p;
		struct machine m;
		struct plan plan;

		sim_machine_make(&m, &a, machines[i]);
		assert_int_equal(plan_make(&plan, &a, &m, NULL, &request), 0);
		sim_defaults(&p);
		p.nranks = 16;
		p.settle = true;
		p.nsamples = 1;
		p.even_seconds = 0;
		for (enum policy_rule rule = POLICY_G0; rule <= POLICY_G9; rule++) {
			p.rule = rule;
			p.plan = &plan;
			if (uneven_of(&m, &a, &p, 1000, &worst))
				fail_msg("machine %zu %s: uneven", i, policy_name(rule));
			/* Without it they are not. */
			p.plan = NULL;
			if (uneven_of(&m, &a, &p, 10, &worst) != 10)
				fail_msg("machine %zu %s: even", i, policy_name(rule));
		}
		arena_free(&a);
	}
}

/* 8/8 takes what was asked for; 16/0 to the end twice that. */
static void time_goes_with_the_memory_of_the_fullest_node(void **state)
{
	struct arena a = UNIT_ARENA;
	struct sim_outcome o;
	struct sim_params p;
	struct machine m;
	struct cpus one;

	(void)state;
	sim_machine_make(&m, &a, TWO_40);
	sim_defaults(&p);
	p.nranks = 16;
	p.launch = SIM_SPIN;
	p.gap_us = 0;
	p.rule = POLICY_G8;
	sim_run(sim_new(&a, &m, &p), 1, &o);
	assert_true(fabs(o.seconds - 96) < 15);
	/* Nothing can leave the node. */
	assert_int_equal(cpus_copy(&one, &a, &m.nodes[1].cpus), 0);
	p.allowed = &one;
	sim_run(sim_new(&a, &m, &p), 1, &o);
	assert_int_equal(o.ranks[1], 16);
	assert_true(fabs(o.seconds - 96) < 0.01); /* one node is all there is */
	p.launch = SIM_HYDRA;
	p.allowed = NULL;
	p.unrelated = 1; /* the balancer never gets at a rank */
	sim_run(sim_new(&a, &m, &p), 1, &o);
	assert_true(fabs(o.seconds - 192) < 1);
	p.bandwidth_share = 0.5;
	sim_run(sim_new(&a, &m, &p), 1, &o);
	assert_true(fabs(o.seconds - 144) < 1);
	p.bandwidth_share = 0;
	sim_run(sim_new(&a, &m, &p), 1, &o);
	assert_true(fabs(o.seconds - 96) < 1);
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_simulated_is_refused),
		cmocka_unit_test(a_launch_depends_on_its_seed_alone),
		cmocka_unit_test(spinning_children_begin_where_the_notes_say),
		cmocka_unit_test(sleeping_children_all_begin_on_one_node),
		cmocka_unit_test(unevenness_is_by_capacity),
		cmocka_unit_test(busy_cpus_make_a_node_fuller),
		cmocka_unit_test(no_rank_is_lost),
		cmocka_unit_test(the_balancer_ends_at_the_stable_difference),
		cmocka_unit_test(planned_ranks_are_even_when_they_wake),
		cmocka_unit_test(time_goes_with_the_memory_of_the_fullest_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
