/*
 * The account against an oracle: random lives of several backends, events that are lost or come
 * late, states read after the cut, windows and intervals that change. After every tick each
 * backend's times must be what its own life says, to the nanosecond.
 *
 * TIMELINE_SEEDS=N runs that many, TIMELINE_SEED=N that one.
 */
#include "unit.h"

#include "timeline.h"
#include "util.h"

#ifdef __SANITIZE_ADDRESS__
#define SEEDS 700
#else
#define SEEDS 4000
#endif
#define MAX_LIVES 64

struct run {
	uint64_t seed, random;
	struct model *m;
	struct life lives[MAX_LIVES]; /* ordered by begin among those of a pid */
	size_t n;
	uint64_t window_ns, delay_ns, min_wait_ns, cut_ns, now_ns;
	bool loss, overflow;
	uint64_t moved_ns; /* how far a nanosecond may have been moved by a change of the window */
	uint64_t changed_ns; /* the last change */
	struct model_view view;
	struct wait_times views; /* sum of the last tick's */
	uint64_t unknown_ns;
};

static uint64_t roll(struct run *r, uint64_t n)
{
	uint64_t hi = unit_random(&r->random, 1u << 30), lo = unit_random(&r->random, 1u << 30);

	return (hi << 30 | lo) % n;
}

#define CHECK(r, l, condition)                                                                  \
	do {                                                                                    \
		if (!(condition))                                                               \
			fail_msg("seed %llu, cut %llu, pid %u/%llu: " #condition,               \
				(unsigned long long)(r)->seed, (unsigned long long)(r)->cut_ns, \
				(l) ? (l)->pid : 0,                                             \
				(l) ? (unsigned long long)(l)->start_ticks : 0ULL);             \
	} while (0)

#define CHECK_EQUAL(r, l, what, type, a, b)                                                      \
	do {                                                                                     \
		uint64_t a_ = (a), b_ = (b);                                                     \
		if (a_ != b_)                                                                    \
			fail_msg("seed %llu, cut %llu, pid %u/%llu: %s of %s is %llu, not %llu", \
				(unsigned long long)(r)->seed, (unsigned long long)(r)->cut_ns,  \
				(l)->pid, (unsigned long long)(l)->start_ticks, what,            \
				wait_type_name(type), (unsigned long long)a_,                    \
				(unsigned long long)b_);                                         \
	} while (0)

/* ---- the kernel's side ---- */

/* When its next event goes into the ring. */
static uint64_t next_sent_ns(struct life *l)
{
	while (l->sent < l->n && l->waits[l->sent].lost)
		l->sent++;
	if (l->exit_sent)
		return UINT64_MAX;
	return l->sent < l->n ? l->waits[l->sent].sent_ns : l->exit_ns;
}

/* Who has the next event in the ring. */
static struct life *next_in_ring(struct run *r, uint64_t until_ns)
{
	struct life *first = NULL;

	for (size_t i = 0; i < r->n; i++) {
		uint64_t sent = next_sent_ns(&r->lives[i]);
		if (sent <= until_ns && (!first || sent < next_sent_ns(first)))
			first = &r->lives[i];
	}
	return first;
}

static void know(struct run *r, struct life *l, uint64_t begin_ns)
{
	struct life *old = NULL;

	if (l->b)
		return;
	for (size_t i = 0; i < r->n; i++)
		if (r->lives[i].pid == l->pid && &r->lives[i] != l && r->lives[i].b)
			old = &r->lives[i];
	CHECK(r, l, !old || old->begin_ns < l->begin_ns);
	l->b = model_add(r->m, l->pid, l->start_ticks, l->pid % 3, begin_ns);
	model_set_user(l->b, l);
	l->watched_from_ns = begin_ns;
	CHECK(r, l, model_find(r->m, l->pid, l->start_ticks) == l->b);
}

static void deliver_wait(struct run *r, struct life *l, size_t i, uint64_t cut_ns)
{
	struct model_wait ev = life_event(l, i);

	know(r, l, ev.in_ns);
	CHECK(r, l, model_is_news(l->b, ev.seq) == (ev.seq > l->last_seq && !l->exit_sent));
	l->received += model_is_news(l->b, ev.seq);
	l->last_seq = MAX(l->last_seq, ev.seq);
	model_event(r->m, l->b, &ev, cut_ns);
}

