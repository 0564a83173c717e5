#!/usr/bin/python3
# deadline: 400
"""Finding PostgreSQL: which processes are whose, whatever they are called and whatever happens to
the server meanwhile; and the names of sessions, whatever is in them."""
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
import procs  # noqa: E402
from harness import check, check_eq, deadline, wait_until  # noqa: E402
from monitor import Monitor, backend, current_name, run_program  # noqa: E402
from pgcluster import HOG, Cluster, bindir, end_process  # noqa: E402

S = 1_000_000_000


@functools.cache
def cluster():
    c = Cluster({"compute_query_id": "on"}, tcp=True)
    c.sql("create table t(i int); insert into t values (1)")
    return c


def clusters_of(report):
    return {c["data_directory"]: c for c in report["clusters"]}


@deadline(60)
def test_sessions_are_what_pg_stat_activity_shows():
    c = cluster()
    c.sql("create role \"Jane Doe\" login; create database \"my (db) [x]\"")
    a = c.session("app one", PGUSER="Jane Doe", PGDATABASE="my (db) [x]")
    b = c.session("app two", PGHOST="127.0.0.1")
    a.run("begin; select 42 as answer;")
    b.send("select pg_sleep(60) /* seen */;")
    c.wait_for_event(b.pid, "Timeout:PgSleep")
    m = Monitor(cluster=c)
    r = m.watches(a.pid, b.pid)
    rows = c.oracle().rows(
        "select pid, backend_type, usename, datname, application_name, state, query, query_id,"
        " to_char(backend_start at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.US'), leader_pid,"
        " (extract(epoch from clock_timestamp() - xact_start) * 1e9)::bigint,"
        " (extract(epoch from clock_timestamp() - state_change) * 1e9)::bigint, client_addr"
        " from pg_stat_activity")
    check(len(rows) >= 7, f"{len(rows)} processes")
    for (pid, kind, user, db, app, state, query, query_id, start, leader, xact, age, addr) in rows:
        x = backend(r, int(pid))
        check(x, f"no row for {pid} ({kind})")
        who = f"{kind} {pid}"
        check_eq(x["backend_type"], kind, f"{who}: backend type")
        check_eq(x["backend_start"].rstrip("Z"), start, f"{who}: backend start")
        check_eq(x["leader_pid"], leader and int(leader), f"{who}: leader")
        if kind != "client backend":
            continue
        check_eq((x["user"], x["database"], x["application"]), (user, db, app), f"{who}: names")
        if int(pid) in (a.pid, b.pid):
            check_eq((x["state"], x["query"]), (state, query), f"{who}: state and query")
            check_eq(x["query_id"], int(query_id), f"{who}: query id")
            check(abs(x["xact_age_ns"] - int(xact)) < 2 * S, f"{who}: age of the transaction "
                  f"{x['xact_age_ns']}, not {xact}")
            check(abs(x["state_age_ns"] - int(age)) < 2 * S, f"{who}: age of the state "
                  f"{x['state_age_ns']}, not {age}")
            if addr:
                check("127.0.0.1" in (x["client"] or ""), f"{who}: client {x['client']}")
    me = clusters_of(r)[c.data]
    check_eq(me["postmaster"], c.postmaster, "postmaster")
    check_eq(me["wait_events"], "exact", "wait events")
    check_eq(me["version"], c.oracle().value("show server_version").split(" ")[0], "version")
    check_eq(me["version_num"], int(c.oracle().value("show server_version_num")), "version_num")


@deadline(60)
def test_two_clusters_at_once():
    one, two = cluster(), Cluster({"cluster_name": "second"})
    a, b = one.session("a"), two.session("b")
    m = Monitor()
    r = m.watches(a.pid, b.pid)
    found = clusters_of(r)
    check(one.data in found and two.data in found, f"both clusters: {list(found)}")
    check_eq(backend(r, a.pid)["postmaster"], one.postmaster, "the cluster of a")
    check_eq(backend(r, b.pid)["postmaster"], two.postmaster, "the cluster of b")
    check_eq(found[two.data]["cluster_name"], "second", "cluster_name")
    two.stop()


