/* Editing of a line: what the keys do, and that any keys keep it sound. */
#include "unit.h"

#include <locale.h>

#include "text.h"
#include "ui/keys.h"
#include "ui/line.h"
#include "util.h"

static struct ui_line line;

static bool press(int key)
{
	bool known, changed = line_edit(&line, key, &known);

	if (!known)
		changed = line_insert(&line, key);
	assert_int_equal(strlen(line.text), line.len);
	assert_true(line.at <= line.len);
	return changed;
}

static void type(const char *s)
{
	for (; *s; s++)
		press((unsigned char)*s);
}

/* The text, "|" at the cursor. */
static void assert_line(const char *want)
{
	_cleanup_free_ char *got =
		xasprintf("%.*s|%s", (int)line.at, line.text, line.text + line.at);

	assert_string_equal(got, want);
}

static void keys_move_and_erase(void **state)
{
	(void)state;
	line_set(&line, NULL);
	type("lock user:bob");
	assert_line("lock user:bob|");
	assert_false(press(UI_KEY_HOME));
	assert_line("|lock user:bob");
	assert_false(press(UI_KEY_LEFT));
	assert_false(press(UI_KEY_BACKSPACE));
	assert_line("|lock user:bob");
	assert_true(press('!'));
	assert_line("!|lock user:bob");
	press(UI_KEY_RIGHT);
	assert_line("!l|ock user:bob");
	assert_true(press(UI_KEY_BACKSPACE));
	assert_true(press(UI_KEY_DELETE));
	assert_line("!|ck user:bob");
	press(UI_KEY_END);
	assert_false(press(UI_KEY_RIGHT));
	assert_false(press(UI_KEY_DELETE));
	assert_line("!ck user:bob|");
	type(" x ");
	assert_true(press(UI_KEY_CTRL_W));
	assert_line("!ck user:bob |");
	press(UI_KEY_LEFT);
	press(UI_KEY_LEFT);
	assert_true(press(UI_KEY_CTRL_W));
	assert_line("!ck |b ");
	assert_true(press(UI_KEY_CTRL_U));
	assert_line("|b ");
	assert_false(press(UI_KEY_CTRL_U));
	assert_false(press(UI_KEY_CTRL_W));
	line_set(&line, "text");
	assert_line("text|");
}

static void a_character_is_one_with_its_marks(void **state)
{
	(void)state;
	line_set(&line, "a\u7530e\u0301z");
	press(UI_KEY_LEFT);
	press(UI_KEY_LEFT);
	assert_line("a\u7530|e\u0301z");
	press(UI_KEY_LEFT);
	assert_line("a|\u7530e\u0301z");
	press(UI_KEY_DELETE);
	press(UI_KEY_DELETE);
	assert_line("a|z");
	assert_true(press(0x0308)); /* on the a */
	assert_line("a\u0308|z");
	press(UI_KEY_LEFT);
	assert_line("|a\u0308z");
	assert_false(press(0x0308)); /* nothing to combine with */
	press(0x1f363);
	assert_line("\U0001f363|a\u0308z");
	press(UI_KEY_BACKSPACE);
	assert_line("|a\u0308z");
}

static void keys_that_are_no_text_are_refused(void **state)
{
	static const int bad[] = {0, 7, 0x1f, 0x7f, 0x9b, 0xd800, 0x202e, UI_KEY_UP, UI_KEY_CLICK};

	(void)state;
	line_set(&line, "ab");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		bool known = true;

		assert_false(line_edit(&line, bad[i], &known));
		assert_false(known);
		if (text_char_width((uint32_t)bad[i]) < 0 || bad[i] < 0x20 || bad[i] >= UI_KEY_BASE)
			assert_false(line_insert(&line, bad[i]));
	}
	press(UI_KEY_HOME);
	assert_line("|ab");
}

static void it_is_bounded(void **state)
{
	_cleanup_free_ char *longest = xmalloc(5000);

	(void)state;
	memset(longest, 'x', 4999);
	longest[4999] = '\0';
	line_set(&line, longest);
	assert_int_equal(line.len, UI_TEXT_BYTES - 1);
	assert_false(press('y'));
	press(UI_KEY_BACKSPACE);
	assert_false(press(0xe9)); /* two bytes do not fit */
	press(UI_KEY_HOME);
	assert_true(press('y'));
	assert_false(press('z'));
	for (size_t i = 0; i + 3 < 5000; i += 3)
		memcpy(longest + i, "\u7530", 3);
	longest[4998] = '\0';
	line_set(&line, longest); /* cut at a character's edge */
	assert_int_equal(line.len, (UI_TEXT_BYTES - 1) / 3 * 3);
	line_set(&line, "\xff\xfe"
			"bad"); /* from a command line: kept, each byte a character */
	assert_int_equal(line.len, 5);
	press(UI_KEY_HOME);
	press(UI_KEY_DELETE);
	assert_int_equal(line.len, 4);
}

static void any_keys(void **state)
{
	static const int keys[] = {UI_KEY_LEFT, UI_KEY_RIGHT, UI_KEY_HOME, UI_KEY_END,
		UI_KEY_BACKSPACE, UI_KEY_DELETE, UI_KEY_CTRL_U, UI_KEY_CTRL_W, ' ', 'a', 0xe9,
		0x0301, 0x7530, 0x1f363, 'b', 'c', ' ', 0x0308};
	uint64_t seed = 11;

	(void)state;
	line_set(&line, NULL);
	for (int i = 0; i < 100000; i++) {
		int key = keys[unit_random(&seed, ARRAY_SIZE(keys))], cells;
		size_t at = 0;

		if (key == UI_KEY_CTRL_U && unit_random(&seed, 20))
			continue; /* or there is never much to erase */
		press(key);
		while (at < line.at)
			at += text_next(line.text + at, line.len - at, &cells);
		assert_int_equal(at, line.at);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_move_and_erase),
		cmocka_unit_test(a_character_is_one_with_its_marks),
		cmocka_unit_test(keys_that_are_no_text_are_refused),
		cmocka_unit_test(it_is_bounded),
		cmocka_unit_test(any_keys),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
