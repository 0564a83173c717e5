/*
 * The terminal, on a pseudo-terminal: what a key becomes, and that whatever happens the terminal
 * is left as it was found.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <utmp.h>

#include "fixture_snapshot.h"
#include "ui/term.h"
#include "ui/ui.h"
#include "util.h"

#define TIMEOUT_MS 10000

/* A child on a pseudo-terminal, which reports over a pipe. */
struct stage {
	int master, report;
	pid_t pid;
	struct termios before;
	char output[1 << 20]; /* what the terminal got */
	size_t n_output;
};

static struct stage s;

typedef int (*act_fn)(int report);

static void start(act_fn act, const char *term, int w, int h)
{
	struct winsize ws = {.ws_row = (unsigned short)h, .ws_col = (unsigned short)w};
	int fds[2], slave;

	memset(&s, 0, sizeof(s));
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(openpty(&s.master, &slave, NULL, NULL, &ws), 0);
	assert_int_equal(tcgetattr(slave, &s.before), 0);
	fflush(NULL);
	s.pid = fork();
	assert_true(s.pid >= 0);
	if (s.pid == 0) {
		close(s.master);
		login_tty(slave);
		signal(SIGHUP, SIG_IGN);
		for (int sig = SIGILL; sig <= SIGSEGV; sig++)
			signal(sig, SIG_DFL); /* not the test library's */
		if (term)
			setenv("TERM", term, 1);
		else
			unsetenv("TERM");
		unsetenv("LINES");
		unsetenv("COLUMNS");
		_exit(act(fds[1]));
	}
	close(slave);
	close(fds[1]);
	s.report = fds[0];
}

static void drain_output(int wait_ms)
{
	struct pollfd fd = {.fd = s.master, .events = POLLIN};

	while (s.n_output < sizeof(s.output) - 1 && poll(&fd, 1, wait_ms) > 0) {
		ssize_t n =
			read(s.master, s.output + s.n_output, sizeof(s.output) - 1 - s.n_output);

		if (n <= 0)
			break;
		s.n_output += (size_t)n;
		wait_ms = 0;
	}
	s.output[s.n_output] = '\0';
}

/* The child's next report line. The terminal's output is read meanwhile, so that it never blocks
 * there. */
static const char *report(void)
{
	static char line[4096];
	size_t n = 0;

	for (int waited = 0; n < sizeof(line) - 1 && waited < TIMEOUT_MS; waited += 5) {
		struct pollfd fd = {.fd = s.report, .events = POLLIN};

		drain_output(0);
		if (poll(&fd, 1, 5) <= 0)
			continue;
		if (read(s.report, line + n, 1) != 1 || line[n] == '\n') {
			line[n] = '\0';
			return line;
		}
		n++;
		waited = 0;
	}
	line[n] = '\0';
	return line;
}

