/*
 * Names for user-space addresses: see usyms.h. The symbols of files are in usyms_files.c.
 *
 * Owns processes (by pid and start time, least recently used last), and spaces: sets of executable
 * mappings, counted by the processes that have them. A space is never changed once it is shared; a
 * process that has mapped something new gets another one. Invariant: whatever is read of a pid
 * counts only if afterwards the pid still belongs to the process that was meant.
 */
#include "usyms.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "procfs.h"
#include "text.h"
#include "usyms_files.h"
#include "util.h"

#define PROC	      "/proc"
#define PROC_BUCKETS  4096 /* powers of two */
#define SPACE_BUCKETS 256
#define MAX_REGIONS   2048 /* executable mappings of one process */
#define BACKOFF_MAX   64   /* times reread_ns */
#define CODE_MIN      0x10000ULL
#define CODE_MAX      (1ULL << 56) /* user space ends below, on every 64-bit architecture */

struct space {
	struct space *next; /* in its bucket */
	uint64_t hash;
	size_t refs; /* processes */
	pid_t pid;   /* whose maps were read first, in practice the postmaster */
	uint64_t start_ticks;
	struct usyms_region *regions;
	size_t n_regions;
	struct usyms_object *objects;
	size_t n_objects;
};

struct process {
	struct process *next_in_bucket;
	struct process *newer, *older;
	pid_t pid;
	bool own;  /* space is what was read of itself, not what it was forked with */
	bool gone; /* nothing can be read any more */
	uint64_t start_ticks;
	struct space *space; /* NULL: not known */
	uint64_t backoff, next_read_ns;
};

struct usyms {
	uint64_t reread_ns;
	struct process *processes[PROC_BUCKETS];
	struct process *newest, *oldest;
	size_t n_processes;
	struct space *spaces[SPACE_BUCKETS];
	size_t n_spaces;
	struct usyms_files *files;
	uint64_t maps_reads;
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

struct usyms *usyms_new(uint64_t reread_ns)
{
	struct usyms *u = xcalloc(1, sizeof(*u));

	u->reread_ns = reread_ns;
	u->files = usyms_files_new(USYMS_MAX_FILES);
	return u;
}

/* ---- spaces ---- */

static void free_space(struct space *s)
{
	for (size_t i = 0; i < s->n_objects; i++)
		usyms_object_done(&s->objects[i]);
	free(s->objects);
	free(s->regions);
	free(s);
}

static void put_space(struct usyms *u, struct space *s)
{
	struct space **p;

	if (!s || --s->refs)
		return;
	for (p = &u->spaces[s->hash & (SPACE_BUCKETS - 1)]; *p != s; p = &(*p)->next)
		;
	*p = s->next;
	u->n_spaces--;
	free_space(s);
}

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	while (len--)
		h = (h ^ *p++) * 0x100000001b3ULL;
	return h ^ h >> 32;
}

static uint64_t hash_space(const struct space *s)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	h = hash_bytes(h, s->regions, s->n_regions * sizeof(*s->regions));
	for (size_t i = 0; i < s->n_objects; i++)
		h = hash_bytes(h, &s->objects[i].ino, sizeof(s->objects[i].ino));
	return h;
}

static bool same_space(const struct space *a, const struct space *b)
{
	if (a->hash != b->hash || a->n_regions != b->n_regions || a->n_objects != b->n_objects)
		return false;
	if (a->n_regions && memcmp(a->regions, b->regions, a->n_regions * sizeof(*a->regions)))
		return false;
	for (size_t i = 0; i < a->n_objects; i++)
		if (!usyms_object_same(&a->objects[i], &b->objects[i]))
			return false;
	return true;
}

/* The one kept copy of s, which is consumed. */
static struct space *intern_space(struct usyms *u, struct space *s, pid_t pid, uint64_t start_ticks)
{
	struct space **bucket, *other;

	s->hash = hash_space(s);
	bucket = &u->spaces[s->hash & (SPACE_BUCKETS - 1)];
	for (other = *bucket; other; other = other->next) {
		if (same_space(other, s)) {
			free_space(s);
			other->refs++;
			return other;
		}
	}
	s->refs = 1;
	s->pid = pid;
	s->start_ticks = start_ticks;
	s->next = *bucket;
	*bucket = s;
	u->n_spaces++;
	return s;
}

