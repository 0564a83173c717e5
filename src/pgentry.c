/*
 * Copies of PgBackendStatus by the change-count protocol. See pgentry.h.
 *
 * Owns only the query buffers of the copies. Invariant: a copy with err 0 was whole and unchanged
 * while it and both its strings were read. Does not know whose entry it is: that is checked by
 * backend_status.
 */
#include "pgentry.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "util.h"

#define ATTEMPTS	 4
#define FIRST_READ_BYTES 1024 /* of the query text: the default track_activity_query_size */
#define MAX_ENTRY_BYTES	 512

/* Work space of one call. */
struct work {
	const struct mem_source *mem;
	pid_t pid;
	const struct pg_layout *layout;
	size_t activity_bytes;
	struct pg_entry_copy *todo[PG_ENTRY_BATCH];
	size_t n;
	uint32_t after[PG_ENTRY_BATCH];
	uint8_t raw[PG_ENTRY_BATCH][MAX_ENTRY_BYTES];
	struct mem_range ranges[2 * PG_ENTRY_BATCH];
};

static void format_client(const void *sockaddr, char *buf, size_t size)
{
	char host[INET6_ADDRSTRLEN];
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	sa_family_t family;

	buf[0] = '\0';
	memcpy(&family, sockaddr, sizeof(family));
	memcpy(&in, sockaddr, sizeof(in));
	memcpy(&in6, sockaddr, sizeof(in6));
	if (family == AF_UNIX)
		snprintf(buf, size, "[local]");
	else if (family == AF_INET && inet_ntop(AF_INET, &in.sin_addr, host, sizeof(host)))
		snprintf(buf, size, "%s:%u", host, ntohs(in.sin_port));
	else if (family == AF_INET6 && inet_ntop(AF_INET6, &in6.sin6_addr, host, sizeof(host)))
		snprintf(buf, size, "[%s]:%u", host, ntohs(in6.sin6_port));
}

#define FIELD(to, offset) memcpy(&(to), (const uint8_t *)raw + (offset), sizeof(to))

void pg_entry_decode(const struct pg_layout *layout, const void *raw, struct pg_entry *ret)
{
	FIELD(ret->changecount, layout->status.changecount);
	FIELD(ret->procpid, layout->status.procpid);
	FIELD(ret->backend_type, layout->status.backend_type);
	FIELD(ret->state, layout->status.state);
	FIELD(ret->proc_start_us, layout->status.proc_start_timestamp);
	FIELD(ret->xact_start_us, layout->status.xact_start_timestamp);
	FIELD(ret->activity_start_us, layout->status.activity_start_timestamp);
	FIELD(ret->state_start_us, layout->status.state_start_timestamp);
	FIELD(ret->databaseid, layout->status.databaseid);
	FIELD(ret->userid, layout->status.userid);
	FIELD(ret->query_id, layout->status.query_id);
	FIELD(ret->appname_addr, layout->status.appname);
	FIELD(ret->activity_addr, layout->status.activity_raw);
	format_client(
		(const uint8_t *)raw + layout->status.clientaddr, ret->client, sizeof(ret->client));
}

void pg_entry_copy_free(struct pg_entry_copy *c)
{
	free(c->query);
	c->query = NULL;
	c->query_cap = 0;
}

static int readv_n(struct work *w, size_t nr)
{
	int err = nr ? w->mem->readv(w->mem->ctx, w->pid, w->ranges, nr) : 0;

	/* The order of the reads is the protocol. */
	atomic_thread_fence(memory_order_seq_cst);
	return err;
}

static int read_entries(struct work *w)
{
	int err;

	for (size_t i = 0; i < w->n; i++)
		w->ranges[i] = (struct mem_range){
			.addr = w->todo[i]->addr, .buf = w->raw[i], .n = w->layout->status.size};
	err = readv_n(w, w->n);
	for (size_t i = 0; !err && i < w->n; i++) {
		w->todo[i]->err = w->ranges[i].err;
		if (!w->ranges[i].err)
			pg_entry_decode(w->layout, w->raw[i], &w->todo[i]->entry);
	}
	return err;
}

static void reserve_query(struct pg_entry_copy *c, size_t bytes)
{
	if (c->query_cap < bytes + 1) {
		c->query = xrealloc(c->query, bytes + 1, 1);
		c->query_cap = bytes + 1;
	}
}

