/*
 * The command line. See options.h.
 *
 * Owns the table of options; each line has the function that takes its argument. Must not know
 * what the options do. An option that exists is in the table, nowhere else.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "buf.h"
#include "filter.h"
#include "text.h"
#include "units.h"
#include "util.h"

#define PROGRAM "pgtop-offcpu"

#define MIN_WAIT_MAX_NS (3600 * NSEC_PER_SEC)
#define RING_MIN_BYTES	4096ULL
#define RING_MAX_BYTES	(1ULL << 30)

/* ---- arguments ------------------------------------------------------------------------------ */

static int take_time(const char *option, const char *arg, const char *range, uint64_t min,
	uint64_t max, uint64_t *ret, struct diag *d)
{
	uint64_t ns = 0;
	int err = units_parse_duration(arg, &ns);

	if (err == -EINVAL)
		return diag_set(d, err,
			"invalid time \"%s\" for --%s: expected e.g. 500ms, 10s, 5m", arg, option);
	if (err || ns < min || ns > max)
		return diag_set(
			d, -EINVAL, "time \"%s\" for --%s is out of range: %s", arg, option, range);
	*ret = ns;
	return 0;
}

static int take_delay(struct options *o, const char *arg, struct diag *d)
{
	return take_time("delay", arg, "100ms to 1h", OPTIONS_DELAY_MIN_NS, OPTIONS_DELAY_MAX_NS,
		&o->delay_ns, d);
}

static int take_window(struct options *o, const char *arg, struct diag *d)
{
	return take_time("window", arg, "1s to 1h", OPTIONS_WINDOW_MIN_NS, OPTIONS_WINDOW_MAX_NS,
		&o->window_ns, d);
}

static int take_min_wait(struct options *o, const char *arg, struct diag *d)
{
	return take_time("min-wait", arg, "0 to 1h", 0, MIN_WAIT_MAX_NS, &o->min_wait_ns, d);
}

static int take_iterations(struct options *o, const char *arg, struct diag *d)
{
	uint64_t n = 0;

	if (units_parse_u64(arg, &n) || !n)
		return diag_set(d, -EINVAL,
			"invalid number \"%s\" for --iterations: expected 1 or more", arg);
	o->iterations = n;
	return 0;
}

static int take_batch(struct options *o, const char *arg, struct diag *d)
{
	(void)arg, (void)d;
	o->batch = true;
	return 0;
}

static int take_format(struct options *o, const char *arg, struct diag *d)
{
	int format = report_format_parse(arg);

	if (format < 0)
		return diag_set(d, -EINVAL,
			"unknown format \"%s\" for --format: expected text or json", arg);
	o->format = (enum report_format)format;
	o->format_set = true;
	return 0;
}

static int take_pid(struct options *o, const char *arg, struct diag *d)
{
	uint64_t pid = 0;

	if (units_parse_u64(arg, &pid) || !pid || pid > INT_MAX)
		return diag_set(d, -EINVAL, "invalid process id \"%s\" for --pid", arg);
	o->pids = xrealloc(o->pids, o->n_pids + 1, sizeof(*o->pids));
	o->pids[o->n_pids++] = (pid_t)pid;
	return 0;
}

static int take_pgdata(struct options *o, const char *arg, struct diag *d)
{
	if (!*arg)
		return diag_set(d, -EINVAL, "empty directory name for --pgdata");
	o->pgdata = xrealloc(o->pgdata, o->n_pgdata + 1, sizeof(*o->pgdata));
	o->pgdata[o->n_pgdata++] = arg;
	return 0;
}

static int take_sort(struct options *o, const char *arg, struct diag *d)
{
	struct buf b;

	if (!sort_key_parse(arg, &o->sort, &o->sort_desc))
		return 0;
	buf_init(&b, 512);
	for (int key = 0; key < SORT_NR; key++)
		buf_printf(&b, " %s", sort_key_name((enum sort_key)key));
	diag_set(d, -EINVAL, "unknown sort key \"%.64s\": expected one of%s", arg, b.data);
	buf_done(&b);
	return -EINVAL;
}