static void send_keys(const char *keys)
{
	assert_int_equal(write(s.master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

/* Waits for the child's end and returns its status. */
static int finish(void)
{
	int status = 0, waited = 0;

	while (waitpid(s.pid, &status, WNOHANG) == 0) {
		drain_output(0);
		usleep(1000); /* poll() does not wait on a terminal that has hung up */
		waited++;
		if (waited > TIMEOUT_MS) {
			kill(s.pid, SIGKILL);
			waitpid(s.pid, &status, 0);
			fail_msg("the child hangs");
		}
	}
	drain_output(10);
	return status;
}

static void assert_modes_restored(void)
{
	struct termios now;

	assert_int_equal(tcgetattr(s.master, &now), 0);
	assert_int_equal(now.c_iflag, s.before.c_iflag);
	assert_int_equal(now.c_oflag, s.before.c_oflag);
	assert_int_equal(now.c_lflag, s.before.c_lflag);
	assert_memory_equal(now.c_cc, s.before.c_cc, sizeof(now.c_cc));
}

/* The last of these two in the output: in is the alternate screen entered or left? */
static void assert_screen_left(void)
{
	const char *in = strstr(s.output, "\033[?1049h"), *out = NULL;

	assert_non_null(in);
	for (const char *p = s.output; (p = strstr(p, "\033[?1049l")); p++)
		out = p;
	assert_non_null(out);
	assert_true(out > in);
	assert_null(strstr(out, "\033[?1049h"));
}

static void stop(void)
{
	close(s.master);
	close(s.report);
}

static const struct ui_options options = {.sort = SORT_OFF,
	.descending = true,
	.delay_ns = NSEC_PER_SEC,
	.window_ns = 10 * NSEC_PER_SEC};

static int act_refused(int fd)
{
	struct ui *ui;
	struct diag d = {0};
	int r = ui_new(&ui, &options, &d);

	dprintf(fd, "%d|%s|%s\n", r, d.summary, d.hint);
	return r == 0;
}

static void a_terminal_it_cannot_drive_is_refused(void **state)
{
	static const char *const types[] = {"no-such-terminal", "dumb", NULL, "", "unknown"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		const char *line;

		start(act_refused, types[i], 80, 24);
		line = report();
		assert_int_equal(atoi(line), -ENOTSUP);
		assert_non_null(strstr(line, "terminal type"));
		assert_non_null(strstr(line, "Use -b"));
		assert_int_equal(finish(), 0);
		assert_modes_restored();
		assert_int_equal(s.n_output, 0); /* untouched */
		stop();
	}
}

static int act_not_a_terminal(int fd)
{
	int null = open("/dev/null", O_RDWR), r;

	dup2(null, STDOUT_FILENO);
	r = act_refused(fd);
	return r;
}

static void a_pipe_is_refused(void **state)
{
	const char *line;

	(void)state;
	start(act_not_a_terminal, "xterm-256color", 80, 24);
	line = report();
	assert_int_equal(atoi(line), -ENOTTY);
	assert_non_null(strstr(line, "standard output is not a terminal|Use -b"));
	assert_int_equal(finish(), 0);
	stop();
}

/* Draws the incident and acts on keys until one quits. */
static int act_monitor(int fd)
{
	struct snapshot *snap = fixture_incident();
	struct diag d = {0};
	struct ui *ui;
	unsigned reaction = 0;

	if (ui_new(&ui, &options, &d) < 0)
		return 1;
	ui_set_snapshot(ui, snap);
	ui_draw(ui);
	dprintf(fd, "drawn\n");
	while (!(reaction & UI_QUIT)) {
		struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

		poll(&in, 1, -1);
		reaction = ui_input(ui);
		ui_draw(ui);
	}
	dprintf(fd, "quit\n");
	ui_free(ui);
	snapshot_free(snap);
	return 0;
}

static void the_terminal_is_restored_at_the_end(void **state)
{
	static const char *const types[] = {"xterm-256color", "xterm", "linux", "vt100",
		"screen-256color", "xterm-mono", "ansi"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		start(act_monitor, types[i], 80, 24);
		assert_string_equal(report(), "drawn");
		send_keys("jjP>5/lock\r");
		send_keys("q");
		assert_string_equal(report(), "quit");
		assert_int_equal(finish(), 0);
		assert_modes_restored();
		if (i == 0)
			assert_screen_left();
		assert_non_null(strstr(s.output, "Lock:"));
		stop();
	}
}

static void it_draws_on_any_size(void **state)
{
	static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 2}, {3, 3}, {20, 4}, {500, 200}};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		start(act_monitor, "xterm-256color", sizes[i][0], sizes[i][1]);
		assert_string_equal(report(), "drawn");
		send_keys("?jq5jq");
		assert_string_equal(report(), "quit");
		assert_int_equal(finish(), 0);
		assert_modes_restored();
		stop();
	}
}

static int act_crash(int fd)
{
	struct snapshot *snap = fixture_incident();
	struct diag d = {0};
	struct ui *ui;
	char sig;

	if (ui_new(&ui, &options, &d) < 0)
		return 1;
	ui_set_snapshot(ui, snap);
	ui_draw(ui);
	dprintf(fd, "drawn\n");
	if (read(STDIN_FILENO, &sig, 1) == 1)
		raise(sig - 'A' + 1);
	return 0;
}

static void a_crash_restores_the_terminal(void **state)
{
	static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		char key[2] = {(char)('A' + signals[i] - 1), '\0'};
		int status;

		start(act_crash, "xterm-256color", 80, 24);
		assert_string_equal(report(), "drawn");
		send_keys(key);
		status = finish();
#ifdef __SANITIZE_ADDRESS__
		assert_true(status != 0); /* the sanitizer has the last word */
#else
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
#endif
		assert_modes_restored();
		assert_screen_left();
		assert_non_null(strstr(s.output, "\033[?1000l"));
		assert_non_null(strstr(s.output, "fatal signal, terminal restored"));
		stop();
	}
}

