/*
 * Slots and details of one account. See account.h.
 *
 * Invariant: a slot's times sum to the part of the slot that was charged; a detail's refs is the
 * number of cells that name it, and a detail without refs may be given to another key.
 */
#include "account.h"

#include <string.h>

#include "util.h"

#define SLOTS_AIM 50
#define SLOTS_MAX 120 /* leaves room for the partial slots at both ends of the window */
/* Kept free for "all the others" of each kind and type, so that these always find room. */
#define RESERVED (DETAIL_NR * WAIT_NR)
_Static_assert(RESERVED < MODEL_MAX_CELLS && MODEL_MAX_CELLS <= MODEL_MAX_DETAILS,
	"room for details by name");

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;
		a = b;
		b = r;
	}
	return a;
}

struct grid grid_choose(uint64_t window_ns, uint64_t delay_ns, uint64_t now_ns)
{
	struct grid g = {.window_ns = window_ns};
	uint64_t unit = gcd(window_ns, delay_ns);
	uint64_t n = window_ns / unit;

	if (n <= SLOTS_MAX) {
		uint64_t k = n >= SLOTS_AIM ? 1 : SLOTS_AIM / n;
		while (k > 1 && unit % k)
			k--;
		g.slot_ns = unit / k;
	} else if (delay_ns <= window_ns / SLOTS_AIM) {
		/* Ticks fall on edges, the window's start only about. */
		g.slot_ns = delay_ns * ((window_ns / SLOTS_MAX + delay_ns - 1) / delay_ns);
		if (g.slot_ns < window_ns / SLOTS_MAX)
			g.slot_ns = window_ns / SLOTS_MAX;
	} else {
		g.slot_ns = window_ns / SLOTS_AIM;
	}
	if (g.slot_ns == 0)
		g.slot_ns = 1;
	g.offset_ns = now_ns % g.slot_ns;
	/* Each may begin and end inside a slot. */
	g.n_kept = MIN(window_ns / g.slot_ns + delay_ns / g.slot_ns + 4, MODEL_MAX_SLOTS);
	return g;
}

uint64_t grid_first(const struct grid *g, uint64_t now_ns)
{
	uint64_t start = now_ns > g->window_ns ? now_ns - g->window_ns : 0;

	return grid_slot(g, start + g->slot_ns / 2);
}

static void unref(struct account *a, struct slot *s)
{
	for (uint32_t i = 0; i < s->n_cells; i++)
		a->details[s->cells[i].detail].refs--;
	s->n_cells = 0;
}

/* The slot to write to, or NULL if it is too old to be kept. */
static struct slot *slot_for(struct account *a, const struct grid *g, uint64_t no)
{
	struct slot **p = &a->slots[no % g->n_kept], *s = *p;

	if (!s) {
		s = *p = xcalloc(1, sizeof(*s));
		s->no = no;
	} else if (s->no != no) {
		if (s->no > no)
			return NULL;
		unref(a, s);
		s->no = no;
		memset(&s->times, 0, sizeof(s->times));
		s->waits = s->max_wait_ns = 0;
		s->n_lengths = 0;
	}
	return s;
}

static int find_detail(const struct account *a, uint64_t key)
{
	for (uint32_t i = 0; i < a->n_details; i++)
		if (a->details[i].key == key && a->details[i].refs)
			return (int)i;
	return -1;
}

static int add_detail(struct account *a, uint64_t key, const char *comm, uint32_t limit)
{
	uint32_t i;

	for (i = 0; i < a->n_details && a->details[i].refs; i++)
		;
	if (i >= limit)
		return -1;
	if (i == a->n_details) {
		if (i == a->cap_details) {
			a->cap_details = i ? MIN(i * 2, (uint32_t)MODEL_MAX_DETAILS) : 8;
			a->details = xrealloc(a->details, a->cap_details, sizeof(*a->details));
		}
		a->n_details++;
	}
	a->details[i] = (struct detail){.key = key};
	if (comm)
		memcpy(a->details[i].comm, comm, MODEL_COMM_BYTES);
	return (int)i;
}

/* How much this detail has to leave to others. Stacks are the most numerous kind by far; events,
 * wakers and lengths must not suffer from them. */
