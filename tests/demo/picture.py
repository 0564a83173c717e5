#!/usr/bin/python3
"""Makes man/pgtop-offcpu.png, the picture in the README: the real program on the workload of
`make demo`, in a terminal of its own, after a full window.

usage: tests/demo/picture.py [--program PATH] [--size 150x38] [OUT.png]     (as root)
"""
import argparse
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
sys.dont_write_bytecode = True
import harness  # noqa: E402
import screen_png  # noqa: E402
from tmuxscreen import Screen  # noqa: E402

WINDOW_S = 30


def shrink(path):
    """A palette instead of true colours: a fourth of the size, and to the eye the same."""
    from PIL import Image
    image = Image.open(path)
    image.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--program", default=harness.PROGRAM)
    parser.add_argument("--size", default="150x38")
    parser.add_argument("out", nargs="?", default=os.path.join(HERE, "../../man/pgtop-offcpu.png"))
    args = parser.parse_args()
    width, height = map(int, args.size.split("x"))
    try:
        s = Screen(["/usr/bin/python3", os.path.join(HERE, "demo.py"), "--program",
                    os.path.abspath(args.program), "--", "-w", str(WINDOW_S)], width, height)
        s.wait_for("^AAS", 120)
        time.sleep(WINDOW_S + 3)
        path = screen_png.write(s.escapes(), os.path.normpath(args.out))
        s.keys("q")
        s.wait_exit(60)
    finally:
        harness.reaper.close()
    if path.endswith(".png"):
        shrink(path)
    print(f"{path}: {os.path.getsize(path) // 1024} kB")


if __name__ == "__main__":
    main()
