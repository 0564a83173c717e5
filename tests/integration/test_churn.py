#!/usr/bin/python3
"""Backends that come and go: marked as exited, then gone; nothing grows; a pid that is used again
is another backend."""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
import procs  # noqa: E402
from harness import check, check_eq, deadline, wait_until  # noqa: E402
from monitor import Monitor, backend, check_no_loss  # noqa: E402
from pgcluster import Cluster  # noqa: E402

S = 1_000_000_000


@functools.cache
def cluster():
    c = Cluster()
    c.pgbench(init=1)
    return c


@deadline(60)
def test_exited_backends_leave_with_the_window():
    c = cluster()
    a = c.session("short")
    m = Monitor(cluster=c, delay="0.3", window="2")
    m.watches(a.pid)
    a.run("select pg_sleep(0.3);")
    a.close()
    wait_until(lambda: not procs.alive(a.pid), 5, "the backend ends")
    r = m.until(lambda r: backend(r, a.pid) is None or backend(r, a.pid)["exited"], 5,
                "it is marked as exited")
    b = backend(r, a.pid)
    check(b, "it stays while it is in the window")
    check_eq(b["application"], "short", "its names are kept")
    check(b["times"]["timeout"] >= 0.2 * S, f"what it did is kept: {b['times']}")
    m.until(lambda r: backend(r, a.pid) is None, 6, "it leaves the window")


@deadline(60)
def test_backend_shorter_than_a_refresh():
    """It is seen, whole, though it began and ended between two reports."""
    c = cluster()
    m = Monitor(cluster=c, delay="2")
    m.next()
    c.sql("select pg_sleep(0.5)")
    r = m.next()
    found = [b for b in r["backends"] if b["exited"] and b["times"]["timeout"] >= 0.49 * S]
    check_eq(len(found), 1, "one such backend")
    check(found[0]["watched_ns"] < 2 * S, f"watched {found[0]['watched_ns']}")


@deadline(90)
def test_connection_churn():
    c = cluster()
    m = Monitor(cluster=c, delay="0.5", window="2")
    quiet = m.fresh()
    bench = c.pgbench_start("-n", "-C", "-c4", "-S", "-T", "12")
    early = m.until(lambda r: r["mono_ns"] >= quiet["mono_ns"] + 5 * S, 20)
    late = m.until(lambda r: r["mono_ns"] >= early["mono_ns"] + 6 * S, 20)
    check_eq(bench.wait(30), 0, "pgbench: " + c.client_log())
    total = c.client_log()
    check(late["self"]["events"] > early["self"]["events"], "there was churn")
    grown = late["self"]["rss_bytes"] - early["self"]["rss_bytes"]
    check(grown < 8 << 20, f"memory grew by {grown} bytes from {early['self']['rss_bytes']}: "
          f"{total[-300:]}")
    check_no_loss(late)
    last = m.until(lambda r: len(r["backends"]) == len(quiet["backends"]), 10,
                   "only the permanent processes are left")
    check(not any(b["exited"] for b in last["backends"]), "none is marked as exited")
    check_eq(m.stop(), 0, "exit status")


def set_last_pid(pid):
    with open("/proc/sys/kernel/ns_last_pid", "w", encoding="ascii") as f:
        f.write(str(pid))


def last_pid():
    with open("/proc/sys/kernel/ns_last_pid", encoding="ascii") as f:
        return int(f.read())


@deadline(90)
def test_pid_that_is_used_again():
    if not os.access("/proc/sys/kernel/ns_last_pid", os.W_OK):
        harness.skip("machine: the kernel cannot be told the next pid")
    c = cluster()
    m = Monitor(cluster=c, delay="0.3")
    for _ in range(20):
        a = c.session("first life")
        m.watches(a.pid)
        a.run("select pg_sleep(0.5);")
        a.close()
        wait_until(lambda: not procs.alive(a.pid) and procs.stat_fields(a.pid) is None, 5,
                   "the backend ends")
        # psql needs a pid too: start it first, and let the postmaster's next fork have the old one
        before = last_pid()
        b = None
        try:
            b = c.late_session("second life", lambda: set_last_pid(a.pid - 1))
        finally:
            set_last_pid(max(before, last_pid()))
        if b.pid == a.pid:
            break
        b.close()
    else:
        harness.skip("machine: the pid was always taken by another process")
    b.run("select pg_sleep(0.2);")
    r = m.fresh()
    lives = {x["application"]: x for x in r["backends"] if x["pid"] == a.pid}
    check_eq(set(lives), {"first life", "second life"}, "both are shown")
    check(lives["first life"]["exited"] and not lives["second life"]["exited"], "one lives")
    check(0.49 * S <= lives["first life"]["times"]["timeout"] < 0.6 * S, f"the first: {lives}")
    check(0.19 * S <= lives["second life"]["times"]["timeout"] < 0.3 * S, f"the second: {lives}")
    check(lives["second life"]["watched_ns"] < lives["first life"]["watched_ns"] + 30 * S, "new")


if __name__ == "__main__":
    harness.main()
