/* The 3-D transforms of FT: one axis after the other, Alltoall in between. */
#include "examples/nas/ft.h"

#include <string.h>

/* lanes numbers side by side in the grid <-> number k of as many lines. */
static void load(const struct ft_complex *restrict from, double *restrict re, double *restrict im,
    int64_t lanes)
{
	for (int64_t l = 0; l < lanes; l++) {
		re[l] = from[l].re;
		im[l] = from[l].im;
	}
}

static void store(const double *restrict re, const double *restrict im,
    struct ft_complex *restrict to, int64_t lanes)
{
	for (int64_t l = 0; l < lanes; l++) {
		to[l].re = re[l];
		to[l].im = im[l];
	}
}

static int64_t lanes_of(int64_t lines)
{
	return lines < FT_LANES ? lines : FT_LANES;
}

/* Exchanges the parts of a complex number for the inverse transform. */
static void turn(struct ft_lines *lines, double **re, double **im, int set, bool inverse)
{
	*re = inverse ? lines->im[set] : lines->re[set];
	*im = inverse ? lines->re[set] : lines->im[set];
}

/* Transforms rows first .. first + rows - 1 along x, from pieces to pieces.
 * Four numbers of a row are a cache line: a line is used up before the next. */
static void rows_x(struct ft *ft, int64_t first, int64_t rows, const struct ft_complex *from,
    int64_t from_piece, struct ft_complex *to, int64_t to_piece, bool inverse)
{
	int64_t n = ft->n[0], all = ft->y_space * ft->z_space, lanes = lanes_of(rows);
	int64_t from_step = from_piece < 4 ? from_piece : 4;
	int64_t to_step = to_piece < 4 ? to_piece : 4;
	double *re, *im;

	for (int64_t row = first; row < first + rows; row += lanes) {
		turn(&ft->lines, &re, &im, 0, inverse);
		for (int64_t x = 0; x < n; x += from_step)
			for (int64_t l = 0; l < lanes; l++) {
				const struct ft_complex *c = from +
				    (x / from_piece * all + row + l) * from_piece + x % from_piece;

				for (int64_t k = 0; k < from_step; k++) {
					re[(x + k) * lanes + l] = c[k].re;
					im[(x + k) * lanes + l] = c[k].im;
				}
			}
		turn(&ft->lines, &re, &im, ft_transform(&ft->plans[0], &ft->lines, lanes),
		    inverse);
		for (int64_t x = 0; x < n; x += to_step)
			for (int64_t l = 0; l < lanes; l++) {
				struct ft_complex *c = to +
				    (x / to_piece * all + row + l) * to_piece + x % to_piece;

				for (int64_t k = 0; k < to_step; k++) {
					c[k].re = re[(x + k) * lanes + l];
					c[k].im = im[(x + k) * lanes + l];
				}
			}
	}
}

/* Where the row of x" at y of plane z starts, y in pieces. */
static int64_t row_at(const struct ft *ft, int64_t z, int64_t y, int64_t piece)
{
	return ((y / piece * ft->z_space + z) * piece + y % piece) * ft->x_spectrum;
}

/* Transforms plane z along y. from may be to when the pieces are the same. */
static void plane_y(struct ft *ft, int64_t z, const struct ft_complex *from, int64_t from_piece,
    struct ft_complex *to, int64_t to_piece, bool inverse)
{
	int64_t n = ft->n[1], lanes = lanes_of(ft->x_spectrum);
	double *re, *im;

	for (int64_t x = 0; x < ft->x_spectrum; x += lanes) {
		turn(&ft->lines, &re, &im, 0, inverse);
		for (int64_t y = 0; y < n; y++)
			load(from + row_at(ft, z, y, from_piece) + x, re + y * lanes,
			    im + y * lanes, lanes);
		turn(&ft->lines, &re, &im, ft_transform(&ft->plans[1], &ft->lines, lanes),
		    inverse);
		for (int64_t y = 0; y < n; y++)
			store(re + y * lanes, im + y * lanes,
			    to + row_at(ft, z, y, to_piece) + x, lanes);
	}
}

/* Transforms all of field along z into the spectrum. */
static void columns_z(struct ft *ft)
{
	int64_t n = ft->n[2], plane = ft->x_spectrum * ft->y_spectrum, lanes = lanes_of(plane);
	double *re = ft->lines.re[0], *im = ft->lines.im[0];

	for (int64_t p = 0; p < plane; p += lanes) {
		int set;

		for (int64_t z = 0; z < n; z++)
			load(ft->field + z * plane + p, re + z * lanes, im + z * lanes, lanes);
		set = ft_transform(&ft->plans[2], &ft->lines, lanes);
		for (int64_t z = 0; z < n; z++)
			store(ft->lines.re[set] + z * lanes, ft->lines.im[set] + z * lanes,
			    ft->spectrum + z * plane + p, lanes);
	}
}

