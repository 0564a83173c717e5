/* The filter language, over the backends of the fixture. */
#include "unit.h"

#include <errno.h>
#include <locale.h>

#include "filter.h"
#include "report_fixture.h"
#include "util.h"

/* The fixture's rows that an expression keeps, as bits. */
static unsigned int kept(const char *expr)
{
	const struct snapshot *s = report_fixture();
	struct filter *f = NULL;
	unsigned int bits = 0;

	assert_int_equal(filter_compile(expr, &f, NULL), 0);
	for (size_t i = 0; i < s->n_backends; i++)
		if (filter_match(f, &s->backends[i]))
			bits |= 1U << i;
	filter_free(f);
	return bits;
}

#define ROW(name) (1U << FIX_##name)
#define ALL	  ((1U << FIX_NR) - 1)
#define SHOP	  (ROW(BLOCKED) | ROW(BLOCKER) | ROW(IDLE))

static const struct {
	const char *expr;
	unsigned int want;
} cases[] = {
	/* nothing to restrict */
	{"", ALL},
	{"   ", ALL},
	{"!", ALL},
	{"user:", ALL},
	{"!user:", ALL},
	{"\"\"", ALL},

	/* a bare term is tried on everything */
	{"alice", ROW(BLOCKED) | ROW(IDLE)},
	{"ALICE", ROW(BLOCKED) | ROW(IDLE)},
	{"^bob$", ROW(BLOCKER)},
	{"4242", ROW(BLOCKED)},
	{"walwriter", ROW(WALWRITER)},
	{"55013", ROW(BUSY)},
	{"psql", ROW(BLOCKED)},
	{"transaction$", ROW(BLOCKER)},
	{"Lock:transactionid", ROW(BLOCKED)}, /* no prefix of that name */
	{"lwlock:lockmanager", ROW(BLOCKED)}, /* not current, but in the list */
	{"IO:DataFileRead", ROW(WORKER)},
	{"0x0c000001", ROW(LOSSY)},
	{"count\\(", ROW(WORKER)},

	/* terms are and-ed, ! negates */
	{"shop !alice", ROW(BLOCKER)},
	{"shop   alice  psql", ROW(BLOCKED)},
	{"!shop !client", ROW(WALWRITER) | ROW(WORKER) | ROW(EXITED)},
	{"!!alice", ROW(BLOCKED) | ROW(IDLE)},

	/* prefixes confine */
	{"user:alice", ROW(BLOCKED) | ROW(IDLE)},
	{"USER:alice", ROW(BLOCKED) | ROW(IDLE)},
	{"user:shop", 0},
	{"db:shop", SHOP},
	{"app:^pool$", ROW(IDLE)},
	{"client:^10\\.", ROW(BLOCKED) | ROW(BUSY)},
	{"client:local", ROW(BLOCKER)},
	{"state:^idle$", ROW(IDLE)},
	{"state:idle", ROW(BLOCKER) | ROW(IDLE) | ROW(LOSSY)},
	{"event:clientread", ROW(BLOCKER) | ROW(IDLE)},
	{"event:^Activity:", ROW(WALWRITER)},
	{"query:update", ROW(BLOCKED)},
	{"query:alice", 0},
	{"!user:alice", ALL & ~(ROW(BLOCKED) | ROW(IDLE))}, /* also rows without a user */
	{"!user:.", ROW(WALWRITER) | ROW(EXITED)},

	/* pids: exact after the prefix, also in the backend's own namespace */
	{"pid:4242", ROW(BLOCKED)},
	{"pid:424", 0},
	{"pid:^424[23]$", ROW(BLOCKED) | ROW(BLOCKER)},
	{"pid:17", ROW(BUSY)},
	{"pid:0", 0},
	{"pid:99999999999999999999999", 0},

	/* types: by name, else a regular expression on the names of those with time */
	{"type:lock", ROW(BLOCKED)},
	{"type:LOCK", ROW(BLOCKED)},
	{"type:runq", ROW(BUSY) | ROW(WORKER)},
	{"type:idle", ROW(IDLE) | ROW(WALWRITER)},
	{"type:idle.", ROW(BLOCKER)},
	{"type:^i[op]", ROW(BLOCKED) | ROW(WORKER) | ROW(EXITED)},
	{"type:unknown", ROW(LOSSY)},
	{"!type:cpu", 0},
	{"type:nonsense", 0},

	/* quotes */
	{"\"idle in transaction\"", ROW(BLOCKER) | ROW(LOSSY)},
	{"state:\"in transaction$\"", ROW(BLOCKER)},
	{"\"idle in transaction", ROW(BLOCKER) | ROW(LOSSY)}, /* not closed yet */
	{"!\"idle in\" db:shop", ROW(BLOCKED) | ROW(IDLE)},
	{"\"user:alice\"", 0},
	{"app:\\\"daily\\\"", ROW(BUSY)},
	{"\"report \\\"daily\\\"\"", ROW(BUSY)},

	/* not a regular expression: literally */
	{"user:c\")", 0},
	{"count(*)", ROW(WORKER)},
	{"t(", ROW(WORKER)},
	{"*)", ROW(WORKER)},
	{"unt(", ROW(WORKER)},
	{"[local", ROW(BLOCKER)},
	{"UNT(", ROW(WORKER)},
	{"(", ROW(WORKER) | ROW(LOSSY)},
	{"a\\", 0},

	/* too much to compile, or exponential to match: literally, and at once */
	{"(((a{1,200}){1,200}){1,200})", 0},
	{"a{32767}", 0},
	{"(a{1,1000}){1,4294967297}", 0},
	{"(a*)*\\1b", 0},
	{"a????????????????????????????????{4,}", 0},
	{"((((((((((a?)?)?)?)?)?)?)?)?)?){4,}", 0},
	{"alice**", 0},
	{"alic[e*+?{]", ROW(BLOCKED) | ROW(IDLE)}, /* no repetitions in there */
	{"alic[]e?*]", ROW(BLOCKED) | ROW(IDLE)},
	{"alic[^]a??*]", ROW(BLOCKED) | ROW(IDLE)},
	{"alic[[:alpha:]??*]", ROW(BLOCKED) | ROW(IDLE)},
	{"alic[[=e=]??*]", ROW(BLOCKED) | ROW(IDLE)},
	{"alic\\*?e", ROW(BLOCKED) | ROW(IDLE)},
	{"(al)+(ic){1,2}e{1}", ROW(BLOCKED) | ROW(IDLE)},
	{"alic[", 0},
	{"alic[[:", 0},
	{"alic{", 0},
	{"alic{1", 0},

	/* beyond ASCII */
	{"user:ZO\xc3\x8b", ROW(BUSY) | ROW(WORKER)},
	{"db:^.\xe5\xad\x97$", ROW(BUSY) | ROW(WORKER)},
	{"db:^..$", ROW(BUSY) | ROW(WORKER)},
	{"zo\xc3\xab(", 0},
	{"\xff", 0},
};

