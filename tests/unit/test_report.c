/*
 * The reports of a fixed snapshot, against golden files and the interface.
 *
 * GENERATE=1 in the environment writes the golden files anew: look at the difference before you
 * commit it.
 */
#include "unit.h"

#include <errno.h>
#include <locale.h>

#include "comma_locale.h"
#include "json_check.h"
#include "report.h"
#include "report_fixture.h"
#include "text.h"
#include "util.h"

#define GOLDEN_TEXT  "tests/fixtures/report/report.txt"
#define GOLDEN_JSON  "tests/fixtures/report/report.json"
#define CHECK_SCRIPT "/usr/bin/python3 -B tests/lib/check_report_json.py"

static const struct report_opts all_rows = {.show_idle = true, .sort = SORT_OFF, .sort_desc = true};
static const struct report_opts busy_rows = {.sort = SORT_PID};

static void make(struct buf *b, enum report_format format, const struct snapshot *s,
	const struct report_opts *o)
{
	buf_init(b, REPORT_MAX_BYTES);
	assert_int_equal(report_add(b, format, s, o), 0);
	assert_int_equal(strlen(b->data), b->len);
}

static char *read_file(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	char *text = xcalloc(1, 1 << 20);

	if (!f)
		fail_msg("%s: %s", path, strerror(errno));
	(void)!fread(text, 1, (1 << 20) - 1, f);
	return text;
}

static void check_golden(const char *path, const struct buf *b)
{
	_cleanup_free_ char *want = NULL;
	const char *generate = getenv("GENERATE");

	if (generate && *generate == '1') {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fwrite(b->data, 1, b->len, f);
		fclose(f);
	}
	want = read_file(path);
	assert_string_equal(b->data, want);
}

static void text_is_golden(void **state)
{
	struct buf b;

	(void)state;
	make(&b, REPORT_TEXT, report_fixture(), &all_rows);
	assert_int_equal(report_text(&b, report_fixture(), &busy_rows), 0);
	assert_int_equal(report_text(&b, report_fixture_empty(), &all_rows), 0);
	check_golden(GOLDEN_TEXT, &b);
	buf_done(&b);
}

static void json_is_golden(void **state)
{
	struct buf b;

	(void)state;
	make(&b, REPORT_JSON, report_fixture(), &all_rows);
	assert_int_equal(report_json(&b, report_fixture_empty(), &all_rows), 0);
	check_golden(GOLDEN_JSON, &b);
	buf_done(&b);
}

static void goldens_under_a_comma_locale(void **state)
{
	if (!comma_locale_enter()) {
		print_message("machine: no localedef\n");
		skip();
	}
	text_is_golden(state);
	json_is_golden(state);
	comma_locale_leave();
}

/* 0 if the independent reader accepts it. */
static int run_check(const struct buf *b, const char *quiet)
{
	char command[256];
	FILE *p;

	snprintf(command, sizeof(command), CHECK_SCRIPT " %s", quiet);
	p = popen(command, "w");
	assert_non_null(p);
	fwrite(b->data, 1, b->len, p);
	return pclose(p);
}

static void json_is_the_interface(void **state)
{
	struct snapshot s = *report_fixture();
	struct snap_backend bad = s.backends[FIX_BUSY];
	struct buf b;

	(void)state;
	make(&b, REPORT_JSON, &s, &all_rows);
	assert_true(json_is_valid(b.data, b.len));
	report_json(&b, &s, &busy_rows);
	report_json(&b, report_fixture_empty(), &busy_rows);
	assert_int_equal(run_check(&b, ""), 0);
	buf_done(&b);

	bad.watched_ns++; /* or the check checks nothing */
	s.backends = &bad;
	s.n_backends = 1;
	make(&b, REPORT_JSON, &s, &all_rows);
	assert_int_not_equal(run_check(&b, ">/dev/null"), 0);
	buf_done(&b);
}

