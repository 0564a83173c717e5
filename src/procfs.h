/*
 * What /proc says about a process.
 *
 * Parsers are pure functions over (buffer, length): they take any bytes, never read past the end
 * and need no terminator. Readers are thin: open, one bounded read, parse. They take the root of
 * the proc file system ("/proc", or a fixture).
 *
 * All return 0 (or a count) or -errno: -ESRCH when the process is gone, -ENOENT when it is there
 * but has no such file (kernel thread, zombie, or a kernel built without), -EACCES/-EPERM, -EBADMSG
 * when the text is not what the kernel writes. Results are written on success only.
 */
#ifndef PGTOP_PROCFS_H
#define PGTOP_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PROCFS_MAPS_MAX_BYTES (16u << 20) /* the rest of a larger maps file is not read */

/* ---- /proc/PID/stat ---- */

struct proc_stat {
	pid_t pid;
	char comm[64]; /* raw bytes: may hold blanks, ')', newlines, anything but NUL */
	char state;    /* 'R', 'S', 'D', 'Z' ... */
	bool exiting;  /* in do_exit or dead */
	pid_t ppid;
	uint64_t cpu_ticks;   /* utime + stime, clock ticks (sysconf(_SC_CLK_TCK)) */
	uint64_t start_ticks; /* since boot; with pid the identity of a process */
};

int procfs_parse_stat(const char *buf, size_t len, struct proc_stat *ret);
int procfs_read_stat(const char *proc_root, pid_t pid, struct proc_stat *ret);

/* ---- /proc/PID/status ---- */

struct proc_status {
	uid_t uid, euid;
	pid_t pid_ns;	  /* pid in its innermost pid namespace */
	unsigned n_nspid; /* namespaces seen from this /proc, 1: the same namespace; 0: kernel
			   * without NSpid (pid_ns is then 0) */
};

int procfs_parse_status(const char *buf, size_t len, struct proc_status *ret);
int procfs_read_status(const char *proc_root, pid_t pid, struct proc_status *ret);

/* ---- /proc/PID/maps ---- */

struct proc_map {
	uint64_t start, end; /* [start, end) */
	uint64_t pgoff;	     /* bytes into the file */
	uint64_t ino;	     /* 0: anonymous */
	uint32_t dev_major, dev_minor;
	bool read, write, exec, shared;
	bool deleted;	  /* a file that was unlinked or replaced. Not set for /dev/zero, /SYSV*,
			   * /memfd: and other mappings that never had a name */
	const char *path; /* without " (deleted)"; "" if none; "[vdso]" and the like as they are */
	size_t path_len;  /* from the iterator, path is NOT terminated: use path_len */
};

/* An iterator over the text of maps. Lines it cannot read are skipped and counted. */
struct proc_maps_iter {
	const char *pos, *end;
	size_t skipped;
};
void procfs_maps_begin(struct proc_maps_iter *it, const char *buf, size_t len);
bool procfs_maps_next(struct proc_maps_iter *it, struct proc_map *ret);

/* The whole table. Here every path is terminated. Freed by procfs_maps_free (zeroed is allowed). */
struct proc_maps {
	struct proc_map *maps;
	size_t n;
	char *text; /* what the paths point into */
};
int procfs_read_maps(const char *proc_root, pid_t pid, struct proc_maps *ret);
void procfs_maps_free(struct proc_maps *m);

/* The mapping that holds addr, or NULL. */
const struct proc_map *procfs_maps_find(const struct proc_maps *m, uint64_t addr);

/* ---- the executable and mapped files ---- */

struct proc_exe {
	uint64_t dev, ino; /* by stat(2) through /proc/PID/exe: right for deleted files and for
			    * other mount namespaces. The identity of an executable. */
	bool deleted;	   /* its name is gone, as after a package upgrade */
	char path[4096];   /* as its own mount namespace sees it, without " (deleted)" */
};
int procfs_read_exe(const char *proc_root, pid_t pid, struct proc_exe *ret);

