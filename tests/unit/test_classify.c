/* From what was measured to what is charged: types, events, stacks, wakers. */
#include "unit.h"

#include "classify.h"
#include "util.h"

#define INFO(class, id) ((uint32_t)(class) << 24 | (id))
#define CLIENT_READ	INFO(WAITEVENT_CLASS_CLIENT, 0)
#define PID		77u
#define IO_ADDR		0xffffffff81000110u /* in io_schedule */
#define SLEEP_ADDR	0xffffffff81000210u /* in do_epoll_wait */
#define NOWHERE		0xffffffffc0000000u

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000100 t io_schedule.isra.0\n"
			       "ffffffff81000200 T do_epoll_wait\n"
			       "ffffffff81000300 T schedule\n"
			       "ffffffff81000400 T _etext\n";
static const char hidden[] = "0000000000000000 T _text\n"
			     "0000000000000000 t io_schedule\n"
			     "0000000000000000 T _etext\n";

struct fixture {
	struct classify *c;
	struct classify_server server;
	struct offcpu_event_stacks ev;
	struct model_wait w;
	char path[40];
};

static void with_symbols(struct fixture *f, const char *text)
{
	int fd;

	classify_free(f->c);
	strcpy(f->path, "/tmp/test_classify.XXXXXX");
	fd = mkstemp(f->path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	f->c = classify_new(f->path);
	(void)classify_ksyms_hidden(f->c); /* reads it */
	unlink(f->path);
}

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->server = (struct classify_server){.id = 1, .major = 15, .layout = pglayout_for(15)};
	f->ev.s.ev = (struct offcpu_event){.kind = OFFCPU_EV_WAIT,
		.pid = PID,
		.start_boottime_ns = 5,
		.in_ns = 100,
		.out_ns = 200,
		.wake_ns = 300,
		.end_ns = 310,
		.seq = 9,
		.lost = 2};
	with_symbols(f, kallsyms);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	classify_free(f->c);
	free(f);
	return 0;
}

static void classify(struct fixture *f, const struct classify_seed *seed)
{
	const struct offcpu_event *ev = &f->ev.s.ev;
	size_t bytes = ev->flags & OFFCPU_F_USTACK  ? sizeof(f->ev)
		       : ev->flags & OFFCPU_F_STACK ? sizeof(f->ev.s)
						    : sizeof(*ev);
	/* No more than was sent may be read. */
	void *copy = xmalloc(bytes);

	memcpy(copy, &f->ev, bytes);
	classify_event(f->c, &f->server, copy, bytes, seed, &f->w);
	free(copy);
}

static void classify_word(struct fixture *f, uint32_t info)
{
	f->ev.s.ev.wait_event = info;
	classify(f, NULL);
}

static void assert_event(
	const struct fixture *f, enum wait_type type, const char *wait_class, const char *event)
{
	const char *c, *e;

	classify_event_name(f->c, f->w.event, &c, &e);
	assert_string_equal(c, wait_class);
	assert_string_equal(e, event);
	assert_int_equal(f->w.type, type);
}

static void set_kernel_stack(struct fixture *f, uint64_t a, uint64_t b)
{
	f->ev.s.ev.flags |= OFFCPU_F_STACK;
	f->ev.s.kstack_bytes = 16;
	f->ev.s.kstack[0] = a;
	f->ev.s.kstack[1] = b;
}

/* ---- the fields ---- */

static void what_was_measured_is_passed_on(void **state)
{
	struct fixture *f = *state;
	struct offcpu_event *ev = &f->ev.s.ev;

	ev->waker = OFFCPU_WAKER_TASK;
	ev->waker_pid = 4;
	memset(ev->waker_comm, 'x', sizeof(ev->waker_comm)); /* not terminated */
	classify_word(f, INFO(WAITEVENT_CLASS_LOCK, 0));
	assert_int_equal(f->w.in_ns, 100);
	assert_int_equal(f->w.out_ns, 200);
	assert_int_equal(f->w.wake_ns, 300);
	assert_int_equal(f->w.end_ns, 310);
	assert_int_equal(f->w.seq, 9);
	assert_int_equal(f->w.lost, 2);
	assert_int_equal(f->w.waker, MODEL_WAKER_TASK);
	assert_int_equal(f->w.waker_pid, 4);
	assert_string_equal(f->w.waker_comm, "xxxxxxxxxxxxxxx");
	assert_false(f->w.runnable || f->w.at_least || f->w.exit);
}

