"""What every test script needs: cases, skips, deadlines, clean-up and the report to tests/run.

A script defines functions named test_* and ends with `harness.main()`. Each is one case; they run
in the order of the file. A case fails by any exception, is skipped by skip(reason) and has a
deadline (decorator; 60 s otherwise). What a case or the file defers is undone in reverse order, and
what is left when the script dies is undone by the reaper, a process of its own.

The report is TAP: `ok 1 - name`, `not ok 2 - name`, `ok 3 - name # SKIP reason`, with diagnostics in
lines that begin with '# ' before the result they belong to. Arguments select cases by substring.
"""
import atexit
import contextlib
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback

LIB = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(LIB))
BUILD = os.path.abspath(os.environ.get("PGTOP_BUILD", os.path.join(TOP, "build")))
PROGRAM = os.environ.get("PGTOP_PROGRAM", os.path.join(BUILD, "pgtop-offcpu"))

sys.path.insert(0, LIB)
import procs  # noqa: E402

os.environ["PATH"] = os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin"


class Skip(Exception):
    pass


class Deadline(Exception):
    pass


def skip(reason):
    """Ends the case as skipped. A reason that begins with "machine:" means that this machine
    truly cannot do it; any other skip is a failure where CI=true."""
    raise Skip(reason)


def note(text):
    """A diagnostic line; shown if the case fails."""
    for line in str(text).splitlines() or [""]:
        print("# " + line, flush=True)


# ---- checks -------------------------------------------------------------------------------------

def check(cond, what, *detail):
    if not cond:
        raise AssertionError(what + "".join("\n" + str(d) for d in detail))


def check_eq(got, want, what):
    check(got == want, f"{what}: got {got!r}, want {want!r}")


def check_near(got, want, tolerance, what):
    """|got - want| <= tolerance, all in the same unit."""
    check(abs(got - want) <= tolerance,
          f"{what}: got {got:.6g}, want {want:.6g}, differs by {got - want:+.6g}, "
          f"allowed {tolerance:.6g}")


def wait_until(cond, deadline=10.0, what="condition", every=0.02):
    """Polls until cond() is true and returns its value; fails after `deadline` seconds."""
    end = time.monotonic() + deadline
    while True:
        value = cond()
        if value:
            return value
        if time.monotonic() >= end:
            raise AssertionError(f"not within {deadline:g} s: {what} (last: {value!r})")
        time.sleep(every)


# ---- clean-up -----------------------------------------------------------------------------------

class Reaper:
    """The process that undoes what is registered when this one ends. See reaper.py."""

    def __init__(self):
        self.process = None

    def _start(self):
        if self.process is None:
            self.process = subprocess.Popen(
                ["/usr/bin/python3", os.path.join(LIB, "reaper.py")],
                stdin=subprocess.PIPE, start_new_session=True, cwd="/")
            atexit.register(self.close)

    def _send(self, **command):
        self._start()
        self.process.stdin.write(json.dumps(command).encode() + b"\n")
        self.process.stdin.flush()

    def directory(self, path):
        self._send(dir=path)

    def pid(self, pid):
        self._send(pid=pid, start=procs.start_ticks(pid))

    def command(self, argv):
        self._send(run=json.dumps(argv))

    def forget_command(self, argv):
        self._send(forget=json.dumps(argv))

    def forget(self, key):
        self._send(forget=key)

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                note("the reaper did not end in time")
            self.process = None


reaper = Reaper()
_cleanups = contextlib.ExitStack()   # of the whole file
_case_cleanups = None                # of the case that runs


def defer(fn, *args, **kwargs):
    """Undo at the end of the case (of the file, outside of a case)."""
    (_case_cleanups or _cleanups).callback(fn, *args, **kwargs)


def defer_file(fn, *args, **kwargs):
    _cleanups.callback(fn, *args, **kwargs)


def temp_dir(prefix="pgtop-test-", mode=0o755):
    """A directory that is removed in the end, together with what works in it."""
    path = tempfile.mkdtemp(prefix=prefix, dir=os.environ.get("PGTOP_TEST_TMP", "/tmp"))
    reaper.directory(path)
    os.chmod(path, mode)
    return path


_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def prctl_pdeathsig(sig):
    """In a child, before exec: it gets that signal when its parent dies."""
    _libc.prctl(_PR_SET_PDEATHSIG, sig, 0, 0, 0)


# ---- conditions a test may need -----------------------------------------------------------------

def need_root():
    if os.geteuid() != 0:
        skip("needs root")


def need_program():
    check(os.access(PROGRAM, os.X_OK), f"no program at {PROGRAM}: run make first")


def which(name):
    for d in os.environ["PATH"].split(":"):
        p = os.path.join(d, name)
        if os.access(p, os.X_OK) and not os.path.isdir(p):
            return p
    return None


def need_command(*names):
    for name in names:
        if not which(name):
            skip(f"needs {name} (make deps-test)")


# ---- running ------------------------------------------------------------------------------------

def deadline(seconds):
    """Decorator: the case fails after that many seconds."""
    def set_deadline(fn):
        fn.deadline = seconds
        return fn
    return set_deadline


def _on_alarm(_sig, _frame):
    raise Deadline("the case did not end in time")


def _on_term(sig, _frame):
    sys.exit(128 + sig)


def _run_case(number, name, fn):
    global _case_cleanups
    result = "ok"
    reason = ""
    _case_cleanups = contextlib.ExitStack()
    signal.setitimer(signal.ITIMER_REAL, getattr(fn, "deadline", 60.0))
    try:
        try:
            fn()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 30.0)
            stack, _case_cleanups = _case_cleanups, None
            stack.close()
    except Skip as e:
        reason = f" # SKIP {e}"
    except Exception:
        note(traceback.format_exc())
        result = "not ok"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    print(f"{result} {number} - {name}{reason}", flush=True)
    return result == "ok"


def main():
    module = sys.modules["__main__"]
    cases = [(n, f) for n, f in vars(module).items() if n.startswith("test_") and callable(f)]
    wanted = sys.argv[1:]
    if wanted:
        cases = [(n, f) for n, f in cases if any(w in n for w in wanted)]
    signal.signal(signal.SIGALRM, _on_alarm)
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(sig, _on_term)
    print(f"1..{len(cases)}", flush=True)
    good = True
    try:
        for i, (name, fn) in enumerate(cases, 1):
            good &= _run_case(i, name[len("test_"):], fn)
    finally:
        _cleanups.close()
        reaper.close()
    sys.exit(0 if good else 1)
