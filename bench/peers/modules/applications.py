"""applications.py - the applications of examples/modules as benchmarks, a process per worker.

    applications.py FOLDER VERSION --bench NAME [--workers PROCESSES] [--size N] [--tree NAME] [--reps N]

The size is the logarithm of the number of keys or vertices, or the side of the field of GEO.

VERSION is "flat", "hybrid" or "stretto". Programs verify their results; a wrong one is an exit code.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

LIMIT_SECONDS = 500
KEY_BITS = 24  # fewer than the 28 of ISx: counters of 2^28 keys would take more time than all of the sort

# The command line of a benchmark by its size and tree, and how its figure is found.
SECONDS, TEPS = r"seconds: (\S+)", r"TEPS: ([^,\s]+)"
BENCHMARKS = {
    "modules_isx": ("isx", 20, lambda o: [o.size, KEY_BITS, o.reps, "weak"]),
    "modules_isx_strong": ("isx", 22, lambda o: [o.size, KEY_BITS, o.reps, "strong"]),
    "modules_uts": ("uts", 0, lambda o: [o.tree, o.reps]),
    "modules_bfs_shmem": ("bfs_shmem", 18, lambda o: [o.size, 4 * o.reps]),
    "modules_bfs_mpi": ("bfs_mpi", 18, lambda o: [o.size, 4 * o.reps]),
    "modules_geo": ("geo", 96, lambda o: [o.size, 50])}
FLAT = {"geo": "blocking"}  # the names of flat versions that have another one


def command(program, processes):
    """The command line of so many processes, and its environment."""
    is_mpi = program.name.startswith(("bfs_mpi", "geo"))
    cores = len(os.sched_getaffinity(0))
    threads = max(1, cores // processes)
    more = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_plm": "isolated",
            "SHMEM_SYMMETRIC_SIZE": "512M", "STRETTO_JOB": "alone", "STRETTO_WORKERS": str(threads),
            "OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "false"}
    return (["mpirun" if is_mpi else "oshrun", "--oversubscribe", "--bind-to", "none", "-np", str(processes),
             str(program)], os.environ | more)


def figure(program, processes, arguments, pattern):
    line, variables = command(program, processes)
    done = subprocess.run([*line, *map(str, arguments)], env=variables, capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, check=False)
    found = re.search(pattern, done.stdout)
    if done.returncode != 0 or "verified" not in done.stdout or not found:
        raise SystemExit(f"{program.name}: exit code {done.returncode}: {(done.stdout + done.stderr).strip()}")
    nodes = re.search(r"verified: (\d+) nodes", done.stdout)
    return float(found[1]), float(nodes[1]) if nodes else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("version", choices=("flat", "hybrid", "stretto"))
    parser.add_argument("--bench", required=True, choices=tuple(BENCHMARKS))
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--size", type=int)
    parser.add_argument("--tree", default="T1")
    parser.add_argument("--reps", type=int, default=3)
    given = parser.parse_args()
    name, default_size, arguments = BENCHMARKS[given.bench]
    given.size = given.size or default_size
    version = FLAT.get(name, "flat") if given.version == "flat" else given.version
    program = given.folder / f"{name}_{version}"
    head = {"bench": given.bench, "workers": given.workers, "size": given.size}
    if not program.exists():
        print(json.dumps(head | {"skipped": f"{program.name} is not part of this build"}))
        return 0
    if name.startswith("bfs"):
        rate, _ = figure(program, given.workers, arguments(given), TEPS)
        found = {"value": rate / 1e6, "unit": "MTEPS", "better": "higher"}
    else:
        seconds, nodes = figure(program, given.workers, arguments(given), SECONDS)
        found = ({"value": nodes / seconds / 1e6, "unit": "Mnodes/s", "better": "higher"} if nodes
                 else {"value": seconds * 1e3, "unit": "ms", "better": "lower"})
    print(json.dumps(head | found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
