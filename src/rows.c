/*
 * Which rows, in which order. See rows.h.
 *
 * Owns nothing. Invariant: the order is total and depends on the snapshot alone, so that a row does
 * not jump between two refreshes that say the same of it. Must not know how a row is drawn.
 */
#include "rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "text.h"
#include "util.h"

enum kind { KIND_OFF, KIND_TYPE, KIND_MAX, KIND_WAITS, KIND_AGE, KIND_PID, KIND_EVENT, KIND_TEXT };

#define TYPE_KEY(t)	 .kind = KIND_TYPE, .type = (t)
#define TEXT_KEY(member) .kind = KIND_TEXT, .offset = offsetof(struct snap_backend, member)

static const struct {
	const char *name;
	const char *help;
	enum kind kind;
	enum wait_type type; /* KIND_TYPE */
	size_t offset;	     /* KIND_TEXT: of a const char * */
} keys[SORT_NR] = {
	[SORT_OFF] = {"off", "off-CPU time in the window", .kind = KIND_OFF},
	[SORT_CPU] = {"cpu", "time on CPU", TYPE_KEY(WAIT_CPU)},
	[SORT_RUNQ] = {"runq", "time runnable, not running", TYPE_KEY(WAIT_RUNQ)},
	[SORT_IO] = {"io", "time in I/O", TYPE_KEY(WAIT_IO)},
	[SORT_WAL_WRITE] = {"wal_write", "time in WAL writes", TYPE_KEY(WAIT_WAL_WRITE)},
	[SORT_LWLOCK] = {"lwlock", "time in lightweight locks", TYPE_KEY(WAIT_LWLOCK)},
	[SORT_LOCK] = {"lock", "time in heavyweight locks", TYPE_KEY(WAIT_LOCK)},
	[SORT_NETWORK] = {"network", "time in network waits", TYPE_KEY(WAIT_NETWORK)},
	[SORT_IPC] = {"ipc", "time in waits for other processes", TYPE_KEY(WAIT_IPC)},
	[SORT_TIMEOUT] = {"timeout", "time in sleeps", TYPE_KEY(WAIT_TIMEOUT)},
	[SORT_IDLE_XACT] = {"idle_xact", "time idle in transaction", TYPE_KEY(WAIT_IDLE_XACT)},
	[SORT_IDLE] = {"idle", "time idle", TYPE_KEY(WAIT_IDLE)},
	[SORT_OTHER] = {"other", "time in other waits", TYPE_KEY(WAIT_OTHER)},
	[SORT_MAX] = {"max", "longest wait", .kind = KIND_MAX},
	[SORT_WAITS] = {"waits", "number of waits", .kind = KIND_WAITS},
	[SORT_AGE] = {"age", "age of the wait in progress", .kind = KIND_AGE},
	[SORT_PID] = {"pid", "process id", .kind = KIND_PID},
	[SORT_USER] = {"user", "user name", TEXT_KEY(user)},
	[SORT_DATABASE] = {"database", "database name", TEXT_KEY(database)},
	[SORT_APPLICATION] = {"application", "application name", TEXT_KEY(application)},
	[SORT_STATE] = {"state", "session state", TEXT_KEY(state)},
	[SORT_EVENT] = {"event", "wait event in progress", .kind = KIND_EVENT},
	[SORT_QUERY] = {"query", "query text", TEXT_KEY(query)},
};

const char *sort_key_name(enum sort_key key)
{
	return keys[key].name;
}

const char *sort_key_help(enum sort_key key)
{
	return keys[key].help;
}

bool sort_key_desc(enum sort_key key)
{
	return keys[key].kind < KIND_PID;
}

enum sort_key sort_key_of_type(enum wait_type type)
{
	int key = 0;

	while (key < SORT_NR && (keys[key].kind != KIND_TYPE || keys[key].type != type))
		key++;
	return (enum sort_key)key;
}

