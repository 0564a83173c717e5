/* Numbers with units, read and written. */
#include "unit.h"

#include <errno.h>
#include <float.h>
#include <locale.h>

#include "comma_locale.h"
#include "units.h"
#include "util.h"

#define UNTOUCHED 4711

struct parse_case {
	const char *s;
	int err;
	uint64_t want;
};

static void check_parser(
	int (*parse)(const char *, uint64_t *), const struct parse_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t got = UNTOUCHED, want = cases[i].err ? UNTOUCHED : cases[i].want;
		int err = parse(cases[i].s, &got);

		if (err != cases[i].err || got != want)
			fail_msg("\"%s\": %d, %llu", cases[i].s, err, (unsigned long long)got);
	}
}

static void parse_durations(void **state)
{
	static const struct parse_case cases[] = {
		{"0", 0, 0},
		{"1", 0, NSEC_PER_SEC},
		{"1s", 0, NSEC_PER_SEC},
		{"0.5", 0, 500000000},
		{"0.5s", 0, 500000000},
		{".5s", 0, 500000000},
		{"5.", 0, 5 * NSEC_PER_SEC},
		{"250ms", 0, 250000000},
		{"100us", 0, 100000},
		{"7ns", 0, 7},
		{"5m", 0, 300 * NSEC_PER_SEC},
		{"1h", 0, 3600 * NSEC_PER_SEC},
		{"1.5h", 0, 5400 * NSEC_PER_SEC},
		{"0.1", 0, 100000000}, /* exact, unlike a double */
		{"0.000000001s", 0, 1},
		{"1.9ns", 0, 1}, /* cut, not rounded */
		{"0.00000000099", 0, 0},
		{"0.123456789123456789123456789s", 0, 123456789},
		{"0000000000000000000000001", 0, NSEC_PER_SEC},
		{"18446744073709551615ns", 0, UINT64_MAX},
		{"18446744073709551616ns", -ERANGE, 0},
		{"18446744073.709551615", 0, UINT64_MAX},
		{"18446744073.709551616", -ERANGE, 0},
		{"99999999999999999999999h", -ERANGE, 0},
		{"6000000h", -ERANGE, 0},
		{"", -EINVAL, 0},
		{".", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{"1S", -EINVAL, 0},
		{"1sec", -EINVAL, 0},
		{"1d", -EINVAL, 0},
		{"1,5s", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
		{"0x10", -EINVAL, 0},
		{"nan", -EINVAL, 0},
		{"inf", -EINVAL, 0},
		{"1.2.3", -EINVAL, 0},
		{"99999999999999999999999x", -EINVAL, 0},
	};

	(void)state;
	check_parser(units_parse_duration, cases, ARRAY_SIZE(cases));
}

static void parse_sizes(void **state)
{
	static const struct parse_case cases[] = {
		{"0", 0, 0},
		{"4096", 0, 4096},
		{"64K", 0, 65536},
		{"64k", 0, 65536},
		{"64KB", 0, 65536},
		{"64KiB", 0, 65536},
		{"64kib", 0, 65536},
		{"100B", 0, 100},
		{"1.5M", 0, 1572864},
		{"1G", 0, 1ULL << 30},
		{"17179869183G", 0, UINT64_MAX - (1ULL << 30) + 1},
		{"17179869184G", -ERANGE, 0},
		{"18446744073709551616", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"K", -EINVAL, 0},
		{"1T", -EINVAL, 0},
		{"1KM", -EINVAL, 0},
		{"1i", -EINVAL, 0},
		{"-1K", -EINVAL, 0},
		{"1 K", -EINVAL, 0},
	};

	(void)state;
	check_parser(units_parse_size, cases, ARRAY_SIZE(cases));
}

static void parse_integers(void **state)
{
	static const struct parse_case cases[] = {
		{"0", 0, 0},
		{"10", 0, 10},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
		{"1s", -EINVAL, 0},
	};

	(void)state;
	check_parser(units_parse_u64, cases, ARRAY_SIZE(cases));
}

static void format_durations(void **state)
{
	static const struct {
		uint64_t ns;
		const char *want;
	} cases[] = {
		{0, "0"},
		{1, "1ns"},
		{999, "999ns"},
		{1000, "1.00us"},
		{1239, "1.23us"},
		{12399, "12.3us"},
		{999999, "999us"},
		{1000000, "1.00ms"},
		{12300000, "12.3ms"},
		{999999999, "999ms"},
		{NSEC_PER_SEC, "1.00s"},
		{9999999999, "9.99s"},
		{59999999999, "59.9s"},
		{60 * NSEC_PER_SEC, "1:00"},
		{65 * NSEC_PER_SEC, "1:05"},
		{3599 * NSEC_PER_SEC, "59:59"},
		{3600 * NSEC_PER_SEC, "1h00m"},
		{11520 * NSEC_PER_SEC, "3h12m"},
		{47 * 3600 * NSEC_PER_SEC, "47h00m"},
		{48 * 3600 * NSEC_PER_SEC, "2d00h"},
		{99 * 3600 * NSEC_PER_SEC, "4d03h"},
		{100 * 86400 * NSEC_PER_SEC, "100d"},
		{9999 * 86400 * NSEC_PER_SEC, "9999d"},
		{10000 * 86400 * NSEC_PER_SEC, "27y"},
		{UINT64_MAX, "584y"},
	};
	char buf[UNITS_BUF];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(units_duration(buf, cases[i].ns), cases[i].want);
}

static void format_settings(void **state)
{
	static const struct {
		uint64_t ns;
		const char *want;
	} cases[] = {
		{0, "0"},
		{7, "7ns"},
		{1000, "1us"},
		{100 * NSEC_PER_MSEC, "100ms"},
		{90 * NSEC_PER_MSEC, "90ms"},
		{NSEC_PER_SEC, "1s"},
		{1000100200, "1s"}, /* measured: a little late */
		{1500 * NSEC_PER_MSEC, "1.5s"},
		{2050 * NSEC_PER_MSEC, "2.05s"},
		{10 * NSEC_PER_SEC, "10s"},
		{30 * NSEC_PER_SEC, "30s"},
		{60 * NSEC_PER_SEC, "1m"},
		{90 * NSEC_PER_SEC, "1:30"},
		{600 * NSEC_PER_SEC, "10m"},
		{900 * NSEC_PER_SEC, "15m"},
		{900 * NSEC_PER_SEC + 1, "15:00"},
		{3600 * NSEC_PER_SEC, "1h"},
		{5400 * NSEC_PER_SEC, "1h30m"},
		{20 * 3600 * NSEC_PER_SEC, "20h"},
		{48 * 3600 * NSEC_PER_SEC, "2d00h"},
		{UINT64_MAX, "584y"},
	};
	char buf[UNITS_BUF];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t back;

		assert_string_equal(units_setting(buf, cases[i].ns), cases[i].want);
		if (!strpbrk(buf, ":dy") && strcmp(buf, "1h30m") != 0)
			assert_int_equal(units_parse_duration(buf, &back), 0);
	}
}

static void format_the_rest(void **state)
{
	char buf[UNITS_BUF];

	(void)state;
	assert_string_equal(units_pct(buf, 0, 0), "0.0");
	assert_string_equal(units_pct(buf, 5, 0), "0.0");
	assert_string_equal(units_pct(buf, 0, 10), "0.0");
	assert_string_equal(units_pct(buf, 873, 1000), "87.3");
	assert_string_equal(units_pct(buf, 9994, 10000), "99.9");
	assert_string_equal(units_pct(buf, 9995, 10000), "100");
	assert_string_equal(units_pct(buf, 10, 10), "100");
	assert_string_equal(units_pct(buf, 1234, 100), "1234");
	assert_string_equal(units_pct(buf, UINT64_MAX, UINT64_MAX), "100");
	assert_string_equal(units_pct(buf, UINT64_MAX, 1), "18446744073709551615");

	assert_string_equal(units_count(buf, 0), "0");
	assert_string_equal(units_count(buf, 9999), "9999");
	assert_string_equal(units_count(buf, 10000), "10.0k");
	assert_string_equal(units_count(buf, 999999), "999k");
	assert_string_equal(units_count(buf, 1234567), "1.23M");
	assert_string_equal(units_count(buf, UINT64_MAX), "18.4E");

	assert_string_equal(units_rate(buf, 0), "0.00");
	assert_string_equal(units_rate(buf, 2.314), "2.31");
	assert_string_equal(units_rate(buf, 9.994), "9.99");
	assert_string_equal(units_rate(buf, 9.996), "10.0");
	assert_string_equal(units_rate(buf, 12.34), "12.3");
	assert_string_equal(units_rate(buf, 99.96), "100");
	assert_string_equal(units_rate(buf, 123456), "123k");
	assert_string_equal(units_rate(buf, DBL_MAX), "18.4E");
	assert_string_equal(units_rate(buf, -1), "-");
	assert_string_equal(units_rate(buf, strtod("nan", NULL)), "-");
	assert_string_equal(units_rate(buf, strtod("inf", NULL)), "-");

	assert_string_equal(units_size(buf, 0), "0B");
	assert_string_equal(units_size(buf, 1023), "1023B");
	assert_string_equal(units_size(buf, 1024), "1.0K");
	assert_string_equal(units_size(buf, 65536), "64K");
	assert_string_equal(units_size(buf, 12582912), "12M");
	assert_string_equal(units_size(buf, UINT64_MAX), "15E");

	assert_string_equal(units_double(buf, 0.1), "0.1");
	assert_string_equal(units_double(buf, 2), "2");
	assert_string_equal(units_double(buf, 1.0 / 3), "0.3333333333333333");
}

/* Numbers of every magnitude fit their columns. */
static void widths_are_bounded(void **state)
{
	uint64_t seed = 3;
	char buf[UNITS_BUF];

	(void)state;
	for (int i = 0; i < 200000; i++) {
		uint64_t v = (uint64_t)unit_random(&seed, UINT32_MAX) << 32 |
			     unit_random(&seed, UINT32_MAX);

		v >>= unit_random(&seed, 64);
		assert_in_range(strlen(units_duration(buf, v)), 1, 6);
		assert_in_range(strlen(units_setting(buf, v)), 1, 6);
		assert_in_range(strlen(units_count(buf, v)), 1, 5);
		assert_in_range(strlen(units_rate(buf, (double)v / 1000)), 1, 5);
		assert_in_range(strlen(units_size(buf, v)), 2, 5);
		assert_in_range(strlen(units_pct(buf, v, MAX(v, UINT64_MAX / 2))), 3, 4);
		assert_true(strtod(units_double(buf, (double)v / 977), NULL) == (double)v / 977);
	}
}

static void a_comma_locale_changes_nothing(void **state)
{
	char buf[UNITS_BUF];

	if (!comma_locale_enter()) {
		print_message("machine: no localedef\n");
		skip();
	}
	snprintf(buf, sizeof(buf), "%.1f", 0.5);
	assert_string_equal(buf, "0,5"); /* or the test tests nothing */
	parse_durations(state);
	parse_sizes(state);
	format_durations(state);
	format_settings(state);
	format_the_rest(state);
	assert_string_equal(localeconv()->decimal_point, ",");
	comma_locale_leave();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse_durations),
		cmocka_unit_test(parse_sizes),
		cmocka_unit_test(parse_integers),
		cmocka_unit_test(format_durations),
		cmocka_unit_test(format_settings),
		cmocka_unit_test(format_the_rest),
		cmocka_unit_test(widths_are_bounded),
		cmocka_unit_test(a_comma_locale_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
