/*
 * Names by oid. See oidnames.h.
 *
 * Owns the array. Invariant: an oid is in it at most once, and there are never more than
 * OIDNAMES_MAX. A linear search does: few backends have to ask.
 */
#include "oidnames.h"

#include <stdio.h>
#include <string.h>

#include "util.h"

static struct oidname *find(const struct oidnames *names, uint32_t oid)
{
	for (size_t i = 0; oid && i < names->n; i++)
		if (names->a[i].oid == oid)
			return &names->a[i];
	return NULL;
}

const char *oidnames_find(const struct oidnames *names, uint32_t oid)
{
	const struct oidname *slot = find(names, oid);

	return slot ? slot->name : NULL;
}

void oidnames_learn(struct oidnames *names, uint32_t oid, const char *name)
{
	struct oidname *slot = find(names, oid);

	if (!oid || !*name)
		return;
	if (!slot && names->n == OIDNAMES_MAX) {
		slot = &names->a[names->next];
		names->next = (names->next + 1) % OIDNAMES_MAX;
	} else if (!slot) {
		names->a = xrealloc(names->a, names->n + 1, sizeof(*names->a));
		slot = &names->a[names->n++];
	}
	slot->oid = oid;
	snprintf(slot->name, sizeof(slot->name), "%s", name);
}

void oidnames_release(struct oidnames *names)
{
	free(names->a);
	*names = (struct oidnames){0};
}
