/*
 * From what the BPF program measured to what the model charges: the type of a wait, the name of
 * its event, its stack.
 *
 * Knows wait events and kernel stacks; no maps, no clock, no sessions beyond what it is given.
 */
#ifndef PGTOP_CLASSIFY_H
#define PGTOP_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "offcpu.h"
#include "pglayout.h"
#include "waitevent.h"

struct classify;

/* What a wait has to be seen against. */
struct classify_server {
	uint32_t id;			/* of the cluster; distinct for distinct tables below */
	int major;			/* 0: not known */
	const struct pg_layout *layout; /* NULL: not known */
	struct waitevent_resolver resolver;
};

/* kallsyms: the file with the kernel's symbols, NULL: /proc/kallsyms. It is not read before it is
 * needed. */
struct classify *classify_new(const char *kallsyms);
void classify_free(struct classify *c); /* NULL is allowed */

/* The tranche names of that server may have changed. */
void classify_forget(struct classify *c);

/* What was read of a backend when it was found: stands in for what could not be read at switch-out
 * for the wait it was in then (OFFCPU_F_SEEDED). */
struct classify_seed {
	uint32_t info; /* *my_wait_event_info; 0: none, or not known */
	enum pg_state state;
	bool runnable; /* it was not asleep */
};

/* Turns a finished wait, or an exit, into *w. seed may be NULL for an event that is not SEEDED. */
void classify_event(struct classify *c, const struct classify_server *server,
	const struct offcpu_event *ev, size_t bytes, const struct classify_seed *seed,
	struct model_wait *w);

/* Type and event of a blocked wait by its wait event. False if there is none (info 0): the kernel
 * stack has to explain it. */
bool classify_info(struct classify *c, const struct classify_server *server, uint32_t info,
	enum pg_state state, uint8_t *ret_type, uint32_t *ret_event);

/* st_state as that server stores it. DISABLED where its layout is not known. */
enum pg_state classify_state(const struct classify_server *server, uint8_t raw);

/* The same by a kernel stack of names, innermost first. n 0: nothing is known. *ret_stack: the id
 * of the stack, "[no stack]" if n is 0 and a stack was wanted. */
void classify_frames(struct classify *c, const char *const *frames, size_t n, uint8_t *ret_type,
	uint32_t *ret_event, uint32_t *ret_stack);

/* The names behind the ids. "" for MODEL_NO_ID. */
void classify_event_name(
	const struct classify *c, uint32_t event, const char **ret_class, const char **ret_event);

/* The frames of a stack, innermost first; at most max. Returns how many. They belong to c.
 * Kernel and user frames come separately. MODEL_NO_ID is "[other stacks]". */
size_t classify_stack_kernel(
	const struct classify *c, uint32_t stack, const char **ret, size_t max);
size_t classify_stack_user(const struct classify *c, uint32_t stack, const char **ret, size_t max);

/* Which waits should have a stack: one that has none all the same is put down as "[no stack]".
 * OFFCPU_STACKS_OFF is the default. */
void classify_want_stacks(struct classify *c, enum offcpu_stacks mode);

enum classify_frame {
	CLASSIFY_NAMED,	 /* and would be named so again */
	CLASSIFY_BROKEN, /* no code is there: neither this nor what follows is a frame */
	CLASSIFY_LATER,	 /* could be named otherwise later */
	CLASSIFY_BROKEN_LATER,
};

/* An address in a user stack; pid and start time are those of the event. */
struct classify_address {
	uint32_t pid;
	uint64_t start_boottime_ns;
	uint64_t addr;
	bool is_return; /* all but the innermost */
};

/* User addresses are resolved by who knows the process; NULL (the default): shown as hex. Writes
 * the name of one frame. */
typedef enum classify_frame classify_user_fn(
	void *ctx, const struct classify_address *a, char *buf, size_t size);
void classify_set_user_resolver(struct classify *c, classify_user_fn *fn, void *ctx);

/* The stack (of kernel frames only, or MODEL_NO_ID) with the user frames added; bytes negative or
 * 0: there are none, though there should be. */
uint32_t classify_add_user(struct classify *c, uint32_t stack, uint32_t pid,
	uint64_t start_boottime_ns, const __u64 *frames, int64_t bytes);

/* True if the kernel hides its symbols' addresses: stacks come as hex and explain nothing. Reads
 * /proc/kallsyms unless that was done. */
bool classify_ksyms_hidden(struct classify *c);

#endif
