/* The command by which mpiexec starts a proxy on another host, made to give that
 * proxy our preload where the library can be loaded there.
 *
 * Hydra executes [ssh][-x][HOST]["/usr/bin/hydra_pmi_proxy"][--control-port]...
 * (MPICH 4.0.2, 4.2.1 and 5.0.2; the double quotes are part of the argument, ssh
 * joins all of them with blanks for the login shell there) or
 * [srun][-N][2]...[/usr/bin/hydra_pmi_proxy][--control-port]... with no shell. In
 * front of the proxy's path goes a stub:
 *
 *	/bin/sh -c '...' env EVENKEEL_X=... "/usr/bin/hydra_pmi_proxy" --control-port ...
 *
 * Nothing else changes. The stub's shell loads the library into one more shell that
 * does nothing; only if that says nothing and ends well the proxy is given it, with
 * the variables. Otherwise the variables are dropped and the proxy starts as it was.
 * So a library that is not there, of another machine, cut off, or for a newer C
 * library than the host's (which would end the proxy) does no harm. The stub
 * reads alike to sh, csh and their kin.
 *
 * In any doubt the command stays as it is. Async-signal-safe; errno may change.
 */
#ifndef EVENKEEL_SHIM_REMOTE_H
#define EVENKEEL_SHIM_REMOTE_H

#include <stdbool.h>

#include "core/arena.h"

enum remote_why {
	REMOTE_NO_PROXY = 0, /* the command starts none, or is one */
	REMOTE_DONE,	     /* argv is the new command */
	REMOTE_OFF,	     /* the user or the site keeps to this host */
	REMOTE_LAYOUT,	     /* it starts one in a way that is not known */
	REMOTE_PROGRAM,	     /* what starts it may not be ssh, rsh or srun */
	REMOTE_LIBRARY,	     /* the library's path has characters that shells read */
	REMOTE_VARIABLE,     /* a variable has such */
	REMOTE_LONG,	     /* too long for the shell there */
	REMOTE_MEMORY,	     /* there is none */
};

/* The longest argument that is made: csh's words end between 4,000 and 9,000 bytes
 * (bsd-csh 20110502). */
#define REMOTE_WORD_MAX 4000u
/* The longest command that is made, all arguments together. A shell is given it as
 * one argument, of which the kernel takes 128 KiB. */
#define REMOTE_COMMAND_MAX 32768u

struct remote_us {
	const char *library; /* its path, the same on every host */
	char *const *vars;   /* "EVENKEEL_X=..." for the proxy there; NULL ends them */
	bool verbose;	     /* the stub says on stderr where and why we are not active */
	bool off;	     /* no command is rewritten, nor looked into further */
};

struct remote {
	enum remote_why why;
	const char *host; /* as mpiexec calls it; NULL = the command does not tell */
	char **argv;	  /* the arena's; NULL unless REMOTE_DONE */
};

/* A proxy by the last component of its file name. */
bool remote_is_proxy(const char *name);

/* Rewrites the command that execs file with argv and envp. */
void remote_rewrite(struct remote *r, struct arena *a, const char *file, char *const *argv,
		    char *const *envp, const struct remote_us *us);

/* For the user: a few words that follow "not active: ". */
const char *remote_text(enum remote_why why);

#endif
