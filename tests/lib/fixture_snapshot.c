/* The rows of the fixtures, as tables. Everything a snapshot asks of its strings holds, because
 * they go through text_clean_arena() as those of a real source do. */
#include "fixture_snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "text.h"
#include "util.h"

#define MS(n) ((n)*NSEC_PER_MSEC)

struct row {
	pid_t pid;
	const char *type, *user, *database, *client, *application, *state, *query;
	/* What the window's 10 s went to, in ms, by type; the remainder is idle. */
	struct {
		enum wait_type type;
		unsigned ms;
	} times[5];
	struct {
		bool is;
		enum wait_type type;
		const char *wait_class, *event;
		uint64_t age_ms;
		bool at_least, waiting_for_cpu;
	} current;
	unsigned waits;
	uint64_t max_us;
	const char *history; /* 20 glyphs of wait types */
	pid_t leader;
	size_t cluster;
	bool exited;
	unsigned watched_ms; /* 0: 10 s */
	pid_t blocked_by[4]; /* negative: soft */
};

#define CLIENT "client backend"
#define WAITS(t, c, e, ms)                             \
	{                                              \
		true, WAIT_##t, c, e, ms, false, false \
	}

static const struct row incident[] = {
	{41807, CLIENT, "app_orders", "shop", "10.1.4.17:51442", "orders-api",
		"idle in transaction", "UPDATE account SET balance = balance - $1 WHERE id = $2",
		{{WAIT_IDLE_XACT, 9948}, {WAIT_CPU, 31}, {WAIT_RUNQ, 21}},
		WAITS(IDLE_XACT, "Client", "ClientRead", 754210), 12, 754210000,
		.history = "xxxxxxxxxxxxxxxxxxxx"},
	{41911, CLIENT, "app_orders", "shop", "10.1.4.17:51466", "orders-api", "active",
		"UPDATE account SET balance = balance - $1 WHERE id = $2",
		{{WAIT_LOCK, 9990}, {WAIT_CPU, 10}}, WAITS(LOCK, "Lock", "transactionid", 733018),
		1, 733018000, .history = "LLLLLLLLLLLLLLLLLLLL", .blocked_by = {41807}},
	{41912, CLIENT, "app_orders", "shop", "10.1.4.18:33810", "orders-api", "active",
		"UPDATE account SET balance = balance - $1 WHERE id = $2", {{WAIT_LOCK, 10000}},
		{true, WAIT_LOCK, "Lock", "tuple", 1893000, true, false}, 0, 1893000000,
		.history = "LLLLLLLLLLLLLLLLLLLL", .blocked_by = {41911}},
	{41930, CLIENT, "migrate", "shop", "[local]", "psql", "active",
		"ALTER TABLE account\n\tADD COLUMN closed_at timestamptz,\n\tADD COLUMN closed_by "
		"text",
		{{WAIT_LOCK, 8410}, {WAIT_CPU, 30}, {WAIT_RUNQ, 12}},
		WAITS(LOCK, "Lock", "relation", 8410), 4, 8410000,
		.history = "...LLLLLLLLLLLLLLLLL", .blocked_by = {41807, 41911, 41912}},
	{41944, CLIENT, "app_orders", "shop", "10.1.4.17:51502", "orders-api", "active",
		"INSERT INTO order_line (order_id, sku, quantity, price) VALUES ($1, $2, $3, $4)",
		{{WAIT_WAL_WRITE, 4620}, {WAIT_CPU, 1890}, {WAIT_RUNQ, 1420}, {WAIT_LWLOCK, 930},
			{WAIT_IO, 310}},
		WAITS(WAL_WRITE, "IO", "WALSync", 3), 18412, 41200,
		.history = "##WWWWW#rWWlWWWW#WWW"},
	{41945, CLIENT, "app_orders", "shop", "10.1.4.19:40122", "orders-api", "active",
		"INSERT INTO order_line (order_id, sku, quantity, price) VALUES ($1, $2, $3, $4)",
		{{WAIT_WAL_WRITE, 3105}, {WAIT_CPU, 2210}, {WAIT_RUNQ, 1730}, {WAIT_LWLOCK, 2100},
			{WAIT_IO, 205}},
		WAITS(LWLOCK, "LWLock", "WALWrite", 1), 20177, 38900,
		.history = "WWrWW##WlllWWWWrrWW#"},
	{41946, CLIENT, "app_orders", "shop", "10.1.4.19:40124", "orders-api", "active",
		"SELECT sku, sum(quantity) FROM order_line WHERE order_id = ANY($1) GROUP BY sku",
		{{WAIT_LWLOCK, 5120}, {WAIT_CPU, 2402}, {WAIT_RUNQ, 2010}},
		{true, WAIT_RUNQ, "", "", 2, false, true}, 30211, 9120,
		.history = "lll##rlllllrr#llllll"},
	{42001, CLIENT, "report", "warehouse", "10.1.9.2:60210", "Metabase \u5206\u6790", "active",
		"SELECT date_trunc('month', o.placed_at) AS month, c.region, count(*), "
		"sum(l.quantity *"
		" l.price) FROM orders o JOIN order_line l ON l.order_id = o.id JOIN customer c ON "
		"c.id ="
		" o.customer_id WHERE o.placed_at >= now() - interval '3 years' GROUP BY 1, 2 "
		"ORDER BY 1, 2",
		{{WAIT_IPC, 6200}, {WAIT_CPU, 1900}, {WAIT_IO, 1500}, {WAIT_RUNQ, 400}},
		WAITS(IPC, "IPC", "ExecuteGather", 812), 921, 1120000,
		.history = "oo#ppppppp#ppppppppp"},
	{42007, "parallel worker", "report", "warehouse", NULL, "Metabase \u5206\u6790", "active",
		"SELECT date_trunc('month', o.placed_at) AS month, c.region, count(*), "
		"sum(l.quantity * l.price) FROM orders o",
		{{WAIT_IO, 5300}, {WAIT_CPU, 3900}, {WAIT_RUNQ, 800}},
		WAITS(IO, "IO", "DataFileRead", 4), 9410, 88100, .history = "ooo#oo##oo#ooo#ooor#",
		.leader = 42001},
	{42008, "parallel worker", "report", "warehouse", NULL, "Metabase \u5206\u6790", "active",
		"SELECT date_trunc('month', o.placed_at) AS month, c.region, count(*), "
		"sum(l.quantity * l.price) FROM orders o",
		{{WAIT_IO, 4100}, {WAIT_CPU, 4900}, {WAIT_RUNQ, 1000}}, {false}, 8802, 92300,
		.history = "o##oo##oo#o#o##oo#r#", .leader = 42001},
	{42110, CLIENT, "etl", "warehouse", "10.1.9.40:41822", "pg_bulkload", "active",
		"COPY staging.events FROM STDIN WITH (FORMAT csv)",
		{{WAIT_NETWORK, 6310}, {WAIT_CPU, 2000}, {WAIT_IO, 1100}, {WAIT_WAL_WRITE, 490}},
		WAITS(NETWORK, "Client", "ClientRead", 14), 6120, 210000,
		.history = "nnn#nnonnnn#nnnWnnnn"},
	{42115, CLIENT, "\u00e9milie", "Verk\u00e4ufe", "2001:db8::1f:52110", "DBeaver", "active",
		"SELECT pg_sleep(30)  -- caf\u00e9", {{WAIT_TIMEOUT, 9998}, {WAIT_CPU, 2}},
		WAITS(TIMEOUT, "Timeout", "PgSleep", 21400), 0, 21400000,
		.history = "tttttttttttttttttttt"},
	{42120, CLIENT, "\u7530\u4e2d\u592a\u90ce\u4e09\u90ce", "\u5728\u5eab\u7ba1\u7406",
		"10.1.7.7:40000", "\u696d\u52d9\u30a2\u30d7\u30ea\u30b1\u30fc\u30b7\u30e7\u30f3",
		"active",
		"SELECT * FROM \u54c1\u76ee WHERE \u540d\u79f0 LIKE '%\U0001f363%' -- "
		"\u5168\u4ef6\u691c\u7d22",
		{{WAIT_IO, 7700}, {WAIT_CPU, 2100}, {WAIT_RUNQ, 200}},
		WAITS(IO, "IO", "DataFileRead", 6), 12044, 47000,
		.history = "ooooo#oo#oooo#ooooo#"},
	{42121, CLIENT, "rob\033[31mert", "drop\r\ntable", "10.1.7.8:40002",
		"x\033]52;c;ZWNobyBoaQ==\007", "idle in transaction (aborted)",
		"SELECT 'e\u0301e\u0301 \U0001f980 \xff\xfe\x9b"
		"31m \u202etxet\u202c' \t-- odd",
		{{WAIT_IDLE_XACT, 5200}, {WAIT_CPU, 400}, {WAIT_UNKNOWN, 640}},
		WAITS(IDLE_XACT, "Client", "ClientRead", 5200), 33, 5200000,
		.history = "....####!!xxxxxxxxxx"},
	{42130, CLIENT, "monitor", "postgres", "[local]", "pgbouncer-check", "active",
		"SELECT extension_wait()", {{WAIT_OTHER, 4100}, {WAIT_CPU, 500}},
		WAITS(OTHER, "Extension", "0x0700002a", 410), 410, 700000,
		.history = "..##??#.??????.?????"},
	{42131, CLIENT, "app_web", "shop", "10.1.4.30:51900", "web", "active",
		"SELECT p.* FROM product p WHERE p.id = $1", {{WAIT_OTHER, 900}, {WAIT_CPU, 2600}},
		WAITS(OTHER, "kernel", "futex_wait_queue", 12), 410, 90000,
		.history = "..##..##..?#.##.##??"},
	{42140, CLIENT, "app_web", "shop", "10.1.4.30:51902", "web", "idle",
		"SELECT p.* FROM product p WHERE p.id = $1", {{WAIT_CPU, 212}, {WAIT_RUNQ, 95}},
		WAITS(IDLE, "Client", "ClientRead", 180), 920, 310,
		.history = "....#.....#...#....."},
	{42141, CLIENT, "app_web", "shop", "10.1.4.30:51904", "web", "idle", "COMMIT",
		{{WAIT_CPU, 0}}, WAITS(IDLE, "Client", "ClientRead", 88000), 0, 0,
		.history = "...................."},
	{42142, CLIENT, "app_web", "shop", "10.1.4.30:51906", "web", "idle", "COMMIT",
		{{WAIT_CPU, 0}}, {true, WAIT_IDLE, "Client", "ClientRead", 3600000, true, false}, 0,
		0, .history = "...................."},
	{42150, CLIENT, "app_web", "shop", "10.1.4.31:38112", "web", NULL,
		"DELETE FROM cart WHERE touched_at < now() - interval '1 day'",
		{{WAIT_CPU, 900}, {WAIT_IO, 600}, {WAIT_RUNQ, 300}}, {false}, 2100, 31000,
		.history = "     #o#ro#         ", .exited = true, .watched_ms = 1800},
	{1310, "checkpointer", NULL, NULL, NULL, NULL, NULL, NULL,
		{{WAIT_IO, 3810}, {WAIT_TIMEOUT, 5600}, {WAIT_CPU, 590}},
		WAITS(TIMEOUT, "Timeout", "CheckpointWriteDelay", 61), 4410, 120000,
		.history = "tottottotttotttotttt"},
	{1311, "background writer", NULL, NULL, NULL, NULL, NULL, NULL, {{WAIT_CPU, 40}},
		WAITS(IDLE, "Activity", "BgWriterMain", 94), 50, 0,
		.history = "...................."},
	{1313, "walwriter", NULL, NULL, NULL, NULL, NULL, NULL,
		{{WAIT_WAL_WRITE, 2200}, {WAIT_CPU, 120}},
		WAITS(IDLE, "Activity", "WalWriterMain", 80), 120, 88000,
		.history = "..W..W...W..W..W.W.."},
	{1314, "autovacuum launcher", NULL, NULL, NULL, NULL, NULL, NULL, {{WAIT_CPU, 1}},
		WAITS(IDLE, "Activity", "AutoVacuumMain", 21000), 1, 0,
		.history = "...................."},
	{41700, "autovacuum worker", NULL, "shop", NULL, NULL, "active",
		"autovacuum: VACUUM ANALYZE public.order_line",
		{{WAIT_TIMEOUT, 5000}, {WAIT_IO, 2800}, {WAIT_CPU, 1600}, {WAIT_LWLOCK, 400}},
		WAITS(TIMEOUT, "Timeout", "VacuumDelay", 1), 3300, 22000,
		.history = "tototttotttottotttot"},
	{41702, "walsender", "replicator", NULL, "10.1.5.2:55012", "standby1", "active",
		"START_REPLICATION SLOT \"standby1\" 5/AC000000 TIMELINE 1",
		{{WAIT_NETWORK, 4100}, {WAIT_CPU, 900}, {WAIT_IO, 250}},
		WAITS(IDLE, "Activity", "WalSenderMain", 2), 7100, 48000,
		.history = "n..n..n.n.n..#n.n.n."},
	{2301, "checkpointer", NULL, NULL, NULL, NULL, NULL, NULL, {{WAIT_CPU, 0}},
		WAITS(IDLE, "Activity", "CheckpointerMain", 268000), 0, 0,
		.history = "....................", 0, 1},
	{2402, CLIENT, "postgres", "postgres", "[local]", "psql", "idle", "SELECT 1",
		{{WAIT_CPU, 0}}, WAITS(IDLE, "Client", "ClientRead", 42000), 0, 0,
		.history = "....................", .cluster = 1},
	/* A lock of the session, not of a transaction: its holder is idle. */
	{42143, CLIENT, "app_jobs", "shop", "10.1.4.40:42210", "jobs", "idle",
		"SELECT pg_advisory_lock(7)", {{WAIT_CPU, 0}},
		WAITS(IDLE, "Client", "ClientRead", 512000), 0, 0,
		.history = "...................."},
	{42144, CLIENT, "app_jobs", "shop", "10.1.4.40:42212", "jobs", "active",
		"SELECT pg_advisory_lock(7)", {{WAIT_LOCK, 2900}, {WAIT_CPU, 10}},
		WAITS(LOCK, "Lock", "advisory", 2900), 2, 2900000,
		.history = "..............LLLLLL", .blocked_by = {42143, -42145}},
};

