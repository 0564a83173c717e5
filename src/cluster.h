/*
 * PostgreSQL servers on this host: found by their executable, never by a process's name, and read
 * without a connection.
 *
 * A process belongs to PostgreSQL if its executable exports my_wait_event_info or PostmasterPid;
 * it is a postmaster if its own memory says so. The children of a postmaster with the same
 * executable are its backends; one that has lost its postmaster is known by what its memory says.
 */
#ifndef PGTOP_CLUSTER_H
#define PGTOP_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "backend_status.h"
#include "classify.h"
#include "cluster_identity.h"
#include "offcpu.h"
#include "pglayout.h"

/* An executable file, by device and inode. */
struct pg_image;
struct lockgraph;

struct cluster {
	size_t index; /* in the order found; never reused */
	pid_t postmaster;
	uint64_t start_ticks; /* of the postmaster; 0: found by an orphan */
	bool gone;	      /* the postmaster has ended */
	bool released;	      /* gone, and nothing of it is in the window any more */
	const struct pg_image *image;
	const char *version; /* "15.18", "" if the executable does not say */
	int version_num;     /* 0: not known */
	int major;
	struct cluster_identity identity;
	struct pg_symbols symbols;
	const struct pg_layout *layout; /* NULL: major not known */
	bool exact;			/* the wait events can be read */
	struct backend_status *status;	/* NULL once released */
	struct lockgraph *locks;	/* likewise; also NULL where the layout is not known */
	struct offcpu_server server;	/* for the BPF side */
	struct classify_server classify;
	struct cluster_tranche *tranches;
	size_t n_tranches;
};

/* A process that is, or may be, a backend of a cluster. */
struct cluster_process {
	pid_t pid;
	pid_t pid_ns; /* as PostgreSQL knows it */
	uint64_t start_ticks;
	struct cluster *cluster;
};

struct clusters;

struct clusters *clusters_new(void);
void clusters_free(struct clusters *cs); /* NULL is allowed */

/*
 * Looks at all processes that were not looked at before. New clusters are added to the list;
 * found() is told of each (before its processes), process() of each backend that lives and was not
 * reported before. Both may be NULL. -errno if /proc cannot be read.
 *
 * Order matters to a caller that tracks forks: after found() every later fork must be tracked, so
 * that process() and the tracking miss none between them.
 */
struct clusters_sink {
	void (*found)(void *ctx, struct cluster *c);
	void (*process)(void *ctx, const struct cluster_process *p);
	void *ctx;
};
int clusters_scan(struct clusters *cs, const struct clusters_sink *sink);

/* True if a server was seen that was still starting: scan again soon. */
bool clusters_unfinished(const struct clusters *cs);

/* Notes which postmasters have ended. Cheap. */
void clusters_check(struct clusters *cs);

size_t clusters_count(const struct clusters *cs);
struct cluster *clusters_get(const struct clusters *cs, size_t index);

/* The living cluster of that postmaster, or NULL. */
struct cluster *clusters_find(const struct clusters *cs, pid_t postmaster);

/* Whether the postmaster's data directory is this one, by device and inode; -errno if `dir` cannot
 * be looked at. */
int cluster_has_data_directory(const struct cluster *c, const char *dir);

/* Frees what is not needed any more once nothing of a gone cluster is shown. */
void cluster_release(struct cluster *c);

#endif
