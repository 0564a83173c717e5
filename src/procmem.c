/*
 * Reads of another process's memory. See procmem.h.
 *
 * Owns nothing: no allocation, no descriptor is kept. Invariant: never more than n bytes are
 * written to a range's buf, whatever the kernel answers. Knows nothing of PostgreSQL.
 */
#include "procmem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#include "util.h"

#define BATCH	   256	   /* ranges a system call: 8 KiB of iovecs on the stack */
#define PAGE_BYTES 4096ULL /* the smallest page of any kernel this runs on: only a step width */
#define ADDR_MAX   ((uint64_t)INT64_MAX) /* beyond: never a user address, and no file offset */

_Static_assert(BATCH <= IOV_MAX, "a batch must fit into one system call");

static bool range_valid(const struct mem_range *r)
{
	return r->n <= ADDR_MAX && r->addr <= ADDR_MAX - r->n;
}

static int fail_all(struct mem_range *ranges, size_t nr, int err)
{
	for (size_t i = 0; i < nr; i++) {
		ranges[i].done = 0;
		ranges[i].err = err;
	}
	return err;
}

/* Shares `bytes` read out over the ranges, in order. Gives the index of the first range that did
 * not get all, nr if there is none. */
static size_t share_out(struct mem_range *ranges, size_t nr, size_t bytes)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		ranges[i].done = MIN(bytes, ranges[i].n);
		ranges[i].err = 0;
		bytes -= ranges[i].done;
		if (ranges[i].done < ranges[i].n)
			break;
	}
	return i;
}

/* One call for up to BATCH valid ranges. The number of leading ranges that are settled, at least
 * one, or -errno. The kernel stops at the first fault, so what comes after it is asked anew. */
static ssize_t read_batch(pid_t pid, struct mem_range *ranges, size_t nr)
{
	struct iovec local[BATCH], remote[BATCH];
	ssize_t got;
	size_t stop;

	if (!nr)
		return 0;
	for (size_t i = 0; i < nr; i++) {
		local[i] = (struct iovec){.iov_base = ranges[i].buf, .iov_len = ranges[i].n};
		remote[i] = (struct iovec){
			.iov_base = (void *)(uintptr_t)ranges[i].addr, .iov_len = ranges[i].n};
	}
	got = process_vm_readv(pid, local, nr, remote, nr, 0);
	if (got < 0 && errno != EFAULT)
		return -errno;
	stop = share_out(ranges, nr, got < 0 ? 0 : (size_t)got);
	if (stop == nr)
		return (ssize_t)nr;
	ranges[stop].err = -EFAULT;
	return (ssize_t)stop + 1;
}

static int read_file(int fd, struct mem_range *r)
{
	while (r->done < r->n) {
		ssize_t got = pread(
			fd, (char *)r->buf + r->done, r->n - r->done, (off_t)(r->addr + r->done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && (errno == EIO || errno == EFAULT))
			return r->err = -EFAULT;
		if (got < 0)
			return -errno;
		if (got == 0) /* the address space is gone */
			return -ESRCH;
		r->done += (size_t)got;
	}
	return 0;
}

int procmem_readv_file(void *ctx, pid_t pid, struct mem_range *ranges, size_t nr)
{
	_cleanup_close_ int fd = -1;
	char path[32];

	(void)ctx;
	if (pid <= 0)
		return fail_all(ranges, nr, -ESRCH);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail_all(ranges, nr,
			errno == ENOENT	  ? -ESRCH
			: errno == EACCES ? -EPERM
					  : -errno);
	for (size_t i = 0; i < nr; i++) {
		int err;

		ranges[i].done = 0;
		ranges[i].err = range_valid(&ranges[i]) ? 0 : -EFAULT;
		if (ranges[i].err)
			continue;
		err = read_file(fd, &ranges[i]);
		if (err && err != -EFAULT)
			return fail_all(ranges, nr, err);
	}
	return 0;
}

int procmem_readv(void *ctx, pid_t pid, struct mem_range *ranges, size_t nr)
{
	size_t i = 0;

	if (pid <= 0)
		return fail_all(ranges, nr, -ESRCH);
	while (i < nr) {
		size_t n = 0;
		ssize_t settled;

		if (!range_valid(&ranges[i])) {
			ranges[i].done = 0;
			ranges[i++].err = -EFAULT;
			continue;
		}
		while (n < BATCH && i + n < nr && range_valid(&ranges[i + n]))
			n++;
		settled = read_batch(pid, ranges + i, n);
		/* A seccomp filter or an old sandbox refuses the call but not the file. */
		if (settled == -EPERM || settled == -ENOSYS || settled == -EACCES)
			return procmem_readv_file(ctx, pid, ranges, nr);
		if (settled < 0)
			return fail_all(ranges, nr, (int)settled);
		i += (size_t)settled;
	}
	return 0;
}

struct mem_source procmem_source(void)
{
	return (struct mem_source){.readv = procmem_readv};
}

int mem_read(const struct mem_source *src, pid_t pid, uint64_t addr, void *buf, size_t n)
{
	struct mem_range r = {.addr = addr, .buf = buf, .n = n};
	int err = src->readv(src->ctx, pid, &r, 1);

	return err ? err : r.err;
}

int mem_read_ptr(const struct mem_source *src, pid_t pid, uint64_t addr, uint64_t *ret)
{
	uint64_t v;
	int err = mem_read(src, pid, addr, &v, sizeof(v));

	if (!err)
		*ret = v;
	return err;
}

ssize_t mem_read_cstr(
	const struct mem_source *src, pid_t pid, uint64_t addr, char *buf, size_t size)
{
	size_t len = 0;

	if (!size)
		return -EINVAL;
	buf[0] = '\0';
	while (len < size - 1) {
		size_t n = MIN(size - 1 - len, PAGE_BYTES - ((addr + len) & (PAGE_BYTES - 1)));
		const char *nul;
		int err = mem_read(src, pid, addr + len, buf + len, n);

		if (err) {
			buf[0] = '\0';
			return err;
		}
		nul = memchr(buf + len, '\0', n);
		if (nul)
			return nul - buf;
		len += n;
	}
	buf[len] = '\0';
	return (ssize_t)len;
}
