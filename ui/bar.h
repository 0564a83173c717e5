/* The breakdown bar: how many of its cells each wait type gets. */
#ifndef PGTOP_BAR_H
#define PGTOP_BAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"
#include "waittype.h"

/*
 * Apportions width cells to the types of *t by largest remainder. The cells sum to width exactly,
 * unless *t is all zero (then all are 0). A type that would round to nothing but took at least
 * 1/(2 * width) of the time still gets a cell, taken from the longest. Ties go to the type that
 * comes first, so the result is a function of its arguments alone.
 */
void bar_cells(const struct wait_times *t, int width, int cells[WAIT_NR]);

/* Draws the bar at x, y, types in their fixed order. Nothing is drawn where *t is all zero. */
void bar_draw(struct frame *f, int x, int y, int width, const struct wait_times *t);

/* True if the n slots that cover covered_ns are a whole window, but for less than one slot. */
bool bar_window_full(size_t n, uint64_t covered_ns, uint64_t window_ns);

/* How many of width cells, at their right end, the known part of the window takes: all of them once
 * it is full, at least one where there is a slot. */
int bar_known_cells(int width, size_t n, uint64_t covered_ns, uint64_t window_ns);

/* width cells along time, newest at the right, in the colour and glyph of the type that dominated
 * each cell's share of the slots. WAIT_NR: blank. */
void bar_history(struct frame *f, int x, int y, int width, const uint8_t *slots, size_t n);

/* The slots [*first, *last) that cell i of width shows: slots share a cell, or cells share a slot,
 * whichever are more, as evenly as whole numbers allow. Empty only if n is 0. */
void bar_slots(int width, size_t n, int i, size_t *first, size_t *last);

/* The type most frequent among n slots; WAIT_NR if none was watched. Ties go to the later slot. */
int bar_dominant(const uint8_t *slots, size_t n);

#endif