static int type_of_glyph(char c)
{
	for (int i = 0; i < WAIT_NR; i++)
		if (wait_type_glyph((enum wait_type)i) == c)
			return i;
	return WAIT_NR;
}

static const char *clean(struct arena *a, const char *s, enum text_flags flags)
{
	return s ? text_clean_arena(a, s, strlen(s), flags) : NULL;
}

static void set_times(struct snap_backend *b, const struct row *r)
{
	uint64_t used = 0;

	b->watched_ns = MS(r->watched_ms ? r->watched_ms : 10000);
	for (size_t i = 0; i < ARRAY_SIZE(r->times); i++) {
		b->times.ns[r->times[i].type] += MS(r->times[i].ms);
		used += MS(r->times[i].ms);
	}
	b->times.ns[WAIT_IDLE] += b->watched_ns - used;
	b->off_ns = wait_times_off_ns(&b->times);
}

static void fill(struct arena *a, struct snap_backend *b, const struct row *r)
{
	size_t n = strlen(r->history);
	uint8_t *history = arena_alloc(a, n, 1);
	struct snap_blocker *by;
	struct snap_event *event;

	b->pid = r->pid;
	b->start_ticks = 100000 + (uint64_t)r->pid;
	b->cluster = r->cluster;
	b->postmaster = r->cluster ? 2300 : 1300;
	b->backend_type = r->type;
	b->user = clean(a, r->user, TEXT_ONE_LINE);
	b->database = clean(a, r->database, TEXT_ONE_LINE);
	b->client = clean(a, r->client, TEXT_ONE_LINE);
	b->application = clean(a, r->application, TEXT_ONE_LINE);
	b->state = r->state;
	b->query = clean(a, r->query, TEXT_KEEP_LINES);
	b->leader_pid = r->leader;
	b->exited = r->exited;
	set_times(b, r);
	b->waits = r->waits;
	b->max_wait_ns = r->max_us * NSEC_PER_USEC;
	b->has_current = r->current.is;
	b->current.type = r->current.type;
	b->current.wait_class = r->current.wait_class;
	b->current.event = r->current.event;
	b->current.age_ns = MS(r->current.age_ms);
	b->current.at_least = r->current.at_least;
	b->current.waiting_for_cpu = r->current.waiting_for_cpu;
	by = arena_alloc(a, ARRAY_SIZE(r->blocked_by), sizeof(*by));
	while (b->n_blocked_by < ARRAY_SIZE(r->blocked_by) && r->blocked_by[b->n_blocked_by]) {
		pid_t pid = r->blocked_by[b->n_blocked_by];

		by[b->n_blocked_by++] = (struct snap_blocker){abs(pid), pid < 0};
	}
	b->blocked_by = by;
	b->blocked_by_known = true;
	if (b->has_current) {
		event = arena_alloc(a, 1, sizeof(*event));
		*event = (struct snap_event){b->current.type, b->current.wait_class,
			b->current.event, r->waits, b->times.ns[b->current.type], b->max_wait_ns};
		b->events = event;
		b->n_events = 1;
	}
	for (size_t i = 0; i < n; i++)
		history[i] = (uint8_t)type_of_glyph(r->history[i]);
	b->history = history;
	b->n_history = n;
}

