/* What a process says of its cluster, whatever its pointers and counts are. */
#include "unit.h"

#include <errno.h>

#include "cluster_identity.h"
#include "fakepg.h"

#define PID   1001
#define ARRAY (FAKEPG_FREE + 0x1000)
#define NAMES (FAKEPG_FREE + 0x8000)

static void put_tranche(struct fakepg *pg, int i, int id, const char *name)
{
	fakemem_put32(&pg->fm, 0, ARRAY + 16 * (uint64_t)i, (uint32_t)id);
	fakemem_put64(
		&pg->fm, 0, ARRAY + 16 * (uint64_t)i + 8, name ? NAMES + 128 * (uint64_t)i : 0);
	if (name)
		fakemem_puts(&pg->fm, 0, NAMES + 128 * (uint64_t)i, name);
}

static void setup(struct fakepg *pg, int n_tranches)
{
	fakepg_init(pg, 15);
	fakepg_client(pg, PID, PID, 0);
	fakepg_global32(pg, PID, PG_POSTMASTER_PID, FAKEPG_POSTMASTER);
	memcpy(fakemem_at(&pg->fm, PID, pg->symbols.addr[PG_IS_UNDER_POSTMASTER], 1), "\1", 1);
	fakepg_global64(pg, PID, PG_DATA_DIR, FAKEPG_FREE);
	fakepg_global64(pg, PID, PG_CLUSTER_NAME, FAKEPG_FREE + 512);
	fakemem_puts(&pg->fm, 0, FAKEPG_FREE, "/srv/pg data");
	fakemem_puts(&pg->fm, 0, FAKEPG_FREE + 512, "15/main");
	fakepg_global64(pg, PID, PG_NAMED_LWLOCK_TRANCHE_ARRAY, ARRAY);
	fakepg_global32(pg, PID, PG_NAMED_LWLOCK_TRANCHE_REQUESTS, (uint32_t)n_tranches);
}

static void test_identity(void **state)
{
	struct fakepg pg;
	struct cluster_identity id;

	(void)state;
	setup(&pg, 0);
	assert_int_equal(cluster_identity_read(&pg.mem, PID, &pg.symbols, &id), 0);
	assert_string_equal(id.data_dir, "/srv/pg data");
	assert_string_equal(id.cluster_name, "15/main");
	assert_int_equal(id.postmaster_pid, FAKEPG_POSTMASTER);
	assert_int_equal(id.proc_pid, PID);
	assert_true(id.under_postmaster && id.under_postmaster_known);
	/* The fake postmaster has set neither of the pointers. */
	assert_int_equal(cluster_identity_read(&pg.mem, FAKEPG_POSTMASTER, &pg.symbols, &id), 0);
	assert_string_equal(id.data_dir, "");
	assert_string_equal(id.cluster_name, "");
	assert_int_equal(id.postmaster_pid, 0);
	assert_true(!id.under_postmaster && id.under_postmaster_known);
	fakepg_release(&pg);
}

static void test_identity_of_garbage(void **state)
{
	struct fakepg pg;
	struct cluster_identity id;
	struct pg_symbols none = {{0}};

	(void)state;
	setup(&pg, 0);
	fakepg_global64(&pg, PID, PG_DATA_DIR, 0xdeadbeefdeadbeef);
	fakepg_global64(&pg, PID, PG_CLUSTER_NAME, FAKEPG_FREE + 512);
	memset(fakemem_at(&pg.fm, 0, FAKEPG_FREE + 512, 1000), 'c', 1000);
	memset(fakemem_at(&pg.fm, PID, pg.symbols.addr[PG_IS_UNDER_POSTMASTER], 1), 7, 1);
	fakepg_global32(&pg, PID, PG_POSTMASTER_PID, (uint32_t)-1);
	assert_int_equal(cluster_identity_read(&pg.mem, PID, &pg.symbols, &id), 0);
	assert_string_equal(id.data_dir, "");
	assert_int_equal(strlen(id.cluster_name), sizeof(id.cluster_name) - 1);
	assert_int_equal(id.postmaster_pid, 0);
	assert_false(id.under_postmaster || id.under_postmaster_known);
	assert_int_equal(cluster_identity_read(&pg.mem, PID, &none, &id), 0);
	assert_int_equal(id.proc_pid, 0);
	pg.fm.gone[0] = PID;
	assert_int_equal(cluster_identity_read(&pg.mem, PID, &pg.symbols, &id), -ESRCH);
	fakepg_release(&pg);
}

