/* Reads of a real process's memory: this one's, a child's, one that is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "procmem.h"
#include "util.h"

#define PAGE ((size_t)sysconf(_SC_PAGESIZE))

static const mem_readv_fn both[] = {procmem_readv, procmem_readv_file};

/* One mapped page with an unmapped one after it. */
static char *edge_page(void)
{
	char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	assert_int_equal(munmap(p + PAGE, PAGE), 0);
	return p;
}

static uint64_t addr_of(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void test_reads_what_is_there(void **state)
{
	const char text[] = "some bytes of this process";
	char a[sizeof(text)], b[4];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		struct mem_range r[] = {
			{.addr = addr_of(text), .buf = a, .n = sizeof(a)},
			{.addr = addr_of(text + 5), .buf = b, .n = sizeof(b)},
			{.addr = 0, .buf = NULL, .n = 0},
		};

		memset(a, 0, sizeof(a));
		assert_int_equal(both[i](NULL, getpid(), r, ARRAY_SIZE(r)), 0);
		assert_string_equal(a, text);
		assert_memory_equal(b, "byte", 4);
		assert_int_equal(r[0].done, sizeof(a));
		assert_int_equal(r[1].err | r[2].err, 0);
	}
}

static void test_goes_on_after_a_fault(void **state)
{
	char *page = edge_page();
	const uint32_t value = 4711;
	uint32_t first, last, lost;
	char partly[64];

	(void)state;
	memset(page, 'x', PAGE);
	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		struct mem_range r[] = {
			{.addr = addr_of(&value), .buf = &first, .n = 4},
			{.addr = addr_of(page + PAGE - 24), .buf = partly, .n = sizeof(partly)},
			{.addr = 16, .buf = &lost, .n = 4},
			{.addr = UINT64_MAX - 1, .buf = &lost, .n = 4},
			{.addr = 1ULL << 63, .buf = &lost, .n = 4},
			{.addr = addr_of(&value), .buf = &last, .n = 4},
		};

		first = last = 0;
		memset(partly, '-', sizeof(partly));
		assert_int_equal(both[i](NULL, getpid(), r, ARRAY_SIZE(r)), 0);
		assert_int_equal(first, value);
		assert_int_equal(last, value);
		assert_int_equal(r[1].err, -EFAULT);
		assert_int_equal(r[1].done, 24);
		assert_memory_equal(partly, "xxxxxxxxxxxxxxxxxxxxxxxx----", 28);
		for (int k = 2; k <= 4; k++) {
			assert_int_equal(r[k].err, -EFAULT);
			assert_int_equal(r[k].done, 0);
		}
		assert_int_equal(r[0].err | r[5].err, 0);
	}
	munmap(page, PAGE);
}

/* More ranges than go into one system call, with faults in between. */
static void test_many_ranges(void **state)
{
	enum { N = 3000 };
	static uint32_t values[N], got[N];
	static struct mem_range r[N];

	(void)state;
	for (size_t f = 0; f < ARRAY_SIZE(both); f++) {
		for (uint32_t i = 0; i < N; i++) {
			values[i] = i * 7 + 1;
			got[i] = 0;
			r[i] = (struct mem_range){.addr = i % 251 == 250 ? 8 : addr_of(&values[i]),
				.buf = &got[i],
				.n = 4};
		}
		assert_int_equal(both[f](NULL, getpid(), r, N), 0);
		for (uint32_t i = 0; i < N; i++) {
			assert_int_equal(r[i].err, i % 251 == 250 ? -EFAULT : 0);
			assert_int_equal(got[i], i % 251 == 250 ? 0 : values[i]);
		}
	}
}

static void test_a_process_that_is_gone(void **state)
{
	uint32_t v = 0;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		_exit(0);
	assert_true(child > 0);
	for (int reaped = 0; reaped <= 1; reaped++) {
		siginfo_t info;

		/* First as a zombie, then as no process at all. */
		assert_int_equal(
			waitid(P_PID, (id_t)child, &info, WEXITED | (reaped ? 0 : WNOWAIT)), 0);
		for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
			struct mem_range r = {.addr = addr_of(&v), .buf = &v, .n = 4, .done = 4};

			assert_int_equal(both[i](NULL, child, &r, 1), -ESRCH);
			assert_int_equal(r.err, -ESRCH);
			assert_int_equal(r.done, 0);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		struct mem_range r = {.addr = addr_of(&v), .buf = &v, .n = 4};

		assert_int_equal(both[i](NULL, 0, &r, 1), -ESRCH);
		assert_int_equal(both[i](NULL, -1, &r, 1), -ESRCH);
	}
}

