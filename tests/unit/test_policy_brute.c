/* The rules once more, by another route: raw counts of every cpu of an explicit
 * machine, one function per kernel family, each saying the decision as the
 * one-look table of the kernel-policy notes (section 1.1) does. Held against
 * core/policy.c on random machines. */
#include "tests/unit/unit.h"

#include <string.h>

#include "core/policy.h"

enum { NODES_MAX = 12, CPUS_OF_NODE_MAX = 67, CPUS_MAX_HERE = NODES_MAX * CPUS_OF_NODE_MAX };
enum { SCENES = 20000 };

/* --- random numbers ---------------------------------------------------------- */

static uint64_t seed = 0x9e3779b97f4a7c15u;

/* 0 .. n-1 */
static unsigned int below(unsigned int n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned int)(seed >> 33) % n;
}

/* --- an explicit machine, seen from cpu 0 ------------------------------------ */

struct box {
	unsigned int nnodes, ncpus;
	unsigned int package_of[NODES_MAX], cpus_of[NODES_MAX];
	unsigned int near, far, reclaim; /* distances */
	unsigned int node_of[CPUS_MAX_HERE], llc_of[CPUS_MAX_HERE];
	unsigned int running[CPUS_MAX_HERE]; /* tasks on each cpu */
	bool allowed[CPUS_MAX_HERE];         /* the task's mask */
	bool narrowed;                       /* it has one */
};

static unsigned int distance(const struct box *b, unsigned int n, unsigned int m)
{
	if (n == m)
		return 10;
	return b->package_of[n] == b->package_of[m] ? b->near : b->far;
}

static void draw_box(struct box *b)
{
	static const unsigned int reclaim[] = { 30, 32, 10 };
	unsigned int npackages = 1 + below(4), nodes = npackages > 1 ? 1 + below(3) : 2 + below(2);
	unsigned int cpus = 1 + below(below(3) ? 16 : CPUS_OF_NODE_MAX - 3);
	unsigned int llc = below(3) ? cpus : 1 + below(cpus), uneven = below(4) ? 1 : 4, cpu = 0;

	memset(b, 0, sizeof(*b));
	b->nnodes = npackages * nodes;
	b->near = below(8) ? 12 : 31;
	b->far = 32;
	b->reclaim = reclaim[below(8) ? 1 : below(3)];
	for (unsigned int n = 0; n < b->nnodes; n++) {
		b->package_of[n] = n / nodes;
		b->cpus_of[n] = cpus + below(uneven);
		for (unsigned int i = 0; i < b->cpus_of[n]; i++, cpu++) {
			b->node_of[cpu] = n;
			b->llc_of[cpu] = n * CPUS_OF_NODE_MAX + i / llc;
		}
	}
	b->ncpus = cpu;
}

/* What policy.c is given, from the sizes of the nodes. */
static void view_box(const struct box *b, struct machine_view *view, struct machine_level *levels)
{
	unsigned int package = 0, all = 0, llc = 0, nodes = 0;

	for (unsigned int n = 0; n < b->nnodes; n++) {
		all += b->cpus_of[n];
		if (b->package_of[n] == 0) {
			package += b->cpus_of[n];
			nodes++;
		}
	}
	while (llc < b->cpus_of[0] && b->llc_of[llc] == b->llc_of[0])
		llc++;
	view->package = b->cpus_of[0];
	view->llc = llc;
	view->levels = levels;
	view->nlevels = 0;
	if (nodes > 1)
		levels[view->nlevels++] =
		    (struct machine_level){ b->near, package, b->near <= b->reclaim };
	if (nodes < b->nnodes) {
		bool crosses = b->far <= b->reclaim && (nodes == 1 || b->near <= b->reclaim);

		levels[view->nlevels++] = (struct machine_level){ b->far, all, crosses };
	}
}

/* --- sched domains, bottom up ------------------------------------------------- */

struct domain {
	unsigned int span, distance;
	bool llc, numa;
	unsigned int imb_5_18, imb_6_0, imb_v4, imb_v41;
};

