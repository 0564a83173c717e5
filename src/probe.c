/*
 * Kernel capabilities and privileges. Owns no state; libbpf only to read BTF.
 *
 * The BTF of a tracepoint is the typedef btf_trace_NAME: a pointer to a function whose first
 * parameter is a context (void *) that the tracepoint itself does not have. So sched_switch with
 * prev_state has five parameters there, without it four. (perf compared with four for a year.)
 */
#include "probe.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/capability.h>

#include "util.h"

#define KERNEL_BTF     "/sys/kernel/btf/vmlinux"
#define LOCKDOWN       "/sys/kernel/security/lockdown"
#define INITIAL_PID_NS "pid:[4026531836]" /* PROC_PID_INIT_INO, include/linux/proc_ns.h */
#define OLDEST_KERNEL  "5.8"

/* linux/capability.h of old headers lacks the last ones. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

int probe_btf(struct probe *p, const struct btf *btf, struct diag *d)
{
	__s32 id = btf__find_by_name_kind(btf, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	t = t && btf_is_ptr(t) ? btf__type_by_id(btf, t->type) : NULL;
	if (!t || !btf_is_func_proto(t) || (btf_vlen(t) != 4 && btf_vlen(t) != 5)) {
		diag_set(d, -EPROTO,
			"this kernel's BTF describes no sched_switch tracepoint that is known");
		diag_hint(d, "A kernel from " OLDEST_KERNEL
			     " on, built with CONFIG_DEBUG_INFO_BTF, is needed.");
		return -EPROTO;
	}
	p->has_prev_state_arg = btf_vlen(t) == 5;
	return 0;
}

int probe_kernel(struct probe *p, struct diag *d)
{
	struct btf *btf;
	int err;

	if (access(KERNEL_BTF, R_OK)) {
		err = -errno;
		diag_set(d, err, "could not read " KERNEL_BTF ": %s", strerror(-err));
		diag_hint(d, "The kernel must be built with CONFIG_DEBUG_INFO_BTF=y (distribution "
			     "kernels since 2020 are), version " OLDEST_KERNEL
			     " or later, and /sys must be mounted.");
		return err;
	}
	btf = btf__parse_raw(KERNEL_BTF);
	if (!btf) {
		err = -errno;
		if (err == -EMFILE || err == -ENFILE)
			return probe_explain(err, "", d);
		diag_set(d, err, "could not parse " KERNEL_BTF ": %s", strerror(-err));
		diag_hint(d, "The kernel's BTF may be newer than the libbpf this program is linked "
			     "with: rebuild it with a newer one.");
		return err;
	}
	err = probe_btf(p, btf, d);
	btf__free(btf);
	return err;
}

static int effective_caps(uint64_t *ret)
{
	struct __user_cap_header_struct hdr = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}, {0}};

	if (syscall(SYS_capget, &hdr, data) < 0)
		return -errno;
	*ret = (uint64_t)data[1].effective << 32 | data[0].effective;
	return 0;
}

int probe_capabilities(struct diag *d)
{
	static const struct {
		int cap, or_cap; /* or_cap: CAP_SYS_ADMIN stands for the newer, finer ones */
		const char *name;
	} needed[] = {
		{CAP_BPF, CAP_SYS_ADMIN, "CAP_BPF"},
		{CAP_PERFMON, CAP_SYS_ADMIN, "CAP_PERFMON"},
		{CAP_SYS_PTRACE, CAP_SYS_PTRACE, "CAP_SYS_PTRACE"},
		{CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE, "CAP_DAC_READ_SEARCH"},
	};
	char missing[160] = "";
	uint64_t caps = 0;
	int err = effective_caps(&caps);

	if (err)
		return diag_set(d, err, "could not read own capabilities: %s", strerror(-err));
	for (size_t i = 0; i < ARRAY_SIZE(needed); i++) {
		if (caps >> needed[i].cap & 1 || caps >> needed[i].or_cap & 1)
			continue;
		snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing), "%s%s",
			missing[0] ? ", " : "", needed[i].name);
	}
	if (!missing[0])
		return 0;
	diag_set(d, -EPERM, "not permitted: missing %s", missing);
	diag_hint(d, "Run it with sudo, or once: setcap cap_bpf,cap_perfmon,cap_sys_ptrace,"
		     "cap_dac_read_search,cap_syslog,cap_sys_admin+ep $(command -v pgtop-offcpu)");
	return -EPERM;
}

int probe_namespace(struct diag *d)
{
	char ns[64];
	ssize_t len = readlink("/proc/self/ns/pid", ns, sizeof(ns) - 1);

	if (len < 0)
		return diag_set(d, -errno, "could not read /proc/self/ns/pid: %s", strerror(errno));
	ns[len] = '\0';
	if (!strcmp(ns, INITIAL_PID_NS))
		return 0;
	diag_set(d, -ENOTSUP,
		"cannot work inside a PID namespace: the kernel reports the process "
		"IDs of the host");
	diag_hint(d, "Run it on the host, or start the container with the host's PID namespace "
		     "(--pid=host).");
	return -ENOTSUP;
}

static bool locked_down(void)
{
	_cleanup_fclose_ FILE *f = fopen(LOCKDOWN, "re");
	char line[128] = "";

	return f && fgets(line, sizeof(line), f) && strstr(line, "[confidentiality]");
}

/* The line of libbpf's words that says most: the verifier's last word before its statistics, else
 * the last line of all. */
static void last_words(const char *log, char *out, size_t size)
{
	const char *line = log, *best = "", *before = "";
	size_t best_len = 0, before_len = 0;
	bool verdict = false;

	while (*line) {
		size_t len = strcspn(line, "\n");
		if (!strncmp(line, "processed ", 10) && before_len) {
			best = before;
			best_len = before_len;
			verdict = true;
		} else if (len && !verdict) {
			best = line;
			best_len = len;
		}
		before = line;
		before_len = len;
		line += len + (line[len] == '\n');
	}
	snprintf(out, size, "%.*s", (int)MIN(best_len, size - 1), best);
}

int probe_explain(int err, const char *log, struct diag *d)
{
	char words[160];

	last_words(log, words, sizeof(words));
	switch (err) {
	case -EPERM:
		if (locked_down()) {
			diag_set(d, err,
				"the kernel refused BPF: lockdown is in confidentiality mode");
			diag_hint(d,
				"Boot without lockdown=confidentiality; integrity mode is fine.");
			break;
		}
		diag_set(d, err, "the kernel refused BPF: %s", strerror(-err));
		diag_hint(d,
			"Run it as root outside of containers that filter bpf(2) (seccomp), and "
			"see /proc/sys/kernel/perf_event_paranoid.");
		break;
	case -EMFILE:
	case -ENFILE:
		diag_set(d, err, "could not load the BPF programs: %s", strerror(-err));
		diag_hint(d, "Some thirty open files are needed: raise the limit (ulimit -n).");
		break;
	case -ENOMEM:
		diag_set(d, err, "the kernel had no memory for the BPF maps: %s", strerror(-err));
		diag_hint(d,
			"The cgroup's memory limit or RLIMIT_MEMLOCK is too low; try a smaller "
			"--ring-size.");
		break;
	default:
		diag_set(d, err, "could not load the BPF programs: %s%s%s", strerror(-err),
			words[0] ? ": " : "", words);
		diag_hint(d, "A kernel from " OLDEST_KERNEL " on with CONFIG_BPF_SYSCALL, "
			     "CONFIG_BPF_JIT and CONFIG_DEBUG_INFO_BTF is needed; --log FILE keeps "
			     "what the kernel said.");
	}
	return err;
}
