/*
 * Who blocks whom, from the shared lock table. See lockgraph.h.
 *
 * The lists change while they are read, without a lock taken here. So a LOCK is read as a whole
 * view: header, all PROCLOCKs, the wait queue, what the PGPROCs wait for; then all of it a second
 * time by address, and the view counts only if nothing has moved. Every walk is bounded; every node
 * must point back to the node before it and to the lock it was reached from. Invariant: an answer
 * about a lock is of one such view, or there is none.
 *
 * Owns the views, until lockgraph_forget.
 */
#include "lockgraph.h"

#include <errno.h>
#include <string.h>

#include "util.h"

#define ATTEMPTS       4
#define MAX_NODES      8192 /* PROCLOCKs of a lock, waiters in its queue */
#define MAX_GROUP      1024 /* processes of a lock group */
#define LOCK_BYTES     256  /* at least what any layout says */
#define PROCLOCK_BYTES 128
#define NODE_BYTES     16
#define PREV	       0 /* list nodes are {prev, next} */
#define NEXT	       8

/* One PROCLOCK of the lock, and what its PGPROC says. */
struct member {
	uint64_t addr;
	uint64_t proc, leader;
	uint32_t hold_mask;
	size_t queue_pos; /* its place in the wait queue; SIZE_MAX: not in it */
	/* As read: these are compared. */
	struct {
		uint8_t raw[PROCLOCK_BYTES];
		uint64_t wait_lock;
		int32_t wait_mode;
		int32_t leader_pid;
	} seen;
};

/* One PGPROC in the wait queue. */
struct queued {
	uint64_t node, proc;
	size_t pos;
	uint8_t raw[NODE_BYTES];
};

/* All that is known of one LOCK. */
struct view {
	uint64_t addr;
	uint8_t raw[LOCK_BYTES];
	struct member *members;
	size_t n_members;
	struct queued *queue;
	size_t n_queue;
};

struct lockgraph {
	struct mem_source mem;
	const struct pg_layout *layout;
	pid_t reader; /* of the query that runs */
	struct view *views;
	size_t n_views;
};

struct answer {
	struct lock_blocker *a;
	size_t n, max;
};

/* What the waiter's own PGPROC says. */
struct waiter {
	uint64_t proc;
	uint64_t lock;
	int32_t mode;
};

/* By mode: the modes that conflict with it. */
static const uint16_t conflicts[PG_LOCK_MODES + 1] = {
	[1] = 1 << 8,						   /* AccessShare */
	[2] = 1 << 7 | 1 << 8,					   /* RowShare */
	[3] = 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8,		   /* RowExclusive */
	[4] = 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8,	   /* ShareUpdateExclusive */
	[5] = 1 << 3 | 1 << 4 | 1 << 6 | 1 << 7 | 1 << 8,	   /* Share */
	[6] = 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8, /* ShareRowExclusive */
	[7] = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8, /* Exclusive */
	[8] = 0x1fe,							    /* AccessExclusive */
};

bool lockgraph_conflicts(int mode, uint32_t hold_mask)
{
	return mode >= 1 && mode <= PG_LOCK_MODES && (conflicts[mode] & hold_mask);
}

static uint64_t get64(const uint8_t *raw, size_t offset)
{
	uint64_t v;

	memcpy(&v, raw + offset, sizeof(v));
	return v;
}

static uint32_t get32(const uint8_t *raw, size_t offset)
{
	uint32_t v;

	memcpy(&v, raw + offset, sizeof(v));
	return v;
}

/* Structs in shared memory are aligned: anything else is not a pointer to one. */
static bool plausible(uint64_t addr)
{
	return addr >= 4096 && !(addr & 7);
}

/* All ranges, or -EAGAIN: a pointer that led nowhere means that the list moved. */
static int read_all(const struct lockgraph *lg, struct mem_range *r, size_t n)
{
	int err = n ? lg->mem.readv(lg->mem.ctx, lg->reader, r, n) : 0;

	for (size_t i = 0; !err && i < n; i++)
		if (r[i].err)
			err = -EAGAIN;
	return err;
}

static int read_one(const struct lockgraph *lg, uint64_t addr, void *buf, size_t n)
{
	struct mem_range r = {.addr = addr, .buf = buf, .n = n};

	return read_all(lg, &r, 1);
}

static void view_release(struct view *v)
{
	free(v->members);
	free(v->queue);
	*v = (struct view){0};
}

/* ---- reading a lock -------------------------------------------------------------------------- */