/* Out of the ring; what was taken from the map before comes once more. */
static void deliver(struct run *r, struct life *l, uint64_t cut_ns)
{
	struct model_wait ev = life_exit(l);

	if (l->sent < l->n) {
		deliver_wait(r, l, l->sent++, cut_ns);
		return;
	}
	l->exit_sent = true;
	if (l->exit_lost)
		return;
	know(r, l, ev.in_ns);
	model_event(r->m, l->b, &ev, cut_ns);
}

static void drain(struct run *r, uint64_t until_ns, uint64_t cut_ns)
{
	struct life *l;

	while ((l = next_in_ring(r, until_ns)))
		deliver(r, l, cut_ns);
}

/* ---- a tick ---- */

/* Whether an event was delivered that ends after the cut. */
static bool straddles(const struct life *l, uint64_t cut_ns)
{
	for (size_t i = life_at(l, cut_ns); i < l->last_seq; i++)
		if (!l->waits[i].lost)
			return true;
	return l->exit_sent && !l->exit_lost && l->exit_ns > cut_ns;
}

static bool lost_at(const struct life *l, uint64_t at_ns)
{
	size_t i = life_at(l, at_ns);

	return i < l->n && l->waits[i].lost;
}

/* What is not in the ring yet is taken from the map, unless what was before it is still in it. */
static void take_staged(struct run *r, struct life *l, uint64_t cut_ns, uint64_t read_ns)
{
	size_t i = life_staged(l, read_ns, 0);
	struct model_wait first;

	if (i == l->n)
		return;
	first = life_event(l, i);
	if (l->b ? model_awaits(l->b, first.seq, first.lost) : first.seq != first.lost + 1)
		return;
	for (; i < l->n; i = life_staged(l, read_ns, i + 1))
		deliver_wait(r, l, i, cut_ns);
}

/* One that is in the kernel's map. */
static void close_tracked(struct run *r, struct life *l, uint64_t cut_ns, uint64_t read_ns)
{
	struct model_state st = life_state(l, read_ns);
	size_t i = life_at(l, read_ns);

	take_staged(r, l, cut_ns, read_ns);
	if (!l->b && st.seq != st.lost)
		return; /* it becomes known by an event on its way */
	know(r, l, st.in_ns);
	model_close(r->m, l->b, &st, cut_ns);
	if (straddles(l, cut_ns)) {
		l->closed = true;
		l->cut_known = !lost_at(l, cut_ns);
	} else if (st.seq - st.lost == l->received) {
		l->closed = true;
		l->cut_known = st.in_ns <= cut_ns;
		if (i < l->n && cut_ns > l->waits[i].in_ns)
			l->waits[i].known_until_ns = MAX(l->waits[i].known_until_ns, cut_ns);
	}
}

static void close_untracked(struct life *l, struct model *m, uint64_t cut_ns)
{
	model_close(m, l->b, NULL, cut_ns);
	l->closed = straddles(l, cut_ns);
	l->cut_known = l->closed && !lost_at(l, cut_ns);
}

static void on_drop(void *ctx, struct model_backend *b)
{
	struct run *r = ctx;
	struct life *l = model_user(b);

	CHECK(r, l, model_exited(b));
	CHECK(r, l, l->b == b);
	l->b = NULL;
}

static bool in_map(const struct life *l, uint64_t read_ns)
{
	return l->begin_ns <= read_ns && l->exit_ns > read_ns;
}

/* The next owner of its pid was seen already: its own state, read before, is of no use any more. */
static bool succeeded(const struct run *r, const struct life *l)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->lives[i].pid == l->pid && r->lives[i].b &&
			r->lives[i].start_ticks > l->start_ticks)
			return true;
	return false;
}

