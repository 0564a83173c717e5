/* The layout tables: whole, within their structs, and named as pg_stat_activity names. */
#include "unit.h"

#include "oidnames.h"
#include "pglayout.h"
#include "util.h"

static void test_majors(void **state)
{
	(void)state;
	assert_null(pglayout_for(0));
	assert_null(pglayout_for(-15));
	assert_null(pglayout_for(PG_LAYOUT_MIN_MAJOR - 1));
	assert_null(pglayout_for(PG_LAYOUT_MAX_MAJOR + 1));
	for (int major = PG_LAYOUT_MIN_MAJOR; major <= PG_LAYOUT_MAX_MAJOR; major++) {
		assert_non_null(pglayout_for(major));
		assert_int_equal(pglayout_for(major)->major, major);
	}
}

static void test_offsets_are_inside(void **state)
{
	(void)state;
	for (int major = PG_LAYOUT_MIN_MAJOR; major <= PG_LAYOUT_MAX_MAJOR; major++) {
		const struct pg_layout *l = pglayout_for(major);
		const uint16_t ints[] = {l->proc.pid, l->proc.database_id, l->proc.role_id,
			l->proc.wait_lock_mode, l->proc.wait_event_info};
		const uint16_t pointers[] = {l->proc.wait_lock, l->proc.lock_group_leader};

		for (size_t i = 0; i < ARRAY_SIZE(ints); i++) {
			assert_in_range(ints[i], 16, l->proc.size - 4);
			assert_int_equal(ints[i] % 4, 0);
		}
		for (size_t i = 0; i < ARRAY_SIZE(pointers); i++) {
			assert_in_range(pointers[i], 16, l->proc.size - 8);
			assert_int_equal(pointers[i] % 8, 0);
		}
		/* The lock group is the end of PGPROC in all of these. */
		assert_int_equal(l->proc.lock_group_members, l->proc.lock_group_leader + 8);
		assert_int_equal(l->proc.lock_group_link, l->proc.lock_group_members + 16);
		assert_int_equal(l->proc.lock_group_link + 16, l->proc.size);
		/* sockaddr_storage and its length lie before the next field. */
		assert_in_range(l->status.clientaddr + 128 + 8, 0, l->status.state);
		assert_int_equal(l->status.query_id + 8 + (major >= 18 ? 8 : 0), l->status.size);
		assert_true(l->lock.known);
		assert_in_range(l->lock.wait_count, l->lock.wait_procs + 16, l->lock.lock_size - 4);
		assert_in_range(l->lock.lock_link + 16, 0, l->lock.proclock_size);
	}
}

static void test_types_and_states(void **state)
{
	static const char *const states[] = {"idle", "active", "idle in transaction",
		"fastpath function call", "idle in transaction (aborted)", "disabled"};

	(void)state;
	for (int major = PG_LAYOUT_MIN_MAJOR; major <= PG_LAYOUT_MAX_MAJOR; major++) {
		const struct pg_layout *l = pglayout_for(major);
		int first = major >= 18 ? 2 : 1;

		assert_string_equal(pglayout_backend_type(l, l->type_client), "client backend");
		assert_string_equal(
			pglayout_backend_type(l, l->type_bgworker), "background worker");
		assert_string_equal(pglayout_backend_type(l, l->type_walsender), "walsender");
		assert_string_equal(pglayout_backend_type(l, l->n_backend_types - 1),
			major == 16 ? "walwriter" : "logger");
		assert_null(pglayout_backend_type(l, 0));
		assert_null(pglayout_backend_type(l, -1));
		assert_null(pglayout_backend_type(l, l->n_backend_types));
		assert_null(pglayout_backend_type(l, INT64_MAX));
		for (int i = 1; i < l->n_backend_types; i++)
			for (int k = i + 1; k < l->n_backend_types; k++)
				assert_string_not_equal(
					pglayout_backend_type(l, i), pglayout_backend_type(l, k));
		for (int i = 0; i < (int)ARRAY_SIZE(states); i++)
			assert_string_equal(pg_state_name(pglayout_state(l, first + i)), states[i]);
		assert_int_equal(pglayout_state(l, 0), PG_STATE_UNDEFINED);
		assert_int_equal(pglayout_state(l, -1), PG_STATE_UNDEFINED);
		assert_int_equal(pglayout_state(l, l->n_states), PG_STATE_UNDEFINED);
	}
	assert_string_equal(pg_state_name(pglayout_state(pglayout_for(18), 1)), "starting");
	assert_null(pg_state_name(PG_STATE_UNDEFINED));
	assert_null(pg_state_name(PG_STATE_NR));
}

static void test_symbols_have_names(void **state)
{
	(void)state;
	for (int i = 0; i < PG_SYMBOL_NR; i++) {
		assert_non_null(pg_symbol_names[i]);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(pg_symbol_names[i], pg_symbol_names[k]);
	}
}

static void test_timestamps(void **state)
{
	const int64_t y2000_us = 946684800000000;

	(void)state;
	assert_int_equal(pg_timestamp_unix_us(0), y2000_us);
	assert_int_equal(pg_timestamp_unix_us(-y2000_us), 0);
	assert_int_equal(pg_timestamp_unix_us(INT64_MAX), INT64_MAX);
	assert_int_equal(pg_timestamp_age_ns(1000, y2000_us + 1500), 500000);
	assert_int_equal(pg_timestamp_age_ns(1000, y2000_us + 1000), 0);
	/* The wall clock was set back. */
	assert_int_equal(pg_timestamp_age_ns(1000, y2000_us), 0);
	assert_int_equal(pg_timestamp_age_ns(INT64_MAX, 0), 0);
	assert_true(pg_timestamp_age_ns(INT64_MIN, INT64_MAX) == UINT64_MAX);
	assert_true(pg_timestamp_age_ns(INT64_MIN, y2000_us) == UINT64_MAX);
}

static void test_names_by_oid(void **state)
{
	struct oidnames names = {0};
	char name[100];

	(void)state;
	assert_null(oidnames_find(&names, 1));
	oidnames_learn(&names, 0, "nobody");
	oidnames_learn(&names, 1, "");
	assert_int_equal(names.n, 0);
	assert_null(oidnames_find(&names, 0));
	oidnames_learn(&names, 1, "one");
	oidnames_learn(&names, 2, "two");
	oidnames_learn(&names, 1, "uno");
	assert_string_equal(oidnames_find(&names, 1), "uno");
	assert_string_equal(oidnames_find(&names, 2), "two");
	memset(name, 'x', sizeof(name));
	name[99] = '\0';
	oidnames_learn(&names, 3, name);
	assert_int_equal(strlen(oidnames_find(&names, 3)), PG_NAMEDATALEN - 1);
	/* Full: the oldest go, one for one. */
	for (uint32_t oid = 1; oid <= OIDNAMES_MAX + 10; oid++) {
		snprintf(name, sizeof(name), "n%u", oid);
		oidnames_learn(&names, oid, name);
	}
	assert_int_equal(names.n, OIDNAMES_MAX);
	assert_null(oidnames_find(&names, 10));
	assert_string_equal(oidnames_find(&names, 11), "n11");
	assert_string_equal(oidnames_find(&names, OIDNAMES_MAX + 10), name);
	oidnames_release(&names);
	assert_null(oidnames_find(&names, 11));
	oidnames_release(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_majors),
		cmocka_unit_test(test_offsets_are_inside),
		cmocka_unit_test(test_types_and_states),
		cmocka_unit_test(test_symbols_have_names),
		cmocka_unit_test(test_timestamps),
		cmocka_unit_test(test_names_by_oid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