static void count_states(struct snapshot *s, const struct snap_backend *b)
{
	if (b->exited)
		return;
	if (strcmp(b->backend_type, CLIENT) != 0)
		s->n_background++;
	else if (b->state && !strncmp(b->state, "idle in", 7))
		s->n_idle_xact++;
	else if (b->state && !strcmp(b->state, "idle"))
		s->n_idle++;
	else
		s->n_active++;
}

static struct snapshot *new_snapshot(void)
{
	struct arena *a = arena_new();
	struct snapshot *s = arena_alloc(a, 1, sizeof(*s));

	s->arena = a;
	s->time_ms = 1796029200123;
	s->mono_ns = 86400 * NSEC_PER_SEC;
	s->interval_ns = NSEC_PER_SEC;
	s->window_ns = s->window_set_ns = 10 * NSEC_PER_SEC;
	s->host = "db1.example.com";
	s->kernel = "6.18.44";
	s->version = "0.1.0";
	s->self.cpu_ns = 12 * NSEC_PER_SEC;
	s->self.cpu_pct = 0.42;
	s->self.rss_bytes = 9 << 20;
	return s;
}

static void set_history(struct snapshot *s, const char *types, const uint32_t *milli)
{
	size_t n = strlen(types);
	uint8_t *history = arena_alloc(s->arena, n, 1);
	uint32_t *aas = arena_alloc(s->arena, n, sizeof(*aas));

	for (size_t i = 0; i < n; i++) {
		history[i] = (uint8_t)type_of_glyph(types[i]);
		aas[i] = milli[i];
	}
	s->history = history;
	s->history_aas_milli = aas;
	s->n_history = n;
}

