/*
 * The screens. Golden files under tests/fixtures/golden: run with GENERATE=1 to write them anew,
 * then look at the difference. What must hold of any screen is checked beside them.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "fixture_snapshot.h"
#include "golden.h"
#include "ui/views.h"
#include "util.h"

enum look { COLOR, MONO }; /* UTF-8 and colours, or neither */

struct scene {
	const char *name;
	int w, h;
	struct snapshot *(*snapshot)(void);
	const char *keys; /* "\1": F1, "\6": F6, "\r": Enter; see press() */
	const char *filter;
	enum look look;
};

static struct snapshot *many(void)
{
	return fixture_many(500);
}

/* Three seconds after the start: a part of the window is known. */
static struct snapshot *early(void)
{
	struct snapshot *s = fixture_incident();

	s->window_ns = 3 * NSEC_PER_SEC;
	s->history += s->n_history - 6;
	s->history_aas_milli += s->n_history - 6;
	s->n_history = 6;
	for (size_t i = 0; i < s->n_backends; i++) {
		struct snap_backend *b = (struct snap_backend *)&s->backends[i];

		b->history += b->n_history - 6;
		b->n_history = 6;
	}
	return s;
}

static void press(struct ui_state *st, const char *keys)
{
	for (; keys && *keys; keys++) {
		int key = *keys;

		if (key > 0 && key < 7)
			key = UI_KEY_F(key);
		else if (key == '\v')
			key = UI_KEY_DOWN;
		else if (key == '\f')
			key = UI_KEY_RIGHT;
		else if (key == '\b')
			key = UI_KEY_LEFT;
		(void)ui_handle(st, (struct ui_event){.key = key});
	}
}

static void draw(const struct scene *sc, const struct snapshot *snap, struct frame *f)
{
	const struct ui_options o = {.sort = SORT_OFF,
		.descending = true,
		.filter = sc->filter,
		.delay_ns = NSEC_PER_SEC,
		.window_ns = 10 * NSEC_PER_SEC};
	struct ui_state st;

	ui_state_init(&st, &o);
	ui_state_resize(&st, sc->w, sc->h);
	ui_state_set_snapshot(&st, snap);
	press(&st, sc->keys);
	frame_reset(f, sc->w, sc->h, sc->look == COLOR, sc->look == COLOR);
	view_draw(&st, f);
	ui_state_release(&st);
}

static const struct scene scenes[] = {
	{"incident-200x50", 200, 50, fixture_incident, NULL, NULL, COLOR},
	{"incident-120x30", 120, 30, fixture_incident, NULL, NULL, COLOR},
	{"incident-80x24", 80, 24, fixture_incident, NULL, NULL, COLOR},
	{"incident-40x10", 40, 10, fixture_incident, NULL, NULL, COLOR},
	{"incident-20x4", 20, 4, fixture_incident, NULL, NULL, COLOR},
	{"early-200x50", 200, 50, early, NULL, NULL, COLOR},
	{"early-80x24", 80, 24, early, NULL, NULL, COLOR},
	{"early-60x15", 60, 15, early, NULL, NULL, COLOR},
	{"incident-80x30", 80, 30, fixture_incident, NULL, NULL, COLOR},
	{"incident-10x3", 10, 3, fixture_incident, NULL, NULL, COLOR},
	{"incident-1x1", 1, 1, fixture_incident, NULL, NULL, COLOR},
	{"incident-mono-200x50", 200, 50, fixture_incident, NULL, NULL, MONO},
	{"incident-mono-80x24", 80, 24, fixture_incident, NULL, NULL, MONO},
	{"incident-mono-40x10", 40, 10, fixture_incident, NULL, NULL, MONO},
	{"empty-80x24", 80, 24, fixture_empty, NULL, NULL, COLOR},
	{"no-snapshot-80x24", 80, 24, NULL, NULL, NULL, COLOR},
	{"all-idle-80x24", 80, 24, fixture_all_idle, NULL, NULL, COLOR},
	{"all-idle-shown-80x24", 80, 24, fixture_all_idle, "i", NULL, COLOR},
	{"no-match-80x24", 80, 24, fixture_incident, NULL, "user:nobody", COLOR},
	{"help-80x24", 80, 24, fixture_incident, "\1", NULL, COLOR},
	{"help-120x100", 120, 100, fixture_incident, "\1", NULL, COLOR},
	{"sort-menu-80x24", 80, 24, fixture_incident, "\6\v\v", NULL, COLOR},
	{"pick-menu-80x24", 80, 24, fixture_incident, "u\v\v", NULL, COLOR},
	{"typing-filter-80x24", 80, 24, fixture_incident, "/ord", NULL, COLOR},
	{"typing-long-80x24", 80, 24, fixture_incident, "/\b\b\b\b",
		"state:\"idle in transaction\" user:app_orders !app:pgbench", COLOR},
	{"filtered-120x30", 120, 30, fixture_incident, "5", "db:shop !idle", COLOR},
	{"query-120x30", 120, 30, fixture_incident, "\v\v\v\v\v\v\vFv ", NULL, COLOR},
	{"scrolled-80x24", 80, 24, fixture_incident, "5\f\f\f", NULL, COLOR},
	{"scrolled-query-80x24", 80, 24, fixture_incident, "\f\f\f\f\f\f\f\f\f\f\f\f\f\f\f\f\f",
		NULL, COLOR},
	{"many-100x40", 100, 40, many, "\v\v\v\v", NULL, COLOR},
};

