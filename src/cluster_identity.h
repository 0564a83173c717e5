/*
 * What a PostgreSQL process says of the cluster it belongs to, read from its globals.
 */
#ifndef PGTOP_CLUSTER_IDENTITY_H
#define PGTOP_CLUSTER_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "pglayout.h"
#include "procmem.h"

#define CLUSTER_MAX_TRANCHES 256

/* Raw bytes; "" and false/0 where not known. */
struct cluster_identity {
	char data_dir[4096]; /* DataDir: as the server sees it (its own mount namespace) */
	char cluster_name[256];
	pid_t postmaster_pid;  /* PostmasterPid, in the server's own pid namespace; 0: not known */
	pid_t proc_pid;	       /* MyProcPid of the process read, likewise */
	bool under_postmaster; /* false: the postmaster, a bootstrap or single-user process */
	bool under_postmaster_known;
};

/* 0 though single facts may be missing; or -ESRCH, -EPERM. */
int cluster_identity_read(const struct mem_source *mem, pid_t pid, const struct pg_symbols *symbols,
	struct cluster_identity *ret);

struct cluster_tranche {
	uint16_t id;
	char name[PG_NAMEDATALEN];
};

/*
 * LWLock tranches that extensions requested by name (shared_preload_libraries), from any process of
 * the cluster, the postmaster best. Up to max of them; gives how many. 0 where there are none yet;
 * -EOPNOTSUPP if not exported; -EFAULT, -ESRCH, -EPERM. An entry that does not look right (id below
 * the first extension tranche, no name) is left out.
 */
int cluster_tranches_read(const struct mem_source *mem, pid_t pid, const struct pg_layout *layout,
	const struct pg_symbols *symbols, struct cluster_tranche *ret, int max);

#endif
