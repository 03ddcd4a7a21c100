/* EP: embarrassingly parallel. Gaussian deviates by the polar method.
 *
 * NAS report, kernel EP: of n = 2^m pairs of random numbers, mapped to
 * (x, y) in (-1,1)^2, those with t = x^2 + y^2 <= 1 give two independent
 * Gaussian deviates X = x f and Y = y f, f = sqrt(-2 ln t / t). Asked for are
 * the sums of X and Y and how many pairs fall in each square annulus
 * l <= max(|X|,|Y|) < l + 1. No rank needs another one's data until the end,
 * and the working set fits the first-level cache: the kernel measures the
 * processor, and hardly feels where memory is.
 *
 * Two generations of reference values exist: sums of X and Y (up to NPB
 * 3.4.1), and sums of |X| and |Y| with the number of accepted pairs (from
 * 3.4.2). All five numbers are checked here.
 */
#include "examples/nas/lcg.h"
#include "examples/nas/nas.h"

#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <string.h>

#define LOG_BATCH 16 /* pairs of one unit of work: 2^16 */
#define BLOCK 1024   /* pairs treated at once: 16 KiB of numbers */
#define LANES 8      /* streams in flight, to hide the product's latency */
#define SUM_LANES 4  /* partial sums in flight */
#define LIMIT 1e-8   /* on every sum, relative */
#define ANNULI 10

static const struct {
	int log_pairs;
	double sx, sy;         /* signed sums */
	double abs_sx, abs_sy; /* sums of absolute values */
	double accepted;
} classes[NAS_CLASSES] = {
	[NAS_S] = { 24, -3.247834652034740e+3, -6.958407078382297e+3, 1.051299420395306e+07,
	    1.051517131857535e+07, 13176389 },
	[NAS_W] = { 25, -2.863319731645753e+3, -6.320053679109499e+3, 2.102505525182392e+07,
	    2.103162209578822e+07, 26354769 },
	[NAS_A] = { 28, -4.295875165629892e+3, -1.580732573678431e+4, 1.682235632304711e+08,
	    1.682195123368299e+08, 210832767 },
	[NAS_B] = { 30, 4.033815542441498e+4, -2.660669192809235e+4, 6.728927543423024e+08,
	    6.728951822504275e+08, 843345606 },
	[NAS_C] = { 32, 4.764367927995374e+4, -8.084072988043731e+4, 2.691444083862931e+09,
	    2.691519118724585e+09, 3373275903 },
	[NAS_D] = { 36, 1.982481200946593e+5, -1.020596636361769e+5, 4.306350280812112e+10,
	    4.306347571859157e+10, 53972171957 },
};

struct ep_sums {
	double sx, sy, abs_sx, abs_sy;
	int64_t counts[ANNULI];
};

/* A block's numbers on their way: first all, then only the accepted. */
struct ep_block {
	double u[2 * BLOCK];
	double x[BLOCK + SUM_LANES], y[BLOCK + SUM_LANES], t[BLOCK + SUM_LANES];
	double top[BLOCK + SUM_LANES]; /* max(|X|,|Y|) */
};

static int ep_nearest(const struct nas_run *run)
{
	int batches = 1 << (classes[run->cls].log_pairs - LOG_BATCH);

	return run->size < batches ? run->size : batches;
}

/* Fills u with the 2 * BLOCK numbers that follow lane 0's state, each lane
 * one in LANES, and moves the lanes behind them. */
static void fill(double *restrict u, uint64_t lane[LANES], uint64_t step)
{
	for (int i = 0; i < 2 * BLOCK; i += LANES)
		for (int l = 0; l < LANES; l++) {
			u[i + l] = lcg_signed(lane[l]);
			lane[l] = lcg_times(step, lane[l]);
		}
}

/* Moves the accepted pairs to the front; returns how many. Written without a
 * branch: one pair in five is refused, at random. */
static int accept(struct ep_block *b)
{
	int n = 0;

	for (int i = 0; i < BLOCK; i++) {
		double x = b->u[2 * i], y = b->u[2 * i + 1], t = x * x + y * y;

		b->x[n] = x;
		b->y[n] = y;
		b->t[n] = t;
		n += t <= 1.0;
	}
	return n;
}

/* Adds the first n of x and y; n is a multiple of SUM_LANES. Lanes, because
 * a compiler may not reorder a floating-point sum by itself. */
static void add_sums(const struct ep_block *b, int n, struct ep_sums *sums)
{
	double sx[SUM_LANES] = { 0 }, sy[SUM_LANES] = { 0 };
	double ax[SUM_LANES] = { 0 }, ay[SUM_LANES] = { 0 };

	for (int i = 0; i < n; i += SUM_LANES)
		for (int l = 0; l < SUM_LANES; l++) {
			sx[l] += b->x[i + l];
			sy[l] += b->y[i + l];
			ax[l] += fabs(b->x[i + l]);
			ay[l] += fabs(b->y[i + l]);
		}
	for (int l = 0; l < SUM_LANES; l++) {
		sums->sx += sx[l];
		sums->sy += sy[l];
		sums->abs_sx += ax[l];
		sums->abs_sy += ay[l];
	}
}

