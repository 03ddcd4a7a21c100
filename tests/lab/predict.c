/* predict: what core/policy says the kernel does with each of a row of forks.
 *
 *   predict MACHINE RELEASE < rows
 *
 * MACHINE is a file in evenkeel's text form. A row is the node the parent runs
 * on and the tasks running on each node in ascending OS index, the child not
 * counted. Prints one line for each row: the node on which the child starts,
 * or "-" for a row that cannot be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/file.h"
#include "core/machine_text.h"
#include "core/policy.h"

#define NODES_MAX 64

/* Nodes of the groups at a level: those within the span of the level below. */
static bool same_group(const struct machine *m, const struct machine_view *v, unsigned int level,
		       unsigned int a, unsigned int b)
{
	unsigned int reach = level ? v->levels[level - 1].distance : MACHINE_LOCAL_DISTANCE;

	return machine_distance(m, a, b) <= reach;
}

static void add_node(const struct machine *m, unsigned int node, const unsigned int *running,
		     struct policy_group *g)
{
	unsigned int cpus = cpus_count(&m->nodes[node].cpus);

	g->cpus += cpus;
	g->running += running[node];
	g->idle += cpus > running[node] ? cpus - running[node] : 0;
}

static bool idler(const struct policy_group *a, const struct policy_group *b)
{
	return a->idle > b->idle;
}

/* The group of start within the level's span of from; the best other one by
 * idle cpus in *remote, -1 as result when there is none. */
static int find_groups(const struct machine *m, const struct machine_view *v, unsigned int level,
		       unsigned int from, const unsigned int *running, struct policy_group *local,
		       struct policy_group *remote)
{
	int best = -1;

	memset(local, 0, sizeof(*local));
	memset(remote, 0, sizeof(*remote));
	for (unsigned int n = 0; n < m->nnodes; n++) {
		struct policy_group g = {0};

		if (machine_distance(m, from, n) > v->levels[level].distance)
			continue;
		if (same_group(m, v, level, from, n)) {
			add_node(m, n, running, local);
			continue;
		}
		for (unsigned int k = 0; k < m->nnodes; k++)
			if (same_group(m, v, level, n, k))
				add_node(m, k, running, &g);
		if (best < 0 || idler(&g, remote)) {
			*remote = g;
			best = (int)n;
		}
	}
	return best;
}

/* Down from the highest level that fork may cross. A group that was left for
 * another is entered at its node with the most idle cpus. */
static unsigned int start_node(const struct machine *m, struct arena *a, enum policy_rule rule,
			       unsigned int from, const unsigned int *running)
{
	struct machine_view v;
	unsigned int level, cpu = cpus_next(&m->nodes[from].cpus, 0);

	if (machine_view(m, cpu, NULL, a, &v) < 0)
		return from;
	level = v.nlevels;
	while (level && !v.levels[level - 1].crosses)
		level--;
	while (level--) {
		struct policy_group local, remote;
		int other = find_groups(m, &v, level, from, running, &local, &remote);

		if (other < 0 || policy_fork_stays(rule, &v, level, &local, &remote))
			continue;
		from = (unsigned int)other;
		for (unsigned int n = 0; n < m->nnodes; n++)
			if (same_group(m, &v, level, (unsigned int)other, n) &&
			    cpus_count(&m->nodes[n].cpus) + running[from] >
				cpus_count(&m->nodes[from].cpus) + running[n])
				from = n;
	}
	return from;
}

static int read_row(const struct machine *m, char *line, unsigned int *from, unsigned int *running)
{
	char *rest = NULL, *word = strtok_r(line, " \n", &rest);

	*from = word ? machine_node_by_os(m, (unsigned int)atoi(word)) : CPUS_NONE;
	for (unsigned int n = 0; n < m->nnodes; n++) {
		word = strtok_r(NULL, " \n", &rest);
		if (!word)
			return -1;
		running[n] = (unsigned int)atoi(word);
	}
	return *from == CPUS_NONE ? -1 : 0;
}

int main(int argc, char **argv)
{
	unsigned int from, running[NODES_MAX];
	enum policy_certainty certainty;
	static char text[65536];
	struct arena a = {0};
	enum policy_rule rule;
	struct machine m;
	char line[1024];
	ssize_t len;

	if (argc != 3) {
		fputs("Usage: predict MACHINE RELEASE < rows\n", stderr);
		return 2;
	}
	if (policy_of_version(argv[2], &rule, &certainty) < 0) {
		fprintf(stderr, "predict: '%s' is no kernel release\n", argv[2]);
		return 2;
	}
	len = file_read(argv[1], text, sizeof(text));
	if (len < 0 || machine_text_read(&m, &a, text, (size_t)len, NULL) < 0 ||
	    m.nnodes > NODES_MAX) {
		fprintf(stderr, "predict: '%s' is no machine\n", argv[1]);
		return 2;
	}
	while (fgets(line, sizeof(line), stdin)) {
		if (read_row(&m, line, &from, running) < 0)
			puts("-");
		else
			printf("%u\n", m.nodes[start_node(&m, &a, rule, from, running)].os);
	}
	arena_free(&a);
	return 0;
}
