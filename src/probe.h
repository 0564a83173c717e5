/*
 * What this kernel can do, decided from its BTF and from what it says, never from its version.
 */
#ifndef PGTOP_PROBE_H
#define PGTOP_PROBE_H

#include <stdbool.h>

#include "diag.h"

struct btf;

struct probe {
	bool has_prev_state_arg; /* sched_switch passes prev_state (5.18, fa2c3254d7cf) */
};

/* Reads the running kernel's BTF. -errno with *d filled if the program cannot work here: no BTF, a
 * capability missing, sched_switch of an unknown shape. */
int probe_kernel(struct probe *p, struct diag *d);

/* The same decision over given BTF (unit tests). -EPROTO: sched_switch has an unknown shape. */
int probe_btf(struct probe *p, const struct btf *btf, struct diag *d);

/* -EPERM with *d naming every capability that is missing and both remedies. */
int probe_capabilities(struct diag *d);

/* -ENOTSUP if this process is in a PID namespace of its own: BPF sees the pids of the host, /proc
 * others. */
int probe_namespace(struct diag *d);

/* Turns a failed load or attach into one line: cause and remedy. err: -errno from libbpf, log:
 * what libbpf said (may be ""). Returns err. */
int probe_explain(int err, const char *log, struct diag *d);

#endif
