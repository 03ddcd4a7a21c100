/* The machine in a small text form: what `evenkeel machine` prints and
 * EVENKEEL_MACHINE takes, as a file or as the text itself.
 *
 *   evenkeel-machine 1
 *   node 0 cpus 0-19,40-59
 *   node 1 cpus 20-39,60-79 no-memory
 *   distance 0 10 21
 *   distance 1 21 10
 *   llc 0-19,40-59
 *   core 0,40
 *   isolated 7
 *   reclaim-distance 32
 *   quota 12
 *
 * One statement a line; in an environment variable ';' may stand for the
 * newline. '#' starts a comment, which runs to the end of the line (in a text
 * without any newline: to the ';'); blank lines are allowed. The first
 * statement is the header with the version, always. Of the others only `node`
 * is required. Their order is free.
 *
 * `node OS cpus LIST [no-memory]`: LIST in the kernel's list form, no blanks in
 * it; no cpu in two nodes. `distance OS v...` is the row of node OS in
 * ascending OS index of all node lines; either every node has one or none
 * (10 and 20 then). A cpu in no `llc` line shares the LLC with its node's
 * other such cpus; a cpu in no `core` line is a core of its own.
 * `left-out OS no-cpus|unusable|shared-cpus` records a node that cannot hold a
 * rank; it has no part in the distances. `isolated` cpus are removed from the
 * nodes that name them; several lines add up. `quota` is in whole cpus; no line = no quota.
 */
#ifndef EVENKEEL_CORE_MACHINE_TEXT_H
#define EVENKEEL_CORE_MACHINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/machine.h"

#define MACHINE_TEXT_HEADER "evenkeel-machine"
#define MACHINE_TEXT_VERSION 1

/* Where and why a text was refused, for the user. */
struct machine_text_error {
	/* 1-based, ';' counts as a newline (except in a comment of a text that
	 * has real ones); 0 = the text as a whole. */
	unsigned int line;
	char text[160];     /* what was seen and what was wanted; one line, no newline */
};

/* Whether the first statement of the text starts with the header's word, so
 * that this is the form it means to be. */
bool machine_text_is(const char *text, size_t len);

/* Reads len bytes of text. 0, or -1 with errno EINVAL (err says where), or
 * ENODATA (no node has a usable cpu; err set), or ENOMEM. err may be NULL. */
int machine_text_read(struct machine *m, struct arena *a, const char *text, size_t len,
		      struct machine_text_error *err);

/* Writes m in this form and a NUL to buf, at most size bytes, so that reading
 * it back gives an equal machine. Returns the length of the whole text as
 * snprintf does; a return >= size means it was cut. */
size_t machine_text_write(const struct machine *m, char *buf, size_t size);

#endif