static void tick(struct run *r, uint64_t cut_ns)
{
	uint64_t read_ns = cut_ns + roll(r, r->delay_ns / 2 + 1);
	uint64_t drained_ns = read_ns + roll(r, r->delay_ns / 2 + 1);

	/* An event that is just being written holds up those behind it. */
	drain(r, roll(r, 8) ? drained_ns : cut_ns - roll(r, r->delay_ns / 8), cut_ns);
	for (size_t i = 0; i < r->n; i++)
		while (r->lives[i].exit_ns <= read_ns && next_sent_ns(&r->lives[i]) != UINT64_MAX)
			deliver(r, &r->lives[i], cut_ns);
	r->cut_ns = cut_ns;
	r->now_ns = drained_ns;
	for (size_t i = 0; i < r->n; i++) {
		r->lives[i].closed = r->lives[i].cut_known = false;
		if (in_map(&r->lives[i], read_ns) && !succeeded(r, &r->lives[i]))
			close_tracked(r, &r->lives[i], cut_ns, read_ns);
	}
	for (size_t i = 0; i < r->n; i++) {
		bool found = in_map(&r->lives[i], read_ns) && !succeeded(r, &r->lives[i]);
		if (r->lives[i].b && !found)
			close_untracked(&r->lives[i], r->m, cut_ns);
		if (r->lives[i].watched_from_ns >= cut_ns)
			r->lives[i].closed = false;
	}
	model_tick(r->m, cut_ns, on_drop, r);
}

/* ---- what must hold ---- */

static void check_details(struct run *r, struct life *l, const struct expected *e)
{
	const struct model_view *v = &r->view;
	struct wait_times events = {0}, counts = {0};

	for (size_t i = 0; i < v->n_events; i++) {
		events.ns[v->events[i].type] += v->events[i].ns;
		counts.ns[v->events[i].type] += v->events[i].count;
		CHECK(r, l, !i || v->events[i].ns <= v->events[i - 1].ns);
	}
	for (uint8_t type = WAIT_IO; type < WAIT_UNKNOWN; type++) {
		uint64_t bins = 0;
		for (int i = 0; i < MODEL_HIST_BINS; i++)
			bins += v->histogram[type][i];
		CHECK_EQUAL(r, l, "event time", type, events.ns[type], e->event_ns.ns[type]);
		CHECK_EQUAL(r, l, "event count", type, counts.ns[type], e->counts[type]);
		CHECK_EQUAL(r, l, "histogram", type, bins, e->counts[type]);
	}
	CHECK_EQUAL(r, l, "waits", WAIT_CPU, v->waits, e->waits);
}

static void check_current(struct run *r, struct life *l, struct expected *e)
{
	const struct model_current *c = &r->view.current;
	size_t i = life_at(l, r->cut_ns);
	const struct life_wait *w = i < l->n ? &l->waits[i] : NULL;
	bool off = w && w->out_ns < r->cut_ns && r->cut_ns < l->exit_ns;

	if (!l->closed)
		return;
	CHECK(r, l, c->present == (off && l->cut_known));
	if (!c->present)
		return;
	CHECK_EQUAL(r, l, "age", c->type, c->age_ns, r->cut_ns - w->out_ns);
	CHECK(r, l, c->type == w->type && c->event == w->event && c->at_least == w->at_least);
	CHECK(r, l, c->waiting_for_cpu == (w->runnable || (w->wake_ns && w->wake_ns <= r->cut_ns)));
	if (c->type != WAIT_IDLE)
		e->max_wait_ns = MAX(e->max_wait_ns, c->age_ns);
}

/* A change of the window lays a slot's time out anew inside the slot: no type gains or loses more
 * than one slot's at the window's edge. */
static void check_moved_times(struct run *r, struct life *l, const struct expected *e)
{
	for (int type = 0; type < WAIT_NR; type++) {
		uint64_t a = r->view.times.ns[type], b = e->times.ns[type];
		CHECK(r, l, (a > b ? a - b : b - a) <= r->moved_ns);
	}
}

static void check_life(struct run *r, struct life *l)
{
	struct model_view *v = &r->view;
	uint64_t start = r->cut_ns - model_covered_ns(r->m), from, to;
	struct expected e;

	model_view(r->m, l->b, v);
	from = MAX(l->watched_from_ns, start);
	to = from + v->watched_ns;
	wait_times_add(&r->views, &v->times);
	CHECK_EQUAL(r, l, "sum", WAIT_CPU, wait_times_sum(&v->times), v->watched_ns);
	if (v->watched_ns)
		CHECK(r, l, to <= r->cut_ns && to <= l->exit_ns);
	if (l->closed)
		CHECK_EQUAL(r, l, "watched", WAIT_CPU, to, r->cut_ns);
	if (model_exited(l->b) && !l->exit_lost && l->exit_ns > start)
		CHECK_EQUAL(r, l, "watched to the end", WAIT_CPU, to, MAX(l->exit_ns, from));
	life_expect(l, from, to, r->cut_ns, r->min_wait_ns, &e);
	if (r->moved_ns && start < r->changed_ns) {
		check_moved_times(r, l, &e);
		return;
	}
	for (int type = 0; type < WAIT_NR; type++)
		CHECK_EQUAL(r, l, "time", type, v->times.ns[type], e.times.ns[type]);
	check_current(r, l, &e);
	/* After a close that had to wait, or lost times, what is shown as a wait in progress is
	 * another matter. */
	if (l->closed && !r->loss) {
		check_details(r, l, &e);
		CHECK_EQUAL(r, l, "longest wait", WAIT_CPU, v->max_wait_ns, e.max_wait_ns);
	}
}

