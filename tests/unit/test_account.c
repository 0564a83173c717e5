/* The grid of slots, and what an account does at its edges. */
#include "unit.h"

#include "account.h"
#include "util.h"

#define S    NSEC_PER_SEC
#define KEPT 14

static const struct grid grid = {.window_ns = 10 * S, .slot_ns = S, .n_kept = KEPT};

/* ---- the grid ---- */

static void every_window_and_interval_has_a_grid(void **state)
{
	static const uint64_t windows_ms[] = {
		1000, 1500, 5000, 10000, 30000, 60000, 300000, 900000, 3600000, 1234, 3599999};
	static const uint64_t delays_ms[] = {100, 101, 250, 333, 500, 1000, 1500, 2000, 5000, 7000,
		10000, 60000, 900000, 3600000, 3599999};

	(void)state;
	for (size_t w = 0; w < ARRAY_SIZE(windows_ms); w++)
		for (size_t d = 0; d < ARRAY_SIZE(delays_ms); d++) {
			uint64_t window = windows_ms[w] * NSEC_PER_MSEC;
			uint64_t delay = delays_ms[d] * NSEC_PER_MSEC, now = 12345678901234567ULL;
			struct grid g = grid_choose(window, delay, now);

			assert_int_equal(g.window_ns, window);
			assert_true(g.slot_ns > 0 && g.offset_ns < g.slot_ns);
			assert_true(g.slot_ns * 120 >= window / 120 * 120);
			for (uint64_t k = 0; k < 500; k++, now += delay) {
				uint64_t first = grid_first(&g, now);
				uint64_t last = grid_slot(&g, now - 1);
				uint64_t start = grid_start_ns(&g, first);
				uint64_t off = start > now - window ? start - (now - window)
								    : now - window - start;
				assert_true(g.n_kept <= MODEL_MAX_SLOTS);
				assert_true(last - first + 1 < g.n_kept);
				/* Nor does what comes until the next tick push out any of them. */
				assert_true(g.n_kept == MODEL_MAX_SLOTS ||
					    grid_slot(&g, now + delay) - first < g.n_kept);
				assert_true(last - first + 1 >= 25);
				/* The window's start is at the nearest edge. */
				assert_true(off <= g.slot_ns / 2);
			}
		}
}

static void ticks_fall_on_edges_where_possible(void **state)
{
	/* window and interval in ms, the slot expected in ms */
	static const struct {
		uint64_t window, delay, slot;
	} cases[] = {
		{10000, 1000, 200},
		{10000, 100, 100},
		{10000, 2000, 200},
		{1000, 1000, 20},
		{1000, 100, 20},
		{60000, 1000, 1000},
		{30000, 1000, 1000},
		{10000, 60000, 200},
		{1000, 1500, 20},
		{3600000, 60000, 60000},
		{300000, 5000, 5000},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t window = cases[i].window * NSEC_PER_MSEC;
		uint64_t delay = cases[i].delay * NSEC_PER_MSEC, now = 9876543210987ULL;
		struct grid g = grid_choose(window, delay, now);

		assert_int_equal(g.slot_ns, cases[i].slot * NSEC_PER_MSEC);
		for (uint64_t k = 0; k < 100; k++, now += delay) {
			assert_int_equal((now - g.offset_ns) % g.slot_ns, 0);
			assert_int_equal((now - window - g.offset_ns) % g.slot_ns, 0);
		}
	}
}

static void a_slot_is_whole_intervals_where_they_are_many(void **state)
{
	static const uint64_t cases_ms[][2] = {
		{3600000, 100}, {900000, 1000}, {300000, 1000}, {60000, 100}, {3600000, 1000}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases_ms); i++) {
		uint64_t delay = cases_ms[i][1] * NSEC_PER_MSEC;
		struct grid g = grid_choose(cases_ms[i][0] * NSEC_PER_MSEC, delay, 5 * S + 7);

		assert_int_equal(g.slot_ns % delay, 0);
		assert_int_equal(grid_start_ns(&g, grid_slot(&g, 5 * S + 7)),
			(5 * S + 7) / g.slot_ns * g.slot_ns + g.offset_ns);
	}
}

static void extremes(void **state)
{
	struct grid g = grid_choose(S, 999999999, 1);

	(void)state;
	assert_true(g.slot_ns >= S / 120);
	g = grid_choose(1, 1, 0);
	assert_int_equal(g.slot_ns, 1);
	/* Younger than the window: from the first nanosecond on. */
	assert_int_equal(grid_first(&grid, 3 * S), 0);
	assert_int_equal(grid_slot(&(struct grid){.slot_ns = S, .offset_ns = 5}, 3), 0);
}

