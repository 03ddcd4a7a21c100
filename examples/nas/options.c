/* The command line of a NAS program. */
#include "examples/nas/nas.h"

#include <ctype.h>
#include <getopt.h>
#include <string.h>

#include "config.h"

enum { OPT_JSON = 256, OPT_NODES, OPT_DAMAGE, OPT_LAYOUT };

static const struct option options[] = {
	{ "class", required_argument, NULL, 'c' },
	{ "json", required_argument, NULL, OPT_JSON },
	{ "report-nodes", no_argument, NULL, OPT_NODES },
	{ "self-test-damage", no_argument, NULL, OPT_DAMAGE },
	{ "layout", required_argument, NULL, OPT_LAYOUT },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};

static void print_help(const struct nas_kernel *kernel)
{
	char program[8] = "";

	for (size_t i = 0; kernel->name[i] && i < sizeof(program) - 1; i++)
		program[i] = (char)tolower((unsigned char)kernel->name[i]);
	printf("Usage: mpiexec -n RANKS %s [OPTION]...\n"
	       "NAS kernel %s: %s.\n\n"
	       "  -c, --class=S|W|A|B|C|D  the problem's size (S when not given)\n"
	       "      --json=FILE          write the result to FILE too\n"
	       "      --report-nodes       print on which NUMA nodes the ranks were at the end\n"
	       "                           of the timed part, and their share of remote pages\n",
	    program, kernel->name, kernel->about);
	if (kernel->layouts)
		printf("      --layout=slabs|pencils  how the grid is cut; slabs up to as many\n"
		       "                           ranks as planes, else pencils\n");
	printf("      --self-test-damage   spoil one input: the run must end UNSUCCESSFUL\n"
	       "  -h, --help\n"
	       "  -V, --version\n\n"
	       "Ranks: %s.\n"
	       "Exit status: 0 verified, 1 not verified, 2 refused.\n",
	    kernel->rule);
}

static int set_class(struct nas_run *run, const char *text)
{
	static const char names[] = "SWABCD";
	const char *found = strchr(names, toupper((unsigned char)text[0]));

	if (!text[0] || text[1] || !found)
		return nas_refuse(run, "--class: '%s' is none of S, W, A, B, C, D", text);
	run->cls = (enum nas_class)(found - names);
	return 0;
}

static int set_layout(struct nas_run *run, const char *text)
{
	if (!run->kernel->layouts)
		return nas_refuse(run, "--layout is an option of ft");
	run->layout = strcmp(text, "slabs") == 0 ? 1 : strcmp(text, "pencils") == 0 ? 2 : 0;
	if (!run->layout)
		return nas_refuse(run, "--layout: '%s' is neither slabs nor pencils", text);
	return 0;
}

/* 0 go on, -1 refused or all said. */
static int take(struct nas_run *run, int option, char **argv)
{
	switch (option) {
	case 'c':
		return set_class(run, optarg);
	case OPT_JSON:
		run->json_path = optarg;
		return 0;
	case OPT_NODES:
		run->report_nodes = true;
		return 0;
	case OPT_DAMAGE:
		run->damage = true;
		return 0;
	case OPT_LAYOUT:
		return set_layout(run, optarg);
	case 'h':
		if (run->rank == 0)
			print_help(run->kernel);
		return -1;
	case 'V':
		if (run->rank == 0)
			printf("%s (%s)\n", run->kernel->name, PACKAGE_STRING);
		return -1;
	case ':':
		return nas_refuse(run, "%s: its value is missing (--help)", argv[optind - 1]);
	default:
		return nas_refuse(run, "unknown option %s (--help)", argv[optind - 1]);
	}
}

int nas_options(struct nas_run *run, int argc, char **argv)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":c:hV", options, NULL)) != -1)
		if (take(run, option, argv) < 0)
			return -1;
	if (optind < argc)
		return nas_refuse(run, "'%s' is no option (--help)", argv[optind]);
	return 0;
}
