/* The least that can be attached to sched_switch: what any program there costs. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tp_btf/sched_switch")
int empty(void *ctx)
{
	return 0;
}
