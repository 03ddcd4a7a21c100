#include "core/sim_queue.h"

#include <assert.h>

int sim_queue_init(struct sim_queue *q, struct arena *a, unsigned int room)
{
	*q = (struct sim_queue){ .heap = arena_array(a, room, sizeof(*q->heap)), .room = room };
	return q->heap ? 0 : -1;
}

void sim_queue_clear(struct sim_queue *q)
{
	q->n = 0;
	q->count = 0;
}

static bool before(const struct sim_event *a, const struct sim_event *b)
{
	return a->at < b->at || (a->at == b->at && a->number < b->number);
}

void sim_queue_put(struct sim_queue *q, uint64_t at, unsigned int kind, unsigned int which)
{
	struct sim_event e = { at, q->count++, kind, which };
	unsigned int i = q->n++;

	assert(q->n <= q->room);
	for (; i && before(&e, &q->heap[(i - 1) / 2]); i = (i - 1) / 2)
		q->heap[i] = q->heap[(i - 1) / 2];
	q->heap[i] = e;
}

bool sim_queue_take(struct sim_queue *q, struct sim_event *e)
{
	struct sim_event last;
	unsigned int i = 0, child;

	if (!q->n)
		return false;
	*e = q->heap[0];
	last = q->heap[--q->n];
	for (; (child = 2 * i + 1) < q->n; i = child) {
		if (child + 1 < q->n && before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (!before(&q->heap[child], &last))
			break;
		q->heap[i] = q->heap[child];
	}
	q->heap[i] = last;
	return true;
}