@deadline(60)
def test_selection():
    one, two = cluster(), Cluster()
    a, b, d = one.session("a"), two.session("b"), two.session("d")
    for options in (["-D", two.data], ["-D", two.data + "/"], ["-p", two.postmaster],
                    ["--pgdata=" + two.data], ["--pid", two.postmaster]):
        m = Monitor(*options)
        r = m.watches(b.pid)
        check_eq(list(clusters_of(r)), [two.data], f"only that cluster with {options}")
        check(backend(r, a.pid) is None, "no backend of the other cluster")
        check_eq(m.stop(), 0, "exit status")
    link = two.base + "/link"
    os.symlink(two.data, link)
    r = Monitor("-D", link).watches(b.pid)
    check_eq(list(clusters_of(r)), [two.data], "-D with a symbolic link")
    r = Monitor("-D", one.data, "-D", two.data).watches(a.pid, b.pid)
    check_eq(set(clusters_of(r)), {one.data, two.data}, "-D given twice")
    m = Monitor("-p", b.pid, everything=False)
    r = m.watches(b.pid)
    check_eq([x["pid"] for x in r["backends"]], [b.pid], "-p with a backend")
    m = Monitor("-p", b.pid, "-p", d.pid, everything=False)
    r = m.watches(b.pid, d.pid)
    check_eq({x["pid"] for x in r["backends"]}, {b.pid, d.pid}, "-p given twice")
    two.stop()


@deadline(60)
def test_selection_that_matches_nothing():
    c = cluster()
    for options in (["-D", "/nonexistent"], ["-D", c.base], ["-p", "1"], ["-p", "4194303"]):
        status, out, err = run_program("-b", "-n", "1", *options)
        check_eq(status, 1, f"exit status with {options}: {err}")
        check_eq(out, "", "standard output")
        check(c.data in err, f"{options} names the clusters that exist: {err!r}")
        check(err.count("\n") <= 2 + err.count(" -D "), f"no more than is needed: {err!r}")


@deadline(60)
def test_cluster_that_starts_later():
    cluster()
    late = Cluster(start=False)
    m = Monitor(delay="0.3")
    m.next()
    late.start()
    a = late.session("a")
    a.send("select pg_sleep(60);")
    late.wait_for_event(a.pid, "Timeout:PgSleep")
    r = m.watches(a.pid)
    check(late.data in clusters_of(r), "the new cluster")
    r = m.fresh()
    check_eq(current_name(backend(r, a.pid)), "Timeout:PgSleep", "its wait event")
    b = late.session("b")           # forked while it is watched: whole from the start
    b.run("select pg_sleep(0.2);")
    r = m.until(lambda r: backend(r, b.pid))
    late.stop("immediate")
    m.until(lambda r: all(x["exited"] for x in r["backends"] if x["postmaster"] == late.postmaster),
            10, "its backends are marked as exited")


@deadline(60)
def test_restart_while_it_is_watched():
    c = Cluster({"cluster_name": "again"})
    a = c.session("a")
    m = Monitor("-D", c.data, delay="0.3", window="3")
    r = m.watches(a.pid)
    old = c.postmaster
    c.restart("fast")
    a = c.session("a")
    r = m.watches(a.pid)
    check_eq(backend(r, a.pid)["postmaster"], c.postmaster, "the new postmaster")
    r = m.until(lambda r: all(x["postmaster"] != old for x in r["backends"]), 10,
                "the old ones leave the window")
    check_eq([x["postmaster"] for x in r["clusters"]], [c.postmaster], "one cluster")
    check_eq(m.stop(), 0, "exit status")
    c.stop()


@deadline(60)
def test_killed_postmaster_and_orphans():
    c = Cluster({"cluster_name": "killed"})
    a = c.session("orphan")
    m = Monitor("-D", c.data, delay="0.3", window="3")
    m.watches(a.pid)
    # who waits on a latch notices that the postmaster has died; who is busy does not
    a.send(HOG)
    wait_until(lambda: c.activity(a.pid)["state"] == "active", 10, "it is busy")
    c.kill_postmaster()
    wait_until(lambda: procs.parent(a.pid) != c.postmaster, 5, "it is an orphan")
    harness.defer(procs.kill, a.pid, signal.SIGKILL)
    # seen by one that starts only now, too
    late = Monitor(delay="0.3")
    for monitor in (m, late):
        first = monitor.until(lambda r: r["mono_ns"] and backend(r, a.pid), 5, "shows the orphan")
        last = monitor.until(lambda r: r["mono_ns"] >= first["mono_ns"] + S)
        row = backend(last, a.pid)
        check(not row["exited"], "the orphan lives")
        if monitor is m:
            check_eq((row["postmaster"], row["application"]), (c.postmaster, "orphan"), "whose it is")
        check(row["times"]["cpu"] + row["times"]["runq"] >= 0.9 * S, f"it is busy: {row['times']}")
    os.kill(a.pid, signal.SIGKILL)
    m.until(lambda r: not r["backends"], 10, "all have left the window")
    check_eq(m.stop(), 0, "exit status")


