/*
 * What a key does: one function per action or mode, all over struct ui_state. Owns nothing; knows
 * no curses: keys come as codes, effects outside the state leave as reaction bits.
 */
#include "state.h"

#include <stdio.h>
#include <string.h>

#include "text.h"
#include "units.h"
#include "util.h"
#include "views.h"

#define WHEEL_LINES 3

static const uint64_t delays_ms[] = {
	100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 900000, 3600000};
static const uint64_t windows_ms[] = {1000, 5000, 10000, 30000, 60000, 300000, 900000};

/* The next larger or smaller step; the value itself at either end of the table. */
static uint64_t step_ns(const uint64_t *ms, size_t n, uint64_t ns, bool up)
{
	for (size_t i = 0; i < n; i++) {
		size_t j = up ? i : n - 1 - i;
		uint64_t step = ms[j] * NSEC_PER_MSEC;

		if (up ? step > ns : step < ns)
			return step;
	}
	return ns;
}

static unsigned change_delay(struct ui_state *st, bool up)
{
	uint64_t ns = step_ns(delays_ms, ARRAY_SIZE(delays_ms), st->delay_ns, up);
	unsigned reaction = ns == st->delay_ns ? UI_REDRAW : UI_REDRAW | UI_SET_DELAY;
	char num[UNITS_BUF];

	st->delay_ns = ns;
	snprintf(st->message, sizeof(st->message), "refresh interval %s", units_setting(num, ns));
	return reaction;
}

static unsigned change_window(struct ui_state *st, bool up)
{
	uint64_t ns = step_ns(windows_ms, ARRAY_SIZE(windows_ms), st->window_ns, up);
	unsigned reaction = ns == st->window_ns ? UI_REDRAW : UI_REDRAW | UI_SET_WINDOW;
	char num[UNITS_BUF];

	st->window_ns = ns;
	snprintf(st->message, sizeof(st->message), "window %s", units_setting(num, ns));
	return reaction;
}

static void sort_by(struct ui_state *st, enum sort_key key)
{
	if (key >= SORT_NR)
		return;
	st->sort = key;
	st->descending = sort_key_desc(key);
	ui_state_rebuild(st);
}

static void sort_reverse(struct ui_state *st)
{
	st->descending = !st->descending;
	ui_state_rebuild(st);
}

/* The visible column to the left or right of the one sorted by; OFF% where that one is not
 * visible. */
static void sort_neighbour(struct ui_state *st, int dir)
{
	enum sort_key keys[COL_NR];
	int n = 0, at = -1, off = 0;
	struct layout l;

	ui_state_layout(st, &l);
	for (int i = 0; i < l.n_cols; i++) {
		enum sort_key key = column(l.cols[i].id)->sort;

		if (key == SORT_NR)
			continue;
		if (key == st->sort)
			at = n;
		if (key == SORT_OFF)
			off = n;
		keys[n++] = key;
	}
	if (n == 0)
		return;
	sort_by(st, keys[at < 0 ? off : MAX(0, MIN(n - 1, at + dir))]);
}

static void scroll_right(struct ui_state *st)
{
	size_t longest = 0;
	struct layout l;

	ui_state_layout(st, &l);
	if (l.too_small)
		return;
	if (l.hscroll_end) {
		/* Bytes are an upper bound of columns: at most the view runs a bit past the end. */
		for (size_t i = 0; i < st->n_rows; i++) {
			const char *query = st->snap->backends[st->rows[i]].query;

			longest = MAX(longest, query ? strnlen(query, COLUMN_TEXT_BYTES) : 0);
		}
		if ((size_t)l.query_skip + 16 >= longest)
			return;
	}
	st->hscroll++;
}

/* To the next line the search matches, from line `from` on, round the end. */
static void search_from(struct ui_state *st, size_t from)
{
	if (!st->search || filter_is_empty(st->search)) {
		if (st->mode == MODE_TABLE)
			snprintf(st->message, sizeof(st->message), "nothing to search for: F3");
		return;
	}
	for (size_t i = 0; i < st->n_rows; i++) {
		size_t line = (from + i) % st->n_rows;

		if (filter_match(st->search, &st->snap->backends[st->rows[line]])) {
			ui_state_move_to(st, line);
			return;
		}
	}
	snprintf(st->message, sizeof(st->message), "no match");
}

static void set_filter(struct ui_state *st)
{
	ui_state_compile(st, &st->filter_text, &st->filter);
	ui_state_rebuild(st);
}

/* Esc with nothing to leave: takes back one thing after the other. */
static void take_back(struct ui_state *st)
{
	if (st->filter_text.len > 0) {
		line_set(&st->filter_text, NULL);
		set_filter(st);
	} else if (st->follow) {
		st->follow = false;
		ui_state_rebuild(st);
	} else {
		st->hscroll = 0;
	}
}

