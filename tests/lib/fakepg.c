/* A cluster's memory made by hand. See fakepg.h. */
#include "fakepg.h"

#include <string.h>
#include <sys/socket.h>

#define GLOBALS 0x10000ULL
#define PORT	(FAKEPG_HEAP + 0x1000)
#define WORKER	(FAKEPG_HEAP + 0x2000)

#define START_US(slot) (700000000000000LL + (slot))

void fakepg_init(struct fakepg *pg, int major)
{
	*pg = (struct fakepg){.layout = pglayout_for(major)};
	pg->mem = fakemem_source(&pg->fm);
	for (int i = 0; i < PG_SYMBOL_NR; i++)
		pg->symbols.addr[i] = GLOBALS + 16 * (uint64_t)i;
	fakemem_map(&pg->fm, 0, FAKEPG_SHARED, 0x300000);
	fakemem_map(&pg->fm, FAKEPG_POSTMASTER, GLOBALS, 4096);
	fakepg_global32(pg, FAKEPG_POSTMASTER, PG_MY_PROC_PID, FAKEPG_POSTMASTER);
	fakepg_global32(pg, FAKEPG_POSTMASTER, PG_TRACK_ACTIVITY_QUERY_SIZE, FAKEPG_ACTIVITY);
}

void fakepg_release(struct fakepg *pg)
{
	fakemem_release(&pg->fm);
}

uint64_t fakepg_entry(int slot)
{
	return FAKEPG_SHARED + 512 * (uint64_t)slot;
}

uint64_t fakepg_proc(int slot)
{
	return FAKEPG_SHARED + 0x40000 + 1024 * (uint64_t)slot;
}

uint64_t fakepg_activity(int slot)
{
	return FAKEPG_SHARED + 0x100000 + FAKEPG_ACTIVITY * (uint64_t)slot;
}

static uint64_t appname(int slot)
{
	return FAKEPG_SHARED + 0x80000 + PG_NAMEDATALEN * (uint64_t)slot;
}

void fakepg_set32(struct fakepg *pg, int slot, size_t offset, uint32_t v)
{
	fakemem_put32(&pg->fm, 0, fakepg_entry(slot) + offset, v);
}

void fakepg_set64(struct fakepg *pg, int slot, size_t offset, uint64_t v)
{
	fakemem_put64(&pg->fm, 0, fakepg_entry(slot) + offset, v);
}

uint32_t fakepg_get32(struct fakepg *pg, int slot, size_t offset)
{
	uint32_t v;

	memcpy(&v, fakemem_at(&pg->fm, 0, fakepg_entry(slot) + offset, sizeof(v)), sizeof(v));
	return v;
}

void fakepg_global32(struct fakepg *pg, pid_t pid, enum pg_symbol symbol, uint32_t v)
{
	fakemem_put32(&pg->fm, pid, pg->symbols.addr[symbol], v);
}

void fakepg_global64(struct fakepg *pg, pid_t pid, enum pg_symbol symbol, uint64_t v)
{
	fakemem_put64(&pg->fm, pid, pg->symbols.addr[symbol], v);
}

static void bump(struct fakepg *pg, int slot)
{
	uint32_t count = fakepg_get32(pg, slot, pg->layout->status.changecount);

	fakepg_set32(pg, slot, pg->layout->status.changecount, count + 1);
}

void fakepg_report(struct fakepg *pg, int slot, const char *query, int raw_state)
{
	bump(pg, slot);
	fakepg_set32(pg, slot, pg->layout->status.state, (uint32_t)raw_state);
	fakemem_puts(&pg->fm, 0, fakepg_activity(slot), query);
	bump(pg, slot);
}

