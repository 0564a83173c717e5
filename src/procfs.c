/*
 * The parsers of /proc: see procfs.h. The readers are in procfs_read.c.
 *
 * Pure: no file, no memory of their own. Every access is checked against the end of the buffer;
 * numbers that do not fit are an error, not a wrap.
 */
#include "procfs.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "util.h"

struct cursor {
	const char *pos, *end;
};

static bool skip_char(struct cursor *c, char want)
{
	if (c->pos >= c->end || *c->pos != want)
		return false;
	c->pos++;
	return true;
}

static void skip_blanks(struct cursor *c)
{
	while (c->pos < c->end && (*c->pos == ' ' || *c->pos == '\t'))
		c->pos++;
}

static int digit_value(char ch)
{
	if (ch >= '0' && ch <= '9')
		return ch - '0';
	if (ch >= 'a' && ch <= 'f')
		return ch - 'a' + 10;
	if (ch >= 'A' && ch <= 'F')
		return ch - 'A' + 10;
	return INT_MAX;
}

/* At least one digit; false on overflow. */
static bool take_u64(struct cursor *c, unsigned base, uint64_t *ret)
{
	const char *start = c->pos;
	uint64_t v = 0;

	for (; c->pos < c->end && digit_value(*c->pos) < (int)base; c->pos++)
		if (__builtin_mul_overflow(v, base, &v) ||
			__builtin_add_overflow(v, (unsigned)digit_value(*c->pos), &v))
			return false;
	if (c->pos == start)
		return false;
	*ret = v;
	return true;
}

static bool take_u32(struct cursor *c, unsigned base, uint32_t *ret)
{
	uint64_t v;

	if (!take_u64(c, base, &v) || v > UINT32_MAX)
		return false;
	*ret = (uint32_t)v;
	return true;
}

static bool take_pid(struct cursor *c, pid_t *ret)
{
	uint64_t v;

	if (!take_u64(c, 10, &v) || v > INT_MAX)
		return false;
	*ret = (pid_t)v;
	return true;
}

static bool take_s64(struct cursor *c, int64_t *ret)
{
	bool negative = skip_char(c, '-');
	uint64_t v;

	if (!take_u64(c, 10, &v) || v > INT64_MAX)
		return false;
	*ret = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

/* The next line without its newline; false at the end. */
static bool take_line(struct cursor *c, struct cursor *ret_line)
{
	const char *newline;

	if (c->pos >= c->end)
		return false;
	newline = memchr(c->pos, '\n', (size_t)(c->end - c->pos));
	ret_line->pos = c->pos;
	ret_line->end = newline ? newline : c->end;
	c->pos = newline ? newline + 1 : c->end;
	return true;
}

static bool skip_word(struct cursor *c, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(c->end - c->pos) < len || memcmp(c->pos, word, len))
		return false;
	c->pos += len;
	return true;
}

/* ---- stat ---- */

#define STAT_PPID      4
#define STAT_FLAGS     9
#define STAT_UTIME     14
#define STAT_STIME     15
#define STAT_STARTTIME 22

#define PF_EXITING 0x4 /* include/linux/sched.h: set before sched_process_exit, never cleared */

/* Fields 3.. of stat, behind the last ')'. */
static bool parse_stat_fields(struct cursor *c, struct proc_stat *st)
{
	if (!skip_char(c, ' ') || c->pos >= c->end)
		return false;
	st->state = *c->pos++;
	for (int field = STAT_PPID; field <= STAT_STARTTIME; field++) {
		bool negative;
		uint64_t v;

		if (!skip_char(c, ' '))
			return false;
		negative = skip_char(c, '-');
		if (!take_u64(c, 10, &v))
			return false;
		switch (field) {
		case STAT_PPID:
			if (negative || v > INT_MAX)
				return false;
			st->ppid = (pid_t)v;
			break;
		case STAT_FLAGS:
			st->exiting = v & PF_EXITING;
			break;
		case STAT_UTIME:
			st->cpu_ticks = v;
			break;
		case STAT_STIME:
			if (__builtin_add_overflow(st->cpu_ticks, v, &st->cpu_ticks))
				return false;
			break;
		case STAT_STARTTIME:
			st->start_ticks = v;
			break;
		}
	}
	return true;
}

int procfs_parse_stat(const char *buf, size_t len, struct proc_stat *ret)
{
	struct cursor c = {buf, buf + len};
	struct proc_stat st = {0};
	const char *comm_end;
	size_t comm_len;

	if (!take_pid(&c, &st.pid) || !skip_char(&c, ' ') || !skip_char(&c, '('))
		return -EBADMSG;
	/* comm is the process's own choice; no later field holds a ')'. */
	comm_end = memrchr(c.pos, ')', (size_t)(c.end - c.pos));
	if (!comm_end)
		return -EBADMSG;
	comm_len = MIN((size_t)(comm_end - c.pos), sizeof(st.comm) - 1);
	memcpy(st.comm, c.pos, comm_len);
	c.pos = comm_end + 1;
	if (!parse_stat_fields(&c, &st))
		return -EBADMSG;
	*ret = st;
	return 0;
}

/* ---- status ---- */

int procfs_parse_status(const char *buf, size_t len, struct proc_status *ret)
{
	struct cursor c = {buf, buf + len}, line;
	struct proc_status st = {0};
	bool have_uid = false;

	while (take_line(&c, &line)) {
		if (!have_uid && skip_word(&line, "Uid:")) {
			skip_blanks(&line);
			if (!take_u32(&line, 10, &st.uid))
				return -EBADMSG;
			skip_blanks(&line);
			if (!take_u32(&line, 10, &st.euid))
				return -EBADMSG;
			have_uid = true;
		} else if (!st.n_nspid && skip_word(&line, "NSpid:")) {
			for (skip_blanks(&line); line.pos < line.end; skip_blanks(&line)) {
				if (!take_pid(&line, &st.pid_ns))
					return -EBADMSG;
				st.n_nspid++;
			}
		}
	}
	if (!have_uid)
		return -EBADMSG;
	*ret = st;
	return 0;
}

