/*
 * The monitor over a source and a list of servers made by hand: both are defined here, in place of
 * the live ones. Backends that are found in /proc are children of this test.
 */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster.h"
#include "monitor.h"
#include "procfs.h"
#include "source.h"
#include "util.h"

#include "fake_live.h"

#define T0	 (5000 * NSEC_PER_SEC)
#define MS(n)	 ((uint64_t)(n)*NSEC_PER_MSEC)
#define SERVER	 4000001u /* no such processes */
#define BACKEND	 4000002u
#define LOCK_XID 0x03000005u /* PostgreSQL 15: Lock:transactionid */

static struct cluster *add_cluster(pid_t postmaster, const char *dir)
{
	struct mem_source mem = procmem_source();
	struct cluster *c = xcalloc(1, sizeof(*c));
	struct pg_symbols symbols = {.addr = {0}};

	c->index = list.n;
	c->postmaster = postmaster;
	c->start_ticks = 1;
	c->version = "15.9";
	c->major = 15;
	c->exact = true;
	c->classify = (struct classify_server){.id = (uint32_t)c->index, .major = 15};
	snprintf(c->identity.data_dir, sizeof(c->identity.data_dir), "%s", dir);
	c->status = backend_status_new(&mem, NULL, &symbols, postmaster);
	list.list[list.n++] = c;
	return c;
}

/* ---- the monitor ---- */

static struct monitor *mon;
static struct snapshot *snap;
static pid_t child;

static int set_up(void **state)
{
	(void)state;
	memset(&src, 0, sizeof(src));
	memset(&list, 0, sizeof(list));
	src.now_ns = T0;
	child = 0;
	mon = NULL;
	snap = NULL;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	snapshot_free(snap);
	monitor_close(mon);
	if (child)
		kill_child(child);
	return 0;
}

static int try_open(const pid_t *pids, size_t n_pids, const char *const *pgdata, size_t n_pgdata,
	struct diag *d)
{
	struct monitor_config cfg = {.delay_ns = NSEC_PER_SEC,
		.window_ns = 10 * NSEC_PER_SEC,
		.stacks = OFFCPU_STACKS_OFF,
		.pids = pids,
		.n_pids = n_pids,
		.pgdata = pgdata,
		.n_pgdata = n_pgdata};

	return monitor_open(&mon, &cfg, d);
}

static void open_monitor(void)
{
	struct diag d;

	assert_int_equal(try_open(NULL, 0, NULL, 0, &d), 0);
}

/* At that time after T0; every account is closed, whatever happens. */
static void tick_at(uint64_t ms)
{
	src.now_ns = T0 + MS(ms);
	snapshot_free(snap);
	snap = monitor_tick(mon);
	for (size_t i = 0; i < snap->n_backends; i++)
		assert_int_equal(
			wait_times_sum(&snap->backends[i].times), snap->backends[i].watched_ns);
}

static const struct snap_backend *row(uint32_t pid)
{
	for (size_t i = 0; i < snap->n_backends; i++)
		if (snap->backends[i].pid == (pid_t)pid)
			return &snap->backends[i];
	return NULL;
}

static uint64_t ticks_ns(uint64_t ticks)
{
	return ticks * (NSEC_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK));
}

static struct offcpu_event event_of(uint32_t pid, uint64_t start, uint32_t seq)
{
	return (struct offcpu_event){.kind = OFFCPU_EV_WAIT,
		.pid = pid,
		.server_pid = SERVER,
		.start_boottime_ns = ticks_ns(start),
		.seq = seq};
}

/* A wait for a lock. */
static void waited(
	uint32_t pid, uint64_t start, uint32_t seq, uint64_t in, uint64_t out, uint64_t end)
{
	struct offcpu_event ev = event_of(pid, start, seq);

	ev.wait_event = LOCK_XID;
	ev.in_ns = T0 + MS(in);
	ev.out_ns = T0 + MS(out);
	ev.wake_ns = ev.end_ns = T0 + MS(end);
	src.ring[src.n_ring++] = ev;
}