static int take_filter(struct options *o, const char *arg, struct diag *d)
{
	struct filter *f;

	if (filter_compile(arg, &f, d))
		return -EINVAL;
	filter_free(f);
	o->filter = arg;
	return 0;
}

static int take_show_idle(struct options *o, const char *arg, struct diag *d)
{
	(void)arg, (void)d;
	o->show_idle = true;
	return 0;
}

static int take_stacks(struct options *o, const char *arg, struct diag *d)
{
	for (int mode = 0; mode < STACKS_NR; mode++) {
		if (!strcmp(arg, stacks_mode_name((enum stacks_mode)mode))) {
			o->stacks = (enum stacks_mode)mode;
			return 0;
		}
	}
	return diag_set(d, -EINVAL,
		"unknown mode \"%s\" for --stacks: expected off, auto, kernel or all", arg);
}

static int take_ring_size(struct options *o, const char *arg, struct diag *d)
{
	uint64_t bytes = 0, size = (uint64_t)sysconf(_SC_PAGESIZE);
	int err = units_parse_size(arg, &bytes);

	if (err == -EINVAL)
		return diag_set(d, err,
			"invalid size \"%s\" for --ring-size: expected e.g. 512K, 16M", arg);
	if (err || bytes < RING_MIN_BYTES || bytes > RING_MAX_BYTES)
		return diag_set(
			d, -EINVAL, "size \"%s\" for --ring-size is out of range: 4K to 1G", arg);
	while (size < bytes)
		size *= 2;
	o->ring_bytes = size;
	return 0;
}

static int take_no_color(struct options *o, const char *arg, struct diag *d)
{
	(void)arg, (void)d;
	o->no_color = true;
	return 0;
}

static int take_log(struct options *o, const char *arg, struct diag *d)
{
	if (!*arg)
		return diag_set(d, -EINVAL, "empty file name for --log");
	o->log_path = arg;
	return 0;
}

static int take_help(struct options *o, const char *arg, struct diag *d)
{
	(void)arg, (void)d;
	o->action = OPTIONS_HELP;
	return 0;
}

static int take_version(struct options *o, const char *arg, struct diag *d)
{
	(void)arg, (void)d;
	o->action = OPTIONS_VERSION;
	return 0;
}

/* ---- the table ------------------------------------------------------------------------------ */

static const struct option_desc table[] = {
	{"delay", 'd', "TIME", "refresh interval, 100ms to 1h", "1s", take_delay},
	{"window", 'w', "TIME", "rolling window, 1s to 1h", "10s", take_window},
	{"iterations", 'n', "N", "stop after N refreshes", "no end", take_iterations},
	{"batch", 'b', NULL, "no terminal: a report per refresh on standard output", NULL,
		take_batch},
	{"format", 'f', "FORMAT", "of the batch reports: text, or json (one object a line)", "text",
		take_format},
	{"pid", 'p', "PID", "only this postmaster's cluster, or this backend; repeatable", "all",
		take_pid},
	{"pgdata", 'D', "DIR", "only the cluster with this data directory; repeatable", "all",
		take_pgdata},
	{"sort", 's', "KEY", "sort key, see below; -KEY inverts", "off", take_sort},
	{"filter", 'F', "EXPR", "only rows that match, see below", NULL, take_filter},
	{"show-idle", 'i', NULL, "also rows that were only idle", NULL, take_show_idle},
	{"min-wait", 'm', "TIME",
		"leave shorter waits out of the details (events, histogram, stacks); totals stay "
		"exact",
		"0", take_min_wait},
	{"stacks", 'S', "MODE",
		"off; auto: kernel stack where no wait event explains the wait; kernel: of every "
		"wait; all: user stack as well",
		"auto", take_stacks},
	{"ring-size", 0, "BYTES", "ring buffer size, 4K to 1G, rounded up to a power of two pages",
		"chosen to fit", take_ring_size},
	{"no-color", 0, NULL, "use no colour; also when NO_COLOR is set and not empty", NULL,
		take_no_color},
	{"log", 0, "FILE", "write diagnostics to FILE", NULL, take_log},
	{"help", 'h', NULL, "show this text", NULL, take_help},
	{"version", 'V', NULL, "show the version", NULL, take_version},
};

