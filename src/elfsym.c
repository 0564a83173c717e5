/*
 * Symbols and segments of an ELF file: see elfsym.h.
 *
 * Owns copies of names, symbols and PT_LOADs; libelf's handle lives only while loading. Symbols are
 * sorted by address, then the larger first. Knows processes only as lists of mappings.
 */
#include "elfsym.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>

#include "util.h"

/* Far above any real file; a damaged header must not make us allocate or loop for long. */
#define MAX_SYMBOLS    (1u << 20)
#define MAX_SEGMENTS   64
#define MAX_NAME       4096
#define MAX_CANDIDATES 256 /* biases to consider */

struct symbol {
	uint64_t value, size;
	uint64_t max_end; /* the highest end of this and all symbols before it */
	uint32_t name;	  /* offset into names */
	uint8_t kind;	  /* enum elfsym_kind */
	bool dynamic;
};

struct segment {
	uint64_t vaddr, offset, filesz, memsz;
	bool exec;
};

struct elfsym {
	bool fixed;
	uint64_t page_bytes;
	struct segment *segments;
	size_t n_segments;
	struct symbol *symbols;
	size_t n_symbols, size_symbols;
	char *names;
	size_t n_names, size_names;
};

static int damaged(struct diag *d)
{
	int err = elf_errno();

	return diag_set(d, -ENOEXEC, "could not read ELF file: %s",
		err ? elf_errmsg(err) : "not an executable or a shared object");
}

/* ---- loading ---- */

static uint32_t add_name(struct elfsym *ef, const char *name)
{
	size_t len = strnlen(name, MAX_NAME);
	uint32_t at = (uint32_t)ef->n_names;

	if (ef->size_names - ef->n_names < len + 1) {
		ef->size_names = MAX(ef->size_names * 2, ef->n_names + len + 1);
		ef->names = xrealloc(ef->names, ef->size_names, 1);
	}
	memcpy(ef->names + at, name, len);
	ef->names[at + len] = '\0';
	ef->n_names += len + 1;
	return at;
}

static void add_symbol(struct elfsym *ef, const GElf_Sym *sym, const char *name, bool dynamic)
{
	int type = GELF_ST_TYPE(sym->st_info);
	uint8_t kind;

	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		kind = ELFSYM_FUNC;
	else if (type == STT_OBJECT)
		kind = ELFSYM_OBJECT;
	else
		return;
	/* Names are addressed by 32 bits. */
	if (sym->st_shndx == SHN_UNDEF || !name || !name[0] || ef->n_symbols >= MAX_SYMBOLS ||
		ef->n_names > UINT32_MAX - MAX_NAME - 1)
		return;
	if (ef->n_symbols == ef->size_symbols) {
		ef->size_symbols = ef->size_symbols ? ef->size_symbols * 2 : 1024;
		ef->symbols = xrealloc(ef->symbols, ef->size_symbols, sizeof(*ef->symbols));
	}
	ef->symbols[ef->n_symbols++] = (struct symbol){
		.value = sym->st_value,
		.size = sym->st_size,
		.name = add_name(ef, name),
		.kind = kind,
		.dynamic = dynamic,
	};
}

static void load_symbol_table(struct elfsym *ef, Elf *elf, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	if (!data || !data->d_buf)
		return;
	/* gelf_getsym refuses what lies outside the data: the header's own count is not needed. */
	for (size_t i = 1; i < MAX_SYMBOLS && gelf_getsym(data, (int)i, &sym); i++)
		add_symbol(ef, &sym, elf_strptr(elf, shdr->sh_link, sym.st_name),
			shdr->sh_type == SHT_DYNSYM);
}

static int load_segments(struct elfsym *ef, Elf *elf)
{
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return -ENOEXEC;
	n = MIN(n, (size_t)MAX_SEGMENTS);
	ef->segments = xcalloc(n, sizeof(*ef->segments));
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(elf, (int)i, &ph))
			return -ENOEXEC;
		if (ph.p_type != PT_LOAD)
			continue;
		ef->segments[ef->n_segments++] = (struct segment){
			.vaddr = ph.p_vaddr,
			.offset = ph.p_offset,
			.filesz = ph.p_filesz,
			.memsz = ph.p_memsz,
			.exec = ph.p_flags & PF_X,
		};
	}
	return 0;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return 0;
}