static void soft_interrupts_of_a_thread_are_interrupts(void **state)
{
	struct fixture *f = *state;
	struct offcpu_event *ev = &f->ev.s.ev;

	ev->waker = OFFCPU_WAKER_KTHREAD;
	ev->waker_pid = 15;
	strcpy(ev->waker_comm, "ksoftirqd/0");
	classify_word(f, 0);
	assert_int_equal(f->w.waker, MODEL_WAKER_IRQ);
	assert_int_equal(f->w.waker_pid, 0);
	strcpy(ev->waker_comm, "kworker/0:1");
	classify_word(f, 0);
	assert_int_equal(f->w.waker, MODEL_WAKER_KTHREAD);
	assert_int_equal(f->w.waker_pid, 15);
}

static void a_runnable_one_waits_for_nothing(void **state)
{
	struct fixture *f = *state;

	/* The wait event may be stale where it was preempted. */
	f->ev.s.ev.flags = OFFCPU_F_RUNNABLE;
	classify_word(f, INFO(WAITEVENT_CLASS_LOCK, 0));
	assert_true(f->w.runnable);
	assert_int_equal(f->w.type, WAIT_RUNQ);
	assert_int_equal(f->w.event, MODEL_NO_ID);
	assert_int_equal(f->w.stack, MODEL_NO_ID);
}

static void an_exit_waits_for_nothing(void **state)
{
	struct fixture *f = *state;

	/* The fields of the wait event are the backend's identity there. */
	f->ev.s.ev.kind = OFFCPU_EV_EXIT;
	classify_word(f, INFO(WAITEVENT_CLASS_LOCK, 0));
	assert_true(f->w.exit);
	assert_int_equal(f->w.event, MODEL_NO_ID);
}

/* ---- wait events ---- */

static void types_and_names(void **state)
{
	static const struct {
		uint32_t info;
		enum wait_type type;
		const char *wait_class, *event;
	} cases[] = {
		{INFO(WAITEVENT_CLASS_LOCK, 0), WAIT_LOCK, "Lock", "relation"},
		{INFO(WAITEVENT_CLASS_BUFFER, 0), WAIT_LOCK, "BufferPin", "BufferPin"},
		{INFO(WAITEVENT_CLASS_LWLOCK, 8), WAIT_WAL_WRITE, "LWLock", "WALWrite"},
		{INFO(WAITEVENT_CLASS_LWLOCK, 4), WAIT_LWLOCK, "LWLock", "ProcArray"},
		{INFO(WAITEVENT_CLASS_ACTIVITY, 0), WAIT_IDLE, "Activity", "ArchiverMain"},
		{INFO(WAITEVENT_CLASS_TIMEOUT, 2), WAIT_TIMEOUT, "Timeout", "PgSleep"},
		{INFO(WAITEVENT_CLASS_EXTENSION, 0), WAIT_OTHER, "Extension", "Extension"},
		/* Nothing is dropped for being unknown. */
		{INFO(WAITEVENT_CLASS_IPC, 999), WAIT_IPC, "IPC", "#999"},
		{INFO(0x2c, 57), WAIT_OTHER, "0x2C", "#57"},
		{INFO(0xff, 0xffff), WAIT_OTHER, "0xFF", "#65535"},
	};
	struct fixture *f = *state;

	/* Twice: the second time out of the cache. */
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		size_t k = i % ARRAY_SIZE(cases);
		classify_word(f, cases[k].info);
		assert_event(f, cases[k].type, cases[k].wait_class, cases[k].event);
	}
}

