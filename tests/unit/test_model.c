/* The rules of model.h, one by one, on hand-written timelines. Times are milliseconds after T0. */
#include "unit.h"

#include "model.h"
#include "util.h"

#define T0	(1000 * NSEC_PER_SEC)
#define AT(ms)	(T0 + (uint64_t)(ms)*NSEC_PER_MSEC)
#define MS(n)	((uint64_t)(n)*NSEC_PER_MSEC)
#define NO_CUT	UINT64_MAX
#define EV_LOCK 7u
#define EV_IO	8u
#define STACK	3u
#define PID	42u
#define WAKER	99u

/* A model of a 10 s window, ticks each second from T0 on, with one backend on CPU since T0. */
struct fixture {
	struct model *m;
	struct model_backend *b;
	struct model_view v;
	unsigned dropped;
};

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->m = model_new(10 * NSEC_PER_SEC, NSEC_PER_SEC, T0 - 777);
	f->b = model_add(f->m, PID, 1, 0, T0);
	model_begin(f->m, T0);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	model_free(f->m);
	free(f);
	return 0;
}

/* A wait for a lock: off at out, woken at wake (0: not seen), on at end. */
static struct model_wait lock_wait(uint64_t in, uint64_t out, uint64_t wake, uint64_t end)
{
	return (struct model_wait){
		.in_ns = AT(in),
		.out_ns = AT(out),
		.wake_ns = wake ? AT(wake) : 0,
		.end_ns = AT(end),
		.event = EV_LOCK,
		.stack = MODEL_NO_ID,
		.waker_pid = WAKER,
		.type = WAIT_LOCK,
		.waker = MODEL_WAKER_TASK,
		.waker_comm = "waker",
	};
}

static struct model_wait exit_at(uint64_t in, uint64_t at)
{
	return (struct model_wait){
		.in_ns = AT(in),
		.out_ns = AT(at),
		.wake_ns = AT(at),
		.end_ns = AT(at),
		.event = MODEL_NO_ID,
		.stack = MODEL_NO_ID,
		.exit = true,
	};
}

static struct model_state running_since(uint64_t in, uint32_t seq)
{
	return (struct model_state){.on_cpu = true,
		.in_ns = AT(in),
		.event = MODEL_NO_ID,
		.stack = MODEL_NO_ID,
		.seq = seq};
}

static struct model_state locked_since(uint64_t in, uint64_t out, uint64_t wake, uint32_t seq)
{
	return (struct model_state){.in_ns = AT(in),
		.out_ns = AT(out),
		.wake_ns = wake ? AT(wake) : 0,
		.event = EV_LOCK,
		.stack = MODEL_NO_ID,
		.seq = seq,
		.type = WAIT_LOCK};
}

static void event(struct fixture *f, struct model_wait w, uint64_t cut_ns)
{
	model_event(f->m, f->b, &w, cut_ns);
}

static void on_drop(void *ctx, struct model_backend *b)
{
	struct fixture *f = ctx;

	if (b == f->b)
		f->b = NULL;
	f->dropped++;
}

static void look(struct fixture *f)
{
	if (!f->b)
		return;
	model_view(f->m, f->b, &f->v);
	assert_int_equal(wait_times_sum(&f->v.times), f->v.watched_ns);
}

/* The tick of that time, with that state (NULL: not tracked any more). */
static void tick(struct fixture *f, uint64_t ms, const struct model_state *st)
{
	if (f->b)
		model_close(f->m, f->b, st, AT(ms));
	model_tick(f->m, AT(ms), on_drop, f);
	look(f);
}

static void tick_running(struct fixture *f, uint64_t ms, uint64_t in, uint32_t seq)
{
	struct model_state st = running_since(in, seq);

	tick(f, ms, &st);
}

static void tick_locked(
	struct fixture *f, uint64_t ms, uint64_t in, uint64_t out, uint64_t wake, uint32_t seq)
{
	struct model_state st = locked_since(in, out, wake, seq);

	tick(f, ms, &st);
}

static void assert_times(
	const struct fixture *f, uint64_t cpu, uint64_t runq, uint64_t lock, uint64_t unknown)
{
	assert_int_equal(f->v.times.ns[WAIT_CPU], MS(cpu));
	assert_int_equal(f->v.times.ns[WAIT_RUNQ], MS(runq));
	assert_int_equal(f->v.times.ns[WAIT_LOCK], MS(lock));
	assert_int_equal(f->v.times.ns[WAIT_UNKNOWN], MS(unknown));
	assert_int_equal(f->v.watched_ns, MS(cpu + runq + lock + unknown));
}

/* ---- charging ---- */

static void a_wait_has_a_blocked_and_a_queueing_part(void **state)
{
	struct fixture *f = *state;

	event(f, lock_wait(0, 100, 400, 450), NO_CUT);
	tick_running(f, 1000, 450, 1);
	assert_times(f, 100 + 550, 50, 300, 0);
	assert_int_equal(f->v.waits, 1);
	assert_int_equal(f->v.max_wait_ns, MS(350));
	assert_int_equal(f->v.n_events, 1);
	assert_int_equal(f->v.events[0].id, EV_LOCK);
	assert_int_equal(f->v.events[0].count, 1);
	assert_int_equal(f->v.events[0].ns, MS(300));
	assert_int_equal(f->v.events[0].max_ns, MS(300));
	assert_false(f->v.current.present);
}

