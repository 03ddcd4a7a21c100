#include "shim/launcher.h"

#include <string.h>
#include <unistd.h>

#include "core/options.h"
#include "core/proc.h"
#include "shim/affinity.h"
#include "shim/env.h"
#include "shim/proxy.h"
#include "shim/real.h"
#include "shim/role.h"
#include "shim/say.h"
#include "core/site.h"
#include "shim/machine.h"
#include "shim/standdown.h"

/* How far up wrappers such as time and timeout are looked through. */
#define NARROWED_STEPS 16

/* What the constructor took out, for the local proxy: LD_PRELOAD as it was and
 * every EVENKEEL_* but a rank's marker. Written by the constructor only. */
static char **taken;
static unsigned int ntaken;

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

/* Within the session some ancestor's mask is not mpiexec's: someone put
 * taskset, numactl or the like in front of it. A mask that the whole session
 * has is its limit (a batch system's, a container's), and so is one that a
 * daemon set for what it starts. */
static bool narrowed(struct arena *a)
{
	struct cpus mine, theirs;
	struct proc_stat st;
	pid_t session = getsid(0), pid = getppid();

	if (affinity_get(&mine, a, 0) < 0)
		return false;
	for (int step = 0; step < NARROWED_STEPS && pid > 0; step++) {
		if (proc_stat_read(&st, pid) < 0 || st.session != session ||
		    role_is_daemon(st.comm) || affinity_get(&theirs, a, pid) < 0)
			return false;
		if (!cpus_equal(&mine, &theirs))
			return true;
		pid = st.ppid;
	}
	return false;
}

static void say_why(enum standdown why)
{
	struct say s;

	say_begin(&s, getpid(), -1);
	say_text(&s, "not placed: ");
	say_text(&s, standdown_text(why));
	say_end(&s);
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
	real_load_exec();
	return ntaken > 0;
}

char **launcher_env(struct arena *a, const char *file, char *const *envp)
{
	unsigned int n;
	char **env;

	if (!proxy_is(standdown_basename(file)))
		return NULL;
	env = env_without_us(a, envp, ntaken, &n);
	for (unsigned int i = 0; env && i < ntaken; i++)
		env_put(env, &n, taken[i]);
	return env;
}
