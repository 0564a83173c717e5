/*
 * The terminal by way of curses: the only file that sees it. Owns the curses screen, the saved
 * terminal modes and the handlers of fatal signals; there is one terminal per process.
 *
 * Must not know: what the cells mean. It maps styles to colours by the table in style.c and input
 * to the codes of keys.h, and nothing else.
 */
#define NCURSES_WIDECHAR 1
#include "term.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#include "text.h"
#include "util.h"

#define PAIRS_MAX   60 /* 8 colours come with 64 pairs at least */
#define ESC_MS	    25
#define RESET_BYTES 512
#define STACK_BYTES 65536

struct terminal {
	SCREEN *screen;
	bool utf8;
	int colors;
	bool cursor_shown;
	bool suspended;
	struct {
		int16_t fg, bg;
	} pairs[PAIRS_MAX];
	int n_pairs;
	char pending[4]; /* the beginning of a UTF-8 sequence */
	size_t n_pending;
};

/*
 * What a fatal signal needs: prepared while all is well, because its handler may only write() and
 * tcsetattr().
 */
static struct {
	volatile sig_atomic_t armed;
	struct termios modes;
	char reset[RESET_BYTES];
	size_t n_reset;
	char stack[STACK_BYTES];
} crash;

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static struct sigaction old_actions[ARRAY_SIZE(fatal_signals)];

static void on_fatal_signal(int sig)
{
	const char *words = xabort_words();

	if (crash.armed) {
		crash.armed = 0;
		(void)!write(STDOUT_FILENO, crash.reset, crash.n_reset);
		(void)tcsetattr(STDIN_FILENO, TCSANOW, &crash.modes);
		if (!*words)
			words = "pgtop-offcpu: fatal signal, terminal restored\n";
		(void)!write(STDERR_FILENO, words, strlen(words));
	}
	/* Back to what was there before (a core dump, or a sanitizer's report): delivered again as
	 * soon as this handler returns. */
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		if (fatal_signals[i] == sig)
			(void)sigaction(sig, &old_actions[i], NULL);
	(void)raise(sig);
}

static int collect(int c)
{
	if (crash.n_reset < sizeof(crash.reset))
		crash.reset[crash.n_reset++] = (char)c;
	return c;
}

static void collect_string(const char *capability)
{
	const char *s = tigetstr(capability);

	if (s && s != (char *)-1)
		(void)tputs(s, 1, collect);
}

/* Whether the handler has a terminal to restore, and the last words are to be seen after that. */
static void set_armed(bool armed)
{
	crash.armed = armed;
	xabort_keep_words(armed);
}

static void arm_crash_handler(void)
{
	stack_t stack = {.ss_sp = crash.stack, .ss_size = sizeof(crash.stack)};
	struct sigaction sa = {.sa_handler = on_fatal_signal, .sa_flags = SA_ONSTACK};
	const char *mouse_off = "\033[?1006l\033[?1000l";

	crash.n_reset = 0;
	if (tigetstr("kmous") && tigetstr("kmous") != (char *)-1)
		for (const char *p = mouse_off; *p; p++)
			collect(*p);
	collect_string("sgr0");
	collect_string("op");
	collect_string("cnorm");
	collect_string("rmkx");
	collect_string("rmcup");
	sigemptyset(&sa.sa_mask);
	(void)sigaltstack(&stack, NULL);
	set_armed(true);
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		(void)sigaction(fatal_signals[i], &sa, &old_actions[i]);
}

static void disarm_crash_handler(void)
{
	set_armed(false);
	for (size_t i = 0; i < ARRAY_SIZE(fatal_signals); i++)
		(void)sigaction(fatal_signals[i], &old_actions[i], NULL);
}

/* Whether this terminal can be driven at all: asked before curses touches it. */
static int check_terminal(struct diag *d)
{
	static const char batch[] = "Use -b for reports on standard output.";
	const char *type = getenv("TERM"), *cup;
	bool cannot;
	int err = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		diag_set(d, -ENOTTY, "standard %s is not a terminal",
			isatty(STDIN_FILENO) ? "output" : "input");
		diag_hint(d, "%s", batch);
		return -ENOTTY;
	}
	if (!type || !*type) {
		diag_set(d, -ENOTSUP, "the terminal type is not known: TERM is not set");
		diag_hint(d, "Set TERM, for example to \"xterm\". %s", batch);
		return -ENOTSUP;
	}
	if (setupterm(NULL, STDOUT_FILENO, &err) != OK) {
		diag_set(d, -ENOTSUP, "terminal type \"%.64s\" is not known on this machine", type);
		diag_hint(d,
			"Install its terminfo entry, or set TERM, for example to \"xterm\". %s",
			batch);
		return -ENOTSUP;
	}
	cup = tigetstr("cup");
	cannot = !cup || cup == (char *)-1;
	(void)del_curterm(cur_term); /* newterm() makes its own */
	if (cannot) {
		diag_set(d, -ENOTSUP, "terminal type \"%.64s\" cannot address the cursor", type);
		diag_hint(d, "Set TERM, for example to \"xterm\". %s", batch);
		return -ENOTSUP;
	}
	return 0;
}