static void runnable_is_all_run_queue(void **state)
{
	struct fixture *f = *state;
	struct model_wait w = lock_wait(0, 100, 100, 400);

	w.runnable = true;
	w.type = WAIT_RUNQ;
	w.event = MODEL_NO_ID;
	event(f, w, NO_CUT);
	tick_running(f, 1000, 400, 1);
	assert_times(f, 700, 300, 0, 0);
	assert_int_equal(f->v.n_events, 0);
	assert_int_equal(f->v.n_wakers, 0);
	assert_int_equal(f->v.histogram_types, 1u << WAIT_RUNQ);
	assert_int_equal(f->v.waits, 1);
}

static void without_a_wakeup_it_is_all_what_it_waited_for(void **state)
{
	struct fixture *f = *state;

	event(f, lock_wait(0, 100, 0, 400), NO_CUT);
	tick_running(f, 1000, 400, 1);
	assert_times(f, 700, 0, 300, 0);
}

static void a_wait_is_charged_to_the_seconds_it_covers(void **state)
{
	struct fixture *f = *state;
	struct model_history *h = xcalloc(1, sizeof(*h));

	event(f, lock_wait(0, 500, 0, 4500), NO_CUT);
	tick_running(f, 5000, 4500, 1);
	model_history(f->m, h);
	assert_int_equal(h->slot_ns, MS(200));
	assert_int_equal(h->n, 25);
	for (size_t i = 0; i < h->n; i++) {
		uint64_t from = i * 200, to = from + 200;
		uint64_t lock = to <= 500 || from >= 4500 ? 0 : MIN(to, 4500) - MAX(from, 500);
		assert_int_equal(h->slot[i].ns[WAIT_LOCK], MS(lock));
		assert_int_equal(h->slot[i].ns[WAIT_CPU], MS(200 - lock));
		assert_int_equal(f->v.history[i], lock > 100 ? WAIT_LOCK : WAIT_CPU);
	}
	assert_int_equal(f->v.n_history, 25);
	/* It ended in the last second, so it counts as one wait there, of its whole length. */
	assert_int_equal(f->v.events[0].max_ns, MS(4000));
	free(h);
}

/* ---- a wait in progress ---- */

static void a_wait_in_progress_grows_and_is_not_charged_twice(void **state)
{
	struct fixture *f = *state;

	tick_locked(f, 1000, 0, 250, 0, 0);
	assert_times(f, 250, 0, 750, 0);
	assert_true(f->v.current.present);
	assert_int_equal(f->v.current.type, WAIT_LOCK);
	assert_int_equal(f->v.current.event, EV_LOCK);
	assert_int_equal(f->v.current.age_ns, MS(750));
	assert_false(f->v.current.waiting_for_cpu);
	assert_int_equal(f->v.max_wait_ns, MS(750));
	assert_int_equal(f->v.waits, 0);
	assert_int_equal(f->v.events[0].count, 0);
	assert_int_equal(f->v.events[0].ns, MS(750));
	assert_int_equal(f->v.events[0].max_ns, MS(750));

	tick_locked(f, 2000, 0, 250, 0, 0);
	assert_times(f, 250, 0, 1750, 0);
	assert_int_equal(f->v.current.age_ns, MS(1750));

	event(f, lock_wait(0, 250, 2500, 2600), NO_CUT);
	tick_running(f, 3000, 2600, 1);
	assert_times(f, 250 + 400, 100, 2250, 0);
	assert_int_equal(f->v.waits, 1);
	assert_int_equal(f->v.events[0].count, 1);
	assert_int_equal(f->v.events[0].ns, MS(2250));
	assert_int_equal(f->v.events[0].max_ns, MS(2250));
	assert_int_equal(f->v.max_wait_ns, MS(2350));
	assert_false(f->v.current.present);
}

static void woken_but_not_yet_running(void **state)
{
	struct fixture *f = *state;

	tick_locked(f, 1000, 0, 200, 700, 0);
	assert_times(f, 200, 300, 500, 0);
	assert_true(f->v.current.waiting_for_cpu);
	assert_int_equal(f->v.current.type, WAIT_LOCK);
	assert_int_equal(f->v.current.age_ns, MS(800));
	/* What it waited for took as long as it was blocked. */
	assert_int_equal(f->v.events[0].max_ns, MS(500));
	assert_int_equal(f->v.max_wait_ns, MS(800));
}

static void a_wakeup_after_the_cut_is_not_known_at_the_cut(void **state)
{
	struct fixture *f = *state;

	tick_locked(f, 1000, 0, 200, 1001, 0);
	assert_times(f, 200, 0, 800, 0);
	assert_false(f->v.current.waiting_for_cpu);
}

static void a_wait_that_began_after_the_cut_is_not_seen(void **state)
{
	struct fixture *f = *state;

	tick_locked(f, 1000, 0, 1001, 0, 0);
	assert_times(f, 1000, 0, 0, 0);
	assert_false(f->v.current.present);
}

static void preempted_at_the_cut(void **state)
{
	struct fixture *f = *state;
	struct model_state st = locked_since(0, 200, 200, 0);

	st.runnable = true;
	st.type = WAIT_RUNQ;
	st.event = MODEL_NO_ID;
	tick(f, 1000, &st);
	assert_times(f, 200, 800, 0, 0);
	assert_true(f->v.current.present && f->v.current.waiting_for_cpu);
	assert_int_equal(f->v.current.type, WAIT_RUNQ);
}

