"""Private PostgreSQL clusters, and sessions on them.

A cluster lives in a temporary directory, belongs to an unprivileged user (PostgreSQL refuses root),
listens on a Unix socket in that directory and, on request, on a free TCP port. Whatever way the test
ends, the reaper ends its processes and removes it. All processes that a test starts on a cluster
work inside its directory: that is how they are found again.
"""
import glob
import os
import pwd
import re
import select
import shutil
import signal
import socket
import subprocess
import time

import harness
import procs
from harness import check, defer, reaper, temp_dir, wait_until

RUN_AS = "postgres"


def bindir():
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin"),
                   key=lambda p: int(re.search(r"/(\d+)/bin$", p).group(1)))
    found = [p for p in found if os.access(p + "/initdb", os.X_OK)
             and os.access(p + "/pgbench", os.X_OK)]
    if not found:
        harness.skip("needs a PostgreSQL server (make deps-test)")
    return os.environ.get("PGTOP_TEST_BINDIR", found[-1])


def demoted(argv, user=RUN_AS):
    """argv, to be run as the unprivileged user."""
    if os.geteuid() != 0:
        return list(argv)
    pw = pwd.getpwnam(user)
    return ["setpriv", f"--reuid={pw.pw_uid}", f"--regid={pw.pw_gid}", "--clear-groups",
            "--", *argv]


def give(path, user=RUN_AS):
    if os.geteuid() == 0:
        pw = pwd.getpwnam(user)
        os.chown(path, pw.pw_uid, pw.pw_gid)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def quoted(value):
    return "'" + str(value).replace("'", "''") + "'"


def initdb(bindir_, target):
    subprocess.run(demoted([bindir_ + "/initdb", "-D", target, "-U", "postgres", "-A", "trust",
                            "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"]),
                   check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/tmp",
                   env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})


def template(bindir_):
    """A fresh data directory to copy, made once in a run of the tests."""
    tmp = os.environ.get("PGTOP_TEST_TMP")
    if not tmp:
        tmp = os.environ["PGTOP_TEST_TMP"] = temp_dir("pgtop-tests-")
    path = os.path.join(tmp, "template-" + bindir_.strip("/").replace("/", "-"))
    if not os.path.exists(path + "/done"):
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
        give(path)
        initdb(bindir_, path + "/data")
        open(path + "/done", "w", encoding="ascii").close()
    return path + "/data"


