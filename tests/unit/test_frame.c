/* The grid of cells: clipping, wide characters, and that nothing unfit gets in. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <string.h>

#include "golden.h"
#include "ui/frame.h"
#include "util.h"

static struct frame f;

/* Row y as UTF-8, blanks at its end cut. */
static const char *row(int y)
{
	static char buf[4096];
	_cleanup_free_ char *dump = golden_dump(&f);
	const char *line = dump;
	size_t len;

	for (int i = 0; i < 2 * y; i++)
		line = strchr(line, '\n') + 1;
	len = strcspn(line, "|");
	while (len > 0 && line[len - 1] == ' ')
		len--;
	assert_true(len < sizeof(buf));
	memcpy(buf, line, len);
	buf[len] = '\0';
	golden_assert_sound(&f);
	return buf;
}

static int reset(void **state)
{
	(void)state;
	frame_reset(&f, 10, 3, true, true);
	return 0;
}

static void text_is_clipped_on_every_side(void **state)
{
	(void)state;
	assert_int_equal(frame_put(&f, 7, 0, 100, STYLE_NORMAL, "abcdef"), 3);
	assert_string_equal(row(0), "       abc");
	assert_int_equal(frame_put(&f, 0, 1, 4, STYLE_NORMAL, "abcdef"), 4);
	assert_string_equal(row(1), "abcd");
	frame_put(&f, -2, 2, 100, STYLE_NORMAL, "abcdef");
	assert_string_equal(row(2), "cdef");
	frame_put(&f, 0, -1, 100, STYLE_NORMAL, "xxx");
	frame_put(&f, 0, 3, 100, STYLE_NORMAL, "xxx");
	frame_put(&f, 10, 0, 100, STYLE_NORMAL, "xxx");
	assert_int_equal(frame_put(&f, 0, 0, 0, STYLE_NORMAL, "xxx"), 0);
	assert_int_equal(frame_put(&f, 0, 0, -5, STYLE_NORMAL, "xxx"), 0);
	assert_int_equal(frame_put(&f, 0, 0, 5, STYLE_NORMAL, NULL), 0);
	assert_string_equal(row(0), "       abc");
}

static void a_wide_character_is_never_cut(void **state)
{
	(void)state;
	/* Five wide characters in nine columns: four, and one column left alone. */
	assert_int_equal(frame_put(&f, 0, 0, 9, STYLE_NORMAL, "\u6f22\u5b57\u6f22\u5b57\u6f22"), 8);
	assert_string_equal(row(0), "\u6f22\u5b57\u6f22\u5b57");
	/* At the right edge of the grid, from an odd column. */
	assert_int_equal(frame_put(&f, 5, 1, 100, STYLE_NORMAL, "\u6f22\u5b57\u6f22"), 4);
	/* Half outside at the left: neither half shows. */
	frame_put(&f, -1, 2, 100, STYLE_NORMAL, "\u6f22x");
	assert_string_equal(row(2), " x");
}

static void overwriting_half_of_a_wide_character_blanks_the_other(void **state)
{
	(void)state;
	frame_put(&f, 0, 0, 10, STYLE_NORMAL, "\u6f22\u5b57");
	frame_put(&f, 1, 0, 1, STYLE_NORMAL, "x");
	assert_string_equal(row(0), " x\u5b57");
	frame_put(&f, 2, 0, 1, STYLE_NORMAL, "y");
	assert_string_equal(row(0), " xy");
	frame_put(&f, 4, 0, 10, STYLE_NORMAL, "\u6f22\u5b57");
	frame_put(&f, 5, 0, 2, STYLE_NORMAL, "\u6f22"); /* over two halves */
	assert_string_equal(row(0), " xy  \u6f22");
}

static void nothing_unfit_gets_in(void **state)
{
	(void)state;
	frame_put(&f, 0, 0, 10, STYLE_NORMAL, "a\033[31m\tb\r\n");
	assert_string_equal(row(0), "a?[31m?b??");
	frame_put(&f, 0, 1, 10, STYLE_NORMAL,
		"\xe9"
		"x\xc2\x9b"
		"y\xff\x7f");
	assert_string_equal(row(1), "?x?y??");
	frame_put(&f, 0, 2, 10, STYLE_NORMAL, "\u0301x"); /* nothing to combine with */
	assert_string_equal(row(2), "?x");
	frame_glyph(&f, 0, 2, STYLE_NORMAL, '\033');
	frame_glyph(&f, 1, 2, STYLE_NORMAL, 0x9b);
	assert_string_equal(row(2), "??");
}

