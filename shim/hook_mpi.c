/* MPI start-up hooks: where a rank settles.
 *
 * MPI_Init, MPI_Init_thread and their PMPI twins catch C, mpif.h, use mpi and
 * mpi_f08 of MPICH and Open MPI; the first communicator made from a group is
 * where a program that uses sessions has its processes up. No mpi.h here: the
 * types differ between the MPIs, but every argument is a pointer or an integer
 * that fits one, and is passed on as it came. */
#include <stddef.h>

#include "shim/hook.h"
#include "shim/rank.h"
#include "shim/real.h"
#include "shim/role.h"

/* MPI_ERR_OTHER of MPICH. Only seen by a program that calls an MPI function
 * which no library of it has; without us it could not have been linked. */
#define NO_SUCH_FUNCTION 15

/* Hooks call each other through wrapper tools (Fortran binding to C, a PMPI
 * tool to PMPI_Init); only the outermost return means that MPI is up. */
static __thread int depth __attribute__((tls_model("initial-exec")));

static int leave(int rc)
{
	if (--depth == 0 && rc == 0 && role_of_process == ROLE_RANK)
		rank_settle();
	return rc;
}

static int init(enum real_name name, void *caller, void *argc, void *argv)
{
	int (*real)(void *, void *) = (int (*)(void *, void *))real_get(name, caller);

	if (!real)
		return NO_SUCH_FUNCTION;
	depth++;
	return leave(real(argc, argv));
}

static int init_thread(enum real_name name, void *caller, void *argc, void *argv, int required,
		       void *provided)
{
	int (*real)(void *, void *, int, void *) =
	    (int (*)(void *, void *, int, void *))real_get(name, caller);

	if (!real)
		return NO_SUCH_FUNCTION;
	depth++;
	return leave(real(argc, argv, required, provided));
}

static int from_group(enum real_name name, void *caller, void *group, void *tag, void *info,
		      void *errhandler, void *comm)
{
	int (*real)(void *, void *, void *, void *, void *) =
	    (int (*)(void *, void *, void *, void *, void *))real_get(name, caller);

	if (!real)
		return NO_SUCH_FUNCTION;
	depth++;
	return leave(real(group, tag, info, errhandler, comm));
}

int MPI_Init(void *argc, void *argv);
int PMPI_Init(void *argc, void *argv);
int MPI_Init_thread(void *argc, void *argv, int required, void *provided);
int PMPI_Init_thread(void *argc, void *argv, int required, void *provided);
int MPI_Comm_create_from_group(void *group, void *tag, void *info, void *errhandler, void *comm);
int PMPI_Comm_create_from_group(void *group, void *tag, void *info, void *errhandler, void *comm);

HOOK int MPI_Init(void *argc, void *argv)
{
	return init(REAL_MPI_INIT, __builtin_return_address(0), argc, argv);
}

HOOK int PMPI_Init(void *argc, void *argv)
{
	return init(REAL_PMPI_INIT, __builtin_return_address(0), argc, argv);
}

HOOK int MPI_Init_thread(void *argc, void *argv, int required, void *provided)
{
	return init_thread(REAL_MPI_INIT_THREAD, __builtin_return_address(0), argc, argv, required,
			   provided);
}

HOOK int PMPI_Init_thread(void *argc, void *argv, int required, void *provided)
{
	return init_thread(REAL_PMPI_INIT_THREAD, __builtin_return_address(0), argc, argv, required,
			   provided);
}

HOOK int MPI_Comm_create_from_group(void *group, void *tag, void *info, void *errhandler,
				    void *comm)
{
	return from_group(REAL_MPI_COMM_CREATE_FROM_GROUP, __builtin_return_address(0), group, tag,
			  info, errhandler, comm);
}

HOOK int PMPI_Comm_create_from_group(void *group, void *tag, void *info, void *errhandler,
				     void *comm)
{
	return from_group(REAL_PMPI_COMM_CREATE_FROM_GROUP, __builtin_return_address(0), group, tag,
			  info, errhandler, comm);
}
