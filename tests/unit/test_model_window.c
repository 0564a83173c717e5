/* What the model shows of a window: details, windows that move and change, folding, identity. */
#include "model_fixture.h"

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

static void a_larger_window_late_in_a_long_interval(void **state)
{
	struct fixture *f = *state;

	model_set_window(f->m, 10 * NSEC_PER_SEC, 60 * NSEC_PER_SEC, T0);
	event(f, lock_wait(0, 1000, 0, 50000), AT(60000));
	/* Of that the account of 10 s windows has kept the end only: no more is claimed. */
	model_set_window(f->m, 60 * NSEC_PER_SEC, 60 * NSEC_PER_SEC, T0);
	tick_running(f, 60000, 50000, 1);
	assert_int_equal(f->v.times.ns[WAIT_CPU], MS(10000));
	assert_int_equal(f->v.watched_ns, model_covered_ns(f->m));
	assert_true(f->v.times.ns[WAIT_LOCK] >= MS(10000));
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
		w.seq = 1;
		struct model_backend *b = model_add(f->m, 1000 + i, i + 1, i % 2, AT(100));
		w.seq = 1;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		MODEL_CASE(wakers_and_stacks),
		MODEL_CASE(min_wait_leaves_short_waits_out_of_the_details),
		MODEL_CASE(min_wait_adds_what_was_left_out_once_it_is_long),
		MODEL_CASE(the_histogram_counts_by_the_blocked_part),
		MODEL_CASE(the_longest_lengths_have_the_last_bin),
		MODEL_CASE(too_many_details_go_to_the_others),
		MODEL_CASE(details_are_named_again_when_old_ones_have_left),
		MODEL_CASE(time_leaves_the_window),
		MODEL_CASE(a_tick_that_skips_some),
		MODEL_CASE(ticks_further_apart_than_the_window),
		MODEL_CASE(a_smaller_and_a_larger_window),
		MODEL_CASE(a_larger_window_late_in_a_long_interval),
		MODEL_CASE(another_interval),
		MODEL_CASE(a_backend_found_before_the_window_began),
		MODEL_CASE(a_backend_that_begins_after_the_cut),
		MODEL_CASE(folding_keeps_totals),
		MODEL_CASE(identity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
