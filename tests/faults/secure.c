/* secure [COMMAND...]: a rank, or a daemon that starts COMMAND as one, that is
 * linked with the preload library by its full path, which ld.so also follows in
 * set-uid programs. Says whether it is one, and its mask. */
#include <sched.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	cpu_set_t set;
	pid_t pid;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	printf("secure %lu, %d cpus\n", getauxval(AT_SECURE), CPU_COUNT(&set));
	fflush(stdout);
	if (argc < 2)
		return 0;
	pid = fork();
	if (pid == 0) {
		execv(argv[1], argv + 1);
		_exit(127);
	}
	return waitpid(pid, NULL, 0) < 0;
}
