"""every_level.py - the scenarios over one MPI, on 1, 2 and 4 processes, in each thread level; and under the wrong
launcher.

    every_level.py NAME LAUNCHER PROGRAM FOLDER NAMES...
"""
import os
import subprocess
import sys

name, launcher, program, folder, *names = sys.argv[1:]
# Open MPI asks for ssh even where nothing is started elsewhere.
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_plm": "isolated"}
flags = ["--oversubscribe", "--bind-to", "none"] if name == "openmpi" else []


def run(nodes, *arguments):
    done = subprocess.run([launcher, *flags, "-n", str(nodes), program, folder, *arguments], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=500)
    return done.returncode, done.stdout


faults, runs = [], 0
for nodes in (1, 2, 4):
    for level in ("funneled", "serialized", "multiple"):
        code, said = run(nodes, level)
        runs += 1
        if code or said.count("SUCCESS!") != nodes:
            faults.append(f"{nodes} processes, {level}: exit code {code}\n{said}")
for other in names:
    if other != name:
        code, said = run(2, "serialized", other)
        runs += 1
        if not code or "N09" not in said or "started 2 processes, but MPI sees 1" not in said:
            faults.append(f"under the launcher of {name}, {other} says\n{said}")
print("\n".join(faults) or f"{runs} runs over {name}")
sys.exit(1 if faults else 0)
