/* posix_spawn hooks, for launchers that do not fork: the calling thread takes
 * the rank's mask and memory policy, which the child inherits, and has its own
 * back at once. */
#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>

#include "shim/affinity.h"
#include "shim/env.h"
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
	struct proxy_exec x = { 0 };
	struct memory_policy policy;
	struct arena a = { 0 };
	struct launcher_exec l = { NULL, NULL };
	unsigned int n;
	int saved = errno, rc;

	if (!real)
		return ENOSYS;
	/* The kernel takes a NULL for an empty list. */
	if (role_of_process == ROLE_LAUNCHER && file && argv && envp)
		launcher_exec(&l, &a, file, argv, envp);
	if (role_of_process == ROLE_PROXY && file && argv && envp) {
		proxy_decide(&x, &a, file, argv, envp, true);
		memory_save(&policy, x.mem);
		proxy_take(&x, &a);
		l.env = proxy_env(&x, &a, envp);
	}
	errno = saved;
	rc = real(pid, file, actions, attr, l.argv ? l.argv : argv, l.env ? l.env : envp);
	/* What we put in may be the little that is too much for the kernel. */
	if (rc == E2BIG && (l.env || l.argv)) {
		l.env = env_without_us(&a, envp, 0, &n);
		rc = real(pid, file, actions, attr, argv, l.env ? l.env : envp);
	}
	saved = errno;
	if (x.is_rank && !x.place.why) {
		affinity_set(&a, &x.before);
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
