/* The parsers of /proc over text, and the readers over a fixture and over live processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "procfs.h"
#include "util.h"

/* A copy without a terminator and with nothing behind it: a sanitizer sees every overrun. */
static char *exact(const char *text, size_t len)
{
	char *p = xmalloc(len);

	memcpy(p, text, len);
	return p;
}

static int parse_stat(const char *text, struct proc_stat *st)
{
	size_t len = strlen(text);
	_cleanup_free_ char *p = exact(text, len);

	return procfs_parse_stat(p, len, st);
}

#define STAT_TAIL                                                                           \
	" 1 4242 4242 0 -1 4194560 1000 0 3 0 17 25 0 0 20 0 1 0 123456789 230000000 5000 " \
	"18446744073709551615 94000000000000 1 2 3 0 0 0 0 0\n"

static void stat_with_any_comm(void **state)
{
	static const char *const comms[] = {"postgres", "a b", "a) R 7 (b", ")", "(", "))((", "",
		"new\nline", "x) S 1 2 3 4 5 6"};
	struct proc_stat st;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(comms); i++) {
		_cleanup_free_ char *text = xasprintf("4242 (%s) S" STAT_TAIL, comms[i]);

		assert_int_equal(parse_stat(text, &st), 0);
		assert_int_equal(st.pid, 4242);
		assert_string_equal(st.comm, comms[i]);
		assert_int_equal(st.state, 'S');
		assert_int_equal(st.ppid, 1);
		assert_int_equal(st.cpu_ticks, 42);
		assert_int_equal(st.start_ticks, 123456789);
		assert_false(st.exiting);
	}
}

static void stat_of_one_in_do_exit(void **state)
{
	struct proc_stat st;

	(void)state;
	assert_int_equal(
		parse_stat("7 (a) R 1 7 7 0 -1 4194564 1 0 3 0 17 25 0 0 20 0 1 0 9", &st), 0);
	assert_true(st.exiting);
	assert_int_equal(st.start_ticks, 9);
}

static void stat_damaged(void **state)
{
	static const char good[] = "4242 (postgres) S" STAT_TAIL;
	static const char *const bad[] = {"", "x", "4242", "4242 ", "4242 (", "4242 (a", "4242 (a)",
		"4242 (a) ", "4242 (a) S", "4242 (a) S -1 2", "(a) S" STAT_TAIL,
		"99999999999 (a) S" STAT_TAIL, "4242 (a) S 1 1 1 x" STAT_TAIL,
		("4242 (a) S 1 4242 4242 0 -1 4194560 1000 0 3 0 17 99999999999999999999 0 0 20 0 "
		 "1 0 5 0")};
	struct proc_stat st = {.pid = 7};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_int_equal(parse_stat(bad[i], &st), -EBADMSG);
	assert_int_equal(st.pid, 7);
	/* cut anywhere: an error or the whole result, never something between */
	for (size_t len = 0; len < sizeof(good) - 1; len++) {
		_cleanup_free_ char *p = exact(good, len);
		int err = procfs_parse_stat(p, len, &st);

		assert_true(err == 0 || err == -EBADMSG);
	}
}

static void long_comm_is_cut(void **state)
{
	char comm[200];
	_cleanup_free_ char *text = NULL;
	struct proc_stat st;

	(void)state;
	memset(comm, 'k', sizeof(comm) - 1);
	comm[sizeof(comm) - 1] = '\0';
	text = xasprintf("2 (%s) S" STAT_TAIL, comm);
	assert_int_equal(parse_stat(text, &st), 0);
	assert_int_equal(strlen(st.comm), sizeof(st.comm) - 1);
}

static int parse_status(const char *text, struct proc_status *st)
{
	size_t len = strlen(text);
	_cleanup_free_ char *p = exact(text, len);

	return procfs_parse_status(p, len, st);
}

