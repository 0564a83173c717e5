/* The columns of the table: one table for titles, widths, priorities, sort keys and text. */
#ifndef PGTOP_COLUMNS_H
#define PGTOP_COLUMNS_H

#include <stddef.h>

#include "frame.h"
#include "rows.h"
#include "snapshot.h"

#define COLUMN_TEXT_BYTES 16384 /* a query is shown up to here */

/* In display order. */
enum column_id {
	COL_PID,
	COL_USER,
	COL_DATABASE,
	COL_CLIENT,
	COL_APP,
	COL_STATE,
	COL_OFF,
	COL_CPU,
	COL_RUNQ,
	COL_MAX,
	COL_WAITS,
	COL_WAITING_ON,
	COL_AGE,
	COL_BAR,
	COL_HISTORY,
	COL_QUERY,
	COL_NR,
};

struct column {
	enum column_id id;
	const char *title;
	int min_w, max_w; /* it grows from min to max as there is room; max 0: takes the rest */
	enum frame_align align;
	int priority;	    /* 0 comes first and goes last as the terminal gets narrow */
	enum sort_key sort; /* SORT_NR: cannot be sorted by */
	const char *help;
	/* The cell's text in buf and its style. NULL: drawn by the view (bar, history). */
	enum ui_style (*format)(
		const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size);
};

const struct column *column(enum column_id id);

/* The text of WAITING-ON in at most w cells, as far as they go: behind the event of a lock who
 * holds it, "Lock:transactionid < 6591 (7010)". Where w is small the event is cut, not the pid. */
enum ui_style column_waiting_on(const struct snap_backend *b, int w, char *buf, size_t size);

/* True if sorting by key is sorting by this column. The bar stands for the wait types that have no
 * column of their own. */
bool column_sorts(enum column_id id, enum sort_key key);

/* "active", "idle xact" ...: the STATE column's word for a state of pg_stat_activity. */
const char *column_state_word(const char *state);

#endif