static void toggle_follow(struct ui_state *st)
{
	st->follow = !st->follow && st->n_rows > 0;
	if (st->follow)
		ui_state_move_to(st, st->cursor);
	ui_state_rebuild(st);
}

static void move(struct ui_state *st, enum ui_action act)
{
	size_t page = ui_state_page(st), line = st->cursor;

	switch (act) {
	case ACT_UP:
		line -= line > 0;
		break;
	case ACT_DOWN:
		line++;
		break;
	case ACT_PGUP:
		line -= MIN(line, page);
		break;
	case ACT_PGDN:
		line += page;
		break;
	case ACT_END:
		line = SIZE_MAX;
		break;
	default: /* Home: back to whoever is at the top, not to a backend */
		st->selected = st->follow = false;
		ui_state_rebuild(st);
		return;
	}
	ui_state_move_to(st, line);
}

static void wheel(struct ui_state *st, bool down)
{
	size_t line = st->cursor;

	/* List and cursor move together, so that a turn of the wheel scrolls at once. */
	if (down) {
		line += WHEEL_LINES;
		st->top += WHEEL_LINES;
	} else {
		line -= MIN(line, WHEEL_LINES);
		st->top -= MIN(st->top, WHEEL_LINES);
	}
	ui_state_move_to(st, line);
}

/* A click in the table or its head. */
static void click(struct ui_state *st, struct ui_event ev)
{
	struct layout l;

	ui_state_layout(st, &l);
	if (l.too_small)
		return;
	if (ev.y == l.colhead.y) {
		int id = layout_column_at(&l, ev.x);
		enum sort_key key = id < 0 ? SORT_NR : column((enum column_id)id)->sort;

		if (key == st->sort)
			sort_reverse(st);
		else
			sort_by(st, key);
	} else if (ev.y >= l.rows.y && ev.y < l.rows.y + l.rows.h) {
		size_t line = st->top + (size_t)(ev.y - l.rows.y);

		if (line < st->n_rows)
			ui_state_move_to(st, line);
	}
}

/* The actions that do more than change what is drawn, or that need the key. */
static unsigned run(struct ui_state *st, enum ui_action act, struct ui_event ev)
{
	switch (act) {
	case ACT_UP:
	case ACT_DOWN:
	case ACT_PGUP:
	case ACT_PGDN:
	case ACT_HOME:
	case ACT_END:
		move(st, act);
		break;
	case ACT_LEFT:
		st->hscroll -= st->hscroll > 0;
		break;
	case ACT_RIGHT:
		scroll_right(st);
		break;
	case ACT_SORT_PREV:
		sort_neighbour(st, -1);
		break;
	case ACT_SORT_NEXT:
		sort_neighbour(st, 1);
		break;
	case ACT_SORT_MENU:
		ui_menu_open(st, MODE_SORT);
		break;
	case ACT_SORT_CPU:
		sort_by(st, SORT_CPU);
		break;
	case ACT_SORT_OFF:
		sort_by(st, SORT_OFF);
		break;
	case ACT_SORT_PID:
		sort_by(st, SORT_PID);
		break;
	case ACT_SORT_REVERSE:
		sort_reverse(st);
		break;
	case ACT_SORT_TYPE:
		sort_by(st, sort_key_of_type((enum wait_type)key_sort_type(ev.key)));
		break;
	case ACT_FILTER:
		st->mode = MODE_FILTER;
		st->filter_text.at = st->filter_text.len;
		break;
	case ACT_SEARCH:
		st->mode = MODE_SEARCH;
		line_set(&st->search_text, NULL);
		break;
	case ACT_SEARCH_NEXT:
		search_from(st, st->cursor + 1);
		break;
	case ACT_ESC:
		take_back(st);
		break;
	case ACT_PICK:
		ui_menu_open(st, MODE_PICK);
		break;
	case ACT_IDLE:
		st->show_idle = !st->show_idle;
		ui_state_rebuild(st);
		break;
	case ACT_PAUSE:
		st->paused = !st->paused;
		return UI_REDRAW | UI_SET_PAUSE;
	case ACT_SLOWER:
		return change_delay(st, true);
	case ACT_FASTER:
		return change_delay(st, false);
	case ACT_WINDOW_SHORTER:
		return change_window(st, false);
	case ACT_WINDOW_LONGER:
		return change_window(st, true);
	case ACT_FOLLOW:
		toggle_follow(st);
		break;
	case ACT_WRAP:
		st->wrap = !st->wrap;
		ui_state_keep_visible(st);
		break;
	case ACT_HELP:
		st->mode = MODE_HELP;
		st->help_top = 0;
		break;
	case ACT_REPAINT:
		return UI_REDRAW | UI_REPAINT;
	case ACT_QUIT:
		return UI_QUIT;
	case ACT_NONE:
	case ACT_NR:
		return 0;
	}
	return UI_REDRAW;
}

