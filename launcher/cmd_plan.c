#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "launcher/cli.h"
#include "launcher/cmd.h"
#include "launcher/planning.h"

static const char usage[] =
    "Usage: evenkeel plan -n N [OPTION...]\n"
    "Prints where the N ranks of a job on one host would go, the kernel's rule that\n"
    "this follows, and its numbers. Nothing is started or bound.\n"
    "\n"
    "Options:\n"
    "  -n, --ranks N           ranks on the host\n"
    "      --machine SPEC      live (default), a file (our text, hwloc XML) or an hwloc\n"
    "                          synthetic such as 'numa:2 core:20 pu:2'\n"
    "      --kernel VERSION    the kernel whose rule is used; 6.12 means 6.12.0\n"
    "      --rule NAME         use this rule instead, such as G8 or v4.1\n"
    "      --cpus LIST         the cpus that the job may use, such as 0-3,8; else all, or\n"
    "                          on the live machine those that this process may use\n"
    "      --busy B,...        cpus that are busy already, one number for each node\n"
    "      --width N           cpus that one rank keeps busy\n"
    "      --order ORDER       block: neighbouring ranks share a node (default); cyclic\n"
    "      --mode MODE         hold or settle; the plan is the same\n"
    "      --mem POLICY        local, bind, interleave or none; the plan is the same\n"
    "      --bind BIND         auto (default), node, or slice: its own part of the node,\n"
    "                          as threads that pin themselves want\n"
    "      --together          keep a small job on one node where it would stay\n"
    "      --json              print a JSON object instead\n"
    "  -v, --verbose           list every rank on a line of its own\n"
    "  -h, --help              print this page\n";

static const char *certainty_text(enum policy_certainty certainty)
{
	switch (certainty) {
	case POLICY_EXACT:
		return "exact";
	case POLICY_ASSUMED:
		return "assumed";
	case POLICY_NEWER:
		return "newer";
	case POLICY_OLDER:
		return "older";
	case POLICY_CERTAINTY_UNSET:
		break;
	}
	return "unknown";
}

/* What a user should think of the generation. */
static const char *certainty_note(enum policy_certainty certainty)
{
	switch (certainty) {
	case POLICY_EXACT:
		return "a mainline or stable version";
	case POLICY_NEWER:
		return "assumed: newer than any version that is known here";
	case POLICY_OLDER:
		return "assumed: older than any version that is known here";
	case POLICY_ASSUMED:
	case POLICY_CERTAINTY_UNSET:
		break;
	}
	return "assumed: a vendor's kernel, its back-ports are not known";
}

static const char *order_text(enum plan_order order)
{
	return order == PLAN_ORDER_CYCLIC ? "cyclic" : "block";
}

/* --- for people ------------------------------------------------------------ */

static void print_head(const struct planning *p)
{
	const struct machine *m = &p->machine;
	const struct cli_rule *r = &p->rule;
	unsigned int n = cpus_count(&p->allowed);

	/* A text given as such is no name to print. */
	printf("machine     %s: %u node%s, %u cpu%s allowed\n",
	       strchr(p->spec, '\n') || strchr(p->spec, ';') ? "given text" : p->spec, m->nnodes,
	       m->nnodes == 1 ? "" : "s", n, n == 1 ? "" : "s");
	printf("kernel      %s%s: generation %s, %s\n", r->kernel,
	       r->assumed_host ? " (this host's)" : "", policy_name(r->generation),
	       certainty_note(r->certainty));
	printf("rule        %s: %s\n", policy_name(r->rule), policy_describe(r->rule));
	printf("request     %u rank%s, ", p->request.nranks, p->request.nranks == 1 ? "" : "s");
	if (p->width_from)
		printf("width %u (%s)", p->request.width, p->width_from);
	else
		printf("width unknown (each counted as %u cpu%s)", p->plan.weight,
		       p->plan.weight == 1 ? "" : "s");
	printf(", %s order%s\n", order_text(p->plan.order),
	       p->request.together ? ", together" : "");
}

static void print_levels(const struct planning *p)
{
	const struct machine_view *v = &p->view;
	enum policy_rule rule = p->rule.rule;

	if (!v->nlevels) {
		printf("levels      none: the machine is one node\n");
		return;
	}
	printf("levels      %-8s %8s %6s %11s %10s %13s\n", "name", "distance", "span",
	       "imb_numa_nr", "fork limit", "balance limit");
	for (unsigned int i = 0; i < v->nlevels; i++)
		printf("            numa%-4u %8u %6u %11u %10u %13u%s\n", i + 1,
		       v->levels[i].distance, v->levels[i].span, policy_imb_numa_nr(rule, v, i),
		       policy_fork_limit(rule, v, i, 0), policy_balance_limit(rule, v, i),
		       v->levels[i].crosses ? "" : "  fork and exec never cross it");
}