/* ---- charging ---- */

static uint64_t slot_ns(const struct account *a, uint64_t no, int type)
{
	const struct slot *s = account_slot(a, &grid, no);

	return s ? s->times.ns[type] : 0;
}

static uint64_t detail_ns(const struct account *a, uint64_t no, uint64_t key)
{
	const struct slot *s = account_slot(a, &grid, no);

	for (uint32_t i = 0; s && i < s->n_cells; i++)
		if (a->details[s->cells[i].detail].key == key)
			return s->cells[i].ns;
	return 0;
}

static void a_charge_is_spread_over_the_slots(void **state)
{
	struct account a = {.n_details = 0};
	struct charge c = {.type = WAIT_LOCK, .details = true, .event = 5, .stack = 6};
	uint64_t event = detail_key(DETAIL_EVENT, WAIT_LOCK, 0, 5);
	uint64_t stack = detail_key(DETAIL_STACK, WAIT_LOCK, 0, 6);

	(void)state;
	account_charge(&a, &grid, 10 * S - 1, 12 * S + 3, &c);
	assert_int_equal(slot_ns(&a, 9, WAIT_LOCK), 1);
	assert_int_equal(slot_ns(&a, 10, WAIT_LOCK), S);
	assert_int_equal(slot_ns(&a, 11, WAIT_LOCK), S);
	assert_int_equal(slot_ns(&a, 12, WAIT_LOCK), 3);
	assert_int_equal(detail_ns(&a, 9, event), 1);
	assert_int_equal(detail_ns(&a, 11, stack), S);
	assert_int_equal(detail_ns(&a, 12, event), 3);
	/* Without details, then the details alone. */
	c.details = false;
	account_charge(&a, &grid, 12 * S + 3, 12 * S + 10, &c);
	assert_int_equal(slot_ns(&a, 12, WAIT_LOCK), 10);
	assert_int_equal(detail_ns(&a, 12, event), 3);
	account_add_details(&a, &grid, 12 * S + 3, 12 * S + 10, &c);
	assert_int_equal(slot_ns(&a, 12, WAIT_LOCK), 10);
	assert_int_equal(detail_ns(&a, 12, event), 10);
	/* Nothing. */
	account_charge(&a, &grid, 20 * S, 20 * S, &c);
	account_charge(&a, &grid, 21 * S, 20 * S, &c);
	assert_null(account_slot(&a, &grid, 20));
	account_done(&a);
}

static void a_charge_of_ages_costs_a_window(void **state)
{
	struct account a = {.n_details = 0};
	struct charge c = {.type = WAIT_IDLE, .event = MODEL_NO_ID, .stack = MODEL_NO_ID};
	uint64_t sum = 0;

	(void)state;
	account_charge(&a, &grid, 0, 1000000000 * S, &c);
	for (uint64_t no = 1000000000 - KEPT; no < 1000000000; no++)
		sum += slot_ns(&a, no, WAIT_IDLE);
	assert_int_equal(sum, KEPT * S);
	account_done(&a);
}

static void a_slot_is_used_again_empty(void **state)
{
	struct account a = {.n_details = 0};
	struct charge c = {.type = WAIT_LOCK, .details = true, .event = 5, .stack = MODEL_NO_ID};
	uint64_t later = (3 + KEPT) * S;
	const struct slot *s;

	(void)state;
	account_charge(&a, &grid, 3 * S, 3 * S + 10, &c);
	account_wait(&a, &grid, 3 * S, 77);
	account_length(&a, &grid, 3 * S, WAIT_LOCK, 4, 1);
	c.type = WAIT_IO;
	account_charge(&a, &grid, later, later + 2, &c);
	assert_null(account_slot(&a, &grid, 3));
	s = account_slot(&a, &grid, 3 + KEPT);
	assert_non_null(s);
	assert_int_equal(wait_times_sum(&s->times), 2);
	assert_int_equal(s->waits + s->max_wait_ns + s->n_lengths, 0);
	assert_int_equal(s->n_cells, 1);
	/* The detail that nothing names any more made room. */
	assert_int_equal(a.n_details, 1);
	/* What comes too late for its slot is left out, not put into another's. */
	account_charge(&a, &grid, 3 * S, 3 * S + 10, &c);
	account_wait(&a, &grid, 3 * S, 77);
	account_length(&a, &grid, 3 * S, WAIT_LOCK, 4, 1);
	account_detail(&a, &grid, 3 * S, 1, NULL, 1, 1, 1);
	assert_int_equal(wait_times_sum(&s->times), 2);
	assert_int_equal(s->waits + s->max_wait_ns + s->n_lengths, 0);
	account_done(&a);
}

