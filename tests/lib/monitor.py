"""Runs the program in batch mode, reads its JSON reports and checks what must hold in each."""
import json
import math
import os
import re
import select
import signal
import subprocess
import time

import harness
import procs
from harness import check, check_eq, defer

TYPES = ("cpu", "runq", "io", "wal_write", "lwlock", "lock", "network", "ipc", "timeout",
         "idle_xact", "idle", "other", "unknown")
NOT_WORK = ("cpu", "idle", "unknown")

REPORT_KEYS = {"schema", "time", "mono_ns", "interval_ns", "window_ns", "host", "kernel", "version",
               "aas", "total", "waits_per_s", "loss", "self", "clusters", "backends"}
LOSS_KEYS = {"ring_events", "ring_ns", "map_full", "event_unread", "stack_missed"}
SELF_KEYS = {"cpu_ns", "rss_bytes", "events", "bpf_ns_per_switch"}
CLUSTER_KEYS = {"postmaster", "data_directory", "version", "version_num", "cluster_name",
                "backends", "aas", "times", "wait_events"}
BACKEND_KEYS = {"pid", "pid_ns", "postmaster", "backend_type", "user", "database", "client",
                "application", "state", "query", "query_id", "leader_pid", "backend_start",
                "xact_age_ns", "state_age_ns", "exited", "watched_ns", "times", "off_ns", "waits",
                "max_wait_ns", "current", "events", "wakers", "stacks", "blocked_by", "histogram"}


# ---- what must hold in every report -------------------------------------------------------------

def check_times(times, where):
    check_eq(tuple(times), TYPES, f"{where}: the wait types")
    for t, ns in times.items():
        check(isinstance(ns, int) and ns >= 0, f"{where}: {t} is {ns!r}")


def add_times(many):
    return {t: sum(m[t] for m in many) for t in TYPES}


def off_ns(times):
    return sum(ns for t, ns in times.items() if t not in NOT_WORK)


def check_backend(b, report, details_exact=True):
    who = f"backend {b.get('pid')} ({b.get('backend_type')})"
    check(BACKEND_KEYS <= set(b), f"{who}: fields missing: {BACKEND_KEYS - set(b)}")
    check_times(b["times"], who)
    check_eq(sum(b["times"].values()), b["watched_ns"], f"{who}: the account closes")
    check_eq(b["off_ns"], off_ns(b["times"]), f"{who}: off_ns")
    check(b["watched_ns"] <= report["window_ns"],
          f"{who}: watched {b['watched_ns']} of a window of {report['window_ns']}")
    # the details are parts of the account
    events = b["events"]
    check(len(events) <= 10, f"{who}: {len(events)} events")
    check_eq([e["ns"] for e in events], sorted((e["ns"] for e in events), reverse=True),
             f"{who}: events, longest first")
    names = [(e["type"], e["class"], e["event"]) for e in events]
    check_eq(len(names), len(set(names)), f"{who}: each event once: {names}")
    for t in TYPES:
        of_type = sum(e["ns"] for e in events if e["type"] == t)
        check(of_type <= b["times"][t],
              f"{who}: events of {t} take {of_type} ns of {b['times'][t]}", json.dumps(b))
    for key in ("events", "wakers", "stacks"):
        for e in b[key]:
            check(e["type"] in TYPES and e["count"] >= 0 and e["ns"] >= 0, f"{who}: {key} {e}")
    check(len(b["wakers"]) <= 5 and len(b["stacks"]) <= 5, f"{who}: more than five")
    finished = 0
    for t, bins in b["histogram"].items():
        check(t in TYPES, f"{who}: histogram of {t}")
        check(bins and bins[-1] > 0, f"{who}: histogram of {t} has trailing zeros or nothing")
        finished += sum(bins)
    if details_exact:
        check_eq(finished, b["waits"], f"{who}: waits in the histograms")
    current = b["current"]
    if current is not None:
        check(set(current) >= {"type", "class", "event", "age_ns", "at_least", "waiting_for_cpu"},
              f"{who}: current {current}")
        check(not b["exited"], f"{who}: exited, but waiting: {current}")
        check(current["type"] in TYPES, f"{who}: current {current}")
        check(0 <= current["age_ns"] < report["mono_ns"], f"{who}: current {current}")
    for age in ("xact_age_ns", "state_age_ns"):
        check(b[age] is None or b[age] >= 0, f"{who}: {age} {b[age]}")


