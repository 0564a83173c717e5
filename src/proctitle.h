/*
 * The ps title of a PostgreSQL process: a fallback for where shared memory cannot be read.
 *
 * Titles are untrusted and ambiguous: user and database names may hold blanks, so client titles
 * are not split, and a session's state is never taken from here (update_process_title may be off).
 */
#ifndef PGTOP_PROCTITLE_H
#define PGTOP_PROCTITLE_H

#include <stddef.h>
#include <sys/types.h>

struct proctitle {
	const char *backend_type; /* as pg_stat_activity.backend_type, a constant. "background
				   * worker" for a name that is not one of PostgreSQL's own. */
	char database[64];	  /* autovacuum worker; "" else or not yet known */
	pid_t leader_pid;	  /* parallel worker; 0 else */
	const char *text;	  /* the title after "postgres: " and the cluster name ... */
	size_t text_len; /* ... inside what was given, not terminated, no blanks at its end */
};

/* title ends at len or at its first NUL. cluster_name (may hold ": "; NULL or "": none) is taken
 * off. -EINVAL: not a title of a postmaster's child, as the postmaster itself and a child that was
 * forked just now. */
int proctitle_parse(const char *title, size_t len, const char *cluster_name, struct proctitle *ret);

/* The cluster name out of the titles of a postmaster's children: what all have in common, up to
 * the last ": ". "" if none. Better with more than one. Returns buf. */
char *proctitle_cluster_name(const char *const *titles, size_t n, char *buf, size_t size);

#endif
