#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <jansson.h>
#include <numa.h>

#include "core/machine_text.h"
#include "launcher/cli.h"
#include "launcher/cmd.h"

static const char usage[] =
    "Usage: evenkeel machine [OPTION...] [SPEC]\n"
    "Prints a machine as evenkeel sees it: nodes, cpus, distances, caches, cores. The\n"
    "text can be kept in a file and given to --machine or EVENKEEL_MACHINE.\n"
    "\n"
    "SPEC:\n"
    "  live         this host (default)\n"
    "  FILE         such a text, or hwloc XML as lstopo writes it\n"
    "  SYNTHETIC    a description as hwloc takes it, such as 'numa:2 core:20 pu:2'\n"
    "\n"
    "Options:\n"
    "      --machine SPEC      the same as SPEC\n"
    "      --json              print a JSON object instead\n"
    "  -v, --verbose           of no effect here\n"
    "  -h, --help              print this page\n";

/* Nodes that this process may take memory from: what the text form has no
 * statement for, since it is no property of the machine. */
static void print_live_facts(struct arena *a)
{
	struct utsname host;
	struct cpus set;
	struct bitmask *mems;

	if (uname(&host) == 0)
		printf("# kernel %s\n", host.release);
	if (cli_allowed(&set, a) == 0)
		printf("# cpus-allowed %s\n", cli_list(a, &set));
	if (numa_available() < 0)
		return;
	mems = numa_get_mems_allowed();
	if (!mems || cpus_init(&set, a, CPUS_MAX) < 0)
		return;
	for (unsigned long i = 0; i < mems->size && i < CPUS_MAX; i++)
		if (numa_bitmask_isbitset(mems, (unsigned int)i))
			cpus_add(&set, (unsigned int)i);
	numa_bitmask_free(mems);
	printf("# mems-allowed %s\n", cli_list(a, &set));
}

static int print_text(struct arena *a, const struct machine *m, bool live)
{
	size_t len = machine_text_write(m, NULL, 0);
	char *text = arena_alloc(a, len + 1);

	if (!text)
		return cmd_refuse("machine", strerror(errno), CLI_FAILED);
	machine_text_write(m, text, len + 1);
	fputs(text, stdout);
	if (live)
		print_live_facts(a);
	return CLI_DONE;
}

static json_t *list_json(struct arena *a, const struct cpus *c)
{
	const char *text = cli_list(a, c);

	return text ? json_string(text) : NULL;
}

static json_t *nodes_json(struct arena *a, const struct machine *m)
{
	json_t *nodes = json_array();

	for (unsigned int i = 0; i < m->nnodes; i++) {
		const struct machine_node *n = &m->nodes[i];

		json_array_append_new(nodes, json_pack("{s:i, s:o, s:i, s:b}", "node", (int)n->os,
						       "cpus", list_json(a, &n->cpus), "capacity",
						       (int)cpus_count(&n->cpus), "memory",
						       (int)n->memory));
	}
	return nodes;
}

static json_t *distances_json(const struct machine *m)
{
	json_t *table = json_array();

	for (unsigned int i = 0; i < m->nnodes; i++) {
		json_t *row = json_array();

		for (unsigned int j = 0; j < m->nnodes; j++)
			json_array_append_new(row, json_integer(machine_distance(m, i, j)));
		json_array_append_new(table, row);
	}
	return table;
}

/* The groups of usable cpus that share an entry of of[]. */
static json_t *groups_json(struct arena *a, const struct machine *m, const unsigned int *of)
{
	json_t *groups = json_array();
	struct cpus group;

	if (cpus_init(&group, a, m->ncpus) < 0)
		return groups;
	cpus_for_each (c, &m->usable) {
		if (of[c] != c)
			continue;
		cpus_clear(&group);
		cpus_for_each (d, &m->usable)
			if (of[d] == c)
				cpus_add(&group, d);
		json_array_append_new(groups, list_json(a, &group));
	}
	return groups;
}

static json_t *left_out_json(const struct machine *m)
{
	static const char *const why[] = {
		[MACHINE_LEFT_OUT_UNSET] = "unknown",
		[MACHINE_LEFT_OUT_NO_CPUS] = "no-cpus",
		[MACHINE_LEFT_OUT_UNUSABLE] = "unusable",
		[MACHINE_LEFT_OUT_SHARED_CPUS] = "shared-cpus",
	};
	json_t *list = json_array();

	for (unsigned int i = 0; i < m->nleft_out; i++)
		json_array_append_new(list, json_pack("{s:i, s:s}", "node", (int)m->left_out[i].os,
						      "why", why[m->left_out[i].why]));
	return list;
}

static int print_json(struct arena *a, const struct machine *m)
{
	json_t *root = json_pack(
	    "{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i}", "version", MACHINE_TEXT_VERSION,
	    "nodes", nodes_json(a, m), "distances", distances_json(m), "llcs",
	    groups_json(a, m, m->llc_of), "cores", groups_json(a, m, m->core_of), "isolated",
	    list_json(a, &m->isolated), "left_out", left_out_json(m), "reclaim_distance",
	    (int)m->reclaim_distance, "quota", (int)m->quota);

	if (!root)
		return cmd_refuse("machine", "out of memory", CLI_FAILED);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
	return CLI_DONE;
}

static int print_machine(const struct cli *c, struct arena *a, const char *spec)
{
	bool live = !spec || !strcmp(spec, "live");
	struct cli_error err;
	struct machine m;

	if (cli_machine_load(&m, a, spec, &err) < 0)
		return cmd_refuse("machine", err.text, CLI_USAGE);
	return c->json ? print_json(a, &m) : print_text(a, &m, live);
}

int cmd_machine(int argc, char **argv)
{
	struct arena a = { .get = malloc, .put = free };
	struct cli_error err;
	struct cli c;
	int status = CLI_DONE;

	if (cli_parse(&c, &a, CLI_MACHINE, argc, argv, environ, &err) < 0) {
		status = cmd_refuse("machine", err.text, CLI_USAGE);
	} else if (c.help) {
		fputs(usage, stdout);
	} else if (argc - c.rest > 1) {
		cli_error_set(&err, "'%s' is one argument too many: one machine is wanted",
			      argv[c.rest + 1]);
		status = cmd_refuse("machine", err.text, CLI_USAGE);
	} else {
		status = print_machine(&c, &a, c.rest < argc ? argv[c.rest] : c.options.machine);
	}
	arena_free(&a);
	return status;
}
