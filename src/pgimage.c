/* See pgimage.h. The verdict on a file is kept for good: a replaced file is another inode. */
#include "pgimage.h"

#include <errno.h>
#include <string.h>

#include "procfs.h"
#include "util.h"

/* Two that no other program is likely to export: PostgreSQL's since 9.x, the second in all. */
static bool exports_postgres(const struct elfsym *elf)
{
	uint64_t value;

	return !elfsym_find(elf, pg_symbol_names[PG_POSTMASTER_PID], ELFSYM_OBJECT, &value, NULL) &&
	       !elfsym_find(
		       elf, pg_symbol_names[PG_IS_UNDER_POSTMASTER], ELFSYM_OBJECT, &value, NULL);
}

static void examine(struct pg_image *image, pid_t pid)
{
	_cleanup_close_ int fd = procfs_open_exe("/proc", pid);

	if (fd < 0 || elfsym_open(fd, &image->elf, NULL))
		return;
	image->postgres = exports_postgres(image->elf);
	if (!image->postgres) {
		elfsym_free(image->elf);
		image->elf = NULL;
		return;
	}
	if (!elfsym_find_version(fd, image->version, sizeof(image->version)))
		image->version_num = elfsym_version_num(image->version);
}

const struct pg_image *pgimage_of(struct pg_images *images, pid_t pid)
{
	struct proc_exe exe;
	struct pg_image *image;

	if (procfs_read_exe("/proc", pid, &exe))
		return NULL;
	for (image = images->first; image; image = image->next)
		if (image->dev == exe.dev && image->ino == exe.ino)
			return image;
	image = xcalloc(1, sizeof(*image));
	image->dev = exe.dev;
	image->ino = exe.ino;
	examine(image, pid);
	image->next = images->first;
	images->first = image;
	return image;
}

void pgimage_done(struct pg_images *images)
{
	struct pg_image *next;

	for (struct pg_image *i = images->first; i; i = next) {
		next = i->next;
		elfsym_free(i->elf);
		free(i);
	}
	images->first = NULL;
}

int pgimage_symbols(const struct pg_image *image, pid_t pid, struct pg_symbols *ret)
{
	struct proc_maps maps = {0};
	struct proc_exe exe;
	uint64_t bias, value;
	int err;

	if ((err = procfs_read_exe("/proc", pid, &exe)) ||
		(err = procfs_read_maps("/proc", pid, &maps)))
		return err;
	err = elfsym_bias(image->elf, maps.maps, maps.n, &exe, &bias);
	procfs_maps_free(&maps);
	if (err)
		return err;
	memset(ret, 0, sizeof(*ret));
	for (int i = 0; i < PG_SYMBOL_NR; i++)
		if (!elfsym_find(image->elf, pg_symbol_names[i], ELFSYM_OBJECT, &value, NULL))
			ret->addr[i] = value + bias;
	return 0;
}
