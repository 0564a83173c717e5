#!/usr/bin/python3
# deadline: 400
"""Terminals: of any size, of any kind, and afterwards as they were."""
import fcntl
import functools
import os
import re
import select
import signal
import struct
import sys
import termios
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
import procs  # noqa: E402
import screen_png  # noqa: E402
from harness import check, check_eq, deadline, need_root, wait_until  # noqa: E402
from pgcluster import Cluster, pin  # noqa: E402
from tmuxscreen import Screen  # noqa: E402


@functools.cache
def cluster():
    c = Cluster()
    c.pgbench(init=1)
    return c


def program(*options):
    need_root()
    return [harness.PROGRAM, "-D", cluster().data, "-d", "0.2", *options]


def open_transaction():
    s = cluster().session("open")
    s.run("begin; select 1;")
    return s


# ---- sizes --------------------------------------------------------------------------------------

@deadline(120)
def test_sizes():
    s = open_transaction()
    for width, height in ((1, 1), (2, 1), (1, 30), (3, 2), (10, 3), (20, 5), (40, 10), (80, 24),
                          (132, 43), (200, 50), (500, 200)):
        t = Screen(program("-i"), width, height)
        wait_until(lambda t=t: t.get("#{alternate_on}") == "1" or t.dead(), 10,
                   f"{width}x{height}: it draws")
        check_eq(t.exit_status(), None, f"{width}x{height}: it runs:\n{t.show()}")
        check_eq(t.size(), (width, height), "the size of the terminal")
        if width >= 40 and height >= 10:
            t.wait_for(str(s.pid))
        t.keys("h", "Escape", "F6", "Escape", "/", "x", "Escape", "u", "Escape", "Down", "v", "End")
        t.keys("q")
        check_eq(t.wait_exit(), 0, f"{width}x{height}: exit status")
        t.close()


@deadline(120)
def test_resize_storms():
    s = open_transaction()
    t = Screen(program("-i"), 80, 24)
    sizes = [(1, 1), (80, 24), (10, 3), (200, 50), (3, 40), (120, 2), (41, 11), (300, 100), (7, 7)]
    for size in sizes:      # while it starts
        t.resize(*size)
    for dialog in ([], ["h"], ["F6"], ["/", "x"], ["u"], ["v"], ["F3", "y"]):
        if dialog:
            t.keys(*dialog)
        for size in sizes:
            t.resize(*size)
        check(not t.dead(), f"it runs with {dialog} open, status {t.exit_status()}:\n{t.show()}")
        t.keys("Escape", "Escape")
    t.resize(100, 30)
    t.wait_for(rf"^ *{s.pid} ")
    t.wait_for("Quit")
    t.keys("q")
    check_eq(t.wait_exit(), 0, "exit status")


# ---- kinds --------------------------------------------------------------------------------------

@deadline(60)
def test_terminals_it_can_use():
    s = open_transaction()
    for term in ("xterm", "xterm-256color", "vt100", "linux", "screen", "tmux-256color",
                 "xterm-kitty", "rxvt"):
        t = Screen(program("-i"), 100, 30, term=term)
        wait_until(lambda t=t: str(s.pid) in t.show() or t.dead(), 10, f"TERM={term}")
        if t.dead() and not os.path.exists(f"/lib/terminfo/{term[0]}/{term}") and \
                not os.path.exists(f"/usr/share/terminfo/{term[0]}/{term}"):
            check_eq(t.exit_status(), 1, f"exit status with TERM={term}")
            check("-b" in t.show() and term in t.show(), f"names the terminal and -b: {t.show()}")
        else:
            check(not t.dead(), f"it runs with TERM={term}:\n{t.show()}")
            t.keys("q")
            check_eq(t.wait_exit(), 0, f"exit status with TERM={term}")
        t.close()


@deadline(60)
def test_terminals_it_cannot_use():
    for term in ("no-such-terminal", "dumb", None, "../../etc/passwd", "x" * 3000):
        t = Screen(program(), 100, 10, term=term)
        check_eq(t.wait_exit(), 1, f"exit status with TERM={term!r:.40}")
        text = t.show().replace("\n", "")
        check("-b" in text, f"names -b: {text}")
        check(len(text) < 700, f"a line or two: {text}")
        t.close()


@deadline(60)
def test_no_colour():
    s = open_transaction()
    for env, options in (({"NO_COLOR": "1"}, []), ({}, ["--no-color"])):
        t = Screen(program("-i", *options), 120, 30, env=env)
        t.wait_for(str(s.pid))
        codes = {int(c) for m in re.findall(r"\x1b\[([0-9;]*)m", t.escapes())
                 for c in m.split(";") if c}
        check(not codes & {*range(30, 39), *range(40, 49), *range(90, 98), *range(100, 108)},
              f"no colour with {env} {options}: {sorted(codes)}")
        check(7 in codes, "the selection is visible by reverse")
        t.close()
    t = Screen(program("-i"), 120, 30, env={"NO_COLOR": ""})
    t.wait_for(str(s.pid))
    check(re.search(r"\x1b\[[0-9;]*[34]8;", t.escapes()), "an empty NO_COLOR does not count")


