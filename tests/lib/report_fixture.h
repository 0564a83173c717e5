/* A fixed snapshot with one backend of each kind that filters, rows and reports must tell apart. */
#ifndef PGTOP_TESTS_REPORT_FIXTURE_H
#define PGTOP_TESTS_REPORT_FIXTURE_H

#include "snapshot.h"

/* Indexes into its backends. */
enum report_fixture_row {
	FIX_BLOCKED,   /* waits for a row lock since before the program attached */
	FIX_BLOCKER,   /* idle in transaction */
	FIX_BUSY,      /* on CPU; a query of several lines with odd characters */
	FIX_IDLE,      /* a client between two commands */
	FIX_WALWRITER, /* background, idle but for 0.05 % of the window */
	FIX_WORKER,    /* parallel worker, woken and not yet running */
	FIX_EXITED,    /* ended inside the window, nothing known about it */
	FIX_LOSSY,     /* part of its account was lost; names with commas and quotes */
	FIX_NR,
};

/* In all of them, times sum to watched_ns. Static memory, not to be freed. */
const struct snapshot *report_fixture(void);

/* No server, no backend. */
const struct snapshot *report_fixture_empty(void);

#endif
