/*
 * Names of user-space addresses: in this process, in children of it, in libraries made with the
 * compiler so that a naive calculation gets them wrong. The dynamic linker is the oracle.
 */
#include "unit.h"

#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "procfs.h"
#include "usyms.h"
#include "util.h"

#define NEVER (3600 * NSEC_PER_SEC)
#define ROOM  80

static char dir[] = "/tmp/pgtop-usyms-XXXXXX";

/* `first` and `second` are exported; the static function between them, once stripped, is a gap. */
static const char library_source[] =
	".text\n"
	".globl first, second, after\n"
	".type first, @function\n.type gap, @function\n.type second, @function\n"
	"first: .skip 64, 0x90\n.size first, 64\n"
	"gap: .skip 64, 0x90\n.size gap, 64\n"
	"second: .skip 64, 0x90\n.size second, 64\n"
	".section .text.after, \"ax\"\n.type after, @function\n"
	"after: .skip 64, 0x90\n.size after, 64\n"
	".section .rodata\n.quad 1\n"
	".data\n.globl object\n.type object, @object\nobject: .quad first\n.size object, 8\n";

/* The same names at other places. */
static const char impostor_source[] =
	".text\n.globl first, second, impostor\n"
	".type first, @function\n.type second, @function\n.type impostor, @function\n"
	"impostor: .skip 256, 0x90\n.size impostor, 256\n"
	"second: .skip 64, 0x90\n.size second, 64\n"
	"first: .skip 64, 0x90\n.size first, 64\n";

/* Two executable segments with a read-only one between them, far from their offsets. */
static const char two_text_script[] =
	"PHDRS { h PT_LOAD FILEHDR PHDRS FLAGS(4); t1 PT_LOAD FLAGS(5); r PT_LOAD FLAGS(4);\n"
	"  t2 PT_LOAD FLAGS(5); d PT_LOAD FLAGS(6); y PT_DYNAMIC FLAGS(6); }\n"
	"SECTIONS { . = 0x20000000 + SIZEOF_HEADERS;\n"
	"  .hash : { *(.hash) } :h .gnu.hash : { *(.gnu.hash) } .dynsym : { *(.dynsym) }\n"
	"  .dynstr : { *(.dynstr) } .rela.dyn : { *(.rela*) }\n"
	"  . = ALIGN(0x1000) + 0x3000; .text : { *(.text) } :t1\n"
	"  . = ALIGN(0x1000) + 0x8000; .rodata : { *(.rodata*) } :r\n"
	"  . = ALIGN(0x1000) + 0x5000; .text.after : { *(.text.after) } :t2\n"
	"  . = ALIGN(0x1000) + 0x2000; .dynamic : { *(.dynamic) } :d :y\n"
	"  .got : { *(.got*) } :d .data : { *(.data*) } :d\n"
	"  /DISCARD/ : { *(.note*) *(.comment) *(.eh_frame*) } }\n";

static const char main_source[] =
	"#include <stdio.h>\n#include <unistd.h>\n"
	"int exported(int x) { return x + 1; }\n"
	"int main(void) { printf(\"%p\\n\", (void *)exported); fflush(stdout); pause();\n"
	"  return exported(0); }\n";

static int write_file(const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fputs(text, f);
	return fclose(f);
}

static char *compiled(const char *name, const char *source, const char *args)
{
	_cleanup_free_ char *command =
		xasprintf("cd %s && cc -O1 -o '%s' %s %s 2>>cc.log", dir, name, args, source);

	if (system(command))
		fail_msg("%s", command);
	return xasprintf("%s/%s", dir, name);
}

#define SHARED "-shared -nostdlib -s "

