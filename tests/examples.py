"""examples.py - an example prints what its header says, with any number of workers, every time.

    examples.py SOURCE PROGRAM [REPETITIONS]

The header is the comment that opens the source; what it prints stands after the line `// Output`, each line
behind `//   `, up to the end of the comment. `<*>` stands for any text in a line.
"""
import os
import re
import subprocess
import sys
from pathlib import Path


def expected(source):
    """What the header promises, or None if it promises nothing."""
    header = re.match(r"(//.*\n)+", source)
    parts = header[0].split("// Output\n") if header else []
    if len(parts) != 2:
        return None
    return "".join(line[5:] if line.startswith("//   ") else line[2:].lstrip(" ")
                   for line in parts[1].splitlines(keepends=True))


def check(program, promise, workers, seconds=120):
    """A description of what went wrong, or None."""
    where = f"{Path(program).name} with {workers} workers"
    env = {**os.environ, "STRETTO_WORKERS": str(workers)}
    try:
        ran = subprocess.run([program], env=env, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f"{where}: did not end within {seconds} s"
    if ran.returncode:
        return f"{where}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}"
    pattern = ".*".join(re.escape(piece) for piece in promise.split("<*>"))
    if not re.fullmatch(pattern, ran.stdout):
        return f"{where}: printed\n{ran.stdout}where its header says\n{promise}"
    return None


def main():
    source, program = sys.argv[1], sys.argv[2]
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    promise = expected(Path(source).read_text())
    if not promise:
        sys.exit(f"{source}: the header has no part \"// Output\"")
    for _ in range(repetitions):
        for workers in (1, 2, 3):
            fault = check(program, promise, workers)
            if fault:
                sys.exit(fault)
    print(f"{Path(program).name} prints what its header says, {repetitions} times with 1, 2 and 3 workers")


if __name__ == "__main__":
    main()
