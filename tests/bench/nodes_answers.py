"""nodes_answers.py - every benchmark of nodes runs, on two processes, and computes what it must: each fails if it is
wrong.

    nodes_answers.py BUILD_BENCH_FOLDER

Few steps each, once; a minute where two cores are free. With STRETTO_TEST_LONG=1 as many as in a run that counts, and
with 4 processes as well.
"""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import answers
import suites

PROGRAMS = ("stretto_jobs", "stretto_nodes", "stretto_module", "mpi")
FEW = [] if answers.LONG else ["--steps", "200"]


def check(executable, system, name, nodes):
    first, *rest = suites.command(str(executable), system, nodes)
    code, printed, fault = answers.run(first, *rest, "--bench", name, "--workers", str(nodes), "--reps", "1", *FEW)
    if '"skipped"' in printed:
        return [] if "device" in name or nodes > 2 else [f"{system} {name}: {printed}"]
    if code or '"value"' not in printed:
        return [f"{system} {name} on {nodes} nodes: exit code {code}\n{printed}\n{fault}"]
    return []


def main():
    folder, faults, runs = Path(sys.argv[1]), [], 0
    for system in PROGRAMS:
        executable = folder / f"bench_{system}"
        if not executable.exists():
            continue  # there is no MPI
        for name in answers.benchmarks(str(executable)):
            if name.startswith("taskbench"):
                continue  # of one node's cores
            for nodes in (2, 4) if answers.LONG else (2,):
                faults += check(executable, system, name, nodes)
                runs += 1
    print("\n".join(faults) or f"{runs} runs have the right answers")
    sys.exit(1 if faults or not runs else 0)


if __name__ == "__main__":
    main()
