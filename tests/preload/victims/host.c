/* host module FILE: a program without MPI that loads a plug-in with it.
 * host symbols: takes MPI's functions from its library by name, as Python's
 * ctypes does. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "victim.h"

static int run_module(const char *file)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	int (*run)(void) = handle ? (int (*)(void))dlsym(handle, "module_run") : NULL;

	return run ? run() : 1;
}

static int run_symbols(void)
{
	void *mpi = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL);
	int (*init)(int *, char ***), (*finalize)(void);

	if (!mpi)
		return 1;
	init = (int (*)(int *, char ***))dlsym(mpi, "MPI_Init");
	finalize = (int (*)(void))dlsym(mpi, "MPI_Finalize");
	if (!init || !finalize || init(NULL, NULL))
		return 1;
	victim_note("up");
	printf("symbols: rank %d\n", victim_rank());
	return finalize();
}

int main(int argc, char **argv)
{
	int rc;

	victim_note("main");
	if (argc > 2 && !strcmp(argv[1], "module"))
		rc = run_module(argv[2]);
	else
		rc = run_symbols();
	if (rc)
		fprintf(stderr, "host: %s\n", dlerror());
	return rc;
}