@deadline(60)
def test_cluster_names():
    for name in ("a: b", "bgworker: x", "x" * 60, "15/main", "100%"):
        c = Cluster({"cluster_name": name})
        a = c.session("named app")
        a.send("select pg_sleep(60);")
        c.wait_for_event(a.pid, "Timeout:PgSleep")
        m = Monitor(cluster=c)
        r = m.watches(a.pid)
        check_eq(clusters_of(r)[c.data]["cluster_name"], c.oracle().value("show cluster_name"),
                 "cluster_name")
        b = backend(r, a.pid)
        check_eq((b["user"], b["database"], b["application"], b["state"], b["backend_type"]),
                 ("postgres", "postgres", "named app", "active", "client backend"),
                 f"a session of cluster {name!r}")
        kinds = {x["backend_type"] for x in r["backends"]}
        check({"checkpointer", "background writer", "walwriter"} <= kinds, f"types {kinds}")
        c.stop("immediate")


@deadline(60)
def test_without_process_titles():
    c = Cluster({"update_process_title": "off"})
    a = c.session("untitled")
    a.run("begin; select 'seen';")
    r = Monitor(cluster=c).watches(a.pid)
    b = backend(r, a.pid)
    check_eq((b["user"], b["database"], b["application"], b["state"], b["query"]),
             ("postgres", "postgres", "untitled", "idle in transaction", "select 'seen';"),
             "a session")
    c.stop("immediate")


