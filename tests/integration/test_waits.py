#!/usr/bin/python3
"""Each kind of wait, made on a real server: in its column, by the name pg_stat_activity shows at
that moment, and for as long as it really took (the server's own clock is the witness)."""
import functools
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
import procs  # noqa: E402
from harness import check, check_eq, check_near, deadline, wait_until  # noqa: E402
from monitor import Monitor, backend, current_name, event_of, share  # noqa: E402
from pgcluster import HOG, Cluster, pin  # noqa: E402

S = 1_000_000_000
MS = 1_000_000


@functools.cache
def cluster():
    c = Cluster({"max_parallel_workers_per_gather": 2})
    c.sql("create table rows(id int primary key, n int); insert into rows values (1, 0), (2, 0);"
          "create table locked(i int); create table copied(i int);")
    return c


def lock_wait_seconds(c, waiter, release):
    """How long the waiter waits for a heavyweight lock, by the server's clock: from
    pg_locks.waitstart to the moment at which release() asks the holder to let go."""
    start = wait_until(lambda: c.oracle().rows("select extract(epoch from waitstart) from pg_locks "
                                               f"where pid = {waiter} and not granted"),
                       10, "pg_locks shows the waiter")[0][0]
    return float(release()) - float(start)


def expect_wait(c, m, pid, kind, name, at_least=False):
    """While the backend is in a wait: it has that name in pg_stat_activity and in the report, and
    each second adds a second to that type."""
    c.wait_for_event(pid, name)
    a = m.fresh()
    b = backend(a, pid)
    check_eq(current_name(b), name, "the wait in progress")
    check_eq(b["current"]["type"], kind, "its type")
    check_eq(b["current"]["at_least"], at_least, "at_least")
    z = m.until(lambda r: r["mono_ns"] >= a["mono_ns"] + S)
    check_eq(current_name(backend(z, pid)), name, "the wait in progress")
    wall = z["mono_ns"] - a["mono_ns"]
    grown = backend(z, pid)["times"][kind] - b["times"][kind]
    check_near(grown / S, wall / S, 0.002, f"what {kind} grew by, in seconds")
    if backend(z, pid)["waits"] == b["waits"]:      # it is still the same wait
        aged = backend(z, pid)["current"]["age_ns"] - b["current"]["age_ns"]
        check_near(aged / S, wall / S, 0.002, "what the wait aged by, in seconds")
    return z


