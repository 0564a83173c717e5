/*
 * The layout tables. See pglayout.h.
 *
 * Owns the constants and nothing else. Offsets were computed by the compiler from the server
 * headers of each major where there is a package of them (15, 17, 18) and read off running servers
 * for the rest (14, 16). A field that is not certain is 0, and what needs it is then not offered.
 */
#include "pglayout.h"

#include <stddef.h>

#include "util.h"

#define PG_EPOCH_UNIX_US 946684800000000LL

const char *const pg_symbol_names[PG_SYMBOL_NR] = {
	[PG_MY_WAIT_EVENT_INFO] = "my_wait_event_info",
	[PG_MY_BE_ENTRY] = "MyBEEntry",
	[PG_MY_PROC] = "MyProc",
	[PG_MY_PROC_PORT] = "MyProcPort",
	[PG_MY_BGWORKER_ENTRY] = "MyBgworkerEntry",
	[PG_MY_BACKEND_TYPE] = "MyBackendType",
	[PG_MY_DATABASE_ID] = "MyDatabaseId",
	[PG_MY_START_TIMESTAMP] = "MyStartTimestamp",
	[PG_MY_PROC_PID] = "MyProcPid",
	[PG_POSTMASTER_PID] = "PostmasterPid",
	[PG_IS_UNDER_POSTMASTER] = "IsUnderPostmaster",
	[PG_DATA_DIR] = "DataDir",
	[PG_CLUSTER_NAME] = "cluster_name",
	[PG_NAMED_LWLOCK_TRANCHE_ARRAY] = "NamedLWLockTrancheArray",
	[PG_NAMED_LWLOCK_TRANCHE_REQUESTS] = "NamedLWLockTrancheRequests",
	[PG_TRACK_ACTIVITY_QUERY_SIZE] = "pgstat_track_activity_query_size",
	[PG_DEBUG_QUERY_STRING] = "debug_query_string",
};

static const char *const state_names[PG_STATE_NR] = {
	[PG_STATE_IDLE] = "idle",
	[PG_STATE_ACTIVE] = "active",
	[PG_STATE_IDLE_IN_XACT] = "idle in transaction",
	[PG_STATE_FASTPATH] = "fastpath function call",
	[PG_STATE_IDLE_IN_XACT_ABORTED] = "idle in transaction (aborted)",
	[PG_STATE_DISABLED] = "disabled",
	[PG_STATE_STARTING] = "starting",
};

static const uint8_t states_14[] = {PG_STATE_UNDEFINED, PG_STATE_IDLE, PG_STATE_ACTIVE,
	PG_STATE_IDLE_IN_XACT, PG_STATE_FASTPATH, PG_STATE_IDLE_IN_XACT_ABORTED, PG_STATE_DISABLED};

static const uint8_t states_18[] = {PG_STATE_UNDEFINED, PG_STATE_STARTING, PG_STATE_IDLE,
	PG_STATE_ACTIVE, PG_STATE_IDLE_IN_XACT, PG_STATE_FASTPATH, PG_STATE_IDLE_IN_XACT_ABORTED,
	PG_STATE_DISABLED};

/* By MyBackendType, which every few majors renumber. */
static const char *const types_14[] = {NULL, "autovacuum launcher", "autovacuum worker",
	"client backend", "background worker", "background writer", "checkpointer", "startup",
	"walreceiver", "walsender", "walwriter", "archiver", "stats collector", "logger"};

static const char *const types_15[] = {NULL, "autovacuum launcher", "autovacuum worker",
	"client backend", "background worker", "background writer", "checkpointer", "startup",
	"walreceiver", "walsender", "walwriter", "archiver", "logger"};

static const char *const types_16[] = {NULL, "archiver", "autovacuum launcher", "autovacuum worker",
	"client backend", "background worker", "background writer", "checkpointer", "logger",
	"standalone backend", "startup", "walreceiver", "walsender", "walwriter"};

static const char *const types_17[] = {NULL, "client backend", "autovacuum launcher",
	"autovacuum worker", "background worker", "walsender", "slotsync worker",
	"standalone backend", "archiver", "background writer", "checkpointer", "startup",
	"walreceiver", "walsummarizer", "walwriter", "logger"};

static const char *const types_18[] = {NULL, "client backend", "dead-end client backend",
	"autovacuum launcher", "autovacuum worker", "background worker", "walsender",
	"slotsync worker", "standalone backend", "archiver", "background writer", "checkpointer",
	"io worker", "startup", "walreceiver", "walsummarizer", "walwriter", "logger"};

#define TYPES(t)  .backend_types = (t), .n_backend_types = ARRAY_SIZE(t)
#define STATES(t) .states = (t), .n_states = ARRAY_SIZE(t)

/* The same in all of 14..18. */
#define STATUS(bytes)                           \
	.status = {.size = (bytes),             \
		.changecount = 0,               \
		.procpid = 4,                   \
		.backend_type = 8,              \
		.proc_start_timestamp = 16,     \
		.xact_start_timestamp = 24,     \
		.activity_start_timestamp = 32, \
		.state_start_timestamp = 40,    \
		.databaseid = 48,               \
		.userid = 52,                   \
		.clientaddr = 56,               \
		.state = 232,                   \
		.appname = 240,                 \
		.activity_raw = 248,            \
		.query_id = 424}

#define BGWORKER .bgworker = {.name = 0, .type = 96}

