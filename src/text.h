/*
 * Text of unknown encoding made safe, and text measured in terminal cells.
 *
 * Untrusted text (names, query texts, titles, symbols, paths) is cleaned once, where it enters the
 * snapshot. From then on it is valid UTF-8 without anything that moves the cursor, and may be
 * measured and cut by the functions below.
 *
 * Widths are those of libc's wcwidth(), because curses takes its own from there and the two must
 * agree. wcwidth() needs a UTF-8 LC_CTYPE: the process's own is used when it is one (main calls
 * setlocale(LC_CTYPE, "")), otherwise "C.UTF-8" without touching the process's locale. Where a
 * system has neither, every non-ASCII character counts as one cell.
 */
#ifndef PGTOP_TEXT_H
#define PGTOP_TEXT_H

#include <locale.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

#define TEXT_BAD	   UINT32_MAX /* a byte that is no character */
#define TEXT_MAX_COMBINING 4	      /* marks kept on one base character */

enum text_flags {
	TEXT_ONE_LINE = 0,   /* '\n' and '\t' become a space */
	TEXT_KEEP_LINES = 1, /* '\n' and '\t' stay: query texts */
};

/*
 * Cleans up to len bytes at src, or up to the first NUL, into dst (size bytes, NUL included), and
 * returns the length of the result. Cut at a character's edge where dst is too small; size 0
 * writes nothing. The result is never longer than the source, and dst may be src.
 *
 * Becomes '?': a byte that is not UTF-8 (overlong forms, surrogates, beyond U+10FFFF included);
 * C0, DEL, C1; bidi controls, zero-width and other invisible format characters (shown, so that two
 * names that differ do not look the same); a character without a known width; a combining mark
 * with nothing to combine with. Dropped: '\r' before '\n', variation selectors, combining marks
 * beyond TEXT_MAX_COMBINING.
 */
size_t text_clean(char *dst, size_t size, const char *src, size_t len, enum text_flags flags);

/* The same into memory of the arena. NULL if src is NULL. */
char *text_clean_arena(struct arena *a, const char *src, size_t len, enum text_flags flags);

/*
 * Copies s with each run of blanks and line breaks made one space, none at the ends: a query text
 * on one line. Returns the length; cut at a character's edge. dst must not overlap s.
 */
size_t text_fold(char *dst, size_t size, const char *s);

/*
 * Decodes the code point at s (len > 0 bytes are readable) and returns how many bytes it takes.
 * A byte that is not part of valid UTF-8 yields TEXT_BAD and 1.
 */
size_t text_decode(const char *s, size_t len, uint32_t *cp);

/* Encodes cp (a valid code point) and returns the number of bytes, 1 to 4. No NUL. */
size_t text_encode(char out[4], uint32_t cp);

/* Cells of one code point: 0 (combining), 1, 2, or -1 (control, or no known width). */
int text_char_width(uint32_t cp);

/*
 * The first cell group of s: a character and the combining marks that follow it. Returns its
 * bytes (0 at the end) and its cells, 1 or 2. Of text that is not clean, a bad byte or a
 * character without a width is a group of one byte or character and one cell.
 */
size_t text_next(const char *s, size_t len, int *cells);

/* Cells of all of s. */
size_t text_width(const char *s);

/*
 * Bytes of the longest prefix of s of at most max_cells cells; never in the middle of a
 * character, of its combining marks or of a wide cell. *cells (NULL allowed) is its width: one
 * less than max_cells when a wide character did not fit.
 */
size_t text_cut(const char *s, size_t max_cells, size_t *cells);

/*
 * Makes the calling thread's LC_CTYPE a UTF-8 one if it is not (for wcwidth, regexec), and returns
 * what text_locale_pop() takes to undo it.
 */
locale_t text_locale_push(void);
void text_locale_pop(locale_t old);

#endif
