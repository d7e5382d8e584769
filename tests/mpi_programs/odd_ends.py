"""odd_ends.py - nodes that end in the middle of their job: the job ends, and it is said which node ended how.

    odd_ends.py NAME LAUNCHER COMMAND PROGRAM
"""
import os
import re
import subprocess
import sys

name, launcher, command, program = sys.argv[1:]
environment = {v: is_ for v, is_ in os.environ.items() if not v.startswith("STRETTO_")} | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_plm": "isolated"}
flags = ["--oversubscribe", "--bind-to", "none"] if name == "openmpi" else []
# The code that a node ends with; from MPICH's launcher also 9, of the nodes that it kills, or 1, if it sees the
# connection of a node close before the node's end: it does both for any program that calls _exit(3).
codes = (3,) if name == "openmpi" else (3, 9, 1)
faults = []


def run(*words):
    done = subprocess.run(words, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment)
    return done.returncode, done.stdout


def check(how, all_nodes, errors, under_launcher, printed=""):
    """What `stretto run` tells, in any order of nodes that end alike, and the exit code of the MPI's own launcher."""
    words = [program, how] + ["all"] * all_nodes
    code, said = run(command, "run", "--mpi", name, "-n", "2", *words)
    told = re.findall(r"^error (.*)$", said, re.M)
    # Which of several nodes is the first, and whether the others can still say something, is chance.
    ends = [e for e in told if e.startswith("W55")]
    if code != bool(errors) or not set(told) <= set(errors) or len(ends) != bool(errors) or printed not in said:
        faults.append(f"{how}, {'all' if all_nodes else 'node 1'}: exit code {code}\n{said}in place of {errors}")
    code, said = run(launcher, *flags, "-n", "2", *words)
    if not under_launcher(code):
        faults.append(f"{how}, {'all' if all_nodes else 'node 1'}, under {launcher}: exit code {code}\n{said}")


for all_nodes in (False, True):
    nodes = (0, 1) if all_nodes else (1,)

    def errors(first, w55):
        return [e.format(n) for n in nodes for e in ([first] if first else []) + [f"W55: node {{}} of 2 {w55}"]]

    for how in ("exit", "exit in a task", "exit in a thread", "exit after run"):
        check(how, all_nodes,
              errors("N33: node {} of 2 ends with exit code 3 before the job is over", "ended with exit code 3"),
              lambda c: c in codes)
    check("exit 0", all_nodes, errors("N33: node {} of 2 ends before the job is over", "ended with exit code 1"),
          lambda c: c != 0)
    for how in ("quick_exit", "_exit"):
        check(how, all_nodes, errors("", "ended with exit code 3"), lambda c: c in codes)
    # Nothing in the process can be asked then; MPICH's launcher says nothing, and that of Open MPI not which.
    for how in ("quick_exit 0", "_exit 0"):
        check(how, all_nodes, errors("", "ended with exit code 0 before the job was over"), lambda c: True)
    for how in ("abort", "throw"):
        check(how, all_nodes, errors("", "ended by signal 6 (Aborted)"), lambda c: c != 0)
    # MPICH's launcher kills all others once it is told of MPI_Abort, and loses what they wrote last. A code of 0 is
    # none.
    for how, ended in (("MPI_Abort", "ended with exit code 5"), ("MPI_Abort 0",
                                                                 "ended with exit code 0 before the job was over")):
        check(how, all_nodes, errors("", ended), lambda c: True, "last words of node")
nodes = (0, 1)
check("leak", True, errors("N33: node {} of 2 ends before the job is over", "ended with exit code 1"), lambda c: c != 0)
check("MPI_Finalize", True,
      errors("N32: node {} of 2 calls MPI_Finalize while its runtime is part of the job", "ended with exit code 1"),
      lambda c: c != 0)
for how in ("static", "return from main"):
    check(how, True, [], lambda c: c == 0)
print("\n".join(faults) or "well")
sys.exit(bool(faults))
