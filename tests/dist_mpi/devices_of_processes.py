"""devices_of_processes.py - elements that go between devices of several processes over one MPI, on the tests' own CUDA
driver.

    devices_of_processes.py NAME LAUNCHER PROGRAM FOLDER FOLDER_OF_THE_CUDA_DRIVER

The program prints what is wrong, and how the drivers of two processes brought elements from one to the other: copied
from where they lie by the one that has opened the other's memory, or read into memory of the host and written from
there.
"""
import os
import re
import subprocess
import sys

name, launcher, program, folder, drivers = sys.argv[1:6]
environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_plm": "isolated",
                            "STRETTO_MPI_FOLDER": folder, "STRETTO_WORKERS": "1", "STRETTO_LOG": "info",
                            "STRETTO_DEVICES": "cuda",
                            "CUDA_HOME": drivers,
                            "LD_LIBRARY_PATH": f"{drivers}/lib64:{os.environ.get('LD_LIBRARY_PATH', '')}",
                            "FAKE_CUDA_DEVICES": "1", "STRETTO_DEVICE_MEMORY": "32M"}
for variable in ("CUDA_VISIBLE_DEVICES", "STRETTO_DEVICE_MESSAGES", "STRETTO_TEST_DEVICE_POOL", "STRETTO_CHECK"):
    environment.pop(variable, None)
flags = ["--oversubscribe", "--bind-to", "none"] if name == "openmpi" else []
faults = []


def check(what, is_direct, groups, **variables):
    """`groups`: of processes, how many and their variables."""
    command = [launcher, *flags]
    for n, (processes, own) in enumerate(groups):
        command += [":"] * (n > 0) + ["-n", str(processes), "env", *[f"{v}={is_}" for v, is_ in own.items()], program]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment
                          | variables, timeout=240)
    said, nodes = done.stdout, sum(processes for processes, _ in groups)
    elements = re.search(r"elements wrong=0 read=(\d+) opened=(\d+) written=(\d+) copied=(\d)", said)
    fine = not done.returncode and elements and "objects wrong=0" in said and len(re.findall(r"buffers of node \d+ wrong=0", said)) == nodes
    fine = fine and len(re.findall(r"node \d+ live=0 misuse=0", said)) == nodes
    if fine:
        read, opened, written, copied = map(int, elements.groups())
        fine = (read, opened, written, copied) == (0, 1, 0,
                                                   1) if is_direct else read > 0 and written > 0 and opened == 0
    is_told = "info: device cuda_0 copies from the memory of a device of N0 itself" in said
    if not fine or is_told != is_direct:
        faults.append(f"{what}: exit code {done.returncode}\n{said}")


check("one device of two processes", True, [(2, {})])
check("a device each", True, [(2, {})], FAKE_CUDA_DEVICES="2")
check("each sees its own alone", True, [(1, {"CUDA_VISIBLE_DEVICES": "0"}), (1, {"CUDA_VISIBLE_DEVICES": "1"})],
      FAKE_CUDA_DEVICES="2")
check("three processes", True, [(3, {})])
check("as the option says", False, [(2, {})], STRETTO_DEVICE_MESSAGES="0")
check("without a pool", False, [(2, {})], STRETTO_TEST_DEVICE_POOL="0")
check("a driver that opens nothing", False, [(1, {}), (1, {"FAKE_CUDA_OPENS_NOTHING": "1"})])
print("\n".join(faults) or f"7 runs over {name}")
sys.exit(1 if faults else 0)