static void sum_up(struct snapshot *s, struct snap_cluster *clusters)
{
	for (size_t i = 0; i < s->n_backends; i++) {
		const struct snap_backend *b = &s->backends[i];

		wait_times_add(&s->total, &b->times);
		count_states(s, b);
		s->waits_per_s += (double)b->waits / 10.0;
		if (clusters) {
			wait_times_add(&clusters[b->cluster].times, &b->times);
			clusters[b->cluster].backends += !b->exited;
		}
	}
	s->aas = (double)wait_times_active_ns(&s->total) / (double)s->window_ns;
}

static struct snapshot *from_rows(const struct row *rows, size_t n)
{
	static const uint32_t milli[] = {4100, 4300, 4900, 4200, 5100, 6200, 8900, 9700, 11200,
		12400, 13100, 12800, 13900, 14600, 15100, 16400, 17200, 16900, 17800, 18100};
	struct snapshot *s = new_snapshot();
	struct snap_backend *b = arena_alloc(s->arena, n, sizeof(*b));
	struct snap_cluster *c = arena_alloc(s->arena, 2, sizeof(*c));

	c[0] = (struct snap_cluster){.postmaster = 1300,
		.data_directory = "/var/lib/postgresql/15/main",
		.version = "15.18",
		.version_num = 150018,
		.cluster_name = "15/main",
		.exact = true};
	c[1] = (struct snap_cluster){.postmaster = 2300,
		.data_directory = "/srv/pg/test",
		.version = "17.6",
		.version_num = 170006,
		.cluster_name = "test",
		.exact = true};
	for (size_t i = 0; i < n; i++)
		fill(s->arena, &b[i], &rows[i]);
	s->backends = b;
	s->n_backends = n;
	s->clusters = c;
	s->n_clusters = 2;
	s->loss.ring_events = 1834;
	s->loss.ring_ns = MS(640);
	set_history(s, "##oo#oWWLLLLLLLLLLLL", milli);
	sum_up(s, c);
	return s;
}

