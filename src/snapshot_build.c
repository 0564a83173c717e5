/*
 * See snapshot_build.h. Ids become names here, ages are taken from the wall clock, and everything
 * is copied into the snapshot's arena: nothing in it points back.
 */
#include "snapshot_build.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "arena.h"
#include "lockgraph.h"
#include "text.h"
#include "util.h"

#define MAX_BLOCKERS 32

struct builder {
	const struct build *b;
	struct arena *a;
	struct snapshot *snap;
	struct snap_backend *backends;
	struct snap_cluster *clusters;
	size_t *cluster_at; /* cluster index -> position in clusters, SIZE_MAX: not shown */
	uint64_t waits;
	struct model_view view;
};

/* ---- details ---- */

static void build_events(struct builder *x, struct snap_backend *out)
{
	size_t n = MIN(x->view.n_events, (size_t)SNAP_MAX_EVENTS);
	struct snap_event *ev = arena_alloc(x->a, n, sizeof(*ev));

	for (size_t i = 0; i < n; i++) {
		const struct model_detail *d = &x->view.events[i];
		const char *wait_class = "", *event = "(others)";

		if (d->id != MODEL_NO_ID)
			classify_event_name(x->b->classify, d->id, &wait_class, &event);
		ev[i] = (struct snap_event){
			.type = d->type,
			.wait_class = text_clean_arena(
				x->a, wait_class, strlen(wait_class), TEXT_ONE_LINE),
			.event = text_clean_arena(x->a, event, strlen(event), TEXT_ONE_LINE),
			.count = d->count,
			.ns = d->ns,
			.max_ns = d->max_ns,
		};
	}
	out->events = ev;
	out->n_events = n;
}

static void build_waker(struct builder *x, const struct model_detail *d, struct snap_waker *w)
{
	struct model_backend *b = model_find_last(x->b->model, d->id);
	struct session *s = b ? model_user(b) : NULL;
	const char *name = d->comm;

	w->pid = (pid_t)d->id;
	w->kind = SNAP_WAKER_PROCESS;
	if (d->waker_kind == MODEL_WAKER_IRQ) {
		w->pid = -1;
		w->kind = SNAP_WAKER_IRQ;
		name = "irq";
	} else if (d->waker_kind == MODEL_WAKER_KTHREAD) {
		w->kind = SNAP_WAKER_KERNEL;
	} else if (d->id == MODEL_NO_ID) {
		w->pid = -1;
		name = "(others)";
	} else if (s) {
		w->kind = SNAP_WAKER_BACKEND;
		name = s->backend_type ? s->backend_type : "backend";
	}
	w->name = text_clean_arena(x->a, name, strlen(name), TEXT_ONE_LINE);
	w->type = d->type;
	w->count = d->count;
	w->ns = d->ns;
}

static void build_wakers(struct builder *x, struct snap_backend *out)
{
	size_t n = MIN(x->view.n_wakers, (size_t)SNAP_MAX_WAKERS);
	struct snap_waker *w = arena_alloc(x->a, n, sizeof(*w));

	for (size_t i = 0; i < n; i++)
		build_waker(x, &x->view.wakers[i], &w[i]);
	out->wakers = w;
	out->n_wakers = n;
}

