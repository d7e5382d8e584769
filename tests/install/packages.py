"""packages.py PACKAGES FOLDER - what `./stretto package` makes, installed in a bare Debian 12 in FOLDER: the
demonstrations run, programs find the library, and the packages can be removed.
"""
import shutil
import sys
import unittest
from pathlib import Path

from bare_system import BareSystem, why_there_is_none

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


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bare = BareSystem(folder)
        for one in packages.glob("*.deb"):
            shutil.copy(one, folder / "tmp")

    def test_1_the_first_picture_needs_no_compiler(self):
        self.bare.install("/tmp/stretto_*.deb")
        self.assertIn("check     largest difference from the serial loop 0,", self.bare.run("stretto demo --steps 100"))
        self.assertTrue((folder / "tmp/out/wave.png").read_bytes().startswith(b"\x89PNG"))

    def test_2_programs_find_the_library(self):
        self.bare.install("g++", "make", "cmake", "pkg-config", "libclang1-16", "/tmp/stretto-openmpi_*.deb",
                          "openmpi-bin")
        (folder / "tmp/user.cpp").write_text(PROGRAM)
        (folder / "tmp/CMakeLists.txt").write_text(CMAKE)
        self.bare.run("c++ -std=c++20 -O2 user.cpp -o by_hand $(pkg-config --cflags --libs stretto)")
        self.assertEqual(self.bare.run("./by_hand"), "node 0 of 1\n")
        self.bare.run("cmake -S . -B build && cmake --build build")
        lines = self.bare.run("stretto run -n 2 build/user").splitlines()
        self.assertEqual(sorted(lines), ["node 0 of 2", "node 1 of 2"])

    def test_3_programs_of_ranks_are_compiled_and_run(self):
        self.assertIn("the same as computed by one rank alone", self.bare.run("stretto demo ranks"))
        self.assertIn("out/acc_forms.svg", self.bare.run("stretto demo acc"))

    def test_4_a_new_module_is_built_and_passes_its_tests(self):
        self.bare.run("stretto new module lights && cmake -S lights -B lights/build && cmake --build lights/build")
        self.assertIn("100% tests passed", self.bare.run("ctest --test-dir lights/build"))

    def test_5_environment_modules_find_it(self):
        self.bare.install("environment-modules")
        self.assertIn("/usr/lib/x86_64-linux-gnu/pkgconfig",
                      self.bare.run(". /etc/profile.d/modules.sh; module use /usr/share/modulefiles; "
                                    "module load stretto; echo $PKG_CONFIG_PATH"))

    def test_6_nothing_stays(self):
        self.bare.run("apt-get remove -y -qq stretto")
        self.assertEqual(self.bare.run("find /usr /etc -name '*stretto*' -not -path '/usr/share/doc/*'"), "")


if __name__ == "__main__":
    missing = why_there_is_none() or (not list(packages.glob("*.deb")) and "./stretto package has made nothing")
    if missing:
        print("skipped: " + missing)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
