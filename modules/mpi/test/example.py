"""example.py - the example prints what its header says on 1, 2 and 4 processes; the page of the guide shows it as it
is.

    example.py LAUNCHER PROGRAM SOURCE PAGE
"""
import os
import re
import subprocess
import sys
from pathlib import Path

launcher, program, source, page = sys.argv[1:]
text = Path(source).read_text()
expected = "".join(line[5:] + "\n" for line in text.splitlines() if line.startswith("//   "))
is_open_mpi = "OpenRTE" in subprocess.run([launcher, "--version"], capture_output=True, text=True).stdout
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_plm": "isolated",
                            "STRETTO_JOB": "alone"}
flags = ["--oversubscribe", "--bind-to", "none"] if is_open_mpi else []
faults = []
for nodes in (1, 2, 4):
    done = subprocess.run([launcher, *flags, "-n", str(nodes), program], env=environment, capture_output=True,
                          text=True, timeout=120)
    if done.returncode or done.stdout != expected:
        faults.append(f"on {nodes} processes: exit code {done.returncode}\n{done.stderr}{done.stdout}where the header says\n{expected}")
# A module that was copied out of the tree has no guide beside it.
if Path(page).exists() and text[text.index("#include"):] not in re.sub(r"^```.*$", "", Path(page).read_text(),
                                                                       flags=re.M):
    faults.append(f"{page} does not show {source}")
print("\n".join(faults) or "the example is as it is shown")
sys.exit(1 if faults else 0)
