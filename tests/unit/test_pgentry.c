/* Copies of PgBackendStatus while its owner writes, and with whatever its pointers say. */
#include "unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>

#include "fakepg.h"
#include "pgentry.h"
#include "util.h"

#define PID 1001

/* Writes at the n-th read from now: the entry is odd for `length` reads, then even and another. */
struct writer {
	struct fakepg *pg;
	int begin, end; /* counted down at each read */
	bool forever;
	unsigned int writes;
};

static void write_some(void *ctx, uint64_t addr, size_t n)
{
	struct writer *w = ctx;
	uint32_t count = fakepg_get32(w->pg, 0, 0);

	(void)addr;
	(void)n;
	if (w->forever) {
		fakepg_set32(w->pg, 0, 0, count + 2);
		return;
	}
	if (w->begin-- == 0) {
		fakepg_set32(w->pg, 0, 0, count | 1);
		memset(fakemem_at(&w->pg->fm, 0, fakepg_activity(0), 9), 'b', 4);
	}
	if (w->end-- == 0) {
		memset(fakemem_at(&w->pg->fm, 0, fakepg_activity(0), 9), 'b', 8);
		fakepg_set32(w->pg, 0, 0, (count | 1) + 1);
		w->writes++;
	}
}

static void setup(struct fakepg *pg)
{
	fakepg_init(pg, 15);
	fakepg_client(pg, PID, PID, 0);
	fakepg_report(pg, 0, "aaaaaaaa", 2);
}

static int copy_one(struct fakepg *pg, struct pg_entry_copy *c)
{
	c->addr = fakepg_entry(0);
	c->before = fakepg_get32(pg, 0, 0);
	assert_int_equal(pg_entries_copy(&pg->mem, PID, pg->layout, FAKEPG_ACTIVITY, c, 1), 0);
	return c->err;
}

static void test_fields(void **state)
{
	struct fakepg pg;
	struct pg_entry_copy c = {0};

	(void)state;
	for (int major = PG_LAYOUT_MIN_MAJOR; major <= PG_LAYOUT_MAX_MAJOR; major++) {
		fakepg_init(&pg, major);
		fakepg_client(&pg, PID, PID, 0);
		fakepg_set64(&pg, 0, 24, 24);
		fakepg_set64(&pg, 0, 32, 32);
		fakepg_set64(&pg, 0, 40, 40);
		fakepg_set64(&pg, 0, 424, (uint64_t)-5);
		assert_int_equal(copy_one(&pg, &c), 0);
		assert_int_equal(c.entry.procpid, PID);
		assert_int_equal(c.entry.databaseid, 5);
		assert_int_equal(c.entry.userid, 10);
		assert_int_equal(c.entry.xact_start_us, 24);
		assert_int_equal(c.entry.activity_start_us, 32);
		assert_int_equal(c.entry.state_start_us, 40);
		assert_int_equal(c.entry.query_id, -5);
		assert_int_equal(c.entry.changecount & 1, 0);
		assert_string_equal(c.entry.client, "[local]");
		assert_true(c.application_known && c.query_known);
		assert_string_equal(c.application, "app");
		assert_string_equal(c.query, "select 1");
		assert_int_equal(c.query_len, 8);
		fakepg_release(&pg);
	}
	pg_entry_copy_free(&c);
}

