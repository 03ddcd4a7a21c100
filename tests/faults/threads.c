/* threads FOLDER: what threads of one process may do at once, for ThreadSanitizer:
 * settle, look up real functions, and use the ledger in FOLDER, each with a
 * struct ledger of its own. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/ledger.h"
#include "core/proc.h"
#include "shim/affinity.h"
#include "shim/marker.h"
#include "shim/rank.h"
#include "shim/real.h"

#define THREADS 8
#define ROUNDS 20

static pthread_barrier_t together;
static const char *folder;
static unsigned int failures;

static void fail(const char *what)
{
	perror(what);
	__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

/* A host so busy that a holder is not run for all of the wait shows no race. */
static int open_in_time(struct ledger *l, struct arena *a)
{
	int rc;

	for (int i = 0; i < 100; i++) {
		rc = ledger_open(l, a, folder);
		if (rc == 0 || errno != ETIMEDOUT)
			break;
	}
	return rc;
}

/* One job by group, with this process in its slot. */
static void join(uint32_t group)
{
	struct ledger_node node = { .cpu = 0, .planned = 1 };
	struct ledger_job job = { .key = { .pid = -1, .group = group },
				  .nranks = 1,
				  .nnodes = 1,
				  .nodes = &node };
	struct proc_stat self;
	struct arena a = { 0 };
	struct ledger l;

	if (proc_stat_read(&self, 0) < 0 || open_in_time(&l, &a) < 0) {
		fail("ledger_open");
		return;
	}
	if (ledger_find(&l, &job.key) || ledger_add(&l, &job) < 0)
		fail("ledger_add");
	else
		ledger_find(&l, &job.key)->slots[0] =
		    (struct ledger_slot){ .pid = self.pid, .start = self.start };
	if (ledger_close(&l) < 0)
		fail("ledger_close");
	arena_free(&a);
}

static void *work(void *arg)
{
	const uint32_t me = *(const uint32_t *)arg;

	pthread_barrier_wait(&together);
	rank_settle();
	for (int name = 0; name < REAL_MPI_INIT; name++)
		if (!real_get((enum real_name)name, NULL))
			fail("real_get");
	for (uint32_t i = 0; i < ROUNDS; i++)
		join(me * ROUNDS + i);
	return NULL;
}

/* This process as a rank that is held on one cpu and is to settle. */
static int become_rank(struct arena *a, struct cpus *wide)
{
	struct cpus node;
	char *marker;

	if (affinity_get(wide, a, 0) < 0 || cpus_init(&node, a, CPUS_MAX) < 0)
		return -1;
	cpus_add(&node, cpus_next(wide, 0));
	if (affinity_set(a, &node) < 0)
		return -1;
	marker = marker_make(a, &node, wide);
	return marker && rank_has_marker(marker) ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct arena a = { 0 };
	struct cpus wide, now;
	uint32_t numbers[THREADS];
	pthread_t threads[THREADS];
	struct ledger l;

	if (argc < 2 || become_rank(&a, &wide) < 0)
		return 2;
	folder = argv[1];
	pthread_barrier_init(&together, NULL, THREADS);
	for (uint32_t i = 0; i < THREADS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, work, &numbers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	if (affinity_get(&now, &a, 0) < 0 || !cpus_equal(&now, &wide))
		fail("the mask after settling");
	if (open_in_time(&l, &a) < 0 || l.njobs != THREADS * ROUNDS)
		fail("jobs in the ledger");
	else if (ledger_close(&l) < 0)
		fail("ledger_close");
	arena_free(&a);
	return failures != 0;
}
