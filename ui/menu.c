/*
 * The side menus: sort keys, users and databases. Owns the items while a menu is open (their
 * memory is the state's), copies what it needs from the snapshot so that a menu outlives it.
 */
#include "state.h"

#include <stdio.h>
#include <string.h>

#include "util.h"

static struct ui_menu_item *add(struct ui_state *st, const char *label)
{
	struct ui_menu_item *item;

	st->menu = xrealloc(st->menu, st->n_menu + 1, sizeof(*st->menu));
	item = &st->menu[st->n_menu++];
	memset(item, 0, sizeof(*item));
	item->label = xstrdup(label);
	return item;
}

static bool is_choice(const struct ui_state *st, size_t i)
{
	return st->mode == MODE_SORT || st->menu[i].value;
}

static void fill_sort(struct ui_state *st)
{
	for (int i = 0; i < SORT_NR; i++) {
		add(st, sort_key_name((enum sort_key)i))->sort = i;
		if ((enum sort_key)i == st->sort)
			st->menu_cursor = (size_t)i;
	}
}

/* A filter term that matches name alone. Whatever could mean something to a regular expression or
 * to the quoting goes in brackets or becomes ".". */
static char *exact_term(const char *prefix, const char *name)
{
	size_t len = strlen(name);
	_cleanup_free_ char *escaped = xmalloc(len * 3 + 1);
	char *p = escaped;

	for (; *name; name++) {
		if (strchr("\"\\^", *name)) {
			*p++ = '.';
		} else if (strchr(".[]{}()*+?|$", *name)) {
			*p++ = '[';
			*p++ = *name;
			*p++ = ']';
		} else {
			*p++ = *name;
		}
	}
	*p = '\0';
	return xasprintf("%s\"^%s$\"", prefix, escaped);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void fill_names(struct ui_state *st, const char *heading, const char *prefix, bool databases)
{
	const struct snapshot *s = st->snap;
	_cleanup_free_ const char **names = xcalloc(s->n_backends, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < s->n_backends; i++) {
		const char *name = databases ? s->backends[i].database : s->backends[i].user;

		if (name && *name)
			names[n++] = name;
	}
	qsort(names, n, sizeof(*names), compare);
	add(st, heading);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *label = NULL;

		if (i > 0 && !strcmp(names[i], names[i - 1]))
			continue;
		label = xasprintf("  %s", names[i]);
		add(st, label)->value = exact_term(prefix, names[i]);
	}
}

void ui_menu_open(struct ui_state *st, enum ui_mode mode)
{
	ui_menu_close(st);
	if (mode == MODE_PICK && !st->snap)
		return;
	st->mode = mode;
	if (mode == MODE_SORT) {
		fill_sort(st);
	} else {
		add(st, "all")->value = xstrdup("");
		fill_names(st, "users", "user:", false);
		fill_names(st, "databases", "db:", true);
	}
}

void ui_menu_close(struct ui_state *st)
{
	for (size_t i = 0; i < st->n_menu; i++) {
		free(st->menu[i].label);
		free(st->menu[i].value);
	}
	free(st->menu);
	st->menu = NULL;
	st->n_menu = st->menu_cursor = st->menu_top = 0;
	if (st->mode == MODE_SORT || st->mode == MODE_PICK)
		st->mode = MODE_TABLE;
}

/* One step in the direction dir to the next line that can be chosen; stays if there is none. */
static void step(struct ui_state *st, int dir)
{
	size_t i = st->menu_cursor;

	while (dir < 0 ? i > 0 : i + 1 < st->n_menu) {
		i = dir < 0 ? i - 1 : i + 1;
		if (is_choice(st, i)) {
			st->menu_cursor = i;
			return;
		}
	}
}

static void choose(struct ui_state *st)
{
	const struct ui_menu_item *item = &st->menu[st->menu_cursor];

	if (st->mode == MODE_SORT) {
		if (st->sort != (enum sort_key)item->sort)
			st->descending = sort_key_desc((enum sort_key)item->sort);
		st->sort = (enum sort_key)item->sort;
	} else if (strlen(item->value) < sizeof(st->filter_text.text)) {
		line_set(&st->filter_text, item->value);
		ui_state_compile(st, &st->filter_text, &st->filter);
	}
	ui_menu_close(st);
	ui_state_rebuild(st);
}

static void click(struct ui_state *st, struct ui_event ev)
{
	struct layout l;
	size_t i;

	ui_state_layout(st, &l);
	if (ev.x < l.menu.x || ev.x >= l.menu.x + l.menu.w || ev.y <= l.menu.y ||
		ev.y >= l.menu.y + l.menu.h) {
		ui_menu_close(st);
		ui_state_rebuild(st);
		return;
	}
	i = st->menu_top + (size_t)(ev.y - l.menu.y - 1);
	if (i < st->n_menu && is_choice(st, i)) {
		st->menu_cursor = i;
		choose(st);
	}
}

unsigned ui_menu_handle(struct ui_state *st, struct ui_event ev)
{
	size_t page = ui_state_page(st);

	switch (ev.key) {
	case UI_KEY_UP:
	case UI_KEY_WHEEL_UP:
	case 'k':
		step(st, -1);
		break;
	case UI_KEY_DOWN:
	case UI_KEY_WHEEL_DOWN:
	case 'j':
		step(st, 1);
		break;
	case UI_KEY_PGUP:
	case UI_KEY_HOME:
		for (size_t i = 0; i < (ev.key == UI_KEY_HOME ? st->n_menu : page); i++)
			step(st, -1);
		break;
	case UI_KEY_PGDN:
	case UI_KEY_END:
		for (size_t i = 0; i < (ev.key == UI_KEY_END ? st->n_menu : page); i++)
			step(st, 1);
		break;
	case UI_KEY_ENTER:
		choose(st);
		return UI_REDRAW;
	case UI_KEY_CLICK:
		click(st, ev);
		return UI_REDRAW;
	default:
		if (key_action(ev.key) == ACT_NONE)
			return 0;
		ui_menu_close(st);
		ui_state_rebuild(st);
		return UI_REDRAW;
	}
	if (st->menu_cursor < st->menu_top)
		st->menu_top = st->menu_cursor;
	if (st->menu_cursor >= st->menu_top + page)
		st->menu_top = st->menu_cursor - page + 1;
	return UI_REDRAW;
}
