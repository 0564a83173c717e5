/*
 * Symbols and segments of an ELF file (libelf).
 *
 * Everything needed is copied out when it is opened: neither the descriptor nor the image is used
 * afterwards. Addresses are the file's own (st_value, "vaddr"); a run-time address is
 * vaddr + bias. Files are untrusted: a damaged one gives an error or fewer symbols, never a crash.
 */
#ifndef PGTOP_ELFSYM_H
#define PGTOP_ELFSYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"
#include "procfs.h"

struct elfsym;

enum elfsym_kind { ELFSYM_FUNC = 1, ELFSYM_OBJECT = 2 };

/* Reads the ELF file open at fd, which stays the caller's and must be a regular file (-EINVAL).
 * -ENOEXEC: not an ELF executable or shared object, or damaged. d may be NULL. */
int elfsym_open(int fd, struct elfsym **ret, struct diag *d);

/* The same over an image in memory. */
int elfsym_parse(const void *image, size_t len, struct elfsym **ret, struct diag *d);

void elfsym_free(struct elfsym *ef); /* NULL is allowed */

/* True for ET_EXEC: loaded where it was linked. */
bool elfsym_is_fixed(const struct elfsym *ef);

/* A dynamic symbol defined in this file, by exact name; kinds is a mask of enum elfsym_kind.
 * ret_size may be NULL. -ENOENT. */
int elfsym_find(const struct elfsym *ef, const char *name, unsigned kinds, uint64_t *ret_value,
	uint64_t *ret_size);

/* The function (.symtab if there is one, else .dynsym) that holds vaddr: st_value <= vaddr <
 * st_value + st_size; a symbol without a size matches its own address only. NULL: not known, never
 * a guess by the nearest name. The name belongs to ef. ret_offset may be NULL. */
const char *elfsym_lookup(const struct elfsym *ef, uint64_t vaddr, uint64_t *ret_offset);

/* The address of a file offset, by the PT_LOAD that holds it (the executable one if several do).
 * -ENOENT. */
int elfsym_file_to_vaddr(const struct elfsym *ef, uint64_t offset, uint64_t *ret_vaddr);

/*
 * The bias (run-time address minus vaddr) of the file in a process: 0 for a fixed one; else what
 * explains most of the given mappings. maps need hold only those of this file; others are left out
 * by exe (NULL: all of them are of this file). -ENOENT: none of them is.
 */
int elfsym_bias(const struct elfsym *ef, const struct proc_map *maps, size_t n_maps,
	const struct proc_exe *exe, uint64_t *ret_bias);

/* "15.18", "17beta1", "19rc1", "18devel": the version a postgres binary carries. -ENOENT: none. */
int elfsym_find_version(int fd, char *buf, size_t size);

/* The same over bytes of .rodata. */
int elfsym_scan_version(const void *data, size_t len, char *buf, size_t size);

/* "15.18" -> 150018, "17beta1" -> 170000, "9.6.3" -> 90603, as PG_VERSION_NUM. 0: not a version. */
int elfsym_version_num(const char *version);

#endif
