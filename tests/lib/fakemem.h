/* Memory of processes made by hand, behind a struct mem_source. */
#ifndef PGTOP_TEST_FAKEMEM_H
#define PGTOP_TEST_FAKEMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "procmem.h"

#define FAKEMEM_MAX_SEGMENTS 64

struct fakemem_segment {
	pid_t pid; /* 0: shared by all processes */
	uint64_t addr;
	size_t size;
	uint8_t *bytes;
};

struct fakemem {
	struct fakemem_segment segments[FAKEMEM_MAX_SEGMENTS];
	size_t n;
	size_t calls, ranges; /* so far */
	pid_t last_pid;	      /* read from last */
	pid_t gone[8];	      /* reading from these gives -ESRCH */
	int refuse;	      /* -errno for every call */

	/* Called before each range is read: this is where another process writes. */
	void (*on_read)(void *ctx, uint64_t addr, size_t n);
	void *ctx;
};

struct mem_source fakemem_source(struct fakemem *fm);
void fakemem_release(struct fakemem *fm);

/* Maps zeroed memory. */
void fakemem_map(struct fakemem *fm, pid_t pid, uint64_t addr, size_t size);
void fakemem_unmap_all(struct fakemem *fm, pid_t pid);

/* The bytes behind an address as pid sees it; fails the test if they are not mapped. */
void *fakemem_at(struct fakemem *fm, pid_t pid, uint64_t addr, size_t n);
void fakemem_put32(struct fakemem *fm, pid_t pid, uint64_t addr, uint32_t v);
void fakemem_put64(struct fakemem *fm, pid_t pid, uint64_t addr, uint64_t v);
void fakemem_puts(struct fakemem *fm, pid_t pid, uint64_t addr, const char *s);

#endif