@deadline(60)
def test_names_with_anything_in_them():
    c = cluster()
    names = ["esc\x1b]52;c;aGk=\x07x", "cr\rlf\nx", "tab\tx", "c1\u009b31mx", "quote'\"\\x",
             "漢字と絵文字😀", "comb\u0301ining", "rtl\u202eabc\u200b", "a, b; c", "<&>"]
    sessions = []
    for i, name in enumerate(names):
        ident = name.replace('"', '""')
        c.sql(f"create role \"{ident}\" login; create database \"{ident}\";")
        s = c.session("hostile", PGUSER=name, PGDATABASE=name)
        s.run(f"select $q${name}$q$ as \"{i}\";")
        sessions.append(s)
    m = Monitor(cluster=c)
    r = m.watches(*[s.pid for s in sessions])
    bad = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
    for name, s in zip(names, sessions):
        b = backend(r, s.pid)
        for key in ("user", "database", "application", "client", "state"):
            check(b[key] is None or not bad.search(b[key]), f"{key} is clean: {b[key]!r}")
        check(not bad.search(b["query"].replace("\n", "").replace("\t", "")), repr(b["query"]))
        if not bad.search(name):
            check_eq((b["user"], b["database"]), (name, name), "harmless names are unchanged")
    status, out, err = run_program("-b", "-n", "1", "-d", "0.2", "-i", "-D", c.data)
    check_eq(status, 0, f"exit status: {err}")
    check(not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", out), f"the text is clean: {out!r}")


@deadline(60)
def test_bytes_that_are_no_utf8():
    c = cluster()
    c.sql("create database latin encoding 'SQL_ASCII' lc_collate 'C' lc_ctype 'C' "
          "template template0")
    s = c.session("raw", PGDATABASE="latin", PGCLIENTENCODING="SQL_ASCII")
    s.write(b"create role \"caf\xe9 \x9b1m\" login; select 'caf\xe9 \x9b \xc3';\n")
    s.run("")
    m = Monitor(cluster=c)      # reads its lines as strict UTF-8
    r = m.watches(s.pid)
    check("caf" in backend(r, s.pid)["query"], repr(backend(r, s.pid)["query"]))


@deadline(60)
def test_query_cut_in_the_middle_of_a_character():
    c = cluster()
    s = c.session("long")
    size = int(c.oracle().value("show track_activity_query_size").rstrip("kB").replace("B", ""))
    size = size * 1024 if size < 100 else size
    m = Monitor(cluster=c)
    for shift in range(3):
        s.run("select '" + "x" * shift + "漢" * size + "';")
        r = m.fresh()
        query = backend(r, s.pid)["query"]
        check(query.startswith("select '" + "x" * shift + "漢"), query[:20])
        check(len(query.encode()) <= size, f"{len(query.encode())} bytes")


@deadline(60)
def test_binary_replaced_while_it_runs():
    """A package upgrade: the running image is no longer at its path, another one is."""
    system = bindir()
    top = harness.temp_dir("bin-")
    copy = top + system
    os.makedirs(copy)
    version = system.split("/")[-2]
    for f in os.listdir(system):
        os.symlink(os.path.join(system, f), os.path.join(copy, f))
    os.remove(copy + "/postgres")
    shutil.copy2(system + "/postgres", copy + "/postgres")
    os.symlink(os.path.dirname(system) + "/lib", os.path.dirname(copy) + "/lib")
    os.makedirs(top + "/usr/share/postgresql")
    os.symlink(f"/usr/share/postgresql/{version}", f"{top}/usr/share/postgresql/{version}")
    c = Cluster(bindir_=copy)
    a = c.session("before")
    early = Monitor(cluster=c, delay="0.3")
    early.watches(a.pid)
    shutil.copy2("/bin/true", copy + "/new")
    os.rename(copy + "/new", copy + "/postgres")
    check(os.readlink(f"/proc/{a.pid}/exe").endswith(" (deleted)"), "the binary is deleted")
    late = Monitor(cluster=c, delay="0.3")
    b = c.session("after")
    for s in (a, b):
        s.send("select pg_sleep(60);")
        c.wait_for_event(s.pid, "Timeout:PgSleep")
    for m in (early, late):
        m.watches(a.pid, b.pid)
        r = m.fresh()
        for s in (a, b):
            check_eq(backend(r, s.pid)["postmaster"], c.postmaster, "its cluster")
            check_eq(current_name(backend(r, s.pid)), "Timeout:PgSleep", "its wait")
            check_eq(backend(r, s.pid)["application"], s.name, "its application")
        check_eq(clusters_of(r)[c.data]["wait_events"], "exact", "wait events")
    c.stop("immediate")


@deadline(60)
def test_mount_namespace():
    """As in a container: at the server's path the host has another file, or none."""
    system = bindir()
    copy = harness.temp_dir("image-")
    for f in os.listdir(system):
        shutil.copy2(os.path.join(system, f), os.path.join(copy, f))
    c = Cluster(start=False)
    c.start(wrap=["unshare", "--mount", "sh", "-c",
                  f'mount --bind {copy} {system} && exec "$0" "$@"'])
    exe = os.stat(f"/proc/{c.postmaster}/exe")
    check(exe.st_ino != os.stat(system + "/postgres").st_ino, "it runs another file")
    a = c.session("contained")
    a.send("select pg_sleep(60);")
    c.wait_for_event(a.pid, "Timeout:PgSleep")
    m = Monitor("-p", c.postmaster)
    m.watches(a.pid)
    r = m.fresh()
    check_eq(current_name(backend(r, a.pid)), "Timeout:PgSleep", "its wait")
    check_eq(clusters_of(r)[c.data]["wait_events"], "exact", "wait events")
    c.stop("immediate")


@deadline(60)
def test_impostors():
    """Processes that only look like PostgreSQL are not shown."""
    c = cluster()
    a = c.session("real")
    top = harness.temp_dir("impostor-")
    fake = top + "/postgres"
    shutil.copy2("/bin/sleep", fake)
    started = [subprocess.Popen(["postgres: checkpointer ", "300"], executable=fake, cwd=top),
               subprocess.Popen(["postgres: a b [local] idle", "300"], executable="/bin/sleep",
                                cwd=top),
               subprocess.Popen(["/usr/bin/python3", "-c",
                                 "import ctypes, time; ctypes.CDLL(None).prctl(15, b'postgres');"
                                 "time.sleep(300)", "-D", c.data], cwd=top)]
    for p in started:
        harness.defer(end_process, p)
    m = Monitor(delay="0.3")
    m.watches(a.pid)
    r = m.fresh()
    for p in started:
        check(backend(r, p.pid) is None, f"{procs.cmdline(p.pid)} is no backend")
        check(p.pid not in [x["postmaster"] for x in r["clusters"]], "... and no postmaster")


@deadline(60)
def test_no_postgresql_at_all():
    others = [p for p in procs.all_pids()
              if (procs.cmdline(p) or [b""])[0].endswith((b"/postgres", b"/postmaster"))]
    m = Monitor("-n", "2", delay="0.2")
    if not others:
        r = m.next()
        check_eq((r["clusters"], r["backends"]), ([], []), "an empty report")
    check_eq(m.finish(), 0, "exit status")


@deadline(60)
def test_pid_namespace():
    c = Cluster(start=False)
    # the postmaster is 1 there, as in a container
    c.start(wrap=["unshare", "--fork", "--pid", "--mount-proc", "--kill-child"])
    a = c.session("inner")
    outer = [p for p in c.children() if b"[local]" in (procs.cmdline(p) or [b""])[0]]
    check_eq(len(outer), 1, "one session")
    m = Monitor("-p", c.postmaster)
    r = m.watches(outer[0])
    b = backend(r, outer[0])
    check_eq(b["pid_ns"], a.pid, "its pid in its own namespace")
    check_eq(b["application"], "inner", "application")
    a.send("select pg_sleep(60);")
    r = m.until(lambda r: current_name(backend(r, outer[0])) == "Timeout:PgSleep")
    check_eq(clusters_of(r)[c.data]["wait_events"], "exact", "wait events")
    m.stop()
    c.stop("immediate")


if __name__ == "__main__":
    harness.main()
