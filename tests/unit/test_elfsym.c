/*
 * Symbols, segments and the run-time bias of ELF files. Small files are made with the compiler,
 * each laid out in a way that a naive calculation gets wrong, then loaded: the dynamic linker is
 * the oracle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elfsym.h"
#include "util.h"

static char dir[] = "/tmp/pgtop-elfsym-XXXXXX";

static const char library_source[] =
	"int data_symbol = 7; static int hidden = 9; int *const pointer = &hidden;\n"
	"__attribute__((section(\".text.one\"))) int one(int x) { return x + data_symbol; }\n"
	"__attribute__((section(\".text.two\"))) int two(int x) { return x * *pointer; }\n"
	"const char banner[] = \"PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64\";\n"
	"const char *get(void) { return banner; }\n";

/* Two executable segments with a read-only one between them. */
static const char two_text_script[] =
	"PHDRS { h PT_LOAD FILEHDR PHDRS FLAGS(4); t1 PT_LOAD FLAGS(5); r PT_LOAD FLAGS(4);\n"
	"  t2 PT_LOAD FLAGS(5); d PT_LOAD FLAGS(6); y PT_DYNAMIC FLAGS(6); }\n"
	"SECTIONS { . = 0x20000000 + SIZEOF_HEADERS;\n"
	"  .hash : { *(.hash) } :h .gnu.hash : { *(.gnu.hash) } .dynsym : { *(.dynsym) }\n"
	"  .dynstr : { *(.dynstr) } .rela.dyn : { *(.rela*) }\n"
	"  . = ALIGN(0x1000) + 0x3000; .one : { *(.text.one) } :t1\n"
	"  . = ALIGN(0x1000) + 0x8000; .rodata : { *(.rodata*) } :r\n"
	"  . = ALIGN(0x1000) + 0x5000; .two : { *(.text.two) *(.text*) } :t2\n"
	"  . = ALIGN(0x1000) + 0x2000; .data.rel.ro : { *(.data.rel.ro*) } :d\n"
	"  .dynamic : { *(.dynamic) } :d :y .got : { *(.got*) } :d .data : { *(.data*) } :d\n"
	"  .bss : { *(.bss*) } :d /DISCARD/ : { *(.note*) *(.comment) *(.eh_frame*) } }\n";

static const char symbols_source[] =
	".text\n"
	".globl sized, zero, alias, outer, inner, last\n"
	".type sized, @function\n.type zero, @function\n.type alias, @function\n"
	".type outer, @function\n.type inner, @function\n.type last, @function\n"
	"sized: .skip 16, 0x90\n.size sized, 16\n"
	".skip 16, 0x90\n" /* a static function that was stripped */
	"zero: .skip 16, 0x90\n.size zero, 0\n"
	"outer: .skip 8, 0x90\n"
	"inner: .skip 8, 0x90\n.size inner, 8\n"
	".skip 16, 0x90\n.size outer, 32\n"
	"alias = sized\n.size alias, 16\n"
	"last: .skip 4, 0x90\n.size last, 4\n"
	".data\n.globl object\n.type object, @object\nobject: .quad 1\n.size object, 8\n";

static int write_file(const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fputs(text, f);
	return fclose(f);
}

/* cc ARGS -o NAME SOURCE, in the folder. */
static bool compile(const char *name, const char *source, const char *args)
{
	_cleanup_free_ char *command =
		xasprintf("cd %s && cc -O1 -o %s %s %s 2>>cc.log", dir, name, args, source);

	return system(command) == 0;
}

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(dir) || write_file("library.c", library_source) ||
	       write_file("two.ld", two_text_script) || write_file("symbols.s", symbols_source) ||
	       write_file("main.c",
		       "int exported(void) { return 1; } int main(void) { return exported(); }\n");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static struct elfsym *open_elf(const char *path)
{
	_cleanup_close_ int fd = procfs_open_regular(path);
	struct elfsym *ef = NULL;
	struct diag d = {0};

	assert_true(fd >= 0);
	if (elfsym_open(fd, &ef, &d))
		fail_msg("%s: %s", path, d.summary);
	return ef;
}

