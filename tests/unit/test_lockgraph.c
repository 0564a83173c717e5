/* Who blocks whom, over lock tables made by hand: right, damaged, and moving. */
#include "unit.h"

#include <errno.h>

#include "fakepg.h"
#include "lockgraph.h"
#include "util.h"

#define LOCK(i)	    (FAKEPG_FREE + 0x400 * (uint64_t)(i))
#define PROCLOCK(i) (FAKEPG_FREE + 0x40000 + 0x80 * (uint64_t)(i))
#define NODES	    64

enum { ACCESS_SHARE = 1, ROW_EXCLUSIVE = 3, SHARE = 5, EXCLUSIVE = 7, ACCESS_EXCLUSIVE = 8 };

struct table {
	struct fakepg pg;
	int n_proclocks;
};

static void put_node(struct table *t, uint64_t node, uint64_t prev, uint64_t next)
{
	fakemem_put64(&t->pg.fm, 0, node, prev);
	fakemem_put64(&t->pg.fm, 0, node + 8, next);
}

/* At the end of the list. */
static void append(struct table *t, uint64_t head, uint64_t node)
{
	uint64_t last;

	memcpy(&last, fakemem_at(&t->pg.fm, 0, head, 8), 8);
	put_node(t, node, last, head);
	fakemem_put64(&t->pg.fm, 0, last + 8, node);
	fakemem_put64(&t->pg.fm, 0, head, node);
}

static uint64_t proc_of(int slot)
{
	return fakepg_proc(slot);
}

static void setup(struct table *t, int major)
{
	const struct pg_layout *l = pglayout_for(major);

	*t = (struct table){0};
	fakepg_init(&t->pg, major);
	for (int i = 0; i < 4; i++) {
		uint64_t head = LOCK(i) + l->lock.proc_locks;

		put_node(t, head, head, head);
		head = LOCK(i) + l->lock.wait_procs;
		put_node(t, head, head, head);
	}
	for (int i = 0; i < NODES; i++) {
		uint64_t members = proc_of(i) + l->proc.lock_group_members;

		put_node(t, members, members, members);
		fakemem_put32(&t->pg.fm, 0, proc_of(i) + l->proc.pid, (uint32_t)(2000 + i));
	}
}

/* slot holds hold_mask of the lock (modes as bits) and, if wait_mode, waits for more at the end of
 * the queue. leader: its lock group's, or its own slot. */
static void lock_it(
	struct table *t, int lock, int slot, int leader, uint32_t hold_mask, int wait_mode)
{
	const struct pg_layout *l = t->pg.layout;
	struct fakemem *fm = &t->pg.fm;
	uint64_t proclock = PROCLOCK(t->n_proclocks++), count_at = LOCK(lock) + l->lock.wait_count;
	uint32_t count;

	fakemem_put64(fm, 0, proclock + l->lock.my_lock, LOCK(lock));
	fakemem_put64(fm, 0, proclock + l->lock.my_proc, proc_of(slot));
	fakemem_put64(fm, 0, proclock + l->lock.group_leader, proc_of(leader));
	fakemem_put32(fm, 0, proclock + l->lock.hold_mask, hold_mask);
	append(t, LOCK(lock) + l->lock.proc_locks, proclock + l->lock.lock_link);
	if (!wait_mode)
		return;
	fakemem_put64(fm, 0, proc_of(slot) + l->proc.wait_lock, LOCK(lock));
	fakemem_put32(fm, 0, proc_of(slot) + l->proc.wait_lock_mode, (uint32_t)wait_mode);
	append(t, LOCK(lock) + l->lock.wait_procs, proc_of(slot) + l->proc.links);
	memcpy(&count, fakemem_at(fm, 0, count_at, 4), 4);
	fakemem_put32(fm, 0, count_at, count + 1);
}

/* Joins the lock group of `leader` (the leader joins first). */
static void join_group(struct table *t, int slot, int leader)
{
	const struct pg_layout *l = t->pg.layout;

	fakemem_put64(&t->pg.fm, 0, proc_of(slot) + l->proc.lock_group_leader, proc_of(leader));
	append(t, proc_of(leader) + l->proc.lock_group_members,
		proc_of(slot) + l->proc.lock_group_link);
}

