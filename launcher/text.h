/* Text that grows in an arena, and tables of it. Not for two threads. */
#ifndef EVENKEEL_LAUNCHER_TEXT_H
#define EVENKEEL_LAUNCHER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arena.h"

/* Start with { .arena = a }. */
struct text {
	struct arena *arena;
	char *s; /* NUL-terminated; NULL = nothing yet */
	size_t len, room;
	bool failed; /* there was no memory; what follows is dropped */
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The columns that s takes on a terminal: characters of UTF-8. */
size_t text_width(const char *s);

/* --- tables ------------------------------------------------------------------- */

enum text_style {
	TEXT_PLAIN = 0, /* columns parted by two blanks, the first to the left */
	TEXT_MARKDOWN,
	TEXT_CSV, /* RFC 4180, but lines end in LF */
};

#define TEXT_COLUMNS_MAX 32
struct text_table {
	struct arena *arena;
	bool failed;
	unsigned int ncolumns; /* of the first row */
	unsigned int left;     /* bit per column: to the left */
	unsigned int ncells, room;
	char **cells; /* row after row */
};

/* Adds a cell; those of the first row are the headings, and end_row tells where
 * it ends. Later rows must have as many. */
void text_cell(struct text_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_end_row(struct text_table *t);

/* Puts the table behind out. */
void text_put_table(struct text *out, const struct text_table *t, enum text_style style);

#endif
