/* The kernel's rule for how uneven NUMA nodes may be, generation by
 * generation, in our own words and formulas.
 *
 * Source of every number: the project's kernel-policy notes, which cite the
 * kernel file and commit; the section is named at each function. Pure
 * functions, no memory, no system calls.
 *
 * Words: "local" is the group the parent or the puller is in, "busiest" the
 * group a balancer would pull from, "running" counts runnable tasks (sleepers
 * are not seen), "idle" idle cpus.
 */
#ifndef EVENKEEL_CORE_POLICY_H
#define EVENKEEL_CORE_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/machine.h"

/* Generations G0..G9 of the notes, section 1.1, then rules that no release
 * had. */
enum policy_rule {
	POLICY_UNSET = 0,
	POLICY_G0,  /* 4.2 - 4.18: load rule, numa_has_capacity */
	POLICY_G1,  /* 4.19 - 5.4 */
	POLICY_G2,  /* 5.5 */
	POLICY_G3,  /* 5.6 */
	POLICY_G4A, /* 5.7 - 5.9 */
	POLICY_G4B, /* 5.10 */
	POLICY_G5,  /* 5.11 - 5.14, 5.15.0-.32, 5.16.0-.18, 5.17.0-.1 */
	POLICY_G6,  /* 5.15.33+, 5.16.19+, 5.17.2+ */
	POLICY_G7,  /* 5.18, 5.19 */
	POLICY_G8,  /* 6.0 - 6.18 */
	POLICY_G8B, /* 6.19+, 6.1.178+, 6.12.97+, ... */
	POLICY_G9,  /* 7.1+ */
	POLICY_V3,  /* unmerged series of Dec 2021, thresholds in the allow test */
	POLICY_V4,
	POLICY_V41,
	POLICY_V42,
	POLICY_R2015, /* the two tests of the 2015 thread (v4.2), without multipliers */
	POLICY_NRULES,
};

/* Short name ("G8b", "v4.1", "2015"); NULL for POLICY_UNSET or out of range. */
const char *policy_name(enum policy_rule rule);
/* The rule of that name (case ignored), or POLICY_UNSET; NULL is no name. */
enum policy_rule policy_by_name(const char *name);
/* One line that says the rule in words, for the user; NULL as policy_name. */
const char *policy_describe(enum policy_rule rule);

/* Changes that can be had one by one (section 1.7). A rule's value may carry them:
 * policy_change gives such a value, and every function here takes it. */
enum policy_patch {
	POLICY_PATCH_UNSET = 0,
	POLICY_RETRY_INIT,	    /* 70ce3ea9aa4e: a new task looks for its node at once */
	POLICY_NO_SWAP,		    /* 13ede3315087: no swap while the destination has spare cpus */
	POLICY_ADJUST_BEFORE_HALVE, /* cb29a5c19d2d: one limit of 2 at fork and when balancing */
	POLICY_EIGHTH,		    /* 026b98a93bbd: an eighth of a node, not a quarter */
	POLICY_ALLOWED_LIMIT,	    /* f5b2eeb49991: no more than the cpus the task may use */
	POLICY_LATE_BLOCKED_LOAD,   /* c6f886546cb8: blocked load is brought up to date late */
	POLICY_NPATCHES,
};

/* "retry-init", "no-swap", "adjust-before-halve", "eighth", "allowed-limit",
 * "late-blocked-load"; NULL for none. */
const char *policy_patch_name(enum policy_patch patch);
/* The patch of that name (case ignored), or POLICY_PATCH_UNSET; NULL is no name. */
enum policy_patch policy_patch_by_name(const char *name);
/* Does the rule have it? The first five are in G8 to G9; the last in G6 to G9 and
 * V3 to V42 (5.16 and later), and not in G5, which is older at its beginning. */
bool policy_has(enum policy_rule rule, enum policy_patch patch);
/* rule with the patch, or without it; POLICY_UNSET when it is so already, or when
 * the patch changes nothing that the rule has: the eighth where there is no
 * imb_numa_nr of 5.18 or later, adjust-before-halve and allowed-limit before
 * 5.11. */
enum policy_rule policy_change(enum policy_rule rule, enum policy_patch patch, bool with);
/* rule, which policy_of_version gave for release, with what was in some of that
 * generation's releases only: 5.13 to 5.17 have late-blocked-load. */
