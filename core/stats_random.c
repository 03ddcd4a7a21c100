#include "core/stats_random.h"

#include <math.h>

static uint64_t splitmix(uint64_t *x)
{
	uint64_t z = *x += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void stats_random_init(struct stats_random *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++)
		r->s[i] = splitmix(&seed);
}

static uint64_t rotated(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

uint64_t stats_random_next(struct stats_random *r)
{
	uint64_t *s = r->s, result = rotated(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotated(s[3], 45);
	return result;
}

unsigned int stats_random_below(struct stats_random *r, unsigned int n)
{
	/* 2^32 mod n: products whose low half is below it would favour some
	 * results (Lemire, ACM TOMACS 29, 2019). */
	uint32_t least = -(uint32_t)n % n;
	uint64_t product;

	do
		product = (stats_random_next(r) >> 32) * n;
	while ((uint32_t)product < least);
	return (unsigned int)(product >> 32);
}

double stats_random_unit(struct stats_random *r)
{
	return (double)(stats_random_next(r) >> 11) * 0x1p-53;
}

double stats_random_normal(struct stats_random *r)
{
	double x, y, square;

	do {
		x = 2 * stats_random_unit(r) - 1;
		y = 2 * stats_random_unit(r) - 1;
		square = x * x + y * y;
	} while (square >= 1 || square == 0);
	return x * sqrt(-2 * log(square) / square);
}
