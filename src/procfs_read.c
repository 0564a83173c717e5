/*
 * The readers of /proc: see procfs.h. Open, one bounded read, parse.
 *
 * Every path is built from a root, a number and a constant. A process may end between any two
 * calls: that is -ESRCH, told apart from a file this kernel does not have (-ENOENT).
 */
#include "procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "util.h"

#define DELETED " (deleted)"

static int proc_path(char *buf, size_t size, const char *proc_root, pid_t pid, const char *name)
{
	int n = snprintf(buf, size, "%s/%d%s%s", proc_root, (int)pid, *name ? "/" : "", name);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

/* errno of a failed call on a file of pid. */
static int proc_error(const char *proc_root, pid_t pid, int err)
{
	char path[PATH_MAX];

	if (err != ENOENT)
		return -err;
	if (proc_path(path, sizeof(path), proc_root, pid, "") || faccessat(AT_FDCWD, path, F_OK, 0))
		return -ESRCH;
	return -ENOENT;
}

static int open_proc_file(const char *proc_root, pid_t pid, const char *name)
{
	char path[PATH_MAX];
	int fd, err;

	err = proc_path(path, sizeof(path), proc_root, pid, name);
	if (err)
		return err;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	return fd < 0 ? proc_error(proc_root, pid, errno) : fd;
}

/* Until the end of the file or the buffer. */
static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t len = 0;

	while (len < size) {
		ssize_t n = read(fd, buf + len, size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	return (ssize_t)len;
}

ssize_t procfs_read_file(const char *proc_root, pid_t pid, const char *name, char *buf, size_t size)
{
	_cleanup_close_ int fd = -1;
	ssize_t n;

	if (!size)
		return -EINVAL;
	fd = open_proc_file(proc_root, pid, name);
	if (fd < 0)
		return fd;
	n = read_all(fd, buf, size - 1);
	if (n < 0)
		return n;
	buf[n] = '\0';
	return n;
}

ssize_t procfs_read_link(const char *proc_root, pid_t pid, const char *name, char *buf, size_t size)
{
	char path[PATH_MAX];
	ssize_t n;
	int err;

	if (!size)
		return -EINVAL;
	err = proc_path(path, sizeof(path), proc_root, pid, name);
	if (err)
		return err;
	n = readlink(path, buf, size);
	if (n < 0)
		return proc_error(proc_root, pid, errno);
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	buf[n] = '\0';
	return n;
}

int procfs_read_stat(const char *proc_root, pid_t pid, struct proc_stat *ret)
{
	char buf[1024];
	ssize_t n = procfs_read_file(proc_root, pid, "stat", buf, sizeof(buf));

	return n < 0 ? (int)n : procfs_parse_stat(buf, (size_t)n, ret);
}

int procfs_read_status(const char *proc_root, pid_t pid, struct proc_status *ret)
{
	char buf[8192]; /* Uid and NSpid come within the first few hundred bytes */
	ssize_t n = procfs_read_file(proc_root, pid, "status", buf, sizeof(buf));

	return n < 0 ? (int)n : procfs_parse_status(buf, (size_t)n, ret);
}

int procfs_read_schedstat(const char *proc_root, pid_t pid, struct proc_schedstat *ret)
{
	char buf[128];
	ssize_t n = procfs_read_file(proc_root, pid, "schedstat", buf, sizeof(buf));

	return n < 0 ? (int)n : procfs_parse_schedstat(buf, (size_t)n, ret);
}

ssize_t procfs_read_cmdline(const char *proc_root, pid_t pid, char *buf, size_t size)
{
	ssize_t n = procfs_read_file(proc_root, pid, "cmdline", buf, size);

	return n < 0 ? n : (ssize_t)strlen(buf);
}

int procfs_read_timens(const char *proc_root, struct proc_timens *ret)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX], buf[512];
	ssize_t n;

	n = snprintf(path, sizeof(path), "%s/self/timens_offsets", proc_root);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		*ret = (struct proc_timens){0};
		return 0;
	}
	if (fd < 0)
		return -errno;
	n = read_all(fd, buf, sizeof(buf));
	return n < 0 ? (int)n : procfs_parse_timens(buf, (size_t)n, ret);
}

