/* The matrix of CG.
 *
 * NAS report, kernel CG: A = sum over i of w_i v_i v_i^T, plus a diagonal
 * of (rcond - shift). v_i are sparse random vectors with v_i(i) = 1/2, and the
 * weights w_i fall geometrically from 1 to rcond. Without the shift it is
 * positive definite, with no eigenvalue below rcond.
 *
 * All numbers of the vectors come from one stream, so every rank runs through
 * all of them and keeps what falls in its block. It does so twice, first to
 * count the entries of each row and then to store them: that costs a little
 * time, and spares the triples. Entries at the same place are added up last.
 */
#include "examples/nas/cg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/nas/lcg.h"

#define MOST_NONZER 22 /* entries of a generating vector, class D */

/* Generating vectors one after the other. */
struct vectors {
	uint64_t x;    /* random state */
	int64_t n;
	int nonzer;
	double power;  /* smallest power of two not below n */
	double weight; /* w of the next vector */
	double ratio;  /* w(i+1) / w(i) */
	int count;     /* entries of the vector at hand */
	int64_t place[MOST_NONZER];
	double value[MOST_NONZER];
};

static void vectors_start(struct vectors *v, const struct cg *cg)
{
	v->x = LCG_SEED;
	v->n = cg->n;
	v->nonzer = cg->nonzer;
	v->power = 1;
	while (v->power < (double)cg->n)
		v->power *= 2;
	v->weight = 1;
	v->ratio = pow(CG_RCOND, 1.0 / (double)cg->n);
	/* The benchmark draws one number before the matrix. */
	lcg_next(&v->x);
}

static int find(const struct vectors *v, int64_t place)
{
	int k = 0;

	while (k < v->count && v->place[k] != place)
		k++;
	return k;
}

/* Makes vector i (from 0). Its weight is v->weight until the next call. */
static void vectors_next(struct vectors *v, int64_t i)
{
	int k;

	if (i > 0)
		v->weight *= v->ratio;
	v->count = 0;
	while (v->count < v->nonzer) {
		double value = lcg_next(&v->x);
		int64_t place = (int64_t)(v->power * lcg_next(&v->x));

		if (place >= v->n || find(v, place) < v->count)
			continue;
		v->place[v->count] = place;
		v->value[v->count++] = value;
	}
	k = find(v, i);
	v->place[k] = i;
	v->value[k] = 0.5;
	if (k == v->count)
		v->count++;
}

static bool in_rows(const struct cg_grid *g, int64_t i)
{
	return i >= g->row_first && i < g->row_end;
}

static bool in_cols(const struct cg_grid *g, int64_t i)
{
	return i >= g->col_first && i < g->col_end;
}

/* start[i + 1] = entries of row i, before those at the same place are added. */
static void count_entries(const struct cg *cg, int64_t *start)
{
	const struct cg_grid *g = &cg->grid;
	struct vectors v;

	vectors_start(&v, cg);
	for (int64_t i = 0; i < cg->n; i++) {
		int columns = 0;

		vectors_next(&v, i);
		for (int k = 0; k < v.count; k++)
			columns += in_cols(g, v.place[k]);
		for (int k = 0; k < v.count; k++)
			if (in_rows(g, v.place[k]))
				start[v.place[k] - g->row_first + 1] += columns;
		if (in_rows(g, i) && in_cols(g, i))
			start[i - g->row_first + 1]++;
	}
}

static void put(struct cg_matrix *a, int64_t *end, int64_t row, int64_t column, double value)
{
	int64_t at = end[row]++;

	a->column[at] = (uint32_t)column;
	a->value[at] = value;
}

/* Stores all entries; end[i] goes from the row's start to its end. */
static void store_entries(const struct cg *cg, struct cg_matrix *a, int64_t *end)
{
	const struct cg_grid *g = &cg->grid;
	struct vectors v;

	vectors_start(&v, cg);
	for (int64_t i = 0; i < cg->n; i++) {
		vectors_next(&v, i);
		for (int k = 0; k < v.count; k++) {
			double scale = v.weight * v.value[k];

			if (!in_rows(g, v.place[k]))
				continue;
			for (int m = 0; m < v.count; m++)
				if (in_cols(g, v.place[m]))
					put(a, end, v.place[k] - g->row_first,
					    v.place[m] - g->col_first, scale * v.value[m]);
		}
		if (in_rows(g, i) && in_cols(g, i))
			put(a, end, i - g->row_first, i - g->col_first, CG_RCOND - cg->shift);
	}
}

