/*
 * Where events come from: the BPF programs, live.
 *
 * All times are CLOCK_MONOTONIC of the initial time namespace, as the BPF programs stamp them;
 * source_now_ns() gives the present in the same terms, whatever namespace this program is in.
 */
#ifndef PGTOP_SOURCE_H
#define PGTOP_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "offcpu.h"

struct source;

struct source_config {
	enum offcpu_stacks stacks;
	uint64_t ring_bytes; /* a power of two pages; 0: chosen by the number of CPUs */
	uint32_t max_tasks;  /* backends tracked at once; 0: 8192 */
	/* Is told what libbpf says while loading, on success and on failure; may be NULL. */
	void (*log)(void *ctx, const char *text);
	void *log_ctx;
};

/* Checks the kernel, loads and attaches. On failure nothing is left behind, *d says why. */
int source_open(struct source **ret, const struct source_config *cfg, struct diag *d);

/* Detaches and unloads. NULL is allowed. */
void source_close(struct source *s);

uint64_t source_now_ns(const struct source *s);

/* To be polled edge-triggered (EPOLLET): becomes readable each time the ring is filled above its
 * mark, a reason to call source_drain() until it is empty. Level-triggered it would be readable as
 * long as there is one event, which on a busy host is always. */
int source_fd(const struct source *s);

/* Hands over max events, or a few more: those that came together stay together. Returns how many;
 * less than max: the ring is empty now. ev is valid
 * during the call only; bytes is what was sent, at least sizeof(struct offcpu_event). */
typedef void source_event_fn(void *ctx, const struct offcpu_event *ev, size_t bytes);
int source_drain(struct source *s, int max, source_event_fn *fn, void *ctx);

/* How many events the ring can hold at most: draining as many as this is sure to have handed over
 * all that were there when it began. */
int source_ring_events(const struct source *s);

/* From now on the children of that postmaster are tracked from their fork. -errno. */
int source_add_server(struct source *s, uint32_t pid, const struct offcpu_server *server);
void source_del_server(struct source *s, uint32_t pid);

/* Tracks a process that lives already. -EEXIST: it is tracked (its fork was seen); -E2BIG. */
int source_seed_task(struct source *s, uint32_t pid, const struct offcpu_task *task);
void source_del_task(struct source *s, uint32_t pid);

/* Reads the state of all tracked tasks into arrays of its own, valid until the next call.
 * Half-made changes are read again. -errno. */
struct source_tasks {
	const uint32_t *pids;
	const struct offcpu_task *tasks;
	size_t n;
};
int source_read_tasks(struct source *s, struct source_tasks *ret);

/* True if the wait (or the whole life so far) that t was read in still goes on. */
bool source_same_wait(struct source *s, uint32_t pid, const struct offcpu_task *t);

/* The user stack of the latest blocked wait of a task; only with OFFCPU_STACKS_ALL. Whether it is
 * of the wait that is meant has to be asked afterwards. -ENOENT. */
int source_read_user_stack(struct source *s, uint32_t pid, struct offcpu_ustack *ret);

/* Sums over all CPUs. */
int source_counters(struct source *s, struct offcpu_counters *ret);

/* Programs started on this host since attach. */
uint64_t source_exec_count(const struct source *s);

/* Average run time of the sched_switch program; false if kernel.bpf_stats_enabled is off. */
bool source_ns_per_switch(const struct source *s, double *ret_ns);

#endif