static int query(struct table *t, int slot, struct lock_blocker *b, size_t max)
{
	return lockgraph_blocked_by(
		&t->pg.mem, FAKEPG_POSTMASTER, t->pg.layout, proc_of(slot), 2000 + slot, b, max);
}

/* Asserts the blockers: slots, negative means soft, in order. */
static void check_blockers(struct table *t, int slot, int n, const int *want)
{
	struct lock_blocker b[LOCKGRAPH_MAX_BLOCKERS];

	assert_int_equal(query(t, slot, b, ARRAY_SIZE(b)), n);
	for (int i = 0; i < n; i++) {
		assert_int_equal(b[i].pid, 2000 + abs(want[i]));
		assert_int_equal(b[i].soft, want[i] < 0);
	}
}

#define blockers(t, slot, ...) \
	check_blockers(t, slot, sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})

static void test_conflicts(void **state)
{
	/* The table of the PostgreSQL manual, "Conflicting Lock Modes": rows requested, columns
	 * held, in order of strength. */
	static const char *const manual[PG_LOCK_MODES] = {
		".......X",
		"......XX",
		"....XXXX",
		"...XXXXX",
		"..XX.XXX",
		"..XXXXXX",
		".XXXXXXX",
		"XXXXXXXX",
	};

	(void)state;
	for (int mode = 1; mode <= PG_LOCK_MODES; mode++)
		for (int held = 1; held <= PG_LOCK_MODES; held++)
			assert_int_equal(lockgraph_conflicts(mode, 1u << held),
				manual[mode - 1][held - 1] == 'X');
	assert_true(lockgraph_conflicts(ACCESS_SHARE, 1u << 1 | 1u << 8));
	assert_false(lockgraph_conflicts(ACCESS_EXCLUSIVE, 0));
	assert_false(lockgraph_conflicts(ACCESS_EXCLUSIVE, 1));
	assert_false(lockgraph_conflicts(0, UINT32_MAX));
	assert_false(lockgraph_conflicts(9, UINT32_MAX));
	assert_false(lockgraph_conflicts(-1, UINT32_MAX));
}

static void test_hard_and_soft_in_every_major(void **state)
{
	(void)state;
	for (int major = PG_LAYOUT_MIN_MAJOR; major <= PG_LAYOUT_MAX_MAJOR; major++) {
		struct table t;

		setup(&t, major);
		lock_it(&t, 0, 1, 1, 1 << ROW_EXCLUSIVE, 0);
		lock_it(&t, 0, 2, 2, 1 << ACCESS_SHARE, 0);
		lock_it(&t, 0, 3, 3, 0, SHARE);		   /* by 1 */
		lock_it(&t, 0, 4, 4, 0, ACCESS_EXCLUSIVE); /* by 1, 2, behind 3 */
		lock_it(&t, 0, 5, 5, 0, ACCESS_SHARE);	   /* behind 4 alone */
		lock_it(&t, 0, 6, 6, 0, SHARE);		   /* by 1, behind 4 */
		blockers(&t, 3, 1);
		blockers(&t, 4, 1, 2, -3);
		blockers(&t, 5, -4);
		blockers(&t, 6, 1, -4);
		check_blockers(&t, 1, 0, NULL);
		check_blockers(&t, 7, 0, NULL);
		fakepg_release(&t.pg);
	}
}

/* Holds one mode and waits for another: hard wins, and the pid comes once. */
static void test_hard_wins_over_soft(void **state)
{
	struct table t;

	(void)state;
	setup(&t, 15);
	lock_it(&t, 0, 1, 1, 1 << ROW_EXCLUSIVE, EXCLUSIVE);
	lock_it(&t, 0, 2, 2, 0, SHARE);
	blockers(&t, 2, 1);
	/* Two processes of one group: soft by one, hard by the other. */
	lock_it(&t, 0, 3, 3, 0, EXCLUSIVE);
	lock_it(&t, 0, 4, 3, 1 << EXCLUSIVE, 0);
	lock_it(&t, 0, 5, 5, 0, SHARE);
	blockers(&t, 5, 1, 3);
	fakepg_release(&t.pg);
}