static int usable_colors(bool no_color)
{
	if (no_color || !has_colors() || start_color() == ERR || use_default_colors() == ERR)
		return 0;
	return COLORS >= 256 ? 256 : COLORS >= 16 ? 16 : COLORS >= 8 ? 8 : 0;
}

int term_open(struct terminal **ret, bool no_color, struct diag *d)
{
	struct terminal *t;
	int r = check_terminal(d);

	if (r < 0)
		return r;
	if (tcgetattr(STDIN_FILENO, &crash.modes) < 0) {
		r = -errno;
		return diag_set(d, r, "could not read the terminal's modes: %s", strerror(-r));
	}
	t = xcalloc(1, sizeof(*t));
	t->screen = newterm(NULL, stdout, stdin);
	if (!t->screen) {
		free(t);
		diag_set(d, -ENOTSUP, "could not start the screen on terminal type \"%.64s\"",
			getenv("TERM"));
		diag_hint(d, "Use -b for reports on standard output.");
		return -ENOTSUP;
	}
	arm_crash_handler();
	t->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	t->colors = usable_colors(no_color);
	(void)set_escdelay(ESC_MS);
	(void)cbreak();
	(void)noecho();
	(void)nonl();
	(void)intrflush(stdscr, FALSE);
	(void)keypad(stdscr, TRUE);
	(void)nodelay(stdscr, TRUE);
	(void)curs_set(0);
	(void)mouseinterval(0);
	(void)mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	*ret = t;
	return 0;
}

void term_close(struct terminal *t)
{
	if (!t)
		return;
	if (!t->suspended)
		(void)endwin();
	disarm_crash_handler();
	delscreen(t->screen);
	free(t);
}

bool term_utf8(const struct terminal *t)
{
	return t->utf8;
}

int term_colors(const struct terminal *t)
{
	return t->colors;
}

void term_size(const struct terminal *t, int *w, int *h)
{
	(void)t;
	getmaxyx(stdscr, *h, *w);
}

void term_resize(struct terminal *t)
{
	struct winsize ws;

	(void)t;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_row > 0 && ws.ws_col > 0)
		(void)resizeterm(ws.ws_row, ws.ws_col);
}

void term_suspend(struct terminal *t)
{
	if (t->suspended)
		return;
	(void)endwin();
	set_armed(false);
	t->suspended = true;
}

void term_resume(struct terminal *t)
{
	if (!t->suspended)
		return;
	set_armed(true);
	t->suspended = false;
	term_resize(t);
	(void)clearok(stdscr, TRUE);
	(void)refresh();
}

/* The pair of these two colours, made at first use. Falls back to the default pair. */
static short pair_of(struct terminal *t, int16_t fg, int16_t bg)
{
	if (fg < 0 && bg < 0)
		return 0;
	for (int i = 0; i < t->n_pairs; i++)
		if (t->pairs[i].fg == fg && t->pairs[i].bg == bg)
			return (short)(i + 1);
	if (t->n_pairs == PAIRS_MAX || t->n_pairs + 1 >= COLOR_PAIRS ||
		init_pair((short)(t->n_pairs + 1), fg, bg) == ERR)
		return 0;
	t->pairs[t->n_pairs].fg = fg;
	t->pairs[t->n_pairs].bg = bg;
	return (short)++t->n_pairs;
}

static attr_t attributes(uint8_t flags)
{
	attr_t a = A_NORMAL;

	if (flags & SF_BOLD)
		a |= A_BOLD;
	if (flags & SF_DIM)
		a |= A_DIM;
	if (flags & SF_REVERSE)
		a |= A_REVERSE;
	if (flags & SF_UNDERLINE)
		a |= A_UNDERLINE;
	return a;
}

static void put_cell(struct terminal *t, int x, int y, const struct cell *c)
{
	struct style_look look = style_look((enum ui_style)c->style, c->selected, t->colors);
	wchar_t text[CELL_CHARS + 1] = {0};
	cchar_t cc;

	for (int i = 0; i < CELL_CHARS && c->ch[i]; i++)
		text[i] = (wchar_t)c->ch[i];
	if (setcchar(&cc, text, attributes(look.flags), pair_of(t, look.fg, look.bg), NULL) == OK)
		(void)mvadd_wch(y, x, &cc);
}

