/* The snapshot of the report tests. See report_fixture.h. */
#include "report_fixture.h"

#define MS 1000000ULL
#define S  1000000000ULL

static const struct snap_event blocked_events[] = {
	{WAIT_LOCK, "Lock", "transactionid", 0, 9700 * MS, 72 * S},
	{WAIT_LWLOCK, "LWLock", "LockManager", 3, 100 * MS, 50 * MS},
};
static const struct snap_waker blocked_wakers[] = {
	{4243, SNAP_WAKER_BACKEND, "client backend", WAIT_LWLOCK, 3, 100 * MS},
	{-1, SNAP_WAKER_IRQ, "irq", WAIT_IO, 1, 5 * MS},
};
static const char *const blocked_kernel[] = {"schedule", "do_semtimedop", "0xffffffff81000000"};
static const char *const blocked_user[] = {"PGSemaphoreLock", "ProcSleep"};
static const struct snap_stack blocked_stacks[] = {
	{WAIT_LOCK, 1, 9700 * MS, blocked_kernel, 3, blocked_user, 2},
	{WAIT_LWLOCK, 3, 100 * MS, blocked_kernel, 1, NULL, 0},
};
static const struct snap_blocker blocked_by[] = {{4243, false}, {4250, true}};
static const uint32_t lwlock_bins[SNAP_HISTOGRAM_BINS] = {[0] = 1, [14] = 2};
static const uint32_t no_bins[SNAP_HISTOGRAM_BINS] = {0};

static const struct snap_event blocker_events[] = {
	{WAIT_IDLE_XACT, "Client", "ClientRead", 2, 9990 * MS, 61 * S},
};
static const struct snap_event worker_events[] = {
	{WAIT_IPC, "IPC", "ExecuteGather", 40, 2 * S, 90 * MS},
	{WAIT_IO, "IO", "DataFileRead", 900, 1 * S, 12 * MS},
	{WAIT_RUNQ, "", "runq", 12, 500 * MS, 60 * MS},
};

