/* The breakdown bar: exact sums, nothing that counts is invisible, the same every time. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "golden.h"
#include "ui/bar.h"
#include "util.h"

static int sum(const int cells[WAIT_NR])
{
	int n = 0;

	for (int i = 0; i < WAIT_NR; i++) {
		assert_true(cells[i] >= 0);
		n += cells[i];
	}
	return n;
}

static void shares_become_cells(void **state)
{
	struct wait_times t = {0};
	int cells[WAIT_NR];

	(void)state;
	t.ns[WAIT_CPU] = 30;
	t.ns[WAIT_IO] = 50;
	t.ns[WAIT_LOCK] = 20;
	bar_cells(&t, 10, cells);
	assert_int_equal(cells[WAIT_CPU], 3);
	assert_int_equal(cells[WAIT_IO], 5);
	assert_int_equal(cells[WAIT_LOCK], 2);
	/* 4.5 4.5 1: the first of equal remainders gets the cell. */
	t.ns[WAIT_CPU] = t.ns[WAIT_IO] = 45;
	t.ns[WAIT_LOCK] = 10;
	bar_cells(&t, 10, cells);
	assert_int_equal(cells[WAIT_CPU], 5);
	assert_int_equal(cells[WAIT_IO], 4);
	assert_int_equal(cells[WAIT_LOCK], 1);
}

static void a_small_share_is_seen_from_half_a_cell_on(void **state)
{
	struct wait_times t = {0};
	int cells[WAIT_NR];

	(void)state;
	/* lock: exactly 1/20 of the time on 10 cells; the remainders alone would give it nothing.
	 */
	t.ns[WAIT_CPU] = 255;
	t.ns[WAIT_IO] = 395;
	t.ns[WAIT_LWLOCK] = 300;
	t.ns[WAIT_LOCK] = 50;
	bar_cells(&t, 10, cells);
	assert_int_equal(cells[WAIT_LOCK], 1);
	assert_int_equal(sum(cells), 10);
	t.ns[WAIT_LOCK] = 40;
	t.ns[WAIT_IO] = 405;
	bar_cells(&t, 10, cells);
	assert_int_equal(sum(cells), 10);
	assert_int_equal(cells[WAIT_LOCK], 0);
}

static void extremes(void **state)
{
	struct wait_times t = {0};
	int cells[WAIT_NR];

	(void)state;
	bar_cells(&t, 10, cells);
	assert_int_equal(sum(cells), 0);
	t.ns[WAIT_UNKNOWN] = 1;
	bar_cells(&t, 0, cells);
	assert_int_equal(sum(cells), 0);
	bar_cells(&t, -3, cells);
	assert_int_equal(sum(cells), 0);
	bar_cells(&t, 1, cells);
	assert_int_equal(cells[WAIT_UNKNOWN], 1);
	for (int i = 0; i < WAIT_NR; i++)
		t.ns[i] = UINT64_MAX;
	bar_cells(&t, 26, cells);
	for (int i = 0; i < WAIT_NR; i++)
		assert_int_equal(cells[i], 2);
}

static void sums_are_exact_and_shares_fair(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 20000; round++) {
		struct wait_times t = {0};
		int width = 1 + rand() % 200, cells[WAIT_NR], again[WAIT_NR];
		double total;

		for (int i = 0; i < WAIT_NR; i++)
			if (rand() % 3)
				t.ns[i] = (uint64_t)rand() >> (rand() % 31);
		t.ns[rand() % WAIT_NR] += 1;
		total = (double)wait_times_sum(&t);
		bar_cells(&t, width, cells);
		bar_cells(&t, width, again);
		assert_memory_equal(cells, again, sizeof(cells));
		assert_int_equal(sum(cells), width);
		for (int i = 0; i < WAIT_NR; i++) {
			double exact = (double)t.ns[i] * width / total;

			/* At most the cells of all small types come off a large one. */
			assert_true(cells[i] < exact + 1 + 1e-6);
			assert_true(cells[i] > exact - 1 - WAIT_NR);
			if (t.ns[i] == 0)
				assert_int_equal(cells[i], 0);
			if (exact >= 0.5 && width >= 2 * WAIT_NR)
				assert_true(cells[i] > 0);
		}
	}
}

static void every_slot_lands_in_one_cell(void **state)
{
	(void)state;
	for (int width = 1; width < 60; width++) {
		for (size_t n = 0; n < 130; n++) {
			size_t next = 0;

			for (int i = 0; i < width; i++) {
				size_t first, last;

				bar_slots(width, n, i, &first, &last);
				if (first == last)
					continue;
				assert_int_equal(first, next);
				assert_true(last > first);
				next = last;
			}
			assert_int_equal(next, n);
		}
	}
}

static void the_dominant_type_is_the_most_frequent_then_the_latest(void **state)
{
	const uint8_t none[] = {WAIT_NR, WAIT_NR}, tie[] = {WAIT_IO, WAIT_LOCK, WAIT_NR};
	const uint8_t most[] = {WAIT_IO, WAIT_IO, WAIT_LOCK};

	(void)state;
	assert_int_equal(bar_dominant(none, 2), WAIT_NR);
	assert_int_equal(bar_dominant(none, 0), WAIT_NR);
	assert_int_equal(bar_dominant(tie, 3), WAIT_LOCK);
	assert_int_equal(bar_dominant(most, 3), WAIT_IO);
}

static void history_is_drawn_at_the_right_edge(void **state)
{
	const uint8_t slots[] = {WAIT_CPU, WAIT_NR, WAIT_LOCK};
	struct frame f = {0};

	(void)state;
	frame_reset(&f, 6, 1, true, true);
	bar_history(&f, 1, 0, 5, slots, ARRAY_SIZE(slots));
	assert_int_equal(frame_at(&f, 2, 0)->ch[0], ' ');
	assert_int_equal(frame_at(&f, 3, 0)->style, style_bar(WAIT_CPU));
	assert_int_equal(frame_at(&f, 4, 0)->ch[0], ' ');
	assert_int_equal(frame_at(&f, 5, 0)->style, style_bar(WAIT_LOCK));
	bar_history(&f, 0, 0, 6, NULL, 0);
	frame_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_become_cells),
		cmocka_unit_test(a_small_share_is_seen_from_half_a_cell_on),
		cmocka_unit_test(extremes),
		cmocka_unit_test(sums_are_exact_and_shares_fair),
		cmocka_unit_test(every_slot_lands_in_one_cell),
		cmocka_unit_test(the_dominant_type_is_the_most_frequent_then_the_latest),
		cmocka_unit_test(history_is_drawn_at_the_right_edge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