static void print_nodes(struct arena *a, const struct planning *p)
{
	printf("nodes       %6s %8s %6s %6s  cpus\n", "node", "capacity", "busy", "ranks");
	for (unsigned int i = 0; i < p->plan.nnodes; i++) {
		const struct machine_node *n = &p->machine.nodes[i];

		printf("            %6u %8u %6u %6u  %s%s\n", n->os, p->plan.capacity[i],
		       p->plan.busy[i], p->plan.ranks[i], cli_list(a, &n->cpus),
		       n->memory ? "" : " (no memory)");
	}
}

static char *place_people(struct arena *a, const struct planning *p, const struct plan_place *place)
{
	return cli_text(a, "node%s %s: cpus %s", cpus_count(&place->nodes) == 1 ? "" : "s",
			planning_nodes(a, &p->machine, &place->nodes), cli_list(a, &place->cpus));
}

typedef char *describe_fn(struct arena *, const struct planning *, const struct plan_place *);

/* A text for each place, since there may be a million ranks. */
static char **describe_places(struct arena *a, const struct planning *p, describe_fn *describe)
{
	char **texts = arena_array(a, p->plan.nplaces + 1, sizeof(*texts));

	for (unsigned int i = 0; texts && i < p->plan.nplaces; i++)
		texts[i] = describe(a, p, &p->plan.places[i]);
	return texts;
}

/* The text of rank r: its place's, or of its own part of it. */
static const char *describe_rank(struct arena *a, const struct planning *p, unsigned int r,
				 char *const *places, describe_fn *describe)
{
	const struct plan_place *place = plan_place_of(&p->plan, r);
	struct plan_place own;

	if (!p->slice)
		return places[place - p->plan.places];
	own = *place;
	if (plan_slice(&p->plan, a, &p->machine, r, &own.cpus) < 0)
		return NULL;
	return describe(a, p, &own);
}

/* Neighbours with one place share a line. In cyclic order there are none: only
 * the first round is shown, the rest repeats it. */
static void print_ranks(struct arena *a, const struct planning *p, bool all)
{
	const struct plan *plan = &p->plan;
	unsigned int shown = plan->nranks;
	char **texts = describe_places(a, p, place_people);

	if (!texts)
		return;
	if (!all && plan->order == PLAN_ORDER_CYCLIC && shown > 2 * plan->nplaces)
		shown = 2 * plan->nplaces;
	printf("ranks\n");
	for (unsigned int r = 0, end; r < shown; r = end) {
		const struct plan_place *place = plan_place_of(plan, r);

		end = r + 1;
		while (!all && !p->slice && end < shown && plan_place_of(plan, end) == place)
			end++;
		printf("            %u", r);
		if (end - 1 > r)
			printf("-%u", end - 1);
		printf(" on %s\n", describe_rank(a, p, r, texts, place_people));
	}
	if (shown < plan->nranks)
		printf("            and so on to rank %u; -v lists all\n", plan->nranks - 1);
}

static void print_people(struct arena *a, const struct planning *p, bool all)
{
	const struct plan *plan = &p->plan;

	print_head(p);
	print_levels(p);
	print_nodes(a, p);
	if (plan->why && !p->slice)
		printf("ranks       no rank asks for anything: %s\n", plan_why_text(plan->why));
	else
		print_ranks(a, p, all);
	if (plan->crowded)
		printf("crowded     more cpus are wanted than are idle%s\n",
		       p->machine.quota ? " or than the quota gives" : "");
	printf("difference  %u between the fullest and the emptiest node; %s\n", plan->difference,
	       plan->stable ? "stable: the balancer leaves it alone"
			    : "not stable: the balancer would move some load");
}

/* --- JSON ------------------------------------------------------------------- */

static json_t *levels_json(const struct planning *p)
{
	const struct machine_view *v = &p->view;
	enum policy_rule rule = p->rule.rule;
	json_t *levels = json_array();

	for (unsigned int i = 0; i < v->nlevels; i++) {
		char name[16];

		snprintf(name, sizeof(name), "numa%u", i + 1);
		json_array_append_new(
		    levels,
		    json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:b}", "name", name, "distance",
			      (int)v->levels[i].distance, "span", (int)v->levels[i].span,
			      "imb_numa_nr", (int)policy_imb_numa_nr(rule, v, i), "fork_limit",
			      (int)policy_fork_limit(rule, v, i, 0), "balance_limit",
			      (int)policy_balance_limit(rule, v, i), "crosses",
			      (int)v->levels[i].crosses));
	}
	return levels;
}

