#include "shim/rank.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/daemon.h"
#include "core/proc.h"
#include "shim/affinity.h"
#include "shim/env.h"
#include "shim/launchvars.h"
#include "shim/marker.h"
#include "shim/memory.h"
#include "shim/place.h"
#include "shim/real.h"
#include "shim/machine.h"

#define STEPS 8

/* What rank_settle does; written by the constructor, cleared by settling. */
static struct {
	const char *marker;  /* from the environment, or NULL */
	struct arena memory; /* of the two masks, if no marker */
	struct cpus node, wide;
	bool masks;
} settle;

bool rank_has_marker(const char *marker)
{
	if (!marker_wants_settle(marker))
		return false;
	/* A crash handler may fork and exec: nothing is to be looked up then. */
	real_load_exec();
	settle.marker = marker;
	return true;
}

static bool is_daemon(const struct proc_stat *st, const void *arg)
{
	(void)arg;
	return daemon_is(st->comm);
}

/* Programs that only start the rank: it places itself when it comes, so that
 * what a wrapper calls before (numactl with cpu numbers, say) sees no mask. */
static bool only_starts(const char *name)
{
	return standdown_is_wrapper(name) || standdown_is_tool(name);
}

/* A mask narrower than the daemon's that is all the job was given on this host is
 * its limit (Slurm's task/cgroup); any other was set for this rank alone (task/
 * affinity, taskset), and the caller finds that it is not base. */
static int find_base(struct cpus *base, struct arena *a, const struct launchvars *v, pid_t daemon)
{
	struct cpus mine;

	if (affinity_get(base, a, daemon) < 0 || affinity_get(&mine, a, 0) < 0)
		return -1;
	if (v->cpus && cpus_count(&mine) == v->cpus && cpus_subset(&mine, base))
		*base = mine;
	return 0;
}

/* Fills the rank's key and the mask it may use. False when no launcher is among the
 * ancestors: then the variables have leaked, or come from one that is not known. */
static bool know_launcher(struct place_rank *r, struct cpus *base, struct arena *a,
			  const struct launchvars *v)
{
	struct proc_stat daemon;

	if (!proc_ancestor(0, STEPS, is_daemon, NULL, &daemon))
		return false;
	memset(&r->key, 0, sizeof(r->key));
	r->key.pid = daemon.pid;
	r->key.start = daemon.start;
	r->key.group = v->job;
	return find_base(base, a, v, daemon.pid) == 0;
}

static bool is_not_wrapper(const struct proc_stat *st, const void *arg)
{
	(void)arg;
	return !standdown_is_wrapper(st->comm) && !standdown_is_tool(st->comm);
}

/* The rank, and not what it has started: between the daemon and it there are but
 * wrappers. */
static bool is_the_rank(void)
{
	struct proc_stat st;

	return proc_ancestor(0, STEPS, is_not_wrapper, NULL, &st) && daemon_is(st.comm);
}

static bool has_mask(struct arena *a, const struct cpus *mask)
{
	struct cpus now;

	return affinity_get(&now, a, 0) == 0 && cpus_equal(&now, mask);
}

static enum standdown plan(struct place *p, struct arena *a, struct machine *m,
			   const struct options *o, const struct place_rank *r,
			   const struct cpus *base, char **envp)
{
	enum standdown why = standdown_env(envp, NULL);

	if (why)
		return why;
	if (machine_chosen(m, a, o) < 0)
		return STANDDOWN_MACHINE;
	/* Ranks that come one by one are told from their children by nothing else. */
	if (!r->nranks && !has_mask(a, base))
		return STANDDOWN_MASK;
	place_plan(p, a, m, base, o, r);
	return p->why;
}

/* Sets the mask where it is still the launcher's. One that is the plan's
 * already is not ours to undo when MPI is up: a wrapper may have placed itself
 * and started us, but as likely mpirun bound us, or numactl did. */
static bool take_mask(struct arena *a, const struct cpus *mask, const struct cpus *base)
{
	return has_mask(a, base) && affinity_set(a, mask) == 0;
}

/* Of a rank's options only those of its environment count: the site file is
 * read by launcher and proxy alone. */
bool rank_start(const char *name, char **envp)
{
	struct arena *a = &settle.memory;
	struct options o = { 0 };
	struct launchvars v;
	struct place_rank r;
	struct place p = { 0 };
	struct machine m;
	struct cpus base;

	if (!launchvars_any(envp, &v) || v.nranks == 1 || only_starts(name))
		return false;
	options_from_env(&o, envp);
	if (o.off)
		return false;
	r.rank = v.rank;
	r.nranks = v.nranks;
	r.hosts = v.hosts;
	r.width = options_width(&o, envp);
	r.slice = options_slice(&o, envp);
	if (!know_launcher(&r, &base, a, &v))
		goto out;
	p.why = plan(&p, a, &m, &o, &r, &base, envp);
	if (p.why == STANDDOWN_NONE && !take_mask(a, &p.mask, &base))
		p.why = STANDDOWN_MASK;
	/* Of a rank's children, too, each comes here. */
	p.again |= o.verbose && !p.joined && !is_the_rank();
	p.settles = p.why == STANDDOWN_NONE && o.mode == OPTIONS_SETTLE;
	place_say(&p, &m, &o, &r);
	if (p.why == STANDDOWN_NONE)
		memory_set(o.mem, a, &m, p.nodes);
	if (p.why == STANDDOWN_NONE && o.mode == OPTIONS_SETTLE) {
		settle.node = p.mask;
		settle.wide = base;
		settle.masks = true;
		real_load_exec();
		return true;
	}
out:
	arena_free(a);
	return false;
}

void rank_settle(void)
{
	static bool begun;
	int saved = errno;

	/* Threads may each make a communicator of their own, all at once. */
	if (__atomic_exchange_n(&begun, true, __ATOMIC_RELAXED))
		return;
	if (settle.marker)
		settle.masks =
		    marker_read(settle.marker, &settle.memory, &settle.node, &settle.wide);
	settle.marker = NULL;
	if (settle.masks)
		affinity_widen(&settle.memory, &settle.node, &settle.wide);
	settle.masks = false;
	arena_free(&settle.memory);
	errno = saved;
}