static void exited(uint32_t pid, uint64_t start, uint64_t in, uint64_t at)
{
	struct offcpu_event ev = event_of(pid, start, 0);

	ev.kind = OFFCPU_EV_EXIT;
	ev.in_ns = T0 + MS(in);
	ev.out_ns = ev.wake_ns = ev.end_ns = T0 + MS(at);
	src.ring[src.n_ring++] = ev;
	source_del_task(&src, pid);
}

static void on_cpu(uint32_t pid, uint64_t start, uint32_t seq, uint64_t in)
{
	put_task(pid, &(struct offcpu_task){.server_pid = SERVER,
			      .start_boottime_ns = ticks_ns(start),
			      .in_ns = T0 + MS(in),
			      .seq = seq,
			      .phase = OFFCPU_ON_CPU});
}

static void off_cpu(uint32_t pid, uint64_t start, uint32_t seq, uint64_t in, uint64_t out)
{
	put_task(pid, &(struct offcpu_task){.server_pid = SERVER,
			      .start_boottime_ns = ticks_ns(start),
			      .in_ns = T0 + MS(in),
			      .out_ns = T0 + MS(out),
			      .wait_event = LOCK_XID,
			      .seq = seq,
			      .phase = OFFCPU_OFF_CPU});
}

/* A process that sleeps, listed as a child of the first server. */
static void list_child(struct cluster *c)
{
	struct proc_stat stat;

	child = fork();
	if (!child)
		for (;;)
			pause();
	assert_true(child > 0);
	do
		assert_int_equal(procfs_read_stat("/proc", child, &stat), 0);
	while (stat.state != 'S');
	list.procs[list.n_procs++] = (struct cluster_process){child, child, stat.start_ticks, c};
}

/* ---- what it must do ---- */

static void a_backend_is_known_by_its_event(void **state)
{
	const struct snap_backend *b;

	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	waited(BACKEND, 7, 1, 100, 300, 700);
	on_cpu(BACKEND, 7, 1, 700);
	tick_at(1010);
	b = row(BACKEND);
	assert_non_null(b);
	assert_int_equal(snap->mono_ns, T0 + MS(1000));
	assert_int_equal(snap->interval_ns, MS(1000));
	assert_int_equal(b->start_ticks, 7);
	assert_int_equal(b->watched_ns, MS(900));
	assert_int_equal(b->times.ns[WAIT_LOCK], MS(400));
	assert_int_equal(b->times.ns[WAIT_CPU], MS(500));
	assert_int_equal(b->n_events, 1);
	assert_string_equal(b->events[0].wait_class, "Lock");
	assert_string_equal(b->events[0].event, "transactionid");
	assert_int_equal(snap->total.ns[WAIT_LOCK], MS(400));
	assert_int_equal(snap->loss.map_full, 2);
	assert_null(snap->notice);
}

static void an_event_being_written_holds_nothing_up(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	waited(BACKEND, 7, 1, 0, 300, 700);
	waited(BACKEND + 1, 8, 1, 0, 100, 900);
	on_cpu(BACKEND, 7, 1, 700);
	on_cpu(BACKEND + 1, 8, 1, 900);
	src.busy = 1;
	tick_at(1000);
	assert_int_equal(row(BACKEND)->watched_ns, MS(1000));
	assert_int_equal(row(BACKEND + 1)->watched_ns, MS(1000));
}

static void a_wait_in_progress_is_shown(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	off_cpu(BACKEND, 7, 0, 0, 400);
	tick_at(1000);
	assert_true(row(BACKEND)->has_current);
	assert_string_equal(row(BACKEND)->current.event, "transactionid");
	assert_int_equal(row(BACKEND)->current.age_ns, MS(600));
	assert_int_equal(row(BACKEND)->times.ns[WAIT_LOCK], MS(600));
}

