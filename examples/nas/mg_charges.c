/* The right side of MG: twenty point charges.
 *
 * NAS report, kernel MG: each of the n^3 grid points gets a
 * number of the random stream, x fastest. The ten points with the largest
 * numbers become +1, the ten with the smallest -1, all others 0. The sum is
 * zero, as a periodic Poisson problem needs to have a solution.
 */
#include "examples/nas/mg.h"

#include <mpi.h>
#include <string.h>

#include "examples/nas/lcg.h"

#define CHARGES 10

/* The best ones so far, best first. Keys are never 0 and never equal, since
 * the stream's period is far longer than any grid; key 0 marks a free place. */
struct best {
	uint64_t key[CHARGES];
	int64_t point[CHARGES];
};

struct ends {
	struct best largest, smallest;
};

static void insert(struct best *b, uint64_t key, int64_t point)
{
	int i = CHARGES - 1;

	if (key <= b->key[i])
		return;
	for (; i > 0 && b->key[i - 1] < key; i--) {
		b->key[i] = b->key[i - 1];
		b->point[i] = b->point[i - 1];
	}
	b->key[i] = key;
	b->point[i] = point;
}

/* An MPI reduction: the ten best of two lists of ten. */
static void merge_ends(void *in, void *inout, int *count, MPI_Datatype *type)
{
	(void)type;
	for (int n = 0; n < *count; n++) {
		const struct ends *from = (const struct ends *)in + n;
		struct ends *to = (struct ends *)inout + n;

		for (int i = 0; i < CHARGES; i++) {
			insert(&to->largest, from->largest.key[i], from->largest.point[i]);
			insert(&to->smallest, from->smallest.key[i], from->smallest.point[i]);
		}
	}
}

/* Looks through this rank's box, row by row. */
static void scan(const struct mg *mg, struct ends *e)
{
	const struct mg_box *b = &mg->levels[mg->top].box;
	int64_t side = INT64_C(1) << mg->top;

	for (int64_t z = 0; z < b->n[2]; z++)
		for (int64_t y = 0; y < b->n[1]; y++) {
			int64_t point = (mg->place[2] * b->n[2] + z) * side * side +
			    (mg->place[1] * b->n[1] + y) * side + mg->place[0] * b->n[0];
			uint64_t v = lcg_skip(LCG_SEED, (uint64_t)point);

			for (int64_t x = 0; x < b->n[0]; x++, point++) {
				v = lcg_times(LCG_A, v);
				if (v > e->largest.key[CHARGES - 1])
					insert(&e->largest, v, point);
				if (LCG_MASK - v > e->smallest.key[CHARGES - 1])
					insert(&e->smallest, LCG_MASK - v, point);
			}
		}
}

/* Sets the points of b that are in this rank's box. */
static void place(struct mg *mg, const struct best *b, double charge)
{
	const struct mg_box *box = &mg->levels[mg->top].box;
	int64_t side = INT64_C(1) << mg->top;

	for (int i = 0; i < CHARGES; i++) {
		int64_t x = b->point[i] % side - mg->place[0] * box->n[0];
		int64_t y = b->point[i] / side % side - mg->place[1] * box->n[1];
		int64_t z = b->point[i] / side / side - mg->place[2] * box->n[2];

		if (x >= 0 && x < box->n[0] && y >= 0 && y < box->n[1] && z >= 0 && z < box->n[2])
			mg->v[mg_at(box, y + 1, z + 1) + x + 1] = charge;
	}
}

void mg_charges(struct mg *mg)
{
	struct ends own = { 0 }, all;
	MPI_Datatype type;
	MPI_Op op;

	scan(mg, &own);
	MPI_Type_contiguous(sizeof(own), MPI_BYTE, &type);
	MPI_Type_commit(&type);
	MPI_Op_create(merge_ends, 1, &op);
	MPI_Allreduce(&own, &all, 1, type, op, MPI_COMM_WORLD);
	MPI_Op_free(&op);
	MPI_Type_free(&type);
	memset(mg->v, 0, (size_t)mg_points(&mg->levels[mg->top].box) * sizeof(*mg->v));
	place(mg, &all.largest, 1.0);
	/* Damage: a negative charge lands on a positive one. */
	if (mg->run->damage)
		all.smallest.point[0] = all.largest.point[0];
	place(mg, &all.smallest, -1.0);
}
