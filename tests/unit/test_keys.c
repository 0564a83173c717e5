/* The table of keys: no key twice, nothing promised that is not there. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "ui/keys.h"
#include "util.h"
#include "waittype.h"

static void no_key_is_bound_twice(void **state)
{
	size_t n;
	const struct key_binding *b = key_bindings(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_true(b[i].keys[0] != 0);
		for (int j = 0; j < KEYS_PER_ACTION && b[i].keys[j]; j++)
			assert_int_equal(key_action(b[i].keys[j]), b[i].action);
	}
}

static void every_action_has_a_key_and_a_help(void **state)
{
	size_t n;
	const struct key_binding *b = key_bindings(&n);
	int bound[ACT_NR] = {0};

	(void)state;
	for (size_t i = 0; i < n; i++) {
		bound[b[i].action]++;
		assert_true(b[i].label && *b[i].label);
		assert_true(b[i].help && *b[i].help);
		assert_int_equal(!b[i].hint, !b[i].hint_key);
	}
	assert_int_equal(bound[ACT_NONE], 0);
	for (int i = ACT_NONE + 1; i < ACT_NR; i++)
		assert_int_equal(bound[i], 1);
}

static void labels_name_the_printable_keys(void **state)
{
	size_t n;
	const struct key_binding *b = key_bindings(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		for (int j = 0; j < KEYS_PER_ACTION && b[i].keys[j]; j++) {
			int key = b[i].keys[j];

			if (key > ' ' && key < 0x7f && b[i].action != ACT_SORT_TYPE)
				assert_non_null(strchr(b[i].label, key));
			if (key >= UI_KEY_F1 && key <= UI_KEY_F12)
				assert_non_null(strchr(b[i].label, 'F'));
		}
	}
}

static void digits_follow_the_bar(void **state)
{
	(void)state;
	assert_int_equal(key_sort_type('1'), WAIT_RUNQ);
	assert_int_equal(key_sort_type('2'), WAIT_IO);
	assert_int_equal(key_sort_type('3'), WAIT_WAL_WRITE);
	assert_int_equal(key_sort_type('4'), WAIT_LWLOCK);
	assert_int_equal(key_sort_type('5'), WAIT_LOCK);
	assert_int_equal(key_sort_type('6'), WAIT_NETWORK);
	assert_int_equal(key_sort_type('7'), WAIT_IPC);
	assert_int_equal(key_sort_type('8'), WAIT_TIMEOUT);
	assert_int_equal(key_sort_type('9'), WAIT_IDLE_XACT);
	assert_int_equal(key_sort_type('0'), WAIT_OTHER);
	assert_int_equal(key_sort_type('a'), -1);
}

static void the_keys_of_the_interface_are_there(void **state)
{
	static const struct {
		int key;
		enum ui_action action;
	} keys[] = {
		{'q', ACT_QUIT},
		{UI_KEY_F(10), ACT_QUIT},
		{3, ACT_QUIT},
		{'h', ACT_HELP},
		{'?', ACT_HELP},
		{UI_KEY_F(1), ACT_HELP},
		{'j', ACT_DOWN},
		{'k', ACT_UP},
		{'<', ACT_SORT_PREV},
		{'>', ACT_SORT_NEXT},
		{UI_KEY_F(6), ACT_SORT_MENU},
		{'P', ACT_SORT_CPU},
		{'T', ACT_SORT_OFF},
		{'N', ACT_SORT_PID},
		{'R', ACT_SORT_REVERSE},
		{'/', ACT_FILTER},
		{UI_KEY_F(4), ACT_FILTER},
		{UI_KEY_F(3), ACT_SEARCH},
		{'n', ACT_SEARCH_NEXT},
		{27, ACT_ESC},
		{'u', ACT_PICK},
		{'i', ACT_IDLE},
		{' ', ACT_PAUSE},
		{'Z', ACT_PAUSE},
		{'+', ACT_SLOWER},
		{'-', ACT_FASTER},
		{'[', ACT_WINDOW_SHORTER},
		{']', ACT_WINDOW_LONGER},
		{'F', ACT_FOLLOW},
		{'v', ACT_WRAP},
		{0, ACT_NONE},
		{'g', ACT_NONE},
		{'C', ACT_NONE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		assert_int_equal(key_action(keys[i].key), keys[i].action);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_key_is_bound_twice),
		cmocka_unit_test(every_action_has_a_key_and_a_help),
		cmocka_unit_test(labels_name_the_printable_keys),
		cmocka_unit_test(digits_follow_the_bar),
		cmocka_unit_test(the_keys_of_the_interface_are_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
