/*
 * Layout: from the terminal's size to rectangles and visible columns. Pure: no snapshot, no
 * curses. All sizes from 1x1 are allowed; a rectangle without room has w or h 0.
 */
#ifndef PGTOP_LAYOUT_H
#define PGTOP_LAYOUT_H

#include <stdbool.h>

#include "columns.h"
#include "frame.h"

#define LAYOUT_MIN_W 20
#define LAYOUT_MIN_H 4

/* From these widths on the legend of all types ("L lock 17.1%", two blanks between) fits on one
 * line, on two. It has the lines for all of them, whatever is in it: the table must not jump when a
 * type comes. */
#define LAYOUT_LEGEND_1 184
#define LAYOUT_LEGEND_2 96

struct layout_in {
	int w, h;
	bool notice; /* a line of its own for a notice */
	bool wrap;   /* a panel for the selected query */
	int menu_w;  /* width of the side panel, 0: none */
	int hscroll; /* steps to the right */
};

struct layout_col {
	enum column_id id;
	int x, w;
};

struct layout {
	bool too_small;
	struct rect title, notice, summary, bar, legend, graph;
	struct rect colhead, rows, wrap, menu, hints;
	struct layout_col cols[COL_NR];
	int n_cols;
	int query_skip;	  /* columns of the query scrolled off to the left */
	bool hscroll_end; /* only PID and QUERY are left: the next step right moves the query */
};

void layout_compute(const struct layout_in *in, struct layout *out);

/* The column at screen column x, or -1. */
int layout_column_at(const struct layout *l, int x);

#endif
