#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <jansson.h>
#include <numa.h>
#ifdef HAVE_PMIX
#include <pmix.h>
#endif

#include "launcher/cli.h"
#include "launcher/cmd.h"
#include "launcher/topology.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "run", cmd_run },
	{ "env", cmd_env },
	{ "machine", cmd_machine },
	{ "plan", cmd_plan },
	{ "compare", cmd_compare },
	{ "simulate", cmd_simulate },
};
#define NCOMMANDS (sizeof(commands) / sizeof(*commands))

static const char usage[] =
    "Usage: evenkeel COMMAND [OPTION...] ...\n"
    "Keeps the ranks of an MPI job on an even keel: places them on NUMA nodes before\n"
    "they run, the way the kernel would if it could see ranks that still sleep.\n"
    "\n"
    "Commands:\n"
    "  run [OPTION...] [--] mpiexec ...  run a job with its ranks placed\n"
    "  env [OPTION...]                   print the export lines for a job script\n"
    "  machine [OPTION...] [SPEC]        print the machine as evenkeel sees it\n"
    "  plan -n N [OPTION...]             print where N ranks would go, and why\n"
    "  compare [OPTION...] [--] COMMAND  run a command without and with evenkeel in turn, and\n"
    "                                    say what that changes\n"
    "  simulate -n N [OPTION...]         a model of what the kernel would do with N ranks\n"
    "\n"
    "Options:\n"
    "  -h, --help         print this page; 'evenkeel COMMAND --help' prints the command's\n"
    "  -V, --version      print the version; with -v those of the libraries too\n"
    "\n"
    "Exit status: 0 done, 1 failed, 2 usage; 'run' exits as the job does; 'compare' 3, too.\n"
    "Manual: evenkeel(1), evenkeel-run(1), evenkeel-env(1), evenkeel-machine(1),\n"
    "evenkeel-plan(1), evenkeel-compare(1), evenkeel-simulate(1).\n";

int cmd_refuse(const char *command, const char *text, int status)
{
	fprintf(stderr, "evenkeel %s: %s\n", command, text);
	return status;
}

static int refuse(const char *format, const char *seen)
{
	struct cli_error err;

	cli_error_set(&err, format, seen);
	fprintf(stderr, "evenkeel: %s\n", err.text);
	return CLI_USAGE;
}

static int print_version(bool libraries)
{
	puts("evenkeel " PACKAGE_VERSION);
	if (!libraries)
		return CLI_DONE;
	printf("hwloc %s\n", topology_version());
	/* libnuma has no call for its version; this is its interface's. */
	printf("libnuma API %d\n", LIBNUMA_API_VERSION);
	printf("jansson %s\n", jansson_version_str());
#ifdef HAVE_PMIX
	printf("%s\n", PMIx_Get_version());
#else
	puts("PMIx not built in");
#endif
	return CLI_DONE;
}

/* Options in front of the command. */
static int print_own(int argc, char **argv)
{
	bool help = false, version = false, libraries = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			help = true;
		else if (!strcmp(argv[i], "-V") || !strcmp(argv[i], "--version"))
			version = true;
		else if (!strcmp(argv[i], "-v") || !strcmp(argv[i], "--verbose"))
			libraries = true;
		else if (*argv[i] == '-')
			return refuse("unknown option '%s'; --help lists those there are", argv[i]);
		else
			return refuse("'%s' after an option: options of a command follow its name",
				      argv[i]);
	}
	if (help) {
		fputs(usage, stdout);
		return CLI_DONE;
	}
	if (version)
		return print_version(libraries);
	return refuse("%s wants a command behind it; --help lists those there are", argv[1]);
}

static int dispatch(int argc, char **argv)
{
	if (argc < 2)
		return refuse("%s is wanted: run, env, machine, plan, compare or simulate; see --help",
			      "a command");
	if (*argv[1] == '-')
		return print_own(argc, argv);
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return refuse("unknown command '%s'; --help lists those there are", argv[1]);
}

int main(int argc, char **argv)
{
	int status = dispatch(argc, argv);

	if ((fflush(stdout) != 0 || ferror(stdout)) && status == CLI_DONE) {
		fprintf(stderr, "evenkeel: standard output: %s\n", strerror(errno));
		status = CLI_FAILED;
	}
	return status;
}