#ifdef __SANITIZE_ADDRESS__
/* Memory that is not there is NULL, as without it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}
#endif

static int act_out_of_memory(int fd)
{
	struct snapshot *snap = fixture_incident();
	volatile size_t huge = SIZE_MAX / 4;
	struct diag d = {0};
	struct ui *ui;
	char how;

	if (ui_new(&ui, &options, &d) < 0)
		return 1;
	ui_set_snapshot(ui, snap);
	ui_draw(ui);
	dprintf(fd, "drawn\n");
	if (read(STDIN_FILENO, &how, 1) == 1 && how == 's')
		ui_suspend(ui);
	free(xmalloc(huge));
	return 0;
}

/* Why it ends is on the screen that stays. */
static void last_words_are_readable(void **state)
{
	static const char words[] = "pgtop-offcpu: out of memory\r\n";

	(void)state;
	for (int suspended = 0; suspended < 2; suspended++) {
		const char *left = NULL, *said;
		int status;

		start(act_out_of_memory, "xterm-256color", 80, 24);
		assert_string_equal(report(), "drawn");
		send_keys(suspended ? "s" : "x");
		status = finish();
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), SIGABRT);
		assert_modes_restored();
		assert_screen_left();
		for (const char *p = s.output; (p = strstr(p, "\033[?1049l")); p++)
			left = p;
		said = strstr(s.output, words);
		assert_non_null(said);
		assert_true(said > left); /* after the restore, on a terminal as it was */
		assert_null(strstr(said + 1, words));
		assert_null(strstr(s.output, "fatal signal"));
		stop();
	}
}

/* Reports every event it reads. "R" takes a new size, "Z" leaves and comes back, "Q" ends. */
static int act_keys(int fd)
{
	struct terminal *t;
	struct diag d = {0};
	struct termios modes;
	struct ui_event ev = {0};
	bool gone = false;
	int w, h;

	if (term_open(&t, false, &d) < 0)
		return 1;
	dprintf(fd, "open %d %d\n", term_utf8(t), term_colors(t));
	while (ev.key != 'Q' && !gone) {
		struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

		poll(&in, 1, -1);
		while (ev.key != 'Q' && term_read(t, &ev, &gone)) {
			if (ev.key == 'R') {
				term_resize(t);
				term_size(t, &w, &h);
				dprintf(fd, "size %d %d\n", w, h);
			} else if (ev.key == 'Z') {
				term_suspend(t);
				tcgetattr(STDIN_FILENO, &modes);
				dprintf(fd, "away %d\n", (modes.c_lflag & (ICANON | ECHO)) != 0);
				term_resume(t);
				tcgetattr(STDIN_FILENO, &modes);
				dprintf(fd, "back %d\n", (modes.c_lflag & (ICANON | ECHO)) != 0);
			} else if (ev.key >= UI_KEY_CLICK) {
				dprintf(fd, "mouse %d %d %d\n", ev.key - UI_KEY_CLICK, ev.x, ev.y);
			} else {
				dprintf(fd, "key %d\n", ev.key);
			}
		}
	}
	if (gone)
		dprintf(fd, "gone\n");
	term_close(t);
	return 0;
}

static void expect_key(const char *keys, int key)
{
	char want[32];

	send_keys(keys);
	snprintf(want, sizeof(want), "key %d", key);
	assert_string_equal(report(), want);
}

