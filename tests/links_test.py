"""links_test.py - proves that links.py finds links that lead nowhere."""
import tempfile
import unittest
from pathlib import Path

import links


class Links(unittest.TestCase):
    def broken(self, **pages):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in pages.items():
                path = Path(folder) / f"docs/{name}.md"
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            return links.broken_links(Path(folder))

    def test_links_to_pages_and_headings_that_exist_pass(self):
        self.assertEqual(self.broken(a="# A\n[b](b.md) [own](#a) [more](b.md#the-second-one)\n",
                                     b="# B\n## The *second* one\n"),
                         ([], 3))

    def test_a_link_to_no_file_is_found(self):
        self.assertEqual(self.broken(a="[b](b.md)"), (["docs/a.md: b.md leads nowhere"], 1))

    def test_a_picture_that_does_not_exist_is_found(self):
        self.assertEqual(self.broken(a='<img src="b.svg">'), (["docs/a.md: b.svg leads nowhere"], 1))

    def test_a_link_to_no_heading_is_found(self):
        self.assertEqual(self.broken(a="[b](b.md#c)", b="# B\n```\n# C\n```\n"),
                         (["docs/a.md: b.md#c leads nowhere"], 1))

    def test_addresses_of_other_sites_and_code_are_no_links(self):
        self.assertEqual(self.broken(a="[b](https://example.org/b.md) `[c](c)`\n```cpp\n[d](d)\n```\n"), ([], 0))


if __name__ == "__main__":
    unittest.main()