static uint32_t object_of(struct space *s, const struct proc_map *map)
{
	struct usyms_object *o;

	for (size_t i = s->n_objects; i-- > 0;)
		if (usyms_object_is(&s->objects[i], map))
			return (uint32_t)i;
	if (!(s->n_objects & (s->n_objects - 1))) /* grown by powers of two */
		s->objects = xrealloc(
			s->objects, s->n_objects ? s->n_objects * 2 : 1, sizeof(*s->objects));
	o = &s->objects[s->n_objects];
	usyms_object_init(o, map);
	return (uint32_t)s->n_objects++;
}

static struct space *make_space(const struct proc_maps *maps)
{
	struct space *s = xcalloc(1, sizeof(*s));
	size_t size = 0;

	for (size_t i = 0; i < maps->n && s->n_regions < MAX_REGIONS; i++) {
		const struct proc_map *map = &maps->maps[i];
		struct usyms_region *last = s->n_regions ? &s->regions[s->n_regions - 1] : NULL;
		uint32_t object;

		if (!map->exec)
			continue;
		object = object_of(s, map);
		/* A JIT's pieces. Those of files are not merged: map_files goes by both ends. */
		if (!map->ino && last && last->object == object && last->end == map->start) {
			last->end = map->end;
			continue;
		}
		if (s->n_regions == size) {
			size = size ? size * 2 : 16;
			s->regions = xrealloc(s->regions, size, sizeof(*s->regions));
		}
		s->regions[s->n_regions++] = (struct usyms_region){
			.start = map->start,
			.end = map->end,
			.pgoff = map->ino ? map->pgoff : 0,
			.object = object,
		};
	}
	return s;
}

