/* exec hooks: mpiexec hands us on to its proxy, the proxy's children become
 * ranks on their nodes. All of glibc's callers that a launcher uses come
 * through these four; execl, system and popen do not (glibc binds those
 * inside). They run between fork and exec: system calls and stack only. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

#include "shim/env.h"
#include "shim/hook.h"
#include "shim/launcher.h"
#include "shim/proxy.h"
#include "shim/real.h"
#include "shim/role.h"

typedef int exec_fn(const char *, char *const *);
typedef int exec_env_fn(const char *, char *const *, char *const *);

/* One call: what was asked for and, with what is to be changed of it, what is done. */
struct call {
	struct arena a;
	struct proxy_exec rank;
	char *const *argv, *const *env;
};

/* Fills what is to be executed; the caller's own where nothing changes. */
static void prepare(struct call *c, const char *file, char *const *argv, char *const *envp)
{
	struct launcher_exec x = { NULL, NULL };

	if (role_of_process == ROLE_LAUNCHER)
		launcher_exec(&x, &c->a, file, argv, envp);
	if (role_of_process == ROLE_PROXY) {
		proxy_decide(&c->rank, &c->a, file, argv, envp, false);
		proxy_take(&c->rank, &c->a);
		x.env = proxy_env(&c->rank, &c->a, envp);
	}
	if (x.argv)
		c->argv = x.argv;
	if (x.env)
		c->env = x.env;
}

/* We act, and the call is one that can be looked into: the kernel takes a NULL for
 * an empty list, and a program may have cleared its environ. */
static bool acts_on(const char *file, char *const *argv, char *const *envp)
{
	return (role_of_process == ROLE_LAUNCHER || role_of_process == ROLE_PROXY) && file && argv &&
	       envp;
}

/* What we put in may be the little that is too much for the kernel (E2BIG): then
 * the program goes without us. */
static int run_without_us(exec_env_fn *real, struct arena *a, const char *file, char *const *argv,
			  char *const *envp)
{
	unsigned int n;
	char **env = env_without_us(a, envp, 0, &n);

	return real(file, argv, env ? env : envp);
}

/* with is the function that takes an environment and finds file in the same
 * way as the one that was called. */
static int run(enum real_name with, const char *file, char *const *argv, char *const *envp)
{
	exec_env_fn *real = (exec_env_fn *)real_get(with, NULL);
	struct call c = { .argv = argv, .env = envp };
	int saved = errno, rc;

	if (!real) {
		errno = ENOSYS;
		return -1;
	}
	if (acts_on(file, argv, envp))
		prepare(&c, file, argv, envp);
	errno = saved;
	rc = real(file, c.argv, c.env);
	/* Only reached when there was no exec. */
	if (errno == E2BIG && (c.env != envp || c.argv != argv))
		rc = run_without_us(real, &c.a, file, argv, envp);
	saved = errno;
	proxy_failed(&c.rank);
	arena_free(&c.a);
	errno = saved;
	return rc;
}

/* A hook whose function takes no environment calls just that function when
 * nobody wants to change anything, so that other libraries' hooks stay in the
 * chain. */
static int run_plain(enum real_name plain, enum real_name with, const char *file,
		     char *const *argv)
{
	exec_fn *real;

	if (acts_on(file, argv, environ))
		return run(with, file, argv, environ);
	real = (exec_fn *)real_get(plain, NULL);
	if (!real) {
		errno = ENOSYS;
		return -1;
	}
	return real(file, argv);
}

HOOK int execv(const char *path, char *const argv[])
{
	return run_plain(REAL_EXECV, REAL_EXECVE, path, argv);
}

HOOK int execvp(const char *file, char *const argv[])
{
	return run_plain(REAL_EXECVP, REAL_EXECVPE, file, argv);
}

HOOK int execve(const char *path, char *const argv[], char *const envp[])
{
	return run(REAL_EXECVE, path, argv, envp);
}

HOOK int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return run(REAL_EXECVPE, file, argv, envp);
}
