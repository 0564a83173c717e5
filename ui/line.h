/* A line of text being typed, with a cursor that never stands inside a character. */
#ifndef PGTOP_LINE_H
#define PGTOP_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "filter.h"

#define UI_TEXT_BYTES (FILTER_MAX_BYTES + 1)

struct ui_line {
	char text[UI_TEXT_BYTES];
	size_t len;
	size_t at; /* the cursor: a byte offset, at most len */
};

/* The text becomes s (NULL: empty; cut at a character's edge where it is too long), the cursor goes
 * to its end. */
void line_set(struct ui_line *line, const char *s);

/* Inserts the code point at the cursor. False if it cannot be typed (a control character, a
 * combining mark with nothing before it, no room). */
bool line_insert(struct ui_line *line, int key);

/* Left, Right, Home, End, Delete, Backspace, Ctrl-U (to the start), Ctrl-W (the word before the
 * cursor). Returns true if the text has changed; *ret_known: whether the key is one of these. */
bool line_edit(struct ui_line *line, int key, bool *ret_known);

#endif
