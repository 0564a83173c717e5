/*
 * The JSON report: one object a line, its fields in the documented order. See report.h.
 *
 * Fields are only ever added, at the end of their object. What is not known is null. Must not
 * compute: every number is the snapshot's.
 */
#include "report.h"

#include <errno.h>
#include <math.h>

#include "json.h"
#include "util.h"

#define SCHEMA 1

static void add_times(struct json *j, const char *key, const struct wait_times *t)
{
	json_object(j, key);
	for (int i = 0; i < WAIT_NR; i++)
		json_u64(j, wait_type_name((enum wait_type)i), t->ns[i]);
	json_object_end(j);
}

/* An average; digits beyond a millionth are noise. */
static void add_average(struct json *j, const char *key, double v)
{
	json_double(j, key, round(v * 1e6) / 1e6);
}

static void add_u64_or_null(struct json *j, const char *key, bool known, uint64_t v)
{
	if (known)
		json_u64(j, key, v);
	else
		json_null(j, key);
}

static void add_pid_or_null(struct json *j, const char *key, pid_t pid)
{
	add_u64_or_null(j, key, pid > 0, (uint64_t)pid);
}

static void add_loss(struct json *j, const struct snap_loss *loss)
{
	json_object(j, "loss");
	json_u64(j, "ring_events", loss->ring_events);
	json_u64(j, "ring_ns", loss->ring_ns);
	json_u64(j, "map_full", loss->map_full);
	json_u64(j, "event_unread", loss->event_unread);
	json_u64(j, "stack_missed", loss->stack_missed);
	json_object_end(j);
}

static void add_self(struct json *j, const struct snap_self *self)
{
	json_object(j, "self");
	json_u64(j, "cpu_ns", self->cpu_ns);
	json_u64(j, "rss_bytes", self->rss_bytes);
	json_u64(j, "events", self->events);
	if (self->bpf_ns_known)
		add_average(j, "bpf_ns_per_switch", self->bpf_ns_per_switch);
	else
		json_null(j, "bpf_ns_per_switch");
	json_object_end(j);
}

static void add_cluster(struct json *j, const struct snap_cluster *c)
{
	json_object(j, NULL);
	json_i64(j, "postmaster", c->postmaster);
	json_str(j, "data_directory", c->data_directory);
	json_str(j, "version", c->version);
	add_u64_or_null(j, "version_num", c->version_num > 0, (uint64_t)c->version_num);
	json_str(j, "cluster_name", c->cluster_name);
	json_u64(j, "backends", c->backends);
	add_average(j, "aas", c->aas);
	add_times(j, "times", &c->times);
	json_str(j, "wait_events", c->exact ? "exact" : "kernel-only");
	json_object_end(j);
}

static void add_identity(struct json *j, const struct snap_backend *b)
{
	json_i64(j, "pid", b->pid);
	add_pid_or_null(j, "pid_ns", b->pid_ns);
	json_i64(j, "postmaster", b->postmaster);
	json_str(j, "backend_type", b->backend_type);
	json_str(j, "user", b->user);
	json_str(j, "database", b->database);
	json_str(j, "client", b->client);
	json_str(j, "application", b->application);
	json_str(j, "state", b->state);
	json_str(j, "query", b->query);
	if (b->query_id_known)
		json_i64(j, "query_id", b->query_id);
	else
		json_null(j, "query_id");
	add_pid_or_null(j, "leader_pid", b->leader_pid);
	json_str(j, "backend_start", b->backend_start);
	add_u64_or_null(j, "xact_age_ns", b->xact_age_known, b->xact_age_ns);
	add_u64_or_null(j, "state_age_ns", b->state_age_known, b->state_age_ns);
	json_bool(j, "exited", b->exited);
}

static void add_current(struct json *j, const struct snap_backend *b)
{
	const struct snap_current *c = &b->current;

	if (!b->has_current) {
		json_null(j, "current");
		return;
	}
	json_object(j, "current");
	json_str(j, "type", wait_type_name(c->type));
	json_str(j, "class", c->wait_class);
	json_str(j, "event", c->event);
	json_u64(j, "age_ns", c->age_ns);
	json_bool(j, "at_least", c->at_least);
	json_bool(j, "waiting_for_cpu", c->waiting_for_cpu);
	json_object_end(j);
}

static void add_events(struct json *j, const struct snap_backend *b)
{
	json_array(j, "events");
	for (size_t i = 0; i < b->n_events; i++) {
		const struct snap_event *e = &b->events[i];

		json_object(j, NULL);
		json_str(j, "type", wait_type_name(e->type));
		json_str(j, "class", e->wait_class);
		json_str(j, "event", e->event);
		json_u64(j, "count", e->count);
		json_u64(j, "ns", e->ns);
		json_u64(j, "max_ns", e->max_ns);
		json_object_end(j);
	}
	json_array_end(j);
}

