/*
 * What a kernel stack says about a wait for which PostgreSQL published no wait event.
 *
 * Frames are function names, innermost first, with or without compiler suffixes; NULL is a frame
 * without a name. Rules match any frame, so a missing one does no harm.
 */
#ifndef PGTOP_KSTACK_H
#define PGTOP_KSTACK_H

#include <stddef.h>

#include "waittype.h"

/* WAIT_IO: block or file I/O, a page fault that reads, swap-in. Everything else WAIT_OTHER (epoll,
 * futex, pipes, sockets, sleeps, locks of the memory map ...), an empty or nameless stack too. */
enum wait_type kstack_type(const char *const *frames, size_t n);

/* The event of such a wait, "kernel:<function>": the first frame that says something, that is not
 * the scheduler or a tracer, without compiler suffixes. "" if there is none. Returns buf. */
char *kstack_function(const char *const *frames, size_t n, char *buf, size_t size);

#endif
