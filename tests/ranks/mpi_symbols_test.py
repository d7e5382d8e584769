"""mpi_symbols_test.py - every function that mpi.h declares is defined in the library of ranks, under both names.

    mpi_symbols_test.py LIBRARY HEADERS
"""
import re
import subprocess
import sys
from pathlib import Path


def declared(headers):
    names = set()
    for header in headers.glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
        names |= set(re.findall(r"^(?!typedef)[\w\s*]*?\bMPI_(\w+)\(", text, flags=re.M))
    return names


def defined(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].partition("@")[0] for line in lines.splitlines()}


def main():
    names, symbols = declared(Path(sys.argv[2])), defined(sys.argv[1])
    failures = [f"{len(names)} functions found in the header: it is read wrongly"] if len(names) < 600 else []
    for name in sorted(names):
        is_defined = {f"MPI_{name}", f"PMPI_{name}"} <= symbols
        if not is_defined:
            failures.append(f"MPI_{name} is declared, and not defined")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
