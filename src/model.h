/*
 * The account: what every backend's time was spent on, over a rolling window.
 *
 * The model knows no clock, no file, no libbpf and no PostgreSQL: time is an argument, waits come
 * classified, names are ids. All times are nanoseconds of one monotonic clock.
 *
 * The law it keeps, for every backend and at every tick: the sum over all types of what was
 * charged equals the time watched, in integer nanoseconds. It holds because a backend's time is
 * charged in order, each nanosecond once, from its mark to a later time; charging moves the mark.
 *
 * A tick closes all accounts at one time T, the cut. What is known of a backend's state at T
 * comes from the first event that ends after T, or, if there is none, from its state as read
 * after T. Events that end after T wait for the next tick.
 *
 * Memory per backend is bounded: MODEL_MAX_SLOTS slots of at most MODEL_MAX_CELLS details each,
 * in practice some 20 kB, 40 kB of a busy one. Exited backends beyond MODEL_MAX_EXITED are folded
 * into one nameless account per cluster, so totals stay exact.
 */
#ifndef PGTOP_MODEL_H
#define PGTOP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waittype.h"

#define MODEL_MAX_SLOTS	  128
#define MODEL_MAX_CELLS	  96
#define MODEL_MAX_DETAILS 192
#define MODEL_MAX_EXITED  2048
#define MODEL_HIST_BINS	  32
#define MODEL_COMM_BYTES  16
#define MODEL_NO_ID	  UINT32_MAX /* no event, no stack; also the id of "all the others" */

/* Same numbers as enum offcpu_waker. */
enum model_waker_kind {
	MODEL_WAKER_NONE = 0,
	MODEL_WAKER_TASK = 1,
	MODEL_WAKER_KTHREAD = 2,
	MODEL_WAKER_IRQ = 3,
};

/* A finished wait, or an exit. */
struct model_wait {
	uint64_t in_ns; /* on CPU since: equals the end of the wait before, unless some were lost */
	uint64_t out_ns;  /* off the CPU; an exit: when */
	uint64_t wake_ns; /* runnable since; 0: no wake-up seen, all of it is charged to `type` */
	uint64_t end_ns;  /* on the CPU again; an exit: when */
	uint32_t event;	  /* id of the wait event's name, MODEL_NO_ID for none */
	uint32_t stack;	  /* id of the stack, MODEL_NO_ID for none */
	uint32_t seq; /* number of this wait: those of this backend so far, lost ones included */
	uint32_t lost;
	uint32_t waker_pid;
	uint8_t type;  /* enum wait_type of the blocked part */
	uint8_t waker; /* enum model_waker_kind */
	bool runnable; /* never blocked: all of it is run queue */
	bool at_least; /* began before it was watched */
	bool exit;
	char waker_comm[MODEL_COMM_BYTES];
};

/* A backend's state as read some time after the cut. */
struct model_state {
	bool on_cpu;	/* since in_ns; otherwise off since out_ns */
	uint64_t in_ns; /* as in struct model_wait */
	uint64_t out_ns, wake_ns;
	uint64_t resumed_ns; /* on the CPU again since then, though no event told; 0: not so */
	uint32_t event, stack;
	uint32_t seq, lost;
	uint8_t type;
	bool runnable, at_least;
	bool undecided; /* what it waits for is not known: its event will tell, until then the wait
			 * is not charged */
};

struct model;
struct model_backend;

struct model *model_new(uint64_t window_ns, uint64_t delay_ns, uint64_t now_ns);
void model_free(struct model *m); /* NULL is allowed */

/* What came before now_ns is to be forgotten, and ticks come at now_ns + k * delay. To be called
 * once, after the backends that were found at the start were added and before any event. */
void model_begin(struct model *m, uint64_t now_ns);

/* Waits shorter than this are left out of the details; totals stay exact. Default 0. */
void model_set_min_wait(struct model *m, uint64_t min_wait_ns);

/* Changes the window and the refresh interval; keeps what is known of the new window. now_ns is
 * the time of the last tick. Slots are chosen so that ticks fall on their edges where possible. */
void model_set_window(struct model *m, uint64_t window_ns, uint64_t delay_ns, uint64_t now_ns);

/* Starts an account at begin_ns. cluster is an index the caller gives out (0 ..). A living backend
 * with the same pid is not found any more: it ends where it was last known, or by its own exit if
 * that has come already. The backend belongs to the model and stays valid until model_tick drops
 * it. */
