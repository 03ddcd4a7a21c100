/* What a victim (a program the tests run without and under the shim) leaves for
 * the tests to look at, as files in the folder that VICTIM_DIR names. */
#ifndef VICTIM_H
#define VICTIM_H

/* RANK.MOMENT: the allowed cpus of every thread, a line each.
 * RANK.libs: the shared objects mapped so far, added to at every note.
 * At moment "main" also RANK.environ (as the kernel has it from the exec),
 * RANK.fds (open descriptors) and RANK.signals (blocked and ignored ones).
 * RANK is the local rank that the launcher gave, with VICTIM_GLOBAL the one in the
 * whole job, "x" without one. errno is kept. Without VICTIM_DIR nothing is done. */
void victim_note(const char *moment);

/* The local rank, or -1 where no launcher gave one. */
int victim_rank(void);

/* For Fortran. */
void victim_main_(void);
void victim_up_(void);

#endif