static unsigned int cpus_within(const struct box *b, unsigned int d)
{
	unsigned int n = 0;

	for (unsigned int cpu = 0; cpu < b->ncpus; cpu++)
		n += distance(b, 0, b->node_of[cpu]) <= d;
	return n;
}

static unsigned int at_least(unsigned int floor, unsigned int n)
{
	return n < floor ? floor : n;
}

/* Section 1.2: from the first domain above the last-level cache upward. */
static void spread_imb(struct domain *d, unsigned int n)
{
	unsigned int i = 1, numa, imb_span, p, l;

	while (d[i].llc || !d[i - 1].llc)
		i++;
	for (numa = i; numa < n && !d[numa].numa; numa++)
		;
	p = d[i].span;
	l = d[i - 1].span;
	imb_span = numa < n ? d[numa].span : p;
	d[i].imb_5_18 = p / l == 1 ? p >> 2 : p / l;
	d[i].imb_6_0 = at_least(1, p / l == 1 ? p >> 3 : p / l);
	d[i].imb_v41 = at_least(2, (l * l / p) >> 2);
	for (unsigned int up = i + 1; up < n; up++) {
		unsigned int times = at_least(1, d[up].span / imb_span);

		d[up].imb_5_18 = d[i].imb_5_18 * times;
		d[up].imb_6_0 = d[i].imb_6_0 * times;
		d[up].imb_v41 = d[i].imb_v41 * times;
		d[up].imb_v4 = at_least(1, (l * l / d[up].span) >> 2);
	}
}

/* Fills d with MC, PKG and the NUMA levels; returns how many. */
static unsigned int domains(const struct box *b, struct domain d[4])
{
	unsigned int n = 2;

	memset(d, 0, 4 * sizeof(*d));
	for (unsigned int cpu = 0; cpu < b->ncpus; cpu++)
		d[0].span += b->llc_of[cpu] == b->llc_of[0];
	d[0].llc = true;
	d[1].span = cpus_within(b, 10);
	d[1].distance = 10;
	for (unsigned int at = 11; at < 256; at++) {
		bool there = false;

		for (unsigned int m = 1; m < b->nnodes; m++)
			there |= distance(b, 0, m) == at;
		if (there) {
			d[n].span = cpus_within(b, at);
			d[n].distance = at;
			d[n++].numa = true;
		}
	}
	spread_imb(d, n);
	return n;
}

/* --- a scene: two groups of one domain ----------------------------------------- */

struct side {
	unsigned int n, running, idle;  /* over all cpus */
	unsigned int a, arunning, aidle; /* over the allowed ones */
};

struct scene {
	const struct domain *here, *lowest; /* lowest NUMA domain */
	unsigned int level;
	bool reachable, narrowed;
	struct side l, r;
};

/* cpus of the nodes within d of node n */
static struct side side_of(const struct box *b, unsigned int node, unsigned int d)
{
	struct side s = { 0 };

	for (unsigned int cpu = 0; cpu < b->ncpus; cpu++) {
		if (distance(b, node, b->node_of[cpu]) > d)
			continue;
		s.n++;
		s.running += b->running[cpu];
		s.idle += b->running[cpu] == 0;
		if (b->allowed[cpu]) {
			s.a++;
			s.arunning += b->running[cpu];
			s.aidle += b->running[cpu] == 0;
		}
	}
	return s;
}

/* Puts up to total tasks on the cpus within d of node: mostly on idle ones. */
static void put_tasks(struct box *b, unsigned int node, unsigned int d, unsigned int total)
{
	bool crowd = below(6) == 0;

	for (unsigned int tries = 0; total > 0 && tries < 4 * b->ncpus; tries++) {
		unsigned int cpu = below(b->ncpus);

		if (distance(b, node, b->node_of[cpu]) > d)
			continue;
		if (b->running[cpu] && !crowd && tries < 2 * b->ncpus)
			continue;
		b->running[cpu]++;
		total--;
	}
}

