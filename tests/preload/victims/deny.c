/* deny ERRNO COMMAND...: runs COMMAND, in which the calls for memory policies and
 * affinity that a container may refuse fail with ERRNO: EPERM, EINVAL, ENOSYS.
 * deny ERRNO affinity COMMAND...: those that change affinity too. Status 125
 * when this kernel has no filters. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFUSE(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error)

static int refuse(unsigned int error, int affinity)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		REFUSE(SYS_set_mempolicy),
		REFUSE(SYS_get_mempolicy),
		REFUSE(SYS_mbind),
		REFUSE(affinity ? SYS_sched_setaffinity : SYS_mbind),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0;
}

static unsigned int number_of(const char *name)
{
	if (!strcmp(name, "EPERM"))
		return EPERM;
	return strcmp(name, "EINVAL") ? ENOSYS : EINVAL;
}

int main(int argc, char **argv)
{
	int affinity = argc > 2 && !strcmp(argv[2], "affinity");

	if (argc < 3 + affinity)
		return 2;
	if (refuse(number_of(argv[1]), affinity)) {
		perror("deny");
		return 125;
	}
	execvp(argv[2 + affinity], argv + 2 + affinity);
	perror(argv[2 + affinity]);
	return 127;
}
