/*
 * Who blocks a backend that waits for a heavyweight lock, read from the shared lock table: the
 * answer of pg_blocking_pids(), without a connection and without taking a lock.
 */
#ifndef PGTOP_LOCKGRAPH_H
#define PGTOP_LOCKGRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "pglayout.h"
#include "procmem.h"

#define LOCKGRAPH_MAX_BLOCKERS 256

struct lock_blocker {
	pid_t pid; /* as PostgreSQL knows it (its own pid namespace): of the lock group's leader;
		    * 0: a prepared transaction */
	bool soft; /* only ahead in the wait queue: holds nothing that conflicts */
};

/* Answers for many waiters: a lock that several wait for is read once. */
struct lockgraph;

/* layout may be NULL. mem is copied. Never NULL. */
struct lockgraph *lockgraph_new(const struct mem_source *mem, const struct pg_layout *layout);
void lockgraph_free(struct lockgraph *lg); /* NULL is allowed */

/* Forgets the locks read so far: call it at the begin of each tick. */
void lockgraph_forget(struct lockgraph *lg);

/*
 * The blockers of the backend whose PGPROC is at proc_addr and whose own pid (in its namespace) is
 * pid_ns, read through the process `reader` of the same cluster. A pid comes once (pg_blocking_pids
 * may repeat it); hard wins over soft. If the backend is in a lock group (parallel query), the
 * blockers of all members, as there. In the order of the lock's list.
 *
 * Gives how many were found, at most max (the rest is left out): 0 when it waits for no
 * heavyweight lock. -EAGAIN the lists moved while they were read, or do not look right: not known.
 * -EOPNOTSUPP the major's lock table is not known. -ESRCH, -EPERM, -EFAULT from reading.
 */
int lockgraph_query(struct lockgraph *lg, pid_t reader, uint64_t proc_addr, pid_t pid_ns,
	struct lock_blocker *ret, size_t max);

/* The same for one waiter alone. */
int lockgraph_blocked_by(const struct mem_source *mem, pid_t reader, const struct pg_layout *layout,
	uint64_t proc_addr, pid_t pid_ns, struct lock_blocker *ret, size_t max);

/* True if a request for `mode` (1..8) conflicts with a lock held in one of the modes of the mask
 * (bit 1 << mode). False for an invalid mode. */
bool lockgraph_conflicts(int mode, uint32_t hold_mask);

#endif
