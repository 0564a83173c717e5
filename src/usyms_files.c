/*
 * Files and their symbols: see usyms_files.h.
 *
 * Owns a list of files, by what fstat(2) says: device, inode, size and time of change, so that an
 * inode that is used again is another file. Those that no object refers to are kept, as long as
 * there is room. Knows processes only to open a file that one of them has mapped.
 */
#include "usyms_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "elfsym.h"
#include "util.h"

struct usyms_file {
	struct usyms_file *next; /* most recently taken first */
	size_t refs;		 /* objects */
	struct stat st;
	struct elfsym *elf; /* NULL: not an ELF file */
};

struct usyms_files {
	struct usyms_file *first;
	size_t n, max;
	uint64_t opens, parses;
};

struct usyms_files *usyms_files_new(size_t max)
{
	struct usyms_files *fs = xcalloc(1, sizeof(*fs));

	fs->max = max;
	return fs;
}

static void free_file(struct usyms_file *f)
{
	elfsym_free(f->elf);
	free(f);
}

void usyms_files_free(struct usyms_files *fs)
{
	if (!fs)
		return;
	while (fs->first) {
		struct usyms_file *f = fs->first;
		fs->first = f->next;
		free_file(f);
	}
	free(fs);
}

void usyms_files_stats(
	const struct usyms_files *fs, size_t *ret_n, uint64_t *ret_opens, uint64_t *ret_parses)
{
	*ret_n = fs->n;
	*ret_opens = fs->opens;
	*ret_parses = fs->parses;
}

/* ---- files ---- */

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Room for one more: of those that are not referred to, the one taken longest ago has to go. */
static bool make_room(struct usyms_files *fs)
{
	struct usyms_file **victim = NULL, *f;

	if (fs->n < fs->max)
		return true;
	for (struct usyms_file **p = &fs->first; *p; p = &(*p)->next)
		if (!(*p)->refs)
			victim = p;
	if (!victim)
		return false;
	f = *victim;
	*victim = f->next;
	free_file(f);
	fs->n--;
	return true;
}

static struct usyms_file *find_file(struct usyms_files *fs, const struct stat *st)
{
	for (struct usyms_file **p = &fs->first; *p; p = &(*p)->next) {
		struct usyms_file *f = *p;

		if (!same_file(&f->st, st))
			continue;
		*p = f->next;
		f->next = fs->first;
		fs->first = f;
		return f;
	}
	return NULL;
}

static struct usyms_file *add_file(struct usyms_files *fs, int fd, const struct stat *st)
{
	struct usyms_file *f;

	if (!make_room(fs))
		return NULL;
	f = xcalloc(1, sizeof(*f));
	f->st = *st;
	fs->parses++;
	if (elfsym_open(fd, &f->elf, NULL))
		f->elf = NULL;
	f->next = fs->first;
	fs->first = f;
	fs->n++;
	return f;
}

/* ---- objects ---- */

void usyms_object_init(struct usyms_object *o, const struct proc_map *map)
{
	*o = (struct usyms_object){
		.ino = map->ino,
		.dev_major = map->dev_major,
		.dev_minor = map->dev_minor,
		.deleted = map->deleted,
		.path = xmalloc(map->path_len + 1),
	};
	memcpy(o->path, map->path, map->path_len);
	o->path[map->path_len] = '\0';
}

void usyms_object_done(struct usyms_object *o)
{
	if (o->file)
		o->file->refs--;
	free(o->path);
	*o = (struct usyms_object){0};
}

bool usyms_object_is(const struct usyms_object *o, const struct proc_map *map)
{
	return o->ino == map->ino && o->dev_major == map->dev_major &&
	       o->dev_minor == map->dev_minor && o->deleted == map->deleted &&
	       strlen(o->path) == map->path_len && !memcmp(o->path, map->path, map->path_len);
}

bool usyms_object_same(const struct usyms_object *a, const struct usyms_object *b)
{
	return a->ino == b->ino && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor &&
	       a->deleted == b->deleted && !strcmp(a->path, b->path);
}

bool usyms_object_wants_file(const struct usyms_object *o)
{
	return o->ino && !o->file;
}

int usyms_object_open(const struct usyms_object *o, pid_t pid, const struct usyms_region *r)
{
	struct proc_map map = {
		.start = r->start,
		.end = r->end,
		.pgoff = r->pgoff,
		.ino = o->ino,
		.dev_major = o->dev_major,
		.dev_minor = o->dev_minor,
		.deleted = o->deleted,
		.path = o->path,
		.path_len = strlen(o->path),
	};

	return procfs_open_mapped("/proc", pid, &map);
}

void usyms_object_take(struct usyms_files *fs, struct usyms_object *o, int fd)
{
	struct usyms_file *f;
	struct stat st;

	fs->opens++;
	if (fstat(fd, &st))
		return;
	f = find_file(fs, &st);
	if (!f)
		f = add_file(fs, fd, &st);
	if (!f)
		return;
	f->refs++;
	o->file = f;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

void usyms_object_name(
	struct usyms_object *o, uint64_t offset, bool is_return, char *buf, size_t size)
{
	const struct elfsym *elf = o->file ? o->file->elf : NULL;
	const char *symbol;
	uint64_t vaddr;

	if (!o->ino) {
		snprintf(buf, size, "%s", o->path[0] == '[' ? o->path : "[anon]");
		return;
	}
	if (!elf || elfsym_file_to_vaddr(elf, offset, &vaddr)) {
		snprintf(buf, size, "%s@0x%llx", base_name(o->path),
			(unsigned long long)offset + is_return);
		return;
	}
	symbol = elfsym_lookup(elf, vaddr, NULL);
	if (symbol)
		snprintf(buf, size, "%s", symbol);
	else
		snprintf(buf, size, "%s+0x%llx", base_name(o->path),
			(unsigned long long)vaddr + is_return);
}
