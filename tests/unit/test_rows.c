/* Sort keys, the idle rule, and the selection of rows. */
#include "unit.h"

#include <errno.h>

#include "report_fixture.h"
#include "rows.h"
#include "util.h"

static void keys_are_those_of_the_interface(void **state)
{
	static const char list[] = "off cpu runq io wal_write lwlock lock network ipc timeout "
				   "idle_xact idle other max waits age pid user database "
				   "application state event query";
	char joined[512] = "";

	(void)state;
	for (int key = 0; key < SORT_NR; key++) {
		if (key)
			strcat(joined, " ");
		strcat(joined, sort_key_name((enum sort_key)key));
		assert_true(*sort_key_help((enum sort_key)key));
	}
	assert_string_equal(joined, list);
}

static void parse_keys(void **state)
{
	enum sort_key key = SORT_NR;
	bool desc = true;

	(void)state;
	for (int i = 0; i < SORT_NR; i++) {
		char inverted[32];
		bool natural;

		assert_int_equal(
			sort_key_parse(sort_key_name((enum sort_key)i), &key, &natural), 0);
		assert_int_equal(key, i);
		assert_int_equal(natural, i < SORT_PID); /* numbers: the largest first */
		assert_int_equal(natural, sort_key_desc(key));
		snprintf(inverted, sizeof(inverted), "-%s", sort_key_name((enum sort_key)i));
		assert_int_equal(sort_key_parse(inverted, &key, &desc), 0);
		assert_int_equal(key, i);
		assert_int_equal(desc, !natural);
	}
	key = SORT_IO;
	desc = false;
	for (size_t i = 0; i < 5; i++) {
		static const char *const bad[] = {"", "-", "--off", "unknown", "of"};

		assert_int_equal(sort_key_parse(bad[i], &key, &desc), -EINVAL);
		assert_int_equal(key, SORT_IO);
		assert_false(desc);
	}
	assert_int_equal(sort_key_parse("WAL_write", &key, &desc), 0);
	assert_int_equal(key, SORT_WAL_WRITE);
}

static void every_type_has_a_key(void **state)
{
	(void)state;
	for (int t = 0; t < WAIT_UNKNOWN; t++)
		assert_string_equal(sort_key_name(sort_key_of_type((enum wait_type)t)),
			wait_type_name((enum wait_type)t));
	assert_int_equal(sort_key_of_type(WAIT_UNKNOWN), SORT_NR);
}

static void idle_rule(void **state)
{
	const struct snap_backend *b = report_fixture()->backends;
	struct snap_backend x = b[FIX_IDLE];

	(void)state;
	for (int i = 0; i < FIX_NR; i++)
		assert_int_equal(rows_idle_only(&b[i]), i == FIX_IDLE || i == FIX_WALWRITER);

	x.times.ns[WAIT_CPU] = 10000000; /* 0.1 % is not under 0.1 % */
	x.times.ns[WAIT_IDLE] = 9990000000;
	assert_false(rows_idle_only(&x));
	x.times.ns[WAIT_CPU] -= 1;
	x.times.ns[WAIT_IDLE] += 1;
	assert_true(rows_idle_only(&x));

	x.state = "idle in transaction (aborted)";
	assert_false(rows_idle_only(&x));
	x.state = NULL;
	assert_true(rows_idle_only(&x));
	x.current.type = WAIT_IO; /* news: a wait that has just begun */
	assert_false(rows_idle_only(&x));
	x.has_current = false;
	assert_true(rows_idle_only(&x));
	x.times.ns[WAIT_IDLE] -= 1;
	x.times.ns[WAIT_IDLE_XACT] = 1;
	assert_false(rows_idle_only(&x));
}

static void idle_rule_without_time(void **state)
{
	struct snap_backend x = {.pid = 1};

	(void)state;
	assert_false(rows_idle_only(&x)); /* nothing known yet: not known to be idle */
	x.has_current = true;
	x.current.type = WAIT_IDLE;
	assert_true(rows_idle_only(&x));
	x.watched_ns = x.times.ns[WAIT_IDLE] = 1;
	assert_true(rows_idle_only(&x));
	x.watched_ns = x.times.ns[WAIT_IDLE] = UINT64_MAX;
	assert_true(rows_idle_only(&x));
}

