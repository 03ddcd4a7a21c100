/* FT: a 3-D diffusion equation, solved by fast Fourier transforms.
 *
 * NAS report, kernel FT: du/dt = alpha * Laplacian(u), periodic. In wave
 * numbers the equation falls apart: each component (i, j, k) just decays as
 * exp(-4 pi^2 alpha (i^2 + j^2 + k^2) t). So a random field is transformed
 * once; each step multiplies the spectrum by the decay of one unit of time and
 * transforms it back. The decay is a product of one factor for each axis, kept
 * as three short tables instead of a grid of exponentials.
 *
 * The checksum of a step is the sum of 1024 elements, at (j mod nx, 3j mod ny,
 * 5j mod nz), over the number of grid points (which also is the scaling of the
 * inverse transform). Every step's must agree to 12 digits.
 *
 * Each step goes through the grid once for z, with its decay, and once for y
 * and x together; across ranks, all of the field changes hands in between.
 */
#include "examples/nas/ft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "examples/nas/lcg.h"

#define ALPHA 1e-6
#define LIMIT 1e-12 /* on every checksum, relative */
#define SAMPLES 1024
#define PI 3.14159265358979323846

static const struct {
	int64_t n[3];
	int steps;
} classes[NAS_CLASSES] = {
	[NAS_S] = { { 64, 64, 64 }, 6 },
	[NAS_W] = { { 128, 128, 32 }, 6 },
	[NAS_A] = { { 256, 256, 128 }, 6 },
	[NAS_B] = { { 512, 256, 256 }, 20 },
	[NAS_C] = { { 512, 512, 512 }, 20 },
	[NAS_D] = { { 2048, 1024, 1024 }, 25 },
};

/* Slabs: a plane of z, and in the spectrum a row of y, for each rank.
 * Pencils on top: y and x cut over the ranks of a slab. */
static int ft_nearest(const struct nas_run *run)
{
	const int64_t *n = classes[run->cls].n;
	int64_t slabs = n[2] < n[1] ? n[2] : n[1], rows = n[0] < n[1] ? n[0] : n[1];
	int64_t most = run->layout == 1 ? slabs : slabs * rows;

	return nas_nearest_power(run->size, 1, most < 1 << 30 ? most : 1 << 30);
}

static void lay(struct ft *ft)
{
	int size = ft->run->size;
	int64_t slabs;

	memcpy(ft->n, classes[ft->run->cls].n, sizeof(ft->n));
	ft->steps = classes[ft->run->cls].steps;
	slabs = ft->n[2] < ft->n[1] ? ft->n[2] : ft->n[1];
	ft->along = size < slabs ? size : (int)slabs;
	/* Pencils on request: as near to a square as powers of two allow. */
	while (ft->run->layout == 2 && ft->along > 1 && ft->along > size / ft->along)
		ft->along /= 2;
	ft->across = size / ft->along;
	ft->place_across = ft->run->rank % ft->across;
	ft->place_along = ft->run->rank / ft->across;
	MPI_Comm_split(MPI_COMM_WORLD, ft->place_along, ft->run->rank, &ft->comm_across);
	MPI_Comm_split(MPI_COMM_WORLD, ft->place_across, ft->run->rank, &ft->comm_along);
	ft->y_space = ft->n[1] / ft->across;
	ft->z_space = ft->n[2] / ft->along;
	ft->x_spectrum = ft->n[0] / ft->across;
	ft->y_spectrum = ft->n[1] / ft->along;
	ft->points = ft->n[0] * ft->y_space * ft->z_space;
}

/* Takes one array, and touches it: pages come to the rank's node. */
static struct ft_complex *take(int64_t points)
{
	struct ft_complex *array = malloc((size_t)points * sizeof(*array));

	if (array)
		memset(array, 0, (size_t)points * sizeof(*array));
	return array;
}

static int ft_setup(struct ft *ft)
{
	int64_t longest = 0;
	bool got, needs_other = ft->run->size > 1;

	lay(ft);
	if (nas_memory_fits(ft->run, ft->points * 16 * (needs_other ? 3 : 2)) < 0)
		return -1;
	ft->spectrum = take(ft->points);
	ft->field = take(ft->points);
	ft->other = needs_other ? take(ft->points) : NULL;
	got = ft->spectrum && ft->field && (ft->other || !needs_other);
	for (int axis = 0; axis < 3; axis++) {
		longest = ft->n[axis] > longest ? ft->n[axis] : longest;
		ft->decay[axis] = malloc((size_t)ft->n[axis] * sizeof(double));
		got = ft->decay[axis] && ft_plan_take(&ft->plans[axis], ft->n[axis]) == 0 && got;
	}
	got = ft_lines_take(&ft->lines, longest) == 0 && got;
	return nas_agree(ft->run, got);
}

static void ft_free(struct ft *ft)
{
	if (ft->along) {
		MPI_Comm_free(&ft->comm_across);
		MPI_Comm_free(&ft->comm_along);
	}
	for (int axis = 0; axis < 3; axis++) {
		ft_plan_free(&ft->plans[axis]);
		free(ft->decay[axis]);
	}
	free(ft->lines.memory);
	free(ft->spectrum);
	free(ft->field);
	free(ft->other);
}

