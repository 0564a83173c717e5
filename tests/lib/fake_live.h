/*
 * A source and a list of servers made by hand, in place of the live ones: they define what source.h
 * and cluster.h declare. To be included by one file of a test, which fills `src` and `list`.
 */
#ifndef PGTOP_TESTS_FAKE_LIVE_H
#define PGTOP_TESTS_FAKE_LIVE_H

#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "cluster.h"
#include "source.h"
#include "util.h"

#define MAX_ITEMS 64

static struct source {
	uint64_t now_ns;
	struct offcpu_event ring[MAX_ITEMS];
	size_t n_ring, busy; /* event number busy - 1 is just being written; 0: none */
	uint32_t pids[MAX_ITEMS];
	struct offcpu_task tasks[MAX_ITEMS];
	size_t n_tasks;
	uint32_t servers[MAX_ITEMS];
	size_t n_servers;
	uint64_t execs;
	int seed_err;
	pid_t dies_before_seed;
	void (*after_read)(void); /* what happens between the map and the ring */
} src;

int source_open(struct source **ret, const struct source_config *cfg, struct diag *d)
{
	(void)cfg;
	(void)d;
	*ret = &src;
	return 0;
}

void source_close(struct source *s)
{
	(void)s;
}

uint64_t source_now_ns(const struct source *s)
{
	return s->now_ns;
}

int source_fd(const struct source *s)
{
	(void)s;
	return -1;
}

int source_drain(struct source *s, int max, source_event_fn *fn, void *ctx)
{
	size_t n = s->busy ? s->busy - 1 : s->n_ring;

	n = MIN(n, (size_t)max);
	s->busy = 0;
	for (size_t i = 0; i < n; i++)
		fn(ctx, &s->ring[i], sizeof(s->ring[i]));
	s->n_ring -= n;
	memmove(s->ring, s->ring + n, s->n_ring * sizeof(s->ring[0]));
	return (int)n;
}

int source_ring_events(const struct source *s)
{
	(void)s;
	return 1000;
}

int source_add_server(struct source *s, uint32_t pid, const struct offcpu_server *server)
{
	(void)server;
	s->servers[s->n_servers++] = pid;
	return 0;
}

void source_del_server(struct source *s, uint32_t pid)
{
	for (size_t i = 0; i < s->n_servers; i++)
		if (s->servers[i] == pid)
			s->servers[i] = s->servers[--s->n_servers];
}

static void kill_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void put_task(uint32_t pid, const struct offcpu_task *task)
{
	size_t i = 0;

	while (i < src.n_tasks && src.pids[i] != pid)
		i++;
	src.n_tasks = MAX(src.n_tasks, i + 1);
	src.pids[i] = pid;
	src.tasks[i] = *task;
}

int source_seed_task(struct source *s, uint32_t pid, const struct offcpu_task *task)
{
	if ((pid_t)pid == s->dies_before_seed)
		kill_child(s->dies_before_seed);
	if (s->seed_err)
		return s->seed_err;
	put_task(pid, task);
	return 0;
}

void source_del_task(struct source *s, uint32_t pid)
{
	for (size_t i = 0; i < s->n_tasks; i++)
		if (s->pids[i] == pid) {
			s->n_tasks--;
			s->pids[i] = s->pids[s->n_tasks];
			s->tasks[i] = s->tasks[s->n_tasks];
			return;
		}
}

int source_read_tasks(struct source *s, struct source_tasks *ret)
{
	static uint32_t pids[MAX_ITEMS];
	static struct offcpu_task tasks[MAX_ITEMS];

	memcpy(pids, s->pids, sizeof(pids));
	memcpy(tasks, s->tasks, sizeof(tasks));
	*ret = (struct source_tasks){pids, tasks, s->n_tasks};
	if (s->after_read)
		s->after_read();
	return 0;
}

bool source_same_wait(struct source *s, uint32_t pid, const struct offcpu_task *t)
{
	for (size_t i = 0; i < s->n_tasks; i++)
		if (s->pids[i] == pid)
			return s->tasks[i].seq == t->seq && s->tasks[i].out_ns == t->out_ns;
	return false;
}

int source_read_user_stack(struct source *s, uint32_t pid, struct offcpu_ustack *ret)
{
	(void)s;
	(void)pid;
	(void)ret;
	return -ENOENT;
}

int source_counters(struct source *s, struct offcpu_counters *ret)
{
	(void)s;
	*ret = (struct offcpu_counters){.tasks_full = 2};
	return 0;
}

uint64_t source_exec_count(const struct source *s)
{
	return s->execs;
}

bool source_ns_per_switch(const struct source *s, double *ret_ns)
{
	(void)s;
	(void)ret_ns;
	return false;
}

/* ---- a list of servers ---- */

static struct clusters {
	struct cluster *list[4];
	size_t n, found; /* of these, the scan has told of */
	struct cluster_process procs[4];
	size_t n_procs;
} list;

struct clusters *clusters_new(void)
{
	return &list;
}

void cluster_release(struct cluster *c)
{
	backend_status_free(c->status);
	c->status = NULL;
	c->released = true;
}

void clusters_free(struct clusters *cs)
{
	for (size_t i = 0; i < cs->n; i++) {
		cluster_release(cs->list[i]);
		free(cs->list[i]);
	}
	memset(cs, 0, sizeof(*cs));
}

int clusters_scan(struct clusters *cs, const struct clusters_sink *sink)
{
	for (; cs->found < cs->n; cs->found++)
		if (cs->list[cs->found]->start_ticks)
			sink->found(sink->ctx, cs->list[cs->found]);
	for (size_t i = 0; i < cs->n_procs; i++)
		sink->process(sink->ctx, &cs->procs[i]);
	cs->n_procs = 0;
	return 0;
}

bool clusters_unfinished(const struct clusters *cs)
{
	(void)cs;
	return false;
}

void clusters_check(struct clusters *cs)
{
	(void)cs;
}

size_t clusters_count(const struct clusters *cs)
{
	return cs->found;
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

int cluster_has_data_directory(const struct cluster *c, const char *dir)
{
	return !strcmp(c->identity.data_dir, dir);
}

#endif