static void status_namespaces(void **state)
{
	struct proc_status st;

	(void)state;
	assert_int_equal(parse_status("Name:\tpostgres\nUid:\t26\t27\t26\t26\nNSpid:\t4242\t17\t1\n"
				      "Threads:\t1\n",
				 &st),
		0);
	assert_int_equal(st.uid, 26);
	assert_int_equal(st.euid, 27);
	assert_int_equal(st.pid_ns, 1);
	assert_int_equal(st.n_nspid, 3);
	assert_int_equal(parse_status("Uid:\t0\t0\t0\t0\nNSpid:\t9\n", &st), 0);
	assert_int_equal(st.pid_ns, 9);
	assert_int_equal(st.n_nspid, 1);
	assert_int_equal(parse_status("Uid:\t0\t0\t0\t0", &st), 0);
	assert_int_equal(st.n_nspid, 0);
	assert_int_equal(parse_status("Name:\tx\n", &st), -EBADMSG);
	assert_int_equal(parse_status("Uid:\tx\n", &st), -EBADMSG);
	assert_int_equal(parse_status("Uid:\t1\t1\nNSpid:\t1 -2\n", &st), -EBADMSG);
	assert_int_equal(parse_status("Uid:\t99999999999\t1\n", &st), -EBADMSG);
	assert_int_equal(parse_status("", &st), -EBADMSG);
}

static const char maps_text[] =
	"55d0c0a00000-55d0c0ae0000 r--p 00000000 fe:00 1234                       "
	"/usr/lib/postgresql/15/bin/postgres\n"
	"55d0c0ae0000-55d0c1000000 r-xp 000e0000 fe:00 1234                       "
	"/opt/my dir/postgres (deleted)\n"
	"7f0000000000-7f0000010000 rw-s 00000000 00:01 1                          "
	"/dev/zero (deleted)\n"
	"7f0000010000-7f0000020000 rw-s 00000000 00:01 32769                      "
	"/SYSV0052e2c1 (deleted)\n"
	"7f0000020000-7f0000030000 rw-s 00000000 00:1a 5                          "
	"/anon_hugepage (deleted)\n"
	"nonsense\n"
	"7f0000030000-7f0000040000 rw-p 00000000 00:00 0 \n"
	"7f0000040000-7f0000040000 rw-p 00000000 00:00 0 \n"
	"7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n"
	"7fff00000000-7fff00001000 r-xp 00000000 fe:00 77                         /tmp/cut of";

static void maps_lines(void **state)
{
	static const struct {
		uint64_t start;
		const char *path;
		bool exec, shared, deleted;
	} want[] = {
		{0x55d0c0a00000, "/usr/lib/postgresql/15/bin/postgres", false, false, false},
		{0x55d0c0ae0000, "/opt/my dir/postgres", true, false, true},
		{0x7f0000000000, "/dev/zero", false, true, false},
		{0x7f0000010000, "/SYSV0052e2c1", false, true, false},
		{0x7f0000020000, "/anon_hugepage", false, true, false},
		{0x7f0000030000, "", false, false, false},
		{0x7ffd00000000, "[stack]", false, false, false},
		{0xffffffffff600000, "[vsyscall]", true, false, false},
	};
	_cleanup_free_ char *p = exact(maps_text, sizeof(maps_text) - 1);
	struct proc_maps_iter it;
	struct proc_map m;
	size_t n = 0;

	(void)state;
	procfs_maps_begin(&it, p, sizeof(maps_text) - 1);
	while (procfs_maps_next(&it, &m)) {
		assert_true(n < ARRAY_SIZE(want));
		assert_int_equal(m.start, want[n].start);
		assert_int_equal(m.path_len, strlen(want[n].path));
		assert_memory_equal(m.path, want[n].path, m.path_len);
		assert_int_equal(m.exec, want[n].exec);
		assert_int_equal(m.shared, want[n].shared);
		assert_int_equal(m.deleted, want[n].deleted);
		n++;
	}
	assert_int_equal(n, ARRAY_SIZE(want));
	/* the nonsense, the empty range, and the line that was cut */
	assert_int_equal(it.skipped, 3);

	procfs_maps_begin(&it, p, sizeof(maps_text) - 1);
	assert_true(procfs_maps_next(&it, &m) && procfs_maps_next(&it, &m));
	assert_int_equal(m.end, 0x55d0c1000000);
	assert_int_equal(m.pgoff, 0xe0000);
	assert_int_equal(m.ino, 1234);
	assert_int_equal(m.dev_major, 0xfe);
	assert_int_equal(m.dev_minor, 0);
	assert_true(m.read && !m.write);
}

