/*
 * Editing of a line. Owns nothing; pure. Invariants: text is len bytes long and terminated; the
 * cursor stands at the beginning of a character with its combining marks, or at the end. Bytes that
 * are not UTF-8 (from a command line) stay as they are, each a character. Knows no mode and no
 * meaning of the text.
 */
#include "line.h"

#include <string.h>

#include "keys.h"
#include "text.h"

void line_set(struct ui_line *line, const char *s)
{
	size_t len = s ? strlen(s) : 0, max = sizeof(line->text) - 1;

	if (len > max)
		for (len = max; len > 0 && (s[len] & 0xc0) == 0x80;)
			len--;
	if (len)
		memcpy(line->text, s, len);
	line->text[len] = '\0';
	line->len = line->at = len;
}

/* Where the character before, behind the cursor begins, ends. */
static size_t before(const struct ui_line *line)
{
	size_t at = 0, next;
	int cells;

	while (at < line->at) {
		next = at + text_next(line->text + at, line->len - at, &cells);
		if (next >= line->at)
			break;
		at = next;
	}
	return at;
}

static size_t behind(const struct ui_line *line)
{
	int cells;

	return line->at + text_next(line->text + line->at, line->len - line->at, &cells);
}

/* Takes the bytes [from, to) out; the cursor goes there. */
static bool cut(struct ui_line *line, size_t from, size_t to)
{
	if (from >= to)
		return false;
	memmove(line->text + from, line->text + to, line->len - to + 1);
	line->len -= to - from;
	line->at = from;
	return true;
}

static bool cut_word(struct ui_line *line)
{
	size_t from = line->at;

	while (from > 0 && line->text[from - 1] == ' ')
		from--;
	while (from > 0 && line->text[from - 1] != ' ')
		from--;
	return cut(line, from, line->at);
}

bool line_insert(struct ui_line *line, int key)
{
	char utf8[4];
	size_t n;

	if (key < 0x20 || key >= UI_KEY_BASE || (key >= 0xd800 && key < 0xe000) ||
		text_char_width((uint32_t)key) < (line->at == 0))
		return false;
	n = text_encode(utf8, (uint32_t)key);
	if (line->len + n >= sizeof(line->text))
		return false;
	memmove(line->text + line->at + n, line->text + line->at, line->len - line->at + 1);
	memcpy(line->text + line->at, utf8, n);
	line->len += n;
	line->at += n;
	return true;
}

bool line_edit(struct ui_line *line, int key, bool *ret_known)
{
	*ret_known = true;
	switch (key) {
	case UI_KEY_LEFT:
		line->at = before(line);
		return false;
	case UI_KEY_RIGHT:
		line->at = behind(line);
		return false;
	case UI_KEY_HOME:
		line->at = 0;
		return false;
	case UI_KEY_END:
		line->at = line->len;
		return false;
	case UI_KEY_BACKSPACE:
		return cut(line, before(line), line->at);
	case UI_KEY_DELETE:
		return cut(line, line->at, behind(line));
	case UI_KEY_CTRL_U:
		return cut(line, 0, line->at);
	case UI_KEY_CTRL_W:
		return cut_word(line);
	default:
		*ret_known = false;
		return false;
	}
}