static void test_clients(void **state)
{
	struct fakepg pg;
	struct pg_entry e;
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(51234)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(5432)};
	uint8_t *raw, *addr;

	(void)state;
	setup(&pg);
	raw = fakemem_at(&pg.fm, 0, fakepg_entry(0), pg.layout->status.size);
	addr = raw + pg.layout->status.clientaddr;
	inet_pton(AF_INET, "127.0.0.1", &in.sin_addr);
	memcpy(addr, &in, sizeof(in));
	pg_entry_decode(pg.layout, raw, &e);
	assert_string_equal(e.client, "127.0.0.1:51234");
	inet_pton(AF_INET6, "::1", &in6.sin6_addr);
	memcpy(addr, &in6, sizeof(in6));
	pg_entry_decode(pg.layout, raw, &e);
	assert_string_equal(e.client, "[::1]:5432");
	inet_pton(AF_INET6, "fedc:ba98:7654:3210:fedc:ba98:7654:3210", &in6.sin6_addr);
	in6.sin6_port = 0xffff;
	memcpy(addr, &in6, sizeof(in6));
	pg_entry_decode(pg.layout, raw, &e);
	assert_string_equal(e.client, "[fedc:ba98:7654:3210:fedc:ba98:7654:3210]:65535");
	memset(addr, 0xff, 128);
	pg_entry_decode(pg.layout, raw, &e);
	assert_string_equal(e.client, "");
	memset(addr, 0, 128);
	pg_entry_decode(pg.layout, raw, &e);
	assert_string_equal(e.client, "");
	fakepg_release(&pg);
}

/* Wherever the owner writes in between, a copy is all old or all new. */
static void test_never_torn(void **state)
{
	struct pg_entry_copy c = {0};
	unsigned int changed = 0, settled_late = 0;

	(void)state;
	for (int begin = 0; begin < 12; begin++) {
		for (int length = 0; length < 12; length++) {
			struct fakepg pg;
			struct writer w = {.pg = &pg, .begin = begin, .end = begin + length};

			setup(&pg);
			pg.fm.on_read = write_some;
			pg.fm.ctx = &w;
			if (!copy_one(&pg, &c)) {
				assert_true(!strcmp(c.query, "aaaaaaaa") ||
					    !strcmp(c.query, "bbbbbbbb"));
				changed += c.query[0] == 'b';
			} else {
				assert_int_equal(c.err, -EAGAIN);
				settled_late++;
			}
			pg.fm.on_read = NULL;
			assert_int_equal(
				copy_one(&pg, &c), fakepg_get32(&pg, 0, 0) & 1 ? -EAGAIN : 0);
			fakepg_release(&pg);
		}
	}
	/* Both happen: a change is waited for, and one that takes too long is given up. */
	assert_true(changed > 10);
	assert_true(settled_late > 0);
	pg_entry_copy_free(&c);
}

static void test_gives_up_on_one_that_keeps_changing(void **state)
{
	struct fakepg pg;
	struct writer w = {.pg = &pg, .forever = true};
	struct pg_entry_copy c = {0};

	(void)state;
	setup(&pg);
	pg.fm.on_read = write_some;
	pg.fm.ctx = &w;
	assert_int_equal(copy_one(&pg, &c), -EAGAIN);
	assert_in_range(pg.fm.ranges, 4, 32);
	pg.fm.on_read = NULL;
	/* Its owner was killed in the middle of a change. */
	fakepg_set32(&pg, 0, 0, fakepg_get32(&pg, 0, 0) | 1);
	assert_int_equal(copy_one(&pg, &c), -EAGAIN);
	fakepg_release(&pg);
	pg_entry_copy_free(&c);
}

/* Text over the first part: a read of its own, within the bound. */
static void test_long_and_endless_queries(void **state)
{
	struct fakepg pg;
	struct pg_entry_copy c = {0};
	char *text;

	(void)state;
	setup(&pg);
	text = fakemem_at(&pg.fm, 0, fakepg_activity(0), FAKEPG_ACTIVITY + 100);
	for (size_t len = 1000; len < FAKEPG_ACTIVITY; len += 25) {
		memset(text, 'q', len);
		text[len] = '\0';
		assert_int_equal(copy_one(&pg, &c), 0);
		assert_int_equal(c.query_len, len);
		assert_int_equal(strlen(c.query), len);
	}
	memset(text, 'q', FAKEPG_ACTIVITY + 100);
	assert_int_equal(copy_one(&pg, &c), 0);
	assert_int_equal(c.query_len, FAKEPG_ACTIVITY);
	/* A size out of range is brought into it. */
	c.addr = fakepg_entry(0);
	c.before = fakepg_get32(&pg, 0, 0);
	assert_int_equal(pg_entries_copy(&pg.mem, PID, pg.layout, 0, &c, 1), 0);
	assert_int_equal(c.query_len, 1);
	assert_int_equal(pg_entries_copy(&pg.mem, PID, pg.layout, SIZE_MAX, &c, 1), 0);
	assert_in_range(c.query_len, FAKEPG_ACTIVITY, PG_ENTRY_MAX_QUERY);
	/* An application name without an end. */
	memset(fakemem_at(&pg.fm, 0, c.entry.appname_addr, 200), 'n', 200);
	assert_int_equal(copy_one(&pg, &c), 0);
	assert_int_equal(strlen(c.application), PG_NAMEDATALEN - 1);
	fakepg_release(&pg);
	pg_entry_copy_free(&c);
}

