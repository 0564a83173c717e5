/*
 * The files behind executable mappings, and their symbols. Part of usyms; nobody else includes it.
 *
 * An object is a file as one set of mappings names it. Which file that is, is told by opening it;
 * objects that turn out to be the same file share its symbols.
 */
#ifndef PGTOP_USYMS_FILES_H
#define PGTOP_USYMS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "procfs.h"

struct usyms_files;
struct usyms_file;

struct usyms_object {
	uint64_t ino; /* 0: no file */
	uint32_t dev_major, dev_minor;
	bool deleted;
	char *path;		 /* "" for anonymous memory, "[vdso]" */
	struct usyms_file *file; /* NULL: not opened (yet) */
	uint64_t next_try_ns;
};

/* Without holes: compared and hashed by their bytes. */
struct usyms_region {
	uint64_t start, end;
	uint64_t pgoff;
	uint64_t object; /* index in its space */
};

struct usyms_files *usyms_files_new(size_t max);
void usyms_files_free(struct usyms_files *fs); /* after all objects are done; NULL is allowed */
void usyms_files_stats(
	const struct usyms_files *fs, size_t *ret_n, uint64_t *ret_opens, uint64_t *ret_parses);

void usyms_object_init(struct usyms_object *o, const struct proc_map *map);
void usyms_object_done(struct usyms_object *o);

/* True if the mapping is of this object. */
bool usyms_object_is(const struct usyms_object *o, const struct proc_map *map);
bool usyms_object_same(const struct usyms_object *a, const struct usyms_object *b);

/* True if it has a file that is not known. */
bool usyms_object_wants_file(const struct usyms_object *o);

/* Opens it as that process has it mapped in r: a descriptor, or -errno. */
int usyms_object_open(const struct usyms_object *o, pid_t pid, const struct usyms_region *r);

/* fd, which stays the caller's, is its file. */
void usyms_object_take(struct usyms_files *fs, struct usyms_object *o, int fd);

/* The name of what is at an offset; is_return: an address one byte further is shown. */
void usyms_object_name(
	struct usyms_object *o, uint64_t offset, bool is_return, char *buf, size_t size);

#endif
