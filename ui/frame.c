/*
 * The grid of cells. Owns the cells; knows no curses and no snapshot.
 *
 * Invariants: a cell of width 2 is followed by a continuation of width 0 in the same row, and a
 * continuation never stands alone; no cell holds a control character.
 */
#include "frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "util.h"

static void blank(struct cell *c, enum ui_style style)
{
	bool selected = c->selected;

	memset(c, 0, sizeof(*c));
	c->ch[0] = ' ';
	c->width = 1;
	c->style = style;
	c->selected = selected;
}

void frame_reset(struct frame *f, int w, int h, bool utf8, bool color)
{
	w = MAX(1, MIN(w, FRAME_MAX));
	h = MAX(1, MIN(h, FRAME_MAX));
	f->cells = xrealloc(f->cells, (size_t)w * (size_t)h, sizeof(*f->cells));
	f->w = w;
	f->h = h;
	f->utf8 = utf8;
	f->color = color;
	f->cursor = false;
	f->cursor_x = f->cursor_y = 0;
	memset(f->cells, 0, (size_t)w * (size_t)h * sizeof(*f->cells));
	for (int i = 0; i < w * h; i++)
		blank(&f->cells[i], STYLE_NORMAL);
}

void frame_release(struct frame *f)
{
	if (!f)
		return;
	free(f->cells);
	memset(f, 0, sizeof(*f));
}

static struct cell *at(const struct frame *f, int x, int y)
{
	if (x < 0 || y < 0 || x >= f->w || y >= f->h)
		return NULL;
	return &f->cells[y * f->w + x];
}

const struct cell *frame_at(const struct frame *f, int x, int y)
{
	return at(f, x, y);
}

/* Before a cell is overwritten: the other half of a wide character it belongs to goes blank. */
static void release_cell(struct frame *f, int x, int y)
{
	struct cell *c = at(f, x, y), *other = NULL;

	if (c->width == 2)
		other = at(f, x + 1, y);
	else if (c->width == 0)
		other = at(f, x - 1, y);
	if (other)
		blank(other, other->style);
}

static void set_cell(
	struct frame *f, int x, int y, enum ui_style style, const uint32_t *ch, size_t n, int width)
{
	struct cell *c = at(f, x, y);

	/* put() keeps wide characters off the right edge; the left one may cut them. */
	if (!c || (width == 2 && !at(f, x + 1, y)))
		return;
	for (int i = 0; i < width; i++)
		release_cell(f, x + i, y);
	blank(c, style);
	c->width = (uint8_t)width;
	c->ch[0] = 0;
	for (size_t i = 0; i < n && i < CELL_CHARS; i++)
		c->ch[i] = ch[i];
	if (width == 2) {
		blank(&c[1], style);
		c[1].ch[0] = 0;
		c[1].width = 0;
	}
}

/* One group of text_next(), bytes long, as code points. Whatever is not fit to be shown is '?'. */
static size_t decode_group(
	const struct frame *f, const char *s, size_t bytes, int *width, uint32_t ch[CELL_CHARS])
{
	size_t n = 0, used;

	for (size_t i = 0; i < bytes && n < CELL_CHARS; i += used) {
		used = text_decode(s + i, bytes - i, &ch[n]);
		if (ch[n] == TEXT_BAD || ch[n] < 0x20 || (ch[n] >= 0x7f && ch[n] < 0xa0) ||
			text_char_width(ch[n]) < 0 || (n == 0 && text_char_width(ch[n]) == 0) ||
			(!f->utf8 && ch[n] >= 0x80)) {
			ch[0] = '?';
			*width = 1;
			return 1;
		}
		n++;
	}
	return n;
}

/* Puts groups of s while they fit; draw false: only measures. */
static int put(
	struct frame *f, int x, int y, int max_w, enum ui_style style, const char *s, bool draw)
{
	uint32_t ch[CELL_CHARS] = {0};
	size_t len = s ? strlen(s) : 0;
	int used = 0;

	while (len > 0) {
		int width = 1;
		size_t bytes = text_next(s, len, &width);
		size_t n = decode_group(f, s, bytes, &width, ch);

		if (width > max_w - used)
			break;
		if (draw)
			set_cell(f, x + used, y, style, ch, n, width);
		used += width;
		s += bytes;
		len -= bytes;
	}
	return used;
}

int frame_put(struct frame *f, int x, int y, int max_w, enum ui_style style, const char *s)
{
	/* What is to the right of the grid is neither drawn nor looked at: queries may be long. */
	if (y < 0 || y >= f->h || x >= f->w)
		return 0;
	return put(f, x, y, MIN(max_w, f->w - x), style, s, true);
}

int frame_printf(
	struct frame *f, int x, int y, int max_w, enum ui_style style, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	return frame_put(f, x, y, max_w, style, buf);
}

void frame_field(struct frame *f, int x, int y, int w, enum frame_align align, enum ui_style style,
	const char *s)
{
	int width, lead = 0;

	frame_fill(f, (struct rect){x, y, w, 1}, style);
	if (align == ALIGN_RIGHT) {
		width = put(f, 0, 0, w, style, s, false);
		lead = w - width;
	}
	frame_put(f, x + lead, y, w - lead, style, s);
}

void frame_glyph(struct frame *f, int x, int y, enum ui_style style, uint32_t ch)
{
	if (ch < 0x20 || (ch >= 0x7f && (ch < 0xa0 || !f->utf8)))
		ch = '?';
	set_cell(f, x, y, style, &ch, 1, 1);
}

void frame_fill(struct frame *f, struct rect r, enum ui_style style)
{
	const uint32_t space = ' ';

	for (int y = MAX(r.y, 0); y < MIN(r.y + r.h, f->h); y++)
		for (int x = MAX(r.x, 0); x < MIN(r.x + r.w, f->w); x++)
			set_cell(f, x, y, style, &space, 1, 1);
}

void frame_select(struct frame *f, struct rect r)
{
	for (int y = MAX(r.y, 0); y < MIN(r.y + r.h, f->h); y++)
		for (int x = MAX(r.x, 0); x < MIN(r.x + r.w, f->w); x++)
			at(f, x, y)->selected = true;
}

int frame_text_width(const struct frame *f, const char *s)
{
	return put((struct frame *)f, 0, 0, FRAME_MAX, STYLE_NORMAL, s, false);
}
