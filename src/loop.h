/*
 * The event loop: one thread, one epoll over the ring, a timer, signals and standard input.
 *
 * Nothing in it blocks and nothing is drained until empty: events come in bounded batches, and
 * between two batches keys, timer and signals have their turn.
 */
#ifndef PGTOP_LOOP_H
#define PGTOP_LOOP_H

#include <stdint.h>

#include "diag.h"
#include "snapshot.h"

struct monitor;
struct loop;

/* What the loop calls. Each returns 0 to go on, LOOP_END to end it, or -errno. */
enum { LOOP_END = 1 };

struct loop_handler {
	/* A snapshot was made; it is the handler's now. */
	int (*snapshot)(void *ctx, struct snapshot *s);
	/* Standard input is readable; NULL: it is not watched. Called again at once when it
	 * returns LOOP_AGAIN. */
	int (*input)(void *ctx);
	/* SIGWINCH, SIGTSTP (the handler stops the process itself), and SIGCONT, which also
	 * follows a SIGSTOP that nobody saw come. NULL: ignored. */
	void (*resized)(void *ctx);
	void (*stop)(void *ctx);
	void (*continued)(void *ctx);
	void *ctx;
};
enum { LOOP_AGAIN = 2 };

/* Blocks the signals it handles; call it first thing, so that none is lost. -errno. */
int loop_new(struct loop **ret, struct diag *d);
void loop_free(struct loop *l); /* NULL is allowed */

/* Readable once a signal to end has come: for who has to wait for something else. */
int loop_signal_fd(const struct loop *l);

/* Runs until a signal ends it (0), a handler does (0), or something fails (-errno). */
int loop_run(struct loop *l, struct monitor *m, const struct loop_handler *h);

/* The refresh interval has changed: the timer is set anew. */
void loop_rearm(struct loop *l);

#endif
