#!/usr/bin/python3
"""make demo: shows every wait type, and leaves nothing behind, however it ends."""
import json
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
import procs  # noqa: E402
from harness import TOP, check, check_eq, deadline, need_root, wait_until  # noqa: E402
from monitor import TYPES, check_no_loss, check_report  # noqa: E402

DEMO = TOP + "/tests/demo/demo.py"


def start(*options):
    need_root()
    p = subprocess.Popen([DEMO, "--program", harness.PROGRAM, "--", *options],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)
    harness.defer(procs.kill, p.pid, signal.SIGKILL)
    return p


def folder_of(p):
    """Reads what the demo says until it names its folder."""
    while True:
        line = p.stderr.readline()
        check(line, "the demo names its folder")
        m = re.search(r" in (/\S+), removed at the end", line)
        if m:
            check(os.path.isdir(m.group(1)), "the folder is there")
            return m.group(1)


def disk_usage(folder):
    total = 0
    for base, _, files in os.walk(folder):
        for f in files:
            try:
                total += 512 * os.lstat(os.path.join(base, f)).st_blocks
            except OSError:     # it has just been removed
                pass
    return total


def check_gone(folder):
    wait_until(lambda: not os.path.exists(folder), 30, f"{folder} is removed")
    wait_until(lambda: not procs.inside(folder), 10, "no process of it is left")


@deadline(120)
def test_every_wait_type_is_there():
    p = start("-b", "-f", "json", "-i", "-d", "1", "-n", "20", "-w", "30")
    folder = folder_of(p)
    seen = {t: 0 for t in TYPES}
    largest = 0
    for line in p.stdout:
        r = json.loads(line)
        check_report(r)
        check_no_loss(r)
        largest = max(largest, disk_usage(folder))
        seen = {t: max(seen[t], r["total"][t]) for t in TYPES}
    check_eq(p.wait(30), 0, "exit status")
    for t in TYPES:
        if t != "unknown":
            check(seen[t] >= 5_000_000, f"{t} is there: {seen}")
    check({"shop", "billing"} <= {b["database"] for b in r["backends"]}, "databases")
    check(100 << 20 < largest < 500 << 20, f"it used {largest >> 20} MB of disk")
    check_gone(folder)


@deadline(90)
def test_whatever_way_it_ends():
    for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        p = start("-b", "-d", "1")
        folder = folder_of(p)
        os.kill(p.pid, sig)
        p.wait(30)
        check_gone(folder)


if __name__ == "__main__":
    harness.main()