static void golden_screens(void **state)
{
	int wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		struct snapshot *snap = scenes[i].snapshot ? scenes[i].snapshot() : NULL;
		struct frame f = {0};

		draw(&scenes[i], snap, &f);
		wrong += !golden_check(&f, scenes[i].name);
		frame_release(&f);
		snapshot_free(snap);
	}
	assert_int_equal(wrong, 0);
}

/* The text of a frame, lines joined. */
static char *text_of(const struct scene *sc, const struct snapshot *snap)
{
	struct frame f = {0};
	char *dump;

	draw(sc, snap, &f);
	dump = golden_dump(&f);
	frame_release(&f);
	return dump;
}

#define assert_shows(dump, s)                                      \
	do {                                                       \
		if (!strstr(dump, s))                              \
			fail_msg("\"%s\" is not in\n%s", s, dump); \
	} while (0)

static void loss_is_said_at_any_width(void **state)
{
	struct snapshot *snap = fixture_incident();

	(void)state;
	for (int w = 60; w < 200; w++) {
		struct scene sc = {.w = w, .h = 24};
		_cleanup_free_ char *dump = text_of(&sc, snap);

		assert_shows(dump, "lost 1834");
		if (w >= 75)
			assert_shows(dump, "--ring-size");
	}
	snap->loss.ring_events = 0;
	snap->loss.map_full = 3;
	snap->loss.event_unread = 17;
	{
		struct scene sc = {.w = 160, .h = 24};
		_cleanup_free_ char *dump = text_of(&sc, snap);

		assert_shows(dump, "lost 0");
		assert_shows(dump, "untracked, map full 3");
		assert_shows(dump, "unread events 17");
	}
	snapshot_free(snap);
}

static void the_header_says_what_is_degraded(void **state)
{
	struct snapshot *snap = fixture_incident();
	struct snap_cluster *c = (struct snap_cluster *)&snap->clusters[1];
	const struct scene sc = {.w = 140, .h = 24};
	_cleanup_free_ char *dump = NULL;

	(void)state;
	c->exact = false;
	c->gone = true;
	c->notice = "PostgreSQL 42 is not known: no wait events";
	snap->window_ns = 3 * NSEC_PER_SEC;
	dump = text_of(&sc, snap);
	assert_shows(dump, "17.6 test:2300 (gone) (kernel-only)");
	assert_shows(dump, "test:2300: PostgreSQL 42 is not known: no wait events");
	assert_shows(dump, "window 10s (3s so far)");
	snapshot_free(snap);
}

static void the_bar_leaves_idle_out_and_the_legend_adds_up(void **state)
{
	struct snapshot *snap = fixture_all_idle();
	const struct scene sc = {.w = 140, .h = 24};
	_cleanup_free_ char *dump = NULL;

	(void)state;
	snap->total.ns[WAIT_LOCK] = 3;
	snap->total.ns[WAIT_IO] = 1;
	dump = text_of(&sc, snap);
	assert_shows(dump, "o io 25.0%  L lock 75.0%");
	snapshot_free(snap);
}

/* Types with time in the legend of a screen of that size, those only counted included; *more: those
 * only counted. */
static int legend_types(const struct snapshot *snap, int w, int h, int *more)
{
	struct scene sc = {.w = w, .h = h};
	_cleanup_free_ char *dump = text_of(&sc, snap);
	struct layout_in in = {.w = w, .h = h};
	struct layout l;
	int types = 0, line = 0;

	layout_compute(&in, &l);
	*more = 0;
	for (char *p = strtok(dump, "\n"); p; p = strtok(NULL, "\n"), line++) {
		if (line / 2 < l.legend.y || line / 2 >= l.legend.y + l.legend.h || *p == '\t')
			continue;
		for (char *q = p; (q = strchr(q, '%')); q++)
			types++;
		if (strchr(p, '+'))
			*more = atoi(strchr(p, '+'));
	}
	return types + *more;
}

