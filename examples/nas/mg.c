/* MG: a multigrid V-cycle for a 3-D Poisson problem.
 *
 * NAS report, kernel MG. Wanted is u with A u = v on an n^3 grid, periodic
 * in all directions, A a discrete Laplacian. An iteration adds to u an
 * approximate solution of A e = r, r = v - A u: a V-cycle. A smoother S, a
 * cheap local inverse of A, removes what is left of the error on short
 * scales; long scales are short ones on a coarser grid. So the residual is
 * carried down (P) level after level to 2^3 points, and corrections are
 * carried up (Q), each level's residual renewed and smoothed on the way:
 *
 *	M r: level 1:      z = S r
 *	     level k > 1:  z = Q M (P r), then r = r - A z, z = z + S r
 *
 * Asked for is the L2 norm of the residual after a fixed number of
 * iterations. All work streams through large grids with 58 operations a point
 * to about 130 bytes: the kernel lives on memory bandwidth, and feels most
 * where ranks and pages are.
 */
#include "examples/nas/mg.h"

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT 1e-8 /* on the norm, relative */
#define SMOOTHER_A { -3.0 / 8, 1.0 / 32, -1.0 / 64 }
#define SMOOTHER_B { -3.0 / 17, 1.0 / 33, -1.0 / 61 }

static const struct {
	int log_side, iterations;
	double smoother[3];
	double norm;
} classes[NAS_CLASSES] = {
	[NAS_S] = { 5, 4, SMOOTHER_A, 0.5307707005734e-04 },
	[NAS_W] = { 7, 4, SMOOTHER_A, 0.6467329375339e-05 },
	[NAS_A] = { 8, 4, SMOOTHER_A, 0.2433365309069e-05 },
	[NAS_B] = { 8, 20, SMOOTHER_B, 0.1800564401355e-05 },
	[NAS_C] = { 9, 20, SMOOTHER_B, 0.5706732285740e-06 },
	[NAS_D] = { 10, 50, SMOOTHER_B, 0.1583275060440e-09 },
};

/* The finest level has at least two points a side on every rank. */
static int mg_nearest(const struct nas_run *run)
{
	int log_most = 3 * (classes[run->cls].log_side - 1);

	return nas_nearest_power(run->size, 1, INT64_C(1) << log_most);
}

/* Corrections to u of level k from u of the level below, or from the piece of
 * it that this rank needs where that level is not cut. */
static void interpolate(struct mg *mg, int k)
{
	struct mg_level *fine = &mg->levels[k], *coarse = &mg->levels[k - 1];
	bool add = k == mg->top;

	if (k == mg->lowest && k > 1) {
		mg_cut_piece(mg);
		mg_interpolate(&mg->piece, mg->piece_values, &fine->box, fine->u, add,
		    mg->scratch);
	} else {
		mg_interpolate(&coarse->box, coarse->u, &fine->box, fine->u, add, mg->scratch);
	}
	mg_ghosts(mg, &fine->box, fine->u);
}

static void residual(struct mg *mg, int k)
{
	struct mg_level *l = &mg->levels[k];

	mg_residual(&l->box, l->u, k == mg->top ? mg->v : NULL, l->r, mg->scratch);
	mg_ghosts(mg, &l->box, l->r);
}

static void smooth(struct mg *mg, int k)
{
	struct mg_level *l = &mg->levels[k];

	mg_smooth(&l->box, l->r, l->u, mg->smoother, mg->scratch);
	mg_ghosts(mg, &l->box, l->u);
}

/* Residual of level k to the level below. */
static void descend(struct mg *mg, int k)
{
	struct mg_level *fine = &mg->levels[k], *coarse = &mg->levels[k - 1];

	if (k == mg->lowest) {
		mg_restrict(&fine->box, fine->r, &mg->piece, mg->piece_values, mg->scratch);
		mg_gather(mg);
	} else {
		mg_restrict(&fine->box, fine->r, &coarse->box, coarse->r, mg->scratch);
	}
	mg_ghosts(mg, &coarse->box, coarse->r);
}

static void zero_u(struct mg_level *l)
{
	memset(l->u, 0, (size_t)mg_points(&l->box) * sizeof(*l->u));
}

/* One iteration: u += M r, r = v - A u. */
static void iterate(struct mg *mg)
{
	for (int k = mg->top; k > 1; k--)
		descend(mg, k);
	zero_u(&mg->levels[1]);
	smooth(mg, 1);
	for (int k = 2; k <= mg->top; k++) {
		interpolate(mg, k);
		residual(mg, k);
		smooth(mg, k);
	}
	residual(mg, mg->top);
}

static double norm(const struct mg *mg)
{
	const struct mg_level *top = &mg->levels[mg->top];
	double own = mg_squares(&top->box, top->r), all;

	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sqrt(all / ldexp(1.0, 3 * mg->top));
}

