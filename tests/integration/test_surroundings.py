#!/usr/bin/python3
# deadline: 400
"""Bad surroundings: missing rights, missing kernel facilities, other locales and clocks. What
cannot work says so in one line with the remedy; what can, goes on."""
import functools
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
from harness import check, check_eq, deadline, need_command  # noqa: E402
from monitor import Monitor, backend, current_name, run_program  # noqa: E402
from pgcluster import Cluster, demoted  # noqa: E402

S = 1_000_000_000


@functools.cache
def cluster():
    return Cluster()


def capsh(*drop):
    """A command prefix that runs the rest without these capabilities."""
    need_command("capsh")
    return ["capsh", "--drop=" + ",".join(drop), "--", "-c", 'exec "$0" "$@"']


def fails(wrap, *words, options=("-b", "-n", "1")):
    """The program ends with 1 and one short message with all of these words (any of a tuple)."""
    status, out, err = run_program(*options, wrap=wrap)
    check_eq(status, 1, f"exit status under {wrap}; stderr: {err}")
    check_eq(out, "", "standard output")
    check(1 <= err.count("\n") <= 3, f"a line or two: {err!r}")
    for word in words:
        alternatives = word if isinstance(word, tuple) else (word,)
        check(any(w.lower() in err.lower() for w in alternatives), f"{word!r} in {err!r}")
    for noise in ("libbpf:", "Backtrace", "Segmentation", "Assertion"):
        check(noise not in err, f"{noise!r} in {err!r}")


def works(wrap, env=None):
    """It shows a session's wait under that prefix; the report and standard error."""
    c = cluster()
    a = c.session("witness")
    m = Monitor(cluster=c, delay="0.3", wrap=wrap, env=env)
    m.watches(a.pid)
    a.send("select pg_sleep(60);")
    c.wait_for_event(a.pid, "Timeout:PgSleep")
    r = m.fresh()
    check_eq(current_name(backend(r, a.pid)), "Timeout:PgSleep", f"its wait, under {wrap}")
    check_eq(m.stop(), 0, f"exit status: {m.errors()}")
    return r, m.errors()


@deadline(30)
def test_not_root():
    need_command("setpriv")
    status, out, err = run_program("-b", "-n", "1", wrap=demoted([], "nobody"),
                                   program=public_copy())
    check_eq((status, out), (1, ""), f"exit status and output; stderr: {err}")
    check("cap_bpf" in err.lower() and "sudo" in err and "setcap" in err, f"remedies: {err!r}")
    check(err.count("\n") <= 3, f"a line or two: {err!r}")


def public_copy():
    """The program where anybody may execute it."""
    path = harness.temp_dir() + "/pgtop-offcpu"
    subprocess.run(["install", "-m", "755", harness.PROGRAM, path], check=True)
    return path


@deadline(30)
def test_without_cap_bpf():
    fails(capsh("cap_bpf", "cap_sys_admin"), "cap_bpf", "sudo", "setcap")


@deadline(30)
def test_without_cap_perfmon():
    fails(capsh("cap_perfmon", "cap_sys_admin"), "cap_perfmon", "sudo", "setcap")


@deadline(30)
def test_without_any_capability():
    fails(["capsh", "--drop=all", "--", "-c", 'exec "$0" "$@"'], "cap_bpf", "sudo")


@deadline(60)
def test_file_capabilities_named_in_the_remedy_are_enough():
    """Does what the message says: setcap on the binary, then runs it as nobody."""
    need_command("setcap", "setpriv")
    _, _, err = run_program("-b", "-n", "1", wrap=demoted([], "nobody"), program=public_copy())
    words = err.replace("\"", " ").replace("'", " ").split()
    caps = [w.rstrip(".,;)") for w in words if w.startswith("cap_") and ("+" in w or "=" in w)]
    check(caps, f"a setcap line in {err!r}")
    program = public_copy()
    r = subprocess.run(["setcap", caps[0], program], capture_output=True, text=True, check=False)
    if r.returncode != 0:
        harness.skip("machine: the file system has no file capabilities: " + r.stderr)
    c = cluster()
    a = c.session("witness")
    m = Monitor(cluster=c, delay="0.3", wrap=demoted([], "nobody"), program=program)
    m.watches(a.pid)
    a.send("select pg_sleep(60);")
    c.wait_for_event(a.pid, "Timeout:PgSleep")
    check_eq(current_name(backend(m.fresh(), a.pid)), "Timeout:PgSleep", "its wait")


