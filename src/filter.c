/*
 * The filter language. See filter.h.
 *
 * Owns the compiled terms. Invariant: no expression, however odd, is an error or takes more than
 * bounded time and memory to compile: it is typed character by character into a live screen, and
 * glibc's regcomp() has no bound of its own. Must not know where the rows come from or go to.
 */
#include "filter.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <regex.h>
#include <string.h>
#include <strings.h>

#include "rows.h"
#include "text.h"
#include "units.h"
#include "util.h"

/* Of one expression: what glibc compiles in a few milliseconds. */
#define MAX_REPEAT	    256 /* product of all repetition counts */
#define MAX_REPEATED_GROUPS 8

enum field {
	FIELD_ANY,
	FIELD_USER,
	FIELD_DATABASE,
	FIELD_APPLICATION,
	FIELD_CLIENT,
	FIELD_STATE,
	FIELD_TYPE,
	FIELD_EVENT,
	FIELD_QUERY,
	FIELD_PID,
};

static const struct {
	const char *prefix;
	enum field field;
} prefixes[] = {
	{"user:", FIELD_USER},
	{"db:", FIELD_DATABASE},
	{"app:", FIELD_APPLICATION},
	{"client:", FIELD_CLIENT},
	{"state:", FIELD_STATE},
	{"type:", FIELD_TYPE},
	{"event:", FIELD_EVENT},
	{"query:", FIELD_QUERY},
	{"pid:", FIELD_PID},
};

enum how {
	HOW_LITERAL, /* plain ASCII: a search without regexec() */
	HOW_REGEX,
	HOW_PID,
	HOW_TYPE,
};

struct term {
	enum field field;
	bool negate;
	enum how how;
	char *text; /* HOW_LITERAL: in lower case */
	regex_t regex;
	pid_t pid;
	enum wait_type type;
};

struct filter {
	size_t n;
	struct term terms[FILTER_MAX_TERMS];
};

/* ---- compiling ---------------------------------------------------------------------------- */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool is_ascii(const char *s)
{
	for (; *s; s++)
		if (*s & 0x80)
			return false;
	return true;
}

/* The last character of the bracket expression that begins at s: its "]", or the text's last. */
static const char *end_of_bracket(const char *s)
{
	s++;
	if (*s == '^')
		s++;
	if (*s == ']')
		s++;
	for (; *s && *s != ']'; s++) {
		const char kind = s[1];

		if (*s != '[' || !kind || !strchr(":.=", kind))
			continue;
		for (s += 2; *s && !(*s == kind && s[1] == ']'); s++)
			;
		if (!*s)
			break;
		s++;
	}
	return *s ? s : s - 1;
}

/* The largest number in the braces that begin at s; *end is what follows the numbers. */
static unsigned long largest_count(const char *s, const char **end)
{
	unsigned long most = 1;

	for (s++; (*s >= '0' && *s <= '9') || *s == ','; s++) {
		unsigned long n = 0;

		for (; *s >= '0' && *s <= '9'; s++)
			n = MIN(10 * n + (unsigned long)(*s - '0'), MAX_REPEAT + 1UL);
		most = MAX(most, n);
		if (*s != ',')
			break;
	}
	*end = s;
	return most;
}

/*
 * True if regcomp() may see it. Not: back references, whose matching is exponential; one repetition
 * right behind another, and many repeated groups, which glibc takes minutes to compile; counts that
 * multiply to a huge automaton. POSIX defines the first two for no extended expression.
 */
