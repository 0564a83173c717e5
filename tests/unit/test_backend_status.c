/* Session facts, from memory made by hand in the layout of each major. */
#include "unit.h"

#include <errno.h>

#include "backend_status.h"
#include "fakepg.h"
#include "util.h"

#define PID 1001

static struct backend_status *watch(struct fakepg *pg)
{
	return backend_status_new(&pg->mem, pg->layout, &pg->symbols, FAKEPG_POSTMASTER);
}

static void assert_bytes(struct pg_bytes b, const char *want)
{
	if (!want) {
		assert_null(b.s);
		return;
	}
	assert_non_null(b.s);
	assert_string_equal(b.s, want);
	assert_int_equal(b.len, strlen(want));
}

static const struct backend_facts *update(struct backend_status *bs, pid_t pid)
{
	assert_int_equal(backend_status_update(bs), 0);
	return backend_status_get(bs, pid);
}

static void test_a_client_in_every_major(void **state)
{
	(void)state;
	for (int major = PG_LAYOUT_MIN_MAJOR; major <= PG_LAYOUT_MAX_MAJOR; major++) {
		struct fakepg pg;
		struct backend_status *bs;
		const struct backend_facts *f;

		fakepg_init(&pg, major);
		fakepg_client(&pg, PID, 77, 3);
		bs = watch(&pg);
		assert_null(backend_status_get(bs, PID));
		backend_status_add(bs, PID, 77);
		assert_false(backend_status_get(bs, PID)->known);
		f = update(bs, PID);
		assert_true(f->known);
		assert_null(f->reason);
		assert_int_equal(f->pid, PID);
		assert_int_equal(f->pid_ns, 77);
		assert_bytes(f->backend_type, "client backend");
		assert_bytes(f->user, "user10");
		assert_bytes(f->database, "db5");
		assert_bytes(f->application, "app");
		assert_bytes(f->query, "select 1");
		assert_string_equal(f->client, "[local]");
		assert_int_equal(f->state, PG_STATE_IDLE);
		assert_int_equal(f->backend_start_us, 700000000000003LL);
		assert_int_equal(f->leader_pid, 0);
		assert_int_equal(f->query_id, 0);
		assert_true(backend_status_proc_addr(bs, PID) == fakepg_proc(3));
		assert_true(backend_status_entry_addr(bs, PID) == fakepg_entry(3));
		assert_int_equal(backend_status_host_pid(bs, 77), PID);
		assert_int_equal(backend_status_host_pid(bs, 78), 0);
		backend_status_remove(bs, PID);
		assert_null(backend_status_get(bs, PID));
		backend_status_remove(bs, PID);
		backend_status_free(bs);
		fakepg_release(&pg);
	}
	backend_status_free(NULL);
}

static void test_strings_are_read_again_only_when_they_moved(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;
	uint32_t generation;
	size_t ranges;

	(void)state;
	fakepg_init(&pg, 15);
	bs = watch(&pg);
	for (int i = 0; i < 100; i++) {
		fakepg_client(&pg, PID, PID, i);
		fakemem_unmap_all(&pg.fm, PID); /* make room: only the entries are needed */
	}
	for (int i = 0; i < 20; i++) {
		fakepg_client(&pg, PID + i, PID + i, i);
		backend_status_add(bs, PID + i, 0);
	}
	update(bs, PID);
	generation = backend_status_get(bs, PID + 7)->generation;
	ranges = pg.fm.ranges;
	pg.fm.calls = 0;
	update(bs, PID);
	assert_int_equal(pg.fm.calls, 1);
	assert_int_equal(pg.fm.ranges - ranges, 20);
	assert_int_equal(pg.fm.last_pid, FAKEPG_POSTMASTER);
	assert_int_equal(backend_status_get(bs, PID + 7)->generation, generation);
	/* Without a changed count the text is believed to be the same. */
	fakemem_puts(&pg.fm, 0, fakepg_activity(7), "unseen");
	assert_bytes(update(bs, PID + 7)->query, "select 1");
	fakepg_report(&pg, 7, "select 2", 2);
	assert_bytes(update(bs, PID + 7)->query, "select 2");
	assert_int_equal(backend_status_get(bs, PID + 7)->state, PG_STATE_ACTIVE);
	assert_true(backend_status_get(bs, PID + 7)->generation > generation);
	assert_int_equal(backend_status_get(bs, PID + 8)->generation, generation);
	backend_status_free(bs);
	fakepg_release(&pg);
}

