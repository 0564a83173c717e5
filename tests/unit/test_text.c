/* Cleaning, decoding, measuring and cutting text. */
#include "unit.h"

#include <langinfo.h>
#include <locale.h>

#include "arena.h"
#include "text.h"
#include "util.h"

#define E_ACUTE	 "\xc3\xa9"
#define ACUTE	 "\xcc\x81" /* combining */
#define E_MARK	 "e\xcc\x81"
#define KANJI	 "\xe6\xbc\xa2\xe5\xad\x97"
#define ELEPHANT "\xf0\x9f\x90\x98"
#define ZWSP	 "\xe2\x80\x8b"
#define RLO	 "\xe2\x80\xae"

static const char *clean(const char *src, size_t len, enum text_flags flags)
{
	static char dst[256];
	size_t n = text_clean(dst, sizeof(dst), src, len, flags);

	assert_int_equal(n, strlen(dst));
	return dst;
}

static void clean_one_line(void **state)
{
	static const struct {
		const char *src, *want;
	} cases[] = {
		{"", ""}, {"plain", "plain"}, {E_ACUTE KANJI ELEPHANT, E_ACUTE KANJI ELEPHANT},
		{"e" ACUTE, "e" ACUTE}, {"caf\xe9", "caf?"}, /* LATIN1 */
		{"\xe9t\xe9", "?t?"},			     /* LATIN1 */
		{"a\xe6\xbc", "a??"},			     /* cut in mid-character */
		{"\xc0\x80", "??"},			     /* overlong NUL */
		{"\xc1\xbf\xe0\x9f\xbf", "?????"},	     /* overlong */
		{"\xed\xa0\x80", "???"},		     /* surrogate */
		{"\xf4\x90\x80\x80", "????"},		     /* beyond U+10FFFF */
		{"\xf5\xff\xfe", "???"}, {"\x80\xbf", "??"}, {"a\nb\tc", "a b c"},
		{"a\r\nb", "a b"}, {"a\rb", "a?b"}, {"\x1b[31mred\x1b[0m", "?[31mred?[0m"},
		{"\x1b]52;c;aGk=\x07", "?]52;c;aGk=?"}, /* OSC 52 */
		{"a\x9b"
		 "31m",
			"a?31m"}, /* C1 as a byte */
		{"a\xc2\x9b"
		 "31m",
			"a?31m"}, /* C1 as a character */
		{"\x7f", "?"}, {"ad" ZWSP "min", "ad?min"}, {"x" RLO "gpj.exe", "x?gpj.exe"},
		{"\xef\xbb\xbf"
		 "bom",
			"?bom"},
		{"\xe2\x9d\xa4\xef\xb8\x8f", "\xe2\x9d\xa4"},  /* variation selector */
		{ACUTE "x", "?x"},			       /* nothing to combine with */
		{"\n" ACUTE, " ?"}, {"\xf3\xa0\x81\x81", "?"}, /* tag */
		{"\xef\xbf\xbe", "?"},			       /* noncharacter */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(
			clean(cases[i].src, strlen(cases[i].src), TEXT_ONE_LINE), cases[i].want);
}

static void clean_keeps_lines_of_a_query(void **state)
{
	(void)state;
	assert_string_equal(clean("a\r\n\tb\n\x1b", 7, TEXT_KEEP_LINES), "a\n\tb\n?");
	assert_string_equal(clean("a\rb\vc\f", 6, TEXT_KEEP_LINES), "a?b?c?");
}

static void clean_stops_at_len_and_at_nul(void **state)
{
	(void)state;
	assert_string_equal(clean("abcdef", 3, TEXT_ONE_LINE), "abc");
	assert_string_equal(clean("ab\0cd", 5, TEXT_ONE_LINE), "ab");
	assert_string_equal(clean("a\r\n", 2, TEXT_ONE_LINE), "a?");
}

static void clean_limits_combining_marks(void **state)
{
	char src[2 * 100 + 3] = "a", want[2 * TEXT_MAX_COMBINING + 3] = "a";

	(void)state;
	for (int i = 0; i < 100; i++)
		strcat(src, ACUTE);
	strcat(src, "b");
	for (int i = 0; i < TEXT_MAX_COMBINING; i++)
		strcat(want, ACUTE);
	strcat(want, "b");
	assert_string_equal(clean(src, strlen(src), TEXT_ONE_LINE), want);
}

static void clean_cuts_at_a_character(void **state)
{
	char dst[8];

	(void)state;
	memset(dst, 'x', sizeof(dst));
	assert_int_equal(text_clean(dst, 0, "abc", 3, TEXT_ONE_LINE), 0);
	assert_int_equal(dst[0], 'x');
	assert_int_equal(text_clean(dst, 1, "abc", 3, TEXT_ONE_LINE), 0);
	assert_string_equal(dst, "");
	assert_int_equal(text_clean(dst, 3, "a" E_ACUTE, 3, TEXT_ONE_LINE), 1);
	assert_string_equal(dst, "a");
	assert_int_equal(dst[3], 'x');
	assert_int_equal(text_clean(dst, 4, "a" E_ACUTE, 3, TEXT_ONE_LINE), 3);
}

static void clean_into_an_arena(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_null(text_clean_arena(a, NULL, 10, TEXT_ONE_LINE));
	assert_string_equal(text_clean_arena(a,
				    "a\x01"
				    "b",
				    3, TEXT_ONE_LINE),
		"a?b");
	assert_string_equal(text_clean_arena(a, "", 0, TEXT_ONE_LINE), "");
	arena_free(a);
}

/* Whatever goes in: valid, no control, not longer, and clean already if cleaned again. */
static void clean_any_bytes(void **state)
{
	uint64_t seed = 1;
	char src[64], dst[64], again[64];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t len = unit_random(&seed, sizeof(src)), size = 1 + unit_random(&seed, 64), n;
		enum text_flags flags = round & 1 ? TEXT_KEEP_LINES : TEXT_ONE_LINE;
		uint32_t cp;

		for (size_t i = 0; i < len; i++)
			src[i] = (char)(round & 2 ? unit_random(&seed, 256)
						  : 0x80 + unit_random(&seed, 0x75));
		n = text_clean(dst, size, src, len, flags);
		assert_true(n < size && n <= len && !dst[n]);
		for (size_t i = 0, m; i < n; i += m) {
			m = text_decode(dst + i, n - i, &cp);
			assert_int_not_equal(cp, TEXT_BAD);
			if (flags != TEXT_KEEP_LINES || (cp != '\n' && cp != '\t'))
				assert_true(text_char_width(cp) >= 0);
		}
		assert_int_equal(text_clean(again, sizeof(again), dst, n, flags), n);
		assert_memory_equal(again, dst, n + 1);
		memcpy(again, src, len);
		if (size == sizeof(again)) { /* in place */
			text_clean(again, size, again, len, flags);
			assert_string_equal(again, dst);
		}
	}
}

