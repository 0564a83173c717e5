/*
 * See classify.h. Caches, direct-mapped: wait events by (server, word), kernel stacks by their
 * addresses, user stacks by kernel stack, process and addresses. Names are interned; an event is
 * "class\0event", a stack is the ids of its frames, those of user space marked by the top bit.
 */
#include "classify.h"

#include <stdio.h>
#include <string.h>

#include "kstack.h"
#include "ksyms.h"
#include "names.h"
#include "pglayout.h"
#include "util.h"

#define EVENT_CACHE 4096 /* powers of two */
#define STACK_CACHE 4096
#define FRAME_MAX   80
#define STACK_MAX   (OFFCPU_KSTACK_DEPTH + OFFCPU_USTACK_DEPTH)
#define USER_FRAME  0x80000000U /* far above NAMES_MAX */
#define NO_STACK    "[no stack]"
#define OTHERS	    "[other stacks]" /* beyond NAMES_MAX different ones, or too many in a slot */

struct event_entry {
	uint32_t server, info, event;
	uint8_t type;
	bool used;
};

struct stack_entry {
	uint64_t hash;
	uint32_t stack, event;
	uint8_t type;
	bool used;
};

struct user_entry {
	uint64_t hash;
	uint32_t stack;
	bool used;
};

struct classify {
	struct names *events, *frames, *stacks;
	uint32_t other_stacks;	 /* id */
	struct stack_entry none; /* of a blocked wait without a stack */
	struct ksyms *ksyms;
	struct event_entry event_cache[EVENT_CACHE];
	struct stack_entry stack_cache[STACK_CACHE];
	struct user_entry user_cache[STACK_CACHE];
	enum offcpu_stacks mode;
	classify_user_fn *user_fn;
	void *user_ctx;
};

static uint32_t intern_frame(struct classify *c, const char *name)
{
	uint32_t id = names_intern(c->frames, name, strlen(name));

	return id == NAMES_NONE ? names_intern(c->frames, "?", 1) : id;
}

static uint32_t intern_stack(struct classify *c, const uint32_t *ids, size_t n)
{
	uint32_t id = n ? names_intern(c->stacks, ids, n * sizeof(*ids)) : MODEL_NO_ID;

	return n && id == NAMES_NONE ? c->other_stacks : id;
}

struct classify *classify_new(const char *kallsyms)
{
	struct classify *c = xcalloc(1, sizeof(*c));
	uint32_t others;

	c->events = names_new();
	c->frames = names_new();
	c->stacks = names_new();
	c->ksyms = ksyms_new(kallsyms);
	/* While there is room for them. */
	(void)intern_frame(c, "?");
	(void)intern_frame(c, NO_STACK);
	others = intern_frame(c, OTHERS);
	c->other_stacks = intern_stack(c, &others, 1);
	classify_want_stacks(c, OFFCPU_STACKS_OFF);
	return c;
}

void classify_free(struct classify *c)
{
	if (!c)
		return;
	names_free(c->events);
	names_free(c->frames);
	names_free(c->stacks);
	ksyms_free(c->ksyms);
	free(c);
}

void classify_forget(struct classify *c)
{
	memset(c->event_cache, 0, sizeof(c->event_cache));
}

void classify_set_user_resolver(struct classify *c, classify_user_fn *fn, void *ctx)
{
	c->user_fn = fn;
	c->user_ctx = ctx;
}

void classify_want_stacks(struct classify *c, enum offcpu_stacks mode)
{
	c->mode = mode;
	classify_frames(c, NULL, 0, &c->none.type, &c->none.event, &c->none.stack);
}

bool classify_ksyms_hidden(struct classify *c)
{
	return ksyms_hidden(c->ksyms);
}

static uint32_t intern_event(struct classify *c, const char *wait_class, const char *event)
{
	char key[WAITEVENT_NAME_MAX * 2 + FRAME_MAX];
	size_t class_len = strlen(wait_class) + 1, event_len = strlen(event);

	if (class_len + event_len > sizeof(key))
		event_len = sizeof(key) - class_len;
	memcpy(key, wait_class, class_len);
	memcpy(key + class_len, event, event_len);
	return names_intern(c->events, key, class_len + event_len);
}

