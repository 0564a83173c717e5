/*
 * The stacks of waits: of those in progress, which no event tells yet, and the names of user-space
 * frames. Puts source, procfs, usyms and classify together; part of the monitor.
 */
#ifndef PGTOP_WAIT_STACKS_H
#define PGTOP_WAIT_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "classify.h"
#include "cluster.h"
#include "model.h"
#include "offcpu.h"
#include "session.h"
#include "source.h"

struct wait_stacks;

/* Makes c name user frames by it. tick_ns: a clock tick; boottime_ticks: how far this time
 * namespace is ahead of the host's, whose start times sessions and events have. */
struct wait_stacks *wait_stacks_new(struct source *source, struct classify *c,
	enum offcpu_stacks mode, uint64_t tick_ns, int64_t boottime_ticks);
void wait_stacks_free(struct wait_stacks *ws); /* NULL is allowed; before source and c */

/* A server, before its backends; a backend as soon as it is known, each tick that it is alive, and
 * when no more event of it can come. They cost nothing unless user stacks are taken. */
void wait_stacks_server(struct wait_stacks *ws, const struct cluster *c);
void wait_stacks_begin(struct wait_stacks *ws, const struct session *s);
void wait_stacks_tick(struct wait_stacks *ws, const struct session *s);
void wait_stacks_end(struct wait_stacks *ws, const struct session *s);

/* Fills the stack_ fields of s for the wait in progress t (as read from the source, not on the
 * CPU), once per wait. False: that wait has ended meanwhile. */
bool wait_stacks_open(struct wait_stacks *ws, struct session *s, const struct offcpu_task *t);

/* To be called of every finished wait. Where the kernel hides its symbols' addresses, the names it
 * gave while the wait was in progress are kept for the rest of it. */
void wait_stacks_finish(const struct wait_stacks *ws, const struct session *s,
	const struct offcpu_event *ev, struct model_wait *w);

#endif
