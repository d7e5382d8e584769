"""examples_test.py - proves that examples.py finds what an example prints, and what is wrong with it."""
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
    def fault(self, script, promise="hello\n", seconds=60):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program"
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            return examples.check(str(program), promise, 2, seconds)

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


if __name__ == "__main__":
    unittest.main()
