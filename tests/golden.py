"""golden.py - compares the output of the stretto command, word for word.

    golden.py FOLDER COMMAND [--update]

A file FOLDER/*.golden is a dialogue: `$ stretto ...` runs the command, the lines up to the next `$` are its
whole output (both streams; stderr first if it wrote to both), and a last line `? N` is its exit code
if that is not 0. `$ NAME=value stretto ...` sets a variable. `<*>` in a line stands for any text,
and a line `<...>` for any lines. Commands run in an empty folder with an otherwise empty environment.
--update rewrites the files with the present output.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
from difflib import unified_diff
from pathlib import Path


def dialogue(text):
    """[(command line or None, lines)]: None is what stands before the first command."""
    parts = [(None, [])]
    for line in text.splitlines():
        if line.startswith("$ "):
            parts.append((line[2:], []))
        else:
            parts[-1][1].append(line)
    return parts


def run(line, command, folder):
    words = shlex.split(line)
    env = {"PATH": os.environ["PATH"], "HOME": folder, "COLUMNS": "100"}
    while "=" in words[0]:
        name, value = words.pop(0).split("=", 1)
        env[name] = value
    if words[0] != "stretto":
        return [f"golden.py: \"{words[0]}\" is not stretto"]
    done = subprocess.run([command, *words[1:]], cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    code = [f"? {done.returncode}"] if done.returncode else []
    return done.stderr.splitlines() + done.stdout.splitlines() + code


def matches(expected, printed):
    pattern = ""
    for line in expected:
        if line == "<...>":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(piece) for piece in line.split("<*>")) + r"\n"
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def check(file, command, update):
    """The differences in one file."""
    faults, rewritten = [], []
    with tempfile.TemporaryDirectory() as folder:
        for line, expected in dialogue(file.read_text()):
            rewritten += [] if line is None else [f"$ {line}"]
            if line is None:
                rewritten += expected
                continue
            wanted = list(expected)
            while wanted and not wanted[-1]:
                wanted.pop()  # blank lines before the next command are for the eye
            printed = run(line, command, folder)
            same = matches(wanted, printed)
            rewritten += (wanted if same else printed) + expected[len(wanted):]
            if not same:
                faults += [f"{file.name}: $ {line}", *unified_diff(wanted, printed, "expected", "printed", lineterm="")]
    if update and faults:
        file.write_text("\n".join(rewritten) + "\n")
    return faults


def main():
    folder, command = Path(sys.argv[1]), Path(sys.argv[2]).resolve()
    files = sorted(folder.glob("*.golden"))
    faults = [line for file in files for line in check(file, command, "--update" in sys.argv)]
    print("\n".join(faults) or f"{len(files)} dialogues are word for word")
    sys.exit(1 if faults or not files else 0)


if __name__ == "__main__":
    main()