static void draw_tasks(struct box *b, unsigned int remote, unsigned int d)
{
	unsigned int n = side_of(b, 0, d).n;
	const unsigned int scales[] = { 3, 8, n / 4 + 3, n + 2, 2 * n };
	unsigned int scale = scales[below(5)], here = below(scale), there;

	there = below(2) ? below(scale) : here + below(8);
	if (below(4) == 0 && there > here)
		there = here - below(here + 1);
	put_tasks(b, 0, d, here);
	put_tasks(b, remote, d, there);
	b->narrowed = below(2);
	for (unsigned int cpu = 0; cpu < b->ncpus; cpu++)
		b->allowed[cpu] = !b->narrowed || below(3) == 0 || b->node_of[cpu] == below(12);
	/* A group without any allowed cpu is never asked about. */
	b->allowed[0] = true;
	for (unsigned int cpu = 0; cpu < b->ncpus; cpu++)
		if (b->node_of[cpu] == remote)
			b->allowed[cpu] |= cpu + 1 == b->ncpus || b->node_of[cpu + 1] != remote;
}

/* --- what each family decides, one group at a time ----------------------------- */

static unsigned int apart(unsigned int a, unsigned int b)
{
	return a < b ? b - a : a - b;
}

static bool near_by_load(const struct scene *s, unsigned int pct)
{
	uint64_t l = (uint64_t)s->l.running * 1024 * 1024 / (1024 * s->l.n);
	uint64_t r = (uint64_t)s->r.running * 1024 * 1024 / (1024 * s->r.n);

	return !(l > r + 1024 * (pct - 100) / 100);
}

static bool stays_4_2(const struct scene *s)
{
	return near_by_load(s, 125);
}

static int type(const struct side *s)
{
	return s->running > s->n ? 2 : s->running == s->n ? 1 : 0;
}

/* The common frame since 5.5; test is a family's own. */
static bool framed(const struct scene *s, unsigned int pct, bool test)
{
	if (type(&s->l) < type(&s->r))
		return true;
	if (type(&s->l) > type(&s->r))
		return false;
	if (type(&s->l) != 0)
		return near_by_load(s, pct);
	if (test)
		return true;
	return s->l.idle >= s->r.idle;
}

static bool stays_5_5(const struct scene *s)
{
	return framed(s, 125, s->l.idle != 0);
}

static bool stays_5_10(const struct scene *s)
{
	return framed(s, 117, s->l.idle != 0);
}

static bool stays_5_11(const struct scene *s)
{
	return framed(s, 117, s->l.running < s->here->span >> 2);
}

static bool stays_5_15_33(const struct scene *s)
{
	return framed(s, 117, s->l.running + 1 < s->l.n >> 2);
}

static bool stays_5_18(const struct scene *s)
{
	return framed(s, 117, s->l.running + 1 <= s->here->imb_5_18);
}

static bool stays_6_0(const struct scene *s)
{
	unsigned int nr = s->here->imb_6_0, d = apart(s->l.idle, s->r.idle);

	if (s->narrowed && s->l.a < nr)
		nr = s->l.a;
	return framed(s, 117, d == 0 || (s->l.running + 1 <= nr && d <= 2));
}

/* Only the statistics differ: allowed cpus, but the weight of all. */
static bool stays_6_19(const struct scene *s)
{
	struct scene t = *s;

	t.l.running = s->l.arunning;
	t.l.idle = s->l.aidle;
	t.r.running = s->r.arunning;
	t.r.idle = s->r.aidle;
	return stays_6_0(&t);
}

static bool stays_v3(const struct scene *s)
{
	return framed(s, 117, s->l.running < s->here->imb_v4);
}

static bool stays_v42(const struct scene *s)
{
	return framed(s, 117, s->l.running < s->here->imb_v41);
}

