/* An open-addressing hash of copied byte strings. See names.h. */
#include "names.h"

#include <string.h>

#include "util.h"

#define BUCKETS (NAMES_MAX * 2) /* a power of two, half full at most */

struct names {
	char **bytes;
	size_t *len;
	uint32_t n, cap;
	uint32_t bucket[BUCKETS]; /* id + 1; 0: free */
};

struct names *names_new(void)
{
	return xcalloc(1, sizeof(struct names));
}

void names_free(struct names *n)
{
	if (!n)
		return;
	for (uint32_t i = 0; i < n->n; i++)
		free(n->bytes[i]);
	free(n->bytes);
	free(n->len);
	free(n);
}

/* FNV-1a. */
static uint32_t hash(const unsigned char *p, size_t len)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	while (len--)
		h = (h ^ *p++) * 0x100000001b3ULL;
	return (uint32_t)(h ^ h >> 32);
}

static uint32_t add(struct names *n, const void *bytes, size_t len)
{
	char *copy = xmalloc(len + 1);

	if (n->n == n->cap) {
		n->cap = n->cap ? n->cap * 2 : 64;
		n->bytes = xrealloc(n->bytes, n->cap, sizeof(*n->bytes));
		n->len = xrealloc(n->len, n->cap, sizeof(*n->len));
	}
	memcpy(copy, bytes, len);
	copy[len] = '\0';
	n->bytes[n->n] = copy;
	n->len[n->n] = len;
	return n->n++;
}

uint32_t names_intern(struct names *n, const void *bytes, size_t len)
{
	uint32_t i = hash(bytes, len) & (BUCKETS - 1);

	for (; n->bucket[i]; i = (i + 1) & (BUCKETS - 1)) {
		uint32_t id = n->bucket[i] - 1;
		if (n->len[id] == len && !memcmp(n->bytes[id], bytes, len))
			return id;
	}
	if (n->n == NAMES_MAX)
		return NAMES_NONE;
	n->bucket[i] = add(n, bytes, len) + 1;
	return n->n - 1;
}

const char *names_get(const struct names *n, uint32_t id, size_t *ret_len)
{
	if (id >= n->n)
		return NULL;
	if (ret_len)
		*ret_len = n->len[id];
	return n->bytes[id];
}
