/* --busy and the rest of evenkeel plan's command line: the first line is --busy's
 * value, each other one an argument. */
#include <getopt.h>

#include "launcher/cli.h"
#include "launcher/planning.h"
#include "launcher/topology.h"
#include "tests/fuzz/fuzz.h"

#define ARGS_MAX 16
/* Plans of more ranks take long, and go no other way. */
#define RANKS_MAX 4096u

static char four_nodes[] = "evenkeel-machine 1;node 0 cpus 0-3;node 1 cpus 4-7;"
			   "node 2 cpus 8-11;node 3 cpus 12-15";

/* hwloc is none of ours. */
int topology_load(const char *spec, struct machine *m, struct arena *a,
		  struct topology_error *err)
{
	(void)spec;
	(void)m;
	(void)a;
	strcpy(err->text, "no hwloc here");
	return -1;
}

static void plan(int argc, char **argv)
{
	struct arena a = FUZZ_ARENA;
	struct cli_error err = { "" };
	struct planning p;
	char conf[] = "EVENKEEL_CONF=/dev/null", *none[] = { conf, NULL };
	struct cli c;

	optind = 0;
	if (cli_parse(&c, &a, CLI_PLAN, argc, argv, none, &err) < 0 || c.help) {
		fuzz_check(c.help || *err.text);
	} else if (c.nranks <= RANKS_MAX) {
		if (planning_make(&p, &a, &c, none, &err) == 0)
			fuzz_check_plan(&p.plan, &p.machine, &p.allowed);
		else
			fuzz_check(*err.text);
	}
	fuzz_check(strlen(err.text) < sizeof(err.text) && !strchr(err.text, '\n'));
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[] = "plan", machine[] = "--machine", ranks[] = "-n4", busy[] = "--busy";
	char *text = fuzz_text(data, size), *argv[ARGS_MAX + 6];
	size_t n;

	argv[0] = name;
	argv[1] = machine;
	argv[2] = four_nodes;
	argv[3] = ranks;
	argv[4] = busy;
	n = fuzz_lines(argv + 5, ARGS_MAX, text, size);
	/* A site's file, hwloc's files: nothing outside is to be read. */
	for (size_t i = 0; i < n; i++)
		if (!strncmp(argv[5 + i], "--m", 3))
			argv[5 + i][0] = 'x';
	plan(5 + (int)n, argv);
	free(text);
	return 0;
}
