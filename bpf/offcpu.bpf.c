/*
 * All BPF programs. They measure, and have no policy: which wait belongs to which type is decided
 * in user space. Rules that matter here:
 *
 *  - The wait event is read at switch-out, when the leaving task is current and its memory is
 *    mapped; never at switch-in.
 *  - The three writers of a task's account (switch, wakeup, exit) are serialised per task by its
 *    run queue's lock; `begun` and `done` let user space see a half-made change. sched_waking is
 *    not serialised with them and therefore writes the waker's fields only.
 *  - A foreign task must cost next to nothing: two loads of pid_filter.
 *  - A lost event is counted, and is bounded by in_ns of the event that follows it.
 */
#include "kern.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "offcpu.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Set before load. */
const volatile bool has_prev_state_arg = true; /* sched_switch has it from 5.18, fa2c3254d7cf */
const volatile __u8 stacks_mode = OFFCPU_STACKS_AUTO;
const volatile __u64 ring_mark_bytes = 1 << 20; /* wake user space above this fill */

/* Shared with user space, which counts in what it seeds. */
__u32 pid_filter[OFFCPU_FILTER_SIZE];
__u64 exec_count; /* programs started since attach: a new server may be among them */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, __u32);
	__type(value, struct offcpu_task);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, struct offcpu_server);
} servers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} ring SEC(".maps");

/* A task that was just forked, all else zero: too large for a BPF stack. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct offcpu_task);
} new_task SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct offcpu_counters);
} counters SEC(".maps");

/* User stacks are taken at switch-out and delivered at switch-in; only with --stacks all.
 * Preallocated: before 6.1 (fba1a1c6c912) a new element would be a kmalloc() under the run queue's
 * lock, which may wake kswapd, which needs that lock. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__type(key, __u32);
	__type(value, struct offcpu_ustack);
} ustacks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct offcpu_ustack);
} no_ustack SEC(".maps"); /* what a new element begins as */

#define SEED_SLACK_NS 20000000ULL

#define barrier() asm volatile("" ::: "memory")

static __always_inline struct offcpu_counters *cpu_counters(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&counters, &zero);
}

#define COUNT(field, n)                                      \
	do {                                                 \
		struct offcpu_counters *c_ = cpu_counters(); \
		if (c_)                                      \
			c_->field += (n);                    \
	} while (0)

static __always_inline struct offcpu_task *find_task(__u32 pid)
{
	if (!pid_filter[pid & (OFFCPU_FILTER_SIZE - 1)])
		return NULL;
	return bpf_map_lookup_elem(&tasks, &pid);
}

static __always_inline void begin_change(struct offcpu_task *t)
{
	t->begun++;
	barrier();
}

static __always_inline void end_change(struct offcpu_task *t)
{
	barrier();
	t->done = t->begun;
}

/*
 * Is this hard or soft interrupt context, in which current is only whoever was there? The
 * preemption count would say so, but its address is not to be had where kallsyms holds functions
 * only. So by the stack: interrupts and the soft interrupts behind them run on a stack of the
 * CPU's own, unless they came while the task was in user mode. Then its saved registers say that
 * it entered the kernel by no system call (arch/x86/entry: orig_ax is -1).
 */
static __always_inline bool in_interrupt(void *ctx, struct offcpu_task *t, __u64 stack, __u32 flags)
{
	/* The tracepoint's arguments lie on the stack. A pointer that has been in a map is just a
	 * number. */
	*(void *volatile *)&t->scratch = ctx;
	if (*(volatile __u64 *)&t->scratch - stack >= THREAD_SIZE)
		return true;
#ifdef __TARGET_ARCH_x86
	if (flags & PF_KTHREAD) /* has no user mode to come from */
		return false;
	__u64 regs = stack + THREAD_SIZE - sizeof(struct pt_regs_x86_64), orig_ax = 0;
	bpf_probe_read_kernel(&orig_ax, sizeof(orig_ax),
		(void *)(regs + __builtin_offsetof(struct pt_regs_x86_64, orig_ax)));
	return orig_ax == (__u64)-1;
#else
	return false;
#endif
}

