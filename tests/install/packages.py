"""packages.py PACKAGES FOLDER - what `./stretto package` makes, installed in a bare Debian 12: the demonstrations run,
programs find the library, and the packages can be removed. Needs root, debootstrap and Debian's packages.

The bare system is made once, in FOLDER; `chroot` runs commands in it, in mounts of their own.
"""
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

packages, folder = (Path(word) for word in sys.argv[1:])
PROGRAM = """#include <cstdio>
#include <stretto/stretto.hpp>
int main() {
  stretto::runtime rt;
  rt.run([] { std::printf("node %u of %u\\n", stretto::this_node(), stretto::job_nodes()); });
}
"""
CMAKE = """cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(stretto REQUIRED)
add_executable(user user.cpp)
target_link_libraries(user PRIVATE stretto::stretto)
"""


def inside(command):
    """The output of a command in the bare system."""
    mounts = " && ".join(f"mount --rbind /{one} {folder}/{one}" for one in ("proc", "dev", "sys"))
    variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "HOME": "/root",
                 "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(["unshare", "-m", "sh", "-c", f'{mounts} && exec chroot {folder} sh -c "cd /tmp && $0"',
                           command], capture_output=True, text=True, env=variables, timeout=1800)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def install(*names):
    inside("apt-get install -y -qq --no-install-recommends " + " ".join(names))


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", folder, "http://deb.debian.org/debian"],
                       check=True, stdout=subprocess.DEVNULL)
        for one in packages.glob("*.deb"):
            shutil.copy(one, folder / "tmp")

    def test_1_the_first_picture_needs_no_compiler(self):
        install("/tmp/stretto_*.deb")
        self.assertIn("check     largest difference from the serial loop 0,", inside("stretto demo --steps 100"))
        self.assertTrue((folder / "tmp/out/wave.png").read_bytes().startswith(b"\x89PNG"))

    def test_2_programs_find_the_library(self):
        install("g++", "make", "cmake", "pkg-config", "openmpi-bin", "libclang1-16", "/tmp/stretto-openmpi_*.deb")
        (folder / "tmp/user.cpp").write_text(PROGRAM)
        (folder / "tmp/CMakeLists.txt").write_text(CMAKE)
        inside("c++ -std=c++20 -O2 user.cpp -o by_hand $(pkg-config --cflags --libs stretto)")
        self.assertEqual(inside("./by_hand"), "node 0 of 1\n")
        inside("cmake -S . -B build && cmake --build build")
        self.assertEqual(sorted(inside("stretto run -n 2 build/user").splitlines()), ["node 0 of 2", "node 1 of 2"])

    def test_3_programs_of_ranks_are_compiled_and_run(self):
        self.assertIn("the same as computed by one rank alone", inside("stretto demo ranks"))
        self.assertIn("out/acc_forms.svg", inside("stretto demo acc"))

    def test_4_a_new_module_is_built_and_passes_its_tests(self):
        inside("stretto new module lights && cmake -S lights -B lights/build && cmake --build lights/build")
        self.assertIn("100% tests passed", inside("ctest --test-dir lights/build"))

    def test_5_environment_modules_find_it(self):
        install("environment-modules")
        self.assertIn("/usr/lib/x86_64-linux-gnu/pkgconfig",
                      inside(". /etc/profile.d/modules.sh; module use /usr/share/modulefiles; module load stretto; "
                             "echo $PKG_CONFIG_PATH"))

    def test_6_nothing_stays(self):
        inside("apt-get remove -y -qq stretto")
        self.assertEqual(inside("find /usr /etc -name '*stretto*' -not -path '/usr/share/doc/*'"), "")


if __name__ == "__main__":
    missing = [tool for tool in ("debootstrap", "unshare") if not shutil.which(tool)]
    if os.geteuid() != 0 or missing or not list(packages.glob("*.deb")):
        print("skipped: it needs root, debootstrap, and what ./stretto package makes")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
