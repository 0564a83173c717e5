/*
 * The table of columns and their texts. Owns nothing; pure. Knows the snapshot, but neither the
 * layout nor where a cell lands on the screen.
 */
#include "columns.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "rows.h"
#include "text.h"
#include "units.h"
#include "util.h"

#define EVENT_MIN 8 /* "Lock:tup": cells of an event that tell it from others */

const char *column_state_word(const char *state)
{
	static const struct {
		const char *state, *word;
	} words[] = {
		{"idle in transaction", "idle xact"},
		{"idle in transaction (aborted)", "idle abrt"},
		{"fastpath function call", "fastpath"},
	};

	if (!state)
		return "";
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(state, words[i].state))
			return words[i].word;
	return state;
}

/* At rest: idle now, and for most of the window; not for a moment between two statements. */
static bool at_rest(const struct snap_backend *b)
{
	return b->has_current && !b->current.waiting_for_cpu && b->current.type == WAIT_IDLE &&
	       b->times.ns[WAIT_IDLE] > b->watched_ns / 2;
}

/* Names and texts of a row that has ended or rests step back. */
static enum ui_style text_style(const struct snap_backend *b)
{
	return b->exited || at_rest(b) ? STYLE_DIM : STYLE_NORMAL;
}

static enum ui_style copy(const struct snap_backend *b, char *buf, size_t size, const char *s)
{
	snprintf(buf, size, "%s", s ? s : "");
	return text_style(b);
}

static enum ui_style fmt_pid(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	(void)s;
	snprintf(buf, size, "%d", (int)b->pid);
	return text_style(b);
}

static enum ui_style fmt_user(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	(void)s;
	return copy(b, buf, size, b->user);
}

static enum ui_style fmt_database(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	(void)s;
	return copy(b, buf, size, b->database);
}

static enum ui_style fmt_client(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	(void)s;
	return copy(b, buf, size, b->client);
}

static enum ui_style fmt_app(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	(void)s;
	return copy(b, buf, size, b->application);
}

static enum ui_style fmt_state(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	(void)s;
	copy(b, buf, size, b->exited ? "exited" : column_state_word(b->state));
	if (!b->exited && b->state && !strncmp(b->state, "idle in transaction", 19))
		return style_type(WAIT_IDLE_XACT);
	return text_style(b);
}

static enum ui_style pct(
	const struct snap_backend *b, uint64_t part, char *buf, size_t size, enum ui_style style)
{
	char num[UNITS_BUF];

	if (b->watched_ns == 0) {
		snprintf(buf, size, "-");
		return STYLE_DIM;
	}
	units_pct(num, part, b->watched_ns);
	snprintf(buf, size, "%s", num);
	return strcmp(num, "0.0") ? style : STYLE_DIM;
}

static enum ui_style fmt_off(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	(void)s;
	return pct(b, b->off_ns, buf, size, STYLE_BRIGHT);
}

static enum ui_style fmt_cpu(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	(void)s;
	return pct(b, b->times.ns[WAIT_CPU], buf, size, style_type(WAIT_CPU));
}

static enum ui_style fmt_runq(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	(void)s;
	return pct(b, b->times.ns[WAIT_RUNQ], buf, size, style_type(WAIT_RUNQ));
}

static enum ui_style fmt_max(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	char num[UNITS_BUF];

	(void)s;
	snprintf(buf, size, "%s", units_duration(num, b->max_wait_ns));
	return b->max_wait_ns ? text_style(b) : STYLE_DIM;
}

static enum ui_style fmt_waits(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	char num[UNITS_BUF];

	(void)s;
	snprintf(buf, size, "%s", b->waits ? units_rate(num, rows_waits_per_s(b)) : "0");
	return b->waits ? text_style(b) : STYLE_DIM;
}

/* name and blockers, name cut to name_w cells. False if that is more than w cells. */
static bool join_blockers(
	char *buf, size_t size, const char *name, int name_w, const char *blockers, int w)
{
	size_t cells = 0, len = text_cut(name, (size_t)MAX(name_w, 0), &cells);

	snprintf(buf, size, "%.*s < %s", (int)len, name, blockers);
	return (int)cells + 3 + (int)text_width(blockers) <= w;
}

enum ui_style column_waiting_on(const struct snap_backend *b, int w, char *buf, size_t size)
{
	char name[ROWS_EVENT_BUF], list[ROWS_BLOCKED_BUF];
	enum wait_type type = rows_waiting_on(name, b);
	int whole = (int)text_width(name), left;

	snprintf(buf, size, "%s", name);
	if (type == WAIT_NR)
		return STYLE_DIM;
	if (type == WAIT_LOCK && b->n_blocked_by > 0) {
		/* All of them if they fit; else the first, and of the event enough to know it. */
		rows_blocked_by(list, b, SIZE_MAX);
		if (!join_blockers(buf, size, name, whole, list, w)) {
			rows_blocked_by(list, b, 1);
			if (w < EVENT_MIN + 3 + (int)text_width(list) && strchr(list, ' '))
				strcpy(strchr(list, ' '), "+");
			left = w - 3 - (int)text_width(list);
			if (left < MIN(whole, EVENT_MIN) ||
				!join_blockers(buf, size, name, MIN(whole, left), list, w))
				snprintf(buf, size, "%s", name);
		}
	}
	return style_type(type);
}

