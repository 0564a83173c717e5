/*
 * ps titles: see proctitle.h.
 *
 * Owns the table of the fixed parts PostgreSQL 14..18 give their own processes. Pure.
 */
#include "proctitle.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util.h"

#define PREFIX	   "postgres: "
#define SEPARATOR  ": "
#define LOCAL_HOST "[local]"

/* In the order they are tried: longer ones before what they begin with. */
static const struct {
	const char *fixed;
	const char *backend_type;
} fixed_parts[] = {
	{"autovacuum launcher", "autovacuum launcher"},
	{"autovacuum worker", "autovacuum worker"},
	{"parallel worker for PID", "parallel worker"},
	{"background writer", "background writer"},
	{"checkpointer", "checkpointer"},
	{"walwriter", "walwriter"},
	{"walsender", "walsender"},
	{"walreceiver", "walreceiver"},
	{"walsummarizer", "walsummarizer"},
	{"startup", "startup"},
	{"archiver", "archiver"},
	{"logger", "logger"},
	{"stats collector", "stats collector"},
	{"slotsync worker", "slotsync worker"},
	{"io worker", "io worker"},
	{"logical replication launcher", "logical replication launcher"},
	{"logical replication worker for subscription", "logical replication worker"},
	{"logical replication apply worker for subscription", "logical replication apply worker"},
	{"logical replication tablesync worker for subscription",
		"logical replication tablesync worker"},
	{"logical replication parallel apply worker for subscription",
		"logical replication parallel worker"},
};

static bool starts_with(const char *s, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && !memcmp(s, prefix, n);
}

/* True if the word is a client's address: "[local]", or "127.0.0.1(5432)". */
static bool is_client_host(const char *word, size_t len)
{
	size_t digits = 0;

	if (len == strlen(LOCAL_HOST) && starts_with(word, len, LOCAL_HOST))
		return true;
	if (len < 4 || word[len - 1] != ')')
		return false;
	while (digits < len - 2 && word[len - 2 - digits] >= '0' && word[len - 2 - digits] <= '9')
		digits++;
	return digits && digits < len - 2 && word[len - 2 - digits] == '(';
}

static bool has_client_host(const char *s, size_t len)
{
	const char *end = s + len;

	while (s < end) {
		const char *blank = memchr(s, ' ', (size_t)(end - s));
		const char *word_end = blank ? blank : end;

		if (is_client_host(s, (size_t)(word_end - s)))
			return true;
		s = word_end + 1;
	}
	return false;
}

/* The fixed part that text is or begins with, as a word. */
static const char *find_fixed_part(const char *text, size_t len, const char **ret_type)
{
	for (size_t i = 0; i < ARRAY_SIZE(fixed_parts); i++) {
		const char *fixed = fixed_parts[i].fixed;

		if (starts_with(text, len, fixed) &&
			(len == strlen(fixed) || text[strlen(fixed)] == ' ')) {
			*ret_type = fixed_parts[i].backend_type;
			return fixed;
		}
	}
	return NULL;
}

static pid_t parse_pid(const char *s, size_t len)
{
	long pid = 0;

	for (size_t i = 0; i < len && s[i] >= '0' && s[i] <= '9'; i++) {
		pid = pid * 10 + (s[i] - '0');
		if (pid > INT_MAX)
			return 0;
	}
	return (pid_t)pid;
}

static void classify(struct proctitle *t)
{
	const char *type = NULL;
	const char *fixed = find_fixed_part(t->text, t->text_len, &type);
	const char *rest = t->text;
	size_t rest_len = 0;

	if (fixed && t->text_len > strlen(fixed)) {
		rest += strlen(fixed) + 1;
		rest_len = t->text_len - strlen(fixed) - 1;
	}
	/* A user may be called like a process. Only a WAL sender has a client too. */
	if (has_client_host(t->text, t->text_len) &&
		!(fixed && (!strcmp(type, "walsender") || !strcmp(type, "autovacuum worker")))) {
		t->backend_type = "client backend";
		return;
	}
	t->backend_type = fixed ? type : "background worker";
	if (fixed && !strcmp(type, "autovacuum worker"))
		snprintf(t->database, sizeof(t->database), "%.*s", (int)rest_len, rest);
	if (fixed && !strcmp(type, "parallel worker"))
		t->leader_pid = parse_pid(rest, rest_len);
}

int proctitle_parse(const char *title, size_t len, const char *cluster_name, struct proctitle *ret)
{
	struct proctitle t = {0};

	len = strnlen(title, len);
	if (!starts_with(title, len, PREFIX))
		return -EINVAL;
	title += strlen(PREFIX);
	len -= strlen(PREFIX);
	if (cluster_name && cluster_name[0] && starts_with(title, len, cluster_name)) {
		size_t n = strlen(cluster_name);

		if (starts_with(title + n, len - n, SEPARATOR)) {
			title += n + strlen(SEPARATOR);
			len -= n + strlen(SEPARATOR);
		}
	}
	while (len && title[len - 1] == ' ')
		len--;
	if (!len)
		return -EINVAL;
	t.text = title;
	t.text_len = len;
	classify(&t);
	*ret = t;
	return 0;
}

char *proctitle_cluster_name(const char *const *titles, size_t n, char *buf, size_t size)
{
	const size_t prefix_len = strlen(PREFIX);
	const char *first = NULL;
	size_t common = 0;

	for (size_t i = 0; i < n; i++) {
		size_t same = prefix_len;

		if (!starts_with(titles[i], strlen(titles[i]), PREFIX))
			continue;
		if (!first) {
			first = titles[i];
			common = strlen(first);
			continue;
		}
		while (same < common && titles[i][same] == first[same])
			same++;
		common = same;
	}
	/* Back to the last ": " all of which is common. */
	while (common > prefix_len && !(common >= prefix_len + strlen(SEPARATOR) &&
					      first[common - 1] == ' ' && first[common - 2] == ':'))
		common--;
	if (common > prefix_len)
		snprintf(buf, size, "%.*s", (int)(common - prefix_len - strlen(SEPARATOR)),
			first + prefix_len);
	else if (size)
		buf[0] = '\0';
	return buf;
}