enum policy_rule policy_refine(enum policy_rule rule, const char *release);

/* Everywhere below POLICY_UNSET and numbers out of range mean G8, the tightest
 * rule, as section 3.3 advises when nothing is known. */

/* How sure a version's rule is. */
enum policy_certainty {
	POLICY_CERTAINTY_UNSET = 0,
	POLICY_EXACT,   /* a mainline or stable version */
	POLICY_ASSUMED, /* vendor kernel (el8, el9, SLES, Ubuntu ...): back-ports not known */
	POLICY_NEWER,   /* newer than the newest version in the notes (7.1): G9 */
	POLICY_OLDER,   /* before 4.2: G0 */
};

/* The rule of a kernel release string as uname -r gives it ("6.12.117",
 * "5.15.0-91-generic", "4.18.0-513.el8.x86_64", "6.1.0-40-amd64"). "6.12" means
 * 6.12.0, and a release candidate counts as its release. 0, or -1 with errno
 * EINVAL and the results untouched when it is NULL or does not start with N.N.
 *
 * ASSUMED goes with the rule of the number as it stands, for: the marks of a
 * vendor (list in policy_version.c); N.N.0-DIGIT, where a package number stands
 * in place of the stable sublevel (Debian, Ubuntu and others); and 6.6.y and
 * 6.18.y from y = 1, which also got the change to G8b at a sublevel that
 * section 1.7 could not resolve. Any other suffix ("-custom", "+deb12-amd64")
 * says nothing against the number. Versions: section 1.1. */
int policy_of_version(const char *release, enum policy_rule *rule,
		      enum policy_certainty *certainty);

/* --- numbers of one NUMA level (section 1.2, 1.3, 1.4) --------------------- */

/* imb_numa_nr of level (0-based, nearest first) in view; 0 for rules before
 * 5.18, R2015, and when level is out of range or P or L is 0. Integer divisions
 * throughout; P, L, S_j as in struct machine_view, nr_llcs = P / L.
 *   G7      nr_llcs == 1 ? P / 4 : nr_llcs, times max(1, S_j / S_1)
 *   G8-G9   max(1, nr_llcs == 1 ? P / 8 : nr_llcs), times the same
 *   V41 V42 max(2, (L * L / P) / 4), times the same (source tables)
 *   V3 V4   max(1, (L * L / S_j) / 4): derived. The source tables give only the
 *           values 1, 1 at NPS4. V41's formula without its floor of 2 gives
 *           2, 4 there, so the floor cannot be the difference; L squared over
 *           the span of the level itself, floored at 1, fits. That V3 has V4's
 *           values is assumed. */
unsigned int policy_imb_numa_nr(enum policy_rule rule, const struct machine_view *view,
				unsigned int level);

/* The thresholds as section 3.1's table prints them: the number that the local
 * group's (fork) or the less or more loaded group's (balance) running count is
 * held against at that level; 0 when level is out of range. G0, G1, R2015: a
 * quarter of the local group's cpus, held against the difference, and 0 for
 * balance. G2-G4b: the local group's cpus for fork (stays while a cpu is idle);
 * balance 0 for G2, 2 for G3-G4b. G5, V4, V41: S_j>>2 and group>>2. G6:
 * group>>2 both. V3, V42 and from G7: imb_numa_nr both; with allowed_local > 0
 * (the rank's allowed cpus in the local group) fork from G8 is
 * min(imb_numa_nr, allowed_local). The group of level j is the span of level
 * j-1 (P for level 0). */
unsigned int policy_fork_limit(enum policy_rule rule, const struct machine_view *view,
			       unsigned int level, unsigned int allowed_local);
unsigned int policy_balance_limit(enum policy_rule rule, const struct machine_view *view,
				  unsigned int level);

/* --- the tests -------------------------------------------------------------- */

/* Two sibling groups of one level. A group has spare capacity while running <
 * cpus, is full at running == cpus and overloaded above. */
struct policy_group {
	unsigned int cpus;    /* the group's weight: all its cpus, allowed or not */
	unsigned int running;
	unsigned int idle;    /* idle cpus; normally cpus - running, floored at 0 */
	unsigned int allowed; /* cpus of the group the task may use; 0 = all */
};

/* Whether fork counts running and idle over the task's allowed cpus only (G8b,
 * G9): the caller of policy_fork_stays then fills both groups that way. cpus
 * stays the whole group's (section 1.3). */
