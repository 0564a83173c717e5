/*
 * The state of the screen. Owns the list of rows, the compiled filters and the menu; borrows the
 * snapshot. Knows no curses and no clock.
 *
 * Invariants after every public call: rows holds indices into the current snapshot; cursor is a
 * line of rows (0 if there is none); top <= cursor < top + page.
 */
#include "state.h"

#include <stdio.h>
#include <string.h>

#include "util.h"

void ui_state_init(struct ui_state *st, const struct ui_options *o)
{
	memset(st, 0, sizeof(*st));
	st->w = 80;
	st->h = 24;
	st->sort = o->sort;
	st->descending = o->descending;
	st->show_idle = o->show_idle;
	st->delay_ns = o->delay_ns;
	st->window_ns = o->window_ns;
	line_set(&st->filter_text, o->filter);
	ui_state_compile(st, &st->filter_text, &st->filter);
}

void ui_state_release(struct ui_state *st)
{
	ui_menu_close(st);
	filter_free(st->filter);
	filter_free(st->search);
	free(st->rows);
	memset(st, 0, sizeof(*st));
}

void ui_state_compile(struct ui_state *st, const struct ui_line *text, struct filter **f)
{
	struct filter *compiled = NULL;
	struct diag d;

	if (text->len > 0 && filter_compile(text->text, &compiled, &d) < 0) {
		snprintf(st->message, sizeof(st->message), "%.*s", (int)sizeof(st->message) - 1,
			d.summary);
		return;
	}
	filter_free(*f);
	*f = compiled;
}

void ui_state_layout(const struct ui_state *st, struct layout *l)
{
	struct layout_in in = {
		.w = st->w,
		.h = st->h,
		.wrap = st->wrap,
		.menu_w = st->mode == MODE_SORT	  ? 18
			  : st->mode == MODE_PICK ? 26
						  : 0,
		.hscroll = st->hscroll,
	};
	const struct snapshot *s = st->snap;

	in.notice = s && s->notice;
	for (size_t i = 0; s && i < s->n_clusters; i++)
		in.notice |= s->clusters[i].notice != NULL;
	layout_compute(&in, l);
}

size_t ui_state_page(const struct ui_state *st)
{
	struct layout l;

	ui_state_layout(st, &l);
	return (size_t)MAX(1, l.rows.h);
}

const struct snap_backend *ui_state_selection(const struct ui_state *st)
{
	if (!st->snap || st->cursor >= st->n_rows)
		return NULL;
	return &st->snap->backends[st->rows[st->cursor]];
}

void ui_state_keep_visible(struct ui_state *st)
{
	size_t page = ui_state_page(st);

	if (st->cursor < st->top)
		st->top = st->cursor;
	if (st->cursor >= st->top + page)
		st->top = st->cursor - page + 1;
	/* No blank lines below the last row while there are rows above the first. */
	if (st->top + page > st->n_rows)
		st->top = st->n_rows > page ? st->n_rows - page : 0;
}

static void bind(struct ui_state *st)
{
	const struct snap_backend *b = ui_state_selection(st);

	st->selected = b != NULL;
	if (!b)
		return;
	st->sel_pid = b->pid;
	st->sel_start_ticks = b->start_ticks;
}

void ui_state_move_to(struct ui_state *st, size_t line)
{
	st->cursor = st->n_rows == 0 ? 0 : MIN(line, st->n_rows - 1);
	bind(st);
	ui_state_keep_visible(st);
}

static bool is_selected(const struct ui_state *st, const struct snap_backend *b)
{
	return b->pid == st->sel_pid && b->start_ticks == st->sel_start_ticks;
}

/* The followed backend is listed even where it would be hidden as idle: as the last line. */
static void list_followed(struct ui_state *st)
{
	const struct snapshot *s = st->snap;

	for (size_t i = 0; i < st->n_rows; i++)
		if (is_selected(st, &s->backends[st->rows[i]]))
			return;
	for (size_t i = 0; i < s->n_backends; i++)
		if (is_selected(st, &s->backends[i]) && filter_match(st->filter, &s->backends[i]))
			st->rows[st->n_rows++] = i;
}

static void find_selection(struct ui_state *st)
{
	if (!st->selected) {
		st->cursor = 0;
		return;
	}
	for (size_t i = 0; i < st->n_rows; i++) {
		if (is_selected(st, &st->snap->backends[st->rows[i]])) {
			st->cursor = i;
			return;
		}
	}
	/* Gone or hidden: whoever is on its line now. */
	if (st->follow)
		snprintf(st->message, sizeof(st->message), "backend %d is gone: no longer followed",
			(int)st->sel_pid);
	st->follow = false;
	st->cursor = st->n_rows == 0 ? 0 : MIN(st->cursor, st->n_rows - 1);
	if (st->n_rows > 0)
		bind(st);
}

void ui_state_rebuild(struct ui_state *st)
{
	const struct snapshot *s = st->snap;

	if (!s) {
		st->n_rows = st->cursor = st->top = 0;
		return;
	}
	if (st->cap_rows < s->n_backends) {
		st->rows = xrealloc(st->rows, s->n_backends, sizeof(*st->rows));
		st->cap_rows = s->n_backends;
	}
	st->n_rows = s->n_backends == 0 ? 0
					: rows_select(s, st->filter, st->show_idle, st->sort,
						  st->descending, st->rows);
	if (st->follow && st->selected)
		list_followed(st);
	find_selection(st);
	ui_state_keep_visible(st);
}

void ui_state_resize(struct ui_state *st, int w, int h)
{
	st->w = MAX(1, MIN(w, FRAME_MAX));
	st->h = MAX(1, MIN(h, FRAME_MAX));
	ui_state_keep_visible(st);
}

void ui_state_set_snapshot(struct ui_state *st, const struct snapshot *snap)
{
	st->snap = snap;
	ui_state_rebuild(st);
}