static void check_order(
	const char *key, bool show_idle, const enum report_fixture_row *want, size_t n_want)
{
	size_t rows[FIX_NR], n;
	enum sort_key k;
	bool desc;

	assert_int_equal(sort_key_parse(key, &k, &desc), 0);
	n = rows_select(report_fixture(), NULL, show_idle, k, desc, rows);
	if (n != n_want)
		fail_msg("%s: %zu rows, not %zu", key, n, n_want);
	for (size_t i = 0; i < n; i++)
		if (rows[i] != want[i])
			fail_msg("%s: row %zu is %zu, not %u", key, i, rows[i], want[i]);
}

#define ORDER(key, show_idle, ...)                                           \
	do {                                                                 \
		static const enum report_fixture_row want[] = {__VA_ARGS__}; \
		check_order(key, show_idle, want, ARRAY_SIZE(want));         \
	} while (0)

static void orders(void **state)
{
	(void)state;
	ORDER("off", false, FIX_BLOCKER, FIX_BLOCKED, FIX_LOSSY, FIX_WORKER, FIX_BUSY, FIX_EXITED);
	ORDER("-off", false, FIX_EXITED, FIX_BUSY, FIX_WORKER, FIX_LOSSY, FIX_BLOCKED, FIX_BLOCKER);
	ORDER("off", true, FIX_BLOCKER, FIX_BLOCKED, FIX_LOSSY, FIX_WORKER, FIX_BUSY, FIX_EXITED,
		FIX_WALWRITER, FIX_IDLE);
	/* equal: by pid, in either direction */
	ORDER("lock", false, FIX_BLOCKED, FIX_EXITED, FIX_BLOCKER, FIX_BUSY, FIX_WORKER, FIX_LOSSY);
	ORDER("-lock", false, FIX_EXITED, FIX_BLOCKER, FIX_BUSY, FIX_WORKER, FIX_LOSSY,
		FIX_BLOCKED);
	ORDER("cpu", false, FIX_BUSY, FIX_EXITED, FIX_LOSSY, FIX_WORKER, FIX_BLOCKED, FIX_BLOCKER);
	ORDER("max", false, FIX_BLOCKED, FIX_BLOCKER, FIX_LOSSY, FIX_EXITED, FIX_WORKER, FIX_BUSY);
	ORDER("waits", false, FIX_BUSY, FIX_WORKER, FIX_EXITED, FIX_BLOCKED, FIX_BLOCKER,
		FIX_LOSSY);
	ORDER("pid", false, FIX_EXITED, FIX_BLOCKED, FIX_BLOCKER, FIX_BUSY, FIX_WORKER, FIX_LOSSY);
	ORDER("-pid", false, FIX_LOSSY, FIX_WORKER, FIX_BUSY, FIX_BLOCKER, FIX_BLOCKED, FIX_EXITED);
	/* not known, or empty: last, in either direction */
	ORDER("age", false, FIX_BLOCKED, FIX_BLOCKER, FIX_WORKER, FIX_LOSSY, FIX_EXITED, FIX_BUSY);
	ORDER("-age", false, FIX_LOSSY, FIX_WORKER, FIX_BLOCKER, FIX_BLOCKED, FIX_EXITED, FIX_BUSY);
	ORDER("user", true, FIX_LOSSY, FIX_BLOCKED, FIX_IDLE, FIX_BLOCKER, FIX_BUSY, FIX_WORKER,
		FIX_EXITED, FIX_WALWRITER);
	ORDER("-user", true, FIX_BUSY, FIX_WORKER, FIX_BLOCKER, FIX_BLOCKED, FIX_IDLE, FIX_LOSSY,
		FIX_EXITED, FIX_WALWRITER);
	ORDER("application", false, FIX_LOSSY, FIX_BLOCKED, FIX_BUSY, FIX_EXITED, FIX_BLOCKER,
		FIX_WORKER);
	ORDER("event", true, FIX_LOSSY, FIX_WALWRITER, FIX_BLOCKER, FIX_IDLE, FIX_WORKER,
		FIX_BLOCKED, FIX_EXITED, FIX_BUSY);
	ORDER("query", false, FIX_BUSY, FIX_BLOCKER, FIX_WORKER, FIX_BLOCKED, FIX_EXITED,
		FIX_LOSSY);
}

