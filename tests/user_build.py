"""user_build.py - builds programs as a user would: pkg-config, the installed copy, all warnings as errors.

Common work is done once: Stretto's header is compiled beforehand for the programs that include it. It is then included
before all else, which changes no program's meaning. The quicker linker links, if it is installed.
"""
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

LANGUAGE = ["-std=c++20", "-Wall", "-Wextra", "-Werror"]
HEADER = "#include <stretto/stretto.hpp>"


def flags_of(installed, *kinds):
    """The flags of the copy in `installed`, split as a shell splits them. `kinds`: --cflags, --libs; none: both."""
    paths = [path.parent for path in Path(installed).rglob("stretto.pc")]
    env = {**os.environ, "PKG_CONFIG_PATH": ":".join(map(str, paths))}
    asked = subprocess.run(["pkg-config", *(kinds or ("--cflags", "--libs")), "stretto"], env=env, check=True,
                           capture_output=True, text=True)
    return shlex.split(asked.stdout)


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
        made = subprocess.run([self.compiler, *LANGUAGE, *self.flags, "-c", "-x", "c++-header", header,
                               "-o", f"{header}.gch"], capture_output=True)
        self.first = [] if made.returncode else ["-include", str(header)]
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def build(self, text, source, program):
        """What the compiler says against it, or None: then `program` runs with LD_LIBRARY_PATH as `libraries`."""
        Path(source).write_text(text)
        first = self.first if HEADER in text.splitlines() else []
        built = subprocess.run([self.compiler, *LANGUAGE, *first, str(source), "-o", str(program), *self.linker,
                                *self.flags], capture_output=True, text=True)
        return built.stderr if built.returncode else None
