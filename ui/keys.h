/* Keys: codes the terminal yields, and the one table that gives them an action and a help text. */
#ifndef PGTOP_KEYS_H
#define PGTOP_KEYS_H

#include <stdbool.h>
#include <stddef.h>

/* A key is a Unicode code point, or one of these. */
enum ui_key {
	UI_KEY_NONE = 0,
	UI_KEY_CTRL_C = 3,
	UI_KEY_CTRL_U = 21,
	UI_KEY_CTRL_W = 23,
	UI_KEY_CTRL_L = 12,
	UI_KEY_ENTER = 13,
	UI_KEY_ESC = 27,
	UI_KEY_BASE = 0x110000, /* beyond Unicode */
	UI_KEY_UP,
	UI_KEY_DOWN,
	UI_KEY_LEFT,
	UI_KEY_RIGHT,
	UI_KEY_PGUP,
	UI_KEY_PGDN,
	UI_KEY_HOME,
	UI_KEY_END,
	UI_KEY_BACKSPACE,
	UI_KEY_DELETE,
	UI_KEY_F1, /* F1..F12 follow one another */
	UI_KEY_F12 = UI_KEY_F1 + 11,
	UI_KEY_CLICK, /* mouse: see struct ui_event */
	UI_KEY_WHEEL_UP,
	UI_KEY_WHEEL_DOWN,
	UI_KEY_MAX,
};
#define UI_KEY_F(n) (UI_KEY_F1 + (n)-1)

struct ui_event {
	int key;
	int x, y; /* of the mouse */
};

enum ui_action {
	ACT_NONE,
	ACT_UP,
	ACT_DOWN,
	ACT_PGUP,
	ACT_PGDN,
	ACT_HOME,
	ACT_END,
	ACT_LEFT,
	ACT_RIGHT,
	ACT_SORT_PREV,
	ACT_SORT_NEXT,
	ACT_SORT_MENU,
	ACT_SORT_CPU,
	ACT_SORT_OFF,
	ACT_SORT_PID,
	ACT_SORT_REVERSE,
	ACT_SORT_TYPE, /* by digit */
	ACT_FILTER,
	ACT_SEARCH,
	ACT_SEARCH_NEXT,
	ACT_ESC,
	ACT_PICK,
	ACT_IDLE,
	ACT_PAUSE,
	ACT_SLOWER,
	ACT_FASTER,
	ACT_WINDOW_SHORTER,
	ACT_WINDOW_LONGER,
	ACT_FOLLOW,
	ACT_WRAP,
	ACT_HELP,
	ACT_REPAINT,
	ACT_QUIT,
	ACT_NR,
};

#define KEYS_PER_ACTION 10

struct key_binding {
	enum ui_action action;
	int keys[KEYS_PER_ACTION]; /* 0-terminated if shorter */
	const char *label;	   /* "Space Z": for the help and the manual */
	const char *help;
	const char *hint_key, *hint; /* bottom line, or NULL; hint "": shares that of the next */
};

const struct key_binding *key_bindings(size_t *n);

/* The action of a key in the table view; ACT_NONE if it has none. */
enum ui_action key_action(int key);

/* The wait type that the digit key sorts by: '1' runq ... '9' idle_xact, '0' other; or -1. */
int key_sort_type(int key);

#endif