static void at_least(void **state)
{
	struct fixture *f = *state;
	struct model_state st = locked_since(0, 0, 0, 0);

	st.at_least = true;
	tick(f, 1000, &st);
	assert_times(f, 0, 0, 1000, 0);
	assert_true(f->v.current.at_least);
	assert_int_equal(f->v.current.age_ns, MS(1000));
}

static void idle_is_not_the_longest_wait(void **state)
{
	struct fixture *f = *state;
	struct model_wait w = lock_wait(0, 100, 0, 500);
	struct model_state st = locked_since(500, 600, 0, 1);

	w.type = st.type = WAIT_IDLE;
	event(f, w, NO_CUT);
	tick(f, 1000, &st);
	assert_int_equal(f->v.max_wait_ns, 0);
	assert_int_equal(f->v.waits, 1);
	assert_int_equal(f->v.times.ns[WAIT_IDLE], MS(800));
}

static void put_on_the_cpu_unseen(void **state)
{
	struct fixture *f = *state;
	struct model_state st = locked_since(0, 200, 300, 0);

	st.resumed_ns = AT(400);
	tick(f, 1000, &st);
	assert_times(f, 200 + 600, 100, 100, 0);
	assert_false(f->v.current.present);
	/* The event that is made up for it says nothing new. */
	event(f, lock_wait(0, 200, 300, 410), NO_CUT);
	tick_running(f, 2000, 410, 1);
	assert_times(f, 200 + 1600, 100, 100, 0);
	assert_int_equal(model_anomalies(f->m), 0);
}

static void undecided_is_charged_by_its_event(void **state)
{
	struct fixture *f = *state;
	struct model_state st = locked_since(0, 200, 0, 0);

	st.undecided = true;
	tick(f, 1000, &st);
	assert_times(f, 200, 0, 0, 0);
	assert_false(f->v.current.present);
	event(f, lock_wait(0, 200, 0, 1500), NO_CUT);
	tick_running(f, 2000, 1500, 1);
	assert_times(f, 700, 0, 1300, 0);
}

static void undecided_does_not_matter_where_an_event_tells(void **state)
{
	struct fixture *f = *state;
	struct model_state st = locked_since(0, 200, 0, 0);

	st.undecided = true;
	event(f, lock_wait(0, 200, 0, 1500), AT(1000));
	tick(f, 1000, &st);
	assert_times(f, 200, 0, 800, 0);
	assert_true(f->v.current.present);
}

/* ---- events after the cut ---- */

static void an_event_that_straddles_the_cut_waits(void **state)
{
	struct fixture *f = *state;

	event(f, lock_wait(0, 800, 1200, 1300), AT(1000));
	tick_running(f, 1000, 1300, 1);
	assert_times(f, 800, 0, 200, 0);
	assert_int_equal(f->v.waits, 0);
	assert_true(f->v.current.present);
	assert_int_equal(f->v.current.age_ns, MS(200));
	tick_running(f, 2000, 1300, 1);
	assert_times(f, 800 + 700, 100, 400, 0);
	assert_int_equal(f->v.waits, 1);
}

static void several_events_after_the_cut(void **state)
{
	struct fixture *f = *state;

	event(f, lock_wait(0, 100, 0, 200), AT(1000));
	event(f, lock_wait(200, 1100, 0, 1200), AT(1000));
	event(f, lock_wait(1200, 1300, 0, 1400), AT(1000));
	event(f, lock_wait(1400, 2500, 0, 2600), AT(1000));
	tick_running(f, 1000, 2600, 4);
	assert_times(f, 900, 0, 100, 0);
	assert_false(f->v.current.present);
	assert_int_equal(f->v.waits, 1);
	/* One of them ends at the next cut, one after it. */
	event(f, lock_wait(2600, 2700, 0, 2800), AT(2000));
	tick_running(f, 2000, 2800, 5);
	assert_times(f, 1700, 0, 300, 0);
	assert_int_equal(f->v.waits, 3);
	tick_running(f, 3000, 2800, 5);
	assert_times(f, 2500, 0, 500, 0);
	assert_int_equal(f->v.waits, 5);
}

static void events_stay_in_order_though_their_stamps_do_not(void **state)
{
	struct fixture *f = *state;

	event(f, lock_wait(0, 800, 0, 1100), AT(1000));
	event(f, lock_wait(1100, 950, 0, 990), AT(1000));
	tick_running(f, 1000, 1100, 2);
	assert_times(f, 800, 0, 200, 0);
	tick_running(f, 2000, 1100, 2);
	assert_times(f, 800 + 900, 0, 300, 0);
	assert_int_equal(model_anomalies(f->m), 1);
}

static void an_event_that_ends_at_the_cut_is_taken(void **state)
{
	struct fixture *f = *state;

	event(f, lock_wait(0, 800, 900, 1000), AT(1000));
	tick_running(f, 1000, 1000, 1);
	assert_times(f, 800, 100, 100, 0);
	assert_int_equal(f->v.waits, 1);
	assert_false(f->v.current.present);
}

static void an_event_on_its_way_holds_up_the_close(void **state)
{
	struct fixture *f = *state;

	tick_locked(f, 1000, 0, 200, 0, 0);
	/* The map says that one wait has ended, but its event has not come. */
	tick_running(f, 2000, 1500, 1);
	assert_times(f, 200, 0, 800, 0);
	assert_false(f->v.current.present);
	event(f, lock_wait(0, 200, 1400, 1500), NO_CUT);
	tick_running(f, 3000, 1500, 1);
	assert_times(f, 200 + 1500, 100, 1200, 0);
	assert_int_equal(model_unknown_ns(f->m), 0);
}

