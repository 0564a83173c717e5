/*
 * The live source: loads the skeleton, attaches, and moves data between the maps and its caller.
 * Knows nothing of PostgreSQL's meaning. Nothing it creates in the kernel outlives it: there are
 * no pins, and links close with the process.
 */
#include "source.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "offcpu.skel.h"
#include "probe.h"
#include "procfs.h"
#include "util.h"

#define DEFAULT_MAX_TASKS  8192
#define RING_PER_CPU_BYTES (4ULL << 20)
#define RING_MIN_BYTES	   (8ULL << 20)
#define RING_MAX_BYTES	   (64ULL << 20)
#define TORN_RETRIES	   16
#define LOG_BYTES	   65536

struct source {
	struct offcpu_bpf *skel;
	struct ring_buffer *ring;
	uint64_t ring_bytes;
	int64_t monotonic_offset_ns; /* of this time namespace */
	int n_cpus;

	/* One drain's caller. */
	source_event_fn *fn;
	void *ctx;
	int taken, max;

	uint32_t *pids;
	struct offcpu_task *tasks;
	size_t cap_tasks;

	char *log;
	size_t log_len;
};

/* libbpf has one print function for the whole process, without a context. */
static struct source *printing;

__attribute__((format(printf, 2, 0))) static int keep_words(
	enum libbpf_print_level level, const char *fmt, va_list ap)
{
	struct source *s = printing;
	int n;

	if (!s || level == LIBBPF_DEBUG || s->log_len >= LOG_BYTES - 1)
		return 0;
	n = vsnprintf(s->log + s->log_len, LOG_BYTES - s->log_len, fmt, ap);
	if (n > 0)
		s->log_len = MIN(s->log_len + (size_t)n, (size_t)LOG_BYTES - 1);
	return n;
}

static uint64_t default_ring_bytes(int n_cpus)
{
	uint64_t bytes = RING_MIN_BYTES;

	while (bytes < RING_PER_CPU_BYTES * (uint64_t)n_cpus && bytes < RING_MAX_BYTES)
		bytes *= 2;
	return bytes;
}

static int on_sample(void *ctx, void *data, size_t size)
{
	struct source *s = ctx;
	const struct offcpu_event *ev = data;

	if (size >= sizeof(*ev) && ev->flags & OFFCPU_F_STACK) {
		s->fn(s->ctx, ev, size);
		s->taken++;
	} else {
		for (size_t n = size / sizeof(*ev); n; n--, s->taken++)
			s->fn(s->ctx, ev++, sizeof(*ev));
	}
	/* A negative value ends this round; what was handed over stays consumed. */
	return s->taken >= s->max ? -EAGAIN : 0;
}

static int load(struct source *s, const struct source_config *cfg, const struct probe *probe)
{
	struct offcpu_bpf *skel = offcpu_bpf__open();
	uint32_t max_tasks = cfg->max_tasks ? cfg->max_tasks : DEFAULT_MAX_TASKS;
	int err;

	if (!skel)
		return -errno;
	s->skel = skel;
	skel->rodata->has_prev_state_arg = probe->has_prev_state_arg;
	skel->rodata->stacks_mode = (__u8)cfg->stacks;
	skel->rodata->ring_mark_bytes = s->ring_bytes / 4;
	if ((err = bpf_map__set_max_entries(skel->maps.ring, (__u32)s->ring_bytes)) ||
		(err = bpf_map__set_max_entries(skel->maps.tasks, max_tasks)) ||
		(err = bpf_map__set_max_entries(
			 skel->maps.ustacks, cfg->stacks == OFFCPU_STACKS_ALL ? max_tasks : 1)))
		return err;
	err = offcpu_bpf__load(skel);
	if (!err)
		err = offcpu_bpf__attach(skel);
	if (err)
		return err;
	s->ring = ring_buffer__new(bpf_map__fd(skel->maps.ring), on_sample, s, NULL);
	return s->ring ? 0 : -errno;
}

/* Maps, programs and links take some twenty descriptors. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int source_open(struct source **ret, const struct source_config *cfg, struct diag *d)
{
	struct probe probe;
	struct proc_timens timens = {0};
	struct source *s;
	int err;

	raise_file_limit();
	if ((err = probe_capabilities(d)) || (err = probe_namespace(d)) ||
		(err = probe_kernel(&probe, d)))
		return err;
	s = xcalloc(1, sizeof(*s));
	s->log = xcalloc(1, LOG_BYTES);
	s->n_cpus = libbpf_num_possible_cpus();
	s->ring_bytes = cfg->ring_bytes ? cfg->ring_bytes : default_ring_bytes(s->n_cpus);
	(void)procfs_read_timens("/proc", &timens);
	s->monotonic_offset_ns = timens.monotonic_ns;
	libbpf_set_print(keep_words);
	printing = s;
	err = load(s, cfg, &probe);
	printing = NULL;
	if (cfg->log && s->log_len)
		cfg->log(cfg->log_ctx, s->log);
	if (err) {
		probe_explain(err, s->log, d);
		source_close(s);
		return err;
	}
	*ret = s;
	return 0;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	ring_buffer__free(s->ring);
	offcpu_bpf__destroy(s->skel);
	free(s->pids);
	free(s->tasks);
	free(s->log);
	free(s);
}

uint64_t source_now_ns(const struct source *s)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec -
	       (uint64_t)s->monotonic_offset_ns;
}

int source_fd(const struct source *s)
{
	return bpf_map__fd(s->skel->maps.ring);
}

int source_drain(struct source *s, int max, source_event_fn *fn, void *ctx)
{
	s->fn = fn;
	s->ctx = ctx;
	s->taken = 0;
	s->max = max;
	ring_buffer__consume(s->ring);
	return s->taken;
}

int source_ring_events(const struct source *s)
{
	return (int)(s->ring_bytes / sizeof(struct offcpu_event)) + 1;
}

int source_add_server(struct source *s, uint32_t pid, const struct offcpu_server *server)
{
	if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.servers), &pid, server, BPF_ANY))
		return -errno;
	return 0;
}

void source_del_server(struct source *s, uint32_t pid)
{
	bpf_map_delete_elem(bpf_map__fd(s->skel->maps.servers), &pid);
}

/* The BPF programs change the counts as well. */
static void count_in_filter(struct source *s, uint32_t pid, uint32_t by)
{
	__atomic_fetch_add(
		&s->skel->bss->pid_filter[pid & (OFFCPU_FILTER_SIZE - 1)], by, __ATOMIC_SEQ_CST);
}