static int set_up(void **state)
{
	(void)state;
	return !mkdtemp(dir) || write_file("library.s", library_source) ||
	       write_file("impostor.s", impostor_source) || write_file("two.ld", two_text_script) ||
	       write_file("main.c", main_source);
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

static uint64_t ticks_of(pid_t pid)
{
	struct proc_stat stat;

	assert_int_equal(procfs_read_stat("/proc", pid, &stat), 0);
	return stat.start_ticks;
}

/* The name of addr in a process. */
static const char *name_in(struct usyms *u, pid_t pid, uint64_t ticks, uint64_t addr,
	bool is_return, enum usyms_kind want)
{
	static char name[ROOM];
	enum usyms_kind kind = usyms_name(u, pid, ticks, addr, is_return, name, sizeof(name));

	if (kind != want)
		fail_msg("%#llx: \"%s\" is of kind %d, not %d", (unsigned long long)addr, name,
			kind, want);
	return name;
}

static const char *name_of(struct usyms *u, const void *addr, bool is_return)
{
	return name_in(
		u, getpid(), ticks_of(getpid()), (uint64_t)(uintptr_t)addr, is_return, USYMS_NAMED);
}

static void *loaded(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW);

	if (!handle)
		fail_msg("%s", dlerror());
	return handle;
}

/* ---- this process ---- */

static void own_functions(void **state)
{
	struct usyms *u = usyms_new(0);

	(void)state;
	assert_string_equal(name_of(u, (void *)own_functions, false), "own_functions");
	assert_string_equal(name_of(u, (char *)own_functions + 1, true), "own_functions");
	/* where a call that does not return returns to is another function's first byte */
	assert_string_not_equal(name_of(u, (void *)own_functions, true), "own_functions");
	assert_string_equal(name_of(u, dlsym(RTLD_DEFAULT, "epoll_wait"), false), "epoll_wait");
	usyms_free(u);
	usyms_free(NULL);
}

static void what_is_no_file(void **state)
{
	long page = sysconf(_SC_PAGESIZE);
	char *jit = mmap(
		NULL, 3 * (size_t)page, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR), ticks = ticks_of(getpid());
	struct usyms *u = usyms_new(0);
	void *heap = xmalloc(100);

	(void)state;
	assert_ptr_not_equal(jit, MAP_FAILED);
	if (vdso)
		assert_string_equal(name_of(u, (char *)(uintptr_t)vdso + 0x100, true), "[vdso]");
	assert_string_equal(name_of(u, jit + page, true), "[anon]");
	assert_string_equal(name_of(u, jit + 3 * page, true), "[anon]");
	assert_string_equal(
		name_in(u, getpid(), ticks, (uint64_t)(uintptr_t)heap, true, USYMS_UNMAPPED),
		"[unknown]");
	for (uint64_t shift = 0; shift < 16; shift++)
		(void)name_in(u, getpid(), ticks, 1ULL << shift, true, USYMS_NOT_CODE);
	assert_string_equal(name_in(u, getpid(), ticks, 0, true, USYMS_NOT_CODE), "[unknown]");
	(void)name_in(u, getpid(), ticks, 0x1032547698badcfeULL, true, USYMS_NOT_CODE);
	(void)name_in(u, getpid(), ticks, UINT64_MAX, false, USYMS_NOT_CODE);
	(void)name_in(u, getpid(), ticks, 0xffffffff81000000ULL, true, USYMS_NOT_CODE);
	free(heap);
	munmap(jit, 3 * (size_t)page);
	usyms_free(u);
}

static void any_buffer_size(void **state)
{
	struct usyms *u = usyms_new(NEVER);

	(void)state;
	for (size_t size = 1; size < 20; size++) {
		char *buf = xmalloc(size); /* an overrun is seen by the sanitizer */

		(void)usyms_name(u, getpid(), ticks_of(getpid()),
			(uint64_t)(uintptr_t)any_buffer_size, false, buf, size);
		assert_int_equal(strlen(buf), MIN(size - 1, strlen("any_buffer_size")));
		assert_memory_equal(buf, "any_buffer_size", strlen(buf));
		free(buf);
	}
	usyms_free(u);
}

/* ---- files of every layout ---- */

/* An address that no symbol covers is shown by the file's name and its own address there. */
static void check_offset(const char *name, const char *file, uint64_t vaddr)
{
	_cleanup_free_ char *want = xasprintf("%s+0x%llx", file, (unsigned long long)vaddr);

	assert_string_equal(name, want);
}

/* Where the file has a symbol: by nm, which is another reader of ELF than ours. */
static uint64_t address_in_file(const char *path, const char *symbol)
{
	_cleanup_free_ char *command =
		xasprintf("nm -D '%s' | sed -n 's/^\\([0-9a-f]*\\) T %s$/\\1/p'", path, symbol);
	FILE *f = popen(command, "r");
	unsigned long long value = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llx", &value), 1);
	pclose(f);
	return value;
}