class Cluster:
    """A cluster that is running unless start=False.

    conf: settings over the defaults below; shared_buffers etc. as in postgresql.conf.
    """

    DEFAULTS = {
        "fsync": "off",
        "max_connections": 60,
        "shared_buffers": "32MB",
        "log_min_messages": "warning",
        "autovacuum": "off",
        "jit": "off",
        "lc_messages": "C",
        "deadlock_timeout": "10s",
        # a killed postmaster leaves nothing in /dev/shm
        "dynamic_shared_memory_type": "mmap",
    }

    def __init__(self, conf=None, start=True, bindir_=None, tcp=False, name="pg"):
        self.bindir = bindir_ or bindir()
        self.base = temp_dir(f"{name}-")
        give(self.base)
        self.data = self.base + "/data"
        self.port = free_port()
        self.host = self.base
        self.log = self.base + "/log"
        subprocess.run(["cp", "-a", "--reflink=auto", template(self.bindir), self.data], check=True)
        self.conf = {**self.DEFAULTS, **(conf or {}), "port": self.port,
                     "unix_socket_directories": self.base,
                     "listen_addresses": "127.0.0.1" if tcp else ""}
        self.write_conf()
        self.sessions = []
        self.postmaster = None
        if start:
            self.start()

    # ---- the server ----

    def write_conf(self, **changes):
        self.conf.update(changes)
        with open(self.data + "/postgresql.auto.conf", "w", encoding="utf-8") as f:
            for k, v in self.conf.items():
                f.write(f"{k} = {quoted(v)}\n")

    def start(self, wrap=()):
        """Starts the server and waits until it accepts connections. wrap: a command to start it
        under, such as unshare."""
        argv = [self.bindir + "/postgres", "-D", self.data]
        argv = [*wrap, *demoted(argv)]
        with open(self.log, "ab") as log:
            self.server = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.base,
                start_new_session=True,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PGDATA": self.data})
        self.wait_ready()
        return self

    def wait_ready(self, deadline=30):
        def ready():
            if self.server.poll() is not None:
                raise AssertionError("the server did not start:\n" + self.server_log())
            try:
                with open(self.data + "/postmaster.pid", encoding="utf-8") as f:
                    lines = f.read().split("\n")
            except OSError:
                return False
            return len(lines) > 7 and lines[7].strip() == "ready" and int(lines[0])
        self.postmaster_inner = wait_until(ready, deadline, "PostgreSQL accepts connections")
        self.postmaster = self.server.pid if not self._wrapped() else self._find_postmaster()

    def _wrapped(self):
        return b"postgres" not in os.path.basename((procs.cmdline(self.server.pid) or [b""])[0])

    def _find_postmaster(self):
        for pid in procs.inside(self.data):
            argv = procs.cmdline(pid)
            if argv and len(argv) > 1 and argv[0].endswith(b"/postgres"):
                return pid
        raise AssertionError("no postmaster in " + self.data)

    def stop(self, mode="fast", deadline=30):
        """smart, fast or immediate, as pg_ctl."""
        if self.server.poll() is None:
            sig = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}
            procs.end(self.postmaster, sig[mode])
            try:
                self.server.wait(deadline)
            except subprocess.TimeoutExpired:
                raise AssertionError(f"PostgreSQL did not stop ({mode})\n"
                                     + self.server_log()) from None
        self.sessions.clear()

    def restart(self, mode="fast"):
        self.stop(mode)
        self.start()

    def kill_postmaster(self):
        """SIGKILL to the postmaster alone: its children are orphans."""
        os.kill(self.postmaster, signal.SIGKILL)
        self.server.wait(10)

    def reload(self, **changes):
        self.write_conf(**changes)
        os.kill(self.postmaster, signal.SIGHUP)

    def server_log(self):
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return f.read()[-4000:]

    def children(self):
        return procs.children(self.postmaster)

    # ---- clients ----

    def environ(self, **more):
        e = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LC_ALL": "C.UTF-8", "PGHOST": self.host,
             "PGPORT": str(self.port), "PGUSER": "postgres", "PGDATABASE": "postgres",
             "PGCONNECT_TIMEOUT": "20", "HOME": self.base}
        e.update({k: str(v) for k, v in more.items()})
        return e

    def sql(self, text, deadline=60, **environ):
        """Runs SQL in a session of its own and returns the rows as lists of text; None for NULL."""
        r = subprocess.run(demoted([self.bindir + "/psql", *PSQL_OPTIONS, "-v", "ON_ERROR_STOP=1",
                                    "-f", "-"]), input=text.encode(), stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, cwd=self.base, timeout=deadline, check=False,
                           env=self.environ(PGAPPNAME="oracle", **environ))
        if r.returncode != 0:
            raise AssertionError(f"SQL failed: {r.stderr.decode(errors='replace')}\n{text[:2000]}")
        return rows_of(r.stdout.decode("utf-8", "replace"))

    def value(self, text, **environ):
        return self.sql(text, **environ)[0][0]

    def session(self, name=None, **environ):
        """PGUSER, PGDATABASE ... can be given; its `pid` is the one the server knows."""
        s = Session(self, name or f"s{len(self.sessions)}", environ)
        self.sessions.append(s)
        return s

    def late_session(self, name, before_connect):
        """A session whose psql is there already when before_connect() is called, so that the next
        process that is forked is its backend."""
        s = Session(self, name, {}, before_connect)
        self.sessions.append(s)
        return s

    def activity(self, pid):
        """What pg_stat_activity shows of a backend, as a dictionary, or None."""
        columns = ("pid", "state", "wait_event_type", "wait_event", "backend_type", "query",
                   "datname", "usename", "application_name")
        rows = self.sql(f"select {','.join(columns)} from pg_stat_activity where pid = {pid}")
        return dict(zip(columns, rows[0])) if rows else None

    def wait_for_event(self, pid, event, deadline=10):
        """Waits until pg_stat_activity shows that wait event ("Lock:transactionid")."""
        monitor = self.oracle()
        def seen():
            row = monitor.rows("select wait_event_type || ':' || wait_event from pg_stat_activity "
                               f"where pid = {pid}")
            return row and row[0][0] == event
        wait_until(seen, deadline, f"pg_stat_activity shows {event} for {pid}")

    def oracle(self):
        """A session kept for questions."""
        for s in self.sessions:
            if s.name == "oracle":
                return s
        return self.session("oracle")

    def pgbench(self, *options, init=None, **environ):
        """Initialises (init: the scale) or runs pgbench to its end; its output."""
        if init is not None:
            options = ["-i", "-q", "-s", str(init), *options]
        r = subprocess.run(demoted([self.bindir + "/pgbench", *map(str, options)]),
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, cwd=self.base, check=False, timeout=180,
                           env=self.environ(**environ))
        text = r.stdout.decode(errors="replace")
        check(r.returncode == 0, "pgbench failed: " + text)
        return text

    def pgbench_start(self, *options, **environ):
        """pgbench in the background; ends with the case."""
        return self.background([self.bindir + "/pgbench", *map(str, options)], **environ)

    def background(self, argv, **environ):
        """A client program in the background; ends with the case."""
        log = open(self.base + "/client.log", "ab")
        p = subprocess.Popen(demoted(argv), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                             cwd=self.base, env=self.environ(**environ), start_new_session=True)
        log.close()
        defer(end_process, p)
        return p

    def client_log(self):
        with open(self.base + "/client.log", encoding="utf-8", errors="replace") as f:
            return f.read()[-4000:]


