/*
 * The session facts of one cluster's backends. See backend_status.h.
 *
 * Owns the list of backends, their copies of the facts, and the names learned by oid. Invariants:
 *  - the list is sorted by pid, one element a pid;
 *  - facts.known only after the entry passed the check against the backend's own globals, and facts
 *    are only ever replaced by an entry that still has the same owner (pid and start time);
 *  - nothing from the other side is used as a length or an index unchecked.
 * Knows no clock, no /proc and no SQL.
 */
#include "backend_status.h"

#include <errno.h>
#include <string.h>

#include "oidnames.h"
#include "pgentry.h"
#include "util.h"

#define CHECK_TRIES 8 /* failed checks (one a tick) before the layout is called wrong */

struct backend {
	struct backend_facts facts;

	/* Learned from the backend's own globals. */
	uint64_t entry, proc, port, bgworker;
	int64_t start_us;
	uint32_t database_id;
	int32_t backend_type;
	bool learned; /* nothing left to read from its private memory */
	unsigned int tries;
	uint64_t due_tick;

	/* Of the copy held. */
	uint32_t changecount;
	int32_t raw_type;
	unsigned int failed_checks;

	bool own_names, taught;
	char own_user[PG_NAMEDATALEN], own_database[PG_NAMEDATALEN];
	char user[PG_NAMEDATALEN], database[PG_NAMEDATALEN]; /* what facts point to */
	char bgw_type[PG_BGW_MAXLEN];
	char application[PG_NAMEDATALEN];
	char *query;
};

struct backend_status {
	struct mem_source mem;
	const struct pg_layout *layout;
	struct pg_symbols symbols;
	pid_t postmaster, reader;
	struct backend **list;
	size_t n, cap;
	struct oidnames users, databases;
	size_t activity_bytes; /* 0: not read yet */
	uint64_t tick;

	/* Work space of a tick, as long as the list. */
	struct mem_range *ranges;
	uint32_t *counts;
	uint64_t *words;
	struct backend **todo;
	size_t work_cap;
	struct pg_entry_copy copies[PG_ENTRY_BATCH];
};

/* ---- the list -------------------------------------------------------------------------------- */

struct backend_status *backend_status_new(const struct mem_source *mem,
	const struct pg_layout *layout, const struct pg_symbols *symbols, pid_t postmaster)
{
	struct backend_status *bs = xcalloc(1, sizeof(*bs));

	bs->mem = *mem;
	bs->layout = layout;
	bs->symbols = *symbols;
	bs->postmaster = bs->reader = postmaster;
	return bs;
}

static void backend_free(struct backend *b)
{
	free(b->query);
	free(b);
}

void backend_status_free(struct backend_status *bs)
{
	if (!bs)
		return;
	for (size_t i = 0; i < bs->n; i++)
		backend_free(bs->list[i]);
	for (size_t i = 0; i < PG_ENTRY_BATCH; i++)
		pg_entry_copy_free(&bs->copies[i]);
	oidnames_release(&bs->users);
	oidnames_release(&bs->databases);
	free(bs->list);
	free(bs->ranges);
	free(bs->counts);
	free(bs->words);
	free(bs->todo);
	free(bs);
}

