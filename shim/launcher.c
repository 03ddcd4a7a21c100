#include "shim/launcher.h"

#include <string.h>
#include <unistd.h>

#include "core/daemon.h"
#include "core/options.h"
#include "core/proc.h"
#include "shim/affinity.h"
#include "shim/env.h"
#include "shim/real.h"
#include "shim/remote.h"
#include "shim/say.h"
#include "core/site.h"
#include "shim/machine.h"
#include "shim/standdown.h"

/* How far up wrappers such as time and timeout are looked through. */
#define NARROWED_STEPS 16

/* What the constructor took out, for proxies: LD_PRELOAD as it was and
 * every EVENKEEL_* but a rank's marker. Written by the constructor only. */
static char **taken;
static unsigned int ntaken;

/* For other hosts; written by the constructor only. vars is of taken what is no
 * LD_PRELOAD. library is NULL when its name could not be had. */
static struct remote_us others;

/* Takes our entries out of environ. All memory is had before anything is
 * changed. */
static bool take(struct arena *a)
{
	unsigned int n = 0, kept;
	char **env = env_without_us(a, environ, 0, &kept);

	while (environ[n])
		n++;
	taken = arena_array(a, n + 1, sizeof(*taken));
	if (!env || !taken)
		return false;
	for (unsigned int i = 0; i < n; i++)
		if ((env_is_ours(environ[i]) && !env_is(environ[i], ENV_RANK)) ||
		    (env_is(environ[i], ENV_PRELOAD) &&
		     env_preload_has_us(environ[i] + strlen(ENV_PRELOAD) + 1)))
			taken[ntaken++] = environ[i];
	memcpy(environ, env, (kept + 1) * sizeof(*env));
	return true;
}

static bool narrowed(struct arena *a)
{
	struct cpus mine, theirs;
	struct proc_stat st;
	pid_t session = getsid(0), pid = getppid();

	if (affinity_get(&mine, a, 0) < 0)
		return false;
	for (int step = 0; step < NARROWED_STEPS && pid > 0; step++) {
		if (proc_stat_read(&st, pid) < 0 || st.session != session ||
		    daemon_is(st.comm) || affinity_get(&theirs, a, pid) < 0)
			return false;
		if (!cpus_equal(&mine, &theirs))
			return true;
		pid = st.ppid;
	}
	return false;
}

bool launcher_narrowed(void)
{
	struct arena scratch = { 0 };
	bool is = narrowed(&scratch);

	arena_free(&scratch);
	return is;
}

static void say_why(enum standdown why)
{
	struct say s;

	say_begin(&s, getpid(), -1);
	say_text(&s, "not placed: ");
	say_text(&s, standdown_text(why));
	say_end(&s);
}

static const char *library_of(struct arena *a, const char *list)
{
	size_t len;
	const char *at = env_preload_us(list, &len);
	char *name = at ? arena_alloc(a, len + 1) : NULL;

	return name ? memcpy(name, at, len) : NULL;
}

static void prepare_others(struct arena *a, const struct options *o)
{
	char **vars = arena_array(a, ntaken + 1, sizeof(*vars));
	unsigned int n = 0;

	for (unsigned int i = 0; vars && i < ntaken; i++) {
		if (env_is(taken[i], ENV_PRELOAD))
			others.library = library_of(a, taken[i] + strlen(ENV_PRELOAD) + 1);
		else
			vars[n++] = taken[i];
	}
	if (!vars)
		others.library = NULL;
	others.vars = vars;
	others.verbose = o->verbose > 0;
	others.off = o->no_remote;
}

bool launcher_start(void)
{
	static struct arena kept;
	struct arena scratch = { 0 };
	enum standdown why = STANDDOWN_NONE;
	struct options o;

	/* Another library's constructor may have cleared it. */
	if (!environ)
		return false;
	site_options(&o, &scratch, environ);
	if (o.off)
		why = STANDDOWN_OFF;
	else if (narrowed(&scratch))
		why = STANDDOWN_NARROWED;
	if (why && o.verbose)
		say_why(why);
	arena_free(&scratch);
	if (!take(&kept) || why)
		return false;
	prepare_others(&kept, &o);
	real_load_exec();
	return ntaken > 0;
}

static void say_host(const struct remote *r)
{
	struct say s;

	say_begin(&s, getpid(), -1);
	say_text(&s, r->host ? r->host : "other hosts");
	say_text(&s, ": not active: ");
	say_text(&s, remote_text(r->why));
	say_end(&s);
}

static char **for_other_host(struct arena *a, const char *file, char *const *argv,
			     char *const *envp)
{
	struct remote r;

	if (!others.library)
		return NULL;
	remote_rewrite(&r, a, file, argv, envp, &others);
	if (others.verbose && r.why != REMOTE_NO_PROXY && r.why != REMOTE_DONE)
		say_host(&r);
	return r.why == REMOTE_DONE ? r.argv : NULL;
}

void launcher_exec(struct launcher_exec *x, struct arena *a, const char *file, char *const *argv,
		   char *const *envp)
{
	unsigned int n;

	memset(x, 0, sizeof(*x));
	if (!remote_is_proxy(standdown_basename(file))) {
		x->argv = for_other_host(a, file, argv, envp);
		return;
	}
	x->env = env_without_us(a, envp, ntaken, &n);
	for (unsigned int i = 0; x->env && i < ntaken; i++)
		env_put(x->env, &n, taken[i]);
}
