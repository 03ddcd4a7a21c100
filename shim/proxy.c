#include "shim/proxy.h"

#include <string.h>
#include <unistd.h>

#include "core/proc.h"
#include "core/site.h"
#include "shim/affinity.h"
#include "shim/env.h"
#include "shim/glibc.h"
#include "shim/launcher.h"
#include "shim/launchvars.h"
#include "shim/machine.h"
#include "shim/marker.h"
#include "shim/memory.h"
#include "shim/place.h"
#include "shim/real.h"

/* All written by the constructor, but for the count, the child's pid, and the
 * ledger of the options. Children get them by fork. */
static struct {
	enum proxy_kind kind;
	struct arena memory;
	struct options options;
	bool narrowed;        /* somebody put taskset or the like in front of mpirun */
	struct machine machine;
	bool machine_known;
	char **base;          /* the proxy's own environment as it started */
	const char *preload;  /* its LD_PRELOAD entry, "LD_PRELOAD=..." */
	struct proc_stat self;
	unsigned int started; /* ranks forked or spawned so far; written before each */
	pid_t child;          /* in a child made by fork: its own pid */
} proxy;

static void before_fork(void)
{
	proxy.started++;
}

static void in_child(void)
{
	proxy.child = getpid();
}

/* Copies the array, not the strings: Hydra replaces entries of environ, but
 * the first strings stay where the kernel put them. */
static bool copy_env(char **envp)
{
	unsigned int n = 0;

	while (envp[n])
		n++;
	proxy.base = arena_array(&proxy.memory, n + 1, sizeof(*envp));
	if (!proxy.base)
		return false;
	memcpy(proxy.base, envp, n * sizeof(*envp));
	for (unsigned int i = 0; i < n; i++)
		if (env_is(envp[i], ENV_PRELOAD))
			proxy.preload = envp[i];
	return true;
}

bool proxy_start(char **envp, enum proxy_kind kind)
{
	real_load_exec();
	proxy.kind = kind;
	proxy.narrowed = kind == PROXY_MPIRUN && launcher_narrowed();
	if (!copy_env(envp) || proc_stat_read(&proxy.self, 0) < 0)
		return false;
	site_options(&proxy.options, &proxy.memory, envp);
	if (!proxy.options.off)
		proxy.machine_known =
		    machine_chosen(&proxy.machine, &proxy.memory, &proxy.options) == 0;
	return __register_atfork(before_fork, NULL, in_child, NULL) == 0;
}

/* Why the rank must not be placed, by all that can be known before planning. */
static enum standdown stand_down(struct arena *a, const char *file, char *const *argv,
				 char *const *envp, const struct cpus *mask, bool slice,
				 bool spawn)
{
	enum standdown why;
	struct cpus daemons;

	if (proxy.options.off)
		return STANDDOWN_OFF;
	if (proxy.narrowed)
		return STANDDOWN_NARROWED;
	why = standdown_env(envp, proxy.base);
	if (why)
		return why;
	if (!spawn && (affinity_get(&daemons, a, proxy.self.pid) < 0 || !cpus_equal(mask, &daemons)))
		return STANDDOWN_MASK;
	if (!proxy.machine_known)
		return STANDDOWN_MACHINE;
	/* A one-node machine is the commonest reason and costs no file look-up. */
	if (proxy.machine.nnodes < 2 && !slice)
		return STANDDOWN_NONE;
	return standdown_command(proxy.options.deny, file, argv, envp, a);
}

/* The preload list for a rank that keeps us. Hydra forwards mpiexec's list,
 * which has lost us: where it is only that, the proxy's own whole list is put
 * back; where the user gave ranks another one, we go in front of it; where the
 * user emptied it, it stays empty. */
static char *preload_for_rank(struct arena *a, char *const *envp)
{
	const char *now = options_getenv(envp, ENV_PRELOAD);
	const char *whole, *rest;
	char *list;
	size_t len;

	if (!proxy.preload)
		return NULL;
	whole = proxy.preload + strlen(ENV_PRELOAD) + 1;
	rest = env_preload_without_us(a, whole);
	if (!rest || (now && !*now))
		return NULL;
	if (!now || env_preload_has_us(now) || !strcmp(now, rest))
		return now && env_preload_has_us(now) ? env_entry(a, ENV_PRELOAD, now)
						      : (char *)proxy.preload;
	list = arena_alloc(a, strlen(whole) + 1 + strlen(now) + 1);
	if (!list)
		return NULL;
	/* Our own name is whole without the others; naming them twice is
	 * harmless, and the loader takes the first of each. */
	len = strlen(whole);
	memcpy(list, whole, len);
	list[len] = ':';
	memcpy(list + len + 1, now, strlen(now) + 1);
	return env_entry(a, ENV_PRELOAD, list);
}