static int read_members(const struct lockgraph *lg, struct view *v)
{
	const struct pg_layout *l = lg->layout;
	uint64_t head = v->addr + l->lock.proc_locks, prev = head;
	uint64_t node = get64(v->raw, l->lock.proc_locks + NEXT);
	size_t cap = 0;

	while (node != head) {
		struct member *m;
		int err;

		if (!plausible(node) || v->n_members == MAX_NODES)
			return -EAGAIN;
		if (v->n_members == cap) {
			cap = cap ? 2 * cap : 16;
			v->members = xrealloc(v->members, cap, sizeof(*v->members));
		}
		m = &v->members[v->n_members];
		*m = (struct member){.addr = node - l->lock.lock_link, .queue_pos = SIZE_MAX};
		err = read_one(lg, m->addr, m->seen.raw, l->lock.proclock_size);
		if (err)
			return err;
		m->proc = get64(m->seen.raw, l->lock.my_proc);
		m->leader = get64(m->seen.raw, l->lock.group_leader);
		m->hold_mask = get32(m->seen.raw, l->lock.hold_mask);
		if (get64(m->seen.raw, l->lock.lock_link + PREV) != prev ||
			get64(m->seen.raw, l->lock.my_lock) != v->addr || !plausible(m->proc) ||
			!plausible(m->leader))
			return -EAGAIN;
		prev = node;
		node = get64(m->seen.raw, l->lock.lock_link + NEXT);
		v->n_members++;
	}
	return get64(v->raw, l->lock.proc_locks + PREV) == prev ? 0 : -EAGAIN;
}

static int read_queue(const struct lockgraph *lg, struct view *v)
{
	const struct pg_layout *l = lg->layout;
	uint64_t head = v->addr + l->lock.wait_procs, prev = head;
	uint64_t node = get64(v->raw, l->lock.wait_procs + NEXT);
	uint32_t count = get32(v->raw, l->lock.wait_count);

	if (count > MAX_NODES)
		return -EAGAIN;
	v->queue = xcalloc(count, sizeof(*v->queue));
	while (node != head) {
		struct queued *q = &v->queue[v->n_queue];
		int err;

		if (!plausible(node) || v->n_queue == count)
			return -EAGAIN;
		q->node = node;
		q->proc = node - l->proc.links;
		q->pos = v->n_queue++;
		err = read_one(lg, node, q->raw, sizeof(q->raw));
		if (err)
			return err;
		if (get64(q->raw, PREV) != prev)
			return -EAGAIN;
		prev = node;
		node = get64(q->raw, NEXT);
	}
	return v->n_queue == count ? 0 : -EAGAIN;
}

static void add_range(struct mem_range *r, size_t *n, uint64_t addr, void *buf, size_t bytes)
{
	r[*n] = (struct mem_range){.addr = addr, .buf = buf, .n = bytes};
	*n += 1;
}

/* What each member waits for, and its leader's pid, into `seen` of `to`. */
static size_t add_proc_ranges(
	const struct lockgraph *lg, const struct view *v, struct member *to, struct mem_range *r)
{
	const struct pg_layout *l = lg->layout;
	size_t n = 0;

	for (size_t i = 0; i < v->n_members; i++) {
		const struct member *m = &v->members[i];

		add_range(r, &n, m->proc + l->proc.wait_lock, &to[i].seen.wait_lock, 8);
		add_range(r, &n, m->proc + l->proc.wait_lock_mode, &to[i].seen.wait_mode, 4);
		add_range(r, &n, m->leader + l->proc.pid, &to[i].seen.leader_pid, 4);
	}
	return n;
}

/* Everything once more, in one go: -EAGAIN if anything has moved since. */
static int verify(const struct lockgraph *lg, const struct view *v)
{
	const struct pg_layout *l = lg->layout;
	_cleanup_free_ struct mem_range *r = xcalloc(1 + 4 * v->n_members + v->n_queue, sizeof(*r));
	_cleanup_free_ struct member *members = xcalloc(v->n_members, sizeof(*members));
	_cleanup_free_ struct queued *queue = xcalloc(v->n_queue, sizeof(*queue));
	uint8_t lock[LOCK_BYTES] = {0};
	size_t n = add_proc_ranges(lg, v, members, r);
	int err;

	for (size_t i = 0; i < v->n_members; i++)
		add_range(r, &n, v->members[i].addr, members[i].seen.raw, l->lock.proclock_size);
	for (size_t i = 0; i < v->n_queue; i++)
		add_range(r, &n, v->queue[i].node, queue[i].raw, NODE_BYTES);
	add_range(r, &n, v->addr, lock, l->lock.lock_size);
	err = read_all(lg, r, n);
	if (!err && memcmp(lock, v->raw, l->lock.lock_size) != 0)
		err = -EAGAIN;
	for (size_t i = 0; !err && i < v->n_members; i++)
		if (memcmp(&members[i].seen, &v->members[i].seen, sizeof(members[i].seen)) != 0)
			err = -EAGAIN;
	for (size_t i = 0; !err && i < v->n_queue; i++)
		if (memcmp(queue[i].raw, v->queue[i].raw, NODE_BYTES) != 0)
			err = -EAGAIN;
	return err;
}