static unsigned handle_table(struct ui_state *st, struct ui_event ev)
{
	struct layout l;
	int key;

	switch (ev.key) {
	case UI_KEY_CLICK:
		ui_state_layout(st, &l);
		key = l.too_small || ev.y != l.hints.y ? UI_KEY_NONE : view_hint_key(st, &l, ev.x);
		if (key != UI_KEY_NONE)
			return run(st, key_action(key), (struct ui_event){.key = key});
		click(st, ev);
		return UI_REDRAW;
	case UI_KEY_WHEEL_UP:
	case UI_KEY_WHEEL_DOWN:
		wheel(st, ev.key == UI_KEY_WHEEL_DOWN);
		return UI_REDRAW;
	default:
		return run(st, key_action(ev.key), ev);
	}
}

static unsigned handle_help(struct ui_state *st, struct ui_event ev)
{
	size_t lines = view_help_lines(st->w), page = (size_t)MAX(1, st->h - 2);
	size_t last = lines > page ? lines - page : 0;

	switch (ev.key == 'q' ? ACT_ESC : key_action(ev.key)) {
	case ACT_UP:
		st->help_top -= st->help_top > 0;
		break;
	case ACT_DOWN:
		st->help_top++;
		break;
	case ACT_PGUP:
		st->help_top -= MIN(st->help_top, page);
		break;
	case ACT_PGDN:
		st->help_top += page;
		break;
	case ACT_HOME:
		st->help_top = 0;
		break;
	case ACT_END:
		st->help_top = last;
		break;
	case ACT_QUIT:
		return UI_QUIT;
	case ACT_REPAINT:
		return UI_REDRAW | UI_REPAINT;
	case ACT_ESC:
	case ACT_HELP:
		st->mode = MODE_TABLE;
		ui_state_keep_visible(st);
		break;
	default:
		if (ev.key == UI_KEY_WHEEL_DOWN)
			st->help_top += WHEEL_LINES;
		else if (ev.key == UI_KEY_WHEEL_UP)
			st->help_top -= MIN(st->help_top, WHEEL_LINES);
		break;
	}
	st->help_top = MIN(st->help_top, last);
	return UI_REDRAW;
}

/* The text being typed has changed: apply it at once. */
static void typed(struct ui_state *st)
{
	if (st->mode == MODE_FILTER) {
		set_filter(st);
		return;
	}
	ui_state_compile(st, &st->search_text, &st->search);
	search_from(st, st->cursor);
}

/* Esc: what was typed is dropped, and its effect with it. */
static void drop_typed(struct ui_state *st, struct ui_line *line)
{
	line_set(line, NULL);
	if (st->mode == MODE_FILTER) {
		set_filter(st);
	} else {
		filter_free(st->search);
		st->search = NULL;
	}
	st->mode = MODE_TABLE;
}

static unsigned handle_typing(struct ui_state *st, struct ui_event ev)
{
	struct ui_line *line = st->mode == MODE_FILTER ? &st->filter_text : &st->search_text;
	bool known;

	if (ev.key == UI_KEY_ENTER || (ev.key == UI_KEY_BACKSPACE && line->len == 0)) {
		st->mode = MODE_TABLE;
	} else if (ev.key == UI_KEY_ESC) {
		drop_typed(st, line);
	} else if (ev.key == UI_KEY_F(3) && st->mode == MODE_SEARCH) {
		search_from(st, st->cursor + 1);
	} else if (line_edit(line, ev.key, &known) || (!known && line_insert(line, ev.key))) {
		typed(st);
	} else if (!known && (ev.key >= UI_KEY_BASE || ev.key == UI_KEY_CTRL_L)) {
		return handle_table(st, ev); /* up and down, function keys, mouse */
	}
	return UI_REDRAW;
}

unsigned ui_handle(struct ui_state *st, struct ui_event ev)
{
	if (ev.key == UI_KEY_NONE)
		return 0;
	st->message[0] = '\0';
	if (ev.key == UI_KEY_CTRL_C || ev.key == UI_KEY_F(10))
		return UI_QUIT;
	switch (st->mode) {
	case MODE_HELP:
		return handle_help(st, ev);
	case MODE_SORT:
	case MODE_PICK:
		return ui_menu_handle(st, ev) | UI_REDRAW;
	case MODE_FILTER:
	case MODE_SEARCH:
		return handle_typing(st, ev);
	case MODE_TABLE:
		break;
	}
	return handle_table(st, ev);
}
