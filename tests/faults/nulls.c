/* nulls HOW COMMAND: calls the exec functions in ways that few programs do: no
 * environment at all, no arguments, no name. What the kernel takes goes well;
 * the rest is an error, never a crash. To be run under a daemon's name. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int execute(const char *how, char *command)
{
	/* By way of volatile: the compiler knows that these must not be NULL. */
	char *volatile none = NULL;
	char **volatile nothing = NULL;
	char *argv[] = { command, NULL };

	if (!strcmp(how, "execve-env"))
		return execve(command, argv, nothing);
	if (!strcmp(how, "execve-argv"))
		return execve(command, nothing, nothing);
	if (!strcmp(how, "execve-name"))
		return execve(none, argv, environ);
	if (!strcmp(how, "execv-cleared")) {
		clearenv();
		return execv(command, argv);
	}
	return -2;
}

static int spawn(const char *how, char *command)
{
	char **volatile nothing = NULL;
	char *argv[] = { command, NULL };
	pid_t pid;
	int status;

	if (!strcmp(how, "spawn-env"))
		errno = posix_spawn(&pid, command, NULL, NULL, argv, nothing);
	else
		errno = posix_spawn(&pid, command, NULL, NULL, nothing, nothing);
	if (errno || waitpid(pid, &status, 0) < 0)
		perror(how);
	return status;
}

int main(int argc, char **argv)
{
	int status = 0, rc;
	pid_t pid;

	if (argc < 3)
		return 2;
	if (!strncmp(argv[1], "spawn", 5))
		return spawn(argv[1], argv[2]) != 0;
	pid = fork();
	if (pid == 0) {
		rc = execute(argv[1], argv[2]);
		printf("%s: %d, %s\n", argv[1], rc, strerror(errno));
		fflush(stdout);
		_exit(9);
	}
	waitpid(pid, &status, 0);
	printf("status %x\n", status);
	return 0;
}