const struct option_desc *options_table(size_t *n)
{
	*n = ARRAY_SIZE(table);
	return table;
}

const char *stacks_mode_name(enum stacks_mode mode)
{
	static const char *const names[STACKS_NR] = {
		[STACKS_OFF] = "off",
		[STACKS_AUTO] = "auto",
		[STACKS_KERNEL] = "kernel",
		[STACKS_ALL] = "all",
	};
	return names[mode];
}

/* ---- parsing -------------------------------------------------------------------------------- */

#define LONG_ONLY 256 /* val of table[i] without a short form: LONG_ONLY + i */

static int option_val(size_t i)
{
	return table[i].short_name ? table[i].short_name : LONG_ONLY + (int)i;
}

static const struct option_desc *option_of_val(int val)
{
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (option_val(i) == val)
			return &table[i];
	return NULL;
}

static void make_getopt_tables(char shorts[3 * ARRAY_SIZE(table)], struct option *longs)
{
	*shorts++ = ':'; /* tell a missing argument from an unknown option */
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		longs[i] = (struct option){
			.name = table[i].name,
			.has_arg = table[i].arg ? required_argument : no_argument,
			.val = option_val(i),
		};
		if (!table[i].short_name)
			continue;
		*shorts++ = (char)table[i].short_name;
		if (table[i].arg)
			*shorts++ = ':';
	}
	*shorts = '\0';
}

/* Why getopt_long() returned '?': word is the argument it was looking at. */
static int explain_bad_option(const char *word, struct diag *d)
{
	size_t n = strncmp(word, "--", 2) ? 0 : strcspn(word, "="), matches = 0;

	if (!n && optopt)
		return diag_set(d, -EINVAL, "unrecognized option \"-%c\"", optopt);
	if (optopt)
		return diag_set(
			d, -EINVAL, "option \"%.*s\" does not take an argument", (int)n, word);
	for (size_t i = 0; n > 2 && i < ARRAY_SIZE(table); i++)
		matches += !strncmp(table[i].name, word + 2, n - 2);
	return diag_set(d, -EINVAL, "%s option \"%.*s\"",
		matches > 1 ? "ambiguous" : "unrecognized", (int)n, word);
}

static int explain_missing_argument(const struct option_desc *desc, struct diag *d)
{
	return diag_set(d, -EINVAL, "option \"--%s\" needs an argument: %s", desc->name, desc->arg);
}

