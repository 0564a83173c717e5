/* Small things every file may use. No upward includes. */
#ifndef PGTOP_UTIL_H
#define PGTOP_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define NSEC_PER_SEC  1000000000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_USEC 1000ULL

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * The end of the program where it cannot go on: one line on standard error, "pgtop-offcpu: WHAT",
 * and abort(). While the last words are kept (a full screen would hide them) the line is not
 * written but left to the handler of SIGABRT, which writes xabort_words() when the terminal is
 * restored.
 */
void xabort(const char *what) __attribute__((noreturn));
void xabort_keep_words(bool keep);

/* The line, '\n' included, or "" where the program did not end so. Async-signal-safe. */
const char *xabort_words(void);

/* Allocation that cannot fail: on exhaustion xabort(). Sizes are overflow-checked. xrealloc(p, 0,
 * size) frees nothing. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Locals that clean up after themselves. */
static inline void cleanup_freep(void *p)
{
	free(*(void **)p);
}
static inline void cleanup_closep(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}
static inline void cleanup_fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
}
#define _cleanup_free_	 __attribute__((cleanup(cleanup_freep)))
#define _cleanup_close_	 __attribute__((cleanup(cleanup_closep)))
#define _cleanup_fclose_ __attribute__((cleanup(cleanup_fclosep)))

#endif
