/*
 * THE contract between the BPF program and user space: fixed-width structs, sizes asserted on
 * both sides, enums append-only. Times are CLOCK_MONOTONIC nanoseconds of the initial time
 * namespace (bpf_ktime_get_ns).
 */
#ifndef PGTOP_OFFCPU_H
#define PGTOP_OFFCPU_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define OFFCPU_COMM_BYTES   16
#define OFFCPU_KSTACK_DEPTH 40
#define OFFCPU_STAGED	    16 /* events a task keeps before they go into the ring together */
#define OFFCPU_USTACK_DEPTH 48

/* A counting filter over the low bits of the pid: zero means "certainly not tracked", so that a
 * foreign task costs two loads. Counts, not bits, because pids collide. */
#define OFFCPU_FILTER_SIZE 32768

/* A backend is put on and taken off the CPU by turns. */
enum offcpu_phase {
	OFFCPU_SEEDED = 0,  /* found by user space at in_ns; on or off the CPU is not known yet */
	OFFCPU_ON_CPU = 1,  /* running since in_ns */
	OFFCPU_OFF_CPU = 2, /* off since out_ns; runnable since wake_ns, if that is not 0 */
};

enum offcpu_waker {
	OFFCPU_WAKER_NONE = 0,
	OFFCPU_WAKER_TASK = 1,
	OFFCPU_WAKER_KTHREAD = 2,
	OFFCPU_WAKER_IRQ = 3, /* hard or soft interrupt context: current is not to blame */
};

enum offcpu_flag {
	OFFCPU_F_RUNNABLE = 1 << 0, /* preempted or yielding: never blocked, all run queue */
	OFFCPU_F_SEEDED = 1 << 1,   /* was off the CPU when found: out_ns is when it was found */
	OFFCPU_F_FORKED = 1 << 2,   /* from its fork to its first switch-in */
	OFFCPU_F_EXITING = 1 << 3,  /* in do_exit: the wait event is gone */
	OFFCPU_F_UNREAD = 1 << 4,   /* the wait event could not be read */
	OFFCPU_F_STACK = 1 << 5,    /* the kernel stack follows */
	OFFCPU_F_USTACK = 1 << 6,   /* ... and the user stack */
	OFFCPU_F_EXEC = 1 << 7,	    /* with OFFCPU_EV_EXIT: it became another program */
};

/* Stack modes, as --stacks. */
enum offcpu_stacks {
	OFFCPU_STACKS_OFF = 0,
	OFFCPU_STACKS_AUTO = 1, /* kernel stack where no wait event explains a blocked wait */
	OFFCPU_STACKS_KERNEL = 2,
	OFFCPU_STACKS_ALL = 3,
};

/* A postmaster: its future children are backends. Map `servers`, key: its pid. */
struct offcpu_server {
	__u64 wait_event_addr; /* &my_wait_event_info in every process of this server; 0: none */
	__u64 beentry_addr;    /* &MyBEEntry; 0: none */
	__u64 type_addr;       /* &MyBackendType; 0: none */
	__u32 st_state_offset; /* of PgBackendStatus.st_state */
	__u32 st_oids_offset;  /* of .st_databaseid, which .st_userid follows */
	__u32 client_read;     /* wait_event_info of Client:ClientRead */
	__u32 reserved;
};

enum offcpu_event_kind {
	OFFCPU_EV_WAIT = 1, /* a finished wait: off at out_ns, runnable at wake_ns, on at end_ns */
	/* end_ns: when it exited; on CPU since in_ns. What was read of its identity, 0 if nothing:
	 * wait_event is its database's oid, userid its role's, pg_state MyBackendType. */
	OFFCPU_EV_EXIT = 2,
};

/* One finished wait, or an exit. in_ns equals the end_ns of the event before it unless that was
 * lost: then the time between the two is unknown, exactly. */
