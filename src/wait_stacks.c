/*
 * See wait_stacks.h. A stack read from outside counts only if the wait it was read for still goes
 * on afterwards; the BPF program's own record says so.
 */
#include "wait_stacks.h"

#include <stdio.h>

#include "model.h"
#include "procfs.h"
#include "usyms.h"
#include "util.h"

#define REREAD_NS NSEC_PER_SEC

struct wait_stacks {
	struct source *source;
	struct classify *classify;
	struct usyms *usyms; /* with OFFCPU_STACKS_ALL; else NULL */
	enum offcpu_stacks mode;
	uint64_t tick_ns;
	int64_t boottime_ticks;
	bool hidden; /* finished waits have addresses, those in progress names */
};

static enum classify_frame name_frame(
	void *ctx, const struct classify_address *a, char *buf, size_t size)
{
	struct wait_stacks *ws = ctx;
	uint64_t ticks = a->start_boottime_ns / ws->tick_ns + (uint64_t)ws->boottime_ticks;

	switch (usyms_name(ws->usyms, (pid_t)a->pid, ticks, a->addr, a->is_return, buf, size)) {
	case USYMS_NAMED:
		return CLASSIFY_NAMED;
	case USYMS_NOT_CODE:
		return CLASSIFY_BROKEN;
	case USYMS_UNMAPPED:
		return CLASSIFY_BROKEN_LATER;
	default:
		return CLASSIFY_LATER;
	}
}

struct wait_stacks *wait_stacks_new(struct source *source, struct classify *c,
	enum offcpu_stacks mode, uint64_t tick_ns, int64_t boottime_ticks)
{
	struct wait_stacks *ws = xcalloc(1, sizeof(*ws));

	ws->source = source;
	ws->classify = c;
	ws->mode = mode;
	ws->tick_ns = tick_ns;
	ws->boottime_ticks = boottime_ticks;
	ws->hidden = mode != OFFCPU_STACKS_OFF && classify_ksyms_hidden(c);
	classify_want_stacks(c, mode);
	if (mode == OFFCPU_STACKS_ALL) {
		ws->usyms = usyms_new(REREAD_NS);
		classify_set_user_resolver(c, name_frame, ws);
	}
	return ws;
}

void wait_stacks_free(struct wait_stacks *ws)
{
	if (!ws)
		return;
	classify_set_user_resolver(ws->classify, NULL, NULL);
	usyms_free(ws->usyms);
	free(ws);
}

/* ---- whose addresses they are ---- */

static uint64_t ticks_here(const struct wait_stacks *ws, const struct session *s)
{
	return s->start_ticks + (uint64_t)ws->boottime_ticks;
}

void wait_stacks_server(struct wait_stacks *ws, const struct cluster *c)
{
	if (ws->usyms && c->start_ticks)
		(void)usyms_read(ws->usyms, c->postmaster, c->start_ticks);
}

void wait_stacks_begin(struct wait_stacks *ws, const struct session *s)
{
	const struct cluster *c = s->cluster;

	if (ws->usyms)
		usyms_add(ws->usyms, s->pid, ticks_here(ws, s), c->start_ticks ? c->postmaster : 0,
			c->start_ticks);
}

/* What it was forked with names most of its stacks. What it has loaded since has to be read while
 * it lives; not sooner, since many live for a moment only. */
void wait_stacks_tick(struct wait_stacks *ws, const struct session *s)
{
	if (ws->usyms)
		(void)usyms_read(ws->usyms, s->pid, ticks_here(ws, s));
}

void wait_stacks_end(struct wait_stacks *ws, const struct session *s)
{
	if (ws->usyms)
		usyms_forget(ws->usyms, s->pid, ticks_here(ws, s));
}

/* ---- waits in progress ---- */

static uint32_t add_user(struct wait_stacks *ws, const struct session *s,
	const struct offcpu_task *t, uint32_t stack)
{
	struct offcpu_ustack user = {0};

	if (ws->mode != OFFCPU_STACKS_ALL)
		return stack;
	if (t->phase == OFFCPU_SEEDED ||
		source_read_user_stack(ws->source, (uint32_t)s->pid, &user))
		user.bytes = 0;
	return classify_add_user(ws->classify, stack, (uint32_t)s->pid, t->start_boottime_ns,
		user.frames, user.bytes);
}

bool wait_stacks_open(struct wait_stacks *ws, struct session *s, const struct offcpu_task *t)
{
	uint64_t out_ns = t->phase == OFFCPU_SEEDED ? t->in_ns : t->out_ns;
	struct proc_stack stack;
	uint32_t id;

	if (s->stack_out_ns == out_ns)
		return true;
	if (ws->mode == OFFCPU_STACKS_OFF || procfs_read_stack("/proc", s->pid, &stack))
		stack.n = 0;
	classify_frames(ws->classify, stack.frames, stack.n, &s->stack_type, &s->stack_event, &id);
	id = add_user(ws, s, t, id);
	if (!source_same_wait(ws->source, (uint32_t)s->pid, t))
		return false;
	s->stack_id = id;
	s->stack_out_ns = out_ns;
	return true;
}

void wait_stacks_finish(const struct wait_stacks *ws, const struct session *s,
	const struct offcpu_event *ev, struct model_wait *w)
{
	uint32_t info = ev->flags & OFFCPU_F_SEEDED ? s->seed.info : ev->wait_event;

	if (!ws->hidden || s->stack_out_ns != ev->out_ns || w->runnable || w->exit)
		return;
	w->stack = s->stack_id;
	if (!info) {
		w->type = s->stack_type;
		w->event = s->stack_event;
	}
}