static bool is_bounded(const char *s)
{
	unsigned long product = 1;
	unsigned int groups = 0;
	bool repeated = false; /* the previous token was a repetition */
	char previous = '\0';

	for (; *s; s++) {
		bool repeats = !!strchr("*+?{", *s);

		if (repeats && (repeated || (previous == ')' && ++groups > MAX_REPEATED_GROUPS)))
			return false;
		repeated = repeats;
		previous = *s;
		if (*s == '{') {
			const char *end;

			product *= largest_count(s, &end);
			if (product > MAX_REPEAT)
				return false;
			s = *end == '}' ? end : s;
		} else if (*s == '[') {
			s = end_of_bracket(s);
		} else if (*s == '\\' && s[1]) {
			s++;
			previous = '\\';
			if (*s >= '1' && *s <= '9')
				return false;
		}
	}
	return true;
}

static int compile_literally(regex_t *regex, const char *text)
{
	_cleanup_free_ char *escaped = xmalloc(2 * strlen(text) + 1);
	char *p = escaped;

	for (; *text; text++) {
		if (strchr("\\^$.[]|()*+?{}", *text))
			*p++ = '\\';
		*p++ = *text;
	}
	*p = '\0';
	return regcomp(regex, escaped, REG_EXTENDED | REG_ICASE | REG_NOSUB);
}

static void compile_text(struct term *t)
{
	bool plain = !strpbrk(t->text, "\\^$.[|()*+?{");

	if (!plain && is_bounded(t->text) &&
		!regcomp(&t->regex, t->text, REG_EXTENDED | REG_ICASE | REG_NOSUB)) {
		t->how = HOW_REGEX;
		return;
	}
	if (!is_ascii(t->text) && !compile_literally(&t->regex, t->text)) {
		t->how = HOW_REGEX;
		return;
	}
	t->how = HOW_LITERAL;
	for (char *p = t->text; *p; p++)
		*p = lower(*p);
}

static void compile_term(struct term *t)
{
	uint64_t pid;
	int type;

	if (t->field == FIELD_PID && !units_parse_u64(t->text, &pid)) {
		t->how = HOW_PID;
		t->pid = pid > 0 && pid <= INT_MAX ? (pid_t)pid : -1;
		return;
	}
	type = t->field == FIELD_TYPE ? wait_type_parse(t->text) : -EINVAL;
	if (type >= 0) {
		t->how = HOW_TYPE;
		t->type = (enum wait_type)type;
		return;
	}
	compile_text(t);
}

/* "user:" and the like in front of s: its length, and the field. */
static size_t parse_prefix(const char *s, enum field *field)
{
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		size_t n = strlen(prefixes[i].prefix);

		if (!strncasecmp(s, prefixes[i].prefix, n)) {
			*field = prefixes[i].field;
			return n;
		}
	}
	*field = FIELD_ANY;
	return 0;
}

/* One term at s, its text unquoted into text (as long as s). Returns what follows the term. */
static const char *parse_term(const char *s, struct term *t, char *text)
{
	bool quoted = false;

	*t = (struct term){0};
	for (; *s == '!'; s++)
		t->negate = !t->negate;
	s += parse_prefix(s, &t->field);
	for (; *s && (quoted || *s != ' '); s++) {
		if (*s == '\\' && s[1] == '"')
			*text++ = *++s;
		else if (*s == '"')
			quoted = !quoted;
		else
			*text++ = *s;
	}
	*text = '\0';
	return s;
}

int filter_compile(const char *expr, struct filter **ret, struct diag *d)
{
	char clean[FILTER_MAX_BYTES + 1], text[FILTER_MAX_BYTES + 1];
	size_t len = strlen(expr);
	struct filter *f;
	const char *s;
	locale_t old;

	if (len > FILTER_MAX_BYTES)
		return diag_set(d, -E2BIG, "the filter is longer than %d bytes", FILTER_MAX_BYTES);
	/* What it is compared with was cleaned the same way. */
	text_clean(clean, sizeof(clean), expr, len, TEXT_ONE_LINE);
	f = xcalloc(1, sizeof(*f));
	old = text_locale_push();
	for (s = clean; s += strspn(s, " "), *s;) {
		struct term t;

		s = parse_term(s, &t, text);
		if (!text[0])
			continue;
		if (f->n == FILTER_MAX_TERMS) {
			text_locale_pop(old);
			filter_free(f);
			return diag_set(
				d, -E2BIG, "the filter has more than %d terms", FILTER_MAX_TERMS);
		}
		t.text = xstrdup(text);
		compile_term(&t);
		f->terms[f->n++] = t;
	}
	text_locale_pop(old);
	*ret = f;
	return 0;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++) {
		if (f->terms[i].how == HOW_REGEX)
			regfree(&f->terms[i].regex);
		free(f->terms[i].text);
	}
	free(f);
}

