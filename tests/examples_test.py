"""examples_test.py - proves that examples.py finds what an example prints, and what is wrong with it."""
import re
import tempfile
import unittest
from pathlib import Path

import examples

SOURCE = """// x.cpp - prints two lines.
//
// Output
//   one
//     two <*> ms
//
#include <cstdio>
// Output
//   not this
"""


class Examples(unittest.TestCase):
    def fault(self, script, promise="hello\n", seconds=60, checked_by=None, by_command=False, **where):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            if checked_by:
                return checked_by(str(program), promise)
            if by_command:  # which is the script, and the program is not looked at
                return examples.check("other", promise, 2, seconds, command=str(program), **where)
            return examples.check(str(program), promise, 2, seconds, **where)

    def test_the_promise_is_the_end_of_the_header(self):
        self.assertEqual(examples.expected(SOURCE), "one\n  two <*> ms\n\n")

    def test_a_header_without_output_promises_nothing(self):
        self.assertIsNone(examples.expected("// x.cpp - nothing.\n#include <cstdio>\n"))
        self.assertIsNone(examples.expected("int main() {}\n"))

    def test_a_program_that_keeps_its_promise_passes(self):
        self.assertIsNone(self.fault("echo hello"))
        self.assertIsNone(self.fault("echo 17 ms", "<*> ms\n"))

    def test_the_number_of_workers_reaches_the_program(self):
        self.assertIsNone(self.fault("echo $STRETTO_WORKERS", "2\n"))

    def test_other_output_is_found(self):
        self.assertIn("where its header says", self.fault("echo hello; echo more"))

    def test_another_exit_code_is_found(self):
        self.assertIn("exit code 3", self.fault("echo hello; exit 3"))

    def test_a_program_that_hangs_is_found(self):
        self.assertIn("did not end", self.fault("exec sleep 30", seconds=0.2))

    def test_nodes_and_devices_reach_the_program(self):
        self.assertIsNone(self.fault("echo $1 $STRETTO_DEVICES", "3 sim:2\n", nodes=3, devices="sim:2"))

    def test_every_example_in_processes_is_looked_at_and_faults_are_all_told(self):
        with tempfile.TemporaryDirectory() as folder:
            source, silent, command = (Path(folder) / name for name in ("x.cpp", "silent.cpp", "stretto"))
            source.write_text("// x.cpp - prints one line.\n// Output\n//   run -n 3 good\n")
            silent.write_text("// silent.cpp - nothing.\n")
            command.write_text("#!/bin/sh\necho $1 $2 $3 $(basename $4)\n")
            command.chmod(0o755)
            self.assertEqual(examples.check_in_processes(str(command), 3, [(str(source), "good")]), [])
            faults = examples.check_in_processes(str(command), 3, [(str(source), "bad"), (str(silent), "good"),
                                                                   (str(source), "worse")])
            self.assertEqual(len(faults), 3)
            self.assertIn("bad with 1 workers in 3 processes: printed", faults[0])
            self.assertIn("has no part", faults[1])

    def test_a_command_starts_the_processes(self):
        self.assertIsNone(self.fault("echo $1 $2 $3 $(basename $4)", "run -n 3 other\n", nodes=3, devices="none",
                                     by_command=True))

    def test_what_goes_wrong_on_some_nodes_with_some_device_is_found(self):
        script = '[ "$1 $STRETTO_DEVICES" = "3 sim:2" ] && echo no || echo hello'
        self.assertIn("on 3 nodes with devices sim:2", self.fault(script, checked_by=examples.check_on_nodes)[0])

    def test_devices_that_are_not_there_are_left_out_and_others_are_not(self):
        script = 'case $STRETTO_DEVICES in opencl*|cuda*) echo "error K27: none" >&2; exit 1;; esac; echo hello'
        self.assertEqual(self.fault(script, checked_by=examples.check_on_nodes), (None, ["none", "sim:2"]))
        self.assertEqual(self.fault(script, checked_by=examples.check_on_devices), (None, ["sim:2"]))

    def test_what_goes_wrong_with_some_devices_is_found(self):
        script = '[ "$STRETTO_WORKERS $STRETTO_DEVICES" = "3 opencl:1,sim:1" ] && echo no || echo hello'
        self.assertIn("with 3 workers and devices opencl:1,sim:1", self.fault(script,
                                                                              checked_by=examples.check_on_devices)[0])

    def test_the_list_of_examples_has_all_of_them_with_what_they_say_of_themselves(self):
        folder = Path(__file__).parent.parent / "examples"
        listed = re.findall(r"^- \[.*\]\(\w+\.cpp\):.*$", (folder / "README.md").read_text(), re.MULTILINE)
        sources = sorted(folder.glob("[0-9][0-9]_*.cpp"))
        says = [re.match(r"// \S+ - ((?:.|\n// )*?)\.?\n(?!// )", source.read_text())[1].replace("\n// ", " ")
                for source in sources]
        names = [source.stem for source in sources]
        self.assertEqual(listed, [f"- [{n}]({n}.cpp): {text}." for n, text in zip(names, says)])


if __name__ == "__main__":
    unittest.main()
