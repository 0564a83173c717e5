/* How a backend's time is charged: the rules of model.h, one by one, on hand-written timelines. */
#include "model_fixture.h"

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

static void a_wait_that_seems_to_end_before_it_began_does_not_pass_the_cut(void **state)
{
	struct fixture *f = *state;

	/* Another CPU's clock: off the CPU after the cut, on it again before. */
	event(f, lock_wait(0, 1001, 0, 999), AT(1000));
	tick_running(f, 1000, 1001, 1);
	assert_times(f, 1000, 0, 0, 0);
	assert_int_equal(model_anomalies(f->m), 1);
	tick_running(f, 2000, 1001, 1);
	assert_times(f, 2000, 0, 0, 0);
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
	struct model_state st = running_since(800, 3);

	event(f, lock_wait(0, 100, 0, 200), NO_CUT);
	/* Lost: a wait that ended at 600. */
	w.lost = 1;
	w.seq = 3;
	event(f, w, NO_CUT);
	st.lost = 1;
	tick(f, 1000, &st);
	assert_times(f, 100 + 100 + 200, 0, 200, 400);
	assert_int_equal(model_unknown_ns(f->m), MS(400));
	assert_int_equal(model_anomalies(f->m), 0);
}

static void what_was_charged_of_a_lost_wait_stays(void **state)
{
	struct fixture *f = *state;
	struct model_state st = running_since(1600, 1);
	struct model_wait w = lock_wait(1600, 2100, 0, 2200);

	tick_locked(f, 1000, 0, 200, 0, 0);
	st.lost = 1;
	tick(f, 2000, &st);
	assert_times(f, 200 + 400, 0, 800, 600);
	/* The next event is continuous with that. */
	w.seq = 2;
	w.lost = 1;
	event(f, w, NO_CUT);
	st = running_since(2200, 2);
	st.lost = 1;
	tick(f, 3000, &st);
	assert_times(f, 200 + 500 + 800, 0, 900, 600);
}

static void after_a_loss_a_long_wait_is_charged_at_each_tick(void **state)
{
	struct fixture *f = *state;
	struct model_state st = locked_since(300, 400, 0, 1);

	st.lost = 1;
	for (uint64_t ms = 1000; ms <= 5000; ms += 1000) {
		tick(f, ms, &st);
		assert_times(f, 100, 0, ms - 400, 300);
		assert_true(f->v.current.present);
	}
}

static void lost_and_ended_after_the_cut(void **state)
{
	struct fixture *f = *state;
	struct model_state st = running_since(1200, 1);
	struct model_wait w = lock_wait(1200, 2100, 0, 2200);

	/* On CPU since 1200, what was before is lost: up to the cut nothing is known. */
	st.lost = 1;
	tick(f, 1000, &st);
	assert_times(f, 0, 0, 0, 1000);
	assert_false(f->v.current.present);
	tick(f, 2000, &st);
	assert_times(f, 800, 0, 0, 1200);
	w.seq = 2;
	w.lost = 1;
	event(f, w, NO_CUT);
	st = running_since(2200, 2);
	st.lost = 1;
	tick(f, 3000, &st);
	assert_times(f, 900 + 800, 0, 100, 1200);
}

static void a_wait_is_taken_once(void **state)
{
	struct fixture *f = *state;
	struct model_wait first = lock_wait(0, 100, 0, 200), second = lock_wait(200, 300, 0, 500);

	first.seq = 1;
	second.seq = 2;
	assert_true(model_is_news(f->b, 1));
	event(f, first, NO_CUT);
	assert_false(model_is_news(f->b, 1));
	assert_true(model_is_news(f->b, 2));
	event(f, second, NO_CUT);
	/* Read from the task's state before, they come out of the ring once more. */
	event(f, first, NO_CUT);
	event(f, second, NO_CUT);
	tick_running(f, 1000, 500, 2);
	assert_times(f, 700, 0, 300, 0);
	assert_int_equal(f->v.waits, 2);
	assert_int_equal(model_anomalies(f->m), 0);
}