struct entry {
	uint32_t column;
	double value;
};

/* Merges two sorted runs; of equal columns those of the first come first, so
 * that sums do not depend on the cut among ranks more than they must. */
static void merge(const struct entry *from, int64_t first, int64_t middle, int64_t end,
    struct entry *to)
{
	int64_t a = first, b = middle;

	for (int64_t k = first; k < end; k++) {
		if (a < middle && (b >= end || from[a].column <= from[b].column))
			to[k] = from[a++];
		else
			to[k] = from[b++];
	}
}

/* Sorts count entries by column; returns the one of the two buffers that has
 * the result. */
static struct entry *sort_row(struct entry *e, struct entry *spare, int64_t count)
{
	for (int64_t run = 1; run < count; run *= 2) {
		struct entry *swap = e;

		for (int64_t i = 0; i < count; i += 2 * run) {
			int64_t middle = i + run < count ? i + run : count;
			int64_t end = i + 2 * run < count ? i + 2 * run : count;

			merge(e, i, middle, end, spare);
		}
		e = spare;
		spare = swap;
	}
	return e;
}

/* Sorts each row and adds up equal places; rows move together. scratch has
 * room for twice the longest row. */
static void compress(struct cg_matrix *a, int64_t rows, struct entry *scratch, int64_t longest)
{
	int64_t at = 0, first = a->start[0];

	for (int64_t i = 0; i < rows; i++) {
		int64_t end = a->start[i + 1], row_start = at;
		struct entry *e;

		for (int64_t k = first; k < end; k++)
			scratch[k - first] = (struct entry){ a->column[k], a->value[k] };
		e = sort_row(scratch, scratch + longest, end - first);
		for (int64_t k = 0; k < end - first; k++) {
			if (at > row_start && a->column[at - 1] == e[k].column) {
				a->value[at - 1] += e[k].value;
			} else {
				a->column[at] = e[k].column;
				a->value[at++] = e[k].value;
			}
		}
		first = end;
		a->start[i + 1] = at;
	}
}

/* Gives back what compress saved. */
static void trim(struct cg_matrix *a, int64_t rows)
{
	size_t entries = (size_t)a->start[rows] + 1;
	void *column = realloc(a->column, entries * sizeof(*a->column));
	void *value = realloc(a->value, entries * sizeof(*a->value));

	if (column)
		a->column = column;
	if (value)
		a->value = value;
}

int cg_matrix_make(struct cg *cg)
{
	int64_t rows = cg->grid.row_end - cg->grid.row_first, total, longest = 0;
	struct cg_matrix *a = &cg->a;
	struct entry *scratch;
	int64_t *end;

	a->start = calloc((size_t)rows + 1, sizeof(*a->start));
	end = malloc((size_t)rows * sizeof(*end));
	if (nas_agree(cg->run, a->start && end) < 0) {
		free(end);
		return -1;
	}
	count_entries(cg, a->start);
	for (int64_t i = 0; i < rows; i++) {
		longest = a->start[i + 1] > longest ? a->start[i + 1] : longest;
		end[i] = a->start[i];
		a->start[i + 1] += a->start[i];
	}
	total = a->start[rows];
	if (nas_memory_fits(cg->run, total * 12 + longest * 32) < 0) {
		free(end);
		return -1;
	}
	a->column = malloc((size_t)(total + 1) * sizeof(*a->column));
	a->value = malloc((size_t)(total + 1) * sizeof(*a->value));
	scratch = malloc((size_t)(longest + 1) * 2 * sizeof(*scratch));
	if (nas_agree(cg->run, a->column && a->value && scratch) < 0) {
		free(end);
		free(scratch);
		return -1;
	}
	store_entries(cg, a, end);
	free(end);
	compress(a, rows, scratch, longest);
	free(scratch);
	trim(a, rows);
	return 0;
}

void cg_matrix_free(struct cg_matrix *a)
{
	free(a->start);
	free(a->column);
	free(a->value);
}
