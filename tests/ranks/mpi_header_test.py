"""mpi_header_test.py - include/stretto_mpi/mpi.h compiles alone as C and C++, and has the values of the ABI of MPI 5.0.

    mpi_header_test.py ROOT C_COMPILER CXX_COMPILER
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
LANGUAGES = [("c", "c99"), ("c", "c17"), ("c++", "c++98"), ("c++", "c++20")]
FUNCTIONS = 664 + 24  # of the ABI, and for handles of Fortran

# Sizes, and how tools and programs use the header.
USES = """
#include <mpi.h>
#include <stddef.h>
#define CHECK(name, condition) typedef char name[(condition) ? 1 : -1];
CHECK(status_size, sizeof(MPI_Status) == 32)
CHECK(source, offsetof(MPI_Status, MPI_SOURCE) == 0)
CHECK(tag, offsetof(MPI_Status, MPI_TAG) == 4)
CHECK(error, offsetof(MPI_Status, MPI_ERROR) == 8)
CHECK(integers, sizeof(MPI_Aint) == sizeof(void*) && sizeof(MPI_Offset) == 8 && sizeof(MPI_Count) == 8)
CHECK(handles, sizeof(MPI_Comm) == sizeof(void*) && sizeof(MPI_Datatype) == sizeof(void*))
CHECK(order, MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE)
int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}
static int copy(MPI_Comm comm, int keyval, void* state, void* in, void* out, int* flag) {
  (void)comm, (void)keyval, (void)state, (void)in, (void)out;
  *flag = 1;
  return MPI_SUCCESS;
}
int use(void);
int use(void) {
  int key, weights[1] = {0};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Dist_graph_create(MPI_COMM_WORLD, 0, weights, weights, weights, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  MPI_Recv(MPI_BOTTOM, 0, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
  return MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF);
}
"""
# Kinds of handles may not be mixed up.
MISUSE = "#include <mpi.h>\nint use(void) { return PMPI_Barrier(MPI_INT); }\n"


class Header:
    def __init__(self, root, compilers, folder):
        self.include, self.compilers, self.folder = root / "include/stretto_mpi", compilers, folder
        self.root = root

    def compile(self, language, standard, text, *options):
        command = [self.compilers[language], f"-std={standard}", f"-I{self.include}", *WARNINGS, *options,
                   "-x", language, "-"]
        return subprocess.run(command, input=text, capture_output=True, text=True)


def check_languages(header):
    faults = []
    for language, standard in LANGUAGES:
        for text in ("#include <mpi.h>\n#include <mpi.h>\n", USES):
            done = header.compile(language, standard, text, "-fsyntax-only")
            if done.returncode:
                faults.append(f"{standard}: {done.stderr[:2000]}")
        if header.compile(language, standard, MISUSE, "-fsyntax-only").returncode == 0:
            faults.append(f"{standard}: a datatype is taken as a communicator")
    return faults


def check_names(header):
    """Functions have C's names in C++, and each is declared under both of its names."""
    faults = []
    text = header.compile("c", "c99", "#include <mpi.h>\n", "-E", "-P").stdout
    names = set(re.findall(r"^(?:\w+ ?\*?)\s?(MPI_\w+)\(", text, re.M))
    second = set(re.findall(r"__typeof__\((MPI_\w+)\) PMPI_\w+;", text))
    if len(names) != FUNCTIONS or names != second:
        faults.append(f"{len(names)} functions, {len(second)} second names; differ: {sorted(names ^ second)[:5]}")
    output = header.folder / "uses.o"
    for language, standard in LANGUAGES:
        header.compile(language, standard, USES, "-c", "-o", str(output))
        symbols = subprocess.run(["nm", str(output)], capture_output=True, text=True).stdout.split()
        faults += [f"{standard}: no symbol {name}" for name in ("MPI_Send", "PMPI_Send", "MPI_Recv")
                   if name not in symbols]
    return faults


def check_values(header):
    rows = [line.split() for line in (header.root / "tests/ranks/abi_values.txt").read_text().splitlines()]
    prints = "".join(f'  printf("{name} %ld\\n", (long){name});\n' for name, _ in rows)
    program = header.folder / "values"
    source = f"#include <mpi.h>\n#include <stdio.h>\nint main(void) {{\n{prints}  return 0;\n}}\n"
    done = header.compile("c", "c99", source, "-o", str(program))
    if done.returncode:
        return [done.stderr[:2000]]
    found = dict(line.split() for line in subprocess.run([program], capture_output=True, text=True).stdout.splitlines())
    faults = [f"{name} is {found[name]} instead of {value}" for name, value in rows if found[name] != value]
    return faults + check_handles(header.include / "mpi_handles.h")


def check_handles(path):
    """Predefined handles differ, but for two datatypes with a second name."""
    numbers = re.findall(r"#define (\w+) STRETTO_MPI_HANDLE\(\w+, (0x\w+)\)", path.read_text())
    owners, faults = {}, []
    for name, number in numbers:
        owners.setdefault(number, []).append(name)
    shared = sorted(names for names in owners.values() if len(names) > 1)
    if shared != [["MPI_C_FLOAT_COMPLEX", "MPI_C_COMPLEX"], ["MPI_LONG_LONG", "MPI_LONG_LONG_INT"]]:
        faults.append(f"handles with one number: {shared}")
    if len(numbers) < 105:
        faults.append(f"only {len(numbers)} handles were found")
    return faults


def check_lengths(header):
    return [f"{path.name} has more than 300 lines" for path in sorted(header.include.glob("*.h"))
            if path.read_text().count("\n") > 300]


def main():
    root = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        header = Header(root, {"c": sys.argv[2], "c++": sys.argv[3]}, Path(folder))
        faults = [fault for check in (check_languages, check_names, check_values, check_lengths)
                  for fault in check(header)]
    print("\n".join(faults) or "the header has the values and functions of the ABI")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
