"""random_regions_test.py - random programs with OpenACC compute what they compute without their directives.

    random_regions_test.py BIN SOURCES WORK [FIRST COUNT]

BIN holds the compilers; SOURCES is tests/ranks; programs are made in WORK. With FIRST and COUNT, the programs of these
seeds run; those that fail stay in WORK, and their seeds are printed. Each seed is one program of one rank, and one of
two to four ranks that send each other messages.
"""
import os
import subprocess
import sys
from pathlib import Path

BIN, SOURCES, WORK = (Path(argument).resolve() for argument in sys.argv[1:4])
sys.path.insert(0, str(SOURCES / "random_regions"))

from random_regions import Program  # noqa: E402

SECONDS = 300  # ends a program that hangs, however busy the machine is
DEVICES = {"host": {}, "discrete": {"STRETTO_ACC_DISCRETE": "1"}, "opencl": {"STRETTO_ACC_DEVICE_TYPE": "opencl"},
           "discrete opencl": {"STRETTO_ACC_DEVICE_TYPE": "opencl", "STRETTO_ACC_DISCRETE": "1"},
           "simulated": {"STRETTO_ACC_DEVICE_TYPE": "sim", "STRETTO_DEVICES": "sim:2"}}
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


def without_directives(text):
    return "".join(line + "\n" for line in text.splitlines() if not line.startswith("#pragma acc"))


def sorted_lines(text):
    """Ranks print their lines at any time."""
    return "\n".join(sorted(text.splitlines()))


def failures_of(seed, has_messages, devices):
    name = f"messages{seed}" if has_messages else f"regions{seed}"
    text = Program(seed, has_messages).text()
    (WORK / f"{name}.c").write_text(text)
    (WORK / f"{name}_plain.c").write_text(without_directives(text))
    compiler_of_plain = [BIN / "stretto-cc", "-DPLAIN"] if has_messages else ["cc"]
    for compiler, program in (compiler_of_plain, f"{name}_plain"), ([BIN / "stretto-cc"], name):
        problem = output_of([*compiler, "-O1", "-w", f"{program}.c", "-o", program])
        if problem:
            return [f"seed {seed}: {compiler[0]} {problem}"]
    variables = {"STRETTO_RANKS": str(2 + seed % 3 if has_messages else 1), "STRETTO_WORKERS": "3"}
    expected = sorted_lines(output_of([f"./{name}_plain"], **variables))
    failures = []
    for device in devices:
        got = sorted_lines(output_of([f"./{name}"], **variables, **DEVICES[device]))
        if got != expected or "ended with" in expected:
            failures.append(f"{name}, {device}: expected\n{expected}\nbut got\n{got}")
    if not failures:
        for one in f"{name}.c", f"{name}_plain.c", f"{name}_plain", name:
            (WORK / one).unlink()
    return failures


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    first, count = (int(one) for one in sys.argv[4:6]) if len(sys.argv) > 4 else (FIRST_SEED, SEEDS)
    devices = [one for one in DEVICES if "opencl" not in one or has_opencl()]
    failures = [one for seed in range(first, first + count) for has_messages in (False, True)
                for one in failures_of(seed, has_messages, devices)]
    print("\n".join(failures) or f"{2 * count} programs, each on {', '.join(devices)}")
    sys.exit(1 if failures else 0)


main()
