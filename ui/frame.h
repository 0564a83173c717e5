/*
 * A frame: the grid of cells a view draws into and a terminal blits.
 *
 * Drawing is clipped to the grid, so no caller needs to guard its coordinates, and no control
 * character can get in. A wide character takes two cells, its own and a continuation, and is never
 * cut in half: where only one of its cells would be left, that cell becomes a blank.
 */
#ifndef PGTOP_FRAME_H
#define PGTOP_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "style.h"

#define CELL_CHARS 5 /* a character and its combining marks, as many as text_clean() leaves */

struct rect {
	int x, y, w, h;
};

struct cell {
	uint32_t ch[CELL_CHARS]; /* code points, up to a 0; ch[0] == 0: continuation */
	uint8_t style;		 /* enum ui_style */
	uint8_t width;		 /* 1 or 2; 0 for the right half of a wide character */
	bool selected;		 /* part of the selected row */
};

enum frame_align { ALIGN_LEFT, ALIGN_RIGHT };

struct frame {
	int w, h;
	bool utf8;  /* false: everything outside ASCII becomes '?' */
	bool color; /* false: views must not rely on colour alone */
	bool cursor;
	int cursor_x, cursor_y;
	struct cell *cells; /* w * h, row by row */
};

/* A frame of w x h blanks (both clamped to 1..FRAME_MAX). Reuses what *f owns; *f may be zeroed. */
#define FRAME_MAX 1000
void frame_reset(struct frame *f, int w, int h, bool utf8, bool color);
void frame_release(struct frame *f); /* NULL is allowed */

/* The cell at x, y, or NULL outside the grid. */
const struct cell *frame_at(const struct frame *f, int x, int y);

/* Writes the UTF-8 string s (NULL: nothing) at x, y in at most max_w columns. Control characters
 * and bytes that are not UTF-8 become '?'. Returns the number of columns written. */
int frame_put(struct frame *f, int x, int y, int max_w, enum ui_style style, const char *s);
int frame_printf(struct frame *f, int x, int y, int max_w, enum ui_style style, const char *fmt,
	...) __attribute__((format(printf, 6, 7)));

/* Writes s into a field of exactly w columns. A text that is too long is cut at its end. */
void frame_field(struct frame *f, int x, int y, int w, enum frame_align align, enum ui_style style,
	const char *s);

/* Writes one code point of width one. */
void frame_glyph(struct frame *f, int x, int y, enum ui_style style, uint32_t ch);

/* Blanks of a style. */
void frame_fill(struct frame *f, struct rect r, enum ui_style style);

/* Marks all cells of r as selected. */
void frame_select(struct frame *f, struct rect r);

/* Columns s would take, without a limit. */
int frame_text_width(const struct frame *f, const char *s);

#endif
