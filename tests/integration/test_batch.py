#!/usr/bin/python3
"""The command line and the batch formats: what scripts rely on."""
import functools
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
from harness import check, check_eq, check_near, deadline  # noqa: E402
from monitor import Monitor, backend, check_report, run_program  # noqa: E402
from pgcluster import HOG, Cluster  # noqa: E402

S = 1_000_000_000


@functools.cache
def cluster():
    return Cluster()


def one_report(fmt, *options, n="1"):
    status, out, err = run_program("-b", "-n", n, "-d", "0.5", "-i", "-f", fmt, "-D",
                                   cluster().data, *options)
    check_eq(status, 0, f"exit status of -f {fmt}: {err}")
    return out


# ---- the command line ---------------------------------------------------------------------------

@deadline(30)
def test_help_and_version():
    for option in ("-h", "--help"):
        status, out, err = run_program(option)
        check_eq((status, err), (0, ""), option)
        check("usage" in out.lower() and "--window" in out, out)
    for option in ("-V", "--version"):
        status, out, err = run_program(option)
        check_eq((status, err), (0, ""), option)
        check(re.match(r"pgtop-offcpu \d+\.\d+\.\d+\n", out), out)


@deadline(60)
def test_bad_usage():
    for options in (["--nonsense"], ["-d", "0"], ["-d", "50ms"], ["-d", "2h"], ["-d", "x"],
                    ["-d", "1s1"], ["-d", "-1"], ["-d", "nan"], ["-d", "inf"], ["-d", ""],
                    ["-w", "0.5"], ["-w", "2h"], ["-n", "0"], ["-n", "-1"], ["-n", "1x"],
                    ["-n", "99999999999999999999"], ["-f", "xml"], ["-s", "nothing"], ["-S", "some"], ["-p", "x"], ["-p", "-5"], ["-p", "0"],
                    ["--ring-size", "x"], ["--ring-size", "0"], ["--ring-size", "-1"], ["extra"],
                    ["-d"], ["-m", "-1us"]):
        status, out, err = run_program("-b", "-n", "1", *options) if options[0] != "-n" else \
            run_program("-b", *options)
        check_eq((status, out), (2, ""), f"exit status and output of {options}; stderr: {err}")
        check("--help" in err and 1 <= err.count("\n") <= 2, f"{options}: one line, and the hint: "
              f"{err!r}")


@deadline(60)
def test_durations():
    cluster()
    for text, seconds in (("200ms", 0.2), ("0.2", 0.2), ("200000us", 0.2), ("0.005m", 0.3),
                          ("300000000ns", 0.3)):
        reports = [json.loads(line) for line in
                   run_program("-b", "-f", "json", "-n", "3", "-d", text)[1].split("\n") if line]
        check_near(reports[-1]["interval_ns"] / S, seconds, 0.1, f"-d {text}")


@deadline(60)
def test_not_a_terminal_without_batch():
    status, out, err = run_program()
    check_eq((status, out), (1, ""), f"exit status and output; stderr: {err}")
    check("terminal" in err and "-b" in err, f"names -b: {err!r}")


# ---- formats ------------------------------------------------------------------------------------

@deadline(30)
def test_json_is_one_line_a_report():
    out = one_report("json", n="3")
    lines = out.split("\n")
    check_eq((len(lines), lines[-1]), (4, ""), "three lines")
    for line in lines[:-1]:
        check_report(json.loads(line))


@deadline(30)
def test_text():
    c = cluster()
    a = c.session("shown in text")
    a.send("select pg_sleep(60);")
    c.wait_for_event(a.pid, "Timeout:PgSleep")
    out = one_report("text")
    line = [x for x in out.split("\n") if re.search(rf"\b{a.pid}\b", x)]
    check(line and "PgSleep" in line[0], out)


@deadline(30)
def test_full_disk():
    with open("/dev/full", "wb") as full:
        p = subprocess.Popen([harness.PROGRAM, "-b", "-n", "3", "-d", "0.2", "-f", "json"],
                             stdout=full, stderr=subprocess.PIPE)
    harness.defer(p.kill)
    err = p.stderr.read().decode()
    check_eq(p.wait(10), 1, f"exit status; stderr: {err}")
    check("No space left on device" in err, err)


