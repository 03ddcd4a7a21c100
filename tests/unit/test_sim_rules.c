#include "tests/unit/unit.h"

#include <string.h>

#include "core/sim_internal.h"
#include "tests/unit/sim_machines.h"

/* A world with tasks where a test wants them. */
struct scene {
	struct arena arena;
	struct machine machine;
	struct sim_world world;
};

static void set_scene(struct scene *s, enum sim_machine which, unsigned int ntasks,
		      enum policy_rule rule)
{
	memset(s, 0, sizeof(*s));
	s->arena = (struct arena)UNIT_ARENA;
	sim_machine_make(&s->machine, &s->arena, which);
	assert_int_equal(sim_world_init(&s->world, &s->arena, &s->machine, ntasks), 0);
	sim_world_reset(&s->world, rule, 1, NULL);
}

/* Task i is awake on an idle cpu of node, its memory on another (SIM_NONE: none yet). */
static struct sim_task *put(struct scene *s, unsigned int i, unsigned int node, unsigned int memory)
{
	struct sim_task *t = &s->world.tasks[i];

	sim_world_wake(&s->world, t, sim_world_cpu_of(&s->world, t, node));
	if (memory != SIM_NONE)
		sim_numa_set(&s->world, t, memory);
	return t;
}

static enum policy_rule with(enum policy_rule rule, enum policy_patch patch)
{
	rule = policy_change(rule, patch, true);
	assert_int_not_equal(rule, POLICY_UNSET);
	return rule;
}

static void patches_are_where_they_belong(void **state)
{
	static const enum policy_patch series[] = { POLICY_RETRY_INIT, POLICY_NO_SWAP,
						    POLICY_ADJUST_BEFORE_HALVE, POLICY_EIGHTH,
						    POLICY_ALLOWED_LIMIT };

	(void)state;
	assert_null(policy_patch_name(POLICY_PATCH_UNSET));
	assert_null(policy_patch_name(POLICY_NPATCHES));
	assert_int_equal(policy_patch_by_name(""), POLICY_PATCH_UNSET);
	assert_int_equal(policy_patch_by_name(NULL), POLICY_PATCH_UNSET);
	assert_int_equal(policy_patch_by_name("eight"), POLICY_PATCH_UNSET);
	assert_int_equal(policy_change(POLICY_UNSET, POLICY_EIGHTH, true), POLICY_UNSET);
	assert_int_equal(policy_change(POLICY_G7, POLICY_PATCH_UNSET, true), POLICY_UNSET);
	assert_int_equal(policy_change(POLICY_G7, POLICY_NPATCHES, true), POLICY_UNSET);
	assert_int_equal(policy_change(POLICY_G5, POLICY_EIGHTH, true), POLICY_UNSET);
	assert_int_equal(policy_change(POLICY_G4B, POLICY_ADJUST_BEFORE_HALVE, true), POLICY_UNSET);
	for (enum policy_patch p = POLICY_PATCH_UNSET + 1; p < POLICY_NPATCHES; p++)
		assert_int_equal(policy_patch_by_name(policy_patch_name(p)), p);
	for (enum policy_rule r = POLICY_G0; r <= POLICY_G9; r++) {
		for (size_t i = 0; i < sizeof(series) / sizeof(*series); i++)
			assert_int_equal(policy_has(r, series[i]), r >= POLICY_G8);
		assert_int_equal(policy_has(r, POLICY_LATE_BLOCKED_LOAD), r >= POLICY_G6);
	}
	/* Late in 5.13 to 5.17 too. */
	assert_false(policy_has(policy_refine(POLICY_G5, "5.12.19"), POLICY_LATE_BLOCKED_LOAD));
	assert_true(policy_has(policy_refine(POLICY_G5, "5.13"), POLICY_LATE_BLOCKED_LOAD));
	assert_true(policy_has(policy_refine(POLICY_G5, "5.16.1"), POLICY_LATE_BLOCKED_LOAD));
	assert_int_equal(policy_refine(POLICY_G4B, "5.13"), POLICY_G4B);
	assert_int_equal(policy_refine(POLICY_G5, "no version"), POLICY_G5);
}