/* MyBEEntry comes late; before it the type may be known, and nothing else is made up. */
static void test_a_backend_that_is_starting(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;
	const struct backend_facts *f;

	(void)state;
	fakepg_init(&pg, 15);
	fakepg_client(&pg, PID, PID, 0);
	bs = watch(&pg);
	backend_status_add(bs, PID, 0);
	/* Just forked: the globals are still the postmaster's. */
	fakepg_global32(&pg, PID, PG_MY_PROC_PID, FAKEPG_POSTMASTER);
	f = update(bs, PID);
	assert_false(f->known);
	assert_null(f->reason);
	assert_bytes(f->backend_type, NULL);
	assert_true(backend_status_proc_addr(bs, PID) == 0);
	/* Its own, but without an entry; no startup packet yet. */
	fakepg_global32(&pg, PID, PG_MY_PROC_PID, PID);
	fakepg_global64(&pg, PID, PG_MY_BE_ENTRY, 0);
	fakemem_put64(&pg.fm, PID, FAKEPG_HEAP + 0x1000 + pg.layout->port.user_name, 0);
	f = update(bs, PID);
	assert_false(f->known);
	assert_bytes(f->backend_type, "client backend");
	assert_bytes(f->user, NULL);
	assert_int_equal(f->state, PG_STATE_UNDEFINED);
	/* An entry that is not filled in. */
	fakepg_global64(&pg, PID, PG_MY_BE_ENTRY, fakepg_entry(0));
	fakepg_set32(&pg, 0, pg.layout->status.procpid, 0);
	for (int i = 0; i < 30; i++)
		f = update(bs, PID);
	assert_false(f->known);
	assert_null(f->reason);
	/* All of it. */
	fakepg_set32(&pg, 0, pg.layout->status.procpid, PID);
	fakemem_put64(
		&pg.fm, PID, FAKEPG_HEAP + 0x1000 + pg.layout->port.user_name, FAKEPG_HEAP + 256);
	for (int i = 0; i < 5; i++)
		f = update(bs, PID);
	assert_true(f->known);
	assert_bytes(f->user, "user10");
	backend_status_free(bs);
	fakepg_release(&pg);
}

/* The 18 way: an entry in state starting, whose database comes later. */
static void test_starting_state(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;
	const struct backend_facts *f;

	(void)state;
	fakepg_init(&pg, 18);
	fakepg_client(&pg, PID, PID, 0);
	fakepg_global32(&pg, PID, PG_MY_DATABASE_ID, 0);
	fakepg_set32(&pg, 0, pg.layout->status.databaseid, 0);
	fakepg_set32(&pg, 0, pg.layout->status.userid, 0);
	fakepg_report(&pg, 0, "", 1);
	bs = watch(&pg);
	backend_status_add(bs, PID, 0);
	f = update(bs, PID);
	assert_true(f->known);
	assert_int_equal(f->state, PG_STATE_STARTING);
	assert_int_equal(f->databaseid, 0);
	fakepg_set32(&pg, 0, pg.layout->status.databaseid, 5);
	fakepg_set32(&pg, 0, pg.layout->status.userid, 10);
	fakepg_report(&pg, 0, "", 2);
	f = update(bs, PID);
	assert_int_equal(f->state, PG_STATE_IDLE);
	assert_int_equal(f->databaseid, 5);
	backend_status_free(bs);
	fakepg_release(&pg);
}

static void break_pid(struct fakepg *pg)
{
	fakepg_set32(pg, 0, pg->layout->status.procpid, 4711);
}

static void break_database(struct fakepg *pg)
{
	fakepg_set32(pg, 0, pg->layout->status.databaseid, 6);
}

static void break_start(struct fakepg *pg)
{
	fakepg_set64(pg, 0, pg->layout->status.proc_start_timestamp, 1);
}

static void break_own_pid(struct fakepg *pg)
{
	fakepg_global32(pg, PID, PG_MY_PROC_PID, 4711);
}

static void break_pointer(struct fakepg *pg)
{
	fakepg_global64(pg, PID, PG_MY_BE_ENTRY, 0xdeadbeefdeadbeef);
}

