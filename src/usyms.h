/*
 * Names for the user-space addresses in the stacks of PostgreSQL's backends.
 *
 * An address is taken to a file by the maps of its process, to an address of that file by the
 * PT_LOAD that holds the offset, and to a function by the file's symbols. A name is given only if
 * the symbol says that it covers the address. Stacks are named up to a refresh after they were
 * taken, so a process may be gone, or its pid another's: nothing is read of a process whose start
 * time is not the one asked for.
 *
 * What a process has mapped for execution is kept once for all that have the same, in practice one
 * or a few sets per server; the symbols of a file once for all that map it. Nothing is read before
 * it is needed, but for usyms_read(). Not thread-safe.
 */
#ifndef PGTOP_USYMS_H
#define PGTOP_USYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct usyms;

#define USYMS_MAX_PROCS 16384 /* beyond it the one asked for least recently is forgotten */
#define USYMS_MAX_FILES 256   /* whose symbols are kept */

/* reread_ns: the maps of a process are read again after an address that is not in them, but no
 * sooner than this after they were read before; and the longer, the less that helped. Never NULL.
 */
struct usyms *usyms_new(uint64_t reread_ns);
void usyms_free(struct usyms *u); /* NULL is allowed */

/*
 * Makes a process known; reads nothing. start_ticks as /proc/PID/stat has it. parent (0: none) is
 * the process that forked it, which was made known and read before: what was mapped there is mapped
 * in the child, so most of a backend's stack can be named even if it has ended since.
 */
void usyms_add(struct usyms *u, pid_t pid, uint64_t start_ticks, pid_t parent,
	uint64_t parent_start_ticks);

/* Reads the maps of a process unless that was done; a later call costs next to nothing. -ESRCH: it
 * is gone; -EACCES. */
int usyms_read(struct usyms *u, pid_t pid, uint64_t start_ticks);

void usyms_forget(struct usyms *u, pid_t pid, uint64_t start_ticks);

enum usyms_kind {
	USYMS_NAMED,	/* as good as it gets: may be kept */
	USYMS_NOT_CODE, /* no address of code in any process: "[unknown]" */
	USYMS_UNMAPPED, /* not mapped for execution when that was last read: "[unknown]" */
	USYMS_NOT_READ, /* the process is gone, or its maps cannot be read: "0x..." */
};

/*
 * Writes the name of an address, cleaned and terminated:
 *
 *   WaitLatch          a function whose symbol covers it
 *   postgres+0x34b407  no symbol covers it: the file's base name, and its address there, for
 *                      addr2line, gdb and nm
 *   postgres@0x34b407  the file could not be opened, or is no ELF file: the offset in it
 *   [vdso] [anon]      as the kernel names it; code without a file (JIT)
 *   [unknown] 0x...    see above
 *
 * is_return: the address is where a call returns to. It may lie behind the end of the caller, so
 * the byte before it is what is looked up.
 */
enum usyms_kind usyms_name(struct usyms *u, pid_t pid, uint64_t start_ticks, uint64_t addr,
	bool is_return, char *buf, size_t size);

/* For tests and diagnostics. */
struct usyms_stats {
	size_t procs, spaces, files; /* kept now; a space is a set of executable mappings */
	uint64_t maps_reads, file_opens, file_parses;
};
void usyms_stats(const struct usyms *u, struct usyms_stats *ret);

#endif
