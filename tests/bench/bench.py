#!/usr/bin/python3
"""What the monitor costs, as ratios against nothing and against other tools, on this machine.

usage: bench.py [--build DIR] [--quick]

All comparisons are alternating runs: each round runs every contender once, so that what else the
machine does falls on all alike; the medians of the rounds are shown. Needs root. The sysctl
kernel.bpf_stats_enabled is switched on for a moment and set back.
"""
import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
sys.dont_write_bytecode = True
import harness  # noqa: E402
import procs  # noqa: E402
from harness import wait_until  # noqa: E402
from pgcluster import Cluster  # noqa: E402

STATS = "/proc/sys/kernel/bpf_stats_enabled"
OFF_CPU_BY_PID = """
tracepoint:sched:sched_switch {
  @since[args->prev_pid] = nsecs;
  if (@since[args->next_pid]) { @off[args->next_pid] = sum(nsecs - @since[args->next_pid]); }
}
"""


# ---- building blocks ----------------------------------------------------------------------------

class Storm:
    """Two processes that wake each other, on the last CPU. See storm.c."""

    def __init__(self, folder, program):
        cpu = max(os.sched_getaffinity(0))
        self.process = subprocess.Popen([f"{folder}/{program}", str(cpu), folder],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        cwd=harness.temp_dir())
        harness.reaper.pid(self.process.pid)
        wait_until(lambda: len(procs.children(self.process.pid)) == 2, 10, "the storm is ready")

    def pids(self):
        return procs.children(self.process.pid)

    def run(self, trips):
        """Nanoseconds per switch: (wall, CPU of the two)."""
        self.process.stdin.write(f"{trips}\n")
        self.process.stdin.flush()
        wall, cpu = self.process.stdout.readline().split()
        return float(wall), float(cpu)

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


def attached(pid):
    """True once the process or a child of it holds BPF links or perf events."""
    for p in [pid, *procs.children(pid)]:
        try:
            for fd in os.listdir(f"/proc/{p}/fd"):
                target = os.readlink(f"/proc/{p}/fd/{fd}")
                if "bpf_link" in target or "bpf-link" in target or "perf_event" in target:
                    return True
        except OSError:
            pass
    return False


class Observer:
    """A contender that is attached from here to close(); None attaches nothing."""

    def __init__(self, argv):
        self.process = None
        if argv is None:
            return
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, cwd="/tmp")
        harness.reaper.pid(self.process.pid)
        wait_until(lambda: attached(self.process.pid) or self.process.poll() is not None, 30,
                   f"{argv[0]} is attached")
        time.sleep(0.3)         # all of its programs
        if self.process.poll() is not None:
            raise RuntimeError(f"{' '.join(argv)} ended with status {self.process.returncode}")
        self.cpu = self.cpu_seconds()

    def cpu_seconds(self):
        return sum(procs.cpu_seconds(p) for p in
                   [self.process.pid, *procs.children(self.process.pid)])

    def used(self):
        """CPU time of its own processes since it was attached, in seconds."""
        return self.cpu_seconds() - self.cpu if self.process else 0.0

    def close(self):
        if self.process is None:
            return
        self.process.stdin.close()
        procs.end(self.process.pid, signal.SIGINT)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def monitor_argv(*options):
    return [harness.PROGRAM, "-b", "-f", "json", "-d", "1", *options]


def contenders(folder, pids):
    """(name, command) of all that can be had here."""
    found = [("nothing", None),
             ("empty program on sched_switch", [f"{folder}/attach", f"{folder}/empty.o"]),
             ("pgtop-offcpu", monitor_argv())]
    tools = {
        "offcputime (libbpf-tools)": ("/usr/sbin/offcputime",
                                      ["-p", ",".join(map(str, pids)), "1000"]),
        "bpftrace, sums by pid": ("/usr/bin/bpftrace", ["-e", OFF_CPU_BY_PID]),
        "perf sched record": ("/usr/bin/perf",
                              ["sched", "record", "-o", "/dev/null", "--", "sleep", "1000"]),
    }
    for name, (program, arguments) in tools.items():
        if os.access(program, os.X_OK):
            found.append((name, [program, *arguments]))
        else:
            print(f"  ({name}: not installed)", flush=True)
    return found


def rounds_of(names, how_many, run):
    """{name: [result of each round]}, every name once in a round, in turning order."""
    results = {n: [] for n in names}
    for i in range(how_many):
        turned = names[i % len(names):] + names[:i % len(names)]
        for n in turned:
            results[n].append(run(n))
        print(".", end="", flush=True, file=sys.stderr)
    print("", file=sys.stderr)
    return results