/* All five together make the rule of 5.18 that of 6.0. */
static void the_whole_series_makes_the_next_generation(void **state)
{
	enum policy_rule rule = POLICY_G7, back = POLICY_G8;
	struct scene s;

	(void)state;
	for (enum policy_patch p = POLICY_RETRY_INIT; p <= POLICY_ALLOWED_LIMIT; p++) {
		rule = with(rule, p);
		assert_int_equal(policy_change(rule, p, true), POLICY_UNSET);
		back = policy_change(back, p, false);
		assert_int_not_equal(back, POLICY_UNSET);
	}
	assert_string_equal(policy_name(rule), "G7");
	set_scene(&s, ZEN3_NPS4, 1, rule);
	for (unsigned int level = 0; level < 2; level++) {
		const struct machine_view *v = &s.world.map.views[0];

		assert_int_equal(policy_imb_numa_nr(rule, v, level),
				 policy_imb_numa_nr(POLICY_G8, v, level));
		assert_int_equal(policy_imb_numa_nr(back, v, level),
				 policy_imb_numa_nr(POLICY_G7, v, level));
		for (unsigned int r = 0; r < 32; r++) {
			assert_int_equal(policy_stable_difference(rule, v, level, r, 32),
					 policy_stable_difference(POLICY_G8, v, level, r, 32));
			assert_int_equal(policy_stable_difference(back, v, level, r, 32),
					 policy_stable_difference(POLICY_G7, v, level, r, 32));
		}
	}
	arena_free(&s.arena);
}

/* 70ce3ea9aa4e: without it a task's first look round is at a random time. */
static void retry_init_looks_at_once(void **state)
{
	uint64_t first = 0, again = 0, last = 0;
	struct scene s;

	(void)state;
	set_scene(&s, TWO_40, 1, POLICY_G7);
	for (unsigned int i = 0; i < 50; i++) {
		uint64_t at = sim_numa_first(&s.world);

		assert_in_range(at, SIM_SCAN_DELAY_US, SIM_SCAN_DELAY_US + SIM_SCAN_PERIOD_US);
		first = i ? (at < first ? at : first) : at;
		last = at > last ? at : last;
	}
	assert_true(last - first > SIM_SCAN_PERIOD_US / 2);
	s.world.rule = with(POLICY_G7, POLICY_RETRY_INIT);
	first = sim_numa_first(&s.world);
	again = sim_numa_first(&s.world);
	assert_int_equal(first, SIM_SCAN_DELAY_US);
	assert_int_equal(again, SIM_SCAN_DELAY_US);
	arena_free(&s.arena);
}

/* Twelve ranks on each node, so that no rule lets one more onto either; the first two
 * have their memory where the other is. */
static void cross_over(struct scene *s, enum policy_rule rule)
{
	set_scene(s, TWO_40, 24, rule);
	for (unsigned int i = 0; i < 24; i++)
		put(s, i, i % 2, i < 2 ? 1 - i % 2 : i % 2);
}

/* 13ede3315087: no trading places while there are idle cpus. */
static void no_swap_does_not_swap_while_there_are_idle_cpus(void **state)
{
	enum policy_rule patched = with(POLICY_G7, POLICY_NO_SWAP);
	struct scene s;

	(void)state;
	cross_over(&s, POLICY_G7);
	assert_true(sim_numa_look(&s.world, &s.world.tasks[0], 1000));
	assert_int_equal(sim_world_node(&s.world, &s.world.tasks[0]), 1);
	assert_int_equal(sim_world_node(&s.world, &s.world.tasks[1]), 0);
	assert_int_equal(s.world.node_running[0], 12);
	arena_free(&s.arena);

	cross_over(&s, patched);
	assert_true(sim_numa_look(&s.world, &s.world.tasks[0], 1000));
	assert_int_equal(sim_world_node(&s.world, &s.world.tasks[0]), 0);
	assert_int_equal(sim_world_node(&s.world, &s.world.tasks[1]), 1);
	/* Its memory comes instead. */
	assert_true(s.world.tasks[0].share[0] > 0.25);
	arena_free(&s.arena);

	/* Where no cpu is idle it still does. */
	set_scene(&s, TWO_8, 16, patched);
	for (unsigned int i = 0; i < 16; i++)
		put(&s, i, i % 2, i < 2 ? 1 - i % 2 : i % 2);
	sim_numa_look(&s.world, &s.world.tasks[0], 1000);
	assert_int_equal(sim_world_node(&s.world, &s.world.tasks[0]), 1);
	assert_int_equal(sim_world_node(&s.world, &s.world.tasks[1]), 0);
	arena_free(&s.arena);
}

static void nobody_trades_places_for_nothing(void **state)
{
	struct scene s;

	(void)state;
	cross_over(&s, POLICY_G7);
	/* The one there is where its memory is. */
	sim_numa_set(&s.world, &s.world.tasks[1], 1);
	sim_numa_look(&s.world, &s.world.tasks[0], 1000);
	assert_int_equal(sim_world_node(&s.world, &s.world.tasks[0]), 0);
	arena_free(&s.arena);
}

