"""gdb_test.py - drives gdb over a program whose tasks are suspended.

    gdb_test.py STRETTO_GDB_PY PROGRAM

Exit code 77, with a word why, where gdb is missing or may not trace a process here.
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

script = program = None


def gdb(*commands, target=None):
    words = ["gdb", "-nx", "-batch", "-ex", "set width 0", "-ex", "set debuginfod enabled off", "-ex",
             f"source {script}"]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run([*words, *(target or [program])], capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


class Suspended(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        core = Path(cls.folder.name) / "core"
        cls.said = gdb("break all_are_suspended", "run", "print gate", "print number", "stretto tasks", "backtrace 1",
                       f"generate-core-file {core}", "continue")
        cls.core_bytes = core.stat().st_size if core.exists() else None
        cls.from_core = gdb("stretto tasks", target=[program, str(core)]) if core.exists() else None

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_handles_are_printed_as_people_read_them(self):
        self.assertRegex(self.said, r"\$1 = E\d+\.\d+\n")
        self.assertRegex(self.said, r'\$2 = future of task "number" \(suspended\.cpp:\d+\), pending\n')

    def check_tasks(self, said):
        event = re.search(r"\$1 = (E\d+\.\d+)", self.said)[1]
        self.assertRegex(said, r'task "number" \(suspended\.cpp:\d+\)\n  waits for  event ' + re.escape(event) + "\n"
                               r"  at         suspended\.cpp:\d+\n(    .*\n)*    wait_in_a_function.* at suspended\.cpp:\d+\n")
        self.assertRegex(said,
                         r'task "reader" \(suspended\.cpp:\d+\)\n  waits for  task "number" \(suspended\.cpp:\d+\), pending\n')
        self.assertRegex(said,
                         r"the body of run\n  waits for  event E\d+\.\d+\n(  .*\n)*    main.* at suspended\.cpp:\d+\n")
        self.assertIn("\n3 suspended\n", said)

    def test_suspended_tasks_are_listed_with_what_they_wait_for_and_their_stacks(self):
        self.check_tasks(self.said)

    def test_the_frames_of_the_thread_are_as_before_afterwards(self):
        self.assertRegex(self.said, r"3 suspended\n#0  all_are_suspended")

    def test_the_program_goes_on_to_its_end(self):
        self.assertIn("exited normally", self.said)

    def test_a_core_file_tells_the_same(self):
        if self.from_core is None:
            self.skipTest("gdb could not write a core file here")
        self.check_tasks(self.from_core)

    def test_a_core_file_holds_what_is_used_not_what_is_reserved(self):
        if self.core_bytes is None:
            self.skipTest("gdb could not write a core file here")
        self.assertLess(self.core_bytes, 1 << 30)

    def test_a_program_before_its_first_runtime_has_none(self):
        self.assertIn("no task is suspended", gdb("break main", "run", "stretto tasks", "kill"))


def main():
    global script, program
    script, program = sys.argv[1:3]
    if not shutil.which("gdb"):
        print("skipped: gdb is not here (Debian's package gdb)")
        sys.exit(77)
    if "Breakpoint 1, main" not in (said := gdb("break main", "run", "kill")):
        print("skipped: gdb can run no program here, or has no Python:\n" + said)
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
