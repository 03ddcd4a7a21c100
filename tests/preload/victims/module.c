/* A plug-in that uses MPI, for a host that does not. */
#include <mpi.h>
#include <stdio.h>

#include "victim.h"

int module_run(void);

int module_run(void)
{
	int rank, rc = MPI_Init(NULL, NULL);

	victim_note("up");
	if (rc)
		return rc;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	printf("module: rank %d\n", rank);
	return MPI_Finalize();
}