/* The mappings of one file. */
static struct proc_maps maps_of(const char *path)
{
	struct proc_maps maps, out = {0};
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(procfs_read_maps("/proc", getpid(), &maps), 0);
	out.maps = xcalloc(maps.n, sizeof(*out.maps));
	for (size_t i = 0; i < maps.n; i++)
		if (maps.maps[i].ino == st.st_ino)
			out.maps[out.n++] = maps.maps[i];
	for (size_t i = 0; i < out.n; i++)
		out.maps[i].path = "";
	procfs_maps_free(&maps);
	return out;
}

static void check_symbol(const struct elfsym *ef, void *handle, const char *name, uint64_t bias,
	const struct proc_maps *maps)
{
	uint64_t runtime = (uint64_t)(uintptr_t)dlsym(handle, name), value, size, vaddr, offset;

	assert_int_equal(elfsym_find(ef, name, ELFSYM_FUNC | ELFSYM_OBJECT, &value, &size), 0);
	assert_int_equal(value + bias, runtime);
	/* the other way: from an address through the file's offset back to the symbol */
	for (size_t i = 0; i < maps->n; i++) {
		const struct proc_map *m = &maps->maps[i];

		if (!m->exec || runtime < m->start || runtime >= m->end)
			continue;
		assert_int_equal(
			elfsym_file_to_vaddr(ef, runtime - m->start + m->pgoff, &vaddr), 0);
		assert_int_equal(vaddr, value);
		assert_string_equal(elfsym_lookup(ef, vaddr, &offset), name);
		assert_int_equal(offset, 0);
		assert_string_equal(elfsym_lookup(ef, vaddr + size - 1, &offset), name);
		assert_int_equal(offset, size - 1);
	}
}

static void check_library(const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	struct elfsym *ef = open_elf(path);
	void *handle = dlopen(path, RTLD_NOW);
	uint64_t bias = 1, alone;
	struct proc_maps maps;

	if (!handle)
		fail_msg("%s", dlerror());
	maps = maps_of(path);
	assert_true(maps.n >= 2);
	assert_false(elfsym_is_fixed(ef));
	assert_int_equal(elfsym_bias(ef, maps.maps, maps.n, NULL, &bias), 0);
	check_symbol(ef, handle, "one", bias, &maps);
	check_symbol(ef, handle, "two", bias, &maps);
	check_symbol(ef, handle, "data_symbol", bias, &maps);
	/* any executable mapping alone is enough */
	for (size_t i = 0; i < maps.n; i++) {
		if (!maps.maps[i].exec)
			continue;
		assert_int_equal(elfsym_bias(ef, &maps.maps[i], 1, NULL, &alone), 0);
		assert_int_equal(alone, bias);
	}
	procfs_maps_free(&maps);
	dlclose(handle);
	elfsym_free(ef);
}

#define SHARED "-shared -fPIC -nostdlib "

static void library_plain(void **state)
{
	(void)state;
	assert_true(compile("plain.so", "library.c", SHARED));
	check_library("plain.so");
}

static void library_text_segment(void **state)
{
	(void)state;
	assert_true(compile("base.so", "library.c", SHARED "-Wl,-Ttext-segment=0x10000000"));
	check_library("base.so");
}

static void library_no_separate_code(void **state)
{
	(void)state;
	assert_true(compile("joined.so", "library.c", SHARED "-Wl,-z,noseparate-code"));
	check_library("joined.so");
}

static void library_two_text_segments(void **state)
{
	(void)state;
	assert_true(compile("two.so", "library.c", SHARED "-Wl,-T,two.ld"));
	check_library("two.so");
}

static void library_lld(void **state)
{
	(void)state;
	if (!compile("lld.so", "library.c", SHARED "-fuse-ld=lld"))
		skip(); /* no lld */
	check_library("lld.so");
	assert_true(compile("lld2.so", "library.c",
		SHARED "-fuse-ld=lld -Wl,-z,noseparate-code,--image-base=0x400000"));
	check_library("lld2.so");
}

static void fixed_executable(void **state)
{
	_cleanup_free_ char *path = xasprintf("%s/fixed", dir);
	uint64_t value, bias = 1;
	struct elfsym *ef;

	(void)state;
	assert_true(compile("fixed", "main.c", "-no-pie -fno-pie -rdynamic"));
	ef = open_elf(path);
	assert_true(elfsym_is_fixed(ef));
	assert_int_equal(elfsym_bias(ef, NULL, 0, NULL, &bias), 0);
	assert_int_equal(bias, 0);
	assert_int_equal(elfsym_find(ef, "exported", ELFSYM_FUNC, &value, NULL), 0);
	assert_true(value >= 0x400000);
	elfsym_free(ef);
}

