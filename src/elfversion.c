/*
 * The version of PostgreSQL that a binary carries: see elfsym.h.
 *
 * It is looked for in the text version() returns, "PostgreSQL 15.18 (Debian ...) on x86_64-...":
 * in .rodata, and in the whole file where there is no such section.
 */
#include "elfsym.h"

#include <ctype.h>
#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "util.h"

#define PREFIX	       "PostgreSQL "
#define CHUNK_BYTES    65536
#define OVERLAP_BYTES  128 /* more than the longest match */
#define MAX_SCAN_BYTES (1u << 30)
#define VERSION_MAX    16
#define EXTRA_MAX      32 /* of configure --with-extra-version */

static size_t count_digits(const char *p, const char *end)
{
	size_t n = 0;

	while (p + n < end && isdigit((unsigned char)p[n]))
		n++;
	return n;
}

/* The length of "15.18", "9.6.3", "17beta1", "18devel" at p; 0: none. */
static size_t version_len(const char *p, const char *end)
{
	static const char *const stages[] = {"devel", "alpha", "beta", "rc"};
	const char *start = p;
	size_t n = count_digits(p, end);

	if (!n)
		return 0;
	p += n;
	while (p < end && *p == '.' && (n = count_digits(p + 1, end)))
		p += 1 + n;
	for (size_t i = 0; i < ARRAY_SIZE(stages); i++) {
		size_t len = strlen(stages[i]);

		if ((size_t)(end - p) >= len && !memcmp(p, stages[i], len)) {
			p += len;
			p += count_digits(p, end);
			break;
		}
	}
	return (size_t)(p - start);
}

/* True if what follows a version makes it version()'s text. */
static bool ends_version(const char *p, const char *end)
{
	for (size_t i = 0; i < EXTRA_MAX && p < end && isgraph((unsigned char)*p); i++)
		p++;
	return (end - p >= 4 && !memcmp(p, " on ", 4)) || (end - p >= 2 && !memcmp(p, " (", 2));
}

int elfsym_scan_version(const void *data, size_t len, char *buf, size_t size)
{
	const size_t prefix_len = strlen(PREFIX);
	const char *p = data, *end = p + len;

	while ((p = memmem(p, (size_t)(end - p), PREFIX, prefix_len))) {
		size_t n;

		p += prefix_len;
		n = version_len(p, end);
		if (!n || n >= VERSION_MAX || n >= size || !ends_version(p + n, end))
			continue;
		memcpy(buf, p, n);
		buf[n] = '\0';
		return 0;
	}
	return -ENOENT;
}

static int scan_range(int fd, uint64_t offset, uint64_t len, char *buf, size_t size)
{
	_cleanup_free_ char *chunk = xmalloc(OVERLAP_BYTES + CHUNK_BYTES);
	size_t kept = 0;

	len = MIN(len, (uint64_t)MAX_SCAN_BYTES);
	while (len) {
		size_t want = (size_t)MIN(len, (uint64_t)CHUNK_BYTES);
		ssize_t n = offset > INT64_MAX ? 0 : pread(fd, chunk + kept, want, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		if (!elfsym_scan_version(chunk, kept + (size_t)n, buf, size))
			return 0;
		offset += (uint64_t)n;
		len -= (uint64_t)n;
		n += (ssize_t)kept;
		kept = MIN((size_t)n, (size_t)OVERLAP_BYTES);
		memmove(chunk, chunk + n - kept, kept);
	}
	return -ENOENT;
}

/* Where .rodata lies in the file. */
static int find_rodata(int fd, uint64_t *ret_offset, uint64_t *ret_len)
{
	int err = -ENOENT;
	Elf_Scn *scn = NULL;
	size_t strings;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &strings))
		goto out;
	while (err && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_PROGBITS)
			continue;
		name = elf_strptr(elf, strings, shdr.sh_name);
		if (!name || strcmp(name, ".rodata"))
			continue;
		*ret_offset = shdr.sh_offset;
		*ret_len = shdr.sh_size;
		err = 0;
	}
out:
	elf_end(elf);
	return err;
}

int elfsym_find_version(int fd, char *buf, size_t size)
{
	uint64_t offset, len;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (!find_rodata(fd, &offset, &len) && !scan_range(fd, offset, len, buf, size))
		return 0;
	return scan_range(fd, 0, (uint64_t)st.st_size, buf, size);
}

int elfsym_version_num(const char *version)
{
	unsigned long part[3] = {0};
	const char *p = version;
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(part); i++) {
		if (!isdigit((unsigned char)*p))
			return 0;
		part[i] = strtoul(p, &end, 10);
		if (part[i] > 9999)
			return 0;
		if (*end != '.')
			break;
		p = end + 1;
	}
	if (part[0] >= 10)
		return (int)(part[0] * 10000 + part[1]);
	return part[1] > 99 || part[2] > 99 ? 0 : (int)(part[0] * 10000 + part[1] * 100 + part[2]);
}