/* Multiplies numbers of the spectrum by their decay on the way to the lines. */
static void load_decayed(struct ft_complex *restrict s, const double *restrict decay, double more,
    double *restrict re, double *restrict im, int64_t lanes)
{
	for (int64_t l = 0; l < lanes; l++) {
		double d = decay[l] * more;

		s[l].re *= d;
		s[l].im *= d;
		re[l] = s[l].re;
		im[l] = s[l].im;
	}
}

/* Lets the spectrum decay by one step, and transforms it back along z into
 * field: one way through memory for both. */
static void columns_z_back(struct ft *ft)
{
	int64_t n = ft->n[2], plane = ft->x_spectrum * ft->y_spectrum, lanes = lanes_of(plane);
	int64_t x0 = ft->place_across * ft->x_spectrum, y0 = ft->place_along * ft->y_spectrum;
	double decay[FT_LANES], *re, *im;

	for (int64_t p = 0; p < plane; p += lanes) {
		for (int64_t l = 0; l < lanes; l++)
			decay[l] = ft->decay[0][x0 + (p + l) % ft->x_spectrum] *
			    ft->decay[1][y0 + (p + l) / ft->x_spectrum];
		turn(&ft->lines, &re, &im, 0, true);
		for (int64_t z = 0; z < n; z++)
			load_decayed(ft->spectrum + z * plane + p, decay, ft->decay[2][z],
			    re + z * lanes, im + z * lanes, lanes);
		turn(&ft->lines, &re, &im, ft_transform(&ft->plans[2], &ft->lines, lanes), true);
		for (int64_t z = 0; z < n; z++)
			store(re + z * lanes, im + z * lanes, ft->field + z * plane + p, lanes);
	}
}

static void swap_blocks(const struct ft *ft, const struct ft_complex *from, struct ft_complex *to,
    int ranks, MPI_Comm comm)
{
	int count = (int)(2 * (ft->points / ranks));

	MPI_Alltoall(from, count, MPI_DOUBLE, to, count, MPI_DOUBLE, comm);
}

void ft_forward(struct ft *ft)
{
	int64_t rows = ft->y_space, ny = ft->n[1];

	if (ft->across > 1) {
		rows_x(ft, 0, rows * ft->z_space, ft->field, ft->n[0], ft->other, ft->x_spectrum,
		    false);
		swap_blocks(ft, ft->other, ft->field, ft->across, ft->comm_across);
		for (int64_t z = 0; z < ft->z_space; z++)
			plane_y(ft, z, ft->field, rows, ft->other, ft->y_spectrum, false);
	} else {
		struct ft_complex *to = ft->along > 1 ? ft->other : ft->field;

		/* Plane by plane: the second axis finds the first's in cache. */
		for (int64_t z = 0; z < ft->z_space; z++) {
			rows_x(ft, z * rows, rows, ft->field, ft->n[0], ft->field, ft->n[0],
			    false);
			plane_y(ft, z, ft->field, ny, to, ft->y_spectrum, false);
		}
	}
	if (ft->along > 1)
		swap_blocks(ft, ft->other, ft->field, ft->along, ft->comm_along);
	else if (ft->across > 1)
		memcpy(ft->field, ft->other, (size_t)ft->points * sizeof(*ft->field));
	columns_z(ft);
}

void ft_step(struct ft *ft)
{
	int64_t rows = ft->y_space, ny = ft->n[1];
	struct ft_complex *from = ft->field;

	columns_z_back(ft);
	if (ft->along > 1) {
		swap_blocks(ft, ft->field, ft->other, ft->along, ft->comm_along);
		from = ft->other;
	} else if (ft->across > 1) {
		memcpy(ft->other, ft->field, (size_t)ft->points * sizeof(*ft->field));
		from = ft->other;
	}
	if (ft->across > 1) {
		for (int64_t z = 0; z < ft->z_space; z++)
			plane_y(ft, z, from, ft->y_spectrum, ft->field, rows, true);
		swap_blocks(ft, ft->field, ft->other, ft->across, ft->comm_across);
		rows_x(ft, 0, rows * ft->z_space, ft->other, ft->x_spectrum, ft->field, ft->n[0],
		    true);
		return;
	}
	for (int64_t z = 0; z < ft->z_space; z++) {
		plane_y(ft, z, from, ft->y_spectrum, ft->field, ny, true);
		rows_x(ft, z * rows, rows, ft->field, ft->n[0], ft->field, ft->n[0], true);
	}
}