static const struct usyms_region *find_region(const struct space *s, uint64_t addr)
{
	size_t lo = 0, hi = s ? s->n_regions : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->regions[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return s && lo < s->n_regions && s->regions[lo].start <= addr ? &s->regions[lo] : NULL;
}

/* ---- processes ---- */

static struct process **bucket_of(struct usyms *u, pid_t pid)
{
	return &u->processes[(uint32_t)pid & (PROC_BUCKETS - 1)];
}

static void unlink_from_list(struct usyms *u, struct process *p)
{
	*(p->newer ? &p->newer->older : &u->newest) = p->older;
	*(p->older ? &p->older->newer : &u->oldest) = p->newer;
}

static void link_as_newest(struct usyms *u, struct process *p)
{
	p->newer = NULL;
	p->older = u->newest;
	*(u->newest ? &u->newest->newer : &u->oldest) = p;
	u->newest = p;
}

static struct process *find_process(struct usyms *u, pid_t pid, uint64_t start_ticks)
{
	struct process *p = *bucket_of(u, pid);

	while (p && (p->pid != pid || p->start_ticks != start_ticks))
		p = p->next_in_bucket;
	if (p && p != u->newest) {
		unlink_from_list(u, p);
		link_as_newest(u, p);
	}
	return p;
}

static void remove_process(struct usyms *u, struct process *p)
{
	struct process **link = bucket_of(u, p->pid);

	while (*link != p)
		link = &(*link)->next_in_bucket;
	*link = p->next_in_bucket;
	unlink_from_list(u, p);
	put_space(u, p->space);
	free(p);
	u->n_processes--;
}

static struct process *get_process(struct usyms *u, pid_t pid, uint64_t start_ticks)
{
	struct process *p = find_process(u, pid, start_ticks);

	if (p)
		return p;
	if (u->n_processes == USYMS_MAX_PROCS)
		remove_process(u, u->oldest);
	p = xcalloc(1, sizeof(*p));
	p->pid = pid;
	p->start_ticks = start_ticks;
	p->backoff = 1;
	p->next_in_bucket = *bucket_of(u, pid);
	*bucket_of(u, pid) = p;
	link_as_newest(u, p);
	u->n_processes++;
	return p;
}

void usyms_add(
	struct usyms *u, pid_t pid, uint64_t start_ticks, pid_t parent, uint64_t parent_start_ticks)
{
	struct process *from = parent ? find_process(u, parent, parent_start_ticks) : NULL;
	struct space *space = from ? from->space : NULL;
	struct process *p;

	if (space)
		space->refs++; /* also if `from` is what has to make room */
	p = get_process(u, pid, start_ticks);
	if (p->space)
		put_space(u, space);
	else
		p->space = space;
}

void usyms_forget(struct usyms *u, pid_t pid, uint64_t start_ticks)
{
	struct process *p = find_process(u, pid, start_ticks);

	if (p)
		remove_process(u, p);
}

void usyms_free(struct usyms *u)
{
	if (!u)
		return;
	while (u->newest)
		remove_process(u, u->newest);
	usyms_files_free(u->files);
	free(u);
}

/* Asked after something was read under this pid: had it been another process then, the one that is
 * meant, known from before, could not be there now. */
static bool still_there(pid_t pid, uint64_t start_ticks)
{
	struct proc_stat stat;

	return !procfs_read_stat(PROC, pid, &stat) && stat.start_ticks == start_ticks;
}

static int read_maps(struct usyms *u, struct process *p)
{
	struct proc_maps maps = {0};
	int err;

	u->maps_reads++;
	p->next_read_ns = now_ns() + u->reread_ns * p->backoff;
	err = procfs_read_maps(PROC, p->pid, &maps);
	/* A process that is ending has given up its memory already. */
	if (!err && (!maps.n || !still_there(p->pid, p->start_ticks)))
		err = -ESRCH;
	if (!err) {
		struct space *space = intern_space(u, make_space(&maps), p->pid, p->start_ticks);
		put_space(u, p->space);
		p->space = space;
		p->own = true;
	} else if (err == -ESRCH) {
		p->gone = true;
	}
	procfs_maps_free(&maps);
	return err;
}

int usyms_read(struct usyms *u, pid_t pid, uint64_t start_ticks)
{
	struct process *p = get_process(u, pid, start_ticks);

	if (p->own)
		return 0;
	if (p->gone)
		return -ESRCH;
	return now_ns() < p->next_read_ns ? -EAGAIN : read_maps(u, p);
}

/* ---- names ---- */

/* A mapping that was not there when the maps were read. What a broken chain of frames makes look
 * like an address is not there now either: then the next look is put off. */
static const struct usyms_region *look_again(struct usyms *u, struct process *p, uint64_t addr)
{
	const struct usyms_region *r;

	if (p->gone || now_ns() < p->next_read_ns || read_maps(u, p))
		return NULL;
	r = find_region(p->space, addr);
	p->backoff = r ? 1 : MIN(p->backoff * 2, (uint64_t)BACKOFF_MAX);
	p->next_read_ns = now_ns() + u->reread_ns * p->backoff;
	return r;
}

static bool open_through(struct usyms *u, struct usyms_object *o, const struct usyms_region *r,
	pid_t pid, uint64_t start_ticks)
{
	_cleanup_close_ int fd = usyms_object_open(o, pid, r);

	if (fd < 0 || !still_there(pid, start_ticks))
		return false;
	usyms_object_take(u->files, o, fd);
	return true;
}

/* Opens the file behind a region: through the process itself, or another that has it mapped. */
static void open_object(struct usyms *u, struct process *p, const struct usyms_region *r)
{
	struct space *s = p->space;
	struct usyms_object *o = &s->objects[r->object];
	uint64_t now;

	if (!usyms_object_wants_file(o) || (now = now_ns()) < o->next_try_ns)
		return;
	o->next_try_ns = now + u->reread_ns;
	if (p->gone || !open_through(u, o, r, p->pid, p->start_ticks))
		(void)open_through(u, o, r, s->pid, s->start_ticks);
}

static enum usyms_kind write_name(enum usyms_kind kind, char *buf, size_t size, const char *name)
{
	text_clean(buf, size, name, strlen(name), TEXT_ONE_LINE);
	return kind;
}

enum usyms_kind usyms_name(struct usyms *u, pid_t pid, uint64_t start_ticks, uint64_t addr,
	bool is_return, char *buf, size_t size)
{
	uint64_t look = addr - is_return;
	const struct usyms_region *r;
	struct process *p;
	char name[1024];

	if (look < CODE_MIN || look >= CODE_MAX)
		return write_name(USYMS_NOT_CODE, buf, size, "[unknown]");
	p = get_process(u, pid, start_ticks);
	r = find_region(p->space, look);
	if (!r)
		r = look_again(u, p, look);
	if (r) {
		open_object(u, p, r);
		usyms_object_name(&p->space->objects[r->object], look - r->start + r->pgoff,
			is_return, name, sizeof(name));
		return write_name(USYMS_NAMED, buf, size, name);
	}
	if (p->own)
		return write_name(USYMS_UNMAPPED, buf, size, "[unknown]");
	snprintf(name, sizeof(name), "0x%llx", (unsigned long long)addr);
	return write_name(USYMS_NOT_READ, buf, size, name);
}

void usyms_stats(const struct usyms *u, struct usyms_stats *ret)
{
	*ret = (struct usyms_stats){
		.procs = u->n_processes,
		.spaces = u->n_spaces,
		.maps_reads = u->maps_reads,
	};
	usyms_files_stats(u->files, &ret->files, &ret->file_opens, &ret->file_parses);
}