void classify_event_name(
	const struct classify *c, uint32_t event, const char **ret_class, const char **ret_event)
{
	const char *key = names_get(c->events, event, NULL);

	*ret_class = key ? key : "";
	*ret_event = key ? key + strlen(key) + 1 : "";
}

/* ClientRead by what the session is in the middle of. */
static uint8_t client_read_type(enum pg_state state)
{
	switch (state) {
	case PG_STATE_IDLE:
	case PG_STATE_DISABLED: /* not to be told: most of it is between commands */
		return WAIT_IDLE;
	case PG_STATE_IDLE_IN_XACT:
	case PG_STATE_IDLE_IN_XACT_ABORTED:
		return WAIT_IDLE_XACT;
	default:
		return WAIT_NETWORK;
	}
}

enum pg_state classify_state(const struct classify_server *server, uint8_t raw)
{
	return server->layout ? pglayout_state(server->layout, raw) : PG_STATE_DISABLED;
}

bool classify_info(struct classify *c, const struct classify_server *server, uint32_t info,
	enum pg_state state, uint8_t *ret_type, uint32_t *ret_event)
{
	uint32_t slot = (info ^ info >> 19 ^ server->id * 0x9e3779b1U) & (EVENT_CACHE - 1);
	struct event_entry *e = &c->event_cache[slot];

	if (!info)
		return false;
	if (!e->used || e->info != info || e->server != server->id) {
		char wait_class[WAITEVENT_NAME_MAX], event[WAITEVENT_NAME_MAX];
		waitevent_format(server->major, info, &server->resolver, wait_class,
			sizeof(wait_class), event, sizeof(event));
		*e = (struct event_entry){
			.server = server->id,
			.info = info,
			.event = intern_event(c, wait_class, event),
			.type = waitevent_type(server->major, info),
			.used = true,
		};
	}
	*ret_type = e->type;
	*ret_event = e->event;
	if (e->type == WAIT_NETWORK && waitevent_is_client_read(server->major, info))
		*ret_type = client_read_type(state);
	return true;
}

/* ---- stacks ---- */

static size_t frames_of(
	const struct classify *c, uint32_t stack, uint32_t kind, const char **ret, size_t max)
{
	const char *bytes;
	size_t len = 0, n = 0;
	uint32_t id;

	bytes = names_get(c->stacks, stack == MODEL_NO_ID ? c->other_stacks : stack, &len);
	for (size_t at = 0; at + sizeof(id) <= len && n < max; at += sizeof(id)) {
		memcpy(&id, bytes + at, sizeof(id));
		if ((id & USER_FRAME) == kind)
			ret[n++] = names_get(c->frames, id & ~USER_FRAME, NULL);
	}
	return n;
}

size_t classify_stack_kernel(const struct classify *c, uint32_t stack, const char **ret, size_t max)
{
	return frames_of(c, stack, 0, ret, max);
}

size_t classify_stack_user(const struct classify *c, uint32_t stack, const char **ret, size_t max)
{
	return frames_of(c, stack, USER_FRAME, ret, max);
}

void classify_frames(struct classify *c, const char *const *frames, size_t n, uint8_t *ret_type,
	uint32_t *ret_event, uint32_t *ret_stack)
{
	char function[FRAME_MAX], name[FRAME_MAX + 8];
	uint32_t ids[OFFCPU_KSTACK_DEPTH];
	size_t n_ids = MIN(n, (size_t)OFFCPU_KSTACK_DEPTH);

	*ret_type = kstack_type(frames, n);
	kstack_function(frames, n, function, sizeof(function));
	snprintf(name, sizeof(name), "kernel:%s", function[0] ? function : "unknown");
	*ret_event = intern_event(c, "", name);
	for (size_t i = 0; i < n_ids; i++)
		ids[i] = intern_frame(
			c, frames[i] ? ksyms_base_name(frames[i], name, sizeof(name)) : "?");
	if (!n_ids && c->mode != OFFCPU_STACKS_OFF)
		ids[n_ids++] = intern_frame(c, NO_STACK);
	*ret_stack = intern_stack(c, ids, n_ids);
}

