/* The four operators of MG.
 *
 * Each is a sum over the 27 points of a 3x3x3 cube with one coefficient for
 * each kind of neighbour: centre, 6 faces, 12 edges, 8 corners (NAS report,
 * kernel MG). Written row by row: for a row of points along x, the sums
 * over the neighbours in y and z are made once for each x,
 *
 *	edge[x] = the 4 points beside x in y or in z
 *	diag[x] = the 4 points beside x in y and in z
 *
 * and serve three points: faces are edge[x] and the two x neighbours, edges
 * diag[x], edge[x-1] and edge[x+1], corners diag[x-1] and diag[x+1]. The two
 * rows stay in the first-level cache, what remains is reading each grid once.
 */
#include "examples/nas/mg.h"

/* A, a second-order Laplacian; the faces' coefficient is 0. */
#define A_CENTRE (-8.0 / 3.0)
#define A_EDGE (1.0 / 6.0)
#define A_CORNER (1.0 / 12.0)

/* edge and diag of the row whose x = 0 is at c, for x = 0 .. n + 1. */
static void add_beside(const struct mg_box *b, const double *restrict c, double *restrict edge,
    double *restrict diag)
{
	const double *south = c - b->row, *north = c + b->row;
	const double *down = c - b->plane, *up = c + b->plane;
	const double *ds = down - b->row, *dn = down + b->row;
	const double *us = up - b->row, *un = up + b->row;

	for (int64_t x = 0; x <= b->n[0] + 1; x++) {
		edge[x] = south[x] + north[x] + down[x] + up[x];
		diag[x] = ds[x] + dn[x] + us[x] + un[x];
	}
}

/* A u at x, from the row c of u. */
static inline double apply(const double *c, const double *edge, const double *diag, int64_t x)
{
	return A_CENTRE * c[x] + A_EDGE * (diag[x] + edge[x - 1] + edge[x + 1]) +
	    A_CORNER * (diag[x - 1] + diag[x + 1]);
}

static void residual_row(const double *restrict c, const double *restrict edge,
    const double *restrict diag, const double *restrict v, double *restrict r, int64_t n)
{
	for (int64_t x = 1; x <= n; x++)
		r[x] = v[x] - apply(c, edge, diag, x);
}

/* The same with r as its own right side. */
static void reduce_row(const double *restrict c, const double *restrict edge,
    const double *restrict diag, double *restrict r, int64_t n)
{
	for (int64_t x = 1; x <= n; x++)
		r[x] -= apply(c, edge, diag, x);
}

void mg_residual(const struct mg_box *b, const double *u, const double *v, double *r,
    double *scratch)
{
	double *edge = scratch, *diag = edge + b->row;

	for (int64_t z = 1; z <= b->n[2]; z++)
		for (int64_t y = 1; y <= b->n[1]; y++) {
			int64_t at = mg_at(b, y, z);

			add_beside(b, u + at, edge, diag);
			if (v)
				residual_row(u + at, edge, diag, v + at, r + at, b->n[0]);
			else
				reduce_row(u + at, edge, diag, r + at, b->n[0]);
		}
}

static void smooth_row(const double *restrict c, const double *restrict edge,
    const double *restrict diag, double *restrict u, const double k[3], int64_t n)
{
	double centre = k[0], face = k[1], far = k[2];

	for (int64_t x = 1; x <= n; x++)
		u[x] += centre * c[x] + face * (c[x - 1] + c[x + 1] + edge[x]) +
		    far * (diag[x] + edge[x - 1] + edge[x + 1]);
}

void mg_smooth(const struct mg_box *b, const double *r, double *u, const double c[3],
    double *scratch)
{
	double *edge = scratch, *diag = edge + b->row;

	for (int64_t z = 1; z <= b->n[2]; z++)
		for (int64_t y = 1; y <= b->n[1]; y++) {
			int64_t at = mg_at(b, y, z);

			add_beside(b, r + at, edge, diag);
			smooth_row(r + at, edge, diag, u + at, c, b->n[0]);
		}
}

