/* The terminal: the only door to curses. Blits frames, yields events, and always restores. */
#ifndef PGTOP_TERM_H
#define PGTOP_TERM_H

#include <stdbool.h>

#include "diag.h"
#include "frame.h"
#include "keys.h"

struct terminal;

/* Takes the terminal over (alternate screen, no echo, mouse on) and installs handlers for SEGV,
 * BUS, FPE, ILL and ABRT that restore it. -ENOTTY: standard input or output is no terminal;
 * -ENOTSUP: TERM is unknown or cannot address the cursor. The terminal is untouched on failure. */
int term_open(struct terminal **ret, bool no_color, struct diag *d);

/* Restores the terminal. NULL is allowed. */
void term_close(struct terminal *t);

bool term_utf8(const struct terminal *t);
int term_colors(const struct terminal *t); /* 0: monochrome, else 8, 16 or 256 */
void term_size(const struct terminal *t, int *w, int *h);

/* After SIGWINCH: takes the new size. */
void term_resize(struct terminal *t);

/* Around a stop (SIGTSTP, SIGCONT). */
void term_suspend(struct terminal *t);
void term_resume(struct terminal *t);

/* Shows the frame; all: every cell, even where nothing changed. */
void term_blit(struct terminal *t, const struct frame *f, bool all);

/* The next event, without waiting. False: none is there. *gone: the terminal has gone away. */
bool term_read(struct terminal *t, struct ui_event *ev, bool *gone);

#endif