/* ---- loss ---- */

static void a_gap_is_unknown_exactly(void **state)
{
	struct fixture *f = *state;
	struct model_wait w = lock_wait(600, 700, 0, 800);

	event(f, lock_wait(0, 100, 0, 200), NO_CUT);
	/* Lost: a wait that ended at 600. */
	w.lost = 1;
	w.seq = 3;
	event(f, w, NO_CUT);
	tick_running(f, 1000, 800, 2);
	assert_times(f, 100 + 100 + 200, 0, 200, 400);
	assert_int_equal(model_unknown_ns(f->m), MS(400));
	assert_int_equal(model_anomalies(f->m), 0);
}

static void what_was_charged_of_a_lost_wait_stays(void **state)
{
	struct fixture *f = *state;
	struct model_state st = running_since(1600, 1);

	tick_locked(f, 1000, 0, 200, 0, 0);
	st.lost = 1;
	tick(f, 2000, &st);
	assert_times(f, 200 + 400, 0, 800, 600);
	/* The next event is continuous with that. */
	event(f, lock_wait(1600, 2100, 0, 2200), NO_CUT);
	tick_running(f, 3000, 2200, 1);
	assert_times(f, 200 + 500 + 800, 0, 900, 600);
}

static void lost_and_ended_after_the_cut(void **state)
{
	struct fixture *f = *state;
	struct model_state st = running_since(1200, 1);

	/* On CPU since 1200, what was before is lost: up to the cut nothing is known. */
	st.lost = 1;
	tick(f, 1000, &st);
	assert_times(f, 0, 0, 0, 1000);
	assert_false(f->v.current.present);
	tick(f, 2000, &st);
	assert_times(f, 800, 0, 0, 1200);
	event(f, lock_wait(1200, 2100, 0, 2200), NO_CUT);
	tick_running(f, 3000, 2200, 1);
	assert_times(f, 900 + 800, 0, 100, 1200);
}

static void out_of_order_stamps(void **state)
{
	struct fixture *f = *state;
	struct model_wait w = lock_wait(0, 500, 400, 600); /* woken before it was off */

	event(f, w, NO_CUT);
	assert_int_equal(model_anomalies(f->m), 1);
	event(f, lock_wait(550, 700, 0, 650),
		NO_CUT); /* on before it was off, off before it ended */
	assert_int_equal(model_anomalies(f->m), 2);
	event(f, lock_wait(0, 0, 0, 0), NO_CUT); /* long gone */
	assert_int_equal(model_anomalies(f->m), 3);
	tick_running(f, 1000, 700, 3);
	assert_times(f, 900, 100, 0, 0);
	assert_true(f->v.max_wait_ns <= MS(1000));
	/* One that waits for its tick is counted once. */
	event(f, lock_wait(700, 1500, 1400, 1600), AT(1000));
	tick_running(f, 2000, 1600, 4);
	assert_int_equal(model_anomalies(f->m), 4);
}

static void a_state_older_than_what_is_charged(void **state)
{
	struct fixture *f = *state;

	event(f, lock_wait(0, 100, 0, 900), NO_CUT);
	tick_locked(f, 1000, 0, 50, 60, 1);
	assert_times(f, 100, 100, 800, 0);
}

/* ---- exits ---- */

static void exit_before_the_cut(void **state)
{
	struct fixture *f = *state;

	event(f, lock_wait(0, 100, 0, 200), NO_CUT);
	event(f, exit_at(200, 300), NO_CUT);
	assert_true(model_exited(f->b));
	assert_null(model_find(f->m, PID, 0));
	event(f, lock_wait(300, 400, 0, 500), NO_CUT);
	tick(f, 1000, NULL);
	assert_times(f, 200, 0, 100, 0);
	assert_false(f->v.current.present);
	/* It stays until it leaves the window. */
	for (uint64_t ms = 2000; ms <= 10000; ms += 1000)
		tick(f, ms, NULL);
	assert_int_equal(f->dropped, 0);
	assert_times(f, 200, 0, 100, 0);
	tick(f, 11000, NULL);
	assert_int_equal(f->dropped, 1);
	assert_null(f->b);
}

static void exit_at_the_edge_of_the_window(void **state)
{
	struct fixture *f = *state;

	event(f, exit_at(0, 1000), NO_CUT);
	tick(f, 10000, NULL);
	assert_times(f, 1000, 0, 0, 0);
	tick(f, 11000, NULL);
	assert_int_equal(f->dropped, 1);
}

static void exit_after_the_cut(void **state)
{
	struct fixture *f = *state;

	event(f, exit_at(0, 1200), AT(1000));
	/* Whatever comes after an exit is not of this backend. */
	event(f, exit_at(1200, 1300), AT(1000));
	tick(f, 1000, NULL);
	assert_false(model_exited(f->b));
	assert_times(f, 1000, 0, 0, 0);
	assert_false(f->v.current.present);
	event(f, exit_at(1200, 1400), AT(2000));
	tick(f, 2000, NULL);
	assert_true(model_exited(f->b));
	assert_times(f, 1200, 0, 0, 0);
}