static void check_history(struct run *r)
{
	struct model_history *h = xcalloc(1, sizeof(*h));
	struct wait_times sum = {0}, folded;
	uint64_t waits, covered = 0;

	model_history(r->m, h);
	CHECK(r, (struct life *)NULL, h->n <= MODEL_MAX_SLOTS);
	for (size_t i = 0; i < h->n; i++) {
		wait_times_add(&sum, &h->slot[i]);
		covered += h->covered_ns[i];
		CHECK(r, (struct life *)NULL, h->covered_ns[i] > 0);
	}
	CHECK(r, (struct life *)NULL, covered == model_covered_ns(r->m));
	for (uint32_t c = 0; c < 3; c++) {
		model_folded(r->m, c, &folded, &waits);
		wait_times_add(&r->views, &folded);
	}
	CHECK(r, (struct life *)NULL, !memcmp(&sum, &r->views, sizeof(sum)));
	free(h);
}

static void check(struct run *r)
{
	memset(&r->views, 0, sizeof(r->views));
	for (size_t i = 0; i < r->n; i++)
		if (r->lives[i].b)
			check_life(r, &r->lives[i]);
	check_history(r);
	CHECK(r, (struct life *)NULL, model_unknown_ns(r->m) >= r->unknown_ns);
	r->unknown_ns = model_unknown_ns(r->m);
	CHECK(r, (struct life *)NULL, r->loss || !r->unknown_ns);
	CHECK(r, (struct life *)NULL, model_anomalies(r->m) == 0);
}

/* ---- a run ---- */

static const uint64_t windows_ms[] = {1000, 3000, 10000, 15000, 60000};
static const uint64_t delays_ms[] = {100, 250, 333, 1000, 1500, 7000};

static void change_window(struct run *r)
{
	uint64_t before = model_covered_ns(r->m), covered;
	struct model_history *h = xcalloc(1, sizeof(*h));
	uint64_t kept;

	model_history(r->m, h);
	kept = (r->window_ns + r->delay_ns) / h->slot_ns + 4;
	r->moved_ns += h->slot_ns;
	r->changed_ns = MAX(r->cut_ns, r->now_ns);
	if (roll(r, 2))
		r->window_ns = windows_ms[roll(r, ARRAY_SIZE(windows_ms))] * NSEC_PER_MSEC;
	if (roll(r, 2))
		r->delay_ns =
			delays_ms[roll(r, ARRAY_SIZE(delays_ms))] * NSEC_PER_MSEC + roll(r, 2);
	model_set_window(r->m, r->window_ns, r->delay_ns, r->cut_ns);
	covered = model_covered_ns(r->m);
	model_history(r->m, h);
	/* With long intervals what was charged since the last cut may have pushed out some. */
	if (kept <= MODEL_MAX_SLOTS)
		CHECK(r, (struct life *)NULL, covered + h->slot_ns >= MIN(before, r->window_ns));
	CHECK(r, (struct life *)NULL, covered <= MIN(before, r->window_ns + h->slot_ns));
	free(h);
}