/* SHM_QUEUE (14, 15) and dlist (16 and later) have the same shape, as have PROC_QUEUE and dclist.
 * Compared with pg_blocking_pids() on servers of all of these majors. */
#define LOCKTABLE                    \
	.lock = {.known = true,      \
		.lock_size = 152,    \
		.tag = 0,            \
		.grant_mask = 16,    \
		.wait_mask = 20,     \
		.proc_locks = 24,    \
		.wait_procs = 40,    \
		.wait_count = 56,    \
		.proclock_size = 64, \
		.my_lock = 0,        \
		.my_proc = 8,        \
		.group_leader = 16,  \
		.hold_mask = 24,     \
		.lock_link = 32}

static const struct pg_layout layouts[] = {
	{
		.major = 14,
		.proc = {.size = 880,
			.pid = 64,
			.database_id = 80,
			.role_id = 84,
			.wait_lock = 112,
			.wait_lock_mode = 128,
			.wait_event_info = 712,
			.lock_group_leader = 840,
			.lock_group_members = 848,
			.lock_group_link = 864,
			.links = 0},
		STATUS(432),
		.port = {.database_name = 328, .user_name = 336},
		BGWORKER,
		LOCKTABLE,
		TYPES(types_14),
		STATES(states_14),
		.type_client = 3,
		.type_bgworker = 4,
		.type_walsender = 9,
		.first_extension_tranche = 72,
	},
	{
		.major = 15,
		.proc = {.size = 880,
			.pid = 64,
			.database_id = 80,
			.role_id = 84,
			.wait_lock = 112,
			.wait_lock_mode = 128,
			.wait_event_info = 712,
			.lock_group_leader = 840,
			.lock_group_members = 848,
			.lock_group_link = 864,
			.links = 0},
		STATUS(432),
		.port = {.database_name = 328, .user_name = 336},
		BGWORKER,
		LOCKTABLE,
		TYPES(types_15),
		STATES(states_14),
		.type_client = 3,
		.type_bgworker = 4,
		.type_walsender = 9,
		.first_extension_tranche = 75,
	},
	{
		.major = 16,
		.proc = {.size = 880,
			.pid = 64,
			.database_id = 80,
			.role_id = 84,
			.wait_lock = 112,
			.wait_lock_mode = 128,
			.wait_event_info = 712,
			.lock_group_leader = 840,
			.lock_group_members = 848,
			.lock_group_link = 864,
			.links = 0},
		STATUS(432),
		.port = {.database_name = 328, .user_name = 336},
		BGWORKER,
		LOCKTABLE,
		TYPES(types_16),
		STATES(states_14),
		.type_client = 4,
		.type_bgworker = 5,
		.type_walsender = 12,
		.first_extension_tranche = 77,
	},
	{
		.major = 17,
		.proc = {.size = 888,
			.pid = 60,
			.database_id = 76,
			.role_id = 80,
			.wait_lock = 112,
			.wait_lock_mode = 128,
			.wait_event_info = 712,
			.lock_group_leader = 848,
			.lock_group_members = 856,
			.lock_group_link = 872,
			.links = 0},
		STATUS(432),
		.port = {.database_name = 320, .user_name = 328},
		BGWORKER,
		LOCKTABLE,
		TYPES(types_17),
		STATES(states_14),
		.type_client = 1,
		.type_bgworker = 4,
		.type_walsender = 5,
		.first_extension_tranche = 92,
	},
	{
		.major = 18,
		.proc = {.size = 832,
			.pid = 60,
			.database_id = 76,
			.role_id = 80,
			.wait_lock = 112,
			.wait_lock_mode = 128,
			.wait_event_info = 712,
			.lock_group_leader = 792,
			.lock_group_members = 800,
			.lock_group_link = 816,
			.links = 0},
		STATUS(440),
		.port = {.database_name = 384, .user_name = 392},
		BGWORKER,
		LOCKTABLE,
		TYPES(types_18),
		STATES(states_18),
		.type_client = 1,
		.type_bgworker = 5,
		.type_walsender = 6,
		.first_extension_tranche = 95,
	},
};

const struct pg_layout *pglayout_for(int major)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].major == major)
			return &layouts[i];
	return NULL;
}

const char *pglayout_backend_type(const struct pg_layout *l, int64_t raw)
{
	return raw >= 0 && raw < l->n_backend_types ? l->backend_types[raw] : NULL;
}

enum pg_state pglayout_state(const struct pg_layout *l, int64_t raw)
{
	return raw >= 0 && raw < l->n_states ? (enum pg_state)l->states[raw] : PG_STATE_UNDEFINED;
}

const char *pg_state_name(enum pg_state state)
{
	return (unsigned int)state < PG_STATE_NR ? state_names[state] : NULL;
}

int64_t pg_timestamp_unix_us(int64_t ts_us)
{
	int64_t us;

	return __builtin_add_overflow(ts_us, PG_EPOCH_UNIX_US, &us) ? INT64_MAX : us;
}

uint64_t pg_timestamp_age_ns(int64_t ts_us, int64_t now_unix_us)
{
	int64_t us = pg_timestamp_unix_us(ts_us), age;
	uint64_t ns;

	if (__builtin_sub_overflow(now_unix_us, us, &age))
		return us < 0 ? UINT64_MAX : 0;
	if (age < 0)
		return 0;
	return __builtin_mul_overflow((uint64_t)age, NSEC_PER_USEC, &ns) ? UINT64_MAX : ns;
}
