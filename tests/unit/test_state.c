/* What keys do to the state of the screen. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "fixture_snapshot.h"
#include "golden.h"
#include "ui/state.h"
#include "ui/views.h"
#include "util.h"

static struct snapshot *incident, *later;
static struct ui_state st;

static int setup(void **state)
{
	const struct ui_options o = {.sort = SORT_OFF,
		.descending = true,
		.delay_ns = NSEC_PER_SEC,
		.window_ns = 10 * NSEC_PER_SEC};

	(void)state;
	incident = fixture_incident();
	later = fixture_incident_later();
	ui_state_init(&st, &o);
	ui_state_resize(&st, 120, 30);
	ui_state_set_snapshot(&st, incident);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ui_state_release(&st);
	snapshot_free(incident);
	snapshot_free(later);
	return 0;
}

static unsigned key(int code)
{
	return ui_handle(&st, (struct ui_event){.key = code});
}

static void type(const char *s)
{
	for (; *s; s++)
		key((unsigned char)*s);
}

static pid_t pid_at(size_t line)
{
	return st.snap->backends[st.rows[line]].pid;
}

static pid_t selected(void)
{
	const struct snap_backend *b = ui_state_selection(&st);

	return b ? b->pid : -1;
}

static void check_invariants(void)
{
	size_t page = ui_state_page(&st);

	if (st.n_rows == 0) {
		assert_int_equal(st.cursor, 0);
		assert_int_equal(st.top, 0);
	} else {
		assert_true(st.cursor < st.n_rows);
		assert_true(st.top <= st.cursor && st.cursor < st.top + page);
	}
	assert_true(st.n_rows <= (st.snap ? st.snap->n_backends : 0));
	assert_true(st.hscroll >= 0);
	assert_true(strlen(st.filter_text.text) == st.filter_text.len);
	if (st.mode == MODE_SORT || st.mode == MODE_PICK) {
		assert_true(st.menu_cursor < st.n_menu);
		assert_true(st.menu_top <= st.menu_cursor);
	} else {
		assert_int_equal(st.n_menu, 0);
	}
}

static void without_a_move_the_top_line_is_selected(void **state)
{
	(void)state;
	assert_int_equal(st.cursor, 0);
	key('N');
	assert_int_equal(st.cursor, 0);
	assert_int_equal(selected(), 1310);
}

static void the_selection_follows_its_backend(void **state)
{
	pid_t pid;

	(void)state;
	key(UI_KEY_DOWN);
	key('j');
	key('j');
	pid = selected();
	assert_int_equal(pid, pid_at(3));
	for (const char *k = "NPT123456789R0"; *k; k++) {
		key(*k);
		assert_int_equal(selected(), pid);
		check_invariants();
	}
	ui_state_set_snapshot(&st, later);
	assert_int_equal(selected(), pid);
	/* Home lets go of it. */
	key(UI_KEY_HOME);
	assert_int_equal(st.cursor, 0);
	key('N');
	assert_int_equal(st.cursor, 0);
}

static void when_it_ends_the_line_stays(void **state)
{
	size_t line;

	(void)state;
	while (selected() != 42110)
		key(UI_KEY_DOWN);
	line = st.cursor;
	ui_state_set_snapshot(&st, later); /* without 42110 */
	assert_int_equal(st.cursor, line);
	assert_int_not_equal(selected(), 42110);
	/* And its successor on that line is now the one that is followed. */
	line = (size_t)selected();
	key('N');
	assert_int_equal(selected(), line);
}

static void a_reused_pid_is_another_backend(void **state)
{
	struct snap_backend *b;

	(void)state;
	key(UI_KEY_END);
	assert_int_equal(st.cursor, st.n_rows - 1);
	key(UI_KEY_UP);
	b = (struct snap_backend *)ui_state_selection(&st);
	b->start_ticks += 7; /* same pid, started later */
	assert_true(st.sel_start_ticks != b->start_ticks);
	ui_state_set_snapshot(&st, incident);
	assert_int_equal(st.sel_start_ticks, b->start_ticks);
	assert_int_equal(st.cursor, st.n_rows - 2);
}