static int compare_queued(const void *a, const void *b)
{
	const struct queued *x = a, *y = b;

	return x->proc < y->proc ? -1 : x->proc > y->proc;
}

static void find_queue_positions(struct view *v)
{
	qsort(v->queue, v->n_queue, sizeof(*v->queue), compare_queued);
	for (size_t i = 0; i < v->n_members && v->n_queue; i++) {
		struct queued key = {.proc = v->members[i].proc};
		const struct queued *q =
			bsearch(&key, v->queue, v->n_queue, sizeof(*v->queue), compare_queued);

		if (q)
			v->members[i].queue_pos = q->pos;
	}
}

static int read_view(const struct lockgraph *lg, uint64_t lock, struct view *v)
{
	_cleanup_free_ struct mem_range *r = NULL;
	int err;

	*v = (struct view){.addr = lock};
	err = read_one(lg, lock, v->raw, lg->layout->lock.lock_size);
	if (!err)
		err = read_members(lg, v);
	if (!err)
		err = read_queue(lg, v);
	if (!err) {
		r = xcalloc(v->n_members, 3 * sizeof(*r));
		err = read_all(lg, r, add_proc_ranges(lg, v, v->members, r));
	}
	if (!err)
		err = verify(lg, v);
	if (!err)
		find_queue_positions(v);
	else
		view_release(v);
	return err;
}

/* ---- the views of a tick --------------------------------------------------------------------- */

static int get_view(struct lockgraph *lg, uint64_t lock, const struct view **ret)
{
	struct view v;
	int err;

	for (size_t i = 0; i < lg->n_views; i++) {
		if (lg->views[i].addr == lock) {
			*ret = &lg->views[i];
			return 0;
		}
	}
	err = read_view(lg, lock, &v);
	if (err)
		return err;
	lg->views = xrealloc(lg->views, lg->n_views + 1, sizeof(*lg->views));
	lg->views[lg->n_views] = v;
	*ret = &lg->views[lg->n_views++];
	return 0;
}

static void drop_view(struct lockgraph *lg, uint64_t lock)
{
	for (size_t i = 0; i < lg->n_views; i++) {
		if (lg->views[i].addr == lock) {
			view_release(&lg->views[i]);
			lg->views[i] = lg->views[--lg->n_views];
			return;
		}
	}
}

/* ---- who blocks ------------------------------------------------------------------------------ */

static void answer_add(struct answer *to, pid_t pid, bool soft)
{
	for (size_t i = 0; i < to->n; i++) {
		if (to->a[i].pid != pid)
			continue;
		to->a[i].soft = to->a[i].soft && soft;
		return;
	}
	if (to->n < to->max)
		to->a[to->n++] = (struct lock_blocker){.pid = pid, .soft = soft};
}

static int judge(const struct view *v, const struct waiter *w, struct answer *to)
{
	const struct member *own = NULL;

	for (size_t i = 0; i < v->n_members && !own; i++)
		if (v->members[i].proc == w->proc)
			own = &v->members[i];
	/* Its own request is in the list as long as it waits. */
	if (!own || own->seen.wait_lock != w->lock || own->seen.wait_mode != w->mode)
		return -EAGAIN;
	for (size_t i = 0; i < v->n_members; i++) {
		const struct member *m = &v->members[i];
		int mode = m->seen.wait_mode;

		if (m->leader == own->leader)
			continue;
		if (lockgraph_conflicts(w->mode, m->hold_mask))
			answer_add(to, m->seen.leader_pid, false);
		else if (m->seen.wait_lock == v->addr && mode >= 1 && mode <= PG_LOCK_MODES &&
			 lockgraph_conflicts(w->mode, 1u << mode) && m->queue_pos < own->queue_pos)
			answer_add(to, m->seen.leader_pid, true);
	}
	return 0;
}

static int read_waiter(const struct lockgraph *lg, uint64_t proc, struct waiter *ret)
{
	const struct pg_layout *l = lg->layout;
	struct mem_range r[] = {
		{.addr = proc + l->proc.wait_lock, .buf = &ret->lock, .n = 8},
		{.addr = proc + l->proc.wait_lock_mode, .buf = &ret->mode, .n = 4},
	};

	ret->proc = proc;
	return read_all(lg, r, ARRAY_SIZE(r));
}