def median(values):
    return statistics.median(values)


def spread(values):
    """The quartiles, as text."""
    q = statistics.quantiles(values, n=4)
    return f"{q[0]:.4g} .. {q[2]:.4g}"


# ---- the measurements ---------------------------------------------------------------------------

def tracked_switches(folder, out, rounds, trips):
    out("Switches of two backends that wake each other on one CPU, as fast as they can")
    out("")
    storm = Storm(folder, "storm")
    storm.run(trips // 5)
    argv = dict(contenders(folder, storm.pids()))

    def run(name):
        observer = Observer(argv[name])
        wall, cpu = storm.run(trips)
        used = observer.used() / (wall * 2 * trips / 1e9)
        observer.close()
        return wall, cpu, used
    results = rounds_of(list(argv), rounds, run)
    storm.close()
    base = median([r[1] for r in results["nothing"]])
    ours = median([r[1] for r in results["pgtop-offcpu"]]) - base
    out(f"  {'attached':30} {'CPU ns/switch':>13} {'added':>7} {'ratio':>6} {'wall ns':>8} "
        f"{'own CPU':>8}   quartiles of CPU ns")
    for name, r in results.items():
        cpu = median([x[1] for x in r])
        out(f"  {name:30} {cpu:13.0f} {cpu - base:7.0f} {cpu / base:6.3f} "
            f"{median([x[0] for x in r]):8.0f} {100 * median([x[2] for x in r]):7.1f}%   "
            f"{spread([x[1] for x in r])}")
    out("")
    for name, r in results.items():
        added = median([x[1] for x in r]) - base
        if name not in ("nothing", "pgtop-offcpu") and added > 0:
            out(f"  pgtop-offcpu adds {ours / added:.2f} times what {name} adds")
    out(f"  ({rounds} rounds of {2 * trips} switches each; CPU time is that of the two backends)")
    out("")


def program_costs(pid):
    """{name: (runs, ns)} of the BPF programs a process holds."""
    found = {}
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{fd}", encoding="ascii", errors="replace") as f:
                text = f.read()
        except OSError:
            continue
        values = dict(re.findall(r"^(prog_id|run_cnt|run_time_ns):\s*(\d+)", text, re.M))
        if "run_cnt" in values:
            shown = subprocess.run(["bpftool", "-j", "prog", "show", "id", values["prog_id"]],
                                   check=True, capture_output=True).stdout
            found[json.loads(shown)["name"]] = (int(values["run_cnt"]), int(values["run_time_ns"]))
    return found


def costs_during(argv, work, names):
    """ns per run of each of the named programs while work() was done."""
    observer = Observer(argv)
    before = program_costs(observer.process.pid)
    work()
    after = program_costs(observer.process.pid)
    observer.close()
    return {n: (after[n][1] - before[n][1]) / max(after[n][0] - before[n][0], 1) for n in names}


def time_in_programs(folder, out, rounds, trips):
    out("Time in each BPF program, by kernel.bpf_stats_enabled (its own cost included)")
    out("")
    with open(STATS, encoding="ascii") as f:
        before = f.read().strip()
    set_back = ["sh", "-c", f"echo {before} >{STATS}"]
    harness.reaper.command(set_back)
    foreign, tracked = Storm(folder, "storm-foreign"), Storm(folder, "storm")
    ours = ["on_switch", "on_wakeup", "on_waking"]
    try:
        with open(STATS, "w", encoding="ascii") as f:
            f.write("1")
        cases = {
            "empty program": ([f"{folder}/attach", f"{folder}/empty.o"], foreign, ["empty"]),
            "foreign processes": (monitor_argv(), foreign, ours),
            "backends": (monitor_argv(), tracked, ours),
        }

        def run(name):
            argv, storm, programs = cases[name]
            return costs_during(argv, lambda: storm.run(trips), programs)
        results = rounds_of(list(cases), rounds, run)
    finally:
        subprocess.run(set_back, check=False)
        harness.reaper.forget_command(set_back)
        foreign.close()
        tracked.close()
    for name, r in results.items():
        for program in cases[name][2]:
            values = [x[program] for x in r]
            out(f"  {name:20} {program:10} {median(values):8.0f} ns a run   "
                f"quartiles {spread(values)}")
    empty = median([x["empty"] for x in results["empty program"]])
    mine = median([x["on_switch"] for x in results["foreign processes"]])
    out(f"  a switch between processes that are not PostgreSQL costs {mine - empty:.0f} ns more "
        "than the empty program")
    out("")


def throughput(out, pairs, seconds):
    out("pgbench, select-only, prepared, 2 clients: transactions per second with and without the "
        "monitor")
    out("")
    c = Cluster({"shared_buffers": "128MB"}, name="bench")
    c.pgbench(init=5)

    def tps():
        text = c.pgbench("-n", "-S", "-M", "prepared", "-c", 2, "-j", 1, "-T", seconds)
        return float(re.search(r"tps = ([\d.]+)", text).group(1))
    tps()
    ratios, without = [], []
    for i in range(pairs):
        results = {}
        for monitored in (True, False) if i % 2 else (False, True):
            observer = Observer(monitor_argv("-D", c.data) if monitored else None)
            results[monitored] = tps()
            observer.close()
        ratios.append(results[True] / results[False])
        without.append(results[False])
        print(".", end="", flush=True, file=sys.stderr)
    print("", file=sys.stderr)
    out(f"  without: {median(without):.0f} per second; with: {median(ratios):.4f} times that "
        f"(median of {pairs} alternating pairs, quartiles {spread(ratios)})")
    out("")
    out("The monitor on an idle server, one refresh a second")
    out("")
    for name, argv in (("batch, JSON", monitor_argv("-D", c.data)),):
        observer = Observer(argv)
        time.sleep(2)
        cpu, switches = observer.cpu_seconds(), procs.context_switches(observer.process.pid)
        start = time.monotonic()
        time.sleep(10)
        took = time.monotonic() - start
        woken = procs.context_switches(observer.process.pid)[0] - switches[0]
        out(f"  {name:32} {100 * (observer.cpu_seconds() - cpu) / took:.2f} % of a CPU, "
            f"{woken / took:.1f} wake-ups a second, "
            f"{procs.rss_bytes(observer.process.pid) / 1e6:.1f} MB")
        observer.close()
    out("")
    c.stop("immediate")


def compile_all(folder):
    os.makedirs(folder, exist_ok=True)
    cc = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-O2", "-g", "-D_GNU_SOURCE"]
    multiarch = subprocess.run(["gcc", "-print-multiarch"], check=True, capture_output=True,
                               text=True).stdout.strip()
    for argv in ([*cc, "-rdynamic", "-o", f"{folder}/storm", f"{HERE}/storm.c"],
                 [*cc, "-o", f"{folder}/storm-foreign", f"{HERE}/storm.c"],
                 [*cc, "-o", f"{folder}/attach", f"{HERE}/attach.c", "-lbpf"],
                 ["clang", "-target", "bpf", "-O2", "-g", f"-I/usr/include/{multiarch}", "-c",
                  f"{HERE}/empty.bpf.c", "-o", f"{folder}/empty.o"]):
        subprocess.run(argv, check=True)
    with open(folder + "/PG_VERSION", "w", encoding="ascii") as f:
        f.write("15\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--quick", action="store_true", help="few and short runs, for a look")
    args = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("bench: needs root: run \"sudo make bench\"")
    harness.need_program()
    for sig in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(sig, lambda s, _f: sys.exit(128 + s))

    lines = []

    def out(text):
        lines.append(text)
        print(text, flush=True)
    build = os.path.abspath(args.build)
    compile_all(build + "/bench")
    rounds, trips, pairs, seconds = (3, 20000, 3, 1) if args.quick else (9, 60000, 15, 3)
    uname = os.uname()
    version = subprocess.run([harness.PROGRAM, "--version"], check=True, capture_output=True,
                             text=True).stdout.strip()
    out(f"{version}, Linux {uname.release}, {os.cpu_count()} CPUs, load "
        f"{os.getloadavg()[0]:.1f} at the start")
    if os.getloadavg()[0] > 0.7:
        out("The machine is busy with other things: take the numbers as rough, the wall time and the "
            "throughput most of all.")
    out("")
    try:
        tracked_switches(build + "/bench", out, rounds, trips)
        time_in_programs(build + "/bench", out, rounds, trips)
        throughput(out, pairs, seconds)
    finally:
        harness.reaper.close()
    handle, path = tempfile.mkstemp(dir=build)
    with os.fdopen(handle, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    os.chmod(path, 0o644)
    os.rename(path, build + "/bench.txt")
    print(f"written to {os.path.relpath(build)}/bench.txt")


if __name__ == "__main__":
    main()
