/* The command line that all subcommands share: one table of options, and what
 * they stand for on this host.
 *
 * An option that the environment and the site file know too is handed to
 * core/options as it stands, so `--order cyclic` and EVENKEEL_ORDER=cyclic can
 * never mean two things. Nothing here prints or exits: a refusal is one line
 * of text for the user. Memory comes from the caller's arena; strings point
 * into argv, the environment or that arena. Not for two threads (getopt).
 */
#ifndef EVENKEEL_LAUNCHER_CLI_H
#define EVENKEEL_LAUNCHER_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"
#include "core/cpus.h"
#include "core/machine.h"
#include "core/options.h"
#include "core/policy.h"

/* Exit statuses of the program; those of env(1) are for `run` alone. */
enum cli_exit {
	CLI_DONE = 0,
	CLI_FAILED = 1,
	CLI_USAGE = 2,
	CLI_DIFFERENT = 3,     /* compare found what --fail-on names */
	CLI_OWN_FAILURE = 125, /* evenkeel itself could not go on */
	CLI_CANNOT_RUN = 126,  /* the command was found but cannot be run */
	CLI_NOT_FOUND = 127,
};

/* Bits: a row of the option table says which subcommands take it. */
enum cli_command {
	CLI_COMMAND_UNSET = 0,
	CLI_RUN = 1,
	CLI_ENV = 2,
	CLI_MACHINE = 4,
	CLI_PLAN = 8,
	CLI_COMPARE = 16,
	CLI_SIMULATE = 32,
};

struct cli_error {
	char text[320]; /* one line, no newline, no control characters */
};

/* An option of core/options that stood on the command line. */
struct cli_given {
	const char *name;  /* "order" */
	const char *value; /* never NULL; "" for a switch without a value */
};
#define CLI_GIVEN_MAX 64

struct cli {
	struct options options; /* site file, then environment, then command line */
	unsigned int ngiven;	/* each name once, the last value */
	struct cli_given given[CLI_GIVEN_MAX];
	/* Options of one subcommand alone, in the order they stood, for it to
	 * read. */
	unsigned int nown;
	struct cli_given *own;
	const char *busy; /* --busy, unread; NULL = not given */
	const char *cpus; /* --cpus, the same */
	bool have_nranks;
	unsigned int nranks; /* -n: 0 .. PLAN_RANKS_MAX, of CLI_SIMULATE 1 .. SIM_RANKS_MAX */
	bool json;
	bool report;
	bool replace_binding;
	bool help;
	int rest; /* index in argv of the first argument that is no option */
};

/* Reads the site file (EVENKEEL_CONF, else /etc/evenkeel.conf; a missing one is
 * an empty one) and the environment, then argv[1] .. argv[argc-1]. argv may be
 * permuted, but for CLI_RUN and CLI_COMPARE options end at the first other argument, so that
 * those of mpiexec are never looked at. --help stops the reading. 0, or -1 with
 * errno EINVAL (err says what was seen and what was wanted) or ENOMEM. */
int cli_parse(struct cli *c, struct arena *a, enum cli_command command, int argc, char **argv,
	      char *const *envp, struct cli_error *err);

/* Writes a formatted text to err; what would spoil the line becomes '?'. */
void cli_error_set(struct cli_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The whole number at text, which must be nothing else. false when it is not
 * one or above max. */
bool cli_number(const char *text, unsigned int max, unsigned int *n);

/* Reads the machine that spec names: NULL or "live", our text itself, a file
 * with our text or hwloc XML, or an hwloc synthetic description. 0, or -1 with
 * errno and err set. */
int cli_machine_load(struct machine *m, struct arena *a, const char *spec, struct cli_error *err);

/* The text form of m in the arena, as EVENKEEL_MACHINE takes it: one line, ';'
 * for the newline. NULL with errno ENOMEM. */
char *cli_machine_inline(struct arena *a, const struct machine *m);

/* The cpus this process may use, sized at run time. 0, or -1 with errno. */
int cli_allowed(struct cpus *allowed, struct arena *a);

/* Which rule of the kernel holds, and how that is known. */
struct cli_rule {
	const char *kernel;		 /* release string */
	bool assumed_host;		 /* it is this host's own */
	enum policy_rule generation;	 /* what that release has */
	enum policy_certainty certainty; /* of the generation */
	enum policy_rule rule;		 /* the one to use: --rule, else the generation */
};
/* From o->kernel (NULL = uname's release) and o->rule. An unreadable release of
 * the host counts as POLICY_G8, assumed. 0, or -1 with errno ENOMEM. */
int cli_rule(struct cli_rule *r, struct arena *a, const struct options *o);

/* The list form of c in the arena; "" for an empty set. NULL with ENOMEM. */
char *cli_list(struct arena *a, const struct cpus *c);

/* printf into the arena. NULL with errno ENOMEM. */
char *cli_text(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
