"""Facts about processes, straight from /proc."""
import os
import signal


def stat_fields(pid):
    """The fields of /proc/PID/stat from the state on (index 0 = field 3), or None if it is gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as f:
            return f.read().rpartition(b")")[2].split()
    except OSError:
        return None


def start_ticks(pid):
    f = stat_fields(pid)
    return int(f[19]) if f else None


def parent(pid):
    f = stat_fields(pid)
    return int(f[1]) if f else None


def state(pid):
    f = stat_fields(pid)
    return f[0].decode() if f else None


def alive(pid, start=None):
    """True if the process exists, is no zombie and (where start is given) is the same as then."""
    f = stat_fields(pid)
    return bool(f) and f[0] not in (b"Z", b"X") and (start is None or int(f[19]) == start)


def kill(pid, sig):
    try:
        os.kill(pid, sig)
        return True
    except (ProcessLookupError, PermissionError):
        return False


def cmdline(pid):
    """The argument list, cut at the NUL tail of a rewritten title; None for a kernel thread, a
    zombie or a process that is gone."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            data = f.read().rstrip(b"\0")
    except OSError:
        return None
    return data.split(b"\0") if data else None


def title(pid):
    c = cmdline(pid)
    return c[0].decode(errors="replace") if c else None


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as f:
            return f.read().rstrip("\n")
    except OSError:
        return None


def all_pids():
    return [int(d) for d in os.listdir("/proc") if d.isdigit()]


def children(pid):
    return [p for p in all_pids() if parent(p) == pid]


def inside(path):
    """The living processes whose working directory is path or below it."""
    found = []
    me = os.getpid()
    for pid in all_pids():
        if pid == me:
            continue
        try:
            cwd = os.readlink(f"/proc/{pid}/cwd")
        except OSError:
            continue
        if (cwd == path or cwd.startswith(path + "/")) and alive(pid):
            found.append(pid)
    return found


def schedstat(pid):
    """(time on CPU, time runnable but waiting for a CPU) of the main thread, in nanoseconds."""
    with open(f"/proc/{pid}/task/{pid}/schedstat", encoding="ascii") as f:
        cpu, runq, _ = f.read().split()
    return int(cpu), int(runq)


def context_switches(pid):
    """(voluntary, involuntary) of the main thread."""
    n = {}
    with open(f"/proc/{pid}/task/{pid}/status", encoding="utf-8", errors="replace") as f:
        for line in f:
            if "ctxt_switches" in line:
                k, v = line.split(":")
                n[k] = int(v)
    return n["voluntary_ctxt_switches"], n["nonvoluntary_ctxt_switches"]


def rss_bytes(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def cpu_seconds(pid):
    """Time on CPU of all threads of the process, exact."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as f:
                total += int(f.read().split()[0])
        except OSError:     # the thread has ended
            pass
    return total / 1e9


def end(pid, sig=signal.SIGTERM):
    """Asks a process to end; a stopped one is continued so that it hears."""
    if kill(pid, sig):
        kill(pid, signal.SIGCONT)