/* A layout that does not hold: a reason, and no facts. */
static void test_self_check(void **state)
{
	void (*const broken[])(struct fakepg *) = {
		break_pid, break_database, break_start, break_own_pid, break_pointer};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct fakepg pg;
		struct backend_status *bs;
		const struct backend_facts *f = NULL;

		fakepg_init(&pg, 16);
		fakepg_client(&pg, PID, PID, 0);
		broken[i](&pg);
		bs = watch(&pg);
		backend_status_add(bs, PID, 0);
		for (int k = 0; k < 40; k++)
			f = update(bs, PID);
		assert_false(f->known);
		assert_non_null(f->reason);
		assert_bytes(f->query, NULL);
		assert_bytes(f->application, NULL);
		assert_int_equal(f->state, PG_STATE_UNDEFINED);
		assert_string_equal(f->client, "");
		assert_true(backend_status_entry_addr(bs, PID) == 0);
		backend_status_free(bs);
		fakepg_release(&pg);
	}
}

static void test_what_is_not_exported(void **state)
{
	struct fakepg pg;

	(void)state;
	fakepg_init(&pg, 15);
	fakepg_client(&pg, PID, PID, 0);
	for (int i = 0; i < PG_SYMBOL_NR; i++) {
		uint64_t addr = pg.symbols.addr[i];
		struct backend_status *bs;
		const struct backend_facts *f = NULL;

		pg.symbols.addr[i] = 0;
		bs = watch(&pg);
		backend_status_add(bs, PID, 0);
		for (int k = 0; k < 20; k++)
			f = update(bs, PID);
		assert_true(f->known || f->reason || i == PG_MY_BE_ENTRY);
		if (i == PG_MY_PROC_PORT)
			assert_bytes(f->user, NULL);
		backend_status_free(bs);
		pg.symbols.addr[i] = addr;
	}
	fakepg_release(&pg);
}

static void test_unknown_major(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;
	uint32_t info = 1;
	enum pg_state st = PG_STATE_ACTIVE;

	(void)state;
	fakepg_init(&pg, 15);
	fakepg_client(&pg, PID, PID, 0);
	fakemem_put32(&pg.fm, 0, fakepg_proc(0) + pg.layout->proc.wait_event_info, 0x0a000001);
	bs = backend_status_new(&pg.mem, NULL, &pg.symbols, FAKEPG_POSTMASTER);
	backend_status_add(bs, PID, 0);
	assert_false(update(bs, PID)->known);
	assert_non_null(backend_status_get(bs, PID)->reason);
	assert_int_equal(backend_status_update_one(bs, PID), 0);
	/* The wait event needs no layout. */
	assert_int_equal(backend_status_read_wait_event(bs, PID, &info, &st), 0);
	assert_int_equal(info, 0x0a000001);
	assert_int_equal(st, PG_STATE_UNDEFINED);
	backend_status_free(bs);
	fakepg_release(&pg);
}

/* The slot of one that ended is taken by another: the last facts stay until it is removed. */
static void test_a_slot_that_is_reused(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;

	(void)state;
	fakepg_init(&pg, 17);
	fakepg_client(&pg, PID, PID, 0);
	bs = watch(&pg);
	backend_status_add(bs, PID, 0);
	fakepg_report(&pg, 0, "the last one", 2);
	assert_true(update(bs, PID)->known);
	fakepg_exit(&pg, PID, 0);
	assert_bytes(update(bs, PID)->query, "the last one");
	fakepg_client(&pg, PID + 1, PID + 1, 0);
	fakepg_set64(&pg, 0, pg.layout->status.proc_start_timestamp, 123);
	fakepg_global64(&pg, PID + 1, PG_MY_START_TIMESTAMP, 123);
	backend_status_add(bs, PID + 1, 0);
	assert_bytes(update(bs, PID)->query, "the last one");
	assert_bytes(backend_status_get(bs, PID + 1)->query, "select 1");
	/* The pid itself is reused: begun anew. */
	backend_status_add(bs, PID, 0);
	assert_false(backend_status_get(bs, PID)->known);
	assert_bytes(backend_status_get(bs, PID)->query, NULL);
	backend_status_free(bs);
	fakepg_release(&pg);
}

