/*
 * Copies of PgBackendStatus entries, taken from shared memory by PostgreSQL's change-count
 * protocol: the owner makes st_changecount odd, writes, makes it even again; a copy is whole if the
 * count was even and the same before and after.
 */
#ifndef PGTOP_PGENTRY_H
#define PGTOP_PGENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pglayout.h"
#include "procmem.h"

#define PG_ENTRY_BATCH	    64 /* most copies a call */
#define PG_ENTRY_MAX_QUERY  65536
#define PG_ENTRY_CLIENT_LEN 72

/* The fields, as they are: nothing is checked but that they are in the entry. */
struct pg_entry {
	uint32_t changecount;
	int32_t procpid;
	int32_t backend_type; /* raw */
	int32_t state;	      /* raw */
	int64_t proc_start_us, xact_start_us, activity_start_us, state_start_us;
	uint32_t databaseid, userid;
	int64_t query_id;
	char client[PG_ENTRY_CLIENT_LEN]; /* "[local]", "127.0.0.1:5432", "[::1]:5432", "" */
	uint64_t appname_addr, activity_addr;
};

/* From layout->status.size raw bytes. */
void pg_entry_decode(const struct pg_layout *layout, const void *raw, struct pg_entry *ret);

/* One copy to take. Zero it before first use; the query buffer is kept and reused. */
struct pg_entry_copy {
	uint64_t addr;	 /* in: of the entry */
	uint32_t before; /* in: st_changecount, read before the call */

	int err; /* out: 0; -EAGAIN kept changing; -EFAULT. The rest is set only if 0. */
	struct pg_entry entry;
	bool application_known;
	char application[PG_NAMEDATALEN];
	bool query_known;
	char *query; /* query_len bytes and a NUL; owned by the copy */
	size_t query_len;
	size_t query_cap;
};

void pg_entry_copy_free(struct pg_entry_copy *c); /* what it owns */

/*
 * Takes n (at most PG_ENTRY_BATCH) copies through process pid. activity_bytes:
 * track_activity_query_size, capped to 1 .. PG_ENTRY_MAX_QUERY. 0 and err of each; or, nothing
 * taken, what readv gives.
 */
int pg_entries_copy(const struct mem_source *mem, pid_t pid, const struct pg_layout *layout,
	size_t activity_bytes, struct pg_entry_copy *copies, size_t n);

#endif
