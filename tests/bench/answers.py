"""answers.py - every benchmark of Stretto computes what it must: each checks its own answer and fails if it is wrong.
Of those whose time is counted, the same on any machine, the goals are kept, too.

    answers.py PROGRAM

Each benchmark runs once at its usual size with 4 workers, those of kernels and devices with 2, of which some are
smaller; uts searches small trees. With STRETTO_TEST_LONG=1 all run with 1 and 2 as well, at their usual size, those
that mostly wait run too, and so do the large published trees.
"""
import json
import os
import subprocess
import sys

LONG = os.environ.get("STRETTO_TEST_LONG") == "1"
WAITS = {"idle", "two_runtimes"}
ONCE = ("host_", "sim_", "beyond_", "device_")  # long, and not about workers
SMALLER = {} if LONG else {"device_kernels_product": "512", "device_kernels_tiles": "512"}
TREES = ["T1", "T3"] + (["T2", "T4", "T5", "T1L", "T3L"] if LONG else [])

# What is counted: at least, or at most, so much. Two devices that share a bus can have the speed of 1.97
# (docs/performance.md).
COUNTED = [(("sim_series", "--size", "2"), 1.95, None), (("sim_series", "--size", "4"), 3.8, None),
           (("sim_series_bus", "--size", "4"), 1.9, None),
           (("sim_wave", "--size", "2"), 1.95, None), (("sim_wave", "--size", "4"), 3.8, None),
           (("beyond_memory_wave",), None, 1.3), (("beyond_memory_product",), None, 1.3)]


def run(program, *flags):
    done = subprocess.run([program, *flags], capture_output=True, text=True, timeout=3000)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def benchmarks(program):
    """Asked for one that no program has, it names those that it has."""
    said = json.loads(run(program, "--bench", "?")[1])["skipped"]
    return said.split("; it has ", 1)[1].split(", ")


def check(program, name, workers, *more):
    flags = ["--bench", name, "--workers", str(workers), "--reps", "1", *more]
    code, printed, fault = run(program, *flags)
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    if name.startswith("device_") and not code and any("skipped" in line for line in lines):
        return []  # there is no device
    if code or not lines or any("skipped" in line for line in lines):
        return [f"{' '.join(flags)}: exit code {code}\n{printed}\n{fault}"]
    return []


def variants(name):
    """The further flags of each run of a benchmark."""
    if name == "uts":
        return [("--tree", tree) for tree in TREES]
    return [("--size", SMALLER[name])] if name in SMALLER else [()]


def main():
    program, faults, runs = sys.argv[1], [], 0
    names = [name for name in benchmarks(program) if LONG or name not in WAITS]
    for name in names:
        for workers in (2,) if name.startswith(ONCE) else (1, 2, 4) if LONG else (4,):
            for more in variants(name):
                faults += check(program, name, workers, *more)
                runs += 1
    for flags, least, most in COUNTED:
        code, printed, fault = run(program, "--bench", *flags, "--workers", "2", "--reps", "1")
        value = json.loads(printed.splitlines()[-1])["value"] if not code else None
        runs += 1
        if code or (least and value < least) or (most and value > most):
            faults.append(f"{' '.join(flags)}: {value}, goal {least or most}\n{fault}")
    print("\n".join(faults) or f"{runs} runs of {len(names)} benchmarks have the right answers")
    sys.exit(1 if faults or not runs else 0)


if __name__ == "__main__":
    main()
