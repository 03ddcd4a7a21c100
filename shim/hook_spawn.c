/* posix_spawn hooks, for launchers that do not fork: the calling thread takes
 * the rank's mask and memory policy, which the child inherits, and has its own
 * back at once. */
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>

#include "shim/affinity.h"
#include "shim/hook.h"
#include "shim/launcher.h"
#include "shim/memory.h"
#include "shim/proxy.h"
#include "shim/real.h"
#include "shim/role.h"

typedef int spawn_fn(pid_t *, const char *, const posix_spawn_file_actions_t *,
		     const posix_spawnattr_t *, char *const *, char *const *);

static int run(enum real_name name, pid_t *pid, const char *file,
	       const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
	       char *const *argv, char *const *envp)
{
	spawn_fn *real = (spawn_fn *)real_get(name, NULL);
	struct arena a = { 0 };
	struct proxy_exec x = { 0 };
	struct memory_policy policy;
	struct cpus mine;
	int saved = errno, rc;

	if (!real)
		return ENOSYS;
	if (role_of_process == ROLE_LAUNCHER)
		x.env = launcher_env(&a, file, envp);
	if (role_of_process == ROLE_PROXY)
		proxy_exec(&x, &a, file, argv, envp, true);
	x.set = x.set && affinity_get(&mine, &a, 0) == 0;
	if (x.set) {
		memory_save(&policy, x.mem);
		proxy_set(&a, &x);
	}
	errno = saved;
	rc = real(pid, file, actions, attr, argv, x.env ? x.env : envp);
	saved = errno;
	if (x.set) {
		affinity_set(&a, &mine);
		memory_restore(&policy);
	}
	arena_free(&a);
	errno = saved;
	return rc;
}

HOOK int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
		     const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	return run(REAL_POSIX_SPAWN, pid, path, actions, attr, argv, envp);
}

HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		      const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	return run(REAL_POSIX_SPAWNP, pid, file, actions, attr, argv, envp);
}
