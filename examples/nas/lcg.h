/* The random numbers of the NAS kernels.
 *
 * x(k+1) = a * x(k) mod 2^46 with a = 5^13; the k-th value is x(k) * 2^-46, in
 * (0,1) (Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, on the
 * pseudorandom generator). Only the low 46 bits of a product count, so an
 * unsigned 64-bit product that wraps round is exact once masked. A stream's
 * first value belongs to x(1): step first, then use. All functions are pure
 * and never fail.
 */
#ifndef EVENKEEL_EXAMPLES_NAS_LCG_H
#define EVENKEEL_EXAMPLES_NAS_LCG_H

#include <stdint.h>
#include <string.h>

#define LCG_A UINT64_C(1220703125)
#define LCG_MASK ((UINT64_C(1) << 46) - 1)

/* x(0) of CG, MG, FT and IS; EP has its own. */
#define LCG_SEED UINT64_C(314159265)
#define LCG_SEED_EP UINT64_C(271828183)

static inline uint64_t lcg_times(uint64_t a, uint64_t x)
{
	return a * x & LCG_MASK;
}

/* a^steps mod 2^46: times this, a stream jumps steps values ahead. */
static inline uint64_t lcg_power(uint64_t steps)
{
	uint64_t power = 1;

	for (uint64_t square = LCG_A; steps; steps >>= 1) {
		if (steps & 1)
			power = lcg_times(power, square);
		square = lcg_times(square, square);
	}
	return power;
}

/* x(k + steps) from x(k). */
static inline uint64_t lcg_skip(uint64_t x, uint64_t steps)
{
	return lcg_times(lcg_power(steps), x);
}

/* The value in (0,1) of state x; exact, 46 bits fit a double. */
static inline double lcg_value(uint64_t x)
{
	return (double)(int64_t)x * 0x1p-46;
}

/* 2 * lcg_value(x) - 1, exact as well. The state becomes the mantissa of a
 * number in [1,2), which compilers can do for several states at once; the
 * conversion instruction of lcg_value takes one at a time. */
static inline double lcg_signed(uint64_t x)
{
	uint64_t bits = x << 6 | UINT64_C(0x3ff) << 52;
	double d;

	memcpy(&d, &bits, sizeof(d));
	return 2.0 * d - 3.0;
}

/* Steps the stream and gives its next value. */
static inline double lcg_next(uint64_t *x)
{
	*x = lcg_times(LCG_A, *x);
	return lcg_value(*x);
}

#endif
