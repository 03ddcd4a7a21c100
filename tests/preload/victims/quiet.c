/* quiet [wait FILE | exit STATUS]: a rank that knows no MPI. wait: until FILE is
 * there, a minute at most. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "victim.h"

static int wait_for(const char *file)
{
	static const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};

	for (int i = 0; i < 6000; i++) {
		if (access(file, F_OK) == 0)
			return 0;
		nanosleep(&pause, NULL);
	}
	fprintf(stderr, "quiet: %s never came\n", file);
	return 1;
}

int main(int argc, char **argv)
{
	victim_note("main");
	printf("quiet rank %d\n", victim_rank());
	fflush(stdout);
	if (argc > 2 && !strcmp(argv[1], "wait"))
		return wait_for(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "exit"))
		return atoi(argv[2]);
	return 0;
}
