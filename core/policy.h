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
/* The rule of that name (case ignored), or POLICY_UNSET. */
enum policy_rule policy_by_name(const char *name);
/* One line that says the rule in words, for the user. */
const char *policy_describe(enum policy_rule rule);

/* How sure a version's rule is. */
enum policy_certainty {
	POLICY_CERTAINTY_UNSET = 0,
	POLICY_EXACT,   /* a mainline or stable version */
	POLICY_ASSUMED, /* vendor kernel (el8, el9, SLES, Ubuntu ...): back-ports not known */
	POLICY_NEWER,   /* newer than the newest version in the notes */
	POLICY_OLDER,   /* before 4.2 */
};

/* The rule of a kernel release string as uname -r gives it ("6.12.117",
 * "5.15.0-91-generic", "4.18.0-513.el8.x86_64", "6.1.0-40-amd64"). "6.12" means
 * 6.12.0. 0, or -1 with errno EINVAL when it does not start with N.N. */
int policy_of_version(const char *release, enum policy_rule *rule,
		      enum policy_certainty *certainty);

/* --- numbers of one NUMA level (section 1.2, 1.3, 1.4) --------------------- */

/* imb_numa_nr of level (0-based, nearest first) in view; 0 for rules before
 * 5.18 and when level is out of range. */
unsigned int policy_imb_numa_nr(enum policy_rule rule, const struct machine_view *view,
				unsigned int level);

/* The thresholds as section 3.1's table prints them: the number that the local
 * group's (fork) or the less or more loaded group's (balance) running count is
 * held against at that level. G0, G1: a quarter of the local group's cpus, held
 * against the difference, and 0 for balance. G2-G4b: the local group's cpus
 * for fork (stays while a cpu is idle); balance 0 for G2, 2 for G3-G4b. G5:
 * S_j>>2 and group>>2. G6: group>>2 both. From G7: imb_numa_nr both; with
 * allowed_local > 0 (the rank's allowed cpus in the local group) fork from G8
 * is min(imb_numa_nr, allowed_local). The group of level j is the span of
 * level j-1 (P for level 0). */
unsigned int policy_fork_limit(enum policy_rule rule, const struct machine_view *view,
			       unsigned int level, unsigned int allowed_local);
unsigned int policy_balance_limit(enum policy_rule rule, const struct machine_view *view,
				  unsigned int level);

/* --- the tests -------------------------------------------------------------- */

/* Two sibling groups of one level, both with spare capacity unless running >=
 * cpus. cpus is the group's weight. */
struct policy_group {
	unsigned int cpus;
	unsigned int running;
	unsigned int idle;    /* idle cpus; normally cpus - running, floored at 0 */
	unsigned int allowed; /* cpus of the group the task may use; 0 = all */
};

/* Section 1.3: does a task that forks or execs in local stay in local, when
 * remote is the idlest other group? view and level give the thresholds. */
bool policy_fork_stays(enum policy_rule rule, const struct machine_view *view, unsigned int level,
		       const struct policy_group *local, const struct policy_group *remote);

/* Section 1.4: how many tasks the periodic balancer wants to pull from busiest
 * to local at that level; 0 = leaves alone. */
unsigned int policy_balance_pulls(enum policy_rule rule, const struct machine_view *view,
				  unsigned int level, const struct policy_group *local,
				  const struct policy_group *busiest);

/* Section 1.5: may automatic NUMA balancing move one task from src to an idle
 * cpu of dst (both counted before the move)? */
bool policy_numa_moves(enum policy_rule rule, const struct machine_view *view,
		       const struct policy_group *src, const struct policy_group *dst);

/* The largest running difference (busiest - local) that the balancer leaves
 * alone at that level when the less busy group has local_running tasks and both
 * groups have group_cpus cpus (section 1.4, last list). */
unsigned int policy_stable_difference(enum policy_rule rule, const struct machine_view *view,
				      unsigned int level, unsigned int local_running,
				      unsigned int group_cpus);

/* --- the 2015 tests (section 1.6, source tables "Rik van Riel, 2015") -------- */

/* numa_has_capacity of v4.2: loads in any common unit, capacities in any
 * common unit. */
bool policy_2015_has_capacity(unsigned long src_load, unsigned long src_capacity, bool src_free,
			      unsigned long dst_load, unsigned long dst_capacity, bool dst_free);
/* load_too_imbalanced of v4.2: the move is refused (true) when it makes the
 * imbalance worse than orig. imbalance_pct is 125 at NUMA levels. */
bool policy_2015_too_imbalanced(unsigned long src_load, unsigned long dst_load,
				unsigned long orig_src_load, unsigned long orig_dst_load,
				unsigned long src_capacity, unsigned long dst_capacity,
				unsigned int imbalance_pct);

#endif