void fakepg_background(struct fakepg *pg, pid_t pid, pid_t pid_ns, int slot, int raw_type)
{
	const struct pg_layout *l = pg->layout;

	fakemem_map(&pg->fm, pid, GLOBALS, 4096);
	fakemem_map(&pg->fm, pid, FAKEPG_HEAP, 0x3000);
	fakepg_global32(pg, pid, PG_MY_PROC_PID, (uint32_t)pid_ns);
	fakepg_global32(pg, pid, PG_MY_BACKEND_TYPE, (uint32_t)raw_type);
	fakepg_global64(pg, pid, PG_MY_BE_ENTRY, fakepg_entry(slot));
	fakepg_global64(pg, pid, PG_MY_PROC, fakepg_proc(slot));
	fakepg_global64(pg, pid, PG_MY_START_TIMESTAMP, (uint64_t)START_US(slot));
	fakepg_global64(
		pg, pid, PG_MY_WAIT_EVENT_INFO, fakepg_proc(slot) + l->proc.wait_event_info);
	fakepg_global32(pg, pid, PG_TRACK_ACTIVITY_QUERY_SIZE, FAKEPG_ACTIVITY);
	fakemem_put32(&pg->fm, 0, fakepg_proc(slot) + l->proc.pid, (uint32_t)pid_ns);

	bump(pg, slot);
	fakepg_set32(pg, slot, l->status.procpid, (uint32_t)pid_ns);
	fakepg_set32(pg, slot, l->status.backend_type, (uint32_t)raw_type);
	fakepg_set64(pg, slot, l->status.proc_start_timestamp, (uint64_t)START_US(slot));
	fakepg_set64(pg, slot, l->status.appname, appname(slot));
	fakepg_set64(pg, slot, l->status.activity_raw, fakepg_activity(slot));
	bump(pg, slot);
}

void fakepg_client(struct fakepg *pg, pid_t pid, pid_t pid_ns, int slot)
{
	const struct pg_layout *l = pg->layout;
	sa_family_t family = AF_UNIX;

	fakepg_background(pg, pid, pid_ns, slot, l->type_client);
	fakepg_global32(pg, pid, PG_MY_DATABASE_ID, 5);
	fakepg_global64(pg, pid, PG_MY_PROC_PORT, PORT);
	fakemem_put64(&pg->fm, pid, PORT + l->port.database_name, FAKEPG_HEAP);
	fakemem_put64(&pg->fm, pid, PORT + l->port.user_name, FAKEPG_HEAP + 256);
	fakemem_puts(&pg->fm, pid, FAKEPG_HEAP, "db5");
	fakemem_puts(&pg->fm, pid, FAKEPG_HEAP + 256, "user10");
	fakemem_puts(&pg->fm, 0, appname(slot), "app");
	fakepg_set32(pg, slot, l->status.databaseid, 5);
	fakepg_set32(pg, slot, l->status.userid, 10);
	memcpy(fakemem_at(&pg->fm, 0, fakepg_entry(slot) + l->status.clientaddr, sizeof(family)),
		&family, sizeof(family));
	fakepg_report(pg, slot, "select 1", l->major >= 18 ? 2 : 1);
}

void fakepg_bgworker(struct fakepg *pg, pid_t pid, pid_t pid_ns, int slot, const char *bgw_type)
{
	fakepg_background(pg, pid, pid_ns, slot, pg->layout->type_bgworker);
	fakepg_global64(pg, pid, PG_MY_BGWORKER_ENTRY, WORKER);
	fakemem_puts(&pg->fm, pid, WORKER + pg->layout->bgworker.type, bgw_type);
	fakepg_global32(pg, pid, PG_MY_DATABASE_ID, 5);
	fakepg_set32(pg, slot, pg->layout->status.databaseid, 5);
	fakepg_set32(pg, slot, pg->layout->status.userid, 10);
}

void fakepg_exit(struct fakepg *pg, pid_t pid, int slot)
{
	fakemem_unmap_all(&pg->fm, pid);
	bump(pg, slot);
	fakepg_set32(pg, slot, pg->layout->status.procpid, 0);
	bump(pg, slot);
	for (size_t i = 0; i < sizeof(pg->fm.gone) / sizeof(pg->fm.gone[0]); i++) {
		if (!pg->fm.gone[i]) {
			pg->fm.gone[i] = pid;
			break;
		}
	}
}
