/*
 * An account: one backend's time by type, in slots along the rolling window, with the details
 * (wait events, wakers, stacks, wait lengths) of each slot. Part of the model; nobody else
 * includes this.
 */
#ifndef PGTOP_ACCOUNT_H
#define PGTOP_ACCOUNT_H

#include "model.h"

/* Slots are [offset + no * slot_ns, offset + (no + 1) * slot_ns): the same for all accounts. */
struct grid {
	uint64_t window_ns, slot_ns, offset_ns;
	uint64_t n_kept; /* slots an account keeps: of the window and of the interval after it */
};

/* A grid for that window whose edges the ticks at now_ns + k * delay_ns fall on, if there is one
 * with not too many slots; with 25 to 120 slots. */
struct grid grid_choose(uint64_t window_ns, uint64_t delay_ns, uint64_t now_ns);

static inline uint64_t grid_slot(const struct grid *g, uint64_t t_ns)
{
	return t_ns < g->offset_ns ? 0 : (t_ns - g->offset_ns) / g->slot_ns;
}

static inline uint64_t grid_start_ns(const struct grid *g, uint64_t no)
{
	return g->offset_ns + no * g->slot_ns;
}

/* The first slot of the window that ends at now_ns: its edge is the one next to its start. */
uint64_t grid_first(const struct grid *g, uint64_t now_ns);

enum detail_kind { DETAIL_EVENT, DETAIL_WAKER, DETAIL_STACK, DETAIL_NR };

struct detail {
	uint64_t key;  /* kind, type, waker kind, id */
	uint32_t refs; /* cells that use it; 0: free */
	char comm[MODEL_COMM_BYTES];
};

struct cell {
	uint16_t detail;
	uint32_t count;
	uint64_t ns, max_ns;
};

/* How many finished waits of a type fell into that bin of the histogram. */
struct length {
	uint8_t type, bin;
	uint32_t count;
};

struct slot {
	uint64_t no;
	struct wait_times times;
	uint64_t waits, max_wait_ns;
	uint32_t n_cells, cap_cells;
	uint32_t n_lengths, cap_lengths;
	struct cell *cells;
	struct length *lengths; /* WAIT_NR * MODEL_HIST_BINS at most */
};

struct account {
	struct slot *slots[MODEL_MAX_SLOTS]; /* slot no is at no % n_kept; allocated at use */
	struct detail *details;
	uint32_t n_details, cap_details;
};

/* Frees the contents. */
void account_done(struct account *a);

static inline uint64_t detail_key(
	enum detail_kind kind, uint8_t type, uint8_t waker_kind, uint32_t id)
{
	return (uint64_t)kind << 56 | (uint64_t)type << 48 | (uint64_t)waker_kind << 40 | id;
}
static inline enum detail_kind detail_key_kind(uint64_t key)
{
	return key >> 56;
}
static inline uint8_t detail_key_type(uint64_t key)
{
	return key >> 48;
}
static inline uint8_t detail_key_waker(uint64_t key)
{
	return key >> 40;
}

/* What a stretch of time is charged to besides its type. */
struct charge {
	uint8_t type;
	bool details;
	uint32_t event, stack; /* MODEL_NO_ID: none */
};

/* Charges [from, to) to c, spread over the slots it covers. */
void account_charge(struct account *a, const struct grid *g, uint64_t from_ns, uint64_t to_ns,
	const struct charge *c);

/* Adds the details alone of [from, to), which was charged to the same type without them. */
void account_add_details(struct account *a, const struct grid *g, uint64_t from_ns, uint64_t to_ns,
	const struct charge *c);

/* Notes a finished wait in the slot of at_ns. max_wait_ns 0: not one of those shown as longest. */
void account_wait(struct account *a, const struct grid *g, uint64_t at_ns, uint64_t max_wait_ns);

/* Counts a finished wait in its bin of the histogram, in the slot of at_ns. */
void account_length(struct account *a, const struct grid *g, uint64_t at_ns, uint8_t type,
	uint8_t bin, uint32_t count);

/* Adds to one detail in the slot of at_ns. comm may be NULL. */
void account_detail(struct account *a, const struct grid *g, uint64_t at_ns, uint64_t key,
	const char *comm, uint32_t count, uint64_t ns, uint64_t max_ns);

/* Moves what lies in `from`, which is charged up to charged_to_ns, over to `to`, whose grid may be
 * another; slots before oldest_no are left behind. `from` is emptied. */
void account_move(struct account *to, const struct grid *to_grid, struct account *from,
	const struct grid *from_grid, uint64_t oldest_no, uint64_t charged_to_ns);

/* Adds the times and waits of `from`, on the same grid; not its details. */
void account_fold(struct account *to, const struct grid *g, const struct account *from);

/* The slot of that number, or NULL. */
static inline const struct slot *account_slot(
	const struct account *a, const struct grid *g, uint64_t no)
{
	const struct slot *s = a->slots[no % g->n_kept];
	return s && s->no == no ? s : NULL;
}

#endif
