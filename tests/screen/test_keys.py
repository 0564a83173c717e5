#!/usr/bin/python3
# deadline: 400
"""The real program on a real terminal, over a real server: every key does what the help says."""
import functools
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
import screen_png  # noqa: E402
from harness import check, check_eq, deadline, need_root, wait_until  # noqa: E402
from pgcluster import HOG, Cluster  # noqa: E402
from tmuxscreen import Screen  # noqa: E402

LONG = "select '" + "lorem ipsum dolor " * 12 + "the end' from held"


@functools.cache
def cluster():
    c = Cluster()
    c.sql("create role alice login; create role bob login; create database sales;"
          "create table held(i int); grant all on held to public;")
    return c


class World:
    """Sessions in known states: who holds a lock, who waits for it, who uses the CPU, who idles."""

    def __init__(self, *options, width=150, height=40, **screen):
        need_root()
        c = self.c = cluster()
        self.holder = c.session("holder")
        self.waiter = c.session("waiter", PGUSER="alice")
        self.hog = c.session("hog", PGUSER="bob", PGDATABASE="sales")
        self.idler = c.session("idler")
        self.holder.run("begin; lock table held;")
        self.waiter.send(LONG + ";")
        self.hog.send(HOG)
        c.wait_for_event(self.waiter.pid, "Lock:relation")
        self.names = {s.pid: s.name for s in (self.holder, self.waiter, self.hog, self.idler)}
        self.argv = [harness.PROGRAM, "-D", c.data, "-d", "0.3", "-w", "5", *options]
        self.size, self.screen = (width, height), screen
        self.open()

    def open(self):
        """Opens the program; again, if it has ended."""
        self.s = Screen(self.argv, *self.size, **self.screen)
        self.s.wait_for(rf"^ *{self.waiter.pid} ", 15)
        self.s.wait_for(rf"^ *{self.holder.pid} ", 15)

    def rows(self):
        """Names of the sessions shown, from the top."""
        pids = [int(m.group(1)) for line in self.s.lines()
                for m in [re.match(r" *(\d+) ", line)] if m]
        return [self.names[p] for p in pids if p in self.names]

    def wait_rows(self, cond, what):
        wait_until(lambda: cond(self.rows()), 8, f"{what}; rows {self.rows()}\n{self.s.show()}")

    def line(self, session):
        for line in self.s.lines():
            if re.match(rf" *{session.pid} ", line):
                return line
        return None

    def selected(self):
        """The pid of the line that is shown in another way than the rest, or None."""
        for row in screen_png.cells(self.s.escapes()):
            text = "".join(c[1] for c in row)
            m = re.match(r" *(\d+) ", text)
            if m and all(c[4] != screen_png.BACKGROUND for c in row[:m.end()]):
                return int(m.group(1))
        return None

    def select(self, session):
        for _ in range(20):
            if self.selected() == session.pid:
                return
            before = self.selected()
            self.s.keys("Down")
            try:
                wait_until(lambda b=before: self.selected() != b, 2, "the selection moves")
            except AssertionError:
                self.s.keys("Home")
        raise AssertionError(f"could not select {session.name}:\n{self.s.show()}")


@deadline(60)
def test_what_is_shown():
    w = World()
    w.s.wait_for(r"AAS +[1-9]")
    w.s.wait_for(rf"^ *{w.waiter.pid} .*Lock:rel\w* < {w.holder.pid} ")
    w.s.wait_for(rf"^ *{w.holder.pid} .*Client:ClientRead")
    text = w.s.wait_for(rf"^ *{w.hog.pid} ")
    for word in ("PID", "WAITING-ON", "QUERY", "OFF%", "lost", "window", "cpu", "lock", "idle_xact",
                 "Help", "Quit"):
        check(word in text, f"{word!r} on the screen:\n{text}")
    check("idler" not in w.rows(), "who is only idle is hidden")
    wait_until(lambda: re.search(r"\b(9\d(\.\d)?|100)\b", w.line(w.waiter) or ""), 10,
               "the waiter is off the CPU all the time")