static void check_library(const char *name, const char *args)
{
	_cleanup_free_ char *path = compiled(name, "library.s", args);
	uint64_t first_in_file = address_in_file(path, "first");
	void *handle = loaded(path);
	char *first = dlsym(handle, "first"), *after = dlsym(handle, "after");
	struct usyms *u = usyms_new(0);

	assert_non_null(first);
	assert_string_equal(name_of(u, first, false), "first");
	assert_string_equal(name_of(u, first + 63, false), "first");
	assert_string_equal(name_of(u, first + 64, true), "first");
	check_offset(name_of(u, first + 64, false), name, first_in_file + 64);
	check_offset(name_of(u, first + 100, true), name, first_in_file + 100);
	check_offset(name_of(u, first + 128, true), name, first_in_file + 128);
	assert_string_equal(name_of(u, first + 128, false), "second");
	assert_string_equal(name_of(u, after + 10, true), "after");
	usyms_free(u);
	dlclose(handle);
}

static void libraries(void **state)
{
	(void)state;
	check_library("plain.so", SHARED);
	check_library("base.so", SHARED "-Wl,-Ttext-segment=0x10000000");
	check_library("joined.so", SHARED "-Wl,-z,noseparate-code");
	check_library("two.so", SHARED "-Wl,-T,two.ld");
}

static void library_lld(void **state)
{
	(void)state;
	if (system("command -v ld.lld >/dev/null"))
		skip();
	check_library("lld.so", SHARED "-fuse-ld=lld");
	check_library(
		"lld2.so", SHARED "-fuse-ld=lld -Wl,-z,noseparate-code,--image-base=0x400000");
}

/* A program of ours that waits; *ret_addr: where its function `exported` is. */
static pid_t start(const char *path, uint64_t *ret_addr)
{
	int fds[2];
	pid_t pid;
	char line[64] = "";

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing stays if a case fails */
		dup2(fds[1], 1);
		close(fds[0]);
		close(fds[1]);
		execl(path, path, NULL);
		_exit(127);
	}
	close(fds[1]);
	assert_true(read(fds[0], line, sizeof(line) - 1) > 0);
	close(fds[0]);
	*ret_addr = strtoull(line, NULL, 16);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void check_executable(const char *name, const char *args)
{
	_cleanup_free_ char *path = compiled(name, "main.c", args);
	struct usyms *u = usyms_new(0);
	uint64_t addr, ticks;
	pid_t pid = start(path, &addr);

	ticks = ticks_of(pid);
	assert_string_equal(name_in(u, pid, ticks, addr, false, USYMS_NAMED), "exported");
	assert_string_equal(name_in(u, pid, ticks, addr + 1, true, USYMS_NAMED), "exported");
	end(pid);
	usyms_free(u);
}

static void executables(void **state)
{
	(void)state;
	check_executable("pie", "-pie -fPIE -rdynamic -s");
	check_executable("fixed", "-no-pie -fno-pie -rdynamic -s");
	check_executable("with_symtab", "-pie -fPIE"); /* not exported: in .symtab only */
}