def check_report(r, everything=True, details_exact=True):
    """everything: no row was left out (-i, no filter), so the clusters are sums of the rows."""
    check(REPORT_KEYS <= set(r), f"fields missing: {REPORT_KEYS - set(r)}")
    check_eq(r["schema"], 1, "schema")
    check(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", r["time"]), r["time"])
    check(LOSS_KEYS <= set(r["loss"]), f"loss: {r['loss']}")
    check(SELF_KEYS <= set(r["self"]), f"self: {r['self']}")
    check_times(r["total"], "total")
    for c in r["clusters"]:
        check(CLUSTER_KEYS <= set(c), f"cluster fields missing: {CLUSTER_KEYS - set(c)}")
        check_times(c["times"], f"cluster {c['postmaster']}")
    check_eq(add_times([c["times"] for c in r["clusters"]]), r["total"],
             "total is the sum of the clusters")
    pids = [(b["pid"], b["backend_start"]) for b in r["backends"]]
    check_eq(len(pids), len(set(pids)), f"each backend once: {sorted(pids, key=str)}")
    for b in r["backends"]:
        check_backend(b, r, details_exact)
    if everything:
        for c in r["clusters"]:
            mine = [b for b in r["backends"] if b["postmaster"] == c["postmaster"]]
            check_eq(c["times"], add_times([b["times"] for b in mine]),
                     f"cluster {c['postmaster']} is the sum of its backends")
            check_eq(c["backends"], sum(not b["exited"] for b in mine), "living backends")
    if r["window_ns"]:
        aas = (sum(r["total"].values()) - r["total"]["idle"]) / r["window_ns"]
        check(math.isclose(r["aas"], aas, rel_tol=0.01, abs_tol=0.01), f"aas {r['aas']}, not {aas}")


def lost(report):
    """Everything that says a report is not exact."""
    return {k: v for k, v in report["loss"].items() if v and k in ("ring_events", "ring_ns",
                                                                   "map_full")}


def check_no_loss(report):
    check_eq(lost(report), {}, "nothing lost")
    check_eq(report["total"]["unknown"], 0, "nothing unknown")


# ---- looking into a report ----------------------------------------------------------------------

def backend(report, pid):
    """The row of a backend (the living one, if its pid was used twice), or None."""
    found = [b for b in report["backends"] if b["pid"] == pid]
    return min(found, key=lambda b: b["exited"]) if found else None


def event_of(b, name):
    """The entry of an event "Lock:transactionid" of a backend, or None."""
    for e in b["events"]:
        if f"{e['class']}:{e['event']}" == name:
            return e
    return None


def current_name(b):
    c = b["current"]
    return f"{c['class']}:{c['event']}" if c else None


def share(b, kind):
    return b["times"][kind] / b["watched_ns"] if b["watched_ns"] else 0.0


# ---- running the program ------------------------------------------------------------------------

class Monitor:
    """The program in batch mode. Each report is checked as it is read.

    cluster: only that one (-D). wrap: a command to run it under. everything=False if options hide
    rows.
    """

    def __init__(self, *options, cluster=None, delay="0.5", window="60", idle=True, wrap=(),
                 everything=True, details_exact=True, program=None, env=None):
        harness.need_root()
        harness.need_program()
        argv = [program or harness.PROGRAM, "-b", "-f", "json", "-d", delay, "-w", window]
        if idle:
            argv.append("-i")
        if cluster is not None:
            argv += ["-D", cluster.data]
        self.argv = [*wrap, *argv, *map(str, options)]
        self.everything, self.details_exact = everything, details_exact
        self.reports = []
        self.received = []      # CLOCK_MONOTONIC, seconds, at which each report was read
        self.buffer = b""
        self.stderr = b""
        self.ended = False
        environ = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **(env or {})}
        self.process = subprocess.Popen(self.argv, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ)
        self.pid = self.process.pid
        for f in (self.process.stdout, self.process.stderr):
            os.set_blocking(f.fileno(), False)
        defer(self._end)

    def _read(self, patience):
        """Reads what is there; False when the program has closed its output."""
        out, err = self.process.stdout.fileno(), self.process.stderr.fileno()
        ready, _, _ = select.select([out, err], [], [], patience)
        if err in ready:
            data = os.read(err, 65536)
            self.stderr += data
            if not data and out not in ready:
                time.sleep(0.01)
        if out in ready:
            data = os.read(out, 1 << 20)
            if not data:
                self.ended = True
                return False
            self.buffer += data
        return True

    def next(self, deadline=15):
        """The next report."""
        end = time.monotonic() + deadline
        while b"\n" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"no report within {deadline} s; stderr: {self.errors()}")
            if not self._read(left):
                raise AssertionError(f"the program ended: status {self.process.wait(10)}, "
                                     f"stderr: {self.errors()}")
        line, _, self.buffer = self.buffer.partition(b"\n")
        self.received.append(time.monotonic())
        check(not re.search(rb"[\x00-\x1f\x7f]", line), "no control byte in a report")
        r = json.loads(line.decode("utf-8", "strict"))
        self.reports.append(r)
        check_report(r, self.everything, self.details_exact)
        return r

    def fresh(self, deadline=15):
        """A report whose cut lies after this call."""
        now = time.monotonic_ns()
        return self.until(lambda r: r["mono_ns"] >= now, deadline, "a report made after now")

    def until(self, cond, deadline=15, what="condition on a report"):
        """The first report, from the next on, for which cond(report) is true."""
        end = time.monotonic() + deadline
        r = None
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"no such report within {deadline} s: {what}\nlast: "
                                     + json.dumps(r)[:6000])
            r = self.next(max(left, 0.1))
            if cond(r):
                return r

    def watches(self, *pids, deadline=15):
        """Waits until the backends are in a report."""
        return self.until(lambda r: all(backend(r, p) for p in pids), deadline,
                          f"shows the backends {pids}")

    def errors(self):
        self._read(0)
        return self.stderr.decode(errors="replace")

    def send_signal(self, sig):
        os.kill(self.pid, sig)

    def finish(self, deadline=20):
        """Reads to the end of the program; its exit status."""
        end = time.monotonic() + deadline
        while not self.ended:
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"the program did not end within {deadline} s")
            self._read(left)
            while b"\n" in self.buffer:
                self.next()
        return self.process.wait(max(0.1, end - time.monotonic()))

    def stop(self, sig=signal.SIGINT, deadline=10):
        """Ends it as Ctrl-C does; its exit status."""
        self.send_signal(sig)
        return self.finish(deadline)

    def _end(self):
        if self.process.poll() is None:
            procs.end(self.pid, signal.SIGINT)
            try:
                self.process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.communicate()
        for f in (self.process.stdout, self.process.stderr):
            f.close()


def run_program(*options, wrap=(), env=None, deadline=20, program=None):
    """Runs the program to its end: (exit status, stdout, stderr) as text."""
    harness.need_program()
    r = subprocess.run([*wrap, program or harness.PROGRAM, *map(str, options)],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       timeout=deadline, check=False,
                       env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **(env or {})})
    return (r.returncode, r.stdout.decode("utf-8", "replace"),
            r.stderr.decode("utf-8", "replace"))
