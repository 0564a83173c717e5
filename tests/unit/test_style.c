/* The looks: every style readable, every wait type distinct, on any number of colours. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "ui/style.h"
#include "util.h"

static const int palettes[] = {256, 16, 8, 0};

static bool same(struct style_look a, struct style_look b)
{
	return a.fg == b.fg && a.bg == b.bg && a.flags == b.flags;
}

static void names_are_distinct(void **state)
{
	char a[STYLE_NAME_BUF], b[STYLE_NAME_BUF];

	(void)state;
	for (int i = 0; i < STYLE_NR; i++)
		for (int j = 0; j < i; j++)
			assert_string_not_equal(
				style_name((enum ui_style)i, a), style_name((enum ui_style)j, b));
}

static void nothing_is_written_in_its_own_ground(void **state)
{
	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(palettes); p++) {
		for (int i = 0; i < STYLE_NR; i++) {
			for (int sel = 0; sel < 2; sel++) {
				struct style_look l =
					style_look((enum ui_style)i, sel, palettes[p]);

				assert_true(l.fg != l.bg || l.fg == -1);
				assert_true(l.fg >= -1 && l.bg >= -1);
				assert_true(l.fg < MAX(palettes[p], 1));
				assert_true(l.bg < MAX(palettes[p], 1));
			}
		}
	}
}

static void without_colour_none_is_used(void **state)
{
	(void)state;
	for (int i = 0; i < STYLE_NR; i++) {
		struct style_look l = style_look((enum ui_style)i, false, 0);

		assert_int_equal(l.fg, -1);
		assert_int_equal(l.bg, -1);
	}
}

static void bars_of_different_types_look_different(void **state)
{
	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(palettes); p++)
		for (int i = 0; i < WAIT_NR; i++)
			for (int j = 0; j < i; j++)
				if (palettes[p] >= 8)
					assert_false(same(style_look(style_bar((enum wait_type)i),
								  false, palettes[p]),
						style_look(style_bar((enum wait_type)j), false,
							palettes[p])));
	/* With 16 colours or more the ground alone tells them apart, graphs included. */
	for (int i = 0; i < WAIT_NR; i++)
		for (int j = 0; j < i; j++)
			assert_int_not_equal(
				style_look(style_bar((enum wait_type)i), false, 256).bg,
				style_look(style_bar((enum wait_type)j), false, 256).bg);
}

static void the_selection_is_visible_everywhere(void **state)
{
	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(palettes); p++) {
		for (int i = 0; i < STYLE_BAR; i++) {
			struct style_look l = style_look((enum ui_style)i, true, palettes[p]);

			if (palettes[p] < 8)
				assert_true(l.flags & SF_REVERSE);
			else
				assert_int_not_equal(l.bg, -1);
			assert_false(l.flags & SF_DIM);
		}
	}
}

/* 8 colours come with 64 pairs: more would silently lose colours. */
static void the_pairs_are_few(void **state)
{
	(void)state;
	for (size_t p = 0; p < ARRAY_SIZE(palettes); p++) {
		struct style_look seen[2 * STYLE_NR];
		size_t n = 0;

		for (int i = 0; i < 2 * STYLE_NR; i++) {
			struct style_look l =
				style_look((enum ui_style)(i / 2), i % 2, palettes[p]);
			size_t j = 0;

			while (j < n && (seen[j].fg != l.fg || seen[j].bg != l.bg))
				j++;
			if (j == n)
				seen[n++] = l;
		}
		assert_true(n < 60);
	}
}

static double channel(int v)
{
	double c = v / 255.0;

	return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* Relative luminance (WCAG) of a colour of the 256 palette's cube or grey ramp. */
static double luminance(int n)
{
	int r, g, b;

	if (n < 0)
		return 0; /* the terminal's own ground, taken as black */
	if (n >= 232) {
		r = g = b = 8 + 10 * (n - 232);
	} else {
		int v[3] = {(n - 16) / 36, (n - 16) / 6 % 6, (n - 16) % 6};

		r = v[0] ? 55 + 40 * v[0] : 0;
		g = v[1] ? 55 + 40 * v[1] : 0;
		b = v[2] ? 55 + 40 * v[2] : 0;
	}
	return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
}

static double contrast(int a, int b)
{
	double x = luminance(a) + 0.05, y = luminance(b) + 0.05;

	return x > y ? x / y : y / x;
}

static void text_has_contrast(void **state)
{
	(void)state;
	for (int i = 0; i < STYLE_NR; i++) {
		struct style_look l = style_look((enum ui_style)i, false, 256);
		bool bar = i >= STYLE_BAR && i < STYLE_TYPE;
		/* A letter in a bar is meant to be faint; so are dim texts, a little. */
		double least = bar ? 1.2 : i >= STYLE_GRAPH ? 1.5 : 4.0;

		if (l.fg == -1)
			continue;
		assert_true(contrast(l.fg, l.bg) >= least);
		l = style_look((enum ui_style)i, true, 256);
		if (!bar)
			assert_true(contrast(l.fg, l.bg) >= 4.5);
	}
}

/* Whoever cannot tell the hues apart still sees where one type ends and the next begins. */
static void neighbours_in_the_bar_differ_in_lightness(void **state)
{
	(void)state;
	for (int i = 1; i < WAIT_NR; i++)
		assert_true(
			contrast(style_look(style_bar((enum wait_type)i), false, 256).bg,
				style_look(style_bar((enum wait_type)(i - 1)), false, 256).bg) >=
			1.15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_distinct),
		cmocka_unit_test(nothing_is_written_in_its_own_ground),
		cmocka_unit_test(without_colour_none_is_used),
		cmocka_unit_test(bars_of_different_types_look_different),
		cmocka_unit_test(the_selection_is_visible_everywhere),
		cmocka_unit_test(the_pairs_are_few),
		cmocka_unit_test(text_has_contrast),
		cmocka_unit_test(neighbours_in_the_bar_differ_in_lightness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
