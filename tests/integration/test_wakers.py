#!/usr/bin/python3
"""Who woke whom."""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
from harness import check, check_eq, deadline  # noqa: E402
from monitor import Monitor, backend  # noqa: E402
from pgcluster import Cluster, pin  # noqa: E402

S = 1_000_000_000


@functools.cache
def cluster():
    c = Cluster()
    c.sql("create table rows(id int primary key, n int); insert into rows values (1, 0);")
    return c


def wakers(row, kind):
    return [w for w in row["wakers"] if w["type"] == kind]


def lock_handover(times, cpu_of_holder=None, cpu_of_waiter=None):
    c = cluster()
    a, b = c.session("holder"), c.session("waiter")
    if cpu_of_holder is not None:
        pin(a.pid, cpu_of_holder)
        pin(b.pid, cpu_of_waiter)
    m = Monitor(cluster=c)
    m.watches(a.pid, b.pid)
    for _ in range(times):
        a.run("begin; update rows set n = n + 1 where id = 1;")
        b.send("update rows set n = n + 1 where id = 1;")
        c.wait_for_event(b.pid, "Lock:transactionid")
        a.run("commit;")
        b.finish()
    row = backend(m.fresh(), b.pid)
    found = wakers(row, "lock")
    check_eq([(w["pid"], w["kind"]) for w in found], [(a.pid, "backend")],
             f"the only waker of lock waits: {row['wakers']}")
    check_eq(found[0]["count"], times, "each of them")
    check(found[0]["ns"] > 0, "its time")
    check_eq(found[0]["name"], "client backend", "its name")


@deadline(60)
def test_who_commits_wakes_who_waits():
    lock_handover(20)


@deadline(60)
def test_across_cpus():
    """By an interrupt to another CPU: whoever runs there is not to blame."""
    if len(os.sched_getaffinity(0)) < 2:
        harness.skip("machine: only one CPU")
    lock_handover(20, 0, 1)


@deadline(60)
def test_timers_are_interrupts():
    c = cluster()
    a = c.session("sleeper")
    m = Monitor(cluster=c)
    m.watches(a.pid)
    for _ in range(20):
        a.run("select pg_sleep(0.01);")
    row = backend(m.fresh(), a.pid)
    found = wakers(row, "timeout")
    check_eq([(w["kind"], w["pid"]) for w in found], [("irq", None)],
             f"the only waker of pg_sleep: {row['wakers']}")
    check_eq(found[0]["count"], 20, "each of them")


@deadline(60)
def test_the_client_wakes_its_backend():
    c = cluster()
    a = c.session("talker")
    m = Monitor(cluster=c)
    m.watches(a.pid)
    for _ in range(10):
        a.run("select 1;")
    row = backend(m.fresh(), a.pid)
    found = wakers(row, "idle")
    check(found and found[0]["kind"] == "process", f"{row['wakers']}")
    check_eq((found[0]["pid"], found[0]["name"]), (a.psql.pid, "psql"), "psql")


if __name__ == "__main__":
    harness.main()
