/*
 * The screen over a fixed snapshot: what the monitor looks like without a server, and a program
 * whose terminal behaviour can be tested. usage: show_fixture [incident|empty|idle|many] [no-color]
 *
 * The snapshot is replaced by a later one and back every second, as in a real run. SIGUSR1 makes
 * it crash, so that a test can see what is left of the terminal.
 */
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>

#include "fixture_snapshot.h"
#include "ui/ui.h"
#include "util.h"

static struct snapshot *first_snapshot(const char *name)
{
	if (!strcmp(name, "empty"))
		return fixture_empty();
	if (!strcmp(name, "idle"))
		return fixture_all_idle();
	if (!strcmp(name, "many"))
		return fixture_many(500);
	return fixture_incident();
}

static int open_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGUSR1};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&set, signals[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* False: the signal ends the program. */
static bool on_signal(struct ui *ui, int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return true;
	switch (info.ssi_signo) {
	case SIGWINCH:
		ui_resize(ui);
		return true;
	case SIGTSTP:
		ui_suspend(ui);
		raise(SIGSTOP);
		ui_resume(ui);
		return true;
	case SIGUSR1:
		abort();
	default:
		return false;
	}
}

int main(int argc, char **argv)
{
	struct ui_options o = {.sort = SORT_OFF,
		.descending = true,
		.no_color = argc > 2 && !strcmp(argv[2], "no-color"),
		.delay_ns = NSEC_PER_SEC,
		.window_ns = 10 * NSEC_PER_SEC};
	const char *name = argc > 1 ? argv[1] : "incident";
	struct snapshot *shown[2] = {first_snapshot(name), NULL};
	struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.events = POLLIN}};
	struct diag d = {0};
	struct ui *ui;
	int tick = 0, n;

	setlocale(LC_CTYPE, "");
	shown[1] = strcmp(name, "incident") ? first_snapshot(name) : fixture_incident_later();
	fds[1].fd = open_signals();
	if (ui_new(&ui, &o, &d) < 0) {
		fprintf(stderr, "show_fixture: %s\n%s\n", d.summary, d.hint);
		return 1;
	}
	ui_set_snapshot(ui, shown[0]);
	ui_draw(ui);
	while ((n = poll(fds, 2, 1000)) >= 0 || errno == EINTR) {
		if (n == 0 && !ui_paused(ui))
			ui_set_snapshot(ui, shown[++tick % 2]);
		if (n > 0 && fds[1].revents && !on_signal(ui, fds[1].fd))
			break;
		if (n > 0 && fds[0].revents && (ui_input(ui) & UI_QUIT))
			break;
		ui_draw(ui);
	}
	ui_free(ui);
	snapshot_free(shown[0]);
	snapshot_free(shown[1]);
	return 0;
}
