"""runtime_lifetimes.py - the table of docs/guide/lifetime.md, cell by cell, against the installed library.

    runtime_lifetimes.py INSTALLED FOLDER COMPILER
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from user_build import LANGUAGE, flags_of

installed, build, compiler = Path(sys.argv[1]), Path(sys.argv[2]) / "lifetimes", sys.argv[3]
source = Path(__file__).parent / "lifetimes"
LIMIT_S = 120  # of one program, which takes less than a second: where it is over, the program hangs


def compile_with(*arguments):
    subprocess.run([compiler, *LANGUAGE, "-O1", *arguments, *flags_of(installed), "-ldl"], check=True)


shutil.rmtree(build, ignore_errors=True)
build.mkdir(parents=True)
compile_with(source / "program.cpp", "-o", build / "program")
compile_with("-fPIC", "-shared", source / "plugin.cpp", "-o", build / "plugin.so")

ENDS = {"return": (0, []), "exit": (3, []), "exception": (4, ["thrown by a task"]), "attached": (0, ["detached 1000"])}
OPENING = {"task": ["S15", "45"], "child": ["45", "45"]}  # of others: one use
wrong = 0
for kind in ["global", "static", "stack", "task", "plugin", "child"]:
    for how, (code, then) in ENDS.items():
        expected = OPENING.get(kind, ["45"]) + then
        if kind == "child":
            expected.append("45")  # the parent goes on
        try:
            done = subprocess.run([build / "program", kind, how, build / "plugin.so"], capture_output=True, text=True,
                                  timeout=LIMIT_S, env=os.environ | {"LIFETIME": kind})
            seen, errors = (done.returncode, done.stdout.splitlines()), done.stderr
        except subprocess.TimeoutExpired as e:
            seen, errors = ("no end", str(e.stdout)), str(e.stderr)
        if seen != (code, expected):
            wrong += 1
            print(f"{kind}, {how}: {seen} in place of {(code, expected)}\n{errors}")
print(f"{wrong} wrong")
sys.exit(wrong != 0)