struct snapshot *fixture_incident(void)
{
	return from_rows(incident, ARRAY_SIZE(incident));
}

struct snapshot *fixture_incident_later(void)
{
	struct row rows[ARRAY_SIZE(incident)];
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(incident); i++) {
		struct row r = incident[i];

		if (r.pid == 42110 || r.exited)
			continue; /* has left the window */
		if (r.pid == 41945)
			r.times[3].ms = 100; /* sinks in the order */
		if (r.current.is)
			r.current.age_ms += 3000;
		rows[n++] = r;
	}
	rows[n] = incident[4];
	rows[n++].pid = 42301;
	return from_rows(rows, n);
}

struct snapshot *fixture_empty(void)
{
	struct snapshot *s = new_snapshot();

	s->notice = "no PostgreSQL server is running";
	return s;
}

struct snapshot *fixture_all_idle(void)
{
	struct row rows[5];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		rows[i] = incident[17];
		rows[i].pid += (pid_t)i;
	}
	return from_rows(rows, ARRAY_SIZE(rows));
}

struct snapshot *fixture_many(size_t n)
{
	struct snapshot *s = new_snapshot();
	struct snap_backend *b = arena_alloc(s->arena, n, sizeof(*b));
	struct snap_cluster *c = arena_alloc(s->arena, 1, sizeof(*c));

	*c = (struct snap_cluster){.postmaster = 999, .version = "16.4", .exact = true};
	for (size_t i = 0; i < n; i++) {
		struct row r = incident[i % ARRAY_SIZE(incident)];

		r.pid = (pid_t)(1000 + i);
		r.cluster = 0;
		fill(s->arena, &b[i], &r);
	}
	s->backends = b;
	s->n_backends = n;
	s->clusters = c;
	s->n_clusters = 1;
	sum_up(s, c);
	return s;
}
