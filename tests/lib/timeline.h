/*
 * Random lives of backends, to the nanosecond, and what they must be charged: an oracle for the
 * model that walks each life's own waits and knows no slots, no marks and no state machine.
 */
#ifndef PGTOP_TESTS_TIMELINE_H
#define PGTOP_TESTS_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

/* One wait with the time on the CPU before it. */
struct life_wait {
	uint64_t in_ns, out_ns, wake_ns, end_ns; /* wake_ns 0: was not seen */
	uint32_t event;
	uint8_t type;
	bool runnable, at_least;
	uint64_t sent_ns; /* its event goes into the ring then, with others; UINT64_MAX: never */
	bool lost;	  /* neither the ring nor the task had room for it */
	uint64_t known_until_ns; /* of a lost one: up to here its state was read at a cut */
};

struct life {
	uint32_t pid;
	uint64_t start_ticks;
	uint64_t begin_ns;
	uint64_t exit_ns; /* UINT64_MAX: outlives the run */
	bool exit_lost;
	struct life_wait *waits;
	size_t n;

	/* What the model was given so far. */
	struct model_backend *b; /* NULL: not known to it, or not any more */
	uint64_t watched_from_ns;
	size_t sent; /* waits that have been in the ring, or are lost */
	bool exit_sent;
	uint32_t received, last_seq; /* of the waits it has taken */
	bool cut_known;		     /* at the last cut the state was known */
	bool closed;		     /* at the last cut it was closed at that cut */
};

/* What a life must have been charged in [from_ns, to_ns). */
struct expected {
	struct wait_times times;
	struct wait_times
		event_ns; /* of the waits that are not shorter than min_wait, until cut_ns */
	uint64_t waits, max_wait_ns;
	uint32_t counts[WAIT_NR]; /* of waits that are not shorter than min_wait */
};
void life_expect(const struct life *l, uint64_t from_ns, uint64_t to_ns, uint64_t cut_ns,
	uint64_t min_wait_ns, struct expected *ret);

/* How it is at that time: the wait it is in, or the one after the time it is on the CPU. `waits`
 * (of n) if it runs until its end. */
size_t life_at(const struct life *l, uint64_t at_ns);

/* The next wait from i on that has ended at that time and is not in the ring yet; n if none. */
size_t life_staged(const struct life *l, uint64_t at_ns, size_t i);

/* What the kernel's map says of it at that time. */
struct model_state life_state(const struct life *l, uint64_t at_ns);

/* The event of wait number i. */
struct model_wait life_event(const struct life *l, size_t i);
struct model_wait life_exit(const struct life *l);

/* A life from begin_ns to at most horizon_ns, of waits of about wait_ns. */
struct life_shape {
	uint64_t begin_ns, horizon_ns, wait_ns;
	bool forked;		/* else found, on the CPU or off */
	unsigned full_permille; /* how often the ring has no room */
	unsigned exit_permille; /* per wait */
	uint32_t n_events;	/* distinct wait events a type */
};
void life_make(struct life *l, uint64_t *seed, const struct life_shape *s);
void life_done(struct life *l);

#endif
