#!/usr/bin/python3
"""Reads JSON reports, one a line, from standard input and checks them against the interface.

Field order, types, sums and bounds. Prints what is wrong and exits with 1. Shares nothing with the
program; unit tests pipe reports of fixtures through it.
"""
import json
import re
import sys

TIMES = ["cpu", "runq", "io", "wal_write", "lwlock", "lock", "network", "ipc", "timeout",
         "idle_xact", "idle", "other", "unknown"]


def number(v):
    return isinstance(v, (int, float)) and not isinstance(v, bool)


def natural(v):
    return isinstance(v, int) and not isinstance(v, bool) and v >= 0


def integer(v):
    return isinstance(v, int) and not isinstance(v, bool)


def text(v):
    return isinstance(v, str)


def flag(v):
    return isinstance(v, bool)


def null_or(check):
    return lambda v: v is None or check(v)


def one_of(*words):
    return lambda v: v in words


def times(v):
    return list(v) == TIMES and all(natural(n) for n in v.values())


def matches(pattern):
    return lambda v: text(v) and re.fullmatch(pattern, v) is not None


def obj(**fields):
    """An object with exactly these fields, in this order."""
    def check(v):
        if not isinstance(v, dict) or list(v) != list(fields):
            return False
        bad = [f"{k}={v[k]!r}" for k, field in fields.items() if not field(v[k])]
        if bad:
            print("bad value:", ", ".join(bad))
        return not bad
    return check


def array(check, most=None):
    return lambda v: isinstance(v, list) and all(check(x) for x in v) and (
        most is None or len(v) <= most)


def histogram(v):
    return (list(v) == [t for t in TIMES if t in v]
            and all(array(natural, 32)(bins) and bins and bins[-1] > 0 for bins in v.values()))


WAIT = one_of(*TIMES)

BACKEND = obj(
    pid=natural, pid_ns=null_or(natural), postmaster=natural, backend_type=null_or(text),
    user=null_or(text), database=null_or(text), client=null_or(text), application=null_or(text),
    state=null_or(text), query=null_or(text), query_id=null_or(integer),
    leader_pid=null_or(natural), backend_start=null_or(matches(r"\d{4}-\d\d-\d\dT[\d:.]+Z")),
    xact_age_ns=null_or(natural), state_age_ns=null_or(natural), exited=flag,
    watched_ns=natural, times=times, off_ns=natural, waits=natural, max_wait_ns=natural,
    current=null_or(obj(**{"type": WAIT, "class": text, "event": text, "age_ns": natural,
                           "at_least": flag, "waiting_for_cpu": flag})),
    events=array(obj(**{"type": WAIT, "class": text, "event": text, "count": natural,
                        "ns": natural, "max_ns": natural}), 10),
    wakers=array(obj(pid=null_or(natural), kind=one_of("backend", "process", "irq", "kernel"),
                     name=text, type=WAIT, count=natural, ns=natural), 5),
    stacks=array(obj(type=WAIT, count=natural, ns=natural, kernel=array(text), user=array(text)),
                 5),
    blocked_by=null_or(array(obj(pid=integer, soft=flag))),
    histogram=histogram)

REPORT = obj(
    schema=lambda v: v == 1, time=matches(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"),
    mono_ns=natural, interval_ns=natural, window_ns=natural, host=null_or(text),
    kernel=null_or(text), version=null_or(text), aas=number, total=times, waits_per_s=number,
    loss=obj(ring_events=natural, ring_ns=natural, map_full=natural, event_unread=natural,
             stack_missed=natural),
    self=obj(cpu_ns=natural, rss_bytes=natural, events=natural,
             bpf_ns_per_switch=null_or(number)),
    clusters=array(obj(postmaster=natural, data_directory=null_or(text), version=null_or(text),
                       version_num=null_or(natural), cluster_name=null_or(text), backends=natural,
                       aas=number, times=times, wait_events=one_of("exact", "kernel-only"))),
    backends=array(BACKEND))


def problems(report):
    if not REPORT(report):
        return ["a field is missing, out of order, or not of its type"]
    found = []
    for t in TIMES:
        if report["total"][t] != sum(c["times"][t] for c in report["clusters"]):
            found.append(f"total {t} is not the sum over the clusters")
    for b in report["backends"]:
        if sum(b["times"].values()) != b["watched_ns"]:
            found.append(f"times of {b['pid']} do not sum to watched_ns")
        off = b["watched_ns"] - sum(b["times"][t] for t in ("cpu", "idle", "unknown"))
        if off != b["off_ns"]:
            found.append(f"off_ns of {b['pid']} is not {off}")
    return found


def refuse(what):
    raise ValueError(what)


def unique(pairs):
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key twice")
    return dict(pairs)


def main():
    found, lines = [], 0
    for line in sys.stdin.buffer:
        lines += 1
        if any(b < 0x20 for b in line[:-1]) or line[-1:] != b"\n":
            found.append("a control byte in the line, or no line end")
        found += problems(json.loads(line.decode("utf-8", "strict"), parse_constant=refuse,
                                     object_pairs_hook=unique))
    for p in found:
        print(p)
    return 1 if found or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