static void moves_stay_inside(void **state)
{
	(void)state;
	key(UI_KEY_UP);
	assert_int_equal(st.cursor, 0);
	key(UI_KEY_PGUP);
	assert_int_equal(st.cursor, 0);
	key(UI_KEY_PGDN);
	assert_int_equal(st.cursor, MIN(ui_state_page(&st), st.n_rows - 1));
	for (int i = 0; i < 10; i++)
		key(UI_KEY_PGDN);
	assert_int_equal(st.cursor, st.n_rows - 1);
	key(UI_KEY_DOWN);
	assert_int_equal(st.cursor, st.n_rows - 1);
	check_invariants();
}

static void sorting_takes_the_natural_direction(void **state)
{
	(void)state;
	key('N');
	assert_int_equal(st.sort, SORT_PID);
	assert_false(st.descending);
	assert_int_equal(pid_at(0), 1310);
	key('R');
	assert_true(st.descending);
	assert_true(pid_at(0) > 42000);
	key('5');
	assert_int_equal(st.sort, SORT_LOCK);
	assert_true(st.descending);
	assert_int_equal(pid_at(0), 41912);
	key('P');
	assert_int_equal(st.sort, SORT_CPU);
	key('T');
	assert_int_equal(st.sort, SORT_OFF);
}

static void angle_brackets_walk_the_visible_columns(void **state)
{
	(void)state;
	ui_state_resize(&st, 240, 30);
	key('>');
	assert_int_equal(st.sort, SORT_CPU);
	key('<');
	key('<');
	assert_int_equal(st.sort, SORT_STATE);
	assert_false(st.descending);
	for (int i = 0; i < 30; i++)
		key('<');
	assert_int_equal(st.sort, SORT_PID);
	for (int i = 0; i < 30; i++)
		key('>');
	assert_int_equal(st.sort, SORT_QUERY);
	key('5'); /* not a column of its own */
	key('>');
	assert_int_equal(st.sort, SORT_OFF);
}

static void the_filter_applies_as_it_is_typed(void **state)
{
	size_t all = st.n_rows;

	(void)state;
	key('/');
	assert_int_equal(st.mode, MODE_FILTER);
	type("q"); /* text, not the key that quits */
	assert_true(st.n_rows < all);
	key(UI_KEY_BACKSPACE);
	assert_int_equal(st.n_rows, all);
	type("user:migrate");
	assert_int_equal(st.n_rows, 1);
	key(UI_KEY_ENTER);
	assert_int_equal(st.mode, MODE_TABLE);
	assert_int_equal(st.n_rows, 1);
	assert_int_equal(key(UI_KEY_ESC), UI_REDRAW);
	assert_int_equal(st.n_rows, all);
	key(UI_KEY_F(4));
	type("nothing has this in it");
	assert_int_equal(st.n_rows, 0);
	assert_null(ui_state_selection(&st));
	check_invariants();
	key(UI_KEY_CTRL_W);
	assert_string_equal(st.filter_text.text, "nothing has this in ");
	key(UI_KEY_CTRL_U);
	assert_int_equal(st.n_rows, all);
	type("x");
	key(UI_KEY_ESC);
	assert_int_equal(st.filter_text.len, 0);
	assert_int_equal(st.n_rows, all);
}

static void arrows_move_while_typing(void **state)
{
	(void)state;
	key('/');
	type("shop");
	key(UI_KEY_DOWN);
	assert_int_equal(st.cursor, 1);
	assert_int_equal(st.mode, MODE_FILTER);
	assert_int_equal(key(UI_KEY_CTRL_C), UI_QUIT);
}

static void any_script_can_be_typed(void **state)
{
	(void)state;
	key('/');
	key(0x0301); /* nothing to combine with: refused */
	assert_int_equal(st.filter_text.len, 0);
	key(0x7530);
	key(0xe9);
	key('e');
	key(0x0301);
	key(0x1b00 + UI_KEY_BASE);
	key(0xd800);
	key(0x9b);
	assert_string_equal(st.filter_text.text, "\u7530\u00e9e\u0301");
	key(UI_KEY_BACKSPACE);
	assert_string_equal(st.filter_text.text, "\u7530\u00e9");
	for (int i = 0; i < 5000; i++)
		key(0x7530);
	assert_true(st.filter_text.len < UI_TEXT_BYTES);
	check_invariants();
}

