/* refuse CALL[/ARG=VALUE]:ERROR... -- COMMAND...: runs COMMAND where the kernel
 * refuses each CALL with ERROR, as a container's seccomp profile does. CALL is a
 * name from the table below; with ARG (0 .. 5) only calls whose argument of that
 * number has that VALUE. ERROR is EPERM, EINVAL, ENOSYS, EACCES, EMFILE or ENOSPC.
 * 125 where the filter cannot be had. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NONE 125
#define RULES_MAX 16

static const struct {
	const char *name;
	int number;
} calls[] = {
	{ "sched_setaffinity", SYS_sched_setaffinity },
	{ "sched_getaffinity", SYS_sched_getaffinity },
	{ "set_mempolicy", SYS_set_mempolicy },
	{ "fcntl", SYS_fcntl },
	{ "fallocate", SYS_fallocate },
	{ "pwrite", SYS_pwrite64 },
	{ "ftruncate", SYS_ftruncate },
	{ "kill", SYS_kill },
	{ "clock_nanosleep", SYS_clock_nanosleep },
	{ "readlink", SYS_readlinkat },
	{ "uname", SYS_uname },
	{ "getsid", SYS_getsid },
	{ "faccessat", SYS_faccessat },
};

static const struct {
	const char *name;
	int number;
} errors[] = {
	{ "EPERM", EPERM },   { "EINVAL", EINVAL }, { "ENOSYS", ENOSYS },
	{ "EACCES", EACCES }, { "EMFILE", EMFILE }, { "ENOSPC", ENOSPC },
};

static struct sock_filter code[3 + 4 * RULES_MAX + 1];
static unsigned short length;

static void emit(unsigned short op, unsigned char yes, unsigned char no, unsigned int k)
{
	code[length++] = (struct sock_filter){ op, yes, no, k };
}

static int number_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strlen(calls[i].name) == len && !strncmp(calls[i].name, name, len))
			return calls[i].number;
	return -1;
}

static int error_of(const char *name)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (!strcmp(errors[i].name, name))
			return errors[i].number;
	return -1;
}

/* One rule; the accumulator holds the call's number before and after. */
static int add_rule(const char *rule)
{
	const char *colon = strrchr(rule, ':'), *slash = strchr(rule, '/');
	int call = number_of(rule, strcspn(rule, "/:")), error = colon ? error_of(colon + 1) : -1;
	unsigned int arg = 0, value = 0;

	if (call < 0 || error < 0 || length + 5 > (int)(sizeof(code) / sizeof(*code)) ||
	    (slash && (sscanf(slash, "/%u=%u:", &arg, &value) != 2 || arg > 5))) {
		fprintf(stderr, "refuse: '%s' is not CALL[/ARG=VALUE]:ERROR\n", rule);
		return -1;
	}
	emit(BPF_JMP | BPF_JEQ | BPF_K, 0, slash ? 4 : 1, (unsigned int)call);
	if (slash) {
		/* The lower half; every machine we run on is little-endian. */
		emit(BPF_LD | BPF_W | BPF_ABS, 0, 0,
		     (unsigned int)(offsetof(struct seccomp_data, args) + 8 * arg));
		emit(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
	}
	emit(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | (unsigned int)error);
	if (slash)
		emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
	return 0;
}

int main(int argc, char **argv)
{
	struct sock_fprog program = { .filter = code };
	int i = 1;

	emit(BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr));
	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (i > RULES_MAX || add_rule(argv[i]) < 0)
			return NONE;
	if (i + 1 >= argc)
		return NONE;
	emit(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
	program.len = length;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0) {
		perror("refuse: seccomp");
		return NONE;
	}
	execvp(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return 127;
}