bool policy_fork_counts_allowed(enum policy_rule rule);

/* Section 1.3: does a task that forks or execs in local stay in local, when
 * remote is the idlest other group? The task itself is in no count. Thresholds
 * come from view, level and the groups' cpus. Always true at a level that fork
 * cannot cross, or out of range.
 *
 * G0, G1, R2015: by load, for tasks of equal weight on cpus of capacity 1024:
 * stays while local's load is at most k above remote's, loads being running *
 * 1024 / cpus and k = 256 (section 1.3; imbalance_pct 125). V3 and V42 hold
 * local's running below imb_numa_nr, V4 and V41 use G5's test (derived from the
 * source tables: the thresholds are in the allow test or not).
 * From G2 the less full group wins (spare, full, overloaded). The notes are
 * silent on two groups equally full or overloaded: the load test is assumed,
 * with k = 174 from 5.10 (imbalance_pct 117). A NUMA preferred node and the
 * 589 of SMT cpus before 5.0 are not modelled. */
bool policy_fork_stays(enum policy_rule rule, const struct machine_view *view, unsigned int level,
		       const struct policy_group *local, const struct policy_group *remote);

/* Section 1.4: how many tasks the periodic balancer wants to pull from busiest
 * to local at that level; 0 = leaves alone, or level out of range. At level 0
 * the imbalance is the difference of running, at the higher ones of idle;
 * either acts only above 1.
 *
 * G0, G1, R2015: the notes say "load rule, no NUMA allowance" and no formula.
 * Taken as: as many tasks of equal weight as move before local's running per
 * cpu exceeds busiest's. With equal groups that is half of the difference, as
 * in G2. The same is assumed of every rule outside the precondition of section
 * 1.4: local without spare capacity, or busiest overloaded.
 * V3, V42: left alone as in G5, with imb_numa_nr for the quarter. V4, V41: as
 * in G5, with imb_numa_nr for the 2 that the halved imbalance is held against.
 * The 6.6 correction for unequal core counts is not modelled. */
unsigned int policy_balance_pulls(enum policy_rule rule, const struct machine_view *view,
				  unsigned int level, const struct policy_group *local,
				  const struct policy_group *busiest);

/* Section 1.5: may automatic NUMA balancing move one task from src to an idle
 * cpu of dst (both counted before the move, the task in src)? view is that of a
 * cpu of src; imb_numa_nr is its level 0's. False when src runs nothing or dst
 * has no idle cpu. What the allowance of G4a and later refuses may still move
 * by the load test of G1. Loads are running counts, capacities cpus. */
bool policy_numa_moves(enum policy_rule rule, const struct machine_view *view,
		       const struct policy_group *src, const struct policy_group *dst);

/* The largest running difference (busiest - local) that the balancer leaves
 * alone at that level when the less busy group has local_running tasks and both
 * groups have group_cpus cpus, one task a cpu (section 1.4, last list). At least
 * 1; UINT_MAX when level is out of range, as nothing balances there. */
unsigned int policy_stable_difference(enum policy_rule rule, const struct machine_view *view,
				      unsigned int level, unsigned int local_running,
				      unsigned int group_cpus);

/* --- the 2015 tests (section 1.6, source tables "Rik van Riel, 2015") -------- */

/* numa_has_capacity of v4.2: loads in any common unit, capacities in any
 * common unit. Products of two must fit 64 bits. */
bool policy_2015_has_capacity(unsigned long src_load, unsigned long src_capacity, bool src_free,
			      unsigned long dst_load, unsigned long dst_capacity, bool dst_free);
/* load_too_imbalanced of v4.2: the move is refused (true) when it makes the
 * imbalance worse than orig. src_load and dst_load are those after the move. The
 * larger load of each pair counts as dst's; the capacities stay where they are.
 * imbalance_pct is 112 in NUMA balancing: 100 and half of the 25 of NUMA levels
 * (section 1.6). load * capacity * imbalance_pct must fit 63 bits. */
bool policy_2015_too_imbalanced(unsigned long src_load, unsigned long dst_load,
				unsigned long orig_src_load, unsigned long orig_dst_load,
				unsigned long src_capacity, unsigned long dst_capacity,
				unsigned int imbalance_pct);

#endif