static void search_jumps_to_the_match(void **state)
{
	(void)state;
	key(UI_KEY_F(3));
	type("relation");
	assert_int_equal(selected(), 41930);
	key(UI_KEY_ENTER);
	assert_int_equal(st.mode, MODE_TABLE);
	key(UI_KEY_F(3));
	type("user:report");
	assert_int_equal(selected(), 42001);
	key(UI_KEY_ENTER);
	key('n');
	assert_int_equal(selected(), 42007);
	key('n');
	assert_int_equal(selected(), 42008);
	key('n'); /* round the end */
	assert_int_equal(selected(), 42001);
	key(UI_KEY_F(3));
	type("not there");
	assert_string_equal(st.message, "no match");
	assert_int_equal(selected(), 42001);
}

static void idle_rows_come_and_go(void **state)
{
	size_t without = st.n_rows;

	(void)state;
	key('i');
	assert_int_equal(st.n_rows, incident->n_backends);
	key('i');
	assert_int_equal(st.n_rows, without);
}

static void a_followed_backend_stays_listed(void **state)
{
	size_t without = st.n_rows;
	pid_t pid = 42141; /* only idle */

	(void)state;
	key('i');
	while (selected() != pid)
		key(UI_KEY_DOWN);
	key('F');
	key('i');
	assert_int_equal(selected(), pid);
	assert_int_equal(st.n_rows, without + 1);
	key(UI_KEY_ESC);
	assert_false(st.follow);
	assert_int_equal(st.n_rows, without);
	while (selected() != 42110)
		key(UI_KEY_UP);
	key('F');
	ui_state_set_snapshot(&st, later);
	assert_false(st.follow);
	assert_string_equal(st.message, "backend 42110 is gone: no longer followed");
}

static void pause_is_the_callers_business(void **state)
{
	(void)state;
	assert_int_equal(key(' '), UI_REDRAW | UI_SET_PAUSE);
	assert_true(st.paused);
	key('P'); /* sorting goes on */
	assert_int_equal(st.sort, SORT_CPU);
	assert_int_equal(key('Z'), UI_REDRAW | UI_SET_PAUSE);
	assert_false(st.paused);
}

static void delay_and_window_go_in_steps(void **state)
{
	static const uint64_t windows_s[] = {1, 5, 10, 30, 60, 300, 900};
	static const char *const messages[] = {"window 1s", "window 5s", "window 10s", "window 30s",
		"window 1m", "window 5m", "window 15m"};

	(void)state;
	assert_int_equal(key('+'), UI_REDRAW | UI_SET_DELAY);
	assert_int_equal(st.delay_ns, 2 * NSEC_PER_SEC);
	assert_string_equal(st.message, "refresh interval 2s"); /* in the words of the header */
	for (int i = 0; i < 20; i++)
		key('-');
	assert_int_equal(st.delay_ns, 100 * NSEC_PER_MSEC);
	assert_int_equal(key('-'), UI_REDRAW);
	for (int i = 0; i < 20; i++)
		key('+');
	assert_int_equal(st.delay_ns, 3600 * NSEC_PER_SEC);
	for (int i = 0; i < 10; i++)
		key('[');
	for (size_t i = 0; i < ARRAY_SIZE(windows_s); i++) {
		assert_int_equal(st.window_ns, windows_s[i] * NSEC_PER_SEC);
		assert_string_equal(st.message, messages[i]);
		assert_int_equal(
			key(']'), UI_REDRAW | (i + 1 < ARRAY_SIZE(windows_s) ? UI_SET_WINDOW : 0));
	}
	st.window_ns = 7 * NSEC_PER_SEC; /* from the command line: between two steps */
	key(']');
	assert_int_equal(st.window_ns, 10 * NSEC_PER_SEC);
}

static void the_sort_menu_sorts(void **state)
{
	(void)state;
	key(UI_KEY_F(6));
	assert_int_equal(st.mode, MODE_SORT);
	assert_int_equal(st.n_menu, SORT_NR);
	assert_int_equal(st.menu_cursor, SORT_OFF);
	key(UI_KEY_END);
	assert_int_equal(st.menu_cursor, SORT_NR - 1);
	check_invariants();
	key(UI_KEY_UP);
	key(UI_KEY_ENTER);
	assert_int_equal(st.mode, MODE_TABLE);
	assert_int_equal(st.sort, SORT_NR - 2);
	key(UI_KEY_F(6));
	assert_int_equal(st.menu_cursor, SORT_NR - 2);
	key(UI_KEY_ESC);
	assert_int_equal(st.mode, MODE_TABLE);
	assert_int_equal(st.sort, SORT_NR - 2);
}

