/* The views. Each draws a whole screen: a pure function of the state (which holds the snapshot). */
#ifndef PGTOP_VIEWS_H
#define PGTOP_VIEWS_H

#include "frame.h"
#include "state.h"

/* The frame has been reset to the state's size. */
void view_draw(const struct ui_state *st, struct frame *f);

/* The parts, for tests and for one another. */
void view_table(const struct ui_state *st, const struct layout *l, struct frame *f);
void view_header(const struct ui_state *st, const struct layout *l, struct frame *f);
void view_menu(const struct ui_state *st, const struct layout *l, struct frame *f);
void view_hints(const struct ui_state *st, const struct layout *l, struct frame *f);
void view_help(const struct ui_state *st, struct frame *f);

/* The mark of the sort direction. */
const char *view_arrow(const struct frame *f, bool descending);

/* The key that the hint at column x of the bottom line stands for, or UI_KEY_NONE. */
int view_hint_key(const struct ui_state *st, const struct layout *l, int x);

/* Lines of the help text on a screen of that width. */
size_t view_help_lines(int w);

#endif