# ---- rows ---------------------------------------------------------------------------------------

@deadline(60)
def test_idle_rows_are_hidden():
    c = cluster()
    idler, opener = c.session("idler"), c.session("opener")
    opener.run("begin;")
    m = Monitor(cluster=c, idle=False, everything=False, window="1", delay="0.5")
    r = m.until(lambda r: backend(r, opener.pid) and not backend(r, idler.pid), 10,
                "shows who holds a transaction open, not who is idle")
    check(any(x["backends"] >= 2 for x in r["clusters"]), "clusters cover all")


@deadline(60)
def test_filters_and_sorting():
    c = cluster()
    a, b, z = c.session("alpha"), c.session("beta"), c.session("zeta")
    a.run("create table f(i int); begin; lock table f;")
    b.send("select /* Find Me */ * from f;")
    z.send(HOG)
    c.wait_for_event(b.pid, "Lock:relation")
    pids = {a.pid: "alpha", b.pid: "beta", z.pid: "zeta"}

    def shown(*options):
        m = Monitor("-n", "2", *options, cluster=c, everything=False)
        m.finish()
        return [pids[x["pid"]] for x in m.reports[-1]["backends"] if x["pid"] in pids]
    for text, want in (("app:alpha", "alpha"), ("app:^(alpha|beta)$", "alpha beta"),
                       ("find me", "beta"), ('"find me"', "beta"), ("type:lock", "beta"),
                       ("event:lock:relation", "beta"), ("Lock:relation", "beta"),
                       (f"pid:^{z.pid}$", "zeta"), ("app:a !app:beta !app:zeta", "alpha"),
                       ("state:idle app:.", "alpha"), ("user:nobody", ""), ("query:loop", "zeta"),
                       ("db:postgres app:zeta", "zeta"), ("(", ""), ("app:ALPHA", "alpha")):
        check_eq(sorted(shown("-F", text)), want.split(), f"-F {text!r}")
    check_eq(shown("-s", "lock")[0], "beta", "-s lock")
    check_eq(shown("-s", "cpu")[0], "zeta", "-s cpu")
    check_eq(shown("-s", "idle_xact")[0], "alpha", "-s idle_xact")
    check_eq(shown("-s", "-lock")[-1], "beta", "-s -lock inverts")
    check_eq(shown("-s", "application"), ["alpha", "beta", "zeta"], "-s application")
    check_eq(shown("-s", "pid"), [pids[p] for p in sorted(pids)], "-s pid")
    a.run("rollback;")


@deadline(60)
def test_min_wait_keeps_totals_exact():
    c = cluster()
    a = c.session("napper")
    m = Monitor("-m", "100ms", cluster=c, details_exact=False)
    m.watches(a.pid)
    for _ in range(50):
        a.run("select pg_sleep(0.005);")
    a.run("select pg_sleep(0.3);")
    b = backend(m.fresh(), a.pid)
    sleep = [e for e in b["events"] if e["event"] == "PgSleep"]
    check_eq([e["count"] for e in sleep], [1], f"only the long wait is in the events: {sleep}")
    check_eq(sum(b["histogram"]["timeout"]), 1, "and in the histogram")
    check(b["times"]["timeout"] >= 0.54 * S, f"the total has all: {b['times']}")


# ---- stacks -------------------------------------------------------------------------------------

@deadline(60)
def test_kernel_stacks():
    c = cluster()
    a = c.session("sleeper")
    m = Monitor("-S", "all", cluster=c)
    m.watches(a.pid)
    for _ in range(5):
        a.run("select pg_sleep(0.05);")
    b = backend(m.fresh(), a.pid)
    stacks = [s for s in b["stacks"] if s["type"] == "timeout"]
    check(stacks, f"stacks: {b['stacks']}")
    check(any("epoll_wait" in f for f in stacks[0]["kernel"]), f"kernel frames: {stacks[0]}")
    check(stacks[0]["user"], f"user frames: {stacks[0]}")
    check_eq(sum(s["count"] for s in stacks), 5, "each wait has one")
    m = Monitor("-S", "off", cluster=c)
    m.watches(a.pid)
    a.run("select pg_sleep(0.05);")
    check_eq(backend(m.fresh(), a.pid)["stacks"], [], "-S off")


if __name__ == "__main__":
    harness.main()