static void known_from_the_map_while_its_events_are_on_their_way(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	/* Three waits in the map, no event yet: it is not watched from its last wait only. */
	on_cpu(BACKEND, 7, 3, 900);
	tick_at(1000);
	assert_null(row(BACKEND));
	waited(BACKEND, 7, 1, 0, 100, 200);
	waited(BACKEND, 7, 2, 200, 300, 400);
	waited(BACKEND, 7, 3, 400, 500, 900);
	tick_at(2000);
	assert_int_equal(row(BACKEND)->watched_ns, MS(2000));
	assert_int_equal(row(BACKEND)->times.ns[WAIT_UNKNOWN], 0);
}

static struct offcpu_event *staged(
	uint32_t pid, uint32_t seq, uint64_t in, uint64_t out, uint64_t end)
{
	struct offcpu_task *t = NULL;
	struct offcpu_event ev = event_of(pid, 7, seq);

	ev.wait_event = LOCK_XID;
	ev.in_ns = T0 + MS(in);
	ev.out_ns = T0 + MS(out);
	ev.wake_ns = ev.end_ns = T0 + MS(end);
	for (size_t i = 0; i < src.n_tasks; i++)
		if (src.pids[i] == pid)
			t = &src.tasks[i];
	assert_non_null(t);
	t->staged[t->n_staged++] = ev;
	return &t->staged[t->n_staged - 1];
}

static void what_is_not_in_the_ring_yet_is_taken_from_the_map(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	on_cpu(BACKEND, 7, 2, 600);
	staged(BACKEND, 1, 0, 100, 200);
	staged(BACKEND, 2, 200, 300, 600);
	tick_at(1000);
	assert_int_equal(row(BACKEND)->watched_ns, MS(1000));
	assert_int_equal(row(BACKEND)->times.ns[WAIT_LOCK], MS(400));
	assert_int_equal(snap->self.events, 2);
	/* Once more, with the next one. */
	waited(BACKEND, 7, 1, 0, 100, 200);
	waited(BACKEND, 7, 2, 200, 300, 600);
	waited(BACKEND, 7, 3, 600, 1100, 1200);
	on_cpu(BACKEND, 7, 3, 1200);
	tick_at(2000);
	assert_int_equal(row(BACKEND)->times.ns[WAIT_LOCK], MS(500));
	assert_int_equal(row(BACKEND)->waits, 3);
	assert_int_equal(snap->self.events, 3);
}

static void not_before_what_is_in_the_ring_still(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	on_cpu(BACKEND, 7, 2, 600);
	staged(BACKEND, 2, 200, 300, 600);
	tick_at(1000);
	assert_null(row(BACKEND));
	waited(BACKEND, 7, 1, 0, 100, 200);
	tick_at(2000);
	assert_int_equal(row(BACKEND)->watched_ns, MS(2000));
	assert_int_equal(row(BACKEND)->times.ns[WAIT_LOCK], MS(400));
	assert_int_equal(row(BACKEND)->times.ns[WAIT_UNKNOWN], 0);
	/* It is known now, and waits for number 3 to come. */
	on_cpu(BACKEND, 7, 4, 2500);
	staged(BACKEND, 4, 2300, 2400, 2500);
	tick_at(3000);
	assert_int_equal(row(BACKEND)->watched_ns, MS(2000));
	waited(BACKEND, 7, 3, 600, 2200, 2300);
	tick_at(4000);
	assert_int_equal(row(BACKEND)->watched_ns, MS(4000));
	assert_int_equal(row(BACKEND)->times.ns[WAIT_UNKNOWN], 0);
}

static void what_was_refused_is_not_waited_for(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	on_cpu(BACKEND, 7, 3, 900);
	src.tasks[0].lost = 1;
	staged(BACKEND, 2, 300, 400, 600)->lost = 1;
	staged(BACKEND, 3, 600, 700, 900)->lost = 1;
	tick_at(1000);
	assert_int_equal(row(BACKEND)->watched_ns, MS(700));
	assert_int_equal(row(BACKEND)->waits, 2);
}

