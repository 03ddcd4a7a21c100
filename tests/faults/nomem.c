/* A preload library in whose processes the library named by NOMEM_LIBRARY gets
 * no memory: its mmap fails, from the NOMEM_AFTER-th call on (0, the default:
 * all). Others' calls, and the C library's own, go through. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	const char *who = getenv("NOMEM_LIBRARY"), *after = getenv("NOMEM_AFTER");
	static long calls;
	Dl_info caller;

	if (who && dladdr(__builtin_return_address(0), &caller) && caller.dli_fname &&
	    !strcmp(caller.dli_fname, who) && calls++ >= (after ? atol(after) : 0)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}