static void picking_a_name_shows_it_alone(void **state)
{
	(void)state;
	key('i'); /* all rows */
	for (size_t i = 0; i < incident->n_backends; i++) {
		const char *user = incident->backends[i].user;
		size_t have = 0;

		for (size_t j = 0; j < incident->n_backends; j++)
			have += user && incident->backends[j].user &&
				!strcmp(user, incident->backends[j].user);
		if (!user)
			continue;
		key('u');
		while (st.menu_cursor + 1 < st.n_menu &&
			strcmp(st.menu[st.menu_cursor].label + 2, user) != 0)
			key(UI_KEY_DOWN);
		key(UI_KEY_ENTER);
		assert_int_equal(st.n_rows, have);
		for (size_t j = 0; j < st.n_rows; j++)
			assert_string_equal(incident->backends[st.rows[j]].user, user);
	}
	key('u');
	key(UI_KEY_HOME);
	key(UI_KEY_ENTER); /* all */
	assert_int_equal(st.n_rows, incident->n_backends);
}

static void odd_names_can_be_picked(void **state)
{
	static const char *const names[] = {
		"a.b", "a\"b c", "x^y$", "back\\slash", "(((", "[z", "!no", "user:x", "*+?{2}|"};

	(void)state;
	key('i');
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct snap_backend *b = (struct snap_backend *)&incident->backends[2];

		b->user = names[i];
		b[1].user = "axb"; /* what "a.b" would match as an expression */
		ui_state_set_snapshot(&st, incident);
		key('u');
		while (st.menu_cursor + 1 < st.n_menu &&
			strcmp(st.menu[st.menu_cursor].label + 2, names[i]) != 0)
			key(UI_KEY_DOWN);
		assert_true(st.menu_cursor + 1 < st.n_menu);
		key(UI_KEY_ENTER);
		assert_int_equal(st.n_rows, 1);
		assert_int_equal(pid_at(0), b->pid);
		key(UI_KEY_ESC);
	}
}

static void the_mouse_selects_sorts_and_scrolls(void **state)
{
	struct layout l;

	(void)state;
	ui_state_layout(&st, &l);
	ui_handle(&st, (struct ui_event){UI_KEY_CLICK, 20, l.rows.y + 4});
	assert_int_equal(st.cursor, 4);
	for (int i = 0; i < l.n_cols; i++) {
		if (l.cols[i].id != COL_CPU)
			continue;
		ui_handle(&st, (struct ui_event){UI_KEY_CLICK, l.cols[i].x + 1, l.colhead.y});
		assert_int_equal(st.sort, SORT_CPU);
		assert_true(st.descending);
		ui_handle(&st, (struct ui_event){UI_KEY_CLICK, l.cols[i].x + 1, l.colhead.y});
		assert_false(st.descending);
	}
	key(UI_KEY_HOME);
	ui_state_resize(&st, 120, 12);
	ui_handle(&st, (struct ui_event){UI_KEY_WHEEL_DOWN, 5, 5});
	assert_int_equal(st.cursor, 3);
	assert_int_equal(st.top, 3);
	ui_handle(&st, (struct ui_event){UI_KEY_WHEEL_UP, 5, 5});
	assert_int_equal(st.top, 0);
	/* Anywhere else: nothing happens. */
	ui_handle(&st, (struct ui_event){UI_KEY_CLICK, -5, -5});
	ui_handle(&st, (struct ui_event){UI_KEY_CLICK, 5000, 5000});
	check_invariants();
}

static void help_scrolls_and_ends(void **state)
{
	size_t lines = view_help_lines(120);

	(void)state;
	key('?');
	assert_int_equal(st.mode, MODE_HELP);
	key(UI_KEY_END);
	assert_int_equal(st.help_top, lines - 28);
	key(UI_KEY_DOWN);
	assert_int_equal(st.help_top, lines - 28);
	key(UI_KEY_HOME);
	key(UI_KEY_UP);
	assert_int_equal(st.help_top, 0);
	assert_int_equal(key('q'), UI_REDRAW); /* leaves the help, not the program */
	assert_int_equal(st.mode, MODE_TABLE);
	assert_int_equal(key('q'), UI_QUIT);
}