static uint64_t hash_addresses(const __u64 *addr, size_t n)
{
	uint64_t h = 0x9e3779b97f4a7c15ULL * (n + 1);

	for (size_t i = 0; i < n; i++) {
		h = (h ^ addr[i]) * 0xff51afd7ed558ccdULL;
		h ^= h >> 29;
	}
	return h;
}

static void classify_kernel_addresses(
	struct classify *c, const __u64 *addr, size_t n, struct stack_entry *ret)
{
	uint64_t hash = hash_addresses(addr, n);
	struct stack_entry *e = &c->stack_cache[hash & (STACK_CACHE - 1)];
	char hex[OFFCPU_KSTACK_DEPTH][20], base[OFFCPU_KSTACK_DEPTH][FRAME_MAX];
	const char *frames[OFFCPU_KSTACK_DEPTH], *named[OFFCPU_KSTACK_DEPTH];

	if (!e->used || e->hash != hash) {
		for (size_t i = 0; i < n; i++) {
			/* Of a task that sleeps all are return addresses. */
			const char *name = ksyms_lookup(c->ksyms, addr[i] - 1, NULL);
			snprintf(hex[i], sizeof(hex[i]), "0x%llx", (unsigned long long)addr[i]);
			frames[i] = name ? ksyms_base_name(name, base[i], sizeof(base[i])) : hex[i];
			named[i] = name;
		}
		*e = (struct stack_entry){.hash = hash, .used = true};
		classify_frames(c, frames, n, &e->type, &e->event, &e->stack);
		/* A type is never guessed from an address. */
		e->type = kstack_type(named, n);
	}
	*ret = *e;
}

static size_t stack_depth(int64_t bytes, size_t max)
{
	return bytes <= 0 ? 0 : MIN((size_t)bytes / sizeof(uint64_t), max);
}

static enum classify_frame name_user_frame(
	struct classify *c, const struct classify_address *a, uint32_t *ret_id)
{
	enum classify_frame kind = CLASSIFY_NAMED;
	char name[FRAME_MAX];

	if (c->user_fn)
		kind = c->user_fn(c->user_ctx, a, name, sizeof(name));
	else
		snprintf(name, sizeof(name), "0x%llx", (unsigned long long)a->addr);
	*ret_id = intern_frame(c, name) | USER_FRAME;
	return kind;
}

/* The chain of frames ends in whatever lies there: with where it began (glibc), or, in code
 * without frame pointers, anywhere. */
static size_t name_user_frames(struct classify *c, struct classify_address *a, const __u64 *frames,
	size_t n, uint32_t *ids, bool *ret_final)
{
	*ret_final = true;
	for (size_t i = 0; i < n; i++) {
		enum classify_frame kind;

		a->addr = frames[i];
		a->is_return = i > 0;
		kind = name_user_frame(c, a, &ids[i]);
		*ret_final = *ret_final && kind != CLASSIFY_LATER && kind != CLASSIFY_BROKEN_LATER;
		if (kind == CLASSIFY_BROKEN || kind == CLASSIFY_BROKEN_LATER)
			return i + 1;
	}
	return n;
}