static void fork_children(enum policy_rule rule, const struct cpus *allowed, char *sequence)
{
	struct arena a = UNIT_ARENA;
	struct sim_outcome o;
	struct sim_params p;
	struct machine m;

	sim_machine_make(&m, &a, TWO_40);
	sim_defaults(&p);
	p.rule = rule;
	p.launch = SIM_SPIN;
	p.nranks = 16;
	p.gap_us = 10;
	p.allowed = allowed;
	sim_run(sim_new(&a, &m, &p), 1, &o);
	for (unsigned int i = 0; i < 16; i++)
		sequence[i] = o.first[i] == o.from[i] ? 'L' : 'R';
	sequence[16] = '\0';
	arena_free(&a);
}

/* Ranks of a launch under the rule when the balancer has come to rest. */
static unsigned int difference_in_the_end(enum policy_rule rule)
{
	struct arena a = UNIT_ARENA;
	struct sim_outcome o;
	struct sim_params p;
	struct machine m;
	unsigned int d;

	sim_machine_make(&m, &a, TWO_40);
	sim_defaults(&p);
	p.rule = rule;
	p.nranks = 16;
	sim_run(sim_new(&a, &m, &p), 1, &o);
	d = o.ranks[6] > o.ranks[7] ? o.ranks[6] - o.ranks[7] : o.ranks[7] - o.ranks[6];
	arena_free(&a);
	return d;
}

/* cb29a5c19d2d: the same 2 at fork and when balancing, where 5.18 has no limit at fork
 * and, halving first, 5 when balancing. */
static void adjust_before_halve_limits_the_difference(void **state)
{
	enum policy_rule patched = with(POLICY_G7, POLICY_ADJUST_BEFORE_HALVE);
	char got[17];

	(void)state;
	fork_children(POLICY_G7, NULL, got);
	assert_string_equal(got, "LLLLLLLLLRRRRRRR");
	fork_children(patched, NULL, got);
	assert_string_equal(got, "LLRLRLRLRLRLRLRL");
	assert_int_equal(difference_in_the_end(POLICY_G7), 4);
	assert_in_range(difference_in_the_end(patched), 0, 2);
}

/* 026b98a93bbd: 5 of 40 cpus, not 10; and never none. */
static void eighth_halves_the_threshold(void **state)
{
	enum policy_rule patched = with(POLICY_G7, POLICY_EIGHTH);
	char got[17];
	struct scene s;

	(void)state;
	fork_children(patched, NULL, got);
	assert_string_equal(got, "LLLLRRRRRLRLRLRL");
	set_scene(&s, TWO_40, 1, patched);
	assert_int_equal(policy_imb_numa_nr(POLICY_G7, &s.world.map.views[0], 0), 10);
	assert_int_equal(policy_imb_numa_nr(patched, &s.world.map.views[0], 0), 5);
	arena_free(&s.arena);
	set_scene(&s, TWO_8, 1, patched);
	assert_int_equal(policy_imb_numa_nr(POLICY_G7, &s.world.map.views[0], 0), 2);
	assert_int_equal(policy_imb_numa_nr(patched, &s.world.map.views[0], 0), 1);
	arena_free(&s.arena);
}

/* f5b2eeb49991: three cpus of a node are not for ten tasks. */
static void allowed_limit_counts_the_cpus_a_task_may_use(void **state)
{
	struct arena a = UNIT_ARENA;
	struct cpus few;
	char got[17];

	(void)state;
	assert_int_equal(cpus_init(&few, &a, 80), 0);
	assert_int_equal(cpus_parse(&few, "0-2,40-42", 9), 0);
	fork_children(POLICY_G7, &few, got);
	assert_memory_equal(got, "LLLLLLLLL", 9);
	fork_children(with(POLICY_G7, POLICY_ALLOWED_LIMIT), &few, got);
	assert_memory_equal(got, "LLRRR", 5);
	arena_free(&a);
}

/* Where a task wakes that four slept beside, 0.2 s ago, when it is called from the
 * other node; not by a socket, which calls it over at once. */
static unsigned int called_from_afar(enum policy_rule rule, bool sync)
{
	unsigned int node;
	struct scene s;

	set_scene(&s, TWO_40, 6, rule);
	for (unsigned int i = 0; i < 5; i++)
		sim_world_wake(&s.world, &s.world.tasks[i], 3);
	sim_world_wake(&s.world, &s.world.tasks[5], 77);
	s.world.now = 50000;
	for (unsigned int i = 0; i < 5; i++)
		sim_world_sleep(&s.world, &s.world.tasks[i]);
	s.world.now = 250000;
	sim_place_wake(&s.world, &s.world.tasks[0], 77, sync);
	node = sim_world_node(&s.world, &s.world.tasks[0]);
	arena_free(&s.arena);
	return node;
}

/* c6f886546cb8, as far as its description goes: an idle cpu still counts what slept
 * there, so that a task leaves it for its waker's node. */
