/* What memory bandwidth the ranks of a job have together: a[i] = b[i] + 3 c[i].
 *
 * Counts as STREAM does (three arrays of 8 bytes an element, 1 MB = 1e6 bytes,
 * best of ten passes, the first left out), but is not STREAM: its results are
 * to be labelled "based on a variant of the STREAM benchmark code".
 *
 * mpiexec -n RANKS triad: one line, "triad MB/S ranks RANKS bytes ARRAY".
 * The arrays of all ranks together are four times the last-level cache, and
 * no less than 128 MB each. Exit status 1 without memory or with wrong sums.
 */
#include <float.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PASSES 10
#define LEAST_BYTES 128e6

/* Elements of a rank's part of each array. */
static long elements(int ranks)
{
	double bytes = 4 * (double)sysconf(_SC_LEVEL3_CACHE_SIZE);

	if (bytes < LEAST_BYTES)
		bytes = LEAST_BYTES;
	return (long)(bytes / 8 / ranks);
}

static void triad(double *restrict a, const double *restrict b, const double *restrict c, long n)
{
	for (long i = 0; i < n; i++)
		a[i] = b[i] + 3.0 * c[i];
}

/* Seconds of the slowest rank in the fastest pass. */
static double best_pass(double *a, double *b, double *c, long n)
{
	double best = DBL_MAX;

	for (int pass = 0; pass < PASSES; pass++) {
		double seconds, slowest;

		MPI_Barrier(MPI_COMM_WORLD);
		seconds = MPI_Wtime();
		triad(a, b, c, n);
		seconds = MPI_Wtime() - seconds;
		MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		if (pass > 0 && slowest < best)
			best = slowest;
	}
	return best;
}

int main(int argc, char **argv)
{
	double *a, *b, *c, best;
	int rank, ranks, good, all;
	long n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	n = elements(ranks);
	a = malloc((size_t)n * sizeof(*a));
	b = malloc((size_t)n * sizeof(*b));
	c = malloc((size_t)n * sizeof(*c));
	good = a && b && c;
	MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (all) {
		for (long i = 0; i < n; i++) {
			a[i] = 1.0;
			b[i] = 2.0;
			c[i] = 0.5;
		}
		best = best_pass(a, b, c, n);
		good = a[0] == 3.5 && a[n / 2] == 3.5 && a[n - 1] == 3.5;
		MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
		if (rank == 0 && all)
			printf("triad %.1f ranks %d bytes %ld\n",
			    24.0 * (double)n * ranks / best / 1e6, ranks, n * 8 * ranks);
	}
	if (rank == 0 && !all)
		fprintf(stderr, "triad: not enough memory, or a wrong result\n");
	free(a);
	free(b);
	free(c);
	MPI_Finalize();
	return all ? 0 : 1;
}
