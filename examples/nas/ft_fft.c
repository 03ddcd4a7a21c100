/* Fast Fourier transforms along one axis, several lines at once.
 *
 * Stockham's form: a pass of radix 4 takes four numbers a quarter of the line
 * apart, and writes their four combinations next to each other, so the result
 * comes out in order without a bit reversal. After a pass the line is four
 * times as many lines of a quarter of the length; a last pass of radix 2
 * remains for odd powers of two. With the lanes innermost, every pass is a
 * loop over neighbouring numbers with one root: compilers make vectors of it.
 */
#include "examples/nas/ft.h"

#include <math.h>
#include <stdlib.h>

/* 2 pi to more digits than a double has. */
#define TWO_PI 6.283185307179586476925286766559

int ft_plan_take(struct ft_plan *plan, int64_t n)
{
	plan->n = n;
	plan->cosine = malloc((size_t)n * sizeof(double));
	plan->sine = malloc((size_t)n * sizeof(double));
	return plan->cosine && plan->sine ? 0 : -1;
}

void ft_plan_fill(struct ft_plan *plan)
{
	for (int64_t k = 0; k < plan->n; k++) {
		plan->cosine[k] = cos(TWO_PI * (double)k / (double)plan->n);
		plan->sine[k] = sin(TWO_PI * (double)k / (double)plan->n);
	}
}

void ft_plan_free(struct ft_plan *plan)
{
	free(plan->cosine);
	free(plan->sine);
}

int ft_lines_take(struct ft_lines *lines, int64_t n)
{
	/* Not a power of two apart, or all four would share cache sets. */
	size_t room = (size_t)n * FT_LANES + 72;

	lines->memory = malloc(4 * room * sizeof(double));
	if (!lines->memory)
		return -1;
	for (int set = 0; set < 2; set++) {
		lines->re[set] = lines->memory + 2 * (size_t)set * room;
		lines->im[set] = lines->re[set] + room;
	}
	return 0;
}

/* One combination of four, with roots w1, w2 = w1^2, w3 = w1^3. count numbers
 * from each quarter, quarters apart; the results follow each other. */
static void combine(const double *restrict xr, const double *restrict xi, double *restrict yr,
    double *restrict yi, int64_t quarter, int64_t count, const double w[6])
{
	double w1r = w[0], w1i = w[1], w2r = w[2], w2i = w[3], w3r = w[4], w3i = w[5];

	for (int64_t q = 0; q < count; q++) {
		double ar = xr[q], ai = xi[q];
		double br = xr[q + quarter], bi = xi[q + quarter];
		double cr = xr[q + 2 * quarter], ci = xi[q + 2 * quarter];
		double dr = xr[q + 3 * quarter], di = xi[q + 3 * quarter];
		double sum_ac_r = ar + cr, sum_ac_i = ai + ci;
		double dif_ac_r = ar - cr, dif_ac_i = ai - ci;
		double sum_bd_r = br + dr, sum_bd_i = bi + di;
		double turn_r = di - bi, turn_i = br - dr; /* i (b - d) */
		double er = dif_ac_r - turn_r, ei = dif_ac_i - turn_i;
		double fr = sum_ac_r - sum_bd_r, fi = sum_ac_i - sum_bd_i;
		double gr = dif_ac_r + turn_r, gi = dif_ac_i + turn_i;

		yr[q] = sum_ac_r + sum_bd_r;
		yi[q] = sum_ac_i + sum_bd_i;
		yr[q + count] = er * w1r - ei * w1i;
		yi[q + count] = er * w1i + ei * w1r;
		yr[q + 2 * count] = fr * w2r - fi * w2i;
		yi[q + 2 * count] = fr * w2i + fi * w2r;
		yr[q + 3 * count] = gr * w3r - gi * w3i;
		yi[q + 3 * count] = gr * w3i + gi * w3r;
	}
}

/* The same with all roots 1. */
static void combine_plain(const double *restrict xr, const double *restrict xi,
    double *restrict yr, double *restrict yi, int64_t quarter, int64_t count)
{
	for (int64_t q = 0; q < count; q++) {
		double ar = xr[q], ai = xi[q];
		double br = xr[q + quarter], bi = xi[q + quarter];
		double cr = xr[q + 2 * quarter], ci = xi[q + 2 * quarter];
		double dr = xr[q + 3 * quarter], di = xi[q + 3 * quarter];
		double sum_ac_r = ar + cr, sum_ac_i = ai + ci;
		double dif_ac_r = ar - cr, dif_ac_i = ai - ci;
		double sum_bd_r = br + dr, sum_bd_i = bi + di;
		double turn_r = di - bi, turn_i = br - dr;

		yr[q] = sum_ac_r + sum_bd_r;
		yi[q] = sum_ac_i + sum_bd_i;
		yr[q + count] = dif_ac_r - turn_r;
		yi[q + count] = dif_ac_i - turn_i;
		yr[q + 2 * count] = sum_ac_r - sum_bd_r;
		yi[q + 2 * count] = sum_ac_i - sum_bd_i;
		yr[q + 3 * count] = dif_ac_r + turn_r;
		yi[q + 3 * count] = dif_ac_i + turn_i;
	}
}

static void pass_four(const struct ft_plan *plan, const double *xr, const double *xi, double *yr,
    double *yi, int64_t n, int64_t count)
{
	int64_t quarter = n / 4 * count, apart = plan->n / n;

	combine_plain(xr, xi, yr, yi, quarter, count);
	for (int64_t p = 1; p < n / 4; p++) {
		double w[6];

		for (int64_t k = 1; k <= 3; k++) {
			w[2 * k - 2] = plan->cosine[k * p * apart];
			w[2 * k - 1] = -plan->sine[k * p * apart];
		}
		combine(xr + p * count, xi + p * count, yr + 4 * p * count, yi + 4 * p * count,
		    quarter, count, w);
	}
}

static void pass_two(const double *restrict x, double *restrict y, int64_t count)
{
	for (int64_t q = 0; q < count; q++) {
		y[q] = x[q] + x[q + count];
		y[q + count] = x[q] - x[q + count];
	}
}

int ft_transform(const struct ft_plan *plan, struct ft_lines *lines, int64_t lanes)
{
	int64_t n = plan->n, count = lanes;
	int set = 0;

	for (; n >= 4; n /= 4, count *= 4, set = !set)
		pass_four(plan, lines->re[set], lines->im[set], lines->re[!set], lines->im[!set],
		    n, count);
	if (n == 2) {
		pass_two(lines->re[set], lines->re[!set], count);
		pass_two(lines->im[set], lines->im[!set], count);
		set = !set;
	}
	return set;
}
