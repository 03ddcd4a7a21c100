/* spawner HOW RANKS COMMAND...: starts ranks as a proxy of Hydra does, in each
 * of the ways that a proxy may choose; to be run under a proxy's name. HOW is
 * fork-execv, fork-execvp, fork-execve, fork-execvpe, vfork-execve, spawn or
 * spawnp. RANKS "2" is one group of two, "1,1" two groups of one rank each.
 * Says its own mask at the end. */
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN_MAX 64

static pid_t children[CHILDREN_MAX];
static int nchildren;

/* In the child of fork. */
static void execute(const char *how, char **command)
{
	if (!strcmp(how, "fork-execv"))
		execv(command[0], command);
	if (!strcmp(how, "fork-execvp"))
		execvp(command[0], command);
	if (!strcmp(how, "fork-execve"))
		execve(command[0], command, environ);
	if (!strcmp(how, "fork-execvpe"))
		execvpe(command[0], command, environ);
	perror(how);
	_exit(127);
}

static pid_t start_by_vfork(char **command)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve(command[0], command, environ);
		_exit(127);
	}
	return pid;
}

static pid_t start_by_fork(const char *how, char **command)
{
	pid_t pid = fork();

	if (pid == 0)
		execute(how, command);
	return pid;
}

static pid_t start(const char *how, char **command)
{
	pid_t pid = -1;
	int rc = 0;

	if (!strcmp(how, "spawn"))
		rc = posix_spawn(&pid, command[0], NULL, NULL, command, environ);
	else if (!strcmp(how, "spawnp"))
		rc = posix_spawnp(&pid, command[0], NULL, NULL, command, environ);
	else if (!strcmp(how, "vfork-execve"))
		pid = start_by_vfork(command);
	else
		pid = start_by_fork(how, command);
	if (rc)
		fprintf(stderr, "%s: %s\n", how, strerror(rc));
	return pid;
}

static void start_group(const char *how, int ranks, char **command)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", ranks);
	setenv("MPI_LOCALNRANKS", text, 1);
	for (int rank = 0; rank < ranks && nchildren < CHILDREN_MAX; rank++) {
		snprintf(text, sizeof(text), "%d", rank);
		setenv("MPI_LOCALRANKID", text, 1);
		/* Where the second group's files go. */
		setenv("VICTIM_GROUP", nchildren == rank ? "0" : "1", 1);
		children[nchildren++] = start(how, command);
	}
}

int main(int argc, char **argv)
{
	int status, rc = 0;
	cpu_set_t set;

	if (argc < 4)
		return 2;
	for (char *ranks = strtok(argv[2], ","); ranks; ranks = strtok(NULL, ","))
		start_group(argv[1], atoi(ranks), argv + 3);
	for (int i = 0; i < nchildren; i++) {
		if (children[i] <= 0 || waitpid(children[i], &status, 0) < 0 || status)
			rc = 1;
	}
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	printf("%d cpus for the proxy\n", CPU_COUNT(&set));
	return rc;
}