/* Our variables as the proxy had them, but for an outer rank's marker. */
static void put_options(char **env, unsigned int *n)
{
	for (char **e = proxy.base; *e; e++)
		if (env_is_ours(*e) && !env_is(*e, ENV_RANK))
			env_put(env, n, *e);
}

static unsigned int count_ours(void)
{
	unsigned int n = 0;

	for (char **e = proxy.base; *e; e++)
		n += env_is_ours(*e);
	return n;
}

/* Puts us back into the rank's environment, with a marker. There is room. */
static void keep_us(char **env, unsigned int *n, char *preload, char *marker)
{
	put_options(env, n);
	env_put(env, n, preload);
	env_put(env, n, marker);
}

/* Ranks of one process group are forked one after the other, local rank 0
 * first; so the count at a fork less the local rank tells groups apart. A child
 * that vfork made was not counted: all of those are one group. */
static uint32_t group_of(const struct launchvars *v, bool spawn)
{
	if (proxy.kind != PROXY_HYDRA)
		return v->job;
	if (spawn)
		proxy.started++;
	else if (proxy.child != getpid())
		return UINT32_MAX;
	return proxy.started - 1 - v->rank;
}

static bool is_rank(char *const *envp, struct launchvars *v)
{
	return proxy.kind == PROXY_HYDRA ? launchvars_hydra(envp, v)
					 : launchvars_openmpi(envp, proxy.base, v);
}

void proxy_decide(struct proxy_exec *x, struct arena *a, const char *file, char *const *argv,
		  char *const *envp, bool spawn)
{
	struct place_rank *r = &x->rank;
	struct launchvars v;

	memset(x, 0, sizeof(*x));
	if (!is_rank(envp, &v) || (!spawn && getpid() == proxy.self.pid))
		return;
	x->is_rank = true;
	x->spawn = spawn;
	x->mem = proxy.options.mem;
	r->key.pid = proxy.self.pid;
	r->key.start = proxy.self.start;
	r->key.group = group_of(&v, spawn);
	r->nranks = v.nranks;
	r->rank = v.rank;
	r->width = options_width(&proxy.options, envp);
	r->slice = options_slice(&proxy.options, envp);
	if (affinity_get(&x->before, a, 0) < 0)
		x->place.why = STANDDOWN_MASK;
	else
		x->place.why = stand_down(a, file, argv, envp, &x->before, r->slice, spawn);
	if (x->place.why == STANDDOWN_NONE)
		place_plan(&x->place, a, &proxy.machine, &x->before, &proxy.options, r);
	/* A proxy that spawns waits for each rank in turn: once is enough. (So does
	 * the parent of a vfork child, and has this from it; a fork child's own copy
	 * is of no use to anyone.) */
	if (x->place.ledger_stuck)
		proxy.options.ledger = OPTIONS_LEDGER_NONE;
}

void proxy_take(struct proxy_exec *x, struct arena *a)
{
	if (!x->is_rank || x->place.why)
		return;
	if (affinity_set(a, &x->place.mask) < 0)
		x->place.why = STANDDOWN_REFUSED;
	else
		memory_set(x->mem, a, &proxy.machine, x->place.nodes);
}

char **proxy_env(struct proxy_exec *x, struct arena *a, char *const *envp)
{
	bool settle = proxy.options.mode == OPTIONS_SETTLE && !x->place.why && !x->spawn;
	char *marker = NULL, *preload = NULL;
	unsigned int n;
	char **env;

	if (!x->is_rank)
		return NULL;
	if (settle || proxy.options.keep)
		preload = preload_for_rank(a, envp);
	if (settle && preload)
		marker = marker_make(a, &x->place.mask, &x->before);
	x->place.settles = marker != NULL;
	if (preload)
		marker = env_entry(a, ENV_RANK, marker ? marker : MARKER_HELD);
	env = env_without_us(a, envp, 2 + count_ours(), &n);
	if (env && marker)
		keep_us(env, &n, preload, marker);
	place_say(&x->place, &proxy.machine, &proxy.options, &x->rank);
	return env;
}

void proxy_failed(const struct proxy_exec *x)
{
	if (x->is_rank && !x->place.why)
		place_say_failed(&proxy.options, &x->rank);
}