static void scrolling_right_ends_with_the_longest_query(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++)
		key(UI_KEY_RIGHT);
	assert_true(st.hscroll > 10 && st.hscroll < 60);
	for (int i = 0; i < 1000; i++)
		key(UI_KEY_LEFT);
	assert_int_equal(st.hscroll, 0);
}

static void the_selection_stays_in_view(void **state)
{
	(void)state;
	for (int h = 60; h >= 1; h--) {
		key(UI_KEY_END);
		ui_state_resize(&st, 100, h);
		check_invariants();
		key('v');
		check_invariants();
	}
	/* No blank lines at the end while there are rows above. */
	ui_state_resize(&st, 100, 20);
	key(UI_KEY_END);
	ui_state_resize(&st, 100, 28);
	assert_true(st.n_rows - st.top >= MIN(ui_state_page(&st), st.n_rows));
}

static void without_a_snapshot_keys_do_no_harm(void **state)
{
	(void)state;
	ui_state_set_snapshot(&st, NULL);
	for (int k = 1; k < 0x80; k++)
		if (!(key(k) & UI_QUIT))
			check_invariants();
	for (int k = UI_KEY_BASE; k < UI_KEY_MAX; k++)
		key(k);
	check_invariants();
}

static int random_key(void)
{
	int r = rand() % 100;

	if (r < 45)
		return UI_KEY_BASE + rand() % (UI_KEY_MAX - UI_KEY_BASE);
	if (r < 90)
		return 1 + rand() % 0x7e;
	return rand() % 0x110000;
}

/* Any keys, in any order, between any snapshots and sizes: the state stays sound, and so does what
 * is drawn of it. */
static void a_storm_of_keys(void **state)
{
	struct snapshot *snaps[] = {
		incident, later, fixture_empty(), fixture_all_idle(), fixture_many(300), NULL};
	struct frame f = {0};

	(void)state;
	srand(4711);
	for (int i = 0; i < 60000; i++) {
		struct ui_event ev = {random_key(), rand() % 220 - 10, rand() % 70 - 5};

		(void)ui_handle(&st, ev);
		check_invariants();
		if (rand() % 20 == 0)
			ui_state_set_snapshot(&st, snaps[rand() % ARRAY_SIZE(snaps)]);
		if (rand() % 50 == 0)
			ui_state_resize(&st, 1 + rand() % 200, 1 + rand() % 60);
		check_invariants();
		if (rand() % 10 == 0) {
			frame_reset(&f, st.w, st.h, rand() % 2, rand() % 2);
			view_draw(&st, &f);
			golden_assert_sound(&f);
		}
	}
	ui_state_set_snapshot(&st, NULL);
	for (size_t i = 2; i < ARRAY_SIZE(snaps); i++)
		snapshot_free(snaps[i]);
	frame_release(&f);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_move_the_top_line_is_selected),
		TEST(the_selection_follows_its_backend),
		TEST(when_it_ends_the_line_stays),
		TEST(a_reused_pid_is_another_backend),
		TEST(moves_stay_inside),
		TEST(sorting_takes_the_natural_direction),
		TEST(angle_brackets_walk_the_visible_columns),
		TEST(the_filter_applies_as_it_is_typed),
		TEST(arrows_move_while_typing),
		TEST(any_script_can_be_typed),
		TEST(search_jumps_to_the_match),
		TEST(idle_rows_come_and_go),
		TEST(a_followed_backend_stays_listed),
		TEST(pause_is_the_callers_business),
		TEST(delay_and_window_go_in_steps),
		TEST(the_sort_menu_sorts),
		TEST(picking_a_name_shows_it_alone),
		TEST(odd_names_can_be_picked),
		TEST(the_mouse_selects_sorts_and_scrolls),
		TEST(help_scrolls_and_ends),
		TEST(scrolling_right_ends_with_the_longest_query),
		TEST(the_selection_stays_in_view),
		TEST(without_a_snapshot_keys_do_no_harm),
		TEST(a_storm_of_keys),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