@deadline(30)
def test_without_btf():
    fails(["unshare", "--mount", "sh", "-c",
           'mount -t tmpfs none /sys/kernel/btf && exec "$0" "$@"'],
          "BTF", ("CONFIG_DEBUG_INFO_BTF", "/sys/kernel/btf"))


@deadline(60)
def test_without_tracefs():
    works(["unshare", "--mount", "sh", "-c",
           "for d in /sys/kernel/tracing /sys/kernel/debug; do mount -t tmpfs none $d 2>/dev/null;"
           ' done; exec "$0" "$@"'])


@deadline(60)
def test_hidden_kallsyms():
    _, err = works(capsh("cap_syslog"))
    check(err.count("\n") <= 2, f"says so once: {err!r}")


@deadline(60)
def test_no_locked_memory():
    works(["prlimit", "--memlock=0:0", "--"])


@deadline(60)
def test_few_files():
    works(["prlimit", "--nofile=64:64", "--"])


@deadline(60)
def test_locale_with_decimal_commas():
    need_command("localedef")
    if not os.path.exists("/usr/share/i18n/locales/de_DE"):
        harness.skip("needs the package locales (make deps-test)")
    folder = harness.temp_dir()
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", folder + "/de_DE.UTF-8"],
                   check=True, stderr=subprocess.DEVNULL)
    env = {"LC_ALL": "de_DE.UTF-8", "LOCPATH": folder}
    probe = subprocess.run(["/usr/bin/printf", "%.1f", "0"], env=env, capture_output=True,
                           text=True, check=True).stdout
    check_eq(probe, "0,0", "the locale is in force")
    works((), env)      # a comma would not be JSON
    out = run_program("-b", "-n", "1", "-d", "0.2", "-i", env=env)[1]
    check(not re.search(r"\d,\d", out), f"no comma in a number: {out}")


@deadline(60)
def test_time_namespace():
    """The monotonic clock of the monitor is not the one the BPF programs see."""
    c = cluster()
    a = c.session("witness")
    m = Monitor(cluster=c, delay="0.3", wrap=["unshare", "--fork", "--time", "--monotonic",
                                              "100000", "--boottime", "100000", "--kill-child",
                                              "--"])
    m.watches(a.pid)
    a.send("select pg_sleep(60);")
    c.wait_for_event(a.pid, "Timeout:PgSleep")
    r = m.next()
    for _ in range(3):
        before, r = r, m.next()
    grown = r["mono_ns"] - before["mono_ns"]
    b = backend(r, a.pid)
    check_eq(current_name(b), "Timeout:PgSleep", "its wait")
    check(b["current"]["age_ns"] < 4 * S, f"its age {b['current']}")
    check_eq(b["watched_ns"] - backend(before, a.pid)["watched_ns"], grown, "watched all the time")
    check(b["state_age_ns"] is None or b["state_age_ns"] < 10 * S, f"age {b['state_age_ns']}")
    check(b["watched_ns"] < 60 * S, f"watched {b['watched_ns']}")


@deadline(30)
def test_inside_a_pid_namespace():
    """It cannot find its way there, or shows the pids of there; it must not show wrong ones."""
    c = cluster()
    a = c.session("witness")
    status, out, err = run_program("-b", "-f", "json", "-n", "2", "-d", "0.3", "-i",
                                   wrap=["unshare", "--fork", "--pid", "--mount-proc",
                                         "--kill-child"])
    if status == 0:
        check(f'"pid":{a.pid},' not in out.replace(" ", ""), "a pid of another namespace")
    else:
        check_eq(status, 1, "exit status")
        check("namespace" in err, f"says why: {err!r}")


if __name__ == "__main__":
    harness.main()
