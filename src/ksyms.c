/*
 * Names of kernel functions: see ksyms.h.
 *
 * Owns one array sorted by address and one blob of names. Only text symbols are kept; of several at
 * one address the most visible one, the first of those. Looks at nothing but the text it is given.
 */
#include "ksyms.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "util.h"

#define PATH_DEFAULT "/proc/kallsyms"
#define CHUNK_BYTES  65536
#define MAX_SYMBOLS  (4u << 20)
#define ENOUGH_ZEROS 1000 /* functions at address 0: the rest will be hidden too */
/* Modules and BPF programs have no end marker: a longer function than this is not believed. */
#define MAX_FUNCTION_BYTES (256u << 10)

struct ksym {
	uint64_t addr;
	uint32_t name; /* offset into names */
	uint8_t rank;  /* of its visibility: lower is better */
	bool end;      /* _etext, _einittext: where text ends, not a function */
};

struct ksyms {
	char *path;
	bool loaded;
	bool hidden;
	int err; /* of loading */
	struct ksym *syms;
	size_t n_syms, size_syms;
	char *names;
	size_t n_names, size_names;
	size_t n_zero; /* text symbols at address 0 */
};

struct ksyms *ksyms_new(const char *path)
{
	struct ksyms *ks = xcalloc(1, sizeof(*ks));

	ks->path = xstrdup(path ? path : PATH_DEFAULT);
	return ks;
}

void ksyms_reset(struct ksyms *ks)
{
	char *path = ks->path;

	free(ks->syms);
	free(ks->names);
	*ks = (struct ksyms){.path = path};
}

void ksyms_free(struct ksyms *ks)
{
	if (!ks)
		return;
	ksyms_reset(ks);
	free(ks->path);
	free(ks);
}

/* ---- parsing ---- */

/* Padding in front of functions; without them it belongs to the function before, where a return
 * address behind a call that does not return lies. */
static bool is_padding(const char *name, size_t len)
{
	return (len > 6 && !memcmp(name, "__pfx_", 6)) || (len > 6 && !memcmp(name, "__cfi_", 6)) ||
	       name[0] == '$';
}

static bool name_is(const char *name, size_t len, const char *want)
{
	return len == strlen(want) && !memcmp(name, want, len);
}

static void add_symbol(struct ksyms *ks, uint64_t addr, char type, const char *name, size_t len)
{
	if (ks->n_syms >= MAX_SYMBOLS || ks->n_names > UINT32_MAX - len - 1)
		return;
	if (ks->n_syms == ks->size_syms) {
		ks->size_syms = ks->size_syms ? ks->size_syms * 2 : 256;
		ks->syms = xrealloc(ks->syms, ks->size_syms, sizeof(*ks->syms));
	}
	if (ks->size_names - ks->n_names < len + 1) {
		ks->size_names = MAX(ks->size_names * 2, ks->n_names + len + 1);
		ks->names = xrealloc(ks->names, ks->size_names, 1);
	}
	ks->syms[ks->n_syms++] = (struct ksym){
		.addr = addr,
		.name = (uint32_t)ks->n_names,
		.rank = type == 'T'   ? 0
			: type == 't' ? 1
				      : 2,
		.end = name_is(name, len, "_etext") || name_is(name, len, "_einittext"),
	};
	memcpy(ks->names + ks->n_names, name, len);
	ks->n_names += len;
	ks->names[ks->n_names++] = '\0';
}

