/* work SECONDS: one rank's worth of arithmetic that takes about SECONDS on a cpu
 * alone, the same amount each time; prints how long it took and, to tell waiting
 * from working, the cpu time it had.
 *
 * The amount is fixed by counting once, in the file named by WORK_FILE, which
 * the first run writes: runs that are compared do the same work. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* About a millisecond each, so that the clock is looked at seldom. */
#define STEPS 400000u

static double clock_s(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A linear congruential generator: nothing that memory or a compiler could make
 * shorter. */
static uint64_t piece(uint64_t x)
{
	for (unsigned int i = 0; i < STEPS; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

/* Pieces in so much cpu time. */
static unsigned long measure(double seconds)
{
	double until = clock_s(CLOCK_PROCESS_CPUTIME_ID) + seconds;
	volatile uint64_t x = 1;
	unsigned long n = 0;

	for (; clock_s(CLOCK_PROCESS_CPUTIME_ID) < until; n++)
		x = piece(x);
	return n;
}

static unsigned long amount(const char *file, double seconds)
{
	FILE *f = file ? fopen(file, "r") : NULL;
	unsigned long n = 0;

	if (f && fscanf(f, "%lu", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	if (n)
		return n;
	n = measure(seconds);
	f = file ? fopen(file, "w") : NULL;
	if (f) {
		fprintf(f, "%lu\n", n);
		fclose(f);
	}
	return n;
}

int main(int argc, char **argv)
{
	unsigned long n = amount(getenv("WORK_FILE"), argc > 1 ? strtod(argv[1], NULL) : 1);
	double wall = clock_s(CLOCK_MONOTONIC), cpu = clock_s(CLOCK_PROCESS_CPUTIME_ID);
	volatile uint64_t x = 1;

	while (n-- > 0)
		x = piece(x);
	printf("%.6f %.6f\n", clock_s(CLOCK_MONOTONIC) - wall,
	       clock_s(CLOCK_PROCESS_CPUTIME_ID) - cpu);
	return 0;
}
