"""golden_test.py - proves that golden.py finds differences."""
import tempfile
import unittest
from pathlib import Path

import golden


class Golden(unittest.TestCase):
    def faults(self, text, update=False):
        with tempfile.TemporaryDirectory() as folder:
            command = Path(folder) / "stretto"
            command.write_text('#!/bin/sh\necho "said $1 $SAY"\n[ "$1" != bad ] || { echo oops >&2; exit 2; }\n')
            command.chmod(0o755)
            file = Path(folder) / "x.golden"
            file.write_text(text)
            faults = golden.check(file, command, update)
            self.after = file.read_text()
            return faults

    def test_what_is_printed_word_for_word_passes(self):
        self.assertEqual(self.faults("# about\n$ stretto a\nsaid a \n\n$ SAY=b stretto bad\noops\nsaid bad b\n? 2\n"),
                         [])

    def test_another_word_is_found(self):
        self.assertIn("+said a ", self.faults("$ stretto a\nsaid b \n"))

    def test_a_missing_line_and_a_surplus_line_are_found(self):
        self.assertTrue(self.faults("$ stretto a\n"))
        self.assertTrue(self.faults("$ stretto a\nsaid a \nmore\n"))

    def test_another_exit_code_is_found(self):
        self.assertIn("-? 1", self.faults("$ stretto bad\noops\nsaid bad \n? 1\n"))

    def test_placeholders_stand_for_any_text_and_no_more(self):
        self.assertEqual(self.faults("$ stretto a\nsa<*> \n"), [])
        self.assertEqual(self.faults("$ stretto bad\n<...>\n? 2\n"), [])
        self.assertTrue(self.faults("$ stretto a\n<*>zzz\n"))

    def test_an_update_keeps_what_matches_and_rewrites_the_rest(self):
        self.faults("# about\n$ stretto a\nsa<*>\n\n$ stretto bad\nno\n", update=True)
        self.assertEqual(self.after, "# about\n$ stretto a\nsa<*>\n\n$ stretto bad\noops\nsaid bad \n? 2\n")


if __name__ == "__main__":
    unittest.main()
