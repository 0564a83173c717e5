/*
 * The screen: ties terminal, state and frame together. Owns all three; borrows the snapshot.
 * Everything with a rule in it lives in the parts.
 */
#include "ui.h"

#include "term.h"
#include "util.h"
#include "views.h"

#define KEYS_AT_ONCE 64 /* a paste or a storm must not keep the caller from its other work */

struct ui {
	struct terminal *term;
	struct ui_state state;
	struct frame frame;
	bool repaint;
};

static void take_size(struct ui *ui)
{
	int w, h;

	term_size(ui->term, &w, &h);
	ui_state_resize(&ui->state, w, h);
}

int ui_new(struct ui **ret, const struct ui_options *o, struct diag *d)
{
	struct terminal *term;
	struct ui *ui;
	int r = term_open(&term, o->no_color, d);

	if (r < 0)
		return r;
	ui = xcalloc(1, sizeof(*ui));
	ui->term = term;
	ui_state_init(&ui->state, o);
	take_size(ui);
	*ret = ui;
	return 0;
}

void ui_free(struct ui *ui)
{
	if (!ui)
		return;
	term_close(ui->term);
	ui_state_release(&ui->state);
	frame_release(&ui->frame);
	free(ui);
}

void ui_set_snapshot(struct ui *ui, const struct snapshot *s)
{
	ui_state_set_snapshot(&ui->state, s);
}

unsigned ui_input(struct ui *ui)
{
	unsigned reaction = 0;
	struct ui_event ev;
	bool hangup = false;

	for (int i = 0; i < KEYS_AT_ONCE; i++) {
		if (!term_read(ui->term, &ev, &hangup))
			return hangup ? reaction | UI_QUIT : reaction;
		reaction |= ui_handle(&ui->state, ev);
		if (reaction & UI_REPAINT)
			ui->repaint = true;
		if (reaction & UI_QUIT)
			return reaction;
	}
	return reaction | UI_MORE;
}

void ui_draw(struct ui *ui)
{
	frame_reset(&ui->frame, ui->state.w, ui->state.h, term_utf8(ui->term),
		term_colors(ui->term) > 0);
	view_draw(&ui->state, &ui->frame);
	term_blit(ui->term, &ui->frame, ui->repaint);
	ui->repaint = false;
}

void ui_resize(struct ui *ui)
{
	term_resize(ui->term);
	take_size(ui);
	ui->repaint = true;
	ui_draw(ui);
}

void ui_suspend(struct ui *ui)
{
	term_suspend(ui->term);
}

void ui_resume(struct ui *ui)
{
	term_resume(ui->term);
	take_size(ui);
	ui->repaint = true;
	ui_draw(ui);
}

uint64_t ui_delay_ns(const struct ui *ui)
{
	return ui->state.delay_ns;
}

uint64_t ui_window_ns(const struct ui *ui)
{
	return ui->state.window_ns;
}

bool ui_paused(const struct ui *ui)
{
	return ui->state.paused;
}
