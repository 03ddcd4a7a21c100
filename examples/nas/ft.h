/* FT: the state of a rank; transforms of one axis (ft_fft.c), of the grid
 * (ft_grid.c), and the reference checksums (ft_values.c).
 *
 * The grid is n[0] x n[1] x n[2] complex numbers (x, y, z), real and imaginary
 * part side by side. It is cut over `across` x `along` ranks, rank = place of
 * along * across + place of across:
 *
 *	in space   z over along, y over across:  [z'][y'][x]
 *	spectrum   y over along, x over across:  [z][y"][x"]
 *
 * across = 1 are slabs, and one rank has along = 1 too. Changing the cut is an
 * Alltoall, whose blocks must lie one after the other. They do when the axis
 * that is being cut is kept in pieces, piece outermost:
 *
 *	x in pieces of w:  [x / w][z'][y'][x % w]
 *	y in pieces of w:  [y / w][z'][y % w][x"]
 *
 * A piece of the whole length is the plain order. The transforms read and
 * write whatever pieces are wanted, so nothing is ever packed by itself.
 */
#ifndef EVENKEEL_EXAMPLES_NAS_FT_H
#define EVENKEEL_EXAMPLES_NAS_FT_H

#include <mpi.h>
#include <stdint.h>

#include "examples/nas/nas.h"

#define FT_MOST_STEPS 25
#define FT_LANES 16 /* lines transformed at once */

struct ft_complex {
	double re, im;
};

extern const struct ft_complex ft_checksums[NAS_CLASSES][FT_MOST_STEPS];

/* Transforms of one length (a power of two from 2). */
struct ft_plan {
	int64_t n;
	double *cosine, *sine; /* of 2 pi k / n, k = 0 .. n - 1 */
};

/* Lines on their way through a transform, one number of each line side by
 * side: re[k * lanes + lane]. Two sets, since every pass writes the other. */
struct ft_lines {
	double *re[2], *im[2];
	double *memory;
};

struct ft {
	struct nas_run *run;
	int64_t n[3];
	int steps;
	int across, along;             /* ranks that cut y (x), and z (y) */
	int place_across, place_along; /* this rank */
	MPI_Comm comm_across, comm_along;
	int64_t y_space, z_space;       /* length of the axes of a part, in space */
	int64_t x_spectrum, y_spectrum; /* and in the spectrum */
	int64_t points;                 /* of a part */
	struct ft_plan plans[3];
	struct ft_lines lines;
	double *decay[3];            /* per axis and wave number, for one step */
	struct ft_complex *spectrum; /* points each */
	struct ft_complex *field;
	struct ft_complex *other; /* NULL for one rank */
};

/* Room for the roots of length n; 0, or -1 without memory. Then the roots. */
int ft_plan_take(struct ft_plan *plan, int64_t n);
void ft_plan_fill(struct ft_plan *plan);
void ft_plan_free(struct ft_plan *plan);

/* Room for FT_LANES lines of up to n numbers; 0, or -1 without memory. */
int ft_lines_take(struct ft_lines *lines, int64_t n);

/* Transforms lanes lines in set 0, sign - in the exponent, not scaled; returns
 * the set with the result. The other sign: exchange re and im on the way in
 * and on the way out. */
int ft_transform(const struct ft_plan *plan, struct ft_lines *lines, int64_t lanes);

/* field (in space) -> spectrum. Spoils field and other. Collective. */
void ft_forward(struct ft *ft);

/* Multiplies the spectrum by decay, then spectrum -> field (in space), not
 * scaled. Spoils other. Collective. */
void ft_step(struct ft *ft);

#endif