static void test_a_change_in_progress_keeps_the_previous_copy(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;
	uint32_t count;

	(void)state;
	fakepg_init(&pg, 15);
	fakepg_client(&pg, PID, PID, 0);
	bs = watch(&pg);
	backend_status_add(bs, PID, 0);
	update(bs, PID);
	count = fakepg_get32(&pg, 0, 0);
	fakepg_set32(&pg, 0, 0, count + 1);
	fakemem_puts(&pg.fm, 0, fakepg_activity(0), "half writt");
	pg.fm.calls = 0;
	assert_bytes(update(bs, PID)->query, "select 1");
	assert_in_range(pg.fm.calls, 1, 20);
	fakemem_puts(&pg.fm, 0, fakepg_activity(0), "half written, then whole");
	fakepg_set32(&pg, 0, 0, count + 2);
	assert_bytes(update(bs, PID)->query, "half written, then whole");
	backend_status_free(bs);
	fakepg_release(&pg);
}

static void test_reads_through_another_process(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;

	(void)state;
	fakepg_init(&pg, 15);
	for (int i = 0; i < 3; i++)
		fakepg_client(&pg, PID + i, PID + i, i);
	bs = watch(&pg);
	for (int i = 0; i < 3; i++)
		backend_status_add(bs, PID + i, 0);
	update(bs, PID);
	assert_int_equal(backend_status_reader(bs), FAKEPG_POSTMASTER);
	/* The postmaster is gone, and one backend. */
	pg.fm.gone[0] = FAKEPG_POSTMASTER;
	pg.fm.gone[1] = PID;
	fakepg_report(&pg, 2, "select 3", 2);
	assert_bytes(update(bs, PID + 2)->query, "select 3");
	assert_int_equal(pg.fm.last_pid, PID + 1);
	assert_int_equal(backend_status_reader(bs), PID + 1);
	/* All are. */
	pg.fm.gone[2] = PID + 1;
	pg.fm.gone[3] = PID + 2;
	assert_int_equal(backend_status_update(bs), -ESRCH);
	assert_bytes(backend_status_get(bs, PID + 2)->query, "select 3");
	assert_int_equal(backend_status_reader(bs), -1);
	memset(pg.fm.gone, 0, sizeof(pg.fm.gone));
	pg.fm.refuse = -EPERM;
	assert_int_equal(backend_status_update(bs), -EPERM);
	backend_status_free(bs);
	fakepg_release(&pg);
}

static void test_not_allowed_says_so(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;

	(void)state;
	fakepg_init(&pg, 15);
	fakepg_client(&pg, PID, PID, 0);
	pg.fm.refuse = -EPERM;
	bs = watch(&pg);
	backend_status_add(bs, PID, 0);
	(void)backend_status_update(bs);
	assert_non_null(backend_status_get(bs, PID)->reason);
	pg.fm.refuse = 0;
	for (int i = 0; i < 3; i++)
		update(bs, PID);
	assert_true(backend_status_get(bs, PID)->known);
	assert_null(backend_status_get(bs, PID)->reason);
	backend_status_free(bs);
	fakepg_release(&pg);
}

static void test_background_processes(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;
	const struct backend_facts *f;

	(void)state;
	fakepg_init(&pg, 15);
	fakepg_background(&pg, PID, PID, 0, 6);
	fakepg_bgworker(&pg, PID + 1, PID + 1, 1, "my worker type");
	fakepg_background(&pg, PID + 2, PID + 2, 2, 99);
	bs = watch(&pg);
	for (int i = 0; i < 3; i++)
		backend_status_add(bs, PID + i, 0);
	f = update(bs, PID);
	assert_true(f->known);
	assert_bytes(f->backend_type, "checkpointer");
	assert_bytes(f->user, NULL);
	assert_bytes(f->database, NULL);
	assert_string_equal(f->client, "");
	assert_bytes(f->query, "");
	assert_bytes(backend_status_get(bs, PID + 1)->backend_type, "my worker type");
	assert_bytes(backend_status_get(bs, PID + 2)->backend_type, NULL);
	/* What it never has is asked ever less often. */
	fakepg_global64(&pg, PID + 2, PG_MY_BE_ENTRY, 0);
	backend_status_add(bs, PID + 2, 0);
	for (int i = 0; i < 200; i++)
		update(bs, PID);
	pg.fm.calls = 0;
	for (int i = 0; i < 32; i++)
		update(bs, PID);
	/* One is for the change counts, one for the leader of the worker. */
	assert_in_range(pg.fm.calls, 64, 68);
	backend_status_free(bs);
	fakepg_release(&pg);
}