/* The index of the first backend whose pid is not below pid. */
static size_t lower_bound(const struct backend_status *bs, pid_t pid)
{
	size_t lo = 0, hi = bs->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (bs->list[mid]->facts.pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct backend *find(const struct backend_status *bs, pid_t pid)
{
	size_t i = lower_bound(bs, pid);

	return i < bs->n && bs->list[i]->facts.pid == pid ? bs->list[i] : NULL;
}

void backend_status_add(struct backend_status *bs, pid_t pid, pid_t pid_ns)
{
	struct backend *b;
	size_t i;

	backend_status_remove(bs, pid);
	if (bs->n == bs->cap) {
		bs->cap = bs->cap ? 2 * bs->cap : 64;
		bs->list = xrealloc(bs->list, bs->cap, sizeof(struct backend *));
	}
	b = xcalloc(1, sizeof(*b));
	b->facts.pid = pid;
	b->facts.pid_ns = pid_ns ? pid_ns : pid;
	i = lower_bound(bs, pid);
	memmove(&bs->list[i + 1], &bs->list[i], (bs->n - i) * sizeof(struct backend *));
	bs->list[i] = b;
	bs->n++;
}

void backend_status_remove(struct backend_status *bs, pid_t pid)
{
	struct backend *b = find(bs, pid);
	size_t i;

	if (!b)
		return;
	i = lower_bound(bs, pid);
	memmove(&bs->list[i], &bs->list[i + 1], (bs->n - i - 1) * sizeof(struct backend *));
	bs->n--;
	backend_free(b);
}

const struct backend_facts *backend_status_get(const struct backend_status *bs, pid_t pid)
{
	const struct backend *b = find(bs, pid);

	return b ? &b->facts : NULL;
}

uint64_t backend_status_proc_addr(const struct backend_status *bs, pid_t pid)
{
	const struct backend *b = find(bs, pid);

	return b ? b->proc : 0;
}

uint64_t backend_status_entry_addr(const struct backend_status *bs, pid_t pid)
{
	const struct backend *b = find(bs, pid);

	return b && b->facts.known ? b->entry : 0;
}

pid_t backend_status_host_pid(const struct backend_status *bs, pid_t pid_ns)
{
	const struct backend *same = find(bs, pid_ns);
	bool same_namespace = true;

	/* A lock that thousands wait for asks thousands of times. */
	if (same && same->facts.pid_ns == pid_ns)
		return pid_ns;
	for (size_t i = 0; i < bs->n; i++) {
		if (bs->list[i]->facts.pid_ns == pid_ns)
			return bs->list[i]->facts.pid;
		if (bs->list[i]->facts.pid_ns != bs->list[i]->facts.pid)
			same_namespace = false;
	}
	return same_namespace ? pid_ns : 0;
}

void backend_status_learn_database(struct backend_status *bs, uint32_t oid, const char *name)
{
	oidnames_learn(&bs->databases, oid, name);
}

const char *backend_status_database_name(const struct backend_status *bs, uint32_t oid)
{
	return oidnames_find(&bs->databases, oid);
}

const char *backend_status_user_name(const struct backend_status *bs, uint32_t oid)
{
	return oidnames_find(&bs->users, oid);
}

/* ---- a backend's private memory -------------------------------------------------------------- */

/* Reads its globals. 0 (what is not exported or mapped stays 0), or what readv gives. */
static int read_globals(struct backend_status *bs, struct backend *b, int32_t *ret_proc_pid)
{
	const uint64_t *addr = bs->symbols.addr;
	/* MyBEEntry first: when it is set, all the others are. */
	struct mem_range r[] = {
		{.addr = addr[PG_MY_BE_ENTRY], .buf = &b->entry, .n = 8},
		{.addr = addr[PG_MY_PROC_PID], .buf = ret_proc_pid, .n = 4},
		{.addr = addr[PG_MY_BACKEND_TYPE], .buf = &b->backend_type, .n = 4},
		{.addr = addr[PG_MY_PROC], .buf = &b->proc, .n = 8},
		{.addr = addr[PG_MY_PROC_PORT], .buf = &b->port, .n = 8},
		{.addr = addr[PG_MY_BGWORKER_ENTRY], .buf = &b->bgworker, .n = 8},
		{.addr = addr[PG_MY_DATABASE_ID], .buf = &b->database_id, .n = 4},
		{.addr = addr[PG_MY_START_TIMESTAMP], .buf = &b->start_us, .n = 8},
	};

	b->proc = b->port = b->bgworker = b->entry = 0;
	for (size_t i = 0; i < ARRAY_SIZE(r); i++)
		if (!r[i].addr)
			r[i].n = 0;
	return bs->mem.readv(bs->mem.ctx, b->facts.pid, r, ARRAY_SIZE(r));
}

/* True once both names of a client are there (they come with its startup packet). */
static bool read_port_names(struct backend_status *bs, struct backend *b)
{
	const struct pg_layout *l = bs->layout;
	uint64_t database = 0, user = 0;
	struct mem_range r[] = {
		{.addr = b->port + l->port.database_name, .buf = &database, .n = 8},
		{.addr = b->port + l->port.user_name, .buf = &user, .n = 8},
	};

	if (bs->mem.readv(bs->mem.ctx, b->facts.pid, r, ARRAY_SIZE(r)) || r[0].err || r[1].err ||
		!database || !user)
		return false;
	return mem_read_cstr(&bs->mem, b->facts.pid, user, b->own_user, sizeof(b->own_user)) > 0 &&
	       mem_read_cstr(&bs->mem, b->facts.pid, database, b->own_database,
		       sizeof(b->own_database)) >= 0;
}

static void set_backend_type(struct backend_status *bs, struct backend *b, int32_t raw)
{
	const char *name = pglayout_backend_type(bs->layout, raw);

	b->raw_type = raw;
	if (raw == bs->layout->type_bgworker && b->bgw_type[0])
		name = b->bgw_type;
	if (name != b->facts.backend_type.s)
		b->facts.generation++;
	b->facts.backend_type = (struct pg_bytes){.s = name, .len = name ? strlen(name) : 0};
}

/* Nothing left to ask the process itself. */
static bool is_complete(const struct backend *b)
{
	return b->facts.known && (!b->port || b->own_names) && (!b->bgworker || b->bgw_type[0]);
}

/* What only the process itself can tell: where its shared structs are, its names. It is read again
 * at later ticks, ever more seldom, until nothing is missing: a backend fills this in as it starts,
 * and some processes never have a PgBackendStatus. */
static void learn(struct backend_status *bs, struct backend *b)
{
	int32_t proc_pid = 0;
	int err;

	b->due_tick = bs->tick + (b->tries < 16 ? 1 : b->tries < 64 ? 4 : 32);
	b->tries++;
	err = read_globals(bs, b, &proc_pid);
	if (err || proc_pid != b->facts.pid_ns) {
		b->proc = b->port = b->bgworker = b->entry = 0;
		if (err == -EPERM)
			b->facts.reason = "its memory cannot be read";
		/* A child just forked still has its postmaster's globals, but not for long. */
		else if (!err && b->tries >= CHECK_TRIES && !b->facts.known)
			b->facts.reason = "its MyProcPid is not its pid";
		return;
	}
	if (b->bgworker && !b->bgw_type[0])
		(void)mem_read_cstr(&bs->mem, b->facts.pid, b->bgworker + bs->layout->bgworker.type,
			b->bgw_type, sizeof(b->bgw_type));
	if (b->port && !b->own_names)
		b->own_names = read_port_names(bs, b);
	set_backend_type(bs, b, b->facts.known ? b->raw_type : b->backend_type);
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Reads through a living process of the cluster; picks another one when it is gone. */
static int shared_readv(struct backend_status *bs, struct mem_range *ranges, size_t nr)
{
	int err;

	if (!nr)
		return 0;
	err = bs->mem.readv(bs->mem.ctx, bs->reader, ranges, nr);
	if (err != -ESRCH && err != -EPERM)
		return err;
	for (size_t i = 0; i <= bs->n; i++) {
		pid_t pid = i ? bs->list[i - 1]->facts.pid : bs->postmaster;

		if (pid == bs->reader || (i && !bs->list[i - 1]->entry))
			continue;
		err = bs->mem.readv(bs->mem.ctx, pid, ranges, nr);
		if (err != -ESRCH && err != -EPERM) {
			bs->reader = pid;
			return err;
		}
	}
	return err;
}

static int shared_readv_cb(void *ctx, pid_t pid, struct mem_range *ranges, size_t nr)
{
	(void)pid;
	return shared_readv(ctx, ranges, nr);
}

pid_t backend_status_reader(const struct backend_status *bs)
{
	uint32_t word;

	for (size_t i = 0; i <= bs->n; i++) {
		pid_t pid = i ? bs->list[i - 1]->facts.pid : bs->reader;
		uint64_t addr = bs->symbols.addr[PG_MY_PROC_PID];

		if (!addr || !mem_read(&bs->mem, pid, addr, &word, sizeof(word)))
			return pid;
	}
	return -1;
}

static void reserve_work(struct backend_status *bs)
{
	if (bs->work_cap >= bs->n)
		return;
	bs->work_cap = bs->cap;
	bs->ranges = xrealloc(bs->ranges, bs->work_cap, sizeof(*bs->ranges));
	bs->counts = xrealloc(bs->counts, bs->work_cap, sizeof(*bs->counts));
	bs->words = xrealloc(bs->words, bs->work_cap, sizeof(*bs->words));
	bs->todo = xrealloc(bs->todo, bs->work_cap, sizeof(struct backend *));
}

static void read_activity_size(struct backend_status *bs)
{
	uint64_t addr = bs->symbols.addr[PG_TRACK_ACTIVITY_QUERY_SIZE];
	int32_t size = 0;
	struct mem_range r = {.addr = addr, .buf = &size, .n = sizeof(size)};

	if (bs->activity_bytes)
		return;
	if (addr && !shared_readv(bs, &r, 1) && !r.err && size > 0)
		bs->activity_bytes = MIN(size, BACKEND_STATUS_MAX_QUERY_BYTES);
	else
		bs->activity_bytes = 1024;
}

/* Whether an entry is this backend's and is laid out as believed. */
static bool check_entry(struct backend *b, const struct pg_entry *e)
{
	if (e->procpid == b->facts.pid_ns && e->proc_start_us == b->start_us &&
		(b->facts.known || e->databaseid == b->database_id)) {
		b->failed_checks = 0;
		return true;
	}
	/* Once known, another owner means that the backend has ended: its last facts stay. Not yet
	 * filled in means that it is starting. */
	if (b->facts.known || !e->procpid)
		return false;
	if (++b->failed_checks >= CHECK_TRIES)
		b->facts.reason = "its PgBackendStatus does not match its globals";
	return false;
}

static struct pg_bytes keep_query(struct backend *b, const struct pg_entry_copy *c)
{
	if (!c->query_known)
		return (struct pg_bytes){0};
	b->query = xrealloc(b->query, c->query_len + 1, 1);
	memcpy(b->query, c->query, c->query_len);
	b->query[c->query_len] = '\0';
	return (struct pg_bytes){.s = b->query, .len = c->query_len};
}

static void accept_copy(struct backend_status *bs, struct backend *b, struct pg_entry_copy *c)
{
	const struct pg_entry *e = &c->entry;
	struct backend_facts *f = &b->facts;

	if (!check_entry(b, e))
		return;
	b->changecount = e->changecount;
	f->known = true;
	f->reason = NULL;
	set_backend_type(bs, b, e->backend_type);
	memcpy(b->application, c->application, sizeof(b->application));
	f->application = (struct pg_bytes){0};
	if (c->application_known)
		f->application =
			(struct pg_bytes){.s = b->application, .len = strlen(b->application)};
	f->query = keep_query(b, c);
	memcpy(f->client, e->client, sizeof(f->client));
	f->state = pglayout_state(bs->layout, e->state);
	f->query_id = e->query_id;
	if (f->databaseid != e->databaseid || f->userid != e->userid)
		b->taught = false;
	f->databaseid = e->databaseid;
	f->userid = e->userid;
	f->backend_start_us = e->proc_start_us;
	f->xact_start_us = e->xact_start_us;
	f->query_start_us = e->activity_start_us;
	f->state_start_us = e->state_start_us;
	f->generation++;
}

static int copy_batch(
	struct backend_status *bs, struct backend **todo, const uint32_t *before, size_t n)
{
	struct mem_source shared = {.readv = shared_readv_cb, .ctx = bs};
	int err;

	for (size_t i = 0; i < n; i++) {
		bs->copies[i].addr = todo[i]->entry;
		bs->copies[i].before = before[i];
	}
	err = pg_entries_copy(&shared, 0, bs->layout, bs->activity_bytes, bs->copies, n);
	for (size_t i = 0; !err && i < n; i++) {
		if (!bs->copies[i].err)
			accept_copy(bs, todo[i], &bs->copies[i]);
		else if (bs->copies[i].err == -EFAULT && !todo[i]->facts.known)
			todo[i]->facts.reason = "its PgBackendStatus cannot be read";
	}
	return err;
}

/* Of all backends (or one): the change counts in one go, then copies of what has moved. */
static int update_entries(struct backend_status *bs, struct backend **list, size_t n_list)
{
	size_t n = 0, moved = 0;
	int err;

	for (size_t i = 0; i < n_list; i++) {
		if (!list[i]->entry)
			continue;
		bs->ranges[n] =
			(struct mem_range){.addr = list[i]->entry + bs->layout->status.changecount,
				.buf = &bs->counts[n],
				.n = sizeof(bs->counts[n])};
		bs->todo[n++] = list[i];
	}
	err = shared_readv(bs, bs->ranges, n);
	for (size_t i = 0; !err && i < n; i++) {
		struct backend *b = bs->todo[i];

		if (bs->ranges[i].err && !b->facts.known)
			b->facts.reason = "its PgBackendStatus cannot be read";
		if (bs->ranges[i].err || (b->facts.known && b->changecount == bs->counts[i]))
			continue;
		bs->counts[moved] = bs->counts[i];
		bs->todo[moved++] = b;
	}
	for (size_t i = 0; !err && i < moved; i += PG_ENTRY_BATCH)
		err = copy_batch(
			bs, bs->todo + i, bs->counts + i, MIN(moved - i, (size_t)PG_ENTRY_BATCH));
	return err;
}

/* ---- lock group leaders ---------------------------------------------------------------------- */

/* A parallel worker joins its leader's lock group soon after its start; it cannot leave it. */
static int update_leaders(struct backend_status *bs, struct backend **list, size_t n_list)
{
	const struct pg_layout *l = bs->layout;
	size_t n = 0, members = 0;
	int err;

	if (!l->proc.lock_group_leader)
		return 0;
	for (size_t i = 0; i < n_list; i++) {
		struct backend *b = list[i];

		if (!b->proc || !b->facts.known || b->facts.leader_pid ||
			b->raw_type != l->type_bgworker)
			continue;
		bs->ranges[n] = (struct mem_range){
			.addr = b->proc + l->proc.lock_group_leader, .buf = &bs->words[n], .n = 8};
		bs->todo[n++] = b;
	}
	err = shared_readv(bs, bs->ranges, n);
	for (size_t i = 0; !err && i < n; i++) {
		if (bs->ranges[i].err || !bs->words[i] || bs->words[i] == bs->todo[i]->proc)
			continue;
		bs->todo[members] = bs->todo[i];
		bs->ranges[members] = (struct mem_range){
			.addr = bs->words[i] + l->proc.pid, .buf = &bs->counts[members], .n = 4};
		members++;
	}
	if (!err)
		err = shared_readv(bs, bs->ranges, members);
	for (size_t i = 0; !err && i < members; i++) {
		struct backend_facts *f = &bs->todo[i]->facts;
		pid_t leader_ns = (pid_t)bs->counts[i];

		if (bs->ranges[i].err || leader_ns <= 0 || leader_ns == f->pid_ns)
			continue;
		f->leader_pid = backend_status_host_pid(bs, leader_ns);
		f->generation++;
	}
	return err;
}

/* ---- names ----------------------------------------------------------------------------------- */

static void set_name(struct backend *b, struct pg_bytes *to, char *buf, const char *name)
{
	size_t len = name ? strnlen(name, PG_NAMEDATALEN - 1) : 0;

	if (!len) {
		if (to->s)
			b->facts.generation++;
		*to = (struct pg_bytes){0};
		return;
	}
	if (to->s && to->len == len && !memcmp(buf, name, len))
		return;
	memcpy(buf, name, len);
	buf[len] = '\0';
	*to = (struct pg_bytes){.s = buf, .len = len};
	b->facts.generation++;
}

static void teach_names(struct backend_status *bs, struct backend *b)
{
	if (!b->own_names || !b->facts.known || b->taught)
		return;
	oidnames_learn(&bs->users, b->facts.userid, b->own_user);
	oidnames_learn(&bs->databases, b->facts.databaseid, b->own_database);
	b->taught = true;
}

/* Its own names; else its leader's; else those learned for the oid. */
static void resolve_names(struct backend_status *bs, struct backend *b)
{
	const struct backend *leader = b->facts.leader_pid ? find(bs, b->facts.leader_pid) : NULL;
	const struct backend *from = b->own_names ? b : leader && leader->own_names ? leader : NULL;

	set_name(b, &b->facts.user, b->user,
		from ? from->own_user : oidnames_find(&bs->users, b->facts.userid));
	set_name(b, &b->facts.database, b->database,
		from ? from->own_database : oidnames_find(&bs->databases, b->facts.databaseid));
}

/* ---- the tick -------------------------------------------------------------------------------- */

static int update_list(struct backend_status *bs, struct backend **list, size_t n)
{
	int err;

	if (!bs->layout) {
		for (size_t i = 0; i < n; i++)
			list[i]->facts.reason =
				"the layout of this PostgreSQL version is not known";
		return 0;
	}
	bs->tick++;
	reserve_work(bs);
	read_activity_size(bs);
	for (size_t i = 0; i < n; i++)
		if (!list[i]->learned && list[i]->due_tick <= bs->tick)
			learn(bs, list[i]);
	err = update_entries(bs, list, n);
	if (!err)
		err = update_leaders(bs, list, n);
	for (size_t i = 0; i < n; i++) {
		list[i]->learned = is_complete(list[i]);
		teach_names(bs, list[i]);
	}
	for (size_t i = 0; i < n; i++)
		resolve_names(bs, list[i]);
	return err;
}

int backend_status_update(struct backend_status *bs)
{
	return update_list(bs, bs->list, bs->n);
}

int backend_status_update_one(struct backend_status *bs, pid_t pid)
{
	struct backend *b = find(bs, pid);

	return b ? update_list(bs, &b, 1) : -ENOENT;
}

int backend_status_read_wait_event(
	struct backend_status *bs, pid_t pid, uint32_t *ret_info, enum pg_state *ret_state)
{
	struct backend *b = find(bs, pid);
	uint64_t p = 0;
	uint32_t info = 0;
	int32_t state = 0;
	struct mem_range r[] = {
		{.buf = &info, .n = sizeof(info)},
		{.buf = &state, .n = 0},
	};
	int err;

	if (!b)
		return -ENOENT;
	if (!bs->symbols.addr[PG_MY_WAIT_EVENT_INFO])
		return -EOPNOTSUPP;
	err = mem_read_ptr(&bs->mem, pid, bs->symbols.addr[PG_MY_WAIT_EVENT_INFO], &p);
	if (err)
		return err;
	r[0].addr = p;
	if (b->facts.known) {
		r[1].addr = b->entry + bs->layout->status.state;
		r[1].n = sizeof(state);
	}
	err = bs->mem.readv(bs->mem.ctx, pid, r, ARRAY_SIZE(r));
	if (!err)
		err = r[0].err;
	if (err)
		return err;
	*ret_info = info;
	*ret_state = b->facts.known && !r[1].err ? pglayout_state(bs->layout, state)
						 : PG_STATE_UNDEFINED;
	return 0;
}