static void the_legend_drops_no_type_silently(void **state)
{
	struct snapshot *snap = fixture_incident();
	int more;

	(void)state;
	for (int i = 0; i < WAIT_NR; i++)
		snap->total.ns[i] = 1000000 + (uint64_t)i;
	for (int w = 20; w < 260; w += 3) {
		for (int h = 10; h < 40; h += 2) {
			assert_int_equal(legend_types(snap, w, h, &more), WAIT_NR - 1);
			if (w >= LAYOUT_LEGEND_1 || (w >= LAYOUT_LEGEND_2 && h >= 24) ||
				(w >= 66 && h >= 28))
				assert_int_equal(more, 0);
		}
	}
	snap->total.ns[WAIT_IO] = 1; /* the smallest goes first */
	{
		struct scene sc = {.w = 171, .h = 20};
		_cleanup_free_ char *dump = text_of(&sc, snap);

		assert_shows(dump, "+1 more");
		assert_null(strstr(dump, "o io "));
		assert_shows(dump, "! unknown ");
	}
	snapshot_free(snap);
}

/* Column x of the graph's bottom line is not blank. */
static bool graph_at(const struct frame *f, const struct layout *l, int x)
{
	return frame_at(f, x, l->graph.y + l->graph.h - 1)->style >= STYLE_BAR;
}

/* A full window takes the whole width, whatever the number of slots; one that is not, its share at
 * the right, and the label in front of it says how much that is. */
static void the_graph_is_as_wide_as_its_window(void **state)
{
	uint32_t aas[SNAP_MAX_HISTORY];
	uint8_t types[SNAP_MAX_HISTORY];
	struct snapshot *snap = fixture_incident();
	struct frame f = {0};
	struct layout l;

	(void)state;
	for (size_t i = 0; i < SNAP_MAX_HISTORY; i++) {
		aas[i] = 1000;
		types[i] = WAIT_LOCK;
	}
	snap->history = types;
	snap->history_aas_milli = aas;
	for (int w = 40; w < 250; w += 19) {
		for (snap->n_history = 1; snap->n_history <= SNAP_MAX_HISTORY; snap->n_history++) {
			struct scene sc = {.w = w, .h = 30};
			struct layout_in in = {.w = w, .h = 30};
			int from = w / 2;

			snap->window_ns = snap->window_set_ns = 30 * NSEC_PER_SEC;
			layout_compute(&in, &l);
			draw(&sc, snap, &f);
			for (int x = 7; x < w; x++)
				assert_true(graph_at(&f, &l, x));
			assert_int_equal(frame_at(&f, 2, l.graph.y + l.graph.h - 1)->ch[0], '-');
			if (snap->n_history < 4)
				continue;
			snap->window_ns = 15 * NSEC_PER_SEC;
			draw(&sc, snap, &f);
			while (graph_at(&f, &l, from - 1))
				from--;
			while (!graph_at(&f, &l, from))
				from++;
			assert_in_range(w - from, (w - 7) / 2, (w - 6) / 2);
			for (int x = from; x < w; x++)
				assert_true(graph_at(&f, &l, x));
			for (int x = 0; x < 4; x++)
				assert_int_equal(
					frame_at(&f, from - 5 + x, l.graph.y + l.graph.h - 1)
						->ch[0],
					"-15s"[x]);
		}
	}
	frame_release(&f);
	snapshot_free(snap);
}

/* Bytes that could do something to a terminal, straight into a snapshot that should never hold
 * them. */
static void even_unclean_text_cannot_harm(void **state)
{
	static const char evil[] = "\033]52;c;QUJD\007\r\n\t\x9b"
				   "31m\xc2\x9b\xe2\x80\xae\x7f";
	struct snapshot *snap = fixture_incident();

	(void)state;
	for (size_t i = 0; i < snap->n_backends; i++) {
		struct snap_backend *b = (struct snap_backend *)&snap->backends[i];

		b->user = b->database = b->client = b->application = b->state = b->query = evil;
		b->backend_type = b->current.event = b->current.wait_class = evil;
	}
	snap->host = snap->notice = evil;
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		struct frame f = {0};

		draw(&scenes[i], snap, &f);
		golden_assert_sound(&f);
		frame_release(&f);
	}
	snapshot_free(snap);
}