static void test_names_of_others(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;

	(void)state;
	fakepg_init(&pg, 18);
	fakepg_bgworker(&pg, PID, PID, 0, "worker");
	bs = watch(&pg);
	backend_status_add(bs, PID, 0);
	/* Nobody knows the names: none, not a number. */
	assert_bytes(update(bs, PID)->database, NULL);
	assert_bytes(backend_status_get(bs, PID)->user, NULL);
	assert_int_equal(backend_status_get(bs, PID)->databaseid, 5);
	backend_status_learn_database(bs, 5, "by title");
	assert_bytes(update(bs, PID)->database, "by title");
	/* A client of that database comes and teaches them; they outlive it. */
	fakepg_client(&pg, PID + 1, PID + 1, 1);
	backend_status_add(bs, PID + 1, 0);
	assert_bytes(update(bs, PID)->database, "db5");
	assert_bytes(backend_status_get(bs, PID)->user, "user10");
	backend_status_remove(bs, PID + 1);
	assert_bytes(update(bs, PID)->database, "db5");
	/* The newest client wins after ALTER DATABASE RENAME; the older one keeps its own. */
	fakepg_client(&pg, PID + 2, PID + 2, 2);
	fakemem_puts(&pg.fm, PID + 2, FAKEPG_HEAP, "renamed");
	backend_status_add(bs, PID + 2, 0);
	assert_bytes(update(bs, PID)->database, "renamed");
	backend_status_free(bs);
	fakepg_release(&pg);
}

static void test_leader(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;
	uint64_t field;

	(void)state;
	fakepg_init(&pg, 16);
	fakepg_client(&pg, PID, 11, 0);
	fakepg_bgworker(&pg, PID + 1, 12, 1, "parallel worker");
	fakepg_set32(&pg, 1, pg.layout->status.databaseid, 5);
	bs = watch(&pg);
	backend_status_add(bs, PID, 11);
	backend_status_add(bs, PID + 1, 12);
	assert_int_equal(update(bs, PID + 1)->leader_pid, 0);
	field = fakepg_proc(1) + pg.layout->proc.lock_group_leader;
	/* Garbage, itself, then its leader. */
	fakemem_put64(&pg.fm, 0, field, 0xdeadbeef);
	assert_int_equal(update(bs, PID + 1)->leader_pid, 0);
	fakemem_put64(&pg.fm, 0, field, fakepg_proc(1));
	assert_int_equal(update(bs, PID + 1)->leader_pid, 0);
	fakemem_put64(&pg.fm, 0, field, fakepg_proc(0));
	fakemem_put64(
		&pg.fm, 0, fakepg_proc(0) + pg.layout->proc.lock_group_leader, fakepg_proc(0));
	assert_int_equal(update(bs, PID + 1)->leader_pid, PID);
	assert_int_equal(backend_status_get(bs, PID)->leader_pid, 0);
	assert_bytes(backend_status_get(bs, PID + 1)->user, "user10");
	backend_status_free(bs);
	fakepg_release(&pg);
}

static void test_wait_event(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;
	uint32_t info = 1;
	enum pg_state st = PG_STATE_DISABLED;

	(void)state;
	fakepg_init(&pg, 18);
	fakepg_client(&pg, PID, PID, 0);
	fakemem_put32(&pg.fm, 0, fakepg_proc(0) + pg.layout->proc.wait_event_info, 0x06000000);
	bs = watch(&pg);
	assert_int_equal(backend_status_read_wait_event(bs, PID, &info, &st), -ENOENT);
	backend_status_add(bs, PID, 0);
	/* Before the first tick the state cannot be known. */
	assert_int_equal(backend_status_read_wait_event(bs, PID, &info, &st), 0);
	assert_int_equal(info, 0x06000000);
	assert_int_equal(st, PG_STATE_UNDEFINED);
	assert_int_equal(backend_status_update_one(bs, PID), 0);
	assert_int_equal(backend_status_read_wait_event(bs, PID, &info, &st), 0);
	assert_int_equal(st, PG_STATE_IDLE);
	fakepg_global64(&pg, PID, PG_MY_WAIT_EVENT_INFO, 8);
	info = 7;
	assert_int_equal(backend_status_read_wait_event(bs, PID, &info, &st), -EFAULT);
	pg.fm.gone[0] = PID;
	assert_int_equal(backend_status_read_wait_event(bs, PID, &info, &st), -ESRCH);
	assert_int_equal(info, 7);
	assert_int_equal(backend_status_update_one(bs, PID + 1), -ENOENT);
	backend_status_free(bs);
	pg.symbols.addr[PG_MY_WAIT_EVENT_INFO] = 0;
	bs = watch(&pg);
	backend_status_add(bs, PID, 0);
	assert_int_equal(backend_status_read_wait_event(bs, PID, &info, &st), -EOPNOTSUPP);
	backend_status_free(bs);
	fakepg_release(&pg);
}

