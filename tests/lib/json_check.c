/*
 * See json_check.h. Written from the grammar and on its own: it shares nothing with the writer it
 * checks.
 */
#include "json_check.h"

#include <stdint.h>
#include <string.h>

struct in {
	const unsigned char *p, *end;
	int depth;
};

static bool value(struct in *in);

static bool eat(struct in *in, char c)
{
	if (in->p == in->end || *in->p != (unsigned char)c)
		return false;
	in->p++;
	return true;
}

static void space(struct in *in)
{
	while (in->p < in->end && memchr(" \t\n\r", *in->p, 4))
		in->p++;
}

static bool word(struct in *in, const char *w)
{
	size_t n = strlen(w);

	if ((size_t)(in->end - in->p) < n || memcmp(in->p, w, n))
		return false;
	in->p += n;
	return true;
}

static bool digits(struct in *in)
{
	const unsigned char *start = in->p;

	while (in->p < in->end && *in->p >= '0' && *in->p <= '9')
		in->p++;
	return in->p > start;
}

static bool number(struct in *in)
{
	eat(in, '-');
	if (!eat(in, '0') && !digits(in))
		return false;
	if (eat(in, '.') && !digits(in))
		return false;
	if (eat(in, 'e') || eat(in, 'E')) {
		if (!eat(in, '+'))
			eat(in, '-');
		return digits(in);
	}
	return true;
}

static bool escape(struct in *in)
{
	if (eat(in, 'u')) {
		for (int i = 0; i < 4; i++)
			if (in->p == in->end || !strchr("0123456789abcdefABCDEF", *in->p++))
				return false;
		return true;
	}
	return in->p < in->end && *in->p && strchr("\"\\/bfnrt", *in->p++);
}

/* One character beyond ASCII: well-formed UTF-8, table 3-7 of the Unicode standard. */
static bool utf8(struct in *in)
{
	static const struct {
		unsigned char first, last, low, high;
		int more;
	} forms[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 0},
		{0xe0, 0xe0, 0xa0, 0xbf, 1},
		{0xe1, 0xec, 0x80, 0xbf, 1},
		{0xed, 0xed, 0x80, 0x9f, 1},
		{0xee, 0xef, 0x80, 0xbf, 1},
		{0xf0, 0xf0, 0x90, 0xbf, 2},
		{0xf1, 0xf3, 0x80, 0xbf, 2},
		{0xf4, 0xf4, 0x80, 0x8f, 2},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (*in->p < forms[i].first || *in->p > forms[i].last)
			continue;
		if (in->end - in->p < 2 + forms[i].more || in->p[1] < forms[i].low ||
			in->p[1] > forms[i].high)
			return false;
		in->p += 2;
		for (int n = forms[i].more; n; n--)
			if ((*in->p++ & 0xc0) != 0x80)
				return false;
		return true;
	}
	return false;
}

static bool string(struct in *in)
{
	if (!eat(in, '"'))
		return false;
	while (in->p < in->end && *in->p != '"') {
		if (*in->p < 0x20)
			return false;
		if (*in->p >= 0x80) {
			if (!utf8(in))
				return false;
		} else if (*in->p++ == '\\' && !escape(in)) {
			return false;
		}
	}
	return eat(in, '"');
}

static bool members(struct in *in, char close, bool keys)
{
	space(in);
	if (eat(in, close))
		return true;
	do {
		space(in);
		if (keys && (!string(in) || (space(in), !eat(in, ':'))))
			return false;
		if (!value(in))
			return false;
	} while (eat(in, ','));
	return eat(in, close);
}

static bool value(struct in *in)
{
	bool ok;

	if (++in->depth > 64)
		return false;
	space(in);
	if (eat(in, '{'))
		ok = members(in, '}', true);
	else if (eat(in, '['))
		ok = members(in, ']', false);
	else if (in->p < in->end && *in->p == '"')
		ok = string(in);
	else
		ok = word(in, "true") || word(in, "false") || word(in, "null") || number(in);
	space(in);
	in->depth--;
	return ok;
}

bool json_is_valid(const char *s, size_t len)
{
	struct in in = {(const unsigned char *)s, (const unsigned char *)s + len, 0};

	return value(&in) && in.p == in.end;
}
