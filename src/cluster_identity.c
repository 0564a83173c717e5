/*
 * Globals of a PostgreSQL process that say which cluster it belongs to. See cluster_identity.h.
 *
 * Owns nothing. Every pointer and count comes from the other process and is bounded here.
 */
#include "cluster_identity.h"

#include <errno.h>
#include <string.h>

#include "util.h"

/* One element of NamedLWLockTrancheArray. */
struct named_tranche {
	int32_t id;
	int32_t pad;
	uint64_t name;
};
_Static_assert(sizeof(struct named_tranche) == 16, "layout of NamedLWLockTranche");

/* Reads the string a char * global points to; "" if there is none. */
static int read_global_string(
	const struct mem_source *mem, pid_t pid, uint64_t addr, char *buf, size_t size)
{
	uint64_t p = 0;
	ssize_t len = 0;
	int err;

	buf[0] = '\0';
	if (!addr)
		return 0;
	err = mem_read_ptr(mem, pid, addr, &p);
	if (!err && p)
		len = mem_read_cstr(mem, pid, p, buf, size);
	if (len < 0)
		err = (int)len;
	return err == -EFAULT ? 0 : err;
}

int cluster_identity_read(const struct mem_source *mem, pid_t pid, const struct pg_symbols *symbols,
	struct cluster_identity *ret)
{
	const uint64_t *addr = symbols->addr;
	int32_t postmaster_pid = 0, proc_pid = 0;
	uint8_t under = 0;
	struct mem_range r[] = {
		{.addr = addr[PG_POSTMASTER_PID], .buf = &postmaster_pid, .n = 4},
		{.addr = addr[PG_MY_PROC_PID], .buf = &proc_pid, .n = 4},
		{.addr = addr[PG_IS_UNDER_POSTMASTER], .buf = &under, .n = 1},
	};
	int err;

	memset(ret, 0, sizeof(*ret));
	err = mem->readv(mem->ctx, pid, r, ARRAY_SIZE(r));
	if (err)
		return err;
	if (!r[0].err && postmaster_pid > 0)
		ret->postmaster_pid = postmaster_pid;
	if (!r[1].err && proc_pid > 0)
		ret->proc_pid = proc_pid;
	ret->under_postmaster_known = !r[2].err && under <= 1;
	ret->under_postmaster = ret->under_postmaster_known && under;
	err = read_global_string(mem, pid, addr[PG_DATA_DIR], ret->data_dir, sizeof(ret->data_dir));
	if (err)
		return err;
	return read_global_string(
		mem, pid, addr[PG_CLUSTER_NAME], ret->cluster_name, sizeof(ret->cluster_name));
}

int cluster_tranches_read(const struct mem_source *mem, pid_t pid, const struct pg_layout *layout,
	const struct pg_symbols *symbols, struct cluster_tranche *ret, int max)
{
	struct named_tranche t[CLUSTER_MAX_TRANCHES];
	uint64_t array_addr = symbols->addr[PG_NAMED_LWLOCK_TRANCHE_ARRAY];
	uint64_t count_addr = symbols->addr[PG_NAMED_LWLOCK_TRANCHE_REQUESTS];
	uint64_t array = 0;
	int32_t count = 0;
	int n = 0, err;

	if (!layout || !array_addr || !count_addr)
		return -EOPNOTSUPP;
	err = mem_read(mem, pid, count_addr, &count, sizeof(count));
	if (!err)
		err = mem_read_ptr(mem, pid, array_addr, &array);
	if (err)
		return err;
	if (count <= 0 || !array)
		return 0;
	count = MIN(count, CLUSTER_MAX_TRANCHES);
	err = mem_read(mem, pid, array, t, (size_t)count * sizeof(t[0]));
	if (err)
		return err;
	for (int i = 0; i < count && n < max; i++) {
		ssize_t len;

		if (t[i].id < layout->first_extension_tranche || t[i].id > UINT16_MAX || !t[i].name)
			continue;
		len = mem_read_cstr(mem, pid, t[i].name, ret[n].name, sizeof(ret[n].name));
		if (len < 0 && len != -EFAULT)
			return (int)len;
		if (len <= 0)
			continue;
		ret[n++].id = (uint16_t)t[i].id;
	}
	return n;
}
