/*
 * The text report: what `-b` prints when nothing else is asked for. See report.h.
 *
 * Made for reading, grep and awk: header lines begin with a word of their own, an empty line ends a
 * report, and the fields of the table are separated by at least two blanks, never empty ("-") and
 * never hold two blanks themselves. Nothing depends on the terminal or on COLUMNS. Must not compute
 * anything but shares and rates.
 */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "text.h"
#include "units.h"
#include "util.h"

#define NAME_CELLS  32
#define EVENT_CELLS 48
#define QUERY_CELLS 80
#define TOP_TYPES   3

/* ---- header --------------------------------------------------------------------------------- */

/* On one line. A snapshot's strings are clean; cleaning what lands in a terminal again is cheap. */
static void make_line(char *dst, size_t size, const char *s)
{
	size_t n = text_fold(dst, size, s ? s : "");

	text_clean(dst, size, dst, n, TEXT_ONE_LINE);
}

static void add_folded(struct buf *b, const char *s)
{
	char folded[512];

	make_line(folded, sizeof(folded), s);
	buf_puts(b, folded[0] ? folded : "-");
}

static void add_times(struct buf *b, const struct snapshot *s)
{
	uint64_t active = wait_times_active_ns(&s->total);
	char text[UNITS_BUF];

	buf_puts(b, "types");
	for (int i = 0; i < WAIT_NR; i++)
		if (i != WAIT_IDLE && s->total.ns[i])
			buf_printf(b, "  %s %s%%", wait_type_name((enum wait_type)i),
				units_pct(text, s->total.ns[i], active));
	buf_puts(b, active ? "\n" : "  -\n");
}

static void add_loss(struct buf *b, const struct snap_loss *l)
{
	char text[UNITS_BUF];
	const char *separator = "";

	buf_puts(b, "lost ");
	if (l->ring_events || l->ring_ns) {
		buf_printf(b,
			"%" PRIu64 " events, %s charged to unknown (a larger --ring-size helps)",
			l->ring_events, units_duration(text, l->ring_ns));
		separator = "; ";
	}
	if (l->map_full) {
		buf_printf(b, "%s%" PRIu64 " backends not tracked", separator, l->map_full);
		separator = "; ";
	}
	if (l->event_unread) {
		buf_printf(b, "%s%" PRIu64 " wait events unread", separator, l->event_unread);
		separator = "; ";
	}
	if (l->stack_missed) {
		buf_printf(b, "%s%" PRIu64 " stacks missed", separator, l->stack_missed);
		separator = "; ";
	}
	buf_puts(b, *separator ? "\n" : "0\n");
}

static void add_self(struct buf *b, const struct snap_self *self)
{
	char pct[UNITS_BUF], rss[UNITS_BUF], ns[UNITS_BUF];

	buf_printf(b, "self cpu %s%%  rss %s  events %" PRIu64, units_rate(pct, self->cpu_pct),
		units_size(rss, self->rss_bytes), self->events);
	if (self->bpf_ns_known)
		buf_printf(b, "  bpf %sns/switch", units_rate(ns, self->bpf_ns_per_switch));
	buf_putc(b, '\n');
}

static void add_cluster(struct buf *b, const struct snap_cluster *c)
{
	char aas[UNITS_BUF];

	buf_printf(b, "cluster %d  version ", (int)c->postmaster);
	add_folded(b, c->version);
	buf_puts(b, "  data ");
	add_folded(b, c->data_directory);
	if (c->cluster_name && *c->cluster_name) {
		buf_puts(b, "  name ");
		add_folded(b, c->cluster_name);
	}
	buf_printf(b, "  backends %zu  aas %s  wait events %s", c->backends,
		units_rate(aas, c->aas), c->exact ? "exact" : "kernel-only");
	if (c->gone)
		buf_puts(b, "  gone");
	if (c->notice) {
		buf_puts(b, "  notice ");
		add_folded(b, c->notice);
	}
	buf_putc(b, '\n');
}

