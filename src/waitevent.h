/*
 * Wait events: what a backend publishes in *my_wait_event_info, by name and by wait type.
 *
 * The word is class << 24 | event; bits 16..23 are unused, 0 means "not waiting". Class bytes have
 * kept their meaning in every major version, event numbers move in each: hence one table per major
 * (src/waitevents/pgNN.tsv, exactly what pg_stat_activity of that version prints), made into C at
 * build time. A major that is not in the tables, or 0, still gets class names and types.
 */
#ifndef PGTOP_WAITEVENT_H
#define PGTOP_WAITEVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waittype.h"

#define WAITEVENT_CLASS_LWLOCK	  0x01
#define WAITEVENT_CLASS_LOCK	  0x03
#define WAITEVENT_CLASS_BUFFER	  0x04 /* BufferPin up to 18, Buffer from 19 */
#define WAITEVENT_CLASS_ACTIVITY  0x05
#define WAITEVENT_CLASS_CLIENT	  0x06
#define WAITEVENT_CLASS_EXTENSION 0x07
#define WAITEVENT_CLASS_IPC	  0x08
#define WAITEVENT_CLASS_TIMEOUT	  0x09
#define WAITEVENT_CLASS_IO	  0x0A
#define WAITEVENT_CLASS_INJECTION 0x0B /* from 17 */

#define WAITEVENT_CLASS(info) ((uint8_t)((uint32_t)(info) >> 24))
#define WAITEVENT_ID(info)    ((uint32_t)(info)&0xFFFFu)

/* Enough for every class name and every event name of the tables, and for a tranche name
 * (PostgreSQL's own limit is NAMEDATALEN). */
#define WAITEVENT_NAME_MAX 64

/* Names LWLock tranches that extensions registered; ids are per cluster. NULL if not known. */
struct waitevent_resolver {
	const char *(*tranche_name)(void *ctx, uint32_t id);
	void *ctx;
};

/* The majors in the tables, ascending; returns how many. */
size_t waitevent_majors(const int **ret_majors);
bool waitevent_major_known(int major);

/* "Lock", "LWLock" ... as pg_stat_activity.wait_event_type of that major prints it.
 * NULL for 0 and for a class byte this major does not have. */
const char *waitevent_class_name(int major, uint32_t info);

/* The event's name out of the tables, or NULL if it is not in them. */
const char *waitevent_event_name(int major, uint32_t info);

/* The first LWLock tranche id that belongs to extensions; 0 if the major is not in the tables. */
uint32_t waitevent_first_extension_tranche(int major);

/*
 * Both names, as pg_stat_activity prints them. Nothing is ever dropped:
 *   id not in the table            "IPC"   "#57"
 *   class byte not known           "0x2C"  "#57"
 *   LWLock tranche of an extension "LWLock" and what the resolver says, or "extension"
 *   0                              ""      ""
 * resolver may be NULL. The name a resolver gives is copied as it is: it is untrusted text.
 * Buffers of WAITEVENT_NAME_MAX always suffice; smaller ones truncate. Always terminated.
 */
void waitevent_format(int major, uint32_t info, const struct waitevent_resolver *resolver,
	char *class_buf, size_t class_size, char *event_buf, size_t event_size);

/*
 * The wait type of a *blocked* backend by its wait event alone. Two cases are the caller's:
 *   ClientRead  WAIT_NETWORK here; idle or idle_xact is decided by the session's state
 *   0           WAIT_OTHER here; the kernel stack decides (kstack.h)
 * Two array look-ups and a few character comparisons.
 */
enum wait_type waitevent_type(int major, uint32_t info);

/* True for Client:ClientRead. Event 0 of class Client in every version so far, also assumed for a
 * major that is not in the tables. */
bool waitevent_is_client_read(int major, uint32_t info);

#endif