struct model_backend *model_add(
	struct model *m, uint32_t pid, uint64_t start_ticks, uint32_t cluster, uint64_t begin_ns);

/* The living backend of that identity, or NULL. start_ticks 0: whatever lives under that pid. */
struct model_backend *model_find(struct model *m, uint32_t pid, uint64_t start_ticks);

/* The last that had that pid and is in the window, living or exited; or NULL. */
struct model_backend *model_find_last(struct model *m, uint32_t pid);

/* Whether the wait of that number was not taken yet. Numbers begin at 1 and wrap around. */
bool model_is_news(const struct model_backend *b, uint32_t seq);

/* Whether a wait of before that number is on its way; `lost` of them never come. To take that
 * number first would mean to lose the others. */
bool model_awaits(const struct model_backend *b, uint32_t seq, uint32_t lost);

/* Takes a finished wait (or an exit), in the order they happened to this backend; one that was
 * taken before (by its seq) is left alone. cut_ns: the next cut; what ends after it is put
 * aside. */
void model_event(
	struct model *m, struct model_backend *b, const struct model_wait *w, uint64_t cut_ns);

/* Closes b at the cut. st: its state, read after the cut and before the ring was drained; NULL if
 * it is not tracked any more. */
void model_close(
	struct model *m, struct model_backend *b, const struct model_state *st, uint64_t cut_ns);

/* To be called after model_close of all backends: ages the window, drops who left it. `drop` is
 * told of each (may be NULL). Afterwards waits of before the next cut are processed. */
void model_tick(struct model *m, uint64_t cut_ns, void (*drop)(void *ctx, struct model_backend *b),
	void *ctx);

/* The caller's own pointer per backend. */
void model_set_user(struct model_backend *b, void *user);
void *model_user(const struct model_backend *b);
uint32_t model_pid(const struct model_backend *b);
uint64_t model_start_ticks(const struct model_backend *b);
uint32_t model_cluster(const struct model_backend *b);
bool model_exited(const struct model_backend *b);

/* All backends that are in the window, living and exited. */
void model_each(struct model *m, void (*fn)(void *ctx, struct model_backend *b), void *ctx);

/* ---- what a snapshot is made of ---- */

struct model_detail {
	uint8_t type;	    /* enum wait_type */
	uint8_t waker_kind; /* wakers only: enum model_waker_kind */
	uint32_t id;	    /* event id, waker's pid, or stack id */
	char comm[MODEL_COMM_BYTES];
	uint64_t count, ns, max_ns;
};

struct model_current {
	bool present;
	uint8_t type;
	uint32_t event;
	uint64_t age_ns;
	bool at_least, waiting_for_cpu;
};

struct model_view {
	uint64_t watched_ns;
	struct wait_times times;
	uint64_t waits, max_wait_ns;
	struct model_current current;
	struct model_detail events[MODEL_MAX_DETAILS]; /* longest first */
	size_t n_events;
	struct model_detail wakers[MODEL_MAX_DETAILS];
	size_t n_wakers;
	struct model_detail stacks[MODEL_MAX_DETAILS];
	size_t n_stacks;
	uint32_t histogram[WAIT_NR][MODEL_HIST_BINS];
	uint32_t histogram_types; /* bit per type that has waits */
	uint8_t history[MODEL_MAX_SLOTS];
	size_t n_history;
};

/* One backend over the window that ended at the last tick. Of the lists in *v only the first n_
 * elements are set, all else is overwritten. After a change of the window, details, waits and the
 * split of the times among the types are those of whole former slots. */
void model_view(struct model *m, const struct model_backend *b, struct model_view *v);

/* Sums of the nameless accounts of a cluster's folded backends. */
void model_folded(struct model *m, uint32_t cluster, struct wait_times *times, uint64_t *waits);

struct model_history {
	struct wait_times slot[MODEL_MAX_SLOTS]; /* all backends together, oldest first */
	uint64_t covered_ns[MODEL_MAX_SLOTS]; /* of it: the window may begin and end inside one */
	size_t n;
	uint64_t slot_ns;
};
void model_history(struct model *m, struct model_history *h);

/* What the sums cover: the window, or less if the model is younger. */
uint64_t model_covered_ns(const struct model *m);
uint64_t model_window_ns(const struct model *m);

/* Since the start: time charged to unknown, and waits that contradicted the ones before. */
uint64_t model_unknown_ns(const struct model *m);
uint64_t model_anomalies(const struct model *m);

#endif
