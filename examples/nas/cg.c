/* CG: the largest eigenvalue of a sparse matrix, by inverse iteration.
 *
 * NAS report, kernel CG. The inverse power method: with z = A^-1 x, repeated,
 * x turns to the eigenvector of A whose eigenvalue is nearest to zero. Here A
 * is a random sparse matrix less shift times the identity, with shift above
 * all eigenvalues of the matrix: so that is its largest one, and zeta =
 * shift + 1 / (x . z) tends to it. A z = x is solved by 25 steps of the
 * conjugate gradient method (A is negative definite, which serves as well as
 * positive), all of them, whatever the residual: a step is one product of the
 * matrix with a vector, two scalar products and three vector updates.
 *
 * The matrix streams through memory (12 bytes and 2 operations an entry), the
 * vector is gathered at random from cache: from class B on the kernel lives on
 * memory bandwidth, and across ranks on the latency of tiny messages.
 */
#include "examples/nas/cg.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 1e-10 /* on zeta, relative */

static const struct {
	int64_t n;
	int nonzer, outer;
	double shift, zeta;
} classes[NAS_CLASSES] = {
	[NAS_S] = { 1400, 7, 15, 10, 8.5971775078648 },
	[NAS_W] = { 7000, 8, 15, 12, 10.362595087124 },
	[NAS_A] = { 14000, 11, 15, 20, 17.130235054029 },
	[NAS_B] = { 75000, 13, 75, 60, 22.712745482631 },
	[NAS_C] = { 150000, 15, 75, 110, 28.973605592845 },
	[NAS_D] = { 1500000, 21, 100, 500, 52.514532105794 },
};

/* Every rank has at least one row and column: columns <= n, and an oblong
 * grid has cols^2 / 2 ranks. */
static int cg_nearest(const struct nas_run *run)
{
	int64_t most = 1;

	while (most * most <= classes[run->cls].n * classes[run->cls].n && most < 1 << 14)
		most *= 2;
	most /= 2;
	return nas_nearest_power(run->size, 1, most * most);
}

static double dot(const double *restrict a, const double *restrict b, int64_t n)
{
	double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
	int64_t i = 0;

	for (; i + 4 <= n; i += 4) {
		s0 += a[i] * b[i];
		s1 += a[i + 1] * b[i + 1];
		s2 += a[i + 2] * b[i + 2];
		s3 += a[i + 3] * b[i + 3];
	}
	for (; i < n; i++)
		s0 += a[i] * b[i];
	return (s0 + s1) + (s2 + s3);
}

static double dot_all(const struct cg *cg, const double *a, const double *b)
{
	double sum = dot(a, b, cg->grid.col_end - cg->grid.col_first);

	cg_sum(&cg->grid, &sum, 1);
	return sum;
}

/* One step: along p to where the error is least, then the next p, A-conjugate
 * to all before. rho = r . r, returned anew. */
static double step(struct cg *cg, double rho)
{
	int64_t n = cg->grid.col_end - cg->grid.col_first;
	double *restrict z = cg->z, *restrict p = cg->p, *restrict q = cg->q, *restrict r = cg->r;
	double alpha, beta, next;

	cg_multiply(cg, p, q);
	alpha = rho / dot_all(cg, p, q);
	for (int64_t i = 0; i < n; i++) {
		z[i] += alpha * p[i];
		r[i] -= alpha * q[i];
	}
	next = dot_all(cg, r, r);
	beta = next / rho;
	for (int64_t i = 0; i < n; i++)
		p[i] = r[i] + beta * p[i];
	return next;
}

/* Solves A z = x from z = 0; returns ||x - A z||, computed anew. */
static double solve(struct cg *cg)
{
	int64_t n = cg->grid.col_end - cg->grid.col_first;
	double rho, sum = 0;

	memset(cg->z, 0, (size_t)n * sizeof(*cg->z));
	memcpy(cg->r, cg->x, (size_t)n * sizeof(*cg->r));
	memcpy(cg->p, cg->x, (size_t)n * sizeof(*cg->p));
	rho = dot_all(cg, cg->r, cg->r);
	for (int i = 0; i < CG_STEPS; i++)
		rho = step(cg, rho);
	cg_multiply(cg, cg->z, cg->r);
	for (int64_t i = 0; i < n; i++)
		sum += (cg->x[i] - cg->r[i]) * (cg->x[i] - cg->r[i]);
	cg_sum(&cg->grid, &sum, 1);
	return sqrt(sum);
}

