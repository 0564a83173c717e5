/*
 * Interned names: small ids for what is said over and over (wait events, stacks). Ids are given out
 * from 0 on and stay valid as long as the table lives. Bounded: beyond the bound everything new is
 * NAMES_NONE.
 */
#ifndef PGTOP_NAMES_H
#define PGTOP_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define NAMES_NONE UINT32_MAX
#define NAMES_MAX  16384

struct names;

struct names *names_new(void);
void names_free(struct names *n); /* NULL is allowed */

/* The id of these bytes (any bytes, copied), or NAMES_NONE. */
uint32_t names_intern(struct names *n, const void *bytes, size_t len);

/* What that id stands for, NUL-terminated; its length in *ret_len (may be NULL). NULL for an id
 * that was not given out. Valid as long as the table lives. */
const char *names_get(const struct names *n, uint32_t id, size_t *ret_len);

#endif
