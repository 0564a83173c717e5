/* What monitor.c and monitor_servers.c share. Nobody else includes this. */
#ifndef PGTOP_MONITOR_IMPL_H
#define PGTOP_MONITOR_IMPL_H

#include <sys/utsname.h>

#include "classify.h"
#include "cluster.h"
#include "model.h"
#include "monitor.h"
#include "session.h"
#include "source.h"
#include "wait_stacks.h"

struct monitor {
	struct monitor_config cfg;
	struct source *source;
	struct clusters *clusters;
	struct classify *classify;
	struct wait_stacks *stacks;
	struct model *model;
	bool *selected; /* by cluster index */
	size_t n_selected;

	uint64_t delay_ns;
	uint64_t last_cut_ns;
	uint64_t due_ns; /* the next tick: last cut + delay */
	uint64_t events;

	uint64_t scanned_execs; /* source_exec_count() at the last scan */
	uint64_t next_scan_ns;
	uint64_t seeds_full; /* backends found that the kernel's map had no room for */

	struct utsname uts;
	bool symbols_hidden;
	uint64_t self_cpu_ns, self_at_ns;
	int64_t boottime_ticks; /* of this time namespace */
	uint64_t tick_ns;	/* one clock tick */
};

static inline struct session *monitor_session(const struct model_backend *b)
{
	return model_user(b);
}

struct model_backend *monitor_add_backend(
	struct monitor *m, pid_t pid, uint64_t start_ticks, struct cluster *c, uint64_t begin_ns);

/* Looks for servers and backends in /proc. Unless forced only when a program was started since;
 * its cost is kept in proportion. */
void monitor_scan(struct monitor *m, bool force);

/* Every -p and -D has to match something: else -ENOENT, and *d names what there is. */
int monitor_check_selection(struct monitor *m, struct diag *d);

#endif
