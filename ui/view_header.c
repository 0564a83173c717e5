/*
 * The header: who is watched, over which window, what the sum of all backends waits for, and
 * whether the numbers can be trusted. Pure; owns nothing.
 */
#include "views.h"

#include <stdio.h>
#include <string.h>

#include "bar.h"
#include "units.h"
#include "util.h"

#define GRAPH_LABEL 7
#define NAME	    "pgtop-offcpu"

/* " 15.18 main:1234", all clusters one after the other. */
static void cluster_text(const struct snapshot *s, char *buf, size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (size_t i = 0; i < s->n_clusters && len < size; i++) {
		const struct snap_cluster *c = &s->clusters[i];

		len += (size_t)snprintf(buf + len, size - len, "%s%s%s%s:%d%s%s", i ? "  " : "",
			c->version ? c->version : "", c->version ? " " : "",
			c->cluster_name && *c->cluster_name ? c->cluster_name : "postmaster",
			(int)c->postmaster, c->gone ? " (gone)" : "",
			c->exact ? "" : " (kernel-only)");
	}
}

static bool window_is_full(const struct snapshot *s)
{
	return bar_window_full(s->n_history, s->window_ns, s->window_set_ns);
}

/* "window 10s (3s so far)  every 1s": the window the numbers on the screen cover. */
static void window_text(const struct ui_state *st, char *buf, size_t size)
{
	const struct snapshot *s = st->snap;
	char set[UNITS_BUF], now[UNITS_BUF], delay[UNITS_BUF];
	uint64_t want = s ? s->window_set_ns : st->window_ns;
	int len = snprintf(buf, size, "window %s", units_setting(set, want));

	if (s && s->window_ns < want && !window_is_full(s) && len > 0 && (size_t)len < size)
		len += snprintf(buf + len, size - (size_t)len, " (%s so far)",
			units_setting(now, s->window_ns));
	if (len > 0 && (size_t)len < size)
		snprintf(buf + len, size - (size_t)len, "  every %s",
			units_setting(delay, st->delay_ns));
}

static void draw_title(const struct ui_state *st, struct rect r, struct frame *f)
{
	const struct snapshot *s = st->snap;
	char clusters[512] = "", window[96], count[32], follow[32];
	int right = r.x + r.w, x = r.x, room;

	window_text(st, window, sizeof(window));
	room = frame_text_width(f, window);
	if (room + (int)strlen(NAME) + 2 <= r.w) {
		right -= room;
		frame_put(f, right, r.y, room, STYLE_LABEL, window);
		right -= 2;
	}
	x += frame_put(f, x, r.y, right - x, STYLE_TITLE, NAME) + 2;
	if (st->paused)
		x += frame_put(f, x, r.y, right - x, STYLE_BADGE, " PAUSED ") + 2;
	if (st->follow) {
		snprintf(follow, sizeof(follow), " FOLLOWING %d ", (int)st->sel_pid);
		x += frame_put(f, x, r.y, right - x, STYLE_BADGE, follow) + 2;
	}
	if (!s)
		return;
	if (s->host)
		x += frame_put(f, x, r.y, right - x, STYLE_BRIGHT, s->host) + 2;
	cluster_text(s, clusters, sizeof(clusters));
	if (frame_text_width(f, clusters) > right - x && s->n_clusters > 1) {
		snprintf(count, sizeof(count), "%zu clusters", s->n_clusters);
		frame_put(f, x, r.y, right - x, STYLE_NORMAL, count);
	} else {
		frame_put(f, x, r.y, right - x, STYLE_NORMAL, clusters);
	}
}

static void draw_notice(const struct snapshot *s, struct rect r, struct frame *f)
{
	int x = r.x;

	if (s->notice)
		x += frame_put(f, x, r.y, r.w, STYLE_WARN, s->notice);
	for (size_t i = 0; i < s->n_clusters; i++) {
		const struct snap_cluster *c = &s->clusters[i];

		if (!c->notice)
			continue;
		x += x > r.x ? 2 : 0;
		x += frame_printf(f, x, r.y, r.x + r.w - x, STYLE_WARN, "%s:%d: %s",
			c->cluster_name && *c->cluster_name ? c->cluster_name : "postmaster",
			(int)c->postmaster, c->notice);
	}
}

/* "label value" if it fits whole; otherwise the rest of the line stays empty. */
static void item(struct frame *f, int *x, struct rect r, const char *label, enum ui_style style,
	const char *value)
{
	int lead = *x > r.x ? 3 : 0, gap = *label ? 1 : 0;
	int need = lead + frame_text_width(f, label) + gap + frame_text_width(f, value);

	if (*x + need > r.x + r.w) {
		*x = r.x + r.w;
		return;
	}
	*x += lead;
	*x += frame_put(f, *x, r.y, r.w, STYLE_LABEL, label) + gap;
	*x += frame_put(f, *x, r.y, r.w, style, value);
}

