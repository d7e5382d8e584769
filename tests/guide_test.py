"""guide_test.py COMPILER - proves that guide.py finds programs, and what is wrong with them."""
import sys
import unittest

import guide
from user_build import UserBuild

compiler = "g++"
PAGE = """# Page
```cpp
not_a_program();
```
```cpp program
int main() {}
```
text
```cpp program
second
```
```output
hello
```
```cpp hangs
third
```
```output
error H01: no output of the second
```
"""


class Guide(unittest.TestCase):
    def faults(self, text, expected=None):
        return guide.check_program("page.md:1", text, expected, UserBuild(compiler))

    def test_programs_are_found_with_their_line_and_output(self):
        self.assertEqual(guide.programs(PAGE), [[5, "int main() {}\n", None], [9, "second\n", "hello\n"]])

    def test_a_program_that_prints_what_the_page_says_passes(self):
        self.assertEqual(self.faults('#include <cstdio>\nint main() { std::puts("12 ms"); }\n', "<*> ms\n"), [])

    def test_other_output_is_found(self):
        self.assertIn("where the page says", self.faults('#include <cstdio>\nint main() { std::puts("a"); }\n',
                                                         "b\n")[0])

    def test_a_program_that_does_not_compile_is_found(self):
        self.assertIn("does not compile", self.faults("int main() { x; }\n")[0])

    def test_a_warning_is_found(self):
        self.assertIn("unused", self.faults("int main() { int x; }\n")[0])

    def test_another_exit_code_is_found(self):
        self.assertIn("exit code 3", self.faults("int main() { return 3; }\n")[0])


if __name__ == "__main__":
    compiler = sys.argv.pop()
    unittest.main()
