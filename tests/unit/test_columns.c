/* The table of columns, and what its cells say. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "fixture_snapshot.h"
#include "text.h"
#include "ui/columns.h"
#include "util.h"

static struct snapshot *snap;

static int setup(void **state)
{
	(void)state;
	snap = fixture_incident();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	snapshot_free(snap);
	return 0;
}

static const struct snap_backend *backend(pid_t pid)
{
	for (size_t i = 0; i < snap->n_backends; i++)
		if (snap->backends[i].pid == pid)
			return &snap->backends[i];
	fail_msg("no backend %d", (int)pid);
	return NULL;
}

static const char *cell_of(const struct snap_backend *b, enum column_id id, enum ui_style *style)
{
	static char buf[COLUMN_TEXT_BYTES];
	enum ui_style s = column(id)->format(snap, b, buf, sizeof(buf));

	if (style)
		*style = s;
	return buf;
}

static void the_table_is_consistent(void **state)
{
	bool seen[COL_NR] = {false};

	(void)state;
	for (int i = 0; i < COL_NR; i++) {
		const struct column *c = column((enum column_id)i);

		assert_int_equal(c->id, i);
		assert_in_range(c->priority, 0, COL_NR - 1);
		assert_false(seen[c->priority]);
		seen[c->priority] = true;
		assert_true(strlen(c->title) > 0 && strlen(c->help) > 0);
		/* The title and the mark of the sort direction fit. */
		assert_true((int)strlen(c->title) + (c->sort != SORT_NR) <= c->min_w);
		assert_true(c->max_w == 0 || c->max_w >= c->min_w);
		assert_true(c->format || c->id == COL_BAR || c->id == COL_HISTORY);
	}
	assert_int_equal(column(COL_PID)->priority, 0);
	for (int key = 0; key < SORT_NR; key++) {
		int marks = 0;

		for (int i = 0; i < COL_NR; i++)
			marks += column_sorts((enum column_id)i, (enum sort_key)key);
		assert_int_equal(marks, 1); /* every order is shown at one column */
	}
}

static void states_are_short(void **state)
{
	(void)state;
	assert_string_equal(column_state_word("active"), "active");
	assert_string_equal(column_state_word("idle in transaction"), "idle xact");
	assert_string_equal(column_state_word("idle in transaction (aborted)"), "idle abrt");
	assert_string_equal(column_state_word("fastpath function call"), "fastpath");
	assert_string_equal(column_state_word(NULL), "");
}

static void a_wait_shows_its_event_and_age(void **state)
{
	enum ui_style style;

	(void)state;
	assert_string_equal(cell_of(backend(42007), COL_WAITING_ON, &style), "IO:DataFileRead");
	assert_int_equal(style, style_type(WAIT_IO));
	assert_string_equal(cell_of(backend(41911), COL_AGE, NULL), "12:13");
	assert_string_equal(cell_of(backend(41912), COL_AGE, NULL), ">=31:33");
	assert_string_equal(cell_of(backend(41946), COL_WAITING_ON, &style), "(cpu queue)");
	assert_int_equal(style, style_type(WAIT_RUNQ));
	assert_string_equal(cell_of(backend(42008), COL_WAITING_ON, &style), "on CPU");
	assert_int_equal(style, style_type(WAIT_CPU));
	assert_string_equal(cell_of(backend(42008), COL_AGE, NULL), "");
	assert_string_equal(cell_of(backend(42130), COL_WAITING_ON, NULL), "Extension:0x0700002a");
}

static const char *waiting_on(pid_t pid, int w)
{
	static char buf[ROWS_EVENT_BUF + ROWS_BLOCKED_BUF];

	assert_int_equal(
		column_waiting_on(backend(pid), w, buf, sizeof(buf)), style_type(WAIT_LOCK));
	return buf;
}

static void a_lock_says_who_holds_it(void **state)
{
	(void)state;
	assert_string_equal(waiting_on(41911, 40), "Lock:transactionid < 41807");
	assert_string_equal(waiting_on(41911, 26), "Lock:transactionid < 41807");
	assert_string_equal(waiting_on(41911, 25), "Lock:transactioni < 41807");
	assert_string_equal(waiting_on(41911, 17), "Lock:tran < 41807");
	assert_string_equal(waiting_on(41911, 15), "Lock:transactionid"); /* to be cut */
	assert_string_equal(waiting_on(41930, 40), "Lock:relation < 41807 41911 41912");
	assert_string_equal(waiting_on(41930, 32), "Lock:relation < 41807 +2");
	assert_string_equal(waiting_on(41930, 19), "Lock:rel < 41807 +2");
	assert_string_equal(waiting_on(41930, 18), "Lock:rela < 41807+");
	assert_string_equal(waiting_on(41930, 17), "Lock:rel < 41807+");
	assert_string_equal(waiting_on(42144, 40), "Lock:advisory < 42143 (42145)");
	assert_string_equal(waiting_on(42144, 25), "Lock:advisory < 42143 +1");
	for (int w = column(COL_WAITING_ON)->min_w; w < 60; w++) {
		assert_non_null(strstr(waiting_on(41911, w), " < 41807"));
		assert_true((int)text_width(waiting_on(41911, w)) <= w);
		assert_non_null(strstr(waiting_on(41930, w), " < 41807"));
		assert_true((int)text_width(waiting_on(41930, w)) <= w);
	}
}

