#include "launcher/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "launcher/crowd.h"

static bool make_room(struct text *t, size_t more)
{
	size_t room = t->room ? t->room : 1024;
	char *s;

	if (t->len + more < t->room)
		return true;
	while (room <= t->len + more)
		room *= 2;
	s = arena_alloc(t->arena, room);
	if (!s) {
		t->failed = true;
		return false;
	}
	if (t->len)
		memcpy(s, t->s, t->len);
	t->s = s;
	t->room = room;
	return true;
}

void text_add(struct text *t, const char *format, ...)
{
	va_list ap;
	int len;

	va_start(ap, format);
	len = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (t->failed || len < 0 || !make_room(t, (size_t)len))
		return;
	va_start(ap, format);
	vsnprintf(t->s + t->len, (size_t)len + 1, format, ap);
	va_end(ap);
	t->len += (size_t)len;
}

size_t text_width(const char *s)
{
	size_t width = 0;

	/* Bytes 10xxxxxx continue a character. */
	for (; *s; s++)
		width += ((unsigned char)*s & 0xc0) != 0x80;
	return width;
}

/* --- tables ------------------------------------------------------------------- */

void text_cell(struct text_table *t, const char *format, ...)
{
	struct text cell = { .arena = t->arena };
	char **cells, buf[256];
	va_list ap;
	int len;

	va_start(ap, format);
	len = vsnprintf(buf, sizeof(buf), format, ap);
	va_end(ap);
	cells = crowd_grow(t->arena, t->cells, t->ncells, &t->room, sizeof(*cells));
	if (!cells || len < 0 || !make_room(&cell, (size_t)len)) {
		t->failed = true;
		return;
	}
	va_start(ap, format);
	vsnprintf(cell.s, (size_t)len + 1, format, ap);
	va_end(ap);
	t->cells = cells;
	t->cells[t->ncells++] = cell.s;
}

void text_end_row(struct text_table *t)
{
	if (!t->ncolumns)
		t->ncolumns = t->ncells;
	assert(t->failed || (t->ncolumns <= TEXT_COLUMNS_MAX && t->ncells % t->ncolumns == 0));
}

static void put_padded(struct text *out, const char *cell, size_t width, bool left)
{
	int pad = (int)(width - text_width(cell));

	text_add(out, "%*s%s%*s", left ? 0 : pad, "", cell, left ? pad : 0, "");
}

static void put_quoted(struct text *out, const char *cell)
{
	if (!strpbrk(cell, ",\"\n\r")) {
		text_add(out, "%s", cell);
		return;
	}
	text_add(out, "\"");
	for (; *cell; cell++)
		text_add(out, *cell == '"' ? "\"%c" : "%c", *cell);
	text_add(out, "\"");
}

/* A bar in a cell would end it. */
static void put_escaped(struct text *out, const char *cell)
{
	for (; *cell; cell++)
		text_add(out, *cell == '|' ? "\\%c" : "%c", *cell);
}

static void put_csv(struct text *out, char *const *row, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		text_add(out, "%s", i ? "," : "");
		put_quoted(out, row[i]);
	}
	text_add(out, "\n");
}

static void put_markdown(struct text *out, const struct text_table *t, unsigned int row)
{
	for (unsigned int i = 0; i < t->ncolumns; i++) {
		text_add(out, "| ");
		put_escaped(out, t->cells[row * t->ncolumns + i]);
		text_add(out, " ");
	}
	text_add(out, "|\n");
	if (row)
		return;
	for (unsigned int i = 0; i < t->ncolumns; i++)
		text_add(out, "|%s", t->left >> i & 1 ? "---" : "--:");
	text_add(out, "|\n");
}

static void put_plain(struct text *out, const struct text_table *t, unsigned int row,
		      const size_t *width)
{
	struct text line = { .arena = out->arena };

	for (unsigned int i = 0; i < t->ncolumns; i++) {
		text_add(&line, "%s", i ? "  " : "");
		put_padded(&line, t->cells[row * t->ncolumns + i], width[i], t->left >> i & 1);
	}
	while (line.len && line.s[line.len - 1] == ' ')
		line.s[--line.len] = '\0';
	text_add(out, "%s\n", line.s ? line.s : "");
}

void text_put_table(struct text *out, const struct text_table *t, enum text_style style)
{
	size_t width[TEXT_COLUMNS_MAX] = { 0 };

	if (t->failed || !t->ncolumns) {
		out->failed |= t->failed;
		return;
	}
	for (unsigned int i = 0; i < t->ncells; i++) {
		size_t w = text_width(t->cells[i]);

		if (w > width[i % t->ncolumns])
			width[i % t->ncolumns] = w;
	}
	for (unsigned int row = 0; row < t->ncells / t->ncolumns; row++) {
		if (style == TEXT_CSV)
			put_csv(out, t->cells + (size_t)row * t->ncolumns, t->ncolumns);
		else if (style == TEXT_MARKDOWN)
			put_markdown(out, t, row);
		else
			put_plain(out, t, row, width);
	}
}