static int parse(struct options *o, int argc, char **argv, struct diag *d)
{
	char shorts[3 * ARRAY_SIZE(table)];
	struct option longs[ARRAY_SIZE(table) + 1] = {0};
	int val, err;

	make_getopt_tables(shorts, longs);
	opterr = 0;
	optind = 0; /* GNU: start again */
	while ((val = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		if (val == '?')
			return explain_bad_option(argv[optind - 1], d);
		if (val == ':')
			return explain_missing_argument(option_of_val(optopt), d);
		err = option_of_val(val)->take(o, optarg, d);
		if (err || o->action != OPTIONS_RUN)
			return err;
	}
	if (optind < argc)
		return diag_set(d, -EINVAL, "unexpected argument \"%s\"", argv[optind]);
	if (o->format_set && !o->batch)
		return diag_set(d, -EINVAL, "option \"--format\" needs \"--batch\"");
	return 0;
}

int options_parse(struct options *o, int argc, char **argv, struct diag *d)
{
	const char *no_color = getenv("NO_COLOR");

	*o = (struct options){
		.delay_ns = NSEC_PER_SEC,
		.window_ns = 10 * NSEC_PER_SEC,
		.sort = SORT_OFF,
		.sort_desc = sort_key_desc(SORT_OFF),
		.stacks = STACKS_AUTO,
		.no_color = no_color && *no_color,
	};
	if (!parse(o, argc, argv, d))
		return 0;
	if (d) {
		/* It quotes an argument, which may hold anything. */
		text_clean(d->summary, sizeof(d->summary), d->summary, sizeof(d->summary),
			TEXT_ONE_LINE);
		diag_hint(d, "Try \"" PROGRAM " --help\".");
	}
	return OPTIONS_BAD_USAGE;
}

void options_done(struct options *o)
{
	free(o->pids);
	free(o->pgdata);
	*o = (struct options){0};
}

/* ---- help ----------------------------------------------------------------------------------- */

#define HELP_INDENT 24
#define HELP_WIDTH  79

/* Appends text, wrapped at HELP_WIDTH with the given indent; the cursor stands at column. */
static void add_wrapped(struct buf *b, const char *text, size_t indent, size_t column)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (column > indent && column + 1 + n > HELP_WIDTH) {
			buf_putc(b, '\n');
			column = 0;
		}
		if (column < indent) {
			buf_pad(b, indent - column);
			column = indent;
		} else if (column > indent) {
			buf_putc(b, ' ');
			column++;
		}
		buf_add(b, text, n);
		column += n;
		text += n;
		text += strspn(text, " ");
	}
	buf_putc(b, '\n');
}

static void add_option_help(struct buf *b, const struct option_desc *desc)
{
	_cleanup_free_ char *text = NULL;
	size_t start = b->len;

	if (desc->short_name)
		buf_printf(b, "  -%c, --%s", desc->short_name, desc->name);
	else
		buf_printf(b, "      --%s", desc->name);
	if (desc->arg)
		buf_printf(b, "%c%s", desc->short_name ? ' ' : '=', desc->arg);
	text = desc->deflt ? xasprintf("%s (default: %s)", desc->help, desc->deflt)
			   : xstrdup(desc->help);
	if (b->len - start + 2 > HELP_INDENT) {
		buf_putc(b, '\n');
		start = b->len;
	}
	add_wrapped(b, text, HELP_INDENT, b->len - start);
}

char *options_help(void)
{
	struct buf b, keys;

	buf_init(&b, 64 << 10);
	buf_init(&keys, 4 << 10);
	buf_puts(&b,
		"Usage: " PROGRAM " [OPTION]...\n"
		"Show what every PostgreSQL backend is waiting for, with exact off-CPU time by\n"
		"wait type, taken from the kernel's scheduler. Needs root; no database\n"
		"connection.\n"
		"\n"
		"Options:\n");
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		add_option_help(&b, &table[i]);
	buf_puts(&b, "\nTimes take a unit: ns, us, ms, s, m, h; a bare number is seconds.\n"
		     "\nSort keys:\n");
	for (int key = 0; key < SORT_NR; key++)
		buf_printf(&keys, "%s ", sort_key_name((enum sort_key)key));
	add_wrapped(&b, keys.data, 2, 0);
	buf_done(&keys);
	buf_puts(&b,
		"\nFilter:\n"
		"  Terms separated by blanks must all match; !TERM negates, \"two words\" quotes.\n"
		"  A term is a case-insensitive extended regular expression, tried on pid,\n"
		"  backend type, user, database, client, application, state, wait event, query.\n"
		"  user: db: app: client: state: type: event: query: pid: in front confines it.\n"
		"\n"
		"Exit status: 0 done; 1 could not start, or failed on the way; 2 bad usage.\n");
	return b.data;
}
