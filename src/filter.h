/*
 * The row filter. Terms separated by blanks must all match; "!term" negates.
 *
 * A term is a case-insensitive extended regular expression, tried on pid, backend type, user,
 * database, client, application, state, wait event ("Lock:transactionid") and query. One of
 * user: db: app: client: state: type: event: query: pid: in front confines it. "Two words" in
 * double quotes are one term; inside quotes a prefix or "!" has no meaning, and \" is a quote.
 *
 * An expression that is no valid regular expression is matched literally, and so is one that libc
 * could not compile or match in reasonable time: with back references, a repetition right behind
 * another, many repeated groups, or large repetition counts. A term without text ("user:", "!")
 * does not restrict anything: the filter is applied while it is being typed.
 *
 * Wait events tried are the current wait's and those of the window's list. "type:lock" keeps rows
 * with time in that type inside the window; a word that is not the name of a type is a regular
 * expression on the names of the types with time. "pid:123" is that pid alone, also as
 * the backend's own pid namespace sees it. What is not known matches nothing (and so "!user:bob"
 * keeps a row without a user).
 */
#ifndef PGTOP_FILTER_H
#define PGTOP_FILTER_H

#include <stdbool.h>

#include "diag.h"
#include "snapshot.h"

#define FILTER_MAX_BYTES 1024
#define FILTER_MAX_TERMS 64

struct filter;

/*
 * Compiles expr into *ret, to be freed with filter_free(). An expression without terms yields a
 * filter that matches everything. -E2BIG when it is longer than the bounds above (d is filled).
 */
int filter_compile(const char *expr, struct filter **ret, struct diag *d);

/* True if all terms match. f may be NULL: matches everything. */
bool filter_match(const struct filter *f, const struct snap_backend *b);

/* True if there is nothing the filter could reject. NULL is allowed. */
bool filter_is_empty(const struct filter *f);

void filter_free(struct filter *f); /* NULL is allowed */

#endif
