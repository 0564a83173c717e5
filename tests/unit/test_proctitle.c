/* ps titles, as PostgreSQL 14 .. 18 write them and as they must not mislead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "proctitle.h"
#include "util.h"

static int parse(const char *title, size_t len, const char *cluster, struct proctitle *t)
{
	/* no terminator, nothing behind */
	char *copy = xmalloc(len);
	int err;

	memcpy(copy, title, len);
	err = proctitle_parse(copy, len, cluster, t);
	if (!err)
		t->text = title + (t->text - copy);
	free(copy);
	return err;
}

static void known_titles(void **state)
{
	static const struct {
		const char *title, *cluster, *type, *database;
		pid_t leader;
	} list[] = {
		{"postgres: u my db [local] idle", NULL, "client backend", "", 0},
		{"postgres: 15/main: u db 127.0.0.1(5432) SELECT", "15/main", "client backend", "",
			0},
		{"postgres: u db ::1(40000) idle in transaction", "", "client backend", "", 0},
		{"postgres: u db [local] ", NULL, "client backend", "", 0},
		{"postgres: u db host.example.com(7)", NULL, "client backend", "", 0},
		{"postgres: checkpointer ", NULL, "checkpointer", "", 0},
		{"postgres: checkpointer performing restartpoint", NULL, "checkpointer", "", 0},
		{"postgres: 15/main: background writer ", "15/main", "background writer", "", 0},
		{"postgres: walwriter", NULL, "walwriter", "", 0},
		{"postgres: a: b: walwriter ", "a: b", "walwriter", "", 0},
		{"postgres: bgworker: x: walwriter ", "bgworker: x", "walwriter", "", 0},
		{"postgres: autovacuum launcher ", NULL, "autovacuum launcher", "", 0},
		{"postgres: autovacuum worker my db", NULL, "autovacuum worker", "my db", 0},
		{"postgres: autovacuum worker ", NULL, "autovacuum worker", "", 0},
		{"postgres: parallel worker for PID 18266 ", NULL, "parallel worker", "", 18266},
		{"postgres: parallel worker for PID x", NULL, "parallel worker", "", 0},
		{"postgres: parallel worker for PID 99999999999", NULL, "parallel worker", "", 0},
		{"postgres: logical replication launcher ", NULL, "logical replication launcher",
			"", 0},
		{"postgres: logical replication worker for subscription 16394 ", NULL,
			"logical replication worker", "", 0},
		{"postgres: logical replication worker for subscription 16394 sync 16390 ", NULL,
			"logical replication worker", "", 0},
		{"postgres: logical replication apply worker for subscription 16394 ", NULL,
			"logical replication apply worker", "", 0},
		{"postgres: logical replication tablesync worker for subscription 1 sync 2 ", NULL,
			"logical replication tablesync worker", "", 0},
		{"postgres: logical replication parallel apply worker for subscription 1 ", NULL,
			"logical replication parallel worker", "", 0},
		{"postgres: walsender repl [local] streaming 0/3000148", NULL, "walsender", "", 0},
		{"postgres: walsender repl db 10.0.0.1(4000) START_REPLICATION", NULL, "walsender",
			"", 0},
		{"postgres: walreceiver streaming 0/3000148", NULL, "walreceiver", "", 0},
		{"postgres: startup recovering 000000010000000000000003", NULL, "startup", "", 0},
		{"postgres: archiver archiving 000000010000000000000003", NULL, "archiver", "", 0},
		{"postgres: io worker 0", NULL, "io worker", "", 0},
		{"postgres: logger ", NULL, "logger", "", 0},
		{"postgres: stats collector ", NULL, "stats collector", "", 0},
		{"postgres: slotsync worker ", NULL, "slotsync worker", "", 0},
		{"postgres: walsummarizer ", NULL, "walsummarizer", "", 0},
		{"postgres: pg_cron launcher ", NULL, "background worker", "", 0},
		{"postgres: walwriters ", NULL, "background worker", "", 0},
		/* users called like processes */
		{"postgres: checkpointer db [local] idle", NULL, "client backend", "", 0},
		{"postgres: startup x 1.2.3.4(5) BIND", NULL, "client backend", "", 0},
	};
	struct proctitle t;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		if (parse(list[i].title, strlen(list[i].title), list[i].cluster, &t) ||
			strcmp(t.backend_type, list[i].type))
			fail_msg("%s", list[i].title);
		assert_string_equal(t.database, list[i].database);
		assert_int_equal(t.leader_pid, list[i].leader);
	}
}

static void text_is_what_ps_shows(void **state)
{
	static const char title[] = "postgres: 15/main: u db [local] idle  \0\0\0junk";
	struct proctitle t;

	(void)state;
	assert_int_equal(parse(title, sizeof(title), "15/main", &t), 0);
	assert_int_equal(t.text_len, strlen("u db [local] idle"));
	assert_memory_equal(t.text, "u db [local] idle", t.text_len);
	/* another cluster's name is not cut off */
	assert_int_equal(parse(title, sizeof(title), "15/mai", &t), 0);
	assert_memory_equal(t.text, "15/main: u", 10);
}

static void no_titles(void **state)
{
	static const char *const list[] = {"", "postgres", "postgres:", "postgres: ", "postgres:  ",
		"/usr/lib/postgresql/15/bin/postgres -D /data", "postgres -D /x", "postgres:x",
		"Postgres: walwriter"};
	struct proctitle t;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++)
		assert_int_equal(parse(list[i], strlen(list[i]), NULL, &t), -EINVAL);
	assert_int_equal(parse("postgres: a: ", 13, "a", &t), -EINVAL);
}

static void long_database_is_cut(void **state)
{
	char title[300] = "postgres: autovacuum worker ";
	struct proctitle t;

	(void)state;
	memset(title + strlen(title), 'd', 200);
	assert_int_equal(parse(title, strlen(title), NULL, &t), 0);
	assert_int_equal(strlen(t.database), sizeof(t.database) - 1);
}

static void cluster_name_from_siblings(void **state)
{
	static const char *const with[] = {"postgres: a: b: checkpointer ",
		"/usr/bin/postgres -D x", "postgres: a: b: walwriter ",
		"postgres: a: b: u db [local] idle"};
	static const char *const without[] = {"postgres: checkpointer ", "postgres: walwriter "};
	static const char *const one[] = {"postgres: 15/main: walwriter "};
	static const char *const same_start[] = {
		"postgres: 15/main: walwriter ", "postgres: 15/main: walsender r [local] idle"};
	static const char *const none[] = {"postgres"};
	char buf[64];

	(void)state;
	assert_string_equal(proctitle_cluster_name(with, 4, buf, sizeof(buf)), "a: b");
	assert_string_equal(proctitle_cluster_name(without, 2, buf, sizeof(buf)), "");
	assert_string_equal(proctitle_cluster_name(one, 1, buf, sizeof(buf)), "15/main");
	assert_string_equal(proctitle_cluster_name(same_start, 2, buf, sizeof(buf)), "15/main");
	assert_string_equal(proctitle_cluster_name(none, 1, buf, sizeof(buf)), "");
	assert_string_equal(proctitle_cluster_name(NULL, 0, buf, sizeof(buf)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_titles),
		cmocka_unit_test(text_is_what_ps_shows),
		cmocka_unit_test(no_titles),
		cmocka_unit_test(long_database_is_cut),
		cmocka_unit_test(cluster_name_from_siblings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
