"""every_size.py - the tests of the module on 1, 2 and 4 PEs, the example, and many starts and ends. The guide shows
the example as it is.

    every_size.py LAUNCHER TEST EXAMPLE [PROGRAM_WITH_MPI]
"""
import os
import subprocess
import sys
import threading
from pathlib import Path

launcher, test, example, *with_mpi = sys.argv[1:]
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_plm": "isolated", "STRETTO_JOB": "alone"}
flags = ["--oversubscribe", "--bind-to", "none"]
starts = 100 if os.environ.get("STRETTO_TEST_LONG") == "1" else 10
faults, runs = [], 0


def run(pes, *words, says):
    global runs
    runs += 1
    try:
        done = subprocess.run([launcher, *flags, "-n", str(pes), *words], text=True, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
        code, said = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        code, said = "none, it did not end", (late.stdout or b"").decode()
    if code or said.count(says) != (1 if words[0] == example else pes):
        faults.append(f"{' '.join(words)} on {pes} PEs: exit code {code}\n{said}")


for pes in (1, 2, 4):
    for workers in (1, 2):
        run(pes, test, str(workers), says="all is well")
    run(pes, example, says="1000000 numbers in 64 buckets")
    for program in with_mpi:
        run(pes, program, says="all is well")
run(2, test, "2", "given", says="all is well")
for _ in range(starts):
    run(2, test, "1", "ends", says="all is well")

def check_report():
    """A report of no progress names the conditions that are not met, then this script ends the program."""
    global runs
    runs += 1
    words = [launcher, *flags, "-n", "1", test, "2", "stuck"]
    one = subprocess.Popen(words, text=True, env=environment | {"STRETTO_STUCK": "1"}, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    late = threading.Timer(120, one.terminate)
    late.start()
    said = ""
    while not all(part in said for part in ("reader: *0x", "== 42", "< -1", "shmem_test.cpp")):
        line = one.stdout.readline()
        if not line:
            faults.append(f"{' '.join(words)} reports no conditions\n{said}")
            break
        said += line
    late.cancel()
    one.terminate()
    one.wait()


check_report()
folder = Path(__file__).resolve().parent.parent
program = (folder / "example/histogram.cpp").read_text()
guide = folder.parent.parent / "docs/guide/shmem.md"
if guide.exists() and "```cpp\n" + program[program.index("#include"):] + "```" not in guide.read_text():
    faults.append(f"{guide} does not show example/histogram.cpp as it is")
print("\n".join(faults) or f"{runs} runs")
sys.exit(1 if faults else 0)
