/* CG: the state of a rank, its matrix (cg_matrix.c), and the product of matrix
 * and vector over a grid of ranks (cg_grid.c). */
#ifndef EVENKEEL_EXAMPLES_NAS_CG_H
#define EVENKEEL_EXAMPLES_NAS_CG_H

#include <stdint.h>

#include "examples/nas/nas.h"

#define CG_RCOND 0.1
#define CG_STEPS 25 /* steps of the method per outer iteration */

/* The ranks form rows x cols, cols = rows or 2 rows, rank = row * cols + col.
 * Columns 0..n-1 are cut in cols blocks, and rows in rows blocks whose edges
 * are column edges too. Every vector is cut like the columns; all ranks of a
 * grid column hold the same block. */
struct cg_grid {
	int rows, cols;
	int row, col;
	int log_cols;
	bool oblong;                /* cols = 2 * rows */
	int across;                 /* the rank the transposed block comes from */
	int64_t row_first, row_end; /* this rank's rows of the matrix */
	int64_t col_first, col_end; /* this rank's columns, and vector block */
	/* The part of the rows that this rank ends with when row sums are
	 * complete: all of them on a square grid, else one of two halves. */
	int64_t part_first, part_end;
};

/* Compressed rows: row i (from row_first) has entries start[i]..start[i+1]-1,
 * sorted by column; column counts from col_first. */
struct cg_matrix {
	int64_t *start;
	uint32_t *column;
	double *value;
};

struct cg {
	struct nas_run *run;
	int64_t n;   /* order of the matrix */
	int nonzer;  /* nonzeros of a generating vector, before element i */
	int outer;   /* timed outer iterations */
	double shift;
	struct cg_grid grid;
	struct cg_matrix a;
	double *x, *z, *p, *q, *r; /* vector blocks, col_end - col_first */
	double *sums, *got;        /* row blocks, row_end - row_first */
};

/* Lays the grid for size ranks (a power of two) and an order of n. */
void cg_grid_lay(struct cg_grid *g, int rank, int size, int64_t n);

/* out = A in, over all ranks. in and out are vector blocks, not the same. */
void cg_multiply(struct cg *cg, const double *in, double *out);

/* Sums the count (1 or 2) numbers over the blocks of a vector; every rank
 * gets the same bits. */
void cg_sum(const struct cg_grid *g, double *numbers, int count);

/* Makes this rank's part of the matrix. Collective; 0, or -1 after a refusal
 * (memory). Freed by cg_matrix_free. */
int cg_matrix_make(struct cg *cg);
void cg_matrix_free(struct cg_matrix *a);

#endif