static void client_read_by_what_the_session_is_in(void **state)
{
	struct fixture *f = *state;

	for (unsigned raw = 0; raw < 12; raw++) {
		enum wait_type want = WAIT_NETWORK;

		switch (pglayout_state(f->server.layout, raw)) {
		case PG_STATE_IDLE:
		case PG_STATE_DISABLED:
			want = WAIT_IDLE;
			break;
		case PG_STATE_IDLE_IN_XACT:
		case PG_STATE_IDLE_IN_XACT_ABORTED:
			want = WAIT_IDLE_XACT;
			break;
		default:
			break;
		}
		f->ev.s.ev.pg_state = (uint8_t)raw;
		classify_word(f, CLIENT_READ);
		assert_event(f, want, "Client", "ClientRead");
	}
	/* The state of other waits does not matter. */
	f->ev.s.ev.pg_state = 1;
	classify_word(f, INFO(WAITEVENT_CLASS_CLIENT, 1));
	assert_event(f, WAIT_NETWORK, "Client", "ClientWrite");
	/* Where it cannot be read, most of it is between commands. */
	f->server.layout = NULL;
	assert_int_equal(classify_state(&f->server, 2), PG_STATE_DISABLED);
	classify_word(f, CLIENT_READ);
	assert_int_equal(f->w.type, WAIT_IDLE);
}

static void the_cache_holds_servers_and_words_apart(void **state)
{
	struct fixture *f = *state;
	struct classify_server other = f->server, unknown = f->server;
	uint8_t type;
	uint32_t event;
	const char *c, *e;

	other.id = f->server.id + 4096; /* the same places in the cache */
	other.major = 17;
	unknown.id = 3;
	unknown.major = 0;
	/* More words than the cache has places, of three servers in turn. */
	for (int round = 0; round < 2; round++)
		for (uint32_t id = 0; id < 6000; id++) {
			char want[16];

			assert_true(classify_info(f->c, &f->server,
				INFO(WAITEVENT_CLASS_IPC, 1000 + id), 0, &type, &event));
			classify_event_name(f->c, event, &c, &e);
			snprintf(want, sizeof(want), "#%u", 1000 + id);
			assert_string_equal(e, want);
			assert_true(classify_info(f->c, &other,
				INFO(WAITEVENT_CLASS_IPC, 1000 + id), 0, &type, &event));
			assert_true(classify_info(f->c, &unknown, id, 0, &type, &event) == !!id);
		}
	classify_info(f->c, &f->server, INFO(WAITEVENT_CLASS_IPC, 36), 0, &type, &event);
	classify_event_name(f->c, event, &c, &e);
	assert_string_equal(e, "ProcArrayGroupUpdate");
	classify_info(f->c, &other, INFO(WAITEVENT_CLASS_IPC, 36), 0, &type, &event);
	classify_event_name(f->c, event, &c, &e);
	assert_string_equal(e, waitevent_event_name(17, INFO(WAITEVENT_CLASS_IPC, 36)));
	assert_string_not_equal(e, "ProcArrayGroupUpdate");
	classify_info(f->c, &unknown, INFO(WAITEVENT_CLASS_IPC, 36), 0, &type, &event);
	classify_event_name(f->c, event, &c, &e);
	assert_string_equal(e, "#36");
	assert_int_equal(type, WAIT_IPC);
}

static const char *resolve(void *ctx, uint32_t id)
{
	(void)id;
	return *(const char **)ctx;
}

static void tranche_names_may_change(void **state)
{
	struct fixture *f = *state;
	const char *name = "pg_stat_statements";

	f->server.resolver = (struct waitevent_resolver){resolve, &name};
	classify_word(f, INFO(WAITEVENT_CLASS_LWLOCK, 200));
	assert_event(f, WAIT_LWLOCK, "LWLock", "pg_stat_statements");
	name = "another";
	classify_word(f, INFO(WAITEVENT_CLASS_LWLOCK, 200));
	assert_event(f, WAIT_LWLOCK, "LWLock", "pg_stat_statements");
	classify_forget(f->c);
	classify_word(f, INFO(WAITEVENT_CLASS_LWLOCK, 200));
	assert_event(f, WAIT_LWLOCK, "LWLock", "another");
}

static void no_event_has_an_empty_name(void **state)
{
	struct fixture *f = *state;
	const char *c, *e;

	classify_event_name(f->c, MODEL_NO_ID, &c, &e);
	assert_string_equal(c, "");
	assert_string_equal(e, "");
}

/* ---- seeded waits ---- */

