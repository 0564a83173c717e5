/*
 * Last words, and allocation that cannot fail. See util.h. Owns the text of the last words: static,
 * for it is written when there is no memory, and read in a signal handler.
 */
#include "util.h"

#include <signal.h>

#include <stdarg.h>
#include <string.h>

static char words[256];
static volatile sig_atomic_t keep_words;

void xabort_keep_words(bool keep)
{
	keep_words = keep;
}

const char *xabort_words(void)
{
	return words;
}

void xabort(const char *what)
{
	static const char name[] = "pgtop-offcpu: ";
	size_t len = strnlen(what, sizeof(words) - sizeof(name) - 1);

	/* The '\0' behind it is there from the start. */
	memcpy(words, name, sizeof(name) - 1);
	memcpy(words + sizeof(name) - 1, what, len);
	words[sizeof(name) - 1 + len] = '\n';
	if (!keep_words)
		(void)!write(STDERR_FILENO, words, strlen(words));
	abort();
}

static void *check(void *p)
{
	if (!p)
		xabort("out of memory");
	return p;
}

void *xmalloc(size_t size)
{
	return check(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return check(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t n, size_t size)
{
	return check(reallocarray(p, n ? n : 1, size ? size : 1));
}

char *xstrdup(const char *s)
{
	return check(strdup(s));
}

char *xasprintf(const char *fmt, ...)
{
	char *s = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0)
		s = NULL;
	va_end(ap);
	return check(s);
}
