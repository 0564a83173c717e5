/* The side menu and the bottom line: hints, or the text being typed. Pure; owns nothing. */
#include "views.h"

#include <stdio.h>
#include <string.h>

#include "text.h"
#include "util.h"

#define STATUS_BYTES (UI_TEXT_BYTES + 100)

void view_menu(const struct ui_state *st, const struct layout *l, struct frame *f)
{
	struct rect r = l->menu;

	frame_field(f, r.x, r.y, r.w, ALIGN_LEFT, STYLE_MENUHEAD,
		st->mode == MODE_SORT ? " Sort by" : " Show only");
	for (int i = 0; i + 1 < r.h; i++) {
		size_t n = st->menu_top + (size_t)i;
		int y = r.y + 1 + i;
		bool heading;

		if (n >= st->n_menu)
			break;
		heading = st->mode == MODE_PICK && !st->menu[n].value;
		frame_field(f, r.x + 1, y, r.w - 1, ALIGN_LEFT, heading ? STYLE_LABEL : STYLE_MENU,
			st->menu[n].label);
		if (n == st->menu_cursor)
			frame_select(f, (struct rect){r.x, y, r.w, 1});
	}
}

struct hint {
	const struct key_binding *b;
	int x, w;
};

static int hint_width(const struct key_binding *b)
{
	return (int)strlen(b->hint_key) + (int)strlen(b->hint) + (*b->hint ? 1 : 0);
}

/* The hints that fit whole to the left of end. The way out is always among them if it fits at all.
 * Returns how many. */
static int place_hints(int end, struct hint hints[ACT_NR])
{
	size_t n;
	const struct key_binding *b = key_bindings(&n), *quit = NULL;
	int x = 0, reserve = 0, placed = 0;

	for (size_t i = 0; i < n; i++)
		if (b[i].action == ACT_QUIT)
			quit = &b[i];
	if (quit)
		reserve = hint_width(quit);
	for (size_t i = 0; i < n && placed + 1 < ACT_NR; i++) {
		int need = b[i].hint ? hint_width(&b[i]) : 0;

		if (!b[i].hint || &b[i] == quit)
			continue;
		/* A key without a word of its own needs the next one's. */
		if (!*b[i].hint && i + 1 < n && b[i + 1].hint)
			need += hint_width(&b[i + 1]);
		if (x + need > end - reserve)
			break;
		hints[placed++] = (struct hint){&b[i], x, hint_width(&b[i])};
		x += hint_width(&b[i]);
	}
	if (quit && x + reserve <= end)
		hints[placed++] = (struct hint){quit, x, reserve};
	return placed;
}

static void draw_keys(struct frame *f, int y, int end)
{
	struct hint hints[ACT_NR];
	int n = place_hints(end, hints), x = 0;

	for (int i = 0; i < n; i++) {
		const struct hint *h = &hints[i];
		int key_w = frame_put(f, h->x, y, h->w, STYLE_KEY, h->b->hint_key);

		frame_field(
			f, h->x + key_w, y, h->w - key_w, ALIGN_LEFT, STYLE_KEYLABEL, h->b->hint);
		x = h->x + h->w;
	}
	frame_fill(f, (struct rect){x, y, end - x, 1}, STYLE_KEYLABEL);
}

/* A line being typed. Where it is too long, what is before the cursor counts. */
static void draw_typing(
	struct frame *f, int y, int end, const char *label, const struct ui_line *line)
{
	int x = frame_put(f, 0, y, end, STYLE_LABEL, label), room = MAX(0, end - x - 1), width = 0;
	size_t n, from = 0;
	int cells;

	for (size_t at = 0; at < line->at; at += n) {
		n = text_next(line->text + at, line->len - at, &cells);
		width += f->utf8 ? cells : 1;
	}
	for (; width > room && from < line->at; from += n) {
		n = text_next(line->text + from, line->len - from, &cells);
		width -= f->utf8 ? cells : 1;
	}
	frame_put(f, x, y, room, STYLE_INPUT, line->text + from);
	f->cursor = true;
	f->cursor_x = MIN(x + width, f->w - 1);
	f->cursor_y = y;
}

static bool sort_visible(const struct ui_state *st, const struct layout *l)
{
	for (int i = 0; i < l->n_cols; i++)
		if (column_sorts(l->cols[i].id, st->sort))
			return true;
	return false;
}

/* The answer to the last key; otherwise what the list leaves out, and how it is sorted where no
 * column title says so. */
static enum ui_style status_text(const struct ui_state *st, const struct layout *l,
	const struct frame *f, char *buf, size_t size)
{
	size_t all = st->snap ? st->snap->n_backends : 0, len = 0;

	*buf = '\0';
	if (st->message[0]) {
		snprintf(buf, size, "%s", st->message);
		return STYLE_BADGE;
	}
	if (st->n_rows < all)
		len += (size_t)snprintf(buf, size, "%zu of %zu", st->n_rows, all);
	if (st->mode == MODE_TABLE && !sort_visible(st, l))
		len += (size_t)snprintf(buf + len, size - len, "%sby %s%s", len ? "  " : "",
			sort_key_name(st->sort), view_arrow(f, st->descending));
	if (st->mode == MODE_TABLE && st->filter_text.len > 0)
		snprintf(buf + len, size - len, "%sfilter: %s", len ? "  " : "",
			st->filter_text.text);
	return st->filter_text.len > 0 ? STYLE_BADGE : STYLE_KEYLABEL;
}

/* The status in at most half of the line, so that the keys stay, and where it begins: the end of
 * what is to its left. */
static int place_status(const struct ui_state *st, const struct layout *l, const struct frame *f,
	char shown[STATUS_BYTES], enum ui_style *style)
{
	int end = l->hints.x + l->hints.w;
	char status[UI_TEXT_BYTES + 96];

	*style = status_text(st, l, f, status, sizeof(status));
	*shown = '\0';
	if (!*status)
		return end;
	status[text_cut(status, (size_t)MAX(0, end / 2 - 2), NULL)] = '\0';
	snprintf(shown, STATUS_BYTES, " %s ", status);
	return end - frame_text_width(f, shown);
}

void view_hints(const struct ui_state *st, const struct layout *l, struct frame *f)
{
	int y = l->hints.y, end;
	char status[STATUS_BYTES];
	enum ui_style style;

	end = place_status(st, l, f, status, &style);
	frame_put(f, end, y, l->hints.x + l->hints.w - end, style, status);
	if (st->mode == MODE_FILTER)
		draw_typing(f, y, end, "Filter: ", &st->filter_text);
	else if (st->mode == MODE_SEARCH)
		draw_typing(f, y, end, "Search: ", &st->search_text);
	else
		draw_keys(f, y, end);
}

int view_hint_key(const struct ui_state *st, const struct layout *l, int x)
{
	/* Only measured with: without UTF-8 a status of wide characters is a bit shorter. */
	const struct frame f = {.utf8 = true};
	char status[STATUS_BYTES];
	struct hint hints[ACT_NR];
	enum ui_style style;
	int n;

	if (st->mode == MODE_FILTER || st->mode == MODE_SEARCH)
		return UI_KEY_NONE;
	n = place_hints(place_status(st, l, &f, status, &style), hints);
	for (int i = 0; i < n; i++)
		if (x >= hints[i].x && x < hints[i].x + hints[i].w)
			return hints[i].b->keys[0];
	return UI_KEY_NONE;
}