/* An idle session may hold a lock of the session: as the head of a queue it is listed. */
static void who_blocks_is_never_hidden(void **state)
{
	const struct snap_blocker by[] = {{4245, false}, {4203, true}};
	struct snap_backend b[FIX_NR];
	struct snapshot s = *report_fixture();
	struct filter *f = NULL;
	size_t rows[FIX_NR], n;

	(void)state;
	memcpy(b, s.backends, sizeof(b));
	s.backends = b;
	n = rows_select(&s, NULL, false, SORT_PID, false, rows);
	assert_int_equal(n, FIX_NR - 2);
	b[FIX_LOSSY].blocked_by = by;
	b[FIX_LOSSY].n_blocked_by = 1;
	assert_int_equal(rows_select(&s, NULL, false, SORT_PID, false, rows), n + 1);
	assert_int_equal(rows[4], FIX_IDLE);
	b[FIX_LOSSY].n_blocked_by = 2; /* also who is only ahead in the queue */
	assert_int_equal(rows_select(&s, NULL, false, SORT_PID, false, rows), n + 2);
	assert_int_equal(rows[1], FIX_WALWRITER);
	assert_int_equal(filter_compile("user:bob", &f, NULL), 0);
	assert_int_equal(rows_select(&s, f, false, SORT_PID, false, rows), 1); /* filters hold */
	filter_free(f);
}

static void waits_in_words(void **state)
{
	const struct snap_backend *b = report_fixture()->backends;
	struct snap_backend x = b[FIX_BLOCKED];
	char buf[ROWS_EVENT_BUF];

	(void)state;
	assert_int_equal(rows_waiting_on(buf, &x), WAIT_LOCK);
	assert_string_equal(buf, "Lock:transactionid");
	x.current.wait_class = x.current.event = NULL;
	assert_int_equal(rows_waiting_on(buf, &x), WAIT_LOCK);
	assert_string_equal(buf, "lock");
	x.current.waiting_for_cpu = true; /* woken */
	assert_int_equal(rows_waiting_on(buf, &x), WAIT_RUNQ);
	assert_string_equal(buf, "(cpu queue)");
	x.current = (struct snap_current){WAIT_RUNQ, "", "", 1, false, true}; /* preempted */
	assert_int_equal(rows_waiting_on(buf, &x), WAIT_RUNQ);
	assert_string_equal(buf, "(cpu queue)");
	x.exited = true;
	assert_int_equal(rows_waiting_on(buf, &x), WAIT_NR);
	assert_string_equal(buf, "");
	assert_int_equal(rows_waiting_on(buf, &b[FIX_BUSY]), WAIT_CPU);
	assert_string_equal(buf, "on CPU");
	x = b[FIX_BUSY];
	x.watched_ns = 0;
	assert_int_equal(rows_waiting_on(buf, &x), WAIT_NR);
	assert_string_equal(buf, "");
}

/* Per second watched: not diluted by the part of the window before its birth. */
static void rates_are_of_the_time_watched(void **state)
{
	struct snap_backend x = {.waits = 30, .watched_ns = 2 * NSEC_PER_SEC};

	(void)state;
	assert_true(rows_waits_per_s(&x) == 15);
	x.watched_ns = 0;
	assert_true(rows_waits_per_s(&x) == 0);
}

static void blockers_in_words(void **state)
{
	struct snap_blocker by[100] = {{7010, true}, {6591, false}, {0, false}, {7002, true}};
	struct snap_backend x = {.blocked_by = by, .n_blocked_by = 4};
	char buf[ROWS_BLOCKED_BUF];

	(void)state;
	assert_string_equal(rows_blocked_by(buf, &x, 9), "6591 prepared (7010) (7002)");
	assert_string_equal(rows_blocked_by(buf, &x, 2), "6591 prepared +2");
	assert_string_equal(rows_blocked_by(buf, &x, 3), "6591 prepared (7010) +1");
	assert_string_equal(rows_blocked_by(buf, &x, 0), "+4");
	x.n_blocked_by = 0;
	assert_string_equal(rows_blocked_by(buf, &x, 9), "");
	x.n_blocked_by = ARRAY_SIZE(by);
	for (size_t i = 0; i < ARRAY_SIZE(by); i++)
		by[i] = (struct snap_blocker){INT32_MAX, i % 2};
	rows_blocked_by(buf, &x, SIZE_MAX);
	assert_true(strlen(buf) < sizeof(buf) - 1);
	assert_non_null(strrchr(buf, '+')); /* what has no room is counted */
	assert_int_equal(atoi(strrchr(buf, '+')) + (int)(strlen(buf) / 11), ARRAY_SIZE(by));
}

