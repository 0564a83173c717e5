/* From the model and the sessions to a snapshot. Part of the monitor. */
#ifndef PGTOP_SNAPSHOT_BUILD_H
#define PGTOP_SNAPSHOT_BUILD_H

#include "classify.h"
#include "cluster.h"
#include "model.h"
#include "session.h"
#include "snapshot.h"

struct build {
	struct model *model;
	struct classify *classify;
	struct clusters *clusters;
	const bool *selected; /* by cluster index */
	size_t n_selected;
	struct snap_loss loss;
	struct snap_self self;
	uint64_t interval_ns;
	uint64_t cut_ns;
	int64_t now_us;		    /* wall clock, microseconds since the epoch */
	const char *host, *kernel;  /* copied */
	const char *notice;	    /* copied; NULL: none */
	const char *notice_if_none; /* instead of it where there is no server to show */
	bool want_stacks;
};

/* Never NULL; frees everything it owns with snapshot_free(). */
struct snapshot *snapshot_build(const struct build *b);

#endif