/* Two of them at addresses of their own. */
static void each_has_its_own_base(void **state)
{
	_cleanup_free_ char *path = compiled("aslr", "main.c", "-pie -fPIE -rdynamic -s");
	struct usyms *u = usyms_new(0);
	struct usyms_stats stats;
	uint64_t addr[2];
	pid_t pid[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		pid[i] = start(path, &addr[i]);
	for (int i = 0; i < 2; i++)
		assert_string_equal(
			name_in(u, pid[i], ticks_of(pid[i]), addr[i], false, USYMS_NAMED),
			"exported");
	usyms_stats(u, &stats);
	assert_int_equal(stats.file_parses, 1);
	if (addr[0] != addr[1]) {
		assert_int_equal(stats.spaces, 2);
		(void)name_in(u, pid[0], ticks_of(pid[0]), addr[1], false, USYMS_UNMAPPED);
	}
	for (int i = 0; i < 2; i++)
		end(pid[i]);
	usyms_free(u);
}

/* ---- files that are not what their path says ---- */

static void deleted_file(void **state)
{
	_cleanup_free_ char *path = compiled("deleted.so", "library.s", SHARED);
	void *handle = loaded(path);
	char *first = dlsym(handle, "first");
	struct usyms *u = usyms_new(0);
	uint64_t first_in_file = address_in_file(path, "first");

	(void)state;
	assert_int_equal(unlink(path), 0);
	if (geteuid() == 0) { /* through map_files */
		assert_string_equal(name_of(u, first, false), "first");
		check_offset(name_of(u, first + 100, true), "deleted.so", first_in_file + 100);
	} else {
		assert_non_null(strstr(name_of(u, first, false), "deleted.so@0x"));
	}
	usyms_free(u);
	dlclose(handle);
}

/* As after a package upgrade: never a name of the new file. */
static void replaced_file(void **state)
{
	_cleanup_free_ char *path = compiled("replaced.so", "library.s", SHARED);
	_cleanup_free_ char *other = compiled("impostor.so", "impostor.s", SHARED);
	void *handle = loaded(path);
	char *first = dlsym(handle, "first"), *second = dlsym(handle, "second");
	struct usyms *u = usyms_new(0);

	(void)state;
	assert_int_equal(rename(other, path), 0);
	for (int i = 0; i < 64; i += 9) {
		const char *name = name_of(u, first + i, false);

		assert_true(!strcmp(name, "first") || strstr(name, "replaced.so@0x"));
		name = name_of(u, second + i, false);
		assert_true(!strcmp(name, "second") || strstr(name, "replaced.so@0x"));
	}
	if (geteuid() == 0)
		assert_string_equal(name_of(u, first, false), "first");
	usyms_free(u);
	dlclose(handle);
}

/* Mapped for execution, but no ELF file. */
static void other_file(void **state)
{
	_cleanup_free_ char *path = xasprintf("%s/notes.txt", dir);
	struct usyms *u = usyms_new(0);
	char *map;
	FILE *f;

	(void)state;
	f = fopen(path, "w+");
	assert_non_null(f);
	for (int i = 0; i < 2000; i++)
		fputs("nothing\n", f);
	fflush(f);
	map = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 8192);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_string_equal(name_of(u, map + 0x10, false), "notes.txt@0x2010");
	assert_string_equal(name_of(u, map + 0x10, true), "notes.txt@0x2010");
	munmap(map, 4096);
	fclose(f);
	usyms_free(u);
}

static void names_are_cleaned(void **state)
{
	_cleanup_free_ char *plain = compiled("clean.so", "library.s", SHARED);
	_cleanup_free_ char *path = xasprintf("%s/e\033[31m\xe9.so", dir);
	struct usyms *u = usyms_new(0);
	char *first;
	void *handle;

	(void)state;
	assert_int_equal(rename(plain, path), 0);
	handle = loaded(path);
	first = dlsym(handle, "first");
	assert_memory_equal(name_of(u, first + 100, false), "e?[31m?.so+0x", 13);
	usyms_free(u);
	dlclose(handle);
}

/* ---- processes come and go ---- */

static pid_t forked(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return pid;
}

static void another_process(void **state)
{
	struct usyms *u = usyms_new(0);
	uint64_t here = (uint64_t)(uintptr_t)another_process, ticks = ticks_of(getpid());
	char want[32];

	(void)state;
	/* the pid lives, but as another process than the one that is meant */
	snprintf(want, sizeof(want), "0x%llx", (unsigned long long)here);
	assert_string_equal(name_in(u, getpid(), ticks + 1, here, false, USYMS_NOT_READ), want);
	assert_int_equal(usyms_read(u, getpid(), ticks + 1), -ESRCH);
	assert_int_equal(usyms_read(u, getpid(), ticks), 0);
	assert_string_equal(
		name_in(u, getpid(), ticks, here, false, USYMS_NAMED), "another_process");
	assert_string_equal(name_in(u, getpid(), ticks + 1, here, false, USYMS_NOT_READ), want);
	usyms_free(u);
}

