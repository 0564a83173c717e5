#!/usr/bin/python3
# deadline: 400
"""The stacks of waits: the kernel's frames against /proc/PID/stack, those of user space against the
files themselves, read by nm and readelf. Never a wrong name."""
import bisect
import functools
import os
import platform
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
import procs  # noqa: E402
from harness import check, check_eq, deadline, need_command, wait_until  # noqa: E402
from monitor import Monitor, backend, check_no_loss, event_of  # noqa: E402
from pgcluster import Cluster, bindir  # noqa: E402

S = 1_000_000_000
BLOCKED = ("io", "wal_write", "lwlock", "lock", "network", "ipc", "timeout", "idle_xact", "idle",
           "other")
# from the innermost frame to the outermost, whatever is between them
ROW_LOCK = ("ProcSleep", "LockAcquireExtended", "XactLockTableWait", "standard_ExecutorRun",
            "PostgresMain", "PostmasterMain", "main")
SLEEP = ("pg_sleep", "standard_ExecutorRun", "PostgresMain", "main")


@functools.cache
def cluster():
    c = Cluster()
    c.sql("create table rows(id int primary key, n int); insert into rows values (1, 0);"
          "create table copied(t text);")
    return c


# ---- what the files say -------------------------------------------------------------------------

@functools.cache
def elf_file(path):
    return ElfFile(path)