/* Runs fn in a child; its exit status. */
static int in_child(int (*fn)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(fn());
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int read_pid_1_unprivileged(void)
{
	uint32_t v;

	if (geteuid() == 0 && setresuid(65534, 65534, 65534))
		return 1;
	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		struct mem_range r = {.addr = addr_of(&v), .buf = &v, .n = 4};

		if (both[i](NULL, 1, &r, 1) != -EPERM || r.err != -EPERM)
			return 2;
	}
	return 0;
}

static void test_not_allowed(void **state)
{
	(void)state;
	assert_int_equal(in_child(read_pid_1_unprivileged), 0);
}

static int read_without_the_call(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = ARRAY_SIZE(filter), .filter = filter};
	const uint32_t value = 4711;
	uint32_t got = 0;
	struct mem_range r = {.addr = addr_of(&value), .buf = &got, .n = 4};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, 2, &prog, 0, 0))
		return 1;
	if (syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0) != -1 || errno != EPERM)
		return 2;
	return procmem_readv(NULL, getpid(), &r, 1) || got != value ? 3 : 0;
}

static void test_falls_back_where_the_call_is_refused(void **state)
{
	(void)state;
	assert_int_equal(in_child(read_without_the_call), 0);
}

static void test_strings(void **state)
{
	struct mem_source src = procmem_source();
	char *page = edge_page(), buf[16];
	pid_t self = getpid();

	(void)state;
	/* Ends at the last mapped byte; the buffer would reach beyond. */
	strcpy(page + PAGE - 6, "hello");
	assert_int_equal(mem_read_cstr(&src, self, addr_of(page + PAGE - 6), buf, sizeof(buf)), 5);
	assert_string_equal(buf, "hello");
	/* Longer than the buffer: cut. */
	strcpy(page, "a name that is too long");
	assert_int_equal(mem_read_cstr(&src, self, addr_of(page), buf, sizeof(buf)), 15);
	assert_string_equal(buf, "a name that is ");
	/* No NUL before the mapping ends. */
	memset(page + PAGE - 6, 'z', 6);
	assert_int_equal(
		mem_read_cstr(&src, self, addr_of(page + PAGE - 6), buf, sizeof(buf)), -EFAULT);
	assert_string_equal(buf, "");
	/* Exactly as much as the buffer takes, no NUL needed. */
	assert_int_equal(mem_read_cstr(&src, self, addr_of(page + PAGE - 6), buf, 7), 6);
	assert_string_equal(buf, "zzzzzz");
	assert_int_equal(mem_read_cstr(&src, self, addr_of(page), buf, 1), 0);
	assert_int_equal(mem_read_cstr(&src, self, addr_of(page), buf, 0), -EINVAL);
	assert_int_equal(mem_read_cstr(&src, self, 0, buf, sizeof(buf)), -EFAULT);
	assert_int_equal(mem_read_cstr(&src, self, UINT64_MAX - 3, buf, sizeof(buf)), -EFAULT);
	munmap(page, PAGE);
}

/* A string over several pages. */
static void test_long_string(void **state)
{
	struct mem_source src = procmem_source();
	_cleanup_free_ char *text = xmalloc(20000), *buf = xmalloc(20000);

	(void)state;
	memset(text, 'q', 19999);
	text[19999] = '\0';
	assert_int_equal(mem_read_cstr(&src, getpid(), addr_of(text), buf, 20000), 19999);
	assert_string_equal(buf, text);
}

static void test_pointer(void **state)
{
	struct mem_source src = procmem_source();
	uint64_t p = 0x1122334455667788, got = 1;

	(void)state;
	assert_int_equal(mem_read_ptr(&src, getpid(), 0, &got), -EFAULT);
	assert_int_equal(got, 1);
	assert_int_equal(mem_read_ptr(&src, getpid(), addr_of(&p), &got), 0);
	assert_true(got == p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_what_is_there),
		cmocka_unit_test(test_goes_on_after_a_fault),
		cmocka_unit_test(test_many_ranges),
		cmocka_unit_test(test_a_process_that_is_gone),
		cmocka_unit_test(test_not_allowed),
		cmocka_unit_test(test_falls_back_where_the_call_is_refused),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_long_string),
		cmocka_unit_test(test_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
