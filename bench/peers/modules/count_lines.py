"""count_lines.py - the lines of code of each version of the applications, and its calls that synchronise.

    count_lines.py          prints the table of docs/performance/modules.md

A line of code is neither empty nor a comment. A version is its program and the files that only some versions share; the
kernels, the verification and the report, which all versions share, are not counted.
"""
import re
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "examples/modules"
VERSIONS = {"isx": {"flat": ["isx_flat.cpp", "isx_blocking.hpp", "isx_blocking.cpp"],
                    "hybrid": ["isx_hybrid.cpp", "isx_blocking.hpp", "isx_blocking.cpp"],
                    "Stretto": ["isx_stretto.cpp"]},
            "uts": {"flat": ["uts_flat.cpp", "uts_blocking.hpp", "uts_blocking.cpp"],
                    "hybrid": ["uts_hybrid.cpp", "uts_blocking.hpp", "uts_blocking.cpp"],
                    "Stretto": ["uts_stretto.cpp"]},
            "bfs, OpenSHMEM": {"flat": ["bfs_shmem_flat.cpp", "polling_search.hpp"],
                               "Stretto": ["bfs_shmem_stretto.cpp", "task_search.hpp"]},
            "bfs, MPI": {"flat": ["bfs_mpi_flat.cpp", "polling_search.hpp"],
                         "Stretto": ["bfs_mpi_stretto.cpp", "task_search.hpp"]},
            "geo": {"blocking": ["geo_blocking.cpp"], "Stretto": ["geo_stretto.cpp"]}}
# Calls that hold the caller until others have done something, or that look whether they have.
CALLS = {"barriers and collective calls": r"shmem_barrier_all\(|_to_all\(|fcollect32\(|barrier\(\)|\.reduce<|collect\("
                                          r"|MPI_(Barrier|Allreduce|Allgather)\(|allreduce\(|iallgather\("
                                          r"|omp (barrier|single|parallel)",
         "locks": r"set_lock\(|clear_lock\(|scoped_lock|omp critical",
         "polls": r"\bpoll\(handle\)|shmem_ulong_test\(|MPI_Test\w*\(|while \(!is_over_\)|while \(shmem_",
         "waits": r"shmem_(quiet|fence)\(|MPI_(Wait|Sendrecv)\w*\(|\bwait(_until)?\(|\.get\(\)|finish\(\[",
         "tasks behind a condition": r"async_when\(|async\(after\(|after\("}


def code_of(names):
    text = "\n".join(next(FOLDER.rglob(name)).read_text() for name in names)
    return [line for line in text.splitlines() if line.strip() and not line.strip().startswith("//")]


def main():
    print("| application | version | lines |", " | ".join(CALLS), "|")
    print("| --- " * (3 + len(CALLS)) + "|")
    for application, versions in VERSIONS.items():
        for version, names in versions.items():
            lines = code_of(names)
            counts = [sum(len(re.findall(pattern, line)) for line in lines) for pattern in CALLS.values()]
            print(f"| {application} | {version} | {len(lines)} |", " | ".join(map(str, counts)), "|")


if __name__ == "__main__":
    main()
