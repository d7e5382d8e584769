"""relocated_tree.py - a moved copy of the installed tree works: its command finds the MPI libraries of the copy.

    relocated_tree.py INSTALLED
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as folder:
    copy = Path(folder).resolve() / "copy"
    shutil.copytree(sys.argv[1], copy, symlinks=True)
    libraries = {path.name: path for path in copy.glob("lib*/**/stretto/stretto_mpi_*.so")}
    env = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")}
    done = subprocess.run([copy / "bin/stretto", "doctor", "--quick", "--json"], env=env, check=True,
                          capture_output=True, text=True)
    found = {Path(mpi["library"]).name: Path(mpi["library"]) for mpi in json.loads(done.stdout)["mpi"]
             if mpi["library"]}
    if not libraries or found != libraries:
        sys.exit(f"installed are {libraries}, found {found}")
    print(*found)