/* Moves tasks one by one while the puller stays the less busy one. */
static unsigned int pulls_4_2(const struct scene *s)
{
	unsigned int moved = 0, l = s->l.running, r = s->r.running;

	while (r > 0 && (uint64_t)(l + 1) * s->r.n <= (uint64_t)(r - 1) * s->l.n) {
		l++;
		r--;
		moved++;
	}
	return moved;
}

/* The common frame since 5.5. A difference of 1 is always left alone. */
static unsigned int halved(const struct scene *s, bool quiet, unsigned int largest)
{
	int diff = s->level == 0 ? (int)s->r.running - (int)s->l.running :
				   (int)s->l.idle - (int)s->r.idle;

	if (type(&s->l) != 0 || type(&s->r) == 2)
		return pulls_4_2(s);
	if (diff <= 1 || (quiet && diff <= (int)largest))
		return 0;
	return (unsigned int)diff / 2;
}

static unsigned int pulls_5_5(const struct scene *s)
{
	return halved(s, false, 0);
}

static unsigned int pulls_5_6(const struct scene *s)
{
	return halved(s, s->r.running <= 2, 1 << 20);
}

static unsigned int pulls_5_11(const struct scene *s)
{
	return halved(s, s->r.running < s->r.n >> 2, 5);
}

static unsigned int pulls_5_15_33(const struct scene *s)
{
	return halved(s, s->l.running + 1 < s->l.n >> 2, 5);
}

static unsigned int pulls_5_18(const struct scene *s)
{
	return halved(s, s->l.running + 1 <= s->here->imb_5_18, 5);
}

static unsigned int pulls_6_0(const struct scene *s)
{
	return halved(s, s->l.running + 1 <= s->here->imb_6_0, 2);
}

static unsigned int pulls_v3(const struct scene *s)
{
	return halved(s, s->r.running < s->here->imb_v4, 5);
}

static unsigned int pulls_v4(const struct scene *s)
{
	return halved(s, s->r.running < s->r.n >> 2, 2 * s->here->imb_v4 + 1);
}

static unsigned int pulls_v41(const struct scene *s)
{
	return halved(s, s->r.running < s->r.n >> 2, 2 * s->here->imb_v41 + 1);
}

static unsigned int pulls_v42(const struct scene *s)
{
	return halved(s, s->r.running < s->here->imb_v41, 5);
}

/* NUMA balancing moves from l, the source, to r. */
static bool gets_worse_2015(const struct scene *s)
{
	long long imb[2];

	for (int moved = 0; moved < 2; moved++) {
		long long src = (long long)s->l.running - moved;
		long long dst = (long long)s->r.running + moved;
		long long more = src > dst ? src : dst, fewer = src > dst ? dst : src;

		imb[moved] = more * s->l.n * 100 - fewer * s->r.n * 112;
	}
	return imb[1] > 0 && imb[1] > imb[0];
}

static bool moves_2015(const struct scene *s)
{
	if (type(&s->l) == 0 && type(&s->r) != 0)
		return false;
	return s->l.running * s->r.n > s->r.running * s->l.n && !gets_worse_2015(s);
}

static bool moves_4_3(const struct scene *s)
{
	if (type(&s->l) == 0 && type(&s->r) != 0)
		return false;
	return s->l.running * s->r.n * 112 > s->r.running * s->l.n * 100 && !gets_worse_2015(s);
}

static bool moves_4_19(const struct scene *s)
{
	long long before = (long long)s->r.running * s->l.n - (long long)s->l.running * s->r.n;
	long long after = before + s->l.n + s->r.n;

	return llabs(after) <= llabs(before);
}

/* Since 5.7: an allowance comes first while dst has spare; imb is what dst
 * would have more than src. */
static bool allowed_first(const struct scene *s, bool quiet, int largest)
{
	int imb = (int)s->r.running + 1 - ((int)s->l.running - 1);

	if (type(&s->r) == 0 && (imb <= 0 || (quiet && imb <= largest)))
		return true;
	return moves_4_19(s);
}

static bool moves_5_7(const struct scene *s)
{
	return allowed_first(s, s->l.running <= 3, 1 << 20);
}

