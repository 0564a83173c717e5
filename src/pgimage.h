/* Executables: which are PostgreSQL's, what they export, which version they are. Part of cluster
 * discovery. */
#ifndef PGTOP_PGIMAGE_H
#define PGTOP_PGIMAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "elfsym.h"
#include "pglayout.h"

#define PGIMAGE_VERSION_BYTES 32

struct pg_image {
	struct pg_image *next;
	uint64_t dev, ino;
	bool postgres;
	char version[PGIMAGE_VERSION_BYTES];
	int version_num;
	struct elfsym *elf; /* NULL if not PostgreSQL */
};

struct pg_images {
	struct pg_image *first;
};

/* The image of a running process's executable; NULL if it cannot be told (gone, not permitted).
 * Cached by device and inode. The result lives as long as the cache. */
const struct pg_image *pgimage_of(struct pg_images *images, pid_t pid);
void pgimage_done(struct pg_images *images);

/* Run-time addresses of the exported symbols in that process (and in all forks of its parent). */
int pgimage_symbols(const struct pg_image *image, pid_t pid, struct pg_symbols *ret);

#endif
