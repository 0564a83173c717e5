#!/usr/bin/python3
"""The command line and the batch formats: what scripts rely on. Recordings too."""
import csv
import functools
import io
import json
import os
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
from harness import check, check_eq, check_near, deadline, wait_until  # noqa: E402
from monitor import TYPES, Monitor, backend, check_report, run_program  # noqa: E402
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
                    ["-n", "99999999999999999999"], ["-f", "xml"], ["-s", "nothing"], ["-g", "pid"],
                    ["-S", "some"], ["-p", "x"], ["-p", "-5"], ["-p", "0"], ["--speed", "0"],
                    ["--speed", "fast"], ["--ring-size", "x"], ["--ring-size", "-1"], ["extra"],
                    ["-d"], ["-m", "-1us"]):
        status, out, err = run_program("-b", "-n", "1", *options) if options[0] != "-n" else \
            run_program("-b", *options)
        check_eq((status, out), (2, ""), f"exit status and output of {options}; stderr: {err}")
        check("--help" in err and err.count("\n") == 2, f"{options}: one line, then the hint: "
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
    a.send("select pg_sleep(5);")
    c.wait_for_event(a.pid, "Timeout:PgSleep")
    out = one_report("text")
    line = [x for x in out.split("\n") if re.search(rf"\b{a.pid}\b", x)]
    check(line and "PgSleep" in line[0], out)


@deadline(30)
def test_csv():
    c = cluster()
    a = c.session('quote " and , comma')
    a.run("select 1, 'two';")
    rows = list(csv.reader(io.StringIO(one_report("csv", n="2"))))
    head = rows[0]
    check_eq(len(head), len(set(head)), f"distinct columns: {head}")
    check({"pid", *TYPES} <= {h.removesuffix("_ns") for h in head}, f"columns: {head}")
    check_eq({len(r) for r in rows}, {len(head)}, "columns of each row")
    check_eq(sum(r == head for r in rows), 1, "one header")
    mine = [dict(zip(head, r)) for r in rows[1:] if r[head.index("pid")] == str(a.pid)]
    check_eq(len(mine), 2, "a row in each of two reports")
    check_eq(mine[0]["application"], 'quote " and , comma', "quoting")
    check_eq(mine[0]["query"], "select 1, 'two';", "query")


@deadline(30)
def test_openmetrics():
    out = one_report("openmetrics")
    lines = out.split("\n")
    check_eq(lines[-2:], ["# EOF", ""], "the end")
    typed = {}
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            typed[line.split(" ")[2]] = line.split(" ")[3]
        elif not line.startswith("#"):
            m = re.fullmatch(r'([a-z_:][a-z0-9_:]*)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*\})? '
                             r'(\S+)( \S+)?', line)
            check(m, f"a sample: {line!r}")
            float(m.group(3))
            name = m.group(1)
            check(any(name == t or name == t + s for t in typed
                      for s in ("_total", "_sum", "_count", "_bucket", "_info")),
                  f"{name} has a type")
            if typed.get(name.removesuffix("_total")) == "counter":
                check(name.endswith("_total"), f"a counter ends in _total: {name}")


@deadline(60)
def test_openmetrics_file_is_replaced_whole():
    folder = harness.temp_dir()
    path = folder + "/pgtop.prom"
    p = subprocess.Popen([harness.PROGRAM, "-b", "-f", "openmetrics", "-d", "0.1", "-i", "-O", path,
                          "-D", cluster().data], stdout=subprocess.PIPE)
    harness.defer(p.kill)
    wait_until(lambda: os.path.exists(path), 10, "the file is there")
    inodes = set()
    end = time.monotonic() + 2
    while time.monotonic() < end:
        with open(path, encoding="utf-8") as f:
            inodes.add(os.fstat(f.fileno()).st_ino)
            check(f.read().endswith("\n# EOF\n"), "always whole")
    check(len(inodes) > 3, "replaced at each refresh")
    p.terminate()
    check_eq((p.wait(10), p.stdout.read()), (0, b""), "exit status and standard output")
    check_eq(os.listdir(folder), ["pgtop.prom"], "no temporary file is left")
    check_eq(os.stat(path).st_mode & 0o444, 0o444, "others may read it")


@deadline(30)
def test_folded():
    c = cluster()
    a = c.session("sleeper")
    a.send("select pg_sleep(5);")
    c.wait_for_event(a.pid, "Timeout:PgSleep")
    out = one_report("folded")
    for line in out.split("\n")[:-1]:
        check(re.fullmatch(r".+;[a-z_]+;[^;]*(;.*)? \d+", line), f"a folded stack: {line!r}")
    check("timeout;" in out and "PgSleep" in out, out)


@deadline(30)
def test_output_file():
    path = harness.temp_dir() + "/out.json"
    check_eq(one_report("json", "-O", path, n="2"), "", "standard output")
    with open(path, encoding="utf-8") as f:
        check_eq(len([json.loads(line) for line in f]), 2, "reports in the file")
    status, _, err = run_program("-b", "-n", "1", "-O", "/nonexistent/x")
    check_eq(status, 1, "exit status")
    check("/nonexistent/x" in err and "No such file" in err, err)


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
    a.run("begin; create table if not exists f(i int); lock table f;")
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
    check(any(f.startswith("WaitLatch") for f in stacks[0]["user"]), f"user frames: {stacks[0]}")
    check_eq(sum(s["count"] for s in stacks), 5, "each wait has one")
    m = Monitor("-S", "off", cluster=c)
    m.watches(a.pid)
    a.run("select pg_sleep(0.05);")
    check_eq(backend(m.fresh(), a.pid)["stacks"], [], "-S off")


# ---- recordings ---------------------------------------------------------------------------------

@deadline(90)
def test_recording_replays_what_was_seen():
    c = cluster()
    path = harness.temp_dir() + "/seen.rec"
    a, b = c.session("one"), c.session("two")
    m = Monitor("-o", path, cluster=c, delay="0.5")
    m.watches(a.pid, b.pid)
    a.run("begin; create table if not exists rec(i int); lock table rec;")
    b.send("select * from rec;")
    c.wait_for_event(b.pid, "Lock:relation")
    a.run("select pg_sleep(1);")
    a.run("commit;")
    b.finish()
    m.fresh()
    check_eq(m.stop(), 0, f"exit status: {m.errors()}")
    # no root, no PostgreSQL
    os.chmod(path, 0o644)
    program = harness.temp_dir() + "/pgtop-offcpu"
    subprocess.run(["install", "-m", "755", harness.PROGRAM, program], check=True)
    r = Monitor("-r", path, "--speed", "max", delay="0.5", program=program,
                wrap=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"])
    check_eq(r.finish(), 0, f"exit status: {r.errors()}")
    check(r.reports, "the replay reports")
    live, again = m.reports[-1], r.reports[-1]
    for s in (a, b):
        x, y = backend(live, s.pid), backend(again, s.pid)
        check_eq((x["application"], x["database"], x["query"]),
                 (y["application"], y["database"], y["query"]), "facts of the session")
        for t in ("lock", "timeout", "unknown"):
            check_near(y["times"][t] / S, x["times"][t] / S, 0.01, f"{t} of {s.name}, in seconds")
    status, _, err = run_program("-b", "-n", "1", "-o", path)
    check_eq(status, 1, f"an existing file is not overwritten; stderr: {err}")
    check("--force" in err, err)
    check_eq(run_program("-b", "-n", "1", "-d", "0.2", "-o", path, "--force")[0], 0, "--force")


@deadline(60)
def test_bad_recordings():
    folder = harness.temp_dir()
    good = folder + "/good"
    c = cluster()
    check_eq(run_program("-b", "-n", "4", "-d", "0.2", "-o", good, "-D", c.data)[0], 0, "recorded")
    with open(good, "rb") as f:
        data = f.read()
    for name, content in (("empty", b""), ("foreign", b"\x7fELF" + bytes(4000)),
                          ("text", b"hello\n" * 100)):
        path = f"{folder}/{name}"
        with open(path, "wb") as f:
            f.write(content)
        status, _, err = run_program("-b", "-r", path, "--speed", "max")
        check_eq(status, 1, f"exit status of a recording that is {name}; stderr: {err}")
        check(path in err and err.count("\n") <= 2, err)
    cut = folder + "/cut"
    with open(cut, "wb") as f:
        f.write(data[:len(data) * 2 // 3])
    status, out, err = run_program("-b", "-f", "json", "-i", "-r", cut, "--speed", "max")
    check(out.count("\n") >= 1, "plays what is whole")
    check("truncated" in err or "damaged" in err or "ends" in err, f"says where it ends: {err!r}")
    status, _, err = run_program("-b", "-r", "/nonexistent")
    check_eq(status, 1, "exit status")
    check("No such file" in err, err)
    with open(folder + "/flipped", "wb") as f:
        f.write(data[:len(data) // 2] + bytes([data[len(data) // 2] ^ 0x40])
                + data[len(data) // 2 + 1:])
    status, out, err = run_program("-b", "-f", "json", "-i", "-r", folder + "/flipped",
                                   "--speed", "max")
    check(status in (0, 1) and err, f"a flipped bit is seen: {status} {err!r}")


@deadline(60)
def test_recording_survives_kill():
    c = cluster()
    path = harness.temp_dir() + "/killed"
    m = Monitor("-o", path, cluster=c, delay="0.2")
    for _ in range(6):
        m.next()
    m.process.kill()
    m.process.wait(10)
    status, out, _ = run_program("-b", "-f", "json", "-i", "-r", path, "--speed", "max", "-d", "0.2")
    check(out.count("\n") >= 3, f"whole frames play: status {status}, {out.count(chr(10))} reports")


@deadline(60)
def test_recording_on_a_full_disk():
    c = cluster()
    folder = harness.temp_dir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder],
                      check=False).returncode:
        harness.skip("machine: cannot mount a tmpfs")
    harness.defer(subprocess.run, ["umount", folder], check=False)
    c.pgbench_start("-i", "-s", "1")
    status, _, err = run_program("-b", "-n", "100", "-d", "0.1", "-o", folder + "/r", deadline=30)
    check_eq(status, 1, f"exit status; stderr: {err}")
    check("No space left" in err, err)


if __name__ == "__main__":
    harness.main()