int sort_key_parse(const char *s, enum sort_key *ret_key, bool *ret_desc)
{
	bool invert = *s == '-';

	s += invert;
	for (int key = 0; key < SORT_NR; key++) {
		if (strcasecmp(s, keys[key].name))
			continue;
		*ret_key = (enum sort_key)key;
		*ret_desc = sort_key_desc(*ret_key) != invert;
		return 0;
	}
	return -EINVAL;
}

char *rows_event_name(char buf[ROWS_EVENT_BUF], const char *wait_class, const char *event)
{
	size_t n = 0;

	buf[0] = '\0';
	if (wait_class && *wait_class) {
		n = text_clean(
			buf, ROWS_EVENT_BUF - 1, wait_class, strlen(wait_class), TEXT_ONE_LINE);
		buf[n++] = ':';
	}
	if (event)
		text_clean(buf + n, ROWS_EVENT_BUF - n, event, strlen(event), TEXT_ONE_LINE);
	else
		buf[n] = '\0';
	return buf;
}

bool rows_idle_only(const struct snap_backend *b)
{
	static const char in_xact[] = "idle in transaction";
	uint64_t outside = b->watched_ns - b->times.ns[WAIT_IDLE];

	if (b->times.ns[WAIT_IDLE_XACT] ||
		(b->state && !strncmp(b->state, in_xact, strlen(in_xact))))
		return false;
	if (b->has_current && b->current.type != WAIT_IDLE)
		return false;
	if (!b->watched_ns)
		return b->has_current;
	return outside == 0 || outside < b->watched_ns / 1000;
}

enum wait_type rows_waiting_on(char buf[ROWS_EVENT_BUF], const struct snap_backend *b)
{
	const struct snap_current *c = &b->current;

	buf[0] = '\0';
	if (b->exited)
		return WAIT_NR;
	if (!b->has_current) {
		/* Neither waiting nor ended: it runs. Where nothing was seen of it, say nothing. */
		snprintf(buf, ROWS_EVENT_BUF, "%s", b->watched_ns ? "on CPU" : "");
		return b->watched_ns ? WAIT_CPU : WAIT_NR;
	}
	if (c->waiting_for_cpu || c->type == WAIT_RUNQ) {
		snprintf(buf, ROWS_EVENT_BUF, "(cpu queue)");
		return WAIT_RUNQ;
	}
	rows_event_name(buf, c->wait_class, c->event);
	if (!buf[0])
		snprintf(buf, ROWS_EVENT_BUF, "%s", wait_type_name(c->type));
	return c->type;
}

double rows_waits_per_s(const struct snap_backend *b)
{
	return b->watched_ns ? (double)b->waits * (double)NSEC_PER_SEC / (double)b->watched_ns : 0;
}

/* Appends the blockers of one kind until *left is used up or the buffer nearly is. Returns how many
 * were left out. */
static size_t add_blockers(char *buf, const struct snap_backend *b, bool soft, size_t *left)
{
	size_t len = strlen(buf), skipped = 0;

	for (size_t i = 0; i < b->n_blocked_by; i++) {
		const struct snap_blocker *by = &b->blocked_by[i];
		char pid[16] = "prepared";

		if (by->soft != soft)
			continue;
		if (*left == 0 || len + 48 > ROWS_BLOCKED_BUF) {
			skipped++;
			continue;
		}
		if (by->pid)
			snprintf(pid, sizeof(pid), "%d", (int)by->pid);
		len += (size_t)snprintf(buf + len, ROWS_BLOCKED_BUF - len, "%s%s%s%s",
			len ? " " : "", soft ? "(" : "", pid, soft ? ")" : "");
		--*left;
	}
	return skipped;
}

char *rows_blocked_by(char buf[ROWS_BLOCKED_BUF], const struct snap_backend *b, size_t max)
{
	size_t skipped, len;

	buf[0] = '\0';
	skipped = add_blockers(buf, b, false, &max);
	skipped += add_blockers(buf, b, true, &max);
	len = strlen(buf);
	if (skipped)
		snprintf(buf + len, ROWS_BLOCKED_BUF - len, "%s+%zu", len ? " " : "", skipped);
	return buf;
}