/* "ffffffff81000000 T name\t[module]" without its newline. */
static void parse_line(struct ksyms *ks, const char *p, const char *end)
{
	uint64_t addr = 0;
	size_t digits = 0;
	const char *tab;
	char type;

	for (; p < end && digits < 16; p++, digits++) {
		char c = *p;

		if (c >= '0' && c <= '9')
			addr = addr << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			addr = addr << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	if (!digits || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return;
	type = p[1];
	if (type != 't' && type != 'T' && type != 'w' && type != 'W')
		return;
	p += 3;
	tab = memchr(p, '\t', (size_t)(end - p));
	if (tab)
		end = tab;
	if (p == end || memchr(p, '\0', (size_t)(end - p)))
		return;
	if (!addr)
		ks->n_zero++;
	else if (!is_padding(p, (size_t)(end - p)))
		add_symbol(ks, addr, type, p, (size_t)(end - p));
}

/* The whole lines of buf; returns how many bytes they were. */
static size_t parse_lines(struct ksyms *ks, const char *buf, size_t len)
{
	const char *p = buf, *end = buf + len, *newline;

	while (p < end && (newline = memchr(p, '\n', (size_t)(end - p)))) {
		parse_line(ks, p, newline);
		p = newline + 1;
	}
	return (size_t)(p - buf);
}

static int compare_syms(const void *a, const void *b)
{
	const struct ksym *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->end != y->end)
		return x->end ? 1 : -1; /* a function may start where text ends */
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* Sorts, drops duplicates, gives back what was allocated too much. */
static int finish(struct ksyms *ks)
{
	size_t n = 0;

	ks->loaded = true;
	ks->hidden = !ks->n_syms && ks->n_zero;
	if (!ks->n_syms)
		return ks->err = -ENODATA;
	qsort(ks->syms, ks->n_syms, sizeof(*ks->syms), compare_syms);
	for (size_t i = 0; i < ks->n_syms; i++)
		if (!n || ks->syms[i].addr != ks->syms[n - 1].addr)
			ks->syms[n++] = ks->syms[i];
	ks->n_syms = ks->size_syms = n;
	ks->size_names = ks->n_names;
	ks->syms = xrealloc(ks->syms, n, sizeof(*ks->syms));
	ks->names = xrealloc(ks->names, ks->size_names, 1);
	return 0;
}

int ksyms_parse(struct ksyms *ks, const char *buf, size_t len)
{
	size_t used;

	ksyms_reset(ks);
	used = parse_lines(ks, buf, len);
	parse_line(ks, buf + used, buf + len);
	return finish(ks);
}

/* ---- loading ---- */

/* In chunks: the text is several megabytes, what is kept of it a fraction. */
static int read_symbols(struct ksyms *ks, int fd)
{
	_cleanup_free_ char *buf = xmalloc(CHUNK_BYTES);
	size_t len = 0;

	for (;;) {
		ssize_t n = read(fd, buf + len, CHUNK_BYTES - len);
		size_t used;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
		used = parse_lines(ks, buf, len);
		if (!ks->n_syms && ks->n_zero > ENOUGH_ZEROS)
			return 0;
		if (n == 0) {
			parse_line(ks, buf + used, buf + len);
			return 0;
		}
		if (!used && len == CHUNK_BYTES)
			used = len; /* no line is that long */
		len -= used;
		memmove(buf, buf + used, len);
	}
}

int ksyms_load(struct ksyms *ks, struct diag *d)
{
	_cleanup_close_ int fd = -1;
	int err;

	if (ks->loaded)
		return ks->err;
	ks->loaded = true;
	fd = open(ks->path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? -errno : read_symbols(ks, fd);
	if (err) {
		ks->n_syms = 0;
		ks->err = err;
		return diag_set(d, err, "could not read \"%s\": %s", ks->path, strerror(-err));
	}
	err = finish(ks);
	if (ks->hidden) {
		diag_set(d, err, "kernel symbols are hidden: all addresses in \"%s\" are zero",
			ks->path);
		diag_hint(d, "Run with CAP_SYSLOG, or set kernel.kptr_restrict to 0 or 1.");
	} else if (err) {
		diag_set(d, err, "could not find any function in \"%s\"", ks->path);
	}
	return err;
}

bool ksyms_hidden(struct ksyms *ks)
{
	(void)ksyms_load(ks, NULL);
	return ks->hidden;
}

size_t ksyms_count(struct ksyms *ks)
{
	(void)ksyms_load(ks, NULL);
	return ks->n_syms;
}

const char *ksyms_lookup(struct ksyms *ks, uint64_t addr, uint64_t *ret_offset)
{
	size_t lo = 0, hi;
	const struct ksym *s;

	(void)ksyms_load(ks, NULL);
	hi = ks->n_syms;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ks->syms[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	s = &ks->syms[lo - 1];
	if (s->end || addr - s->addr >= MAX_FUNCTION_BYTES)
		return NULL;
	if (ret_offset)
		*ret_offset = addr - s->addr;
	return ks->names + s->name;
}

/* ---- names ---- */

/* True if s[0..len) is ".isra.0", ".constprop.12", ".cold", ".part.3.isra.0" and so on: a suffix
 * word, then groups of digits, or another suffix. */
static bool is_suffix(const char *s, size_t len)
{
	static const char *const words[] = {".isra", ".constprop", ".cold", ".part", ".llvm",
		".localalias", ".lto_priv", ".clone"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		size_t n = strlen(words[i]);

		if (len >= n && !memcmp(s, words[i], n) && (len == n || s[n] == '.'))
			return true;
	}
	return false;
}

size_t ksyms_base_len(const char *name)
{
	size_t len = strcspn(name, "\t");

	/* The first dot that starts a suffix; a name may begin with one. */
	for (size_t i = 1; i < len; i++)
		if (name[i] == '.' && is_suffix(name + i, len - i))
			return i;
	return len;
}

char *ksyms_base_name(const char *name, char *buf, size_t size)
{
	snprintf(buf, size, "%.*s", (int)ksyms_base_len(name), name);
	return buf;
}