static void lay_levels(struct mg *mg)
{
	int rank = mg->run->rank;

	mg->top = classes[mg->run->cls].log_side;
	mg->iterations = classes[mg->run->cls].iterations;
	memcpy(mg->smoother, classes[mg->run->cls].smoother, sizeof(mg->smoother));
	mg_grid_lay(mg->run->size, mg->ranks);
	mg->place[0] = rank % mg->ranks[0];
	mg->place[1] = rank / mg->ranks[0] % mg->ranks[1];
	mg->place[2] = rank / mg->ranks[0] / mg->ranks[1];
	/* ranks[2] is the largest; a cut level has two points for each. */
	mg->lowest = 1;
	while (mg->run->size > 1 && 1 << mg->lowest < 2 * mg->ranks[2])
		mg->lowest++;
	/* A level below is always there when ranks share: level 1 is cut for
	 * one rank only. */
	for (int k = 1; k <= mg->top; k++)
		mg->levels[k].box = mg_box_of(mg, k, k >= mg->lowest);
	if (mg->lowest > 1)
		mg->piece = mg_box_of(mg, mg->lowest - 1, true);
}

/* Takes one array of count doubles, and touches it: pages come to the node
 * where the rank is now. With got false it only adds the bytes up. */
static bool take(double **array, int64_t count, bool got, int64_t *bytes)
{
	*bytes += count * (int64_t)sizeof(double);
	if (!got)
		return false;
	*array = malloc((size_t)count * sizeof(double));
	if (*array)
		memset(*array, 0, (size_t)count * sizeof(double));
	return *array != NULL;
}

/* All arrays; got false: only their size. */
static bool take_all(struct mg *mg, bool got, int64_t *bytes)
{
	const struct mg_box *top = &mg->levels[mg->top].box;
	int64_t face = top->n[0] > top->n[1] ? top->n[0] : top->n[1];

	/* Faces across z are sent from where they lie. */
	face = (face + 2) * (top->n[2] + 2);
	got = take(&mg->v, mg_points(top), got, bytes);
	for (int k = 1; k <= mg->top; k++) {
		got = take(&mg->levels[k].u, mg_points(&mg->levels[k].box), got, bytes);
		got = take(&mg->levels[k].r, mg_points(&mg->levels[k].box), got, bytes);
	}
	for (int i = 0; i < 4 && mg->ranks[1] > 1; i++)
		got = take(&mg->faces[i], face, got, bytes);
	if (mg->lowest > 1) {
		got = take(&mg->piece_values, mg_points(&mg->piece), got, bytes);
		got = take(&mg->gathered, INT64_C(1) << 3 * (mg->lowest - 1), got, bytes);
	}
	/* The whole of a coarse level can be wider than a part of the finest. */
	face = INT64_C(1) << (mg->lowest - 1);
	return take(&mg->scratch, 2 * ((top->n[0] > face ? top->n[0] : face) + 2), got, bytes);
}

static int mg_setup(struct mg *mg)
{
	int64_t bytes = 0;

	lay_levels(mg);
	take_all(mg, false, &bytes);
	if (nas_memory_fits(mg->run, bytes) < 0)
		return -1;
	if (nas_agree(mg->run, take_all(mg, true, &bytes)) < 0)
		return -1;
	mg_charges(mg);
	return 0;
}

static void mg_free(struct mg *mg)
{
	for (int k = 1; k <= mg->top; k++) {
		free(mg->levels[k].u);
		free(mg->levels[k].r);
	}
	for (int i = 0; i < 4; i++)
		free(mg->faces[i]);
	free(mg->v);
	free(mg->piece_values);
	free(mg->gathered);
	free(mg->scratch);
}

static void mg_run(struct mg *mg, struct nas_result *result)
{
	double wanted = classes[mg->run->cls].norm, found;

	residual(mg, mg->top);
	iterate(mg);
	nas_clock_start(mg->run);
	zero_u(&mg->levels[mg->top]);
	residual(mg, mg->top);
	norm(mg);
	for (int i = 1; i <= mg->iterations; i++) {
		if (mg->run->rank == 0 && (i == 1 || i == mg->iterations || i % 5 == 0))
			printf("  iter %4d\n", i);
		iterate(mg);
	}
	found = norm(mg);
	nas_clock_stop(mg->run);
	for (int axis = 0; axis < 3; axis++)
		result->size[axis] = INT64_C(1) << mg->top;
	result->iterations = mg->iterations;
	result->mops = 58.0 * mg->iterations * ldexp(1.0, 3 * mg->top) / 1e6;
	/* A point of the finest grid an iteration: r down 8 + 1, u up 16 + 1,
	 * two residuals 24 each, one smoothing 24. A coarse one: 66, and there
	 * are a seventh as many. At the start u, r and v, and two norms. */
	result->bytes = ldexp(1.0, 3 * mg->top) * (mg->iterations * (98 + 66 / 7.0) + 48);
	result->error = fabs(found - wanted) / wanted;
	result->limit = LIMIT;
	result->verified = result->error <= LIMIT;
	if (mg->run->rank == 0)
		printf("\n VERIFICATION %s\n L2 Norm is %20.13E\n Error is   %20.13E\n",
		    result->verified ? "SUCCESSFUL " : "FAILED", found, result->error);
}

int main(int argc, char **argv)
{
	static const struct nas_kernel kernel = {
		.name = "MG",
		.about = "multigrid for a 3-D Poisson problem, memory bandwidth",
		.operation = "floating point",
		.rule = "a power of two",
		.nearest = mg_nearest,
	};
	struct nas_run run;
	struct nas_result result = { 0 };
	struct mg mg = { .run = &run };

	if (nas_begin(&run, &kernel, argc, argv) == 0) {
		if (mg_setup(&mg) == 0) {
			mg_run(&mg, &result);
			nas_report(&run, &result);
		}
		mg_free(&mg);
	}
	return nas_end(&run);
}
