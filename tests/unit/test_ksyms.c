/* Names of kernel functions: over texts with every trap of kallsyms, and over the live file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ksyms.h"
#include "util.h"

/* Unsorted, duplicates, aliases, data, padding, a module, a BPF program, damage. */
static const char text[] = "ffffffff81002000 T schedule\n"
			   "ffffffff81001000 t first\n"
			   "0000000000000000 A fixed_percpu_data\n"
			   "0000000000001000 a cpu_debug_store\n"
			   "ffffffff81001000 t first\n"
			   "ffffffff81003000 W weak_alias\n"
			   "ffffffff81003000 t local_alias\n"
			   "ffffffff81003000 T do_epoll_wait\n"
			   "ffffffff81003000 T second_global\n"
			   "ffffffff81001ff0 t __pfx_schedule\n"
			   "ffffffff81001800 D some_data\n"
			   "ffffffff81001900 r some_rodata\n"
			   "ffffffff81004000 t ext4_sync_file.isra.0\n"
			   "ffffffff81005000 T _etext\n"
			   "ffffffff82000000 T late_init\n"
			   "ffffffff82001000 T _einittext\n"
			   "\n"
			   "nonsense\n"
			   "ffffffff81002800\n"
			   "ffffffff81002800 T\n"
			   "ffffffff81002800 T \n"
			   "ffffffffc0201000 t xfs_file_fsync\t[xfs]\n"
			   "ffffffffc0100000 t bpf_prog_6deef7357e7b4530_sched\t[bpf]\n"
			   "0000000000000000 t zeroed_function\n"
			   "ffffffffc0300000 t last_without_newline";

static struct ksyms *parsed(const char *from, size_t len, int want)
{
	struct ksyms *ks = ksyms_new("/nonexistent");
	char *copy = xmalloc(len);

	memcpy(copy, from, len);
	assert_int_equal(ksyms_parse(ks, copy, len), want);
	free(copy);
	return ks;
}

static void addresses(void **state)
{
	static const struct {
		uint64_t addr;
		const char *name;
		uint64_t offset;
	} list[] = {
		{0, NULL, 0},
		{0x400000, NULL, 0},
		{0x7fffffffffff, NULL, 0},
		{0xffffffff81000fff, NULL, 0},
		{0xffffffff81001000, "first", 0},
		/* no data symbol cuts a function off, and padding belongs to what is before it */
		{0xffffffff81001950, "first", 0x950},
		{0xffffffff81001ff8, "first", 0xff8},
		{0xffffffff81001fff, "first", 0xfff},
		{0xffffffff81002000, "schedule", 0},
		{0xffffffff81002800, "schedule", 0x800},
		{0xffffffff81003000, "do_epoll_wait", 0},
		{0xffffffff81004fff, "ext4_sync_file.isra.0", 0xfff},
		{0xffffffff81005000, NULL, 0},
		{0xffffffff81800000, NULL, 0},
		{0xffffffff82000010, "late_init", 0x10},
		{0xffffffff82001000, NULL, 0},
		{0xffffffffc0100001, "bpf_prog_6deef7357e7b4530_sched", 1},
		{0xffffffffc0201fff, "xfs_file_fsync", 0xfff},
		{0xffffffffc0300004, "last_without_newline", 4},
		{0xffffffffc0400000, NULL, 0},
		{UINT64_MAX, NULL, 0},
	};
	struct ksyms *ks = parsed(text, sizeof(text) - 1, 0);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		uint64_t offset = 0;
		const char *name = ksyms_lookup(ks, list[i].addr, &offset);

		if (!name != !list[i].name || (name && strcmp(name, list[i].name)))
			fail_msg("%llx is %s", (unsigned long long)list[i].addr,
				name ? name : "unknown");
		assert_int_equal(offset, list[i].offset);
	}
	assert_string_equal(ksyms_lookup(ks, 0xffffffff81002000, NULL), "schedule");
	assert_false(ksyms_hidden(ks));
	ksyms_free(ks);
}

