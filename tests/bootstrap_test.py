"""bootstrap_test.py ROOT - the script `stretto` on systems that lack what it needs, simulated by fake tools.

A copy of the script runs with a PATH of its own, in which apt-get, dpkg-query, sudo, cmake and ninja are
small scripts that write down how they were called.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

source = Path(__file__).parent.parent
PLAIN_TOOLS = ["sh", "env", "date", "dirname", "readlink", "mkdir", "sed", "grep", "echo", "cat", "nproc", "rm", "tr"]
FAKES = {
    "apt-get": """echo "apt-get $*" >>"$LOG"; [ ! -e "$HERE/apt_fails" ] || exit 100
[ "$1" = install ] || exit 0
case " $* " in *" ${CONFLICTING:-none} "*) exit 100 ;; esac
for p in "$@"; do case $p in -*) ;; *) : >"$HERE/has_$p" ;; esac; done""",
    "sudo": 'echo "sudo" >>"$LOG"; exec "$@"',
    "dpkg-query": """shift 2; for p in "$@"; do
  case " ${LACKING-} " in *" $p "*) [ -e "$HERE/has_$p" ] || continue ;; esac
  echo "$p 1.0 installed"; done""",
    "cmake": 'echo "cmake $*" >>"$LOG"; case $* in *--preset*) mkdir -p "build/$2"; : >"build/$2/build.ninja";; *) echo "ninja: no work to do.";; esac',
    "ninja": "",
    "doxygen": 'echo "doxygen $*, in $PWD" >>"$LOG"; [ ! -e "$HERE/doxygen_fails" ]',
    "ctest": 'echo "ctest $*" >>"$LOG"; echo "100% tests passed"; exit ${CTEST_CODE-0}',
    "git": "echo 0",
    "id": 'echo ${USER_ID-0}',
}


class BootstrapScript(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.bin = self.root / "bin"
        self.bin.mkdir()
        shutil.copy(source / "stretto", self.root)
        for tool in PLAIN_TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))
        for name, text in FAKES.items():
            self.put(self.bin / name, text)
        self.put(self.root / "build/release/tools/stretto", 'echo "built command: $*, in $PWD"; exit ${CODE-0}')

    def put(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\n" + text + "\n")
        path.chmod(0o755)

    def run_it(self, *words, without=(), **variables):
        for name in without:
            (self.bin / name).unlink()
        log = self.root / "log"
        log.write_text("")
        env = {"PATH": str(self.bin), "LOG": str(log), "HERE": str(self.root), **variables}
        done = subprocess.run([self.root / "stretto", *words], env=env, capture_output=True, text=True, cwd="/")
        self.out, self.err, self.log = done.stdout, done.stderr, log.read_text()
        return done.returncode

    def test_a_command_is_built_and_gets_the_arguments_and_the_folder_of_the_user(self):
        self.assertEqual(self.run_it("platform", "--json", "two words"), 0)
        self.assertEqual(self.out, "built command: platform --json two words, in /\n")
        self.assertNotIn("apt-get", self.log)

    def test_an_up_to_date_build_prints_nothing(self):
        self.run_it("platform")
        self.assertIn("configuring release", self.err)
        self.run_it("platform")
        self.assertEqual(self.err, "")

    def test_the_exit_code_of_the_command_is_ours(self):
        self.assertEqual(self.run_it("demo", CODE="3"), 3)

    def test_the_first_demonstration_builds_no_more_than_it_needs(self):
        (self.root / "build/release/tools/stretto").unlink()
        self.put(self.root / "build/release/tools/stretto_first_demo", 'echo "first: $*, in $PWD"')
        self.assertEqual(self.run_it("demo"), 0)
        self.assertEqual(self.out, "first: , in /\n")
        self.assertIn("--target stretto_first_demo\n", self.log)
        self.assertNotIn("stretto_command", self.log)
        self.put(self.root / "build/release/tools/stretto", 'echo "built command: $*"')
        self.assertEqual(self.run_it("demo", "life"), 0)
        self.assertEqual(self.out, "built command: demo life\n")

    def test_only_missing_packages_are_installed(self):
        self.assertEqual(self.run_it("demo", LACKING="libhwloc-dev"), 0)
        self.assertIn("apt-get install -y -qq --no-install-recommends --no-remove libhwloc-dev\n", self.log)
        self.assertIn("to build, installing: libhwloc-dev", self.err)
        self.assertNotIn("sudo", self.log)

    def test_a_tree_is_configured_from_the_beginning_once_other_packages_are_there(self):
        self.assertEqual(self.run_it("demo", LACKING="libtbb-dev"), 0)
        cache = self.root / "build/release/CMakeCache.txt"
        cache.touch()
        self.assertEqual(self.run_it("demo", LACKING="libtbb-dev"), 0)
        self.assertTrue(cache.exists())
        self.assertNotIn("--preset", self.log)
        (self.bin / "python3").symlink_to(shutil.which("true"))
        self.assertEqual(self.run_it("bench", "tasks", LACKING="libtbb-dev"), 0)
        self.assertIn("--no-remove libtbb-dev\n", self.log)
        self.assertIn("cmake --preset release", self.log)
        self.assertFalse(cache.exists())

    def test_a_package_that_came_by_other_means_is_found(self):
        self.run_it("platform", LACKING="libopenmpi-dev")
        self.run_it("platform")
        self.assertIn("cmake --preset release", self.log)

    def test_peers_that_would_remove_packages_are_left_out(self):
        (self.bin / "python3").symlink_to(shutil.which("true"))
        lacking = "libtbb-dev libomp-16-dev"
        self.assertEqual(self.run_it("bench", LACKING=lacking, CONFLICTING="libomp-16-dev"), 0)
        self.assertTrue((self.root / "has_libtbb-dev").exists())
        self.assertIn("left out, since apt-get could not install it (its reason is above): libomp-16-dev\n", self.err)

    def test_several_processes_get_an_mpi_unless_one_is_there(self):
        self.assertEqual(self.run_it("run", "-n", "2", "./x", LACKING="libopenmpi-dev openmpi-bin"), 0)
        self.assertIn("--no-remove libopenmpi-dev openmpi-bin\n", self.log)
        for words in [("demo", "life", "-n", "2"), ("demo", "life", "--nodes=2")]:
            (self.root / "has_openmpi-bin").unlink()
            self.assertEqual(self.run_it(*words, LACKING="openmpi-bin"), 0)
            self.assertIn("--no-remove openmpi-bin\n", self.log)
        self.put(self.bin / "mpirun", "")
        for package in ["libopenmpi-dev", "openmpi-bin"]:
            (self.root / f"has_{package}").unlink()
        self.assertEqual(self.run_it("run", "-n", "2", "./x", LACKING="libopenmpi-dev openmpi-bin"), 0)
        self.assertNotIn("apt-get", self.log)

    def test_a_user_other_than_root_installs_through_sudo(self):
        self.run_it("demo", LACKING="cmake", USER_ID="1000")
        self.assertIn("sudo\napt-get install", self.log)

    def test_without_sudo_the_command_for_root_is_printed(self):
        self.assertEqual(self.run_it("demo", LACKING="cmake", USER_ID="1000", without=["sudo"]), 1)
        self.assertIn("As root, run:  apt-get install cmake", self.err)

    def test_without_apt_the_list_is_printed_and_the_build_continues_if_the_tools_exist(self):
        for tool in ["c++", "pkg-config", "python3"]:
            self.put(self.bin / tool, "")
        self.assertEqual(self.run_it("demo", without=["apt-get"]), 0)
        self.assertIn("this system has no apt", self.err)
        self.assertIn("libhwloc-dev", self.err)

    def test_without_apt_and_tools_it_stops_and_names_the_missing_ones(self):
        self.assertEqual(self.run_it("demo", without=["apt-get"]), 1)
        self.assertIn('"c++" is not here yet', self.err)

    def test_an_installation_that_fails_stops_everything(self):
        (self.root / "apt_fails").touch()
        self.assertEqual(self.run_it("demo", LACKING="cmake"), 1)
        self.assertIn("apt-get install cmake", self.err)
        self.assertEqual(self.out, "")

    def test_the_tests_build_a_plain_and_a_sanitized_tree_and_end_with_the_summary_of_the_runner(self):
        for last, sanitized, other, floors, bench in [("0", "asan", "tsan", "node", "ON"),
                                                      ("7", "tsan", "asan", "nodes", "OFF"),
                                                      ("e", "asan", "tsan", "nodes", "OFF"),
                                                      ("9", "tsan", "asan", "node", "ON")]:
            with self.subTest(last=last):
                self.put(self.bin / "git", f'echo "0123456789abcde{last}"')
                self.assertEqual(self.run_it("test"), 0)
                for tree in ["release", sanitized]:
                    self.assertIn(f"/build/{tree} --target", self.log)
                self.assertNotIn(f"/build/{other}", self.log)
                self.assertIn(f"-DSTRETTO_SANITIZED_TREES={sanitized} ", self.log)
                self.assertEqual(self.log.count(f"-DSTRETTO_SANITIZED_FLOORS={floors} "), 2)
                said = {"node": "one node", "nodes": "several nodes"}[floors]
                self.assertIn(f"the sanitized tests of this run: {sanitized}, the floors of {said}\n", self.err)
                self.assertIn(f"-DSTRETTO_BENCH={bench} ", self.log)
                self.assertNotIn("fuzz ", self.log)
                self.assertEqual(self.out.splitlines()[-1], "100% tests passed")

    def test_outside_of_a_checkout_the_tests_run_one_sanitizer(self):
        self.put(self.bin / "git", "exit 128")
        self.assertEqual(self.run_it("test"), 0)
        self.assertIn("-DSTRETTO_SANITIZED_TREES=asan ", self.log)

    def test_a_variable_names_the_sanitizers_and_a_wrong_name_is_refused(self):
        self.assertEqual(self.run_it("test", STRETTO_TEST_SANITIZERS="asan tsan"), 0)
        self.assertIn("-DSTRETTO_SANITIZED_TREES=asan;tsan -DSTRETTO_SANITIZED_FLOORS= ", self.log)
        for preset in ["asan", "tsan"]:
            self.assertIn(f"cmake --preset {preset}", self.log)
        self.assertEqual(self.run_it("test", STRETTO_TEST_SANITIZERS="msan"), 1)
        self.assertIn('names asan, tsan or both, not "msan"', self.err)

    def test_the_long_campaign_also_builds_and_runs_the_fuzzers(self):
        self.run_it("test", "--long")
        for preset in ["fuzz", "asan", "tsan"]:
            self.assertIn(f"cmake --preset {preset}", self.log)
        self.assertIn("-DSTRETTO_FUZZ_RUNS=yes", self.log)
        self.assertNotIn("-LE", self.log)

    def test_the_reference_is_made_by_doxygen_and_the_first_page_is_named(self):
        self.assertEqual(self.run_it("docs", LACKING="doxygen"), 0)
        self.assertIn("--no-remove doxygen\n", self.log)
        self.assertIn(f"doxygen docs/reference/Doxyfile, in {self.root}", self.log)
        self.assertEqual(self.out, f"{self.root}/build/docs/index.html\n")

    def test_packages_are_made_of_a_tree_of_their_own_and_listed(self):
        self.put(self.bin / "dpkg-shlibdeps", "")
        self.put(self.bin / "cpack", """mkdir -p ../packages; : >../packages/stretto_0.1.0_amd64.deb
