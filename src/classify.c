/*
 * See classify.h. Caches: wait events by (server, word) in a direct-mapped table, kernel stacks by
 * their addresses. Names are interned; an event is "class\0event", a stack is its frames, each
 * ended by '\n' (kernel) or '\v' (user).
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

struct classify {
	struct names *events, *stacks;
	struct ksyms *ksyms;
	struct event_entry event_cache[EVENT_CACHE];
	struct stack_entry stack_cache[STACK_CACHE];
	classify_user_fn *user_fn;
	void *user_ctx;
};

struct classify *classify_new(void)
{
	struct classify *c = xcalloc(1, sizeof(*c));

	c->events = names_new();
	c->stacks = names_new();
	c->ksyms = ksyms_new(NULL);
	return c;
}

void classify_free(struct classify *c)
{
	if (!c)
		return;
	names_free(c->events);
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

void classify_event_name(const struct classify *c, uint32_t event, const char **ret_class,
	const char **ret_event)
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

static size_t add_frame(char *text, size_t len, size_t size, const char *frame, char end)
{
	size_t n = strlen(frame);

	if (len + n + 1 > size)
		return len;
	memcpy(text + len, frame, n);
	text[len + n] = end;
	return len + n + 1;
}

static size_t split_frames(const struct classify *c, uint32_t stack, char end, const char **ret,
	size_t max)
{
	/* Frames are cut out into interned names of their own, which live as long. */
	const char *text = names_get(c->stacks, stack, NULL);
	size_t n = 0;

	while (text && *text && n < max) {
		size_t len = strcspn(text, "\n\v");
		if (text[len] == end) {
			uint32_t id = names_intern(c->stacks, text, len);
			ret[n++] = id == NAMES_NONE ? "" : names_get(c->stacks, id, NULL);
		}
		text += len + (text[len] != '\0');
	}
	return n;
}

size_t classify_stack_kernel(const struct classify *c, uint32_t stack, const char **ret, size_t max)
{
	return split_frames(c, stack, '\n', ret, max);
}

size_t classify_stack_user(const struct classify *c, uint32_t stack, const char **ret, size_t max)
{
	return split_frames(c, stack, '\v', ret, max);
}

void classify_frames(struct classify *c, const char *const *frames, size_t n, uint8_t *ret_type,
	uint32_t *ret_event, uint32_t *ret_stack)
{
	char text[OFFCPU_KSTACK_DEPTH * FRAME_MAX], function[FRAME_MAX], name[FRAME_MAX + 8];
	size_t len = 0;

	*ret_type = kstack_type(frames, n);
	kstack_function(frames, n, function, sizeof(function));
	snprintf(name, sizeof(name), "kernel:%s", function[0] ? function : "unknown");
	*ret_event = intern_event(c, "", name);
	for (size_t i = 0; i < n; i++)
		len = add_frame(text, len, sizeof(text), frames[i] ? frames[i] : "?", '\n');
	*ret_stack = len ? names_intern(c->stacks, text, len) : MODEL_NO_ID;
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

static void classify_kernel_addresses(struct classify *c, const __u64 *addr, size_t n,
	struct stack_entry *ret)
{
	uint64_t hash = hash_addresses(addr, n);
	struct stack_entry *e = &c->stack_cache[hash & (STACK_CACHE - 1)];
	char hex[OFFCPU_KSTACK_DEPTH][20], base[OFFCPU_KSTACK_DEPTH][FRAME_MAX];
	const char *frames[OFFCPU_KSTACK_DEPTH], *named[OFFCPU_KSTACK_DEPTH];

	if (!e->used || e->hash != hash) {
		for (size_t i = 0; i < n; i++) {
			const char *name = ksyms_lookup(c->ksyms, addr[i], NULL);
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

static size_t stack_depth(int32_t bytes, size_t max)
{
	return bytes <= 0 ? 0 : MIN((size_t)bytes / sizeof(uint64_t), max);
}

/* The kernel stack's id with the user frames added. */
static uint32_t with_user_frames(struct classify *c, uint32_t kernel,
	const struct offcpu_event_stacks *es)
{
	char text[(OFFCPU_KSTACK_DEPTH + OFFCPU_USTACK_DEPTH) * FRAME_MAX], frame[FRAME_MAX];
	size_t n = stack_depth(es->s.ustack_bytes, OFFCPU_USTACK_DEPTH), len = 0;
	const char *k = names_get(c->stacks, kernel, &len);

	if (k)
		memcpy(text, k, len);
	for (size_t i = 0; i < n; i++) {
		if (c->user_fn)
			c->user_fn(c->user_ctx, es->s.ev.pid, es->ustack[i], frame, sizeof(frame));
		else
			snprintf(frame, sizeof(frame), "0x%llx", (unsigned long long)es->ustack[i]);
		len = add_frame(text, len, sizeof(text), frame, '\v');
	}
	return len ? names_intern(c->stacks, text, len) : MODEL_NO_ID;
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
	struct stack_entry k = {.stack = MODEL_NO_ID, .event = MODEL_NO_ID, .type = WAIT_OTHER};

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
	if (w->runnable || w->exit)
		return;
	if (has_stack)
		classify_kernel_addresses(
			c, es->kstack, stack_depth(es->kstack_bytes, OFFCPU_KSTACK_DEPTH), &k);
	w->stack = k.stack;
	if (!classify_info(c, server, seeded ? seed->info : ev->wait_event,
		    seeded ? seed->state : classify_state(server, ev->pg_state), &w->type,
		    &w->event)) {
		if (!has_stack)
			classify_frames(c, NULL, 0, &k.type, &k.event, &k.stack);
		w->type = k.type;
		w->event = k.event;
	}
	if (ev->flags & OFFCPU_F_USTACK && bytes >= sizeof(struct offcpu_event_stacks))
		w->stack = with_user_frames(c, w->stack, (const struct offcpu_event_stacks *)ev);
}