/* Direct loads where the kernel gives a typed pointer (5.11, 3ca1032ab7ab). */
static __always_inline void read_current(__u64 *ret_stack, __u32 *ret_flags)
{
	struct task_struct *current;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf)) {
		current = bpf_get_current_task_btf();
		*ret_stack = (__u64)current->stack;
		*ret_flags = current->flags;
	} else {
		current = (void *)bpf_get_current_task();
		*ret_stack = (__u64)BPF_CORE_READ(current, stack);
		*ret_flags = BPF_CORE_READ(current, flags);
	}
}

/* prev_state of sched_switch: the argument where there is one, since the field may have been
 * overwritten by a waker already (fa2c3254d7cf). */
static __always_inline __u32 prev_state_of(__u64 *ctx, struct task_struct *prev)
{
	if (has_prev_state_arg)
		return ctx[3];
	if (bpf_core_field_exists(prev->__state))
		return prev->__state;
	return ((struct task_struct___pre_5_14 *)prev)->state;
}

static __always_inline void read_wait_event(struct offcpu_task *t, struct task_struct *prev)
{
	__u64 ptr = 0;
	__u32 info = 0;
	int state = 0;

	if (bpf_probe_read_user(&ptr, sizeof(ptr), (void *)t->server.wait_event_addr) ||
		bpf_probe_read_user(&info, sizeof(info), (void *)ptr)) {
		t->flags |= OFFCPU_F_UNREAD;
		COUNT(unread, 1);
		return;
	}
	t->wait_event = info;
	/* A failed read costs microseconds: it is not tried again. */
	if (!t->backend_type && t->server.type_addr &&
		bpf_probe_read_user(
			&t->backend_type, sizeof(t->backend_type), (void *)t->server.type_addr))
		t->server.type_addr = 0;
	if (info != t->server.client_read || !t->server.beentry_addr)
		return;
	if (!t->beentry && bpf_probe_read_user(
				   &t->beentry, sizeof(t->beentry), (void *)t->server.beentry_addr))
		return;
	if (!t->beentry || bpf_probe_read_user(&state, sizeof(state),
				   (void *)(t->beentry + t->server.st_state_offset)))
		return;
	t->pg_state = state;
	if (state && !t->databaseid)
		bpf_probe_read_user(&t->databaseid, 2 * sizeof(t->databaseid),
			(void *)(t->beentry + t->server.st_oids_offset));
}

/* Written in place: a failure can leave no stack of an earlier wait behind. */
static __always_inline void save_user_stack(__u64 *ctx, __u32 pid)
{
	struct offcpu_ustack *s = bpf_map_lookup_elem(&ustacks, &pid);
	__u32 zero = 0;

	if (!s) {
		s = bpf_map_lookup_elem(&no_ustack, &zero);
		if (!s || bpf_map_update_elem(&ustacks, &pid, s, BPF_NOEXIST))
			return;
		s = bpf_map_lookup_elem(&ustacks, &pid);
		if (!s)
			return;
	}
	s->bytes = bpf_get_stack(ctx, s->frames, sizeof(s->frames), BPF_F_USER_STACK);
}

static __always_inline void fill_event(
	struct offcpu_event *ev, struct offcpu_task *t, __u32 pid, __u64 now)
{
	ev->kind = OFFCPU_EV_WAIT;
	ev->flags = t->flags;
	ev->pg_state = t->pg_state;
	ev->pid = pid;
	ev->server_pid = t->server_pid;
	ev->wait_event = t->wait_event;
	ev->start_boottime_ns = t->start_boottime_ns;
	ev->in_ns = t->in_ns;
	ev->out_ns = t->out_ns;
	ev->wake_ns = t->wake_ns;
	ev->end_ns = now;
	ev->seq = t->seq;
	ev->lost = t->lost;
	ev->userid = 0;
	/* The waker may have come between prev's decision to sleep and its switch-out; one of an
	 * earlier wait does not count. */
	if (t->waker && t->waker_seq + 1 == t->seq && !(t->flags & OFFCPU_F_RUNNABLE)) {
		ev->waker = t->waker;
		ev->waker_pid = t->waker_pid;
		__builtin_memcpy(ev->waker_comm, t->waker_comm, OFFCPU_COMM_BYTES);
	} else {
		ev->waker = OFFCPU_WAKER_NONE;
		ev->waker_pid = 0;
		__builtin_memset(ev->waker_comm, 0, OFFCPU_COMM_BYTES);
	}
}