static void add_header(struct buf *b, const struct snapshot *s)
{
	char time[REPORT_TIME_BUF], window[UNITS_BUF], interval[UNITS_BUF], aas[UNITS_BUF],
		waits[UNITS_BUF];

	buf_printf(b, "time %s  host ", report_time(time, s->time_ms));
	add_folded(b, s->host);
	buf_printf(b, "  window %s  refresh %s\n", units_setting(window, s->window_ns),
		units_setting(interval, s->interval_ns));
	buf_printf(b,
		"aas %s  waits/s %s  active %zu  idle in transaction %zu  idle %zu  background "
		"%zu\n",
		units_rate(aas, s->aas), units_rate(waits, s->waits_per_s), s->n_active,
		s->n_idle_xact, s->n_idle, s->n_background);
	add_times(b, s);
	add_loss(b, &s->loss);
	add_self(b, &s->self);
	if (s->notice) {
		buf_puts(b, "notice ");
		add_folded(b, s->notice);
		buf_putc(b, '\n');
	}
	for (size_t i = 0; i < s->n_clusters; i++)
		add_cluster(b, &s->clusters[i]);
	if (!s->n_clusters)
		buf_puts(b, "no PostgreSQL server found\n");
}

/* ---- cells ---------------------------------------------------------------------------------- */

/* A row's cells are made in an arena that lives as long as the report. */
struct row {
	struct arena *arena;
	const struct snap_backend *b;
};

static const char *cell(const struct row *r, const char *text, size_t max_cells)
{
	static const char dots[] = "...";
	char folded[2048];
	size_t n;

	make_line(folded, sizeof(folded), text);
	if (!folded[0])
		return "-";
	if (text_width(folded) > max_cells) {
		n = text_cut(folded, max_cells - strlen(dots), NULL);
		memcpy(folded + n, dots, sizeof(dots));
	}
	return arena_strdup(r->arena, folded);
}

static const char *cell_pid(const struct row *r)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)r->b->pid);
	return arena_strdup(r->arena, text);
}

static const char *cell_user(const struct row *r)
{
	return cell(r, r->b->user, NAME_CELLS);
}

static const char *cell_database(const struct row *r)
{
	return cell(r, r->b->database, NAME_CELLS);
}

static const char *cell_backend(const struct row *r)
{
	char kind[ROWS_KIND_BUF];

	return cell(r, rows_kind(kind, r->b), NAME_CELLS);
}

static const char *cell_state(const struct row *r)
{
	return r->b->exited ? "exited" : cell(r, r->b->state, NAME_CELLS);
}

static const char *cell_pct(const struct row *r, uint64_t ns)
{
	char text[UNITS_BUF];

	return r->b->watched_ns ? arena_strdup(r->arena, units_pct(text, ns, r->b->watched_ns))
				: "-";
}

static const char *cell_off(const struct row *r)
{
	return cell_pct(r, r->b->off_ns);
}

static const char *cell_cpu(const struct row *r)
{
	return cell_pct(r, r->b->times.ns[WAIT_CPU]);
}

static const char *cell_runq(const struct row *r)
{
	return cell_pct(r, r->b->times.ns[WAIT_RUNQ]);
}

static const char *cell_max(const struct row *r)
{
	char text[UNITS_BUF];

	return arena_strdup(r->arena, units_duration(text, r->b->max_wait_ns));
}

static const char *cell_waits(const struct row *r)
{
	char text[UNITS_BUF];

	return arena_strdup(r->arena, units_rate(text, rows_waits_per_s(r->b)));
}

/* "lock 87% io 3%": the longest wait types but those that have a column or are no work. What the
 * monitor lost is never left out. */
static const char *cell_types(const struct row *r)
{
	const struct wait_times *t = &r->b->times;
	bool used[WAIT_NR] = {[WAIT_CPU] = true, [WAIT_RUNQ] = true, [WAIT_IDLE] = true};
	char text[128];
	size_t n = 0;

	for (int top = 0; top < TOP_TYPES && r->b->watched_ns; top++) {
		int best = -1;
		uint64_t pct;

		for (int i = 0; i < WAIT_NR; i++)
			if (!used[i] && t->ns[i] && (best < 0 || t->ns[i] > t->ns[best]))
				best = i;
		if (best < 0)
			break;
		used[best] = true;
		pct = (uint64_t)((double)t->ns[best] * 100 / (double)r->b->watched_ns + 0.5);
		if (!pct)
			break;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s %" PRIu64 "%%",
			n ? " " : "", wait_type_name((enum wait_type)best), pct);
	}
	return n ? arena_strdup(r->arena, text) : "-";
}

