/*
 * Prints what is read from a cluster's memory, for test_pgmem.py to compare with SQL.
 *
 * usage: pgmem_dump MAJOR POSTMASTER
 * Commands on standard input, one JSON object a line on standard output for each:
 *   dump         the facts of all backends
 *   blocked PID  blocked_by of a backend (PID in its own namespace)
 *   wait PID     its wait event and state, read now
 *   identity PID what a process says of its cluster; the LWLock tranches of extensions
 *   torn N       updates until N changes were seen (20 s at most); counts query texts that are not
 *                of one repeated character
 *   calls        reads made by the last dump
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "backend_status.h"
#include "buf.h"
#include "cluster_identity.h"
#include "elfsym.h"
#include "json.h"
#include "lockgraph.h"
#include "procfs.h"
#include "util.h"

struct dump {
	const struct pg_layout *layout;
	struct pg_symbols symbols;
	struct mem_source mem;
	struct backend_status *bs;
	struct lockgraph *lg;
	pid_t postmaster;
	pid_t *pids;
	size_t n_pids;
	size_t calls;
	struct buf out;
	struct json json;
};

static int counting_readv(void *ctx, pid_t pid, struct mem_range *r, size_t nr)
{
	struct dump *d = ctx;

	d->calls++;
	return procmem_readv(NULL, pid, r, nr);
}

static void die(const char *what)
{
	fprintf(stderr, "pgmem_dump: %s\n", what);
	exit(1);
}

static void find_symbols(struct dump *d)
{
	_cleanup_close_ int fd = procfs_open_exe("/proc", d->postmaster);
	struct elfsym *ef = NULL;
	struct proc_maps maps = {0};
	struct proc_exe exe;
	uint64_t bias, value;

	if (fd < 0 || elfsym_open(fd, &ef, NULL) || procfs_read_exe("/proc", d->postmaster, &exe) ||
		procfs_read_maps("/proc", d->postmaster, &maps) ||
		elfsym_bias(ef, maps.maps, maps.n, &exe, &bias))
		die("cannot read the executable");
	for (int i = 0; i < PG_SYMBOL_NR; i++)
		if (!elfsym_find(ef, pg_symbol_names[i], ELFSYM_OBJECT, &value, NULL))
			d->symbols.addr[i] = value + bias;
	elfsym_free(ef);
	procfs_maps_free(&maps);
}

/* Adds and removes what has come and gone among the postmaster's children. */
static void discover(struct dump *d)
{
	pid_t *pids = NULL;
	size_t n = 0;

	if (procfs_list_children("/proc", d->postmaster, &pids, &n))
		n = 0;
	for (size_t i = 0; i < d->n_pids; i++) {
		bool alive = false;

		for (size_t j = 0; j < n; j++)
			alive |= pids[j] == d->pids[i];
		if (!alive)
			backend_status_remove(d->bs, d->pids[i]);
	}
	for (size_t i = 0; i < n; i++) {
		struct proc_status status = {0};

		if (backend_status_get(d->bs, pids[i]))
			continue;
		(void)procfs_read_status("/proc", pids[i], &status);
		backend_status_add(d->bs, pids[i], status.pid_ns);
	}
	free(d->pids);
	d->pids = pids;
	d->n_pids = n;
}

static void put_bytes(struct json *j, const char *key, struct pg_bytes b)
{
	json_str(j, key, b.s);
	if (b.s && strlen(b.s) != b.len)
		die("a string's length is not its length");
}

static void put_facts(struct json *j, const struct backend_facts *f)
{
	json_object(j, NULL);
	json_i64(j, "pid", f->pid);
	json_i64(j, "pid_ns", f->pid_ns);
	json_bool(j, "known", f->known);
	json_str(j, "reason", f->reason);
	put_bytes(j, "backend_type", f->backend_type);
	put_bytes(j, "user", f->user);
	put_bytes(j, "database", f->database);
	put_bytes(j, "application", f->application);
	put_bytes(j, "query", f->query);
	json_str(j, "client", f->client);
	json_str(j, "state", pg_state_name(f->state));
	json_i64(j, "query_id", f->query_id);
	json_i64(j, "leader_pid", f->leader_pid);
	json_u64(j, "databaseid", f->databaseid);
	json_u64(j, "userid", f->userid);
	json_i64(j, "backend_start_us", f->backend_start_us);
	json_i64(j, "xact_start_us", f->xact_start_us);
	json_i64(j, "query_start_us", f->query_start_us);
	json_i64(j, "state_start_us", f->state_start_us);
	json_object_end(j);
}

static void dump(struct dump *d)
{
	struct json *j = &d->json;

	discover(d);
	d->calls = 0;
	json_object(j, NULL);
	json_i64(j, "err", backend_status_update(d->bs));
	json_array(j, "backends");
	for (size_t i = 0; i < d->n_pids; i++)
		put_facts(j, backend_status_get(d->bs, d->pids[i]));
	json_array_end(j);
	json_object_end(j);
}

