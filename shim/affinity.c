#include "shim/affinity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel refuses a buffer smaller than its own masks, so one that holds
 * every cpu number we accept is always given. */
#define MASK_BYTES (CPUS_MAX / 8)

/* Threads start while we look; a program that starts them for ever must not
 * keep us here. */
#define PASSES_MAX 16

int affinity_get(struct cpus *mask, struct arena *a, pid_t tid)
{
	if (cpus_init(mask, a, CPUS_MAX) < 0)
		return -1;
	return syscall(SYS_sched_getaffinity, tid, MASK_BYTES, mask->bits) < 0 ? -1 : 0;
}

int affinity_look(struct cpus *mask, pid_t tid)
{
	return syscall(SYS_sched_getaffinity, tid, (size_t)mask->nbits / 8, mask->bits) < 0 ? -1 : 0;
}

static int set(pid_t tid, const struct cpus *mask)
{
	return (int)syscall(SYS_sched_setaffinity, tid, (size_t)mask->nbits / 8, mask->bits);
}

int affinity_set(struct arena *a, const struct cpus *mask)
{
	struct cpus now;

	if (set(0, mask) < 0 || affinity_get(&now, a, 0) < 0)
		return -1;
	if (cpus_empty(&now) || !cpus_subset(&now, mask)) {
		errno = EINVAL;
		return -1;
	}
	return 0;
}

struct linux_dirent64 {
	unsigned long long d_ino;
	long long d_off;
	unsigned short d_reclen;
	unsigned char d_type;
	char d_name[];
};

/* One pass over the threads. scratch is room for one mask. */
static int widen_pass(int dir, struct arena *a, const struct cpus *node, const struct cpus *wide)
{
	char buf[4096] __attribute__((aligned(8)));
	struct cpus now;
	int changed = 0;
	long len;

	if (cpus_init(&now, a, CPUS_MAX) < 0)
		return -1;
	while ((len = syscall(SYS_getdents64, dir, buf, sizeof(buf))) > 0)
		for (long at = 0; at < len;) {
			const struct linux_dirent64 *e = (const void *)(buf + at);
			pid_t tid = 0;

			at += e->d_reclen;
			for (const char *d = e->d_name; *d >= '0' && *d <= '9'; d++)
				tid = tid * 10 + (*d - '0');
			if (!tid ||
			    syscall(SYS_sched_getaffinity, tid, MASK_BYTES, now.bits) < 0)
				continue;
			if (cpus_equal(&now, node) && set(tid, wide) == 0)
				changed++;
		}
	return changed;
}

/* What to set so that the caller has wide: all ones if that gives just wide.
 * The caller has wide afterwards. */
static int widen_self(struct arena *a, const struct cpus *wide, struct cpus *give)
{
	struct cpus now;

	if (cpus_init(give, a, CPUS_MAX) < 0)
		return -1;
	memset(give->bits, 0xff, MASK_BYTES);
	if (set(0, give) == 0 && affinity_get(&now, a, 0) == 0 && cpus_equal(&now, wide))
		return 0;
	*give = *wide;
	return set(0, give);
}

int affinity_widen(struct arena *a, const struct cpus *node, const struct cpus *wide)
{
	struct cpus now, give;
	int dir, changed, total = 1;

	if (affinity_get(&now, a, 0) < 0)
		return -1;
	if (!cpus_equal(&now, node)) {
		errno = EBUSY;
		return -1;
	}
	if (cpus_equal(node, wide))
		return 0;
	if (widen_self(a, wide, &give) < 0)
		return -1;
	dir = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return total;
	for (int pass = 0; pass < PASSES_MAX; pass++) {
		if (lseek(dir, 0, SEEK_SET) < 0)
			break;
		changed = widen_pass(dir, a, node, &give);
		if (changed <= 0)
			break;
		total += changed;
	}
	close(dir);
	return total;
}
