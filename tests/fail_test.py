"""fail_test.py COMPILER - proves that fail.py finds what it is there to find."""
import sys
import unittest

import fail

compiler = "g++"


class Fail(unittest.TestCase):
    def faults(self, text):
        return fail.check_text("x.cpp", text, compiler, [])

    def test_a_program_that_fails_as_it_says_passes(self):
        self.assertEqual(self.faults("// expect: 'text' was not declared\nint a = 1;\nint b = text;  // fails\n"), [])

    def test_options_are_the_compilers(self):
        text = "// expect: ISO C++ forbids\nint sound;\nint b[0];  // fails\n"
        self.assertEqual(self.faults(text), ["x.cpp: compiles, and must not"])
        self.assertEqual(self.faults("// with: -pedantic-errors\n" + text), [])

    def test_a_program_that_compiles_is_found(self):
        self.assertEqual(self.faults("// expect: error\nint b = 2;  // fails\n"), ["x.cpp: compiles, and must not"])

    def test_other_words_than_stated_are_found(self):
        self.assertIn('does not say "no such word"',
                      self.faults("// expect: no such word\nint b = text;  // fails\n")[0])

    def test_a_program_that_fails_for_another_reason_is_found(self):
        self.assertIn("even without",
                      self.faults("// expect: 'text' was not declared\nint a\nint b = text;  // fails\n")[0])

    def test_a_file_without_an_expectation_is_found(self):
        self.assertIn("needs", self.faults("int b = text;  // fails\n")[0])


if __name__ == "__main__":
    compiler = sys.argv.pop()
    unittest.main()
