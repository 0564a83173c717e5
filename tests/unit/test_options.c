/* The command line: defaults, every option, every bad usage, the help. tests/docs compares it with
 * the man page. */
#include "unit.h"

#include <stdbool.h>

#include "options.h"
#include "units.h"
#include "util.h"

#define MAX_ARGS 32

static char program[] = "pgtop-offcpu";

/* Parses a command line of words without blanks. */
static int parse(const char *line, struct options *o, struct diag *d)
{
	static char words[512];
	char *argv[MAX_ARGS + 1] = {program};
	int argc = 1;

	snprintf(words, sizeof(words), "%s", line);
	for (char *w = strtok(words, " "); w && argc < MAX_ARGS; w = strtok(NULL, " "))
		argv[argc++] = w;
	return options_parse(o, argc, argv, d);
}

static void good(const char *line, struct options *o)
{
	struct diag d;

	if (parse(line, o, &d))
		fail_msg("%s: %s", line, d.summary);
}

static void defaults(void **state)
{
	struct options o;

	(void)state;
	unsetenv("NO_COLOR");
	good("", &o);
	assert_int_equal(o.action, OPTIONS_RUN);
	assert_int_equal(o.delay_ns, NSEC_PER_SEC);
	assert_int_equal(o.window_ns, 10 * NSEC_PER_SEC);
	assert_int_equal(o.iterations, 0);
	assert_false(o.batch || o.show_idle || o.no_color);
	assert_int_equal(o.format, REPORT_TEXT);
	assert_int_equal(o.n_pids + o.n_pgdata, 0);
	assert_int_equal(o.sort, SORT_OFF);
	assert_true(o.sort_desc);
	assert_null(o.filter);
	assert_int_equal(o.min_wait_ns, 0);
	assert_int_equal(o.stacks, STACKS_AUTO);
	assert_int_equal(o.ring_bytes, 0);
	assert_null(o.log_path);
	options_done(&o);
}

static void check_all_set(const struct options *o)
{
	assert_int_equal(o->delay_ns, 250000000);
	assert_int_equal(o->window_ns, 60 * NSEC_PER_SEC);
	assert_int_equal(o->iterations, 3);
	assert_true(o->batch && o->show_idle);
	assert_int_equal(o->format, REPORT_JSON);
	assert_int_equal(o->n_pids, 2);
	assert_int_equal(o->pids[0], 12);
	assert_int_equal(o->pids[1], 34);
	assert_int_equal(o->n_pgdata, 1);
	assert_string_equal(o->pgdata[0], "/data");
	assert_int_equal(o->sort, SORT_LOCK);
	assert_false(o->sort_desc);
	assert_string_equal(o->filter, "user:x");
	assert_int_equal(o->min_wait_ns, 1000);
	assert_int_equal(o->stacks, STACKS_ALL);
}

#define ALL_OPTIONS \
	"-d 250ms -w 1m -n 3 -b -f json -p 12 -p34 -D /data -s -lock -F user:x -i -m 1us -S all"

static void short_and_long_forms(void **state)
{
	static const char *const lines[] = {
		ALL_OPTIONS,
		"-d250ms -w60 -n3 -bifjson -p12 -p 34 -D/data -s-lock -Fuser:x -m1us -Sall",
		"--delay=0.25 --window=1m --iterations=3 --batch --format=json --pid=12 --pid=34",
	};
	struct options o;

	(void)state;
	for (int i = 0; i < 2; i++) {
		good(lines[i], &o);
		check_all_set(&o);
		options_done(&o);
	}
	good(lines[2], &o);
	assert_int_equal(o.delay_ns, 250000000);
	assert_int_equal(o.n_pids, 2);
	options_done(&o);
	good("--pgdata /data --pgdata /other --sort cpu --filter=a --show-idle --min-wait 5ms "
	     "--stacks kernel --no-color --log=/tmp/x --ring-size=1M",
		&o);
	assert_int_equal(o.n_pgdata, 2);
	assert_string_equal(o.pgdata[1], "/other");
	assert_int_equal(o.sort, SORT_CPU);
	assert_true(o.sort_desc && o.show_idle && o.no_color);
	assert_int_equal(o.stacks, STACKS_KERNEL);
	assert_string_equal(o.log_path, "/tmp/x");
	assert_int_equal(o.ring_bytes, 1 << 20);
	options_done(&o);
	good("--iter 2", &o); /* unambiguous */
	assert_int_equal(o.iterations, 2);
	options_done(&o);
}

