/*
 * A snapshot: what one tick of the model yields, and all that a view or a report ever sees.
 *
 * It is immutable once built and owns everything it points to (one arena, freed by
 * snapshot_free). Strings are valid UTF-8 without control bytes, bidi or zero-width characters;
 * only query texts may keep '\n' and '\t'. A NULL string, or a value whose *_known flag is false,
 * is not known: never a made-up default. Times are integer nanoseconds.
 */
#ifndef PGTOP_SNAPSHOT_H
#define PGTOP_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "waittype.h"

#define SNAP_MAX_EVENTS	    10 /* longest wait events kept per backend */
#define SNAP_MAX_WAKERS	    5
#define SNAP_MAX_STACKS	    5
#define SNAP_HISTOGRAM_BINS 32 /* element i: waits of [2^i, 2^(i+1)) microseconds; 0: under 2 */
#define SNAP_MAX_HISTORY    128

enum snap_waker_kind { SNAP_WAKER_BACKEND, SNAP_WAKER_PROCESS, SNAP_WAKER_IRQ, SNAP_WAKER_KERNEL };

/* "backend", "process", "irq", "kernel" */
const char *snap_waker_kind_name(enum snap_waker_kind kind);

struct snap_event {
	enum wait_type type;
	const char *wait_class; /* "Lock"; "" for a wait without a wait event */
	const char *event;	/* "transactionid"; "kernel:<function>" without a wait event */
	uint64_t count;		/* finished waits that ended inside the window */
	uint64_t ns;		/* time inside the window, waits in progress included */
	uint64_t max_ns;	/* longest single wait, not cut at the window's edge */
};

struct snap_waker {
	pid_t pid; /* -1: none (irq, kernel) */
	enum snap_waker_kind kind;
	const char *name; /* backend type, or comm */
	enum wait_type type;
	uint64_t count;
	uint64_t ns;
};

struct snap_stack {
	enum wait_type type;
	uint64_t count;
	uint64_t ns;
	const char *const *kernel; /* innermost first, n_kernel entries */
	size_t n_kernel;
	const char *const *user;
	size_t n_user;
};

/* The wait a backend is in at the time of the snapshot. */
struct snap_current {
	enum wait_type type;
	const char *wait_class;
	const char *event;
	uint64_t age_ns;
	bool at_least;	      /* began before the program attached: age_ns is a lower bound */
	bool waiting_for_cpu; /* already woken (or preempted), not yet running */
};

struct snap_blocker {
	pid_t pid;
	bool soft; /* only ahead in the lock's queue, holds nothing that conflicts */
};

struct snap_backend {
	pid_t pid;	      /* in the pid namespace the program runs in */
	pid_t pid_ns;	      /* in its own pid namespace; 0: same as pid */
	uint64_t start_ticks; /* with pid: the identity (ticks since boot, /proc/PID/stat 22) */
	pid_t postmaster;
	size_t cluster; /* index into snapshot.clusters */
	/* "client backend", "walwriter" ... as pg_stat_activity; NULL: ended before it was read. */
	const char *backend_type;
	const char *user, *database, *client, *application, *state, *query;
	bool query_id_known;
	int64_t query_id;
	pid_t leader_pid;	   /* 0: none */
	const char *backend_start; /* RFC 3339, UTC, microseconds */
	uint64_t backend_age_ns;
	bool backend_age_known;
	uint64_t xact_age_ns;
	bool xact_age_known;
	uint64_t state_age_ns;
	bool state_age_known;
	bool exited;

	uint64_t watched_ns; /* == wait_times_sum(&times) */
	struct wait_times times;
	uint64_t off_ns;
	uint64_t waits;	      /* finished waits that ended inside the window, all types */
	uint64_t max_wait_ns; /* longest wait in the window, also in progress, idle left out */

	bool has_current; /* false: on CPU, exited, or not known */
	struct snap_current current;

	const struct snap_event *events; /* longest first */
	size_t n_events;
	const struct snap_waker *wakers;
	size_t n_wakers;
	const struct snap_stack *stacks;
	size_t n_stacks;
	const struct snap_blocker *blocked_by;
	size_t n_blocked_by;
	bool blocked_by_known;

	/* Finished waits by length; NULL for a type without waits. */
	const uint32_t *histogram[WAIT_NR];

	/* One element per slot of the window, oldest first: the wait_type that dominated it,
	 * WAIT_NR where it was not watched. */
	const uint8_t *history;
	size_t n_history;
};

struct snap_cluster {
	pid_t postmaster;
	bool gone; /* its postmaster has ended; backends may still leave the window */
	const char *data_directory;
	const char *version; /* "15.18" */
	int version_num;     /* 150018; 0: not known */
	const char *cluster_name;
	size_t backends; /* alive */
	double aas;
	struct wait_times times;
	bool exact;	    /* wait events are read; false: "kernel-only" */
	const char *notice; /* why something is degraded, or NULL */
};

struct snap_loss {
	uint64_t ring_events;  /* events the ring had no room for, since attach */
	uint64_t ring_ns;      /* time charged to `unknown` because of them */
	uint64_t map_full;     /* backends not tracked because the map was full */
	uint64_t event_unread; /* wait events that could not be read at switch-out */
	uint64_t stack_missed;
};

struct snap_self {
	uint64_t cpu_ns; /* the monitor's own CPU time since start */
	double cpu_pct;	 /* over the last refresh, of one CPU */
	uint64_t rss_bytes;
	uint64_t events; /* events consumed since start */
	bool bpf_ns_known;
	double bpf_ns_per_switch;
};

struct snapshot {
	int64_t time_ms;	/* wall clock, milliseconds since the epoch */
	uint64_t mono_ns;	/* the cut: everything is charged up to here */
	uint64_t interval_ns;	/* since the previous snapshot (since attach for the first) */
	uint64_t window_ns;	/* what the sums cover: the window, or less just after the start */
	uint64_t window_set_ns; /* the window asked for */
	const char *host, *kernel, *version;
	double aas;
	struct wait_times total;
	double waits_per_s;
	struct snap_loss loss;
	struct snap_self self;
	size_t n_active, n_idle_xact, n_idle, n_background; /* living backends by state */
	const char *notice; /* one line for the header: degradations, "waiting for PostgreSQL" */

	/* All types together, one element per slot, oldest first: average active sessions x 1000
	 * and the dominating type, for the header's history strip. */
	const uint32_t *history_aas_milli;
	const uint8_t *history;
	size_t n_history;

	const struct snap_cluster *clusters;
	size_t n_clusters;
	const struct snap_backend *backends; /* all known, unsorted, unfiltered */
	size_t n_backends;

	struct arena *arena; /* owns all of the above; NULL for a hand-made fixture */
};

/* Frees a snapshot that owns an arena. NULL is allowed. */
void snapshot_free(struct snapshot *s);

#endif