@deadline(60)
def test_without_utf8():
    s = open_transaction()
    t = Screen(program("-i"), 120, 30, env={"LC_ALL": "C"})
    t.wait_for(str(s.pid))
    check(all(ord(ch) < 128 for ch in t.show()), f"only ASCII:\n{t.show()}")
    t.keys("/")
    t.text("é漢")
    t.keys("Escape", "q")
    check_eq(t.wait_exit(), 0, "exit status")


@deadline(60)
def test_wide_characters_keep_the_columns():
    c = cluster()
    for name in ("漢字漢字漢字", "é" * 6, "e\u0301a\u0300"):
        c.sql(f'create role "{name}" login')
        c.session("wide", PGUSER=name).run("begin; select '漢字と絵文字😀 done';")
    t = Screen(program("-i"), 200, 30)
    t.wait_for("done")
    columns = set()
    for row in screen_png.cells(t.escapes()):
        line = "".join(cell[1] for cell in row)
        if "Client:ClientRead" in line:
            columns.add(row[line.index("Client:ClientRead")][0])
    check_eq(len(columns), 1, f"WAITING-ON is in one column {columns}:\n{t.show()}")


# ---- afterwards ---------------------------------------------------------------------------------

class Pty:
    """The program on a pseudo-terminal of our own, which shows every byte that it writes."""

    def __init__(self, argv, term="xterm-256color", size=(30, 100)):
        self.master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.slave = slave
        self.before = termios.tcgetattr(slave)
        self.output = b""
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.setsid()
                fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
                for fd in (0, 1, 2):
                    os.dup2(slave, fd)
                os.closerange(3, 256)
                env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": term}
                os.execve(argv[0], argv, env)
            finally:
                os._exit(127)
        harness.reaper.pid(self.pid)
        harness.defer(self.close)
        self.status = None

    def read(self, patience=0.05):
        """What is there now, and what comes within `patience` seconds of it."""
        while select.select([self.master], [], [], patience)[0]:
            try:
                data = os.read(self.master, 65536)
            except OSError:
                return
            if not data:
                return
            self.output += data

    def wait_for(self, what, deadline=10):
        def seen():
            self.read(0)
            return what in self.output
        wait_until(seen, deadline, f"the program writes {what!r}; it wrote {self.output[-3000:]!r}")

    def wait(self, deadline=10):
        """Its wait status, once it has ended."""
        def ended():
            self.read(0)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            return (status,) if pid else None
        self.status = wait_until(ended, deadline, "the program ends")[0]
        self.read()
        return self.status

    def settings(self):
        return termios.tcgetattr(self.slave)

    def close(self):
        if self.status is None:
            procs.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        for fd in (self.master, self.slave):
            os.close(fd)


@deadline(120)
def test_terminal_is_as_it_was():
    """After a key, and after every signal, also those of a crash."""
    s = open_transaction()
    enter, leave = b"\x1b[?1049h", b"\x1b[?1049l"
    for how in ("q", "\x03", signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT,
                signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL):
        t = Pty(program("-i"))
        t.wait_for(str(s.pid).encode())
        check(t.settings() != t.before, "it has changed the terminal")
        if isinstance(how, str):
            os.write(t.master, how.encode())
        else:
            os.kill(t.pid, how)
        status = t.wait()
        name = how.name if isinstance(how, signal.Signals) else repr(how)
        check_eq(t.settings(), t.before, f"the settings after {name}")
        check_eq(t.output.count(enter), t.output.count(leave), f"the main screen after {name}")
        check(t.output.rfind(leave) > t.output.rfind(enter), f"the main screen after {name}")
        shown = max(t.output.rfind(x) for x in (b"\x1b[?25h", b"\x1b[?12l\x1b[?25h",
                                                 b"\x1b[34h\x1b[?25h"))
        check(shown > t.output.rfind(b"\x1b[?25l"), f"the cursor is visible after {name}")
        for mouse in (b"1000", b"1002", b"1003", b"1006"):
            on, off = t.output.rfind(b"\x1b[?" + mouse + b"h"), t.output.rfind(
                b"\x1b[?" + mouse + b"l")
            if b"\x1b[?1006;1000h" in t.output and mouse in (b"1000", b"1006"):
                on = max(on, t.output.rfind(b"\x1b[?1006;1000h"))
                off = max(off, t.output.rfind(b"\x1b[?1006;1000l"))
            check(on <= off, f"mouse reports are off after {name}: {on} {off}")
        if how in ("q", "\x03", signal.SIGINT, signal.SIGTERM):
            check_eq(status, 0, f"exit status after {name}")
        elif how not in (signal.SIGHUP, signal.SIGQUIT):
            check_eq(os.WTERMSIG(status), how, f"it dies of {name}")
        t.close()
        harness._case_cleanups.pop_all()


