"""on_processes.py - a program on 1, 2 and 4 processes over one MPI; what it must print, and how it must end.

    on_processes.py NAME LAUNCHER PROGRAM FOLDER
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

name, launcher, program, folder = sys.argv[1:]
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_plm": "isolated",
                            "STRETTO_MPI_FOLDER": folder}
flags = ["--oversubscribe", "--bind-to", "none"] if name == "openmpi" else []


def run(nodes, workers, *more, words=()):
    done = subprocess.run([launcher, *flags, "-n", str(nodes), program, *words], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env=environment | {"STRETTO_WORKERS": str(workers)} | dict(more), timeout=300)
    return done.returncode, done.stdout


faults = []
for nodes in (1, 2, 4):
    for workers in (1, 2):
        code, said = run(nodes, workers)
        expected = [f"node {n} of {nodes} is content" for n in range(nodes)]
        if code or sorted(said.split("\n"))[-nodes:] != expected:
            faults.append(f"{nodes} processes with {workers} workers: exit code {code}\n{said}")
# Each level of threads.
for level in ("funneled", "multiple"):
    code, said = run(2, 2, ("STRETTO_MPI_THREADS", level))
    if code or said.count(" of 2 is content") != 2:
        faults.append(f"with MPI for threads {level}: exit code {code}\n{said}")
# A program that has begun MPI itself, where one thread alone may call it.
library = "libmpi.so.40" if name == "openmpi" else "libmpich.so.12"
for nodes, workers in ((2, 2), (4, 1)):
    code, said = run(nodes, workers, words=("begun", library))
    if code or said.count(f" of {nodes} is content") != nodes:
        faults.append(f"{nodes} processes that have begun MPI: exit code {code}\n{said}")
# A program that has loaded an MPI is told where the launcher is another's, and where Stretto has no library for it.
other_mpi, other_library = ("mpich", "libmpich.so.12") if name == "openmpi" else ("openmpi", "libmpi.so.40")
if Path(folder, f"stretto_mpi_{other_mpi}.so").exists():
    code, said = run(2, 1, words=("begun", other_library))
    if not code or f"error N09: the launcher started 2 processes, but MPI sees 1 in each\n  launcher    {name}\n" not in said:
        faults.append(f"a program that has loaded {other_mpi}: exit code {code}\n{said}")
    with tempfile.TemporaryDirectory() as there:
        Path(there, f"stretto_mpi_{other_mpi}.so").symlink_to(Path(folder, f"stretto_mpi_{other_mpi}.so").resolve())
        code, said = run(2, 1, ("STRETTO_MPI_FOLDER", there), words=("begun", library))
    if not code or f"error N08: Stretto has no library for the MPI of this program, {name}\n" not in said:
        faults.append(f"a program whose MPI Stretto has no library for: exit code {code}\n{said}")
# Floods stay within the memory that there is for messages, and what is larger than a message may be is refused.
for words, nodes, variable in (("floods", 2, ("STRETTO_MESSAGE_MEMORY", "8M")),
                               ("large", 2, ("STRETTO_LARGEST_MESSAGE", "20M"))):
    code, said = run(nodes, 1, variable, words=(words,))
    if code or said.count(f" of {nodes} is content") != nodes:
        faults.append(f"{nodes} processes, {words}: exit code {code}\n{said}")
# Objects that move by themselves change nothing.
code, said = run(4, 2, ("STRETTO_TEST_RANDOM_MIGRATION", "30"))
if code or said.count(" of 4 is content") != 4:
    faults.append(f"with random migration: exit code {code}\n{said}")
# Arrays on devices, simulated ones and those of drivers, where there are such.
for devices in ("sim:2", "opencl", "cuda"):
    code, said = run(2, 2, ("STRETTO_DEVICES", devices))
    if devices != "sim:2" and "error K27" in said:
        print(f"no test of processes with devices {devices}: there is none")
        continue
    if code or said.count(" of 2 is content") != 2:
        faults.append(f"with devices {devices}: exit code {code}\n{said}")
# Memory that every node reads and writes by itself.
for nodes in (1, 2, 3):
    code, said = run(nodes, 1, ("STRETTO_GLOBAL_MEMORY", "8M"))
    if code or said.count(" has lent") != nodes or said.count(f" of {nodes} is content") != nodes:
        faults.append(f"{nodes} processes with global memory: exit code {code}\n{said}")
# One that does not go on is told why, once, by one node for all.
process = subprocess.Popen([launcher, *flags, "-n", "3", program, "hang"], text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT,
                           env=environment | {"STRETTO_WORKERS": "1", "STRETTO_STUCK": "0.5"}, start_new_session=True)
watch = threading.Timer(120, os.killpg, (process.pid, signal.SIGKILL))
watch.start()
said = ""
while line := process.stdout.readline():
    said += line
    if "  try  " in line and "error H04" in said:
        break
os.killpg(process.pid, signal.SIGKILL)
watch.cancel()
process.wait()
if not re.search(r"error H04: barrier B0 phase 0 on N0 lacks 1 arrival",
                 said) or "all threads of all 3 nodes sleep" not in said:
    faults.append(f"three processes that hang: {said}")
# One that asks something else of buffers is named by all, and nobody waits for ever.
for workers in (1, 2):
    code, said = run(4, workers, words=("apart",))
    # Launchers mix the lines of processes, and end those that have not spoken when one has failed.
    errors = re.findall(r"^error .*", said, re.M)
    told = [re.fullmatch(r"error B23: node 2 makes a different buffer call than nodes? [013, and]+", e) for e in errors]
    facts = (r"^  where +buffer call 53$", r"^  node 2      T63, read of \[0,1000\) of B1 \(main\.cpp:")
    if not code or not told or not all(told) or not all(re.search(fact, said, re.M) for fact in facts):
        faults.append(f"four processes that part: exit code {code}\n{said}")
# One whose run fails is named by all that wait for it, and nobody waits for ever.
for workers in (1, 2):
    code, said = run(4, workers, words=("fails",))
    named = "error N17: the run of node 2 has ended with an error; buffer operations that depend on it cannot complete"
    errors = re.findall(r"error [A-Z]\d+: .*", said)  # which may follow the end of another's last line
    if not code or "the disk is full" not in said or any(e != named for e in errors):
        faults.append(f"four processes of which one fails: exit code {code}\n{said}")
# The same where they wait by an event or a barrier of their own.
for workers, what in ((1, "event"), (2, "barrier")):
    code, said = run(4, workers, words=("waits", what))
    named = "error N17: the run of node 2 has ended with an error; buffer operations that depend on it cannot complete"
    errors = re.findall(r"error [A-Z]\d+: .*", said)  # which may follow the end of another's last line
    if not code or "the disk is full" not in said or errors != [named] * 3:
        faults.append(f"four processes of which one fails, where three wait for its {what}: exit code {code}\n{said}")
# Processes that are no job, although a launcher started them.
code, said = run(2, 1, ("STRETTO_JOB", "alone"))
if code or said.count("node 0 of 1 is content") != 2:
    faults.append(f"each alone: exit code {code}\n{said}")
# The same program under another name is another one, as far as anybody can tell.
with tempfile.TemporaryDirectory() as there:
    other = shutil.copy(program, f"{there}/another_program")
    done = subprocess.run([launcher, *flags, "-n", "1", program, ":", "-n", "1", other], text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment, timeout=300)
told = re.search(r"error N06: nodes 0 and 1 of this job run different builds\n +program +(\S+), build (\w+) on node 0, "
                 r"another_program, build (\w+) on node 1", done.stdout)
if not done.returncode or not told or told[2] != told[3]:
    faults.append(f"two programs: exit code {done.returncode}\n{done.stdout}")
# Nodes that were asked for different things.
for variable, one, other, name_of in (("STRETTO_BALANCE", "none", "greedy", "balance"),
                                      ("STRETTO_GLOBAL_MEMORY", "1M", "2M", "global_memory"),
                                      ("STRETTO_WEIGHTS", "devices", "nodes", "weights")):
    done = subprocess.run([launcher, *flags, "-n", "1", program, ":", "-n", "1", "env", f"{variable}={other}", program], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment | {variable: one}, timeout=300)
    told = rf"error N15: nodes 0 and 1 of this job have different options\n  {name_of} +{one} on node 0, {other} on node 1"
    if not done.returncode or not re.search(told, done.stdout):
        faults.append(f"two options: exit code {done.returncode}\n{done.stdout}")
# A job that is killed goes on from its checkpoint, on other numbers of nodes.
with tempfile.TemporaryDirectory() as there:
    for nodes, *mode in ((3, "save"), (1, "restore"), (2, "restore"), (3, "restore"), (4, "restore")):
        done = subprocess.run([launcher, *flags, "-n", str(nodes), program, *mode, f"{there}/ring.ckpt"], text=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=environment | {"STRETTO_WORKERS": "1"}, timeout=300)
        expected = f"8000 passes, 8000 by nodes, on {nodes} nodes, saved by 3\n"
        if bool(done.returncode) != (mode == ["save"]) or (mode == ["restore"] and done.stdout != expected):
            faults.append(f"{mode[0]} on {nodes} processes: exit code {done.returncode}\n{done.stdout}")
print("\n".join(faults) or f"30 runs over {name}")
sys.exit(1 if faults else 0)