static void test_prepared_transaction(void **state)
{
	struct table t;
	struct lock_blocker b[4];

	(void)state;
	setup(&t, 15);
	fakemem_put32(&t.pg.fm, 0, proc_of(1) + t.pg.layout->proc.pid, 0);
	lock_it(&t, 0, 1, 1, 1 << EXCLUSIVE, 0);
	lock_it(&t, 0, 2, 2, 0, SHARE);
	assert_int_equal(query(&t, 2, b, 4), 1);
	assert_int_equal(b[0].pid, 0);
	assert_false(b[0].soft);
	fakepg_release(&t.pg);
}

static void test_lock_groups(void **state)
{
	struct table t;

	(void)state;
	setup(&t, 17);
	join_group(&t, 1, 1);
	join_group(&t, 2, 1);
	join_group(&t, 3, 1);
	/* 2 and 3 are workers of 1; all hold, 3 waits for 5. Of its own group nobody blocks it. */
	lock_it(&t, 0, 1, 1, 1 << EXCLUSIVE, 0);
	lock_it(&t, 0, 2, 1, 1 << EXCLUSIVE, 0);
	lock_it(&t, 0, 5, 5, 1 << ROW_EXCLUSIVE, 0);
	lock_it(&t, 0, 3, 1, 0, SHARE);
	/* Each of the group is blocked by what blocks any of it. */
	blockers(&t, 1, 5);
	blockers(&t, 2, 5);
	blockers(&t, 3, 5);
	/* One outside is blocked by the group's leader, once. */
	lock_it(&t, 0, 6, 6, 0, ACCESS_SHARE);
	check_blockers(&t, 6, 0, NULL);
	lock_it(&t, 0, 7, 7, 0, SHARE);
	blockers(&t, 7, 1, 5);
	/* Another member waits elsewhere: both sets together. */
	lock_it(&t, 1, 8, 8, 1 << ACCESS_EXCLUSIVE, 0);
	lock_it(&t, 1, 2, 1, 0, ACCESS_SHARE);
	blockers(&t, 3, 8, 5);
	fakepg_release(&t.pg);
}

static void test_more_than_fit(void **state)
{
	struct table t;
	struct lock_blocker b[3] = {{.pid = -1}, {.pid = -1}, {.pid = -1}};

	(void)state;
	setup(&t, 15);
	for (int i = 1; i <= 10; i++)
		lock_it(&t, 0, i, i, 1 << ACCESS_SHARE, 0);
	lock_it(&t, 0, 11, 11, 0, ACCESS_EXCLUSIVE);
	assert_int_equal(query(&t, 11, b, 2), 2);
	assert_int_equal(b[2].pid, -1);
	assert_int_equal(query(&t, 11, b, 0), 0);
	fakepg_release(&t.pg);
}

/* ---- damage ---------------------------------------------------------------------------------- */

/* One holder, two waiters: the table every damage begins from; slot 3 is asked. */
static void simple(struct table *t)
{
	setup(t, 15);
	lock_it(t, 0, 1, 1, 1 << EXCLUSIVE, 0);
	lock_it(t, 0, 2, 2, 0, EXCLUSIVE);
	lock_it(t, 0, 3, 3, 0, SHARE);
}