/* True if the mapping is of this executable: same device and inode, or, where a stacked file system
 * reports others in maps than in stat(2) (overlay, btrfs), the same path. */
bool procfs_map_is_exe(const struct proc_map *map, const struct proc_exe *exe);

/* Opens a regular file for reading, or returns -EINVAL for anything else; a FIFO or a device is
 * never opened, not even without blocking. Returns a descriptor (close-on-exec). */
int procfs_open_regular(const char *path);

/* The file behind /proc/PID/exe. */
int procfs_open_exe(const char *proc_root, pid_t pid);

/* The file behind a mapping: map_files, else /proc/PID/root + path. Never another file that has
 * taken the path since: -ESTALE if only that could be found. */
int procfs_open_mapped(const char *proc_root, pid_t pid, const struct proc_map *map);

/* ---- the rest ---- */

/* The first string of cmdline: all of a PostgreSQL ps title, argv[0] of others. Terminated.
 * Returns its length; 0 for a kernel thread or a zombie. */
ssize_t procfs_read_cmdline(const char *proc_root, pid_t pid, char *buf, size_t size);

/* At most size - 1 bytes of /proc/PID/NAME, terminated, NULs inside kept. Returns the length. */
ssize_t procfs_read_file(
	const char *proc_root, pid_t pid, const char *name, char *buf, size_t size);

/* Where /proc/PID/NAME ("cwd", "exe", "root", "ns/pid") points. Terminated. Returns the length, or
 * -ENAMETOOLONG. */
ssize_t procfs_read_link(
	const char *proc_root, pid_t pid, const char *name, char *buf, size_t size);

/* CLOCK_MONOTONIC and CLOCK_BOOTTIME of this time namespace minus the host's. BPF stamps are the
 * host's. Zero where the kernel has no time namespaces. */
struct proc_timens {
	int64_t monotonic_ns, boottime_ns;
};
int procfs_parse_timens(const char *buf, size_t len, struct proc_timens *ret);
int procfs_read_timens(const char *proc_root, struct proc_timens *ret);

/* Nanoseconds on CPU and on the run queue, and how often it was run, since the task started. */
struct proc_schedstat {
	uint64_t cpu_ns, runq_ns, timeslices;
};
int procfs_parse_schedstat(const char *buf, size_t len, struct proc_schedstat *ret);
int procfs_read_schedstat(const char *proc_root, pid_t pid, struct proc_schedstat *ret);

/* The kernel stack of a sleeping task, innermost first. Needs CAP_SYS_ADMIN. Names come without
 * "+0x.../0x..." and "[module]"; a frame without a name is NULL. frames[] points into text. */
#define PROCFS_STACK_MAX 64
struct proc_stack {
	size_t n;
	const char *frames[PROCFS_STACK_MAX];
	char text[8192];
};
/* Cuts text (len bytes, a terminator may be written at text[len - 1] at most) into frames; returns
 * how many. */
size_t procfs_parse_stack(char *text, size_t len, const char **frames, size_t max);
int procfs_read_stack(const char *proc_root, pid_t pid, struct proc_stack *ret);

/* The kernel function a task sleeps in; "" if it runs or the kernel does not say. */
int procfs_read_wchan(const char *proc_root, pid_t pid, char *buf, size_t size);

/* Every process, ascending by pid. *ret is the caller's to free(). */
int procfs_list_pids(const char *proc_root, pid_t **ret, size_t *ret_n);

/* The stat of every process; those that end meanwhile are left out. *ret is the caller's. */
int procfs_list_stats(const char *proc_root, struct proc_stat **ret, size_t *ret_n);

/* The children of ppid, ascending, by the parent each one names. *ret is the caller's. */
int procfs_list_children(const char *proc_root, pid_t ppid, pid_t **ret, size_t *ret_n);

#endif