static void the_wait_it_was_found_in(void **state)
{
	struct fixture *f = *state;
	struct classify_seed seed = {.info = CLIENT_READ, .state = PG_STATE_IDLE_IN_XACT};

	f->ev.s.ev.flags = OFFCPU_F_SEEDED;
	f->ev.s.ev.wait_event = INFO(WAITEVENT_CLASS_LOCK, 0); /* not read by the program */
	classify(f, &seed);
	assert_event(f, WAIT_IDLE_XACT, "Client", "ClientRead");
	assert_true(f->w.at_least);
	assert_false(f->w.runnable);
	/* The next one is not seeded any more. */
	f->ev.s.ev.flags = 0;
	classify(f, &seed);
	assert_event(f, WAIT_LOCK, "Lock", "relation");
	assert_false(f->w.at_least);
}

static void found_in_the_run_queue(void **state)
{
	struct fixture *f = *state;
	struct classify_seed seed = {.runnable = true};

	f->ev.s.ev.flags = OFFCPU_F_SEEDED;
	f->ev.s.ev.wake_ns = 0;
	classify(f, &seed);
	assert_true(f->w.runnable && f->w.at_least);
	assert_int_equal(f->w.type, WAIT_RUNQ);
	/* Not if a wake-up was seen: it had gone to sleep in between. */
	f->ev.s.ev.wake_ns = 250;
	classify(f, &seed);
	assert_false(f->w.runnable);
	assert_event(f, WAIT_OTHER, "", "kernel:unknown");
}

static void found_without_a_wait_event(void **state)
{
	struct fixture *f = *state;
	struct classify_seed seed = {0};

	f->ev.s.ev.flags = OFFCPU_F_SEEDED;
	set_kernel_stack(f, IO_ADDR, SLEEP_ADDR);
	classify(f, &seed);
	assert_int_equal(f->w.type, WAIT_IO);
}

/* ---- kernel stacks ---- */

static void assert_stack(const struct fixture *f, uint32_t stack, size_t n_kernel,
	const char *first_kernel, size_t n_user, const char *first_user)
{
	const char *frames[100];

	assert_int_equal(classify_stack_kernel(f->c, stack, frames, 100), n_kernel);
	if (n_kernel)
		assert_string_equal(frames[0], first_kernel);
	assert_int_equal(classify_stack_user(f->c, stack, frames, 100), n_user);
	if (n_user)
		assert_string_equal(frames[0], first_user);
}

static void the_kernel_stack_explains_what_no_event_does(void **state)
{
	struct fixture *f = *state;

	classify_want_stacks(f->c, OFFCPU_STACKS_AUTO);
	set_kernel_stack(f, IO_ADDR, SLEEP_ADDR);
	classify_word(f, 0);
	assert_event(f, WAIT_IO, "", "kernel:do_epoll_wait");
	assert_stack(f, f->w.stack, 2, "io_schedule", 0, NULL);
	set_kernel_stack(f, SLEEP_ADDR, NOWHERE);
	classify_word(f, 0);
	assert_event(f, WAIT_OTHER, "", "kernel:do_epoll_wait");
	assert_stack(f, f->w.stack, 2, "do_epoll_wait", 0, NULL);
	/* An event explains itself; its stack is not asked for in this mode. */
	classify_word(f, INFO(WAITEVENT_CLASS_LOCK, 0));
	assert_event(f, WAIT_LOCK, "Lock", "relation");
	assert_int_equal(f->w.stack, MODEL_NO_ID);
	classify_want_stacks(f->c, OFFCPU_STACKS_KERNEL);
	classify_word(f, INFO(WAITEVENT_CLASS_LOCK, 0));
	assert_stack(f, f->w.stack, 2, "do_epoll_wait", 0, NULL);
}

static void equal_stacks_have_one_id(void **state)
{
	struct fixture *f = *state;
	uint32_t first;

	set_kernel_stack(f, IO_ADDR, SLEEP_ADDR);
	classify_word(f, 0);
	first = f->w.stack;
	set_kernel_stack(f, SLEEP_ADDR, IO_ADDR);
	classify_word(f, 0);
	assert_true(f->w.stack != first);
	/* Other addresses in the same functions. */
	set_kernel_stack(f, IO_ADDR + 4, SLEEP_ADDR + 7);
	classify_word(f, 0);
	assert_int_equal(f->w.stack, first);
	/* One frame less is another stack. */
	f->ev.s.kstack_bytes = 8;
	classify_word(f, 0);
	assert_true(f->w.stack != first);
}

