"""error_programs_test.py COMPILER - proves that error_programs.py finds what is wrong with a page."""
import sys
import tempfile
import unittest
from pathlib import Path

import error_programs
from user_build import UserBuild

compiler = "g++"
PROGRAM = """#include <cstdio>

int main() {
  std::puts("begin");
  std::puts("error E01: twice");
  std::puts("end");
}
"""
REPAIR = """  std::puts("begin");
  std::puts("once");
  std::puts("end");
"""


def page(*fences):
    return "# E01: twice\n" + "".join(f"```{kind}\n{text}```\n" for kind, text in fences)


class ErrorPrograms(unittest.TestCase):
    def faults(self, *fences):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "E01.md"
            path.write_text(page(*fences))
            programs, _, faults = error_programs.read_page(path, Path(folder))
            return faults + (error_programs.check_unit(programs, UserBuild(compiler)) if programs else [])

    output = "begin\nerror E01: twice\nend\n"

    def test_a_program_with_its_error_and_its_repair_passes(self):
        self.assertEqual(self.faults(("cpp program", PROGRAM), ("output", self.output), ("cpp repaired", REPAIR)), [])

    def test_a_program_without_a_repair_is_found(self):
        self.assertIn("no repaired program", self.faults(("cpp program", PROGRAM), ("output", self.output))[0])

    def test_a_program_that_shows_another_error_is_found(self):
        other = PROGRAM.replace("E01", "E02"), self.output.replace("E01", "E02")
        found = self.faults(("cpp program", other[0]), ("output", other[1]), ("cpp repaired", REPAIR))
        self.assertIn("none of its programs shows error E01", found[0])

    def test_output_that_differs_is_found(self):
        found = self.faults(("cpp program", PROGRAM), ("output", "error E01: thrice\n"), ("cpp repaired", REPAIR))
        self.assertIn("where the page says", found[0])

    def test_a_repair_that_still_makes_an_error_is_found(self):
        broken = REPAIR.replace("once", "error E09: again")
        found = self.faults(("cpp program", PROGRAM), ("output", self.output), ("cpp repaired", broken))
        self.assertIn("the repaired program prints", found[0])

    def test_a_repair_that_exits_with_a_failure_is_found(self):
        broken = REPAIR.replace('  std::puts("once");', "  return 3;")
        found = self.faults(("cpp program", PROGRAM), ("output", self.output), ("cpp repaired", broken))
        self.assertIn("exit code 3", found[0])

    def test_a_repair_that_does_not_fit_its_program_is_found(self):
        found = self.faults(("cpp program", PROGRAM), ("output", self.output), ("cpp repaired", "one();\ntwo();\n"))
        self.assertIn("must each stand once", found[0])

    def test_a_program_that_does_not_compile_is_found_among_others(self):
        found = self.faults(("cpp program", PROGRAM), ("output", self.output),
                            ("cpp repaired", REPAIR.replace("once\")", "once\"")))
        self.assertTrue(found[0].startswith("E01.md:16: does not compile"), found[0])

    def test_lines_and_file_of_a_program_are_its_own(self):
        text = '#include <cstdio>\n\nint main() {\n  std::printf("error E01: %s:%d\\n", __FILE__, __LINE__);\n}\n'
        fixed = 'int main() {\n}\n'
        self.assertEqual(self.faults(("cpp program", text), ("output", "error E01: program.cpp:4\n"),
                                     ("cpp repaired", fixed)), [])


if __name__ == "__main__":
    compiler = sys.argv.pop()
    unittest.main()
