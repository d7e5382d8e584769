"""several_copies.py - two plugins and their host, each with its own copy of the installed static library, run in one
process.

    several_copies.py INSTALLED FOLDER COMPILER
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from user_build import LANGUAGE, flags_of

installed, build, compiler = Path(sys.argv[1]), Path(sys.argv[2]) / "copies", sys.argv[3]
source = Path(__file__).parent / "copies"
archive = next(installed.glob("lib*/**/libstretto.a"), None)
if not archive:
    sys.exit("the installed library is shared: there is one copy of it")


def printed_by(*command, **more):
    print("+", *command, flush=True)
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, **more)
    if done.returncode:
        sys.exit(f"{done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout


def is_ours(symbol):
    """Whether the archive or a header brings it. What spdlog marks as shared is that of its own library."""
    return re.match(r"(typeinfo for |typeinfo name for |vtable for |guard variable for )?(\S+ )?"
                    r"(stretto|nlohmann|fmt|model)::", symbol)


def shared_symbols(library):
    """Names of what it defines, where the dynamic linker may bind its own uses to another library's."""
    rows = [line.split() for line in printed_by("readelf", "--wide", "--dyn-syms", library).splitlines()]
    bindings = ("GLOBAL", "WEAK", "UNIQUE")
    names = [row[7] for row in rows if len(row) > 7 and row[4] in bindings and row[5] == "DEFAULT" and row[6] != "UND"]
    return printed_by("c++filt", input="\n".join(names)).splitlines()


unique = [line for line in printed_by("nm", "--format=posix", archive).splitlines() if line.split()[1:2] == ["u"]]
if unique:
    sys.exit(f"{len(unique)} symbols of {archive} are one for the process, among them {unique[0]}")

shutil.rmtree(build, ignore_errors=True)
build.mkdir(parents=True)
libraries = flags_of(installed, "--libs")
options = [*LANGUAGE, "-O1", "-fPIC", *flags_of(installed, "--cflags")]
objects = [("host.o", "host.cpp", 0), ("own.o", "plugin.cpp", 0), ("first.o", "plugin.cpp", 1),
           ("second.o", "plugin.cpp", 2)]
for file, text, number in objects:
    printed_by(compiler, *options, f"-DCOPY={number}", "-c", source / text, "-o", build / file)
for linker in ["bfd", "gold", "lld"]:
    if not shutil.which(f"ld.{linker}"):
        continue
    link = [compiler, f"-fuse-ld={linker}"]
    for plugin in ["first", "second"]:
        printed_by(*link, "-shared", build / f"{plugin}.o", *libraries, "-o", build / f"{plugin}.so")
        if shared := [name for name in shared_symbols(build / f"{plugin}.so") if is_ours(name)]:
            sys.exit(f"of {plugin}.so {len(shared)} symbols may be bound to another copy, among them {shared[:5]}")
    printed_by(*link, "-rdynamic", build / "host.o", build / "own.o", *libraries, "-ldl", "-o", build / "host")
    if (printed := printed_by(build / "host", build / "first.so", build / "second.so")) != "0 wrong\n":
        sys.exit(printed)