static void keys_become_codes(void **state)
{
	(void)state;
	start(act_keys, "xterm-256color", 80, 24);
	assert_string_equal(report(), "open 1 256");
	expect_key("\033OA", UI_KEY_UP);
	expect_key("\033OB", UI_KEY_DOWN);
	expect_key("\033OD", UI_KEY_LEFT);
	expect_key("\033OC", UI_KEY_RIGHT);
	expect_key("\033[5~", UI_KEY_PGUP);
	expect_key("\033[6~", UI_KEY_PGDN);
	expect_key("\033OH", UI_KEY_HOME);
	expect_key("\033OF", UI_KEY_END);
	expect_key("\033OP", UI_KEY_F(1));
	expect_key("\033OR", UI_KEY_F(3));
	expect_key("\033[17~", UI_KEY_F(6));
	expect_key("\033[21~", UI_KEY_F(10));
	expect_key("\r", UI_KEY_ENTER);
	expect_key("\n", UI_KEY_ENTER);
	expect_key("\x7f", UI_KEY_BACKSPACE);
	expect_key("\b", UI_KEY_BACKSPACE);
	expect_key("\033", UI_KEY_ESC);
	expect_key("a", 'a');
	expect_key("\u00e9", 0xe9);
	expect_key("\u7530", 0x7530);
	expect_key("\U0001f363", 0x1f363);
	expect_key("\xff\xfe"
		   "b",
		'b'); /* not UTF-8: dropped, alone */
	expect_key("\xe7\x94"
		   "c",
		'c');
	send_keys("\xe7");
	expect_key("\x94\xb0", 0x7530); /* in two parts */
	send_keys("Q");
	assert_int_equal(finish(), 0);
	assert_modes_restored();
	stop();
}

static void the_mouse_is_read(void **state)
{
	(void)state;
	start(act_keys, "xterm-256color", 80, 24);
	assert_string_equal(report(), "open 1 256");
	send_keys("\033[<0;10;5M\033[<0;10;5m");
	assert_string_equal(report(), "mouse 0 9 4");
	send_keys("\033[<64;3;4M");
	assert_string_equal(report(), "mouse 1 2 3");
	send_keys("\033[<65;3;4M");
	assert_string_equal(report(), "mouse 2 2 3");
	send_keys("Q");
	assert_int_equal(finish(), 0);
	stop();
}

static void a_new_size_is_taken(void **state)
{
	struct winsize ws = {.ws_row = 7, .ws_col = 33};

	(void)state;
	start(act_keys, "xterm-256color", 80, 24);
	assert_string_equal(report(), "open 1 256");
	assert_int_equal(ioctl(s.master, TIOCSWINSZ, &ws), 0);
	send_keys("R");
	assert_string_equal(report(), "size 33 7");
	ws = (struct winsize){.ws_row = 1, .ws_col = 1};
	assert_int_equal(ioctl(s.master, TIOCSWINSZ, &ws), 0);
	send_keys("R");
	assert_string_equal(report(), "size 1 1");
	send_keys("Q");
	assert_int_equal(finish(), 0);
	stop();
}

static void a_stop_gives_the_terminal_back(void **state)
{
	(void)state;
	start(act_keys, "xterm-256color", 80, 24);
	assert_string_equal(report(), "open 1 256");
	send_keys("Z");
	assert_string_equal(report(), "away 1");
	assert_string_equal(report(), "back 0");
	expect_key("x", 'x');
	send_keys("Q");
	assert_int_equal(finish(), 0);
	assert_modes_restored();
	stop();
}

static void a_terminal_that_goes_away_ends_it(void **state)
{
	(void)state;
	start(act_keys, "xterm-256color", 80, 24);
	assert_string_equal(report(), "open 1 256");
	close(s.master);
	s.master = -1;
	assert_string_equal(report(), "gone");
	assert_int_equal(waitpid(s.pid, NULL, 0), s.pid);
	close(s.report);
}

static int act_ascii(int fd)
{
	setlocale(LC_CTYPE, "C");
	return act_monitor(fd);
}

static void without_utf8_only_ascii_is_sent(void **state)
{
	(void)state;
	start(act_ascii, "xterm-256color", 120, 30);
	assert_string_equal(report(), "drawn");
	send_keys("q");
	assert_string_equal(report(), "quit");
	assert_int_equal(finish(), 0);
	for (size_t i = 0; i < s.n_output; i++)
		assert_true((unsigned char)s.output[i] < 0x80);
	stop();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_terminal_it_cannot_drive_is_refused),
		cmocka_unit_test(a_pipe_is_refused),
		cmocka_unit_test(the_terminal_is_restored_at_the_end),
		cmocka_unit_test(it_draws_on_any_size),
		cmocka_unit_test(a_crash_restores_the_terminal),
		cmocka_unit_test(last_words_are_readable),
		cmocka_unit_test(keys_become_codes),
		cmocka_unit_test(the_mouse_is_read),
		cmocka_unit_test(a_new_size_is_taken),
		cmocka_unit_test(a_stop_gives_the_terminal_back),
		cmocka_unit_test(a_terminal_that_goes_away_ends_it),
		cmocka_unit_test(without_utf8_only_ascii_is_sent),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