static void exit_lost(void **state)
{
	struct fixture *f = *state;

	tick_locked(f, 1000, 0, 200, 0, 0);
	tick(f, 2000, NULL);
	assert_true(model_exited(f->b));
	assert_times(f, 200, 0, 800, 0);
	assert_int_equal(model_unknown_ns(f->m), 0);
}

static void exit_after_lost_waits(void **state)
{
	struct fixture *f = *state;

	event(f, exit_at(500, 700), NO_CUT);
	tick(f, 1000, NULL);
	assert_times(f, 200, 0, 0, 500);
}

static void a_pid_reused_without_an_exit(void **state)
{
	struct fixture *f = *state;
	struct model_backend *other;
	struct model_view *v = &f->v;
	struct model_state st = running_since(1300, 0);

	tick_locked(f, 1000, 0, 200, 0, 0);
	other = model_add(f->m, PID, 2, 0, AT(1300));
	assert_true(model_exited(f->b));
	assert_ptr_equal(model_find(f->m, PID, 0), other);
	assert_ptr_equal(model_find(f->m, PID, 2), other);
	assert_null(model_find(f->m, PID, 1));
	model_close(f->m, other, &st, AT(2000));
	tick(f, 2000, NULL);
	assert_times(f, 200, 0, 800, 0);
	model_view(f->m, other, v);
	assert_int_equal(v->watched_ns, MS(700));
	assert_int_equal(v->times.ns[WAIT_CPU], MS(700));
}

static void a_pid_reused_before_its_exit_was_due(void **state)
{
	struct fixture *f = *state;
	struct model_backend *other;
	struct model_state st = running_since(1300, 0);

	event(f, lock_wait(0, 800, 0, 1100), AT(1000));
	event(f, exit_at(1100, 1200), AT(1000));
	other = model_add(f->m, PID, 2, 0, AT(1300));
	assert_ptr_equal(model_find(f->m, PID, 0), other);
	model_close(f->m, other, &st, AT(1000));
	tick(f, 1000, NULL);
	assert_false(model_exited(f->b));
	assert_times(f, 800, 0, 200, 0);
	model_close(f->m, other, &st, AT(2000));
	tick(f, 2000, NULL);
	assert_true(model_exited(f->b));
	assert_times(f, 900, 0, 300, 0);
}

/* ---- details ---- */

static void wakers_and_stacks(void **state)
{
	struct fixture *f = *state;
	struct model_wait w = lock_wait(0, 100, 300, 310);

	w.stack = STACK;
	event(f, w, NO_CUT);
	w = lock_wait(310, 400, 500, 500);
	event(f, w, NO_CUT);
	w = lock_wait(500, 600, 650, 650);
	w.waker = MODEL_WAKER_IRQ;
	w.waker_pid = 0;
	event(f, w, NO_CUT);
	tick_running(f, 1000, 650, 3);
	assert_int_equal(f->v.n_wakers, 2);
	assert_int_equal(f->v.wakers[0].id, WAKER);
	assert_int_equal(f->v.wakers[0].type, WAIT_LOCK);
	assert_int_equal(f->v.wakers[0].waker_kind, MODEL_WAKER_TASK);
	assert_string_equal(f->v.wakers[0].comm, "waker");
	assert_int_equal(f->v.wakers[0].count, 2);
	assert_int_equal(f->v.wakers[0].ns, MS(300));
	assert_int_equal(f->v.wakers[0].max_ns, MS(200));
	assert_int_equal(f->v.wakers[1].waker_kind, MODEL_WAKER_IRQ);
	assert_int_equal(f->v.wakers[1].ns, MS(50));
	assert_int_equal(f->v.n_stacks, 1);
	assert_int_equal(f->v.stacks[0].id, STACK);
	assert_int_equal(f->v.stacks[0].count, 1);
	assert_int_equal(f->v.stacks[0].ns, MS(200));
}

static void min_wait_leaves_short_waits_out_of_the_details(void **state)
{
	struct fixture *f = *state;
	struct model_wait w = lock_wait(1000, 1100, 1105, 1125); /* long by its queueing */

	model_set_min_wait(f->m, MS(20));
	event(f, lock_wait(0, 100, 119, 119), NO_CUT);
	tick_running(f, 1000, 119, 1);
	assert_times(f, 981, 0, 19, 0);
	assert_int_equal(f->v.waits, 1);
	assert_int_equal(f->v.max_wait_ns, MS(19));
	assert_int_equal(f->v.n_events + f->v.n_wakers + f->v.histogram_types, 0);
	w.in_ns = AT(119);
	event(f, w, NO_CUT);
	tick_running(f, 2000, 1125, 2);
	assert_int_equal(f->v.events[0].count, 1);
	assert_int_equal(f->v.events[0].ns, MS(5));
	assert_int_equal(f->v.histogram[WAIT_LOCK][12], 1);
}

static void min_wait_adds_what_was_left_out_once_it_is_long(void **state)
{
	struct fixture *f = *state;
	struct model_wait w = lock_wait(0, 900, 2200, 2200);

	model_set_min_wait(f->m, MS(1000));
	w.stack = STACK;
	tick_locked(f, 1000, 0, 900, 0, 0);
	assert_int_equal(f->v.n_events, 0);
	event(f, w, AT(2000));
	tick_running(f, 2000, 2200, 1);
	assert_int_equal(f->v.events[0].ns, MS(1100));
	assert_int_equal(f->v.stacks[0].ns, MS(1100));
	tick_running(f, 3000, 2200, 1);
	assert_int_equal(f->v.events[0].ns, MS(1300));
	/* In its own seconds: the part of before 2000 leaves the window with them. */
	for (uint64_t ms = 4000; ms <= 12000; ms += 1000)
		tick_running(f, ms, 2200, 1);
	assert_int_equal(f->v.events[0].ns, MS(200));
	assert_int_equal(f->v.times.ns[WAIT_LOCK], MS(200));
}

