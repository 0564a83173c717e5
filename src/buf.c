/* A growable text buffer and the loop around write(2). See buf.h. */
#include "buf.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>

#include "util.h"

void buf_init(struct buf *b, size_t max_bytes)
{
	*b = (struct buf){.max_bytes = max_bytes};
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->overflow = false;
	if (b->data)
		b->data[0] = '\0';
}

void buf_done(struct buf *b)
{
	free(b->data);
	buf_init(b, b->max_bytes);
}

/* Room for n more bytes and the NUL. */
static bool reserve(struct buf *b, size_t n)
{
	size_t size;

	if (b->overflow || n > b->max_bytes - b->len) {
		b->overflow = true;
		return false;
	}
	if (b->size > b->len + n)
		return true;
	size = MAX(b->size, (size_t)512);
	while (size <= b->len + n)
		size *= 2;
	size = MIN(size, b->max_bytes + 1);
	b->data = xrealloc(b->data, size, 1);
	b->size = size;
	return true;
}

void buf_add(struct buf *b, const char *p, size_t n)
{
	if (!reserve(b, n))
		return;
	memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_puts(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_putc(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_pad(struct buf *b, size_t n)
{
	if (!reserve(b, n))
		return;
	memset(b->data + b->len, ' ', n);
	b->len += n;
	b->data[b->len] = '\0';
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	_cleanup_free_ char *s = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0) {
		s = NULL;
		b->overflow = true;
		return;
	}
	buf_add(b, s, (size_t)n);
}

int buf_write(const struct buf *b, int fd, int stop_fd)
{
	size_t done = 0;

	if (b->overflow)
		return -EOVERFLOW;
	while (done < b->len) {
		struct pollfd p[] = {
			{.fd = fd, .events = POLLOUT}, {.fd = stop_fd, .events = POLLIN}};
		ssize_t n;

		if (poll(p, ARRAY_SIZE(p), -1) < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (p[1].revents)
			return -ECANCELED;
		/* No more at once than a pipe that polls writable is sure to take. */
		n = write(fd, b->data + done, MIN(b->len - done, (size_t)PIPE_BUF));
		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK)
			return -errno;
	}
	return 0;
}
