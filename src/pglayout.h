/*
 * Where PostgreSQL keeps what is read from its memory: struct offsets per major version, exported
 * symbols, and the numbers that mean something else in each major.
 *
 * The offsets hold for 64-bit little-endian builds (x86_64 and aarch64 have the same). They are
 * taken from the headers of each major and must still be checked against the running server
 * (backend_status does), for a vendor may have changed a struct.
 */
#ifndef PGTOP_PGLAYOUT_H
#define PGTOP_PGLAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define PG_LAYOUT_MIN_MAJOR 14
#define PG_LAYOUT_MAX_MAJOR 18

#define PG_NAMEDATALEN 64
#define PG_BGW_MAXLEN  96
#define PG_LOCK_MODES  8 /* AccessShareLock 1 .. AccessExclusiveLock 8 */

/* st_state, the same in all majors; see pglayout_state. The order is not PostgreSQL's. */
enum pg_state {
	PG_STATE_UNDEFINED = 0, /* background processes; not known */
	PG_STATE_IDLE,
	PG_STATE_ACTIVE,
	PG_STATE_IDLE_IN_XACT,
	PG_STATE_FASTPATH,
	PG_STATE_IDLE_IN_XACT_ABORTED,
	PG_STATE_DISABLED, /* track_activities = off */
	PG_STATE_STARTING, /* 18 */
	PG_STATE_NR,
};

/* Byte offsets, but where it says otherwise. */
struct pg_layout {
	int major;

	struct {
		uint16_t size;
		uint16_t pid;		  /* int */
		uint16_t database_id;	  /* Oid */
		uint16_t role_id;	  /* Oid */
		uint16_t wait_lock;	  /* LOCK * */
		uint16_t wait_lock_mode;  /* int */
		uint16_t wait_event_info; /* uint32 */
		/* The lock group: 0 when not known for this major. */
		uint16_t lock_group_leader;  /* PGPROC * */
		uint16_t lock_group_members; /* list head, valid in the leader */
		uint16_t lock_group_link;    /* list node */
		uint16_t links;		     /* list node: in the wait queue of wait_lock */
	} proc;

	struct {
		uint16_t size;
		uint16_t changecount; /* int */
		uint16_t procpid;     /* int */
		uint16_t backend_type;
		uint16_t proc_start_timestamp;
		uint16_t xact_start_timestamp;
		uint16_t activity_start_timestamp;
		uint16_t state_start_timestamp;
		uint16_t databaseid;
		uint16_t userid;
		uint16_t clientaddr;   /* struct sockaddr_storage */
		uint16_t state;	       /* int, raw: see pglayout_state */
		uint16_t appname;      /* char *, NAMEDATALEN bytes */
		uint16_t activity_raw; /* char *, track_activity_query_size bytes */
		uint16_t query_id;     /* uint64 */
	} status;		       /* PgBackendStatus */

	struct {
		uint16_t database_name; /* char * */
		uint16_t user_name;	/* char * */
	} port;

	struct {
		uint16_t name; /* char[PG_BGW_MAXLEN] */
		uint16_t type; /* char[PG_BGW_MAXLEN] */
	} bgworker;

	/* The lock table. known false: blocked_by cannot be read for this major. List heads and
	 * nodes are {prev, next}. */
	struct {
		bool known;
		uint16_t lock_size;
		uint16_t tag;	     /* 16 bytes */
		uint16_t grant_mask; /* int */
		uint16_t wait_mask;  /* int */
		uint16_t proc_locks; /* list head of PROCLOCK.lock_link */
		uint16_t wait_procs; /* list head of PGPROC.links */
		uint16_t wait_count; /* int: length of wait_procs */
		uint16_t proclock_size;
		uint16_t my_lock;      /* LOCK * */
		uint16_t my_proc;      /* PGPROC * */
		uint16_t group_leader; /* PGPROC * */
		uint16_t hold_mask;    /* int */
		uint16_t lock_link;    /* list node */
	} lock;

	uint16_t first_extension_tranche; /* LWLock tranche ids from here on are extensions' */

	/* By raw value. */
	uint8_t n_backend_types, n_states;
	const char *const *backend_types; /* NULL: no such type */
	const uint8_t *states;		  /* enum pg_state */

	int type_client;   /* raw MyBackendType of a client backend */
	int type_bgworker; /* of a background worker: its type is bgw_type */
	int type_walsender;
};

/* The layout of that major, or NULL if it is not known. Static. */
const struct pg_layout *pglayout_for(int major);

/* pg_stat_activity's backend_type, or NULL: no such value (also 0, not yet set). Static. For a
 * background worker it is "background worker"; pg_stat_activity has its bgw_type instead. */
const char *pglayout_backend_type(const struct pg_layout *l, int64_t raw);

/* From the raw st_state of that major; PG_STATE_UNDEFINED when out of range. */
enum pg_state pglayout_state(const struct pg_layout *l, int64_t raw);

/* pg_stat_activity's state: "idle in transaction" ...; NULL for undefined. Static. */
const char *pg_state_name(enum pg_state state);

/* Timestamps are microseconds since 2000-01-01 UTC. To microseconds since the epoch; age in ns
 * given now in microseconds since the epoch (0 if it lies in the future). ts_us must not be 0. */
int64_t pg_timestamp_unix_us(int64_t ts_us);
uint64_t pg_timestamp_age_ns(int64_t ts_us, int64_t now_unix_us);

/* The symbols of the postgres executable that are needed, all from .dynsym. */
enum pg_symbol {
	PG_MY_WAIT_EVENT_INFO,		  /* uint32 * */
	PG_MY_BE_ENTRY,			  /* PgBackendStatus * */
	PG_MY_PROC,			  /* PGPROC * */
	PG_MY_PROC_PORT,		  /* Port * */
	PG_MY_BGWORKER_ENTRY,		  /* BackgroundWorker * */
	PG_MY_BACKEND_TYPE,		  /* int */
	PG_MY_DATABASE_ID,		  /* Oid */
	PG_MY_START_TIMESTAMP,		  /* int64 us */
	PG_MY_PROC_PID,			  /* int */
	PG_POSTMASTER_PID,		  /* int */
	PG_IS_UNDER_POSTMASTER,		  /* bool */
	PG_DATA_DIR,			  /* char * */
	PG_CLUSTER_NAME,		  /* char * */
	PG_NAMED_LWLOCK_TRANCHE_ARRAY,	  /* struct { int id; char *name; } * */
	PG_NAMED_LWLOCK_TRANCHE_REQUESTS, /* int */
	PG_TRACK_ACTIVITY_QUERY_SIZE,	  /* int */
	PG_DEBUG_QUERY_STRING,		  /* char * */
	PG_SYMBOL_NR,
};

/* Their names in .dynsym, by enum pg_symbol. */
extern const char *const pg_symbol_names[PG_SYMBOL_NR];

/* Absolute run-time addresses, the same in every process of a cluster (they are forks of the
 * postmaster). 0: not exported by this server. */
struct pg_symbols {
	uint64_t addr[PG_SYMBOL_NR];
};

#endif
