/*
 * Bounded reads of another process's memory.
 *
 * Everything that looks into a PostgreSQL process does so through a struct mem_source, so that it
 * can be tested against memory made by hand. procmem_source() is the live one.
 *
 * What comes back is untrusted: the caller validates every pointer and every length it finds.
 */
#ifndef PGTOP_PROCMEM_H
#define PGTOP_PROCMEM_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* One stretch to read: in addr, buf, n; out done, err. */
struct mem_range {
	uint64_t addr; /* in the other process */
	void *buf;     /* n bytes, the caller's */
	size_t n;
	size_t done; /* bytes read, from the start of buf; n unless err */
	int err;     /* 0, or -EFAULT: the stretch is not (wholly) mapped */
};

/*
 * Reads nr ranges, in order (a range is read before the next is begun), and sets done and err of
 * each. 0 although ranges may have failed one by one; or, nothing read (done 0, err the same in
 * all): -ESRCH no such process (or a zombie), -EPERM not allowed, another -errno.
 */
typedef int (*mem_readv_fn)(void *ctx, pid_t pid, struct mem_range *ranges, size_t nr);

struct mem_source {
	mem_readv_fn readv;
	void *ctx;
};

/* The live source: process_vm_readv(2), or /proc/PID/mem where that call is refused. It allocates
 * nothing and keeps nothing open. The pid is in the pid namespace of the caller. */
struct mem_source procmem_source(void);

/* The live source's function, for those who need no indirection. ctx is ignored. */
int procmem_readv(void *ctx, pid_t pid, struct mem_range *ranges, size_t nr);

/* Through /proc/PID/mem only (what procmem_readv falls back to). */
int procmem_readv_file(void *ctx, pid_t pid, struct mem_range *ranges, size_t nr);

/* Reads exactly n bytes. 0; -EFAULT when not all of them are mapped; or what readv gives. */
int mem_read(const struct mem_source *src, pid_t pid, uint64_t addr, void *buf, size_t n);

/* Reads a pointer (8 bytes). *ret is untouched on failure. */
int mem_read_ptr(const struct mem_source *src, pid_t pid, uint64_t addr, uint64_t *ret);

/*
 * Reads a C string of at most size - 1 bytes into buf and ends it with NUL. Never reads across the
 * page its NUL is in: the string may end where the mapping ends. Gives the length; the string is
 * cut where no NUL came within size - 1 bytes. -EFAULT if unmapped memory came before the NUL, or
 * what readv gives; buf is then "".
 */
ssize_t mem_read_cstr(
	const struct mem_source *src, pid_t pid, uint64_t addr, char *buf, size_t size);

#endif