@deadline(60)
def test_idle_holder_of_a_lock():
    """A lock of the session: its holder is idle, but the head of a queue, so it is listed."""
    w = World()
    w.idler.run("select pg_advisory_lock(7);")
    time.sleep(6)       # it was only idle for a whole window
    check("idler" not in w.rows(), "who is only idle is hidden")
    blocked = w.c.session("blocked")
    blocked.send("select pg_advisory_lock(7);")
    w.s.wait_for(rf"^ *{blocked.pid} .*Lock:adv\w* < {w.idler.pid} ")
    w.wait_rows(lambda r: "idler" in r, "the idle session that blocks another is shown")
    w.idler.run("select pg_advisory_unlock(7);")
    blocked.finish()
    w.wait_rows(lambda r: "idler" not in r, "hidden again")


@deadline(60)
def test_quit():
    w = World()
    for key in ("q", "F10", "C-c"):
        if w.s.dead():
            w.open()
        start = time.monotonic()
        w.s.keys(key)
        check_eq(w.s.wait_exit(), 0, f"exit status after {key}")
        check(time.monotonic() - start < 2, f"{key} quits at once")


@deadline(60)
def test_help():
    w = World(height=60)
    for key in ("h", "?", "F1"):
        w.s.keys(key)
        text = w.s.wait_for("sort by CPU time")
        for word in ("runq", "wal_write", "idle_xact", "quit", "filter"):
            check(word in text, f"{word!r} in the help:\n{text}")
        w.s.keys("Escape")
        w.s.wait_for(rf"^ *{w.waiter.pid} ")
    w.s.resize(150, 12)
    w.s.keys("h")
    before = w.s.wait_for("Esc")
    w.s.keys("PPage", "NPage", "Down", "Up", "End")
    w.s.wait_change(before)
    w.s.keys("q")
    w.s.wait_for("PID")


@deadline(90)
def test_moving():
    w = World()
    w.s.keys("i")
    w.wait_rows(lambda r: "idler" in r, "all are shown")
    w.s.keys("N")           # by pid: an order that stays
    w.s.keys("Home")
    first = wait_until(w.selected, 5, "one line is selected")
    for down, up in (("Down", "Up"), ("j", "k"), ("End", "Home"), ("NPage", "PPage")):
        w.s.keys(down)
        other = wait_until(lambda: w.selected() not in (None, first) and w.selected(), 5,
                           f"{down} moves the selection from {first}")
        w.s.keys(up)
        wait_until(lambda: w.selected() == first, 5, f"{up} moves it back from {other}")


@deadline(60)
def test_selection_follows_its_backend():
    w = World()
    w.select(w.waiter)
    w.s.keys("P")
    w.wait_rows(lambda r: r[:1] == ["hog"], "sorted by CPU")
    check_eq(w.selected(), w.waiter.pid, "the same backend is selected")
    w.s.keys("R")
    w.wait_rows(lambda r: r[-1:] == ["hog"], "reversed")
    check_eq(w.selected(), w.waiter.pid, "the same backend is selected")


@deadline(60)
def test_sorting():
    w = World()
    w.s.keys("P")
    w.wait_rows(lambda r: r[:1] == ["hog"], "P: by CPU")
    w.s.keys("T")
    w.wait_rows(lambda r: "hog" in r and r.index("waiter") < r.index("hog"), "T: by off-CPU")
    w.s.keys("N")
    pids = sorted(w.names)
    w.wait_rows(lambda r: r == [w.names[p] for p in pids if w.names[p] in r], "N: by pid")
    w.s.keys("R")
    w.wait_rows(lambda r: r == [w.names[p] for p in reversed(pids) if w.names[p] in r], "R")
    w.s.keys("5")
    w.wait_rows(lambda r: r[:1] == ["waiter"], "5: by lock")
    w.s.keys("9")
    w.wait_rows(lambda r: r[:1] == ["holder"], "9: by idle_xact")
    for digit in "1234678" + "0":
        before = w.s.show()
        w.s.keys(digit)
        w.s.wait_change(before)
    before = w.s.lines()[-1]
    w.s.keys("F6")
    w.s.wait_for(r"(?i)sort")
    w.s.keys("Escape")
    wait_until(lambda: w.s.lines()[-1] == before, 5, "Esc leaves the menu")
    w.s.keys("T")
    for key in (">", "<"):
        before = w.s.escapes()
        w.s.keys(key)
        wait_until(lambda b=before: w.s.escapes() != b, 5, f"{key} changes the sort column")