static void edges_of_the_ranges(void **state)
{
	static const char *const lines[] = {
		"-d 100ms",
		"-d 1h",
		"-w 1s",
		"-w 1h",
		"-n 1",
		"-n 18446744073709551615",
		"-m 0",
		"-m 1h",
		"-p 1",
		"-p 2147483647",
		"--ring-size 4K",
		"--ring-size 1G",
		"-f text -b",
	};
	struct options o;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		good(lines[i], &o);
		options_done(&o);
	}
	good("--ring-size 4097", &o); /* up to a power of two pages */
	assert_int_equal(o.ring_bytes, MAX(2 * 4096ULL, page));
	options_done(&o);
	good("--ring-size 5M", &o);
	assert_int_equal(o.ring_bytes, 8 << 20);
	options_done(&o);
}

static void no_color_of_the_environment(void **state)
{
	struct options o;

	(void)state;
	setenv("NO_COLOR", "", 1);
	good("", &o);
	assert_false(o.no_color);
	options_done(&o);
	setenv("NO_COLOR", "1", 1);
	good("", &o);
	assert_true(o.no_color);
	options_done(&o);
	unsetenv("NO_COLOR");
}

static void help_and_version_come_first(void **state)
{
	struct options o;

	(void)state;
	good("-h", &o);
	assert_int_equal(o.action, OPTIONS_HELP);
	options_done(&o);
	good("--version --nonsense", &o);
	assert_int_equal(o.action, OPTIONS_VERSION);
	options_done(&o);
	good("-b --help", &o);
	assert_int_equal(o.action, OPTIONS_HELP);
	options_done(&o);
}

static void bad_usage(void **state)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{"-d 0", "out of range: 100ms to 1h"},
		{"-d 99ms", "out of range: 100ms to 1h"},
		{"-d 3601s", "out of range: 100ms to 1h"},
		{"-d 99999999999999999999h", "out of range: 100ms to 1h"},
		{"-d 1x", "invalid time \"1x\" for --delay"},
		{"-d -1", "invalid time \"-1\" for --delay"},
		{"--delay=", "invalid time \"\" for --delay"},
		{"-w 999ms", "out of range: 1s to 1h"},
		{"-w 61m", "out of range: 1s to 1h"},
		{"-m 2h", "out of range: 0 to 1h"},
		{"-n 0", "for --iterations: expected 1 or more"},
		{"-n 1.5", "for --iterations"},
		{"-n -3", "for --iterations"},
		{"-n 18446744073709551616", "for --iterations"},
		{"-b -f xml", "unknown format \"xml\""},
		{"-b -f JSON", "unknown format \"JSON\""},
		{"-f json", "\"--format\" needs \"--batch\""},
		{"-p 0", "invalid process id \"0\""},
		{"-p -5", "invalid process id"},
		{"-p abc", "invalid process id"},
		{"-p 2147483648", "invalid process id"},
		{"--pgdata=", "empty directory name"},
		{"--log=", "empty file name"},
		{"-s speed", "unknown sort key \"speed\": expected one of off cpu runq"},
		{"-s --off", "unknown sort key"},
		{"-S some", "unknown mode \"some\""},
		{"--ring-size 4095", "out of range: 4K to 1G"},
		{"--ring-size 2G", "out of range: 4K to 1G"},
		{"--ring-size x", "invalid size"},
		{"-x", "unrecognized option \"-x\""},
		{"-bx", "unrecognized option \"-x\""},
		{"--nonsense", "unrecognized option \"--nonsense\""},
		{"--nonsense=3", "unrecognized option \"--nonsense\""},
		{"--p", "ambiguous option \"--p\""},
		{"--batch=yes", "\"--batch\" does not take an argument"},
		{"-d", "\"--delay\" needs an argument: TIME"},
		{"--window", "\"--window\" needs an argument: TIME"},
		{"--ring-size", "\"--ring-size\" needs an argument: BYTES"},
		{"postgres", "unexpected argument \"postgres\""},
		{"-b -- -x", "unexpected argument \"-x\""},
		{"-b extra -n 1", "unexpected argument \"extra\""},
		/* not yet */
		{"--record x", "unrecognized option"},
		{"-r x", "unrecognized option \"-r\""},
		{"-g user", "unrecognized option \"-g\""},
	};
	struct options o;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct diag d = {0};
		int err = parse(cases[i].line, &o, &d);

		if (err != OPTIONS_BAD_USAGE || !strstr(d.summary, cases[i].says))
			fail_msg("%s: %d, %s", cases[i].line, err, d.summary);
		assert_null(strchr(d.summary, '\n'));
		assert_non_null(strstr(d.hint, "--help"));
		assert_int_equal(parse(cases[i].line, &o, NULL), OPTIONS_BAD_USAGE);
		options_done(&o);
	}
}

