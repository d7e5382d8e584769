"""api_reference_test.py - proves that api_reference.py and the filter for Doxygen see what is missing."""
import sys
import unittest
from pathlib import Path

import api_reference

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "docs/reference"))
import filter as doxygen_filter

UNCOMMENTED, MEMBERS, THROWS = "declarations without a comment", *api_reference.LIMITS


def faults(text, rule):
    found = api_reference.faults([("a.hpp", "namespace stretto {\n" + text + "\n}\n")])[rule]
    return [place.split()[-1].removeprefix("stretto::") for place in found]


class Comments(unittest.TestCase):
    def test_every_kind_of_declaration_needs_a_comment(self):
        text = """class a {};
enum class b { one };
template <class T> concept c = requires(T t) { t.x(); };
inline constexpr int d{3};
void (*e)(int) = nullptr;
template <class T> requires(sizeof(T) > 1) T f(T t = {}) noexcept { return t; }
template <class T> using g = T*;"""
        self.assertEqual(faults(text, UNCOMMENTED), ["a", "b", "c", "d", "e", "f", "g"])
        commented = "\n".join("/// It is.\n" + line for line in text.split("\n"))
        self.assertEqual(faults(commented, UNCOMMENTED), [])

    def test_a_comment_behind_a_declaration_and_that_of_an_overload_count(self):
        self.assertEqual(faults("int a();  // one\n\n/// Two.\nint b();\nint b(int);\nint c();", UNCOMMENTED), ["c"])

    def test_a_comment_that_a_blank_line_parts_from_a_declaration_does_not_count(self):
        self.assertEqual(faults("/// One.\n\nint a();", UNCOMMENTED), ["a"])

    def test_namespaces_detail_other_namespaces_and_private_members_are_not_public(self):
        self.assertEqual(faults("namespace detail { int a(); }", UNCOMMENTED), [])
        self.assertEqual(api_reference.faults([("a.hpp", "namespace other { int a(); }")])[UNCOMMENTED], [])
        text = "/// A.\nclass a {\n int b(); public: int c(); private: int d(); };"
        self.assertEqual(faults(text, MEMBERS), ["a::c"])
        self.assertEqual(faults("/// A.\nclass a {\n class b { public: int c(); }; };", MEMBERS), [])

    def test_copies_destructors_comparisons_and_definitions_of_members_need_none(self):
        text = """/// A.
struct a {
  a() = default;
  a(const a&);
  a(a&& other) noexcept : b_{other.b_}, c_(1) {}
  a& operator=(const a&);
  ~a();
  friend bool operator==(a, a);
  int b_ = 0, c_;
  int d();
};
inline int a::d() { return 1; }"""
        self.assertEqual(faults(text, MEMBERS), ["a::d"])
        self.assertEqual(faults(text, UNCOMMENTED), [])

    def test_forward_declarations_and_what_stands_in_bodies_are_no_declarations(self):
        text = "class a;\nenum b : int;\n/// C.\nint c() { struct d {}; int e = 1; return e; }"
        self.assertEqual(faults(text, UNCOMMENTED), [])


class Throws(unittest.TestCase):
    def test_a_function_says_what_it_throws(self):
        self.assertEqual(faults("/// A.\nvoid a();", THROWS), ["a"])
        column = "///\n///   throws   E10 if it is late"
        for words in [column, "/// Throws E01.", "/// Never throws.", "/// One, or D06."]:
            self.assertEqual(faults(f"/// A.\n{words}\nvoid a();", THROWS), [])

    def test_a_function_that_cannot_throw_need_not_say_so(self):
        text = "void a() noexcept;\nconstexpr int b() { return 1; }\nstruct c { ~c(); c(int) = delete; };"
        self.assertEqual(faults(text, THROWS), [])


class Limits(unittest.TestCase):
    def test_a_count_above_its_limit_fails_and_lists_its_places(self):
        lines, is_good = api_reference.report({"faults": ["a.hpp:1: x", "a.hpp:2: y"]}, {"faults": 1}, False)
        self.assertFalse(is_good)
        self.assertIn("a.hpp:2: y", lines)

    def test_a_count_below_its_limit_fails_until_the_limit_shrinks(self):
        lines, is_good = api_reference.report({"faults": []}, {"faults": 1}, False)
        self.assertFalse(is_good)
        self.assertIn("write 0 into LIMITS", lines[-1])


class Filter(unittest.TestCase):
    def converted(self, *lines, is_of_function=True):
        return "\n".join(doxygen_filter.converted(list(lines), is_of_function))

    def test_columns_become_sections(self):
        got = self.converted(" Cuts.", "", "   parts    at least", "            one", "   returns  boxes",
                             "   throws   what f<T> throws", "   cost     none")
        self.assertEqual(got.split("\n\n"), ["Cuts.", "@param parts at least\none", "@returns boxes",
                                            "@par Throws\nwhat f\\<T> throws", "@par Cost\nnone"])

    def test_sentences_on_errors_become_sections(self):
        got = self.converted(" It has happened. Throws what failed. Never waits.")
        self.assertEqual(got, "It has happened. Never waits.\n\n@par Throws\nwhat failed")

    def test_examples_become_code(self):
        self.assertEqual(self.converted(" One.", "", "     a<b>();"), "One.\n\n@code{.cpp}\na<b>();\n@endcode")

    def test_a_comment_behind_a_declaration_moves_before_it(self):
        got = doxygen_filter.header(Path("a.hpp"), "struct a {\n  int b;  // in bytes\n};")
        self.assertIn("/// in bytes\n  int b;", got)


if __name__ == "__main__":
    unittest.main()
