/*
 * The table of backends and the panel with the selected query, and view_draw(), which puts a whole
 * screen together. Pure; owns nothing.
 */
#include "views.h"

#include <stdio.h>
#include <string.h>

#include "bar.h"
#include "text.h"
#include "util.h"

const char *view_arrow(const struct frame *f, bool descending)
{
	if (f->utf8)
		return descending ? "\u25bc" : "\u25b2";
	return descending ? "v" : "^";
}

static void draw_colhead(const struct ui_state *st, const struct layout *l, struct frame *f)
{
	frame_fill(f, l->colhead, STYLE_COLHEAD);
	for (int i = 0; i < l->n_cols; i++) {
		const struct layout_col *lc = &l->cols[i];
		const struct column *c = column(lc->id);
		bool sorted = column_sorts(lc->id, st->sort);
		char title[64];

		if (sorted && c->id == COL_BAR)
			snprintf(title, sizeof(title), "%s%s%s", lc->w >= 13 ? "by " : "",
				sort_key_name(st->sort), view_arrow(f, st->descending));
		else
			snprintf(title, sizeof(title), "%s%s", c->title,
				sorted ? view_arrow(f, st->descending) : "");
		frame_field(f, lc->x, l->colhead.y, lc->w, c->align,
			sorted ? STYLE_SORTHEAD : STYLE_COLHEAD, title);
	}
}

static void draw_cell(const struct ui_state *st, const struct layout *l,
	const struct layout_col *lc, const struct snap_backend *b, int y, struct frame *f)
{
	const struct column *c = column(lc->id);
	char text[COLUMN_TEXT_BYTES];
	const char *from = text;
	enum ui_style style;
	int known;

	switch (lc->id) {
	case COL_BAR:
		bar_draw(f, lc->x, y, lc->w, &b->times);
		return;
	case COL_HISTORY:
		known = bar_known_cells(
			lc->w, b->n_history, st->snap->window_ns, st->snap->window_set_ns);
		bar_history(f, lc->x + lc->w - known, y, known, b->history, b->n_history);
		return;
	case COL_WAITING_ON:
		style = column_waiting_on(b, lc->w, text, sizeof(text));
		break;
	default:
		style = c->format(st->snap, b, text, sizeof(text));
		break;
	}
	if (lc->id == COL_QUERY)
		from += text_cut(text, (size_t)l->query_skip, NULL);
	frame_field(f, lc->x, y, lc->w, c->align, style, from);
}

/* Why there is nothing to see, and what to do about it. */
static void draw_empty(const struct ui_state *st, const struct layout *l, struct frame *f)
{
	const struct snapshot *s = st->snap;
	char text[96];
	int width;

	if (!s)
		snprintf(text, sizeof(text), "measuring: the first numbers come after one refresh");
	else if (s->n_clusters == 0 && s->n_backends == 0)
		snprintf(text, sizeof(text), "waiting for a PostgreSQL server to start");
	else if (s->n_backends == 0)
		snprintf(text, sizeof(text), "no backend has been seen yet");
	else if (!filter_is_empty(st->filter))
		snprintf(text, sizeof(text), "no backend matches the filter%s",
			st->show_idle ? "" : " (i shows the idle ones too)");
	else
		snprintf(text, sizeof(text), "all %zu backends are idle: i shows them",
			s->n_backends);
	width = frame_text_width(f, text);
	frame_put(f, l->rows.x + MAX(0, (l->rows.w - width) / 2), l->rows.y + l->rows.h / 3,
		l->rows.w, STYLE_DIM, text);
}

void view_table(const struct ui_state *st, const struct layout *l, struct frame *f)
{
	if (l->rows.w <= 0)
		return;
	draw_colhead(st, l, f);
	if (st->n_rows == 0)
		draw_empty(st, l, f);
	for (int i = 0; i < l->rows.h; i++) {
		size_t line = st->top + (size_t)i;
		int y = l->rows.y + i;

		if (line >= st->n_rows)
			break;
		for (int j = 0; j < l->n_cols; j++)
			draw_cell(st, l, &l->cols[j], &st->snap->backends[st->rows[line]], y, f);
		if (line == st->cursor)
			frame_select(f, (struct rect){l->rows.x, y, l->rows.w, 1});
	}
}

