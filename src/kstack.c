/*
 * Rules over kernel stacks: see kstack.h.
 *
 * Owns two tables of function names and nothing else. A pattern is a whole name, or the start of
 * one where it ends in '*'. Names are compared without what the compiler appended, so a rule holds
 * for every build of a kernel. Where a function was renamed both names are listed.
 */
#include "kstack.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ksyms.h"
#include "util.h"

/* Block and file I/O. None of these sleeps for a pipe, a socket or a futex; futex, epoll and the
 * like need no rule, being what is left. */
static const char *const io_functions[] = {
	/* waiting for a block device */
	"io_schedule*", "bit_wait_io*", "wait_for_completion_io*", "mutex_lock_io*", "submit_bio*",
	"bio_*", "blk_*", "__blk_*", "blkdev_*", "__blkdev_*", "rq_qos_wait", "wbt_wait", "dm_*",
	"md_*", "nvme_*", "scsi_*",
	/* buffers and the page cache; pages became folios in 5.16 .. 5.18 */
	"__wait_on_buffer", "sync_dirty_buffer", "__sync_dirty_buffer", "fsync_buffers_list",
	"sync_mapping_buffers", "generic_buffers_fsync*", "folio_wait_*", "__folio_lock*",
	"wait_on_page_*", "__wait_on_page_*", "__lock_page*", "filemap_*", "__filemap_*",
	"generic_file_*", "__generic_file_*", "generic_perform_write", "file_write_and_wait_range",
	"read_pages", "page_cache_ra_*", "page_cache_sync_*", "page_cache_async_*",
	"truncate_inode_pages*", "truncate_pagecache*", "iomap_*", "dax_*", "balance_dirty_pages*",
	"wb_wait_*", "sync_inodes_sb", "writeback_inodes_sb*",
	/* page faults that read; swap-in */
	"do_swap_page", "swapin_*", "swap_read_*", "swap_readpage", "read_swap_cache_*", "shmem_*",
	/* system calls on files */
	"do_fsync", "vfs_fsync*", "ksys_sync*", "sync_filesystem", "sync_file_range",
	"do_filp_open", "do_file_open", "path_openat", "path_lookupat", "link_path_walk",
	"walk_component", "lookup_slow", "__lookup_slow", "do_truncate", "vfs_truncate",
	"do_sys_ftruncate", "do_ftruncate", "notify_change", "vfs_fallocate", "ksys_fallocate",
	"do_unlinkat", "filename_unlinkat", "vfs_unlink", "do_renameat2", "filename_renameat2",
	"vfs_rename", "do_mkdirat", "filename_mkdirat", "vfs_mkdir", "do_rmdir", "filename_rmdir",
	"vfs_rmdir", "do_linkat", "filename_linkat", "vfs_link", "do_symlinkat",
	"filename_symlinkat", "vfs_symlink", "iterate_dir", "vfs_statx*", "vfs_fstatat",
	"vfs_getattr*", "vfs_copy_file_range", "vfs_clone_file_range", "do_clone_file_range",
	/* file systems; fsync on a journal sleeps in plain schedule() */
	"ext4_*", "__ext4_*", "ext2_*", "jbd2_*", "__jbd2_*", "xfs_*", "xlog_*", "btrfs_*",
	"__btrfs_*", "f2fs_*", "__f2fs_*", "bch2_*", "__bch2_*", "zpl_*", "zfs_*", "zil_*", "zio_*",
	"dmu_*", "txg_*", "nfs_*", "__nfs_*", "nfs3_*", "nfs4_*", "_nfs4_*", "ceph_*", "__ceph_*",
	"cifs_*", "smb2_*", "SMB2_*", "fuse_*", "__fuse_*", "ovl_*", "gfs2_*", "ocfs2_*", "v9fs_*",
	"p9_client_*", "erofs_*", "squashfs_*", "fat_*", "ntfs_*", "ntfs3_*", "jfs_*",
	/* asynchronous I/O: PostgreSQL uses it for files only */
	"io_cqring_wait", "read_events"};

/* A FIFO is opened like a file, and waits for its other end. */
static const char *const not_io_functions[] = {"fifo_open"};

/* What every sleep passes through: the scheduler and its wait primitives (as /proc/PID/wchan leaves
 * them out), and whoever took the stack. */
static const char *const sleep_functions[] = {"__schedule", "schedule", "schedule_timeout*",
	"schedule_hrtimeout*", "schedule_preempt_disabled", "schedule_idle", "schedule_rtlock",
	"preempt_schedule*", "__cond_resched", "io_schedule*", "bit_wait*", "__wait_on_bit*",
	"out_of_line_wait_on_bit*", "wait_for_completion*", "__wait_for_common", "wait_for_common*",
	"mutex_lock*", "__mutex_lock*", "ww_mutex_lock*", "rwsem_down_*", "down_read*",
	"down_write*", "__down_read*", "__down_write*", "down", "__down", "down_killable",
	"down_interruptible", "down_timeout", "__down_*", "rt_mutex_*", "__rt_mutex_*",
	"rt_mutex_schedule", "percpu_down_*", "__percpu_down_read", "percpu_rwsem_wait"};

static const char *const tracer_functions[] = {"bpf_*", "__bpf_*", "__traceiter_*", "perf_trace_*",
	"trace_event_raw_event_*", "trace_call_bpf", "ftrace_trampoline", "0x*"};

static bool matches(const char *pattern, const char *name, size_t len)
{
	size_t n = strlen(pattern);

	if (pattern[n - 1] == '*')
		return len >= n - 1 && !memcmp(name, pattern, n - 1);
	return len == n && !memcmp(name, pattern, n);
}

static bool matches_any(const char *const *patterns, size_t n, const char *name)
{
	size_t len = ksyms_base_len(name);

	for (size_t i = 0; i < n; i++)
		if (matches(patterns[i], name, len))
			return true;
	return false;
}

#define MATCHES(patterns, name) matches_any(patterns, ARRAY_SIZE(patterns), name)

enum wait_type kstack_type(const char *const *frames, size_t n)
{
	enum wait_type type = WAIT_OTHER;

	for (size_t i = 0; i < n; i++) {
		if (!frames[i])
			continue;
		if (MATCHES(not_io_functions, frames[i]))
			return WAIT_OTHER;
		if (MATCHES(io_functions, frames[i]))
			type = WAIT_IO;
	}
	return type;
}

char *kstack_function(const char *const *frames, size_t n, char *buf, size_t size)
{
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!frames[i] || !frames[i][0] || MATCHES(tracer_functions, frames[i]))
			continue;
		if (!MATCHES(sleep_functions, frames[i])) {
			found = frames[i];
			break;
		}
		/* Of a stack of nothing else, the one that says most. */
		found = frames[i];
	}
	return ksyms_base_name(found ? found : "", buf, size);
}
