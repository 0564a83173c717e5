/*
 * The command line. One table of options drives the parser, --help and the test that --help, the
 * man page and the parser agree.
 */
#ifndef PGTOP_OPTIONS_H
#define PGTOP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "diag.h"
#include "report.h"
#include "rows.h"

#define OPTIONS_BAD_USAGE 2 /* exit status */

#define OPTIONS_DELAY_MIN_NS  (100 * 1000000ULL)
#define OPTIONS_DELAY_MAX_NS  (3600 * 1000000000ULL)
#define OPTIONS_WINDOW_MIN_NS (1 * 1000000000ULL)
#define OPTIONS_WINDOW_MAX_NS (3600 * 1000000000ULL)

enum options_action { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_VERSION };

/* For which waits stacks are taken. */
enum stacks_mode { STACKS_OFF, STACKS_AUTO, STACKS_KERNEL, STACKS_ALL, STACKS_NR };

struct options {
	enum options_action action; /* HELP, VERSION: the rest is not to be used */
	uint64_t delay_ns;	    /* refresh interval */
	uint64_t window_ns;
	uint64_t iterations; /* 0: no end */
	bool batch;
	enum report_format format;
	bool format_set; /* --format was given */
	pid_t *pids;	 /* of postmasters or backends */
	size_t n_pids;
	const char **pgdata; /* data directories, as given; the strings are argv's */
	size_t n_pgdata;
	enum sort_key sort;
	bool sort_desc;
	const char *filter; /* of argv; NULL: none. It compiles. */
	bool show_idle;
	uint64_t min_wait_ns;
	enum stacks_mode stacks;
	uint64_t ring_bytes; /* power of two pages; 0: chosen by the program */
	bool no_color;	     /* --no-color, or NO_COLOR set and not empty */
	const char *log_path;
};

/* One line of the table. */
struct option_desc {
	const char *name;  /* long form without "--" */
	int short_name;	   /* 0: none */
	const char *arg;   /* "TIME"; NULL: takes none */
	const char *help;  /* without the default */
	const char *deflt; /* "1s"; NULL: none worth a word */

	/* Puts the argument into *o. 0, or -EINVAL with d filled. */
	int (*take)(struct options *o, const char *arg, struct diag *d);
};

/* The table and its length. */
const struct option_desc *options_table(size_t *n);

/*
 * Parses argv (which getopt_long() may reorder) and the environment into *o. 0, or
 * OPTIONS_BAD_USAGE with d filled: one line, and a hint to --help. Either way *o is to be freed
 * with options_done(). Not thread-safe: getopt.
 */
int options_parse(struct options *o, int argc, char **argv, struct diag *d);
void options_done(struct options *o);

/* The text of --help, to be freed. */
char *options_help(void);

/* "off", "auto", "kernel", "all" */
const char *stacks_mode_name(enum stacks_mode mode);

#endif