static uint32_t reserve_for(uint64_t key)
{
	if ((uint32_t)key == MODEL_NO_ID)
		return 0;
	return detail_key_kind(key) == DETAIL_STACK ? MODEL_MAX_CELLS / 2 : RESERVED;
}

static struct cell *cell_for(struct account *a, struct slot *s, uint64_t key, const char *comm)
{
	uint32_t reserved = reserve_for(key);
	int d = find_detail(a, key);

	if (d >= 0)
		for (uint32_t i = 0; i < s->n_cells; i++)
			if (s->cells[i].detail == d)
				return &s->cells[i];
	if (s->n_cells >= MODEL_MAX_CELLS - reserved)
		return NULL;
	if (d < 0)
		d = add_detail(a, key, comm, MODEL_MAX_DETAILS - reserved);
	if (d < 0)
		return NULL;
	if (s->n_cells == s->cap_cells) {
		s->cap_cells = s->cap_cells ? MIN(s->cap_cells * 2, (uint32_t)MODEL_MAX_CELLS) : 4;
		s->cells = xrealloc(s->cells, s->cap_cells, sizeof(*s->cells));
	}
	a->details[d].refs++;
	s->cells[s->n_cells] = (struct cell){.detail = (uint16_t)d};
	return &s->cells[s->n_cells++];
}

static void add_to_slot(struct account *a, struct slot *s, uint64_t key, const char *comm,
	uint32_t count, uint64_t ns, uint64_t max_ns)
{
	struct cell *c = cell_for(a, s, key, comm);

	/* No room: count it among "all the others" of its kind and type. */
	if (!c) {
		key = detail_key(detail_key_kind(key), detail_key_type(key), 0, MODEL_NO_ID);
		c = cell_for(a, s, key, NULL);
	}
	if (!c)
		return;
	c->count += count;
	c->ns += ns;
	c->max_ns = MAX(c->max_ns, max_ns);
}

static void add_details(struct account *a, struct slot *s, const struct charge *c, uint64_t ns)
{
	if (c->event != MODEL_NO_ID)
		add_to_slot(a, s, detail_key(DETAIL_EVENT, c->type, 0, c->event), NULL, 0, ns, 0);
	if (c->stack != MODEL_NO_ID)
		add_to_slot(a, s, detail_key(DETAIL_STACK, c->type, 0, c->stack), NULL, 0, ns, 0);
}

static void spread(struct account *a, const struct grid *g, uint64_t from_ns, uint64_t to_ns,
	const struct charge *c, bool times, bool details)
{
	uint64_t keep_ns = g->n_kept * g->slot_ns;

	if (to_ns > keep_ns && from_ns < to_ns - keep_ns)
		from_ns = to_ns - keep_ns; /* out of any window: do not walk there */
	while (from_ns < to_ns) {
		uint64_t no = grid_slot(g, from_ns);
		uint64_t end = MIN(to_ns, grid_start_ns(g, no + 1));
		struct slot *s = slot_for(a, g, no);

		if (s && times)
			s->times.ns[c->type] += end - from_ns;
		if (s && details)
			add_details(a, s, c, end - from_ns);
		from_ns = end;
	}
}

void account_charge(struct account *a, const struct grid *g, uint64_t from_ns, uint64_t to_ns,
	const struct charge *c)
{
	spread(a, g, from_ns, to_ns, c, true, c->details);
}

void account_add_details(struct account *a, const struct grid *g, uint64_t from_ns, uint64_t to_ns,
	const struct charge *c)
{
	spread(a, g, from_ns, to_ns, c, false, true);
}

void account_wait(struct account *a, const struct grid *g, uint64_t at_ns, uint64_t max_wait_ns)
{
	struct slot *s = slot_for(a, g, grid_slot(g, at_ns));

	if (!s)
		return;
	s->waits++;
	s->max_wait_ns = MAX(s->max_wait_ns, max_wait_ns);
}

