/*
 * Backends and their timelines. See model.h for the law it keeps; account.c holds the slots.
 *
 * A backend's timeline is continuous when an event's in_ns equals the end of the one before
 * (`last_end_ns`): then all before its out_ns was CPU. Otherwise what lies between the mark and
 * in_ns was lost, and is charged to unknown.
 */
#include "model.h"

#include <string.h>

#include "model_impl.h"
#include "util.h"

struct model *model_new(uint64_t window_ns, uint64_t delay_ns, uint64_t now_ns)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->grid = grid_choose(window_ns, delay_ns, now_ns);
	m->delay_ns = delay_ns;
	m->known_since_ns = m->cut_ns = now_ns;
	return m;
}

static void backend_free(struct model_backend *b)
{
	account_done(&b->account);
	free(b->pending);
	free(b);
}

void model_free(struct model *m)
{
	struct model_backend *next;

	if (!m)
		return;
	for (struct model_backend *b = m->first; b; b = next) {
		next = b->next;
		backend_free(b);
	}
	for (size_t i = 0; i < m->n_folded; i++)
		account_done(&m->folded[i].account);
	free(m->folded);
	free(m);
}

void model_set_min_wait(struct model *m, uint64_t min_wait_ns)
{
	m->min_wait_ns = min_wait_ns;
}

void model_begin(struct model *m, uint64_t now_ns)
{
	m->grid = grid_choose(m->grid.window_ns, m->delay_ns, now_ns);
	m->known_since_ns = m->cut_ns = now_ns;
}

static void regrid(struct account *a, const struct grid *from, const struct grid *to,
	uint64_t oldest_no, uint64_t charged_to_ns)
{
	struct account old = *a;

	memset(a, 0, sizeof(*a));
	account_move(a, to, &old, from, oldest_no, charged_to_ns);
}

/* The oldest slot that every account still has: what was charged since the last tick may have
 * pushed out some of the window. */
static uint64_t oldest_kept(const struct model *m, uint64_t now_ns)
{
	uint64_t newest_ns = now_ns, newest;

	for (const struct model_backend *b = m->first; b; b = b->next)
		newest_ns = MAX(newest_ns, b->mark_ns);
	newest = grid_slot(&m->grid, newest_ns);
	return MAX(grid_first(&m->grid, now_ns), newest + 1 - MIN(m->grid.n_kept, newest + 1));
}

void model_set_window(struct model *m, uint64_t window_ns, uint64_t delay_ns, uint64_t now_ns)
{
	struct grid old = m->grid, grid = grid_choose(window_ns, delay_ns, now_ns);
	uint64_t first = oldest_kept(m, now_ns);

	m->delay_ns = delay_ns;
	if (!memcmp(&old, &grid, sizeof(grid)))
		return;
	m->known_since_ns = MAX(m->known_since_ns, grid_start_ns(&old, first));
	m->grid = grid;
	for (struct model_backend *b = m->first; b; b = b->next)
		regrid(&b->account, &old, &grid, first, b->mark_ns);
	for (size_t i = 0; i < m->n_folded; i++)
		regrid(&m->folded[i].account, &old, &grid, first, now_ns);
}

struct model_backend *model_find(struct model *m, uint32_t pid, uint64_t start_ticks)
{
	struct model_backend *b = m->bucket[pid & (MODEL_BUCKETS - 1)];

	while (b && (b->pid != pid || b->exited || b->replaced ||
			    (start_ticks && b->start_ticks != start_ticks)))
		b = b->next_in_bucket;
	return b;
}

struct model_backend *model_find_last(struct model *m, uint32_t pid)
{
	struct model_backend *b = m->bucket[pid & (MODEL_BUCKETS - 1)]; /* youngest first */

	while (b && b->pid != pid)
		b = b->next_in_bucket;
	return b;
}

static void set_exited(struct model *m, struct model_backend *b)
{
	b->exited = true;
	b->current.present = false;
	m->n_exited++;
}

struct model_backend *model_add(
	struct model *m, uint32_t pid, uint64_t start_ticks, uint32_t cluster, uint64_t begin_ns)
{
	struct model_backend *b = model_find(m, pid, 0),
			     **bucket = &m->bucket[pid & (MODEL_BUCKETS - 1)];