static void every_code_point_survives(void **state)
{
	char bytes[4];

	(void)state;
	for (uint32_t cp = 1; cp <= 0x10ffff; cp++) {
		uint32_t back;
		size_t n;

		if (cp == 0xd800)
			cp = 0xe000;
		n = text_encode(bytes, cp);
		if (text_decode(bytes, n, &back) != n || back != cp)
			fail_msg("U+%04X became U+%04X", cp, back);
		if (n > 1 && text_decode(bytes, n - 1, &back) != 1)
			fail_msg("U+%04X decoded without its last byte", cp);
	}
}

static void widths(void **state)
{
	static const struct {
		const char *s;
		size_t width;
	} cases[] = {
		{"", 0},
		{"abc", 3},
		{E_ACUTE, 1},
		{"e" ACUTE, 1},
		{KANJI, 4},
		{ELEPHANT "x", 3},
		{"\xe9", 1}, /* not clean, but measured as drawn: '?' */
		{"a\x1b", 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(text_width(cases[i].s), cases[i].width);
	assert_int_equal(text_char_width(0x1b), -1);
	assert_int_equal(text_char_width(0x9b), -1);
	assert_int_equal(text_char_width(TEXT_BAD), -1);
	assert_int_equal(text_char_width(0x301), 0);
}

static void widths_under_other_locales(void **state)
{
	static const char *const names[] = {"C", "POSIX", "C.UTF-8"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_non_null(setlocale(LC_ALL, names[i]));
		widths(state);
		clean_one_line(state);
	}
	setlocale(LC_ALL, "C");
	assert_string_not_equal(nl_langinfo(CODESET), "UTF-8");
	text_locale_pop(text_locale_push());
	assert_string_not_equal(nl_langinfo(CODESET), "UTF-8");
}

static void cut_on_a_cell_edge(void **state)
{
	static const struct {
		const char *s;
		size_t max, bytes, cells;
	} cases[] = {
		{"abc", 0, 0, 0},
		{"abc", 2, 2, 2},
		{"abc", 9, 3, 3},
		{KANJI, 1, 0, 0},
		{KANJI, 3, 3, 2}, /* the second would end in cell 4 */
		{KANJI, 4, 6, 4},
		{"e" ACUTE "f", 1, 3, 1}, /* the mark goes with its letter */
		{"e" ACUTE "f", 0, 0, 0},
		{"a" ELEPHANT, 2, 1, 1},
		{"\xe9\xe9", 1, 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t cells = 99;

		assert_int_equal(text_cut(cases[i].s, cases[i].max, &cells), cases[i].bytes);
		assert_int_equal(cells, cases[i].cells);
		assert_int_equal(text_cut(cases[i].s, cases[i].max, NULL), cases[i].bytes);
	}
}

static void cut_any_text_at_any_width(void **state)
{
	static const char *const parts[] = {"a", E_ACUTE, E_MARK, KANJI, ELEPHANT, "\xe9", " "};
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 500; round++) {
		char s[256] = "";
		size_t total;

		for (uint32_t n = unit_random(&seed, 20); n; n--)
			strcat(s, parts[unit_random(&seed, ARRAY_SIZE(parts))]);
		total = text_width(s);
		for (size_t max = 0; max <= total + 1; max++) {
			char head[256] = "";
			size_t cells, n = text_cut(s, max, &cells);

			memcpy(head, s, n);
			assert_int_equal(text_width(head), cells);
			assert_true(cells <= max && cells + 1 >= MIN(max, total));
			assert_int_equal(text_width(s + n) + cells, total);
		}
	}
}

static void fold_to_one_line(void **state)
{
	static const struct {
		const char *s, *want;
		size_t size;
	} cases[] = {
		{"", "", 32},
		{"  \n\t ", "", 32},
		{" select  1,\n\t 2 \n", "select 1, 2", 32},
		{"a " KANJI, "a", 5}, /* no blank at the end, no half character */
		{"a b", "a", 3},
		{"abc", "ab", 3},
		{"abc", "", 1},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char dst[32];

		assert_int_equal(text_fold(dst, cases[i].size, cases[i].s), strlen(cases[i].want));
		assert_string_equal(dst, cases[i].want);
	}
	assert_int_equal(text_fold(NULL, 0, "abc"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clean_one_line),
		cmocka_unit_test(clean_keeps_lines_of_a_query),
		cmocka_unit_test(clean_stops_at_len_and_at_nul),
		cmocka_unit_test(clean_limits_combining_marks),
		cmocka_unit_test(clean_cuts_at_a_character),
		cmocka_unit_test(clean_into_an_arena),
		cmocka_unit_test(clean_any_bytes),
		cmocka_unit_test(every_code_point_survives),
		cmocka_unit_test(widths),
		cmocka_unit_test(widths_under_other_locales),
		cmocka_unit_test(cut_on_a_cell_edge),
		cmocka_unit_test(cut_any_text_at_any_width),
		cmocka_unit_test(fold_to_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