static void late_blocked_load_makes_an_idle_cpu_look_busy(void **state)
{
	(void)state;
	assert_int_equal(called_from_afar(POLICY_G5, false), 0);
	assert_int_equal(called_from_afar(with(POLICY_G5, POLICY_LATE_BLOCKED_LOAD), false), 1);
	assert_int_equal(called_from_afar(POLICY_G8, false), 1);
	assert_int_equal(
	    called_from_afar(policy_change(POLICY_G8, POLICY_LATE_BLOCKED_LOAD, false), false), 0);
	/* A synchronous wake-up goes to the waker's node whatever the loads. */
	assert_int_equal(called_from_afar(POLICY_G5, true), 1);
}

/* Levels beyond the reclaim distance are not crossed (notes 2.2). */
static void nobody_is_called_across_the_reclaim_distance(void **state)
{
	struct scene s;

	(void)state;
	set_scene(&s, FOUR_RING, 3, POLICY_G8);
	put(&s, 0, 0, SIM_NONE);
	put(&s, 1, 2, SIM_NONE);
	put(&s, 2, 1, SIM_NONE);
	sim_world_sleep(&s.world, &s.world.tasks[1]);
	sim_place_wake(&s.world, &s.world.tasks[1], s.world.tasks[0].cpu, true);
	assert_int_equal(sim_world_node(&s.world, &s.world.tasks[1]), 2);
	sim_world_sleep(&s.world, &s.world.tasks[2]);
	sim_place_wake(&s.world, &s.world.tasks[2], s.world.tasks[0].cpu, true);
	assert_int_equal(sim_world_node(&s.world, &s.world.tasks[2]), 0);
	arena_free(&s.arena);
}

/* --- the thread of 2015 --------------------------------------------------------- */

static void a_lone_task_moves_to_its_memory(void **state)
{
	static const enum policy_rule rules[] = { POLICY_R2015, POLICY_G0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		struct scene s;

		set_scene(&s, ZEN3_NPS4, 1, rules[i]);
		put(&s, 0, 2, 5);
		assert_true(sim_numa_look(&s.world, &s.world.tasks[0], 1000));
		assert_int_equal(sim_world_node(&s.world, &s.world.tasks[0]), 5);
		arena_free(&s.arena);
	}
}

/* Four of 32 cpus busy on each of eight nodes, and all memory on one. */
static void workloads_do_not_converge_on_few_nodes(void **state)
{
	struct scene s;
	unsigned int moved = 0;

	(void)state;
	set_scene(&s, EIGHT_32, 32, POLICY_R2015);
	for (unsigned int i = 0; i < 32; i++)
		put(&s, i, i % 8, 0);
	for (unsigned int round = 0; round < 100; round++)
		for (unsigned int i = 0; i < 32; i++) {
			unsigned int before = sim_world_node(&s.world, &s.world.tasks[i]);

			sim_numa_look(&s.world, &s.world.tasks[i], 100000);
			moved += sim_world_node(&s.world, &s.world.tasks[i]) != before;
			assert_in_range(s.world.node_running[0], 4, 5);
		}
	assert_in_range(moved, 0, 1);
	arena_free(&s.arena);
}

/* But a node that is less busy for its capacity takes them, until it is not. */
static void a_less_busy_node_receives(void **state)
{
	struct scene s;

	(void)state;
	set_scene(&s, TWO_40, 10, POLICY_R2015);
	for (unsigned int i = 0; i < 10; i++)
		put(&s, i, 0, 1);
	for (unsigned int i = 0; i < 10; i++)
		sim_numa_look(&s.world, &s.world.tasks[i], 100000);
	assert_int_equal(s.world.node_running[1], 5);
	arena_free(&s.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patches_are_where_they_belong),
		cmocka_unit_test(the_whole_series_makes_the_next_generation),
		cmocka_unit_test(retry_init_looks_at_once),
		cmocka_unit_test(no_swap_does_not_swap_while_there_are_idle_cpus),
		cmocka_unit_test(nobody_trades_places_for_nothing),
		cmocka_unit_test(adjust_before_halve_limits_the_difference),
		cmocka_unit_test(eighth_halves_the_threshold),
		cmocka_unit_test(allowed_limit_counts_the_cpus_a_task_may_use),
		cmocka_unit_test(late_blocked_load_makes_an_idle_cpu_look_busy),
		cmocka_unit_test(nobody_is_called_across_the_reclaim_distance),
		cmocka_unit_test(a_lone_task_moves_to_its_memory),
		cmocka_unit_test(workloads_do_not_converge_on_few_nodes),
		cmocka_unit_test(a_less_busy_node_receives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