/* Numbers that a double does not hold, and what is not known. */
static void json_values(void **state)
{
	struct buf b;

	(void)state;
	make(&b, REPORT_JSON, report_fixture(), &all_rows);
	assert_non_null(strstr(b.data, "\"mono_ns\":18446744073709551615,"));
	assert_non_null(strstr(b.data, "\"query_id\":-9007199254740993,"));
	assert_non_null(strstr(b.data, "\"aas\":4.6008,"));
	assert_non_null(strstr(b.data, "\"query\":\"\",")); /* empty, and known to be */
	assert_non_null(strstr(b.data, "\"blocked_by\":[],"));
	assert_non_null(
		strstr(b.data, "\"histogram\":{\"lwlock\":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,2]}"));
	assert_non_null(strstr(b.data, "{\"pid\":null,\"kind\":\"irq\""));
	assert_non_null(
		strstr(b.data, "\"version\":null,\"version_num\":null,\"cluster_name\":null"));
	assert_ptr_equal(strchr(b.data, '\n'), b.data + b.len - 1);
	buf_done(&b);
}

static size_t count_lines(const char *s, char first)
{
	size_t n = 0;

	for (; *s; s = strchr(s, '\n') + 1)
		n += *s == first;
	return n;
}

/* A row begins with its pid; clusters and totals do not depend on what is filtered. */
static void rows_follow_the_options(void **state)
{
	struct report_opts o = {.sort = SORT_PID};
	struct filter *f = NULL;
	struct buf b;

	(void)state;
	make(&b, REPORT_TEXT, report_fixture(), &all_rows);
	assert_int_equal(count_lines(b.data, '4') + count_lines(b.data, '5'), FIX_NR);
	buf_done(&b);
	make(&b, REPORT_TEXT, report_fixture(), &o);
	assert_int_equal(count_lines(b.data, '4') + count_lines(b.data, '5'), FIX_NR - 2);
	buf_done(&b);
	assert_int_equal(filter_compile("user:bob", &f, NULL), 0);
	o.filter = f;
	make(&b, REPORT_TEXT, report_fixture(), &o);
	assert_int_equal(count_lines(b.data, '4') + count_lines(b.data, '5'), 1);
	assert_non_null(strstr(b.data, "\ncluster 5000"));
	assert_non_null(strstr(b.data, "\ntypes  cpu "));
	buf_done(&b);
	make(&b, REPORT_JSON, report_fixture(), &o);
	assert_non_null(strstr(b.data, "\"pid\":4243"));
	assert_null(strstr(b.data, "\"pid\":4242"));
	assert_non_null(strstr(b.data, "\"postmaster\":5000"));
	buf_done(&b);
	filter_free(f);
}

/* Two or more blanks part the fields, and there are as many in each row as titles. */
static void text_columns_are_stable(void **state)
{
	_cleanup_free_ char *copy = NULL;
	size_t titles = 0, rows = 0, starts[32] = {0};
	struct buf b;
	char *line;

	(void)state;
	make(&b, REPORT_TEXT, report_fixture(), &all_rows);
	copy = xstrdup(b.data);
	line = strstr(copy, "\nPID");
	assert_non_null(line);
	for (line = strtok(line, "\n"); line; line = strtok(NULL, "\n"), rows++) {
		size_t fields = 1, at = 0;

		for (char *p = line; (p = strstr(p, "  ")); fields++) {
			p += strspn(p, " ");
			*(p - 1) = '\0';
			at = text_width(line);
			*(p - 1) = ' ';
			if (strchr("UDBSTQ", *p) && !rows) /* left-aligned: starts in one cell */
				starts[fields] = at;
			else if (starts[fields])
				assert_int_equal(at, starts[fields]);
		}
		titles = titles ? titles : fields;
		assert_int_equal(fields, titles);
	}
	assert_int_equal(titles, 15);
	assert_int_equal(rows, FIX_NR + 1);
	buf_done(&b);
}