static void the_histogram_counts_by_the_blocked_part(void **state)
{
	static const struct {
		uint64_t us;
		int bin;
	} lengths[] = {{1, 0}, {2, 1}, {3, 1}, {4, 2}, {1023, 9}, {1024, 10}, {65536, 16}};
	struct fixture *f = *state;
	uint64_t in = T0;

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct model_wait w = lock_wait(0, 0, 0, 0);
		w.in_ns = in;
		w.out_ns = in + 1000;
		w.wake_ns = w.out_ns + lengths[i].us * 1000;
		w.end_ns = w.wake_ns + MS(1);
		in = w.end_ns;
		event(f, w, NO_CUT);
	}
	model_close(f->m, f->b,
		&(struct model_state){.on_cpu = true, .in_ns = in, .seq = ARRAY_SIZE(lengths)},
		AT(1000));
	tick(f, 1000, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		uint32_t same = 0;
		for (size_t k = 0; k < ARRAY_SIZE(lengths); k++)
			same += lengths[k].bin == lengths[i].bin;
		assert_int_equal(f->v.histogram[WAIT_LOCK][lengths[i].bin], same);
	}
	assert_int_equal(f->v.histogram_types, 1u << WAIT_LOCK);
}

static void the_longest_lengths_have_the_last_bin(void **state)
{
	struct fixture *f = *state;
	struct model_wait w = lock_wait(0, 0, 0, 0);

	w.end_ns = w.wake_ns = T0 + (1ULL << 33) * 1000;
	event(f, w, NO_CUT);
	model_close(f->m, f->b, NULL, w.end_ns);
	model_tick(f->m, w.end_ns, on_drop, f);
	look(f);
	assert_int_equal(f->v.histogram[WAIT_LOCK][MODEL_HIST_BINS - 1], 1);
}

static void too_many_details_go_to_the_others(void **state)
{
	struct fixture *f = *state;
	uint64_t ns = 0, count = 0, others = 0, waker_ns = 0;
	uint64_t in = T0;

	for (uint32_t i = 0; i < 400; i++) {
		struct model_wait w = lock_wait(0, 0, 0, 0);
		w.in_ns = in;
		w.out_ns = in + 10;
		w.wake_ns = w.end_ns = w.out_ns + 1000 + i;
		w.event = 1000 + i;
		w.stack = 5000 + i;
		w.waker_pid = 100000 + i;
		in = w.end_ns;
		event(f, w, NO_CUT);
	}
	model_close(f->m, f->b, &(struct model_state){.on_cpu = true, .in_ns = in, .seq = 400},
		AT(1000));
	tick(f, 1000, NULL);
	for (size_t i = 0; i < f->v.n_events; i++) {
		ns += f->v.events[i].ns;
		count += f->v.events[i].count;
		if (f->v.events[i].id == MODEL_NO_ID)
			others += f->v.events[i].count;
	}
	for (size_t i = 0; i < f->v.n_wakers; i++)
		waker_ns += f->v.wakers[i].ns;
	assert_int_equal(f->v.times.ns[WAIT_LOCK], ns);
	assert_int_equal(waker_ns, ns);
	assert_int_equal(count, 400);
	assert_true(others > 300 && others < 400);
	assert_int_equal(f->v.histogram[WAIT_LOCK][0] + f->v.histogram[WAIT_LOCK][1], 400);
}

static void details_are_named_again_when_old_ones_have_left(void **state)
{
	struct fixture *f = *state;
	uint32_t seq = 0;
	uint64_t in = T0;

	/* Twenty new events each second: by names, as long as they fit into one window. */
	for (uint64_t s = 1; s <= 60; s++) {
		for (uint32_t i = 0; i < 5; i++) {
			struct model_wait w = lock_wait(0, 0, 0, 0);
			w.in_ns = in;
			w.out_ns = MAX(in, T0 + (s - 1) * NSEC_PER_SEC) + 10;
			w.end_ns = w.wake_ns = w.out_ns + MS(1);
			w.event = ++seq;
			w.waker = MODEL_WAKER_NONE;
			in = w.end_ns;
			event(f, w, NO_CUT);
		}
		model_close(f->m, f->b,
			&(struct model_state){.on_cpu = true, .in_ns = in, .seq = seq},
			T0 + s * NSEC_PER_SEC);
		model_tick(f->m, T0 + s * NSEC_PER_SEC, on_drop, f);
		look(f);
		assert_int_equal(f->v.n_events, 5 * MIN(s, 10));
		for (size_t i = 0; i < f->v.n_events; i++)
			assert_true(f->v.events[i].id != MODEL_NO_ID);
	}
}

/* ---- the window ---- */