static void a_parallel_worker_names_its_leader(void **state)
{
	struct snap_backend b = *backend(42007);

	(void)state;
	assert_memory_equal(cell_of(&b, COL_QUERY, NULL), "[worker of 42001] SELECT date_trunc(",
		strlen("[worker of 42001] SELECT date_trunc("));
	b.query = NULL;
	assert_string_equal(cell_of(&b, COL_QUERY, NULL), "[parallel worker of 42001]");
}

static void an_exited_backend_waits_for_nothing(void **state)
{
	(void)state;
	assert_string_equal(cell_of(backend(42150), COL_STATE, NULL), "exited");
	assert_string_equal(cell_of(backend(42150), COL_WAITING_ON, NULL), "");
	assert_string_equal(cell_of(backend(42150), COL_AGE, NULL), "");
}

static void shares_are_of_the_time_watched(void **state)
{
	struct snap_backend b = *backend(42150);
	enum ui_style style;

	(void)state;
	assert_string_equal(cell_of(&b, COL_OFF, NULL), "50.0"); /* 900 ms of 1800, not of 10 s */
	assert_string_equal(cell_of(&b, COL_CPU, NULL), "50.0");
	assert_string_equal(cell_of(&b, COL_RUNQ, NULL), "16.7");
	assert_string_equal(cell_of(&b, COL_WAITS, NULL), "1167");
	assert_string_equal(cell_of(backend(41912), COL_CPU, &style), "0.0");
	assert_int_equal(style, STYLE_DIM);
	b.watched_ns = 0;
	assert_string_equal(cell_of(&b, COL_OFF, NULL), "-");
	b.waits = 0;
	assert_string_equal(cell_of(&b, COL_WAITS, NULL), "0");
}

static void a_row_steps_back_when_it_rests_or_has_ended(void **state)
{
	enum ui_style style;

	(void)state;
	cell_of(backend(42141), COL_USER, &style); /* idle all the time */
	assert_int_equal(style, STYLE_DIM);
	cell_of(backend(42150), COL_USER, &style); /* ended */
	assert_int_equal(style, STYLE_DIM);
	cell_of(backend(41702), COL_USER, &style); /* idle right now, busy in most of the window */
	assert_int_equal(style, STYLE_NORMAL);
}

static void a_background_process_says_what_it_is(void **state)
{
	enum ui_style style;

	(void)state;
	assert_string_equal(cell_of(backend(1313), COL_USER, NULL), "");
	assert_string_equal(cell_of(backend(1313), COL_QUERY, &style), "[walwriter]");
	assert_int_equal(style, STYLE_DIM);
	/* One that has a query shows that. */
	assert_string_equal(cell_of(backend(41700), COL_QUERY, NULL),
		"autovacuum: VACUUM ANALYZE public.order_line");
}

static void a_query_is_on_one_line(void **state)
{
	(void)state;
	assert_string_equal(cell_of(backend(41930), COL_QUERY, NULL),
		"ALTER TABLE account ADD COLUMN closed_at timestamptz, ADD COLUMN closed_by text");
}

static void cells_are_cut_to_their_buffer(void **state)
{
	struct snap_backend b = *backend(41911);
	_cleanup_free_ char *query = xmalloc(100001);
	char small[8];

	(void)state;
	memset(query, 'x', 100000);
	query[100000] = '\0';
	b.query = query;
	assert_int_equal(strlen(cell_of(&b, COL_QUERY, NULL)), COLUMN_TEXT_BYTES - 1);
	for (int i = 0; i < COL_NR; i++) {
		const struct column *c = column((enum column_id)i);

		memset(small, 'z', sizeof(small));
		if (c->format)
			c->format(snap, &b, small, sizeof(small));
		if (c->format)
			assert_non_null(memchr(small, '\0', sizeof(small)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_consistent),
		cmocka_unit_test(states_are_short),
		cmocka_unit_test(a_wait_shows_its_event_and_age),
		cmocka_unit_test(a_lock_says_who_holds_it),
		cmocka_unit_test(a_parallel_worker_names_its_leader),
		cmocka_unit_test(an_exited_backend_waits_for_nothing),
		cmocka_unit_test(shares_are_of_the_time_watched),
		cmocka_unit_test(a_row_steps_back_when_it_rests_or_has_ended),
		cmocka_unit_test(a_background_process_says_what_it_is),
		cmocka_unit_test(a_query_is_on_one_line),
		cmocka_unit_test(cells_are_cut_to_their_buffer),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, setup, teardown);
}