/* One outer iteration; returns zeta. */
static double iterate(struct cg *cg, double *residual)
{
	int64_t n = cg->grid.col_end - cg->grid.col_first;
	double products[2], scale;

	*residual = solve(cg);
	products[0] = dot(cg->x, cg->z, n);
	products[1] = dot(cg->z, cg->z, n);
	cg_sum(&cg->grid, products, 2);
	scale = 1.0 / sqrt(products[1]);
	for (int64_t i = 0; i < n; i++)
		cg->x[i] = scale * cg->z[i];
	return cg->shift + 1.0 / products[0];
}

static void set_ones(struct cg *cg)
{
	for (int64_t i = 0; i < cg->grid.col_end - cg->grid.col_first; i++)
		cg->x[i] = 1.0;
}

static int cg_setup(struct cg *cg)
{
	size_t cols, rows;
	double **vectors[] = { &cg->x, &cg->z, &cg->p, &cg->q, &cg->r };
	bool got = true;

	cg->n = classes[cg->run->cls].n;
	cg->nonzer = classes[cg->run->cls].nonzer;
	cg->outer = classes[cg->run->cls].outer;
	cg->shift = classes[cg->run->cls].shift;
	cg_grid_lay(&cg->grid, cg->run->rank, cg->run->size, cg->n);
	if (cg_matrix_make(cg) < 0)
		return -1;
	/* The first entry is the diagonal's on rank 0. */
	if (cg->run->damage && cg->run->rank == 0)
		cg->a.value[0] *= 2;
	cols = (size_t)(cg->grid.col_end - cg->grid.col_first);
	rows = (size_t)(cg->grid.row_end - cg->grid.row_first);
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		*vectors[i] = malloc(cols * sizeof(double));
		got = got && *vectors[i];
	}
	cg->sums = malloc(rows * sizeof(double));
	cg->got = malloc(rows * sizeof(double));
	return nas_agree(cg->run, got && cg->sums && cg->got);
}

static void cg_free(struct cg *cg)
{
	cg_matrix_free(&cg->a);
	free(cg->x);
	free(cg->z);
	free(cg->p);
	free(cg->q);
	free(cg->r);
	free(cg->sums);
	free(cg->got);
}

/* Traffic of the timed part. A product reads 12 bytes an entry, and for each
 * row a start, the vector and the result; a step has 12 more numbers a row. */
static double bytes(const struct cg *cg)
{
	const struct cg_grid *g = &cg->grid;
	double own = (double)cg->a.start[g->row_end - g->row_first], entries = 0;

	MPI_Allreduce(&own, &entries, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return cg->outer * ((CG_STEPS + 1) * (12.0 * entries + 24.0 * (double)cg->n) +
			       CG_STEPS * 96.0 * (double)cg->n);
}

static void cg_run(struct cg *cg, struct nas_result *result)
{
	double zeta = 0, residual, wanted = classes[cg->run->cls].zeta;
	int k = cg->nonzer * (cg->nonzer + 1);

	set_ones(cg);
	iterate(cg, &residual);
	set_ones(cg);
	nas_clock_start(cg->run);
	for (int i = 1; i <= cg->outer; i++) {
		zeta = iterate(cg, &residual);
		if (cg->run->rank != 0)
			continue;
		if (i == 1)
			printf("   iteration           ||r||                 zeta\n");
		printf("    %5d       %21.14E%20.13f\n", i, residual, zeta);
	}
	nas_clock_stop(cg->run);
	result->size[0] = cg->n;
	result->iterations = cg->outer;
	/* The benchmark's count: a matrix of about n * k entries. */
	result->mops = 2.0 * cg->outer * (double)cg->n *
	    (3.0 + k + (double)CG_STEPS * (5.0 + k) + 3.0) / 1e6;
	result->bytes = bytes(cg);
	result->error = fabs(zeta - wanted) / wanted;
	result->limit = LIMIT;
	result->verified = result->error <= LIMIT;
	if (cg->run->rank == 0)
		printf("\n VERIFICATION %s\n Zeta is    %20.13E\n Error is   %20.13E\n",
		    result->verified ? "SUCCESSFUL " : "FAILED", zeta, result->error);
}

int main(int argc, char **argv)
{
	static const struct nas_kernel kernel = {
		.name = "CG",
		.about = "largest eigenvalue of a sparse matrix, memory streams and tiny messages",
		.operation = "floating point",
		.rule = "a power of two",
		.nearest = cg_nearest,
	};
	struct nas_run run;
	struct nas_result result = { 0 };
	struct cg cg = { .run = &run };

	if (nas_begin(&run, &kernel, argc, argv) == 0) {
		if (cg_setup(&cg) == 0) {
			cg_run(&cg, &result);
			nas_report(&run, &result);
		}
		cg_free(&cg);
	}
	return nas_end(&run);
}