static void process_is_gone(void **state)
{
	struct usyms *u = usyms_new(0);
	uint64_t here = (uint64_t)(uintptr_t)process_is_gone, ticks[2];
	pid_t pid[2] = {forked(), forked()};

	(void)state;
	for (int i = 0; i < 2; i++)
		ticks[i] = ticks_of(pid[i]);
	/* seen in time, though its files were not looked into yet */
	assert_int_equal(usyms_read(u, pid[0], ticks[0]), 0);
	(void)name_in(u, pid[0], ticks[0], here, false, USYMS_NAMED);
	end(pid[0]);
	end(pid[1]);
	assert_string_equal(
		name_in(u, pid[0], ticks[0], here, false, USYMS_NAMED), "process_is_gone");
	assert_int_equal(usyms_read(u, pid[1], ticks[1]), -ESRCH);
	assert_memory_equal(name_in(u, pid[1], ticks[1], here, false, USYMS_NOT_READ), "0x", 2);
	/* forgotten, and gone */
	usyms_forget(u, pid[0], ticks[0]);
	usyms_forget(u, pid[0], ticks[0]);
	assert_memory_equal(name_in(u, pid[0], ticks[0], here, false, USYMS_NOT_READ), "0x", 2);
	usyms_free(u);
}

/* What its parent has mapped a child has, too: it need not be looked at. */
static void gone_before_it_was_looked_at(void **state)
{
	_cleanup_free_ char *path = compiled("late.so", "library.s", SHARED);
	struct usyms *u = usyms_new(0);
	uint64_t here = (uint64_t)(uintptr_t)gone_before_it_was_looked_at, ticks, first;
	struct usyms_stats stats;
	void *handle;
	pid_t pid;

	(void)state;
	assert_int_equal(usyms_read(u, getpid(), ticks_of(getpid())), 0);
	pid = forked();
	ticks = ticks_of(pid);
	end(pid);
	usyms_add(u, pid, ticks, getpid(), ticks_of(getpid()));
	/* the file is opened through the parent */
	assert_string_equal(
		name_in(u, pid, ticks, here, false, USYMS_NAMED), "gone_before_it_was_looked_at");
	usyms_stats(u, &stats);
	assert_int_equal(stats.maps_reads, 1);
	assert_int_equal(stats.spaces, 1);
	/* what the parent maps later, the child did not have */
	handle = loaded(path);
	first = (uint64_t)(uintptr_t)dlsym(handle, "first");
	assert_memory_equal(name_in(u, pid, ticks, first, false, USYMS_NOT_READ), "0x", 2);
	usyms_free(u);
	dlclose(handle);
}

static void children_share(void **state)
{
	enum { N = 20 };
	struct usyms *u = usyms_new(NEVER);
	uint64_t here = (uint64_t)(uintptr_t)children_share, own = ticks_of(getpid());
	struct usyms_stats stats;
	uint64_t ticks[N];
	pid_t pid[N];

	(void)state;
	assert_int_equal(usyms_read(u, getpid(), own), 0);
	for (int i = 0; i < N; i++) {
		pid[i] = forked();
		ticks[i] = ticks_of(pid[i]);
		usyms_add(u, pid[i], ticks[i], getpid(), own);
		usyms_add(u, pid[i], ticks[i], getpid(), own);
		assert_int_equal(usyms_read(u, pid[i], ticks[i]), 0);
		assert_int_equal(usyms_read(u, pid[i], ticks[i]), 0);
		assert_string_equal(
			name_in(u, pid[i], ticks[i], here, false, USYMS_NAMED), "children_share");
	}
	usyms_stats(u, &stats);
	assert_int_equal(stats.procs, N + 1);
	assert_int_equal(stats.maps_reads, N + 1);
	assert_int_equal(stats.spaces, 1);
	assert_int_equal(stats.files, 1);
	assert_int_equal(stats.file_opens, 1);
	assert_int_equal(stats.file_parses, 1);
	for (int i = 0; i < N; i++) {
		end(pid[i]);
		usyms_forget(u, pid[i], ticks[i]);
	}
	usyms_forget(u, getpid(), own);
	usyms_stats(u, &stats);
	assert_int_equal(stats.procs, 0);
	assert_int_equal(stats.spaces, 0);
	usyms_free(u);
}

