#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "launcher/cli.h"
#include "launcher/cmd.h"
#include "launcher/preload.h"

static const char usage[] =
    "Usage: evenkeel env [OPTION...]\n"
    "Prints the lines that make every mpiexec of a job script place its ranks. For sh:\n"
    "\n"
    "  eval \"$(evenkeel env --width 4)\"\n"
    "\n"
    "The lines hold LD_PRELOAD, and an EVENKEEL_* variable for each option given.\n"
    "\n"
    "Options:\n"
    "      --width N           cpus that one rank keeps busy\n"
    "      --order ORDER       block: neighbouring ranks share a node (default); cyclic\n"
    "      --mode MODE         hold: a rank keeps its node for life (default);\n"
    "                          settle: until MPI is up\n"
    "      --bind BIND         auto (default), node, or slice: its own part of the node,\n"
    "                          as threads that pin themselves want\n"
    "      --mem POLICY        local, bind, interleave or none (default)\n"
    "      --measure on|off    look for load from elsewhere (default on)\n"
    "      --remote on|off     place ranks on other hosts too (default on)\n"
    "      --together          keep a small job on one node where it would stay\n"
    "      --keep              ranks keep the preload\n"
    "      --machine SPEC      live, a file (our text, hwloc XML) or an hwloc synthetic\n"
    "      --kernel VERSION    plan by the rule of this kernel, such as 6.12\n"
    "      --rule NAME         plan by this rule, such as G8 or v4.1\n"
    "  -v, --verbose[=LEVEL]   1: a line per job and host; 2, the default: per rank\n"
    "  -h, --help              print this page\n";

static int print_lines(struct arena *a, const char *library, char *const *variables, unsigned int n)
{
	const char *quoted = preload_quote(a, library);

	if (!quoted)
		return CLI_FAILED;
	/* The quotes keep shells that split the words of export from doing so. */
	printf("export LD_PRELOAD=%s\"${LD_PRELOAD:+:$LD_PRELOAD}\"\n", quoted);
	for (unsigned int i = 0; i < n; i++) {
		const char *eq = strchr(variables[i], '=');

		quoted = preload_quote(a, eq + 1);
		if (!quoted)
			return CLI_FAILED;
		printf("export %.*s=%s\n", (int)(eq - variables[i]), variables[i], quoted);
	}
	return CLI_DONE;
}

static int print_env(const struct cli *c, struct arena *a)
{
	struct cli_error err;
	const char *library;
	char **variables;
	unsigned int n;

	if (preload_variables(c, a, &variables, &n, &err) < 0)
		return cmd_refuse("env", err.text, CLI_USAGE);
	library = preload_find(a, &err);
	if (!library)
		return cmd_refuse("env", err.text, CLI_FAILED);
	return print_lines(a, library, variables, n);
}

int cmd_env(int argc, char **argv)
{
	struct arena a = { .get = malloc, .put = free };
	struct cli_error err;
	struct cli c;
	int status = CLI_DONE;

	if (cli_parse(&c, &a, CLI_ENV, argc, argv, environ, &err) < 0) {
		status = cmd_refuse("env", err.text, CLI_USAGE);
	} else if (c.help) {
		fputs(usage, stdout);
	} else if (c.rest < argc) {
		cli_error_set(&err, "'%s' is one argument too many: there are only options",
			      argv[c.rest]);
		status = cmd_refuse("env", err.text, CLI_USAGE);
	} else {
		status = print_env(&c, &a);
	}
	arena_free(&a);
	return status;
}
