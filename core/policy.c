#include "core/policy.h"

#include <limits.h>
#include <stdint.h>

/* NUMA_IMBALANCE_MIN (kernel-policy notes, section 0): the imbalance of one
 * pair of tasks. */
enum { PAIR = 2 };
/* imbalance_pct in NUMA balancing up to 5.9: 100 + (125 - 100) / 2 (1.6). */
enum { NUMA_PCT = 112 };

/* How imb_numa_nr is computed. */
enum imb { IMB_NONE = 0, IMB_5_18, IMB_6_0, IMB_V4, IMB_V41 }; /* 5.18's with the eighth is 6.0's */

/* What a test holds a running count against. */
enum held {
	HELD_NOTHING = 0,   /* no allowance */
	HELD_LOAD,          /* loads are compared instead of counts */
	HELD_CAPACITY,      /* numa: numa_has_capacity with imbalance_pct, and load */
	HELD_CAPACITY_2015, /* numa: the same without multipliers */
	HELD_IDLE,          /* fork: stays while a cpu is idle */
	HELD_PAIR,
	HELD_PAIR_SRC,      /* numa: the source's count, not the destination's */
	HELD_QUARTER,       /* of the group's cpus */
	HELD_SPAN_QUARTER,  /* of the whole level's cpus */
	HELD_IMB,           /* imb_numa_nr */
};

/* The largest imbalance that a lightly loaded group is forgiven. */
enum slack { SLACK_ANY = 0, SLACK_PAIR, SLACK_IMB };

struct rule {
	char name[8]; /* in place, not by pointer: the start-up of every process pays for those */
	enum imb imb;
	enum held fork, balance, numa;
	bool below;    /* the count must be below what it is held against; else may reach it */
	bool newcomer; /* the count is local's + 1; else local's (fork), busiest's (balance) */
	enum slack slack;
	bool allowed;  /* fork counts over the task's allowed cpus */
	unsigned int patches; /* bit per enum policy_patch */
	unsigned int pct; /* imbalance_pct of NUMA levels */
	char describe[112];
};

#define BIT(patch) (1u << (patch))
/* What came with 6.0, and what came with 5.13 and stayed. */
#define SERIES                                                                                  \
	(BIT(POLICY_RETRY_INIT) | BIT(POLICY_NO_SWAP) | BIT(POLICY_ADJUST_BEFORE_HALVE) |         \
	 BIT(POLICY_EIGHTH) | BIT(POLICY_ALLOWED_LIMIT))
#define LATE BIT(POLICY_LATE_BLOCKED_LOAD)

