/*
 * The table of keys: the only place that says which key does what. The parser, the help screen and
 * the hints read it. Owns nothing; a key not listed here does nothing and is not advertised.
 */
#include "keys.h"

#include "util.h"
#include "waittype.h"

/* In the order of the help screen. */
static const struct key_binding bindings[] = {
	{ACT_HELP, {UI_KEY_F(1), 'h', '?'}, "F1 h ?", "this help", "F1", "Help"},
	{ACT_UP, {UI_KEY_UP, 'k'}, "Up k", "one line up", NULL, NULL},
	{ACT_DOWN, {UI_KEY_DOWN, 'j'}, "Down j", "one line down", NULL, NULL},
	{ACT_PGUP, {UI_KEY_PGUP}, "PgUp", "one page up", NULL, NULL},
	{ACT_PGDN, {UI_KEY_PGDN}, "PgDn", "one page down", NULL, NULL},
	{ACT_HOME, {UI_KEY_HOME}, "Home", "to the top, and stay there", NULL, NULL},
	{ACT_END, {UI_KEY_END}, "End", "to the last line", NULL, NULL},
	{ACT_LEFT, {UI_KEY_LEFT}, "Left", "back towards the first columns", NULL, NULL},
	{ACT_RIGHT, {UI_KEY_RIGHT}, "Right", "on to more columns, then along the query", NULL,
		NULL},
	{ACT_FOLLOW, {'F'}, "F", "follow: keep the selected backend listed, even when it is idle",
		NULL, NULL},
	{ACT_SEARCH, {UI_KEY_F(3)}, "F3", "search as you type, in the terms of a filter", "F3",
		"Search"},
	{ACT_SEARCH_NEXT, {'n'}, "n", "next match", NULL, NULL},
	{ACT_FILTER, {UI_KEY_F(4), '/'}, "F4 /", "filter as you type: lock  user:bob  !idle", "F4",
		"Filter"},
	{ACT_ESC, {UI_KEY_ESC}, "Esc",
		"take back the filter, then following, then scrolling; leave this help or a menu",
		NULL, NULL},
	{ACT_PICK, {'u'}, "u", "show one user or database only: sets the filter", "u", "User/db"},
	{ACT_IDLE, {'i'}, "i", "show or hide backends that were only idle", "i", "Idle"},
	{ACT_SORT_MENU, {UI_KEY_F(6)}, "F6", "choose what to sort by", "F6", "Sort"},
	{ACT_SORT_PREV, {'<'}, "<", "sort by the column to the left", NULL, NULL},
	{ACT_SORT_NEXT, {'>'}, ">", "sort by the column to the right", NULL, NULL},
	{ACT_SORT_CPU, {'P'}, "P", "sort by CPU time", NULL, NULL},
	{ACT_SORT_OFF, {'T'}, "T", "sort by off-CPU time (the default)", NULL, NULL},
	{ACT_SORT_PID, {'N'}, "N", "sort by pid", NULL, NULL},
	{ACT_SORT_REVERSE, {'R'}, "R", "reverse the order", NULL, NULL},
	{ACT_SORT_TYPE, {'1', '2', '3', '4', '5', '6', '7', '8', '9', '0'}, "1..9 0",
		"sort by a wait type: the digits are above", NULL, NULL},
	{ACT_PAUSE, {' ', 'Z'}, "Space Z",
		"pause: the numbers freeze, but sorting and filtering work", "Spc", "Pause"},
	{ACT_SLOWER, {'+'}, "+", "longer refresh interval", NULL, NULL},
	{ACT_FASTER, {'-'}, "-", "shorter refresh interval", NULL, NULL},
	{ACT_WINDOW_SHORTER, {'['}, "[", "shorter window", "[", ""},
	{ACT_WINDOW_LONGER, {']'}, "]", "longer window", "]", "Window"},
	{ACT_WRAP, {'v'}, "v", "show more of the selected query, wrapped", "v", "Query"},
	{ACT_REPAINT, {UI_KEY_CTRL_L}, "Ctrl-L", "draw the screen anew", NULL, NULL},
	{ACT_QUIT, {UI_KEY_F(10), 'q', UI_KEY_CTRL_C}, "F10 q Ctrl-C",
		"quit (q: in this help or a menu only leave it)", "F10", "Quit"},
};

const struct key_binding *key_bindings(size_t *n)
{
	*n = ARRAY_SIZE(bindings);
	return bindings;
}

enum ui_action key_action(int key)
{
	if (key == UI_KEY_NONE)
		return ACT_NONE;
	for (size_t i = 0; i < ARRAY_SIZE(bindings); i++)
		for (int j = 0; j < KEYS_PER_ACTION && bindings[i].keys[j]; j++)
			if (bindings[i].keys[j] == key)
				return bindings[i].action;
	return ACT_NONE;
}

int key_sort_type(int key)
{
	if (key >= '1' && key <= '9')
		return WAIT_RUNQ + (key - '1');
	return key == '0' ? WAIT_OTHER : -1;
}
