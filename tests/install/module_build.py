"""module_build.py - a module builds alone, against the installed library and its public headers, and passes its own
tests.

    module_build.py FOLDER INSTALLED BUILD COMPILER [SANITIZER]

SANITIZER, as address,undefined or thread: the sanitizer of the installed library. Then with one MPI only. Files are
compiled together, which takes a third of the time.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

folder, installed, build, compiler, *sanitizer = Path(sys.argv[1]), *sys.argv[2:]
build = Path(build) / folder.name
flags = ["-DCMAKE_CXX_FLAGS=-Werror"]
if sanitizer:
    flags = [f"-DCMAKE_CXX_FLAGS=-Werror -fno-omit-frame-pointer -fsanitize={sanitizer[0]}", "-DSTRETTO_MPI_OTHERS=OFF"]
shutil.rmtree(build, ignore_errors=True)
libraries = ":".join([*{str(path.parent) for path in Path(installed).rglob("libstretto.*")},
                      os.environ.get("LD_LIBRARY_PATH", "")])
for command in [["cmake", "-G", "Ninja", "-S", folder, "-B", build, f"-DCMAKE_CXX_COMPILER={compiler}",
                 f"-DCMAKE_PREFIX_PATH={installed}", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_UNITY_BUILD=ON",
                 "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16", *flags],
                ["cmake", "--build", build],
                ["ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", "--timeout", "3000"]]:
    print("+", *command, flush=True)
    subprocess.run(list(map(str, command)), check=True, env={**os.environ, "LD_LIBRARY_PATH": libraries})
