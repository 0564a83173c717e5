/*
 * A diagnostic in PostgreSQL's message style: what could not be done and why, then what to do.
 *
 * Code outside main does not print: it fills one of these and returns -errno. The primary text
 * starts in lower case and has no period at its end; the hint is a sentence.
 */
#ifndef PGTOP_DIAG_H
#define PGTOP_DIAG_H

struct diag {
	char summary[320]; /* "could not open \"...\": Permission denied" */
	char hint[512];	   /* "Run it with sudo." or "" */
};

/* Fills *d and returns err (a negative errno), so that `return diag_set(d, -EPERM, ...)` works.
 * d may be NULL. The hint is cleared. */
int diag_set(struct diag *d, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Sets the hint of *d. d may be NULL. */
void diag_hint(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
