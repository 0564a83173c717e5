#!/usr/bin/python3
"""Runs each fuzzer for some seconds from its fixed corpus (make fuzz-build puts them there).

PGTOP_FUZZ_SECONDS says how long each runs; 3 if it is not set. What is found is kept in the build
folder, and shown.
"""
import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
from harness import check, check_eq, deadline, note  # noqa: E402

SECONDS = int(os.environ.get("PGTOP_FUZZ_SECONDS", "3"))
HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(harness.BUILD, "fuzz")


def names():
    return sorted(os.path.basename(p)[len("fuzz_"):-len(".c")]
                  for p in glob.glob(HERE + "/fuzz_*.c"))


def fuzz(name):
    program = f"{FOLDER}/fuzz_{name}"
    check(os.access(program, os.X_OK), f"no {program}: run make fuzz-build")
    found = f"{FOLDER}/corpus/{name}"
    os.makedirs(found, exist_ok=True)
    r = subprocess.run([program, f"-max_total_time={SECONDS}", "-timeout=5", "-rss_limit_mb=1024",
                        f"-artifact_prefix={FOLDER}/{name}-", found, f"{HERE}/corpus/{name}"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, errors="replace", check=False)
    if r.returncode != 0:
        note(r.stdout[-8000:])
    check_eq(r.returncode, 0, f"exit status of fuzz_{name}")
    check("DONE" in r.stdout, f"it ran to its end: {r.stdout[-500:]}")


def case(name):
    @deadline(SECONDS + 60)
    def run():
        fuzz(name)
    return run


for n in names():
    globals()["test_" + n] = case(n)


if __name__ == "__main__":
    harness.main()
