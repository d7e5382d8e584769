"""user_build.py - programs are built as a user would build them: pkg-config, the installed copy, all warnings as errors.

What is the same for all of them is done once: Stretto's header is compiled beforehand for those programs that include it, and
is then included before all else, which changes no program's meaning; where the quicker linker is installed, it links.
"""
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

LANGUAGE = ["-std=c++20", "-Wall", "-Wextra", "-Werror"]
HEADER = "#include <stretto/stretto.hpp>"


def flags_of(installed):
    paths = [path.parent for path in Path(installed).rglob("stretto.pc")]
    env = {**os.environ, "PKG_CONFIG_PATH": ":".join(map(str, paths))}
    return shlex.split(subprocess.run(["pkg-config", "--cflags", "--libs", "stretto"], env=env, check=True,
                                      capture_output=True, text=True).stdout)


class UserBuild:
    """Compiles and links programs; `with` it, so that the compiled header goes when it ends."""

    def __init__(self, compiler, flags=()):
        self.compiler, self.flags, self.folder, self.first = compiler, list(flags), None, []
        self.libraries = ":".join(flag[2:] for flag in flags if flag.startswith("-L"))
        self.linker = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        header = Path(self.folder.name) / "first.hpp"
        header.write_text(HEADER + "\n")
        made = subprocess.run([self.compiler, *LANGUAGE, *self.flags, "-c", "-x", "c++-header", header, "-o", f"{header}.gch"],
                              capture_output=True)
        self.first = [] if made.returncode else ["-include", str(header)]
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def build(self, text, source, program):
        """What the compiler says against it, or None: then `program` runs with LD_LIBRARY_PATH as `libraries`."""
        Path(source).write_text(text)
        first = self.first if HEADER in text.splitlines() else []
        built = subprocess.run([self.compiler, *LANGUAGE, *first, str(source), "-o", str(program), *self.linker, *self.flags],
                               capture_output=True, text=True)
        return built.stderr if built.returncode else None