	/* The pid has been given to another: that its owner ended was lost, or is yet to be taken
	 * from what was put aside. */
	if (b && b->n_pending)
		b->replaced = true;
	else if (b)
		set_exited(m, b);
	b = xcalloc(1, sizeof(*b));
	b->pid = pid;
	b->start_ticks = start_ticks;
	b->cluster = cluster;
	b->begin_ns = b->mark_ns = b->last_end_ns = begin_ns;
	b->next_in_bucket = *bucket;
	*bucket = b;
	b->prev = m->last;
	*(m->last ? &m->last->next : &m->first) = b;
	m->last = b;
	return b;
}

/* ---- charging ---- */

/* Moves the mark to to_ns, charging what it passes over. */
static void charge(struct model *m, struct model_backend *b, uint64_t to_ns, const struct charge *c)
{
	if (to_ns <= b->mark_ns)
		return;
	if (c->type == WAIT_UNKNOWN)
		m->unknown_ns += to_ns - b->mark_ns;
	/* On a new grid what was before the time that is known would share a slot with it. */
	account_charge(&b->account, &m->grid, MAX(b->mark_ns, m->known_since_ns), to_ns, c);
	b->mark_ns = to_ns;
}

static void charge_type(struct model *m, struct model_backend *b, uint64_t to_ns, uint8_t type)
{
	struct charge c = {.type = type};

	charge(m, b, to_ns, &c);
}

/* The blocked part [out_ns, ...) up to to_ns of a wait that has lasted until now_ns. It shows in
 * the details once it is min_wait long; then the part that was left out before is added. */
static void charge_blocked(struct model *m, struct model_backend *b, const struct model_wait *w,
	uint64_t to_ns, uint64_t now_ns)
{
	struct charge c = {.type = w->type, .event = w->event, .stack = w->stack};
	uint64_t from_ns = b->mark_ns;

	c.details = now_ns - MIN(w->out_ns, now_ns) >= m->min_wait_ns;
	if (b->left_out_ns != w->out_ns)
		b->left_from_ns = b->left_to_ns = 0;
	if (c.details) {
		account_add_details(&b->account, &m->grid, MAX(b->left_from_ns, m->known_since_ns),
			b->left_to_ns, &c);
		b->left_from_ns = b->left_to_ns = 0;
	}
	charge(m, b, to_ns, &c);
	if (c.details || b->mark_ns == from_ns)
		return;
	b->left_out_ns = w->out_ns;
	if (!b->left_to_ns)
		b->left_from_ns = from_ns;
	b->left_to_ns = b->mark_ns;
}

/* Where the blocked part ends: at the wake-up. If that was not seen, it is not known how long the
 * backend queued after it, and all of the wait is what it waited for. */
static uint64_t blocked_end_ns(const struct model_wait *w)
{
	if (w->runnable)
		return w->out_ns;
	return w->wake_ns ? MAX(w->wake_ns, w->out_ns) : UINT64_MAX;
}

/* Charges b's time up to to_ns, given the wait it was, or is, in. */
static void charge_until(
	struct model *m, struct model_backend *b, const struct model_wait *w, uint64_t to_ns)
{
	if (w->in_ns > b->last_end_ns)
		charge_type(m, b, MIN(w->in_ns, to_ns), WAIT_UNKNOWN);
	charge_type(m, b, MIN(w->out_ns, to_ns), WAIT_CPU);
	if (w->exit)
		return;
	charge_blocked(m, b, w, MIN(blocked_end_ns(w), to_ns), to_ns);
	charge_type(m, b, to_ns, WAIT_RUNQ);
}

static uint8_t bin_of(uint64_t ns)
{
	uint64_t us = ns / NSEC_PER_USEC;
	int bin = us < 2 ? 0 : 63 - __builtin_clzll(us);

	return (uint8_t)MIN(bin, MODEL_HIST_BINS - 1);
}

/* The details that only a finished wait has: how often, how long, who woke it. */
static void note_finished(struct model *m, struct model_backend *b, const struct model_wait *w)
{
	uint64_t at_ns = w->end_ns - 1, wake_ns = MIN(blocked_end_ns(w), w->end_ns);
	uint64_t blocked_ns = wake_ns - MIN(w->out_ns, wake_ns);
	struct account *a = &b->account;

	account_wait(a, &m->grid, at_ns, w->type == WAIT_IDLE ? 0 : w->end_ns - w->out_ns);
	if (w->end_ns - w->out_ns < m->min_wait_ns)
		return;
	/* Each wait is counted once: by its blocked part if it has one. */
	if (w->runnable) {
		account_length(a, &m->grid, at_ns, WAIT_RUNQ, bin_of(w->end_ns - w->out_ns), 1);
		return;
	}
	account_length(a, &m->grid, at_ns, w->type, bin_of(blocked_ns), 1);
	if (w->event != MODEL_NO_ID)
		account_detail(a, &m->grid, at_ns, detail_key(DETAIL_EVENT, w->type, 0, w->event),
			NULL, 1, 0, blocked_ns);
	if (w->stack != MODEL_NO_ID)
		account_detail(a, &m->grid, at_ns, detail_key(DETAIL_STACK, w->type, 0, w->stack),
			NULL, 1, 0, blocked_ns);
	if (w->waker != MODEL_WAKER_NONE)
		account_detail(a, &m->grid, at_ns,
			detail_key(DETAIL_WAKER, w->type, w->waker, w->waker_pid), w->waker_comm, 1,
			blocked_ns, blocked_ns);
}

