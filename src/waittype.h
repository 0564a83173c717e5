/*
 * The wait types: what a nanosecond of a backend's life can be charged to.
 *
 * The order is the order of the breakdown bar, of the JSON object and of the sort keys, and the
 * numbers are part of stored data: append only.
 */
#ifndef PGTOP_WAITTYPE_H
#define PGTOP_WAITTYPE_H

#include <stdbool.h>
#include <stdint.h>

enum wait_type {
	WAIT_CPU = 0,  /* on CPU: not a wait, but the bar must add up */
	WAIT_RUNQ = 1, /* runnable, not running */
	WAIT_IO = 2,   /* class IO but for WAL; kernel block or file I/O without a wait event */
	WAIT_WAL_WRITE = 3, /* IO:WAL*, LWLock:WAL{Write,Insert,BufMapping} */
	WAIT_LWLOCK = 4,
	WAIT_LOCK = 5,	  /* heavyweight locks, buffer pins */
	WAIT_NETWORK = 6, /* class Client, but for the two idle kinds */
	WAIT_IPC = 7,
	WAIT_TIMEOUT = 8,
	WAIT_IDLE_XACT = 9, /* ClientRead in state "idle in transaction" (also aborted) */
	WAIT_IDLE = 10,	    /* ClientRead in state "idle"; class Activity */
	WAIT_OTHER = 11,
	WAIT_UNKNOWN = 12, /* lost: the account's remainder when events were dropped */
	WAIT_NR = 13,
};

/* Nanoseconds by type. For a backend they sum to the time it was watched, exactly. */
struct wait_times {
	uint64_t ns[WAIT_NR];
};

/* JSON field, sort key and filter word: "cpu", "wal_write" ... Never NULL for a valid type. */
const char *wait_type_name(enum wait_type type);

/* The one-cell ASCII glyph that stands for the type where there is no colour. All are distinct. */
char wait_type_glyph(enum wait_type type);

/* One line for the help screen and the man page. */
const char *wait_type_help(enum wait_type type);

/* The type of that name, or -EINVAL. Case-insensitive. */
int wait_type_parse(const char *name);

static inline uint64_t wait_times_sum(const struct wait_times *t)
{
	uint64_t sum = 0;
	for (int i = 0; i < WAIT_NR; i++)
		sum += t->ns[i];
	return sum;
}

static inline void wait_times_add(struct wait_times *to, const struct wait_times *t)
{
	for (int i = 0; i < WAIT_NR; i++)
		to->ns[i] += t->ns[i];
}

/* Off-CPU work: everything but cpu, idle and unknown. */
static inline uint64_t wait_times_off_ns(const struct wait_times *t)
{
	return wait_times_sum(t) - t->ns[WAIT_CPU] - t->ns[WAIT_IDLE] - t->ns[WAIT_UNKNOWN];
}

/* What an average active session is made of: everything but idle. */
static inline uint64_t wait_times_active_ns(const struct wait_times *t)
{
	return wait_times_sum(t) - t->ns[WAIT_IDLE];
}

#endif
