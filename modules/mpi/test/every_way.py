"""every_way.py - the scenarios of mpi_test over one MPI, on 1, 2 and 4 processes, in each thread level; in a quick run,
what differs from two processes and from SERIALIZED differs in one of them alone.

    every_way.py LAUNCHER PROGRAM [SCENARIO...]
"""
import os
import subprocess
import sys

launcher, program, *named = sys.argv[1:]
is_open_mpi = "Open MPI" in subprocess.run([launcher, "--version"], capture_output=True,
                                           text=True).stdout.replace("OpenRTE", "Open MPI")
# Open MPI asks for ssh even where nothing is started elsewhere, and its osc/rdma crashes in MPI_Compare_and_swap
# between processes of
# a host (4.1.4, whatever calls it).
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_plm": "isolated",
                            "OMPI_MCA_osc": "^rdma"}
flags = ["--oversubscribe", "--bind-to", "none"] if is_open_mpi else []

is_long = os.environ.get("STRETTO_TEST_LONG") == "1"
faults, runs = [], 0
for scenario, workers, sizes in (("calls", 4, (1, 2, 4)), ("beside", 2, (1, 2, 4)), ("behind", 2, (2, 4)),
                                 ("ends", 2, (1, 2, 4)), ("leftover", 2, (1, 2, 4)),
                                 ("simulated", 1, (1, 2)), ("own", 2, (1, 2)), ("elsewhere", 2, (2, 4)),
                                 ("start", 2, (1, 2))):
    if named and scenario not in named:
        continue
    for nodes in sizes:
        for level in ("funneled", "serialized", "multiple"):
            if not is_long and nodes != 2 and level != "serialized":
                continue
            runs += 1
            try:
                done = subprocess.run([launcher, *flags, "-n", str(nodes), program, level, str(workers), scenario],
                                      text=True,
                                      env=environment | {"STRETTO_JOB": "mpi"
                                                         if scenario in ("beside", "behind", "leftover") else "alone",
                                                         "STRETTO_MPI_THREADS": level},
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240)
                code, said = done.returncode, done.stdout
            except subprocess.TimeoutExpired as late:
                code, said = "none, it did not end", (late.stdout or b"").decode()
            if code or said.count("all is well") != nodes:
                faults.append(f"{scenario} on {nodes} processes, {level}: exit code {code}\n{said}")
print("\n".join(faults) or f"{runs} runs of {program}")
sys.exit(1 if faults else 0)
