/* Bars and history strips over a frame. Owns nothing; pure. See bar.h. */
#include "bar.h"

#include <string.h>

#include "util.h"

/* The type with the largest value in v; the first of equals. */
static int largest(const uint64_t v[WAIT_NR])
{
	int best = 0;

	for (int i = 1; i < WAIT_NR; i++)
		if (v[i] > v[best])
			best = i;
	return best;
}

void bar_cells(const struct wait_times *t, int width, int cells[WAIT_NR])
{
	unsigned __int128 sum = 0;
	uint64_t rest[WAIT_NR];
	int used = 0;

	memset(cells, 0, WAIT_NR * sizeof(cells[0]));
	for (int i = 0; i < WAIT_NR; i++)
		sum += t->ns[i];
	if (sum == 0 || width <= 0)
		return;
	for (int i = 0; i < WAIT_NR; i++) {
		unsigned __int128 share = (unsigned __int128)t->ns[i] * (unsigned)width;

		cells[i] = (int)(share / sum);
		/* The remainders compare as 64-bit fractions of a cell. */
		rest[i] = (uint64_t)(((share % sum) << 32) / sum);
		used += cells[i];
	}
	for (; used < width; used++) {
		int i = largest(rest);

		cells[i]++;
		rest[i] = 0;
	}
	for (int i = 0; i < WAIT_NR; i++) {
		int from = 0;

		if (cells[i] > 0 || (unsigned __int128)t->ns[i] * 2 * (unsigned)width < sum ||
			t->ns[i] == 0)
			continue;
		for (int j = 1; j < WAIT_NR; j++)
			if (cells[j] > cells[from])
				from = j;
		if (cells[from] < 2)
			break;
		cells[from]--;
		cells[i]++;
	}
}

static void put_cell(struct frame *f, int x, int y, enum wait_type type)
{
	frame_glyph(f, x, y, style_bar(type), (unsigned char)wait_type_glyph(type));
}

void bar_draw(struct frame *f, int x, int y, int width, const struct wait_times *t)
{
	int cells[WAIT_NR];

	bar_cells(t, width, cells);
	for (int i = 0; i < WAIT_NR; i++)
		for (int n = 0; n < cells[i]; n++)
			put_cell(f, x++, y, (enum wait_type)i);
}

int bar_dominant(const uint8_t *slots, size_t n)
{
	size_t count[WAIT_NR] = {0};
	int best = WAIT_NR;

	for (size_t i = 0; i < n; i++)
		if (slots[i] < WAIT_NR)
			count[slots[i]]++;
	for (size_t i = 0; i < n; i++)
		if (slots[i] < WAIT_NR && (best == WAIT_NR || count[slots[i]] >= count[best]))
			best = slots[i];
	return best;
}

bool bar_window_full(size_t n, uint64_t covered_ns, uint64_t window_ns)
{
	return n > 0 && covered_ns + covered_ns / n >= window_ns;
}

int bar_known_cells(int width, size_t n, uint64_t covered_ns, uint64_t window_ns)
{
	unsigned __int128 cells;

	if (n == 0 || width <= 0)
		return 0;
	if (bar_window_full(n, covered_ns, window_ns))
		return width;
	cells = ((unsigned __int128)covered_ns * (unsigned)width + window_ns / 2) / window_ns;
	return MAX(1, (int)cells);
}

void bar_slots(int width, size_t n, int i, size_t *first, size_t *last)
{
	size_t w = (size_t)MAX(width, 1), pos = (size_t)MAX(i, 0);

	*first = MIN(pos * n / w, n);
	*last = n <= w ? MIN(*first + 1, n) : MIN((pos + 1) * n / w, n);
}

void bar_history(struct frame *f, int x, int y, int width, const uint8_t *slots, size_t n)
{
	for (int i = 0; i < width; i++) {
		size_t first, last;
		int type;

		bar_slots(width, n, i, &first, &last);
		type = last > first ? bar_dominant(slots + first, last - first) : WAIT_NR;
		if (type != WAIT_NR)
			put_cell(f, x + i, y, (enum wait_type)type);
	}
}
