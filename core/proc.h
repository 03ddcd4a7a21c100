/* What /proc says of one process. Plain open, read, close; async-signal-safe. */
#ifndef EVENKEEL_CORE_PROC_H
#define EVENKEEL_CORE_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct proc_stat {
	pid_t pid, ppid;
	pid_t session;       /* id of its session (field 6) */
	char comm[64];       /* without the brackets; at most 15 bytes from today's kernels */
	char state;          /* R, S, D, Z, ... */
	uint64_t start;      /* start time in clock ticks after boot (field 22) */
	uint64_t cpu_ticks;  /* user + system time (fields 14, 15) */
	int cpu;             /* cpu it last ran on (field 39) */
};

/* Reads /proc/PID/stat (pid 0 = self). A name with brackets and blanks in it
 * is read right. 0, or -1 with errno ESRCH (no such process), EINVAL (not the
 * kernel's format) or what open gave. */
int proc_stat_read(struct proc_stat *st, pid_t pid);
/* The same from len bytes of text. 0, or -1 with errno EINVAL. */
int proc_stat_parse(struct proc_stat *st, const char *text, size_t len);

/* pid is alive (not a zombie) and started at that tick. */
bool proc_alive(pid_t pid, uint64_t start);

/* The nearest ancestor of pid (pid 0 = self, which is itself not looked at)
 * within steps for which match(st, arg) is true; st holds it then. */
bool proc_ancestor(pid_t pid, unsigned int steps,
		   bool (*match)(const struct proc_stat *st, const void *arg), const void *arg,
		   struct proc_stat *st);

#endif