static const struct snap_backend backends[FIX_NR] = {
	[FIX_BLOCKED] =
		{
			.pid = 4242,
			.start_ticks = 100,
			.postmaster = 4200,
			.cluster = 0,
			.backend_type = "client backend",
			.user = "alice",
			.database = "shop",
			.client = "10.1.2.3:55012",
			.application = "psql",
			.state = "active",
			.query = "UPDATE stock SET n = n - 1 WHERE id = 7",
			.query_id_known = true,
			.query_id = -9007199254740993,
			.backend_start = "2026-11-30T08:58:00.000001Z",
			.backend_age_ns = 120 * S,
			.backend_age_known = true,
			.xact_age_ns = 73 * S,
			.xact_age_known = true,
			.state_age_ns = 72 * S,
			.state_age_known = true,
			.watched_ns = 10 * S,
			.times = {{[WAIT_CPU] = 195 * MS,
				[WAIT_IO] = 5 * MS,
				[WAIT_LWLOCK] = 100 * MS,
				[WAIT_LOCK] = 9700 * MS}},
			.off_ns = 9805 * MS,
			.waits = 4,
			.max_wait_ns = 72 * S,
			.has_current = true,
			.current = {WAIT_LOCK, "Lock", "transactionid", 72 * S, true, false},
			.events = blocked_events,
			.n_events = 2,
			.wakers = blocked_wakers,
			.n_wakers = 2,
			.stacks = blocked_stacks,
			.n_stacks = 2,
			.blocked_by = blocked_by,
			.n_blocked_by = 2,
			.blocked_by_known = true,
			.histogram = {[WAIT_LWLOCK] = lwlock_bins, [WAIT_IO] = no_bins},
		},
	[FIX_BLOCKER] =
		{
			.pid = 4243,
			.start_ticks = 101,
			.postmaster = 4200,
			.cluster = 0,
			.backend_type = "client backend",
			.user = "bob",
			.database = "shop",
			.client = "[local]",
			.application = "",
			.state = "idle in transaction",
			.query = "SELECT 1",
			.backend_start = "2026-11-30T08:00:00.000000Z",
			.backend_age_ns = 3600 * S,
			.backend_age_known = true,
			.xact_age_ns = 75 * S,
			.xact_age_known = true,
			.state_age_ns = 61 * S,
			.state_age_known = true,
			.watched_ns = 10 * S,
			.times = {{[WAIT_CPU] = 10 * MS, [WAIT_IDLE_XACT] = 9990 * MS}},
			.off_ns = 9990 * MS,
			.waits = 2,
			.max_wait_ns = 61 * S,
			.has_current = true,
			.current = {WAIT_IDLE_XACT, "Client", "ClientRead", 61 * S + 500 * MS,
				false, false},
			.events = blocker_events,
			.n_events = 1,
			.blocked_by_known = true,
		},
	[FIX_BUSY] =
		{
			.pid = 4244,
			.pid_ns = 17,
			.start_ticks = 102,
			.postmaster = 4200,
			.cluster = 0,
			.backend_type = "client backend",
			.user = "zo\xc3\xab",
			.database = "\xe6\xbc\xa2\xe5\xad\x97",
			.client = "10.1.2.3:55013",
			.application = "report \"daily\"",
			.state = "active",
			.query = "SELECT 'a\tb',\n       \"\xf0\x9f\x90\x98\"\n  FROM t -- \\ x",
			.watched_ns = 10 * S,
			.times =
				{
					{[WAIT_CPU] = 8 * S,
						[WAIT_RUNQ] = 1 * S,
						[WAIT_WAL_WRITE] = 1 * S}},
			.off_ns = 2 * S,
			.waits = 12345,
			.max_wait_ns = 23456789,
		},
	[FIX_IDLE] =
		{
			.pid = 4245,
			.start_ticks = 103,
			.postmaster = 4200,
			.cluster = 0,
			.backend_type = "client backend",
			.user = "alice",
			.database = "shop",
			.application = "pool",
			.state = "idle",
			.query = "COMMIT",
			.watched_ns = 10 * S,
			.times = {{[WAIT_CPU] = 3 * MS, [WAIT_IDLE] = 9997 * MS}},
			.waits = 1,
			.has_current = true,
			.current = {WAIT_IDLE, "Client", "ClientRead", 3 * S, false, false},
		},
	[FIX_WALWRITER] =
		{
			.pid = 4203,
			.start_ticks = 50,
			.postmaster = 4200,
			.cluster = 0,
			.backend_type = "walwriter",
			.watched_ns = 10 * S,
			.times =
				{
					{[WAIT_CPU] = 1 * MS,
						[WAIT_WAL_WRITE] = 4 * MS,
						[WAIT_IDLE] = 9995 * MS}},
			.off_ns = 4 * MS,
			.waits = 50,
			.max_wait_ns = 2 * MS,
			.has_current = true,
			.current = {WAIT_IDLE, "Activity", "WalWriterMain", 150 * MS, false, false},
		},
	[FIX_WORKER] =
		{
			.pid = 4246,
			.start_ticks = 104,
			.postmaster = 4200,
			.cluster = 0,
			.backend_type = "parallel worker",
			.user = "zo\xc3\xab",
			.database = "\xe6\xbc\xa2\xe5\xad\x97",
			.state = "active",
			.query = "SELECT count(*) FROM t",
			.leader_pid = 4244,
			.watched_ns = 4 * S,
			.times =
				{
					{[WAIT_CPU] = 500 * MS,
						[WAIT_RUNQ] = 500 * MS,
						[WAIT_IO] = 1 * S,
						[WAIT_IPC] = 2 * S}},
			.off_ns = 3500 * MS,
			.waits = 952,
			.max_wait_ns = 90 * MS,
			.has_current = true,
			.current =
				{WAIT_IPC, "IPC", "ExecuteGather", 12 * MS + 345678, false, true},
			.events = worker_events,
			.n_events = 3,
		},
	[FIX_EXITED] =
		{
			.pid = 4100,
			.start_ticks = 20,
			.postmaster = 4200,
			.cluster = 0,
			.exited = true,
			.watched_ns = 2 * S,
			.times = {{[WAIT_CPU] = 1 * S, [WAIT_IO] = 1 * S}},
			.off_ns = 1 * S,
			.waits = 7,
			.max_wait_ns = 400 * MS,
		},
	[FIX_LOSSY] =
		{
			.pid = 5001,
			.start_ticks = 105,
			.postmaster = 5000,
			.cluster = 1,
			.backend_type = "client backend",
			.user = "a,b;\"c\"",
			.database = "x  y",
			.client = "127.0.0.1:1",
			.application = "app",
			.state = "idle in transaction (aborted)",
			.query = "",
			.watched_ns = 10 * S,
			.times =
				{
					{[WAIT_CPU] = 1 * S,
						[WAIT_OTHER] = 4 * S,
						[WAIT_UNKNOWN] = 5 * S}},
			.off_ns = 4 * S,
			.waits = 1,
			.max_wait_ns = 4 * S,
			.has_current = true,
			.current = {WAIT_OTHER, "", "0x0c000001", 999, false, false},
		},
};

