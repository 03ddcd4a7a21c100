/* early_settle: the mistake that the lab must be able to see. A preload library
 * that gives a rank of a job its whole mask back before main(), as a shim would
 * that does not wait for MPI_Init: the rank sleeps and wakes in MPI_Init without
 * a mask, and goes where the kernel likes. For tests/lab alone. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void widen(void)
{
	cpu_set_t all;

	if (!getenv("MPI_LOCALRANKID"))
		return;
	memset(&all, 0xff, sizeof(all));
	sched_setaffinity(0, sizeof(all), &all);
}
