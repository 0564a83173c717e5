/*
 * Finding servers. See cluster.h.
 *
 * A scan costs a read of /proc/PID/stat per process and, for those not seen before, a stat of its
 * executable. What was seen is kept as a list sorted by pid with start and name, so a reused pid
 * and one that became another program (exec keeps pid and start) are looked at again.
 */
#include "cluster.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lockgraph.h"
#include "pgimage.h"
#include "procfs.h"
#include "util.h"

#define MAX_TRANCHES 256

struct seen {
	pid_t pid;
	uint64_t start_ticks;
	char comm[16]; /* another one: it has become another program */
	bool again;    /* PostgreSQL, but still starting: look again */
};

struct clusters {
	struct pg_images images;
	struct cluster **list;
	size_t n;
	struct seen *seen;
	size_t n_seen;
	bool unfinished;
};

struct clusters *clusters_new(void)
{
	return xcalloc(1, sizeof(struct clusters));
}

void cluster_release(struct cluster *c)
{
	backend_status_free(c->status);
	c->status = NULL;
	free(c->tranches);
	c->tranches = NULL;
	c->n_tranches = 0;
	lockgraph_free(c->locks);
	c->locks = NULL;
	c->released = true;
}

void clusters_free(struct clusters *cs)
{
	if (!cs)
		return;
	for (size_t i = 0; i < cs->n; i++) {
		cluster_release(cs->list[i]);
		free(cs->list[i]);
	}
	free(cs->list);
	free(cs->seen);
	pgimage_done(&cs->images);
	free(cs);
}

size_t clusters_count(const struct clusters *cs)
{
	return cs->n;
}

struct cluster *clusters_get(const struct clusters *cs, size_t index)
{
	return cs->list[index];
}

struct cluster *clusters_find(const struct clusters *cs, pid_t postmaster)
{
	for (size_t i = 0; i < cs->n; i++)
		if (cs->list[i]->postmaster == postmaster && !cs->list[i]->gone)
			return cs->list[i];
	return NULL;
}

bool clusters_unfinished(const struct clusters *cs)
{
	return cs->unfinished;
}

int cluster_has_data_directory(const struct cluster *c, const char *dir)
{
	char cwd[64];
	struct stat given, own;

	if (stat(dir, &given))
		return -errno;
	/* A postmaster's working directory is its data directory (miscinit.c, ChangeToDataDir);
	 * through /proc it is found in its own mount namespace. */
	snprintf(cwd, sizeof(cwd), "/proc/%d/cwd", c->postmaster);
	return !stat(cwd, &own) && own.st_dev == given.st_dev && own.st_ino == given.st_ino;
}

static const char *tranche_name(void *ctx, uint32_t id)
{
	const struct cluster *c = ctx;

	for (size_t i = 0; i < c->n_tranches; i++)
		if (c->tranches[i].id == id)
			return c->tranches[i].name;
	return NULL;
}

static void read_tranches(struct cluster *c)
{
	struct mem_source mem = procmem_source();
	int n;

	c->tranches = xcalloc(MAX_TRANCHES, sizeof(*c->tranches));
	n = c->layout ? cluster_tranches_read(&mem, c->postmaster, c->layout, &c->symbols,
				c->tranches, MAX_TRANCHES)
		      : 0;
	c->n_tranches = n > 0 ? (size_t)n : 0;
}

/* What a process of PostgreSQL's executable turned out to be. */
enum role { ROLE_NONE, ROLE_STARTING, ROLE_POSTMASTER, ROLE_BACKEND };

static enum role role_of(const struct cluster_identity *id)
{
	if (!id->under_postmaster_known)
		return ROLE_NONE;
	if (id->under_postmaster)
		return ROLE_BACKEND;
	if (!id->proc_pid || !id->postmaster_pid || !id->data_dir[0])
		return ROLE_STARTING; /* or bootstrap, single-user, --version: those end soon */
	return id->postmaster_pid == id->proc_pid ? ROLE_POSTMASTER : ROLE_STARTING;
}

