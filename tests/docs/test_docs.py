#!/usr/bin/python3
"""The man page, --help and the README say the same as the program."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import harness  # noqa: E402
from harness import TOP, check, check_eq, need_command  # noqa: E402
from monitor import TYPES, run_program  # noqa: E402

MAN = TOP + "/man/pgtop-offcpu.8"


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def help_text():
    status, out, _ = run_program("--help")
    check_eq(status, 0, "exit status of --help")
    return out


def man_text():
    """The page as a reader sees it, in one long line per paragraph."""
    need_command("man")
    r = subprocess.run(["man", "-E", "UTF-8", "-l", MAN], check=True, capture_output=True, text=True,
                       env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "MANWIDTH": "400",
                            "MAN_KEEP_FORMATTING": "", "TERM": "dumb"})
    return re.sub(r".\x08", "", r.stdout)


def options_in(text):
    """{long: short or None} of lines that describe options."""
    found = {}
    for m in re.finditer(r"^\s+(?:-(\w), )?--([a-z][a-z-]+)\b", text, re.M):
        found[m.group(2)] = m.group(1)
    return found


def test_options():
    of_help, of_man = options_in(help_text()), options_in(man_text())
    check(len(of_help) > 10, f"options in --help: {of_help}")
    check_eq(of_man, of_help, "options in the man page, against --help")


def test_arguments_and_defaults():
    man = man_text()
    for m in re.finditer(r"--([a-z-]+)[ =]([A-Z]+)\n?", help_text()):
        check(re.search(rf"--{m.group(1)}[ =]{m.group(2)}\b", man),
              f"--{m.group(1)} {m.group(2)} in the man page")


def test_wait_types():
    man = man_text()
    for t in TYPES:
        check(re.search(rf"^\s+{t}\b", man, re.M), f"wait type {t} in the man page")


def test_sort_keys():
    m = re.search(r"Sort keys:\n((?:  .*\n)+)", help_text())
    man = man_text()
    for key in m.group(1).split():
        check(re.search(rf"\b{key}\b", man), f"sort key {key} in the man page")
        check_eq(run_program("-s", key, "--version")[0], 0, f"-s {key}")


def test_keys():
    """Every key of the help screen is in the man page."""
    path = TOP + "/ui/keys.c"
    man = man_text()
    keys = [k for m in re.finditer(r'\},\s*"([^"]+)",\s*"', read(path))
            for k in m.group(1).split()]
    check(len(keys) > 20, f"keys: {keys}")
    for k in keys:
        check(re.search(rf"(?<!\S)[‘'\"]?{re.escape(k)}[’'\",.:]?(?!\S)", man),
              f"key {k} in the man page")


def test_man_page_is_well_formed():
    need_command("groff")
    r = subprocess.run(["groff", "-man", "-ww", "-b", "-Tutf8", "-z", "-K", "utf8", MAN],
                       capture_output=True, text=True, check=False)
    check_eq((r.returncode, r.stderr), (0, ""), "groff")
    man = man_text()
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES",
                    "SEE ALSO"):
        check(re.search(rf"^{section}$", man, re.M), f"section {section}")


def commands_in(text):
    """Lines of code blocks that run the program."""
    fenced = re.findall(r"^```.*?\n(.*?)^```", text, re.M | re.S)
    indented = re.findall(r"(?:^    .*\n)+", text, re.M)
    return [line.strip() for block in fenced + indented for line in block.split("\n")
            if "pgtop-offcpu" in line]


def test_readme():
    text = read(TOP + "/README.md")
    known = options_in(help_text())
    for line in commands_in(text):
        for m in re.finditer(r"(?<=\s)(--[a-z-]+|-[a-zA-Z])(?=[\s=]|$)", line.split("|")[0]
                             .partition("pgtop-offcpu")[2]):
            name = m.group(1)
            check(name.lstrip("-") in known or name.lstrip("-") in known.values(),
                  f"README uses {name}: {line}")
    makefile = read(TOP + "/Makefile")
    for target in re.findall(r"\bmake ([a-z][a-z-]*)\b(?!=)", text):
        if target in ("sure", "it"):
            continue
        check(re.search(rf"^{target}:", makefile, re.M), f"README says make {target}")
    for link in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        check(os.path.exists(os.path.join(TOP, link)), f"README links to {link}")


def test_make_help():
    """make help lists targets that exist, and the important ones."""
    text = subprocess.run(["make", "-s", "help"], cwd=TOP, check=True, capture_output=True,
                          text=True).stdout
    check("$(" not in text, f"a variable of make in its help:\n{text}")
    makefile = read(TOP + "/Makefile")
    listed = re.findall(r"^make ([a-z][a-z-]*)", text, re.M)
    for target in listed:
        check(re.search(rf"^(?:[a-z-]+ )*{target}\b[a-z -]*:", makefile, re.M), f"target {target}")
    for target in ("demo", "check", "bench", "install"):
        check(target in listed, f"make help lists {target}")


def test_install_and_uninstall():
    root = harness.temp_dir()
    for target in ("install", "uninstall"):
        r = subprocess.run(["make", "-s", target, f"B={harness.BUILD}", f"DESTDIR={root}",
                            "prefix=/usr"], cwd=TOP, capture_output=True, text=True, check=False)
        check_eq(r.returncode, 0, f"make {target}: {r.stdout}{r.stderr}")
        found = {os.path.relpath(os.path.join(base, f), root): os.stat(os.path.join(base, f)).st_mode
                 & 0o777 for base, _, files in os.walk(root) for f in files}
        want = {"usr/sbin/pgtop-offcpu": 0o755, "usr/share/man/man8/pgtop-offcpu.8": 0o644}
        check_eq(found, want if target == "install" else {}, f"files after make {target}")


if __name__ == "__main__":
    harness.main()