static void test_garbage_pointers(void **state)
{
	static const uint64_t bad[] = {0, 1, 0x1000, FAKEPG_SHARED - 1, 1ULL << 63, UINT64_MAX,
		FAKEPG_SHARED + 0x300000 - 8};
	struct fakepg pg;
	struct pg_entry_copy c = {0};

	(void)state;
	setup(&pg);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		fakepg_set64(&pg, 0, pg.layout->status.activity_raw, bad[i]);
		fakepg_set64(&pg, 0, pg.layout->status.appname, bad[i]);
		assert_int_equal(copy_one(&pg, &c), 0);
		assert_false(c.application_known);
		assert_false(c.query_known);
		assert_string_equal(c.application, "");
		assert_int_equal(c.query_len, 0);
		c.addr = bad[i];
		assert_int_equal(pg_entries_copy(&pg.mem, PID, pg.layout, 1024, &c, 1), 0);
		assert_int_equal(c.err, -EFAULT);
	}
	pg.fm.refuse = -EPERM;
	assert_int_equal(pg_entries_copy(&pg.mem, PID, pg.layout, 1024, &c, 1), -EPERM);
	fakepg_release(&pg);
	pg_entry_copy_free(&c);
}

/* A whole batch, some entries torn, some unreadable: each has its own outcome. */
static void test_batch(void **state)
{
	struct fakepg pg;
	static struct pg_entry_copy c[PG_ENTRY_BATCH + 1];

	(void)state;
	fakepg_init(&pg, 18);
	for (int i = 0; i < PG_ENTRY_BATCH; i++) {
		char query[32];

		fakepg_set64(&pg, i, pg.layout->status.activity_raw, fakepg_activity(i));
		snprintf(query, sizeof(query), "query %d", i);
		fakepg_report(&pg, i, query, 3);
		c[i].addr = i % 7 == 3 ? 8 : fakepg_entry(i);
		if (i % 5 == 2)
			fakepg_set32(&pg, i, 0, 5);
		c[i].before = fakepg_get32(&pg, i, 0);
	}
	assert_int_equal(
		pg_entries_copy(&pg.mem, PID, pg.layout, 1024, c, PG_ENTRY_BATCH + 1), -EINVAL);
	assert_int_equal(pg_entries_copy(&pg.mem, PID, pg.layout, 1024, c, PG_ENTRY_BATCH), 0);
	for (int i = 0; i < PG_ENTRY_BATCH; i++) {
		char query[32];

		snprintf(query, sizeof(query), "query %d", i);
		assert_int_equal(c[i].err, i % 7 == 3 ? -EFAULT : i % 5 == 2 ? -EAGAIN : 0);
		if (!c[i].err)
			assert_string_equal(c[i].query, query);
		pg_entry_copy_free(&c[i]);
	}
	fakepg_release(&pg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_clients),
		cmocka_unit_test(test_never_torn),
		cmocka_unit_test(test_gives_up_on_one_that_keeps_changing),
		cmocka_unit_test(test_long_and_endless_queries),
		cmocka_unit_test(test_garbage_pointers),
		cmocka_unit_test(test_batch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
