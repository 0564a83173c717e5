#!/usr/bin/python3
"""What is lost is counted, shown and charged to `unknown`; nothing else becomes wrong by it."""
import functools
import os
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
import procs  # noqa: E402
from harness import check, check_eq, check_near, deadline  # noqa: E402
from monitor import Monitor, backend  # noqa: E402
from pgcluster import Cluster  # noqa: E402

S = 1_000_000_000


@functools.cache
def cluster():
    c = Cluster()
    c.pgbench(init=2)
    return c


def clients(report):
    return {b["pid"] for b in report["backends"]
            if b["application"] == "pgbench" and not b["exited"]}


@deadline(60)
def test_stopped_monitor_with_a_tiny_ring():
    c = cluster()
    idler = c.session("idler")
    started = time.monotonic_ns()
    m = Monitor("--ring-size", "4096", cluster=c)
    m.watches(idler.pid)
    bench = c.pgbench_start("-c4", "-j2", "-S", "-T", "12")
    first = m.until(lambda r: len(clients(r)) >= 4, 10, "shows the clients of pgbench")
    pids = clients(first)
    a = {p: procs.schedstat(p) for p in pids}
    m.send_signal(signal.SIGSTOP)
    time.sleep(3)
    m.send_signal(signal.SIGCONT)
    last = m.until(lambda r: r["loss"]["ring_events"] > 0 and r["total"]["unknown"] > 0, 10,
                   "shows what was lost")
    z = {p: procs.schedstat(p) for p in pids}
    check(last["loss"]["ring_ns"] > 0, f"loss {last['loss']}")
    for p in pids:
        b, before = backend(last, p), backend(first, p)
        grown = {t: b["times"][t] - before["times"][t] for t in b["times"]}
        check(sum(grown.values()) <= time.monotonic_ns() - started, "no more than wall time")
        check(grown["cpu"] <= z[p][0] - a[p][0] + S // 10, f"cpu {grown['cpu']}, not more than "
              f"the kernel counted: {z[p][0] - a[p][0]}")
        check(grown["runq"] <= z[p][1] - a[p][1] + S // 10, f"runq {grown['runq']}, not more "
              f"than the kernel counted: {z[p][1] - a[p][1]}")
    check_eq(backend(last, idler.pid)["times"]["unknown"], 0, "who lost nothing has no unknown")
    # the load ends: no wait may be left open or wrong
    bench.wait(30)
    live = [c.session(f"s{i}") for i in range(2)]
    m.watches(*[s.pid for s in live])
    r = m.until(lambda r: not clients(r), 10, "pgbench has gone")
    for b in r["backends"]:
        if b["application"] == "pgbench":
            check(b["exited"] and b["current"] is None, f"left open: {b}")
    check_eq(m.stop(), 0, "exit status")


@deadline(60)
def test_stopped_monitor_with_the_default_ring():
    """A quiet server does not fill the default ring while the monitor is stopped."""
    c = cluster()
    a = c.session("sleeper")
    m = Monitor(cluster=c)
    m.watches(a.pid)
    before = m.fresh()
    m.send_signal(signal.SIGSTOP)
    a.run("select pg_sleep(1);")
    a.run("select pg_sleep(1);")
    m.send_signal(signal.SIGCONT)
    after = m.fresh()
    grown = backend(after, a.pid)["times"]["timeout"] - backend(before, a.pid)["times"]["timeout"]
    check_near(grown / S, 2.0, 0.05, "time in timeout, in seconds")
    check_eq(after["total"]["unknown"], 0, "unknown")
    check_eq(after["loss"]["ring_events"], 0, "lost events")


@deadline(60)
def test_odd_ring_sizes_are_rounded_up():
    c = cluster()
    for size in ("4097", "65537", "100K"):
        m = Monitor("--ring-size", size, "-n", "1", cluster=c)
        m.next()
        check_eq(m.finish(), 0, f"exit status with --ring-size {size}: {m.errors()}")


if __name__ == "__main__":
    harness.main()