static void timens(void **state)
{
	static const struct {
		const char *text;
		int err;
		int64_t monotonic, boottime;
	} list[] = {
		{"monotonic           0         0\nboottime            0         0\n", 0, 0, 0},
		{"monotonic      100000         7\nboottime           -1 500000000\n", 0,
			100000000000007, -500000000},
		{"", 0, 0, 0},
		{"boottime 5 0", 0, 0, 5000000000},
		{"monotonic x 0\n", -EBADMSG, 0, 0},
		{"monotonic 1\n", -EBADMSG, 0, 0},
		{"monotonic 9223372036854775807 0\n", -EBADMSG, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		_cleanup_free_ char *p = exact(list[i].text, strlen(list[i].text));
		struct proc_timens t = {0};

		assert_int_equal(procfs_parse_timens(p, strlen(list[i].text), &t), list[i].err);
		assert_int_equal(t.monotonic_ns, list[i].monotonic);
		assert_int_equal(t.boottime_ns, list[i].boottime);
	}
}

static void kernel_stack_text(void **state)
{
	static const char text[] = "[<0>] do_epoll_wait+0x698/0x7d0\n"
				   "[<0>] ext4_sync_file.isra.0+0x1/0x2 [ext4]\n"
				   "[<0>] 0xffffffffc0123456\n"
				   "\n"
				   "[<ffffffff81000000>] __x64_sys_epoll_wait\n"
				   "[<ffffffffffffffff>] 0xffffffffffffffff\n"
				   "[<0>] last_one";
	_cleanup_free_ char *p = exact(text, sizeof(text) - 1);
	const char *frames[8];

	(void)state;
	assert_int_equal(procfs_parse_stack(p, sizeof(text) - 1, frames, 8), 5);
	assert_string_equal(frames[0], "do_epoll_wait");
	assert_string_equal(frames[1], "ext4_sync_file.isra.0");
	assert_null(frames[2]);
	assert_string_equal(frames[3], "__x64_sys_epoll_wait");
	assert_string_equal(frames[4], "last_on");
	memcpy(p, text, sizeof(text) - 1);
	assert_int_equal(procfs_parse_stack(p, sizeof(text) - 1, frames, 1), 1);
	assert_int_equal(procfs_parse_stack(p, 0, frames, 8), 0);
}

static void schedstat_text(void **state)
{
	struct proc_schedstat s;

	(void)state;
	assert_int_equal(procfs_parse_schedstat("123 456 7\n", 10, &s), 0);
	assert_int_equal(s.cpu_ns, 123);
	assert_int_equal(s.runq_ns, 456);
	assert_int_equal(s.timeslices, 7);
	assert_int_equal(procfs_parse_schedstat("123 456", 7, &s), -EBADMSG);
	assert_int_equal(procfs_parse_schedstat("", 0, &s), -EBADMSG);
}

/* ---- a fixture of /proc ---- */

struct fixture {
	char root[64];
};

static void put(struct fixture *f, const char *name, const char *text, size_t len)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", f->root, name);
	_cleanup_fclose_ FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, len, file), len);
}

static void put_dir(struct fixture *f, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", f->root, name);

	assert_int_equal(mkdir(path, 0700), 0);
}