int procfs_read_stack(const char *proc_root, pid_t pid, struct proc_stack *ret)
{
	ssize_t n = procfs_read_file(proc_root, pid, "stack", ret->text, sizeof(ret->text));

	if (n < 0)
		return (int)n;
	ret->n = procfs_parse_stack(ret->text, (size_t)n, ret->frames, PROCFS_STACK_MAX);
	return 0;
}

int procfs_read_wchan(const char *proc_root, pid_t pid, char *buf, size_t size)
{
	ssize_t n = procfs_read_file(proc_root, pid, "wchan", buf, size);

	if (n < 0)
		return (int)n;
	buf[strcspn(buf, "\n")] = '\0';
	if (!strcmp(buf, "0"))
		buf[0] = '\0';
	return 0;
}

/* ---- maps ---- */

/* The whole text, grown as it comes, at most PROCFS_MAPS_MAX_BYTES. */
static int read_maps_text(int fd, char **ret, size_t *ret_len)
{
	size_t size = 32768, len = 0;
	char *text = xmalloc(size);

	for (;;) {
		ssize_t n = read_all(fd, text + len, size - len);

		if (n < 0) {
			free(text);
			return (int)n;
		}
		len += (size_t)n;
		if (len < size || size >= PROCFS_MAPS_MAX_BYTES)
			break;
		size *= 2;
		text = xrealloc(text, size, 1);
	}
	*ret = text;
	*ret_len = len;
	return 0;
}

int procfs_read_maps(const char *proc_root, pid_t pid, struct proc_maps *ret)
{
	_cleanup_close_ int fd = open_proc_file(proc_root, pid, "maps");
	struct proc_maps out = {0};
	struct proc_maps_iter it;
	size_t len = 0, size = 0;
	struct proc_map map;
	int err;

	if (fd < 0)
		return fd;
	err = read_maps_text(fd, &out.text, &len);
	if (err)
		return err;
	for (procfs_maps_begin(&it, out.text, len); procfs_maps_next(&it, &map); out.n++) {
		if (out.n == size) {
			size = size ? size * 2 : 64;
			out.maps = xrealloc(out.maps, size, sizeof(*out.maps));
		}
		out.maps[out.n] = map;
		/* At the line's newline or at the suffix: inside text, and past what is parsed. */
		out.text[map.path + map.path_len - out.text] = '\0';
	}
	*ret = out;
	return 0;
}

void procfs_maps_free(struct proc_maps *m)
{
	free(m->maps);
	free(m->text);
	*m = (struct proc_maps){0};
}

const struct proc_map *procfs_maps_find(const struct proc_maps *m, uint64_t addr)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->maps[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->n && m->maps[lo].start <= addr ? &m->maps[lo] : NULL;
}

/* ---- the executable and mapped files ---- */

int procfs_read_exe(const char *proc_root, pid_t pid, struct proc_exe *ret)
{
	const size_t suffix_len = strlen(DELETED);
	char path[PATH_MAX];
	struct stat st;
	ssize_t n;
	int err;

	err = proc_path(path, sizeof(path), proc_root, pid, "exe");
	if (err)
		return err;
	if (stat(path, &st))
		return proc_error(proc_root, pid, errno);
	n = procfs_read_link(proc_root, pid, "exe", ret->path, sizeof(ret->path));
	if (n < 0 && n != -ENAMETOOLONG)
		return (int)n;
	if (n < 0)
		n = 0;
	ret->path[n] = '\0';
	ret->deleted =
		(size_t)n > suffix_len && !strcmp(ret->path + (size_t)n - suffix_len, DELETED);
	if (ret->deleted)
		ret->path[(size_t)n - suffix_len] = '\0';
	ret->dev = st.st_dev;
	ret->ino = st.st_ino;
	return 0;
}

bool procfs_map_is_exe(const struct proc_map *map, const struct proc_exe *exe)
{
	if (!map->ino)
		return false;
	if (map->ino == exe->ino && map->dev_major == major(exe->dev) &&
		map->dev_minor == minor(exe->dev))
		return true;
	return map->path_len && map->path_len == strlen(exe->path) &&
	       map->deleted == exe->deleted && !memcmp(map->path, exe->path, map->path_len);
}