static uint64_t symbol_end(const struct symbol *s)
{
	uint64_t end;

	return __builtin_add_overflow(s->value, s->size, &end) ? UINT64_MAX : end;
}

static int load(Elf *elf, struct elfsym *ef)
{
	uint64_t max_end = 0;
	Elf_Scn *scn = NULL;
	GElf_Ehdr ehdr;
	GElf_Shdr shdr;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		return -ENOEXEC;
	if (ehdr.e_type != ET_EXEC && ehdr.e_type != ET_DYN)
		return -ENOEXEC;
	ef->fixed = ehdr.e_type == ET_EXEC;
	ef->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	if (load_segments(ef, elf))
		return -ENOEXEC;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &shdr) &&
			(shdr.sh_type == SHT_DYNSYM || shdr.sh_type == SHT_SYMTAB))
			load_symbol_table(ef, elf, scn, &shdr);
	if (ef->n_symbols)
		qsort(ef->symbols, ef->n_symbols, sizeof(*ef->symbols), compare_symbols);
	for (size_t i = 0; i < ef->n_symbols; i++) {
		if (ef->symbols[i].kind == ELFSYM_FUNC)
			max_end = MAX(max_end, symbol_end(&ef->symbols[i]));
		ef->symbols[i].max_end = max_end;
	}
	return 0;
}

static int load_and_end(Elf *elf, struct elfsym **ret, struct diag *d)
{
	struct elfsym *ef;
	int err;

	if (!elf)
		return damaged(d);
	ef = xcalloc(1, sizeof(*ef));
	err = load(elf, ef);
	if (err) {
		damaged(d);
		elfsym_free(ef);
	} else {
		*ret = ef;
	}
	elf_end(elf);
	return err;
}