static struct cluster *add_cluster(struct clusters *cs, const struct pg_image *image,
	pid_t read_from, pid_t postmaster, uint64_t start_ticks)
{
	struct mem_source mem = procmem_source();
	struct cluster *c = xcalloc(1, sizeof(*c));

	if (pgimage_symbols(image, read_from, &c->symbols) ||
		cluster_identity_read(&mem, read_from, &c->symbols, &c->identity)) {
		free(c);
		return NULL;
	}
	c->index = cs->n;
	c->image = image;
	c->postmaster = postmaster;
	c->start_ticks = start_ticks;
	c->version = image->version;
	c->version_num = image->version_num;
	c->major = image->version_num / 10000;
	c->layout = pglayout_for(c->major);
	c->exact = c->symbols.addr[PG_MY_WAIT_EVENT_INFO] != 0;
	c->server.wait_event_addr = c->symbols.addr[PG_MY_WAIT_EVENT_INFO];
	c->server.client_read = (uint32_t)WAITEVENT_CLASS_CLIENT << 24;
	if (c->layout) {
		c->server.beentry_addr = c->symbols.addr[PG_MY_BE_ENTRY];
		c->server.type_addr = c->symbols.addr[PG_MY_BACKEND_TYPE];
		c->server.st_oids_offset = c->layout->status.databaseid;
		c->server.st_state_offset = c->layout->status.state;
	}
	c->classify = (struct classify_server){
		.id = (uint32_t)c->index,
		.major = c->major,
		.layout = c->layout,
		.resolver = {tranche_name, c},
	};
	c->status = backend_status_new(&mem, c->layout, &c->symbols, postmaster);
	c->locks = c->layout ? lockgraph_new(&mem, c->layout) : NULL;
	read_tranches(c);
	cs->list = xrealloc(cs->list, cs->n + 1, sizeof(*cs->list));
	cs->list[cs->n++] = c;
	return c;
}

static pid_t own_namespace_pid(pid_t pid)
{
	struct proc_status status;

	return !procfs_read_status("/proc", pid, &status) && status.pid_ns ? status.pid_ns : pid;
}

