"""header_examples.py - each public header opens with an example, and all of these examples compile together.

    header_examples.py ROOT COMPILER           prints a fault as file:line, or counts what it checked
    header_examples.py ROOT COMPILER --show    prints the translation unit that it compiles

The example of a header is the code in the comment that begins the file: paragraphs of lines `//     code`. It stands
for itself: declarations and functions in a namespace of its own, behind `using namespace stretto`, all public headers
and usual standard headers. Names of mpi.h, cuda.h and cl.h that examples use are declared here, so
that they compile without these.
"""
import re
import subprocess
import sys
from pathlib import Path

STANDARD = ["algorithm", "chrono", "cstdio", "functional", "mutex", "numeric", "string", "thread", "vector"]
FOREIGN = """using MPI_Comm = int;
int MPI_Barrier(MPI_Comm);
using CUdeviceptr = unsigned long long;
int cuMemAlloc(CUdeviceptr*, std::size_t);
using cl_context = struct cl_context_type*;
using cl_mem = struct cl_mem_type*;
constexpr unsigned long CL_MEM_READ_WRITE = 1;
cl_mem clCreateBuffer(cl_context, unsigned long, std::size_t, void*, int*);
"""


def example(text):
    """(first line, code) of the example in the comment that begins a header; code is "" if there is none."""
    paragraphs, first, code = [[]], 0, []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("//"):
            break
        paragraphs[-1].append((number, line[2:])) if line[2:].strip() else paragraphs.append([])
    for paragraph in paragraphs:
        if paragraph and all(line.startswith(" " * 5) for _, line in paragraph):
            first = first or paragraph[0][0]
            code += [""] * (paragraph[0][0] - first - len(code))  # prose between two parts: lines keep their numbers
            code += [line[5:] for _, line in paragraph]
    return first, "\n".join(code)


def unit(root, names):
    """(faults, translation unit) of these headers, by their names in include/stretto."""
    included = [*STANDARD, *(f"stretto/{name}" for name in names)]
    faults, parts = [], [f"#include <{name}>" for name in included] + [FOREIGN]
    for name in names:
        first, code = example((root / "include/stretto" / name).read_text())
        if not code:
            faults.append(f"include/stretto/{name}:1: the header does not open with an example")
            continue
        parts.append(f"namespace example_of_{Path(name).stem} {{\nusing namespace stretto;\n"
                     f'#line {first} "include/stretto/{name}"\n{code}\n}}')
    return faults, "\n".join(parts) + "\n"


def compile_unit(root, compiler, text):
    """The errors and warnings of a translation unit; unused functions and variables are none."""
    done = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-unused",
                           f"-I{root / 'include'}", "-x", "c++", "-"], input=text, capture_output=True, text=True)
    found = [line for line in done.stderr.splitlines() if re.search(r"\b(error|warning): ", line)]
    return found or ([done.stderr] if done.returncode else [])


def main():
    root, compiler = Path(sys.argv[1]).resolve(), sys.argv[2]
    names = sorted(path.name for path in (root / "include/stretto").glob("*.hpp"))
    faults, text = unit(root, names)
    if "--show" in sys.argv:
        print(text)
        return
    faults += compile_unit(root, compiler, text) if names else [f"there are no headers in {root}/include/stretto"]
    print("\n".join(faults) if faults else f"the examples of {len(names)} headers compile")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
