"""random_regions_test.py - random programs with OpenACC compute what they compute without their directives.

    random_regions_test.py BIN SOURCES WORK [FIRST COUNT]

BIN holds the compilers; SOURCES is tests/ranks; programs are made in WORK. With FIRST and COUNT, the programs of these
seeds run; those that fail stay in WORK, and their seeds are printed.
"""
import os
import subprocess
import sys
from pathlib import Path

BIN, SOURCES, WORK = (Path(argument).resolve() for argument in sys.argv[1:4])
sys.path.insert(0, str(SOURCES / "random_regions"))

from random_regions import Program  # noqa: E402

SECONDS = 300  # ends a program that hangs, however busy the machine is
DEVICES = {"host": {}, "discrete": {"STRETTO_ACC_DISCRETE": "1"}, "opencl": {"STRETTO_ACC_DEVICE_TYPE": "opencl"}}
FIRST_SEED, SEEDS = 1, 6


def output_of(command, **variables):
    done = subprocess.run([str(one) for one in command], capture_output=True, text=True, cwd=WORK, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, env=dict(os.environ, **variables))
    return done.stdout if done.returncode == 0 else f"ended with {done.returncode}:\n{done.stdout}{done.stderr}"


def has_opencl():
    """Whether the machine has a device: a program says so where it has none."""
    (WORK / "device.c").write_text("int main(void) {\n  int a[2] = {0};\n#pragma acc parallel loop copy(a)\n"
                                   "  for (int i = 0; i < 2; ++i) a[i] = i;\n  return a[1] - 1;\n}\n")
    output_of([BIN / "stretto-cc", "device.c", "-o", "device"])
    return output_of(["./device"], **DEVICES["opencl"]) == ""


def failures_of(seed, devices):
    name = f"regions{seed}"
    (WORK / f"{name}.c").write_text(Program(seed).text())
    for compiler, program in ("cc", f"{name}_plain"), (BIN / "stretto-cc", name):
        problem = output_of([compiler, "-O1", "-w", f"{name}.c", "-o", program])
        if problem:
            return [f"seed {seed}: {compiler} {problem}"]
    expected = output_of([f"./{name}_plain"])
    failures = []
    for device in devices:
        got = output_of([f"./{name}"], STRETTO_RANKS="1", STRETTO_WORKERS="3", **DEVICES[device])
        if got != expected:
            failures.append(f"seed {seed}, {device}: expected\n{expected}but got\n{got}")
    if not failures:
        for one in f"{name}.c", f"{name}_plain", name:
            (WORK / one).unlink()
    return failures


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    first, count = (int(one) for one in sys.argv[4:6]) if len(sys.argv) > 4 else (FIRST_SEED, SEEDS)
    devices = [one for one in DEVICES if one != "opencl" or has_opencl()]
    failures = [one for seed in range(first, first + count) for one in failures_of(seed, devices)]
    print("\n".join(failures) or f"{count} programs, each on {', '.join(devices)}")
    sys.exit(1 if failures else 0)


main()
