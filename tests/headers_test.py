"""headers_test.py COMPILER - proves that headers.py finds what it is there to find."""
import sys
import tempfile
import unittest
from pathlib import Path

import headers

compiler = "g++"


class Headers(unittest.TestCase):
    def faults(self, text, most_lines=None):
        with tempfile.TemporaryDirectory() as folder:
            if text is not None:
                (Path(folder) / "one.hpp").write_text(text)
            return headers.check(Path(folder), compiler, most_lines or {})[0]

    def test_a_clean_header_passes(self):
        self.assertEqual(self.faults("#pragma once\n#include <cstddef>\nstd::size_t f();\n"), [])

    def test_a_header_that_relies_on_its_includer_is_found(self):
        self.assertIn("does not compile alone", self.faults("#pragma once\nstd::size_t f();\n")[0])

    def test_a_header_without_a_guard_is_found(self):
        self.assertIn("does not compile alone", self.faults("struct once {};\n")[0])

    def test_a_header_with_a_warning_is_found(self):
        self.assertIn("unused", self.faults("#pragma once\ninline int f(int x) { int y; return x; }\n")[0])

    def test_a_header_with_a_shadow_or_a_narrowing_is_found(self):
        self.assertIn("shadow", self.faults("#pragma once\nstruct s { int a; s(int a) : a(a) {} };\n")[0])
        self.assertIn("conversion", self.faults("#pragma once\ninline int f(long x) { return x; }\n")[0])

    def test_a_warning_of_a_template_is_found_where_a_program_uses_it(self):
        with tempfile.TemporaryDirectory() as folder:
            include = Path(folder) / "include"
            (include / "stretto").mkdir(parents=True)
            (include / "stretto/stretto.hpp").write_text("#pragma once\ntemplate <class T> int f(T x) { return x; }\n")
            program = Path(folder) / "program.cpp"
            program.write_text("#include <stretto/stretto.hpp>\nint main() { return f(1L); }\n")
            self.assertIn("conversion", headers.check_uses(compiler, include, [program])[0])
            program.write_text("#include <stretto/stretto.hpp>\nint g(long x) { return x; }\nint main() { return f(1); }\n")
            self.assertEqual(headers.check_uses(compiler, include, [program]), [])

    def test_a_refusal_of_more_than_a_line_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "stretto").mkdir()
            for name in ("stretto", "event"):
                (Path(folder) / f"stretto/{name}.hpp").write_text("#error no\nint f() { throw 1; }\n")
            self.assertEqual(len(headers.check_refusal(compiler, folder, ["-fno-exceptions"], "no")), 2)

    def test_a_header_that_grew_too_heavy_is_found(self):
        text = "#pragma once\n" + "int f();\n" * 40
        self.assertEqual(self.faults(text, {"one.hpp": 50}), [])
        self.assertIn("preprocessed lines; at most 30 are allowed", self.faults(text, {"one.hpp": 30})[0])

    def test_an_empty_folder_is_found(self):
        self.assertEqual(self.faults(None), ["no public header was found"])


if __name__ == "__main__":
    compiler = sys.argv.pop()
    unittest.main()
