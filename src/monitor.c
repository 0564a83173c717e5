/*
 * See monitor.h. The order of a tick is what makes the account exact:
 *
 *   1. the cut: the latest due time that has passed
 *   2. the state of every tracked task is read from the kernel
 *   3. the ring is drained of everything that was in it then
 *   4. every account is closed at the cut: by the first event that ended after it, else by that
 *      state
 *
 * Events that end after the cut are put aside by the model. A backend is known from whichever comes
 * first: /proc (when it is found), an event, or the kernel's map.
 */
#include "monitor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "monitor_impl.h"
#include "procfs.h"
#include "snapshot_build.h"
#include "util.h"

#define DRAIN_BATCH    4096 /* events between two looks at keys and timers */
#define NO_CLUSTER_YET "no PostgreSQL server found: waiting for one to start"
#define SYMBOLS_HIDDEN \
	"kernel symbols are hidden (no CAP_SYSLOG, or kptr_restrict): stacks as addresses"
#define LONG_QUEUE_NS (20 * NSEC_PER_MSEC)

static uint64_t rss_bytes(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/statm", "re");
	unsigned long size, resident;

	if (!f || fscanf(f, "%lu %lu", &size, &resident) != 2)
		return 0;
	return (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static uint64_t own_cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* ---- sessions ---- */

static void drop_session(void *ctx, struct model_backend *b)
{
	struct monitor *m = ctx;
	struct session *s = monitor_session(b);

	if (s && s->tracked_facts && s->cluster->status)
		backend_status_remove(s->cluster->status, s->pid);
	if (s)
		wait_stacks_end(m->stacks, s);
	session_free(s);
}

static uint64_t ticks_of(const struct monitor *m, uint64_t start_boottime_ns)
{
	return start_boottime_ns / m->tick_ns;
}

struct model_backend *monitor_add_backend(
	struct monitor *m, pid_t pid, uint64_t start_ticks, struct cluster *c, uint64_t begin_ns)
{
	struct model_backend *b =
		model_add(m->model, (uint32_t)pid, start_ticks, (uint32_t)c->index, begin_ns);

	model_set_user(b, session_new(pid, start_ticks, c));
	wait_stacks_begin(m->stacks, monitor_session(b));
	return b;
}

/* The cluster whose postmaster forked a task: the youngest one with that pid. */
static struct cluster *cluster_of_server(struct monitor *m, uint32_t server_pid)
{
	for (size_t i = clusters_count(m->clusters); i-- > 0;) {
		struct cluster *c = clusters_get(m->clusters, i);
		if (c->postmaster == (pid_t)server_pid && !c->released)
			return c;
	}
	return NULL;
}

static struct model_backend *backend_for(
	struct monitor *m, uint32_t pid, uint64_t start_ns, uint32_t server_pid, uint64_t begin_ns)
{
	uint64_t ticks = ticks_of(m, start_ns);
	struct model_backend *b = model_find(m->model, pid, 0);
	struct cluster *c;

	if (b && model_start_ticks(b) == ticks)
		return b;
	if (b && model_start_ticks(b) > ticks)
		return NULL; /* what is said of the pid's former owner comes too late */
	c = cluster_of_server(m, server_pid);
	return c ? monitor_add_backend(m, (pid_t)pid, ticks, c, begin_ns) : NULL;
}

/* ---- session facts ---- */

/* First of all: its pid may be in use again. */
static void forget_exited(void *ctx, struct model_backend *b)
{
	struct monitor *m = ctx;
	struct session *s = monitor_session(b);

	if (!model_exited(b))
		return;
	wait_stacks_end(m->stacks, s);
	if (!s->tracked_facts || !s->cluster->status)
		return;
	backend_status_remove(s->cluster->status, s->pid);
	s->tracked_facts = false;
}

static void update_facts(void *ctx, struct model_backend *b)
{
	struct monitor *m = ctx;
	struct session *s = monitor_session(b);
	const struct backend_facts *f;
	char title[512];
	ssize_t len;

	if (!model_exited(b))
		wait_stacks_tick(m->stacks, s);
	if (!s->cluster->status || !s->tracked_facts)
		return;
	f = backend_status_get(s->cluster->status, s->pid);
	if (f)
		session_take_facts(s, f);
	if (!s->backend_type) {
		len = procfs_read_cmdline("/proc", s->pid, title, sizeof(title));
		if (len > 0)
			session_take_title(s, title, (size_t)len);
	}
}

static void track_facts(void *ctx, struct model_backend *b)
{
	struct session *s = monitor_session(b);
	struct proc_status status;

	(void)ctx;
	if (s->tracked_facts || model_exited(b) || !s->cluster->status)
		return;
	if (procfs_read_status("/proc", s->pid, &status))
		return;
	s->pid_ns = status.pid_ns ? status.pid_ns : s->pid;
	backend_status_add(s->cluster->status, s->pid, s->pid_ns);
	s->tracked_facts = true;
}

static void read_facts(struct monitor *m)
{
	clusters_check(m->clusters);
	model_each(m->model, forget_exited, m);
	model_each(m->model, track_facts, NULL);
	for (size_t i = 0; i < clusters_count(m->clusters); i++) {
		struct cluster *c = clusters_get(m->clusters, i);
		if (c->status)
			(void)backend_status_update(c->status);
	}
	model_each(m->model, update_facts, m);
}

/* ---- opening ---- */

static void read_clock(struct monitor *m)
{
	struct proc_timens timens = {0};

	m->tick_ns = NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	(void)procfs_read_timens("/proc", &timens);
	m->boottime_ticks = timens.boottime_ns / (int64_t)m->tick_ns;
}

int monitor_open(struct monitor **ret, const struct monitor_config *cfg, struct diag *d)
{
	struct source_config source_cfg = {
		.stacks = cfg->stacks,
		.ring_bytes = cfg->ring_bytes,
		.log = cfg->log,
		.log_ctx = cfg->log_ctx,
	};
	struct monitor *m = xcalloc(1, sizeof(*m));
	int err;

	m->cfg = *cfg;
	m->delay_ns = cfg->delay_ns;
	read_clock(m);
	(void)uname(&m->uts);
	err = source_open(&m->source, &source_cfg, d);
	if (err) {
		free(m);
		return err;
	}
	m->clusters = clusters_new();
	m->classify = classify_new(NULL);
	m->stacks =
		wait_stacks_new(m->source, m->classify, cfg->stacks, m->tick_ns, m->boottime_ticks);
	m->model = model_new(cfg->window_ns, cfg->delay_ns, source_now_ns(m->source));
	model_set_min_wait(m->model, cfg->min_wait_ns);
	if (cfg->stacks != OFFCPU_STACKS_OFF)
		m->symbols_hidden = classify_ksyms_hidden(m->classify);
	monitor_scan(m, true);
	err = monitor_check_selection(m, d);
	if (err) {
		monitor_close(m);
		return err;
	}
	read_facts(m); /* also of those that end before the first tick */
	m->last_cut_ns = m->self_at_ns = source_now_ns(m->source);
	m->self_cpu_ns = own_cpu_ns();
	m->due_ns = m->last_cut_ns + m->delay_ns;
	model_begin(m->model, m->last_cut_ns);
	*ret = m;
	return 0;
}

static void free_session(void *ctx, struct model_backend *b)
{
	(void)ctx;
	session_free(monitor_session(b));
}

void monitor_close(struct monitor *m)
{
	if (!m)
		return;
	model_each(m->model, free_session, NULL);
	model_free(m->model);
	wait_stacks_free(m->stacks);
	classify_free(m->classify);
	source_close(m->source);
	clusters_free(m->clusters);
	free(m->selected);
	free(m);
}

int monitor_fd(const struct monitor *m)
{
	return source_fd(m->source);
}

/* ---- events ---- */

/* The cut the next tick will make: the one that is due, or a later one if that time has passed. */
static uint64_t next_cut_ns(const struct monitor *m)
{
	uint64_t now = source_now_ns(m->source);

	if (now <= m->due_ns)
		return m->due_ns;
	return m->due_ns + (now - m->due_ns) / m->delay_ns * m->delay_ns;
}

struct drain {
	struct monitor *m;
	uint64_t cut_ns;
};

static void on_event(void *ctx, const struct offcpu_event *ev, size_t bytes)
{
	struct drain *d = ctx;
	struct monitor *m = d->m;
	struct model_backend *b;
	struct model_wait w;
	struct session *s;

	if (ev->kind != OFFCPU_EV_WAIT && ev->kind != OFFCPU_EV_EXIT)
		return;
	b = backend_for(m, ev->pid, ev->start_boottime_ns, ev->server_pid, ev->in_ns);
	/* The last tick may have taken it from the task's state already. */
	if (!b || (ev->kind == OFFCPU_EV_WAIT && !model_is_news(b, ev->seq)))
		return;
	m->events++;
	s = monitor_session(b);
	if (ev->kind == OFFCPU_EV_EXIT)
		session_take_exit(s, ev->pg_state, ev->wait_event, ev->userid);
	classify_event(m->classify, &s->cluster->classify, ev, bytes, &s->seed, &w);
	wait_stacks_finish(m->stacks, s, ev, &w);
	model_event(m->model, b, &w, d->cut_ns);
}

bool monitor_drain(struct monitor *m)
{
	struct drain d = {m, next_cut_ns(m)};

	return source_drain(m->source, DRAIN_BATCH, on_event, &d) >= DRAIN_BATCH;
}

/* Everything that was in the ring when it was called. An event that another CPU is just writing
 * ends a round, with others behind it; it is written by the time of the next. */
static void drain_all(struct monitor *m, struct drain *d)
{
	int max = source_ring_events(m->source);

	for (int round = 0; round < 3 && max > 0; round++)
		max -= source_drain(m->source, max, on_event, d);
}

/* ---- the tick ---- */

/* A task that seems to queue for long may have been put on the CPU without that being seen: the CPU
 * time it has used since tells. Returns since when it runs, or 0. */
static uint64_t resumed_ns(const struct session *s, const struct offcpu_task *t, uint64_t cut_ns)
{
	struct proc_schedstat now;

	if (!t->wake_ns || !t->exec_ns || t->wake_ns + LONG_QUEUE_NS > cut_ns ||
		procfs_read_schedstat("/proc", s->pid, &now) ||
		now.cpu_ns < t->exec_ns + NSEC_PER_MSEC)
		return 0;
	return MAX(t->wake_ns, cut_ns - MIN(cut_ns, now.cpu_ns - t->exec_ns));
}

/* From the kernel's map to the model. */
static struct model_state state_of(
	struct monitor *m, struct session *s, const struct offcpu_task *t, uint64_t cut_ns)
{
	bool seeded = t->phase == OFFCPU_SEEDED;
	struct model_state st = {
		.on_cpu = t->phase == OFFCPU_ON_CPU || (seeded && s->seed.runnable),
		.in_ns = t->in_ns,
		.out_ns = seeded ? t->in_ns : t->out_ns,
		.wake_ns = t->wake_ns,
		.event = MODEL_NO_ID,
		.stack = MODEL_NO_ID,
		.seq = t->seq,
		.lost = t->lost,
		.type = WAIT_OTHER,
		.runnable = t->flags & OFFCPU_F_RUNNABLE,
		.at_least = seeded,
	};
	bool explained;

	if (t->phase == OFFCPU_OFF_CPU)
		st.resumed_ns = resumed_ns(s, t, cut_ns);
	if (st.on_cpu || st.runnable)
		return st;
	explained = classify_info(m->classify, &s->cluster->classify,
		seeded ? s->seed.info : t->wait_event,
		seeded ? s->seed.state : classify_state(&s->cluster->classify, t->pg_state),
		&st.type, &st.event);
	if (explained && m->cfg.stacks < OFFCPU_STACKS_KERNEL)
		return st;
	if (!wait_stacks_open(m->stacks, s, t)) {
		st.undecided = true;
		return st;
	}
	st.stack = s->stack_id;
	if (!explained) {
		st.type = s->stack_type;
		st.event = s->stack_event;
	}
	return st;
}

/* The waits that are not in the ring yet; none if one of before them is in it still. */
static void take_staged(struct drain *d, uint32_t pid, const struct offcpu_task *t)
{
	uint64_t ticks = ticks_of(d->m, t->start_boottime_ns);
	const struct model_backend *b = model_find(d->m->model, pid, ticks);
	const struct offcpu_event *first = &t->staged[0];
	uint32_t n = MIN(t->n_staged, (uint32_t)OFFCPU_STAGED);

	if (n && (b ? model_awaits(b, first->seq, first->lost) : first->seq != first->lost + 1))
		return;
	for (uint32_t i = 0; i < n; i++)
		on_event(d, &t->staged[i], sizeof(t->staged[i]));
}

/* One that is not known though it has waited becomes known by an event on its way. */
static struct model_backend *backend_of_task(
	struct monitor *m, uint32_t pid, const struct offcpu_task *t)
{
	if (t->seq != t->lost)
		return model_find(m->model, pid, ticks_of(m, t->start_boottime_ns));
	return backend_for(m, pid, t->start_boottime_ns, t->server_pid, t->in_ns);
}

static void close_task(struct drain *d, uint32_t pid, const struct offcpu_task *t)
{
	struct monitor *m = d->m;
	struct model_backend *b;
	struct model_state st;

	if (t->begun != t->done) {
		/* It could not be read in one piece: the next tick will tell. */
		b = model_find(m->model, pid, ticks_of(m, t->start_boottime_ns));
		if (b)
			monitor_session(b)->visited_cut_ns = d->cut_ns;
		return;
	}
	take_staged(d, pid, t);
	b = backend_of_task(m, pid, t);
	if (!b)
		return;
	monitor_session(b)->visited_cut_ns = d->cut_ns;
	st = state_of(m, monitor_session(b), t, d->cut_ns);
	model_close(m->model, b, &st, d->cut_ns);
}

static void close_tracked(struct drain *d, const struct source_tasks *tasks)
{
	for (size_t i = 0; i < tasks->n; i++)
		close_task(d, tasks->pids[i], &tasks->tasks[i]);
}

struct close_rest {
	struct monitor *m;
	uint64_t cut_ns;
};

static void close_untracked(void *ctx, struct model_backend *b)
{
	struct close_rest *r = ctx;

	if (monitor_session(b)->visited_cut_ns != r->cut_ns)
		model_close(r->m->model, b, NULL, r->cut_ns);
}

static void count_cluster(void *ctx, struct model_backend *b)
{
	bool *used = ctx;

	used[model_cluster(b)] = true;
}

/* Gone servers of which nothing is shown any more need not be asked again. */
static void release_clusters(struct monitor *m)
{
	size_t n = clusters_count(m->clusters);
	_cleanup_free_ bool *used = xcalloc(n, sizeof(*used));

	model_each(m->model, count_cluster, used);
	for (size_t i = 0; i < n; i++) {
		struct cluster *c = clusters_get(m->clusters, i);
		if (c->gone && !c->released && !used[i])
			cluster_release(c);
	}
}

static int64_t wall_clock_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static void fill_self(struct monitor *m, struct snap_self *self)
{
	uint64_t cpu = own_cpu_ns(), now = source_now_ns(m->source);

	self->cpu_ns = cpu;
	self->rss_bytes = rss_bytes();
	self->events = m->events;
	if (now > m->self_at_ns)
		self->cpu_pct =
			100.0 * (double)(cpu - m->self_cpu_ns) / (double)(now - m->self_at_ns);
	self->bpf_ns_known = source_ns_per_switch(m->source, &self->bpf_ns_per_switch);
	m->self_cpu_ns = cpu;
	m->self_at_ns = now;
}

static void fill_loss(struct monitor *m, struct snap_loss *loss)
{
	struct offcpu_counters c;

	if (source_counters(m->source, &c))
		return;
	loss->ring_events = c.lost_events + c.anomalies;
	loss->ring_ns = model_unknown_ns(m->model);
	loss->map_full = c.tasks_full + m->seeds_full;
	loss->event_unread = c.unread;
	loss->stack_missed = c.stack_missed;
}

uint64_t monitor_next_ns(const struct monitor *m)
{
	struct timespec ts;
	uint64_t here, now = source_now_ns(m->source);

	clock_gettime(CLOCK_MONOTONIC, &ts);
	here = (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
	return here + (m->due_ns > now ? m->due_ns - now : 0);
}

struct snapshot *monitor_tick(struct monitor *m)
{
	uint64_t cut_ns = next_cut_ns(m);
	struct drain drain = {m, cut_ns};
	struct close_rest rest = {m, cut_ns};
	struct source_tasks tasks = {0};
	struct build build = {
		.model = m->model,
		.classify = m->classify,
		.clusters = m->clusters,
		.interval_ns = cut_ns - m->last_cut_ns,
		.cut_ns = cut_ns,
		.host = m->uts.nodename,
		.kernel = m->uts.release,
		.want_stacks = m->cfg.stacks != OFFCPU_STACKS_OFF,
	};

	monitor_scan(m, false);
	if (!source_read_tasks(m->source, &tasks)) {
		drain_all(m, &drain);
		close_tracked(&drain, &tasks);
		model_each(m->model, close_untracked, &rest);
	}
	m->last_cut_ns = cut_ns;
	m->due_ns = cut_ns + m->delay_ns;
	model_tick(m->model, cut_ns, drop_session, m);
	read_facts(m);
	release_clusters(m);
	/* The time of the report is that of its cut. */
	build.now_us =
		wall_clock_us() - (int64_t)((source_now_ns(m->source) - cut_ns) / NSEC_PER_USEC);
	build.selected = m->selected;
	build.n_selected = m->n_selected;
	build.notice = m->symbols_hidden ? SYMBOLS_HIDDEN : NULL;
	build.notice_if_none = NO_CLUSTER_YET;
	fill_loss(m, &build.loss);
	fill_self(m, &build.self);
	return snapshot_build(&build);
}

void monitor_set_delay(struct monitor *m, uint64_t delay_ns)
{
	uint64_t since = source_now_ns(m->source) - m->last_cut_ns;

	/* Not in the past: events of until now may have been charged. */
	m->delay_ns = delay_ns;
	m->due_ns = m->last_cut_ns + MAX((since + delay_ns - 1) / delay_ns, 1U) * delay_ns;
	model_set_window(m->model, model_window_ns(m->model), delay_ns, m->last_cut_ns);
}

void monitor_set_window(struct monitor *m, uint64_t window_ns)
{
	model_set_window(m->model, window_ns, m->delay_ns, m->last_cut_ns);
}