static void a_state_in_pieces_is_left_alone(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	on_cpu(BACKEND, 7, 0, 0);
	tick_at(1000);
	on_cpu(BACKEND, 7, 1, 1700);
	staged(BACKEND, 1, 5, 6, 7);
	src.tasks[0].begun = 1;
	tick_at(2000);
	assert_false(row(BACKEND)->exited);
	assert_int_equal(row(BACKEND)->watched_ns, MS(1000));
	on_cpu(BACKEND, 7, 1, 1700);
	staged(BACKEND, 1, 0, 1500, 1700);
	tick_at(3000);
	assert_int_equal(row(BACKEND)->watched_ns, MS(3000));
	assert_int_equal(row(BACKEND)->times.ns[WAIT_LOCK], MS(200));
}

static void a_late_tick_closes_at_the_last_due_time(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	on_cpu(BACKEND, 7, 0, 0);
	tick_at(4700);
	assert_int_equal(snap->mono_ns, T0 + MS(4000));
	assert_int_equal(snap->interval_ns, MS(4000));
	assert_int_equal(row(BACKEND)->watched_ns, MS(4000));
}

static void the_history_ends_inside_a_slot(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	monitor_set_window(mon, 900 * NSEC_PER_SEC); /* slots of 8 s */
	off_cpu(BACKEND, 7, 0, 0, 0);
	tick_at(10000);
	assert_int_equal(snap->n_history, 2);
	assert_int_equal(snap->history_aas_milli[0], 1000);
	assert_int_equal(snap->history_aas_milli[1], 1000);
	assert_int_equal(snap->history[1], WAIT_LOCK);
}

static void another_interval_never_cuts_before_what_was_charged(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	waited(BACKEND, 7, 1, 0, 100, 950);
	on_cpu(BACKEND, 7, 1, 950);
	src.now_ns = T0 + MS(960);
	assert_false(monitor_drain(mon));
	monitor_set_delay(mon, MS(100));
	tick_at(970);
	assert_int_equal(snap->mono_ns, T0 + MS(1000));
	assert_int_equal(row(BACKEND)->watched_ns, MS(1000));
	monitor_set_delay(mon, MS(300));
	tick_at(1350);
	assert_int_equal(snap->mono_ns, T0 + MS(1300));
	monitor_set_window(mon, 5 * NSEC_PER_SEC);
	tick_at(1600);
	assert_int_equal(snap->window_set_ns, 5 * NSEC_PER_SEC);
	assert_int_equal(row(BACKEND)->watched_ns, MS(1600));
}

static void an_event_of_an_unknown_kind_is_left_alone(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	waited(BACKEND, 7, 1, 0, 100, 950);
	src.ring[0].kind = 77;
	tick_at(1000);
	assert_null(row(BACKEND));
}

static void a_pid_used_again_in_one_interval(void **state)
{
	const struct snap_backend *b;
	unsigned exits = 0;

	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	on_cpu(BACKEND, 7, 0, 0);
	tick_at(1000);
	waited(BACKEND, 7, 1, 0, 1100, 1200);
	exited(BACKEND, 7, 1200, 1300);
	waited(BACKEND, 8, 1, 1400, 1500, 1600);
	on_cpu(BACKEND, 8, 1, 1600);
	tick_at(2000);
	assert_int_equal(snap->n_backends, 2);
	for (size_t i = 0; i < 2; i++) {
		b = &snap->backends[i];
		exits += b->exited;
		assert_int_equal(b->watched_ns, b->exited ? MS(1300) : MS(600));
	}
	assert_int_equal(exits, 1);
	assert_int_equal(snap->clusters[0].backends, 1);
}

static void succeed_after_read(void)
{
	src.after_read = NULL;
	waited(BACKEND, 8, 1, 2010, 2015, 2020);
	on_cpu(BACKEND, 8, 1, 2020);
}

static void a_state_that_is_too_old_does_not_replace_its_successor(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	on_cpu(BACKEND, 7, 0, 0);
	tick_at(1000);
	/* The map is read, then its owner ends (the event is lost) and the pid is given anew. */
	src.after_read = succeed_after_read;
	tick_at(2030);
	assert_int_equal(snap->n_backends, 2);
	tick_at(3000);
	assert_int_equal(snap->n_backends, 2);
	assert_int_equal(snap->clusters[0].backends, 1);
}

