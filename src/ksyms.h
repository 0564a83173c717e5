/*
 * Names of kernel functions, from /proc/kallsyms.
 *
 * Nothing is read before the first look-up. Only text symbols are kept. Not thread-safe.
 */
#ifndef PGTOP_KSYMS_H
#define PGTOP_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

struct ksyms;

/* path NULL: /proc/kallsyms. Reads nothing yet. Never NULL. */
struct ksyms *ksyms_new(const char *path);
void ksyms_free(struct ksyms *ks); /* NULL is allowed */

/* Reads the file now unless that was done; the first look-up does it otherwise. -errno once, and
 * no symbols from then on. d may be NULL. */
int ksyms_load(struct ksyms *ks, struct diag *d);

/* Forgets what was read, so that modules and BPF programs loaded since are found. */
void ksyms_reset(struct ksyms *ks);

/* Fills ks from the text of a kallsyms file instead. Lines that cannot be read are skipped.
 * -ENODATA: no text symbol in it. */
int ksyms_parse(struct ksyms *ks, const char *buf, size_t len);

/* True if the kernel shows all addresses as 0 (no CAP_SYSLOG, kptr_restrict). Loads. */
bool ksyms_hidden(struct ksyms *ks);

size_t ksyms_count(struct ksyms *ks);

/* The function that holds addr, bounded by the next symbol and by the end of the kernel's text;
 * NULL: not known (also any user-space address). The name, with its suffixes, belongs to ks and
 * lives until ksyms_reset or ksyms_free. ret_offset may be NULL. */
const char *ksyms_lookup(struct ksyms *ks, uint64_t addr, uint64_t *ret_offset);

/* The length of name without what the compiler appended: .isra.0 .constprop.1 .cold .part.2
 * .llvm.123, several of them, and a TAB [module]. For matching and for display. */
size_t ksyms_base_len(const char *name);

/* The same as a terminated, possibly truncated copy. Returns buf. */
char *ksyms_base_name(const char *name, char *buf, size_t size);

#endif
