/*
 * The help screen. Everything in it comes from the tables of keys, columns and wait types, so it
 * cannot promise what is not there. Pure; owns nothing.
 */
#include "views.h"

#include <stdio.h>
#include <string.h>

#include "columns.h"
#include "text.h"
#include "util.h"

#define MARGIN 2
#define KEY_W  14
#define TYPE_W 12

static const char *const numbers[] = {
	("Times are measured by the kernel at every switch, not sampled: what a backend spent on "
	 "CPU, in each wait type and in the run queue, and what was lost, adds up to the time it "
	 "was watched."),
	("Shares and rates cover the window, or the part of it that is known. A wait in progress "
	 "counts up to now and grows on the screen. AGE and MAX are of whole waits, also where "
	 "these began before the window; lost counts from the start."),
	"AAS: average active sessions, the time of all backends but idle, over the window.",
	"lost: what the monitor missed; 0 on a healthy run. Lost time is shown as \"unknown\".",
	("idle is left out of OFF%, of AAS and of the default sort. idle_xact never is: it holds "
	 "locks."),
	"A backend that was only idle is not listed (i), unless it blocks another one.",
};

/* Where the text flows: counts lines, and draws those between top and the last screen line. */
struct page {
	struct frame *f; /* NULL: only counts */
	int w, h;
	size_t top, line;
};

static bool visible(const struct page *p)
{
	return p->f && p->line >= p->top && p->line < p->top + (size_t)p->h;
}

static int screen_y(const struct page *p)
{
	return (int)(p->line - p->top) + 1;
}

static void heading(struct page *p, const char *s)
{
	p->line++;
	if (visible(p))
		frame_put(p->f, MARGIN, screen_y(p), p->w, STYLE_TITLE, s);
	p->line++;
}

/* A paragraph from column x on; at least one line. */
static void paragraph(struct page *p, int x, const char *s)
{
	int room = MAX(1, p->w - x - 1);

	do {
		size_t cut = text_cut(s, (size_t)room, NULL), len = cut;

		if (s[cut]) {
			while (len > 0 && s[len] != ' ')
				len--;
			if (len == 0)
				len = MAX(cut, 1);
		}
		if (visible(p)) {
			_cleanup_free_ char *line = xasprintf("%.*s", (int)len, s);

			frame_put(p->f, x, screen_y(p), room, STYLE_NORMAL, line);
		}
		p->line++;
		s += len;
		s += strspn(s, " ");
	} while (*s);
}

static void entry(struct page *p, enum ui_style style, const char *what, int x, const char *help)
{
	if (visible(p))
		frame_put(p->f, MARGIN, screen_y(p), x - MARGIN, style, what);
	paragraph(p, x, help);
}

static void types(struct page *p)
{
	for (int i = 0; i < WAIT_NR; i++) {
		enum wait_type type = (enum wait_type)i;
		char digit[2] = "", name[32];

		for (int key = '0'; key <= '9'; key++)
			if (key_sort_type(key) == i)
				digit[0] = (char)key;
		if (visible(p)) {
			for (int x = 0; x < 3; x++)
				frame_glyph(p->f, MARGIN + x, screen_y(p), style_bar(type),
					(unsigned char)wait_type_glyph(type));
			snprintf(name, sizeof(name), "%-1s %s", digit, wait_type_name(type));
			frame_put(p->f, MARGIN + 4, screen_y(p), TYPE_W, STYLE_KEY, name);
		}
		paragraph(p, MARGIN + 4 + TYPE_W + 1, wait_type_help(type));
	}
}

static void body(struct page *p)
{
	size_t n;
	const struct key_binding *b = key_bindings(&n);

	heading(p, "Wait types, in the order of every bar (digit: sort by it)");
	types(p);
	heading(p, "Keys");
	for (size_t i = 0; i < n; i++)
		entry(p, STYLE_KEY, b[i].label, MARGIN + KEY_W, b[i].help);
	entry(p, STYLE_KEY, "mouse", MARGIN + KEY_W,
		"click a line to select it, a column title to sort by it (again: reverse), a key "
		"of the bottom line to press it; the wheel scrolls");
	entry(p, STYLE_KEY, "while typing", MARGIN + KEY_W,
		"Enter keeps the text, Esc drops it; Left Right Home End move in it; Backspace, "
		"Delete, Ctrl-W (a word) and Ctrl-U (all before the cursor) erase");
	heading(p, "Columns");
	for (int i = 0; i < COL_NR; i++)
		entry(p, STYLE_KEY, column((enum column_id)i)->title, MARGIN + KEY_W,
			column((enum column_id)i)->help);
	heading(p, "The numbers");
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		paragraph(p, MARGIN, numbers[i]);
	heading(p, "Filter");
	paragraph(p, MARGIN,
		"Terms separated by blanks must all match; !term negates; \"two words\" quotes. A "
		"term is a case-insensitive regular expression on pid, backend type, user, "
		"database, client, application, state, wait event and query. user: db: app: "
		"client: state: type: event: query: pid: in front confines it. type:lock keeps "
		"backends that spent time in locks.");
}

size_t view_help_lines(int w)
{
	struct page p = {.w = w};

	body(&p);
	return p.line;
}

void view_help(const struct ui_state *st, struct frame *f)
{
	struct page p = {.f = f, .w = f->w, .h = MAX(0, f->h - 2), .top = st->help_top};
	size_t lines = view_help_lines(f->w), last = MIN(lines, p.top + (size_t)p.h);

	frame_field(f, 0, 0, f->w, ALIGN_LEFT, STYLE_MENUHEAD,
		" pgtop-offcpu " PGTOP_VERSION ": what every PostgreSQL backend is waiting for");
	body(&p);
	frame_fill(f, (struct rect){0, f->h - 1, f->w, 1}, STYLE_KEYLABEL);
	frame_printf(f, 1, f->h - 1, f->w - 1, STYLE_KEYLABEL,
		"lines %zu-%zu of %zu   Up Down PgUp PgDn: scroll   Esc: back", p.top + 1, last,
		lines);
}
