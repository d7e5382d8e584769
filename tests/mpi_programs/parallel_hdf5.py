"""parallel_hdf5.py - nodes write a file together by parallel HDF5 in collective host tasks, and read it.

    parallel_hdf5.py COMMAND PROGRAM
"""
import os
import subprocess
import sys
import tempfile

command, program = sys.argv[1:]
environment = {v: is_ for v, is_ in os.environ.items() if not v.startswith("STRETTO_")}
faults = []
with tempfile.TemporaryDirectory() as folder:
    for nodes in (1, 2, 3):
        words = [command, "run", "--mpi", "openmpi", "-n", str(nodes), program, f"{folder}/{nodes}.h5"]
        done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
        expected = [f"node {n}: 0 elements are wrong" for n in range(nodes)]
        if done.returncode or sorted(done.stdout.splitlines()) != expected:
            faults.append(f"{nodes} nodes: exit code {done.returncode}\n{done.stdout}")
print("\n".join(faults) or "well")
sys.exit(bool(faults))
