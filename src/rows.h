/*
 * Which backends are shown, and in which order: the same for the screen and every report.
 */
#ifndef PGTOP_ROWS_H
#define PGTOP_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "filter.h"
#include "snapshot.h"

/* The keys of -s, in the order of the help. */
enum sort_key {
	SORT_OFF, /* off_ns: off-CPU time in the window */
	SORT_CPU,
	SORT_RUNQ,
	SORT_IO,
	SORT_WAL_WRITE,
	SORT_LWLOCK,
	SORT_LOCK,
	SORT_NETWORK,
	SORT_IPC,
	SORT_TIMEOUT,
	SORT_IDLE_XACT,
	SORT_IDLE,
	SORT_OTHER,
	SORT_MAX,   /* longest wait */
	SORT_WAITS, /* finished waits */
	SORT_AGE,   /* age of the wait in progress */
	SORT_PID,
	SORT_USER,
	SORT_DATABASE,
	SORT_APPLICATION,
	SORT_STATE,
	SORT_EVENT, /* the wait in progress, "Lock:transactionid" */
	SORT_QUERY,
	SORT_NR,
};

/* "off", "wal_write" ... */
const char *sort_key_name(enum sort_key key);

/* One line for help and menu. */
const char *sort_key_help(enum sort_key key);

/* Whether the key's natural direction is the largest first: yes for numbers but the pid, no for
 * texts. */
bool sort_key_desc(enum sort_key key);

/* The key that sorts by a wait type, or SORT_NR for WAIT_UNKNOWN. */
enum sort_key sort_key_of_type(enum wait_type type);

/* "KEY" or "-KEY" (inverted). 0 with *ret_key and *ret_desc, or -EINVAL and both untouched. */
int sort_key_parse(const char *s, enum sort_key *ret_key, bool *ret_desc);

#define ROWS_EVENT_BUF 160

/* "Lock:transactionid", or the event alone when it has no class. Cut at a character's edge where
 * it is longer than the buffer. Returns buf. */
char *rows_event_name(char buf[ROWS_EVENT_BUF], const char *wait_class, const char *event);

/*
 * What a backend waits for right now, in words: its event as rows_event_name() gives it; "(cpu
 * queue)" when it was preempted or woken and has no CPU yet; "on CPU"; "" where nothing is known of
 * it, or it has ended. Returns the type of that, WAIT_NR for "".
 */
enum wait_type rows_waiting_on(char buf[ROWS_EVENT_BUF], const struct snap_backend *b);

/* Finished waits per second that it was watched. */
double rows_waits_per_s(const struct snap_backend *b);

#define ROWS_BLOCKED_BUF 192

/*
 * Who blocks it: "6591", "6591 7002 (7010)": in parentheses who does not hold the lock but is ahead
 * in its queue, after those who hold it; "prepared" for a prepared transaction. At most max are
 * named, the others counted: "6591 +2". "" for none or not known. Returns buf.
 */
char *rows_blocked_by(char buf[ROWS_BLOCKED_BUF], const struct snap_backend *b, size_t max);

#define ROWS_KIND_BUF 96

/* Its backend type, that of a parallel worker with its leader: "parallel worker of 6596". "" if not
 * known. Returns buf. */
char *rows_kind(char buf[ROWS_KIND_BUF], const struct snap_backend *b);

/*
 * True if a row was idle in the window and nothing else worth a line: less than 0.1 % of its
 * watched time outside `idle`. Never true for a backend in an open transaction that waits for its
 * client, or in a wait right now that is not idle: the first holds locks, the second is news.
 */
bool rows_idle_only(const struct snap_backend *b);

/*
 * Writes the indexes (into s->backends) of the rows to show to out, which has room for
 * s->n_backends, and returns how many. Idle rows (rows_idle_only()) are left out unless show_idle
 * is set or they block another backend: a session-level lock may be held by a session at rest.
 * Ordered by key; rows where the key is not known come last in either direction; ties by pid,
 * ascending. f may be NULL.
 */
size_t rows_select(const struct snapshot *s, const struct filter *f, bool show_idle,
	enum sort_key key, bool desc, size_t *out);

#endif