static bool moves_5_10(const struct scene *s)
{
	return allowed_first(s, s->r.running <= 1, 1 << 20);
}

static bool moves_5_11(const struct scene *s)
{
	return allowed_first(s, s->r.running + 1 < s->r.n >> 2, 2);
}

static bool moves_5_18(const struct scene *s)
{
	return allowed_first(s, s->r.running + 1 <= s->lowest->imb_5_18, 2);
}

static bool moves_6_0(const struct scene *s)
{
	return allowed_first(s, s->r.running + 1 <= s->lowest->imb_6_0, 2);
}

static bool moves_v3(const struct scene *s)
{
	return allowed_first(s, s->r.running + 1 < s->lowest->imb_v4, 2);
}

static bool moves_v4(const struct scene *s)
{
	return allowed_first(s, s->r.running + 1 < s->r.n >> 2, (int)s->lowest->imb_v4);
}

static bool moves_v41(const struct scene *s)
{
	return allowed_first(s, s->r.running + 1 < s->r.n >> 2, (int)s->lowest->imb_v41);
}

static bool moves_v42(const struct scene *s)
{
	return allowed_first(s, s->r.running + 1 < s->lowest->imb_v41, 2);
}

static const struct family {
	enum policy_rule rule;
	bool (*stays)(const struct scene *s);
	unsigned int (*pulls)(const struct scene *s);
	bool (*moves)(const struct scene *s);
} families[] = {
	{ POLICY_G0, stays_4_2, pulls_4_2, moves_4_3 },
	{ POLICY_G1, stays_4_2, pulls_4_2, moves_4_19 },
	{ POLICY_G2, stays_5_5, pulls_5_5, moves_4_19 },
	{ POLICY_G3, stays_5_5, pulls_5_6, moves_4_19 },
	{ POLICY_G4A, stays_5_5, pulls_5_6, moves_5_7 },
	{ POLICY_G4B, stays_5_10, pulls_5_6, moves_5_10 },
	{ POLICY_G5, stays_5_11, pulls_5_11, moves_5_11 },
	{ POLICY_G6, stays_5_15_33, pulls_5_15_33, moves_5_11 },
	{ POLICY_G7, stays_5_18, pulls_5_18, moves_5_18 },
	{ POLICY_G8, stays_6_0, pulls_6_0, moves_6_0 },
	{ POLICY_G8B, stays_6_19, pulls_6_0, moves_6_0 },
	{ POLICY_G9, stays_6_19, pulls_6_0, moves_6_0 },
	{ POLICY_V3, stays_v3, pulls_v3, moves_v3 },
	{ POLICY_V4, stays_5_11, pulls_v4, moves_v4 },
	{ POLICY_V41, stays_5_11, pulls_v41, moves_v41 },
	{ POLICY_V42, stays_v42, pulls_v42, moves_v42 },
	{ POLICY_R2015, stays_4_2, pulls_4_2, moves_2015 },
};

enum { NFAMILIES = sizeof(families) / sizeof(*families) };

/* --- the comparison -------------------------------------------------------------- */

static struct policy_group group_of(const struct side *s, bool narrowed, bool by_allowed)
{
	return (struct policy_group){
		.cpus = s->n,
		.running = by_allowed ? s->arunning : s->running,
		.idle = by_allowed ? s->aidle : s->idle,
		.allowed = narrowed ? s->a : 0,
	};
}

/* The largest difference that pulls of the family leaves alone, one task a
 * cpu in groups of the local side's size. */
static unsigned int stable(const struct family *f, const struct scene *s)
{
	struct scene t = *s;
	unsigned int d = 0;

	t.r.n = t.l.n;
	t.l.idle = t.l.running < t.l.n ? t.l.n - t.l.running : 0;
	do {
		t.r.running = t.l.running + ++d;
		t.r.idle = t.r.running < t.r.n ? t.r.n - t.r.running : 0;
	} while (f->pulls(&t) == 0);
	return d - 1;
}

