"""readme_program.py - builds and runs the program of the README as a user would, in one of three ways.

    readme_program.py find_package|pkg_config|fetch_content SOURCE INSTALLED FOLDER COMPILER [part]

`part`, with fetch_content: compiles the program against the fetched source, but not the library, which takes minutes.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from user_build import flags_of

way, source, installed, folder, compiler, *part = sys.argv[1:]
project = Path(__file__).parent / "consumer"
build = Path(folder) / way


def run(*command, env=None):
    print("+", " ".join(map(str, command)), flush=True)
    subprocess.run(list(map(str, command)), check=True, env=env)


if (project / "main.cpp").read_text() not in (Path(source) / "README.md").read_text():
    sys.exit(f"{project / 'main.cpp'} is not the program of README.md")
if way == "pkg_config":
    shutil.rmtree(build, ignore_errors=True)
    build.mkdir(parents=True)
    prefix = build / "a prefix with spaces"
    prefix.symlink_to(Path(installed).resolve())
    flags = flags_of(prefix)
    if not any(prefix.name in flag for flag in flags):
        sys.exit(f"pkg-config does not use the copy in {prefix}: {flags}")
    for program, text in [("consumer", "main.cpp"), ("unordered", "unordered.cpp"),
                          ("mpi_libraries", "mpi_libraries.cpp")]:
        run(compiler, "-std=c++20", project / text, "-o", build / program, *flags)
    # The program is sanitized, the library is not.
    for program, sanitizer in [("sanitized", "address"), ("sanitized", "thread"), ("racing", "thread")]:
        run(compiler, "-std=c++20", "-g", "-O1", f"-fsanitize={sanitizer}", project / f"{program}.cpp",
            "-o", build / f"{program}_{sanitizer}", *flags)
    # Jobs within the process: several threads make runtimes, and own what is the library's one after the other.
    for example in ["24_put", "30_checkpoint", "14_life"]:
        run(compiler, "-std=c++20", "-g", "-O1", "-fsanitize=thread", Path(source) / "examples" / f"{example}.cpp",
            "-o", build / f"{example}_thread", *flags)
else:
    # An installed copy is looked for afresh each time; a fetched source keeps what it compiled.
    if way == "find_package":
        shutil.rmtree(build, ignore_errors=True)
    found = [f"-DCMAKE_PREFIX_PATH={installed}"] if way == "find_package" else [
        f"-DSTRETTO_SOURCE={source}", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
        f"-DCMAKE_UNITY_BUILD={'OFF' if part else 'ON'}"]
    run("cmake", "-G", "Ninja", "-S", project, "-B", build, f"-DCMAKE_CXX_COMPILER={compiler}", *found)
    if part:
        run("cmake", "--build", build, "--target", "CMakeFiles/consumer.dir/main.cpp.o",
            "CMakeFiles/unordered.dir/unordered.cpp.o")
        sys.exit()
    run("cmake", "--build", build)
libraries = ":".join({str(path.parent) for path in Path(installed).rglob("libstretto.*")})


def printed_by(program, *words, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith("STRETTO_")} | {"LD_LIBRARY_PATH": libraries} | more
    return subprocess.run([build / program, *words], env=env, check=True, capture_output=True, text=True).stdout


# A debug build of the library, which the fetched one is here, checks programs; both can be told otherwise.
is_debug = way == "fetch_content"
for printed, expected in [(printed_by("consumer"), "42\n"),
                          (printed_by("unordered"), "D21\n" if is_debug else "not checked\n"),
                          (printed_by("unordered", STRETTO_CHECK="1"), "D21\n"),
                          (printed_by("unordered", STRETTO_CHECK="0"), "not checked\n")]:
    if printed != expected:
        sys.exit(f"the program printed {printed!r} in place of {expected!r}")

if way == "pkg_config":
    def ended(*command):
        with_library = {**os.environ, "LD_LIBRARY_PATH": libraries}
        return subprocess.run(list(map(str, command)), env=with_library, capture_output=True, text=True)

    for sanitizer in ["address"] + 3 * ["thread"]:
        of = ended(build / f"sanitized_{sanitizer}")
        right = "610\n1000\n4950\n100\n819 300 220 60 30 1000 190 22\n1\n2 100\n"
        if (of.returncode, of.stdout, of.stderr) != (0, right, ""):
            sys.exit(f"sanitized, the program ended with {of.returncode} and printed\n{of.stdout}{of.stderr[:20000]}")
    # The first two meet in what the library makes at its first use in one run of six.
    for example, begins in 5 * [("24_put", "after 2000 steps: "), ("30_checkpoint", "the first job, of 2 nodes: "),
                                ("14_life", "a pulsar is itself again after 3 steps\n")]:
        of = ended(build / f"{example}_thread")
        if of.returncode or not of.stdout.startswith(begins) or of.stderr:
            sys.exit(f"sanitized, {example} ended with {of.returncode} and printed\n{of.stdout}{of.stderr[:20000]}")
    for way in ["tasks", "events", "loops"]:
        of = ended(build / "racing_thread", way)
        if "ThreadSanitizer: data race" not in of.stderr or "racing.cpp" not in of.stderr:
            sys.exit(f"of the race of {way} nothing is said; the program printed\n{of.stdout}{of.stderr}")

# An installed copy brings a library for each MPI that it was built with; a fetched source finds them where they were
# built.
if is_debug:
    mpis = list((build / "_deps/stretto-build/mpi").glob("stretto_mpi_*.so"))
else:
    mpis = [path.name for path in Path(installed).glob("lib*/**/stretto/stretto_mpi_*.so")]
print("libraries for MPI:", *mpis)
if any(Path(installed).glob("lib*/libstretto.a")) or is_debug:
    if (printed := printed_by("mpi_libraries", *mpis)) != "found\n" * len(mpis):
        sys.exit(f"of the libraries for MPI {mpis} the program said {printed!r}")