static enum ui_style fmt_waiting_on(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	(void)s;
	return column_waiting_on(b, INT_MAX, buf, size);
}

/* How long the wait under WAITING-ON has lasted: next to it, that is what "for how long?" asks.
 * A backend on CPU has none; how long its statement runs is not the age of a wait. */
static enum ui_style fmt_age(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	char num[UNITS_BUF];

	(void)s;
	if (b->exited || !b->has_current) {
		*buf = '\0';
		return STYLE_DIM;
	}
	snprintf(buf, size, "%s%s", b->current.at_least ? ">=" : "",
		units_duration(num, b->current.age_ns));
	if (b->current.type == WAIT_IDLE)
		return STYLE_DIM;
	return b->current.age_ns >= NSEC_PER_SEC ? STYLE_BRIGHT : STYLE_NORMAL;
}

/* The query on one line, of a parallel worker behind the leader that it works for; for a process
 * without a query, what it is. */
static enum ui_style fmt_query(
	const struct snapshot *s, const struct snap_backend *b, char *buf, size_t size)
{
	char kind[ROWS_KIND_BUF];
	int len = 0;

	(void)s;
	if (b->query && *b->query) {
		if (b->leader_pid && b->leader_pid != b->pid)
			len = snprintf(buf, size, "[worker of %d] ", (int)b->leader_pid);
		if (len >= 0 && (size_t)len < size)
			text_fold(buf + len, size - (size_t)len, b->query);
		return text_style(b);
	}
	if (b->backend_type && strcmp(b->backend_type, "client backend") != 0)
		snprintf(buf, size, "[%s]", rows_kind(kind, b));
	else
		*buf = '\0';
	return STYLE_DIM;
}

#define LEFT  ALIGN_LEFT
#define RIGHT ALIGN_RIGHT

static const struct column columns[COL_NR] = {
	{COL_PID, "PID", 7, 7, RIGHT, 0, SORT_PID, "process id of the backend", fmt_pid},
	{COL_USER, "USER", 8, 14, LEFT, 6, SORT_USER, "role it is logged in as", fmt_user},
	{COL_DATABASE, "DATABASE", 9, 14, LEFT, 8, SORT_DATABASE, "database", fmt_database},
	{COL_CLIENT, "CLIENT", 15, 22, LEFT, 15, SORT_NR, "address of its client", fmt_client},
	{COL_APP, "APP", 10, 18, LEFT, 13, SORT_APPLICATION, "application_name", fmt_app},
	{COL_STATE, "STATE", 9, 9, LEFT, 7, SORT_STATE,
		"state as in pg_stat_activity; \"idle xact\": idle in transaction; \"exited\": it "
		"has ended inside the window",
		fmt_state},
	{COL_OFF, "OFF%", 5, 5, RIGHT, 1, SORT_OFF,
		"share of the time watched that it waited, waiting for a CPU included, idle not",
		fmt_off},
	{COL_CPU, "CPU%", 5, 5, RIGHT, 9, SORT_CPU, "share of the time watched on CPU", fmt_cpu},
	{COL_RUNQ, "RUNQ%", 6, 6, RIGHT, 10, SORT_RUNQ,
		"share of the time watched in which it could have run but had no CPU", fmt_runq},
	{COL_MAX, "MAX", 6, 6, RIGHT, 11, SORT_MAX,
		"longest single wait in the window, idle left out", fmt_max},
	{COL_WAITS, "WAITS/s", 8, 8, RIGHT, 14, SORT_WAITS,
		"waits that ended, per second that it was watched", fmt_waits},
	{COL_WAITING_ON, "WAITING-ON", 17, 34, LEFT, 2, SORT_EVENT,
		"wait event it is in right now, or \"on CPU\", or \"(cpu queue)\": woken or "
		"preempted, not running yet. \"< 6591 (7010)\": blocked by 6591, in the queue "
		"behind 7010",
		fmt_waiting_on},
	{COL_AGE, "AGE", 8, 8, RIGHT, 3, SORT_AGE,
		"how long that wait has lasted; \">=\": it began before the monitor started",
		fmt_age},
	{COL_BAR, "BY TYPE", 10, 24, LEFT, 4, SORT_NR,
		"the window by wait type, always in the same order", NULL},
	{COL_HISTORY, "HISTORY", 10, 20, LEFT, 12, SORT_NR,
		"the window in time, newest at the right: the type that dominated each part", NULL},
	{COL_QUERY, "QUERY", 24, 0, LEFT, 5, SORT_QUERY,
		"query text, the last one where the session is idle; for a process without one its "
		"kind; a parallel worker says whose",
		fmt_query},
};

const struct column *column(enum column_id id)
{
	return &columns[id];
}

bool column_sorts(enum column_id id, enum sort_key key)
{
	if (key == SORT_NR)
		return false;
	if (id != COL_BAR)
		return columns[id].sort == key;
	for (int i = WAIT_IO; i < WAIT_NR; i++)
		if (sort_key_of_type((enum wait_type)i) == key)
			return true;
	return false;
}