bool filter_is_empty(const struct filter *f)
{
	return !f || !f->n;
}

/* ---- matching ----------------------------------------------------------------------------- */

/* needle is in lower case and not empty. */
static bool contains(const char *s, const char *needle)
{
	for (; *s; s++) {
		size_t i = 0;

		while (needle[i] && lower(s[i]) == needle[i])
			i++;
		if (!needle[i])
			return true;
	}
	return false;
}

static bool match_text(const struct term *t, const char *s)
{
	if (!s)
		return false;
	if (t->how == HOW_LITERAL)
		return contains(s, t->text);
	return !regexec(&t->regex, s, 0, NULL, 0);
}

static bool match_pid(const struct term *t, pid_t pid)
{
	char text[16];

	if (pid <= 0)
		return false;
	if (t->how == HOW_PID)
		return pid == t->pid;
	snprintf(text, sizeof(text), "%d", (int)pid);
	return match_text(t, text);
}

static bool match_pids(const struct term *t, const struct snap_backend *b)
{
	return match_pid(t, b->pid) || match_pid(t, b->pid_ns);
}

static bool match_types(const struct term *t, const struct snap_backend *b)
{
	if (t->how == HOW_TYPE)
		return b->times.ns[t->type] > 0;
	for (int i = 0; i < WAIT_NR; i++)
		if (b->times.ns[i] > 0 && match_text(t, wait_type_name((enum wait_type)i)))
			return true;
	return false;
}

static bool match_events(const struct term *t, const struct snap_backend *b)
{
	char name[ROWS_EVENT_BUF];

	if (b->has_current &&
		match_text(t, rows_event_name(name, b->current.wait_class, b->current.event)))
		return true;
	for (size_t i = 0; i < b->n_events; i++)
		if (match_text(
			    t, rows_event_name(name, b->events[i].wait_class, b->events[i].event)))
			return true;
	return false;
}

static bool match_any(const struct term *t, const struct snap_backend *b)
{
	return match_pids(t, b) || match_text(t, b->backend_type) || match_text(t, b->user) ||
	       match_text(t, b->database) || match_text(t, b->client) ||
	       match_text(t, b->application) || match_text(t, b->state) || match_events(t, b) ||
	       match_text(t, b->query);
}

static bool match_term(const struct term *t, const struct snap_backend *b)
{
	switch (t->field) {
	case FIELD_ANY:
		return match_any(t, b);
	case FIELD_USER:
		return match_text(t, b->user);
	case FIELD_DATABASE:
		return match_text(t, b->database);
	case FIELD_APPLICATION:
		return match_text(t, b->application);
	case FIELD_CLIENT:
		return match_text(t, b->client);
	case FIELD_STATE:
		return match_text(t, b->state);
	case FIELD_TYPE:
		return match_types(t, b);
	case FIELD_EVENT:
		return match_events(t, b);
	case FIELD_QUERY:
		return match_text(t, b->query);
	case FIELD_PID:
		return match_pids(t, b);
	}
	return false;
}

bool filter_match(const struct filter *f, const struct snap_backend *b)
{
	bool match = true;
	locale_t old;

	if (filter_is_empty(f))
		return true;
	old = text_locale_push();
	for (size_t i = 0; match && i < f->n; i++)
		match = match_term(&f->terms[i], b) != f->terms[i].negate;
	text_locale_pop(old);
	return match;
}
