"""message_page_test.py - proves that message_page.py shows declarations as they are, and finds what it cannot show."""
import tempfile
import unittest
from pathlib import Path

import message_page

HEADER = """// tide_messages.hpp - the messages about tides (tides.hpp). More about them.
#pragma once
namespace stretto::dist {
enum class direction : std::uint8_t { in, out = 5 };  // an enumeration
using station = std::uint32_t;
/// From the moon:
/// the water | moves.
struct tide {
  static constexpr std::string_view message = "tides.move";
  static constexpr bool is_counted = false;
  struct height {
    float metres = 0;
  };
  std::uint64_t from = 0, to = 0;  // in ns; "not" a { brace
  std::vector<height> heights = {};
  direction way = {};
  std::optional<station> at = {};
  failure_ref cause = {};

  bool is_high() const noexcept { return from < to; }
};
}  // namespace stretto::dist
"""
SECTION = """
### [tide_messages.hpp](../src/dist/tide_messages.hpp)

The messages about tides (tides.hpp).

#### `tides.move`

From the moon: the water | moves. Not counted.

- `from`, `to`: uint64 (in ns; "not" a { brace)
- `heights`: list of [tide::height](#tideheight)
- `way`: [direction](#direction)
- `at`: uint32 or none
- `cause`: failure
"""
TYPES = """
### `direction`

One of `in`, `out`.

### `tide::height`

- `metres`: float
"""


class MessagePage(unittest.TestCase):
    def page_of(self, header):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in {"src/dist/tide_messages.hpp": header, "LAYERS": "base :\ndist : base\n",
                               "include/stretto/event.hpp": "namespace stretto {\nclass failure_ref {};\n}\n"}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            made = message_page.page(root)
            return made.text(), made.faults

    def test_a_message_is_a_section_with_all_its_fields(self):
        text, faults = self.page_of(HEADER)
        self.assertEqual(faults, [])
        self.assertIn("## Floor dist\n" + SECTION, text)
        self.assertTrue(text.endswith(TYPES))

    def test_lines_are_at_most_120_columns_long(self):
        text, _ = self.page_of(HEADER.replace("in ns;", "in ns; " * 40))
        self.assertRegex(text, r"\n- `from`, `to`: uint64 \(in ns; .*\n  .*in ns;")
        self.assertLessEqual(max(map(len, text.split("\n"))), 120)

    def test_several_names_of_one_struct_are_in_one_heading(self):
        text, _ = self.page_of(HEADER.replace('"tides.move"', 'is_spring ? "tides.spring" : "tides.neap"'))
        self.assertIn("#### `tides.neap`, `tides.spring`\n\nFrom", text)

    def test_a_message_without_a_comment_is_a_fault(self):
        _, faults = self.page_of(HEADER.replace("///", "//"))
        self.assertEqual(faults, ["src/dist/tide_messages.hpp: stretto::dist::tide has no comment that says what the "
                                  "message says"])

    def test_a_field_of_an_unknown_type_is_a_fault(self):
        _, faults = self.page_of(HEADER.replace("direction way", "current way"))
        self.assertEqual(faults, ["src/dist/tide_messages.hpp: current in stretto::dist::tide is of no header"])

    def test_a_type_with_a_codec_of_its_own_must_be_explained(self):
        codec = "template <>\nstruct field_codec<direction> {\n};\n}  // namespace"
        _, faults = self.page_of(HEADER.replace("}  // namespace", codec))
        self.assertEqual(faults, ["tests/message_page.py: direction has a field_codec: PLAIN must say what it is"])


if __name__ == "__main__":
    unittest.main()
