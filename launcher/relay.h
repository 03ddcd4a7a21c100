/* A command's standard error on its way through `evenkeel run -v` or `--report`: passed
 * on byte for byte as it comes, and read for what the preload says of hosts. Not for
 * two threads. */
#ifndef EVENKEEL_LAUNCHER_RELAY_H
#define EVENKEEL_LAUNCHER_RELAY_H

#include <stdbool.h>
#include <stddef.h>

#include "launcher/hosts.h"

/* A longer line is none of the preload's (SAY_MAX of shim/say.h). */
#define RELAY_LINE_MAX 1024u

struct relay {
	int from, to; /* to read, and for the command; -1 = closed, or there is no relay */
	bool show;    /* the preload's own lines are passed on as well */
	bool inside;  /* of a line that is none of the preload's */
	size_t len;   /* of line */
	char line[RELAY_LINE_MAX]; /* what may become one of the preload's */
	struct hosts hosts;
};

/* 0, or -1 with errno as fcntl (standard error is closed) or pipe2 gave it: the command then keeps our standard error. */
int relay_open(struct relay *r, struct arena *a, bool show);

/* In the child that becomes the command: to is its standard error. */
void relay_child(struct relay *r);

/* In the parent, once the child is there. */
void relay_parent(struct relay *r);

/* Reads once what is there and passes it on; waits if nothing is. The end of it
 * closes from. */
void relay_read(struct relay *r);

/* The command has ended: reads what is there. What it has left running in the
 * background may write on; a child then passes that on to its end. */
void relay_finish(struct relay *r);

/* --- for tests -------------------------------------------------------------- */

/* Takes len bytes; out gets what is to be passed on, at most len + RELAY_LINE_MAX bytes.
 * Returns how many. */
size_t relay_take(struct relay *r, const char *bytes, size_t len, char *out);

#endif
