/* Memory of processes made by hand. See fakemem.h. */
#include "fakemem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "util.h"

static struct fakemem_segment *find(struct fakemem *fm, pid_t pid, uint64_t addr)
{
	for (size_t i = 0; i < fm->n; i++) {
		struct fakemem_segment *s = &fm->segments[i];

		if ((!s->pid || s->pid == pid) && addr >= s->addr && addr - s->addr < s->size)
			return s;
	}
	return NULL;
}

static int fake_readv(void *ctx, pid_t pid, struct mem_range *r, size_t nr)
{
	struct fakemem *fm = ctx;
	int err = fm->refuse;

	fm->calls++;
	fm->last_pid = pid;
	for (size_t i = 0; i < ARRAY_SIZE(fm->gone); i++)
		if (fm->gone[i] == pid)
			err = -ESRCH;
	for (size_t i = 0; i < nr; i++) {
		const struct fakemem_segment *s;

		r[i].done = 0;
		r[i].err = err;
		if (err || !r[i].n)
			continue;
		fm->ranges++;
		if (fm->on_read)
			fm->on_read(fm->ctx, r[i].addr, r[i].n);
		s = find(fm, pid, r[i].addr);
		if (s)
			r[i].done = MIN(r[i].n, s->size - (size_t)(r[i].addr - s->addr));
		if (r[i].done)
			memcpy(r[i].buf, s->bytes + (r[i].addr - s->addr), r[i].done);
		if (r[i].done < r[i].n)
			r[i].err = -EFAULT;
	}
	return err;
}

struct mem_source fakemem_source(struct fakemem *fm)
{
	return (struct mem_source){.readv = fake_readv, .ctx = fm};
}

void fakemem_map(struct fakemem *fm, pid_t pid, uint64_t addr, size_t size)
{
	assert_in_range(fm->n, 0, FAKEMEM_MAX_SEGMENTS - 1);
	fm->segments[fm->n++] = (struct fakemem_segment){
		.pid = pid, .addr = addr, .size = size, .bytes = xcalloc(size, 1)};
}

void fakemem_unmap_all(struct fakemem *fm, pid_t pid)
{
	size_t left = 0;

	for (size_t i = 0; i < fm->n; i++) {
		if (fm->segments[i].pid == pid)
			free(fm->segments[i].bytes);
		else
			fm->segments[left++] = fm->segments[i];
	}
	fm->n = left;
}

void fakemem_release(struct fakemem *fm)
{
	for (size_t i = 0; i < fm->n; i++)
		free(fm->segments[i].bytes);
	*fm = (struct fakemem){0};
}

void *fakemem_at(struct fakemem *fm, pid_t pid, uint64_t addr, size_t n)
{
	struct fakemem_segment *s = find(fm, pid, addr);

	if (!s || s->size - (addr - s->addr) < n)
		fail_msg("0x%llx of %d is not mapped", (unsigned long long)addr, (int)pid);
	return s->bytes + (addr - s->addr);
}

void fakemem_put32(struct fakemem *fm, pid_t pid, uint64_t addr, uint32_t v)
{
	memcpy(fakemem_at(fm, pid, addr, sizeof(v)), &v, sizeof(v));
}

void fakemem_put64(struct fakemem *fm, pid_t pid, uint64_t addr, uint64_t v)
{
	memcpy(fakemem_at(fm, pid, addr, sizeof(v)), &v, sizeof(v));
}

void fakemem_puts(struct fakemem *fm, pid_t pid, uint64_t addr, const char *s)
{
	memcpy(fakemem_at(fm, pid, addr, strlen(s) + 1), s, strlen(s) + 1);
}
