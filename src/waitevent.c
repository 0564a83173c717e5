/*
 * Wait events: see waitevent.h.
 *
 * Owns the generated tables, all constant. Knows no process and no cluster: tranche names and the
 * session's state come from the caller. The order of the tables' entries is the events' ids.
 */
#include "waitevent.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util.h"

#define N_CLASSES 16

struct class_table {
	const char *name;
	const char *const *events; /* by id; NULL in a gap */
	size_t n;
};

struct major_table {
	int major;
	struct class_table classes[N_CLASSES];
};

#include "waitevent_tables.h"

/* By class byte, for majors that are not in the tables. */
static const struct {
	const char *name;
	enum wait_type type;
} stable_classes[N_CLASSES] = {
	[WAITEVENT_CLASS_LWLOCK] = {"LWLock", WAIT_LWLOCK},
	[WAITEVENT_CLASS_LOCK] = {"Lock", WAIT_LOCK},
	[WAITEVENT_CLASS_BUFFER] = {"BufferPin", WAIT_LOCK},
	[WAITEVENT_CLASS_ACTIVITY] = {"Activity", WAIT_IDLE},
	[WAITEVENT_CLASS_CLIENT] = {"Client", WAIT_NETWORK},
	[WAITEVENT_CLASS_EXTENSION] = {"Extension", WAIT_OTHER},
	[WAITEVENT_CLASS_IPC] = {"IPC", WAIT_IPC},
	[WAITEVENT_CLASS_TIMEOUT] = {"Timeout", WAIT_TIMEOUT},
	[WAITEVENT_CLASS_IO] = {"IO", WAIT_IO},
	[WAITEVENT_CLASS_INJECTION] = {"InjectionPoint", WAIT_OTHER},
};

/* The locks that serialise writing WAL. Before 17.1 or so the binary's own name may end in
 * "Lock". */
static const char *const wal_lwlocks[] = {"WALWrite", "WALInsert", "WALBufMapping"};

static const struct major_table *find_major(int major)
{
	for (size_t i = 0; i < ARRAY_SIZE(major_tables); i++)
		if (major_tables[i].major == major)
			return &major_tables[i];
	return NULL;
}

size_t waitevent_majors(const int **ret_majors)
{
	*ret_majors = majors;
	return ARRAY_SIZE(majors);
}

bool waitevent_major_known(int major)
{
	return find_major(major) != NULL;
}

const char *waitevent_class_name(int major, uint32_t info)
{
	const struct major_table *table = find_major(major);
	unsigned class = WAITEVENT_CLASS(info);

	if (class >= N_CLASSES)
		return NULL;
	if (table && table->classes[class].name)
		return table->classes[class].name;
	/* Injection points have no fixed events, hence no rows. */
	if (table && (class != WAITEVENT_CLASS_INJECTION || major < 17))
		return NULL;
	if (class == WAITEVENT_CLASS_BUFFER && major >= 19)
		return "Buffer";
	return stable_classes[class].name;
}

const char *waitevent_event_name(int major, uint32_t info)
{
	const struct major_table *table = find_major(major);
	unsigned class = WAITEVENT_CLASS(info);
	uint32_t id = WAITEVENT_ID(info);

	if (!table || class >= N_CLASSES || id >= table->classes[class].n)
		return NULL;
	return table->classes[class].events[id];
}

uint32_t waitevent_first_extension_tranche(int major)
{
	const struct major_table *table = find_major(major);

	/* PostgreSQL's own tranches end where the extensions' begin. */
	return table ? (uint32_t)table->classes[WAITEVENT_CLASS_LWLOCK].n : 0;
}

void waitevent_format(int major, uint32_t info, const struct waitevent_resolver *resolver,
	char *class_buf, size_t class_size, char *event_buf, size_t event_size)
{
	const char *class = waitevent_class_name(major, info);
	const char *event = waitevent_event_name(major, info);
	uint32_t first_tranche = waitevent_first_extension_tranche(major);
	uint32_t id = WAITEVENT_ID(info);

	if (!info) {
		class = "";
		event = "";
	}
	if (!event && WAITEVENT_CLASS(info) == WAITEVENT_CLASS_LWLOCK && first_tranche &&
		id >= first_tranche) {
		if (resolver && resolver->tranche_name)
			event = resolver->tranche_name(resolver->ctx, id);
		if (!event)
			event = "extension";
	}

	if (class)
		snprintf(class_buf, class_size, "%s", class);
	else
		snprintf(class_buf, class_size, "0x%02X", (unsigned)WAITEVENT_CLASS(info));
	if (event)
		snprintf(event_buf, event_size, "%s", event);
	else
		snprintf(event_buf, event_size, "#%u", (unsigned)id);
}

static bool is_wal_lwlock(const char *event)
{
	if (event[0] != 'W' || event[1] != 'A')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(wal_lwlocks); i++) {
		size_t len = strlen(wal_lwlocks[i]);

		if (!strncmp(event, wal_lwlocks[i], len) &&
			(!event[len] || !strcmp(event + len, "Lock")))
			return true;
	}
	return false;
}

enum wait_type waitevent_type(int major, uint32_t info)
{
	unsigned class = WAITEVENT_CLASS(info);
	const char *event;

	if (!waitevent_class_name(major, info))
		return WAIT_OTHER;
	if (class == WAITEVENT_CLASS_LWLOCK || class == WAITEVENT_CLASS_IO) {
		event = waitevent_event_name(major, info);
		if (event && class == WAITEVENT_CLASS_IO && !strncasecmp(event, "WAL", 3))
			return WAIT_WAL_WRITE;
		if (event && class == WAITEVENT_CLASS_LWLOCK && is_wal_lwlock(event))
			return WAIT_WAL_WRITE;
	}
	return stable_classes[class].type;
}

bool waitevent_is_client_read(int major, uint32_t info)
{
	const char *event = waitevent_event_name(major, info);

	if (WAITEVENT_CLASS(info) != WAITEVENT_CLASS_CLIENT)
		return false;
	if (!find_major(major))
		return WAITEVENT_ID(info) == 0;
	return event && !strcmp(event, "ClientRead");
}