static void hidden_addresses(void **state)
{
	static const char zeros[] = "0000000000000000 T schedule\n0000000000000000 t x\n"
				    "0000000000000000 D data\n0000000000000000 t y\t[mod]\n";
	struct ksyms *ks = parsed(zeros, sizeof(zeros) - 1, -ENODATA);

	(void)state;
	assert_true(ksyms_hidden(ks));
	assert_null(ksyms_lookup(ks, 0, NULL));
	assert_null(ksyms_lookup(ks, 0xffffffff81000000, NULL));
	ksyms_free(ks);

	ks = parsed("", 0, -ENODATA);
	assert_false(ksyms_hidden(ks));
	ksyms_free(ks);
	ks = parsed("ffffffff81800000 D data\n", 24, -ENODATA);
	assert_false(ksyms_hidden(ks));
	ksyms_free(ks);
}

/* Longer than any chunk the reader takes, with lines across its edges and one endless line. */
static void file_in_chunks(void **state)
{
	char path[] = "/tmp/pgtop-ksyms-XXXXXX", name[32];
	int fd = mkstemp(path);
	struct ksyms *ks;
	struct diag d;
	FILE *f;

	(void)state;
	assert_true(fd >= 0);
	f = fdopen(fd, "w");
	assert_non_null(f);
	for (unsigned i = 0; i < 20000; i++) {
		if (i == 7777) {
			for (int j = 0; j < 300000; j++)
				fputc('x', f);
			fputc('\n', f);
		}
		fprintf(f, "%016llx t function_%u\n", 0xffffffff81000000ULL + i * 0x100ULL, i);
	}
	assert_int_equal(fclose(f), 0);
	ks = ksyms_new(path);
	assert_int_equal(ksyms_load(ks, &d), 0);
	assert_int_equal(ksyms_count(ks), 20000);
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		assert_string_equal(
			ksyms_lookup(ks, 0xffffffff81000000ULL + i * 0x100ULL + 5, NULL), name);
	}
	remove(path);
	/* read once; forgotten only on demand */
	assert_int_equal(ksyms_load(ks, &d), 0);
	ksyms_reset(ks);
	assert_int_equal(ksyms_load(ks, &d), -ENOENT);
	assert_non_null(strstr(d.summary, path));
	assert_null(ksyms_lookup(ks, 0xffffffff81000000ULL, NULL));
	assert_int_equal(ksyms_load(ks, NULL), -ENOENT);
	ksyms_free(ks);
	ksyms_free(NULL);
}

static void live_file(void **state)
{
	struct ksyms *ks = ksyms_new(NULL);
	struct diag d;
	int err = ksyms_load(ks, &d);

	(void)state;
	if (err == -ENOENT || ksyms_hidden(ks)) {
		ksyms_free(ks);
		skip(); /* not for this user, or not in this kernel */
	}
	assert_int_equal(err, 0);
	assert_true(ksyms_count(ks) > 1000);
	assert_null(ksyms_lookup(ks, (uint64_t)(uintptr_t)&d, NULL));
	ksyms_free(ks);
}

static void base_names(void **state)
{
	static const struct {
		const char *name, *base;
	} list[] = {
		{"schedule", "schedule"},
		{"finish_task_switch.isra.0", "finish_task_switch"},
		{"a.constprop.12", "a"},
		{"a.cold", "a"},
		{"a.part.3", "a"},
		{"a.part.3.isra.0.cold", "a"},
		{"a.llvm.16812345678901234567", "a"},
		{"a.colder", "a.colder"},
		{"a.b", "a.b"},
		{"a.b.isra.0", "a.b"},
		{".cold", ".cold"},
		{"xfs_file_fsync\t[xfs]", "xfs_file_fsync"},
		{"f.isra.0\t[m.part.0]", "f"},
		{"", ""},
	};
	char buf[64], small[4];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		assert_string_equal(ksyms_base_name(list[i].name, buf, sizeof(buf)), list[i].base);
		assert_int_equal(ksyms_base_len(list[i].name), strlen(list[i].base));
	}
	assert_string_equal(ksyms_base_name("schedule.cold", small, sizeof(small)), "sch");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(hidden_addresses),
		cmocka_unit_test(file_in_chunks),
		cmocka_unit_test(live_file),
		cmocka_unit_test(base_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