static void lengths_are_counted_by_type_and_bin(void **state)
{
	struct account a = {.n_details = 0};
	const struct slot *s;
	uint32_t n = 0;

	(void)state;
	for (int round = 0; round < 3; round++)
		for (uint8_t type = 0; type < WAIT_NR; type++)
			for (uint8_t bin = 0; bin < MODEL_HIST_BINS; bin++)
				account_length(&a, &grid, S, type, bin, 2);
	s = account_slot(&a, &grid, 1);
	assert_int_equal(s->n_lengths, WAIT_NR * MODEL_HIST_BINS);
	for (uint32_t i = 0; i < s->n_lengths; i++)
		n += s->lengths[i].count;
	assert_int_equal(n, WAIT_NR * MODEL_HIST_BINS * 6);
	account_done(&a);
}

static void all_the_others_have_room_in_every_kind_and_type(void **state)
{
	struct account a = {.n_details = 0};
	const char comm[MODEL_COMM_BYTES] = "waker";
	uint64_t ns = 0, keys = 0;
	const struct slot *s;

	(void)state;
	/* First names without end, then a little of everything. */
	for (uint32_t id = 0; id < 1000; id++)
		account_detail(&a, &grid, S, detail_key(DETAIL_WAKER, 1, 1, id), comm, 1, 1, 1);
	for (uint32_t id = 2000; id < 2010; id++)
		for (int kind = 0; kind < DETAIL_NR; kind++)
			for (uint8_t type = 0; type < WAIT_NR; type++, keys++)
				account_detail(
					&a, &grid, S, detail_key(kind, type, 0, id), NULL, 1, 1, 1);
	s = account_slot(&a, &grid, 1);
	for (uint32_t i = 0; i < s->n_cells; i++)
		ns += s->cells[i].ns;
	assert_int_equal(ns, 1000 + keys);
	assert_true(s->n_cells <= MODEL_MAX_CELLS && a.n_details <= MODEL_MAX_DETAILS);
	account_done(&a);
}

static void names_do_not_take_the_room_of_the_others(void **state)
{
	struct account a = {.n_details = 0};
	uint64_t later = (2 + KEPT) * S, want = 0, ns = 0;
	const struct slot *s;

	(void)state;
	/* Two slots full of names and others; one of them is used again, for names only. */
	for (uint64_t no = 1; no <= 3; no++)
		for (uint32_t id = 0; id < 300; id++)
			account_detail(&a, &grid, no * S,
				detail_key(DETAIL_EVENT, id % 11, 0, (uint32_t)no * 1000 + id),
				NULL, 1, 1, 1);
	for (uint32_t id = 0; id < 300; id++)
		account_detail(&a, &grid, later, detail_key(DETAIL_STACK, 3, 0, id), NULL, 1, 1, 1);
	for (uint8_t type = 0; type < WAIT_NR; type++, want++)
		account_detail(
			&a, &grid, later, detail_key(DETAIL_WAKER, type, 1, 77), NULL, 1, 1, 1);
	s = account_slot(&a, &grid, 2 + KEPT);
	for (uint32_t i = 0; i < s->n_cells; i++)
		ns += s->cells[i].ns;
	assert_int_equal(ns, 300 + want);
	account_done(&a);
}

/* ---- another grid ---- */

static void charge_all(struct account *a, uint64_t from, uint64_t to)
{
	struct charge c = {.type = WAIT_CPU, .event = MODEL_NO_ID, .stack = MODEL_NO_ID};

	/* 100 ms CPU, 300 ms a lock, and so on. */
	for (uint64_t t = from; t < to; t += 400 * NSEC_PER_MSEC) {
		uint64_t mid = MIN(t + 100 * NSEC_PER_MSEC, to);
		c.type = WAIT_CPU;
		c.details = false;
		account_charge(a, &grid, t, mid, &c);
		c.type = WAIT_LOCK;
		c.event = 5;
		c.details = true;
		account_charge(a, &grid, mid, MIN(t + 400 * NSEC_PER_MSEC, to), &c);
	}
}

static uint64_t sum_from(const struct account *a, const struct grid *g, uint64_t from, uint64_t to,
	uint64_t *ret_lock)
{
	uint64_t sum = 0;

	*ret_lock = 0;
	for (uint64_t no = grid_slot(g, from); no <= grid_slot(g, to - 1); no++) {
		const struct slot *s = account_slot(a, g, no);
		if (!s)
			continue;
		sum += wait_times_sum(&s->times);
		*ret_lock += s->times.ns[WAIT_LOCK];
	}
	return sum;
}

