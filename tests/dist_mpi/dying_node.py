"""dying_node.py - a node of a program of buffers, or of letters, is killed, over one MPI: the others do not wait for
what it was to send, and it is named, once.

    dying_node.py NAME LAUNCHER PROGRAM FOLDER COMMAND
"""
import itertools
import os
import re
import subprocess
import sys
import time

name, launcher, program, folder, command = sys.argv[1:]
environment = {v: is_ for v, is_ in os.environ.items() if not v.startswith("STRETTO_")} | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_plm": "isolated",
    "STRETTO_MPI_FOLDER": folder}
flags = ["--oversubscribe", "--bind-to", "none"] if name == "openmpi" else []
faults = []
runs = 0
longest = 0
in_turn = itertools.cycle("12")


def run(what, *words, **more):
    """None: it hangs, which is a fault."""
    global runs, longest
    runs += 1
    begun = time.monotonic()
    process = subprocess.Popen(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment | more)
    try:
        out, err = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.terminate()
        faults.append(f"{what}: it hangs\n{process.communicate()}")
        return None
    longest = max(longest, time.monotonic() - begun)
    return process.returncode, out, err


def dies(what, *words):
    """Who was killed is told once, and as no other error. An MPI may end a process that was to read memory of the one
    that has gone: that comes as `also`, and nothing of Stretto's does."""
    done = run(what, command, "run", "-n", "4", "--mpi", name, *words)
    errors = done and re.findall(r"^.*error [A-Z]\d+:.*$", done[2] + done[1], re.M)
    also = done and re.findall(r"^  also +(.*)$", done[2], re.M)
    if done and (done[0] != 1 or errors != ["error W55: node 2 of 4 ended by signal 9 (Killed)"] or
                 not all("ended by signal 6 (Aborted)" in other for other in also)):
        faults.append(f"{what}: exit code {done[0]}\n{done[1]}{done[2]}")


def workers():
    """In a quick run one or two, in turn: the five moments of a program of buffers meet both, few elements or many."""
    return ("1", "2") if os.environ.get("STRETTO_TEST_LONG") == "1" else (next(in_turn),)


# Before the first launch, between launches, while all are read, and while the others wait for the end of the job;
# elements that go
# along with their message, and such that are asked for.
for points in (1000, 3_000_000):
    for at in (0, 1, 23, 50, 51):
        for n in workers():
            what = f"node 2 dies at launch {at} of {points} elements, {n} workers"
            dies(what, "--workers", n, "--", program, "dies", str(at), str(points))
    # Without the command the launcher says it.
    what = f"node 2 dies under the launcher, {points} elements"
    done = run(what, launcher, *flags, "-n", "4", program, "dies", "23", str(points), STRETTO_WORKERS="1")
    if done and (done[0] == 0 or "illed" not in done[1] + done[2]):
        faults.append(f"{what}: exit code {done[0]}\n{done[1]}{done[2]}")
# At the first letter, and while objects and letters are on their way to it and through it.
for at in (0, 1, 100, 1000):
    for n in workers():
        dies(f"node 2 dies at letter {at}, {n} workers", "--workers", n, "--", program, "dies_among_letters", str(at))
print("\n".join(faults) or f"{runs} runs over {name}, the longest {longest:.1f} s")
sys.exit(1 if faults else 0)