static void match_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int got = kept(cases[i].expr);

		if (got != cases[i].want)
			fail_msg("%s keeps %#x, not %#x", cases[i].expr, got, cases[i].want);
	}
}

static void match_table_in_a_utf8_locale(void **state)
{
	assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
	match_table(state);
	setlocale(LC_ALL, "C");
}

/* A term and its negation part the rows. */
static void negation_is_the_complement(void **state)
{
	char expr[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *e = cases[i].expr;

		if (!*e || strpbrk(e, " !\"") || e[strlen(e) - 1] == ':')
			continue; /* several terms, or none */
		snprintf(expr, sizeof(expr), "!%s", e);
		assert_int_equal(kept(expr), ALL & ~cases[i].want);
	}
}

static void bounds(void **state)
{
	char expr[FILTER_MAX_BYTES + 2];
	struct filter *f = NULL;
	struct diag d;

	(void)state;
	memset(expr, 'a', sizeof(expr));
	expr[FILTER_MAX_BYTES + 1] = '\0';
	assert_int_equal(filter_compile(expr, &f, &d), -E2BIG);
	assert_null(f);
	assert_non_null(strstr(d.summary, "longer"));
	expr[FILTER_MAX_BYTES] = '\0';
	assert_int_equal(kept(expr), 0);

	memset(expr, 0, sizeof(expr));
	for (int i = 0; i < FILTER_MAX_TERMS; i++)
		strcat(expr, "a ");
	assert_int_equal(filter_compile(expr, &f, &d), 0);
	filter_free(f);
	strcat(expr, "a");
	assert_int_equal(filter_compile(expr, &f, &d), -E2BIG);
	assert_non_null(strstr(d.summary, "terms"));
}

static void nothing_is_known(void **state)
{
	const struct snap_backend b = {.pid = 1};
	struct filter *f = NULL;

	(void)state;
	assert_int_equal(filter_compile("!user:x !x event:y", &f, NULL), 0);
	assert_false(filter_match(f, &b));
	filter_free(f);
	assert_int_equal(filter_compile("!user:x !x !event:y", &f, NULL), 0);
	assert_true(filter_match(f, &b));
	assert_false(filter_is_empty(f));
	filter_free(f);
	assert_true(filter_match(NULL, &b));
	assert_true(filter_is_empty(NULL));
	filter_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(match_table),
		cmocka_unit_test(match_table_in_a_utf8_locale),
		cmocka_unit_test(negation_is_the_complement),
		cmocka_unit_test(bounds),
		cmocka_unit_test(nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