static bool was_seen(const struct clusters *cs, const struct proc_stat *p)
{
	size_t lo = 0, hi = cs->n_seen;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (cs->seen[mid].pid < p->pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < cs->n_seen && cs->seen[lo].pid == p->pid &&
	       cs->seen[lo].start_ticks == p->start_ticks && !cs->seen[lo].again &&
	       !strncmp(cs->seen[lo].comm, p->comm, sizeof(cs->seen[lo].comm) - 1);
}

/* The cluster of a backend whose parent is not its postmaster any more. */
static struct cluster *orphans_cluster(struct clusters *cs, const struct pg_image *image,
	const struct proc_stat *p, const struct cluster_identity *id)
{
	struct cluster *c;

	for (size_t i = 0; i < cs->n; i++) {
		c = cs->list[i];
		if (c->identity.postmaster_pid == id->postmaster_pid && c->image == image &&
			!c->released && !strcmp(c->identity.data_dir, id->data_dir))
			return c;
	}
	c = add_cluster(cs, image, p->pid, id->postmaster_pid, 0);
	if (c)
		c->gone = true;
	return c;
}

/* First pass: postmasters. Second pass: everything else. */
struct scan {
	struct clusters *cs;
	const struct clusters_sink *sink;
	struct seen *seen;
	size_t n_seen;
};

static enum role examine(struct clusters *cs, const struct proc_stat *p,
	const struct pg_image **ret_image, struct cluster_identity *id)
{
	const struct pg_image *image = p->state == 'Z' ? NULL : pgimage_of(&cs->images, p->pid);
	struct mem_source mem = procmem_source();
	struct pg_symbols symbols;

	*ret_image = image;
	if (!image || !image->postgres)
		return ROLE_NONE;
	if (pgimage_symbols(image, p->pid, &symbols) ||
		cluster_identity_read(&mem, p->pid, &symbols, id))
		return ROLE_STARTING;
	return role_of(id);
}

static void scan_postmaster(struct scan *scan, const struct proc_stat *p)
{
	const struct pg_image *image;
	struct cluster_identity id;
	struct cluster *c;

	if (was_seen(scan->cs, p) || clusters_find(scan->cs, p->pid) ||
		clusters_find(scan->cs, p->ppid))
		return;
	if (examine(scan->cs, p, &image, &id) != ROLE_POSTMASTER)
		return;
	c = add_cluster(scan->cs, image, p->pid, p->pid, p->start_ticks);
	if (c && scan->sink->found)
		scan->sink->found(scan->sink->ctx, c);
}

/* True: look again later. */
static bool scan_backend(struct scan *scan, const struct proc_stat *p)
{
	struct cluster *c = clusters_find(scan->cs, p->ppid);
	const struct pg_image *image;
	struct cluster_identity id;

	if (clusters_find(scan->cs, p->pid) || p->state == 'Z')
		return false;
	if (c) {
		/* A child of a postmaster, unless it has become another program. */
		if (pgimage_of(&scan->cs->images, p->pid) != c->image)
			return false;
	} else {
		switch (examine(scan->cs, p, &image, &id)) {
		case ROLE_BACKEND:
			/* Its postmaster started after the postmasters were looked for. */
			if (own_namespace_pid(p->ppid) == id.postmaster_pid)
				return true;
			c = orphans_cluster(scan->cs, image, p, &id);
			break;
		case ROLE_STARTING:
		case ROLE_POSTMASTER:
			return true;
		case ROLE_NONE:
			break;
		}
	}
	if (c && scan->sink->process) {
		struct cluster_process process = {
			p->pid, own_namespace_pid(p->pid), p->start_ticks, c};
		scan->sink->process(scan->sink->ctx, &process);
	}
	return false;
}

int clusters_scan(struct clusters *cs, const struct clusters_sink *sink)
{
	struct scan scan = {.cs = cs, .sink = sink};
	struct proc_stat *procs = NULL;
	size_t n = 0, before = cs->n;
	int err = procfs_list_stats("/proc", &procs, &n);

	if (err)
		return err;
	clusters_check(cs); /* the pid of one that has ended may be another's */
	for (size_t i = 0; i < n; i++)
		scan_postmaster(&scan, &procs[i]);
	if (cs->n > before) {
		/* What was forked before found() may have been missed by the first list. */
		free(procs);
		procs = NULL;
		err = procfs_list_stats("/proc", &procs, &n);
		if (err)
			return err;
	}
	cs->unfinished = false;
	scan.seen = xcalloc(n, sizeof(*scan.seen));
	for (size_t i = 0; i < n; i++) {
		bool again = !was_seen(cs, &procs[i]) && scan_backend(&scan, &procs[i]);
		struct seen *seen = &scan.seen[scan.n_seen++];

		*seen = (struct seen){
			.pid = procs[i].pid, .start_ticks = procs[i].start_ticks, .again = again};
		snprintf(seen->comm, sizeof(seen->comm), "%.15s", procs[i].comm);
		cs->unfinished |= again;
	}
	free(cs->seen);
	cs->seen = scan.seen;
	cs->n_seen = scan.n_seen;
	free(procs);
	return 0;
}

void clusters_check(struct clusters *cs)
{
	for (size_t i = 0; i < cs->n; i++) {
		struct cluster *c = cs->list[i];
		struct proc_stat stat;

		if (c->gone)
			continue;
		if (procfs_read_stat("/proc", c->postmaster, &stat) ||
			stat.start_ticks != c->start_ticks || stat.state == 'Z')
			c->gone = true;
	}
}