/* P at every other point: coarse x is fine 2x. */
static void restrict_row(const double *restrict c, const double *restrict edge,
    const double *restrict diag, double *restrict out, int64_t n)
{
	for (int64_t x = 1; x <= n; x++) {
		int64_t i = 2 * x;

		out[x] = 0.5 * c[i] + 0.25 * (c[i - 1] + c[i + 1] + edge[i]) +
		    0.125 * (diag[i] + edge[i - 1] + edge[i + 1]) +
		    0.0625 * (diag[i - 1] + diag[i + 1]);
	}
}

void mg_restrict(const struct mg_box *fine, const double *from, const struct mg_box *coarse,
    double *to, double *scratch)
{
	double *edge = scratch, *diag = edge + fine->row;

	for (int64_t z = 1; z <= coarse->n[2]; z++)
		for (int64_t y = 1; y <= coarse->n[1]; y++) {
			const double *c = from + mg_at(fine, 2 * y, 2 * z);

			add_beside(fine, c, edge, diag);
			restrict_row(c, edge, diag, to + mg_at(coarse, y, z), coarse->n[0]);
		}
}

/* The coarse row above fine row (y, z), x = 0 .. n: one row where the fine one
 * lies on it, else the mean of the two or four rows around. */
static void blend_rows(const struct mg_box *coarse, const double *from, int64_t y, int64_t z,
    double *restrict out)
{
	const double *a = from + mg_at(coarse, (y + 1) / 2, (z + 1) / 2);
	int64_t dy = y & 1 ? coarse->row : 0, dz = z & 1 ? coarse->plane : 0;
	int64_t n = coarse->n[0];

	if (dy && dz) {
		for (int64_t x = 0; x <= n; x++)
			out[x] = 0.25 * (a[x] + a[x - dy] + a[x - dz] + a[x - dy - dz]);
	} else if (dy || dz) {
		const double *other = a - dy - dz;

		for (int64_t x = 0; x <= n; x++)
			out[x] = 0.5 * (a[x] + other[x]);
	} else {
		for (int64_t x = 0; x <= n; x++)
			out[x] = a[x];
	}
}

static void add_row(const double *restrict c, double *restrict u, int64_t n)
{
	for (int64_t x = 1; x <= n; x++) {
		u[2 * x - 1] += 0.5 * (c[x - 1] + c[x]);
		u[2 * x] += c[x];
	}
}

static void set_row(const double *restrict c, double *restrict u, int64_t n)
{
	for (int64_t x = 1; x <= n; x++) {
		u[2 * x - 1] = 0.5 * (c[x - 1] + c[x]);
		u[2 * x] = c[x];
	}
}

void mg_interpolate(const struct mg_box *coarse, const double *from, const struct mg_box *fine,
    double *to, bool add, double *scratch)
{
	for (int64_t z = 1; z <= fine->n[2]; z++)
		for (int64_t y = 1; y <= fine->n[1]; y++) {
			double *u = to + mg_at(fine, y, z);

			blend_rows(coarse, from, y, z, scratch);
			if (add)
				add_row(scratch, u, coarse->n[0]);
			else
				set_row(scratch, u, coarse->n[0]);
		}
}

double mg_squares(const struct mg_box *b, const double *a)
{
	double sum = 0;

	for (int64_t z = 1; z <= b->n[2]; z++)
		for (int64_t y = 1; y <= b->n[1]; y++) {
			const double *row = a + mg_at(b, y, z) + 1;
			double s[4] = { 0 };
			int64_t x = 0;

			for (; x + 4 <= b->n[0]; x += 4)
				for (int l = 0; l < 4; l++)
					s[l] += row[x + l] * row[x + l];
			for (; x < b->n[0]; x++)
				s[0] += row[x] * row[x];
			sum += (s[0] + s[1]) + (s[2] + s[3]);
		}
	return sum;
}