static void numbers_wrap_around(void **state)
{
	static const uint32_t seqs[] = {0x70000000, 0xe0000000, 0xffffffff};
	struct fixture *f = *state;
	struct model_wait w = lock_wait(0, 0, 0, 0);

	for (size_t i = 0; i < ARRAY_SIZE(seqs); i++) {
		w.seq = seqs[i];
		event(f, w, NO_CUT);
	}
	assert_true(model_is_news(f->b, 0));
	assert_true(model_is_news(f->b, 5));
	assert_false(model_is_news(f->b, 0xffffffff));
	assert_false(model_is_news(f->b, 0xe0000000));
}

static void waits_that_are_on_their_way(void **state)
{
	struct fixture *f = *state;
	struct model_wait w = lock_wait(0, 100, 0, 200);

	assert_false(model_awaits(f->b, 1, 0));
	assert_true(model_awaits(f->b, 2, 0));
	event(f, w, NO_CUT);
	assert_false(model_awaits(f->b, 1, 0)); /* taken */
	assert_false(model_awaits(f->b, 2, 0)); /* the next */
	assert_true(model_awaits(f->b, 3, 0));
	assert_false(model_awaits(f->b, 3, 1)); /* number 2 is lost */
}

static void nothing_comes_after_an_exit(void **state)
{
	struct fixture *f = *state;

	event(f, lock_wait(0, 100, 0, 200), AT(1000));
	event(f, exit_at(200, 1200), AT(1000));
	assert_false(model_exited(f->b));
	assert_false(model_is_news(f->b, 2));
	event(f, lock_wait(200, 300, 0, 400), AT(1000));
	tick(f, 1000, NULL);
	assert_times(f, 900, 0, 100, 0);
	tick(f, 2000, NULL);
	assert_times(f, 1100, 0, 100, 0);
	assert_int_equal(f->v.waits, 1);
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
	assert_ptr_equal(model_find_last(f->m, PID), f->b);
	assert_null(model_find_last(f->m, PID + 1));
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
	assert_ptr_equal(model_find_last(f->m, PID), other);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		MODEL_CASE(a_wait_has_a_blocked_and_a_queueing_part),
		MODEL_CASE(runnable_is_all_run_queue),
		MODEL_CASE(without_a_wakeup_it_is_all_what_it_waited_for),
		MODEL_CASE(a_wait_is_charged_to_the_seconds_it_covers),
		MODEL_CASE(a_wait_in_progress_grows_and_is_not_charged_twice),
		MODEL_CASE(woken_but_not_yet_running),
		MODEL_CASE(a_wakeup_after_the_cut_is_not_known_at_the_cut),
		MODEL_CASE(a_wait_that_began_after_the_cut_is_not_seen),
		MODEL_CASE(preempted_at_the_cut),
		MODEL_CASE(at_least),
		MODEL_CASE(idle_is_not_the_longest_wait),
		MODEL_CASE(put_on_the_cpu_unseen),
		MODEL_CASE(undecided_is_charged_by_its_event),
		MODEL_CASE(undecided_does_not_matter_where_an_event_tells),
		MODEL_CASE(an_event_that_straddles_the_cut_waits),
		MODEL_CASE(several_events_after_the_cut),
		MODEL_CASE(events_stay_in_order_though_their_stamps_do_not),
		MODEL_CASE(a_wait_that_seems_to_end_before_it_began_does_not_pass_the_cut),
		MODEL_CASE(an_event_that_ends_at_the_cut_is_taken),
		MODEL_CASE(an_event_on_its_way_holds_up_the_close),
		MODEL_CASE(a_gap_is_unknown_exactly),
		MODEL_CASE(what_was_charged_of_a_lost_wait_stays),
		MODEL_CASE(after_a_loss_a_long_wait_is_charged_at_each_tick),
		MODEL_CASE(lost_and_ended_after_the_cut),
		MODEL_CASE(a_wait_is_taken_once),
		MODEL_CASE(numbers_wrap_around),
		MODEL_CASE(waits_that_are_on_their_way),
		MODEL_CASE(nothing_comes_after_an_exit),
		MODEL_CASE(out_of_order_stamps),
		MODEL_CASE(a_state_older_than_what_is_charged),
		MODEL_CASE(exit_before_the_cut),
		MODEL_CASE(exit_at_the_edge_of_the_window),
		MODEL_CASE(exit_after_the_cut),
		MODEL_CASE(exit_lost),
		MODEL_CASE(exit_after_lost_waits),
		MODEL_CASE(a_pid_reused_without_an_exit),
		MODEL_CASE(a_pid_reused_before_its_exit_was_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
