/* The screen as main sees it: terminal, state and frame together. */
#ifndef PGTOP_UI_H
#define PGTOP_UI_H

#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "snapshot.h"
#include "state.h"

struct ui;

/*
 * Takes the terminal over. On failure the terminal is as before, *d says why and what to do.
 * The caller has called setlocale(LC_CTYPE, "") before, and has blocked the signals it reads by
 * signalfd (INT, TERM, HUP, QUIT, WINCH, TSTP): curses would handle them otherwise.
 */
int ui_new(struct ui **ret, const struct ui_options *o, struct diag *d);

/* Restores the terminal. NULL is allowed. */
void ui_free(struct ui *ui);

/* Shows s from the next ui_draw() on. s is borrowed until it is replaced or ui is freed. */
void ui_set_snapshot(struct ui *ui, const struct snapshot *s);

/* Call when standard input is readable: reads the keys that are there, at most some dozens.
 * Returns the enum ui_reaction bits of all of them. */
unsigned ui_input(struct ui *ui);

void ui_draw(struct ui *ui);

/* On SIGWINCH. Draws anew. */
void ui_resize(struct ui *ui);

/* On SIGTSTP: leaves the screen; the caller then stops itself and calls ui_resume(). */
void ui_suspend(struct ui *ui);
void ui_resume(struct ui *ui);

uint64_t ui_delay_ns(const struct ui *ui);
uint64_t ui_window_ns(const struct ui *ui);
bool ui_paused(const struct ui *ui);

#endif
