/*
 * The layout. Owns nothing; a function of its arguments. Invariants (see tests/unit/test_layout.c):
 * every rectangle lies inside the screen, no two overlap, a wider terminal never shows fewer
 * columns, PID is always first.
 */
#include "layout.h"

#include <string.h>

#include "util.h"

#define GAP	   1
#define QUERY_STEP 16 /* columns per step along the query */
#define QUERY_FAIR 48 /* what the query counts as its maximum while others grow */
#define CUT_MIN	   3  /* a column cut by the right edge is shown from that width on */

/* The y of the next n lines from the top, or none if there is no room. */
static struct rect take(int *y, int w, int n)
{
	struct rect r = {0, *y, w, n};

	*y += n;
	return r;
}

static int graph_lines(int h)
{
	return h >= 44 ? 4 : h >= 32 ? 3 : h >= 24 ? 2 : h >= 15 ? 1 : 0;
}

static int legend_lines(int w, int h)
{
	if (w >= LAYOUT_LEGEND_1 || h < 24)
		return 1;
	return w >= LAYOUT_LEGEND_2 || h < 28 ? 2 : 3;
}

/* Rows of the list come first; what else there is room for depends on the height alone. */
static void split_vertically(const struct layout_in *in, struct layout *l)
{
	int y = 0, bottom = in->h - 1;

	if (in->h >= 6)
		l->title = take(&y, in->w, 1);
	if (in->notice && in->h >= 7)
		l->notice = take(&y, in->w, 1);
	l->summary = take(&y, in->w, 1);
	if (in->h >= 8)
		l->bar = take(&y, in->w, 1);
	if (in->h >= 10)
		l->legend = take(&y, in->w, legend_lines(in->w, in->h));
	if (graph_lines(in->h))
		l->graph = take(&y, in->w, graph_lines(in->h));
	l->hints = (struct rect){0, bottom, in->w, 1};
	if (in->wrap && in->h >= 12) {
		int n = MAX(3, MIN(in->h / 4, 12));

		bottom -= n;
		l->wrap = (struct rect){0, bottom, in->w, n};
	}
	l->colhead = take(&y, in->w, 1);
	l->rows = (struct rect){0, y, in->w, MAX(0, bottom - y)};
	if (in->menu_w > 0) {
		int menu_w = MIN(in->menu_w, in->w), skip;

		/* Where little would be left of the table, the menu takes it all. */
		if (in->w - menu_w < LAYOUT_MIN_W)
			menu_w = in->w;
		skip = MIN(in->w, menu_w + GAP);
		l->menu = (struct rect){0, l->colhead.y, menu_w, l->rows.h + 1};
		l->colhead.x = l->rows.x = skip;
		l->colhead.w = l->rows.w = in->w - skip;
	}
}

static enum column_id by_priority(int priority)
{
	for (int i = 0; i < COL_NR; i++)
		if (column((enum column_id)i)->priority == priority)
			return (enum column_id)i;
	return COL_PID;
}

/* The columns shown when nothing is scrolled: as many as fit, by priority. Returns their width. */
static int choose(int room, bool show[COL_NR])
{
	int used = -GAP;

	memset(show, 0, COL_NR * sizeof(show[0]));
	for (int p = 0; p < COL_NR; p++) {
		enum column_id id = by_priority(p);
		int need = used + GAP + column(id)->min_w;

		if (need > room)
			break;
		show[id] = true;
		used = need;
	}
	return used;
}

/* Scrolled: PID, then every column from first on until the room ends. Returns their width. */
static int choose_from(int room, int first, bool show[COL_NR])
{
	int used = column(COL_PID)->min_w;

	memset(show, 0, COL_NR * sizeof(show[0]));
	show[COL_PID] = true;
	for (int i = first; i < COL_NR; i++) {
		if (used + GAP + CUT_MIN > room)
			break;
		show[i] = true;
		used += GAP + column((enum column_id)i)->min_w;
	}
	return used;
}

/* Lets the shown columns grow into the spare room, by priority: all of them half of the way to
 * their maximum first, then to the maximum; the query takes what is left. */
static void widths(const bool show[COL_NR], int spare, int w[COL_NR])
{
	for (int i = 0; i < COL_NR; i++)
		w[i] = column((enum column_id)i)->min_w;
	for (int pass = 0; pass < 2; pass++) {
		for (int p = 0; p < COL_NR && spare > 0; p++) {
			const struct column *c = column(by_priority(p));
			int max = c->max_w ? c->max_w : QUERY_FAIR;
			int to = pass == 0 ? c->min_w + (max - c->min_w + 1) / 2 : max;
			int more = MIN(spare, to - w[c->id]);

			if (!show[c->id])
				continue;
			w[c->id] += more;
			spare -= more;
		}
	}
	if (show[COL_QUERY] && spare > 0)
		w[COL_QUERY] += spare;
}

static void place_columns(const struct layout_in *in, struct layout *l)
{
	bool show[COL_NR];
	int w[COL_NR], room = l->rows.w, used, x = l->rows.x, end = l->rows.x + room;
	int first = in->hscroll;

	used = choose(room, show);
	if (in->hscroll > 0) {
		/* If everything fits, the first step already takes the first column away. */
		if (show[by_priority(COL_NR - 1)])
			first++;
		if (first > COL_QUERY) {
			l->query_skip = (first - COL_QUERY) * QUERY_STEP;
			first = COL_QUERY;
		}
		l->hscroll_end = first == COL_QUERY;
		used = choose_from(room, first, show);
	}
	widths(show, room - used, w);
	for (int i = 0; i < COL_NR && x < end; i++) {
		if (!show[i])
			continue;
		l->cols[l->n_cols++] =
			(struct layout_col){(enum column_id)i, x, MIN(w[i], end - x)};
		x += w[i] + GAP;
	}
}

void layout_compute(const struct layout_in *in, struct layout *l)
{
	memset(l, 0, sizeof(*l));
	if (in->w < LAYOUT_MIN_W || in->h < LAYOUT_MIN_H) {
		l->too_small = true;
		return;
	}
	split_vertically(in, l);
	place_columns(in, l);
}

int layout_column_at(const struct layout *l, int x)
{
	for (int i = 0; i < l->n_cols; i++)
		if (x >= l->cols[i].x && x < l->cols[i].x + l->cols[i].w + GAP)
			return l->cols[i].id;
	return -1;
}