static void hidden_symbols_explain_nothing(void **state)
{
	struct fixture *f = *state;

	with_symbols(f, hidden);
	assert_true(classify_ksyms_hidden(f->c));
	classify_want_stacks(f->c, OFFCPU_STACKS_AUTO);
	set_kernel_stack(f, IO_ADDR, SLEEP_ADDR);
	classify_word(f, 0);
	assert_int_equal(f->w.type, WAIT_OTHER);
	assert_stack(f, f->w.stack, 2, "0xffffffff81000110", 0, NULL);
}

static void a_stack_that_could_not_be_taken(void **state)
{
	static const int bytes[] = {0, -14, 7};
	struct fixture *f = *state;

	classify_want_stacks(f->c, OFFCPU_STACKS_AUTO);
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++) {
		set_kernel_stack(f, IO_ADDR, SLEEP_ADDR);
		f->ev.s.kstack_bytes = bytes[i];
		classify_word(f, 0);
		assert_event(f, WAIT_OTHER, "", "kernel:unknown");
		assert_stack(f, f->w.stack, 1, "[no stack]", 0, NULL);
	}
	/* A flag without the bytes. */
	set_kernel_stack(f, IO_ADDR, SLEEP_ADDR);
	classify_event(f->c, &f->server, &f->ev.s.ev, sizeof(f->ev.s.ev), NULL, &f->w);
	assert_event(f, WAIT_OTHER, "", "kernel:unknown");
	/* More than there can be. */
	f->ev.s.kstack_bytes = INT32_MAX;
	classify_word(f, 0);
	assert_stack(f, f->w.stack, OFFCPU_KSTACK_DEPTH, "io_schedule", 0, NULL);
	/* Where none is wanted none is missed. */
	classify_want_stacks(f->c, OFFCPU_STACKS_OFF);
	f->ev.s.ev.flags = 0;
	classify_word(f, 0);
	assert_int_equal(f->w.stack, MODEL_NO_ID);
}

static void frames_by_name(void **state)
{
	static const char *const frames[] = {"schedule", NULL, "do_epoll_wait.constprop.0", "x"};
	struct fixture *f = *state;
	const char *got[4], *c, *e;
	uint32_t event, stack;
	uint8_t type;

	classify_frames(f->c, frames, 4, &type, &event, &stack);
	assert_int_equal(type, WAIT_OTHER);
	classify_event_name(f->c, event, &c, &e);
	assert_string_equal(e, "kernel:do_epoll_wait");
	assert_int_equal(classify_stack_kernel(f->c, stack, got, 4), 4);
	assert_string_equal(got[1], "?");
	assert_string_equal(got[2], "do_epoll_wait");
	assert_int_equal(classify_stack_kernel(f->c, stack, got, 2), 2);
}

/* ---- user stacks ---- */

static enum classify_frame name_frame(
	void *ctx, const struct classify_address *a, char *buf, size_t size)
{
	unsigned *calls = ctx;

	++*calls;
	snprintf(buf, size, "%u:f%llu%s", a->pid, (unsigned long long)a->addr,
		a->is_return ? "+" : "");
	return a->addr == 66 ? CLASSIFY_BROKEN : a->addr == 77 ? CLASSIFY_LATER : CLASSIFY_NAMED;
}

static void set_user_stack(struct fixture *f, uint64_t a, uint64_t b, uint64_t c)
{
	f->ev.s.ev.flags |= OFFCPU_F_USTACK;
	f->ev.s.ustack_bytes = 24;
	f->ev.ustack[0] = a;
	f->ev.ustack[1] = b;
	f->ev.ustack[2] = c;
}