static void own_executable(void **state)
{
	struct elfsym *ef = open_elf("/proc/self/exe");
	struct proc_maps maps;
	struct proc_exe exe, other;
	uint64_t bias, offset;

	(void)state;
	assert_int_equal(procfs_read_maps("/proc", getpid(), &maps), 0);
	assert_int_equal(procfs_read_exe("/proc", getpid(), &exe), 0);
	assert_int_equal(elfsym_bias(ef, maps.maps, maps.n, &exe, &bias), 0);
	assert_string_equal(elfsym_lookup(ef, (uint64_t)(uintptr_t)own_executable - bias, &offset),
		"own_executable");
	/* a stacked file system: another device in maps, the same path */
	other = exe;
	other.dev++;
	bias = 0;
	assert_int_equal(elfsym_bias(ef, maps.maps, maps.n, &other, &bias), 0);
	assert_string_equal(elfsym_lookup(ef, (uint64_t)(uintptr_t)own_executable - bias, &offset),
		"own_executable");
	strcpy(other.path, "/elsewhere");
	assert_int_equal(elfsym_bias(ef, maps.maps, maps.n, &other, &bias),
		elfsym_is_fixed(ef) ? 0 : -ENOENT);
	procfs_maps_free(&maps);
	elfsym_free(ef);
}

static void sizes_bound_symbols(void **state)
{
	_cleanup_free_ char *path = xasprintf("%s/symbols.so", dir);
	uint64_t base, at, offset;
	struct elfsym *ef;
	const char *name;

	(void)state;
	assert_true(compile("symbols.so", "symbols.s", "-shared -nostdlib -s"));
	ef = open_elf(path);
	assert_int_equal(elfsym_find(ef, "sized", ELFSYM_FUNC, &base, NULL), 0);
	assert_null(elfsym_lookup(ef, base - 1, NULL));
	for (at = base; at < base + 16; at++) {
		name = elfsym_lookup(ef, at, &offset);
		assert_true(!strcmp(name, "sized") || !strcmp(name, "alias"));
		assert_string_equal(name, elfsym_lookup(ef, base, NULL));
		assert_int_equal(offset, at - base);
	}
	for (; at < base + 32; at++)
		assert_null(elfsym_lookup(ef, at, NULL));
	assert_string_equal(elfsym_lookup(ef, at, NULL), "zero");
	for (at++; at < base + 48; at++)
		assert_null(elfsym_lookup(ef, at, NULL));
	for (; at < base + 56; at++)
		assert_string_equal(elfsym_lookup(ef, at, NULL), "outer");
	for (; at < base + 64; at++)
		assert_string_equal(elfsym_lookup(ef, at, NULL), "inner");
	for (; at < base + 80; at++) {
		assert_string_equal(elfsym_lookup(ef, at, &offset), "outer");
		assert_int_equal(offset, at - base - 48);
	}
	assert_string_equal(elfsym_lookup(ef, at + 3, NULL), "last");
	assert_null(elfsym_lookup(ef, at + 4, NULL));
	assert_null(elfsym_lookup(ef, UINT64_MAX, NULL));

	assert_int_equal(elfsym_find(ef, "object", ELFSYM_FUNC, &at, NULL), -ENOENT);
	assert_int_equal(elfsym_find(ef, "object", ELFSYM_OBJECT, &at, &offset), 0);
	assert_int_equal(offset, 8);
	assert_null(elfsym_lookup(ef, at, NULL)); /* data is no function */
	assert_int_equal(elfsym_find(ef, "nothing", ELFSYM_FUNC, &at, NULL), -ENOENT);
	assert_int_equal(elfsym_file_to_vaddr(ef, UINT64_MAX, &at), -ENOENT);
	elfsym_free(ef);
	elfsym_free(NULL);
}