static void test_tranches(void **state)
{
	struct fakepg pg;
	struct cluster_tranche t[CLUSTER_MAX_TRANCHES];

	(void)state;
	setup(&pg, 7);
	put_tranche(&pg, 0, 75, "pg_stat_statements");
	put_tranche(&pg, 1, 74, "below the extensions'");
	put_tranche(&pg, 2, 76, "");
	put_tranche(&pg, 3, 77, NULL);
	put_tranche(&pg, 4, 65536, "beyond the ids");
	put_tranche(&pg, 5, -1, "negative");
	put_tranche(&pg, 6, 78, "other");
	assert_int_equal(cluster_tranches_read(
				 &pg.mem, PID, pg.layout, &pg.symbols, t, CLUSTER_MAX_TRANCHES),
		2);
	assert_int_equal(t[0].id, 75);
	assert_string_equal(t[0].name, "pg_stat_statements");
	assert_int_equal(t[1].id, 78);
	assert_string_equal(t[1].name, "other");
	assert_int_equal(cluster_tranches_read(&pg.mem, PID, pg.layout, &pg.symbols, t, 1), 1);
	assert_int_equal(cluster_tranches_read(&pg.mem, PID, pg.layout, &pg.symbols, t, 0), 0);
	/* A name that leads nowhere is left out. */
	fakemem_put64(&pg.fm, 0, ARRAY + 8, 16);
	assert_int_equal(cluster_tranches_read(&pg.mem, PID, pg.layout, &pg.symbols, t, 9), 1);
	fakepg_release(&pg);
}

static void test_tranches_of_garbage(void **state)
{
	static const int32_t counts[] = {0, -1, INT32_MIN};
	struct fakepg pg;
	struct cluster_tranche t[CLUSTER_MAX_TRANCHES];
	int max = CLUSTER_MAX_TRANCHES;

	(void)state;
	setup(&pg, 1);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		fakepg_global32(&pg, PID, PG_NAMED_LWLOCK_TRANCHE_REQUESTS, (uint32_t)counts[i]);
		assert_int_equal(
			cluster_tranches_read(&pg.mem, PID, pg.layout, &pg.symbols, t, max), 0);
	}
	/* More than there can be: bounded. */
	fakepg_global32(&pg, PID, PG_NAMED_LWLOCK_TRANCHE_REQUESTS, INT32_MAX);
	for (int i = 0; i < 300; i++)
		put_tranche(&pg, i, 100 + i, "t");
	assert_int_equal(cluster_tranches_read(&pg.mem, PID, pg.layout, &pg.symbols, t, max), max);
	fakepg_global64(&pg, PID, PG_NAMED_LWLOCK_TRANCHE_ARRAY, 0);
	assert_int_equal(cluster_tranches_read(&pg.mem, PID, pg.layout, &pg.symbols, t, max), 0);
	fakepg_global64(&pg, PID, PG_NAMED_LWLOCK_TRANCHE_ARRAY, UINT64_MAX - 64);
	assert_int_equal(
		cluster_tranches_read(&pg.mem, PID, pg.layout, &pg.symbols, t, max), -EFAULT);
	pg.symbols.addr[PG_NAMED_LWLOCK_TRANCHE_ARRAY] = 0;
	assert_int_equal(
		cluster_tranches_read(&pg.mem, PID, pg.layout, &pg.symbols, t, max), -EOPNOTSUPP);
	assert_int_equal(
		cluster_tranches_read(&pg.mem, PID, NULL, &pg.symbols, t, max), -EOPNOTSUPP);
	fakepg_release(&pg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identity),
		cmocka_unit_test(test_identity_of_garbage),
		cmocka_unit_test(test_tranches),
		cmocka_unit_test(test_tranches_of_garbage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
