"""declarations_test.py - tests docs/reference/declarations.py, the scanner of C++ declarations."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "docs/reference"))
from declarations import Reader, declarations, text_of, type_and_names


def shown(text):
    return [(d.kind, d.full_name) for d in declarations(text)]


class Declarations(unittest.TestCase):
    def test_names_have_the_scopes_around_them(self):
        self.assertEqual(shown("""namespace a::b {
template <class T, int n = sizeof(int)> class c { struct d { int e = 1; } f; void g() { int local; } };
enum class h : char { i };
using k = std::vector<int>;
}
int l(int m);"""), [("class", "a::b::c"), ("class", "a::b::c::d"), ("variable", "a::b::c::d::e"),
                    ("variable", "a::b::c::f"), ("function", "a::b::c::g"), ("enumeration", "a::b::h"),
                    ("alias", "a::b::k"), ("function", "l")])

    def test_brackets_in_comments_strings_and_characters_do_not_count(self):
        self.assertEqual(shown("""const char* a = "{"; /* { */ char b = '{'; // {\nint c;"""),
                         [("variable", "a"), ("variable", "b"), ("variable", "c")])

    def test_a_specialization_has_its_arguments_in_its_name(self):
        self.assertEqual(shown("template <> struct codec<std::pair<int, char>> {};"),
                         [("class", "codec<std::pair<int,char>>")])

    def test_an_enumeration_has_the_names_of_its_values(self):
        self.assertEqual(declarations("enum class a { b, c = f(1, 2), d, };")[0].values, ["b", "c", "d"])

    def test_a_variable_of_a_type_that_is_defined_with_it_has_that_type(self):
        self.assertEqual([d.words for d in declarations("struct a {} b, c;")][1:], [["a", "b", ",", "c"]])

    def test_the_comment_behind_is_known_besides_the_one_above(self):
        found = declarations("/// Above.\nint a = f(1,\n          2);  // behind\nint b;")
        self.assertEqual([(d.comment, d.source, d.behind) for d in found],
                         [([" Above."], "above", "// behind"), ([], "", "")])

    def test_imports_are_the_paths_of_using_declarations(self):
        reader = Reader("namespace a { using b::c::d; using namespace e; using f = g; }")
        reader.read()
        self.assertEqual(reader.imports, [(("a",), ["b", "::", "c", "::", "d"])])

    def test_a_declaration_of_variables_has_one_type_and_several_names(self):
        for text, type_, names in [
                ("static std::uint64_t a = 0, b = f(1, 2), c{3, 4}", "std::uint64_t", ["a", "b", "c"]),
                ("std::map<int, std::vector<char>> d", "std::map<int, std::vector<char>>", ["d"]),
                ("std::span<const std::byte> e = {}", "std::span<const std::byte>", ["e"])]:
            words, found = type_and_names(declarations(text + ";")[0].words)
            self.assertEqual((text_of(words), found), (type_, names))


if __name__ == "__main__":
    unittest.main()