static void empty_report(void **state)
{
	struct buf b;

	(void)state;
	make(&b, REPORT_TEXT, report_fixture_empty(), &all_rows);
	assert_non_null(strstr(b.data, "\nno PostgreSQL server found\n"));
	assert_null(strstr(b.data, "PID"));
	buf_done(&b);
	make(&b, REPORT_JSON, report_fixture_empty(), &all_rows);
	assert_non_null(strstr(b.data, "\"clusters\":[],\"backends\":[]}\n"));
	buf_done(&b);
}

/* Strings that nobody cleaned: nothing below 0x20 gets out but line ends. */
static void dirty_strings(void **state)
{
	static const char dirty[] = "a\x1b[31m\x9b\n\t\r\"\\\xe9\x7f";
	struct snapshot s = *report_fixture();
	struct snap_backend x = s.backends[FIX_BLOCKED];
	struct buf b;

	(void)state;
	x.user = x.database = x.application = x.client = x.backend_type = x.query = dirty;
	x.state = x.current.wait_class = x.current.event = s.host = dirty;
	s.backends = &x;
	s.n_backends = 1;
	make(&b, REPORT_JSON, &s, &all_rows);
	assert_true(json_is_valid(b.data, b.len));
	for (size_t i = 0; i + 1 < b.len; i++)
		assert_true((unsigned char)b.data[i] >= 0x20);
	buf_done(&b);
	make(&b, REPORT_TEXT, &s, &all_rows);
	for (size_t i = 0; i < b.len; i++)
		assert_true((unsigned char)b.data[i] >= 0x20 || b.data[i] == '\n');
	assert_null(strchr(b.data, '\x7f'));
	buf_done(&b);
}

static void long_strings_are_cut(void **state)
{
	struct snapshot s = *report_fixture();
	struct snap_backend x = s.backends[FIX_BLOCKED];
	char wide[3 * 3000 + 1] = "";
	struct buf b;

	(void)state;
	for (int i = 0; i < 3000; i++)
		memcpy(wide + 3 * i, "\xe6\xbc\xa2", 3);
	x.user = x.database = x.backend_type = x.state = x.query = x.current.event = wide;
	s.backends = &x;
	s.n_backends = 1;
	make(&b, REPORT_TEXT, &s, &all_rows);
	for (char *p = b.data, *end; (end = strchr(p, '\n')); p = end + 1) {
		*end = '\0';
		assert_true(text_width(p) < 400);
	}
	buf_done(&b);
}

static void the_bound_is_kept(void **state)
{
	struct buf b;

	(void)state;
	for (int format = 0; format < REPORT_FORMAT_NR; format++) {
		buf_init(&b, 1000);
		assert_int_equal(
			report_add(&b, (enum report_format)format, report_fixture(), &all_rows),
			-EOVERFLOW);
		buf_done(&b);
	}
}

static void formats_and_times(void **state)
{
	char buf[REPORT_TIME_BUF];

	(void)state;
	for (int i = 0; i < REPORT_FORMAT_NR; i++)
		assert_int_equal(report_format_parse(report_format_name((enum report_format)i)), i);
	assert_int_equal(report_format_parse("csv"), -EINVAL);
	assert_string_equal(report_time(buf, 1796029200123), "2026-11-30T09:00:00.123Z");
	assert_string_equal(report_time(buf, 0), "1970-01-01T00:00:00.000Z");
	assert_string_equal(report_time(buf, -1), "1969-12-31T23:59:59.999Z");
	assert_true(strlen(report_time(buf, INT64_MAX)) < sizeof(buf));
	assert_true(strlen(report_time(buf, INT64_MIN)) < sizeof(buf));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_golden),
		cmocka_unit_test(json_is_golden),
		cmocka_unit_test(goldens_under_a_comma_locale),
		cmocka_unit_test(json_is_the_interface),
		cmocka_unit_test(json_values),
		cmocka_unit_test(rows_follow_the_options),
		cmocka_unit_test(text_columns_are_stable),
		cmocka_unit_test(empty_report),
		cmocka_unit_test(dirty_strings),
		cmocka_unit_test(long_strings_are_cut),
		cmocka_unit_test(the_bound_is_kept),
		cmocka_unit_test(formats_and_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