int elfsym_open(int fd, struct elfsym **ret, struct diag *d)
{
	struct stat st;

	if (fstat(fd, &st))
		return diag_set(d, -errno, "could not stat ELF file: %s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return diag_set(d, -EINVAL, "could not read ELF file: not a regular file");
	elf_version(EV_CURRENT);
	/* Not mapped: a file that shrinks meanwhile would be a SIGBUS. */
	return load_and_end(elf_begin(fd, ELF_C_READ, NULL), ret, d);
}

int elfsym_parse(const void *image, size_t len, struct elfsym **ret, struct diag *d)
{
	_cleanup_free_ char *copy = xmalloc(len);

	/* libelf may convert in place. */
	memcpy(copy, image, len);
	elf_version(EV_CURRENT);
	return load_and_end(elf_memory(copy, len), ret, d);
}

void elfsym_free(struct elfsym *ef)
{
	if (!ef)
		return;
	free(ef->segments);
	free(ef->symbols);
	free(ef->names);
	free(ef);
}

/* ---- symbols ---- */

bool elfsym_is_fixed(const struct elfsym *ef)
{
	return ef->fixed;
}

int elfsym_find(const struct elfsym *ef, const char *name, unsigned kinds, uint64_t *ret_value,
	uint64_t *ret_size)
{
	for (size_t i = 0; i < ef->n_symbols; i++) {
		const struct symbol *s = &ef->symbols[i];

		if (!s->dynamic || !(s->kind & kinds) || strcmp(ef->names + s->name, name))
			continue;
		*ret_value = s->value;
		if (ret_size)
			*ret_size = s->size;
		return 0;
	}
	return -ENOENT;
}

/* The index of the first symbol above vaddr. */
static size_t symbols_above(const struct elfsym *ef, uint64_t vaddr)
{
	size_t lo = 0, hi = ef->n_symbols;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (ef->symbols[mid].value <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const char *elfsym_lookup(const struct elfsym *ef, uint64_t vaddr, uint64_t *ret_offset)
{
	const struct symbol *best = NULL;

	/* Backwards: the nearest start that still covers vaddr is the innermost symbol. max_end
	 * ends the search where nothing before can reach so far. Of aliases the first one sorted
	 * wins, so that the name is always the same. */
	for (size_t i = symbols_above(ef, vaddr); i-- > 0;) {
		const struct symbol *s = &ef->symbols[i];

		if (best && s->value != best->value)
			break;
		if (s->max_end <= vaddr && s->value != vaddr)
			break;
		if (s->kind == ELFSYM_FUNC && (vaddr < symbol_end(s) || s->value == vaddr))
			best = s;
	}
	if (!best)
		return NULL;
	if (ret_offset)
		*ret_offset = vaddr - best->value;
	return ef->names + best->name;
}

/* ---- segments ---- */

int elfsym_file_to_vaddr(const struct elfsym *ef, uint64_t offset, uint64_t *ret_vaddr)
{
	const struct segment *best = NULL;

	for (size_t i = 0; i < ef->n_segments; i++) {
		const struct segment *s = &ef->segments[i];

		if (offset >= s->offset && offset - s->offset < s->filesz &&
			(!best || (s->exec && !best->exec)))
			best = s;
	}
	if (!best)
		return -ENOENT;
	*ret_vaddr = offset - best->offset + best->vaddr;
	return 0;
}

/* The last file offset the loader maps for s, counted from the start of its first page. */
static uint64_t segment_last(const struct elfsym *ef, const struct segment *s)
{
	uint64_t last;

	if (__builtin_add_overflow(s->offset & (ef->page_bytes - 1), s->filesz - 1, &last))
		return UINT64_MAX;
	return last;
}

/* The bias at which the loader would have made mapping m out of segment s; false: at none. */
static bool segment_bias(const struct elfsym *ef, const struct segment *s, const struct proc_map *m,
	uint64_t *ret_bias)
{
	uint64_t mask = ef->page_bytes - 1;
	uint64_t first = s->offset & ~mask;
	uint64_t bias = m->start - (s->vaddr - s->offset + m->pgoff);

	if (!s->filesz || m->pgoff < first || m->pgoff - first > segment_last(ef, s) || bias & mask)
		return false;
	*ret_bias = bias;
	return true;
}

static bool map_belongs(const struct proc_map *m, const struct proc_exe *exe)
{
	return !exe || procfs_map_is_exe(m, exe);
}

/* How well a bias explains the mappings. Segments may share a page of the file, so that one mapping
 * alone can be read in two ways: permissions and where a segment starts tell them apart. */
static unsigned bias_score(const struct elfsym *ef, const struct proc_map *maps, size_t n_maps,
	const struct proc_exe *exe, uint64_t want)
{
	unsigned score = 0;

	for (size_t i = 0; i < n_maps; i++) {
		unsigned best = 0;

		for (size_t j = 0; map_belongs(&maps[i], exe) && j < ef->n_segments; j++) {
			const struct segment *s = &ef->segments[j];
			uint64_t bias;

			if (!segment_bias(ef, s, &maps[i], &bias) || bias != want)
				continue;
			best = MAX(best,
				1u + 2u * (s->exec == maps[i].exec) +
					(maps[i].pgoff == (s->offset & ~(ef->page_bytes - 1))));
		}
		score += best;
	}
	return score;
}

int elfsym_bias(const struct elfsym *ef, const struct proc_map *maps, size_t n_maps,
	const struct proc_exe *exe, uint64_t *ret_bias)
{
	unsigned best = 0, tried = 0;

	if (ef->fixed) {
		*ret_bias = 0;
		return 0;
	}
	for (size_t i = 0; i < n_maps; i++) {
		for (size_t j = 0; map_belongs(&maps[i], exe) && j < ef->n_segments; j++) {
			uint64_t bias;
			unsigned score;

			if (!segment_bias(ef, &ef->segments[j], &maps[i], &bias) ||
				++tried > MAX_CANDIDATES)
				continue;
			score = bias_score(ef, maps, n_maps, exe, bias);
			if (score > best) {
				best = score;
				*ret_bias = bias;
			}
		}
	}
	return best ? 0 : -ENOENT;
}
