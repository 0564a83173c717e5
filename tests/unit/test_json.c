/* The JSON writer, read back by a checker that shares nothing with it. */
#include "unit.h"

#include <float.h>

#include "comma_locale.h"
#include "json.h"
#include "json_check.h"
#include "util.h"

static void the_checker_can_fail(void **state)
{
	static const char *const bad[] = {"", "{", "}", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}",
		"01", "1.", ".5", "+1", "0,5", "nan", "1 2", "\"\x01\"", "\"\n\"", "\"\\x\"",
		"\"\\u12\"", "\"\xe9\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"a", "[1}", "tru",
		"\"\xf0\x9f\"", "{\"a\":1,}", "'a'", "\"\\\""};
	static const char *const good[] = {"0", "-0.5e+10", " [ ] ", "{}", "{\"a\":[1,true,null]}",
		"\"\\u00e9\\n\\\"\"", "\"\xc3\xa9\xf0\x9f\x90\x98\""};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (json_is_valid(bad[i], strlen(bad[i])))
			fail_msg("accepted: %s", bad[i]);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!json_is_valid(good[i], strlen(good[i])))
			fail_msg("refused: %s", good[i]);
}

static void every_kind_of_value(void **state)
{
	struct json j;
	struct buf b;

	(void)state;
	buf_init(&b, 4096);
	json_init(&j, &b);
	json_object(&j, NULL);
	json_str(&j, "s", "x");
	json_str(&j, "none", NULL);
	json_u64(&j, "u", UINT64_MAX);
	json_i64(&j, "i", INT64_MIN);
	json_double(&j, "d", 0.1);
	json_double(&j, "nan", strtod("nan", NULL));
	json_double(&j, "inf", -strtod("inf", NULL));
	json_double(&j, "big", DBL_MAX);
	json_bool(&j, "t", true);
	json_null(&j, "n");
	json_array(&j, "a");
	json_array_end(&j);
	json_array(&j, "b");
	json_u64(&j, NULL, 1);
	json_object(&j, NULL);
	json_bool(&j, "f", false);
	json_object_end(&j);
	json_array(&j, NULL);
	json_str(&j, NULL, "");
	json_array_end(&j);
	json_array_end(&j);
	json_object_end(&j);
	assert_string_equal(b.data,
		"{\"s\":\"x\",\"none\":null,\"u\":18446744073709551615,\"i\":-9223372036854775808,"
		"\"d\":0.1,\"nan\":null,\"inf\":null,\"big\":1.7976931348623157e+308,\"t\":true,"
		"\"n\":null,\"a\":[],\"b\":[1,{\"f\":false},[\"\"]]}");
	assert_true(json_is_valid(b.data, b.len));
	buf_done(&b);
}

static const char *written(const char *s)
{
	static struct buf b = {.max_bytes = 4096};
	struct json j;

	buf_reset(&b);
	json_init(&j, &b);
	json_str(&j, NULL, s);
	assert_true(json_is_valid(b.data, b.len));
	return b.data;
}

static void escapes(void **state)
{
	static const struct {
		const char *s, *want;
	} cases[] = {
		{"", "\"\""},
		{"a\"b\\c", "\"a\\\"b\\\\c\""},
		{"a\nb\tc\r", "\"a\\nb\\tc\\r\""},
		{"\x01\x1f\x1b[0m", "\"\\u0001\\u001f\\u001b[0m\""},
		{"\x7f\xc2\x9b", "\"\\u007f\\u009b\""},
		{"\xc3\xa9\xf0\x9f\x90\x98", "\"\xc3\xa9\xf0\x9f\x90\x98\""},
		{"caf\xe9!", "\"caf\\ufffd!\""},
		{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""},
		{"a/b", "\"a/b\""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(written(cases[i].s), cases[i].want);
}

static void any_bytes_are_valid(void **state)
{
	uint64_t seed = 9;
	char s[48];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t n = unit_random(&seed, sizeof(s));

		for (size_t i = 0; i < n; i++)
			s[i] = (char)(1 + unit_random(&seed, 255));
		s[n] = '\0';
		for (const char *p = written(s); *p; p++)
			assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
	}
}

static void comma_locale(void **state)
{
	if (!comma_locale_enter()) {
		print_message("machine: no localedef\n");
		skip();
	}
	every_kind_of_value(state);
	comma_locale_leave();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_checker_can_fail),
		cmocka_unit_test(every_kind_of_value),
		cmocka_unit_test(escapes),
		cmocka_unit_test(any_bytes_are_valid),
		cmocka_unit_test(comma_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
