/*
 * pgtop-offcpu: wiring. Options, monitor, loop, and what becomes of a snapshot: a report on
 * standard output, or the screen. The only file that prints, and the only one of src/ that knows
 * ui/.
 */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "loop.h"
#include "monitor.h"
#include "options.h"
#include "report.h"
#include "util.h"
#include "../ui/ui.h"

#define PROG "pgtop-offcpu"

struct app {
	struct options opts;
	struct loop *loop;
	struct monitor *monitor;
	uint64_t refreshes;
	FILE *log;

	/* Batch. */
	struct buf report;
	struct filter *filter;

	/* Screen. The snapshot shown, and, while it is paused, the newest. */
	struct ui *ui;
	struct snapshot *shown, *newest;
};

static void log_line(struct app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void log_line(struct app *app, const char *fmt, ...)
{
	struct timespec ts;
	char when[REPORT_TIME_BUF];
	va_list ap;

	if (!app->log)
		return;
	clock_gettime(CLOCK_REALTIME, &ts);
	report_time(when, (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000);
	fprintf(app->log, "%s ", when);
	va_start(ap, fmt);
	vfprintf(app->log, fmt, ap);
	va_end(ap);
	fputc('\n', app->log);
	fflush(app->log);
}

static void log_loading(void *ctx, const char *text)
{
	log_line(ctx, "%s", text);
}

static void print_diag(const struct diag *d)
{
	fprintf(stderr, PROG ": %s%s%s\n", d->summary, d->hint[0] ? ". " : "", d->hint);
}

static int open_log(struct app *app, struct diag *d)
{
	if (!app->opts.log_path)
		return 0;
	app->log = fopen(app->opts.log_path, "ae");
	if (!app->log) {
		int err = -errno;
		diag_set(d, err, "could not open \"%s\": %s", app->opts.log_path, strerror(-err));
		diag_hint(d, "Give --log a file in a directory that exists and can be written.");
		return err;
	}
	return 0;
}

static bool last_refresh(struct app *app)
{
	return ++app->refreshes == app->opts.iterations;
}

static void log_snapshot(struct app *app, const struct snapshot *s)
{
	static uint64_t lost;

	if (s->loss.ring_events == lost)
		return;
	lost = s->loss.ring_events;
	log_line(app, "events lost so far: %llu", (unsigned long long)lost);
}

/* ---- batch ---- */

static int batch_snapshot(void *ctx, struct snapshot *s)
{
	struct app *app = ctx;
	struct report_opts o = {
		.filter = app->filter,
		.show_idle = app->opts.show_idle,
		.sort = app->opts.sort,
		.sort_desc = app->opts.sort_desc,
	};
	int err;

	log_snapshot(app, s);
	buf_reset(&app->report);
	err = report_add(&app->report, app->opts.format, s, &o);
	snapshot_free(s);
	if (!err)
		err = buf_write(&app->report, STDOUT_FILENO, loop_signal_fd(app->loop));
	if (err == -EPIPE || err == -ECANCELED)
		return LOOP_END;
	if (err)
		return err;
	return last_refresh(app) ? LOOP_END : 0;
}

static int run_batch(struct app *app, struct diag *d)
{
	struct loop_handler h = {.snapshot = batch_snapshot, .ctx = app};
	int err;

	if (app->opts.filter && (err = filter_compile(app->opts.filter, &app->filter, d)))
		return err;
	buf_init(&app->report, REPORT_MAX_BYTES);
	err = loop_run(app->loop, app->monitor, &h);
	if (err)
		diag_set(d, err, "could not write the report: %s", strerror(-err));
	buf_done(&app->report);
	filter_free(app->filter);
	return err;
}

/* ---- screen ---- */

static void show(struct app *app, struct snapshot *s)
{
	ui_set_snapshot(app->ui, s);
	snapshot_free(app->shown);
	app->shown = s;
}

static int screen_snapshot(void *ctx, struct snapshot *s)
{
	struct app *app = ctx;

	log_snapshot(app, s);
	if (ui_paused(app->ui) && app->shown) {
		snapshot_free(app->newest);
		app->newest = s;
	} else {
		show(app, s);
		ui_draw(app->ui);
	}
	return last_refresh(app) ? LOOP_END : 0;
}

static int screen_input(void *ctx)
{
	struct app *app = ctx;
	unsigned r = ui_input(app->ui);

	if (r & UI_QUIT)
		return LOOP_END;
	if (r & UI_SET_DELAY) {
		monitor_set_delay(app->monitor, ui_delay_ns(app->ui));
		loop_rearm(app->loop);
	}
	if (r & UI_SET_WINDOW)
		monitor_set_window(app->monitor, ui_window_ns(app->ui));
	if (r & UI_SET_PAUSE && !ui_paused(app->ui) && app->newest) {
		show(app, app->newest);
		app->newest = NULL;
	}
	if (r & (UI_REDRAW | UI_REPAINT | UI_SET_PAUSE))
		ui_draw(app->ui);
	return r & UI_MORE ? LOOP_AGAIN : 0;
}

static void screen_resized(void *ctx)
{
	ui_resize(((struct app *)ctx)->ui);
}

static void screen_stop(void *ctx)
{
	struct app *app = ctx;

	ui_suspend(app->ui);
	kill(getpid(), SIGSTOP);
}

/* Whoever had the terminal meanwhile has set its modes. */
static void screen_continued(void *ctx)
{
	struct app *app = ctx;

	ui_suspend(app->ui);
	ui_resume(app->ui);
}

static int run_screen(struct app *app, struct diag *d)
{
	struct ui_options o = {
		.sort = app->opts.sort,
		.descending = app->opts.sort_desc,
		.filter = app->opts.filter,
		.show_idle = app->opts.show_idle,
		.no_color = app->opts.no_color,
		.delay_ns = app->opts.delay_ns,
		.window_ns = app->opts.window_ns,
	};
	struct loop_handler h = {
		.snapshot = screen_snapshot,
		.input = screen_input,
		.resized = screen_resized,
		.stop = screen_stop,
		.continued = screen_continued,
		.ctx = app,
	};
	int err = ui_new(&app->ui, &o, d);

	if (err)
		return err;
	ui_draw(app->ui);
	err = loop_run(app->loop, app->monitor, &h);
	ui_free(app->ui);
	snapshot_free(app->shown);
	snapshot_free(app->newest);
	if (err)
		diag_set(d, err, "the event loop failed: %s", strerror(-err));
	return err;
}

/* ---- all of it ---- */

static int run(struct app *app, struct diag *d)
{
	const struct options *o = &app->opts;
	struct monitor_config cfg = {
		.delay_ns = o->delay_ns,
		.window_ns = o->window_ns,
		.min_wait_ns = o->min_wait_ns,
		.ring_bytes = o->ring_bytes,
		.stacks = (enum offcpu_stacks)o->stacks,
		.pids = o->pids,
		.n_pids = o->n_pids,
		.pgdata = o->pgdata,
		.n_pgdata = o->n_pgdata,
		.log = log_loading,
		.log_ctx = app,
	};
	int err;

	if ((err = open_log(app, d)) || (err = loop_new(&app->loop, d)) ||
		(err = monitor_open(&app->monitor, &cfg, d)))
		return err;
	log_line(app, PROG " " PGTOP_VERSION " attached");
	return o->batch ? run_batch(app, d) : run_screen(app, d);
}

/* Descriptors 0 to 2 that were closed would be given to the next file opened. Returns whether
 * standard output was one of them. */
static bool reserve_standard_fds(void)
{
	bool no_output = fcntl(STDOUT_FILENO, F_GETFD) < 0;

	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", O_RDWR); /* takes the lowest that is free */
	return no_output;
}

static int put(const char *text)
{
	return fputs(text, stdout) == EOF || fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct app app = {0};
	struct diag d = {0};
	bool no_output = reserve_standard_fds();
	int err, status = 0;

	setlocale(LC_CTYPE, "");
	err = options_parse(&app.opts, argc, argv, &d);
	if (err) {
		fprintf(stderr, PROG ": %s\n%s\n", d.summary, d.hint);
		options_done(&app.opts);
		return OPTIONS_BAD_USAGE;
	}
	if (app.opts.action == OPTIONS_HELP) {
		_cleanup_free_ char *help = options_help();
		status = put(help);
	} else if (app.opts.action == OPTIONS_VERSION) {
		status = put(PROG " " PGTOP_VERSION "\n");
	} else {
		err = no_output ? diag_set(&d, -EBADF, "standard output is closed") : run(&app, &d);
		if (err) {
			log_line(&app, "ended: %s", d.summary);
			print_diag(&d);
			status = 1;
		}
		monitor_close(app.monitor);
		loop_free(app.loop);
		if (app.log)
			fclose(app.log);
	}
	options_done(&app.opts);
	return status;
}
