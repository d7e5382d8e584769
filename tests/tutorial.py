"""tutorial.py - a page of the tutorial shows its program as it is, and what the program prints.

    tutorial.py PAGE SOURCE PROGRAM [STRETTO]

The only fence ```cpp program of PAGE must be the text of SOURCE. Each fence ```console is a dialogue as in golden.py,
in which PROGRAM is called by its name, `./1_hello`. What begins with that name runs with 1, 2 and 3 workers; commands
of `stretto` run if STRETTO, the command, is given. All of them run in one folder, which is empty at first.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import golden
import guide

CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
SECONDS = 120


def text_faults(page, source):
    """What is wrong with the program that a page shows; both are texts."""
    shown = [text for _, text, _ in guide.programs(page)]
    if len(shown) != 1:
        return [f"the page shows {len(shown)} programs in place of one"]
    if shown[0] == source:
        return []
    pairs = zip(shown[0].splitlines() + ["(no more)"], source.splitlines() + ["(no more)"])
    line, (on_page, in_file) = next((n, pair) for n, pair in enumerate(pairs, 1) if pair[0] != pair[1])
    return [f"line {line} of the program differs:\n  the page   {on_page}\n  the file   {in_file}"]


def commands(page):
    """[(command line, lines that it must print)] of all dialogues of a page."""
    found = []
    for fence in CONSOLE.finditer(page):
        for line, expected in golden.dialogue(fence[1]):
            if line is not None:
                found.append((line, expected))
    return found


def check_command(line, expected, folder, workers, path):
    """A description of what went wrong with one command line, or None."""
    env = {**os.environ, "PATH": path, "STRETTO_WORKERS": str(workers)} if workers else {**os.environ, "PATH": path}
    try:
        ran = subprocess.run(line, shell=True, cwd=folder, env=env, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"$ {line}\ndid not end within {SECONDS} s"
    if ran.returncode:
        return f"$ {line}\nended with {ran.returncode}\n{ran.stdout}{ran.stderr}"
    if not golden.matches(expected, ran.stdout.splitlines()):
        return "\n".join([f"$ {line}", "printed", *ran.stdout.splitlines(), "where the page says", *expected])
    return None


def run_faults(page, program, command=None):
    """What is wrong with the dialogues of a page, a text, of which the file `program` is the program."""
    faults, called = [], 0
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / program.name).symlink_to(program.resolve())
        path = os.environ["PATH"]
        if command:
            (Path(folder) / "bin").mkdir()
            (Path(folder) / "bin/stretto").symlink_to(command.resolve())
            path = f"{folder}/bin:{path}"
        for line, expected in commands(page):
            if re.search(r"(^|\s)stretto ", line):
                faults += [check_command(line, expected, folder, None, path)] if command else []
            elif f"./{program.name}" in line.split():
                called += 1
                faults += [check_command(line, expected, folder, workers, path) for workers in (1, 2, 3)]
            else:
                faults.append(f"$ {line}\nruns neither ./{program.name} nor stretto")
    return [fault for fault in faults if fault] + ([] if called else [f"no dialogue runs ./{program.name}"])


def main():
    page, source, program, *command = map(Path, sys.argv[1:])
    text = page.read_text()
    faults = text_faults(text, source.read_text()) + run_faults(text, program, *command)
    print("\n".join(f"{page}: {fault}" for fault in faults) or f"{program.name} does what {page.name} says")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
