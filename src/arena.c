/* A chain of blocks, each at least as large as what it was made for. See arena.h. */
#include "arena.h"

#include <string.h>

#include "util.h"

#define BLOCK_BYTES 65536

struct block {
	struct block *next;
	size_t used, size;
	_Alignas(16) unsigned char data[];
};

struct arena {
	struct block *head;
};

struct arena *arena_new(void)
{
	return xcalloc(1, sizeof(struct arena));
}

void arena_free(struct arena *a)
{
	struct block *next;

	if (!a)
		return;
	for (struct block *b = a->head; b; b = next) {
		next = b->next;
		free(b);
	}
	free(a);
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	struct block *b = a->head;
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > SIZE_MAX / 2)
		xabort("out of memory");
	bytes = (bytes + 15) & ~(size_t)15;
	if (!b || b->size - b->used < bytes) {
		size_t want = MAX(bytes, (size_t)BLOCK_BYTES);
		b = xcalloc(1, sizeof(*b) + want);
		b->size = want;
		b->next = a->head;
		a->head = b;
	}
	p = b->data + b->used;
	b->used += bytes;
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	size_t len;

	if (!s)
		return NULL;
	len = strlen(s) + 1;
	return memcpy(arena_alloc(a, len, 1), s, len);
}
