"""error_programs.py - the programs of docs/errors make the error of their page, and those repaired make none.

    error_programs.py ROOT INSTALLED COMPILER [COMMAND]

In a page, ```cpp program is a whole program, and ```output behind it its whole output with standard error, which must
contain the page's code. ```cpp repaired is an excerpt of the same program. It replaces the lines between those that are
equal to its first and last line; then the program must succeed and print no error, or just the ```output that follows.
```console is a dialogue with the command, as in golden.py.

Many programs are compiled together, each in a namespace of its own: the headers are what takes the time.
"""
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import golden
from user_build import UserBuild, flags_of

FENCE = re.compile(r"^```(cpp program|cpp repaired|console|output)\n(.*?)^```$", re.M | re.S)
WITHOUT = re.compile(r"^\s*without a program: (.*)$", re.M)
TOGETHER = 12  # programs in one translation unit


class Program:
    """A program of a page; `expected` is all that it prints, or None where it may print all but errors."""

    def __init__(self, where, code, text):
        self.where, self.code, self.text, self.expected = where, code, text, None

    def judge(self, output, exit_code):
        faults = []
        output = re.sub(r"\bprogram_\d+::", "", output)  # where a type is named with our namespace
        if exit_code:
            faults.append(f"{self.where}: exit code {exit_code}\n{output}")
        if self.expected is None:
            if re.search(r"^error [A-Z]\d\d:", output, re.M):
                faults.append(f"{self.where}: the repaired program prints\n{output}")
        elif not re.fullmatch(".*".join(re.escape(piece) for piece in self.expected.split("<*>")), output):
            faults.append(f"{self.where}: printed\n{output}where the page says\n{self.expected}")
        return faults


def repaired(program, excerpt):
    """The program with the excerpt in place of what stands between the excerpt's first and last line."""
    old, new = program.splitlines(), excerpt.splitlines()
    if old.count(new[0]) != 1 or old.count(new[-1]) != 1:
        raise ValueError("the first and the last line of a repair must each stand once in the program")
    first, last = old.index(new[0]), old.index(new[-1])
    if first > last:
        raise ValueError("the last line of a repair stands before its first in the program")
    return "\n".join(old[:first] + new + old[last + 1:]) + "\n"


def read_page(path, root):
    """(programs, dialogues, faults) of one page."""
    page, code = path.read_text(), path.stem
    programs, dialogues, faults, original = [], [], [], None
    for fence in FENCE.finditer(page):
        line = page.count("\n", 0, fence.start()) + 1
        where = f"{path.relative_to(root)}:{line}"
        if fence[1] == "cpp program":
            original = fence[2]
            programs.append(Program(where, code, fence[2]))
        elif fence[1] == "cpp repaired":
            try:
                programs.append(Program(where, code, repaired(original, fence[2])))
            except (ValueError, AttributeError) as fault:
                faults.append(f"{where}: {fault}")
        elif fence[1] == "console":
            dialogues.append((where, fence[2]))
        elif programs:
            programs[-1].expected = fence[2]
    shown = [p.expected or "" for p in programs] + [text for _, text in dialogues]
    if shown and not any(re.search(rf"\b(error|warning) {code}: ", text) for text in shown):
        faults.append(f"{path.relative_to(root)}: none of its programs shows error {code}")
    if programs and all(f"error {code}: " in (p.expected or "") for p in programs):
        faults.append(f"{path.relative_to(root)}: has no repaired program")
    return programs, dialogues, faults


def unit_of(programs):
    """One translation unit that holds all the programs; its first argument says which to run."""
    includes = dict.fromkeys(line for p in programs for line in p.text.splitlines() if line.startswith("#include"))
    parts = [*includes, "#include <cstdlib>"]
    for number, p in enumerate(programs):
        body = re.sub(r"^#include.*$", "", p.text, flags=re.M).rstrip("\n")
        if not body.endswith("}"):
            body += "\n"
        body = body.replace("int main()", "int begin()", 1)
        body = body[:-1] + "return 0; }"  # what only main may leave out
        parts += [f"namespace program_{number} {{", f'#line 1 "program.cpp"', body, "}", f'#line 1 "unit.cpp"']
    cases = "".join(f"  case {n}: return program_{n}::begin();\n" for n in range(len(programs)))
    return "\n".join(parts) + f"\nint main(int, char** words) {{ switch (std::atoi(words[1])) {{\n{cases}  }} return 99; }}\n"


def check_unit(programs, user):
    with tempfile.TemporaryDirectory() as folder:
        said = user.build(unit_of(programs), f"{folder}/unit.cpp", f"{folder}/unit")
        if said is not None:
            if len(programs) == 1:
                return [f"{programs[0].where}: does not compile:\n{said}"]
            return [fault for p in programs for fault in check_unit([p], user)] or \
                [f"{programs[0].where} and others compile alone, but not together:\n{said}"]
        faults = []
        for number, program in enumerate(programs):
            with tempfile.TemporaryDirectory() as empty:
                try:
                    ran = subprocess.run([f"{folder}/unit", str(number)], cwd=empty, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, text=True, timeout=120,
                                         env={**os.environ, "LD_LIBRARY_PATH": user.libraries})
                    faults += program.judge(ran.stdout, ran.returncode)
                except subprocess.TimeoutExpired:
                    faults.append(f"{program.where}: did not end within 120 s")
        return faults


def check_dialogue(where, text, command):
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for line, expected in golden.dialogue(text):
            if line is None:
                faults += [f"{where}: begins with no command"] if expected else []
                continue
            while expected and not expected[-1]:
                expected.pop()
            printed = [one for one in golden.run(line, command, folder) if not one.startswith("? ")]
            if not golden.matches(expected, printed):
                faults.append("\n".join([f"{where}: $ {line} printed", *printed, "where the page says", *expected]))
    return faults


def main():
    root, installed, compiler = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    command = Path(sys.argv[4]).resolve() if len(sys.argv) > 4 else None
    folder = root / "docs/errors"
    without = set(WITHOUT.search((folder / "README.md").read_text())[1].split())
    programs, dialogues, faults = [], [], []
    for path in sorted(folder.glob("[A-Z][0-9][0-9].md")):
        ours, talks, wrong = read_page(path, root)
        programs, dialogues, faults = programs + ours, dialogues + talks, faults + wrong
        if bool(ours or talks) == (path.stem in without):
            faults.append(f"{path.relative_to(root)}: " + ("has a program, and README.md says that it has none" if ours
                                                           or talks
                                                          else "has no program, and README.md does not say so"))
    units = [programs[i:i + TOGETHER] for i in range(0, len(programs), TOGETHER)]
    with UserBuild(compiler, flags_of(installed)) as user, ThreadPoolExecutor(min(2, os.cpu_count())) as pool:
        for result in pool.map(lambda unit: check_unit(unit, user), units):
            faults += result
    if command:
        faults += [fault for where, text in dialogues for fault in check_dialogue(where, text, command)]
    print("\n".join(faults) or f"{len(programs)} programs and {len(dialogues)} dialogues do what their pages say")
    sys.exit(1 if faults or not programs else 0)


if __name__ == "__main__":
    main()
