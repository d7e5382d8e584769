"""guide.py - the programs of the README, the guide and other pages compile and print what the page says.

    guide.py ROOT INSTALLED COMPILER PAGE_OR_FOLDER...

A fence ```cpp program holds a whole program; a fence ```output that follows it, before the next program, is
all that it prints (`<*>` stands for any text in a line). An output that follows ```cpp hangs is a report, which
hang/hang_pages.py compares. Programs are compiled as a reader would compile them, with pkg-config and the installed
copy, and must exit with 0.
"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from user_build import UserBuild, flags_of

FENCE = re.compile(r"^```(cpp program|cpp hangs|output)\n(.*?)^```$", re.M | re.S)


def programs(page):
    """[(line, text, expected output or None)] of one page."""
    found, before = [], None
    for fence in FENCE.finditer(page):
        if fence[1] == "cpp program":
            found.append([page.count("\n", 0, fence.start()) + 1, fence[2], None])
        elif fence[1] == "output" and before == "cpp program":
            found[-1][2] = fence[2]
        before = fence[1]
    return found


def build_program(where, text, folder, user):
    """Faults; without any, folder/program runs with LD_LIBRARY_PATH as user.libraries."""
    named = re.match(r"// (\S+\.cpp) - ", text)
    said = user.build(text, f"{folder}/{named[1] if named else 'program.cpp'}", f"{folder}/program")
    return [] if said is None else [f"{where}: does not compile:\n{said}"]


def check_program(where, text, expected, user):
    with tempfile.TemporaryDirectory() as folder:
        if faults := build_program(where, text, folder, user):
            return faults
        try:
            ran = subprocess.run([f"{folder}/program"], cwd=folder, capture_output=True, text=True, timeout=120,
                                 env={**os.environ, "LD_LIBRARY_PATH": user.libraries})
        except subprocess.TimeoutExpired:
            return [f"{where}: did not end within 120 s"]
    faults = []
    if ran.returncode:
        faults.append(f"{where}: exit code {ran.returncode}\n{ran.stderr}")
    if accused := re.search(r"^error H0\d:.*", ran.stderr, re.M):
        faults.append(f"{where}: is said to hang: {accused[0]}")
    if expected is not None:
        pattern = ".*".join(re.escape(piece) for piece in expected.split("<*>"))
        if not re.fullmatch(pattern, ran.stdout):
            faults.append(f"{where}: printed\n{ran.stdout}where the page says\n{expected}")
    return faults


def main():
    root, installed, compiler = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    named = [root / name for name in sys.argv[4:]]
    pages = [page for name in named for page in (sorted(name.glob("*.md")) if name.is_dir() else [name])]
    work = [(f"{page.relative_to(root)}:{line}", text, expected)
            for page in pages for line, text, expected in programs(page.read_text())]
    with UserBuild(compiler, flags_of(installed)) as user, ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [fault for result in pool.map(lambda one: check_program(*one, user), work) for fault in result]
    print("\n".join(faults) or f"{len(work)} programs do what their pages say")
    sys.exit(1 if faults or not work else 0)


if __name__ == "__main__":
    main()
