"""header_examples_test.py COMPILER - proves that header_examples.py finds missing and faulty examples."""
import sys
import tempfile
import unittest
from pathlib import Path

import header_examples

compiler = "g++"

HEADER = """// one.hpp - one.
//
//     int one() {
//
//       return 1;
//     }
//
// Between two parts.
//
//     int two() { return one() + 1; }
//
// Threads     any,
//             as often as wanted.
//
//     int in_the_same_comment();
#pragma once
#include <cstddef>
//     int not_of_the_opening();
"""


class HeaderExamples(unittest.TestCase):
    def faults(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "include/stretto").mkdir(parents=True)
            header = root / "include/stretto/one.hpp"
            header.write_text(text + "namespace stretto {}\n")
            found, unit = header_examples.unit(root, [header.name])
            return found + header_examples.compile_unit(root, compiler, unit)

    def test_an_example_is_the_code_of_the_opening_comment(self):
        first, code = header_examples.example(HEADER)
        self.assertEqual(first, 3)
        self.assertEqual(code.split("\n"), ["int one() {", "", "  return 1;", "}", "", "", "",
                                            "int two() { return one() + 1; }", "", "", "", "",
                                            "int in_the_same_comment();"])

    def test_an_example_that_compiles_passes(self):
        self.assertEqual(self.faults(HEADER), [])

    def test_a_header_without_an_example_is_found(self):
        self.assertIn("does not open with an example", self.faults("// one.hpp - one.\n#include <cstddef>\n")[0])

    def test_an_example_that_does_not_compile_is_found_at_its_line(self):
        self.assertIn("include/stretto/one.hpp:10:", self.faults(HEADER.replace("one() + 1", "three()"))[0])


if __name__ == "__main__":
    compiler = sys.argv.pop()
    unittest.main()
