/*
 * The table behind waittype.h. Knows names and glyphs only; which wait belongs to which type is
 * decided in classify.c, colours in ui/.
 */
#include "waittype.h"

#include <errno.h>
#include <strings.h>

static const struct {
	const char *name;
	char glyph;
	const char *help;
} types[WAIT_NR] = {
	[WAIT_CPU] = {"cpu", '#', "on CPU (not a wait)"},
	[WAIT_RUNQ] = {"runq", 'r', "runnable, waiting for a CPU: preempted, woken, or throttled"},
	[WAIT_IO] = {"io", 'o', "data files, temporary files, page faults, swap-in"},
	[WAIT_WAL_WRITE] = {"wal_write", 'W', "writing or syncing WAL, or queueing for it"},
	[WAIT_LWLOCK] = {"lwlock", 'l', "lightweight locks on shared memory"},
	[WAIT_LOCK] = {"lock", 'L', "row, table, advisory locks; buffer pins"},
	[WAIT_NETWORK] = {"network", 'n', "a client or a replication peer, in mid-command"},
	[WAIT_IPC] = {"ipc", 'p', "another PostgreSQL process: parallel query, replication"},
	[WAIT_TIMEOUT] = {"timeout", 't', "sleeping on purpose: pg_sleep, vacuum delay"},
	[WAIT_IDLE_XACT] = {"idle_xact", 'x', "client idle in an open transaction: it holds locks"},
	[WAIT_IDLE] = {"idle", '.', "waiting for the next command, or a background loop at rest"},
	[WAIT_OTHER] = {"other", '?', "extensions, unknown classes, unexplained kernel waits"},
	[WAIT_UNKNOWN] = {"unknown", '!', "lost by the monitor: see the loss counters"},
};

const char *wait_type_name(enum wait_type type)
{
	return types[type].name;
}

char wait_type_glyph(enum wait_type type)
{
	return types[type].glyph;
}

const char *wait_type_help(enum wait_type type)
{
	return types[type].help;
}

int wait_type_parse(const char *name)
{
	for (int i = 0; i < WAIT_NR; i++)
		if (!strcasecmp(types[i].name, name))
			return i;
	return -EINVAL;
}
