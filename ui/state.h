/*
 * The state of the screen: what the user asked for, and how a key changes it.
 *
 * Pure: no curses, no clock. The caller hands in every new snapshot with ui_state_set_snapshot()
 * and every key with ui_handle(); both leave the state consistent (rows computed, selection and
 * scroll position inside them), so that a view can draw it without changing it.
 */
#ifndef PGTOP_STATE_H
#define PGTOP_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "filter.h"
#include "keys.h"
#include "layout.h"
#include "line.h"
#include "rows.h"
#include "snapshot.h"

enum ui_mode {
	MODE_TABLE,
	MODE_HELP,
	MODE_SORT,   /* menu of sort keys */
	MODE_PICK,   /* menu of users and databases */
	MODE_FILTER, /* typing a filter */
	MODE_SEARCH, /* typing a search */
};

/* What the caller of ui_handle() has to do. */
enum ui_reaction {
	UI_REDRAW = 1,
	UI_QUIT = 2,
	UI_SET_DELAY = 4,  /* read state.delay_ns */
	UI_SET_WINDOW = 8, /* read state.window_ns */
	UI_SET_PAUSE = 16, /* read state.paused: hand in no new snapshots while it is set */
	UI_REPAINT = 32,   /* the screen may be garbled: draw every cell anew */
	UI_MORE = 64,	   /* ui_input() left keys unread: call it again */
};

struct ui_menu_item {
	char *label;
	int sort;    /* MODE_SORT: enum sort_key */
	char *value; /* MODE_PICK: the filter it stands for; NULL: a heading */
};

struct ui_state {
	int w, h;
	enum ui_mode mode;
	const struct snapshot *snap; /* borrowed; NULL before the first */

	/* What is listed, in which order. */
	enum sort_key sort;
	bool descending;
	bool show_idle;
	struct ui_line filter_text;
	struct filter *filter; /* NULL: all */
	struct ui_line search_text;
	struct filter *search;
	size_t *rows; /* indices into snap->backends */
	size_t n_rows, cap_rows;

	/* The selection is a backend, or, until the user moves (and after Home), the top line. */
	bool selected;
	pid_t sel_pid;
	uint64_t sel_start_ticks;
	size_t cursor; /* its line in rows */
	size_t top;    /* first line shown */
	bool follow;   /* never let the selected backend be hidden as idle */

	int hscroll;
	bool wrap;
	bool paused;
	uint64_t delay_ns, window_ns;

	struct ui_menu_item *menu;
	size_t n_menu, menu_cursor, menu_top;
	size_t help_top;
	char message[128]; /* shown until the next key; "" for none */
};

struct ui_options {
	enum sort_key sort;
	bool descending;
	const char *filter; /* NULL: none */
	bool show_idle;
	bool no_color;
	uint64_t delay_ns, window_ns;
};

void ui_state_init(struct ui_state *st, const struct ui_options *o);
void ui_state_release(struct ui_state *st);

void ui_state_resize(struct ui_state *st, int w, int h);

/* Shows snap from now on; it is borrowed until the next call. */
void ui_state_set_snapshot(struct ui_state *st, const struct snapshot *snap);

/* Acts on one key or mouse event. Returns enum ui_reaction bits. */
unsigned ui_handle(struct ui_state *st, struct ui_event ev);

/* For input.c and menu.c: after a change of what is listed, or of where the cursor is. */
void ui_state_rebuild(struct ui_state *st);
void ui_state_move_to(struct ui_state *st, size_t line); /* clamps; binds the selection */
void ui_state_keep_visible(struct ui_state *st);

/* Compiles the text of a filter or a search into *f. If that fails, *f stays and st->message says
 * why. */
void ui_state_compile(struct ui_state *st, const struct ui_line *text, struct filter **f);

/* Lines of the table that fit on the screen, at least 1. */
size_t ui_state_page(const struct ui_state *st);

/* The menus of MODE_SORT and MODE_PICK. */
void ui_menu_open(struct ui_state *st, enum ui_mode mode);
void ui_menu_close(struct ui_state *st);
unsigned ui_menu_handle(struct ui_state *st, struct ui_event ev);

/* The layout of the table view in this state. */
void ui_state_layout(const struct ui_state *st, struct layout *l);

/* The selected backend, or NULL. */
const struct snap_backend *ui_state_selection(const struct ui_state *st);

#endif
