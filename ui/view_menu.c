/* The side menu and the bottom line: hints, or the text being typed. Pure; owns nothing. */
#include "views.h"

#include <stdio.h>
#include <string.h>

#include "text.h"
#include "util.h"

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

/* One hint if it fits whole. */
static int hint(struct frame *f, int x, int y, int end, const char *key, const char *label)
{
	int need = (int)strlen(key) + (int)strlen(label) + 1;

	if (x + need > end)
		return 0;
	frame_put(f, x, y, end - x, STYLE_KEY, key);
	x += (int)strlen(key);
	frame_field(f, x, y, (int)strlen(label) + 1, ALIGN_LEFT, STYLE_KEYLABEL, label);
	return need;
}

static void draw_keys(struct frame *f, int y, int end)
{
	size_t n;
	const struct key_binding *b = key_bindings(&n), *quit = NULL;
	int x = 0, reserve = 0;

	/* The way out is always shown. */
	for (size_t i = 0; i < n; i++)
		if (b[i].action == ACT_QUIT)
			quit = &b[i];
	if (quit)
		reserve = (int)strlen(quit->hint_key) + (int)strlen(quit->hint) + 1;
	for (size_t i = 0; i < n; i++) {
		int used;

		if (!b[i].hint || &b[i] == quit)
			continue;
		used = hint(f, x, y, end - reserve, b[i].hint_key, b[i].hint);
		if (used == 0)
			break;
		x += used;
	}
	if (quit)
		x += hint(f, x, y, end, quit->hint_key, quit->hint);
	frame_fill(f, (struct rect){x, y, end - x, 1}, STYLE_KEYLABEL);
}

/* A line being typed: its end is what counts, so that is what stays visible. */
static void draw_typing(
	struct frame *f, int y, int end, const char *label, const struct ui_line *line)
{
	int x = frame_put(f, 0, y, end, STYLE_LABEL, label);
	int room = MAX(0, end - x - 1), width = frame_text_width(f, line->text);
	const char *s = line->text;

	if (width > room)
		s += text_cut(s, (size_t)(width - room + 1), NULL);
	x += frame_put(f, x, y, room, STYLE_INPUT, s);
	f->cursor = true;
	f->cursor_x = MIN(x, f->w - 1);
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

void view_hints(const struct ui_state *st, const struct layout *l, struct frame *f)
{
	int y = l->hints.y, end = l->hints.x + l->hints.w, width;
	char status[UI_TEXT_BYTES + 96], shown[UI_TEXT_BYTES + 100];
	enum ui_style style = status_text(st, l, f, status, sizeof(status));

	if (*status) {
		/* At most half of the line, so that the keys stay. */
		status[text_cut(status, (size_t)MAX(0, end / 2 - 2), NULL)] = '\0';
		snprintf(shown, sizeof(shown), " %s ", status);
		width = frame_text_width(f, shown);
		end -= width;
		frame_put(f, end, y, width, style, shown);
	}
	if (st->mode == MODE_FILTER)
		draw_typing(f, y, end, "Filter: ", &st->filter_text);
	else if (st->mode == MODE_SEARCH)
		draw_typing(f, y, end, "Search: ", &st->search_text);
	else
		draw_keys(f, y, end);
}
