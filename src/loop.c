/* See loop.h. Owns the epoll, the timer and the signal descriptor; knows nothing of what they
 * drive. */
#include "loop.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>

#include "monitor.h"
#include "util.h"

enum who { WHO_RING, WHO_TIMER, WHO_SIGNAL, WHO_INPUT };

struct loop {
	int epoll_fd, timer_fd, signal_fd;
	int end_fd; /* of the signals that end it; never read */
	struct monitor *monitor;
	const struct loop_handler *handler;
	bool events_left, input_left;
};

static int watch(struct loop *l, int fd, uint32_t events, enum who who)
{
	struct epoll_event ev = {.events = events, .data.u32 = who};

	return epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

/* Signals that end it, and the others that it takes. */
static const int end_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int other_signals[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2};

static void add_signals(sigset_t *set, const int *signals, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sigaddset(set, signals[i]);
}

int loop_new(struct loop **ret, struct diag *d)
{
	struct loop *l = xcalloc(1, sizeof(*l));
	sigset_t set;
	int err = 0;

	sigemptyset(&set);
	add_signals(&set, end_signals, ARRAY_SIZE(end_signals));
	l->end_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	add_signals(&set, other_signals, ARRAY_SIZE(other_signals));
	l->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of write(2) */
	l->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->signal_fd < 0 || l->end_fd < 0 || l->timer_fd < 0 || l->epoll_fd < 0)
		err = -errno;
	if (!err)
		err = watch(l, l->signal_fd, EPOLLIN, WHO_SIGNAL);
	if (!err)
		err = watch(l, l->timer_fd, EPOLLIN, WHO_TIMER);
	if (err) {
		loop_free(l);
		return diag_set(d, err, "could not set up the event loop: %s", strerror(-err));
	}
	*ret = l;
	return 0;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	if (l->epoll_fd >= 0)
		close(l->epoll_fd);
	if (l->timer_fd >= 0)
		close(l->timer_fd);
	if (l->signal_fd >= 0)
		close(l->signal_fd);
	if (l->end_fd >= 0)
		close(l->end_fd);
	free(l);
}

int loop_signal_fd(const struct loop *l)
{
	return l->end_fd;
}

void loop_rearm(struct loop *l)
{
	uint64_t at = monitor_next_ns(l->monitor);
	struct itimerspec its = {
		.it_value = {(time_t)(at / NSEC_PER_SEC), (long)(at % NSEC_PER_SEC)}};

	timerfd_settime(l->timer_fd, TFD_TIMER_ABSTIME, &its, NULL);
}

static int on_signal(struct loop *l)
{
	const struct loop_handler *h = l->handler;
	struct signalfd_siginfo info;

	while (read(l->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGWINCH:
			if (h->resized)
				h->resized(h->ctx);
			break;
		case SIGTSTP:
			if (h->stop)
				h->stop(h->ctx);
			else
				kill(getpid(), SIGSTOP);
			break;
		case SIGCONT:
			if (h->continued)
				h->continued(h->ctx);
			break;
		case SIGUSR1:
		case SIGUSR2:
			break;
		default:
			return LOOP_END;
		}
	}
	return 0;
}

static int on_timer(struct loop *l)
{
	uint64_t expirations;
	int err;

	if (read(l->timer_fd, &expirations, sizeof(expirations)) < 0)
		return 0; /* rearmed meanwhile */
	err = l->handler->snapshot(l->handler->ctx, monitor_tick(l->monitor));
	loop_rearm(l);
	return err;
}

static int on_input(struct loop *l)
{
	int err = l->handler->input(l->handler->ctx);

	l->input_left = err == LOOP_AGAIN;
	return err == LOOP_AGAIN ? 0 : err;
}

static int dispatch(struct loop *l, const struct epoll_event *ev)
{
	switch ((enum who)ev->data.u32) {
	case WHO_RING:
		l->events_left = true;
		return 0;
	case WHO_TIMER:
		return on_timer(l);
	case WHO_SIGNAL:
		return on_signal(l);
	case WHO_INPUT:
		return on_input(l);
	}
	return 0;
}

int loop_run(struct loop *l, struct monitor *m, const struct loop_handler *h)
{
	struct epoll_event events[8];
	int err;

	l->monitor = m;
	l->handler = h;
	err = watch(l, monitor_fd(m), EPOLLIN | EPOLLET, WHO_RING);
	if (!err && h->input)
		err = watch(l, STDIN_FILENO, EPOLLIN, WHO_INPUT);
	if (err)
		return err;
	loop_rearm(l);
	while (!err) {
		bool busy = l->events_left || l->input_left;
		int n = epoll_wait(l->epoll_fd, events, ARRAY_SIZE(events), busy ? 0 : -1);

		if (n < 0 && errno != EINTR)
			return -errno;
		for (int i = 0; i < n && !err; i++)
			err = dispatch(l, &events[i]);
		if (!err && l->input_left)
			err = on_input(l);
		if (!err && l->events_left)
			l->events_left = monitor_drain(m);
	}
	return err == LOOP_END ? 0 : err;
}
