"""A program on a real terminal: a private tmux server of the test's own.

The pane outlives the program, so that its exit status and what it left on the screen can be seen.
"""
import itertools
import os
import re
import signal
import subprocess
import time

import harness
import procs
from harness import check, defer, need_command, reaper, temp_dir

_number = itertools.count()


class Screen:
    """argv runs in a pane of width x height. term: TERM in the pane. utf8=False: a C locale."""

    def __init__(self, argv, width=80, height=24, term="tmux-256color", env=None,
                 wrap_shell=None):
        need_command("tmux")
        self.dir = temp_dir("screen-")
        self.name = f"pgtop-{os.getpid()}-{next(_number)}"
        conf = self.dir + "/conf"
        with open(conf, "w", encoding="ascii") as f:
            f.write("set -g remain-on-exit on\nset -g remain-on-exit-format ''\n"
                    "set -g status off\nset -s escape-time 0\n"
                    "set -g default-terminal tmux-256color\n"
                    "set -g set-clipboard on\nset -g mouse off\n")
        self.base = ["tmux", "-u", "-L", self.name, "-f", conf]
        self.env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TMUX_TMPDIR": self.dir,
                    "HOME": self.dir}
        kill = ["env", f"TMUX_TMPDIR={self.dir}", *self.base, "kill-server"]
        reaper.command(kill)
        self._kill = kill
        self.argv = argv
        inner = ["env", f"TERM={term}" if term is not None else "-uTERM",
                 *[f"{k}={v}" for k, v in (env or {}).items()], *map(str, argv)]
        if wrap_shell:      # a shell text with "$@" in the place of the program
            inner = ["sh", "-c", wrap_shell, "sh", *inner]
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height), "-s", "s", *inner)
        defer(self.close)

    def tmux(self, *args, ok=False):
        r = subprocess.run([*self.base, *args], env=self.env, cwd=self.dir, check=False,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, timeout=20)
        check(ok or r.returncode == 0, f"tmux {args[0]}: {r.stderr.decode(errors='replace')}")
        return r.stdout.decode("utf-8", "replace")

    def get(self, fmt):
        return self.tmux("display-message", "-p", "-t", "s", fmt).rstrip("\n")

    @property
    def pid(self):
        """The process in the pane (env execs the program)."""
        return int(self.get("#{pane_pid}"))

    def size(self):
        w, h = self.get("#{pane_width} #{pane_height}").split()
        return int(w), int(h)

    def resize(self, width, height):
        self.tmux("resize-window", "-t", "s", "-x", str(width), "-y", str(height))

    # ---- in ----

    def keys(self, *names):
        """tmux key names: q Enter Escape F1 Up PPage ..."""
        self.tmux("send-keys", "-t", "s", *names)

    def text(self, text):
        """Characters as they are."""
        self.tmux("send-keys", "-t", "s", "-l", text)

    def mouse(self, x, y, button=0):
        """Press and release at the cell x, y (from 1), in the form of xterm-256color: a program on
        another TERM takes it for keys. Buttons 64 and 65 are the wheel."""
        self.text(f"\x1b[<{button};{x};{y}M")
        if button < 64:
            self.text(f"\x1b[<{button};{x};{y}m")

    # ---- out ----

    def lines(self):
        return self.tmux("capture-pane", "-p", "-t", "s").rstrip("\n").split("\n")

    def show(self):
        return "\n".join(self.lines())

    def escapes(self):
        """The screen with its colours, trailing blanks kept."""
        return self.tmux("capture-pane", "-p", "-e", "-N", "-t", "s")

    def exit_status(self):
        """The exit status of the program, or None while it runs; 128+N for signal N."""
        dead, server, status, sig = self.get(
            "#{pane_dead} #{pid} #{pane_dead_status} #{pane_dead_signal}").split(" ")
        if dead == "1" and not status and not sig:
            # tmux 3.3a sometimes misses the signal; asked again, it collects the status
            procs.kill(int(server), signal.SIGCHLD)
        return int(status) if status else 128 + int(sig) if sig else None

    def dead(self):
        return self.exit_status() is not None

    def wait_exit(self, deadline=10):
        harness.wait_until(self.dead, deadline, "the program ends")
        return self.exit_status()

    def wait_for(self, pattern, deadline=10, absent=False):
        """Waits until the screen matches (or no longer matches) the regular expression."""
        expression = re.compile(pattern, re.M)
        end = time.monotonic() + deadline
        while True:
            text = self.show()
            if bool(expression.search(text)) != absent:
                return text
            if time.monotonic() > end:
                state = f"ended, status {self.exit_status()}" if self.dead() else "running"
                raise AssertionError(f"{'still' if absent else 'no'} {pattern!r} on the screen "
                                     f"after {deadline} s ({state}):\n{text}")
            time.sleep(0.05)

    def wait_change(self, before, deadline=10):
        """Waits until the screen is not `before`."""
        return harness.wait_until(lambda: self.show() != before and self.show(), deadline,
                                  "the screen changes")

    def close(self):
        self.tmux("kill-server", ok=True)
        reaper.forget_command(self._kill)