def end_process(p, patience=10):
    if p.poll() is None:
        procs.end(p.pid)
        try:
            p.wait(patience)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait(10)


HOG = "do $$ declare i bigint := 0; begin loop i := i + 1; end loop; end $$;"   # only uses the CPU


def pin(pid, cpu=0):
    """The process runs on that CPU alone."""
    os.sched_setaffinity(pid, {sorted(os.sched_getaffinity(0))[cpu]})


# ---- sessions -----------------------------------------------------------------------------------

PSQL_OPTIONS = ["-X", "-q", "-A", "-t", "-F", "\t", "-P", "null=\\N"]


def rows_of(text):
    return [[None if c == "\\N" else c for c in line.split("\t")]
            for line in text.split("\n") if line != ""]


class Session:
    """psql over pipes. send() does not wait, finish() waits for what was sent; run() is both."""

    def __init__(self, cluster, name, environ, before_connect=None):
        self.cluster, self.name = cluster, name
        self.marks = self.answered = 0
        self.output = ""
        e = cluster.environ(PGAPPNAME=name)
        e.update(environ)
        self.psql = subprocess.Popen(
            demoted([cluster.bindir + "/psql", *PSQL_OPTIONS, "-v", "VERBOSITY=terse"]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0,
            cwd=cluster.base, env=e, start_new_session=True)
        os.set_blocking(self.psql.stdout.fileno(), False)
        self.pid = None
        defer(self.close)
        if before_connect:
            self.run("\\c")     # psql is connected and settled; now it connects again
            before_connect()
            self.run("\\c")
        self.pid = int(self.run("select pg_backend_pid();").strip())

    def write(self, text):
        """Raw input for psql, COPY data too."""
        self.psql.stdin.write(text if isinstance(text, bytes) else text.encode())

    def send(self, sql):
        """Starts SQL without waiting for it."""
        self.marks += 1
        self.write(f"{sql}\n\\echo =done={self.marks}=\n")

    def finished(self):
        while self._read(0) == "data":
            pass
        return self.answered == self.marks or f"=done={self.marks}=\n" in self.output

    def finish(self, deadline=20):
        """Waits for all that was sent and returns its output."""
        mark = f"=done={self.marks}=\n"
        end = time.monotonic() + deadline
        while mark not in self.output:
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"session {self.name}: no answer in {deadline} s: "
                                     f"{self.output[-500:]!r}")
            if self._read(left) == "end" and mark not in self.output:
                raise AssertionError(f"session {self.name}: psql ended: {self.output[-500:]!r}")
        text, _, self.output = self.output.partition(mark)
        self.answered = self.marks
        return re.sub(r"=done=\d+=\n", "", text)

    def run(self, sql, deadline=20):
        self.send(sql)
        return self.finish(deadline)

    def rows(self, sql, deadline=20):
        return rows_of(self.run(sql if sql.rstrip().endswith(";") else sql + ";", deadline))

    def value(self, sql, deadline=20):
        return self.rows(sql, deadline)[0][0]

    def _read(self, patience):
        fd = self.psql.stdout.fileno()
        ready, _, _ = select.select([fd], [], [], patience)
        if not ready:
            return None
        data = os.read(fd, 65536)
        if not data:
            return "end"
        self.output += data.decode("utf-8", "replace")
        return "data"

    def stop_client(self):
        """The client no longer reads."""
        os.kill(self.psql.pid, signal.SIGSTOP)

    def continue_client(self):
        procs.kill(self.psql.pid, signal.SIGCONT)

    def close(self):
        if self in self.cluster.sessions:
            self.cluster.sessions.remove(self)
        elif self.psql.poll() is not None:
            return
        self.continue_client()
        if self.pid and self.answered != self.marks:
            # a backend at work does not notice that its client has gone
            if procs.parent(self.pid) == self.cluster.postmaster:
                procs.kill(self.pid, signal.SIGTERM)
        try:
            self.psql.stdin.close()
        except OSError:
            pass
        try:
            self.psql.wait(0.5)
        except subprocess.TimeoutExpired:
            end_process(self.psql, 2)
        self.psql.stdout.close()