static const struct snap_cluster clusters[] = {
	{
		.postmaster = 4200,
		.data_directory = "/var/lib/postgresql/15/main",
		.version = "15.18",
		.version_num = 150018,
		.cluster_name = "15/main",
		.backends = 6,
		.aas = 3.6008,
		.times = {{[WAIT_CPU] = 9709 * MS,
			[WAIT_RUNQ] = 1500 * MS,
			[WAIT_IO] = 2005 * MS,
			[WAIT_WAL_WRITE] = 1004 * MS,
			[WAIT_LWLOCK] = 100 * MS,
			[WAIT_LOCK] = 9700 * MS,
			[WAIT_IPC] = 2 * S,
			[WAIT_IDLE_XACT] = 9990 * MS,
			[WAIT_IDLE] = 19992 * MS}},
		.exact = true,
	},
	{
		.postmaster = 5000,
		.data_directory = "/srv/pg \"x\"",
		.backends = 1,
		.aas = 1,
		.times = {{[WAIT_CPU] = 1 * S, [WAIT_OTHER] = 4 * S, [WAIT_UNKNOWN] = 5 * S}},
		.notice = "PostgreSQL 42 is not known",
	},
};

static const struct snapshot fixture = {
	.time_ms = 1796029200123,
	.mono_ns = 18446744073709551615ULL,
	.interval_ns = 1000100200,
	.window_ns = 10 * S,
	.window_set_ns = 10 * S,
	.host = "db1",
	.kernel = "6.18.44",
	.version = "0.1.0",
	.aas = 4.600799999999999,
	.total = {{[WAIT_CPU] = 10709 * MS,
		[WAIT_RUNQ] = 1500 * MS,
		[WAIT_IO] = 2005 * MS,
		[WAIT_WAL_WRITE] = 1004 * MS,
		[WAIT_LWLOCK] = 100 * MS,
		[WAIT_LOCK] = 9700 * MS,
		[WAIT_IPC] = 2 * S,
		[WAIT_IDLE_XACT] = 9990 * MS,
		[WAIT_IDLE] = 19992 * MS,
		[WAIT_OTHER] = 4 * S,
		[WAIT_UNKNOWN] = 5 * S}},
	.waits_per_s = 1336.2,
	.loss = {.ring_events = 12, .ring_ns = 5 * S, .event_unread = 1},
	.self = {.cpu_ns = 42 * MS,
		.cpu_pct = 0.42,
		.rss_bytes = 12582912,
		.events = 123456,
		.bpf_ns_known = true,
		.bpf_ns_per_switch = 581.25},
	.n_active = 3,
	.n_idle_xact = 2,
	.n_idle = 1,
	.n_background = 1,
	.clusters = clusters,
	.n_clusters = sizeof(clusters) / sizeof(clusters[0]),
	.backends = backends,
	.n_backends = FIX_NR,
};

static const struct snapshot empty = {
	.time_ms = -1,
	.interval_ns = 1 * S,
	.window_ns = 1 * S,
	.window_set_ns = 10 * S,
	.host = "db1",
	.kernel = "6.18.44",
	.version = "0.1.0",
	.notice = "waiting for PostgreSQL",
};

const struct snapshot *report_fixture(void)
{
	return &fixture;
}

const struct snapshot *report_fixture_empty(void)
{
	return &empty;
}
