/* --report-nodes: where ranks and their pages are, as the kernel tells. */
#include "examples/nas/nas.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Adds the pages of one numa_maps line ("... N0=12 N1=3 kernelpagesize_kB=4").
 * Mappings of files are left out: they are shared with whoever read the file
 * first, and say nothing about this rank. */
static void add_line(struct nas_place *place, char *line)
{
	int64_t all = 0, here = 0, kb = 4;
	char *rest = NULL;

	if (strstr(line, " file="))
		return;
	for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		int64_t pages;
		int node;

		if (sscanf(word, "N%d=%" SCNd64, &node, &pages) == 2) {
			all += pages;
			here += node == place->node ? pages : 0;
		} else {
			sscanf(word, "kernelpagesize_kB=%" SCNd64, &kb);
		}
	}
	place->bytes += all * kb * 1024;
	place->remote += (all - here) * kb * 1024;
}

void nas_place_look(struct nas_place *place)
{
	unsigned int node;
	FILE *f = fopen("/proc/self/numa_maps", "r");
	char *line = NULL;
	size_t room = 0;

	memset(place, 0, sizeof(*place));
	gethostname(place->host, sizeof(place->host) - 1);
	place->node = getcpu(NULL, &node) == 0 ? (int)node : -1;
	if (!f)
		return;
	while (getline(&line, &room, f) > 0)
		add_line(place, line);
	free(line);
	fclose(f);
	place->pages_seen = place->node >= 0;
}

/* By host name, then node: equal ones stand together. */
static int by_host_and_node(const void *a, const void *b)
{
	const struct nas_place *x = a, *y = b;
	int order = strcmp(x->host, y->host);

	return order ? order : x->node - y->node;
}

/* A sorted copy; NULL without memory. */
static struct nas_place *sorted(const struct nas_place *places, int count)
{
	struct nas_place *copy = malloc((size_t)count * sizeof(*copy));

	if (!copy)
		return NULL;
	memcpy(copy, places, (size_t)count * sizeof(*copy));
	qsort(copy, (size_t)count, sizeof(*copy), by_host_and_node);
	return copy;
}

/* Ranks from i on that share host and node with entry i. */
static int run_length(const struct nas_place *s, int i, int count)
{
	int n = 1;

	while (i + n < count && by_host_and_node(&s[i], &s[i + n]) == 0)
		n++;
	return n;
}

/* Remote share of all pages in 0..1; -1 when a rank could not tell. */
static double remote_share(const struct nas_place *places, int count)
{
	double all = 0, remote = 0;

	for (int i = 0; i < count; i++) {
		if (!places[i].pages_seen)
			return -1;
		all += (double)places[i].bytes;
		remote += (double)places[i].remote;
	}
	return all > 0 ? remote / all : 0;
}

void nas_places_print(FILE *to, const struct nas_place *places, int count)
{
	struct nas_place *s = sorted(places, count);
	double share = remote_share(places, count);

	fputc('\n', to);
	for (int i = 0, n; s && i < count; i += n) {
		n = run_length(s, i, count);
		fprintf(to, " Ranks on node   = %24d  (host %s, node %d)\n", n, s[i].host,
		    s[i].node);
	}
	if (share < 0)
		fprintf(to, " Remote pages    = %24s\n", "unknown");
	else
		fprintf(to, " Remote pages    = %22.1f %%\n", share * 100);
	free(s);
}

void nas_places_json(FILE *to, const struct nas_place *places, int count)
{
	struct nas_place *s = sorted(places, count);
	double share = remote_share(places, count);

	fputs(",\n  \"nodes\": [", to);
	for (int i = 0, n; s && i < count; i += n) {
		n = run_length(s, i, count);
		fprintf(to, "%s\n    {\"host\": \"", i ? "," : "");
		for (const char *c = s[i].host; *c; c++)
			if (*c != '"' && *c != '\\' && (unsigned char)*c >= ' ')
				fputc(*c, to);
		fprintf(to, "\", \"node\": %d, \"ranks\": %d}", s[i].node, n);
	}
	fputs("\n  ],\n  \"remote_share\": ", to);
	if (share < 0)
		fputs("null", to);
	else
		fprintf(to, "%.6f", share);
	free(s);
}