static void blocked(struct dump *d, pid_t pid_ns)
{
	struct lock_blocker b[LOCKGRAPH_MAX_BLOCKERS];
	struct json *j = &d->json;
	pid_t pid = backend_status_host_pid(d->bs, pid_ns);
	int n;

	lockgraph_forget(d->lg);
	n = lockgraph_query(d->lg, backend_status_reader(d->bs),
		backend_status_proc_addr(d->bs, pid), pid_ns, b, ARRAY_SIZE(b));
	json_object(j, NULL);
	json_i64(j, "n", n);
	json_array(j, "hard");
	for (int i = 0; i < n; i++)
		if (!b[i].soft)
			json_i64(j, NULL, b[i].pid);
	json_array_end(j);
	json_array(j, "soft");
	for (int i = 0; i < n; i++)
		if (b[i].soft)
			json_i64(j, NULL, b[i].pid);
	json_array_end(j);
	json_object_end(j);
}

static void wait_event(struct dump *d, pid_t pid)
{
	uint32_t info = 0;
	enum pg_state state = PG_STATE_UNDEFINED;

	json_object(&d->json, NULL);
	json_i64(&d->json, "err", backend_status_read_wait_event(d->bs, pid, &info, &state));
	json_u64(&d->json, "info", info);
	json_str(&d->json, "state", pg_state_name(state));
	json_object_end(&d->json);
}

static void identity(struct dump *d, pid_t pid)
{
	struct cluster_tranche t[CLUSTER_MAX_TRANCHES];
	struct cluster_identity id;
	struct json *j = &d->json;
	int n;

	json_object(j, NULL);
	json_i64(j, "err", cluster_identity_read(&d->mem, pid, &d->symbols, &id));
	json_str(j, "data_dir", id.data_dir);
	json_str(j, "cluster_name", id.cluster_name);
	json_i64(j, "postmaster_pid", id.postmaster_pid);
	json_i64(j, "proc_pid", id.proc_pid);
	json_bool(j, "under_postmaster", id.under_postmaster);
	json_bool(j, "under_postmaster_known", id.under_postmaster_known);
	n = cluster_tranches_read(&d->mem, pid, d->layout, &d->symbols, t, ARRAY_SIZE(t));
	json_i64(j, "n_tranches", n);
	json_array(j, "tranches");
	for (int i = 0; i < n; i++) {
		json_object(j, NULL);
		json_u64(j, "id", t[i].id);
		json_str(j, "name", t[i].name);
		json_object_end(j);
	}
	json_array_end(j);
	json_object_end(j);
}

/* Texts made of one repeated character: any mixture is a torn copy. */
static bool is_mixed(const struct backend_facts *f)
{
	const char *x = f->query.s ? strstr(f->query.s, "/*") : NULL;

	return x && strspn(x + 2, (char[]){x[2], 0}) != strcspn(x + 2, "*");
}

static void torn(struct dump *d, uint64_t changes)
{
	uint64_t updates = 0, mixed = 0, first = 0, generations = 0;
	time_t end = time(NULL) + 20;

	while (generations - first < changes && time(NULL) < end) {
		if (backend_status_update(d->bs))
			die("update failed");
		generations = 0;
		for (size_t k = 0; k < d->n_pids; k++) {
			const struct backend_facts *f = backend_status_get(d->bs, d->pids[k]);

			generations += f->generation;
			mixed += is_mixed(f);
		}
		if (!updates++)
			first = generations;
	}
	json_object(&d->json, NULL);
	json_u64(&d->json, "updates", updates);
	json_u64(&d->json, "changes", generations - first);
	json_u64(&d->json, "mixed", mixed);
	json_object_end(&d->json);
}

static void run(struct dump *d, const char *line)
{
	int arg = 0;

	if (!strcmp(line, "dump"))
		dump(d);
	else if (sscanf(line, "blocked %d", &arg) == 1)
		blocked(d, arg);
	else if (sscanf(line, "wait %d", &arg) == 1)
		wait_event(d, arg);
	else if (sscanf(line, "identity %d", &arg) == 1)
		identity(d, arg);
	else if (sscanf(line, "torn %d", &arg) == 1)
		torn(d, (uint64_t)arg);
	else if (!strcmp(line, "calls"))
		json_u64(&d->json, NULL, d->calls);
	else
		die("unknown command");
}

int main(int argc, char **argv)
{
	struct dump d = {0};
	char line[64];

	if (argc != 3)
		die("usage: pgmem_dump MAJOR POSTMASTER");
	d.layout = pglayout_for(atoi(argv[1]));
	d.postmaster = atoi(argv[2]);
	d.mem = (struct mem_source){.readv = counting_readv, .ctx = &d};
	find_symbols(&d);
	d.bs = backend_status_new(&d.mem, d.layout, &d.symbols, d.postmaster);
	d.lg = lockgraph_new(&d.mem, d.layout);
	buf_init(&d.out, 64u << 20);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		buf_reset(&d.out);
		json_init(&d.json, &d.out);
		run(&d, line);
		puts(d.out.data);
		fflush(stdout);
	}
	lockgraph_free(d.lg);
	backend_status_free(d.bs);
	buf_done(&d.out);
	free(d.pids);
	return 0;
}