/* What was seen of each answer, so that none is compared only one way. */
struct seen {
	unsigned int stays, leaves, pulls, rests, moves, holds;
};

static void compare(const struct family *f, const struct scene *s, const struct machine_view *view,
		    struct seen *seen)
{
	bool by_allowed = policy_fork_counts_allowed(f->rule);
	struct policy_group fl = group_of(&s->l, s->narrowed, by_allowed);
	struct policy_group fr = group_of(&s->r, s->narrowed, by_allowed);
	struct policy_group l = group_of(&s->l, false, false), r = group_of(&s->r, false, false);
	bool stays = !s->reachable || f->stays(s);
	bool moves = s->l.running > 0 && s->r.idle > 0 && f->moves(s);
	unsigned int pulls = f->pulls(s);

	if (policy_fork_stays(f->rule, view, s->level, &fl, &fr) != stays)
		fail_msg("%s: fork is to %s", policy_name(f->rule), stays ? "stay" : "leave");
	if (policy_balance_pulls(f->rule, view, s->level, &l, &r) != pulls)
		fail_msg("%s: balance is to pull %u", policy_name(f->rule), pulls);
	if (policy_numa_moves(f->rule, view, &l, &r) != moves)
		fail_msg("%s: NUMA is to %s", policy_name(f->rule), moves ? "move" : "hold");
	if (policy_stable_difference(f->rule, view, s->level, s->l.running, s->l.n) != stable(f, s))
		fail_msg("%s: %u is stable", policy_name(f->rule), stable(f, s));
	stays ? seen->stays++ : seen->leaves++;
	pulls ? seen->pulls++ : seen->rests++;
	moves ? seen->moves++ : seen->holds++;
}

static void compare_imb(const struct domain *d, const struct machine_view *view, unsigned int level)
{
	assert_int_equal(policy_imb_numa_nr(POLICY_G6, view, level), 0);
	assert_int_equal(policy_imb_numa_nr(POLICY_G7, view, level), d->imb_5_18);
	assert_int_equal(policy_imb_numa_nr(POLICY_G9, view, level), d->imb_6_0);
	assert_int_equal(policy_imb_numa_nr(POLICY_V3, view, level), d->imb_v4);
	assert_int_equal(policy_imb_numa_nr(POLICY_V42, view, level), d->imb_v41);
}

static void every_decision_is_that_of_the_literal_rule(void **state)
{
	static struct box b;
	struct seen seen[NFAMILIES] = { { 0 } };

	(void)state;
	for (unsigned int i = 0; i < SCENES; i++) {
		struct machine_level levels[2];
		struct machine_view view;
		struct domain d[4];
		struct scene s = { 0 };
		unsigned int n, at, remote, inner;

		draw_box(&b);
		view_box(&b, &view, levels);
		n = domains(&b, d);
		assert_int_equal(view.nlevels, n - 2);
		at = 2 + below(n - 2);
		inner = d[at - 1].distance;
		do
			remote = below(b.nnodes);
		while (distance(&b, 0, remote) != d[at].distance);
		draw_tasks(&b, remote, inner);
		s.here = &d[at];
		s.lowest = &d[2];
		s.level = at - 2;
		s.reachable = d[2].distance <= b.reclaim && d[at].distance <= b.reclaim;
		s.narrowed = b.narrowed;
		s.l = side_of(&b, 0, inner);
		s.r = side_of(&b, remote, inner);
		compare_imb(s.here, &view, s.level);
		for (unsigned int f = 0; f < NFAMILIES; f++)
			compare(&families[f], &s, &view, &seen[f]);
	}
	for (unsigned int f = 0; f < NFAMILIES; f++)
		if (!seen[f].stays || !seen[f].leaves || !seen[f].pulls || !seen[f].rests ||
		    !seen[f].moves || !seen[f].holds)
			fail_msg("%s: an answer never came", policy_name(families[f].rule));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_decision_is_that_of_the_literal_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