static int set_up(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	strcpy(f->root, "/tmp/pgtop-procfs-XXXXXX");
	if (!mkdtemp(f->root))
		return -1;
	put_dir(f, "100");
	put_dir(f, "self");
	*state = f;
	return 0;
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
	struct fixture *f = *state;

	nftw(f->root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(f);
	return 0;
}

static void gone_and_missing(void **state)
{
	struct fixture *f = *state;
	struct proc_timens t = {1, 1};
	struct proc_stat st;
	struct proc_exe exe;
	struct proc_maps maps;
	char buf[16];

	assert_int_equal(procfs_read_stat(f->root, 100, &st), -ENOENT);
	assert_int_equal(procfs_read_stat(f->root, 101, &st), -ESRCH);
	assert_int_equal(procfs_read_maps(f->root, 101, &maps), -ESRCH);
	assert_int_equal(procfs_read_exe(f->root, 101, &exe), -ESRCH);
	assert_int_equal(procfs_read_exe(f->root, 100, &exe), -ENOENT);
	assert_int_equal(procfs_open_exe(f->root, 101), -ESRCH);
	assert_int_equal(procfs_read_cmdline(f->root, 101, buf, sizeof(buf)), -ESRCH);
	assert_int_equal(procfs_read_link(f->root, 101, "cwd", buf, sizeof(buf)), -ESRCH);
	assert_int_equal(procfs_read_timens(f->root, &t), 0);
	assert_int_equal(t.monotonic_ns, 0);
}

static void small_files(void **state)
{
	static const char title[] = "postgres: 15/main: walwriter \0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	struct fixture *f = *state;
	struct proc_timens t;
	char buf[64];

	put(f, "100/cmdline", title, sizeof(title));
	assert_int_equal(procfs_read_cmdline(f->root, 100, buf, sizeof(buf)), strlen(title));
	assert_string_equal(buf, "postgres: 15/main: walwriter ");
	assert_int_equal(procfs_read_cmdline(f->root, 100, buf, 9), 8);
	assert_string_equal(buf, "postgres");
	put(f, "100/cmdline", "", 0);
	assert_int_equal(procfs_read_cmdline(f->root, 100, buf, sizeof(buf)), 0);
	put(f, "100/wchan", "0", 1);
	assert_int_equal(procfs_read_wchan(f->root, 100, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "");
	put(f, "100/wchan", "do_epoll_wait", 13);
	assert_int_equal(procfs_read_wchan(f->root, 100, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "do_epoll_wait");
	put(f, "self/timens_offsets", "monotonic 5 6\n", 14);
	assert_int_equal(procfs_read_timens(f->root, &t), 0);
	assert_int_equal(t.monotonic_ns, 5000000006);
}

static void maps_table(void **state)
{
	struct fixture *f = *state;
	struct proc_maps maps;

	put(f, "100/maps", maps_text, sizeof(maps_text) - 1);
	assert_int_equal(procfs_read_maps(f->root, 100, &maps), 0);
	assert_int_equal(maps.n, 8);
	assert_string_equal(maps.maps[1].path, "/opt/my dir/postgres");
	assert_string_equal(maps.maps[5].path, "");
	assert_string_equal(maps.maps[7].path, "[vsyscall]");
	assert_ptr_equal(procfs_maps_find(&maps, 0x55d0c0ae0000), &maps.maps[1]);
	assert_ptr_equal(procfs_maps_find(&maps, 0x55d0c0adffff), &maps.maps[0]);
	assert_null(procfs_maps_find(&maps, 0x55d0c1000000));
	assert_null(procfs_maps_find(&maps, 0));
	procfs_maps_free(&maps);
	procfs_maps_free(&maps);
}

static void many_maps_are_read_whole(void **state)
{
	struct fixture *f = *state;
	size_t size = 1 << 20, len = 0, n = 0;
	_cleanup_free_ char *text = xmalloc(size);
	struct proc_maps maps;

	for (; len + 128 < size; n++)
		len += (size_t)sprintf(text + len, "%zx-%zx r--p 00000000 fe:00 %zu /lib/%zu.so\n",
			0x1000 * (n + 1), 0x1000 * (n + 2), n + 1, n);
	put(f, "100/maps", text, len);
	assert_int_equal(procfs_read_maps(f->root, 100, &maps), 0);
	assert_int_equal(maps.n, n);
	assert_int_equal(maps.maps[n - 1].ino, n);
	procfs_maps_free(&maps);
}

static void only_numeric_folders_are_processes(void **state)
{
	static const char stat_text[] = "7 (x) S 100 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9 0 0\n";
	struct fixture *f = *state;
	struct proc_stat *stats;
	pid_t *pids;
	size_t n;

	put_dir(f, "7");
	put_dir(f, "07x");
	put_dir(f, "99999999999");
	put(f, "8", "", 0);
	put(f, "7/stat", stat_text, sizeof(stat_text) - 1);
	assert_int_equal(procfs_list_pids(f->root, &pids, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(pids[0], 7);
	assert_int_equal(pids[1], 100);
	free(pids);
	assert_int_equal(procfs_list_stats(f->root, &stats, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(stats[0].pid, 7);
	free(stats);
	assert_int_equal(procfs_list_children(f->root, 100, &pids, &n), 0);
	assert_int_equal(n, 1);
	assert_int_equal(pids[0], 7);
	free(pids);
	assert_int_equal(procfs_list_pids("/nonexistent", &pids, &n), -ENOENT);
}

static void only_regular_files_are_opened(void **state)
{
	struct fixture *f = *state;
	_cleanup_free_ char *fifo = xasprintf("%s/fifo", f->root);
	_cleanup_free_ char *file = xasprintf("%s/100/stat", f->root);
	_cleanup_free_ char *root = xasprintf("%s/100/root", f->root);
	struct proc_map map = {.start = 1, .end = 2, .ino = 5, .path = "/fifo", .path_len = 5};
	struct stat st;
	int fd;

	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(procfs_open_regular(fifo), -EINVAL);
	assert_int_equal(procfs_open_regular("/dev/null"), -EINVAL);
	assert_int_equal(procfs_open_regular(f->root), -EINVAL);
	put(f, "100/stat", "x", 1);
	fd = procfs_open_regular(file);
	assert_true(fd >= 0);
	close(fd);

	/* By way of the process's root: the same inode, or none at all. */
	assert_int_equal(symlink(f->root, root), 0);
	assert_int_equal(procfs_open_mapped(f->root, 100, &map), -EINVAL);
	map.path = "/100/stat";
	map.path_len = strlen(map.path);
	assert_int_equal(procfs_open_mapped(f->root, 100, &map), -ESTALE);
	assert_int_equal(stat(file, &st), 0);
	map.ino = st.st_ino;
	fd = procfs_open_mapped(f->root, 100, &map);
	assert_true(fd >= 0);
	close(fd);
	map.deleted = true;
	assert_int_equal(procfs_open_mapped(f->root, 100, &map), -ESTALE);
	map.deleted = false;
	assert_int_equal(procfs_open_mapped(f->root, 101, &map), -ESRCH);
}

/* ---- live ---- */

static void own_process(void **state)
{
	struct proc_status status;
	struct proc_schedstat sched;
	struct proc_timens t;
	struct proc_stat st;
	struct proc_exe exe;
	struct proc_maps maps;
	struct stat self;
	bool found = false;
	int fd;

	(void)state;
	assert_int_equal(procfs_read_stat("/proc", getpid(), &st), 0);
	assert_int_equal(st.pid, getpid());
	assert_int_equal(st.ppid, getppid());
	assert_int_equal(procfs_read_status("/proc", getpid(), &status), 0);
	assert_int_equal(status.uid, getuid());
	assert_int_equal(procfs_read_timens("/proc", &t), 0);
	assert_int_equal(procfs_read_schedstat("/proc", getpid(), &sched), 0);
	assert_int_equal(stat("/proc/self/exe", &self), 0);
	assert_int_equal(procfs_read_exe("/proc", getpid(), &exe), 0);
	assert_int_equal(exe.ino, self.st_ino);
	assert_false(exe.deleted);
	assert_int_equal(procfs_read_maps("/proc", getpid(), &maps), 0);
	for (size_t i = 0; i < maps.n; i++) {
		if (!procfs_map_is_exe(&maps.maps[i], &exe))
			continue;
		found = true;
		fd = procfs_open_mapped("/proc", getpid(), &maps.maps[i]);
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &self), 0);
		assert_int_equal(self.st_ino, exe.ino);
		close(fd);
	}
	assert_true(found);
	procfs_maps_free(&maps);
}

static pid_t spawn_child(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "a) R 1 (\nx");
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

static void child_with_a_nasty_name(void **state)
{
	pid_t pid = spawn_child(), *children;
	struct proc_stat st = {0};
	bool found = false;
	size_t n;

	(void)state;
	for (int i = 0; i < 500 && strcmp(st.comm, "a) R 1 (\nx"); i++) {
		assert_int_equal(procfs_read_stat("/proc", pid, &st), 0);
		usleep(10000);
	}
	assert_string_equal(st.comm, "a) R 1 (\nx");
	assert_int_equal(st.ppid, getpid());
	assert_int_equal(procfs_list_children("/proc", getpid(), &children, &n), 0);
	for (size_t i = 0; i < n; i++)
		found |= children[i] == pid;
	assert_true(found);
	free(children);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(procfs_read_stat("/proc", pid, &st), -ESRCH);
}

static void zombie(void **state)
{
	pid_t pid = spawn_child();
	struct proc_exe exe;
	struct proc_maps maps;
	struct proc_stat st;
	char buf[64];

	(void)state;
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	assert_int_equal(procfs_read_stat("/proc", pid, &st), 0);
	assert_int_equal(st.state, 'Z');
	assert_int_equal(procfs_read_cmdline("/proc", pid, buf, sizeof(buf)), 0);
	assert_int_equal(procfs_read_exe("/proc", pid, &exe), -ENOENT);
	if (!procfs_read_maps("/proc", pid, &maps)) {
		assert_int_equal(maps.n, 0);
		procfs_maps_free(&maps);
	}
	waitpid(pid, NULL, 0);
}

static void stack_of_a_sleeper(void **state)
{
	pid_t pid = spawn_child();
	struct proc_stack stack = {0};
	int err = 0;

	(void)state;
	for (int i = 0; i < 500 && !stack.n && !err; i++) {
		err = procfs_read_stack("/proc", pid, &stack);
		usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (err == -EACCES || err == -EPERM || err == -ENOENT)
		skip(); /* not root, or a kernel without stack traces */
	assert_int_equal(err, 0);
	assert_true(stack.n > 0);
	for (size_t i = 0; i < stack.n; i++)
		if (stack.frames[i])
			assert_null(strchr(stack.frames[i], '+'));
}

int main(void)
{
#define FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_with_any_comm),
		cmocka_unit_test(stat_of_one_in_do_exit),
		cmocka_unit_test(stat_damaged),
		cmocka_unit_test(long_comm_is_cut),
		cmocka_unit_test(status_namespaces),
		cmocka_unit_test(maps_lines),
		cmocka_unit_test(timens),
		cmocka_unit_test(kernel_stack_text),
		cmocka_unit_test(schedstat_text),
		FIXTURE(gone_and_missing),
		FIXTURE(small_files),
		FIXTURE(maps_table),
		FIXTURE(many_maps_are_read_whole),
		FIXTURE(only_numeric_folders_are_processes),
		FIXTURE(only_regular_files_are_opened),
		cmocka_unit_test(own_process),
		cmocka_unit_test(child_with_a_nasty_name),
		cmocka_unit_test(zombie),
		cmocka_unit_test(stack_of_a_sleeper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