/* ---- maps ---- */

#define DELETED " (deleted)"

static bool starts_with(const char *s, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && !memcmp(s, prefix, n);
}

/* Mappings the kernel calls "(deleted)" because they never had a name. */
static bool never_had_a_name(const char *path, size_t len)
{
	return (len == strlen("/dev/zero") && starts_with(path, len, "/dev/zero")) ||
	       starts_with(path, len, "/SYSV") || starts_with(path, len, "/memfd:") ||
	       starts_with(path, len, "/anon_hugepage") || starts_with(path, len, "/[");
}

static bool parse_map_perms(struct cursor *c, struct proc_map *m)
{
	if (c->end - c->pos < 4)
		return false;
	m->read = c->pos[0] == 'r';
	m->write = c->pos[1] == 'w';
	m->exec = c->pos[2] == 'x';
	m->shared = c->pos[3] == 's';
	c->pos += 4;
	return true;
}

static bool parse_map_line(struct cursor *c, struct proc_map *ret)
{
	const size_t suffix_len = strlen(DELETED);
	struct proc_map m = {0};

	if (!take_u64(c, 16, &m.start) || !skip_char(c, '-') || !take_u64(c, 16, &m.end) ||
		!skip_char(c, ' ') || !parse_map_perms(c, &m) || !skip_char(c, ' ') ||
		!take_u64(c, 16, &m.pgoff) || !skip_char(c, ' ') ||
		!take_u32(c, 16, &m.dev_major) || !skip_char(c, ':') ||
		!take_u32(c, 16, &m.dev_minor) || !skip_char(c, ' ') || !take_u64(c, 10, &m.ino))
		return false;
	if (m.start >= m.end || (c->pos < c->end && *c->pos != ' '))
		return false;
	skip_blanks(c);
	m.path = c->pos;
	m.path_len = (size_t)(c->end - c->pos);
	if (m.path_len > suffix_len &&
		!memcmp(m.path + m.path_len - suffix_len, DELETED, suffix_len)) {
		m.path_len -= suffix_len;
		m.deleted = !never_had_a_name(m.path, m.path_len);
	}
	*ret = m;
	return true;
}

void procfs_maps_begin(struct proc_maps_iter *it, const char *buf, size_t len)
{
	*it = (struct proc_maps_iter){.pos = buf, .end = buf + len};
}

bool procfs_maps_next(struct proc_maps_iter *it, struct proc_map *ret)
{
	struct cursor c = {it->pos, it->end}, line;
	bool found = false;

	while (!found && take_line(&c, &line)) {
		/* A line without its newline was cut, and its path with it. */
		found = line.end < it->end && parse_map_line(&line, ret);
		if (!found)
			it->skipped++;
	}
	it->pos = c.pos;
	return found;
}

/* ---- time namespace, schedstat ---- */

int procfs_parse_timens(const char *buf, size_t len, struct proc_timens *ret)
{
	struct cursor c = {buf, buf + len}, line;
	struct proc_timens t = {0};

	while (take_line(&c, &line)) {
		int64_t sec, nsec, *to = NULL;

		if (skip_word(&line, "monotonic"))
			to = &t.monotonic_ns;
		else if (skip_word(&line, "boottime"))
			to = &t.boottime_ns;
		if (!to)
			continue;
		skip_blanks(&line);
		if (!take_s64(&line, &sec))
			return -EBADMSG;
		skip_blanks(&line);
		if (!take_s64(&line, &nsec) ||
			__builtin_mul_overflow(sec, (int64_t)NSEC_PER_SEC, &sec) ||
			__builtin_add_overflow(sec, nsec, to))
			return -EBADMSG;
	}
	*ret = t;
	return 0;
}

int procfs_parse_schedstat(const char *buf, size_t len, struct proc_schedstat *ret)
{
	struct cursor c = {buf, buf + len};
	struct proc_schedstat s;

	if (!take_u64(&c, 10, &s.cpu_ns) || !skip_char(&c, ' ') || !take_u64(&c, 10, &s.runq_ns) ||
		!skip_char(&c, ' ') || !take_u64(&c, 10, &s.timeslices))
		return -EBADMSG;
	*ret = s;
	return 0;
}

/* ---- stack ---- */

size_t procfs_parse_stack(char *text, size_t len, const char **frames, size_t max)
{
	char *pos = text, *end = text + len;
	size_t n = 0;

	while (pos < end && n < max) {
		char *newline = memchr(pos, '\n', (size_t)(end - pos));
		char *line_end = newline ? newline : end;
		char *bracket = memchr(pos, ']', (size_t)(line_end - pos));
		char *name = bracket ? bracket + 1 : line_end;
		char *name_end;

		pos = newline ? newline + 1 : end;
		while (name < line_end && *name == ' ')
			name++;
		name_end = name;
		while (name_end < line_end && !strchr("+ \t", *name_end))
			name_end++;
		if (name_end == end)
			name_end--;
		if (name_end <= name)
			continue;
		*name_end = '\0';
		/* Old kernels end a trace with an entry of all ones. */
		if (!strcmp(name, "0xffffffffffffffff"))
			continue;
		frames[n++] = isdigit((unsigned char)name[0]) ? NULL : name;
	}
	return n;
}
