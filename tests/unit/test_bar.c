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
	/* lock: exactly 1/20 of the time on 10 cells; the remainders alone would give it none. */
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

/* No cell is empty and no slot is left out, whichever are more. */
static void slots_fill_every_cell(void **state)
{
	(void)state;
	for (int width = 1; width < 60; width++) {
		for (size_t n = 1; n < 130; n++) {
			size_t next = 0, cells[130] = {0};

			for (int i = 0; i < width; i++) {
				size_t first, last;

				bar_slots(width, n, i, &first, &last);
				assert_true(last > first);
				assert_true(first <= next && last >= next);
				for (size_t j = first; j < last; j++)
					cells[j]++;
				next = last;
			}
			assert_int_equal(next, n);
			for (size_t j = 0; j < n; j++) {
				size_t fair = MAX((size_t)width / n, 1);

				assert_in_range(cells[j], fair, fair + (n < (size_t)width));
			}
		}
	}
	{
		size_t first = 7, last = 7;

		bar_slots(10, 0, 3, &first, &last);
		assert_int_equal(last - first, 0);
	}
}

static void the_known_part_of_a_window(void **state)
{
	const uint64_t s = 1000000000;

	(void)state;
	assert_int_equal(bar_known_cells(73, 20, 10 * s, 10 * s), 73);
	assert_int_equal(bar_known_cells(73, 20, 9600 * s / 1000, 10 * s), 73); /* half a slot */
	assert_int_equal(bar_known_cells(100, 10, 5 * s, 10 * s), 50);
	assert_int_equal(bar_known_cells(100, 1, s / 1000, 3600 * s), 1);
	assert_int_equal(bar_known_cells(100, 0, 0, 10 * s), 0);
	assert_int_equal(bar_known_cells(0, 5, s, 10 * s), 0);
	assert_int_equal(bar_known_cells(-3, 5, s, 10 * s), 0);
	assert_int_equal(bar_known_cells(100, 5, s, 0), 100);
	for (int width = 1; width < 300; width++) {
		for (size_t n = 1; n <= 20; n++) { /* slots of half a second */
			int cells = bar_known_cells(width, n, n * s / 2, 10 * s);

			assert_in_range(cells, 1, width);
			assert_int_equal(bar_window_full(n, n * s / 2, 10 * s), n >= 19);
			assert_int_equal(cells,
				n >= 19 ? width : MAX(1, (int)((n * (size_t)width + 10) / 20)));
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

static void history_fills_its_width(void **state)
{
	const uint8_t slots[] = {WAIT_CPU, WAIT_NR, WAIT_LOCK};
	struct frame f = {0};

	(void)state;
	frame_reset(&f, 8, 1, true, true);
	bar_history(&f, 1, 0, 6, slots, ARRAY_SIZE(slots));
	for (int x = 0; x < 8; x++) {
		int type = x == 1 || x == 2 ? WAIT_CPU : x == 5 || x == 6 ? WAIT_LOCK : WAIT_NR;

		if (type == WAIT_NR)
			assert_int_equal(frame_at(&f, x, 0)->ch[0], ' ');
		else
			assert_int_equal(
				frame_at(&f, x, 0)->style, style_bar((enum wait_type)type));
	}
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
		cmocka_unit_test(slots_fill_every_cell),
		cmocka_unit_test(the_known_part_of_a_window),
		cmocka_unit_test(the_dominant_type_is_the_most_frequent_then_the_latest),
		cmocka_unit_test(history_fills_its_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
