#!/usr/bin/python3
"""The account under load: it closes in every report of every backend, nothing is lost at the
default ring size, and time on CPU and in the run queue agree with the kernel's own account."""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
import procs  # noqa: E402
from harness import check, check_eq, check_near, deadline  # noqa: E402
from monitor import Monitor, backend, check_no_loss  # noqa: E402
from pgcluster import Cluster  # noqa: E402

S = 1_000_000_000


@functools.cache
def cluster():
    c = Cluster({"fsync": "on", "shared_buffers": "64MB"})
    c.pgbench(init=4)
    return c


def clients(report):
    return {b["pid"] for b in report["backends"]
            if b["application"] == "pgbench" and not b["exited"]}


def against_schedstat(*options, seconds=6):
    """Runs pgbench and compares what cpu and runq grow by with what /proc/PID/schedstat grows by,
    for each backend between an early and a late report."""
    c = cluster()
    m = Monitor(cluster=c, delay="0.5")
    m.next()
    c.pgbench_start(*options, "-T", seconds + 5)
    first = m.until(lambda r: len(clients(r)) >= 4, 10, "shows the clients of pgbench")
    pids = clients(first)
    a = {p: procs.schedstat(p) for p in pids}
    last = m.until(lambda r: r["mono_ns"] >= first["mono_ns"] + seconds * S)
    z = {p: procs.schedstat(p) for p in pids}
    wall = last["mono_ns"] - first["mono_ns"]
    for p in pids:
        t0, t1 = backend(first, p)["times"], backend(last, p)["times"]
        for i, kind in enumerate(("cpu", "runq")):
            check_near((t1[kind] - t0[kind]) / wall, (z[p][i] - a[p][i]) / wall, 0.03,
                       f"{kind} of backend {p}, of wall time")
        check_near((backend(last, p)["watched_ns"] - backend(first, p)["watched_ns"]) / wall, 1.0,
                   1e-9, "watched all the time")
    for r in m.reports:
        check_no_loss(r)
    check_eq(m.stop(), 0, "exit status")


@deadline(60)
def test_tpcb_agrees_with_schedstat():
    against_schedstat("-c4", "-j2")


@deadline(60)
def test_select_only_agrees_with_schedstat():
    against_schedstat("-c4", "-j2", "-S", "-M", "prepared")


@deadline(60)
def test_short_window_slides():
    """With a window of two seconds: never more than it is watched, and each second moves on."""
    c = cluster()
    m = Monitor(cluster=c, delay="0.25", window="2")
    c.pgbench_start("-c4", "-T", "9")
    m.until(lambda r: len(clients(r)) >= 4, 10, "shows the clients of pgbench")
    start = m.reports[-1]["mono_ns"]
    last = m.until(lambda r: r["mono_ns"] >= start + 6 * S)
    check(1.8 * S <= last["window_ns"] <= 2.3 * S, f"window {last['window_ns']}")
    for p in clients(last):
        b = backend(last, p)
        check_eq(b["watched_ns"], last["window_ns"], f"backend {p} was there all the window")
        check(b["max_wait_ns"] <= 9 * S, f"longest wait {b['max_wait_ns']}")
    for r in m.reports:
        check_no_loss(r)


@deadline(60)
def test_everything_at_once():
    """Locks, sleeps, commits and reads together with short sessions that come and go."""
    c = cluster()
    c.sql("create table if not exists hot(id int primary key, n int);"
          "insert into hot values (1, 0) on conflict do nothing;")
    script = c.base + "/mixed.sql"
    with open(script, "w", encoding="ascii") as f:
        f.write("\\set r random(1, 4)\n\\if :r = 1\nupdate hot set n = n + 1 where id = 1;\n"
                "\\elif :r = 2\nselect pg_sleep(0.003);\n\\elif :r = 3\n"
                "select count(*) from pgbench_accounts where bid = 1;\n\\else\n"
                "begin; update hot set n = n + 1 where id = 1; select pg_sleep(0.002); commit;\n"
                "\\endif\n")
    os.chmod(script, 0o644)
    m = Monitor(cluster=c, delay="0.2", window="5")
    c.pgbench_start("-n", "-c6", "-f", script, "-T", "8")
    c.pgbench_start("-n", "-C", "-c2", "-S", "-T", "8")
    m.until(lambda r: len(clients(r)) >= 5, 10, "shows the clients of pgbench")
    start = m.reports[-1]["mono_ns"]
    last = m.until(lambda r: r["mono_ns"] >= start + 6 * S, 20)
    for kind in ("cpu", "runq", "lock", "timeout"):
        check(last["total"][kind] > 0, f"no time in {kind}: {last['total']}")
    for r in m.reports:
        check_no_loss(r)
    check_eq(m.stop(), 0, "exit status")


@deadline(60)
def test_cancel_storm():
    """Signals end waits at every moment: nothing is counted twice, no wait stays open."""
    c = cluster()
    sessions = [c.session(f"s{i}") for i in range(4)]
    m = Monitor(cluster=c, delay="0.2")
    m.watches(*[s.pid for s in sessions])
    for _ in range(60):
        for s in sessions:
            s.send("select pg_sleep(10);")
        for s in sessions:
            c.oracle().run(f"select pg_cancel_backend({s.pid});")
    for s in sessions:
        end = 0
        while not s.finished() and end < 200:   # a cancel may have come before its query
            c.oracle().run(f"select pg_cancel_backend({s.pid}), pg_sleep(0.01);")
            end += 1
        s.finish()
    r = m.fresh()
    for s in sessions:
        check_eq(backend(r, s.pid)["current"]["type"], "idle", "it is idle again")
    check_no_loss(r)


if __name__ == "__main__":
    harness.main()
