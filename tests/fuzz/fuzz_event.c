/*
 * Events, states and ticks of any content and order, through classify and the model: every account
 * closes, whatever the kernel's side (or a recording) says.
 *
 * The input is a list of steps: a byte that says which, then what it needs.
 */
#include <string.h>

#include "classify.h"
#include "fuzz.h"
#include "model.h"
#include "offcpu.h"
#include "util.h"

#define T0	  1000000000ULL
#define MAX_STEPS 400
#define PIDS	  4 /* few, so that they are used again */

struct input {
	const uint8_t *data;
	size_t size;
};

static void take(struct input *in, void *to, size_t n)
{
	size_t got = MIN(n, in->size);

	memset(to, 0, n);
	if (got)
		memcpy(to, in->data, got);
	in->data += got;
	in->size -= got;
}

static uint64_t number(struct input *in, size_t bytes)
{
	uint64_t v = 0;

	take(in, &v, bytes);
	return v;
}

struct run {
	struct model *m;
	struct classify *c;
	struct classify_server server;
	struct classify_seed seed;
	uint64_t window_ns, delay_ns, cut_ns;
	bool window_changed;
	uint32_t seq;
	struct input *in;
	struct model_view view;
};

/* A time near the present, or any. */
static uint64_t a_time(struct run *r)
{
	uint64_t v = number(r->in, 3);

	if ((v & 15) == 0)
		return number(r->in, 8);
	return r->cut_ns + r->delay_ns - 3000 + (v >> 4) % 6000;
}

/* A sample of any content; of the lengths that are sent, and others. */
static void step_event(struct run *r)
{
	static const size_t lengths[] = {sizeof(struct offcpu_event),
		sizeof(struct offcpu_event_stack), sizeof(struct offcpu_event_stacks)};
	size_t kind = number(r->in, 1);
	size_t bytes = kind < 192 ? lengths[kind % 3] : lengths[0] + kind;
	struct offcpu_event *ev = xcalloc(1, bytes); /* nothing beyond may be read */
	struct model_backend *b;
	struct model_wait w;

	take(r->in, ev, sizeof(*ev));
	if (kind & 64) {
		take(r->in, (char *)ev + sizeof(*ev), MIN(bytes - sizeof(*ev), (size_t)64));
		ev->flags |= OFFCPU_F_STACK | OFFCPU_F_USTACK;
	}
	if (kind & 1) {
		ev->in_ns = a_time(r);
		ev->out_ns = a_time(r);
		ev->wake_ns = a_time(r);
		ev->end_ns = a_time(r);
	}
	if (!(kind & 2))
		ev->seq = ++r->seq;
	ev->pid %= PIDS;
	ev->start_boottime_ns = ev->start_boottime_ns % 2 + 1;
	b = model_find(r->m, ev->pid, ev->start_boottime_ns);
	if (!b)
		b = model_add(r->m, ev->pid, ev->start_boottime_ns, ev->server_pid % 3, ev->in_ns);
	classify_event(r->c, &r->server, ev, bytes, &r->seed, &w);
	model_event(r->m, b, &w, r->cut_ns + r->delay_ns);
	free(ev);
}

static void close_one(void *ctx, struct model_backend *b)
{
	struct run *r = ctx;
	uint64_t kind = number(r->in, 1);
	struct model_state st = {
		.on_cpu = kind & 1,
		.runnable = kind & 2,
		.at_least = kind & 4,
		.undecided = (kind & 24) == 24,
		.in_ns = a_time(r),
		.out_ns = a_time(r),
		.wake_ns = kind & 32 ? a_time(r) : 0,
		.resumed_ns = (kind & 192) == 192 ? a_time(r) : 0,
		.event = (uint32_t)number(r->in, 1),
		.stack = MODEL_NO_ID,
		.seq = kind & 1 ? r->seq : (uint32_t)number(r->in, 1),
		.lost = (uint32_t)number(r->in, 1) % 3,
		.type = WAIT_IO,
	};

	model_close(r->m, b, kind == 255 ? NULL : &st, r->cut_ns);
}

static void check_stacks(struct run *r)
{
	const char *frames[OFFCPU_KSTACK_DEPTH + OFFCPU_USTACK_DEPTH];

	for (size_t i = 0; i < r->view.n_stacks; i++) {
		uint32_t id = r->view.stacks[i].id;
		size_t n = classify_stack_kernel(r->c, id, frames, ARRAY_SIZE(frames));

		FUZZ_CHECK(n <= OFFCPU_KSTACK_DEPTH);
		n += classify_stack_user(r->c, id, frames + n, ARRAY_SIZE(frames) - n);
		for (size_t k = 0; k < n; k++)
			FUZZ_CHECK(frames[k]);
	}
}

static void check_one(void *ctx, struct model_backend *b)
{
	struct run *r = ctx;
	struct model_view *v = &r->view;
	uint64_t event_ns = 0;
	const char *wait_class, *event;

	model_view(r->m, b, v);
	FUZZ_CHECK(wait_times_sum(&v->times) == v->watched_ns);
	FUZZ_CHECK(v->watched_ns <= model_covered_ns(r->m));
	FUZZ_CHECK(v->n_history <= MODEL_MAX_SLOTS);
	for (size_t i = 0; i < v->n_events; i++) {
		event_ns += v->events[i].ns;
		classify_event_name(r->c, v->events[i].id, &wait_class, &event);
		FUZZ_CHECK(strlen(wait_class) < 256 && strlen(event) < 256);
	}
	FUZZ_CHECK(r->window_changed || event_ns <= v->watched_ns);
	check_stacks(r);
}

static void step_tick(struct run *r)
{
	r->cut_ns += r->delay_ns * (1 + number(r->in, 1) % 3);
	model_each(r->m, close_one, r);
	model_tick(r->m, r->cut_ns, NULL, NULL);
	model_each(r->m, check_one, r);
}

static void step_window(struct run *r)
{
	r->window_ns = 1000 + number(r->in, 2);
	r->delay_ns = 100 + number(r->in, 2) % 20000;
	r->window_changed = true;
	model_set_window(r->m, r->window_ns, r->delay_ns, r->cut_ns);
	model_each(r->m, check_one, r);
}

/* Step of the window: what was taken up to the next cut must not lie beyond the new one. */
static void step(struct run *r)
{
	switch (number(r->in, 1) % 16) {
	case 0:
		step_tick(r);
		step_window(r);
		break;
	case 1:
	case 2:
		step_tick(r);
		break;
	case 3:
		r->seed.info = (uint32_t)number(r->in, 4);
		r->seed.runnable = number(r->in, 1) & 1;
		break;
	case 4:
		model_set_min_wait(r->m, number(r->in, 2));
		break;
	case 5:
		classify_want_stacks(r->c, number(r->in, 1) % 4);
		break;
	default:
		step_event(r);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct classify *classify; /* its tables may fill up as well */
	struct input in = {data, size};
	struct run *r = xcalloc(1, sizeof(*r));

	if (!classify)
		classify = classify_new("/nonexistent");
	r->in = &in;
	r->c = classify;
	r->window_ns = 10000;
	r->delay_ns = 1000;
	r->cut_ns = T0;
	r->server.major = (int)(13 + number(&in, 1) % 7);
	r->server.id = (uint32_t)r->server.major;
	r->server.layout = pglayout_for(r->server.major);
	r->m = model_new(r->window_ns, r->delay_ns, T0);
	for (int i = 0; i < MAX_STEPS && in.size; i++)
		step(r);
	step_tick(r);
	model_free(r->m);
	free(r);
	return 0;
}