static void add_length(struct slot *s, uint8_t type, uint8_t bin, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < s->n_lengths; i++)
		if (s->lengths[i].type == type && s->lengths[i].bin == bin)
			break;
	if (i == s->n_lengths) {
		if (i == s->cap_lengths) {
			s->cap_lengths = i ? i * 2 : 8;
			s->lengths = xrealloc(s->lengths, s->cap_lengths, sizeof(*s->lengths));
		}
		s->lengths[s->n_lengths++] = (struct length){.type = type, .bin = bin};
	}
	s->lengths[i].count += count;
}

void account_length(struct account *a, const struct grid *g, uint64_t at_ns, uint8_t type,
	uint8_t bin, uint32_t count)
{
	struct slot *s = slot_for(a, g, grid_slot(g, at_ns));

	if (s)
		add_length(s, type, bin, count);
}

void account_detail(struct account *a, const struct grid *g, uint64_t at_ns, uint64_t key,
	const char *comm, uint32_t count, uint64_t ns, uint64_t max_ns)
{
	struct slot *s = slot_for(a, g, grid_slot(g, at_ns));

	if (s)
		add_to_slot(a, s, key, comm, count, ns, max_ns);
}

/* The order of types inside a slot is lost, so they are laid one after the other: whatever the new
 * slots are, each gets just as many nanoseconds as it is long. */
static void move_slot(struct account *to, const struct grid *to_grid, const struct account *from,
	const struct slot *s, uint64_t start_ns, uint64_t end_ns)
{
	uint64_t sum = wait_times_sum(&s->times), at = end_ns - sum;
	bool fits = end_ns > start_ns && sum <= end_ns - start_ns;
	struct slot *into;

	for (int type = 0; fits && type < WAIT_NR; type++) {
		struct charge c = {.type = (uint8_t)type};
		account_charge(to, to_grid, at, at + s->times.ns[type], &c);
		at += s->times.ns[type];
	}
	into = slot_for(to, to_grid, grid_slot(to_grid, end_ns ? end_ns - 1 : 0));
	if (!into)
		return;
	if (!fits) /* several backends' time in one account */
		wait_times_add(&into->times, &s->times);
	into->waits += s->waits;
	into->max_wait_ns = MAX(into->max_wait_ns, s->max_wait_ns);
	for (uint32_t i = 0; i < s->n_cells; i++) {
		const struct cell *c = &s->cells[i];
		const struct detail *d = &from->details[c->detail];
		add_to_slot(to, into, d->key, d->comm, c->count, c->ns, c->max_ns);
	}
	for (uint32_t i = 0; i < s->n_lengths; i++)
		add_length(into, s->lengths[i].type, s->lengths[i].bin, s->lengths[i].count);
}

void account_move(struct account *to, const struct grid *to_grid, struct account *from,
	const struct grid *from_grid, uint64_t oldest_no, uint64_t charged_to_ns)
{
	uint64_t newest = 0;

	for (int i = 0; i < MODEL_MAX_SLOTS; i++)
		if (from->slots[i])
			newest = MAX(newest, from->slots[i]->no);
	/* Oldest first: a newer slot may push out an older one, never the reverse. */
	for (uint64_t back = from_grid->n_kept; back-- > 0;) {
		const struct slot *s =
			newest >= back ? account_slot(from, from_grid, newest - back) : NULL;
		if (s && s->no >= oldest_no)
			move_slot(to, to_grid, from, s, grid_start_ns(from_grid, s->no),
				MIN(grid_start_ns(from_grid, s->no + 1), charged_to_ns));
	}
	account_done(from);
}

void account_fold(struct account *to, const struct grid *g, const struct account *from)
{
	for (int i = 0; i < MODEL_MAX_SLOTS; i++) {
		const struct slot *s = from->slots[i];
		struct slot *into = s ? slot_for(to, g, s->no) : NULL;

		if (into) {
			wait_times_add(&into->times, &s->times);
			into->waits += s->waits;
		}
	}
}

void account_done(struct account *a)
{
	for (int i = 0; i < MODEL_MAX_SLOTS; i++) {
		if (a->slots[i]) {
			free(a->slots[i]->cells);
			free(a->slots[i]->lengths);
		}
		free(a->slots[i]);
	}
	free(a->details);
	memset(a, 0, sizeof(*a));
}