static void test_damaged_tables(void **state)
{
	const struct pg_layout *l = pglayout_for(15);
	const uint64_t link = PROCLOCK(1) + l->lock.lock_link, head = LOCK(0) + l->lock.proc_locks;
	const uint64_t queue = LOCK(0) + l->lock.wait_procs;
	const struct {
		uint64_t at, value;
	} damage[] = {
		{link + 8, link},			     /* loop onto itself */
		{link + 8, PROCLOCK(0) + l->lock.lock_link}, /* loop */
		{link + 8, head},			     /* cut short */
		{link + 8, 0},
		{link + 8, 0xdeadbeefdeadbee8},
		{link + 8, link + 1}, /* not aligned */
		{link, head},	      /* not the one before */
		{head + 8, LOCK(1) + l->lock.proc_locks},
		{head, head},
		{PROCLOCK(1) + l->lock.my_lock, LOCK(1)}, /* of another lock */
		{PROCLOCK(1) + l->lock.my_proc, 16},
		{PROCLOCK(1) + l->lock.my_proc, 0x7fff00000000}, /* not mapped */
		{PROCLOCK(0) + l->lock.group_leader, 0x7fff00000000},
		{queue + 8, queue}, /* count says otherwise */
		{queue + 16, 3},
		{queue + 16, 1},
		{queue + 16, 0xffffffff},
		{proc_of(2) + l->proc.links + 8, proc_of(2) + l->proc.links},
		{proc_of(2) + l->proc.links, 0},
		{proc_of(3) + l->proc.wait_lock, 0xdeadbeefdeadbee8},
		{proc_of(3) + l->proc.wait_lock, 12},
		{proc_of(3) + l->proc.wait_lock, LOCK(1)}, /* it is not in there */
		{proc_of(3) + l->proc.wait_lock_mode, 0},
		{proc_of(3) + l->proc.wait_lock_mode, 9},
		{proc_of(3) + l->proc.pid, 4711}, /* another backend */
		{proc_of(3) + l->proc.lock_group_leader, 12},
		{proc_of(3) + l->proc.lock_group_leader, 0x7fff00000000},
		{proc_of(3) + l->proc.lock_group_leader, proc_of(4) + 8},
	};
	struct lock_blocker b[8];
	struct table t;

	(void)state;
	simple(&t);
	blockers(&t, 3, 1, -2);
	fakepg_release(&t.pg);
	for (size_t i = 0; i < ARRAY_SIZE(damage); i++) {
		simple(&t);
		/* Only what is wrong is overwritten: counts and modes have four bytes. */
		if (damage[i].value <= UINT32_MAX && damage[i].at % 8)
			fakemem_put32(&t.pg.fm, 0, damage[i].at, (uint32_t)damage[i].value);
		else if (damage[i].at == queue + 16 || damage[i].at == proc_of(3) + l->proc.pid ||
			 damage[i].at == proc_of(3) + l->proc.wait_lock_mode)
			fakemem_put32(&t.pg.fm, 0, damage[i].at, (uint32_t)damage[i].value);
		else
			fakemem_put64(&t.pg.fm, 0, damage[i].at, damage[i].value);
		if (query(&t, 3, b, ARRAY_SIZE(b)) != -EAGAIN)
			fail_msg("damage %zu gives %d", i, query(&t, 3, b, ARRAY_SIZE(b)));
		assert_in_range(t.pg.fm.calls, 1, 400);
		fakepg_release(&t.pg);
	}
}

/* A list that never ends, all of whose nodes look right. */
static void test_endless_list_is_bounded(void **state)
{
	const struct pg_layout *l = pglayout_for(15);
	struct lock_blocker b[8];
	struct table t;
	uint64_t prev, node;

	(void)state;
	setup(&t, 15);
	fakemem_map(&t.pg.fm, 0, 0x7e0000000000, 10000 * 64);
	prev = LOCK(0) + l->lock.proc_locks;
	for (int i = 0; i < 10000; i++) {
		uint64_t proclock = 0x7e0000000000 + 64 * (uint64_t)i;

		node = proclock + l->lock.lock_link;
		fakemem_put64(&t.pg.fm, 0, proclock + l->lock.my_lock, LOCK(0));
		fakemem_put64(&t.pg.fm, 0, proclock + l->lock.my_proc, proc_of(1));
		fakemem_put64(&t.pg.fm, 0, proclock + l->lock.group_leader, proc_of(1));
		fakemem_put64(&t.pg.fm, 0, node, prev);
		fakemem_put64(&t.pg.fm, 0, prev + 8, node);
		prev = node;
	}
	fakemem_put64(&t.pg.fm, 0, prev + 8, LOCK(0) + l->lock.proc_locks);
	fakemem_put64(&t.pg.fm, 0, LOCK(0) + l->lock.proc_locks, prev);
	fakemem_put64(&t.pg.fm, 0, proc_of(3) + l->proc.wait_lock, LOCK(0));
	fakemem_put32(&t.pg.fm, 0, proc_of(3) + l->proc.wait_lock_mode, SHARE);
	assert_int_equal(query(&t, 3, b, ARRAY_SIZE(b)), -EAGAIN);
	assert_in_range(t.pg.fm.calls, 8192, 4 * 8300);
	fakepg_release(&t.pg);
}

