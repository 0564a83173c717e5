/*
 * The few kernel types the BPF program reads, and nothing else.
 *
 * Every struct is preserve_access_index: libbpf relocates the accesses to the running kernel's
 * layout, so the object is built without that kernel's headers or its BTF. A field that was
 * renamed has a flavour of its own (___suffix), with the commit that renamed it.
 */
#ifndef PGTOP_KERN_H
#define PGTOP_KERN_H

#include <linux/bpf.h>
#include <linux/types.h>

#ifndef __cplusplus
#define bool _Bool
#define true 1
#define false 0
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sched_entity {
	__u64 sum_exec_runtime;	     /* CPU time so far, up to date at sched_switch */
	unsigned char sched_delayed; /* 6.12, 152e11f6df29: asleep, though still on the queue */
};

struct task_struct {
	unsigned int __state;
	unsigned int on_rq; /* a byte from 7.2: unsigned, so that libbpf can narrow the load */
	struct sched_entity se;
	void *stack;
	unsigned int flags;
	int pid;
	int tgid;
	__u64 start_boottime; /* real_start_time before 5.5 (cf25e24db61c); 5.8 is the floor */
};

/* 2f064a59a11f ("sched: Change task_struct::state"), v5.14 */
struct task_struct___pre_5_14 {
	volatile long state;
};

#pragma clang attribute pop

/* include/linux/sched.h */
#define PF_EXITING 0x00000004
#define PF_KTHREAD 0x00200000

/* arch/x86/include/asm/page_64_types.h, arch/arm64/include/asm/memory.h: without KASAN */
#define THREAD_SIZE 16384

/* At the top of a task's kernel stack: arch/x86/include/asm/ptrace.h (an ABI, not relocated). */
struct pt_regs_x86_64 {
	__u64 r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	__u64 orig_ax;
	__u64 ip, cs, flags, sp, ss;
};

#endif
