"""fail.py - programs in tests/fail that must not compile, each for the reason that it states.

    fail.py ROOT COMPILER

A file says `// expect: words` (once or more), may say `// with: options of the compiler`, and marks the lines at fault
with `// fails` at their end. Without those lines it must compile, with them it must not, and the compiler's text must
hold the words.
"""
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from user_build import UserBuild

EXPECT = re.compile(r"^// expect: (.+)$", re.M)
WITH = re.compile(r"^// with: (.+)$", re.M)
FAILS = re.compile(r"^.*// fails$", re.M)


def compile_text(compiler, includes, text, first=()):
    return subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never",
                           *(word for words in WITH.findall(text) for word in words.split()),
                           *(f"-I{folder}" for folder in includes), *first, "-x", "c++", "-"],
                          input=text, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})


def check_text(name, text, compiler, includes, first=()):
    """`first`: arguments that include the compiled header before all else."""
    expected = EXPECT.findall(text)
    if not expected or not FAILS.search(text):
        return [f"{name}: needs `// expect: words` and a line that ends with `// fails`"]
    faults = []
    sound = compile_text(compiler, includes, FAILS.sub("", text), first)
    if sound.returncode:
        faults.append(f"{name}: does not compile even without its lines at fault:\n{sound.stderr}")
    broken = compile_text(compiler, includes, text, first)
    if broken.returncode == 0:
        faults.append(f"{name}: compiles, and must not")
    else:
        plain = broken.stderr.replace("‘", "'").replace("’", "'")
        faults += [f"{name}: the compiler does not say \"{words}\":\n{plain}" for words in expected
                   if words not in plain]
    return faults


def main():
    root, compiler = Path(sys.argv[1]), sys.argv[2]
    files = sorted((root / "tests/fail").glob("*.cpp"))
    includes = [root / "include", root / "src"]
    with UserBuild(compiler,
                   [f"-I{folder}" for folder in includes]) as user, ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda file: check_text(file.name, file.read_text(), compiler, includes, user.first), files)
        faults = [fault for result in results for fault in result]
    print("\n".join(faults) or f"{len(files)} programs do not compile, each as it says")
    sys.exit(1 if faults or not files else 0)


if __name__ == "__main__":
    main()