/* Any pid order, many, removed in between. */
static void test_the_list(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;
	uint64_t seed = 1;
	bool there[500] = {false};

	(void)state;
	fakepg_init(&pg, 15);
	bs = watch(&pg);
	for (int i = 0; i < 5000; i++) {
		pid_t pid = 1 + (pid_t)unit_random(&seed, 499);

		if (unit_random(&seed, 3)) {
			backend_status_add(bs, pid, 0);
			there[pid] = true;
		} else {
			backend_status_remove(bs, pid);
			there[pid] = false;
		}
	}
	for (pid_t pid = 1; pid < 500; pid++) {
		const struct backend_facts *f = backend_status_get(bs, pid);

		assert_int_equal(f != NULL, there[pid]);
		assert_int_equal(f ? f->pid : pid, pid);
	}
	assert_int_equal(backend_status_update(bs), 0);
	backend_status_free(bs);
	fakepg_release(&pg);
}

/* Whatever bytes are there: an end, and strings within their bounds. */
static void test_random_memory(void **state)
{
	struct fakepg pg;
	struct backend_status *bs;
	uint64_t seed = 42;

	(void)state;
	fakepg_init(&pg, 17);
	for (int i = 0; i < 8; i++)
		fakepg_client(&pg, PID + i, PID + i, i);
	fakepg_bgworker(&pg, PID + 8, PID + 8, 8, "w");
	bs = watch(&pg);
	for (int round = 0; round < 20000; round++) {
		const struct fakemem_segment *s =
			&pg.fm.segments[unit_random(&seed, (uint32_t)pg.fm.n)];
		size_t limit = s->pid ? s->size : 9 * 512;
		uint8_t *at = s->bytes + unit_random(&seed, (uint32_t)limit);
		uint8_t old = *at;

		*at = (uint8_t)unit_random(&seed, 256);
		if (round % 10 == 0)
			for (int i = 0; i < 9; i++)
				backend_status_add(bs, PID + i, 0);
		(void)backend_status_update(bs);
		for (int i = 0; i < 9; i++) {
			const struct backend_facts *f = backend_status_get(bs, PID + i);

			assert_true(!f->query.s || strlen(f->query.s) == f->query.len);
			assert_true(f->query.len <= BACKEND_STATUS_MAX_QUERY_BYTES);
			assert_true(f->user.len < PG_NAMEDATALEN);
			assert_true(f->application.len < PG_NAMEDATALEN);
			assert_true(strlen(f->client) < sizeof(f->client));
			assert_true(f->state < PG_STATE_NR);
		}
		if (unit_random(&seed, 4))
			*at = old;
	}
	backend_status_free(bs);
	fakepg_release(&pg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_client_in_every_major),
		cmocka_unit_test(test_strings_are_read_again_only_when_they_moved),
		cmocka_unit_test(test_a_backend_that_is_starting),
		cmocka_unit_test(test_starting_state),
		cmocka_unit_test(test_self_check),
		cmocka_unit_test(test_what_is_not_exported),
		cmocka_unit_test(test_unknown_major),
		cmocka_unit_test(test_a_slot_that_is_reused),
		cmocka_unit_test(test_a_change_in_progress_keeps_the_previous_copy),
		cmocka_unit_test(test_reads_through_another_process),
		cmocka_unit_test(test_not_allowed_says_so),
		cmocka_unit_test(test_background_processes),
		cmocka_unit_test(test_names_of_others),
		cmocka_unit_test(test_leader),
		cmocka_unit_test(test_wait_event),
		cmocka_unit_test(test_the_list),
		cmocka_unit_test(test_random_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