static void every_value_unknown(void **state)
{
	struct snapshot *snap = fixture_incident();

	(void)state;
	for (size_t i = 0; i < snap->n_backends; i++) {
		struct snap_backend *b = (struct snap_backend *)&snap->backends[i];
		pid_t pid = b->pid;

		memset(b, 0, sizeof(*b));
		b->pid = pid;
		b->has_current = i % 2;
		b->current.type = (enum wait_type)(i % WAIT_NR);
	}
	snap->host = NULL;
	for (size_t i = 0; i < snap->n_clusters; i++)
		memset((void *)&snap->clusters[i], 0, sizeof(snap->clusters[i]));
	for (size_t i = 0; i < ARRAY_SIZE(scenes); i++) {
		struct frame f = {0};

		draw(&scenes[i], snap, &f);
		golden_assert_sound(&f);
		frame_release(&f);
	}
	snapshot_free(snap);
}

static void a_storm_of_sizes(void **state)
{
	const struct ui_options o = {.sort = SORT_OFF, .descending = true};
	struct snapshot *snap = fixture_incident();
	static const char *const modes[] = {"", "\1", "\6", "u", "/x", "v"};
	struct frame f = {0};

	(void)state;
	for (size_t m = 0; m < ARRAY_SIZE(modes); m++) {
		struct ui_state st;

		ui_state_init(&st, &o);
		ui_state_set_snapshot(&st, snap);
		press(&st, modes[m]);
		for (int w = 1; w <= 500; w += w < 90 ? 1 : 41) {
			for (int h = 1; h <= 200; h += h < 26 ? 1 : 29) {
				ui_state_resize(&st, w, h);
				frame_reset(&f, w, h, true, (w + h) % 2);
				view_draw(&st, &f);
				golden_assert_sound(&f);
			}
		}
		ui_state_release(&st);
	}
	frame_release(&f);
	snapshot_free(snap);
}

static void help_shows_every_key_type_and_column(void **state)
{
	const struct scene sc = {.w = 120, .h = 200, .keys = "\1"};
	_cleanup_free_ char *dump = text_of(&sc, NULL);
	size_t n;
	const struct key_binding *b = key_bindings(&n);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *line = xasprintf("%s ", b[i].label);

		assert_shows(dump, line);
	}
	for (int i = 0; i < WAIT_NR; i++)
		assert_shows(dump, wait_type_help((enum wait_type)i));
	for (int i = 0; i < COL_NR; i++)
		assert_shows(dump, column((enum column_id)i)->title);
}

static void a_long_query_wraps_in_its_panel(void **state)
{
	struct snapshot *snap = fixture_incident();
	struct snap_backend *b =
		(struct snap_backend *)&snap->backends[2]; /* first by off-CPU time */
	const struct scene sc = {.w = 60, .h = 30, .keys = "v"};
	_cleanup_free_ char *dump = NULL;

	(void)state;
	b->query = "SELECT first_column_of_the_table, second_column_of_the_table\n\tFROM t\nWHERE "
		   "verylongwordwithoutanyblankinitverylongwordwithoutanyblankinit_END";
	dump = text_of(&sc, snap);
	assert_shows(dump, "SELECT first_column_of_the_table,");
	assert_shows(dump, " second_column_of_the_table ");
	assert_shows(dump, "  FROM t ");
	assert_shows(dump, "init_END ");
	snapshot_free(snap);
}

/* All who block it, where the row had room for one. */
static void the_panel_names_all_blockers(void **state)
{
	struct snapshot *snap = fixture_incident();
	const struct scene blocked = {.w = 80, .h = 30, .keys = "v", .filter = "pid:41930"};
	const struct scene worker = {.w = 80, .h = 30, .keys = "v", .filter = "pid:42007"};
	_cleanup_free_ char *dump = text_of(&blocked, snap), *other = text_of(&worker, snap);

	(void)state;
	assert_shows(dump, "Lock:relat < 41807 +2 ");
	assert_shows(dump, "query of 41930  migrate@shop  active  blocked by 41807 41911 41912 ");
	assert_shows(other, "query of 42007  report@warehouse  active  parallel worker of 42001 ");
	snapshot_free(snap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_screens),
		cmocka_unit_test(loss_is_said_at_any_width),
		cmocka_unit_test(the_header_says_what_is_degraded),
		cmocka_unit_test(the_bar_leaves_idle_out_and_the_legend_adds_up),
		cmocka_unit_test(the_legend_drops_no_type_silently),
		cmocka_unit_test(the_graph_is_as_wide_as_its_window),
		cmocka_unit_test(even_unclean_text_cannot_harm),
		cmocka_unit_test(every_value_unknown),
		cmocka_unit_test(a_storm_of_sizes),
		cmocka_unit_test(help_shows_every_key_type_and_column),
		cmocka_unit_test(a_long_query_wraps_in_its_panel),
		cmocka_unit_test(the_panel_names_all_blockers),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
