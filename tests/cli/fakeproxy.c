/* Plays a launcher daemon for the tests of `evenkeel run --report`: bears
 * hydra_pmi_proxy's name, enters a job of two ranks into EVENKEEL_LEDGER, and starts
 * both as PROGRAM ARGUMENT..., each bound to the cpu of its number if it may.
 *
 * Usage: fakeproxy ledger|none PROGRAM ARGUMENT...
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ledger.h"
#include "core/proc.h"

#define NRANKS 2

static pid_t start_rank(int rank, int go, char **argv)
{
	char number[16], byte;
	cpu_set_t set;
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(number, sizeof(number), "%d", rank);
	setenv("PMI_RANK", number, 1);
	setenv("MPI_LOCALRANKID", number, 1);
	setenv("MPI_LOCALNRANKS", "2", 1);
	CPU_ZERO(&set);
	CPU_SET(rank, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (read(go, &byte, 1) < 0)
		_exit(1);
	execvp(argv[0], argv);
	_exit(127);
}

static int enter(const pid_t *pids)
{
	struct ledger_slot slots[NRANKS] = { 0 };
	struct ledger_node nodes[1] = { 0 };
	struct arena a = { 0 };
	struct proc_stat st;
	struct ledger_job job = {
		.nranks = NRANKS, .width = 1, .nnodes = 1, .nodes = nodes, .slots = slots
	};
	struct ledger l;

	if (proc_stat_read(&st, 0) < 0 || ledger_open(&l, &a, getenv("EVENKEEL_LEDGER")) < 0)
		return -1;
	job.key.pid = getpid();
	job.key.start = st.start;
	if (ledger_add(&l, &job) < 0)
		return -1;
	for (int i = 0; i < NRANKS; i++) {
		struct ledger_slot *slot = &l.jobs[l.njobs - 1].slots[i];

		if (proc_stat_read(&st, pids[i]) < 0)
			return -1;
		slot->pid = pids[i];
		slot->start = st.start;
	}
	return ledger_close(&l);
}

int main(int argc, char **argv)
{
	pid_t pids[NRANKS];
	int go[2], status, worst = 0;

	if (argc < 3 || pipe(go) < 0)
		return 2;
	prctl(PR_SET_NAME, "hydra_pmi_proxy");
	for (int i = 0; i < NRANKS; i++)
		pids[i] = start_rank(i, go[0], argv + 2);
	if (!strcmp(argv[1], "ledger") && enter(pids) < 0) {
		perror("fakeproxy: ledger");
		worst = 3;
	}
	if (write(go[1], "xx", NRANKS) != NRANKS)
		worst = 4;
	for (int i = 0; i < NRANKS; i++)
		if (waitpid(pids[i], &status, 0) > 0 && status && !worst)
			worst = 1;
	return worst;
}