@deadline(90)
def test_row_lock():
    c = cluster()
    a, b = c.session("holder"), c.session("waiter")
    m = Monitor(cluster=c)
    m.watches(a.pid, b.pid)
    a.run("begin; update rows set n = n + 1 where id = 1;")
    b.send("update rows set n = n + 1 where id = 1;")
    during = expect_wait(c, m, b.pid, "lock", "Lock:transactionid")
    time.sleep(2)   # the longer it is held, the sharper the comparison

    def release():
        return a.rows("select extract(epoch from clock_timestamp()); commit;")[0][0]
    held = lock_wait_seconds(c, b.pid, release)
    b.finish()
    after = m.fresh()
    row = backend(after, b.pid)
    check(held > 3, f"the lock was held for {held} s only")
    check_near(row["times"]["lock"] / S, held, 0.02 * held, "time in lock, in seconds")
    event = event_of(row, "Lock:transactionid")
    check_eq(event["count"], 1, "one wait")
    check_near(event["max_ns"] / S, held, 0.02 * held, "the longest wait, in seconds")
    element = (event["max_ns"] // 1000).bit_length() - 1
    check_eq(row["histogram"]["lock"], [0] * element + [1], "the histogram")
    jump = row["times"]["lock"] - backend(during, b.pid)["times"]["lock"]
    check(jump <= after["mono_ns"] - during["mono_ns"], "no jump at the release")
    check_eq(backend(after, a.pid)["times"]["lock"], 0, "the holder did not wait")


@deadline(90)
def test_table_lock():
    c = cluster()
    a, b = c.session("holder"), c.session("waiter")
    m = Monitor(cluster=c)
    m.watches(a.pid, b.pid)
    a.run("begin; lock table locked;")
    b.send("select * from locked;")
    r = expect_wait(c, m, b.pid, "lock", "Lock:relation")
    check_eq(backend(r, b.pid)["blocked_by"], [{"pid": a.pid, "soft": False}], "blocked_by")
    held = lock_wait_seconds(c, b.pid, lambda: a.rows(
        "select extract(epoch from clock_timestamp()); commit;")[0][0])
    b.finish()
    row = backend(m.fresh(), b.pid)
    check_near(row["times"]["lock"] / S, held, 0.02 * held + 0.01, "time in lock, in seconds")


@deadline(90)
def test_blocked_by_is_what_pg_blocking_pids_says():
    c = cluster()
    a, b, d = c.session("first"), c.session("second"), c.session("third")
    m = Monitor(cluster=c)
    a.run("begin; update rows set n = n + 1 where id = 2;")
    b.send("update rows set n = n + 1 where id = 2;")
    c.wait_for_event(b.pid, "Lock:transactionid")
    d.send("update rows set n = n + 1 where id = 2;")
    c.wait_for_event(d.pid, "Lock:tuple")
    r = m.fresh()
    for s in (a, b, d):
        want = c.oracle().value(f"select pg_blocking_pids({s.pid})").strip("{}")
        want = sorted(int(p) for p in want.split(",") if p)
        check_eq(sorted(x["pid"] for x in backend(r, s.pid)["blocked_by"]), want,
                 f"who blocks {s.name}")
    a.run("rollback;")
    b.finish()
    d.finish()


@deadline(90)
def test_blocked_before_the_monitor_started():
    c = cluster()
    a, b = c.session("holder"), c.session("waiter")
    a.run("begin; lock table locked;")
    b.send("select * from locked;")
    c.wait_for_event(b.pid, "Lock:relation")
    attached = time.monotonic_ns()
    m = Monitor(cluster=c, delay="1")
    m.watches(b.pid)
    r = expect_wait(c, m, b.pid, "lock", "Lock:relation", at_least=True)
    for _ in range(2):
        before, r = r, m.next()
        grown = backend(r, b.pid)["times"]["lock"] - backend(before, b.pid)["times"]["lock"]
        check_near(grown / S, 1.0, 0.05, "what lock grows by in a report, in seconds")
    a.run("commit;")
    b.finish()
    row = backend(m.fresh(), b.pid)
    check(row["times"]["lock"] <= time.monotonic_ns() - attached,
          "what was before the monitor started is not charged")
    check_eq(row["current"]["at_least"], False, "the next wait is whole")


@deadline(60)
def test_idle():
    c = cluster()
    a = c.session("idler")
    a.run("select 1;")
    m = Monitor(cluster=c)
    m.watches(a.pid)
    a.run("select 1;")
    r = expect_wait(c, m, a.pid, "idle", "Client:ClientRead")
    check_eq(backend(r, a.pid)["state"], "idle", "state")


@deadline(60)
def test_idle_in_transaction():
    c = cluster()
    a, b = c.session("open"), c.session("aborted")
    m = Monitor(cluster=c)
    m.watches(a.pid, b.pid)
    a.run("begin; select 1;")
    b.run("begin; select 1/0;")
    r = expect_wait(c, m, a.pid, "idle_xact", "Client:ClientRead")
    check_eq(backend(r, a.pid)["state"], "idle in transaction", "state")
    r = expect_wait(c, m, b.pid, "idle_xact", "Client:ClientRead")
    check_eq(backend(r, b.pid)["state"], "idle in transaction (aborted)", "state")
    check(backend(r, a.pid)["xact_age_ns"] >= S, "the age of the transaction")


@deadline(60)
def test_idle_in_transaction_before_the_monitor_started():
    c = cluster()
    a = c.session("open")
    a.run("begin; select 1;")
    m = Monitor(cluster=c)
    m.watches(a.pid)
    expect_wait(c, m, a.pid, "idle_xact", "Client:ClientRead", at_least=True)


@deadline(60)
def test_copy_from_a_silent_client():
    c = cluster()
    a = c.session("silent")
    m = Monitor(cluster=c)
    m.watches(a.pid)
    a.write("copy copied from stdin;\n1\n")
    r = expect_wait(c, m, a.pid, "network", "Client:ClientRead")
    check_eq(backend(r, a.pid)["state"], "active", "state")
    a.write("\\.\n")


@deadline(60)
def test_client_that_does_not_read():
    c = cluster()
    a = c.session("reader")
    m = Monitor(cluster=c)
    m.watches(a.pid)
    # psql writes into a pipe that nobody reads
    a.send("copy (select repeat('x', 1000) from generate_series(1, 200000)) to stdout;")
    expect_wait(c, m, a.pid, "network", "Client:ClientWrite")


@deadline(60)
def test_pg_sleep():
    c = cluster()
    a = c.session("sleeper")
    m = Monitor(cluster=c)
    m.watches(a.pid)
    a.send("select pg_sleep(3);")
    expect_wait(c, m, a.pid, "timeout", "Timeout:PgSleep")
    a.finish()
    row = backend(m.fresh(), a.pid)
    check_near(row["times"]["timeout"] / S, 3.0, 0.06, "time in timeout, in seconds")


@deadline(60)
def test_advisory_lock():
    c = cluster()
    a, b = c.session("holder"), c.session("waiter")
    m = Monitor(cluster=c)
    m.watches(a.pid, b.pid)
    a.run("select pg_advisory_lock(42);")
    b.send("select pg_advisory_lock(42);")
    expect_wait(c, m, b.pid, "lock", "Lock:advisory")
    a.run("select pg_advisory_unlock(42);")
    b.finish()


@deadline(60)
def test_parallel_query():
    c = cluster()
    a = c.session("leader")
    m = Monitor(cluster=c)
    m.watches(a.pid)
    a.run("set force_parallel_mode = on;")
    a.send("select pg_sleep(4);")
    wait_until(lambda: (c.activity(a.pid) or {}).get("wait_event_type") == "IPC", 10,
               "the leader waits for its worker")
    name = c.oracle().value("select wait_event_type || ':' || wait_event from pg_stat_activity "
                            f"where pid = {a.pid}")
    r = expect_wait(c, m, a.pid, "ipc", name)
    worker = int(c.oracle().value(f"select pid from pg_stat_activity where leader_pid = {a.pid}"))
    b = backend(r, worker)
    check_eq(b["leader_pid"], a.pid, "the leader of the worker")
    check_eq(b["backend_type"], "parallel worker", "backend type")
    check_eq(b["query"], "select pg_sleep(4);", "the query of the worker")
    check_eq(current_name(b), "Timeout:PgSleep", "the worker sleeps")
    a.finish()


@deadline(60)
def test_cold_read():
    c = cluster()
    c.sql("create table cold as select i, repeat('x', 400) pad from generate_series(1, 150000) i;"
          "checkpoint;")
    a = c.session("scanner")
    a.run("set track_io_timing = on; set max_parallel_workers_per_gather = 0;"
          "set synchronize_seqscans = off;")
    m = Monitor(cluster=c)
    m.watches(a.pid)
    path = c.data + "/" + c.value("select pg_relation_filepath('cold')")
    with open(path, "rb") as f:
        os.fsync(f.fileno())
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    plan = a.run("explain (analyze, buffers, format text) select count(pad) from cold;")
    timings = [line for line in plan.split("\n") if "I/O Timings" in line]
    if not timings:
        harness.skip("machine: the file system has no cold reads")
    read_ms = max(float(t.split("read=")[1].split()[0]) for t in timings)
    row = backend(m.fresh(), a.pid)
    event = event_of(row, "IO:DataFileRead")
    check(event, f"no IO:DataFileRead in {row['events']}")
    check_eq(event["type"], "io", "its type")
    check(0 < row["times"]["io"] <= read_ms * 1.02 * MS + 5 * MS,
          f"io is a part of the time the server saw in reads: {row['times']['io']} ns, "
          f"{read_ms} ms")


@deadline(60)
def test_wal_write():
    c = Cluster({"fsync": "on", "synchronous_commit": "on"})
    c.sql("create table w(i int)")
    a = c.session("committer")
    m = Monitor(cluster=c)
    m.watches(a.pid)
    a.run("do $$ begin for i in 1..300 loop insert into w values (i); commit; end loop; end $$;")
    row = backend(m.fresh(), a.pid)
    check(row["times"]["wal_write"] > 0, f"no wal_write in {row['times']}")
    names = {(e["class"], e["event"]) for e in row["events"] if e["type"] == "wal_write"}
    check(names & {("IO", "WALSync"), ("IO", "WalSync"), ("IO", "WALWrite"), ("IO", "WalWrite"),
                   ("LWLock", "WALWrite")}, f"events {row['events']}")


@deadline(60)
def test_cpu_hogs_on_one_cpu():
    c = cluster()
    hogs = [c.session(f"hog{i}") for i in range(3)]
    for h in hogs:
        pin(h.pid)
        h.send(HOG)
    m = Monitor(cluster=c)
    first = m.watches(*[h.pid for h in hogs])
    a = {h.pid: procs.schedstat(h.pid) for h in hogs}
    last = m.until(lambda r: r["mono_ns"] >= first["mono_ns"] + 4 * S)
    z = {h.pid: procs.schedstat(h.pid) for h in hogs}
    wall = last["mono_ns"] - first["mono_ns"]
    for h in hogs:
        t0, t1 = backend(first, h.pid)["times"], backend(last, h.pid)["times"]
        cpu, runq = t1["cpu"] - t0["cpu"], t1["runq"] - t0["runq"]
        check_near(cpu / wall, (z[h.pid][0] - a[h.pid][0]) / wall, 0.03, "cpu, of wall")
        check_near(runq / wall, (z[h.pid][1] - a[h.pid][1]) / wall, 0.03, "runq, of wall")
        check(cpu + runq >= 0.98 * wall, f"a hog is never blocked: {t0} {t1}")
        check(runq >= 0.4 * wall, "three hogs share one CPU")
        check_eq(backend(last, h.pid)["state"], "active", "state")


@deadline(60)
def test_background_processes():
    c = cluster()
    m = Monitor(cluster=c)
    r = m.fresh()
    for pid, kind in c.oracle().rows("select pid, backend_type from pg_stat_activity "
                                     "where backend_type <> 'client backend'"):
        b = backend(r, int(pid))
        check(b, f"no row for the {kind}")
        check_eq(b["backend_type"], kind, "backend type")
        check(share(b, "idle") > 0.9, f"the {kind} is idle: {b['times']}")
        event = c.oracle().value(f"select wait_event from pg_stat_activity where pid = {pid}")
        check_eq(b["current"]["event"], event, f"the main loop of the {kind}")
        check_eq(b["current"]["class"], "Activity", "its class")


if __name__ == "__main__":
    harness.main()