/* The blockers of one process, added to the answer; it is left as it was on failure. */
static int blockers_of(struct lockgraph *lg, uint64_t proc, struct answer *to)
{
	const struct view *v;
	struct waiter w;
	int err = read_waiter(lg, proc, &w);

	if (err || !w.lock)
		return err;
	if (!plausible(w.lock) || w.mode < 1 || w.mode > PG_LOCK_MODES)
		return -EAGAIN;
	err = get_view(lg, w.lock, &v);
	if (!err)
		err = judge(v, &w, to);
	/* It came, or went, after the view was taken. */
	if (err == -EAGAIN)
		drop_view(lg, w.lock);
	return err;
}

/* The processes of a lock group, from its leader's list. At most max; -EAGAIN if it moved. */
static int read_group(
	const struct lockgraph *lg, uint64_t leader, uint64_t *procs, size_t max, size_t *ret_n)
{
	const struct pg_layout *l = lg->layout;
	uint64_t head = leader + l->proc.lock_group_members, prev = head, node = head;
	uint8_t raw[NODE_BYTES];

	*ret_n = 0;
	for (;;) {
		int err = read_one(lg, node, raw, sizeof(raw));

		if (err)
			return err;
		if (node != head && get64(raw, PREV) != prev)
			return -EAGAIN;
		prev = node;
		node = get64(raw, NEXT);
		if (node == head)
			return 0;
		if (!plausible(node) || *ret_n == max)
			return -EAGAIN;
		procs[(*ret_n)++] = node - l->proc.lock_group_link;
	}
}

static int try_query(struct lockgraph *lg, uint64_t proc, pid_t pid_ns, struct answer *to)
{
	const struct pg_layout *l = lg->layout;
	uint64_t group[MAX_GROUP], leader = 0;
	size_t n_group = 0;
	int32_t pid = 0;
	struct mem_range r[] = {
		{.addr = proc + l->proc.pid, .buf = &pid, .n = 4},
		{.addr = proc + l->proc.lock_group_leader, .buf = &leader, .n = 8},
	};
	int err = lg->mem.readv(lg->mem.ctx, lg->reader, r, ARRAY_SIZE(r));

	if (!err)
		err = r[0].err ? r[0].err : r[1].err;
	if (err)
		return err;
	if (pid != pid_ns)
		return -EAGAIN;
	if (!leader)
		return blockers_of(lg, proc, to);
	if (!plausible(leader))
		return -EAGAIN;
	err = read_group(lg, leader, group, ARRAY_SIZE(group), &n_group);
	for (size_t i = 0; !err && i < n_group; i++)
		err = blockers_of(lg, group[i], to);
	return err;
}

int lockgraph_query(struct lockgraph *lg, pid_t reader, uint64_t proc_addr, pid_t pid_ns,
	struct lock_blocker *ret, size_t max)
{
	int err = -EAGAIN;

	if (!lg->layout || !lg->layout->lock.known || !lg->layout->proc.lock_group_leader)
		return -EOPNOTSUPP;
	if (!plausible(proc_addr))
		return -EFAULT;
	lg->reader = reader;
	for (int i = 0; i < ATTEMPTS && err == -EAGAIN; i++) {
		struct answer to = {.a = ret, .max = MIN(max, (size_t)INT32_MAX)};

		err = try_query(lg, proc_addr, pid_ns, &to);
		if (!err)
			return (int)to.n;
	}
	return err;
}

struct lockgraph *lockgraph_new(const struct mem_source *mem, const struct pg_layout *layout)
{
	struct lockgraph *lg = xcalloc(1, sizeof(*lg));

	lg->mem = *mem;
	lg->layout = layout;
	return lg;
}

void lockgraph_forget(struct lockgraph *lg)
{
	for (size_t i = 0; i < lg->n_views; i++)
		view_release(&lg->views[i]);
	lg->n_views = 0;
}

void lockgraph_free(struct lockgraph *lg)
{
	if (!lg)
		return;
	lockgraph_forget(lg);
	free(lg->views);
	free(lg);
}

int lockgraph_blocked_by(const struct mem_source *mem, pid_t reader, const struct pg_layout *layout,
	uint64_t proc_addr, pid_t pid_ns, struct lock_blocker *ret, size_t max)
{
	struct lockgraph *lg = lockgraph_new(mem, layout);
	int n = lockgraph_query(lg, reader, proc_addr, pid_ns, ret, max);

	lockgraph_free(lg);
	return n;
}
