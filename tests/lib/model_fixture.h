/* A model with one backend, for tests by hand. Times are milliseconds after T0. */
#ifndef PGTOP_TESTS_MODEL_FIXTURE_H
#define PGTOP_TESTS_MODEL_FIXTURE_H

#include "unit.h"

#include "model.h"
#include "util.h"

#define T0	(1000 * NSEC_PER_SEC)
#define AT(ms)	(T0 + (uint64_t)(ms)*NSEC_PER_MSEC)
#define MS(n)	((uint64_t)(n)*NSEC_PER_MSEC)
#define NO_CUT	UINT64_MAX
#define EV_LOCK 7u
#define EV_IO	8u
#define STACK	3u
#define PID	42u
#define WAKER	99u

/* A model of a 10 s window, ticks each second from T0 on, with one backend on CPU since T0. */
struct fixture {
	struct model *m;
	struct model_backend *b;
	struct model_view v;
	unsigned dropped;
	uint32_t seq; /* of the last event that was not given one */
};

static inline int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	f->m = model_new(10 * NSEC_PER_SEC, NSEC_PER_SEC, T0 - 777);
	f->b = model_add(f->m, PID, 1, 0, T0);
	model_begin(f->m, T0);
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;

	model_free(f->m);
	free(f);
	return 0;
}

/* A wait for a lock: off at out, woken at wake (0: not seen), on at end. */
static inline struct model_wait lock_wait(uint64_t in, uint64_t out, uint64_t wake, uint64_t end)
{
	return (struct model_wait){
		.in_ns = AT(in),
		.out_ns = AT(out),
		.wake_ns = wake ? AT(wake) : 0,
		.end_ns = AT(end),
		.event = EV_LOCK,
		.stack = MODEL_NO_ID,
		.waker_pid = WAKER,
		.type = WAIT_LOCK,
		.waker = MODEL_WAKER_TASK,
		.waker_comm = "waker",
	};
}

static inline struct model_wait exit_at(uint64_t in, uint64_t at)
{
	return (struct model_wait){
		.in_ns = AT(in),
		.out_ns = AT(at),
		.wake_ns = AT(at),
		.end_ns = AT(at),
		.event = MODEL_NO_ID,
		.stack = MODEL_NO_ID,
		.exit = true,
	};
}

static inline struct model_state running_since(uint64_t in, uint32_t seq)
{
	return (struct model_state){.on_cpu = true,
		.in_ns = AT(in),
		.event = MODEL_NO_ID,
		.stack = MODEL_NO_ID,
		.seq = seq};
}

static inline struct model_state locked_since(
	uint64_t in, uint64_t out, uint64_t wake, uint32_t seq)
{
	return (struct model_state){.in_ns = AT(in),
		.out_ns = AT(out),
		.wake_ns = wake ? AT(wake) : 0,
		.event = EV_LOCK,
		.stack = MODEL_NO_ID,
		.seq = seq,
		.type = WAIT_LOCK};
}

static inline void event(struct fixture *f, struct model_wait w, uint64_t cut_ns)
{
	if (!w.exit && !w.seq)
		w.seq = f->seq + 1;
	if (!w.exit)
		f->seq = w.seq;
	model_event(f->m, f->b, &w, cut_ns);
}

static inline void on_drop(void *ctx, struct model_backend *b)
{
	struct fixture *f = ctx;

	if (b == f->b)
		f->b = NULL;
	f->dropped++;
}

static inline void look(struct fixture *f)
{
	if (!f->b)
		return;
	model_view(f->m, f->b, &f->v);
	assert_int_equal(wait_times_sum(&f->v.times), f->v.watched_ns);
}

/* The tick of that time, with that state (NULL: not tracked any more). */
static inline void tick(struct fixture *f, uint64_t ms, const struct model_state *st)
{
	if (f->b)
		model_close(f->m, f->b, st, AT(ms));
	model_tick(f->m, AT(ms), on_drop, f);
	look(f);
}

static inline void tick_running(struct fixture *f, uint64_t ms, uint64_t in, uint32_t seq)
{
	struct model_state st = running_since(in, seq);

	tick(f, ms, &st);
}

static inline void tick_locked(
	struct fixture *f, uint64_t ms, uint64_t in, uint64_t out, uint64_t wake, uint32_t seq)
{
	struct model_state st = locked_since(in, out, wake, seq);

	tick(f, ms, &st);
}

static inline void assert_times(
	const struct fixture *f, uint64_t cpu, uint64_t runq, uint64_t lock, uint64_t unknown)
{
	assert_int_equal(f->v.times.ns[WAIT_CPU], MS(cpu));
	assert_int_equal(f->v.times.ns[WAIT_RUNQ], MS(runq));
	assert_int_equal(f->v.times.ns[WAIT_LOCK], MS(lock));
	assert_int_equal(f->v.times.ns[WAIT_UNKNOWN], MS(unknown));
	assert_int_equal(f->v.watched_ns, MS(cpu + runq + lock + unknown));
}

#define MODEL_CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
