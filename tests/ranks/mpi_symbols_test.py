"""mpi_symbols_test.py - every function that mpi.h declares is defined in the library of ranks, under both names. Each
thread-local variable of the library has memory of its own.

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


def thread_variables(library):
    """Of each: first byte, bytes, name."""
    lines = subprocess.run(["readelf", "-sW", library], capture_output=True, text=True, check=True).stdout.splitlines()
    symbols = [line.split() for line in lines if " TLS " in line]
    found = {(int(one[1], 16), int(one[2]), one[7]) for one in symbols if one[6] != "UND" and int(one[2], 0)}
    return sorted(found)


def shared_memory(library):
    """What is wrong with the thread-local variables of a library. The linker gold of binutils 2.40 may give two local
    ones of different objects one address: its symbols, or the code alone, may show that."""
    variables = thread_variables(library)
    wrong = [] if len(variables) > 5 else [f"{len(variables)} thread-local variables found: they are read wrongly"]
    for (at, size, name), (next_at, _, next_name) in zip(variables, variables[1:]):
        if at + size > next_at:
            wrong.append(f"the thread-local variables {name} and {next_name} share bytes")
    notes = subprocess.run(["readelf", "-SW", library], capture_output=True, text=True, check=True).stdout
    if ".note.gnu.gold" in notes:
        wrong.append("gold has linked the library")
    return wrong


def main():
    names, symbols = declared(Path(sys.argv[2])), defined(sys.argv[1])
    failures = [f"{len(names)} functions found in the header: it is read wrongly"] if len(names) < 600 else []
    for name in sorted(names):
        is_defined = {f"MPI_{name}", f"PMPI_{name}"} <= symbols
        if not is_defined:
            failures.append(f"MPI_{name} is declared, and not defined")
    failures += shared_memory(sys.argv[1])
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