struct offcpu_event {
	__u8 kind;  /* enum offcpu_event_kind */
	__u8 flags; /* enum offcpu_flag */
	__u8 pg_state;
	__u8 waker;
	__u32 pid;
	__u32 server_pid;
	__u32 wait_event;
	__u64 start_boottime_ns;
	__u64 in_ns;
	__u64 out_ns;
	__u64 wake_ns; /* 0: no wake-up was seen */
	__u64 end_ns;
	__u32 seq;
	__u32 lost;
	__u32 waker_pid;
	__u32 userid; /* EXIT only */
	char waker_comm[OFFCPU_COMM_BYTES];
};

/* A tracked backend. Map `tasks`, key: its pid. */
struct offcpu_task {
	__u64 done; /* equals `begun` below unless a change is being made; written last */
	__u32 server_pid;
	__u32 reserved;
	__u64 start_boottime_ns; /* with the pid: the identity */
	__u64 in_ns;		 /* last put on the CPU (SEEDED: found; just forked: forked) */
	__u64 out_ns;
	__u64 wake_ns; /* when it became runnable after out_ns; 0: not yet */
	__u64 scratch; /* of the waker's context */
	__u64 exec_ns; /* CPU time of its life, at out_ns */
	__u64 beentry; /* MyBEEntry itself, once it is set */
	struct offcpu_server server;
	__u32 seq;  /* finished waits */
	__u32 lost; /* of these, refused by the ring */
	__u32 wait_event;
	__u32 waker_pid;
	__u8 phase;		  /* enum offcpu_phase */
	__u8 flags;		  /* enum offcpu_flag, of the wait in progress */
	__u8 pg_state;		  /* st_state at switch-out in ClientRead; 0: not read */
	__u8 waker;		  /* enum offcpu_waker */
	__u32 databaseid, userid; /* as published, once it has one; for who exits unseen */
	__u32 backend_type;	  /* MyBackendType */
	__u32 waker_seq;	  /* `seq` when the waker woke it: it ended the wait after that */
	char waker_comm[OFFCPU_COMM_BYTES];
	/* The last waits, oldest first, that are not in the ring yet: entering it costs more than
	 * all the rest, so they go together. A tick reads them here. */
	__u32 n_staged;
	struct offcpu_event staged[OFFCPU_STAGED];
	__u64 begun; /* written first: who copies upwards sees a change that overlaps */
};

/* The ring carries either one of the two below (OFFCPU_F_STACK in flags), or one to OFFCPU_STAGED
 * events of one task, oldest first. A tick may have read these from the map already: seq tells. */
struct offcpu_event_stack {
	struct offcpu_event ev;
	__s32 kstack_bytes; /* negative: -errno */
	__s32 ustack_bytes;
	__u64 kstack[OFFCPU_KSTACK_DEPTH];
};

struct offcpu_event_stacks {
	struct offcpu_event_stack s;
	__u64 ustack[OFFCPU_USTACK_DEPTH];
};

/* Taken at switch-out. Map `ustacks`, key: the task's pid. */
struct offcpu_ustack {
	__s64 bytes; /* negative: -errno */
	__u64 frames[OFFCPU_USTACK_DEPTH];
};

/* Per CPU. Map `counters`, key 0. */
struct offcpu_counters {
	__u64 lost_events;
	__u64 lost_ns; /* of finished waits that were lost */
	__u64 tasks_full;
	__u64 unread;
	__u64 stack_missed;
	__u64 anomalies; /* a switch-out was not seen */
};

#define OFFCPU_ASSERT_SIZE(type, bytes) \
	_Static_assert(sizeof(type) == (bytes), "the layout of " #type " has changed")
OFFCPU_ASSERT_SIZE(struct offcpu_server, 40);
OFFCPU_ASSERT_SIZE(struct offcpu_task, 1584);
OFFCPU_ASSERT_SIZE(struct offcpu_event, 88);
OFFCPU_ASSERT_SIZE(struct offcpu_event_stack, 416);
OFFCPU_ASSERT_SIZE(struct offcpu_event_stacks, 800);
OFFCPU_ASSERT_SIZE(struct offcpu_ustack, 392);
OFFCPU_ASSERT_SIZE(struct offcpu_counters, 48);

#endif
