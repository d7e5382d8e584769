"""random_programs.py - random programs on 2 to 4 processes over one MPI, with other seeds for each number of them.

    random_programs.py NAME LAUNCHER PROGRAM FOLDER
"""
import os
import subprocess
import sys

name, launcher, program, folder = sys.argv[1:]
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_plm": "isolated",
                            "STRETTO_MPI_FOLDER": folder}
flags = ["--oversubscribe", "--bind-to", "none"] if name == "openmpi" else []
seeds = 3500 if os.environ.get("STRETTO_TEST_LONG") == "1" else 84

faults, done = [], 0
for nodes, workers, percent in ((2, 1, "0"), (2, 2, "30"), (3, 1, "30"), (4, 1, "0"), (4, 2, "30")):
    first = 1 + done
    command = [launcher, *flags, "-n", str(nodes), program, str(seeds), str(first)]
    variables = {"STRETTO_WORKERS": str(workers), "STRETTO_TEST_RANDOM_MIGRATION": percent, "STRETTO_STUCK": "20",
                 "STRETTO_GLOBAL_MEMORY": "16M"}
    try:
        ended = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment | variables,
                               timeout=600 + 2 * seeds)
        code, said = ended.returncode, ended.stdout
    except subprocess.TimeoutExpired as e:
        code, said = "none in time", (e.stdout or b"").decode() if isinstance(e.stdout, bytes) else e.stdout or ""
    if code or said.count(f" of {nodes}: {seeds} programs") != nodes:
        faults.append(f"seeds from {first} on, {nodes} processes with {workers} workers, {percent} % migrations: "
                      f"exit code {code}\n{said}")
    done += seeds
print("\n".join(faults) or f"{done} programs over {name}")
sys.exit(1 if faults else 0)