/* Section 1.1, read with 1.3 to 1.5; the last five from the source tables. */
/* clang-format off */
static const struct rule rules[POLICY_NRULES] = {
	/*                  name   imb       fork               balance       numa */
	[POLICY_G0] =    { "G0",   IMB_NONE, HELD_LOAD,         HELD_LOAD,    HELD_CAPACITY,
			   false, false, SLACK_ANY,  false, 0, 125,
			   "4.2-4.18: by load; NUMA balancing moves to nodes with capacity" },
	[POLICY_G1] =    { "G1",   IMB_NONE, HELD_LOAD,         HELD_LOAD,    HELD_LOAD,
			   false, false, SLACK_ANY,  false, 0, 125,
			   "4.19-5.4: by load, no imbalance allowed" },
	[POLICY_G2] =    { "G2",   IMB_NONE, HELD_IDLE,         HELD_NOTHING, HELD_LOAD,
			   true,  false, SLACK_ANY,  false, 0, 125,
			   "5.5: fork fills a node; the balancer allows a difference of 1" },
	[POLICY_G3] =    { "G3",   IMB_NONE, HELD_IDLE,         HELD_PAIR,    HELD_LOAD,
			   false, false, SLACK_ANY,  false, 0, 125,
			   "5.6: fork fills a node; the balancer leaves 2 tasks alone" },
	[POLICY_G4A] =   { "G4a",  IMB_NONE, HELD_IDLE,         HELD_PAIR,    HELD_PAIR_SRC,
			   false, false, SLACK_ANY,  false, 0, 125,
			   "5.7-5.9: as 5.6; NUMA balancing allows 2 tasks left on the source" },
	[POLICY_G4B] =   { "G4b",  IMB_NONE, HELD_IDLE,         HELD_PAIR,    HELD_PAIR,
			   false, false, SLACK_ANY,  false, 0, 117,
			   "5.10: as 5.6; NUMA balancing allows 2 tasks on the destination" },
	[POLICY_G5] =    { "G5",   IMB_NONE, HELD_SPAN_QUARTER, HELD_QUARTER, HELD_QUARTER,
			   true,  false, SLACK_PAIR, false, 0, 117,
			   "5.11-5.17: fork fills a quarter of all cpus; differs by up to 5 below "
			   "a quarter of a node" },
	[POLICY_G6] =    { "G6",   IMB_NONE, HELD_QUARTER,      HELD_QUARTER, HELD_QUARTER,
			   true,  true,  SLACK_PAIR, false, LATE, 117,
			   "5.15.33, 5.16.19, 5.17.2 and later: up to 5 apart below a quarter of "
			   "a node, fork too" },
	[POLICY_G7] =    { "G7",   IMB_5_18, HELD_IMB,          HELD_IMB,     HELD_IMB,
			   false, true,  SLACK_PAIR, false, LATE, 117,
			   "5.18-5.19: up to 5 apart while the idler node has imb_numa_nr tasks" },
	[POLICY_G8] =    { "G8",   IMB_6_0,  HELD_IMB,          HELD_IMB,     HELD_IMB,
			   false, true,  SLACK_PAIR, false, SERIES | LATE, 117,
			   "6.0-6.18: up to 2 apart while the idler node has imb_numa_nr tasks" },
	[POLICY_G8B] =   { "G8b",  IMB_6_0,  HELD_IMB,          HELD_IMB,     HELD_IMB,
			   false, true,  SLACK_PAIR, true,  SERIES | LATE, 117,
			   "6.19-7.0, late 6.1 and 6.12: as 6.0; fork counts allowed cpus only" },
	[POLICY_G9] =    { "G9",   IMB_6_0,  HELD_IMB,          HELD_IMB,     HELD_IMB,
			   false, true,  SLACK_PAIR, true,  SERIES | LATE, 117,
			   "7.1: same numbers as 6.19" },
	[POLICY_V3] =    { "v3",   IMB_V4,   HELD_IMB,          HELD_IMB,     HELD_IMB,
			   true,  false, SLACK_PAIR, false, LATE, 117,
			   "unmerged, 2021: v4's imb_numa_nr in place of 5.11's quarters" },
	[POLICY_V4] =    { "v4",   IMB_V4,   HELD_SPAN_QUARTER, HELD_QUARTER, HELD_QUARTER,
			   true,  false, SLACK_IMB,  false, LATE, 117,
			   "unmerged, 2021: 5.11's quarters; imb_numa_nr bounds the imbalance" },
	[POLICY_V41] =   { "v4.1", IMB_V41,  HELD_SPAN_QUARTER, HELD_QUARTER, HELD_QUARTER,
			   true,  false, SLACK_IMB,  false, LATE, 117,
			   "unmerged, 2021: as v4, imb_numa_nr at least 2 and growing by level" },
	[POLICY_V42] =   { "v4.2", IMB_V41,  HELD_IMB,          HELD_IMB,     HELD_IMB,
			   true,  false, SLACK_PAIR, false, LATE, 117,
			   "unmerged, 2021: as v3 with the imb_numa_nr of v4.1" },
	[POLICY_R2015] = { "2015", IMB_NONE, HELD_LOAD,         HELD_LOAD,    HELD_CAPACITY_2015,
			   false, false, SLACK_ANY,  false, 0, 125,
			   "4.2: a node receives only if it is less busy for its capacity" },
};
/* clang-format on */

/* The patches that a value differs in from its rule stand above these bits. */
#define RULE_BITS 8u
#define RULE_MASK 0xffu
_Static_assert((unsigned int)POLICY_NRULES <= RULE_MASK, "rules and patches fit in one number");

static const char patch_names[POLICY_NPATCHES][24] = {
	[POLICY_RETRY_INIT] = "retry-init",
	[POLICY_NO_SWAP] = "no-swap",
	[POLICY_ADJUST_BEFORE_HALVE] = "adjust-before-halve",
	[POLICY_EIGHTH] = "eighth",
	[POLICY_ALLOWED_LIMIT] = "allowed-limit",
	[POLICY_LATE_BLOCKED_LOAD] = "late-blocked-load",
};

/* The place in the table, or POLICY_UNSET. */
static enum policy_rule base(enum policy_rule rule)
{
	enum policy_rule b = (enum policy_rule)((unsigned int)rule & RULE_MASK);

