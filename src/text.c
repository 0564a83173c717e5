/*
 * Cleaning, decoding, measuring and cutting text. See text.h.
 *
 * Owns one locale object, made at first use and kept. Invariant of the cleaned text: every byte is
 * part of a valid character whose width wcwidth() knows, and none is a control but '\n' and
 * '\t' where they were asked for. Must not know what the text is for.
 */
#include "text.h"

#include <langinfo.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

#include "arena.h"
#include "util.h"

/*
 * Characters that draw nothing, or move what follows, yet are printable to wcwidth(). Sorted.
 */
static const struct {
	uint32_t first, last;
} invisible[] = {
	{0x00ad, 0x00ad},   /* soft hyphen */
	{0x034f, 0x034f},   /* combining grapheme joiner */
	{0x061c, 0x061c},   /* Arabic letter mark */
	{0x115f, 0x1160},   /* Hangul fillers */
	{0x17b4, 0x17b5},   /* Khmer inherent vowels */
	{0x180b, 0x180f},   /* Mongolian selectors and vowel separator */
	{0x200b, 0x200f},   /* zero-width space and joiners, bidi marks */
	{0x2028, 0x202e},   /* line and paragraph separator, bidi embeddings and overrides */
	{0x2060, 0x206f},   /* word joiner, invisible operators, bidi isolates */
	{0x3164, 0x3164},   /* Hangul filler */
	{0xfeff, 0xfeff},   /* byte order mark */
	{0xffa0, 0xffa0},   /* half-width Hangul filler */
	{0xfff0, 0xfffb},   /* interlinear annotation */
	{0x1bca0, 0x1bca3}, /* shorthand format controls */
	{0x1d173, 0x1d17a}, /* musical format controls */
	{0xe0000, 0xe00ff}, /* tags */
	{0xe01f0, 0xe0fff},
};

static bool is_invisible(uint32_t cp)
{
	for (size_t i = 0; i < ARRAY_SIZE(invisible) && invisible[i].first <= cp; i++)
		if (cp <= invisible[i].last)
			return true;
	return false;
}

/* They choose between two looks of a character, about whose width terminals then disagree. */
static bool is_variation_selector(uint32_t cp)
{
	return (cp >= 0xfe00 && cp <= 0xfe0f) || (cp >= 0xe0100 && cp <= 0xe01ef);
}

static bool is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0);
}

static locale_t utf8_locale(void)
{
	static locale_t locale;
	static bool tried;

	if (!tried) {
		static const char *const names[] = {"C.UTF-8", "C.utf8", "en_US.UTF-8"};

		tried = true;
		for (size_t i = 0; !locale && i < ARRAY_SIZE(names); i++)
			locale = newlocale(LC_CTYPE_MASK, names[i], NULL);
	}
	return locale;
}

static bool locale_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

locale_t text_locale_push(void)
{
	locale_t utf8;

	if (locale_is_utf8())
		return NULL;
	utf8 = utf8_locale();
	return utf8 ? uselocale(utf8) : NULL;
}

void text_locale_pop(locale_t old)
{
	if (old)
		uselocale(old);
}

size_t text_decode(const char *s, size_t len, uint32_t *cp)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)s;
	uint32_t c = p[0];
	size_t n;

	if (c < 0x80) {
		*cp = c;
		return 1;
	}
	if ((c & 0xe0) == 0xc0) {
		n = 2;
		c &= 0x1f;
	} else if ((c & 0xf0) == 0xe0) {
		n = 3;
		c &= 0x0f;
	} else if ((c & 0xf8) == 0xf0) {
		n = 4;
		c &= 0x07;
	} else {
		goto bad;
	}
	if (n > len)
		goto bad;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			goto bad;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		goto bad;
	*cp = c;
	return n;
bad:
	*cp = TEXT_BAD;
	return 1;
}

size_t text_encode(char out[4], uint32_t cp)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

