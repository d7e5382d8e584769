"""tutorial_test.py - proves that tutorial.py finds what is wrong with a page, and that every program has a page."""
import tempfile
import unittest
from pathlib import Path

import tutorial

ROOT = Path(__file__).resolve().parents[1]
PAGE = """# Page
```cpp program
int main() {}
```
```console
$ ./1_hello
hello
$ X=y ./1_hello more
hello
```
"""


class Tutorial(unittest.TestCase):
    def run_faults(self, page, script, command=None):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / "1_hello"] + ([Path(folder) / "stretto"] if command else [])
            for file, text in zip(files, [script, command]):
                file.write_text(f"#!/bin/sh\n{text}\n")
                file.chmod(0o755)
            return tutorial.run_faults(page, *files)

    def test_a_page_with_the_text_of_the_file_has_no_fault(self):
        self.assertEqual(tutorial.text_faults(PAGE, "int main() {}\n"), [])

    def test_a_page_with_another_text_is_found(self):
        self.assertIn("line 1 of the program differs", tutorial.text_faults(PAGE, "int main() { return 0; }\n")[0])

    def test_a_page_with_a_part_of_the_file_is_found(self):
        self.assertIn("line 2 of the program differs", tutorial.text_faults(PAGE, "int main() {}\nint more;\n")[0])

    def test_pages_without_a_program_or_with_several_are_found(self):
        self.assertIn("shows 0 programs", tutorial.text_faults("# Page\n", "")[0])
        self.assertIn("shows 2 programs", tutorial.text_faults(PAGE + PAGE, "int main() {}\n")[0])

    def test_a_program_that_prints_what_the_page_says_has_no_fault(self):
        self.assertEqual(self.run_faults(PAGE, "echo hello"), [])

    def test_other_output_is_found(self):
        self.assertIn("where the page says", self.run_faults(PAGE, "echo hello $1")[0])

    def test_another_exit_code_is_found(self):
        self.assertIn("ended with 3", self.run_faults(PAGE, "echo hello; exit 3")[0])

    def test_output_that_depends_on_the_number_of_workers_is_found(self):
        faults = self.run_faults(PAGE, '[ "$STRETTO_WORKERS" = 3 ] || echo hello')
        self.assertEqual(len(faults), 2)  # one of each command line

    def test_commands_of_stretto_run_where_it_is_given(self):
        page = PAGE.replace("$ X=y ./1_hello more", "$ X=y stretto run ./1_hello")
        self.assertEqual(self.run_faults(page, "echo hello"), [])
        self.assertEqual(self.run_faults(page, "echo hello", '[ "$X" = y ] && shift && exec "$@"'), [])
        self.assertIn("$ X=y stretto run", self.run_faults(page, "echo hello", "echo other")[0])

    def test_pages_that_run_something_else_or_nothing_are_found(self):
        self.assertIn("runs neither", self.run_faults(PAGE.replace("X=y ./1_hello", "ls"), "echo hello")[0])
        self.assertEqual(self.run_faults("# Page\n", "echo hello"), ["no dialogue runs ./1_hello"])

    def test_every_program_has_a_page_and_every_page_a_program(self):
        pages = sorted(page.stem for page in (ROOT / "docs/guide/tutorial").glob("*.md"))
        programs = sorted(source.stem.replace("_", "-") for source in (ROOT / "examples/tutorial").glob("*.cpp"))
        self.assertEqual(pages, programs)


if __name__ == "__main__":
    unittest.main()