int source_seed_task(struct source *s, uint32_t pid, const struct offcpu_task *task)
{
	if (bpf_map_update_elem(bpf_map__fd(s->skel->maps.tasks), &pid, task, BPF_NOEXIST))
		return -errno;
	count_in_filter(s, pid, 1);
	return 0;
}

void source_del_task(struct source *s, uint32_t pid)
{
	if (!bpf_map_delete_elem(bpf_map__fd(s->skel->maps.tasks), &pid))
		count_in_filter(s, pid, -1U);
}

static void grow_tasks(struct source *s, size_t want)
{
	if (want <= s->cap_tasks)
		return;
	s->cap_tasks = want;
	s->pids = xrealloc(s->pids, want, sizeof(*s->pids));
	s->tasks = xrealloc(s->tasks, want, sizeof(*s->tasks));
}

/* A change that another CPU was making while the map was copied. */
static void mend_torn(struct source *s, int fd, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < TORN_RETRIES && s->tasks[i].begun != s->tasks[i].done; k++)
			if (bpf_map_lookup_elem(fd, &s->pids[i], &s->tasks[i]))
				break;
}

int source_read_tasks(struct source *s, struct source_tasks *ret)
{
	int fd = bpf_map__fd(s->skel->maps.tasks);
	__u32 batch, *in = NULL, count;
	size_t n = 0;
	int err = 0;

	grow_tasks(s, 256);
	while (!err) {
		count = (__u32)(s->cap_tasks - n);
		err = bpf_map_lookup_batch(fd, in, &batch, s->pids + n, s->tasks + n, &count, NULL)
			      ? -errno
			      : 0;
		if (err == -ENOSPC) { /* a bucket larger than the room that is left */
			grow_tasks(s, s->cap_tasks * 2);
			err = 0;
			continue;
		}
		if (err && err != -ENOENT)
			return err;
		n += count;
		in = &batch;
		if (s->cap_tasks - n < 64)
			grow_tasks(s, s->cap_tasks * 2);
	}
	mend_torn(s, fd, n);
	*ret = (struct source_tasks){s->pids, s->tasks, n};
	return 0;
}

bool source_same_wait(struct source *s, uint32_t pid, const struct offcpu_task *t)
{
	struct offcpu_task now;

	return !bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.tasks), &pid, &now) &&
	       now.start_boottime_ns == t->start_boottime_ns && now.begun == now.done &&
	       now.phase == t->phase && now.seq == t->seq && now.out_ns == t->out_ns;
}

int source_read_user_stack(struct source *s, uint32_t pid, struct offcpu_ustack *ret)
{
	return bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.ustacks), &pid, ret) ? -errno : 0;
}

int source_counters(struct source *s, struct offcpu_counters *ret)
{
	_cleanup_free_ struct offcpu_counters *cpus = xcalloc((size_t)s->n_cpus, sizeof(*cpus));
	__u32 zero = 0;

	memset(ret, 0, sizeof(*ret));
	if (bpf_map_lookup_elem(bpf_map__fd(s->skel->maps.counters), &zero, cpus))
		return -errno;
	for (int i = 0; i < s->n_cpus; i++) {
		ret->lost_events += cpus[i].lost_events;
		ret->lost_ns += cpus[i].lost_ns;
		ret->tasks_full += cpus[i].tasks_full;
		ret->unread += cpus[i].unread;
		ret->stack_missed += cpus[i].stack_missed;
		ret->anomalies += cpus[i].anomalies;
	}
	return 0;
}

uint64_t source_exec_count(const struct source *s)
{
	return __atomic_load_n(&s->skel->bss->exec_count, __ATOMIC_RELAXED);
}

bool source_ns_per_switch(const struct source *s, double *ret_ns)
{
	struct bpf_prog_info info = {0};
	__u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(s->skel->progs.on_switch), &info, &len) ||
		!info.run_cnt)
		return false;
	*ret_ns = (double)info.run_time_ns / (double)info.run_cnt;
	return true;
}