static void moved_time_stays_where_it_was(void **state)
{
	static const uint64_t slots_ms[] = {20, 100, 333, 700, 1000, 2500, 60000};
	const uint64_t from = 100 * S + 3, to = 109 * S + 777;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(slots_ms); i++) {
		struct grid other = {.window_ns = 10 * S,
			.slot_ns = slots_ms[i] * NSEC_PER_MSEC,
			.offset_ns = 7,
			.n_kept = 100};
		uint64_t keep = other.n_kept * other.slot_ns, want_lock = 0, lock;
		struct account a = {.n_details = 0}, b = {.n_details = 0};
		const struct slot *s;

		charge_all(&a, from, to);
		account_wait(&a, &grid, to - 1, 55);
		account_length(&a, &grid, to - 1, WAIT_LOCK, 3, 2);
		(void)sum_from(&a, &grid, from, to, &want_lock);
		account_move(&b, &other, &a, &grid, 100, to);
		assert_int_equal(a.n_details, 0);
		if (keep > 10 * S) {
			assert_int_equal(sum_from(&b, &other, from, to, &lock), to - from);
			assert_int_equal(lock, want_lock);
		}
		/* Every whole slot is full, and none is more than full. */
		for (uint64_t no = grid_slot(&other, from); no <= grid_slot(&other, to); no++) {
			uint64_t lo = MAX(grid_start_ns(&other, no), from);
			uint64_t hi = MIN(grid_start_ns(&other, no + 1), to);
			s = account_slot(&b, &other, no);
			if (lo < hi && hi + keep > to + other.slot_ns)
				assert_int_equal(s ? wait_times_sum(&s->times) : 0, hi - lo);
		}
		s = account_slot(&b, &other, grid_slot(&other, to - 1));
		assert_int_equal(s->waits, 1);
		assert_int_equal(s->max_wait_ns, 55);
		assert_int_equal(s->n_lengths, 1);
		assert_int_equal(s->lengths[0].count, 2);
		account_done(&b);
	}
}

static void what_is_too_old_is_left_behind(void **state)
{
	struct grid other = {.window_ns = 10 * S, .slot_ns = 5 * S, .n_kept = 6};
	struct account a = {.n_details = 0}, b = {.n_details = 0};
	uint64_t lock;

	(void)state;
	charge_all(&a, 100 * S, 109 * S);
	account_move(&b, &other, &a, &grid, 106, 109 * S);
	assert_int_equal(sum_from(&b, &other, 100 * S, 109 * S, &lock), 3 * S);
	account_done(&b);
}

static void several_backends_in_one_account(void **state)
{
	struct grid other = {.window_ns = 10 * S, .slot_ns = S / 4, .n_kept = 50};
	struct account one = {.n_details = 0}, sum = {.n_details = 0}, moved = {.n_details = 0};
	uint64_t lock;

	(void)state;
	charge_all(&one, 100 * S, 104 * S);
	account_wait(&one, &grid, 101 * S, 9);
	for (int i = 0; i < 5; i++)
		account_fold(&sum, &grid, &one);
	assert_int_equal(sum_from(&sum, &grid, 100 * S, 104 * S, &lock), 20 * S);
	assert_int_equal(lock, 15 * S);
	assert_int_equal(account_slot(&sum, &grid, 101)->waits, 5);
	account_move(&moved, &other, &sum, &grid, 100, 104 * S);
	assert_int_equal(sum_from(&moved, &other, 100 * S, 104 * S, &lock), 20 * S);
	assert_int_equal(lock, 15 * S);
	account_done(&one);
	account_done(&moved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_window_and_interval_has_a_grid),
		cmocka_unit_test(ticks_fall_on_edges_where_possible),
		cmocka_unit_test(a_slot_is_whole_intervals_where_they_are_many),
		cmocka_unit_test(extremes),
		cmocka_unit_test(a_charge_is_spread_over_the_slots),
		cmocka_unit_test(a_charge_of_ages_costs_a_window),
		cmocka_unit_test(a_slot_is_used_again_empty),
		cmocka_unit_test(lengths_are_counted_by_type_and_bin),
		cmocka_unit_test(all_the_others_have_room_in_every_kind_and_type),
		cmocka_unit_test(names_do_not_take_the_room_of_the_others),
		cmocka_unit_test(moved_time_stays_where_it_was),
		cmocka_unit_test(what_is_too_old_is_left_behind),
		cmocka_unit_test(several_backends_in_one_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