/* Bytes of s that go on one line of w columns: up to a line break, or to the last blank in the
 * right half. *next: where the following line starts. */
static size_t wrap_line(const char *s, int w, size_t *next)
{
	size_t len = strcspn(s, "\n"), cut = text_cut(s, (size_t)w, NULL);

	if (len <= cut) {
		*next = len + (s[len] == '\n');
		return len;
	}
	for (size_t i = cut; i > cut / 2; i--) {
		if (s[i] == ' ') {
			*next = i + 1;
			return i;
		}
	}
	*next = MAX(cut, 1);
	return cut;
}

/* "query of 41930  migrate@shop  active  blocked by 41807 (41912)" */
static void draw_wrap_head(const struct snap_backend *b, struct rect r, struct frame *f)
{
	char kind[ROWS_KIND_BUF], blockers[ROWS_BLOCKED_BUF];
	int x = r.x + 1;

	x += frame_printf(f, x, r.y, r.w - x, STYLE_MENUHEAD, "query of %d  %s%s%s  %s",
		(int)b->pid, b->user ? b->user : "", b->user && b->database ? "@" : "",
		b->database ? b->database : "", b->exited ? "exited" : column_state_word(b->state));
	if (b->leader_pid)
		x += frame_printf(f, x, r.y, r.w - x, STYLE_MENUHEAD, "  %s", rows_kind(kind, b));
	if (*rows_blocked_by(blockers, b, SIZE_MAX))
		frame_printf(f, x, r.y, r.w - x, STYLE_MENUHEAD, "  blocked by %s", blockers);
}

static void draw_wrap(const struct ui_state *st, const struct layout *l, struct frame *f)
{
	const struct snap_backend *b = ui_state_selection(st);
	struct rect r = l->wrap;
	_cleanup_free_ char *text = NULL;
	const char *s;

	frame_fill(f, (struct rect){r.x, r.y, r.w, 1}, STYLE_MENUHEAD);
	if (!b) {
		frame_put(f, r.x + 1, r.y, r.w - 1, STYLE_MENUHEAD, "no backend selected");
		return;
	}
	draw_wrap_head(b, r, f);
	text = xstrdup(b->query ? b->query : "");
	for (char *p = text; *p; p++)
		if (*p == '\t')
			*p = ' ';
	s = text;
	for (int y = r.y + 1; y < r.y + r.h && *s; y++) {
		size_t next, len = wrap_line(s, r.w - 2, &next);
		char saved = s[len];

		text[s - text + (ptrdiff_t)len] = '\0';
		frame_put(f, r.x + 1, y, r.w - 2, STYLE_NORMAL, s);
		text[s - text + (ptrdiff_t)len] = saved;
		s += next;
	}
	if (*s)
		frame_put(f, r.x + r.w - 5, r.y + r.h - 1, 5, STYLE_WARN, " ... ");
}

/* Too small for a table: says so as well as it can. */
static void draw_too_small(struct frame *f)
{
	frame_put(f, 0, 0, f->w, STYLE_WARN, "too small");
	frame_printf(f, 0, 1, f->w, STYLE_NORMAL, "need %dx%d", LAYOUT_MIN_W, LAYOUT_MIN_H);
}

void view_draw(const struct ui_state *st, struct frame *f)
{
	struct layout l;

	ui_state_layout(st, &l);
	if (l.too_small) {
		draw_too_small(f);
		return;
	}
	if (st->mode == MODE_HELP) {
		view_help(st, f);
		return;
	}
	view_header(st, &l, f);
	view_table(st, &l, f);
	if (l.wrap.h > 0)
		draw_wrap(st, &l, f);
	if (l.menu.h > 0)
		view_menu(st, &l, f);
	view_hints(st, &l, f);
}