/* Waking user space is an interrupt: only above the fill mark. Below it the tick drains. */
static __always_inline __u64 ring_flags(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) >= ring_mark_bytes ? BPF_RB_FORCE_WAKEUP
									      : BPF_RB_NO_WAKEUP;
}

static __always_inline void lose_event(struct offcpu_task *t, __u64 from_ns, __u64 to_ns)
{
	struct offcpu_counters *c = cpu_counters();

	t->lost++;
	if (c) {
		c->lost_events++;
		if (to_ns > from_ns)
			c->lost_ns += to_ns - from_ns;
	}
}

/* Into the ring with what is staged. What the ring has no room for stays: a tick can still read it,
 * and the next event tries again. */
static __always_inline bool flush(struct offcpu_task *t)
{
	__u64 n = t->n_staged;
	long err;

	if (n == OFFCPU_STAGED) {
		err = bpf_ringbuf_output(&ring, t->staged, sizeof(t->staged), ring_flags());
	} else {
		/* The verifier of old kernels sees a bound in a mask only. */
		asm volatile("" : "+r"(n));
		n &= OFFCPU_STAGED - 1;
		if (!n)
			return true;
		err = bpf_ringbuf_output(&ring, t->staged, n * sizeof(t->staged[0]), ring_flags());
	}
	if (err)
		return false;
	t->n_staged = 0;
	return true;
}

/* NULL: there is no room. */
static __always_inline struct offcpu_event *stage(struct offcpu_task *t, __u32 pid, __u64 now)
{
	struct offcpu_event *ev;

	if (t->n_staged >= OFFCPU_STAGED && !flush(t))
		return NULL;
	ev = &t->staged[t->n_staged & (OFFCPU_STAGED - 1)];
	fill_event(ev, t, pid, now);
	t->n_staged++;
	return ev;
}

static __always_inline void emit(struct offcpu_task *t, __u32 pid, __u64 now)
{
	if (!stage(t, pid, now))
		lose_event(t, t->out_ns, now);
	else if (t->n_staged >= OFFCPU_STAGED)
		flush(t);
}

/* The stack of a task that is about to be put back on the CPU is that of the wait that ends. */
static __always_inline void take_kernel_stack(struct offcpu_event_stack *es, struct task_struct *t)
{
	es->ev.flags |= OFFCPU_F_STACK;
	es->ustack_bytes = 0;
	es->kstack_bytes = bpf_get_task_stack(t, es->kstack, sizeof(es->kstack), 0);
	if (es->kstack_bytes <= 0)
		COUNT(stack_missed, 1);
}

static __always_inline void emit_with_stacks(
	struct offcpu_task *t, struct task_struct *next, __u64 now)
{
	struct offcpu_event_stacks *es;
	__u32 pid = next->pid;
	struct offcpu_ustack *us;

	es = flush(t) ? bpf_ringbuf_reserve(&ring, sizeof(*es), 0) : NULL;
	if (!es) {
		lose_event(t, t->out_ns, now);
		return;
	}
	fill_event(&es->s.ev, t, pid, now);
	take_kernel_stack(&es->s, next);
	us = bpf_map_lookup_elem(&ustacks, &pid);
	if (us && !(t->flags & OFFCPU_F_SEEDED)) {
		es->s.ev.flags |= OFFCPU_F_USTACK;
		es->s.ustack_bytes = us->bytes;
		__builtin_memcpy(es->ustack, us->frames, sizeof(es->ustack));
		/* A task in do_exit has given up its memory. */
		if (us->bytes <= 0 && !(t->flags & OFFCPU_F_EXITING))
			COUNT(stack_missed, 1);
	}
	bpf_ringbuf_submit(es, ring_flags());
}

static __always_inline void emit_with_kernel_stack(
	struct offcpu_task *t, struct task_struct *next, __u64 now)
{
	struct offcpu_event_stack *es;

	es = flush(t) ? bpf_ringbuf_reserve(&ring, sizeof(*es), 0) : NULL;
	if (!es) {
		lose_event(t, t->out_ns, now);
		return;
	}
	fill_event(&es->ev, t, next->pid, now);
	take_kernel_stack(es, next);
	bpf_ringbuf_submit(es, ring_flags());
}