static void test_reading_fails(void **state)
{
	struct lock_blocker b[8];
	struct table t;
	struct pg_layout without;

	(void)state;
	simple(&t);
	t.pg.fm.refuse = -EPERM;
	assert_int_equal(query(&t, 3, b, ARRAY_SIZE(b)), -EPERM);
	t.pg.fm.refuse = 0;
	t.pg.fm.gone[0] = FAKEPG_POSTMASTER;
	assert_int_equal(query(&t, 3, b, ARRAY_SIZE(b)), -ESRCH);
	t.pg.fm.gone[0] = 0;
	assert_int_equal(lockgraph_blocked_by(&t.pg.mem, 1, t.pg.layout, 0, 2003, b, 8), -EFAULT);
	assert_int_equal(
		lockgraph_blocked_by(&t.pg.mem, 1, t.pg.layout, 0x5000, 2003, b, 8), -EFAULT);
	assert_int_equal(
		lockgraph_blocked_by(&t.pg.mem, 1, NULL, proc_of(3), 2003, b, 8), -EOPNOTSUPP);
	without = *t.pg.layout;
	without.lock.known = false;
	assert_int_equal(
		lockgraph_blocked_by(&t.pg.mem, 1, &without, proc_of(3), 2003, b, 8), -EOPNOTSUPP);
	lockgraph_free(NULL);
	fakepg_release(&t.pg);
}

/* ---- movement -------------------------------------------------------------------------------- */

/* At the n-th read the holder lets go and the first waiter gets the lock. */
struct mover {
	struct table *t;
	int at;
	bool always; /* at every read from then on, something in the lock moves */
};

static void move(void *ctx, uint64_t addr, size_t n)
{
	struct mover *m = ctx;
	const struct pg_layout *l = m->t->pg.layout;
	struct fakemem *fm = &m->t->pg.fm;
	uint64_t queue = LOCK(0) + l->lock.wait_procs;
	uint32_t mask;

	(void)addr;
	(void)n;
	if (m->always) {
		memcpy(&mask, fakemem_at(fm, 0, LOCK(0) + l->lock.grant_mask, 4), 4);
		fakemem_put32(fm, 0, LOCK(0) + l->lock.grant_mask, mask + 1);
		return;
	}
	if (m->at-- != 0)
		return;
	/* The first PROCLOCK leaves; the first waiter leaves the queue and holds. */
	put_node(m->t, PROCLOCK(1) + l->lock.lock_link, LOCK(0) + l->lock.proc_locks,
		PROCLOCK(2) + l->lock.lock_link);
	fakemem_put64(fm, 0, LOCK(0) + l->lock.proc_locks + 8, PROCLOCK(1) + l->lock.lock_link);
	fakemem_put32(fm, 0, PROCLOCK(1) + l->lock.hold_mask, 1 << EXCLUSIVE);
	fakemem_put64(fm, 0, proc_of(2) + l->proc.wait_lock, 0);
	put_node(m->t, queue, proc_of(3) + l->proc.links, proc_of(3) + l->proc.links);
	put_node(m->t, proc_of(3) + l->proc.links, queue, queue);
	fakemem_put32(fm, 0, LOCK(0) + l->lock.wait_count, 1);
}

/* Whenever it happens, the answer is of before or of after. */
static void test_a_move_in_between(void **state)
{
	int before = 0, after = 0;

	(void)state;
	for (int at = 0; at < 60; at++) {
		struct lock_blocker b[8];
		struct table t;
		struct mover m = {.t = &t, .at = at};
		int n;

		simple(&t);
		t.pg.fm.on_read = move;
		t.pg.fm.ctx = &m;
		n = query(&t, 3, b, ARRAY_SIZE(b));
		if (n == 2 && b[0].pid == 2001 && !b[0].soft && b[1].pid == 2002 && b[1].soft)
			before++;
		else if (n == 1 && b[0].pid == 2002 && !b[0].soft)
			after++;
		else
			fail_msg("moved at read %d: %d blockers, first %d", at, n, (int)b[0].pid);
		fakepg_release(&t.pg);
	}
	assert_true(before > 5);
	assert_true(after > 5);
}

static void test_a_lock_that_never_rests(void **state)
{
	struct lock_blocker b[8];
	struct table t;
	struct mover m = {.t = &t, .always = true};

	(void)state;
	simple(&t);
	t.pg.fm.on_read = move;
	t.pg.fm.ctx = &m;
	assert_int_equal(query(&t, 3, b, ARRAY_SIZE(b)), -EAGAIN);
	assert_in_range(t.pg.fm.calls, 4, 200);
	fakepg_release(&t.pg);
}