static void only_elf_files(void **state)
{
	_cleanup_free_ char *text = xasprintf("%s/library.c", dir);
	_cleanup_free_ char *object = xasprintf("%s/object.o", dir);
	struct elfsym *ef = NULL;
	struct diag d;
	int fds[2], fd;
	char buf[16];

	(void)state;
	fd = open(text, O_RDONLY);
	assert_int_equal(elfsym_open(fd, &ef, &d), -ENOEXEC);
	assert_true(d.summary[0]);
	close(fd);
	assert_true(compile("object.o", "library.c", "-c"));
	fd = open(object, O_RDONLY);
	assert_int_equal(elfsym_open(fd, &ef, &d), -ENOEXEC);
	close(fd);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(elfsym_open(fds[0], &ef, &d), -EINVAL);
	assert_int_equal(elfsym_find_version(fds[0], buf, sizeof(buf)), -EINVAL);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(elfsym_open(-1, &ef, NULL), -EBADF);
	assert_int_equal(elfsym_parse("", 0, &ef, NULL), -ENOEXEC);
	assert_int_equal(elfsym_parse("\177ELF", 4, &ef, NULL), -ENOEXEC);
	assert_null(ef);
}

static char *read_whole(const char *path, size_t *ret_len)
{
	_cleanup_fclose_ FILE *f = fopen(path, "r");
	char *data = xmalloc(1 << 20);

	assert_non_null(f);
	*ret_len = fread(data, 1, 1 << 20, f);
	return data;
}

static void use(const char *image, size_t len)
{
	struct proc_map map = {.start = 0x7f0000000000, .end = 0x7f0000001000, .exec = true};
	struct elfsym *ef = NULL;
	uint64_t v;

	if (elfsym_parse(image, len, &ef, NULL))
		return;
	(void)elfsym_find(ef, "two", ELFSYM_FUNC | ELFSYM_OBJECT, &v, NULL);
	for (uint64_t a = 0; a < 0x5000; a += 0x101) {
		const char *name = elfsym_lookup(ef, a, NULL);

		assert_true(!name || strlen(name) < 5000);
		(void)elfsym_file_to_vaddr(ef, a, &v);
		map.pgoff = a & ~0xfffULL;
		(void)elfsym_bias(ef, &map, 1, NULL, &v);
	}
	elfsym_free(ef);
}

static void damaged_files(void **state)
{
	_cleanup_free_ char *path = xasprintf("%s/damaged.so", dir);
	_cleanup_free_ char *image = NULL;
	uint32_t random = 12345;
	size_t len;

	(void)state;
	assert_true(compile("damaged.so", "library.c", SHARED));
	image = read_whole(path, &len);
	for (size_t cut = 0; cut < len; cut += 1 + cut / 64)
		use(image, cut);
	for (int i = 0; i < 3000; i++) {
		size_t at[4];
		char old[4];

		/* mostly the headers, where it hurts */
		for (size_t j = 0; j < 4; j++) {
			random = random * 1103515245 + 12345;
			at[j] = (random >> 8) % (j & 1 ? len : MIN(len, (size_t)0x400));
			old[j] = image[at[j]];
			image[at[j]] = (char)(random >> 3 & 4 ? 0xff : random >> 16);
		}
		use(image, len);
		for (size_t j = 4; j-- > 0;)
			image[at[j]] = old[j];
	}
}

static void version_texts(void **state)
{
	static const struct {
		const char *text, *version;
	} list[] = {
		{"PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu", "15.18"},
		{"PostgreSQL 17beta1 on aarch64", "17beta1"},
		{"PostgreSQL 19rc1 (Debian 19~rc1-1) on x86_64", "19rc1"},
		{"PostgreSQL 18devel on x86_64", "18devel"},
		{"PostgreSQL 14.23-custom on x86_64", "14.23"},
		{"PostgreSQL 9.6.3 on x86_64", "9.6.3"},
		{"PostgreSQL 9.6 or later; PostgreSQL 16.1 on x", "16.1"},
		{"PostgreSQL PostgreSQL 16 on x", "16"},
		{"PostgreSQL 15.18", NULL},
		{"PostgreSQL 15.18 onward", NULL},
		{"PostgreSQL on x86", NULL},
		{"PostgreSQL 15.18\n on x", NULL},
		{"PostgreSQL 123456789012345678901234567890 on x", NULL},
		{"postgresql 15.18 on x", NULL},
		{"PostgreSQL ", NULL},
		{"", NULL},
	};
	char buf[16], small[5];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		size_t len = strlen(list[i].text);
		char *copy = xmalloc(len);

		memcpy(copy, list[i].text, len);
		assert_int_equal(elfsym_scan_version(copy, len, buf, sizeof(buf)),
			list[i].version ? 0 : -ENOENT);
		if (list[i].version)
			assert_string_equal(buf, list[i].version);
		free(copy);
	}
	assert_int_equal(
		elfsym_scan_version(list[0].text, strlen(list[0].text), small, sizeof(small)),
		-ENOENT);
}