char *rows_kind(char buf[ROWS_KIND_BUF], const struct snap_backend *b)
{
	const char *type = b->backend_type ? b->backend_type : "";

	if (*type && b->leader_pid && b->leader_pid != b->pid)
		snprintf(buf, ROWS_KIND_BUF, "%.*s of %d", (int)text_cut(type, 64, NULL), type,
			(int)b->leader_pid);
	else
		snprintf(buf, ROWS_KIND_BUF, "%.*s", (int)text_cut(type, 64, NULL), type);
	return buf;
}

/* A row and what it is sorted by: a number, or a text where that is not NULL. */
struct row {
	size_t index;
	pid_t pid;
	bool known;
	uint64_t number;
	const char *text;
	char event[ROWS_EVENT_BUF];
};

static void set_text(struct row *r, const char *text)
{
	r->text = text;
	r->known = text && *text;
}

static void set_value(struct row *r, const struct snap_backend *b, enum sort_key key)
{
	r->known = true;
	switch (keys[key].kind) {
	case KIND_OFF:
		r->number = b->off_ns;
		break;
	case KIND_TYPE:
		r->number = b->times.ns[keys[key].type];
		break;
	case KIND_MAX:
		r->number = b->max_wait_ns;
		break;
	case KIND_WAITS:
		r->number = b->waits;
		break;
	case KIND_AGE:
		r->known = b->has_current;
		r->number = b->current.age_ns;
		break;
	case KIND_PID:
		r->number = (uint64_t)b->pid;
		break;
	case KIND_EVENT:
		set_text(r, b->has_current ? rows_event_name(r->event, b->current.wait_class,
						     b->current.event)
					   : NULL);
		break;
	case KIND_TEXT:
		set_text(r, *(const char *const *)((const char *)b + keys[key].offset));
		break;
	}
}

static int compare_values(const struct row *a, const struct row *b)
{
	int c;

	if (!a->text)
		return (a->number > b->number) - (a->number < b->number);
	c = strcasecmp(a->text, b->text);
	return c ? c : strcmp(a->text, b->text);
}

static int compare_rows(const void *pa, const void *pb, void *arg)
{
	const struct row *a = pa, *b = pb;
	const bool *desc = arg;
	int c = 0;

	if (a->known != b->known)
		return a->known ? -1 : 1;
	if (a->known)
		c = compare_values(a, b);
	if (c)
		return *desc ? -c : c;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

static int compare_pids(const void *a, const void *b)
{
	const pid_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The pids that block someone, in ascending order, to be freed. */
static pid_t *find_blockers(const struct snapshot *s, size_t *ret_n)
{
	size_t n = 0;
	pid_t *pids;

	for (size_t i = 0; i < s->n_backends; i++)
		n += s->backends[i].n_blocked_by;
	pids = xcalloc(n, sizeof(*pids));
	*ret_n = n;
	n = 0;
	for (size_t i = 0; i < s->n_backends; i++)
		for (size_t j = 0; j < s->backends[i].n_blocked_by; j++)
			pids[n++] = s->backends[i].blocked_by[j].pid;
	qsort(pids, n, sizeof(*pids), compare_pids);
	return pids;
}

size_t rows_select(const struct snapshot *s, const struct filter *f, bool show_idle,
	enum sort_key key, bool desc, size_t *out)
{
	_cleanup_free_ struct row *rows = xcalloc(s->n_backends, sizeof(*rows));
	size_t n = 0, n_blockers;
	_cleanup_free_ pid_t *blockers = find_blockers(s, &n_blockers);

	for (size_t i = 0; i < s->n_backends; i++) {
		const struct snap_backend *b = &s->backends[i];

		if (!show_idle && rows_idle_only(b) &&
			!bsearch(&b->pid, blockers, n_blockers, sizeof(*blockers), compare_pids))
			continue;
		if (!filter_match(f, b))
			continue;
		rows[n].index = i;
		rows[n].pid = b->pid;
		set_value(&rows[n++], b, key);
	}
	qsort_r(rows, n, sizeof(*rows), compare_rows, &desc);
	for (size_t i = 0; i < n; i++)
		out[i] = rows[i].index;
	return n;
}
