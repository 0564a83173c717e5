/* The bounded buffer, and writing it to pipes that are slow, full, or closed. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>

#include "buf.h"
#include "util.h"

#define BIG (1 << 20) /* more than a pipe holds */

static void append_and_reset(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	assert_null(b.data);
	buf_puts(&b, "ab");
	buf_putc(&b, 'c');
	buf_pad(&b, 2);
	buf_printf(&b, "%d|%s", 42, "x");
	buf_add(&b, "y\0z", 1);
	assert_string_equal(b.data, "abc  42|xy");
	assert_int_equal(b.len, 10);
	buf_reset(&b);
	assert_int_equal(b.len, 0);
	assert_string_equal(b.data, "");
	buf_done(&b);
	buf_done(&b);
}

static void never_beyond_the_bound(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 5);
	buf_puts(&b, "12345");
	assert_false(b.overflow);
	buf_puts(&b, "");
	assert_false(b.overflow);
	buf_putc(&b, '6');
	assert_true(b.overflow);
	assert_string_equal(b.data, "12345");
	assert_int_equal(buf_write(&b, -1, -1), -EOVERFLOW);
	buf_reset(&b);
	assert_false(b.overflow);
	buf_pad(&b, SIZE_MAX);
	assert_true(b.overflow);
	buf_reset(&b);
	buf_printf(&b, "%s", "123456");
	assert_true(b.overflow);
	assert_int_equal(b.len, 0);
	buf_done(&b);
}

static void grow(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, BIG);
	for (int i = 0; i < BIG; i++)
		buf_putc(&b, (char)('a' + i % 26));
	assert_false(b.overflow);
	assert_int_equal(b.len, BIG);
	for (int i = 0; i < BIG; i++)
		if (b.data[i] != 'a' + i % 26)
			fail_msg("byte %d", i);
	buf_done(&b);
}

static void fill(struct buf *b)
{
	buf_init(b, BIG);
	for (int i = 0; i < BIG; i++)
		buf_putc(b, (char)(' ' + i % 90));
}

struct reader {
	int fd;
	pthread_t writer;
	size_t n;
	bool same;
};

static void on_signal(int signo)
{
	(void)signo;
}

/* Reads in odd pieces, and interrupts the writer all the time. */
static void *read_slowly(void *arg)
{
	struct reader *r = arg;
	char piece[7001];
	ssize_t n;

	r->same = true;
	while ((n = read(r->fd, piece, sizeof(piece))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			r->same &= piece[i] == (char)(' ' + r->n++ % 90);
		pthread_kill(r->writer, SIGUSR1);
	}
	return NULL;
}

static void write_all(bool nonblocking)
{
	struct sigaction action = {.sa_handler = on_signal};
	struct reader r = {.writer = pthread_self()};
	pthread_t thread;
	struct buf b;
	int fds[2];

	sigaction(SIGUSR1, &action, NULL);
	fill(&b);
	assert_int_equal(pipe2(fds, 0), 0);
	if (nonblocking)
		fcntl(fds[1], F_SETFL, O_NONBLOCK);
	r.fd = fds[0];
	assert_int_equal(pthread_create(&thread, NULL, read_slowly, &r), 0);
	assert_int_equal(buf_write(&b, fds[1], -1), 0);
	close(fds[1]);
	pthread_join(thread, NULL);
	close(fds[0]);
	assert_int_equal(r.n, BIG);
	assert_true(r.same);
	buf_done(&b);
}

static void write_to_a_slow_reader(void **state)
{
	(void)state;
	write_all(false);
}

static void write_to_a_full_nonblocking_pipe(void **state)
{
	(void)state;
	write_all(true);
}

static void reader_is_gone(void **state)
{
	struct buf b;
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	fill(&b);
	assert_int_equal(pipe2(fds, 0), 0);
	close(fds[0]);
	assert_int_equal(buf_write(&b, fds[1], -1), -EPIPE);
	close(fds[1]);
	assert_int_equal(buf_write(&b, fds[1], -1), -EBADF);
	buf_done(&b);
}

static void *read_a_line_and_leave(void *arg)
{
	const int *fd = arg;
	char c[100];

	(void)!read(*fd, c, sizeof(c));
	close(*fd);
	return NULL;
}

static void reader_leaves_in_the_middle(void **state)
{
	pthread_t thread;
	struct buf b;
	int fds[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	fill(&b);
	assert_int_equal(pipe2(fds, 0), 0);
	pthread_create(&thread, NULL, read_a_line_and_leave, &fds[0]);
	assert_int_equal(buf_write(&b, fds[1], -1), -EPIPE);
	pthread_join(thread, NULL);
	close(fds[1]);
	buf_done(&b);
}

static void *stop_later(void *arg)
{
	const struct timespec ms50 = {0, 50000000};
	const uint64_t one = 1;

	nanosleep(&ms50, NULL);
	(void)!write(*(const int *)arg, &one, sizeof(one));
	return NULL;
}

/* A pager at rest must not keep Ctrl-C from working. */
static void stop_while_the_reader_rests(void **state)
{
	int fds[2], stop = eventfd(0, 0);
	pthread_t thread;
	uint64_t value;
	struct buf b;

	(void)state;
	fill(&b);
	assert_int_equal(pipe2(fds, 0), 0);
	pthread_create(&thread, NULL, stop_later, &stop);
	assert_int_equal(buf_write(&b, fds[1], stop), -ECANCELED);
	pthread_join(thread, NULL);
	assert_int_equal(
		read(stop, &value, sizeof(value)), sizeof(value)); /* left for the caller */
	close(fds[0]);
	close(fds[1]);
	close(stop);
	buf_done(&b);
}

static void write_to_a_full_disk(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct buf b;

	(void)state;
	fill(&b);
	assert_true(fd >= 0);
	assert_int_equal(buf_write(&b, fd, -1), -ENOSPC);
	close(fd);
	buf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(append_and_reset),
		cmocka_unit_test(never_beyond_the_bound),
		cmocka_unit_test(grow),
		cmocka_unit_test(write_to_a_slow_reader),
		cmocka_unit_test(write_to_a_full_nonblocking_pipe),
		cmocka_unit_test(reader_is_gone),
		cmocka_unit_test(reader_leaves_in_the_middle),
		cmocka_unit_test(stop_while_the_reader_rests),
		cmocka_unit_test(write_to_a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
