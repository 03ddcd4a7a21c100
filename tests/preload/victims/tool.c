/* A profiling tool as MPI foresees them: its MPI_Init calls PMPI_Init. Linked
 * into a program, or preloaded. */
#include <mpi.h>
#include <stdio.h>

#include "victim.h"

int MPI_Init(int *argc, char ***argv)
{
	int rc = PMPI_Init(argc, argv);

	victim_note("tool");
	printf("tool: MPI_Init gave %d\n", rc);
	fflush(stdout);
	return rc;
}