static void add_wakers(struct json *j, const struct snap_backend *b)
{
	json_array(j, "wakers");
	for (size_t i = 0; i < b->n_wakers; i++) {
		const struct snap_waker *w = &b->wakers[i];

		json_object(j, NULL);
		add_pid_or_null(j, "pid", w->pid);
		json_str(j, "kind", snap_waker_kind_name(w->kind));
		json_str(j, "name", w->name);
		json_str(j, "type", wait_type_name(w->type));
		json_u64(j, "count", w->count);
		json_u64(j, "ns", w->ns);
		json_object_end(j);
	}
	json_array_end(j);
}

static void add_frames(struct json *j, const char *key, const char *const *frames, size_t n)
{
	json_array(j, key);
	for (size_t i = 0; i < n; i++)
		json_str(j, NULL, frames[i]);
	json_array_end(j);
}

static void add_stacks(struct json *j, const struct snap_backend *b)
{
	json_array(j, "stacks");
	for (size_t i = 0; i < b->n_stacks; i++) {
		const struct snap_stack *s = &b->stacks[i];

		json_object(j, NULL);
		json_str(j, "type", wait_type_name(s->type));
		json_u64(j, "count", s->count);
		json_u64(j, "ns", s->ns);
		add_frames(j, "kernel", s->kernel, s->n_kernel);
		add_frames(j, "user", s->user, s->n_user);
		json_object_end(j);
	}
	json_array_end(j);
}

static void add_blockers(struct json *j, const struct snap_backend *b)
{
	if (!b->blocked_by_known) {
		json_null(j, "blocked_by");
		return;
	}
	json_array(j, "blocked_by");
	for (size_t i = 0; i < b->n_blocked_by; i++) {
		json_object(j, NULL);
		json_i64(j, "pid", b->blocked_by[i].pid);
		json_bool(j, "soft", b->blocked_by[i].soft);
		json_object_end(j);
	}
	json_array_end(j);
}

static void add_histogram(struct json *j, const struct snap_backend *b)
{
	json_object(j, "histogram");
	for (int type = 0; type < WAIT_NR; type++) {
		const uint32_t *bins = b->histogram[type];
		size_t n = bins ? SNAP_HISTOGRAM_BINS : 0;

		while (n && !bins[n - 1])
			n--;
		if (!n)
			continue;
		json_array(j, wait_type_name((enum wait_type)type));
		for (size_t i = 0; i < n; i++)
			json_u64(j, NULL, bins[i]);
		json_array_end(j);
	}
	json_object_end(j);
}

static void add_backend(struct json *j, const struct snap_backend *b)
{
	json_object(j, NULL);
	add_identity(j, b);
	json_u64(j, "watched_ns", b->watched_ns);
	add_times(j, "times", &b->times);
	json_u64(j, "off_ns", b->off_ns);
	json_u64(j, "waits", b->waits);
	json_u64(j, "max_wait_ns", b->max_wait_ns);
	add_current(j, b);
	add_events(j, b);
	add_wakers(j, b);
	add_stacks(j, b);
	add_blockers(j, b);
	add_histogram(j, b);
	json_object_end(j);
}

static void add_header(struct json *j, const struct snapshot *s)
{
	char time[REPORT_TIME_BUF];

	json_u64(j, "schema", SCHEMA);
	json_str(j, "time", report_time(time, s->time_ms));
	json_u64(j, "mono_ns", s->mono_ns);
	json_u64(j, "interval_ns", s->interval_ns);
	json_u64(j, "window_ns", s->window_ns);
	json_str(j, "host", s->host);
	json_str(j, "kernel", s->kernel);
	json_str(j, "version", s->version);
	add_average(j, "aas", s->aas);
	add_times(j, "total", &s->total);
	add_average(j, "waits_per_s", s->waits_per_s);
	add_loss(j, &s->loss);
	add_self(j, &s->self);
}

int report_json(struct buf *b, const struct snapshot *s, const struct report_opts *o)
{
	_cleanup_free_ size_t *rows = xcalloc(s->n_backends, sizeof(*rows));
	size_t n = rows_select(s, o->filter, o->show_idle, o->sort, o->sort_desc, rows);
	struct json j;

	json_init(&j, b);
	json_object(&j, NULL);
	add_header(&j, s);
	json_array(&j, "clusters");
	for (size_t i = 0; i < s->n_clusters; i++)
		add_cluster(&j, &s->clusters[i]);
	json_array_end(&j);
	json_array(&j, "backends");
	for (size_t i = 0; i < n; i++)
		add_backend(&j, &s->backends[rows[i]]);
	json_array_end(&j);
	json_object_end(&j);
	buf_putc(b, '\n');
	return b->overflow ? -EOVERFLOW : 0;
}
