/* A cluster's memory made by hand, in the layout of any major: globals, PgBackendStatus, PGPROC. */
#ifndef PGTOP_TEST_FAKEPG_H
#define PGTOP_TEST_FAKEPG_H

#include "fakemem.h"
#include "pglayout.h"

#define FAKEPG_POSTMASTER 100
#define FAKEPG_SLOTS	  200
#define FAKEPG_ACTIVITY	  4096 /* bytes of each query buffer; track_activity_query_size */
#define FAKEPG_SHARED	  0x7f0000000000ULL
#define FAKEPG_FREE	  (FAKEPG_SHARED + 0x200000) /* 0x100000 bytes for the test's own use */
#define FAKEPG_HEAP	  0x20000ULL		     /* private: 4096 bytes for strings */

struct fakepg {
	struct fakemem fm;
	struct mem_source mem;
	const struct pg_layout *layout;
	struct pg_symbols symbols;
};

/* With a postmaster that has no entry. Released by fakepg_release. */
void fakepg_init(struct fakepg *pg, int major);
void fakepg_release(struct fakepg *pg);

uint64_t fakepg_entry(int slot); /* address of a PgBackendStatus */
uint64_t fakepg_proc(int slot);	 /* of a PGPROC */
uint64_t fakepg_activity(int slot);

/* A process with its globals set and an entry filled in: client backend of database 5 ("db5"), user
 * 10 ("user10"), idle, application "app", query "select 1". pid_ns: what it calls itself. */
void fakepg_client(struct fakepg *pg, pid_t pid, pid_t pid_ns, int slot);

/* A process without a Port: raw backend type as in that major. */
void fakepg_background(struct fakepg *pg, pid_t pid, pid_t pid_ns, int slot, int raw_type);

/* Makes it a background worker of that bgw_type. */
void fakepg_bgworker(struct fakepg *pg, pid_t pid, pid_t pid_ns, int slot, const char *bgw_type);

/* Its private memory is gone, its entry is free. */
void fakepg_exit(struct fakepg *pg, pid_t pid, int slot);

/* Changes the query text as the backend would: the change count is even afterwards. */
void fakepg_report(struct fakepg *pg, int slot, const char *query, int raw_state);

/* Fields of an entry and of a global. */
void fakepg_set32(struct fakepg *pg, int slot, size_t offset, uint32_t v);
void fakepg_set64(struct fakepg *pg, int slot, size_t offset, uint64_t v);
uint32_t fakepg_get32(struct fakepg *pg, int slot, size_t offset);
void fakepg_global32(struct fakepg *pg, pid_t pid, enum pg_symbol symbol, uint32_t v);
void fakepg_global64(struct fakepg *pg, pid_t pid, enum pg_symbol symbol, uint64_t v);

#endif
