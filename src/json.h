/*
 * A streaming JSON writer into a struct buf. Puts the commas; nesting is checked by assertion.
 *
 * In an object every value has a key, in an array (and at the top) the key is NULL. Keys are
 * written as they are: constants of the program. Strings are escaped, and stay valid UTF-8 on any
 * input: a byte that is none becomes U+FFFD.
 */
#ifndef PGTOP_JSON_H
#define PGTOP_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

#define JSON_MAX_DEPTH 16

struct json {
	struct buf *out;
	unsigned int depth;
	bool in_object[JSON_MAX_DEPTH];
	bool has_item[JSON_MAX_DEPTH];
};

void json_init(struct json *j, struct buf *out);
void json_object(struct json *j, const char *key);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *key);
void json_array_end(struct json *j);
void json_str(struct json *j, const char *key, const char *s); /* NULL: null */
void json_u64(struct json *j, const char *key, uint64_t v);
void json_i64(struct json *j, const char *key, int64_t v);
void json_double(struct json *j, const char *key, double v); /* not finite: null */
void json_bool(struct json *j, const char *key, bool v);
void json_null(struct json *j, const char *key);

#endif