void term_blit(struct terminal *t, const struct frame *f, bool all)
{
	int w, h;

	if (t->suspended)
		return;
	if (all)
		(void)clearok(stdscr, TRUE);
	(void)erase();
	getmaxyx(stdscr, h, w);
	for (int y = 0; y < MIN(h, f->h); y++) {
		for (int x = 0; x < MIN(w, f->w); x++) {
			const struct cell *c = frame_at(f, x, y);

			if (c->width > 0 && x + c->width <= w)
				put_cell(t, x, y, c);
		}
	}
	if (t->cursor_shown != f->cursor) {
		(void)curs_set(f->cursor);
		t->cursor_shown = f->cursor;
	}
	if (f->cursor)
		(void)move(MIN(f->cursor_y, h - 1), MIN(f->cursor_x, w - 1));
	(void)refresh();
}

static int key_of_code(int code)
{
	static const struct {
		int code, key;
	} map[] = {
		{KEY_UP, UI_KEY_UP},
		{KEY_DOWN, UI_KEY_DOWN},
		{KEY_LEFT, UI_KEY_LEFT},
		{KEY_RIGHT, UI_KEY_RIGHT},
		{KEY_PPAGE, UI_KEY_PGUP},
		{KEY_NPAGE, UI_KEY_PGDN},
		{KEY_A3, UI_KEY_PGUP},
		{KEY_C3, UI_KEY_PGDN},
		{KEY_HOME, UI_KEY_HOME},
		{KEY_FIND, UI_KEY_HOME},
		{KEY_A1, UI_KEY_HOME},
		{KEY_END, UI_KEY_END},
		{KEY_LL, UI_KEY_END},
		{KEY_SELECT, UI_KEY_END},
		{KEY_C1, UI_KEY_END},
		{KEY_BACKSPACE, UI_KEY_BACKSPACE},
		{KEY_DC, UI_KEY_DELETE},
		{KEY_ENTER, UI_KEY_ENTER},
	};

	for (size_t i = 0; i < ARRAY_SIZE(map); i++)
		if (map[i].code == code)
			return map[i].key;
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return UI_KEY_F(code - KEY_F(0));
	return UI_KEY_NONE;
}

static void read_mouse(struct ui_event *ev)
{
	MEVENT m;

	if (getmouse(&m) != OK)
		return;
	ev->x = m.x;
	ev->y = m.y;
	if (m.bstate & BUTTON1_PRESSED)
		ev->key = UI_KEY_CLICK;
	else if (m.bstate & BUTTON4_PRESSED)
		ev->key = UI_KEY_WHEEL_UP;
	else if (m.bstate & BUTTON5_PRESSED)
		ev->key = UI_KEY_WHEEL_DOWN;
}

/* Bytes of the UTF-8 sequence that starts with lead; 0: it starts none. */
static size_t sequence_bytes(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead < 0xe0)
		return 2;
	if (lead >= 0xe0 && lead < 0xf0)
		return 3;
	return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/*
 * One more byte of text: the code point it completes, or UI_KEY_NONE. Done here, because
 * get_wch() swallows the keys after a byte that is not UTF-8. Such a byte is dropped alone.
 */
static int text_key(struct terminal *t, unsigned char byte)
{
	uint32_t cp;

	if (!t->utf8 || byte < 0x80) {
		t->n_pending = 0;
		return byte < 0x80 ? byte : UI_KEY_NONE;
	}
	if (t->n_pending == 0 || sequence_bytes(byte) != 0)
		t->n_pending = 0; /* whatever was pending has been cut short */
	t->pending[t->n_pending++] = (char)byte;
	if (sequence_bytes((unsigned char)t->pending[0]) == 0) {
		t->n_pending = 0;
		return UI_KEY_NONE;
	}
	if (t->n_pending < sequence_bytes((unsigned char)t->pending[0]))
		return UI_KEY_NONE;
	text_decode(t->pending, t->n_pending, &cp);
	t->n_pending = 0;
	return cp == TEXT_BAD ? UI_KEY_NONE : (int)cp;
}

static int plain_key(struct terminal *t, int c)
{
	if (c == '\n' || c == '\r')
		return UI_KEY_ENTER;
	if (c == 0x7f || c == '\b')
		return UI_KEY_BACKSPACE;
	return text_key(t, (unsigned char)c);
}

bool term_read(struct terminal *t, struct ui_event *ev, bool *gone)
{
	struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
	int c;

	*gone = false;
	if (t->suspended)
		return false;
	/* Past what has no code here, to the next key that has one. */
	while ((c = getch()) != ERR) {
		memset(ev, 0, sizeof(*ev));
		if (c == KEY_MOUSE)
			read_mouse(ev);
		else if (c >= KEY_MIN)
			ev->key = key_of_code(c);
		else
			ev->key = plain_key(t, c);
		if (ev->key != UI_KEY_NONE)
			return true;
	}
	if (poll(&fd, 1, 0) > 0 && (fd.revents & (POLLHUP | POLLERR | POLLNVAL)))
		*gone = true;
	return false;
}
