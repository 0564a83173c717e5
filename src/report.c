/* What the report formats share. See report.h. */
#include "report.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "util.h"

static const struct {
	const char *name;
	int (*add)(struct buf *b, const struct snapshot *s, const struct report_opts *o);
} formats[REPORT_FORMAT_NR] = {
	[REPORT_TEXT] = {"text", report_text},
	[REPORT_JSON] = {"json", report_json},
};

const char *report_format_name(enum report_format format)
{
	return formats[format].name;
}

int report_format_parse(const char *name)
{
	for (int i = 0; i < REPORT_FORMAT_NR; i++)
		if (!strcmp(formats[i].name, name))
			return i;
	return -EINVAL;
}

int report_add(struct buf *b, enum report_format format, const struct snapshot *s,
	const struct report_opts *o)
{
	return formats[format].add(b, s, o);
}

char *report_time(char buf[REPORT_TIME_BUF], int64_t time_ms)
{
	int64_t seconds = time_ms / 1000, ms = time_ms % 1000;
	struct tm tm = {0};
	time_t t;

	if (ms < 0) {
		ms += 1000;
		seconds--;
	}
	t = (time_t)seconds;
	gmtime_r(&t, &tm);
	snprintf(buf, REPORT_TIME_BUF, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900,
		tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)ms);
	return buf;
}