@deadline(60)
def test_filter():
    w = World()
    for key in ("/", "F4"):
        w.s.keys(key)
        w.s.text("type:lock")
        w.wait_rows(lambda r: r == ["waiter"], "filtered as it is typed")
        w.s.keys("Enter")
        w.wait_rows(lambda r: r == ["waiter"], "kept")
        w.s.wait_for("type:lock")
        w.s.keys("Escape")
        w.wait_rows(lambda r: "holder" in r, "Esc clears it")
    w.s.keys("/")
    w.s.text("nothing-matches-this")
    w.wait_rows(lambda r: r == [], "no row")
    for _ in range(len("nothing-matches-this")):
        w.s.keys("BSpace")
    w.wait_rows(lambda r: "holder" in r, "erased again")
    w.s.text("lock")
    w.s.keys("Home")
    w.s.text("type:")
    w.wait_rows(lambda r: r == ["waiter"], "edited in its middle")
    w.s.keys("C-u", "Right", "Right", "Right", "Right", "C-u")
    w.wait_rows(lambda r: "holder" in r, "erased again")
    w.s.text("([")      # no regular expression: literal
    w.wait_rows(lambda r: r == [], "literal")
    w.s.keys("Escape")
    w.wait_rows(lambda r: "holder" in r, "Esc clears it")


@deadline(60)
def test_search():
    w = World()
    w.select(w.waiter)
    w.s.keys("F3")
    w.s.text("hog")
    wait_until(lambda: w.selected() == w.hog.pid, 5, "the match is selected as it is typed")
    w.s.keys("Enter")
    check({"waiter", "holder", "hog"} <= set(w.rows()), "no row is hidden")
    w.s.keys("F3")
    w.s.text("er")      # waiter and holder
    w.s.keys("Enter")
    first = wait_until(w.selected, 5, "a match")
    w.s.keys("n")
    wait_until(lambda: w.selected() != first, 5, "n: the next match")


@deadline(60)
def test_pick_a_user():
    w = World()
    w.s.keys("u")
    w.s.wait_for("alice")
    w.s.wait_for("sales")
    lines = w.s.lines()
    w.s.keys("Escape")
    w.s.wait_for(rf"^ *{w.hog.pid} ")
    w.s.keys("u")
    w.s.wait_for("alice")
    for _ in range(len(lines)):
        marked = ["".join(c[1] for c in row) for row in screen_png.cells(w.s.escapes())
                  if len(row) > 4 and any(c[4] != screen_png.BACKGROUND and "a" in c[1] for c in row)]
        if any("alice" in m for m in marked):
            break
        w.s.keys("Down")
        time.sleep(0.1)
    w.s.keys("Enter")
    w.wait_rows(lambda r: r == ["waiter"], "only alice's")
    w.s.keys("Escape")
    w.wait_rows(lambda r: "hog" in r, "all again")


@deadline(60)
def test_idle_rows():
    w = World()
    check("idler" not in w.rows(), "hidden at first")
    w.s.keys("i")
    w.wait_rows(lambda r: "idler" in r, "i: shown")
    w.s.keys("i")
    w.wait_rows(lambda r: "idler" not in r, "i: hidden")


@deadline(60)
def test_pause():
    w = World()
    for key in ("Space", "Z"):
        w.s.keys(key)
        frozen = w.s.wait_for("PAUSED")
        time.sleep(1.2)     # four refreshes in which nothing may change
        check_eq(w.s.show(), frozen, "the numbers freeze")
        w.s.keys("P")
        w.wait_rows(lambda r: r[:1] == ["hog"], "sorting still works")
        w.s.keys("5")
        w.wait_rows(lambda r: r[:1] == ["waiter"], "sorting still works")
        w.s.keys(key)
        w.s.wait_for("PAUSED", absent=True)
        frozen = w.s.show()
        w.s.wait_change(frozen, 5)


@deadline(60)
def test_interval_and_window():
    w = World()
    w.s.wait_for(r"every 300ms")
    w.s.keys("+")
    slower = re.search(r"every (\S+)", w.s.wait_for(r"every (?!300ms)")).group(1)
    w.s.keys("-")
    w.s.wait_for(rf"every (?!{re.escape(slower)})")
    w.s.wait_for(r"window 5s")
    w.s.keys("]")
    w.s.wait_for(r"window 10s")
    w.s.keys("[")
    w.s.wait_for(r"window 5s")
    w.s.keys("[")
    w.s.wait_for(r"window 1s")
    for _ in range(10):
        w.s.keys("]")
    w.s.wait_for(r"window 15(m|:00)")
    w.s.wait_for(rf"^ *{w.waiter.pid} ")