/* An argument is quoted in the message, which goes to a terminal and stays one line. */
static void messages_are_clean(void **state)
{
	char sort[] = "-s", filter[] = "-F", escapes[] = "\x1b[2J\nx\x9b", long_filter[2000];
	char *argv[] = {program, sort, escapes, NULL};
	char *argv2[] = {program, filter, long_filter, NULL};
	struct options o;
	struct diag d;

	(void)state;
	assert_int_equal(options_parse(&o, 3, argv, &d), OPTIONS_BAD_USAGE);
	assert_non_null(strstr(d.summary, "\"?[2J x?\""));
	options_done(&o);
	memset(long_filter, 'a', sizeof(long_filter));
	long_filter[sizeof(long_filter) - 1] = '\0';
	assert_int_equal(options_parse(&o, 3, argv2, &d), OPTIONS_BAD_USAGE);
	assert_non_null(strstr(d.summary, "filter is longer"));
	options_done(&o);
}

static void help_has_every_option(void **state)
{
	_cleanup_free_ char *help = options_help();
	const struct option_desc *table;
	size_t n, width = 0, found = 0;

	(void)state;
	table = options_table(&n);
	for (size_t i = 0; i < n; i++) {
		char line[64];

		if (table[i].short_name)
			snprintf(line, sizeof(line), "\n  -%c, --%s%s%s", table[i].short_name,
				table[i].name, table[i].arg ? " " : "",
				table[i].arg ? table[i].arg : "");
		else
			snprintf(line, sizeof(line), "\n      --%s%s%s", table[i].name,
				table[i].arg ? "=" : "", table[i].arg ? table[i].arg : "");
		if (!strstr(help, line))
			fail_msg("not in --help: %s", line);
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(table[i].name, table[k].name);
			assert_false(
				table[i].short_name && table[i].short_name == table[k].short_name);
		}
	}
	for (const char *p = strstr(help, "\n  "); p; p = strstr(p + 1, "\n  "))
		found += !strncmp(p, "\n  -", 4) || !strncmp(p, "\n      --", 9);
	assert_int_equal(found, n); /* and no other */
	for (const char *p = help; *p; p++) {
		width = *p == '\n' ? 0 : width + 1;
		assert_true(width < 80);
		assert_true((*p >= ' ' && *p < 0x7f) || *p == '\n');
	}
	for (int key = 0; key < SORT_NR; key++)
		assert_non_null(strstr(help, sort_key_name((enum sort_key)key)));
}

/* The default that help and man page promise is the one that is set. */
static void defaults_in_the_table_are_true(void **state)
{
	const struct option_desc *table;
	struct options o, p;
	size_t n;

	(void)state;
	table = options_table(&n);
	for (size_t i = 0; i < n; i++) {
		static const char *const words[] = {"no end", "all", "chosen to fit"};
		struct diag d;
		bool is_word = !table[i].deflt;

		for (size_t w = 0; w < ARRAY_SIZE(words) && !is_word; w++)
			is_word = !strcmp(table[i].deflt, words[w]) &&
				  strcmp(table[i].name, "stacks");
		if (is_word)
			continue;
		good("", &o);
		good("", &p);
		assert_int_equal(table[i].take(&p, table[i].deflt, &d), 0);
		p.format_set = false;
		assert_memory_equal(&o, &p, sizeof(o));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(short_and_long_forms),
		cmocka_unit_test(edges_of_the_ranges),
		cmocka_unit_test(no_color_of_the_environment),
		cmocka_unit_test(help_and_version_come_first),
		cmocka_unit_test(bad_usage),
		cmocka_unit_test(messages_are_clean),
		cmocka_unit_test(help_has_every_option),
		cmocka_unit_test(defaults_in_the_table_are_true),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
