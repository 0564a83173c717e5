#!/usr/bin/python3
"""The event loop: on time under a storm, deaf to no signal, cheap when nothing happens; and what
the program leaves behind, which is nothing."""
import functools
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
import procs  # noqa: E402
from harness import check, check_eq, check_near, deadline, need_command, wait_until  # noqa: E402
from monitor import Monitor, check_no_loss, run_program  # noqa: E402
from pgcluster import Cluster, pin  # noqa: E402

S = 1_000_000_000


PING_PONG = """
import os
r1, w1 = os.pipe()
r2, w2 = os.pipe()
child = os.fork()
for _ in range(50000):
    if child:
        os.write(w1, b"x"), os.read(r2, 1)
    else:
        os.read(r1, 1), os.write(w2, b"x")
"""


@functools.cache
def cluster():
    c = Cluster()
    c.pgbench(init=2)
    return c


@deadline(60)
def test_on_time_under_a_storm():
    """A storm of switches on the CPU that the monitor is bound to."""
    c = cluster()
    m = Monitor(cluster=c, delay="0.5")
    m.next()
    c.pgbench_start("-c8", "-S", "-M", "prepared", "-T", "20")
    m.until(lambda r: sum(b["application"] == "pgbench" for b in r["backends"]) >= 8, 10)
    for pid in c.children():
        pin(pid)
    start = time.monotonic()
    storm = Monitor("-n", "5", cluster=c, delay="1", wrap=["taskset", "-c", "0"])
    check_eq(storm.finish(), 0, f"exit status: {storm.errors()}")
    took = time.monotonic() - start
    # five refreshes, and the start: loading BPF on a CPU that is being fought for
    check(5.0 <= took < 8, f"-d 1 -n 5 took {took:.2f} s")
    check_eq(len(storm.reports), 5, "reports")
    for a, b in zip(storm.reports, storm.reports[1:]):
        check_near((b["mono_ns"] - a["mono_ns"]) / S, 1.0, 0.4, "from report to report")
    check_no_loss(storm.reports[-1])
    events = storm.reports[-1]["self"]["events"]
    check(events > 10000, f"a storm: {events} events")


@deadline(60)
def test_each_report_is_flushed():
    c = cluster()
    m = Monitor("-n", "4", cluster=c, delay="0.5")
    while len(m.reports) < 4:
        r = m.next()
        check(time.monotonic_ns() - r["mono_ns"] < 0.4 * S, "a report is there when it is made")
    check_eq(m.finish(), 0, "exit status")


@deadline(60)
def test_signals_that_end_it():
    c = cluster()
    for sig in (signal.SIGINT, signal.SIGTERM):
        m = Monitor(cluster=c, delay="0.3")
        m.next()
        start = time.monotonic()
        check_eq(m.stop(sig), 0, f"exit status after {sig.name}: {m.errors()}")
        check(time.monotonic() - start < 2, "at once")
        check_eq(m.errors(), "", "standard error")
    # before the first report, too
    m = Monitor(cluster=c, delay="60")
    wait_until(lambda: fdinfo_ids(m.pid)["prog"], 10, "it has loaded its programs")
    check_eq(m.stop(signal.SIGTERM), 0, "exit status")


@deadline(60)
def test_signals_that_do_not_end_it():
    c = cluster()
    m = Monitor(cluster=c, delay="0.3")
    m.next()
    for _ in range(200):
        m.send_signal(signal.SIGWINCH)
        m.send_signal(signal.SIGUSR1)
        time.sleep(0.002)
    before = m.fresh()
    m.send_signal(signal.SIGSTOP)
    time.sleep(0.7)
    m.send_signal(signal.SIGCONT)
    after = m.fresh()
    check(after["mono_ns"] > before["mono_ns"], "it goes on")
    after = m.next()
    check_near(after["interval_ns"] / S, 0.3, 0.15, "the refresh is as before")
    check_eq(m.stop(), 0, "exit status")


