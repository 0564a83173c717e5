/* See timeline.h. */
#include "timeline.h"

#include <string.h>

#include "offcpu.h"
#include "util.h"

static uint64_t roll(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed * 0x2545f4914f6cdd1dULL >> 11;
}

static bool permille(uint64_t *seed, unsigned p)
{
	return roll(seed) % 1000 < p;
}

/* Of about that length: between a thousandth and four times as long, now and then 1 ns. */
static uint64_t about(uint64_t *seed, uint64_t ns)
{
	unsigned kind = roll(seed) % 16;

	if (kind == 0)
		return 1;
	if (kind < 6)
		return 1 + roll(seed) % (ns / 1000 + 1);
	return 1 + roll(seed) % (kind == 15 ? ns * 4 : ns);
}

static uint8_t random_type(uint64_t *seed)
{
	static const uint8_t blocked[] = {WAIT_IO, WAIT_WAL_WRITE, WAIT_LWLOCK, WAIT_LOCK,
		WAIT_NETWORK, WAIT_IPC, WAIT_TIMEOUT, WAIT_IDLE_XACT, WAIT_IDLE, WAIT_OTHER};

	return blocked[roll(seed) % ARRAY_SIZE(blocked)];
}

static struct life_wait next_wait(uint64_t *seed, const struct life_shape *s, uint64_t in_ns)
{
	struct life_wait w = {.in_ns = in_ns, .out_ns = in_ns + about(seed, s->wait_ns)};
	uint64_t blocked = about(seed, s->wait_ns);

	w.type = random_type(seed);
	w.event = (uint32_t)(w.type * 1000 + roll(seed) % s->n_events);
	switch (roll(seed) % 8) {
	case 0: /* preempted */
		w.runnable = true;
		w.type = WAIT_RUNQ;
		w.event = MODEL_NO_ID;
		w.wake_ns = w.out_ns;
		w.end_ns = w.out_ns + blocked;
		break;
	case 1: /* its wake-up was not seen */
		w.end_ns = w.out_ns + blocked;
		break;
	default:
		w.wake_ns = w.out_ns + blocked;
		w.end_ns = w.wake_ns + about(seed, s->wait_ns / 8 + 1);
	}
	return w;
}

/* What the BPF program does with the events: a task keeps up to OFFCPU_STAGED of them, some kinds
 * go at once, with those before them; what the ring refuses stays with the task. */
struct stage {
	struct life *l;
	uint64_t *seed;
	const struct life_shape *s;
	size_t staged[OFFCPU_STAGED], n;
};

static bool flush(struct stage *st, uint64_t now_ns)
{
	if (st->n && permille(st->seed, st->s->full_permille))
		return false;
	for (size_t i = 0; i < st->n; i++)
		st->l->waits[st->staged[i]].sent_ns = now_ns;
	st->n = 0;
	return true;
}

static bool stage_one(struct stage *st, size_t i, uint64_t now_ns)
{
	if (st->n == OFFCPU_STAGED && !flush(st, now_ns))
		return false;
	if (i < st->l->n)
		st->staged[st->n++] = i;
	return true;
}

static void stage_events(struct life *l, uint64_t *seed, const struct life_shape *s)
{
	struct stage st = {.l = l, .seed = seed, .s = s};

	for (size_t i = 0; i < l->n; i++) {
		struct life_wait *w = &l->waits[i];

		w->sent_ns = UINT64_MAX;
		if (roll(seed) % 6 == 0) { /* with a stack */
			w->lost = !flush(&st, w->end_ns) || permille(seed, s->full_permille);
			w->sent_ns = w->lost ? UINT64_MAX : w->end_ns;
			continue;
		}
		w->lost = !stage_one(&st, i, w->end_ns);
		if (st.n == OFFCPU_STAGED)
			(void)flush(&st, w->end_ns);
	}
	if (l->exit_ns != UINT64_MAX)
		l->exit_lost = !stage_one(&st, l->n, l->exit_ns) || !flush(&st, l->exit_ns) ||
			       permille(seed, s->full_permille);
}

void life_make(struct life *l, uint64_t *seed, const struct life_shape *s)
{
	uint64_t in_ns = s->begin_ns;
	size_t cap = 0;

	l->begin_ns = l->watched_from_ns = s->begin_ns;
	l->exit_ns = UINT64_MAX;
	while (in_ns < s->horizon_ns) {
		struct life_wait w = next_wait(seed, s, in_ns);

		if (!l->n && (s->forked || permille(seed, 700))) {
			uint64_t shift = w.out_ns - w.in_ns;

			w.out_ns = w.in_ns;
			w.end_ns -= shift;
			w.wake_ns -= w.wake_ns ? shift : 0;
			w.at_least = !s->forked;
			if (s->forked) {
				w.runnable = true;
				w.type = WAIT_RUNQ;
				w.event = MODEL_NO_ID;
				w.wake_ns = w.out_ns;
			}
		}
		if (l->n == cap) {
			cap = cap ? cap * 2 : 32;
			l->waits = xrealloc(l->waits, cap, sizeof(*l->waits));
		}
		l->waits[l->n++] = w;
		in_ns = w.end_ns;
		if (permille(seed, s->exit_permille)) {
			l->exit_ns = in_ns + about(seed, s->wait_ns);
			break;
		}
	}
	stage_events(l, seed, s);
}