/* Time stamps come from several CPUs: a wait that contradicts itself or the one before is counted
 * and pulled straight, never subtracted into nonsense. */
static struct model_wait straightened(
	struct model *m, const struct model_backend *b, const struct model_wait *w)
{
	struct model_wait s = *w;

	s.in_ns = MAX(s.in_ns, b->last_end_ns);
	s.out_ns = MAX(s.out_ns, s.in_ns);
	s.end_ns = MAX(s.end_ns, s.out_ns);
	if (s.wake_ns)
		s.wake_ns = MIN(MAX(s.wake_ns, s.out_ns), s.end_ns);
	if (s.in_ns != w->in_ns || s.out_ns != w->out_ns || s.end_ns != w->end_ns ||
		s.wake_ns != w->wake_ns)
		m->anomalies++;
	return s;
}

static void take(struct model *m, struct model_backend *b, const struct model_wait *w)
{
	charge_until(m, b, w, w->end_ns);
	b->last_end_ns = w->end_ns;
	b->current.present = false;
	if (w->exit)
		set_exited(m, b);
	else if (w->end_ns > w->out_ns && w->end_ns > m->known_since_ns)
		note_finished(m, b, w);
}

static void put_aside(struct model_backend *b, const struct model_wait *w)
{
	if (b->n_pending == b->cap_pending) {
		b->cap_pending = b->cap_pending ? b->cap_pending * 2 : 4;
		b->pending = xrealloc(b->pending, b->cap_pending, sizeof(*b->pending));
	}
	b->pending[b->n_pending++] = *w;
}

/* Takes what was put aside and ended by now. */
static void take_pending(struct model *m, struct model_backend *b, uint64_t cut_ns)
{
	size_t n = 0;

	for (; n < b->n_pending; n++) {
		struct model_wait *w = &b->pending[n];

		*w = straightened(m, b, w);
		if (w->end_ns > cut_ns)
			break;
		take(m, b, w);
	}
	if (!n)
		return;
	b->n_pending -= n;
	memmove(b->pending, b->pending + n, b->n_pending * sizeof(*b->pending));
	if (!b->n_pending) {
		free(b->pending);
		b->pending = NULL;
		b->cap_pending = 0;
	}
}

bool model_is_news(const struct model_backend *b, uint32_t seq)
{
	return !b->ends && (int32_t)(seq - b->last_seq) > 0;
}

bool model_awaits(const struct model_backend *b, uint32_t seq, uint32_t lost)
{
	return (int32_t)(seq - 1 - lost - b->received) > 0;
}

void model_event(
	struct model *m, struct model_backend *b, const struct model_wait *raw, uint64_t cut_ns)
{
	struct model_wait w;

	if (b->exited || b->ends || (!raw->exit && !model_is_news(b, raw->seq)))
		return;
	if (raw->exit) {
		b->ends = true;
	} else {
		b->last_seq = raw->seq;
		b->received++;
	}
	take_pending(m, b, cut_ns);
	if (b->n_pending) {
		put_aside(b, raw);
		return;
	}
	w = straightened(m, b, raw);
	if (w.end_ns > cut_ns)
		put_aside(b, &w);
	else
		take(m, b, &w);
}

/* ---- the cut ---- */

static void set_current(struct model_backend *b, const struct model_wait *w, uint64_t cut_ns)
{
	uint64_t wake_ns = blocked_end_ns(w);

	b->current = (struct model_current){
		.present = w->out_ns < cut_ns && cut_ns < w->end_ns && !w->exit,
		.type = w->runnable ? WAIT_RUNQ : w->type,
		.event = w->event,
		.age_ns = cut_ns - MIN(w->out_ns, cut_ns),
		.at_least = w->at_least,
		.waiting_for_cpu = wake_ns <= cut_ns,
	};
	b->current_blocked_ns = MIN(wake_ns, cut_ns) - MIN(w->out_ns, cut_ns);
}