uint32_t classify_add_user(struct classify *c, uint32_t stack, uint32_t pid,
	uint64_t start_boottime_ns, const __u64 *frames, int64_t bytes)
{
	size_t n = stack_depth(bytes, OFFCPU_USTACK_DEPTH), len = 0, n_ids;
	struct classify_address a = {.pid = pid, .start_boottime_ns = start_boottime_ns};
	uint64_t hash = hash_addresses(frames, n) ^
			hash_addresses((__u64[]){pid, start_boottime_ns, stack}, 3);
	struct user_entry *e = &c->user_cache[hash & (STACK_CACHE - 1)];
	const char *kernel = names_get(c->stacks, stack, &len);
	uint32_t ids[STACK_MAX];
	bool final = true;

	if (e->used && e->hash == hash)
		return e->stack;
	n_ids = MIN(len / sizeof(*ids), (size_t)OFFCPU_KSTACK_DEPTH);
	if (kernel)
		memcpy(ids, kernel, n_ids * sizeof(*ids));
	if (n)
		n_ids += name_user_frames(c, &a, frames, n, ids + n_ids, &final);
	else
		ids[n_ids++] = intern_frame(c, NO_STACK) | USER_FRAME;
	stack = intern_stack(c, ids, n_ids);
	if (final)
		*e = (struct user_entry){.hash = hash, .stack = stack, .used = true};
	return stack;
}

/* The stack of a blocked wait: its kernel frames were named already. */
static uint32_t whole_stack(
	struct classify *c, const struct offcpu_event *ev, size_t bytes, uint32_t kernel)
{
	const struct offcpu_event_stacks *es = (const struct offcpu_event_stacks *)ev;
	bool has_user = ev->flags & OFFCPU_F_USTACK && bytes >= sizeof(*es);

	if (!has_user && c->mode != OFFCPU_STACKS_ALL)
		return kernel;
	return classify_add_user(c, kernel, ev->pid, ev->start_boottime_ns,
		has_user ? es->ustack : NULL, has_user ? es->s.ustack_bytes : 0);
}

void classify_event(struct classify *c, const struct classify_server *server,
	const struct offcpu_event *ev, size_t bytes, const struct classify_seed *seed,
	struct model_wait *w)
{
	const struct offcpu_event_stack *es = (const struct offcpu_event_stack *)ev;
	bool has_stack = ev->flags & OFFCPU_F_STACK && bytes >= sizeof(*es);
	bool seeded = ev->flags & OFFCPU_F_SEEDED;
	/* Found runnable, and no wake-up was seen: it was queueing all the time. */
	bool queued = seeded && seed->runnable && !ev->wake_ns;
	struct stack_entry k = c->none;

	*w = (struct model_wait){
		.in_ns = ev->in_ns,
		.out_ns = ev->out_ns,
		.wake_ns = ev->wake_ns,
		.end_ns = ev->end_ns,
		.event = MODEL_NO_ID,
		.stack = MODEL_NO_ID,
		.seq = ev->seq,
		.lost = ev->lost,
		.waker_pid = ev->waker_pid,
		.type = WAIT_RUNQ,
		.waker = ev->waker,
		.runnable = ev->flags & OFFCPU_F_RUNNABLE || queued,
		.at_least = seeded,
		.exit = ev->kind == OFFCPU_EV_EXIT,
	};
	memcpy(w->waker_comm, ev->waker_comm, MODEL_COMM_BYTES);
	w->waker_comm[MODEL_COMM_BYTES - 1] = '\0';
	/* Soft interrupts put off to a thread: who woke is not in it either. */
	if (w->waker == MODEL_WAKER_KTHREAD && !strncmp(w->waker_comm, "ksoftirqd/", 10)) {
		w->waker = MODEL_WAKER_IRQ;
		w->waker_pid = 0;
	}
	if (w->runnable || w->exit)
		return;
	if (has_stack)
		classify_kernel_addresses(
			c, es->kstack, stack_depth(es->kstack_bytes, OFFCPU_KSTACK_DEPTH), &k);
	if (!classify_info(c, server, seeded ? seed->info : ev->wait_event,
		    seeded ? seed->state : classify_state(server, ev->pg_state), &w->type,
		    &w->event)) {
		w->type = k.type;
		w->event = k.event;
	} else if (c->mode < OFFCPU_STACKS_KERNEL) {
		return; /* of a wait that was found the program did not know its wait event */
	}
	w->stack = whole_stack(c, ev, bytes, k.stack);
}
