/* What is typed, taken back and clicked: the bottom line. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <string.h>

#include "fixture_snapshot.h"
#include "ui/state.h"
#include "ui/views.h"
#include "util.h"

static struct snapshot *incident;
static struct ui_state st;

static int setup(void **state)
{
	const struct ui_options o = {.sort = SORT_OFF, .descending = true};

	(void)state;
	incident = fixture_incident();
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
	return 0;
}

static void key(int code)
{
	(void)ui_handle(&st, (struct ui_event){.key = code});
}

static void type(const char *s)
{
	for (; *s; s++)
		key((unsigned char)*s);
}

static void the_text_can_be_edited_in_its_middle(void **state)
{
	(void)state;
	key('/');
	type("shop");
	for (int i = 0; i < 4; i++)
		key(UI_KEY_LEFT);
	assert_int_equal(st.hscroll, 0);
	type("db:");
	assert_string_equal(st.filter_text.text, "db:shop");
	key(UI_KEY_DELETE);
	assert_string_equal(st.filter_text.text, "db:hop");
	key(UI_KEY_HOME);
	assert_int_equal(st.cursor, 0);
	assert_true(st.mode == MODE_FILTER && st.filter_text.at == 0);
	key(UI_KEY_BACKSPACE); /* nothing before the cursor, but a text: typing goes on */
	assert_int_equal(st.mode, MODE_FILTER);
	key(UI_KEY_END);
	key(UI_KEY_CTRL_U);
	key(UI_KEY_BACKSPACE);
	assert_int_equal(st.mode, MODE_TABLE);
	/* Opened again, the cursor is at the end. */
	key('/');
	type("abc");
	key(UI_KEY_HOME);
	key(UI_KEY_ENTER);
	key('/');
	assert_int_equal(st.filter_text.at, 3);
}

static void a_search_that_is_dropped_is_forgotten(void **state)
{
	(void)state;
	key(UI_KEY_F(3));
	type("relation");
	key(UI_KEY_ESC);
	key(UI_KEY_HOME);
	key('n');
	assert_int_equal(st.cursor, 0);
	assert_string_equal(st.message, "nothing to search for: F3");
}

/* As the help says: the filter, then following, then scrolling. */
static void esc_takes_back_one_thing_after_the_other(void **state)
{
	(void)state;
	key(UI_KEY_RIGHT);
	key(UI_KEY_RIGHT);
	key('F');
	key('/');
	type("shop");
	key(UI_KEY_ENTER);
	assert_true(st.filter_text.len && st.follow && st.hscroll == 2);
	key(UI_KEY_ESC);
	assert_true(!st.filter_text.len && st.follow && st.hscroll == 2);
	key(UI_KEY_ESC);
	assert_true(!st.follow && st.hscroll == 2);
	key(UI_KEY_ESC);
	assert_int_equal(st.hscroll, 0);
	key(UI_KEY_ESC);
}

/* A click on a hint is the key that it names, wherever it stands. */
static void hints_can_be_clicked(void **state)
{
	size_t n, clicked = 0;
	const struct key_binding *b = key_bindings(&n);
	struct layout l;
	struct frame f = {0};

	(void)state;
	for (int w = LAYOUT_MIN_W; w < 160; w += 7) {
		ui_state_resize(&st, w, 30);
		ui_state_layout(&st, &l);
		frame_reset(&f, w, 30, true, true);
		view_draw(&st, &f);
		for (int x = 0; x < w; x++) {
			int hit = view_hint_key(&st, &l, x);
			bool seen = false;

			/* What is under the pointer is the key, or its label behind it. */
			for (size_t i = 0; i < n && hit != UI_KEY_NONE; i++) {
				int from = x;

				if (b[i].keys[0] != hit)
					continue;
				while (from > 0 && frame_at(&f, from, 29)->style != STYLE_KEY)
					from--;
				while (from > 0 && frame_at(&f, from - 1, 29)->style == STYLE_KEY &&
					strlen(b[i].hint_key) > 1)
					from--;
				seen = frame_at(&f, from, 29)->ch[0] ==
				       (unsigned char)b[i].hint_key[0];
				clicked++;
			}
			assert_int_equal(seen, hit != UI_KEY_NONE);
		}
	}
	assert_true(clicked > 500);
	frame_release(&f);
	ui_state_resize(&st, 120, 30);
	ui_state_layout(&st, &l);
	for (int x = 0; x < 120; x++) {
		if (view_hint_key(&st, &l, x) != 'i')
			continue;
		st.show_idle = false;
		ui_handle(&st, (struct ui_event){UI_KEY_CLICK, x, 29});
		assert_true(st.show_idle);
	}
	for (int x = 119; x >= 0; x--)
		if (view_hint_key(&st, &l, x) == UI_KEY_F(10)) {
			assert_int_equal(
				ui_handle(&st, (struct ui_event){UI_KEY_CLICK, x, 29}), UI_QUIT);
			assert_int_equal(
				ui_handle(&st, (struct ui_event){UI_KEY_CLICK, x, 28}), UI_REDRAW);
			break;
		}
	key('/'); /* now the line holds the text */
	assert_int_equal(view_hint_key(&st, &l, 2), UI_KEY_NONE);
	ui_handle(&st, (struct ui_event){UI_KEY_CLICK, 2, 29});
	assert_int_equal(st.mode, MODE_FILTER);
}

/* Of a line that is too long the part with the cursor is shown, and the cursor where it belongs. */
static void the_cursor_stays_on_the_screen(void **state)
{
	struct frame f = {0};

	(void)state;
	key('/');
	for (int i = 0; i < 200; i++)
		key(i % 3 ? 'a' + i % 26 : 0x7530);
	for (int i = 0; i <= 200; i++) {
		for (int w = 20; w < 130; w += 27) {
			const struct cell *c;

			ui_state_resize(&st, w, 10);
			frame_reset(&f, w, 10, true, true);
			view_draw(&st, &f);
			assert_true(f.cursor && f.cursor_y == 9 && f.cursor_x >= 8);
			c = frame_at(&f, f.cursor_x, 9);
			assert_int_not_equal(c->width, 0);
			if (c->style == STYLE_INPUT && st.filter_text.at < st.filter_text.len &&
				c->ch[0] < 0x80)
				assert_int_equal(c->ch[0], st.filter_text.text[st.filter_text.at]);
		}
		key(UI_KEY_LEFT);
	}
	assert_int_equal(st.filter_text.at, 0);
	frame_release(&f);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_text_can_be_edited_in_its_middle),
		TEST(a_search_that_is_dropped_is_forgotten),
		TEST(esc_takes_back_one_thing_after_the_other),
		TEST(hints_can_be_clicked),
		TEST(the_cursor_stays_on_the_screen),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
