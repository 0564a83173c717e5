/*
 * Which servers there are, which are wanted, and their backends that live already. See monitor.h.
 *
 * No gap between what is found in /proc and what is tracked from its fork: the source is told of a
 * server before its backends are listed. What ends in between must not stay tracked.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "monitor_impl.h"
#include "procfs.h"
#include "util.h"

#define SCAN_COST_SHARE 50 /* a scan may take 1/50 of the time */

static bool named_by_pid(const struct monitor *m, pid_t pid)
{
	for (size_t i = 0; i < m->cfg.n_pids; i++)
		if (m->cfg.pids[i] == pid)
			return true;
	return false;
}

static bool wanted(const struct monitor *m, const struct cluster *c)
{
	if (!m->cfg.n_pids && !m->cfg.n_pgdata)
		return true;
	if (named_by_pid(m, c->postmaster))
		return true;
	for (size_t i = 0; i < m->cfg.n_pgdata; i++)
		if (cluster_has_data_directory(c, m->cfg.pgdata[i]) > 0)
			return true;
	return false;
}

static void select_cluster(struct monitor *m, size_t index, bool yes)
{
	if (index >= m->n_selected) {
		m->selected = xrealloc(m->selected, index + 1, sizeof(*m->selected));
		memset(m->selected + m->n_selected, 0, index + 1 - m->n_selected);
		m->n_selected = index + 1;
	}
	m->selected[index] = yes;
}

/* Whether it is that process still, and has not ended. */
static bool lives(pid_t pid, uint64_t start_ticks)
{
	struct proc_stat stat;

	return !procfs_read_stat("/proc", pid, &stat) && stat.start_ticks == start_ticks &&
	       !stat.exiting;
}

static void on_cluster(void *ctx, struct cluster *c)
{
	struct monitor *m = ctx;
	bool yes = wanted(m, c);

	select_cluster(m, c->index, yes);
	wait_stacks_server(m->stacks, c);
	if (yes)
		(void)source_add_server(m->source, (uint32_t)c->postmaster, &c->server);
	/* If it ended before that, its pid would make backends of another's children. */
	if (yes && !lives(c->postmaster, c->start_ticks))
		source_del_server(m->source, (uint32_t)c->postmaster);
	classify_forget(m->classify);
}

/* Has it tracked from now on. 0 or -errno. */
static int seed_task(struct monitor *m, const struct cluster_process *p, uint64_t ticks,
	struct classify_seed *seed, uint64_t *ret_now_ns)
{
	struct proc_schedstat schedstat = {0};
	struct proc_stat stat;
	struct offcpu_task task;
	int err;

	(void)procfs_read_schedstat("/proc", p->pid, &schedstat);
	seed->runnable = !procfs_read_stat("/proc", p->pid, &stat) && stat.state == 'R';
	task = (struct offcpu_task){
		.server_pid = (uint32_t)p->cluster->postmaster,
		.start_boottime_ns = ticks * m->tick_ns,
		.in_ns = source_now_ns(m->source),
		.exec_ns = schedstat.cpu_ns,
		.server = p->cluster->server,
		.phase = OFFCPU_SEEDED,
	};
	*ret_now_ns = task.in_ns;
	err = source_seed_task(m->source, (uint32_t)p->pid, &task);
	if (err == -E2BIG)
		m->seeds_full++;
	/* If it ended before that, nobody would ever take it out again. */
	if (!err && !lives(p->pid, p->start_ticks)) {
		source_del_task(m->source, (uint32_t)p->pid);
		err = -ESRCH;
	}
	return err;
}

/* A backend that lives already. Its wait, if it is in one, is read just before it is tracked. */
static void on_process(void *ctx, const struct cluster_process *p)
{
	struct monitor *m = ctx;
	struct cluster *c = p->cluster;
	uint64_t ticks = p->start_ticks - (uint64_t)m->boottime_ticks;
	struct classify_seed seed = {0};
	struct model_backend *b;
	uint64_t now_ns;

	select_cluster(m, c->index, m->n_selected > c->index && m->selected[c->index]);
	if (!m->selected[c->index]) {
		bool orphan = c->start_ticks == 0 && wanted(m, c);
		if (!orphan && !named_by_pid(m, p->pid))
			return;
		if (orphan)
			select_cluster(m, c->index, true);
	}
	if (model_find(m->model, (uint32_t)p->pid, ticks) || !c->status)
		return;
	backend_status_add(c->status, p->pid, p->pid_ns);
	(void)backend_status_update_one(c->status, p->pid); /* it checks the layout */
	(void)backend_status_read_wait_event(c->status, p->pid, &seed.info, &seed.state);
	/* -EEXIST: its fork was seen. It will be known by its first event or from the map. */
	if (seed_task(m, p, ticks, &seed, &now_ns)) {
		backend_status_remove(c->status, p->pid);
		return;
	}
	b = monitor_add_backend(m, p->pid, ticks, c, now_ns);
	monitor_session(b)->seed = seed;
	monitor_session(b)->pid_ns = p->pid_ns;
	monitor_session(b)->tracked_facts = true;
}

void monitor_scan(struct monitor *m, bool force)
{
	struct clusters_sink sink = {on_cluster, on_process, m};
	uint64_t now = source_now_ns(m->source), execs = source_exec_count(m->source), took;

	if (!force && ((execs == m->scanned_execs && !clusters_unfinished(m->clusters)) ||
			      now < m->next_scan_ns))
		return;
	m->scanned_execs = execs;
	(void)clusters_scan(m->clusters, &sink);
	took = source_now_ns(m->source) - now;
	m->next_scan_ns = now + took * SCAN_COST_SHARE;
}

static void list_clusters(const struct monitor *m, char *out, size_t size)
{
	size_t n = clusters_count(m->clusters), len = 0;

	snprintf(out, size, "No PostgreSQL server is running.");
	for (size_t i = 0; i < n && len < size; i++) {
		const struct cluster *c = clusters_get(m->clusters, i);
		len += (size_t)snprintf(out + len, size - len, "%s%d (%s)",
			i ? ", " : "There are: ", c->postmaster, c->identity.data_dir);
	}
}

int monitor_check_selection(struct monitor *m, struct diag *d)
{
	char there[400];
	size_t n = clusters_count(m->clusters);

	list_clusters(m, there, sizeof(there));
	for (size_t k = 0; k < m->cfg.n_pids; k++) {
		pid_t pid = m->cfg.pids[k];
		bool found = model_find(m->model, (uint32_t)pid, 0) != NULL;
		for (size_t i = 0; i < n && !found; i++) {
			const struct cluster *c = clusters_get(m->clusters, i);
			found = c->postmaster == pid;
		}
		if (!found) {
			diag_set(d, -ENOENT, "no postmaster or backend has process ID %d", pid);
			diag_hint(d, "%s", there);
			return -ENOENT;
		}
	}
	for (size_t k = 0; k < m->cfg.n_pgdata; k++) {
		bool found = false;
		for (size_t i = 0; i < n && !found; i++)
			found = cluster_has_data_directory(
					clusters_get(m->clusters, i), m->cfg.pgdata[k]) > 0;
		if (!found) {
			diag_set(d, -ENOENT, "no running server has data directory \"%s\"",
				m->cfg.pgdata[k]);
			diag_hint(d, "%s", there);
			return -ENOENT;
		}
	}
	return 0;
}
