/* The ledger's bytes, as they are and with head, length and checksum set right;
 * and a plan made with what a good one says. */
#include <errno.h>

#include "core/ledger_format.h"
#include "core/machine_text.h"
#include "tests/fuzz/fuzz.h"

/* Where format 2 keeps things; told in core/ledger_format.c. */
enum { VERSION_AT = 8, LENGTH_AT = 12, CHECKSUM_AT = 16, CHECKED_AT = 24, HEAD = 32 };

/* Plans of more ranks take long, and go no other way. */
#define RANKS_MAX 4096u

static const char four_nodes[] = "evenkeel-machine 1;node 0 cpus 0-3;node 1 cpus 4-7;"
				 "node 2 cpus 8-11;node 3 cpus 12-15";

static void put(uint8_t *at, uint64_t n, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(n >> 8 * i);
}

static void set_right(uint8_t *text, size_t size)
{
	uint64_t sum = 0xcbf29ce484222325u;

	memcpy(text, "evenkeel", 8);
	put(text + VERSION_AT, 2, 4);
	put(text + LENGTH_AT, size, 4);
	for (size_t i = CHECKED_AT; i < size; i++)
		sum = (sum ^ text[i]) * 0x100000001b3u;
	put(text + CHECKSUM_AT, sum, 8);
}

/* As shim/place.c does. */
static void plan_with(const struct ledger *l, struct arena *a)
{
	struct plan_request request = { .nranks = 3, .width = 1 };
	struct machine m;
	struct plan p;
	unsigned int *busy;

	fuzz_check(machine_text_read(&m, a, four_nodes, sizeof(four_nodes) - 1, NULL) == 0);
	busy = arena_array(a, m.nnodes, sizeof(*busy));
	for (unsigned int j = 0; j < l->njobs; j++)
		for (unsigned int n = 0; n < l->jobs[j].nnodes; n++) {
			unsigned int node = machine_node_of(&m, l->jobs[j].nodes[n].cpu);

			if (node != CPUS_NONE)
				busy[node] += l->jobs[j].nodes[n].planned;
		}
	if (l->njobs && l->jobs[0].nranks <= RANKS_MAX) {
		request.nranks = l->jobs[0].nranks;
		request.width = l->jobs[0].width;
	}
	request.busy = busy;
	fuzz_check(plan_make(&p, a, &m, &m.usable, &request) == 0);
	fuzz_check_plan(&p, &m, &m.usable);
}

/* What was read is written and read back as the same. */
static void write_again(const struct ledger *l, struct arena *a)
{
	uint64_t size = ledger_format_size(l);
	uint8_t *text = arena_alloc(a, size), *more = arena_alloc(a, size);
	struct ledger again = { .fd = -1, .arena = a };

	ledger_format_encode(l, text, size);
	fuzz_check(ledger_format_decode(&again, text, size) == 0);
	fuzz_check(again.njobs == l->njobs && ledger_format_size(&again) == size);
	ledger_format_encode(&again, more, size);
	fuzz_check(!memcmp(text, more, size));
}

static void read_one(const uint8_t *text, size_t size)
{
	struct arena a = FUZZ_ARENA;
	struct ledger l = { .fd = -1, .arena = &a };

	errno = 0;
	if (ledger_format_decode(&l, text, size) == 0) {
		write_again(&l, &a);
		plan_with(&l, &a);
	} else {
		fuzz_check(errno == EBADMSG && l.njobs == 0);
	}
	arena_free(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *right;

	read_one(data, size);
	if (size < HEAD)
		return 0;
	right = (uint8_t *)fuzz_text(data, size);
	set_right(right, size);
	read_one(right, size);
	free(right);
	return 0;
}
