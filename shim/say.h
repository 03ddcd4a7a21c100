/* Lines on stderr when they were asked for: one write(2) a line, no stdio.
 * Async-signal-safe. A line is cut at SAY_MAX bytes. */
#ifndef EVENKEEL_SHIM_SAY_H
#define EVENKEEL_SHIM_SAY_H

#include "core/cpus.h"

#define SAY_MAX 1024

struct say {
	char buf[SAY_MAX];
	unsigned int len;
};

/* Starts "evenkeel[PID RANK]: "; rank < 0 leaves the rank out. */
void say_begin(struct say *s, long pid, long rank);
void say_text(struct say *s, const char *text);
void say_number(struct say *s, unsigned long n);
void say_cpus(struct say *s, const struct cpus *c);
/* Adds the newline and writes, if that can be done at once. errno is kept. */
void say_end(struct say *s);

#endif
