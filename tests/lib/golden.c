/* Golden screens. Owns nothing. See golden.h. */
#include "golden.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "util.h"

static void dump_text(FILE *out, const struct frame *f, int y)
{
	for (int x = 0; x < f->w; x++) {
		const struct cell *c = frame_at(f, x, y);

		for (int i = 0; i < CELL_CHARS && c->ch[i]; i++) {
			char utf8[4];

			fwrite(utf8, 1, text_encode(utf8, c->ch[i]), out);
		}
	}
	fputs("|\n", out);
}

static void dump_styles(FILE *out, const struct frame *f, int y)
{
	int from = 0;

	fputs("\t", out);
	for (int x = 1; x <= f->w; x++) {
		const struct cell *c = frame_at(f, from, y), *next = frame_at(f, x, y);
		char name[STYLE_NAME_BUF];

		if (next && next->style == c->style && next->selected == c->selected)
			continue;
		fprintf(out, "%s%s%s*%d", from ? " " : "",
			style_name((enum ui_style)c->style, name), c->selected ? "+" : "",
			x - from);
		from = x;
	}
	fputs("\n", out);
}

char *golden_dump(const struct frame *f)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (int y = 0; y < f->h; y++) {
		dump_text(out, f, y);
		dump_styles(out, f, y);
	}
	if (f->cursor)
		fprintf(out, "cursor %d,%d\n", f->cursor_x, f->cursor_y);
	fclose(out);
	return text;
}

static char *read_file(const char *path)
{
	_cleanup_fclose_ FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!in || getdelim(&text, &size, '\0', in) < 0) {
		free(text);
		return xstrdup("");
	}
	return text;
}

static void print_difference(const char *want, const char *got)
{
	for (int line = 1; *want || *got; line++) {
		size_t w = strcspn(want, "\n"), g = strcspn(got, "\n");

		if (w != g || memcmp(want, got, w) != 0)
			print_message("line %d\n- %.*s\n+ %.*s\n", line, (int)w, want, (int)g, got);
		want += w + (want[w] == '\n');
		got += g + (got[g] == '\n');
	}
}

bool golden_check(const struct frame *f, const char *name)
{
	_cleanup_free_ char *path = xasprintf("tests/fixtures/golden/%s.txt", name);
	_cleanup_free_ char *got = golden_dump(f), *want = NULL;
	const char *generate = getenv("GENERATE");

	golden_assert_sound(f);
	if (generate && *generate == '1') {
		_cleanup_fclose_ FILE *out = fopen(path, "w");

		return out && fputs(got, out) >= 0;
	}
	want = read_file(path);
	if (!strcmp(want, got))
		return true;
	print_message("%s differs:\n", path);
	print_difference(want, got);
	return false;
}

void golden_assert_sound(const struct frame *f)
{
	for (int y = 0; y < f->h; y++) {
		int rest = 0; /* cells of a wide character still to come */

		for (int x = 0; x < f->w; x++) {
			const struct cell *c = frame_at(f, x, y);

			assert_int_equal(c->width == 0, rest > 0);
			rest = c->width > 0 ? c->width - 1 : rest - 1;
			assert_int_equal(c->ch[0] == 0, c->width == 0);
			assert_true(c->style < STYLE_NR);
			for (int i = 0; i < CELL_CHARS && c->ch[i]; i++) {
				assert_true(c->ch[i] >= 0x20);
				assert_false(c->ch[i] >= 0x7f && c->ch[i] < 0xa0);
				assert_true(f->utf8 || c->ch[i] < 0x80);
			}
		}
		assert_int_equal(rest, 0);
	}
	if (f->cursor) {
		assert_in_range(f->cursor_x, 0, f->w - 1);
		assert_in_range(f->cursor_y, 0, f->h - 1);
	}
}
