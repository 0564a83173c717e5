/*
 * A growable text buffer with a bound: what would go beyond it is not added, and the buffer says
 * so from then on.
 */
#ifndef PGTOP_BUF_H
#define PGTOP_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct buf {
	char *data; /* NUL-terminated once something was added; NULL before */
	size_t len; /* without the NUL */
	size_t size;
	size_t max_bytes;
	bool overflow; /* something did not fit: the content is not to be used */
};

void buf_init(struct buf *b, size_t max_bytes);
void buf_reset(struct buf *b); /* empties it, keeps the memory */
void buf_done(struct buf *b);  /* frees the memory */

void buf_add(struct buf *b, const char *p, size_t n);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_pad(struct buf *b, size_t n); /* n blanks */

/* No %f, %g, %e: they depend on the locale; see units.h. */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Writes all of it to fd, however many write(2) that takes. 0, or -errno: -EPIPE when the reader is
 * gone (SIGPIPE must be ignored), -EOVERFLOW and nothing written after an overflow. Waits while fd
 * is full; so that a reader at rest does not make the program deaf, -ECANCELED as soon as stop_fd
 * (the signalfd; -1: none) is readable, which it stays.
 */
int buf_write(const struct buf *b, int fd, int stop_fd);

#endif
