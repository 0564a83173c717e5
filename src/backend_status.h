/*
 * The session facts of all backends of one cluster, read from their memory: what pg_stat_activity
 * shows, without a connection.
 *
 * Source: PgBackendStatus (shared memory, found through each backend's MyBEEntry), MyProcPort,
 * MyBgworkerEntry, MyProc. A backend's entry is used only after its layout was checked against the
 * backend's own globals. Strings are raw bytes as PostgreSQL holds them: any encoding, control
 * bytes, cut inside a character. Clean them before they are shown.
 *
 * pid is the pid in the namespace of this program, pid_ns the one in the backend's own (what
 * PostgreSQL itself calls the backend's pid).
 */
#ifndef PGTOP_BACKEND_STATUS_H
#define PGTOP_BACKEND_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pglayout.h"
#include "procmem.h"

#define BACKEND_STATUS_MAX_QUERY_BYTES 65536 /* a longer track_activity_query_size is cut here */

/* Bytes with a length, also NUL-terminated; s NULL: not known. Not owned by the holder. */
struct pg_bytes {
	const char *s;
	size_t len;
};

/* Timestamps: microseconds since 2000-01-01 UTC by the server's wall clock; 0: none. */
struct backend_facts {
	pid_t pid;
	pid_t pid_ns;

	/* PgBackendStatus is read and has passed its check. When false, only backend_type, user,
	 * database may be set, and reason says why (static; NULL when it is just starting). */
	bool known;
	const char *reason;

	struct pg_bytes backend_type; /* as pg_stat_activity; background workers: bgw_type */
	struct pg_bytes user;
	struct pg_bytes database;
	struct pg_bytes application; /* "" is known and empty */
	struct pg_bytes query;	     /* the last one, where the state is idle */
	char client[72];	     /* "[local]", "127.0.0.1:51234", "[::1]:5432", "": none */

	enum pg_state state;
	int64_t query_id; /* 0: none (compute_query_id is off) */
	pid_t leader_pid; /* in this program's namespace; 0: none */
	uint32_t databaseid;
	uint32_t userid;
	int64_t backend_start_us;
	int64_t xact_start_us;
	int64_t query_start_us;
	int64_t state_start_us;

	/* Moves whenever one of the above did: what was made of the facts can be kept till then. */
	uint32_t generation;
};

struct backend_status;

/*
 * One cluster. layout may be NULL (major not known) and any symbol 0: what needs them is then not
 * known. postmaster is read from first, for it lives longest. All arguments are copied, layout is
 * static. Never NULL.
 */
struct backend_status *backend_status_new(const struct mem_source *mem,
	const struct pg_layout *layout, const struct pg_symbols *symbols, pid_t postmaster);
void backend_status_free(struct backend_status *bs); /* NULL is allowed */

/* Begins to watch a backend; reads nothing yet. pid_ns 0: same as pid. If pid is watched already
 * it is begun anew (the pid was reused). The postmaster itself may be added too. */
void backend_status_add(struct backend_status *bs, pid_t pid, pid_t pid_ns);

/* Forgets a backend and frees what it had. */
void backend_status_remove(struct backend_status *bs, pid_t pid);

/*
 * One tick: re-reads what has moved, of all backends. A backend's failure is in its facts. 0, or
 * -ESRCH / -EPERM if no process of the cluster could be read from: all facts stay as they were.
 */
int backend_status_update(struct backend_status *bs);

/* Re-reads one backend alone: at its first sight, or for facts fresh to the moment. -ENOENT if it
 * is not watched, or as above. */
int backend_status_update_one(struct backend_status *bs, pid_t pid);

/* The facts of a watched backend, or NULL. Valid until the next update, add, remove. */
const struct backend_facts *backend_status_get(const struct backend_status *bs, pid_t pid);

/*
 * What a backend waits for at this moment: *my_wait_event_info (0: nothing) and its state (raw
 * st_state is mapped; undefined when not known). For waits that began before attach. Reads two or
 * three words from that backend. -ENOENT not watched, -EOPNOTSUPP my_wait_event_info is not
 * exported, -ESRCH, -EPERM, -EFAULT. Outputs untouched on failure.
 */
int backend_status_read_wait_event(
	struct backend_status *bs, pid_t pid, uint32_t *ret_info, enum pg_state *ret_state);

/* Address of a backend's PGPROC (MyProc), and of its PgBackendStatus (MyBEEntry); the same in all
 * processes of the cluster. 0: not known (yet). */
uint64_t backend_status_proc_addr(const struct backend_status *bs, pid_t pid);
uint64_t backend_status_entry_addr(const struct backend_status *bs, pid_t pid);

/* A living process to read the cluster's shared memory through, or -1. */
pid_t backend_status_reader(const struct backend_status *bs);

/* The pid in this program's namespace of the watched backend that calls itself pid_ns; pid_ns
 * itself where the cluster is in this program's namespace; else 0. */
pid_t backend_status_host_pid(const struct backend_status *bs, pid_t pid_ns);

/* Teaches a name seen elsewhere (an autovacuum worker's title). Clients teach their own. */
void backend_status_learn_database(struct backend_status *bs, uint32_t oid, const char *name);

/* The names learned for these oids, or NULL. Raw bytes, valid until the next update. */
const char *backend_status_database_name(const struct backend_status *bs, uint32_t oid);
const char *backend_status_user_name(const struct backend_status *bs, uint32_t oid);

#endif
