"""every_size.py - the tests of the module on 1, 2, 3 and 4 ranks, and the example. The guide shows the example as it
is.

    every_size.py LAUNCHER CONDUIT TEST EXAMPLE

LAUNCHER: upcxx-run, or `stand_in` for the stand-in of UPC++, whose processes this script starts itself. The smp conduit
forks its processes in upcxx::init: the program must then call it before it makes a runtime.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

launcher, conduit, test, example = sys.argv[1:]
environment = os.environ | {"STRETTO_JOB": "alone"}
faults, runs = [], 0


def start(arguments, **more):
    return subprocess.Popen(arguments, text=True, env=environment | more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def processes(ranks, arguments, folder):
    if launcher != "stand_in":
        return [start([launcher, "-n", str(ranks), *arguments], GASNET_SPAWNFN="L")]
    file = Path(folder) / "memory"
    file.touch()
    return [start(arguments, UPCXX_STAND_IN=f"{rank}/{ranks}/{file}") for rank in range(ranks)]


def run(ranks, *arguments, says, times):
    global runs
    runs += 1
    codes, said = [], ""
    with tempfile.TemporaryDirectory() as folder:
        all_of_it = processes(ranks, arguments, folder)
        for one in all_of_it:
            try:
                said += one.communicate(timeout=240)[0]
            except subprocess.TimeoutExpired:
                one.kill()
                said += one.communicate()[0] + "\nit did not end"
            codes.append(one.returncode)
    if any(codes) or said.count(says) != times:
        faults.append(f"{' '.join(arguments)} on {ranks} ranks: exit codes {codes}\n{said}")


for ranks in (1, 2, 3, 4):
    for workers in ("1", "2"):
        if conduit != "smp":
            run(ranks, test, workers, says="all is well", times=ranks)
        run(ranks, test, workers, "given", says="all is well", times=ranks)
    run(ranks, example, says="1000 words, 100 of them different", times=1)
folder = Path(__file__).resolve().parent.parent
program = (folder / "example/word_counts.cpp").read_text()
guide = folder.parent.parent / "docs/guide/upcxx.md"
if guide.exists() and "```cpp\n" + program[program.index("#include"):] + "```" not in guide.read_text():
    faults.append(f"{guide} does not show example/word_counts.cpp as it is")
print("\n".join(faults) or f"{runs} runs")
sys.exit(1 if faults else 0)