/* Off the CPU and not asleep: preempted, yielding, or kept on the run queue because a signal was
 * pending (prev_state says "sleeping" then, before 8feb053d5319). */
static __always_inline bool is_runnable(__u64 *ctx, struct task_struct *prev, bool preempt)
{
	if (preempt || prev_state_of(ctx, prev) == 0)
		return true;
	if (!prev->on_rq)
		return false;
	return !bpf_core_field_exists(prev->se.sched_delayed) || !prev->se.sched_delayed;
}

/*
 * A switch-in that was not seen (it happens: some kernels run no BPF in the context of a task they
 * protect) is made up for at the next switch-out: the CPU time that the task has used since then
 * says when it was put on the CPU.
 */
static __always_inline void make_up_switch_in(
	struct offcpu_task *t, struct task_struct *prev, __u64 now)
{
	__u64 ran_ns = prev->se.sum_exec_runtime - t->exec_ns;
	__u64 runnable_ns = t->wake_ns ? t->wake_ns : t->out_ns;
	__u64 in_ns = now - ran_ns;

	if (ran_ns > now - runnable_ns)
		in_ns = runnable_ns;
	t->seq++;
	emit(t, prev->pid, in_ns);
	t->in_ns = in_ns;
}

/* Found at in_ns and on the CPU now, with no switch-in seen: then it was running all the time,
 * unless it used far less CPU time than that. What user space read as exec_ns may be a tick old. */
static __always_inline bool was_off_when_found(
	struct offcpu_task *t, struct task_struct *prev, __u64 now)
{
	if (t->phase != OFFCPU_SEEDED || !t->exec_ns ||
		prev->se.sum_exec_runtime - t->exec_ns + SEED_SLACK_NS >= now - t->in_ns)
		return false;
	t->out_ns = t->in_ns;
	t->flags = OFFCPU_F_SEEDED;
	return true;
}

static __always_inline void switch_out(
	__u64 *ctx, struct offcpu_task *t, struct task_struct *prev, bool preempt, __u64 now)
{
	bool runnable = is_runnable(ctx, prev, preempt);

	begin_change(t);
	if (t->phase == OFFCPU_OFF_CPU || was_off_when_found(t, prev, now))
		make_up_switch_in(t, prev, now);
	t->phase = OFFCPU_OFF_CPU;
	t->out_ns = now;
	t->exec_ns = prev->se.sum_exec_runtime;
	t->wake_ns = 0;
	t->wait_event = 0;
	t->pg_state = 0;
	t->flags = 0;
	if (runnable) {
		/* The wait event may be stale here, and would be no matter: it is queueing. */
		t->wake_ns = now;
		t->flags = OFFCPU_F_RUNNABLE;
	} else {
		if (prev->flags & PF_EXITING)
			t->flags = OFFCPU_F_EXITING;
		else if (t->server.wait_event_addr)
			read_wait_event(t, prev);
		if (stacks_mode == OFFCPU_STACKS_ALL)
			save_user_stack(ctx, prev->pid);
	}
	end_change(t);
}

static __always_inline void switch_in(struct offcpu_task *t, struct task_struct *next, __u64 now)
{
	begin_change(t);
	if (t->phase == OFFCPU_SEEDED) {
		t->out_ns = t->in_ns;
		t->flags = OFFCPU_F_SEEDED;
	}
	t->seq++;
	if (t->phase == OFFCPU_ON_CPU) {
		/* Its switch-out was not seen: nothing is known but that it is running now. */
		t->lost++;
		COUNT(anomalies, 1);
	} else if (stacks_mode == OFFCPU_STACKS_OFF || (t->flags & OFFCPU_F_RUNNABLE)) {
		emit(t, next->pid, now);
	} else if (stacks_mode == OFFCPU_STACKS_ALL) {
		emit_with_stacks(t, next, now);
	} else if (stacks_mode == OFFCPU_STACKS_KERNEL || !t->wait_event) {
		emit_with_kernel_stack(t, next, now);
	} else {
		emit(t, next->pid, now);
	}
	t->phase = OFFCPU_ON_CPU;
	t->in_ns = now;
	end_change(t);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct offcpu_task *t;
	__u64 now = 0;

	t = find_task(prev->pid);
	if (t) {
		now = bpf_ktime_get_ns();
		switch_out(ctx, t, prev, preempt, now);
	}
	t = find_task(next->pid);
	if (t)
		switch_in(t, next, now ? now : bpf_ktime_get_ns());
	return 0;
}

