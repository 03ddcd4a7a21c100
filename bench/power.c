/* The tables of docs/variance.md: how many runs show what. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/stats_simulate.h"

static const unsigned int counts[] = { 5, 8, 10, 15, 20, 30, 40 };
#define NCOUNTS (sizeof(counts) / sizeof(*counts))

static const struct {
	const char *what;
	struct simulate_times base, other;
} rows[] = {
	{ "nothing (false alarms)", { .noise = 0.01 }, { .noise = 0.01 } },
	{ "2 runs of 5 slower by 1.7",
	  { .noise = 0.01, .slow_share = 0.4, .slow_factor = 1.7 },
	  { .noise = 0.01 } },
	{ "1 run of 5 slower by 1.7",
	  { .noise = 0.01, .slow_share = 0.2, .slow_factor = 1.7 },
	  { .noise = 0.01 } },
	{ "1 run of 10 slower by 1.7",
	  { .noise = 0.01, .slow_share = 0.1, .slow_factor = 1.7 },
	  { .noise = 0.01 } },
	{ "all runs slower by half the noise",
	  { .noise = 0.01, .factor = 1.005 },
	  { .noise = 0.01 } },
	{ "all runs slower by the noise", { .noise = 0.01, .factor = 1.01 }, { .noise = 0.01 } },
	{ "all runs slower by twice the noise",
	  { .noise = 0.01, .factor = 1.02 },
	  { .noise = 0.01 } },
	{ "noise twice as large", { .noise = 0.02 }, { .noise = 0.01 } },
	{ "noise four times as large", { .noise = 0.04 }, { .noise = 0.01 } },
};

static const struct {
	const char *what;
	struct simulate_times times;
} groups[] = {
	{ "normal", { .noise = 0.1 } },
	{ "uniform", { .shape = SIMULATE_UNIFORM } },
	{ "log-normal, sigma 0.5", { .shape = SIMULATE_SKEWED, .noise = 0.5 } },
	{ "log-normal, sigma 1", { .shape = SIMULATE_SKEWED, .noise = 1 } },
	{ "exponential", { .shape = SIMULATE_EXPONENTIAL } },
	{ "2 of 5 slower by 1.7, noise 2 %",
	  { .noise = 0.02, .slow_share = 0.4, .slow_factor = 1.7 } },
};

static void print_head(const char *what)
{
	printf("| %s |", what);
	for (size_t i = 0; i < NCOUNTS; i++)
		printf(" %u |", counts[i]);
	printf("\n|---|");
	for (size_t i = 0; i < NCOUNTS; i++)
		printf("--:|");
	puts("");
}

int main(int argc, char **argv)
{
	unsigned int sets = argc > 1 ? (unsigned int)atoi(argv[1]) : 2000;
	unsigned int permutations = argc > 2 ? (unsigned int)atoi(argv[2]) : 999;

	if (argc > 3 || !sets || !permutations) {
		fputs("Usage: power [SETS [PERMUTATIONS]]\n", stderr);
		return 2;
	}
	print_head("the first variant has");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		printf("| %s |", rows[i].what);
		for (size_t j = 0; j < NCOUNTS; j++) {
			printf(" %.0f |", 100 * simulate_found(&rows[i].base, &rows[i].other,
							       counts[j], sets, permutations, 1));
			fflush(stdout);
		}
		puts("");
	}
	puts("");
	print_head("two groups seen in");
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		printf("| %s |", groups[i].what);
		for (size_t j = 0; j < NCOUNTS; j++)
			printf(" %.1f |",
			       100 * simulate_groups(&groups[i].times, counts[j], 10 * sets, 1));
		puts("");
	}
	return 0;
}
