/*
 * The JSON writer. See json.h. Knows the grammar, not what is written.
 */
#include "json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "text.h"
#include "units.h"

void json_init(struct json *j, struct buf *out)
{
	*j = (struct json){.out = out};
}

/* The comma and the key in front of a value. */
static void begin_value(struct json *j, const char *key)
{
	assert(!!key == j->in_object[j->depth]);
	if (j->has_item[j->depth])
		buf_putc(j->out, ',');
	j->has_item[j->depth] = true;
	if (key) {
		buf_putc(j->out, '"');
		buf_puts(j->out, key);
		buf_puts(j->out, "\":");
	}
}

static void push(struct json *j, const char *key, bool object)
{
	begin_value(j, key);
	assert(j->depth + 1 < JSON_MAX_DEPTH);
	j->depth++;
	j->in_object[j->depth] = object;
	j->has_item[j->depth] = false;
	buf_putc(j->out, object ? '{' : '[');
}

static void pop(struct json *j, bool object)
{
	assert(j->depth > 0 && j->in_object[j->depth] == object);
	j->depth--;
	buf_putc(j->out, object ? '}' : ']');
}

void json_object(struct json *j, const char *key)
{
	push(j, key, true);
}

void json_object_end(struct json *j)
{
	pop(j, true);
}

void json_array(struct json *j, const char *key)
{
	push(j, key, false);
}

void json_array_end(struct json *j)
{
	pop(j, false);
}

static void add_escaped(struct buf *out, uint32_t cp, const char *s, size_t n)
{
	switch (cp) {
	case '"':
		buf_puts(out, "\\\"");
		break;
	case '\\':
		buf_puts(out, "\\\\");
		break;
	case '\n':
		buf_puts(out, "\\n");
		break;
	case '\t':
		buf_puts(out, "\\t");
		break;
	case '\r':
		buf_puts(out, "\\r");
		break;
	case TEXT_BAD:
		buf_puts(out, "\\ufffd");
		break;
	default:
		/* C1 and DEL as well: a JSON file, too, gets looked at in a terminal. */
		if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
			buf_printf(out, "\\u%04x", (unsigned int)cp);
		else
			buf_add(out, s, n);
	}
}

void json_str(struct json *j, const char *key, const char *s)
{
	size_t left, plain = 0, n;
	uint32_t cp;

	if (!s) {
		json_null(j, key);
		return;
	}
	begin_value(j, key);
	buf_putc(j->out, '"');
	for (left = strlen(s); left > plain;) {
		unsigned char c = (unsigned char)s[plain];

		if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
			plain++;
			continue;
		}
		buf_add(j->out, s, plain);
		s += plain;
		left -= plain;
		plain = 0;
		n = text_decode(s, left, &cp);
		add_escaped(j->out, cp, s, n);
		s += n;
		left -= n;
	}
	buf_add(j->out, s, plain);
	buf_putc(j->out, '"');
}

void json_u64(struct json *j, const char *key, uint64_t v)
{
	begin_value(j, key);
	buf_printf(j->out, "%" PRIu64, v);
}

void json_i64(struct json *j, const char *key, int64_t v)
{
	begin_value(j, key);
	buf_printf(j->out, "%" PRId64, v);
}

void json_double(struct json *j, const char *key, double v)
{
	char text[UNITS_BUF];

	if (!isfinite(v)) {
		json_null(j, key);
		return;
	}
	begin_value(j, key);
	buf_puts(j->out, units_double(text, v));
}

void json_bool(struct json *j, const char *key, bool v)
{
	begin_value(j, key);
	buf_puts(j->out, v ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	begin_value(j, key);
	buf_puts(j->out, "null");
}
