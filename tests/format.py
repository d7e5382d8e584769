"""format.py - every C++ file is as clang-format leaves it.

    format.py ROOT FOLDER [--write]     FOLDER keeps the program; --write formats the files in place

Versions differ in what they do, so that one is pinned. It comes from the Python index; where that cannot be reached,
the test is skipped.
"""
import subprocess
import sys
import venv
from pathlib import Path

VERSION = "18.1.8"
SKIPPED = 77


def program(folder):
    """The pinned clang-format, installed into `folder` at the first call; None where that is impossible."""
    found = folder / "bin/clang-format"
    if not found.exists():
        try:
            venv.create(folder, with_pip=True)
            subprocess.run([folder / "bin/pip", "install", "--quiet", f"clang-format=={VERSION}"], check=True)
        except (subprocess.CalledProcessError, OSError) as e:
            print(f"clang-format {VERSION} could not be installed: {e}")
            return None
    return found


def sources(root):
    return [p for top in ("bench", "examples", "include", "modules", "src", "tests", "tools")
            for p in sorted((root / top).rglob("*")) if p.suffix in (".cpp", ".hpp", ".c", ".h")]


def complaints(clang_format, files):
    """What clang-format would change: a line for each file and place."""
    ran = subprocess.run([clang_format, "--dry-run", "--Werror", *files], capture_output=True, text=True)
    return [line for line in ran.stderr.splitlines() if " error: " in line]


def main(root, folder, write):
    clang_format = program(folder)
    if not clang_format:
        return SKIPPED
    files = sources(root)
    if write:
        return subprocess.run([clang_format, "-i", *files]).returncode
    found = complaints(clang_format, files)
    for line in found[:50]:
        print(line)
    print(f"{len(files)} files, {len(found)} places that clang-format {VERSION} would change" +
          (f"; mend them by: python3 {' '.join(sys.argv[:3])} --write" if found else ""))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), "--write" in sys.argv[3:]))
