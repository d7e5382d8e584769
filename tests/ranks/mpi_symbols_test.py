"""mpi_symbols_test.py - every function that mpi.h declares is defined in the library of ranks, under both names.

    mpi_symbols_test.py LIBRARY HEADERS

`MISSING` lists those that are yet to be written; one that has been written must be taken out of the list.
"""
import re
import subprocess
import sys
from pathlib import Path

# Windows and files.
MISSING = re.compile(r"""Win_(?!create_errhandler$|create_keyval$|free_keyval$|toint$|fromint$|c2f$|f2c$)\w+
    |File_(?!create_errhandler$|toint$|fromint$|c2f$|f2c$)\w+|Register_datarep(_c)?
    |R?([Pp]ut|[Gg]et|[Aa]ccumulate|[Gg]et_accumulate)(_c)?|Fetch_and_op|Compare_and_swap""", re.X)


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
        if not is_defined and not MISSING.fullmatch(name):
            failures.append(f"MPI_{name} is declared, and not defined")
    defined_of_list = [name for name in sorted(names) if MISSING.fullmatch(name) and f"MPI_{name}" in symbols]
    if defined_of_list:
        failures.append(f"defined, and in the list of missing functions: {' '.join(defined_of_list)}")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