static void combining_marks_stay_with_their_base(void **state)
{
	(void)state;
	assert_int_equal(frame_put(&f, 0, 0, 2, STYLE_NORMAL, "e\u0301o\u0308u"), 2);
	assert_string_equal(row(0), "e\u0301o\u0308");
	/* More marks than a cell holds. */
	frame_put(&f, 0, 1, 10, STYLE_NORMAL, "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301x");
	assert_int_equal(frame_at(&f, 1, 1)->ch[0], 'x');
}

static void without_utf8_everything_else_is_a_question_mark(void **state)
{
	(void)state;
	frame_reset(&f, 10, 3, false, true);
	assert_int_equal(frame_put(&f, 0, 0, 10, STYLE_NORMAL, "\u00e9a\u6f22e\u0301"), 4);
	assert_string_equal(row(0), "?a??");
	assert_int_equal(frame_text_width(&f, "\u6f22"), 1);
	frame_glyph(&f, 0, 1, STYLE_NORMAL, 0x2588);
	assert_string_equal(row(1), "?");
}

static void a_field_fills_its_width(void **state)
{
	(void)state;
	frame_put(&f, 0, 0, 10, STYLE_NORMAL, "xxxxxxxxxx");
	frame_field(&f, 1, 0, 5, ALIGN_RIGHT, STYLE_WARN, "42");
	assert_string_equal(row(0), "x   42xxxx");
	frame_field(&f, 1, 0, 5, ALIGN_LEFT, STYLE_WARN, "42");
	assert_string_equal(row(0), "x42   xxxx");
	frame_field(&f, 1, 0, 5, ALIGN_RIGHT, STYLE_WARN, "1234567");
	assert_string_equal(row(0), "x12345xxxx");
	assert_int_equal(frame_at(&f, 5, 0)->style, STYLE_WARN);
	assert_int_equal(frame_at(&f, 6, 0)->style, STYLE_NORMAL);
	frame_field(&f, 0, 1, 0, ALIGN_LEFT, STYLE_WARN, "x");
	frame_field(&f, 0, 1, -3, ALIGN_RIGHT, STYLE_WARN, "x");
	assert_string_equal(row(1), "");
}

static void selection_marks_cells_and_survives_drawing(void **state)
{
	(void)state;
	frame_select(&f, (struct rect){-5, 1, 100, 1});
	frame_put(&f, 0, 1, 10, STYLE_NORMAL, "\u6f22");
	for (int x = 0; x < 10; x++) {
		assert_true(frame_at(&f, x, 1)->selected);
		assert_false(frame_at(&f, x, 0)->selected);
	}
	frame_fill(&f, (struct rect){-3, -3, 2000, 2000}, STYLE_DIM);
	golden_assert_sound(&f);
	assert_int_equal(frame_at(&f, 9, 2)->style, STYLE_DIM);
}

static void sizes_are_clamped(void **state)
{
	(void)state;
	frame_reset(&f, 0, -4, true, true);
	assert_int_equal(f.w, 1);
	assert_int_equal(f.h, 1);
	assert_null(frame_at(&f, 1, 0));
	frame_reset(&f, 1 << 30, 2, true, true);
	assert_int_equal(f.w, FRAME_MAX);
	frame_release(&f);
	frame_release(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(text_is_clipped_on_every_side, reset),
		cmocka_unit_test_setup(a_wide_character_is_never_cut, reset),
		cmocka_unit_test_setup(
			overwriting_half_of_a_wide_character_blanks_the_other, reset),
		cmocka_unit_test_setup(nothing_unfit_gets_in, reset),
		cmocka_unit_test_setup(combining_marks_stay_with_their_base, reset),
		cmocka_unit_test_setup(without_utf8_everything_else_is_a_question_mark, reset),
		cmocka_unit_test_setup(a_field_fills_its_width, reset),
		cmocka_unit_test_setup(selection_marks_cells_and_survives_drawing, reset),
		cmocka_unit_test_setup(sizes_are_clamped, reset),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