void life_done(struct life *l)
{
	free(l->waits);
	memset(l, 0, sizeof(*l));
}

size_t life_at(const struct life *l, uint64_t at_ns)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (l->waits[mid].end_ns <= at_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

size_t life_staged(const struct life *l, uint64_t at_ns, size_t i)
{
	for (; i < l->n && l->waits[i].end_ns <= at_ns; i++)
		if (!l->waits[i].lost && l->waits[i].sent_ns > at_ns)
			return i;
	return l->n;
}

static uint32_t lost_before(const struct life *l, size_t i)
{
	uint32_t n = 0;

	while (i-- > 0)
		n += l->waits[i].lost;
	return n;
}

struct model_state life_state(const struct life *l, uint64_t at_ns)
{
	size_t i = life_at(l, at_ns);
	const struct life_wait *w = i < l->n ? &l->waits[i] : NULL;
	struct model_state st = {
		.on_cpu = !w || at_ns < w->out_ns,
		.in_ns = i ? l->waits[i - 1].end_ns : l->begin_ns,
		.event = MODEL_NO_ID,
		.stack = MODEL_NO_ID,
		.seq = (uint32_t)i,
		.lost = lost_before(l, i),
	};

	if (st.on_cpu)
		return st;
	st.out_ns = w->out_ns;
	st.wake_ns = w->wake_ns <= at_ns ? w->wake_ns : 0;
	st.event = w->event;
	st.type = w->type;
	st.runnable = w->runnable;
	st.at_least = w->at_least;
	return st;
}

struct model_wait life_event(const struct life *l, size_t i)
{
	const struct life_wait *w = &l->waits[i];
	struct model_wait ev = {
		.in_ns = w->in_ns,
		.out_ns = w->out_ns,
		.wake_ns = w->wake_ns,
		.end_ns = w->end_ns,
		.event = w->event,
		.stack = w->event % 3 ? MODEL_NO_ID : w->event,
		.seq = (uint32_t)i + 1,
		.lost = lost_before(l, i),
		.waker_pid = w->event % 50,
		.type = w->type,
		.waker = w->runnable ? MODEL_WAKER_NONE : MODEL_WAKER_TASK,
		.runnable = w->runnable,
		.at_least = w->at_least,
		.waker_comm = "waker",
	};

	return ev;
}

struct model_wait life_exit(const struct life *l)
{
	return (struct model_wait){
		.in_ns = l->n ? l->waits[l->n - 1].end_ns : l->begin_ns,
		.out_ns = l->exit_ns,
		.wake_ns = l->exit_ns,
		.end_ns = l->exit_ns,
		.event = MODEL_NO_ID,
		.stack = MODEL_NO_ID,
		.exit = true,
	};
}

static uint64_t overlap(uint64_t a, uint64_t b, uint64_t from, uint64_t to)
{
	uint64_t lo = MAX(a, from), hi = MIN(b, to);

	return lo < hi ? hi - lo : 0;
}

static uint64_t blocked_until(const struct life_wait *w)
{
	return w->runnable ? w->out_ns : w->wake_ns ? w->wake_ns : w->end_ns;
}

static void expect_wait(const struct life_wait *w, uint64_t from_ns, uint64_t to_ns,
	uint64_t cut_ns, uint64_t min_wait_ns, struct expected *e)
{
	uint64_t blocked_end = blocked_until(w), known = w->end_ns, blocked;
	bool shown = MIN(w->end_ns, cut_ns) - MIN(w->out_ns, cut_ns) >= min_wait_ns;

	if (w->lost) {
		known = MAX(w->known_until_ns, w->in_ns);
		e->times.ns[WAIT_UNKNOWN] += overlap(known, w->end_ns, from_ns, to_ns);
		to_ns = MIN(to_ns, known);
	}
	blocked = overlap(w->out_ns, blocked_end, from_ns, to_ns);
	e->times.ns[WAIT_CPU] += overlap(w->in_ns, w->out_ns, from_ns, to_ns);
	e->times.ns[w->type] += blocked;
	e->times.ns[WAIT_RUNQ] += overlap(blocked_end, w->end_ns, from_ns, to_ns);
	if (shown)
		e->event_ns.ns[w->type] += blocked;
	if (w->lost || w->end_ns > cut_ns || w->end_ns <= from_ns || w->end_ns == w->out_ns)
		return;
	e->waits++;
	e->counts[w->type] += shown;
	if (w->type != WAIT_IDLE)
		e->max_wait_ns = MAX(e->max_wait_ns, w->end_ns - w->out_ns);
}

void life_expect(const struct life *l, uint64_t from_ns, uint64_t to_ns, uint64_t cut_ns,
	uint64_t min_wait_ns, struct expected *ret)
{
	uint64_t last_end = l->n ? l->waits[l->n - 1].end_ns : l->begin_ns;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = life_at(l, from_ns); i < l->n && l->waits[i].in_ns < to_ns; i++)
		expect_wait(&l->waits[i], from_ns, to_ns, cut_ns, min_wait_ns, ret);
	ret->times.ns[WAIT_CPU] += overlap(last_end, UINT64_MAX, from_ns, to_ns);
}
