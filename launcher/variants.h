/* The ways in which a command is run to be compared. */
#ifndef EVENKEEL_LAUNCHER_VARIANTS_H
#define EVENKEEL_LAUNCHER_VARIANTS_H

#include "core/arena.h"
#include "launcher/cli.h"

#define VARIANTS_MAX 16

struct variant {
	const char *name;
	char **argv, **envp;
};

struct variants {
	unsigned int n; /* at least 1; the first is what the others are held against */
	struct variant v[VARIANTS_MAX];
};

/* Adds the names of list to v, parted by commas; "\," stands for a comma. Built
 * in:
 *   plain      the command as it is, evenkeel off
 *   evenkeel   as `evenkeel run` with the options in c would run it
 *   hold, settle  the same with that --mode
 *   bind-numa  plain, with "-bind-to numa" put behind argv[0], which must be mpiexec
 * NAME=TEXT: sh runs TEXT, in which "$@" is the command, without our preload.
 * command may be NULL-terminated at once (empty): then only the last form will
 * do. library is the path of the preload library, NULL when there is none, with
 * err saying why.
 * 0, or -1 with errno EINVAL or ENOMEM and err set. */
int variants_add(struct variants *v, struct arena *a, const char *list, const struct cli *c,
		 char **command, const char *library, struct cli_error *err);

/* The names alone, for records: argv and envp are NULL. As variants_add. */
int variants_add_names(struct variants *v, struct arena *a, const char *list,
		       struct cli_error *err);

/* Ours without our library, for --setup and commands of the user's own. NULL
 * with errno ENOMEM. */
char **variants_clean_environment(struct arena *a);

/* sh -c text, with "$@" the words of command. NULL with errno ENOMEM. */
char **variants_shell(struct arena *a, const char *text, char *const *command);

#endif