	if ((unsigned int)rule >> RULE_BITS >= BIT(POLICY_NPATCHES) || b >= POLICY_NRULES)
		return POLICY_UNSET;
	return b;
}

static const struct rule *rule_of(enum policy_rule rule)
{
	return &rules[base(rule) ? base(rule) : POLICY_G8];
}

const char *policy_name(enum policy_rule rule)
{
	return base(rule) ? rules[base(rule)].name : NULL;
}

const char *policy_describe(enum policy_rule rule)
{
	return base(rule) ? rules[base(rule)].describe : NULL;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_name(const char *a, const char *b)
{
	while (*a && lower(*a) == lower(*b)) {
		a++;
		b++;
	}
	return lower(*a) == lower(*b);
}

enum policy_rule policy_by_name(const char *name)
{
	for (enum policy_rule rule = POLICY_UNSET + 1; name && rule < POLICY_NRULES; rule++)
		if (same_name(rules[rule].name, name))
			return rule;
	return POLICY_UNSET;
}

const char *policy_patch_name(enum policy_patch patch)
{
	return patch > POLICY_PATCH_UNSET && patch < POLICY_NPATCHES ? patch_names[patch] : NULL;
}

enum policy_patch policy_patch_by_name(const char *name)
{
	for (enum policy_patch p = POLICY_PATCH_UNSET + 1; name && p < POLICY_NPATCHES; p++)
		if (same_name(patch_names[p], name))
			return p;
	return POLICY_PATCH_UNSET;
}

bool policy_has(enum policy_rule rule, enum policy_patch patch)
{
	unsigned int changed = base(rule) ? (unsigned int)rule >> RULE_BITS : 0;

	return (rule_of(rule)->patches ^ changed) & BIT(patch);
}

/* Whether the patch changes something that the rule has. */
static bool has_place(const struct rule *r, enum policy_patch patch)
{
	switch (patch) {
	case POLICY_EIGHTH:
		return r->imb == IMB_5_18 || r->imb == IMB_6_0;
	case POLICY_ADJUST_BEFORE_HALVE:
	case POLICY_ALLOWED_LIMIT:
		return r->balance == HELD_IMB || r->balance == HELD_QUARTER;
	case POLICY_RETRY_INIT:
	case POLICY_NO_SWAP:
	case POLICY_LATE_BLOCKED_LOAD:
		return true;
	default:
		return false;
	}
}

enum policy_rule policy_change(enum policy_rule rule, enum policy_patch patch, bool with)
{
	if (!base(rule) || !has_place(rule_of(rule), patch) || policy_has(rule, patch) == with)
		return POLICY_UNSET;
	return (enum policy_rule)((unsigned int)rule ^ BIT(patch) << RULE_BITS);
}

bool policy_fork_counts_allowed(enum policy_rule rule)
{
	return rule_of(rule)->allowed;
}

static unsigned int max(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/* a - b, but never below 0. */
static unsigned int less(unsigned int a, unsigned int b)
{
	return a > b ? a - b : 0;
}

unsigned int policy_imb_numa_nr(enum policy_rule rule, const struct machine_view *view,
				unsigned int level)
{
	unsigned int p = view->package, l = view->llc, imb = 0, span, times;

	if (level >= view->nlevels || p == 0 || l == 0)
		return 0;
	span = view->levels[level].span;
	times = max(1, span / view->levels[0].span);
	switch (rule_of(rule)->imb) {
	case IMB_NONE:
		return 0;
	case IMB_5_18:
	case IMB_6_0:
		if (policy_has(rule, POLICY_EIGHTH))
			imb = max(1, p / l == 1 ? p / 8 : p / l);
		else
			imb = p / l == 1 ? p / 4 : p / l;
		break;
	case IMB_V4:
		return max(1, l * l / span / 4);
	case IMB_V41:
		imb = max(2, l * l / p / 4);
		break;
	}
	return imb * times;
}

/* What the running count of a group of that many cpus is held against. */
static unsigned int limit(enum held held, enum policy_rule rule, const struct machine_view *view,
			  unsigned int level, unsigned int cpus)
{
	switch (held) {
	case HELD_PAIR:
	case HELD_PAIR_SRC:
		return PAIR;
	case HELD_QUARTER:
		return cpus / 4;
	case HELD_SPAN_QUARTER:
		return view->levels[level].span / 4;
	case HELD_IMB:
		return policy_imb_numa_nr(rule, view, level);
	default:
		return 0;
	}
}

/* The same for fork: from 6.0 no more than the cpus the task may use (1.3). */
static unsigned int fork_limit(enum policy_rule rule, const struct machine_view *view,
			       unsigned int level, unsigned int cpus, unsigned int allowed)
{
	const struct rule *r = rule_of(rule);
	unsigned int n = limit(r->fork, rule, view, level, cpus);

	return policy_has(rule, POLICY_ALLOWED_LIMIT) && allowed && allowed < n ? allowed : n;
}

/* The cpus of one group of a level. */
static unsigned int group_of(const struct machine_view *view, unsigned int level)
{
	return level ? view->levels[level - 1].span : view->package;
}

unsigned int policy_fork_limit(enum policy_rule rule, const struct machine_view *view,
			       unsigned int level, unsigned int allowed_local)
{
	const struct rule *r = rule_of(rule);
	unsigned int cpus;

	if (level >= view->nlevels)
		return 0;
	cpus = group_of(view, level);
	if (r->fork == HELD_LOAD)
		return cpus / 4;
	if (r->fork == HELD_IDLE)
		return cpus;
	return fork_limit(rule, view, level, cpus, allowed_local);
}

unsigned int policy_balance_limit(enum policy_rule rule, const struct machine_view *view,
				  unsigned int level)
{
	if (level >= view->nlevels)
		return 0;
	return limit(rule_of(rule)->balance, rule, view, level, group_of(view, level));
}

static bool light(const struct rule *r, unsigned int count, unsigned int limit)
{
	return r->below ? count < limit : count <= limit;
}

/* Whether an imbalance is set to nothing, given a lightly loaded group. */
static bool forgiven(const struct rule *r, unsigned int imbalance, unsigned int imb)
{
	return r->slack == SLACK_ANY || imbalance <= (r->slack == SLACK_IMB ? imb : PAIR);
}

enum fullness { SPARE, FULL, OVERLOADED };

static enum fullness fullness(const struct policy_group *g)
{
	return g->running < g->cpus ? SPARE : g->running == g->cpus ? FULL : OVERLOADED;
}

static uint64_t load(const struct policy_group *g)
{
	return (uint64_t)g->running * 1024 / max(1, g->cpus);
}

bool policy_fork_stays(enum policy_rule rule, const struct machine_view *view, unsigned int level,
		       const struct policy_group *local, const struct policy_group *remote)
{
	const struct rule *r = rule_of(rule);
	bool by_load = load(local) <= load(remote) + 1024 * (r->pct - 100) / 100;
	unsigned int held, apart;

	if (level >= view->nlevels || !view->levels[level].crosses)
		return true;
	if (r->fork == HELD_LOAD)
		return by_load;
	if (fullness(local) != fullness(remote))
		return fullness(local) < fullness(remote);
	if (fullness(local) != SPARE)
		return by_load;
	if (local->idle >= remote->idle)
		return true;
	if (r->fork == HELD_IDLE)
		return local->idle > 0;
	held = fork_limit(rule, view, level, local->cpus, local->allowed);
	apart = remote->idle - local->idle;
	return light(r, local->running + r->newcomer, held) &&
	       (!policy_has(rule, POLICY_ADJUST_BEFORE_HALVE) || apart <= PAIR);
}

/* Tasks of equal weight that move before local's running per cpu exceeds
 * busiest's. */
static unsigned int pulls_by_load(const struct policy_group *local,
				  const struct policy_group *busiest)
{
	uint64_t more = (uint64_t)busiest->running * local->cpus;
	uint64_t fewer = (uint64_t)local->running * busiest->cpus;

	return more > fewer ? (unsigned int)((more - fewer) / (local->cpus + busiest->cpus)) : 0;
}

unsigned int policy_balance_pulls(enum policy_rule rule, const struct machine_view *view,
				  unsigned int level, const struct policy_group *local,
				  const struct policy_group *busiest)
{
	const struct rule *r = rule_of(rule);
	const struct policy_group *counted = r->newcomer ? local : busiest;
	unsigned int raw, held;

	if (level >= view->nlevels)
		return 0;
	if (r->balance == HELD_LOAD || fullness(local) != SPARE || fullness(busiest) == OVERLOADED)
		return pulls_by_load(local, busiest);
	/* Only the lowest NUMA level has children that prefer siblings (1.4). */
	raw = level == 0 ? less(busiest->running, local->running)
			 : less(local->idle, busiest->idle);
	held = limit(r->balance, rule, view, level, counted->cpus);
	if (light(r, counted->running + r->newcomer, held) &&
	    forgiven(r, policy_has(rule, POLICY_ADJUST_BEFORE_HALVE) ? raw : raw / 2,
		     policy_imb_numa_nr(rule, view, level)))
		return 0;
	return raw / 2; /* an imbalance of 1 moves nothing */
}

/* load_too_imbalanced of 4.19 and later (1.6). */
static bool too_imbalanced(const struct policy_group *src, const struct policy_group *dst)
{
	int64_t s = src->running, d = dst->running, sc = src->cpus, dc = dst->cpus;
	int64_t after = (d + 1) * sc - (s - 1) * dc, before = d * sc - s * dc;

	return (after < 0 ? -after : after) > (before < 0 ? -before : before);
}

/* numa_has_capacity, with the multipliers of 4.3 unless held is that of 2015. */
static bool has_capacity(enum held held, const struct policy_group *src,
			 const struct policy_group *dst)
{
	unsigned long more = held == HELD_CAPACITY_2015 ? 1 : NUMA_PCT;
	unsigned long fewer = held == HELD_CAPACITY_2015 ? 1 : 100;

	return policy_2015_has_capacity(src->running * more, src->cpus, fullness(src) == SPARE,
					dst->running * fewer, dst->cpus, fullness(dst) == SPARE);
}

bool policy_numa_moves(enum policy_rule rule, const struct machine_view *view,
		       const struct policy_group *src, const struct policy_group *dst)
{
	const struct rule *r = rule_of(rule);
	unsigned int s, d, held;

	if (src->running == 0 || dst->idle == 0)
		return false;
	s = src->running - 1;
	d = dst->running + 1;
	if (r->numa == HELD_CAPACITY || r->numa == HELD_CAPACITY_2015)
		return has_capacity(r->numa, src, dst) &&
		       !policy_2015_too_imbalanced(s, d, src->running, dst->running, src->cpus,
						   dst->cpus, NUMA_PCT);
	if (r->numa != HELD_LOAD && fullness(dst) == SPARE) {
		held = limit(r->numa, rule, view, 0, dst->cpus);
		if (d <= s || (light(r, r->numa == HELD_PAIR_SRC ? s : d, held) &&
			       forgiven(r, d - s, policy_imb_numa_nr(rule, view, 0))))
			return true;
	}
	return !too_imbalanced(src, dst);
}

static struct policy_group group(unsigned int cpus, unsigned int running)
{
	return (struct policy_group){ cpus, running, less(cpus, running), 0 };
}

unsigned int policy_stable_difference(enum policy_rule rule, const struct machine_view *view,
				      unsigned int level, unsigned int local_running,
				      unsigned int group_cpus)
{
	struct policy_group local = group(group_cpus, local_running);
	unsigned int d;

	if (level >= view->nlevels)
		return UINT_MAX;
	/* Ends: busiest is overloaded at the latest when d reaches group_cpus. */
	for (d = 1; d <= group_cpus; d++) {
		struct policy_group busiest = group(group_cpus, local_running + d + 1);

		if (policy_balance_pulls(rule, view, level, &local, &busiest) > 0)
			break;
	}
	return d;
}

bool policy_2015_has_capacity(unsigned long src_load, unsigned long src_capacity, bool src_free,
			      unsigned long dst_load, unsigned long dst_capacity, bool dst_free)
{
	if (src_free && !dst_free)
		return false;
	return (uint64_t)src_load * dst_capacity > (uint64_t)dst_load * src_capacity;
}

static int64_t imbalance_2015(unsigned long a, unsigned long b, unsigned long src_capacity,
			      unsigned long dst_capacity, unsigned int imbalance_pct)
{
	int64_t src = (int64_t)(a < b ? a : b), dst = (int64_t)(a < b ? b : a);

	return dst * (int64_t)src_capacity * 100 - src * (int64_t)dst_capacity * imbalance_pct;
}

bool policy_2015_too_imbalanced(unsigned long src_load, unsigned long dst_load,
				unsigned long orig_src_load, unsigned long orig_dst_load,
				unsigned long src_capacity, unsigned long dst_capacity,
				unsigned int imbalance_pct)
{
	int64_t imb = imbalance_2015(src_load, dst_load, src_capacity, dst_capacity, imbalance_pct);

	return imb > 0 && imb > imbalance_2015(orig_src_load, orig_dst_load, src_capacity,
					       dst_capacity, imbalance_pct);
}
