"""headers.py - each public header compiles alone, twice over, without a warning, and stays light. Instantiated
templates have no warnings either, and unsuitable compilers and options are refused in one line.

    headers.py ROOT COMPILER
"""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Most preprocessed lines of a header, everything that it includes counted.
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion"]
# Programs that use much of them.
EXAMPLES = ["19_objects", "22_mobile", "30_checkpoint", "14_life"]
REFUSED = {"-fno-exceptions": "Stretto reports failures by exceptions, compile without -fno-exceptions",
           "-std=c++17": "Stretto needs C++20, compile with -std=c++20"}
OLD_COMPILERS = {"clang++-14": "Stretto needs std::source_location, compile with GCC 12 or later, or with clang 16 or later"}
MOST_LINES = {"stretto/stretto.hpp": 90_000, "stretto/event.hpp": 52_000, "stretto/task.hpp": 52_000}


def run(compiler, include, arguments, text):
    return subprocess.run([compiler, "-std=c++20", f"-I{include}", *arguments, "-x", "c++", "-"],
                          input=text, capture_output=True, text=True)


def check_header(compiler, include, name, most_lines):
    """(faults, preprocessed lines) of one header; lines of those alone that have a limit."""
    faults = []
    twice = f"#include <{name}>\n#include <{name}>\n"
    compiled = run(compiler, include, ["-fsyntax-only", *WARNINGS, "-Werror"], twice)
    if compiled.returncode:
        faults.append(f"{name} does not compile alone:\n{compiled.stderr}")
    if name not in most_lines:
        return faults, None
    lines = run(compiler, include, ["-E", "-P"], f"#include <{name}>\n").stdout.count("\n")
    if lines > most_lines[name]:
        faults.append(f"{name} has {lines:,} preprocessed lines; at most {most_lines[name]:,} are allowed")
    return faults, lines


def check_uses(compiler, include, sources):
    """Warnings of headers where programs use them, and of a program that takes them as the system's."""
    faults = []
    for source in sources:
        compiled = run(compiler, include, ["-fsyntax-only", *WARNINGS, f"-I{source.parent}"], source.read_text())
        faults += [f"{source.name}: {line}" for line in compiled.stderr.splitlines()
                   if re.match(rf"{re.escape(str(include))}/\S+ (warning|error): ", line)]
    for name in ["stretto/stretto.hpp"]:
        compiled = subprocess.run([compiler, "-std=c++20", "-isystem", include, "-fsyntax-only", *WARNINGS, "-Werror",
                                   "-x", "c++", "-"],
                                  input=f"#include <{name}>\n", capture_output=True, text=True)
        if compiled.returncode:
            faults.append(f"{name} as a header of the system:\n{compiled.stderr}")
    return faults


def check_refusal(compiler, include, arguments, words):
    """One line, with these words, and nothing else."""
    faults = []
    for name in ["stretto/stretto.hpp", "stretto/event.hpp"]:
        compiled = run(compiler, include, ["-fsyntax-only", *arguments], f"#include <{name}>\n")
        told = [line for line in compiled.stderr.splitlines() if re.search(r"\b(error|warning): ", line)]
        if not compiled.returncode or len(told) != 1 or words not in told[0]:
            faults.append(f"{compiler} {' '.join(arguments)} with {name} says:\n{compiled.stderr[:2000]}")
    return faults


def check(include, compiler, most_lines):
    names = sorted(path.relative_to(include).as_posix() for path in include.rglob("*.hpp"))
    if not names:
        return ["no public header was found"], {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda name: check_header(compiler, include, name, most_lines), names))
    return ([fault for faults, _ in results for fault in faults],
            {name: lines for name, (_, lines) in zip(names, results) if lines})


def main():
    root, compiler = Path(sys.argv[1]), sys.argv[2]
    faults, sizes = check(root / "include", compiler, MOST_LINES)
    faults += check_uses(compiler, root / "include", [root / f"examples/{name}.cpp" for name in EXAMPLES])
    for argument, words in REFUSED.items():
        faults += check_refusal(compiler, root / "include", [argument], words)
    for old, words in OLD_COMPILERS.items():
        if shutil.which(old):
            faults += check_refusal(old, root / "include", [], words)
    for name, lines in sizes.items():
        print(f"{name:32} {lines:8,} lines")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