static void version_numbers(void **state)
{
	(void)state;
	assert_int_equal(elfsym_version_num("15.18"), 150018);
	assert_int_equal(elfsym_version_num("17beta1"), 170000);
	assert_int_equal(elfsym_version_num("19rc1"), 190000);
	assert_int_equal(elfsym_version_num("18devel"), 180000);
	assert_int_equal(elfsym_version_num("9.6.3"), 90603);
	assert_int_equal(elfsym_version_num(""), 0);
	assert_int_equal(elfsym_version_num("x"), 0);
	assert_int_equal(elfsym_version_num("15."), 0);
	assert_int_equal(elfsym_version_num("99999999999999999999.1"), 0);
}

/* In .rodata; across the edge of what is read at once; in a file that is no ELF. */
static void version_of_files(void **state)
{
	_cleanup_free_ char *library = xasprintf("%s/version.so", dir);
	_cleanup_free_ char *plain = xasprintf("%s/plain", dir);
	char buf[16];
	int fd;

	(void)state;
	assert_true(compile("version.so", "library.c", SHARED));
	fd = open(library, O_RDONLY);
	assert_int_equal(elfsym_find_version(fd, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "15.18");
	close(fd);
	for (int edge = -40; edge <= 10; edge++) {
		FILE *f = fopen(plain, "w");

		assert_non_null(f);
		for (int i = 0; i < 65536 + edge; i++)
			fputc('x', f);
		fputs("PostgreSQL 17beta12 on x86_64", f);
		fclose(f);
		fd = open(plain, O_RDONLY);
		buf[0] = '\0';
		assert_int_equal(elfsym_find_version(fd, buf, sizeof(buf)), 0);
		assert_string_equal(buf, "17beta12");
		close(fd);
	}
	assert_int_equal(truncate(plain, 65536), 0);
	fd = open(plain, O_RDONLY);
	assert_int_equal(elfsym_find_version(fd, buf, sizeof(buf)), -ENOENT);
	close(fd);
}

/* The real thing, where PostgreSQL is installed as on Debian. */
static void installed_servers(void **state)
{
	uint64_t value, size;
	struct elfsym *ef;
	glob_t found;
	char buf[16];

	(void)state;
	if (glob("/usr/lib/postgresql/*/bin/postgres", 0, NULL, &found))
		skip();
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int major = atoi(found.gl_pathv[i] + strlen("/usr/lib/postgresql/"));
		int fd = procfs_open_regular(found.gl_pathv[i]);

		assert_true(fd >= 0);
		assert_int_equal(elfsym_find_version(fd, buf, sizeof(buf)), 0);
		assert_int_equal(elfsym_version_num(buf) / 10000, major);
		close(fd);
		ef = open_elf(found.gl_pathv[i]);
		if (major >= 14) {
			assert_int_equal(
				elfsym_find(ef, "my_wait_event_info", ELFSYM_OBJECT, &value, &size),
				0);
			assert_int_equal(size, 8);
		}
		elfsym_free(ef);
	}
	globfree(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(library_plain),
		cmocka_unit_test(library_text_segment),
		cmocka_unit_test(library_no_separate_code),
		cmocka_unit_test(library_two_text_segments),
		cmocka_unit_test(library_lld),
		cmocka_unit_test(fixed_executable),
		cmocka_unit_test(own_executable),
		cmocka_unit_test(sizes_bound_symbols),
		cmocka_unit_test(only_elf_files),
		cmocka_unit_test(damaged_files),
		cmocka_unit_test(version_texts),
		cmocka_unit_test(version_numbers),
		cmocka_unit_test(version_of_files),
		cmocka_unit_test(installed_servers),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
