#!/usr/bin/python3
"""Cleans up after a test, whatever way the test ended.

Standard input is a pipe whose only writer is the test; each line is one JSON command. When the
pipe ends, because the test closed it or because it was killed, everything still registered is
undone, newest first:

  {"dir": PATH}            processes that work inside PATH are ended, then PATH is removed
  {"pid": N, "start": T}   that process is ended (T: start time in clock ticks, against pid reuse)
  {"run": [ARGV...]}       a command that undoes something (a tmux server, a sysctl)
  {"forget": KEY}          KEY is the value of "dir", "pid" or "run" given before

The reaper must not depend on the test: it is a process of its own, in its own session, and ignores
the signals of a terminal.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from procs import alive, cmdline, inside, kill, start_ticks  # noqa: E402

GRACE_S = 8.0


def end_processes_of(path):
    """Ends what works inside path: postmasters first by an immediate shutdown, which lets them
    remove their shared memory, then everything by SIGKILL."""
    asked = set()
    deadline = time.monotonic() + GRACE_S
    while time.monotonic() < deadline:
        found = inside(path)
        if not found:
            return
        for pid in found:
            if pid not in asked:
                asked.add(pid)
                title = cmdline(pid)
                if title and b"postgres: " not in title[0]:
                    kill(pid, signal.SIGQUIT if b"postgres" in os.path.basename(title[0])
                         else signal.SIGTERM)
                    kill(pid, signal.SIGCONT)
        time.sleep(0.05)
    for _ in range(100):
        found = inside(path)
        if not found:
            return
        for pid in found:
            kill(pid, signal.SIGKILL)
        time.sleep(0.05)


def remove_sysv_segment(path):
    """The few bytes of System V shared memory a killed postmaster leaves behind."""
    for base, dirs, files in os.walk(path):
        if "postmaster.pid" in files:
            try:
                with open(os.path.join(base, "postmaster.pid"), encoding="utf-8") as f:
                    shmid = f.read().split("\n")[6].split()[1]
            except (OSError, IndexError):
                shmid = None
            if shmid:
                subprocess.run(["ipcrm", "-m", shmid], stderr=subprocess.DEVNULL, check=False)
        if "PG_VERSION" in files:
            dirs.clear()


def undo(kind, value, extra):
    if kind == "dir":
        end_processes_of(value)
        remove_sysv_segment(value)
        shutil.rmtree(value, ignore_errors=True)
    elif kind == "pid":
        for sig, patience in ((signal.SIGTERM, 3.0), (signal.SIGKILL, 3.0)):
            if not alive(value, extra):
                return
            kill(value, sig)
            kill(value, signal.SIGCONT)
            deadline = time.monotonic() + patience
            while alive(value, extra) and time.monotonic() < deadline:
                time.sleep(0.02)
    elif kind == "run":
        subprocess.run(json.loads(value), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=30, check=False)


def main():
    for sig in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP,
                signal.SIGPIPE):
        signal.signal(sig, signal.SIG_IGN)
    todo = []
    for line in sys.stdin.buffer:
        try:
            command = json.loads(line)
        except ValueError:  # the test died in the middle of a line
            continue
        if "forget" in command:
            todo = [t for t in todo if t[1] != command["forget"]]
        elif "pid" in command:
            todo.append(("pid", command["pid"], command["start"]))
        elif "dir" in command:
            todo.append(("dir", command["dir"], None))
        elif "run" in command:
            todo.append(("run", command["run"], None))
    for kind, value, extra in reversed(todo):
        try:
            undo(kind, value, extra)
        except Exception as e:  # the rest must still be undone
            print(f"reaper: {kind} {value}: {e}", file=sys.stderr)


if __name__ == "__main__":
    main()
