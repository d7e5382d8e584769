"""new_module.py - the files that `stretto new module` writes are a module that builds and passes its tests.

    new_module.py COMMAND INSTALLED BUILD COMPILER

Its name occurs in modules/starter nowhere else, and no name of that is left.
"""
import shutil
import subprocess
import sys
from pathlib import Path

command, installed, build, compiler = sys.argv[1:]
folder = Path(build) / "new"
shutil.rmtree(folder, ignore_errors=True)
subprocess.run([command, "new", "module", "lights", "--in", folder], check=True)
for path in sorted(folder.rglob("*")):
    named = path.relative_to(folder).as_posix() + (path.read_text() if path.is_file() else "")
    assert "starter" not in named.lower(), f"{path} names the module that it is made from"
subprocess.run([sys.executable, "-B", Path(__file__).parent / "module_build.py", folder / "lights", installed,
                Path(build), compiler], check=True)