int procfs_open_regular(const char *path)
{
	/* Opening a device or a FIFO can act or block; a handle that is no open does neither. */
	_cleanup_close_ int handle = open(path, O_PATH | O_CLOEXEC);
	char link[64];
	struct stat st;
	int fd;

	if (handle < 0 || fstat(handle, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", handle);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int procfs_open_exe(const char *proc_root, pid_t pid)
{
	char path[PATH_MAX];
	int fd, err;

	err = proc_path(path, sizeof(path), proc_root, pid, "exe");
	if (err)
		return err;
	fd = procfs_open_regular(path);
	return fd == -ENOENT ? proc_error(proc_root, pid, ENOENT) : fd;
}

int procfs_open_mapped(const char *proc_root, pid_t pid, const struct proc_map *map)
{
	char name[64], path[PATH_MAX + 64];
	struct stat st;
	int fd, n;

	snprintf(name, sizeof(name), "map_files/%llx-%llx", (unsigned long long)map->start,
		(unsigned long long)map->end);
	if (!proc_path(path, sizeof(path), proc_root, pid, name)) {
		fd = procfs_open_regular(path);
		if (fd >= 0)
			return fd;
	}
	if (map->deleted)
		return -ESTALE;
	n = snprintf(path, sizeof(path), "%s/%d/root%.*s", proc_root, (int)pid, (int)map->path_len,
		map->path);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	fd = procfs_open_regular(path);
	if (fd < 0)
		return fd == -ENOENT ? proc_error(proc_root, pid, ENOENT) : fd;
	/* The device is left out: stacked file systems report others in maps than in stat(2). */
	if (fstat(fd, &st) || st.st_ino != map->ino) {
		close(fd);
		return -ESTALE;
	}
	return fd;
}

/* ---- lists ---- */

static int compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* 0 if the name is not a pid. */
static pid_t parse_pid_name(const char *name)
{
	long pid = 0;

	for (; *name; name++) {
		if (*name < '0' || *name > '9')
			return 0;
		pid = pid * 10 + (*name - '0');
		if (pid > INT_MAX)
			return 0;
	}
	return (pid_t)pid;
}

int procfs_list_pids(const char *proc_root, pid_t **ret, size_t *ret_n)
{
	DIR *dir = opendir(proc_root);
	size_t n = 0, size = 256;
	struct dirent *entry;
	pid_t *pids;

	if (!dir)
		return -errno;
	pids = xmalloc(size * sizeof(*pids));
	while ((entry = readdir(dir))) {
		pid_t pid = parse_pid_name(entry->d_name);

		if (pid <= 0 || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		if (n == size) {
			size *= 2;
			pids = xrealloc(pids, size, sizeof(*pids));
		}
		pids[n++] = pid;
	}
	closedir(dir);
	qsort(pids, n, sizeof(*pids), compare_pids);
	*ret = pids;
	*ret_n = n;
	return 0;
}

int procfs_list_stats(const char *proc_root, struct proc_stat **ret, size_t *ret_n)
{
	_cleanup_free_ pid_t *pids = NULL;
	struct proc_stat *stats;
	size_t n_pids, n = 0;
	int err;

	err = procfs_list_pids(proc_root, &pids, &n_pids);
	if (err)
		return err;
	stats = xcalloc(n_pids, sizeof(*stats));
	for (size_t i = 0; i < n_pids; i++)
		if (!procfs_read_stat(proc_root, pids[i], &stats[n]))
			n++;
	*ret = stats;
	*ret_n = n;
	return 0;
}

int procfs_list_children(const char *proc_root, pid_t ppid, pid_t **ret, size_t *ret_n)
{
	_cleanup_free_ struct proc_stat *stats = NULL;
	size_t n_stats, n = 0;
	pid_t *pids;
	int err;

	err = procfs_list_stats(proc_root, &stats, &n_stats);
	if (err)
		return err;
	pids = xcalloc(n_stats, sizeof(*pids));
	for (size_t i = 0; i < n_stats; i++)
		if (stats[i].ppid == ppid)
			pids[n++] = stats[i].pid;
	*ret = pids;
	*ret_n = n;
	return 0;
}