@deadline(60)
def test_follow():
    w = World()
    w.select(w.waiter)
    w.s.keys("F")
    w.s.wait_for(f"FOLLOWING {w.waiter.pid}")
    w.holder.run("rollback;")
    w.waiter.finish()
    time.sleep(6)       # it was only idle for a whole window
    check("waiter" in w.rows(), f"it is still shown:\n{w.s.show()}")
    w.s.keys("F")
    w.wait_rows(lambda r: "waiter" not in r, "no longer followed, no longer shown")


@deadline(60)
def test_wrapped_query():
    w = World(width=100)
    w.select(w.waiter)
    check("the end" not in w.s.show(), "the query is longer than the line")
    w.s.keys("v")
    w.s.wait_for("the end")
    w.s.keys("v")
    w.s.wait_for("the end", absent=True)


@deadline(60)
def test_scrolling_to_the_right():
    w = World(width=60)
    before = w.s.show()
    w.s.keys("Right")
    w.s.wait_change(before)
    wait_until(lambda: w.line(w.waiter), 5, "the pid stays")
    for _ in range(40):
        w.s.keys("Right")
    wait_until(lambda: w.line(w.waiter), 5, "the pid stays")
    for _ in range(60):
        w.s.keys("Left")
    w.s.wait_for("WAITING-ON|OFF%")


@deadline(60)
def test_repaint():
    w = World()
    w.s.keys("Space")
    want = w.s.wait_for("PAUSED")
    tty = w.s.get("#{pane_tty}")
    with open(tty, "w", encoding="ascii") as f:
        f.write("\x1b[5;5Hgarbage from another program")
    w.s.wait_for("garbage")
    w.s.keys("C-l")
    w.s.wait_for("garbage", absent=True)
    check_eq(w.s.show(), want, "as it was")


@deadline(60)
def test_mouse():
    w = World(term="xterm-256color")    # one whose reports have the form that mouse() sends
    y = [i for i, line in enumerate(w.s.lines(), 1) if re.match(rf" *{w.hog.pid} ", line)]
    w.s.mouse(10, y[0])
    wait_until(lambda: w.selected() == w.hog.pid, 5, "a click selects")
    w.s.keys("P")
    w.wait_rows(lambda r: r[:1] == ["hog"], "by CPU")
    y, x = [(i, line.index("OFF%") + 1) for i, line in enumerate(w.s.lines(), 1)
            if "OFF%" in line and "PID" in line][0]
    w.s.mouse(x + 1, y)
    w.wait_rows(lambda r: r[:1] != ["hog"], "a click on the header sorts")
    for button in (64, 65):
        w.s.mouse(10, y + 2, button)
    w.s.mouse(1, 1)
    w.s.mouse(150, 40)
    check(not w.s.dead(), "it runs")
    hints = w.s.lines()[-1]
    w.s.mouse(hints.index("Idle") + 2, 40)
    w.wait_rows(lambda r: "idler" in r, "a click on a key hint is that key")
    w.s.mouse(hints.index("Quit") + 1, 40)
    check_eq(w.s.wait_exit(), 0, "exit status")


@deadline(60)
def test_every_key_at_random():
    """No key, in whatever order, ends it or stops it from drawing."""
    w = World()
    keys = ["h", "?", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "Up", "Down", "Left",
            "Right", "PPage", "NPage", "Home", "End", "j", "k", "<", ">", "P", "T", "N", "R", "/",
            "n", "Escape", "u", "i", "Space", "Z", "+", "-", "[", "]", "g", "t", "Enter", "BSpace",
            "w", "F", "v", "y", "Tab", "C-l", "C-a", "x", "\u00e9", "\u6f22", "DC", "IC", "BTab",
            *"0123456789"]
    state = 12345
    for i in range(250):
        state = (state * 1103515245 + 12345) % (1 << 31)
        w.s.keys(keys[(state >> 8) % len(keys)])
        if i % 25 == 24:
            w.s.resize(20 + (state >> 4) % 150, 4 + (state >> 12) % 40)
    check(not w.s.dead(), f"it runs; status {w.s.exit_status()}")
    w.s.resize(150, 40)
    w.s.keys("Escape", "Escape", "Escape", "Escape")
    w.s.wait_for("AAS")
    w.s.keys("C-c")
    check_eq(w.s.wait_exit(), 0, "exit status")


if __name__ == "__main__":
    harness.main()
