/* Hand-written snapshots: the same on every machine and at every time. */
#ifndef PGTOP_TEST_FIXTURE_SNAPSHOT_H
#define PGTOP_TEST_FIXTURE_SNAPSHOT_H

#include "snapshot.h"

/*
 * An incident: a session idle in its transaction holds locks that others queue for, a checkpoint
 * is on, a CPU is short, events were lost. About 25 backends of two clusters, every wait type, odd
 * names. To be freed with snapshot_free().
 */
struct snapshot *fixture_incident(void);

/* The incident some seconds later: other numbers, one backend ended, one new. */
struct snapshot *fixture_incident_later(void);

/* No server is running. */
struct snapshot *fixture_empty(void);

/* Five backends, all idle. */
struct snapshot *fixture_all_idle(void);

/* n backends with pids from 1000 on and times that are a function of the pid. */
struct snapshot *fixture_many(size_t n);

#endif