/* The random field: two numbers for each point, x fastest, then y, then z. */
static void fill_field(struct ft *ft)
{
	struct ft_complex *to = ft->field;

	for (int64_t z = 0; z < ft->z_space; z++)
		for (int64_t y = 0; y < ft->y_space; y++) {
			int64_t row = (ft->place_along * ft->z_space + z) * ft->n[1] +
			    ft->place_across * ft->y_space + y;
			uint64_t v = lcg_skip(LCG_SEED, 2 * (uint64_t)(row * ft->n[0]));

			for (int64_t x = 0; x < ft->n[0]; x++, to++) {
				to->re = lcg_next(&v);
				to->im = lcg_next(&v);
			}
		}
	/* Damage: the point at the origin, which the checksums contain. */
	if (ft->run->damage && ft->run->rank == 0)
		ft->field[0].re += 0.5;
}

/* What the benchmark counts as set-up: roots, decay, field, its transform. */
static void prepare(struct ft *ft)
{
	for (int axis = 0; axis < 3; axis++) {
		int64_t n = ft->n[axis];

		ft_plan_fill(&ft->plans[axis]);
		for (int64_t i = 0; i < n; i++) {
			/* Wave numbers: 0 .. n/2 - 1, then -n/2 .. -1. */
			double k = (double)(i < n / 2 ? i : i - n);

			ft->decay[axis][i] = exp(-4 * PI * PI * ALPHA * k * k);
		}
	}
	fill_field(ft);
	ft_forward(ft);
}

/* Sum of the samples, complete at rank 0. */
static struct ft_complex checksum(const struct ft *ft)
{
	struct ft_complex own = { 0 }, all = { 0 };
	double scale = 1.0 / ((double)ft->n[0] * (double)ft->n[1] * (double)ft->n[2]);

	for (int64_t j = 1; j <= SAMPLES; j++) {
		int64_t x = j % ft->n[0];
		int64_t y = 3 * j % ft->n[1] - ft->place_across * ft->y_space;
		int64_t z = 5 * j % ft->n[2] - ft->place_along * ft->z_space;
		const struct ft_complex *c = ft->field + (z * ft->y_space + y) * ft->n[0] + x;

		if (y < 0 || y >= ft->y_space || z < 0 || z >= ft->z_space)
			continue;
		own.re += c->re;
		own.im += c->im;
	}
	MPI_Reduce(&own, &all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	return (struct ft_complex){ all.re * scale, all.im * scale };
}

/* As Fortran's 1PD22.12. */
static void print_number(double x)
{
	char text[32];
	char *e;

	snprintf(text, sizeof(text), "%22.12E", x);
	e = strchr(text, 'E');
	if (e)
		*e = 'D';
	fputs(text, stdout);
}

static void print_checksum(int step, struct ft_complex sum)
{
	printf(" T = %4d     Checksum =", step);
	print_number(sum.re);
	print_number(sum.im);
	putchar('\n');
}

static double deviation(struct ft_complex found, struct ft_complex wanted)
{
	return hypot(found.re - wanted.re, found.im - wanted.im) / hypot(wanted.re, wanted.im);
}

static void ft_run(struct ft *ft, struct nas_result *result)
{
	double points = (double)ft->n[0] * (double)ft->n[1] * (double)ft->n[2];
	int exchanges;

	prepare(ft);
	nas_clock_start(ft->run);
	prepare(ft);
	for (int step = 1; step <= ft->steps; step++) {
		struct ft_complex sum;
		double error;

		ft_step(ft);
		sum = checksum(ft);
		if (ft->run->rank != 0)
			continue;
		print_checksum(step, sum);
		error = deviation(sum, ft_checksums[ft->run->cls][step - 1]);
		/* Written so that NaN stays. */
		if (!(error <= result->error))
			result->error = error;
	}
	nas_clock_stop(ft->run);
	memcpy(result->size, ft->n, sizeof(result->size));
	result->iterations = ft->steps;
	/* The benchmark's count of operations. */
	result->mops = 1e-6 * points *
	    (14.8157 + 7.19641 * log(points) +
		(5.23518 + 7.21113 * log(points)) * ft->steps);
	/* A point a step: spectrum 32, field 16 and 32; a total exchange 32.
	 * The start: field 16 and 32, spectrum 32, and the exchange. */
	exchanges = (ft->along > 1) + (ft->across > 1);
	result->bytes = points * (ft->steps + 1) * (80 + 32 * exchanges);
	result->limit = LIMIT;
	result->verified = result->error <= LIMIT;
	if (ft->run->rank == 0)
		printf("\n Result verification %s\n",
		    result->verified ? "successful" : "failed");
}

int main(int argc, char **argv)
{
	static const struct nas_kernel kernel = {
		.name = "FT",
		.about = "3-D diffusion by Fourier transforms, total exchange of the field",
		.operation = "floating point",
		.rule = "a power of two",
		.nearest = ft_nearest,
		.layouts = true,
	};
	struct nas_run run;
	struct nas_result result = { 0 };
	struct ft ft = { .run = &run };

	if (nas_begin(&run, &kernel, argc, argv) == 0) {
		if (ft_setup(&ft) == 0) {
			ft_run(&ft, &result);
			nas_report(&run, &result);
		}
		ft_free(&ft);
	}
	return nas_end(&run);
}