static void time_leaves_the_window(void **state)
{
	struct fixture *f = *state;

	event(f, lock_wait(0, 100, 600, 700), NO_CUT);
	for (uint64_t ms = 1000; ms <= 10000; ms += 1000) {
		tick_running(f, ms, 700, 1);
		assert_times(f, ms - 600, 100, 500, 0);
		assert_int_equal(model_covered_ns(f->m), MS(ms));
	}
	tick_running(f, 11000, 700, 1);
	assert_times(f, 10000, 0, 0, 0);
	assert_int_equal(f->v.waits, 0);
	assert_int_equal(f->v.n_events, 0);
	assert_int_equal(model_covered_ns(f->m), MS(10000));
}

static void a_tick_that_skips_some(void **state)
{
	struct fixture *f = *state;

	tick_locked(f, 1000, 0, 500, 0, 0);
	tick_locked(f, 1000000, 0, 500, 0, 0);
	assert_times(f, 0, 0, 10000, 0);
	assert_int_equal(f->v.max_wait_ns, MS(999500));
	assert_int_equal(f->v.events[0].ns, MS(10000));
}

static void ticks_further_apart_than_the_window(void **state)
{
	struct fixture *f = *state;

	model_set_window(f->m, 5 * NSEC_PER_SEC, 60 * NSEC_PER_SEC, T0);
	event(f, lock_wait(0, 30000, 0, 58000), NO_CUT);
	tick_running(f, 60000, 58000, 1);
	assert_times(f, 2000, 0, 3000, 0);
	event(f, exit_at(58000, 61000), NO_CUT);
	tick(f, 120000, NULL);
	assert_int_equal(f->dropped, 1);
}

static void a_smaller_and_a_larger_window(void **state)
{
	struct fixture *f = *state;

	event(f, lock_wait(0, 2000, 6000, 7000), NO_CUT);
	for (uint64_t ms = 8000; ms <= 9000; ms += 1000)
		tick_running(f, ms, 7000, 1);
	assert_times(f, 4000, 1000, 4000, 0);
	model_set_window(f->m, 5 * NSEC_PER_SEC, NSEC_PER_SEC, AT(9000));
	look(f);
	assert_times(f, 2000, 1000, 2000, 0);
	assert_int_equal(model_covered_ns(f->m), MS(5000));
	model_set_window(f->m, 60 * NSEC_PER_SEC, NSEC_PER_SEC, AT(9000));
	look(f);
	/* What has left is not known any more, and it is not invented. */
	assert_times(f, 2000, 1000, 2000, 0);
	assert_int_equal(model_covered_ns(f->m), MS(5000));
	assert_int_equal(f->v.waits, 1);
	tick_running(f, 14000, 7000, 1);
	assert_times(f, 7000, 1000, 2000, 0);
	assert_int_equal(model_covered_ns(f->m), MS(10000));
	assert_int_equal(model_window_ns(f->m), MS(60000));
}

static void another_interval(void **state)
{
	struct fixture *f = *state;
	struct model_history *h = xcalloc(1, sizeof(*h));

	event(f, lock_wait(0, 1100, 1850, 1850), NO_CUT);
	tick_running(f, 3000, 1850, 1);
	model_set_window(f->m, 10 * NSEC_PER_SEC, 250 * NSEC_PER_MSEC, AT(3000));
	look(f);
	assert_times(f, 2250, 0, 750, 0);
	tick_running(f, 3250, 1850, 1);
	assert_times(f, 2500, 0, 750, 0);
	model_history(f->m, h);
	assert_int_equal(h->slot_ns, MS(250));
	assert_int_equal(h->n, 13);
	free(h);
}

static void a_backend_found_before_the_window_began(void **state)
{
	struct model *m = model_new(10 * NSEC_PER_SEC, NSEC_PER_SEC, T0 - MS(900));
	struct model_backend *b = model_add(m, PID, 1, 0, T0 - MS(300));
	struct model_state st = running_since(0, 0);
	struct model_view v;

	(void)state;
	model_begin(m, T0);
	st.in_ns = T0 - MS(300);
	model_close(m, b, &st, AT(1000));
	model_tick(m, AT(1000), NULL, NULL);
	model_view(m, b, &v);
	assert_int_equal(v.watched_ns, MS(1000));
	assert_int_equal(wait_times_sum(&v.times), MS(1000));
	/* Not even where a slot of another grid holds both. */
	model_set_window(m, 3600 * NSEC_PER_SEC, NSEC_PER_SEC, AT(1000));
	model_view(m, b, &v);
	assert_int_equal(v.watched_ns, MS(1000));
	assert_int_equal(wait_times_sum(&v.times), MS(1000));
	model_free(m);
}

static void a_backend_that_begins_after_the_cut(void **state)
{
	struct fixture *f = *state;
	struct model_backend *b = model_add(f->m, 7, 1, 0, AT(1001));
	struct model_view v;

	model_close(f->m, b, NULL, AT(1000));
	assert_false(model_exited(b));
	tick_running(f, 1000, 0, 0);
	model_view(f->m, b, &v);
	assert_int_equal(v.watched_ns, 0);
	assert_int_equal(wait_times_sum(&v.times), 0);
}

/* ---- folding ---- */

static void count_one(void *ctx, struct model_backend *b)
{
	(void)b;
	++*(unsigned *)ctx;
}