/* The state as the wait it is, or will be. */
static struct model_wait wait_of_state(const struct model_state *st, uint64_t cut_ns)
{
	return (struct model_wait){
		.in_ns = st->in_ns,
		.out_ns = st->on_cpu ? UINT64_MAX : MAX(st->out_ns, st->in_ns),
		.wake_ns = st->wake_ns,
		.end_ns = st->resumed_ns ? MIN(st->resumed_ns, cut_ns) : UINT64_MAX,
		.event = st->event,
		.stack = st->stack,
		.type = st->type,
		.runnable = st->runnable,
		.at_least = st->at_least,
	};
}

static void close_by_state(
	struct model *m, struct model_backend *b, const struct model_state *st, uint64_t cut_ns)
{
	struct model_wait w = wait_of_state(st, cut_ns);
	uint64_t to_ns = st->undecided ? MIN(w.out_ns, cut_ns) : cut_ns;

	charge_until(m, b, &w, MIN(w.end_ns, to_ns));
	charge_type(m, b, to_ns, WAIT_CPU);
	/* From here on the timeline is known again. If in_ns is after the cut, events were lost
	 * that ended after it, and the next close will find the gap. */
	if (st->in_ns <= cut_ns)
		b->last_end_ns = MAX(b->last_end_ns, st->in_ns);
	set_current(b, &w, to_ns);
}

void model_close(
	struct model *m, struct model_backend *b, const struct model_state *st, uint64_t cut_ns)
{
	if (b->exited)
		return;
	take_pending(m, b, cut_ns);
	if (b->exited || b->begin_ns >= cut_ns)
		return;
	if (b->n_pending) {
		charge_until(m, b, &b->pending[0], cut_ns);
		set_current(b, &b->pending[0], cut_ns);
	} else if (!st) {
		/* Gone, and its exit was lost: the account ends where it was last known. */
		set_exited(m, b);
	} else if (st->seq - st->lost != b->received) {
		b->current.present = false; /* an event is still on its way: it will tell */
	} else {
		close_by_state(m, b, st, cut_ns);
	}
}

static void unlink_backend(struct model *m, struct model_backend *b)
{
	struct model_backend **p = &m->bucket[b->pid & (MODEL_BUCKETS - 1)];

	while (*p != b)
		p = &(*p)->next_in_bucket;
	*p = b->next_in_bucket;
	*(b->prev ? &b->prev->next : &m->first) = b->next;
	*(b->next ? &b->next->prev : &m->last) = b->prev;
}

static struct account *folded_account(struct model *m, uint32_t cluster)
{
	if (cluster >= m->n_folded) {
		m->folded = xrealloc(m->folded, cluster + 1, sizeof(*m->folded));
		memset(m->folded + m->n_folded, 0,
			(cluster + 1 - m->n_folded) * sizeof(*m->folded));
		m->n_folded = cluster + 1;
	}
	return &m->folded[cluster].account;
}

void model_tick(struct model *m, uint64_t cut_ns, void (*drop)(void *ctx, struct model_backend *b),
	void *ctx)
{
	uint64_t window_start = grid_start_ns(&m->grid, grid_first(&m->grid, cut_ns));
	struct model_backend *next;

	m->cut_ns = cut_ns;
	for (struct model_backend *b = m->first; b; b = next) {
		bool left = b->exited && b->mark_ns <= window_start;
		bool fold = b->exited && !left && m->n_exited > MODEL_MAX_EXITED;

		next = b->next;
		if (!left && !fold)
			continue;
		if (fold)
			account_fold(folded_account(m, b->cluster), &m->grid, &b->account);
		if (drop)
			drop(ctx, b);
		m->n_exited--;
		unlink_backend(m, b);
		backend_free(b);
	}
}

void model_set_user(struct model_backend *b, void *user)
{
	b->user = user;
}

void *model_user(const struct model_backend *b)
{
	return b->user;
}

uint32_t model_pid(const struct model_backend *b)
{
	return b->pid;
}

uint64_t model_start_ticks(const struct model_backend *b)
{
	return b->start_ticks;
}

uint32_t model_cluster(const struct model_backend *b)
{
	return b->cluster;
}

bool model_exited(const struct model_backend *b)
{
	return b->exited;
}

void model_each(struct model *m, void (*fn)(void *ctx, struct model_backend *b), void *ctx)
{
	for (struct model_backend *b = m->first; b; b = b->next)
		fn(ctx, b);
}
