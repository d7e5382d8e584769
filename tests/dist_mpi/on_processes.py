"""on_processes.py - a program on 1, 2 and 4 processes over one MPI; what it must print, and how it must end.

    on_processes.py NAME LAUNCHER PROGRAM FOLDER
"""
import os
import subprocess
import sys

name, launcher, program, folder = sys.argv[1:]
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_plm": "isolated",
                            "STRETTO_MPI_FOLDER": folder}
flags = ["--oversubscribe", "--bind-to", "none"] if name == "openmpi" else []


def run(nodes, workers, *more):
    done = subprocess.run([launcher, *flags, "-n", str(nodes), program], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment | {"STRETTO_WORKERS": str(workers)} | dict(more), timeout=300)
    return done.returncode, done.stdout


faults = []
for nodes in (1, 2, 4):
    for workers in (1, 2):
        code, said = run(nodes, workers)
        expected = [f"node {n} of {nodes} is content" for n in range(nodes)]
        if code or sorted(said.split("\n"))[-nodes:] != expected:
            faults.append(f"{nodes} processes with {workers} workers: exit code {code}\n{said}")
# Objects that move by themselves change nothing.
code, said = run(4, 2, ("STRETTO_WANDER", "30"))
if code or said.count(" of 4 is content") != 4:
    faults.append(f"with objects that wander: exit code {code}\n{said}")
# Processes that are no job, although a launcher started them.
code, said = run(2, 1, ("STRETTO_JOB", "alone"))
if code or said.count("node 0 of 1 is content") != 2:
    faults.append(f"each alone: exit code {code}\n{said}")
print("\n".join(faults) or f"8 runs over {name}")
sys.exit(1 if faults else 0)