static void user_frames(void **state)
{
	struct fixture *f = *state;
	const char *frames[10];
	unsigned calls = 0;
	uint32_t first;

	classify_want_stacks(f->c, OFFCPU_STACKS_ALL);
	set_kernel_stack(f, SLEEP_ADDR, NOWHERE);
	set_user_stack(f, 1, 2, 3);
	classify_word(f, INFO(WAITEVENT_CLASS_LOCK, 0));
	assert_stack(f, f->w.stack, 2, "do_epoll_wait", 3, "0x1");
	first = f->w.stack;
	/* Named by who knows; each stack of a process once. */
	classify_set_user_resolver(f->c, name_frame, &calls);
	set_user_stack(f, 1, 2, 4);
	for (int i = 0; i < 3; i++)
		classify_word(f, INFO(WAITEVENT_CLASS_LOCK, 0));
	assert_true(f->w.stack != first);
	assert_int_equal(calls, 3);
	assert_int_equal(classify_stack_user(f->c, f->w.stack, frames, 10), 3);
	assert_string_equal(frames[0], "77:f1");
	assert_string_equal(frames[2], "77:f4+");
	/* Another process has other code at these addresses. */
	f->ev.s.ev.pid = PID + 1;
	classify_word(f, INFO(WAITEVENT_CLASS_LOCK, 0));
	assert_stack(f, f->w.stack, 2, "do_epoll_wait", 3, "78:f1");
}

static void a_chain_of_frames_ends_where_it_breaks(void **state)
{
	struct fixture *f = *state;
	unsigned calls = 0;

	classify_set_user_resolver(f->c, name_frame, &calls);
	classify_want_stacks(f->c, OFFCPU_STACKS_ALL);
	set_kernel_stack(f, SLEEP_ADDR, NOWHERE);
	set_user_stack(f, 1, 66, 3);
	classify_word(f, 0);
	assert_stack(f, f->w.stack, 2, "do_epoll_wait", 2, "77:f1");
	/* What may be named otherwise later is asked for again. */
	set_user_stack(f, 77, 1, 2);
	calls = 0;
	classify_word(f, 0);
	classify_word(f, 0);
	assert_int_equal(calls, 6);
}

static void a_user_stack_that_is_missing(void **state)
{
	struct fixture *f = *state;

	classify_want_stacks(f->c, OFFCPU_STACKS_ALL);
	set_kernel_stack(f, SLEEP_ADDR, NOWHERE);
	classify_word(f, 0);
	assert_stack(f, f->w.stack, 2, "do_epoll_wait", 1, "[no stack]");
	set_user_stack(f, 1, 2, 3);
	f->ev.s.ustack_bytes = -14;
	classify_word(f, 0);
	assert_stack(f, f->w.stack, 2, "do_epoll_wait", 1, "[no stack]");
}

static void too_many_stacks_are_other_stacks(void **state)
{
	struct fixture *f = *state;
	const char *frames[4];

	classify_want_stacks(f->c, OFFCPU_STACKS_ALL);
	set_kernel_stack(f, SLEEP_ADDR, NOWHERE);
	for (uint64_t i = 0; i < 40000; i++) {
		set_user_stack(f, i % 200, i / 200, 1);
		classify_word(f, 0);
		assert_true(f->w.stack != MODEL_NO_ID);
	}
	assert_int_equal(classify_stack_kernel(f->c, f->w.stack, frames, 4), 1);
	assert_string_equal(frames[0], "[other stacks]");
	/* So are those that the model gathers. */
	assert_int_equal(classify_stack_kernel(f->c, MODEL_NO_ID, frames, 4), 1);
	assert_string_equal(frames[0], "[other stacks]");
	/* Time and event are as they were. */
	assert_event(f, WAIT_OTHER, "", "kernel:do_epoll_wait");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(what_was_measured_is_passed_on),
		CASE(soft_interrupts_of_a_thread_are_interrupts),
		CASE(a_runnable_one_waits_for_nothing),
		CASE(an_exit_waits_for_nothing),
		CASE(types_and_names),
		CASE(client_read_by_what_the_session_is_in),
		CASE(the_cache_holds_servers_and_words_apart),
		CASE(tranche_names_may_change),
		CASE(no_event_has_an_empty_name),
		CASE(the_wait_it_was_found_in),
		CASE(found_in_the_run_queue),
		CASE(found_without_a_wait_event),
		CASE(the_kernel_stack_explains_what_no_event_does),
		CASE(equal_stacks_have_one_id),
		CASE(hidden_symbols_explain_nothing),
		CASE(a_stack_that_could_not_be_taken),
		CASE(frames_by_name),
		CASE(user_frames),
		CASE(a_chain_of_frames_ends_where_it_breaks),
		CASE(a_user_stack_that_is_missing),
		CASE(too_many_stacks_are_other_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