static void make_lives(struct run *r, uint64_t start_ns, uint64_t horizon_ns)
{
	unsigned pids = r->overflow ? 1 : 1 + (unsigned)roll(r, 5);

	for (unsigned pid = 1; pid <= pids; pid++) {
		uint64_t begin_ns = start_ns - roll(r, NSEC_PER_MSEC);
		struct life_shape s = {
			.horizon_ns = horizon_ns,
			.wait_ns = (horizon_ns - start_ns) / (r->overflow ? 2000 : 2 + roll(r, 80)),
			.forked = roll(r, 2),
			.full_permille = r->loss ? (unsigned)roll(r, 300) : 0,
			.exit_permille = r->overflow ? 0 : (unsigned)roll(r, 100),
			.n_events = r->overflow ? 200 : 6,
		};
		if (s.forked)
			begin_ns = start_ns + 1 + roll(r, horizon_ns - start_ns);
		for (uint64_t start = 1; r->n < MAX_LIVES && begin_ns < horizon_ns; start++) {
			struct life *l = &r->lives[r->n++];

			s.begin_ns = begin_ns;
			l->pid = pid;
			l->start_ticks = start;
			life_make(l, &r->random, &s);
			if (l->exit_ns == UINT64_MAX)
				break;
			s.forked = true;
			/* The same pid again, at once or later. */
			begin_ns = l->exit_ns + 1 + roll(r, 2) * roll(r, s.wait_ns * 3);
		}
	}
}

static uint64_t next_due_ns(const struct run *r)
{
	uint64_t due_ns = r->cut_ns + r->delay_ns;

	while (due_ns < r->now_ns)
		due_ns += r->delay_ns;
	return due_ns;
}

static void run_seed(uint64_t seed, bool loss)
{
	uint64_t start_ns = 5000000000000ULL, horizon_ns, due_ns;
	struct run *r = xcalloc(1, sizeof(*r));
	unsigned ticks;

	r->seed = seed;
	r->random = seed * 0x9e3779b97f4a7c15ULL + 1;
	r->loss = loss;
	r->overflow = !roll(r, 16);
	start_ns += roll(r, NSEC_PER_SEC);
	r->window_ns = windows_ms[roll(r, ARRAY_SIZE(windows_ms))] * NSEC_PER_MSEC;
	r->delay_ns = delays_ms[roll(r, ARRAY_SIZE(delays_ms))] * NSEC_PER_MSEC;
	ticks = 5 + (unsigned)roll(r, 30);
	horizon_ns = start_ns + ticks * r->delay_ns;
	if (!roll(r, 4))
		r->min_wait_ns = roll(r, r->delay_ns);
	make_lives(r, start_ns, horizon_ns);
	r->m = model_new(r->window_ns, r->delay_ns, start_ns - 12345);
	model_set_min_wait(r->m, r->min_wait_ns);
	for (size_t i = 0; i < r->n; i++)
		if (r->lives[i].begin_ns <= start_ns)
			know(r, &r->lives[i], r->lives[i].begin_ns);
	model_begin(r->m, start_ns);
	r->cut_ns = start_ns;
	due_ns = start_ns + r->delay_ns;
	while (due_ns < horizon_ns + 3 * r->delay_ns) {
		/* Events in between, then a tick that may be late by some intervals. */
		if (roll(r, 2)) {
			r->now_ns = MAX(r->now_ns, due_ns - roll(r, r->delay_ns));
			drain(r, r->now_ns, due_ns);
			if (seed % 3 == 1 && !roll(r, 8)) {
				change_window(r);
				due_ns = next_due_ns(r);
			}
		}
		if (!roll(r, 12))
			due_ns += r->delay_ns * (1 + roll(r, 3));
		tick(r, due_ns);
		check(r);
		if (seed % 3 == 0 && !roll(r, 8))
			change_window(r);
		due_ns = next_due_ns(r);
	}
	model_free(r->m);
	for (size_t i = 0; i < r->n; i++)
		life_done(&r->lives[i]);
	free(r);
}

static uint64_t from_environment(const char *name)
{
	const char *s = getenv(name);

	return s ? strtoull(s, NULL, 10) : 0;
}

static void run_seeds(bool loss)
{
	uint64_t one = from_environment("TIMELINE_SEED"), n = from_environment("TIMELINE_SEEDS");

	if (one)
		run_seed(one, loss);
	for (uint64_t seed = 1; !one && seed <= (n ? n : SEEDS); seed++)
		run_seed(seed, loss);
}

static void nothing_lost_is_exact(void **state)
{
	(void)state;
	run_seeds(false);
}

static void what_is_lost_is_unknown_exactly(void **state)
{
	(void)state;
	run_seeds(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_lost_is_exact),
		cmocka_unit_test(what_is_lost_is_unknown_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
