/* The grid of ranks of MG: how boxes are cut, ghosts, and the levels that are
 * too coarse to be cut. */
#include "examples/nas/mg.h"

#include <mpi.h>
#include <string.h>

void mg_grid_lay(int size, int ranks[3])
{
	int log_size = 0, x, y;

	while (1 << log_size < size)
		log_size++;
	x = log_size / 3;
	y = (log_size - x) / 2;
	ranks[0] = 1 << x;
	ranks[1] = 1 << y;
	ranks[2] = 1 << (log_size - x - y);
}

struct mg_box mg_box_of(const struct mg *mg, int k, bool shared)
{
	struct mg_box b = { .shared = shared };

	for (int axis = 0; axis < 3; axis++)
		b.n[axis] = (INT64_C(1) << k) / (shared ? mg->ranks[axis] : 1);
	b.row = b.n[0] + 2;
	b.plane = b.row * (b.n[1] + 2);
	return b;
}

/* The rank step places further along axis, round the grid. */
static int neighbour(const struct mg *mg, int axis, int step)
{
	int at[3] = { mg->place[0], mg->place[1], mg->place[2] };

	at[axis] = (at[axis] + step + mg->ranks[axis]) % mg->ranks[axis];
	return at[0] + mg->ranks[0] * (at[1] + mg->ranks[1] * at[2]);
}

/* A layer of points across an axis. Layers of x leave out the ghosts of y and
 * z, which are filled later; layers of y those of z. */
struct layer {
	double *first;
	int64_t count[2];  /* inner, outer */
	int64_t stride[2];
};

static struct layer layer_of(const struct mg_box *b, double *a, int axis, int64_t at)
{
	struct layer l;

	if (axis == 0) {
		l = (struct layer){ a + at + b->row + b->plane, { b->n[1], b->n[2] },
			{ b->row, b->plane } };
	} else if (axis == 1) {
		l = (struct layer){ a + at * b->row + b->plane, { b->n[0] + 2, b->n[2] },
			{ 1, b->plane } };
	} else {
		l = (struct layer){ a + at * b->plane, { b->plane, 1 }, { 1, 0 } };
	}
	return l;
}

static int64_t layer_pack(const struct layer *l, double *out)
{
	for (int64_t j = 0; j < l->count[1]; j++)
		for (int64_t i = 0; i < l->count[0]; i++)
			*out++ = l->first[j * l->stride[1] + i * l->stride[0]];
	return l->count[0] * l->count[1];
}

static void layer_unpack(const struct layer *l, const double *in)
{
	for (int64_t j = 0; j < l->count[1]; j++)
		for (int64_t i = 0; i < l->count[0]; i++)
			l->first[j * l->stride[1] + i * l->stride[0]] = *in++;
}

static void layer_copy(const struct layer *from, const struct layer *to)
{
	for (int64_t j = 0; j < to->count[1]; j++)
		for (int64_t i = 0; i < to->count[0]; i++)
			to->first[j * to->stride[1] + i * to->stride[0]] =
			    from->first[j * from->stride[1] + i * from->stride[0]];
}

/* Swaps layers with the ranks below and above. With two ranks these are the
 * same one, so the tag tells the direction. */
static void swap_layers(struct mg *mg, const struct mg_box *b, double *a, int axis)
{
	struct layer first = layer_of(b, a, axis, 1), last = layer_of(b, a, axis, b->n[axis]);
	struct layer low = layer_of(b, a, axis, 0), high = layer_of(b, a, axis, b->n[axis] + 1);
	int below = neighbour(mg, axis, -1), above = neighbour(mg, axis, 1);
	double *down = mg->faces[0], *up = mg->faces[1];
	double *from_below = mg->faces[2], *from_above = mg->faces[3];
	int count = (int)(first.count[0] * first.count[1]);
	MPI_Request requests[2];

	if (axis == 2) {
		/* Layers of z lie in one piece. */
		down = first.first;
		up = last.first;
		from_below = low.first;
		from_above = high.first;
	}
	MPI_Irecv(from_below, count, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(from_above, count, MPI_DOUBLE, above, 2, MPI_COMM_WORLD, &requests[1]);
	if (axis != 2) {
		layer_pack(&first, down);
		layer_pack(&last, up);
	}
	MPI_Send(up, count, MPI_DOUBLE, above, 1, MPI_COMM_WORLD);
	MPI_Send(down, count, MPI_DOUBLE, below, 2, MPI_COMM_WORLD);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	if (axis != 2) {
		layer_unpack(&low, from_below);
		layer_unpack(&high, from_above);
	}
}

void mg_ghosts(struct mg *mg, const struct mg_box *b, double *a)
{
	for (int axis = 0; axis < 3; axis++) {
		struct layer first, last, low, high;

		if (b->shared && mg->ranks[axis] > 1) {
			swap_layers(mg, b, a, axis);
			continue;
		}
		first = layer_of(b, a, axis, 1);
		last = layer_of(b, a, axis, b->n[axis]);
		low = layer_of(b, a, axis, 0);
		high = layer_of(b, a, axis, b->n[axis] + 1);
		layer_copy(&last, &low);
		layer_copy(&first, &high);
	}
}

void mg_gather(struct mg *mg)
{
	const struct mg_box *p = &mg->piece, *all = &mg->levels[mg->lowest - 1].box;
	double *out = mg->levels[mg->lowest - 1].r, *block = mg->gathered;
	int64_t points = p->n[0] * p->n[1] * p->n[2];
	double *own = mg->gathered + points * mg->run->rank;

	for (int64_t z = 0; z < p->n[2]; z++)
		for (int64_t y = 0; y < p->n[1]; y++, own += p->n[0])
			memcpy(own, mg->piece_values + mg_at(p, y + 1, z + 1) + 1,
			    (size_t)p->n[0] * sizeof(*own));
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, mg->gathered, (int)points, MPI_DOUBLE,
	    MPI_COMM_WORLD);
	for (int rank = 0; rank < mg->run->size; rank++) {
		int64_t x0 = rank % mg->ranks[0] * p->n[0];
		int64_t y0 = rank / mg->ranks[0] % mg->ranks[1] * p->n[1];
		int64_t z0 = rank / mg->ranks[0] / mg->ranks[1] * p->n[2];

		for (int64_t z = 1; z <= p->n[2]; z++)
			for (int64_t y = 1; y <= p->n[1]; y++, block += p->n[0])
				memcpy(out + mg_at(all, y0 + y, z0 + z) + x0 + 1, block,
				    (size_t)p->n[0] * sizeof(*out));
	}
}

void mg_cut_piece(struct mg *mg)
{
	const struct mg_box *p = &mg->piece, *all = &mg->levels[mg->lowest - 1].box;
	const double *u = mg->levels[mg->lowest - 1].u;
	int64_t x0 = mg->place[0] * p->n[0], y0 = mg->place[1] * p->n[1];
	int64_t z0 = mg->place[2] * p->n[2];

	/* The whole grid has periodic ghosts, so the piece's are all there. */
	for (int64_t z = 0; z <= p->n[2] + 1; z++)
		for (int64_t y = 0; y <= p->n[1] + 1; y++)
			memcpy(mg->piece_values + mg_at(p, y, z),
			    u + mg_at(all, y0 + y, z0 + z) + x0, (size_t)p->row * sizeof(*u));
}
