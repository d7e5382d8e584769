"""headers.py - each public header compiles alone, twice over, without a warning, and stays light.

    headers.py ROOT COMPILER
"""
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Most preprocessed lines of a header, everything that it includes counted.
MOST_LINES = {"stretto/stretto.hpp": 90_000, "stretto/event.hpp": 52_000, "stretto/task.hpp": 52_000}


def run(compiler, include, arguments, text):
    return subprocess.run([compiler, "-std=c++20", f"-I{include}", *arguments, "-x", "c++", "-"],
                          input=text, capture_output=True, text=True)


def check_header(compiler, include, name, most_lines):
    """(faults, preprocessed lines) of one header."""
    faults = []
    twice = f"#include <{name}>\n#include <{name}>\n"
    compiled = run(compiler, include, ["-fsyntax-only", "-Wall", "-Wextra", "-Werror"], twice)
    if compiled.returncode:
        faults.append(f"{name} does not compile alone:\n{compiled.stderr}")
    lines = run(compiler, include, ["-E", "-P"], f"#include <{name}>\n").stdout.count("\n")
    if name in most_lines and lines > most_lines[name]:
        faults.append(f"{name} has {lines:,} preprocessed lines; at most {most_lines[name]:,} are allowed")
    return faults, lines


def check(include, compiler, most_lines):
    names = sorted(path.relative_to(include).as_posix() for path in include.rglob("*.hpp"))
    if not names:
        return ["no public header was found"], {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda name: check_header(compiler, include, name, most_lines), names))
    return ([fault for faults, _ in results for fault in faults],
            {name: lines for name, (_, lines) in zip(names, results)})


def main():
    root, compiler = Path(sys.argv[1]), sys.argv[2]
    faults, sizes = check(root / "include", compiler, MOST_LINES)
    for name, lines in sizes.items():
        print(f"{name:32} {lines:8,} lines")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