static void found_in_proc(void **state)
{
	const struct snap_backend *b;

	(void)state;
	list_child(add_cluster(SERVER, "/a"));
	open_monitor();
	assert_int_equal(src.n_tasks, 1);
	assert_int_equal(src.tasks[0].phase, OFFCPU_SEEDED);
	tick_at(1000);
	b = row((uint32_t)child);
	assert_int_equal(b->watched_ns, MS(1000));
	assert_true(b->has_current && b->current.at_least);
	assert_int_equal(b->current.age_ns, MS(1000));
	assert_int_equal(b->times.ns[WAIT_CPU], 0);
}

static void found_in_proc_but_tracked_already(void **state)
{
	(void)state;
	list_child(add_cluster(SERVER, "/a"));
	src.seed_err = -EEXIST;
	open_monitor();
	tick_at(1000);
	assert_null(row((uint32_t)child));
	assert_int_equal(snap->loss.map_full, 2);
}

static void no_room_for_what_was_found(void **state)
{
	(void)state;
	list_child(add_cluster(SERVER, "/a"));
	src.seed_err = -E2BIG;
	open_monitor();
	tick_at(1000);
	assert_null(row((uint32_t)child));
	assert_int_equal(snap->loss.map_full, 3);
}

static void ended_while_it_was_found(void **state)
{
	(void)state;
	list_child(add_cluster(SERVER, "/a"));
	src.dies_before_seed = child;
	open_monitor();
	assert_int_equal(src.n_tasks, 0);
	tick_at(1000);
	assert_int_equal(snap->n_backends, 0);
	child = 0;
}

static void a_server_that_ended_while_it_was_found(void **state)
{
	(void)state;
	add_cluster(SERVER, "/a");
	open_monitor();
	assert_int_equal(src.n_servers, 0);
}

static void a_server_that_lives(void **state)
{
	struct cluster *c = add_cluster(getpid(), "/a");
	struct proc_stat stat;

	(void)state;
	assert_int_equal(procfs_read_stat("/proc", getpid(), &stat), 0);
	c->start_ticks = stat.start_ticks;
	open_monitor();
	assert_int_equal(src.n_servers, 1);
	assert_int_equal(src.servers[0], getpid());
}

/* ---- selection ---- */

static void only_the_server_with_that_directory(void **state)
{
	const char *dirs[] = {"/b"};
	struct diag d;

	(void)state;
	list_child(add_cluster(SERVER, "/a"));
	add_cluster(SERVER + 100, "/b");
	assert_int_equal(try_open(NULL, 0, dirs, 1, &d), 0);
	tick_at(1000);
	assert_int_equal(snap->n_clusters, 1);
	assert_string_equal(snap->clusters[0].data_directory, "/b");
	assert_int_equal(snap->n_backends, 0);
	assert_int_equal(src.n_tasks, 0);
	/* Of what is wanted nothing is left. */
	list.list[1]->gone = true;
	tick_at(2000);
	assert_int_equal(snap->n_clusters, 0);
	assert_non_null(snap->notice);
	assert_non_null(strstr(snap->notice, "waiting"));
	assert_true(list.list[1]->released);
}

static void only_that_backend(void **state)
{
	struct cluster *c = add_cluster(SERVER, "/a");
	pid_t other;
	struct diag d;

	(void)state;
	list_child(c);
	other = child;
	list_child(c);
	assert_int_equal(try_open(&other, 1, NULL, 0, &d), 0);
	tick_at(1000);
	assert_int_equal(snap->n_backends, 1);
	assert_int_equal(snap->backends[0].pid, other);
	assert_int_equal(snap->n_clusters, 1);
	assert_int_equal(src.n_servers, 0);
	kill_child(other);
}