echo "cpack, in $PWD" >>"$LOG\"""")
        (self.bin / "ls").symlink_to(shutil.which("ls"))
        self.assertEqual(self.run_it("package"), 0)
        self.assertIn("cmake --preset package\n", self.log)
        self.assertIn(f"cpack, in {self.root}/build/package\n", self.log)
        self.assertEqual(self.out, f"{self.root}/build/packages/stretto_0.1.0_amd64.deb\n")
        self.assertEqual(self.run_it("package", "deb"), 2)
        self.assertIn('"deb" is one', self.err)

    def test_a_failing_cpack_shows_its_messages(self):
        self.put(self.bin / "dpkg-shlibdeps", "")
        self.put(self.bin / "cpack", 'echo "CPack Error: no room"; exit 1')
        self.assertEqual(self.run_it("package"), 1)
        self.assertIn("CPack Error: no room", self.err)

    def test_a_failing_doxygen_fails_the_script(self):
        (self.root / "doxygen_fails").touch()
        self.assertEqual(self.run_it("docs"), 1)
        self.assertEqual(self.out, "")

    def test_help_also_names_the_commands_of_the_script(self):
        self.run_it("--help")
        self.assertIn("docs (the API reference)", self.out)
        self.assertIn("built command: --help", self.out)

    def test_failing_tests_fail_the_script(self):
        self.assertEqual(self.run_it("test", CTEST_CODE="8"), 8)

    def test_times_are_printed_after_the_summary_and_failing_tests_still_fail(self):
        self.put(self.bin / "python3", 'echo "times: $*"')
        self.assertEqual(self.run_it("test", "--times", CTEST_CODE="8"), 8)
        self.assertTrue(self.out.splitlines()[-1].startswith("times: -B "))
        self.assertIn("tests/test_times.py", self.out.splitlines()[-1])

    def test_a_flag_that_test_does_not_have_is_refused(self):
        self.assertEqual(self.run_it("test", "--lnog"), 2)
        self.assertIn('"--lnog" is neither', self.err)

    def test_a_failing_build_stops_before_the_command(self):
        self.put(self.bin / "cmake",
                 'case $* in *--preset*) mkdir -p build/release;; *) echo "x.cpp:1: no"; exit 1;; esac')
        self.assertEqual(self.run_it("demo"), 1)
        self.assertIn("x.cpp:1: no", self.err)
        self.assertIn("the build of release failed", self.err)
        self.assertEqual(self.out, "")

    BUILD = """case $* in *--preset*) mkdir -p build/release;; *)
  echo "[0/2] Re-checking globbed directories..."
  for n in 1 2 3; do echo "[$n/3] Building x"; [ $n != 2 ] || echo "x.cpp:1: 100% a warning"; done;; esac"""

    def test_progress_is_a_line_for_each_tenth_and_messages_of_compilers_are_shown(self):
        self.put(self.bin / "cmake", self.BUILD)
        self.assertEqual(self.run_it("platform"), 0)
        self.assertEqual(self.err.splitlines()[1:], ["stretto: building: 1 of 3 steps",
                                                     "stretto: building: 2 of 3 steps", "x.cpp:1: 100% a warning"])

    def test_progress_is_one_line_of_a_terminal_with_the_time_left(self):
        self.put(self.bin / "cmake", self.BUILD)
        (self.bin / "date").unlink()
        self.put(self.bin / "date", 'echo 20 >>"$HERE/time"; echo $(($(wc -l <"$HERE/time") * 20))')
        (self.bin / "wc").symlink_to(shutil.which("wc"))
        master, terminal = os.openpty()
        env = {"PATH": str(self.bin), "LOG": "/dev/null", "HERE": str(self.root)}
        subprocess.run([self.root / "stretto", "platform"], env=env, stdout=subprocess.DEVNULL, stderr=terminal)
        text = os.read(master, 10000).decode()
        self.assertIn("\r\033[Kstretto: building: 1 of 3 steps, about 40 s left\r\033[K", text)
        self.assertIn("\r\033[Kx.cpp:1: 100% a warning\r\n", text)
        self.assertTrue(text.endswith("\r\033[K"))

    def test_a_failing_configuration_shows_its_messages(self):
        self.put(self.bin / "cmake", 'echo "CMake Error: no compiler"; exit 1')
        self.assertEqual(self.run_it("demo"), 1)
        self.assertIn("CMake Error: no compiler", self.err)

    def test_a_link_to_the_script_finds_its_way_home(self):
        link = self.root / "elsewhere"
        link.symlink_to(self.root / "stretto")
        done = subprocess.run([link, "x"], env={"PATH": str(self.bin), "LOG": "/dev/null"}, capture_output=True,
                              text=True)
        self.assertIn("built command: x", done.stdout)


if __name__ == "__main__":
    source = Path(sys.argv.pop())
    unittest.main()