static void library_loaded_later(void **state)
{
	_cleanup_free_ char *path = compiled("later.so", "library.s", SHARED);
	struct usyms *soon = usyms_new(0), *limited = usyms_new(NEVER);
	uint64_t first, ticks = ticks_of(getpid());
	struct usyms_stats stats;
	void *handle;

	(void)state;
	assert_int_equal(usyms_read(soon, getpid(), ticks), 0);
	assert_int_equal(usyms_read(limited, getpid(), ticks), 0);
	handle = loaded(path);
	first = (uint64_t)(uintptr_t)dlsym(handle, "first");
	assert_string_equal(name_in(soon, getpid(), ticks, first, false, USYMS_NAMED), "first");
	usyms_stats(soon, &stats);
	assert_int_equal(stats.maps_reads, 2);
	assert_int_equal(stats.spaces, 1); /* the old one is not needed any more */
	for (int i = 0; i < 100; i++)
		assert_string_equal(name_in(limited, getpid(), ticks, first, false, USYMS_UNMAPPED),
			"[unknown]");
	usyms_stats(limited, &stats);
	assert_int_equal(stats.maps_reads, 1);
	usyms_free(soon);
	usyms_free(limited);
	dlclose(handle);
}

/* What a broken chain of frames yields must not make the maps be read again and again. */
static void looks_are_put_off(void **state)
{
	struct usyms *u = usyms_new(10 * NSEC_PER_MSEC);
	uint64_t ticks = ticks_of(getpid()), data = (uint64_t)(uintptr_t)dir;
	struct usyms_stats stats;

	(void)state;
	/* 0, 20, 60, 140, 300, 620 ms at the soonest */
	for (int i = 0; i < 40; i++) {
		(void)name_in(u, getpid(), ticks, data, true, USYMS_UNMAPPED);
		(void)poll(NULL, 0, 10);
	}
	usyms_stats(u, &stats);
	assert_true(stats.maps_reads >= 2);
	assert_true(stats.maps_reads <= 8); /* 400 ms, or more where the machine is slow */
	usyms_free(u);
}

static void bounded(void **state)
{
	struct usyms *u = usyms_new(NEVER);
	uint64_t here = (uint64_t)(uintptr_t)bounded, own = ticks_of(getpid());
	struct usyms_stats stats;

	(void)state;
	assert_int_equal(usyms_read(u, getpid(), own), 0);
	for (int i = 0; i < USYMS_MAX_PROCS + 100; i++) {
		/* never a process of this machine: only made known, not read */
		usyms_add(u, 100 + i, UINT64_MAX - 1, getpid(), own);
		if (i % 1000 == 0) /* used, so it stays */
			assert_string_equal(name_of(u, (void *)bounded, false), "bounded");
	}
	usyms_stats(u, &stats);
	assert_int_equal(stats.procs, USYMS_MAX_PROCS);
	assert_int_equal(stats.spaces, 1);
	assert_int_equal(stats.maps_reads, 1);
	/* the newest is there, the oldest is not */
	assert_string_equal(
		name_in(u, 100 + USYMS_MAX_PROCS + 99, UINT64_MAX - 1, here, false, USYMS_NAMED),
		"bounded");
	assert_memory_equal(name_in(u, 100, UINT64_MAX - 1, here, false, USYMS_NOT_READ), "0x", 2);
	usyms_free(u);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_functions),
		cmocka_unit_test(what_is_no_file),
		cmocka_unit_test(any_buffer_size),
		cmocka_unit_test(libraries),
		cmocka_unit_test(library_lld),
		cmocka_unit_test(executables),
		cmocka_unit_test(each_has_its_own_base),
		cmocka_unit_test(deleted_file),
		cmocka_unit_test(replaced_file),
		cmocka_unit_test(other_file),
		cmocka_unit_test(names_are_cleaned),
		cmocka_unit_test(another_process),
		cmocka_unit_test(process_is_gone),
		cmocka_unit_test(gone_before_it_was_looked_at),
		cmocka_unit_test(children_share),
		cmocka_unit_test(library_loaded_later),
		cmocka_unit_test(looks_are_put_off),
		cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests_name("usyms", tests, set_up, tear_down);
}
