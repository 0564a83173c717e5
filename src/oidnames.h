/*
 * Names of databases or roles by oid, as learned from whoever knew them. Bounded.
 */
#ifndef PGTOP_OIDNAMES_H
#define PGTOP_OIDNAMES_H

#include <stddef.h>
#include <stdint.h>

#include "pglayout.h"

#define OIDNAMES_MAX 1024 /* then the ones learned first are overwritten */

struct oidname {
	uint32_t oid;
	char name[PG_NAMEDATALEN];
};

/* Zeroed is empty. */
struct oidnames {
	struct oidname *a;
	size_t n, next; /* next: the one to overwrite when full */
};

/* The name, or NULL. oid 0 has none. Valid until the next learn. */
const char *oidnames_find(const struct oidnames *names, uint32_t oid);

/* The last name taught for an oid wins: databases and roles can be renamed. Oid 0 and an empty name
 * are ignored; the name is copied and cut to PG_NAMEDATALEN - 1 bytes. */
void oidnames_learn(struct oidnames *names, uint32_t oid, const char *name);

void oidnames_release(struct oidnames *names); /* back to empty */

#endif
