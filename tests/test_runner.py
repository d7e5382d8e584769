"""Runs a test program: test_runner.py [--leaks] NAME PROGRAM [ARGUMENT...]

The output of a program that passes is printed unchanged. If it fails, only the failures are printed, and the whole
output goes to failed/NAME.txt: readers of a log of many tests often see only its beginning or its end. A run also fails
if no test case ran (a filter that matches nothing), or if a hang report named a cause.

--leaks: LeakSanitizer searches for leaks at the end of the process in a thread of its own, which sometimes crashes
("Tracer caught signal 11", GCC 12). Then the leaks are unknown and the program is run again, at most twice. All other
output of the program, with its failures and leaks, counts.
"""
import pathlib
import re
import subprocess
import sys

LEAKS_UNKNOWN = "LeakSanitizer has encountered a fatal error"
NEVER = re.compile(r"test cases: +0 |error H0")
FAILURE = re.compile(r"ERROR: |FATAL ERROR|WARNING: ThreadSanitizer|runtime error: |terminate called|error H0|test cases: +0 ")
BEFORE, AFTER, LAST, MOST, WIDTH = 14, 30, 12, 110, 400


def run(command: list[str], leaks: bool) -> tuple[int, str]:
    for attempt in range(3 if leaks else 1):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output = done.stdout.decode(errors="replace")
        if done.returncode == 0 or LEAKS_UNKNOWN not in output or "Status: SUCCESS!" not in output:
            break
    return done.returncode, output


def brief(output: str) -> list[str]:
    """What failed, with what a test said of it: the lines around each failure, and the last ones."""
    lines = output.splitlines()
    shown = set(range(max(0, len(lines) - LAST), len(lines)))
    for at, line in enumerate(lines):
        if FAILURE.search(line) and len(shown) < MOST:
            begin = max(0, at - BEFORE)
            for k in range(at, begin, -1):
                if lines[k].startswith("====="):  # doctest's line above what it says of one test case
                    begin = k
                    break
            shown.update(range(begin, min(len(lines), at + AFTER)))
    told = []
    previous = -1
    for k in sorted(shown):
        if k != previous + 1:
            told.append(f"  ({k - previous - 1} lines left out)")
        told.append(lines[k][:WIDTH])
        previous = k
    return told


def main(arguments: list[str]) -> int:
    leaks = arguments[0] == "--leaks"
    name, *command = arguments[leaks:]
    code, output = run(command, leaks)
    if code == 0 and not NEVER.search(output):
        sys.stdout.write(output)
        return 0
    whole = pathlib.Path("failed") / f"{name}.txt"
    whole.parent.mkdir(exist_ok=True)
    whole.write_text(output)
    how = f"was ended by signal {-code}" if code < 0 else f"ended with {code}"
    print("\n".join([f"{name} {how}; its whole output: {whole.resolve()}", *brief(output)]))
    return code if code > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