static json_t *nodes_json(struct arena *a, const struct planning *p)
{
	json_t *nodes = json_array();

	for (unsigned int i = 0; i < p->plan.nnodes; i++) {
		const struct machine_node *n = &p->machine.nodes[i];

		json_array_append_new(
		    nodes, json_pack("{s:i, s:s, s:i, s:i, s:i, s:b}", "node", (int)n->os, "cpus",
				     cli_list(a, &n->cpus), "capacity", (int)p->plan.capacity[i],
				     "busy", (int)p->plan.busy[i], "ranks", (int)p->plan.ranks[i],
				     "memory", (int)n->memory));
	}
	return nodes;
}

/* Everything but the ranks. Release strings and file names need not be UTF-8;
 * what is not is left null. */
static json_t *head_json(struct arena *a, const struct planning *p)
{
	const struct plan *plan = &p->plan;
	json_t *machine = json_pack("{s:o*, s:s, s:i}", "spec", json_string(p->spec), "allowed",
				    cli_list(a, &p->allowed), "quota", (int)p->machine.quota);
	json_t *kernel = json_pack(
	    "{s:o*, s:s, s:s, s:s, s:s}", "version", json_string(p->rule.kernel), "generation",
	    policy_name(p->rule.generation), "certainty", certainty_text(p->rule.certainty), "rule",
	    policy_name(p->rule.rule), "describe", policy_describe(p->rule.rule));
	json_t *request = json_pack("{s:i, s:i, s:i, s:s, s:b}", "nranks", (int)plan->nranks,
				    "width", (int)plan->width, "weight", (int)plan->weight, "order",
				    order_text(plan->order), "together", (int)p->request.together);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:i, s:b, s:b, s:s?}", "machine", machine,
			 "kernel", kernel, "request", request, "levels", levels_json(p), "nodes",
			 nodes_json(a, p), "difference", (int)plan->difference, "stable",
			 (int)plan->stable, "crowded", (int)plan->crowded, "why", plan->why && !p->slice ? plan_why_text(plan->why) : NULL);
}

/* {"nodes": [0], "cpus": "0-3"} without the opening bracket. */
static char *place_json(struct arena *a, const struct planning *p, const struct plan_place *place)
{
	json_t *nodes = json_array(), *object;
	char *dumped, *text = NULL;

	cpus_for_each(i, &place->nodes)
		json_array_append_new(nodes, json_integer(p->machine.nodes[i].os));
	object = json_pack("{s:o, s:s}", "nodes", nodes, "cpus", cli_list(a, &place->cpus));
	dumped = object ? json_dumps(object, 0) : NULL;
	if (dumped)
		text = cli_text(a, "%s", dumped + 1);
	free(dumped);
	json_decref(object);
	return text;
}

static int print_json(struct arena *a, const struct planning *p)
{
	const struct plan *plan = &p->plan;
	char **places = describe_places(a, p, place_json);
	json_t *head = head_json(a, p);
	char *text = head ? json_dumps(head, JSON_INDENT(2)) : NULL;

	json_decref(head);
	if (!text || !places)
		return cmd_refuse("plan", "out of memory", CLI_FAILED);
	printf("%.*s,\n  \"ranks\": [", (int)strlen(text) - 2, text);
	for (unsigned int r = 0; r < plan->nranks; r++) {
		printf("%s\n    {\"rank\": %u, %s", r ? "," : "", r,
		       describe_rank(a, p, r, places, place_json));
	}
	printf("%s]\n}\n", plan->nranks ? "\n  " : "");
	free(text);
	return CLI_DONE;
}

static int print_plan(const struct cli *c, struct arena *a)
{
	struct planning p;
	struct cli_error err;

	if (planning_make(&p, a, c, environ, &err) < 0)
		return cmd_refuse("plan", err.text, errno == ENOMEM ? CLI_FAILED : CLI_USAGE);
	if (c->json)
		return print_json(a, &p);
	print_people(a, &p, c->options.verbose > 1);
	return CLI_DONE;
}

int cmd_plan(int argc, char **argv)
{
	struct arena a = { .get = malloc, .put = free };
	struct cli_error err;
	struct cli c;
	int status = CLI_DONE;

	if (cli_parse(&c, &a, CLI_PLAN, argc, argv, environ, &err) < 0) {
		status = cmd_refuse("plan", err.text, CLI_USAGE);
	} else if (c.help) {
		fputs(usage, stdout);
	} else if (c.rest < argc) {
		cli_error_set(&err, "'%s' is one argument too many: there are only options",
			      argv[c.rest]);
		status = cmd_refuse("plan", err.text, CLI_USAGE);
	} else if (!c.have_nranks) {
		status = cmd_refuse("plan", "-n N is wanted: the number of ranks on the host",
				    CLI_USAGE);
	} else {
		status = print_plan(&c, &a);
	}
	arena_free(&a);
	return status;
}
