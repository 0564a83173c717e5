/*
 * Batch reports: one snapshot as text or as JSON, appended to a buffer that the caller writes out
 * at once with buf_write().
 */
#ifndef PGTOP_REPORT_H
#define PGTOP_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "rows.h"
#include "snapshot.h"

/* A report is never larger; a buffer of this bound serves. */
#define REPORT_MAX_BYTES ((size_t)256 << 20)

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_FORMAT_NR };

struct report_opts {
	const struct filter *filter; /* NULL: none */
	bool show_idle;
	enum sort_key sort;
	bool sort_desc;
};

/* "text", "json" */
const char *report_format_name(enum report_format format);

/* The format of that name, or -EINVAL. */
int report_format_parse(const char *name);

/* Appends one report. 0, or -EOVERFLOW when the buffer's bound is reached. */
int report_add(struct buf *b, enum report_format format, const struct snapshot *s,
	const struct report_opts *o);

/* One JSON object on one line, with '\n'. */
int report_json(struct buf *b, const struct snapshot *s, const struct report_opts *o);

/* Header lines, the table, and an empty line at the end. */
int report_text(struct buf *b, const struct snapshot *s, const struct report_opts *o);

/* "2026-11-30T09:00:00.123Z" from milliseconds since the epoch; returns buf. */
#define REPORT_TIME_BUF 80
char *report_time(char buf[REPORT_TIME_BUF], int64_t time_ms);

#endif