static const char *const *copy_frames(struct builder *x, const char *const *frames, size_t n)
{
	const char **copy = arena_alloc(x->a, n, sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = text_clean_arena(x->a, frames[i], strlen(frames[i]), TEXT_ONE_LINE);
	return copy;
}

static void build_stacks(struct builder *x, struct snap_backend *out)
{
	size_t n = x->b->want_stacks ? MIN(x->view.n_stacks, (size_t)SNAP_MAX_STACKS) : 0;
	struct snap_stack *st = arena_alloc(x->a, n, sizeof(*st));
	const char *frames[OFFCPU_USTACK_DEPTH];

	for (size_t i = 0; i < n; i++) {
		const struct model_detail *d = &x->view.stacks[i];

		st[i].type = d->type;
		st[i].count = d->count;
		st[i].ns = d->ns;
		st[i].n_kernel =
			classify_stack_kernel(x->b->classify, d->id, frames, ARRAY_SIZE(frames));
		st[i].kernel = copy_frames(x, frames, st[i].n_kernel);
		st[i].n_user =
			classify_stack_user(x->b->classify, d->id, frames, ARRAY_SIZE(frames));
		st[i].user = copy_frames(x, frames, st[i].n_user);
	}
	out->stacks = st;
	out->n_stacks = n;
}

static void build_histogram(struct builder *x, struct snap_backend *out)
{
	for (int type = 0; type < WAIT_NR; type++) {
		uint32_t *bins;

		if (!(x->view.histogram_types >> type & 1))
			continue;
		bins = arena_alloc(x->a, SNAP_HISTOGRAM_BINS, sizeof(*bins));
		memcpy(bins, x->view.histogram[type], SNAP_HISTOGRAM_BINS * sizeof(*bins));
		out->histogram[type] = bins;
	}
}

/* Who holds the lock it waits for. Known to be nobody when it waits for no heavyweight lock. */
static void build_blockers(struct builder *x, const struct session *s, struct snap_backend *out)
{
	struct backend_status *status = s->cluster->status;
	struct lock_blocker found[MAX_BLOCKERS];
	struct snap_blocker *list;
	int n;

	if (!out->has_current || out->current.type != WAIT_LOCK) {
		out->blocked_by_known = !out->exited;
		return;
	}
	if (!status || !s->cluster->locks || !backend_status_proc_addr(status, s->pid))
		return;
	n = lockgraph_query(s->cluster->locks, backend_status_reader(status),
		backend_status_proc_addr(status, s->pid), s->pid_ns, found, MAX_BLOCKERS);
	if (n < 0)
		return;
	list = arena_alloc(x->a, (size_t)n, sizeof(*list));
	for (int i = 0; i < n; i++) {
		pid_t pid = backend_status_host_pid(status, found[i].pid);
		list[i] = (struct snap_blocker){pid ? pid : found[i].pid, found[i].soft};
	}
	out->blocked_by = list;
	out->n_blocked_by = (size_t)n;
	out->blocked_by_known = true;
}

/* ---- one backend ---- */

static const char *timestamp(struct builder *x, int64_t pg_us)
{
	int64_t us = pg_timestamp_unix_us(pg_us);
	time_t seconds = (time_t)(us / 1000000);
	char *buf = arena_alloc(x->a, 40, 1);
	struct tm tm;
	size_t n;

	gmtime_r(&seconds, &tm);
	n = strftime(buf, 32, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + n, 40 - n, ".%06dZ", (int)(us % 1000000));
	return buf;
}

static void age(struct builder *x, int64_t since_us, bool *ret_known, uint64_t *ret_ns)
{
	*ret_known = since_us != 0;
	if (since_us)
		*ret_ns = pg_timestamp_age_ns(since_us, x->b->now_us);
}

static void build_facts(struct builder *x, const struct session *s, struct snap_backend *out)
{
	out->backend_type = arena_strdup(x->a, s->backend_type);
	out->user = arena_strdup(x->a, s->user);
	out->database = arena_strdup(x->a, s->database);
	out->client = arena_strdup(x->a, s->client);
	out->application = arena_strdup(x->a, s->application);
	out->state = arena_strdup(x->a, s->state);
	out->query = arena_strdup(x->a, s->query);
	out->query_id_known = s->query_id != 0;
	out->query_id = s->query_id;
	out->leader_pid = s->leader_pid;
	if (s->backend_start_us)
		out->backend_start = timestamp(x, s->backend_start_us);
	age(x, s->backend_start_us, &out->backend_age_known, &out->backend_age_ns);
	if (out->exited)
		return;
	age(x, s->xact_start_us, &out->xact_age_known, &out->xact_age_ns);
	age(x, s->state_start_us, &out->state_age_known, &out->state_age_ns);
}

static void build_current(struct builder *x, struct snap_backend *out)
{
	const struct model_current *c = &x->view.current;

	out->has_current = c->present;
	if (!c->present)
		return;
	out->current.type = c->type;
	out->current.wait_class = out->current.event = "";
	if (c->event != MODEL_NO_ID && c->type != WAIT_RUNQ) {
		classify_event_name(
			x->b->classify, c->event, &out->current.wait_class, &out->current.event);
		out->current.wait_class = text_clean_arena(x->a, out->current.wait_class,
			strlen(out->current.wait_class), TEXT_ONE_LINE);
		out->current.event = text_clean_arena(
			x->a, out->current.event, strlen(out->current.event), TEXT_ONE_LINE);
	}
	out->current.age_ns = c->age_ns;
	out->current.at_least = c->at_least;
	out->current.waiting_for_cpu = c->waiting_for_cpu;
}

static void count_state(struct snapshot *snap, const struct session *s)
{
	switch (s->pg_state) {
	case PG_STATE_ACTIVE:
	case PG_STATE_FASTPATH:
		if (s->is_client)
			snap->n_active++;
		else
			snap->n_background++;
		break;
	case PG_STATE_IDLE_IN_XACT:
	case PG_STATE_IDLE_IN_XACT_ABORTED:
		snap->n_idle_xact++;
		break;
	case PG_STATE_IDLE:
		snap->n_idle++;
		break;
	default:
		if (s->is_client || !s->backend_type)
			snap->n_active++; /* starting, or track_activities is off */
		else
			snap->n_background++;
	}
}

static bool shown(const struct builder *x, size_t cluster)
{
	return cluster < x->b->n_selected && x->cluster_at[cluster] != SIZE_MAX;
}

static void build_backend(void *ctx, struct model_backend *mb)
{
	struct builder *x = ctx;
	struct session *s = model_user(mb);
	struct snap_cluster *cluster;
	struct snap_backend *out;
	struct model_view *v = &x->view;

	if (!shown(x, s->cluster->index))
		return;
	model_view(x->b->model, mb, v);
	out = &x->backends[x->snap->n_backends++];
	cluster = &x->clusters[x->cluster_at[s->cluster->index]];
	out->pid = s->pid;
	out->pid_ns = s->pid_ns == s->pid ? 0 : s->pid_ns;
	out->start_ticks = s->start_ticks;
	out->postmaster = s->cluster->postmaster;
	out->cluster = x->cluster_at[s->cluster->index];
	out->exited = model_exited(mb);
	build_facts(x, s, out);
	out->watched_ns = v->watched_ns;
	out->times = v->times;
	out->off_ns = wait_times_off_ns(&v->times);
	out->waits = v->waits;
	out->max_wait_ns = v->max_wait_ns;
	build_current(x, out);
	build_events(x, out);
	build_wakers(x, out);
	build_stacks(x, out);
	build_histogram(x, out);
	build_blockers(x, s, out);
	out->history = memcpy(arena_alloc(x->a, v->n_history, 1), v->history, v->n_history);
	out->n_history = v->n_history;
	wait_times_add(&cluster->times, &v->times);
	x->waits += v->waits;
	if (!out->exited) {
		cluster->backends++;
		count_state(x->snap, s);
	}
}

/* ---- clusters and the whole ---- */

static const char *cluster_notice(const struct cluster *c)
{
	if (!c->exact)
		return "no my_wait_event_info in this server (PostgreSQL 14 or later has it): "
		       "waits by kernel stack only";
	if (!c->layout)
		return "PostgreSQL version not known: wait events by class and number, no session "
		       "facts";
	return NULL;
}

static void count_used(void *ctx, struct model_backend *mb)
{
	struct builder *x = ctx;
	struct session *s = model_user(mb);

	if (s->cluster->index < x->b->n_selected)
		x->cluster_at[s->cluster->index] = 0;
	x->snap->n_backends++;
}

static void build_clusters(struct builder *x)
{
	size_t n = x->b->n_selected;

	x->cluster_at = xcalloc(n, sizeof(*x->cluster_at));
	for (size_t i = 0; i < n; i++)
		x->cluster_at[i] = SIZE_MAX;
	model_each(x->b->model, count_used, x);
	x->backends = arena_alloc(x->a, x->snap->n_backends, sizeof(*x->backends));
	x->snap->n_backends = 0;
	x->clusters = arena_alloc(x->a, n, sizeof(*x->clusters));
	for (size_t i = 0; i < n; i++) {
		const struct cluster *c = clusters_get(x->b->clusters, i);
		struct wait_times folded;
		struct snap_cluster *out;
		uint64_t waits;

		model_folded(x->b->model, (uint32_t)i, &folded, &waits);
		if (x->cluster_at[i] == SIZE_MAX && !wait_times_sum(&folded) &&
			(c->gone || !x->b->selected[i]))
			continue;
		x->cluster_at[i] = x->snap->n_clusters++;
		out = &x->clusters[x->cluster_at[i]];
		if (c->locks)
			lockgraph_forget(c->locks);
		out->postmaster = c->postmaster;
		out->gone = c->gone;
		out->data_directory = text_clean_arena(
			x->a, c->identity.data_dir, strlen(c->identity.data_dir), TEXT_ONE_LINE);
		out->version = arena_strdup(x->a, c->version[0] ? c->version : NULL);
		out->version_num = c->version_num;
		if (c->identity.cluster_name[0])
			out->cluster_name = text_clean_arena(x->a, c->identity.cluster_name,
				strlen(c->identity.cluster_name), TEXT_ONE_LINE);
		out->exact = c->exact;
		out->notice = arena_strdup(x->a, cluster_notice(c));
		out->times = folded;
		x->waits += waits;
	}
}

static void build_history(struct builder *x)
{
	struct model_history *h = xcalloc(1, sizeof(*h));
	uint32_t *aas = NULL;
	uint8_t *types;

	model_history(x->b->model, h);
	aas = arena_alloc(x->a, h->n, sizeof(*aas));
	types = arena_alloc(x->a, h->n, sizeof(*types));
	for (size_t i = 0; i < h->n; i++) {
		uint64_t covered_ns = MAX(h->covered_ns[i], 1U), best_ns = 0;

		aas[i] = (uint32_t)(wait_times_active_ns(&h->slot[i]) * 1000 / covered_ns);
		types[i] = WAIT_NR;
		for (uint8_t type = 0; type < WAIT_NR; type++)
			if (type != WAIT_IDLE && h->slot[i].ns[type] > best_ns) {
				types[i] = type;
				best_ns = h->slot[i].ns[type];
			}
	}
	x->snap->history_aas_milli = aas;
	x->snap->history = types;
	x->snap->n_history = h->n;
	free(h);
}

static const char *clean_name(struct builder *x, const char *name)
{
	return name ? text_clean_arena(x->a, name, strlen(name), TEXT_ONE_LINE) : NULL;
}

static void build_totals(struct builder *x)
{
	struct snapshot *s = x->snap;

	for (size_t i = 0; i < s->n_clusters; i++) {
		struct snap_cluster *c = &x->clusters[i];
		if (s->window_ns)
			c->aas = (double)wait_times_active_ns(&c->times) / (double)s->window_ns;
		wait_times_add(&s->total, &c->times);
	}
	if (s->window_ns) {
		s->aas = (double)wait_times_active_ns(&s->total) / (double)s->window_ns;
		s->waits_per_s = (double)x->waits * (double)NSEC_PER_SEC / (double)s->window_ns;
	}
}

struct snapshot *snapshot_build(const struct build *b)
{
	struct builder *x = xcalloc(1, sizeof(*x));
	struct snapshot *s;

	x->b = b;
	x->a = arena_new();
	s = x->snap = arena_alloc(x->a, 1, sizeof(*s));
	s->arena = x->a;
	s->time_ms = b->now_us / 1000;
	s->mono_ns = b->cut_ns;
	s->interval_ns = b->interval_ns;
	s->window_ns = model_covered_ns(b->model);
	s->window_set_ns = model_window_ns(b->model);
	s->loss = b->loss;
	s->self = b->self;
	s->host = clean_name(x, b->host);
	s->kernel = clean_name(x, b->kernel);
	s->version = PGTOP_VERSION;
	build_clusters(x);
	s->notice = arena_strdup(x->a, s->n_clusters ? b->notice : b->notice_if_none);
	model_each(b->model, build_backend, x);
	s->clusters = x->clusters;
	s->backends = x->backends;
	build_totals(x);
	build_history(x);
	free(x->cluster_at);
	free(x);
	return s;
}