int text_char_width(uint32_t cp)
{
	locale_t old;
	int width;

	if (cp == TEXT_BAD || is_control(cp))
		return -1;
	if (cp < 0x7f)
		return 1;
	if (!locale_is_utf8() && !utf8_locale())
		return 1;
	old = text_locale_push();
	width = wcwidth((wchar_t)cp);
	text_locale_pop(old);
	return width > 2 ? -1 : width;
}

/* What becomes of one decoded character: its bytes as they are, one other byte, or nothing. */
enum fate { KEEP, DROP, SPACE, MARK };

static enum fate judge(uint32_t cp, enum text_flags flags, int *marks)
{
	int width;

	if (cp == '\n' || cp == '\t') {
		*marks = -1;
		return flags & TEXT_KEEP_LINES ? KEEP : SPACE;
	}
	if (is_variation_selector(cp))
		return DROP;
	width = is_invisible(cp) ? -1 : text_char_width(cp);
	if (width == 0) {
		if (*marks < 0)
			width = -1; /* nothing on this line to combine with */
		else
			return (*marks)++ < TEXT_MAX_COMBINING ? KEEP : DROP;
	}
	*marks = 0;
	return width < 0 ? MARK : KEEP;
}

size_t text_clean(char *dst, size_t size, const char *src, size_t len, enum text_flags flags)
{
	size_t out = 0, in = 0, n;
	int marks = -1; /* marks on the current character; -1: there is none */
	uint32_t cp;

	if (!size)
		return 0;
	for (; in < len && src[in]; in += n) {
		enum fate fate;

		n = text_decode(src + in, len - in, &cp);
		if (cp == '\r' && in + 1 < len && src[in + 1] == '\n')
			continue;
		fate = judge(cp, flags, &marks);
		if (fate == DROP)
			continue;
		if (out + (fate == KEEP ? n : 1) >= size)
			break;
		if (fate == KEEP) {
			memmove(dst + out, src + in, n);
			out += n;
		} else {
			dst[out++] = fate == SPACE ? ' ' : '?';
		}
	}
	dst[out] = '\0';
	return out;
}

char *text_clean_arena(struct arena *a, const char *src, size_t len, enum text_flags flags)
{
	char *dst;

	if (!src)
		return NULL;
	len = strnlen(src, len);
	dst = arena_alloc(a, len + 1, 1);
	text_clean(dst, len + 1, src, len, flags);
	return dst;
}

size_t text_fold(char *dst, size_t size, const char *s)
{
	size_t out = 0, left = strlen(s), n;
	bool blank = false;
	uint32_t cp;

	if (!size)
		return 0;
	for (; left; s += n, left -= n) {
		n = text_decode(s, left, &cp);
		if (cp == ' ' || (cp >= '\t' && cp <= '\r')) {
			blank = out > 0;
			continue;
		}
		if (out + blank + n >= size)
			break;
		if (blank)
			dst[out++] = ' ';
		blank = false;
		memcpy(dst + out, s, n);
		out += n;
	}
	dst[out] = '\0';
	return out;
}

size_t text_next(const char *s, size_t len, int *cells)
{
	size_t n, m;
	uint32_t cp;
	int width;

	*cells = 0;
	if (!len)
		return 0;
	n = text_decode(s, len, &cp);
	width = text_char_width(cp);
	*cells = width == 2 ? 2 : 1;
	if (width < 1)
		return n;
	while (n < len && (s[n] & 0x80)) {
		m = text_decode(s + n, len - n, &cp);
		if (text_char_width(cp) != 0)
			break;
		n += m;
	}
	return n;
}

size_t text_width(const char *s)
{
	size_t cells;

	text_cut(s, SIZE_MAX, &cells);
	return cells;
}

size_t text_cut(const char *s, size_t max_cells, size_t *cells)
{
	size_t len = strlen(s), at = 0, used = 0, n;
	int width;

	while ((n = text_next(s + at, len - at, &width)) && used + (size_t)width <= max_cells) {
		at += n;
		used += (size_t)width;
	}
	if (cells)
		*cells = used;
	return at;
}