static void folding_keeps_totals(void **state)
{
	struct fixture *f = *state;
	const uint32_t n = MODEL_MAX_EXITED + 500;
	struct model_history *h = xcalloc(1, sizeof(*h));
	struct wait_times sum = {0}, folded[2] = {{{0}}};
	uint64_t waits[2] = {0}, history_ns = 0;
	unsigned left = 0;

	/* Short lives of two clusters: 1 ms on CPU, 3 ms a lock, exit. */
	for (uint32_t i = 0; i < n; i++) {
		struct model_wait w = lock_wait(100, 101, 104, 104), gone = exit_at(104, 104);
		struct model_backend *b = model_add(f->m, 1000 + i, i + 1, i % 2, AT(100));
		model_event(f->m, b, &w, NO_CUT);
		model_event(f->m, b, &gone, NO_CUT);
	}
	tick_running(f, 1000, 0, 0);
	model_each(f->m, count_one, &left);
	assert_int_equal(left, MODEL_MAX_EXITED + 1);
	assert_int_equal(f->dropped, 500);
	for (uint32_t c = 0; c < 2; c++) {
		model_folded(f->m, c, &folded[c], &waits[c]);
		assert_int_equal(waits[c], 250);
		assert_int_equal(folded[c].ns[WAIT_LOCK], 250 * MS(3));
		assert_int_equal(folded[c].ns[WAIT_CPU], 250 * MS(1));
	}
	model_history(f->m, h);
	for (size_t i = 0; i < h->n; i++)
		wait_times_add(&sum, &h->slot[i]);
	history_ns = wait_times_sum(&sum);
	assert_int_equal(history_ns, n * MS(4) + MS(1000));
	/* On another grid as well, and gone with the window. */
	model_set_window(f->m, 30 * NSEC_PER_SEC, NSEC_PER_SEC, AT(1000));
	model_folded(f->m, 0, &folded[0], &waits[0]);
	assert_int_equal(wait_times_sum(&folded[0]), 250 * MS(4));
	assert_int_equal(waits[0], 250);
	for (uint64_t ms = 2000; ms <= 32000; ms += 1000)
		tick_running(f, ms, 0, 0);
	model_folded(f->m, 0, &folded[0], &waits[0]);
	assert_int_equal(wait_times_sum(&folded[0]), 0);
	assert_int_equal(waits[0], 0);
	model_folded(f->m, 9, &folded[0], &waits[0]);
	assert_int_equal(wait_times_sum(&folded[0]) + waits[0], 0);
	free(h);
}

/* ---- identity ---- */

static void identity(void **state)
{
	struct fixture *f = *state;

	assert_ptr_equal(model_find(f->m, PID, 0), f->b);
	assert_ptr_equal(model_find(f->m, PID, 1), f->b);
	assert_null(model_find(f->m, PID, 2));
	assert_null(model_find(f->m, PID + 1, 0));
	assert_null(model_find(f->m, PID + 1024, 0)); /* same bucket */
	assert_int_equal(model_pid(f->b), PID);
	assert_int_equal(model_start_ticks(f->b), 1);
	assert_int_equal(model_cluster(f->b), 0);
	assert_null(model_user(f->b));
	model_set_user(f->b, f);
	assert_ptr_equal(model_user(f->b), f);
	model_free(NULL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_wait_has_a_blocked_and_a_queueing_part),
		CASE(runnable_is_all_run_queue),
		CASE(without_a_wakeup_it_is_all_what_it_waited_for),
		CASE(a_wait_is_charged_to_the_seconds_it_covers),
		CASE(a_wait_in_progress_grows_and_is_not_charged_twice),
		CASE(woken_but_not_yet_running),
		CASE(a_wakeup_after_the_cut_is_not_known_at_the_cut),
		CASE(a_wait_that_began_after_the_cut_is_not_seen),
		CASE(preempted_at_the_cut),
		CASE(at_least),
		CASE(idle_is_not_the_longest_wait),
		CASE(put_on_the_cpu_unseen),
		CASE(undecided_is_charged_by_its_event),
		CASE(undecided_does_not_matter_where_an_event_tells),
		CASE(an_event_that_straddles_the_cut_waits),
		CASE(several_events_after_the_cut),
		CASE(events_stay_in_order_though_their_stamps_do_not),
		CASE(an_event_that_ends_at_the_cut_is_taken),
		CASE(an_event_on_its_way_holds_up_the_close),
		CASE(a_gap_is_unknown_exactly),
		CASE(what_was_charged_of_a_lost_wait_stays),
		CASE(lost_and_ended_after_the_cut),
		CASE(out_of_order_stamps),
		CASE(a_state_older_than_what_is_charged),
		CASE(exit_before_the_cut),
		CASE(exit_at_the_edge_of_the_window),
		CASE(exit_after_the_cut),
		CASE(exit_lost),
		CASE(exit_after_lost_waits),
		CASE(a_pid_reused_without_an_exit),
		CASE(a_pid_reused_before_its_exit_was_due),
		CASE(wakers_and_stacks),
		CASE(min_wait_leaves_short_waits_out_of_the_details),
		CASE(min_wait_adds_what_was_left_out_once_it_is_long),
		CASE(the_histogram_counts_by_the_blocked_part),
		CASE(the_longest_lengths_have_the_last_bin),
		CASE(too_many_details_go_to_the_others),
		CASE(details_are_named_again_when_old_ones_have_left),
		CASE(time_leaves_the_window),
		CASE(a_tick_that_skips_some),
		CASE(ticks_further_apart_than_the_window),
		CASE(a_smaller_and_a_larger_window),
		CASE(another_interval),
		CASE(a_backend_found_before_the_window_began),
		CASE(a_backend_that_begins_after_the_cut),
		CASE(folding_keeps_totals),
		CASE(identity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
