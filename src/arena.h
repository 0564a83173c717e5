/* An arena: memory that is freed all at once. Allocations are zeroed, 16-byte aligned. */
#ifndef PGTOP_ARENA_H
#define PGTOP_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a); /* NULL is allowed */

/* n * size zeroed bytes; never NULL. */
void *arena_alloc(struct arena *a, size_t n, size_t size);

/* A copy of s, or NULL if s is NULL. */
char *arena_strdup(struct arena *a, const char *s);

#endif