class ElfFile:
    """Functions and code of a file as binutils show them."""

    def __init__(self, path):
        need_command("nm", "readelf")
        self.path = path
        self.functions = []
        for table in (["-D"], []):
            out = subprocess.run(["nm", "--defined-only", "-S", *table, path], text=True,
                                 check=False, capture_output=True).stdout
            for line in out.splitlines():
                m = re.match(r"([0-9a-f]+) ([0-9a-f]+) [TtWwi] (\S+)", line)
                if m:
                    start, size = int(m[1], 16), int(m[2], 16)
                    self.functions.append((start, start + size, m[3].partition("@")[0]))
        self.functions.sort()
        self.names = {f[2] for f in self.functions}
        self.segments = []
        out = subprocess.run(["readelf", "-lW", path], text=True, check=True,
                             capture_output=True).stdout
        for m in re.finditer(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ +R +E", out):
            self.segments.append([int(g, 16) for g in m.groups()])

    def covered(self, vaddr):
        """The functions whose symbols cover an address."""
        below = self.functions[:bisect.bisect(self.functions, (vaddr, 1 << 64, ""))]
        return {name for start, end, name in below[-200:] if start <= vaddr < end}

    def before(self, vaddr, n):
        """n bytes of code before an address; None if there is no code."""
        for offset, start, size in self.segments:
            if start + n <= vaddr <= start + size:
                with open(self.path, "rb") as f:
                    return os.pread(f.fileno(), n, offset + vaddr - n - start)
        return None


def is_call(code):
    """Whether x86-64 code ends in a call (all its forms that compilers use)."""
    return (code[-5] == 0xe8 or any(
        code[-n] == 0xff and code[-n + 1] >> 3 & 7 == 2 for n in range(2, 8)))


def check_user_frames(frames, files, innermost=True):
    """Each is a function one of the files has, or an address in one of them that no function covers
    and at which, but for the innermost frame, a call returns."""
    by_name = {os.path.basename(f): f for f in files}
    likely = sorted(files, key=lambda f: not re.search(r"/(postgres|plpgsql\.so|libc\.so\S*)$", f))
    for i, frame in enumerate(frames):
        m = re.fullmatch(r"(.+)\+0x([0-9a-f]+)", frame)
        if frame == "[vdso]":
            continue
        if not m:
            check(any(frame in elf_file(f).names for f in likely),
                  f"{frame!r} is a function of {list(by_name)}: {frames}")
            continue
        check(m[1] in by_name, f"{frame!r}: a file of the process: {frames}")
        f, vaddr = elf_file(by_name[m[1]]), int(m[2], 16)
        is_return = i > 0 or not innermost
        check_eq(f.covered(vaddr - is_return), set(), f"{frame} has no name: {frames}")
        code = f.before(vaddr, 8)
        check(code, f"{frame} is no code: {frames}")
        if is_return and platform.machine() == "x86_64":
            check(is_call(code), f"{frame} is where a call returns to: {code.hex()}, {frames}")


def files_of(pid):
    """What a process has mapped for execution."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as f:
        return sorted({line.split()[5] for line in f
                       if " r-xp " in line and len(line.split()) == 6 and "/" in line})


def kernel_stack(pid):
    """As the kernel writes it, names only, without what the compiler appended."""
    with open(f"/proc/{pid}/stack", encoding="utf-8") as f:
        return [re.sub(r"(\.(isra|constprop|part|cold|llvm)[.0-9]*)+$", "",
                       line.split("] ")[1].partition("+")[0]) for line in f]


# ---- what the reports say -----------------------------------------------------------------------

def stacks(row, kind):
    return [s for s in row["stacks"] if s["type"] == kind]


def check_order(frames, names, what):
    """The names come in this order, with anything between them."""
    at = 0
    for name in names:
        check(name in frames[at:], f"{what}: {name} in {frames}")
        at = frames.index(name, at) + 1


def check_sums(row):
    """Each wait has exactly one stack, or "[no stack]": no time is missing, none is there twice."""
    check(len(row["stacks"]) < 5, f"all stacks are shown: {row['stacks']}")
    for kind in BLOCKED:
        check_eq(sum(s["ns"] for s in stacks(row, kind)), row["times"][kind],
                 f"time of the stacks of {kind}: {row['stacks']}")
        check_eq(sum(s["count"] for s in stacks(row, kind)),
                 sum(row["histogram"].get(kind, [])), f"waits of {kind}: {row['stacks']}")


def named(row, kind):
    """The stacks of a kind, without the waits whose end was not seen and made up for later: those
    have none. It happens, but not often."""
    found = stacks(row, kind)
    known = [s for s in found if s["kernel"] != ["[no stack]"]]
    missed = sum(s["count"] for s in found if s not in known)
    check(missed <= 2 + sum(s["count"] for s in found) / 10, f"stacks missed: {found}")
    return known


def check_kernel_frames(stack, pid):
    check_eq(stack["kernel"], kernel_stack(pid), "the kernel stack")


class RowLock:
    """A session that waits for another one's row lock."""

    def __init__(self, c):
        self.holder, self.waiter = c.session("holder"), c.session("waiter")
        self.cluster = c

    def begin(self):
        self.holder.run("begin; update rows set n = n + 1 where id = 1;")
        self.waiter.send("update rows set n = n + 1 where id = 1;")
        self.cluster.wait_for_event(self.waiter.pid, "Lock:transactionid")

    def end(self):
        self.holder.run("commit;")
        self.waiter.finish()


# ---- modes --------------------------------------------------------------------------------------

@deadline(60)
def test_off():
    c = cluster()
    lock = RowLock(c)
    m = Monitor("-S", "off", cluster=c)
    m.watches(lock.waiter.pid)
    lock.begin()
    check(not any(b["stacks"] for b in m.fresh()["backends"]), "no stacks")
    lock.end()
    check(not any(b["stacks"] for b in m.fresh()["backends"]), "no stacks")


@deadline(60)
def test_auto():
    """A kernel stack where no wait event explains the wait, and only there."""
    c = cluster()
    a, lock = c.session("copier"), RowLock(c)
    m = Monitor(cluster=c)
    m.watches(a.pid, lock.waiter.pid)
    lock.begin()
    # its wait for the pipe has no wait event
    a.send("copy copied from program 'sleep 2';")
    wait_until(lambda: "pipe_read" in "".join(kernel_stack(a.pid)), 10, "it reads from the pipe")
    during = m.fresh()
    found = stacks(backend(during, a.pid), "other")
    check(kernel_stack(a.pid) in [s["kernel"] for s in found], f"its kernel stack: {found}")
    check(not any(s["user"] for s in found), "no user frames")
    a.finish()
    lock.end()
    after = m.fresh()
    found = [s for s in stacks(backend(after, a.pid), "other") if s["count"] and s["ns"] > S]
    check_eq(len(found), 1, f"the same one: {backend(after, a.pid)['stacks']}")
    check(any("pipe_read" in f for f in found[0]["kernel"]), f"{found}")
    for r in (during, after):
        check_eq(backend(r, lock.waiter.pid)["stacks"], [], "no stack where there is an event")
    check_no_loss(after)


@deadline(60)
def test_kernel():
    c = cluster()
    lock = RowLock(c)
    m = Monitor("-S", "kernel", cluster=c)
    m.watches(lock.waiter.pid)
    lock.begin()
    row = backend(m.fresh(), lock.waiter.pid)
    found = stacks(row, "lock")
    check_eq(len(found), 1, f"one stack: {found}")
    check_kernel_frames(found[0], lock.waiter.pid)
    check_eq(found[0]["user"], [], "no user frames")
    kernel = found[0]["kernel"]
    lock.end()
    r = m.fresh()
    row = backend(r, lock.waiter.pid)
    found = stacks(row, "lock")
    check_eq([s["kernel"] for s in found if s["count"]], [kernel],
             "in progress and finished it is the same stack")
    check_sums(row)
    check_no_loss(r)
    check_eq(r["loss"]["stack_missed"], 0, "no stack missed")


@deadline(90)
def test_all_of_a_lock_wait():
    c = cluster()
    lock = RowLock(c)
    m = Monitor("-S", "all", cluster=c)
    m.watches(lock.waiter.pid, lock.holder.pid)
    lock.begin()
    r = m.fresh()
    row = backend(r, lock.waiter.pid)
    found = stacks(row, "lock")
    check_eq(len(found), 1, f"one stack: {found}")
    check_kernel_frames(found[0], lock.waiter.pid)
    check_order(found[0]["user"], ROW_LOCK, "user frames of a row lock")
    check_user_frames(found[0]["user"], files_of(lock.waiter.pid))
    # the holder waits for its client, in a transaction
    client = stacks(backend(r, lock.holder.pid), "idle_xact")
    check_eq(len(client), 1, f"one stack: {client}")
    check_order(client[0]["user"], ("secure_read", "pq_getbyte", "PostgresMain", "main"),
                "user frames of a session that waits for its client")
    check_user_frames(client[0]["user"], files_of(lock.holder.pid))
    lock.end()
    r = m.fresh()
    row = backend(r, lock.waiter.pid)
    check_eq([s["user"] for s in named(row, "lock")], [found[0]["user"]],
             "in progress and finished it is the same stack")
    check_sums(row)
    check_eq(r["loss"]["stack_missed"], 0, "no stack missed")


@deadline(60)
def test_wait_that_began_before():
    """Its user stack was not taken: it says so, and its time is there."""
    c = cluster()
    a = c.session("sleeper")
    a.send("select pg_sleep(2);")
    c.wait_for_event(a.pid, "Timeout:PgSleep")
    m = Monitor("-S", "all", cluster=c)
    m.watches(a.pid)
    a.finish()
    row = backend(m.fresh(), a.pid)
    found = named(row, "timeout")   # those of the kernel are known
    check_eq([s["user"] for s in found], [["[no stack]"]], "no user frames")
    check_sums(row)


@deadline(60)
def test_many_waits_of_one_place():
    c = cluster()
    a = c.session("sleeper")
    m = Monitor("-S", "all", cluster=c)
    m.watches(a.pid)
    a.run("select pg_sleep(0.002) from generate_series(1, 300);")
    r = m.fresh()
    row = backend(r, a.pid)
    check_eq(sum(s["count"] for s in stacks(row, "timeout")), 300, "waits")
    found = named(row, "timeout")
    check_eq(len(found), 1, f"one stack: {found}")
    check_order(found[0]["user"], SLEEP, "user frames of pg_sleep")
    check_user_frames(found[0]["user"], files_of(a.pid))
    check_no_loss(r)


@deadline(60)
def test_lwlock_and_wal():
    """What the C library's leaf functions leave of the chain of frames may be little, but is true."""
    c = Cluster({"fsync": "on"})
    c.pgbench(init=1)
    m = Monitor("-S", "all", cluster=c, details_exact=False)
    p = c.pgbench_start("-n", "-c", "6", "-j", "2", "-T", "3")
    wait_until(lambda: p.poll() is not None, 30, "pgbench ends")
    r = m.fresh()
    found = [s for b in r["backends"] for s in b["stacks"] if s["type"] in ("lwlock", "wal_write")]
    check(found, f"waits for WAL or its locks: {r['total']}")
    files = files_of(c.postmaster)
    for s in found:
        if s["type"] == "lwlock":
            check(any("futex" in f for f in s["kernel"]), f"kernel frames: {s}")
        if s["user"] != ["[no stack]"]:
            frames = s["user"][:-1] if s["user"][-1] == "[unknown]" else s["user"]
            check_user_frames(frames[:1], files)
            check(all(not f.startswith("0x") for f in frames), f"names: {s}")
    a = c.session("committer")
    m.watches(a.pid)
    a.run("create table w(i int);"
          "do $$ begin for i in 1..50 loop insert into w values (i); commit; end loop; end $$;")
    row = backend(m.fresh(), a.pid)
    found = named(row, "wal_write")
    check(found and any("XLogFlush" in s["user"] for s in found), f"who flushes: {row['stacks']}")


@deadline(90)
def test_cold_read():
    c = cluster()
    c.sql("create table cold as select i, repeat('x', 400) pad from generate_series(1, 100000) i;"
          "checkpoint;")
    a = c.session("scanner")
    a.run("set max_parallel_workers_per_gather = 0; set synchronize_seqscans = off;")
    m = Monitor("-S", "all", cluster=c)
    m.watches(a.pid)
    with open(c.data + "/" + c.value("select pg_relation_filepath('cold')"), "rb") as f:
        os.fsync(f.fileno())
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    a.run("select count(pad) from cold;")
    row = backend(m.fresh(), a.pid)
    if not event_of(row, "IO:DataFileRead"):
        harness.skip("machine: the file system has no cold reads")
    found = [s for s in stacks(row, "io") if "mdread" in s["user"]]
    check(found, f"a stack through mdread: {row['stacks']}")
    check_order(found[0]["user"], ("mdread", "ReadBufferExtended", "standard_ExecutorRun", "main"),
                "user frames of a read")
    check_user_frames(found[0]["user"], files_of(a.pid))
    check(any("read" in f for f in found[0]["kernel"]), f"kernel frames of a read: {found[0]}")


# ---- processes and files that come and go -------------------------------------------------------

@deadline(60)
def test_gone_before_the_report():
    """Sessions that begin and end between two refreshes: what they were forked with names them."""
    c = cluster()
    m = Monitor("-S", "all", cluster=c, delay="3")
    m.next()
    for _ in range(5):
        c.sql("select pg_sleep(0.02) from generate_series(1, 5)")
    r = m.fresh()
    rows = [b for b in r["backends"] if b["exited"] and stacks(b, "timeout")]
    check_eq(len(rows), 5, "sessions that slept and ended")
    for row in rows:
        (found,) = named(row, "timeout")
        check_order(found["user"], SLEEP, "user frames of pg_sleep")
        check_user_frames(found["user"], files_of(c.postmaster))
    check_eq(r["loss"]["stack_missed"], 0, "no stack missed")


@deadline(60)
def test_library_loaded_later():
    c = cluster()
    a = c.session("plpgsql")
    m = Monitor("-S", "all", cluster=c)
    m.watches(a.pid)
    a.run("select pg_sleep(0.01);")
    m.fresh()
    check(not any("plpgsql" in f for f in files_of(a.pid)), "not loaded yet")
    a.run("do $$ begin for i in 1..5 loop perform pg_sleep(0.02); end loop; end $$;")
    row = backend(m.fresh(), a.pid)
    found = [s for s in stacks(row, "timeout") if "plpgsql_exec_function" in s["user"]]
    check_eq(len(found), 1, f"a stack through plpgsql: {row['stacks']}")
    check_order(found[0]["user"], ("pg_sleep", "plpgsql_exec_function", "plpgsql_inline_handler",
                                   "standard_ProcessUtility", "main"), "user frames")
    check(any(f.startswith("plpgsql.so+0x") for f in found[0]["user"]),
          f"its static functions: {found[0]['user']}")
    check_user_frames(found[0]["user"], files_of(a.pid))


@deadline(60)
def test_binary_replaced_while_it_runs():
    """After a package upgrade: the names of the file that runs, not of the one at its path."""
    system = bindir()
    top = harness.temp_dir("bin-")
    copy = top + system
    os.makedirs(copy)
    for f in os.listdir(system):
        os.symlink(os.path.join(system, f), os.path.join(copy, f))
    os.remove(copy + "/postgres")
    shutil.copy2(system + "/postgres", copy + "/postgres")
    os.symlink(os.path.dirname(system) + "/lib", os.path.dirname(copy) + "/lib")
    version = system.split("/")[-2]
    os.makedirs(top + "/usr/share/postgresql")
    os.symlink(f"/usr/share/postgresql/{version}", f"{top}/usr/share/postgresql/{version}")
    c = Cluster(bindir_=copy)
    # a program that has functions at all of these addresses
    shutil.copy2(shutil.which("python3") and os.path.realpath(shutil.which("python3")),
                 copy + "/new")
    os.rename(copy + "/new", copy + "/postgres")
    a = c.session("sleeper")
    check(os.readlink(f"/proc/{a.pid}/exe").endswith(" (deleted)"), "the binary is deleted")
    m = Monitor("-S", "all", cluster=c)
    m.watches(a.pid)
    a.run("select pg_sleep(0.02) from generate_series(1, 5);")
    row = backend(m.fresh(), a.pid)
    (found,) = named(row, "timeout")
    check_order(found["user"], SLEEP, "user frames of pg_sleep")
    files = [f for f in files_of(a.pid) if f.endswith(".so") or ".so." in f]
    check_user_frames(found["user"], [system + "/postgres", *files])
    c.stop("immediate")


@deadline(90)
def test_churn():
    c = cluster()
    c.pgbench(init=1)
    m = Monitor("-S", "all", cluster=c, window="5", details_exact=False)
    p = c.pgbench_start("-n", "-S", "-C", "-c", "4", "-j", "2", "-T", "5")
    wait_until(lambda: p.poll() is not None, 60, "pgbench ends")
    r = m.fresh()
    check_no_loss(r)
    check_eq(r["loss"]["stack_missed"], 0, "no stack missed")
    seen = [s for b in r["backends"] if b["exited"] for s in b["stacks"]]
    check(len(seen) > 50, f"stacks of sessions that ended: {len(seen)}")
    # a chain of frames may end in anything, but begins with the code that ran
    check_eq([s for s in seen if s["user"][0].startswith("0x")], [], "all have names")
    hexes = [s for s in seen if any(f.startswith("0x") for f in s["user"])]
    check(len(hexes) <= len(seen) / 20, f"addresses without a name: {hexes}")
    check(r["self"]["rss_bytes"] < 150e6, f"memory: {r['self']}")


# ---- hidden kernel symbols ----------------------------------------------------------------------

@deadline(60)
def test_hidden_kallsyms():
    need_command("capsh")
    c = cluster()
    a = c.session("copier")
    m = Monitor("-S", "all", cluster=c,
                wrap=["capsh", "--drop=cap_syslog", "--", "-c", 'exec "$0" "$@"'])
    m.watches(a.pid)
    a.run("select pg_sleep(0.001) from generate_series(1, 20);")
    a.send("copy copied from program 'sleep 2';")
    wait_until(lambda: "pipe_read" in "".join(kernel_stack(a.pid)), 10, "it reads from the pipe")
    m.fresh()
    a.finish()
    row = backend(m.fresh(), a.pid)
    brief = named(row, "timeout")
    check(brief and all(re.fullmatch("0x[0-9a-f]{16}", f) for s in brief for f in s["kernel"]),
          f"addresses: {brief}")
    check_order(brief[0]["user"], SLEEP, "user frames are not hidden")
    # what the kernel named while the wait went on holds for all of it
    found = [s for s in stacks(row, "other") if s["ns"] > S]
    check_eq(len(found), 1, f"one stack: {row['stacks']}")
    check(any("pipe_read" in f for f in found[0]["kernel"]), f"its names: {found}")
    # nothing is taken for I/O because of an address
    for b in m.reports[-1]["backends"]:
        for e in b["events"]:
            check(e["type"] != "io" or e["class"] == "IO", f"guessed: {e}")


if __name__ == "__main__":
    harness.main()
