/* mpi KIND [CPU0 CPU1]: one rank of a job, starting MPI in the way that KIND
 * says. A line is printed by one write(2), which Hydra keeps whole: UCX leaves
 * stdout unbuffered, and printf of a text alone becomes puts, which then makes
 * two. */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

static const char *self;
static int other_cpu;

/* Every rank says what it found; that the sum is right shows that MPI works. */
static void work(MPI_Comm comm)
{
	int rank, ranks, sum;

	victim_note("up");
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &ranks);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
	printf("rank %d of %d, sum %d\n", rank, ranks, sum);
	fflush(stdout);
}

static int plainly(void)
{
	MPI_Init(NULL, NULL);
	work(MPI_COMM_WORLD);
	return MPI_Finalize();
}

static int thread_multiple(void)
{
	int provided;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &provided);
	printf("provided %d\n", provided);
	work(MPI_COMM_WORLD);
	return MPI_Finalize();
}

static int session(void)
{
	MPI_Session s;
	MPI_Group group;
	MPI_Comm comm;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s);
	victim_note("session");
	MPI_Group_from_session_pset(s, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "victim", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Group_free(&group);
	work(comm);
	MPI_Comm_free(&comm);
	return MPI_Session_finalize(&s);
}

static int twice(void)
{
	MPI_Init(NULL, NULL);
	victim_note("up");
	MPI_Barrier(MPI_COMM_WORLD);
	/* Both ranks end by MPICH's own complaint; one is enough to read. */
	if (victim_rank() == 0)
		pause();
	return MPI_Init(NULL, NULL);
}

static pthread_barrier_t started, over;

static void *wait_for_end(void *arg)
{
	pthread_barrier_wait(&started);
	pthread_barrier_wait(&over);
	return arg;
}

static int threads_first(void)
{
	pthread_t t[3];
	int rc;

	pthread_barrier_init(&started, NULL, 4);
	pthread_barrier_init(&over, NULL, 4);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, wait_for_end, NULL);
	pthread_barrier_wait(&started);
	victim_note("threads");
	rc = plainly();
	pthread_barrier_wait(&over);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return rc;
}

static void child(const char *moment, int status)
{
	pid_t pid = fork();

	if (pid == 0) {
		victim_note(moment);
		_exit(status);
	}
	waitpid(pid, &status, 0);
	printf("child ended with %d\n", WEXITSTATUS(status));
	fflush(stdout);
}

static int forks(void)
{
	child("child-before", 3);
	MPI_Init(NULL, NULL);
	work(MPI_COMM_WORLD);
	child("child-after", 4);
	return MPI_Finalize();
}

/* Rank 1 dies of the signal; rank 0 waits for what Hydra then does. */
static int dies(int sig)
{
	MPI_Init(NULL, NULL);
	work(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (victim_rank() == 1)
		kill(getpid(), sig);
	pause();
	return 0;
}

static int dies_segv(void)
{
	return dies(SIGSEGV);
}

static int dies_kill(void)
{
	return dies(SIGKILL);
}

static int exits_7(void)
{
	plainly();
	return 7;
}

/* Takes another mask (rank 0 CPU0, rank 1 CPU1) before MPI is up, and shows
 * errno after. */
static int repins(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(other_cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		perror("sched_setaffinity");
	errno = 0;
	MPI_Init(NULL, NULL);
	printf("errno %d\n", errno);
	work(MPI_COMM_WORLD);
	return MPI_Finalize();
}

static int execs(void)
{
	execl(self, self, "init", (char *)NULL);
	return 1;
}

static int never(void)
{
	printf("rank %d, no MPI\n", victim_rank());
	return 0;
}

/* Two ranks more, which are children. */
static int spawns(void)
{
	char *args[] = {(char *)"child", NULL};
	MPI_Comm children;

	MPI_Init(NULL, NULL);
	victim_note("up");
	MPI_Comm_spawn(self, args, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
		       MPI_ERRCODES_IGNORE);
	MPI_Barrier(children);
	return MPI_Finalize();
}

static int spawned(void)
{
	MPI_Comm parents;

	MPI_Init(NULL, NULL);
	victim_note("up");
	work(MPI_COMM_WORLD);
	MPI_Comm_get_parent(&parents);
	MPI_Barrier(parents);
	return MPI_Finalize();
}

/* A child's local number is a parent's too: its files go into a folder of their own. */
static void into_own_folder(void)
{
	const char *dir = getenv("VICTIM_DIR");
	char path[4096];

	if (!dir)
		return;
	snprintf(path, sizeof(path), "%s/child", dir);
	mkdir(path, 0700);
	setenv("VICTIM_DIR", path, 1);
}

static const struct {
	const char *name;
	int (*run)(void);
} kinds[] = {
    {"init", plainly},
    {"thread", thread_multiple},
    {"session", session},
    {"twice", twice},
    {"threads", threads_first},
    {"fork", forks},
    {"segv", dies_segv},
    {"kill", dies_kill},
    {"exit7", exits_7},
    {"repin", repins},
    {"exec", execs},
    {"never", never},
    {"spawn", spawns},
    {"child", spawned},
};

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "init";

	self = argv[0];
	if (argc > 3)
		other_cpu = atoi(argv[victim_rank() == 0 ? 2 : 3]);
	if (!strcmp(kind, "child"))
		into_own_folder();
	victim_note("main");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kind, kinds[i].name))
			return kinds[i].run();
	fprintf(stderr, "mpi: no kind '%s'\n", kind);
	return 2;
}
