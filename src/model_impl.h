/* What model.c and model_view.c share. Nobody else includes this. */
#ifndef PGTOP_MODEL_IMPL_H
#define PGTOP_MODEL_IMPL_H

#include "account.h"
#include "model.h"

#define MODEL_BUCKETS 8192 /* of the pid hash; a power of two */

struct model_backend {
	struct model_backend *next_in_bucket, *next, *prev;
	uint32_t pid, cluster;
	uint64_t start_ticks;
	uint64_t begin_ns;    /* watched from */
	uint64_t mark_ns;     /* charged up to */
	uint64_t last_end_ns; /* on CPU since, as far as events told */
	uint32_t received;    /* waits delivered */
	uint32_t last_seq;    /* of the last of them */
	bool exited;
	bool ends;     /* its exit has come, though it may be put aside */
	bool replaced; /* its pid has another owner, though events of it are pending yet */
	struct model_wait *pending; /* end after the cut that was current when they came */
	size_t n_pending, cap_pending;
	struct model_current current;
	uint64_t current_blocked_ns; /* of its age: not yet woken */
	/* The part [left_from_ns, left_to_ns) of the wait that began at left_out_ns was charged
	 * without its details: the wait was too short so far. */
	uint64_t left_out_ns, left_from_ns, left_to_ns;
	struct account account;
	void *user;
};

struct folded {
	struct account account;
};

struct model {
	struct grid grid;
	uint64_t delay_ns, min_wait_ns;
	uint64_t known_since_ns; /* nothing older is kept */
	uint64_t cut_ns;	 /* of the last tick */
	uint64_t unknown_ns, anomalies;
	struct model_backend *bucket[MODEL_BUCKETS];
	struct model_backend *first; /* in order of arrival; all of them */
	struct model_backend *last;
	size_t n_exited;
	struct folded *folded; /* by cluster */
	size_t n_folded;
};

#endif
