/* The little of a snapshot that is code. See snapshot.h. */
#include "snapshot.h"

#include "arena.h"

const char *snap_waker_kind_name(enum snap_waker_kind kind)
{
	static const char *const names[] = {
		[SNAP_WAKER_BACKEND] = "backend",
		[SNAP_WAKER_PROCESS] = "process",
		[SNAP_WAKER_IRQ] = "irq",
		[SNAP_WAKER_KERNEL] = "kernel",
	};
	return names[kind];
}

void snapshot_free(struct snapshot *s)
{
	if (s)
		arena_free(s->arena); /* the snapshot itself lies in it */
}
