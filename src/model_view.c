/*
 * The model as its readers see it: the window of the last tick, summed over slots. Changes nothing.
 */
#include "model.h"

#include <string.h>

#include "model_impl.h"
#include "util.h"

/* The window of the last tick, as slots: [*first, *last]. */
static void window_slots(const struct model *m, uint64_t *first, uint64_t *last)
{
	*first = MAX(grid_first(&m->grid, m->cut_ns), grid_slot(&m->grid, m->known_since_ns));
	*last = grid_slot(&m->grid, m->cut_ns - 1);
}

static uint64_t window_start_ns(const struct model *m)
{
	return MAX(m->known_since_ns, grid_start_ns(&m->grid, grid_first(&m->grid, m->cut_ns)));
}

uint64_t model_covered_ns(const struct model *m)
{
	return m->cut_ns - MIN(window_start_ns(m), m->cut_ns);
}

uint64_t model_window_ns(const struct model *m)
{
	return m->grid.window_ns;
}

uint64_t model_unknown_ns(const struct model *m)
{
	return m->unknown_ns;
}

uint64_t model_anomalies(const struct model *m)
{
	return m->anomalies;
}

static uint8_t dominant(const struct wait_times *t)
{
	uint8_t best = WAIT_NR;
	uint64_t best_ns = 0;

	for (uint8_t i = 0; i < WAIT_NR; i++)
		if (t->ns[i] > best_ns) {
			best = i;
			best_ns = t->ns[i];
		}
	return best;
}

static void add_detail(struct model_detail *list, size_t *n, uint16_t *where, const struct cell *c,
	const struct detail *d)
{
	struct model_detail *into;

	if (*where == UINT16_MAX) {
		*where = (uint16_t)*n;
		list[*n] = (struct model_detail){
			.type = detail_key_type(d->key),
			.waker_kind = detail_key_waker(d->key),
			.id = (uint32_t)d->key,
		};
		memcpy(list[*n].comm, d->comm, MODEL_COMM_BYTES);
		(*n)++;
	}
	into = &list[*where];
	into->count += c->count;
	into->ns += c->ns;
	into->max_ns = MAX(into->max_ns, c->max_ns);
}

static int longest_first(const void *a, const void *b)
{
	const struct model_detail *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void view_slot(
	struct model_view *v, const struct account *a, const struct slot *s, uint16_t *where)
{
	wait_times_add(&v->times, &s->times);
	v->waits += s->waits;
	v->max_wait_ns = MAX(v->max_wait_ns, s->max_wait_ns);
	for (uint32_t i = 0; i < s->n_lengths; i++) {
		v->histogram[s->lengths[i].type][s->lengths[i].bin] += s->lengths[i].count;
		v->histogram_types |= 1U << s->lengths[i].type;
	}
	for (uint32_t i = 0; i < s->n_cells; i++) {
		const struct cell *c = &s->cells[i];
		const struct detail *d = &a->details[c->detail];

		switch (detail_key_kind(d->key)) {
		case DETAIL_EVENT:
			add_detail(v->events, &v->n_events, &where[c->detail], c, d);
			break;
		case DETAIL_WAKER:
			add_detail(v->wakers, &v->n_wakers, &where[c->detail], c, d);
			break;
		case DETAIL_STACK:
			add_detail(v->stacks, &v->n_stacks, &where[c->detail], c, d);
			break;
		case DETAIL_NR:
			break;
		}
	}
}

/* A wait in progress counts among the longest. */
static void view_current(struct model_view *v, const struct model_backend *b)
{
	const struct model_current *c = &v->current;

	if (!c->present)
		return;
	if (c->type != WAIT_IDLE)
		v->max_wait_ns = MAX(v->max_wait_ns, c->age_ns);
	for (size_t i = 0; i < v->n_events; i++)
		if (v->events[i].id == c->event && v->events[i].type == c->type)
			v->events[i].max_ns = MAX(v->events[i].max_ns, b->current_blocked_ns);
}

/* Most of a view is lists that are empty. */
static void view_clear(struct model_view *v)
{
	memset(&v->times, 0, sizeof(v->times));
	v->watched_ns = v->waits = v->max_wait_ns = 0;
	v->n_events = v->n_wakers = v->n_stacks = v->n_history = 0;
	memset(v->histogram, 0, sizeof(v->histogram));
	v->histogram_types = 0;
}

void model_view(struct model *m, const struct model_backend *b, struct model_view *v)
{
	uint64_t first, last;
	uint16_t where[MODEL_MAX_DETAILS];

	window_slots(m, &first, &last);
	view_clear(v);
	memset(where, 0xff, sizeof(where));
	for (uint64_t no = first; no <= last && v->n_history < MODEL_MAX_SLOTS; no++) {
		const struct slot *s = account_slot(&b->account, &m->grid, no);
		v->history[v->n_history++] = s ? dominant(&s->times) : (uint8_t)WAIT_NR;
		if (s)
			view_slot(v, &b->account, s, where);
	}
	v->watched_ns = b->mark_ns - MIN(b->mark_ns, MAX(b->begin_ns, window_start_ns(m)));
	v->current = b->current;
	view_current(v, b);
	qsort(v->events, v->n_events, sizeof(*v->events), longest_first);
	qsort(v->wakers, v->n_wakers, sizeof(*v->wakers), longest_first);
	qsort(v->stacks, v->n_stacks, sizeof(*v->stacks), longest_first);
}

void model_folded(struct model *m, uint32_t cluster, struct wait_times *times, uint64_t *waits)
{
	uint64_t first, last;

	window_slots(m, &first, &last);
	memset(times, 0, sizeof(*times));
	*waits = 0;
	if (cluster >= m->n_folded)
		return;
	for (uint64_t no = first; no <= last; no++) {
		const struct slot *s = account_slot(&m->folded[cluster].account, &m->grid, no);
		if (s) {
			wait_times_add(times, &s->times);
			*waits += s->waits;
		}
	}
}

void model_history(struct model *m, struct model_history *h)
{
	uint64_t first, last;

	window_slots(m, &first, &last);
	memset(h, 0, sizeof(*h));
	h->slot_ns = m->grid.slot_ns;
	for (uint64_t no = first; no <= last && h->n < MODEL_MAX_SLOTS; no++, h->n++) {
		uint64_t from = MAX(grid_start_ns(&m->grid, no), m->known_since_ns);
		uint64_t to = MIN(grid_start_ns(&m->grid, no + 1), m->cut_ns);

		h->covered_ns[h->n] = to > from ? to - from : 0;
		for (const struct model_backend *b = m->first; b; b = b->next) {
			const struct slot *s = account_slot(&b->account, &m->grid, no);
			if (s)
				wait_times_add(&h->slot[h->n], &s->times);
		}
		for (size_t i = 0; i < m->n_folded; i++) {
			const struct slot *s = account_slot(&m->folded[i].account, &m->grid, no);
			if (s)
				wait_times_add(&h->slot[h->n], &s->times);
		}
	}
}