/* Turns the n accepted pairs into deviates and counts them. */
static void deviate(struct ep_block *b, int n, struct ep_sums *sums)
{
	int padded = (n + SUM_LANES - 1) / SUM_LANES * SUM_LANES;

	/* The rest of the last lanes: pairs at the origin, without a count. */
	for (int i = n; i < padded; i++) {
		b->x[i] = b->y[i] = 0.0;
		b->t[i] = 1.0;
	}
	for (int i = 0; i < n; i++)
		b->top[i] = log(b->t[i]);
	for (int i = n; i < padded; i++)
		b->top[i] = 0.0;
	for (int i = 0; i < padded; i++) {
		double f = sqrt(-2.0 * b->top[i] / b->t[i]);
		double ax, ay;

		b->x[i] *= f;
		b->y[i] *= f;
		ax = fabs(b->x[i]);
		ay = fabs(b->y[i]);
		b->top[i] = ax > ay ? ax : ay;
	}
	for (int i = 0; i < n; i++)
		sums->counts[(int)b->top[i]]++;
	add_sums(b, padded, sums);
}

/* One batch: 2^LOG_BATCH pairs whose first number is x(first + 1). */
static void batch(uint64_t seed, uint64_t first, struct ep_block *b, struct ep_sums *sums)
{
	uint64_t lane[LANES], step = lcg_power(LANES);
	struct ep_sums own = { 0 };

	for (int l = 0; l < LANES; l++)
		lane[l] = lcg_skip(seed, first + 1 + (uint64_t)l);
	for (int done = 0; done < 1 << LOG_BATCH; done += BLOCK) {
		fill(b->u, lane, step);
		deviate(b, accept(b), &own);
	}
	/* Batch by batch, so that small numbers meet small numbers. */
	sums->sx += own.sx;
	sums->sy += own.sy;
	sums->abs_sx += own.abs_sx;
	sums->abs_sy += own.abs_sy;
	for (int i = 0; i < ANNULI; i++)
		sums->counts[i] += own.counts[i];
}

/* This rank's share of the batches, then everybody's sums. */
static void work(const struct nas_run *run, struct ep_sums *all)
{
	static struct ep_block block;
	struct ep_sums own = { 0 };
	int64_t batches = INT64_C(1) << (classes[run->cls].log_pairs - LOG_BATCH);
	int64_t first = batches * run->rank / run->size;
	int64_t end = batches * (run->rank + 1) / run->size;
	uint64_t seed = LCG_SEED_EP + (run->damage ? 2 : 0);

	for (int64_t i = first; i < end; i++)
		batch(seed, (uint64_t)i << (LOG_BATCH + 1), &block, &own);
	MPI_Allreduce(&own.sx, &all->sx, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(&own.abs_sx, &all->abs_sx, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(own.counts, all->counts, ANNULI, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static double deviation(double found, double wanted)
{
	return fabs((found - wanted) / wanted);
}

static void judge(const struct nas_run *run, const struct ep_sums *all, struct nas_result *result)
{
	int m = classes[run->cls].log_pairs;
	int64_t accepted = 0;
	double errors[5];

	for (int i = 0; i < ANNULI; i++)
		accepted += all->counts[i];
	errors[0] = deviation(all->sx, classes[run->cls].sx);
	errors[1] = deviation(all->sy, classes[run->cls].sy);
	errors[2] = deviation(all->abs_sx, classes[run->cls].abs_sx);
	errors[3] = deviation(all->abs_sy, classes[run->cls].abs_sy);
	errors[4] = deviation((double)accepted, classes[run->cls].accepted);
	result->size[0] = INT64_C(1) << (m + 1);
	result->mops = ldexp(1.0, m + 1) / 1e6;
	result->limit = LIMIT;
	result->verified = true;
	for (int i = 0; i < 5; i++) {
		/* Written so that NaN fails. */
		if (!(errors[i] <= LIMIT))
			result->verified = false;
		if (!(errors[i] <= result->error))
			result->error = errors[i];
	}
	if (run->rank != 0)
		return;
	printf(" EP Benchmark Results:\n\n CPU Time = %12.4f\n N = 2^%5d\n", run->seconds, m);
	printf(" No. Gaussian Pairs = %18" PRId64 "\n", accepted);
	printf(" Sums = %25.15E %25.15E\n", all->sx, all->sy);
	printf(" Sums of absolute values = %25.15E %25.15E\n Counts:\n", all->abs_sx, all->abs_sy);
	for (int i = 0; i < ANNULI; i++)
		printf(" %3d %18" PRId64 "\n", i, all->counts[i]);
}

int main(int argc, char **argv)
{
	static const struct nas_kernel kernel = {
		.name = "EP",
		.about = "Gaussian deviates, no communication until the end",
		.operation = "Random numbers generated",
		.rule = "any count up to one rank per batch of 2^16 pairs",
		.nearest = ep_nearest,
	};
	struct nas_run run;
	struct nas_result result = { 0 };
	struct ep_sums all = { 0 };

	if (nas_begin(&run, &kernel, argc, argv) == 0) {
		nas_clock_start(&run);
		work(&run, &all);
		nas_clock_stop(&run);
		judge(&run, &all, &result);
		nas_report(&run, &result);
	}
	return nas_end(&run);
}
