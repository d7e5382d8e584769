"""blocking_calls.py - collective host tasks that block in MPI: nobody waits for ever, and each group has its own
communicator.

    blocking_calls.py NAME LAUNCHER COMMAND PROGRAM
"""
import os
import subprocess
import sys

name, launcher, command, program = sys.argv[1:]
environment = {v: is_ for v, is_ in os.environ.items() if not v.startswith("STRETTO_")}
faults = []


def check(what, words, expected, environment=environment):
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    if done.returncode or sorted(done.stdout.splitlines()) != sorted(expected):
        faults.append(f"{what}: exit code {done.returncode}\n{done.stdout}in place of\n{expected}")


def of_nodes(nodes, *words):
    return [command, "run", "--mpi", name, "-n", str(nodes), program, *words]


for nodes in (2, 3):
    for workers in ("1", "2"):
        for way in ("own", "lock", "none", "multiple"):
            check(f"{way}, {nodes} nodes, {workers} workers", of_nodes(nodes, way, workers),
                  [f"node {n}: sum {nodes}" for n in range(nodes)])
    sums = [sum(10 * (n + 1) + group for n in range(nodes)) for group in range(3)]
    check(f"groups of {nodes}", of_nodes(nodes, "groups", "1"),
          [f"node {n}: group {g} has {sums[g]}" for n in range(nodes) for g in range(3)])
check("alone", [program, "groups"], [f"node 0: group {g} has {10 + g}" for g in range(3)])
check("alone", [program, "own"], ["node 0: sum 1"])
check("a body that fails", of_nodes(2, "fails"), [f"node {n}: the body failed" for n in range(2)])

other_type = "the requested type is not the MPI_Comm of this MPI"
not_multiple = "MPI was not started with MPI_THREAD_MULTIPLE"
no_level = [line for n in range(2) for line in (
    f"node {n}: error N30: there is no MPI communicator for a collective task",
    "  requested   blocking_calls.cpp:83",
    f"  because     {not_multiple}",
    "  try         STRETTO_MPI_THREADS=multiple; if the program initialises MPI itself: MPI_Init_thread with "
    "MPI_THREAD_MULTIPLE",
    f"node {n}: {not_multiple}")]
check("a program that starts MPI with less", of_nodes(2, "serialized"), no_level)
check("less that was asked for", of_nodes(2, "wants"), no_level, environment | {"STRETTO_MPI_THREADS": "serialized"})
check("a type that is no communicator", of_nodes(2, "wants"), [f"node {n}: {other_type}" for n in range(2)])
print("\n".join(faults) or "well")
sys.exit(bool(faults))