static void kinds_of_backends(void **state)
{
	struct snap_backend x = {.pid = 7, .backend_type = "parallel worker", .leader_pid = 6596};
	char buf[ROWS_KIND_BUF], longest[300];

	(void)state;
	assert_string_equal(rows_kind(buf, &x), "parallel worker of 6596");
	x.leader_pid = 0;
	assert_string_equal(rows_kind(buf, &x), "parallel worker");
	x.leader_pid = 7;
	assert_string_equal(rows_kind(buf, &x), "parallel worker");
	x.backend_type = NULL;
	x.leader_pid = 6596;
	assert_string_equal(rows_kind(buf, &x), "");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	x.backend_type = longest;
	assert_non_null(strstr(rows_kind(buf, &x), "x of 6596"));
}

static void select_filters(void **state)
{
	struct filter *f = NULL;
	size_t rows[FIX_NR];

	(void)state;
	assert_int_equal(filter_compile("user:alice", &f, NULL), 0);
	assert_int_equal(rows_select(report_fixture(), f, false, SORT_OFF, true, rows), 1);
	assert_int_equal(rows[0], FIX_BLOCKED);
	assert_int_equal(rows_select(report_fixture(), f, true, SORT_OFF, true, rows), 2);
	assert_int_equal(rows[1], FIX_IDLE);
	filter_free(f);
	assert_int_equal(rows_select(report_fixture_empty(), NULL, true, SORT_OFF, true, rows), 0);
}

/* Any key, either direction: each row once, and the order does not depend on the input's. */
static void select_is_a_permutation(void **state)
{
	struct snap_backend shuffled[FIX_NR];
	struct snapshot s = *report_fixture();
	size_t first[FIX_NR], again[FIX_NR];
	uint64_t seed = 5;

	(void)state;
	memcpy(shuffled, s.backends, sizeof(shuffled));
	for (int i = 0; i < 2 * SORT_NR; i++) {
		enum sort_key key = (enum sort_key)(i / 2);
		unsigned int seen = 0;

		assert_int_equal(
			rows_select(report_fixture(), NULL, true, key, i & 1, first), FIX_NR);
		for (size_t r = 0; r < FIX_NR; r++)
			seen |= 1U << first[r];
		assert_int_equal(seen, (1U << FIX_NR) - 1);
		for (uint32_t a = FIX_NR - 1; a; a--) {
			uint32_t b = unit_random(&seed, a + 1);
			struct snap_backend t = shuffled[a];

			shuffled[a] = shuffled[b];
			shuffled[b] = t;
		}
		s.backends = shuffled;
		assert_int_equal(rows_select(&s, NULL, true, key, i & 1, again), FIX_NR);
		for (size_t r = 0; r < FIX_NR; r++)
			assert_int_equal(
				shuffled[again[r]].pid, report_fixture()->backends[first[r]].pid);
	}
}

static void event_names(void **state)
{
	char buf[ROWS_EVENT_BUF], longest[400];

	(void)state;
	assert_string_equal(rows_event_name(buf, "Lock", "tuple"), "Lock:tuple");
	assert_string_equal(rows_event_name(buf, "", "runq"), "runq");
	assert_string_equal(rows_event_name(buf, NULL, "runq"), "runq");
	assert_string_equal(rows_event_name(buf, "Lock", NULL), "Lock:");
	assert_string_equal(rows_event_name(buf, NULL, NULL), "");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(strlen(rows_event_name(buf, "Extension", longest)), sizeof(buf) - 1);
	assert_int_equal(strlen(rows_event_name(buf, longest, longest)), sizeof(buf) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_those_of_the_interface),
		cmocka_unit_test(parse_keys),
		cmocka_unit_test(every_type_has_a_key),
		cmocka_unit_test(idle_rule),
		cmocka_unit_test(idle_rule_without_time),
		cmocka_unit_test(orders),
		cmocka_unit_test(who_blocks_is_never_hidden),
		cmocka_unit_test(waits_in_words),
		cmocka_unit_test(rates_are_of_the_time_watched),
		cmocka_unit_test(blockers_in_words),
		cmocka_unit_test(kinds_of_backends),
		cmocka_unit_test(select_filters),
		cmocka_unit_test(select_is_a_permutation),
		cmocka_unit_test(event_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