/* A lock is read once for all its waiters; one that came later is seen all the same. */
static void test_many_waiters_read_once(void **state)
{
	struct table t;
	struct lockgraph *lg;
	struct lock_blocker b[64];
	size_t first;

	(void)state;
	setup(&t, 16);
	lock_it(&t, 0, 1, 1, 1 << EXCLUSIVE, 0);
	for (int i = 2; i < 40; i++)
		lock_it(&t, 0, i, i, 0, SHARE);
	lg = lockgraph_new(&t.pg.mem, t.pg.layout);
	assert_int_equal(lockgraph_query(lg, 1, proc_of(2), 2002, b, 64), 1);
	first = t.pg.fm.calls;
	for (int i = 3; i < 40; i++)
		assert_int_equal(lockgraph_query(lg, 1, proc_of(i), 2000 + i, b, 64), 1);
	assert_int_equal(t.pg.fm.calls - first, 2 * 37);
	lock_it(&t, 0, 41, 41, 0, EXCLUSIVE);
	assert_int_equal(lockgraph_query(lg, 1, proc_of(41), 2041, b, 64), 39);
	/* Forgotten: what has changed without a new waiter is seen. */
	fakemem_put32(&t.pg.fm, 0, PROCLOCK(0) + t.pg.layout->lock.hold_mask, 0);
	assert_int_equal(lockgraph_query(lg, 1, proc_of(2), 2002, b, 64), 1);
	lockgraph_forget(lg);
	assert_int_equal(lockgraph_query(lg, 1, proc_of(2), 2002, b, 64), 0);
	lockgraph_free(lg);
	fakepg_release(&t.pg);
}

/* Whatever bytes are there: an end, and no more than asked for. */
static void test_random_memory(void **state)
{
	uint64_t seed = 7;
	struct table t;

	(void)state;
	setup(&t, 18);
	join_group(&t, 1, 1);
	join_group(&t, 2, 1);
	lock_it(&t, 0, 1, 1, 1 << EXCLUSIVE, 0);
	lock_it(&t, 0, 2, 1, 1 << ACCESS_SHARE, 0);
	lock_it(&t, 0, 3, 3, 0, EXCLUSIVE);
	lock_it(&t, 0, 4, 4, 0, SHARE);
	lock_it(&t, 1, 4, 4, 1 << SHARE, 0);
	lock_it(&t, 1, 1, 1, 0, EXCLUSIVE);
	for (int round = 0; round < 50000; round++) {
		static const struct {
			uint64_t addr;
			uint32_t size;
		} places[] = {{LOCK(0), 0x500}, {PROCLOCK(0), 0x300}};
		struct lock_blocker b[3] = {0};
		uint32_t place = unit_random(&seed, 3);
		uint64_t addr =
			place < 2 ? places[place].addr : proc_of(1 + (int)unit_random(&seed, 4));
		uint8_t *at = fakemem_at(&t.pg.fm, 0,
			addr + unit_random(&seed, place < 2 ? places[place].size : 832), 1);
		uint8_t old = *at;

		*at = unit_random(&seed, 2) ? (uint8_t)unit_random(&seed, 256) : old ^ 8;
		for (int slot = 1; slot <= 4; slot++) {
			int n = query(&t, slot, b, 2);

			assert_in_range(n + 200, 0, 202);
			assert_int_equal(b[2].pid, 0);
		}
		if (unit_random(&seed, 20))
			*at = old;
	}
	fakepg_release(&t.pg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conflicts),
		cmocka_unit_test(test_hard_and_soft_in_every_major),
		cmocka_unit_test(test_hard_wins_over_soft),
		cmocka_unit_test(test_prepared_transaction),
		cmocka_unit_test(test_lock_groups),
		cmocka_unit_test(test_more_than_fit),
		cmocka_unit_test(test_damaged_tables),
		cmocka_unit_test(test_endless_list_is_bounded),
		cmocka_unit_test(test_reading_fails),
		cmocka_unit_test(test_a_move_in_between),
		cmocka_unit_test(test_a_lock_that_never_rests),
		cmocka_unit_test(test_many_waiters_read_once),
		cmocka_unit_test(test_random_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
