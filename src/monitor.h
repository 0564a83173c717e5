/*
 * The monitor: source, clusters, sessions and model put together. Live measurement in, snapshots
 * out. Knows no screen and no report.
 */
#ifndef PGTOP_MONITOR_H
#define PGTOP_MONITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag.h"
#include "offcpu.h"
#include "snapshot.h"

struct monitor;

struct monitor_config {
	uint64_t delay_ns, window_ns, min_wait_ns, ring_bytes;
	enum offcpu_stacks stacks;
	const pid_t *pids; /* postmasters or backends; none: all */
	size_t n_pids;
	const char *const *pgdata; /* data directories; none: all */
	size_t n_pgdata;
	void (*log)(void *ctx, const char *text); /* what libbpf says while loading; may be NULL */
	void *log_ctx;
};

/* Loads, attaches, finds every server and its backends. -ENOENT: -p or -D match nothing; *d names
 * what there is. On failure nothing is left behind. */
int monitor_open(struct monitor **ret, const struct monitor_config *cfg, struct diag *d);
void monitor_close(struct monitor *m); /* NULL is allowed */

/* Becomes readable when events have piled up; to be polled edge-triggered. */
int monitor_fd(const struct monitor *m);

/* Takes a bounded batch of events; true if there are more. */
bool monitor_drain(struct monitor *m);

/* When the next tick is due, CLOCK_MONOTONIC of this process's time namespace. */
uint64_t monitor_next_ns(const struct monitor *m);

/* Makes the tick that is due: closes all accounts at the latest due time that has passed. The
 * snapshot is the caller's, to be freed with snapshot_free(). Never NULL. */
struct snapshot *monitor_tick(struct monitor *m);

void monitor_set_delay(struct monitor *m, uint64_t delay_ns);
void monitor_set_window(struct monitor *m, uint64_t window_ns);

#endif