@deadline(60)
def test_closed_standard_output():
    cluster()
    for fmt in ("json", "text"):
        p = subprocess.Popen([harness.PROGRAM, "-b", "-f", fmt, "-d", "0.2", "-i"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        harness.defer(p.kill)
        p.stdout.read(1)
        p.stdout.close()
        check_eq(p.wait(10), 0, f"exit status of -f {fmt}")
        check_eq(p.stderr.read(), b"", "standard error")
        p.stderr.close()


def fdinfo_ids(pid):
    """The ids of the BPF programs, maps and links a process holds."""
    ids = {"prog": set(), "map": set(), "link": set()}
    try:
        for fd in os.listdir(f"/proc/{pid}/fdinfo"):
            with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii", errors="replace") as f:
                for kind, value in re.findall(r"^(prog|map|link)_id:\s*(\d+)", f.read(), re.M):
                    ids[kind].add(int(value))
    except OSError:
        pass
    return ids


def loaded(kind):
    out = subprocess.run(["bpftool", "-j", kind, "show"], capture_output=True, check=True).stdout
    return {x["id"] for x in json.loads(out)}


@deadline(60)
def test_nothing_is_left_in_the_kernel():
    need_command("bpftool")
    c = cluster()
    for sig in (signal.SIGTERM, signal.SIGKILL):
        m = Monitor(cluster=c, delay="0.3")
        m.next()
        ids = fdinfo_ids(m.pid)
        check(ids["prog"] and ids["map"] and ids["link"], f"it holds {ids}")
        check(ids["prog"] <= loaded("prog"), "they are loaded")
        m.send_signal(sig)
        m.process.wait(10)
        for kind in ("link", "prog", "map"):
            wait_until(lambda k=kind: not ids[k] & loaded(k), 10,
                       f"after {sig.name} no {kind} is left of {ids[kind]}")


@deadline(60)
def test_idle_monitor_is_cheap():
    c = cluster()
    m = Monitor(cluster=c, delay="1")
    for _ in range(2):
        m.next()
    switches, cpu, start = procs.context_switches(m.pid), procs.cpu_seconds(m.pid), time.monotonic()
    for _ in range(4):
        m.next()
    seconds = time.monotonic() - start
    voluntary = procs.context_switches(m.pid)[0] - switches[0]
    used = procs.cpu_seconds(m.pid) - cpu
    check(voluntary / seconds < 50, f"{voluntary / seconds:.1f} voluntary switches per second")
    check(used / seconds < 0.03, f"{100 * used / seconds:.1f} % of a CPU")


@deadline(60)
def test_foreign_processes_make_no_events():
    """A storm of switches of processes that are not PostgreSQL costs the monitor nothing."""
    c = cluster()
    m = Monitor(cluster=c, delay="0.5")
    m.next()
    before, cpu = m.next(), procs.cpu_seconds(m.pid)
    p = subprocess.Popen(["/usr/bin/python3", "-c", PING_PONG], stdout=subprocess.DEVNULL)
    harness.defer(p.kill)
    while p.poll() is None:
        after = m.next()
    events = after["self"]["events"] - before["self"]["events"]
    seconds = (after["mono_ns"] - before["mono_ns"]) / S
    check(events / max(seconds, 0.5) < 200, f"{events} events in {seconds} s")
    check(procs.cpu_seconds(m.pid) - cpu < 0.03 * seconds + 0.05, "its CPU time")


@deadline(60)
def test_two_monitors_at_once():
    c = cluster()
    a, b = Monitor(cluster=c, delay="0.3"), Monitor(cluster=c, delay="0.3")
    s = c.session("seen twice")
    for m in (a, b):
        m.watches(s.pid)
    check_eq(a.stop(), 0, "exit status of the first")
    b.fresh()
    check_eq(b.stop(), 0, "exit status of the second")


@deadline(30)
def test_batch_needs_no_terminal():
    status, out, err = run_program("-b", "-n", "1", "-d", "0.2", env={"TERM": "unknown-terminal"})
    check_eq(status, 0, f"exit status: {err}")
    check(out, "a report")


if __name__ == "__main__":
    harness.main()
