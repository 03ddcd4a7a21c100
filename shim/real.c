#include "shim/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

static const char names[REAL_COUNT][32] = {
	[REAL_EXECV] = "execv",
	[REAL_EXECVE] = "execve",
	[REAL_EXECVP] = "execvp",
	[REAL_EXECVPE] = "execvpe",
	[REAL_POSIX_SPAWN] = "posix_spawn",
	[REAL_POSIX_SPAWNP] = "posix_spawnp",
	[REAL_MPI_INIT] = "MPI_Init",
	[REAL_MPI_INIT_THREAD] = "MPI_Init_thread",
	[REAL_PMPI_INIT] = "PMPI_Init",
	[REAL_PMPI_INIT_THREAD] = "PMPI_Init_thread",
	[REAL_MPI_COMM_CREATE_FROM_GROUP] = "MPI_Comm_create_from_group",
	[REAL_PMPI_COMM_CREATE_FROM_GROUP] = "PMPI_Comm_create_from_group",
};

/* Written by the first caller of each; every writer finds the same value. */
static void *found[REAL_COUNT];

/* The object that the hook's caller is in may know a libmpi that the global
 * search order does not: a Python module, a plug-in. */
static void *ask_caller(const char *name, void *caller)
{
	Dl_info caller_is, found_is, us;
	void *handle, *f;

	if (!caller || !dladdr(caller, &caller_is) || !caller_is.dli_fname)
		return NULL;
	handle = dlopen(caller_is.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	f = dlsym(handle, name);
	dlclose(handle);
	if (f && dladdr(f, &found_is) && dladdr((void *)names, &us) &&
	    found_is.dli_fbase == us.dli_fbase)
		return NULL;
	return f;
}

void *real_get(enum real_name name, void *caller)
{
	void *f = __atomic_load_n(&found[name], __ATOMIC_RELAXED);
	int saved = errno;

	if (f)
		return f;
	f = dlsym(RTLD_NEXT, names[name]);
	if (!f)
		f = ask_caller(names[name], caller);
	if (f)
		__atomic_store_n(&found[name], f, __ATOMIC_RELAXED);
	errno = saved;
	return f;
}

void real_load_exec(void)
{
	for (int name = REAL_EXECV; name <= REAL_POSIX_SPAWNP; name++)
		real_get((enum real_name)name, NULL);
}
