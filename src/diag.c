/* Diagnostics: see diag.h. Owns nothing; truncates silently at the buffer's end. */
#include "diag.h"

#include <stdarg.h>
#include <stdio.h>

int diag_set(struct diag *d, int err, const char *fmt, ...)
{
	va_list ap;

	if (!d)
		return err;
	va_start(ap, fmt);
	vsnprintf(d->summary, sizeof(d->summary), fmt, ap);
	va_end(ap);
	d->hint[0] = '\0';
	return err;
}

void diag_hint(struct diag *d, const char *fmt, ...)
{
	va_list ap;

	if (!d)
		return;
	va_start(ap, fmt);
	vsnprintf(d->hint, sizeof(d->hint), fmt, ap);
	va_end(ap);
}