static void what_matches_nothing_names_what_there_is(void **state)
{
	const char *dirs[] = {"/a", "/c"};
	pid_t pid = 4999999;
	struct diag d;

	(void)state;
	add_cluster(SERVER, "/a");
	add_cluster(SERVER + 100, "/b");
	assert_int_equal(try_open(NULL, 0, dirs, 2, &d), -ENOENT);
	assert_string_equal(d.summary, "no running server has data directory \"/c\"");
	assert_string_equal(d.hint, "There are: 4000001 (/a), 4000101 (/b)");
	list.n = 0;
	add_cluster(SERVER, "/a");
	assert_int_equal(try_open(&pid, 1, NULL, 0, &d), -ENOENT);
	assert_string_equal(d.summary, "no postmaster or backend has process ID 4999999");
	assert_int_equal(try_open(&pid, 1, NULL, 0, &d), -ENOENT);
	assert_string_equal(d.hint, "No PostgreSQL server is running.");
}

static void a_server_by_its_pid(void **state)
{
	pid_t pid = (pid_t)SERVER + 100;
	struct diag d;

	(void)state;
	add_cluster(SERVER, "/a");
	add_cluster(pid, "/b");
	assert_int_equal(try_open(&pid, 1, NULL, 0, &d), 0);
	tick_at(1000);
	assert_int_equal(snap->n_clusters, 1);
	assert_int_equal(snap->clusters[0].postmaster, pid);
}

/* ---- servers that come and go ---- */

static void a_server_that_comes_later(void **state)
{
	(void)state;
	open_monitor();
	tick_at(1000);
	assert_int_equal(snap->n_clusters, 0);
	assert_non_null(snap->notice);
	add_cluster(SERVER, "/a");
	tick_at(2000);
	assert_int_equal(snap->n_clusters, 0); /* no program was started */
	src.execs = 1;
	tick_at(3000);
	assert_int_equal(snap->n_clusters, 1);
	assert_null(snap->notice);
}

static void a_server_that_goes(void **state)
{
	struct cluster *c = add_cluster(SERVER, "/a");

	(void)state;
	open_monitor();
	on_cpu(BACKEND, 7, 0, 0);
	tick_at(1000);
	exited(BACKEND, 7, 0, 1500);
	c->gone = true;
	tick_at(2000);
	/* It stays as long as something of it is in the window. */
	assert_int_equal(snap->n_clusters, 1);
	assert_true(snap->clusters[0].gone);
	assert_int_equal(snap->clusters[0].backends, 0);
	assert_true(row(BACKEND)->exited);
	assert_int_equal(snap->total.ns[WAIT_CPU], MS(1500));
	tick_at(11000);
	assert_false(c->released);
	tick_at(12000);
	assert_true(c->released);
	assert_int_equal(snap->n_clusters + snap->n_backends, 0);
	assert_int_equal(wait_times_sum(&snap->total), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_backend_is_known_by_its_event),
		CASE(an_event_being_written_holds_nothing_up),
		CASE(a_wait_in_progress_is_shown),
		CASE(known_from_the_map_while_its_events_are_on_their_way),
		CASE(what_is_not_in_the_ring_yet_is_taken_from_the_map),
		CASE(not_before_what_is_in_the_ring_still),
		CASE(what_was_refused_is_not_waited_for),
		CASE(a_state_in_pieces_is_left_alone),
		CASE(a_late_tick_closes_at_the_last_due_time),
		CASE(the_history_ends_inside_a_slot),
		CASE(another_interval_never_cuts_before_what_was_charged),
		CASE(an_event_of_an_unknown_kind_is_left_alone),
		CASE(a_pid_used_again_in_one_interval),
		CASE(a_state_that_is_too_old_does_not_replace_its_successor),
		CASE(found_in_proc),
		CASE(found_in_proc_but_tracked_already),
		CASE(no_room_for_what_was_found),
		CASE(ended_while_it_was_found),
		CASE(a_server_that_ended_while_it_was_found),
		CASE(a_server_that_lives),
		CASE(only_the_server_with_that_directory),
		CASE(only_that_backend),
		CASE(what_matches_nothing_names_what_there_is),
		CASE(a_server_by_its_pid),
		CASE(a_server_that_comes_later),
		CASE(a_server_that_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