static const char *cell_waiting_on(const struct row *r)
{
	char text[ROWS_EVENT_BUF];

	rows_waiting_on(text, r->b);
	return cell(r, text, EVENT_CELLS);
}

static const char *cell_blocked_by(const struct row *r)
{
	char text[ROWS_BLOCKED_BUF];

	return cell(r, rows_blocked_by(text, r->b, SIZE_MAX), ROWS_BLOCKED_BUF);
}

static const char *cell_age(const struct row *r)
{
	char age[UNITS_BUF], text[UNITS_BUF + 2];

	if (!r->b->has_current)
		return "-";
	snprintf(text, sizeof(text), "%s%s", r->b->current.at_least ? ">=" : "",
		units_duration(age, r->b->current.age_ns));
	return arena_strdup(r->arena, text);
}

static const char *cell_query(const struct row *r)
{
	return cell(r, r->b->query, QUERY_CELLS);
}

/* ---- table ---------------------------------------------------------------------------------- */

static const struct column {
	const char *title;
	bool right;
	const char *(*cell)(const struct row *r);
} columns[] = {
	{"PID", false, cell_pid},
	{"USER", false, cell_user},
	{"DATABASE", false, cell_database},
	{"BACKEND", false, cell_backend},
	{"STATE", false, cell_state},
	{"OFF%", true, cell_off},
	{"CPU%", true, cell_cpu},
	{"RUNQ%", true, cell_runq},
	{"MAX", true, cell_max},
	{"WAITS/s", true, cell_waits},
	{"TOP-WAITS", false, cell_types},
	{"WAITING-ON", false, cell_waiting_on},
	{"BLOCKED-BY", false, cell_blocked_by},
	{"AGE", true, cell_age},
	{"QUERY", false, cell_query},
};

#define N_COLUMNS ARRAY_SIZE(columns)

static void add_line(struct buf *b, const char *const *cells, const size_t *widths)
{
	for (size_t c = 0; c < N_COLUMNS; c++) {
		size_t pad = widths[c] - text_width(cells[c]);

		if (c)
			buf_puts(b, "  ");
		if (columns[c].right)
			buf_pad(b, pad);
		buf_puts(b, cells[c]);
		if (!columns[c].right && c + 1 < N_COLUMNS)
			buf_pad(b, pad);
	}
	buf_putc(b, '\n');
}

static void add_table(struct buf *b, const struct snapshot *s, const size_t *rows, size_t n)
{
	struct arena *arena = arena_new();
	const char **cells = arena_alloc(arena, (n + 1) * N_COLUMNS, sizeof(*cells));
	size_t widths[N_COLUMNS] = {0};

	for (size_t i = 0; i <= n; i++) {
		struct row r = {arena, i ? &s->backends[rows[i - 1]] : NULL};

		for (size_t c = 0; c < N_COLUMNS; c++) {
			const char *text = i ? columns[c].cell(&r) : columns[c].title;

			cells[i * N_COLUMNS + c] = text;
			widths[c] = MAX(widths[c], text_width(text));
		}
	}
	for (size_t i = 0; i <= n; i++)
		add_line(b, cells + i * N_COLUMNS, widths);
	arena_free(arena);
}

int report_text(struct buf *b, const struct snapshot *s, const struct report_opts *o)
{
	_cleanup_free_ size_t *rows = xcalloc(s->n_backends, sizeof(*rows));
	size_t n = rows_select(s, o->filter, o->show_idle, o->sort, o->sort_desc, rows);

	add_header(b, s);
	if (s->n_clusters || n)
		add_table(b, s, rows, n);
	buf_putc(b, '\n');
	return b->overflow ? -EOVERFLOW : 0;
}
