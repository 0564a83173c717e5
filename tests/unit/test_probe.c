/* What a kernel can do, by BTF made here; and what a failure is said to mean. */
#include "unit.h"

#include <bpf/btf.h>
#include <errno.h>

#include "probe.h"
#include "util.h"

/* BTF with typedef btf_trace_sched_switch -> pointer -> function of n parameters. */
static struct btf *tracepoint(const char *name, int n)
{
	struct btf *btf = btf__new_empty();
	int i32, proto, ptr;

	assert_non_null(btf);
	i32 = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	proto = btf__add_func_proto(btf, 0);
	for (int i = 0; i < n; i++)
		assert_int_equal(btf__add_func_param(btf, NULL, i32), 0);
	ptr = btf__add_ptr(btf, proto);
	assert_true(btf__add_typedef(btf, name, ptr) > 0);
	return btf;
}

static int probe(struct btf *btf, struct probe *p, struct diag *d)
{
	int err = probe_btf(p, btf, d);

	btf__free(btf);
	return err;
}

static void with_and_without_prev_state(void **state)
{
	struct probe p = {false};
	struct diag d = {.summary = "untouched"};

	(void)state;
	/* The first parameter is the context: four without prev_state (before 5.18), five with. */
	assert_int_equal(probe(tracepoint("btf_trace_sched_switch", 5), &p, &d), 0);
	assert_true(p.has_prev_state_arg);
	assert_int_equal(probe(tracepoint("btf_trace_sched_switch", 4), &p, &d), 0);
	assert_false(p.has_prev_state_arg);
	assert_string_equal(d.summary, "untouched");
}

static void an_unknown_shape_is_refused(void **state)
{
	static const int wrong[] = {0, 1, 3, 6};
	struct probe p;
	struct diag d;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		d.summary[0] = d.hint[0] = '\0';
		assert_int_equal(
			probe(tracepoint("btf_trace_sched_switch", wrong[i]), &p, &d), -EPROTO);
		assert_non_null(strstr(d.summary, "sched_switch"));
		assert_non_null(strstr(d.hint, "CONFIG_DEBUG_INFO_BTF"));
	}
	/* perf looked for this name once. */
	assert_int_equal(probe(tracepoint("bpf_trace_sched_switch", 5), &p, &d), -EPROTO);
	assert_int_equal(probe(btf__new_empty(), &p, &d), -EPROTO);
}

static void not_a_pointer_to_a_function(void **state)
{
	struct btf *btf = btf__new_empty();
	struct probe p;
	struct diag d;
	int i32;

	(void)state;
	i32 = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__add_typedef(btf, "btf_trace_sched_switch", i32);
	assert_int_equal(probe(btf, &p, &d), -EPROTO);

	btf = btf__new_empty();
	i32 = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	btf__add_typedef(btf, "btf_trace_sched_switch", btf__add_ptr(btf, i32));
	assert_int_equal(probe(btf, &p, &d), -EPROTO);

	/* void, and a struct of that name. */
	btf = btf__new_empty();
	btf__add_typedef(btf, "btf_trace_sched_switch", btf__add_ptr(btf, 0));
	assert_int_equal(probe(btf, &p, &d), -EPROTO);
	btf = btf__new_empty();
	btf__add_struct(btf, "btf_trace_sched_switch", 8);
	assert_int_equal(probe(btf, &p, &d), -EPROTO);
}

/* ---- what a failure is said to mean ---- */

static const char verifier_log[] =
	"libbpf: prog 'on_switch': BPF program load failed: Invalid argument\n"
	"libbpf: prog 'on_switch': -- BEGIN PROG LOAD LOG --\n"
	"0: R1=ctx() R10=fp0\n"
	"12: (85) call bpf_get_task_stack#141\n"
	"R1 type=scalar expected=ptr_\n"
	"processed 13 insns (limit 1000000) max_states_per_insn 0\n"
	"-- END PROG LOAD LOG --\n"
	"libbpf: prog 'on_switch': failed to load: -22\n"
	"libbpf: failed to load object 'offcpu_bpf'\n";

static void the_verifiers_last_word(void **state)
{
	struct diag d;

	(void)state;
	assert_int_equal(probe_explain(-EINVAL, verifier_log, &d), -EINVAL);
	assert_string_equal(d.summary,
		"could not load the BPF programs: Invalid argument: R1 type=scalar expected=ptr_");
	assert_non_null(strstr(d.hint, "--log"));
}

static void else_the_last_line(void **state)
{
	struct diag d;

	(void)state;
	probe_explain(-EINVAL, "libbpf: one\nlibbpf: two\n", &d);
	assert_string_equal(
		d.summary, "could not load the BPF programs: Invalid argument: libbpf: two");
	probe_explain(-EINVAL, "libbpf: one\nlibbpf: two", &d);
	assert_non_null(strstr(d.summary, "libbpf: two"));
	probe_explain(-EINVAL, "libbpf: one\n\n\n", &d);
	assert_non_null(strstr(d.summary, "libbpf: one"));
	/* Statistics with nothing before them say nothing. */
	probe_explain(-EINVAL, "processed 13 insns\n", &d);
	assert_non_null(strstr(d.summary, "processed 13 insns"));
}

static void nothing_was_said(void **state)
{
	struct diag d;

	(void)state;
	assert_int_equal(probe_explain(-ESRCH, "", &d), -ESRCH);
	assert_string_equal(d.summary, "could not load the BPF programs: No such process");
	assert_int_equal(probe_explain(-ESRCH, "\n\n", &d), -ESRCH);
	assert_string_equal(d.summary, "could not load the BPF programs: No such process");
}

static void words_without_end_are_cut(void **state)
{
	char log[4096];
	struct diag d;

	(void)state;
	memset(log, 'x', sizeof(log) - 1);
	log[sizeof(log) - 1] = '\0';
	probe_explain(-EINVAL, log, &d);
	assert_true(strlen(d.summary) < sizeof(d.summary));
	assert_non_null(strstr(d.summary, "xxx"));
}

static void remedies(void **state)
{
	struct diag d;

	(void)state;
	assert_int_equal(probe_explain(-ENOMEM, "libbpf: x", &d), -ENOMEM);
	assert_non_null(strstr(d.summary, "memory"));
	assert_non_null(strstr(d.hint, "--ring-size"));
	assert_int_equal(probe_explain(-EPERM, "libbpf: x", &d), -EPERM);
	assert_non_null(strstr(d.summary, "refused"));
	assert_true(d.hint[0] != '\0');
	/* One line each, in the style of the others. */
	assert_null(strchr(d.summary, '\n'));
	assert_true(d.summary[0] >= 'a' && d.summary[0] <= 'z');
}

static void capabilities_are_named(void **state)
{
	struct diag d = {.summary = ""};
	int err;

	(void)state;
	err = probe_capabilities(&d);
	if (!err) {
		assert_string_equal(d.summary, "");
		return;
	}
	assert_int_equal(err, -EPERM);
	assert_non_null(strstr(d.summary, "CAP_"));
	assert_non_null(strstr(d.hint, "sudo"));
	assert_non_null(strstr(d.hint, "setcap"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_and_without_prev_state),
		cmocka_unit_test(an_unknown_shape_is_refused),
		cmocka_unit_test(not_a_pointer_to_a_function),
		cmocka_unit_test(the_verifiers_last_word),
		cmocka_unit_test(else_the_last_line),
		cmocka_unit_test(nothing_was_said),
		cmocka_unit_test(words_without_end_are_cut),
		cmocka_unit_test(remedies),
		cmocka_unit_test(capabilities_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
