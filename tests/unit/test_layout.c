/* The layout's properties, on every size from 1x1 to 500x200. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "ui/layout.h"
#include "util.h"

#define MAX_W 500
#define MAX_H 200

static bool empty(struct rect r)
{
	return r.w <= 0 || r.h <= 0;
}

static bool inside(struct rect r, int w, int h)
{
	return r.x >= 0 && r.y >= 0 && r.w >= 0 && r.h >= 0 && r.x + r.w <= w && r.y + r.h <= h;
}

static bool overlap(struct rect a, struct rect b)
{
	return !empty(a) && !empty(b) && a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h &&
	       b.y < a.y + a.h;
}

static void check_rects(const struct layout_in *in, const struct layout *l)
{
	const struct rect r[] = {l->title, l->notice, l->summary, l->bar, l->legend, l->graph,
		l->colhead, l->rows, l->wrap, l->menu, l->hints};

	for (size_t i = 0; i < ARRAY_SIZE(r); i++) {
		assert_true(inside(r[i], in->w, in->h));
		for (size_t j = 0; j < i; j++)
			assert_false(overlap(r[i], r[j]));
	}
	assert_true(l->rows.h >= 1);
	assert_int_equal(l->hints.h, 1);
	assert_int_equal(l->hints.y, in->h - 1);
	assert_int_equal(l->summary.h, 1);
	/* Without panels every line is in use. */
	if (!in->menu_w)
		assert_int_equal(l->title.h + l->notice.h + l->summary.h + l->bar.h + l->legend.h +
					 l->graph.h + l->colhead.h + l->rows.h + l->wrap.h +
					 l->hints.h,
			in->h);
}

static void check_columns(const struct layout_in *in, const struct layout *l)
{
	int end = l->rows.x;

	if (l->rows.w <= 0) {
		assert_true(in->menu_w > 0);
		assert_int_equal(l->n_cols, 0);
		return;
	}
	assert_true(l->n_cols >= 2);
	assert_int_equal(l->cols[0].id, COL_PID);
	assert_int_equal(l->cols[0].w, column(COL_PID)->min_w);
	for (int i = 0; i < l->n_cols; i++) {
		const struct layout_col *c = &l->cols[i];

		assert_true(c->x >= end);
		assert_true(c->w >= 1);
		assert_true(c->x + c->w <= l->rows.x + l->rows.w);
		if (i > 0)
			assert_true(c->id > l->cols[i - 1].id);
		if (in->hscroll == 0)
			assert_true(c->w >= column(c->id)->min_w);
		end = c->x + c->w + 1;
	}
}

static void check(const struct layout_in *in, struct layout *l)
{
	layout_compute(in, l);
	if (l->too_small) {
		assert_true(in->w < LAYOUT_MIN_W || in->h < LAYOUT_MIN_H);
		assert_int_equal(l->n_cols, 0);
		return;
	}
	check_rects(in, l);
	check_columns(in, l);
}

static void every_size(void **state)
{
	struct layout l;

	(void)state;
	for (int w = 1; w <= MAX_W; w++) {
		for (int h = 1; h <= MAX_H; h++) {
			struct layout_in in = {.w = w, .h = h};

			check(&in, &l);
		}
	}
}

static void every_size_with_panels(void **state)
{
	static const int menus[] = {0, 18, 26, 400};
	struct layout l;

	(void)state;
	for (int w = 1; w <= MAX_W; w += w < 150 ? 1 : 7) {
		for (int h = 1; h <= MAX_H; h += h < 60 ? 1 : 9) {
			for (int i = 0; i < 64; i++) {
				struct layout_in in = {.w = w,
					.h = h,
					.notice = i & 1,
					.wrap = i & 2,
					.menu_w = menus[i / 4 % 4],
					.hscroll = i / 16 * 9};

				check(&in, &l);
			}
		}
	}
}

static bool shows(const struct layout *l, int id)
{
	for (int i = 0; i < l->n_cols; i++)
		if ((int)l->cols[i].id == id)
			return true;
	return false;
}

static void a_wider_terminal_never_shows_less(void **state)
{
	(void)state;
	for (int w = LAYOUT_MIN_W; w < MAX_W; w++) {
		struct layout_in in = {.w = w, .h = 24}, wider = {.w = w + 1, .h = 24};
		struct layout a, b;

		layout_compute(&in, &a);
		layout_compute(&wider, &b);
		for (int id = 0; id < COL_NR; id++)
			assert_true(!shows(&a, id) || shows(&b, id));
	}
}

static void a_higher_terminal_never_shows_fewer_rows(void **state)
{
	(void)state;
	for (int notice = 0; notice < 2; notice++) {
		for (int h = LAYOUT_MIN_H; h < MAX_H; h++) {
			struct layout_in in = {.w = 100, .h = h, .notice = notice};
			struct layout_in higher = {.w = 100, .h = h + 1, .notice = notice};
			struct layout a, b;

			layout_compute(&in, &a);
			layout_compute(&higher, &b);
			/* A block of the header may come at the price of a row, not of more. */
			assert_true(b.rows.h >= a.rows.h - 1);
			assert_true(b.rows.h * 2 >= h - 8);
		}
	}
}

static void scrolling_reaches_every_column_and_then_the_query(void **state)
{
	(void)state;
	for (int w = LAYOUT_MIN_W; w < MAX_W; w++) {
		bool seen[COL_NR] = {false};
		struct layout l = {0};
		int step = 0;

		for (; step < 2 * COL_NR && l.query_skip == 0; step++) {
			struct layout_in in = {.w = w, .h = 24, .hscroll = step};

			check(&in, &l);
			for (int i = 0; i < l.n_cols; i++)
				seen[l.cols[i].id] = true;
			assert_true(l.query_skip == 0 || l.hscroll_end);
		}
		assert_true(l.query_skip > 0);
		assert_int_equal(l.n_cols, 2);
		for (int i = 0; i < COL_NR; i++)
			assert_true(seen[i]);
	}
}

static void a_wide_terminal_has_all_columns(void **state)
{
	struct layout_in in = {.w = 240, .h = 50};
	struct layout l;

	(void)state;
	layout_compute(&in, &l);
	assert_int_equal(l.n_cols, COL_NR);
	in.w = 80;
	layout_compute(&in, &l);
	assert_true(shows(&l, COL_WAITING_ON) && shows(&l, COL_BAR) && shows(&l, COL_QUERY));
	in.w = 40;
	layout_compute(&in, &l);
	assert_true(shows(&l, COL_OFF) && shows(&l, COL_WAITING_ON) && shows(&l, COL_AGE));
}

static void a_click_finds_its_column(void **state)
{
	struct layout_in in = {.w = 120, .h = 24};
	struct layout l;

	(void)state;
	layout_compute(&in, &l);
	for (int i = 0; i < l.n_cols; i++) {
		assert_int_equal(layout_column_at(&l, l.cols[i].x), l.cols[i].id);
		assert_int_equal(layout_column_at(&l, l.cols[i].x + l.cols[i].w - 1), l.cols[i].id);
	}
	assert_int_equal(layout_column_at(&l, -1), -1);
	assert_int_equal(layout_column_at(&l, 5000), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_size),
		cmocka_unit_test(every_size_with_panels),
		cmocka_unit_test(a_wider_terminal_never_shows_less),
		cmocka_unit_test(a_higher_terminal_never_shows_fewer_rows),
		cmocka_unit_test(scrolling_reaches_every_column_and_then_the_query),
		cmocka_unit_test(a_wide_terminal_has_all_columns),
		cmocka_unit_test(a_click_finds_its_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