static void count_item(
	struct frame *f, int *x, struct rect r, const char *label, enum ui_style style, size_t n)
{
	char num[UNITS_BUF];

	item(f, x, r, label, n ? style : STYLE_DIM, units_count(num, n));
}

/* True if "label value" still fits whole. */
static bool fits(const struct frame *f, int x, struct rect r, const char *label, const char *value)
{
	return x + 4 + frame_text_width(f, label) + frame_text_width(f, value) <= r.x + r.w;
}

/* Whether the numbers can be trusted: what was lost, how much time that is, what helps. A loss is
 * said in every width, in as many words as fit. */
static void loss_item(struct frame *f, int *x, struct rect r, const struct snap_loss *loss)
{
	char text[128], events[UNITS_BUF], ns[UNITS_BUF];

	if (!loss->ring_events) {
		item(f, x, r, "lost", STYLE_NORMAL, "0");
	} else {
		units_count(events, loss->ring_events);
		snprintf(text, sizeof(text), "%s events, %s: raise --ring-size", events,
			units_duration(ns, loss->ring_ns));
		if (!fits(f, *x, r, "lost", text))
			snprintf(text, sizeof(text), "%s: --ring-size", events);
		if (!fits(f, *x, r, "lost", text))
			snprintf(text, sizeof(text), "%s", events);
		item(f, x, r, "lost", STYLE_WARN, text);
	}
	if (loss->map_full)
		item(f, x, r, "untracked, map full", STYLE_WARN,
			units_count(events, loss->map_full));
	if (loss->event_unread)
		item(f, x, r, "unread events", STYLE_WARN, units_count(events, loss->event_unread));
}

static void draw_summary(const struct snapshot *s, struct rect r, struct frame *f)
{
	char num[UNITS_BUF], self[UNITS_BUF + 8];
	int x = r.x;

	item(f, &x, r, "AAS", STYLE_BRIGHT, units_rate(num, s->aas));
	count_item(f, &x, r, "active", STYLE_BRIGHT, s->n_active);
	count_item(f, &x, r, "idle in xact",
		(enum ui_style)(s->n_idle_xact ? style_type(WAIT_IDLE_XACT) : STYLE_DIM),
		s->n_idle_xact);
	loss_item(f, &x, r, &s->loss);
	count_item(f, &x, r, "idle", STYLE_NORMAL, s->n_idle);
	count_item(f, &x, r, "background", STYLE_NORMAL, s->n_background);
	item(f, &x, r, "waits/s", STYLE_NORMAL, units_rate(num, s->waits_per_s));
	snprintf(self, sizeof(self), "%s%% CPU", units_rate(num, s->self.cpu_pct));
	item(f, &x, r, "self", STYLE_NORMAL, self);
}

/* Whether n cells still fit behind *x, *y in r, after going on to the next line if need be. */
static bool legend_room(struct rect r, int *x, int *y, int n)
{
	if (*x > 0 && *x + n > r.w) {
		*x = 0;
		++*y;
	}
	return *y < r.h && *x + n <= r.w;
}

/* Places the entries of the types in show, in order: "L lock 17.1%", and how many others there are.
 * Returns false if they do not fit in r. f NULL: only tries. */
static bool place_legend(const struct wait_times *t, const bool show[WAIT_NR], int others,
	struct rect r, struct frame *f)
{
	char num[UNITS_BUF], more[24];
	int x = 0, y = 0;

	for (int i = 0; i < WAIT_NR; i++) {
		enum wait_type type = (enum wait_type)i;
		const char *name = wait_type_name(type);
		int need;

		if (!show[i])
			continue;
		units_pct(num, t->ns[i], wait_times_sum(t));
		need = (int)(2 + strlen(name) + 1 + strlen(num) + 1);
		if (!legend_room(r, &x, &y, need))
			return false;
		if (f) {
			int at = r.x + x;

			frame_glyph(f, at, r.y + y, style_bar(type),
				(unsigned char)wait_type_glyph(type));
			at += 2;
			at += frame_put(f, at, r.y + y, need, STYLE_NORMAL, name) + 1;
			frame_printf(f, at, r.y + y, need, STYLE_BRIGHT, "%s%%", num);
		}
		x += need + 2;
	}
	if (others == 0)
		return true;
	snprintf(more, sizeof(more), r.w < 40 ? "+%d" : "+%d more", others);
	if (!legend_room(r, &x, &y, (int)strlen(more)))
		return false;
	if (f)
		frame_put(f, r.x + x, r.y + y, r.w - x, STYLE_NORMAL, more);
	return true;
}

