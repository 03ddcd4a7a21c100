/* MG: the state of a rank; operators (mg_stencil.c), ghosts and the grid of
 * ranks (mg_grid.c), the right side (mg_charges.c).
 */
#ifndef EVENKEEL_EXAMPLES_NAS_MG_H
#define EVENKEEL_EXAMPLES_NAS_MG_H

#include <stdint.h>

#include "examples/nas/nas.h"

#define MG_LEVELS 16

/* A box of grid points, n[0] x n[1] x n[2] (x, y, z), with one layer of ghost
 * points all round. Point (x, y, z), each from 1, is at mg_at; ghosts have 0
 * and n + 1. x runs fastest. */
struct mg_box {
	int64_t n[3];
	int64_t row, plane; /* distance of neighbours in y and in z */
	bool shared;        /* cut over the ranks; else each rank has it all */
};

static inline int64_t mg_at(const struct mg_box *b, int64_t y, int64_t z)
{
	return z * b->plane + y * b->row;
}

/* Doubles of a box, ghosts included. */
static inline int64_t mg_points(const struct mg_box *b)
{
	return b->plane * (b->n[2] + 2);
}

struct mg_level {
	struct mg_box box;
	double *u, *r;
};

/* Level k has 2^k points a side; levels[top] is the problem's. Levels below
 * lowest have fewer than two points a side for some rank: there every rank
 * holds and solves all of the (tiny) grid, instead of most of them waiting. */
struct mg {
	struct nas_run *run;
	int top, lowest, iterations;
	double smoother[3];       /* centre, face, edge; corner is 0 */
	int ranks[3], place[3];   /* the grid of ranks, and this rank in it */
	struct mg_level levels[MG_LEVELS];
	double *v;                /* right side, levels[top].box */
	struct mg_box piece;      /* this rank's share of level lowest - 1 */
	double *piece_values;     /* piece with ghosts */
	double *gathered;         /* level lowest - 1 as Allgather delivers it */
	double *faces[4];         /* sent down, sent up, got from below, from above */
	double *scratch;          /* two rows */
};

/* Cuts size ranks (a power of two) into ranks[3]. */
void mg_grid_lay(int size, int ranks[3]);

/* The box of a level of 2^k points a side: this rank's part, or all. */
struct mg_box mg_box_of(const struct mg *mg, int k, bool shared);

/* Fills the ghosts of a from the neighbours, periodic; axis by axis, so that
 * edges and corners come along. Collective for shared boxes. */
void mg_ghosts(struct mg *mg, const struct mg_box *b, double *a);

/* piece_values of all ranks -> r of level lowest - 1, on every rank. */
void mg_gather(struct mg *mg);
/* u of level lowest - 1 -> piece_values with ghosts. Not collective. */
void mg_cut_piece(struct mg *mg);

/* r = v - A u; v NULL: r = r - A u. Ghosts of u must be valid; r's are not. */
void mg_residual(const struct mg_box *b, const double *u, const double *v, double *r,
    double *scratch);
/* u = u + S r. Ghosts of r must be valid; u's are not afterwards. */
void mg_smooth(const struct mg_box *b, const double *r, double *u, const double c[3],
    double *scratch);
/* coarse = P fine. Ghosts of fine must be valid; coarse's are not. */
void mg_restrict(const struct mg_box *fine, const double *from, const struct mg_box *coarse,
    double *to, double *scratch);
/* fine = (add ? fine : 0) + Q coarse. Ghosts of coarse must be valid. */
void mg_interpolate(const struct mg_box *coarse, const double *from, const struct mg_box *fine,
    double *to, bool add, double *scratch);
/* Sum of squares over the box without ghosts. */
double mg_squares(const struct mg_box *b, const double *a);

/* Fills v: +1 and -1 at ten points each. Collective. */
void mg_charges(struct mg *mg);

#endif
