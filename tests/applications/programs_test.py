"""programs_test.py - all versions of the applications verify their results, on several numbers of processes.

    programs_test.py FOLDER

FOLDER has the programs; those whose library is not here are not built. Half a minute where two cores are free. With
STRETTO_TEST_LONG=1 there are more numbers of processes.
"""
import os
import subprocess
import sys
from pathlib import Path

LIMIT_SECONDS = 240
CASES = ((2, 2), (3, 1))  # processes, and threads of each: those of a flat version have one
if os.environ.get("STRETTO_TEST_LONG") == "1":
    CASES += ((1, 1), (2, 1), (4, 1))
FLAGS = ["--oversubscribe", "--bind-to", "none"]
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "OMPI_MCA_plm": "isolated", "STRETTO_JOB": "alone", "SHMEM_SYMMETRIC_SIZE": "64M"}
KEYS, VERTICES, NODES = 1 << 14, 10, "4112897 nodes, 3599034 leaves, depth 1572"
PROGRAMS = {"isx": ([["14", "20", "2"], lambda n: f"verified: {KEYS * n} keys"],
                    [["14", "20", "2", "strong"], lambda n: f"verified: {-(-KEYS // n) * n} keys"]),
            "uts": ([["T3", "2"], lambda n: f"verified: {NODES}"],),
            "bfs_shmem": ([[str(VERTICES), "4"], lambda n: "verified: 4 searches keep the five rules"],),
            "bfs_mpi": ([[str(VERTICES), "4"], lambda n: "verified: 4 searches keep the five rules"],),
            "geo": ([["24", "6"], lambda n: "verified: as one loop over all planes"],)}


def run(program, processes, words, expected, threads):
    """The fault of one run, or nothing."""
    launcher = "mpirun" if program.name.startswith(("bfs_mpi", "geo")) else "oshrun"
    more = {"OMP_NUM_THREADS": str(threads), "STRETTO_WORKERS": str(threads)}
    try:
        done = subprocess.run([launcher, *FLAGS, "-n", str(processes), program, *words], text=True,
                              env=ENVIRONMENT | more, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=LIMIT_SECONDS, check=False)
        code, printed = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        code, printed = "none, it did not end", (late.stdout or b"").decode()
    if code == 0 and expected in printed:
        return []
    return [f"{program.name} {' '.join(words)}, {processes} processes, {threads} threads: exit code {code}\n{printed}"]


def main():
    folder, faults, runs = Path(sys.argv[1]), [], 0
    for name, cases in PROGRAMS.items():
        for version in ("flat", "hybrid", "blocking", "stretto"):
            program = folder / f"{name}_{version}"
            if not program.exists():
                continue
            for words, expected in cases:
                for processes, threads in CASES:
                    faults += run(program, processes, words, expected(processes), threads)
                    runs += 1
    print("\n".join(faults) or f"{runs} runs have the right results")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
