/* The grid of CG: a product of matrix and vector by butterflies.
 *
 * Each rank multiplies its block of the matrix with its block of the vector.
 * That gives a share of the result's rows: the ranks of a grid row add their
 * shares pairwise, partner after partner. The result is then cut like the
 * rows, and one exchange with the rank across the grid's diagonal brings it
 * back to the cut of the columns. Only pairs of ranks talk.
 */
#include "examples/nas/cg.h"

#include <mpi.h>
#include <string.h>

void cg_grid_lay(struct cg_grid *g, int rank, int size, int64_t n)
{
	int log_size = 0, block;

	while (1 << log_size < size)
		log_size++;
	g->log_cols = (log_size + 1) / 2;
	g->cols = 1 << g->log_cols;
	g->rows = size / g->cols;
	g->oblong = g->cols != g->rows;
	g->row = rank / g->cols;
	g->col = rank % g->cols;
	g->col_first = n * g->col / g->cols;
	g->col_end = n * (g->col + 1) / g->cols;
	if (g->oblong) {
		/* Row block r is column blocks 2r and 2r + 1, and the lowest
		 * bit of col says which of them the rank ends with. The rank
		 * across has column block col at its end, and wants this
		 * rank's: the relation holds both ways. */
		block = 2 * g->row + (g->col & 1);
		g->row_first = n * (2 * g->row) / g->cols;
		g->row_end = n * (2 * g->row + 2) / g->cols;
		g->across = (g->col >> 1) * g->cols + block;
	} else {
		block = g->row;
		g->row_first = n * g->row / g->cols;
		g->row_end = n * (g->row + 1) / g->cols;
		g->across = g->col * g->cols + g->row;
	}
	g->part_first = n * block / g->cols;
	g->part_end = n * (block + 1) / g->cols;
}

/* Sends to and gets from one other rank at the same time. */
static void swap(const double *send, int64_t send_count, double *get, int64_t get_count, int peer)
{
	MPI_Request request;

	MPI_Irecv(get, (int)get_count, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &request);
	MPI_Send(send, (int)send_count, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void cg_sum(const struct cg_grid *g, double *numbers, int count)
{
	double got[2];

	for (int bit = 1; bit < g->cols; bit *= 2) {
		swap(numbers, count, got, count, g->row * g->cols + (g->col ^ bit));
		for (int i = 0; i < count; i++)
			numbers[i] += got[i];
	}
}

/* Rows of the local product. Four sums in flight: the additions of one row
 * would else wait for each other longer than for memory. */
static void multiply_local(const struct cg_matrix *a, int64_t rows, const double *restrict in,
    double *restrict out)
{
	const uint32_t *restrict column = a->column;
	const double *restrict value = a->value;
	int64_t k = a->start[0];

	for (int64_t i = 0; i < rows; i++) {
		int64_t end = a->start[i + 1];
		double s0 = 0, s1 = 0, s2 = 0, s3 = 0;

		for (; k + 4 <= end; k += 4) {
			s0 += value[k] * in[column[k]];
			s1 += value[k + 1] * in[column[k + 1]];
			s2 += value[k + 2] * in[column[k + 2]];
			s3 += value[k + 3] * in[column[k + 3]];
		}
		for (; k < end; k++)
			s0 += value[k] * in[column[k]];
		out[i] = (s0 + s1) + (s2 + s3);
	}
}

/* Completes the sums of this rank's part over the grid row. */
static void sum_rows(struct cg *cg)
{
	const struct cg_grid *g = &cg->grid;
	double *part = cg->sums + (g->part_first - g->row_first);
	int64_t length = g->part_end - g->part_first;
	int bit = 1;

	if (g->oblong) {
		/* Each of a pair keeps one half of the rows. */
		bool low = (g->col & 1) == 0;
		const double *other = low ? part + length : cg->sums;

		swap(other, g->row_end - g->row_first - length, cg->got, length,
		    g->row * g->cols + (g->col ^ 1));
		for (int64_t i = 0; i < length; i++)
			part[i] += cg->got[i];
		bit = 2;
	}
	for (; bit < g->cols; bit *= 2) {
		swap(part, length, cg->got, length, g->row * g->cols + (g->col ^ bit));
		for (int64_t i = 0; i < length; i++)
			part[i] += cg->got[i];
	}
}

void cg_multiply(struct cg *cg, const double *in, double *out)
{
	const struct cg_grid *g = &cg->grid;
	const double *part = cg->sums + (g->part_first - g->row_first);
	int64_t rows = g->row_end - g->row_first, length = g->part_end - g->part_first;

	if (cg->run->size == 1) {
		multiply_local(&cg->a, rows, in, out);
		return;
	}
	multiply_local(&cg->a, rows, in, cg->sums);
	sum_rows(cg);
	if (g->across == cg->run->rank)
		memcpy(out, part, (size_t)length * sizeof(*out));
	else
		swap(part, length, out, g->col_end - g->col_first, g->across);
}