/* A range for the string at addr; one of no bytes where there is none. */
static struct mem_range string_range(uint64_t addr, char *buf, size_t n)
{
	return (struct mem_range){.addr = addr, .buf = buf, .n = addr ? n : 0};
}

/* Both strings of all; of the query text the first part. */
static int read_strings(struct work *w)
{
	size_t first = MIN(w->activity_bytes, (size_t)FIRST_READ_BYTES);
	int err;

	for (size_t i = 0; i < w->n; i++) {
		struct pg_entry_copy *c = w->todo[i];

		reserve_query(c, first);
		w->ranges[2 * i] = string_range(
			c->err ? 0 : c->entry.appname_addr, c->application, PG_NAMEDATALEN);
		w->ranges[2 * i + 1] =
			string_range(c->err ? 0 : c->entry.activity_addr, c->query, first);
	}
	err = readv_n(w, 2 * w->n);
	for (size_t i = 0; !err && i < w->n; i++) {
		struct pg_entry_copy *c = w->todo[i];
		const struct mem_range *app = &w->ranges[2 * i], *query = app + 1;

		c->application_known = app->n && !app->err;
		c->application[c->application_known ? PG_NAMEDATALEN - 1 : 0] = '\0';
		c->query_known = query->n && !query->err;
		c->query_len = c->query_known ? strnlen(c->query, first) : 0;
		c->query[c->query_len] = '\0';
	}
	return err;
}

/* The rest of the query texts that are longer than the first part. */
static int read_long_queries(struct work *w)
{
	struct pg_entry_copy *longer[PG_ENTRY_BATCH];
	size_t rest = w->activity_bytes - FIRST_READ_BYTES, n = 0;
	int err;

	if (w->activity_bytes <= FIRST_READ_BYTES)
		return 0;
	for (size_t i = 0; i < w->n; i++) {
		struct pg_entry_copy *c = w->todo[i];

		if (c->err || c->query_len < FIRST_READ_BYTES)
			continue;
		reserve_query(c, w->activity_bytes);
		w->ranges[n] = string_range(c->entry.activity_addr + FIRST_READ_BYTES,
			c->query + FIRST_READ_BYTES, rest);
		longer[n++] = c;
	}
	err = readv_n(w, n);
	for (size_t i = 0; !err && i < n; i++) {
		if (!w->ranges[i].err)
			longer[i]->query_len += strnlen(longer[i]->query + FIRST_READ_BYTES, rest);
		longer[i]->query[longer[i]->query_len] = '\0';
	}
	return err;
}

/* Reads the counts again; what is whole or cannot be read leaves the list. */
static int settle(struct work *w)
{
	size_t left = 0;
	int err;

	for (size_t i = 0; i < w->n; i++)
		w->ranges[i] =
			(struct mem_range){.addr = w->todo[i]->addr + w->layout->status.changecount,
				.buf = &w->after[i],
				.n = sizeof(w->after[i])};
	err = readv_n(w, w->n);
	for (size_t i = 0; !err && i < w->n; i++) {
		struct pg_entry_copy *c = w->todo[i];

		if (!c->err)
			c->err = w->ranges[i].err;
		if (c->err)
			continue;
		if (!(c->before & 1) && c->entry.changecount == c->before &&
			w->after[i] == c->before)
			continue;
		c->err = -EAGAIN;
		c->before = w->after[i];
		w->todo[left++] = c;
	}
	w->n = err ? w->n : left;
	return err;
}

int pg_entries_copy(const struct mem_source *mem, pid_t pid, const struct pg_layout *layout,
	size_t activity_bytes, struct pg_entry_copy *copies, size_t n)
{
	struct work w = {.mem = mem, .pid = pid, .layout = layout};
	int err = 0;

	if (n > PG_ENTRY_BATCH || layout->status.size > MAX_ENTRY_BYTES)
		return -EINVAL;
	w.activity_bytes = MIN(MAX(activity_bytes, (size_t)1), (size_t)PG_ENTRY_MAX_QUERY);
	for (w.n = 0; w.n < n; w.n++)
		w.todo[w.n] = &copies[w.n];
	for (int i = 0; i < ATTEMPTS && w.n && !err; i++) {
		err = read_entries(&w);
		if (!err)
			err = read_strings(&w);
		if (!err)
			err = read_long_queries(&w);
		if (!err)
			err = settle(&w);
	}
	return err;
}