/* Runs once the task has left its CPU, possibly on another one by IPI: right for the start of the
 * run-queue part, wrong for who did it. */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *p)
{
	struct offcpu_task *t = find_task(p->pid);

	if (!t || t->wake_ns || t->phase == OFFCPU_ON_CPU)
		return 0;
	begin_change(t);
	t->wake_ns = bpf_ktime_get_ns();
	end_change(t);
	return 0;
}

/* Runs in the waker's context, always. */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *p)
{
	struct offcpu_task *t = find_task(p->pid);
	__u32 pid, flags;
	__u64 stack;

	if (!t)
		return 0;
	t->waker_seq = t->seq;
	pid = bpf_get_current_pid_tgid() >> 32;
	read_current(&stack, &flags);
	if (!pid || in_interrupt(ctx, t, stack, flags)) {
		t->waker = OFFCPU_WAKER_IRQ;
		t->waker_pid = 0;
		return 0;
	}
	t->waker_pid = pid;
	t->waker = flags & PF_KTHREAD ? OFFCPU_WAKER_KTHREAD : OFFCPU_WAKER_TASK;
	bpf_get_current_comm(t->waker_comm, sizeof(t->waker_comm));
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 parent_pid = parent->tgid, pid = child->pid;
	struct offcpu_server *server;
	struct offcpu_task *t;
	__u32 zero = 0;

	if (child->pid != child->tgid) /* a thread */
		return 0;
	server = bpf_map_lookup_elem(&servers, &parent_pid);
	t = server ? bpf_map_lookup_elem(&new_task, &zero) : NULL;
	if (!server || !t)
		return 0;
	t->server = *server;
	t->server_pid = parent_pid;
	t->start_boottime_ns = child->start_boottime;
	t->in_ns = t->out_ns = t->wake_ns = bpf_ktime_get_ns();
	t->phase = OFFCPU_OFF_CPU;
	t->flags = OFFCPU_F_RUNNABLE | OFFCPU_F_FORKED;
	if (bpf_map_update_elem(&tasks, &pid, t, BPF_NOEXIST)) {
		COUNT(tasks_full, 1);
		return 0;
	}
	__sync_fetch_and_add(&pid_filter[pid & (OFFCPU_FILTER_SIZE - 1)], 1);
	return 0;
}

/* The account ends here; what the kernel still does to bury the task is not the backend's. */
static __always_inline void untrack(struct offcpu_task *t, __u32 pid, __u8 flags)
{
	__u64 now = bpf_ktime_get_ns();
	struct offcpu_event *ev;

	t->flags = flags;
	ev = stage(t, pid, now);
	if (ev) {
		ev->kind = OFFCPU_EV_EXIT;
		ev->out_ns = ev->wake_ns = now;
		ev->wait_event = t->databaseid;
		ev->userid = t->userid;
		ev->pg_state = t->backend_type;
	}
	if (!flush(t))
		COUNT(lost_events, t->n_staged);
	if (!bpf_map_delete_elem(&tasks, &pid))
		__sync_fetch_and_add(&pid_filter[pid & (OFFCPU_FILTER_SIZE - 1)], -1);
	if (stacks_mode == OFFCPU_STACKS_ALL)
		bpf_map_delete_elem(&ustacks, &pid);
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct *p)
{
	__u32 pid = p->pid;
	struct offcpu_task *t = find_task(pid);

	if (t)
		untrack(t, pid, 0);
	else if (p->pid == p->tgid)
		bpf_map_delete_elem(&servers, &pid);
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *p)
{
	__u32 pid = p->pid;
	struct offcpu_task *t = find_task(pid);

	if (t)
		untrack(t, pid, OFFCPU_F_EXEC);
	__sync_fetch_and_add(&exec_count, 1);
	return 0;
}