/* All types with time and their share; where there is no room for all, the smallest are only
 * counted. */
static void draw_legend(const struct wait_times *t, struct rect r, struct frame *f)
{
	bool show[WAIT_NR], any = false;
	int others = 0;

	for (int i = 0; i < WAIT_NR; i++)
		any |= show[i] = t->ns[i] > 0;
	if (!any) {
		frame_put(f, r.x, r.y, r.w, STYLE_DIM, "no activity in the window");
		return;
	}
	while (!place_legend(t, show, others, r, NULL)) {
		int least = -1;

		for (int i = 0; i < WAIT_NR; i++)
			if (show[i] && (least < 0 || t->ns[i] < t->ns[least]))
				least = i;
		if (least < 0)
			return;
		show[least] = false;
		others++;
	}
	place_legend(t, show, others, r, f);
}

/* One column of the graph: eighths of a cell from the bottom up. Without colour a block would not
 * say which type it is, so there letters are stacked. */
static void draw_column(struct frame *f, int x, struct rect r, uint64_t aas, uint64_t max, int type)
{
	uint64_t total = max ? (aas * (uint64_t)r.h * 8 + max - 1) / max : 0;

	if (type >= WAIT_NR)
		return;
	for (int i = 0; i < r.h; i++) {
		uint64_t part = total > (uint64_t)i * 8 ? MIN(total - (uint64_t)i * 8, 8) : 0;
		int y = r.y + r.h - 1 - i;

		if (part == 0)
			break;
		if (f->utf8 && f->color)
			frame_glyph(f, x, y, style_graph((enum wait_type)type),
				0x2580 + (uint32_t)part);
		else if (part >= 4 || i == 0)
			frame_glyph(f, x, y, style_bar((enum wait_type)type),
				(unsigned char)wait_type_glyph((enum wait_type)type));
	}
}

/* Average active sessions along the window, which the width stands for, newest at the right. Where
 * there are more slots than columns, the highest of a group stands for it. While the window is not
 * full yet, the label stands where the known part begins. */
static void draw_graph(const struct snapshot *s, struct rect r, struct frame *f)
{
	struct rect g = {r.x + GRAPH_LABEL, r.y, r.w - GRAPH_LABEL, r.h};
	size_t n = s->n_history;
	int known = bar_known_cells(g.w, n, s->window_ns, s->window_set_ns), label;
	uint32_t max = 0;
	char num[UNITS_BUF], age[UNITS_BUF + 1];

	if (known == 0)
		return;
	for (size_t i = 0; i < n; i++)
		max = MAX(max, s->history_aas_milli[i]);
	for (int i = 0; i < known; i++) {
		size_t first, last, top;

		bar_slots(known, n, i, &first, &last);
		top = first;
		for (size_t j = first; j < last; j++)
			if (s->history_aas_milli[j] > s->history_aas_milli[top])
				top = j;
		draw_column(f, g.x + g.w - known + i, g, s->history_aas_milli[top], max,
			s->history[top]);
	}
	units_rate(num, max / 1000.0);
	frame_field(f, r.x, r.y, GRAPH_LABEL - 1, ALIGN_RIGHT, STYLE_DIM, num);
	snprintf(age, sizeof(age), "-%s",
		units_setting(num, window_is_full(s) ? s->window_set_ns : s->window_ns));
	label = g.x + g.w - known - GRAPH_LABEL;
	if (r.h > 1 || label >= g.x)
		frame_field(f, label, r.y + r.h - 1, GRAPH_LABEL - 1, ALIGN_RIGHT, STYLE_DIM, age);
}

void view_header(const struct ui_state *st, const struct layout *l, struct frame *f)
{
	const struct snapshot *s = st->snap;
	struct wait_times active;

	if (l->title.h > 0)
		draw_title(st, l->title, f);
	if (!s)
		return;
	active = s->total;
	active.ns[WAIT_IDLE] = 0;
	if (l->notice.h > 0)
		draw_notice(s, l->notice, f);
	draw_summary(s, l->summary, f);
	if (l->bar.h > 0) {
		frame_fill(f, l->bar, style_bar(WAIT_IDLE));
		bar_draw(f, l->bar.x, l->bar.y, l->bar.w, &active);
	}
	if (l->legend.h > 0)
		draw_legend(&active, l->legend, f);
	if (l->graph.h > 0)
		draw_graph(s, l->graph, f);
}