@deadline(60)
def test_suspend_and_continue():
    s = open_transaction()
    t = Pty(program("-i"))
    t.wait_for(str(s.pid).encode())
    os.write(t.master, b"\x1a")
    wait_until(lambda: (t.read(0), procs.state(t.pid) == "T")[1], 5, "Ctrl-Z stops it")
    check_eq(t.settings(), t.before, "the terminal is as it was")
    t.output = b""
    os.kill(t.pid, signal.SIGCONT)
    t.wait_for(str(s.pid).encode())
    check(t.settings() != t.before, "it has the terminal again")
    os.write(t.master, b"q")
    check_eq(t.wait(), 0, "exit status")


@deadline(60)
def test_terminal_that_goes_away():
    s = open_transaction()
    t = Pty(program("-i"))
    t.wait_for(str(s.pid).encode())
    os.close(t.master)
    t.master = os.open("/dev/null", os.O_RDONLY)
    wait_until(lambda: os.waitpid(t.pid, os.WNOHANG)[0] == t.pid, 10, "it ends")
    t.status = 0


@deadline(60)
def test_no_escape_of_a_name_reaches_the_terminal():
    c = cluster()
    name = "x\x1b]52;c;ZXZpbA==\x07\x1b[31m\u009b31m\r\nz"
    c.sql(f'create role "{name}" login; create database "{name}"')
    s = c.session("evil\x1b]0;app", PGUSER=name, PGDATABASE=name)
    s.run("begin; select '\x1b]52;c;ZXZpbA==\x07 \x1b[2J \u009b2J \x08\x7f';")
    t = Pty(program("-i", "-w", "2"), size=(40, 220))
    t.wait_for(str(s.pid).encode())
    os.write(t.master, b"jjv")
    t.wait_for(b"ZXZpbA==")     # what is left of it is harmless text
    end = time.monotonic() + 1
    while time.monotonic() < end:       # a few refreshes more
        t.read(0)
        time.sleep(0.05)
    check(b"\x1b]52" not in t.output and b"\x1b]0;" not in t.output, "no OSC")
    check(b"\xc2\x9b" not in t.output and b"\x9b31m" not in t.output, "no C1")
    check(b"\x1b[2J \xc2" not in t.output, "no CSI from the query")
    check(b"\x7f" not in t.output and b"\x07" not in t.output, "no DEL, no BEL")


@deadline(60)
def test_quits_at_once_in_a_storm():
    c = cluster()
    c.pgbench_start("-n", "-c8", "-S", "-M", "prepared", "-T", "30")
    wait_until(lambda: len(c.children()) > 10, 10, "pgbench is connected")
    for pid in c.children():
        pin(pid)
    t = Screen(["taskset", "-c", "0", "nice", "-n", "19", *program()], 100, 30)
    t.wait_for("select", 30)
    time.sleep(1)
    start = time.monotonic()
    t.keys("q")
    check_eq(t.wait_exit(), 0, "exit status")
    check(time.monotonic() - start < 1.5, f"q took {time.monotonic() - start:.2f} s")


@deadline(60)
def test_pid_and_iterations():
    s = open_transaction()
    t = Screen(program("-n", "3"), 100, 30)
    check_eq(t.wait_exit(15), 0, "-n ends the screen too")
    t = Screen([harness.PROGRAM, "-p", str(s.pid)], 100, 30)
    text = t.wait_for(rf"^ *{s.pid} ")
    check_eq(len(re.findall(r"^ *\d+ postgres", text, re.M)), 1, f"one row:\n{text}")


@deadline(60)
def test_messages_are_on_the_main_screen():
    """What goes wrong at the start is readable afterwards."""
    t = Screen([harness.PROGRAM, "-D", "/nonexistent"], 100, 10)
    check_eq(t.wait_exit(), 1, "exit status")
    check("/nonexistent" in t.show(), t.show())


@deadline(60)
def test_waits_for_postgresql():
    if any((procs.cmdline(p) or [b""])[0].endswith((b"/postgres", b"/postmaster"))
           and procs.parent(p) == 1 for p in procs.all_pids()):
        harness.skip("machine: another PostgreSQL is running")
    others = [p for p in procs.all_pids()
              if (procs.cmdline(p) or [b""])[0].endswith((b"/postgres", b"/postmaster"))]
    need_root()
    cluster().stop()
    others = [p for p in procs.all_pids()
              if (procs.cmdline(p) or [b""])[0].endswith((b"/postgres", b"/postmaster"))]
    if others:
        harness.skip("machine: another PostgreSQL is running")
    t = Screen([harness.PROGRAM, "-d", "0.2"], 100, 20)
    t.wait_for("(?i)waiting for.*PostgreSQL")
    cluster().start()
    s = open_transaction()
    t.wait_for(rf"^ *{s.pid} ", 20)


if __name__ == "__main__":
    harness.main()
