"""programs.py - the programs of examples/acc as benchmarks, and the translation of a source with directives.

    programs.py FOLDER COMPILER LAUNCHER --bench NAME [--workers RANKS] [--size N] [--reps N]

FOLDER has the programs, compiled by COMPILER. LAUNCHER is "stretto" for ranks of one process, and "mpirun" for
processes. Programs check their results; a failed check is an exit code.
"""

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import suites

SECONDS = 500  # ends a program that hangs
FORMS = ("synchronous", "asynchronous", "unified")
WAYS = ("shared", "copied")  # of inputs that ranks only read
STEPS_OF_JACOBI = 400


def started(launcher, program, ranks):
    """The command line and the environment of a program with so many ranks."""
    if launcher == "mpirun":
        return suites.command(str(program), "openmpi", ranks), dict(os.environ)
    return [str(program)], {**os.environ, "STRETTO_RANKS": str(ranks)}


def printed_by(line, variables):
    done = subprocess.run(line, env=variables, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(line)}: exit code {done.returncode}: {(done.stdout + done.stderr).strip()}")
    return done.stdout


def numbers_in(pattern, text):
    found = re.search(pattern, text)
    if not found:
        raise SystemExit(f"no figure in: {text.strip()}")
    return [float(one) for one in found.groups()]


PARTS_OF_DGEMM = ("messages", "copies", "regions")


def seconds_of_dgemm(run, size):
    pattern = r"seconds: (\S+) in messages, (\S+) in copies, (\S+) in regions"
    return numbers_in(pattern, run("dgemm", str(size or 512), "times"))


def dgemm(run, size):
    return sum(seconds_of_dgemm(run, size)) * 1e3, "ms", "lower"


def share_of_dgemm(part):
    """In percent of all parts, each of which is that of the rank that spends most there."""
    def measure(run, size):
        seconds = seconds_of_dgemm(run, size)
        return 100 * seconds[PARTS_OF_DGEMM.index(part)] / sum(seconds), "%", "lower"
    return measure


def inputs(way):
    """The messages of DGEMM that bring its inputs, which ranks of a node share or copy."""
    def measure(run, size):
        text = run("dgemm", str(size or 512), "times", STRETTO_ACC_SHARE_HEAP="1" if way == "shared" else "0")
        return numbers_in(r"inputs came in (\S+)", text)[0] * 1e3, "ms", "lower"
    return measure


def random_pairs(run, _size):
    return numbers_in(r"seconds: (\S+)", run("ep", "S", "times"))[0] * 1e3, "ms", "lower"


def himeno(run, size):
    iterations = size or 100
    text = run("himeno", "S", str(iterations), "times")
    operations = 34 * 62 * 62 * 126 * iterations
    return operations / numbers_in(r"(\S+) million operations", text)[0] / 1e3, "ms", "lower"


def jacobi(form):
    def measure(run, size):
        text = run("jacobi_forms", form, str(size or 512), str(STEPS_OF_JACOBI), "times")
        return numbers_in(form + r": (\S+) seconds", text)[0] * 1e6 / STEPS_OF_JACOBI, "us/step", "lower"
    return measure


BENCHMARKS = {"acc_dgemm": dgemm, **{f"acc_dgemm_{part}": share_of_dgemm(part) for part in PARTS_OF_DGEMM},
              "acc_ep": random_pairs, "acc_himeno": himeno,
              **{f"acc_jacobi_{form}": jacobi(form) for form in FORMS},
              **{f"acc_inputs_{way}": inputs(way) for way in WAYS}}


def source_of_lines(count):
    """A source with a region in every tenth line."""
    lines = ["#include <math.h>", "#include <stddef.h>"]
    while len(lines) < count:
        name = f"step_{len(lines)}"
        lines += [f"void {name}(double* to, const double* from, long n) {{",
                  "  double greatest = 0;",
                  "#pragma acc parallel loop copyin(from[0 : n]) copy(to[0 : n]) reduction(max : greatest)",
                  "  for (long i = 0; i < n; ++i) {",
                  "    const double was = to[i];",
                  "    to[i] = sqrt(fabs(was * from[i])) + 0.5 * from[i];",
                  "    greatest = fmax(greatest, fabs(to[i] - was));",
                  "  }",
                  "  if (n > 0) to[0] = greatest;",
                  "}"]
    return "\n".join(lines) + "\n"


def translation(compiler, size):
    """Processor time until a source of so many lines is translated and its syntax checked, but not compiled."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "steps.c"
        source.write_text(source_of_lines(size or 1000))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        printed_by([compiler, "-fsyntax-only", str(source)], dict(os.environ))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3, "ms", "lower"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("compiler")
    parser.add_argument("launcher", choices=("stretto", "mpirun"))
    parser.add_argument("--bench", required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("--reps", type=int, default=3)
    given = parser.parse_args()

    def run(program, *arguments, **more_variables):
        line, variables = started(given.launcher, given.folder / program, given.workers)
        return printed_by([*line, *arguments], variables | more_variables)

    def measure():
        if given.bench == "acc_translation":
            return translation(given.compiler, given.size)
        return BENCHMARKS[given.bench](run, given.size)

    head = {"bench": given.bench, "workers": given.workers}
    if given.bench == "acc_jacobi_unified" and given.launcher == "mpirun":
        print(json.dumps(head | {"skipped": "this compiler does not have the directive acc mpi"}))
        return 0
    if given.bench != "acc_translation" and given.bench not in BENCHMARKS:
        raise SystemExit(f"there is no benchmark \"{given.bench}\"")
    found = [measure() for _ in range(given.reps)]
    print(json.dumps(head | {"size": given.size, "unit": found[0][1], "better": found[0][2],
                             "value": statistics.median(value for value, *_ in found)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
