#include "cc/acc/statement.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

/// How many tokens the first statement has.
std::size_t length(const std::string& text) { return end_of_statement(device::tokens_of(text), 0); }
/// The same of all.
std::size_t all(const std::string& text) { return device::tokens_of(text).size(); }

}  // namespace

TEST_CASE("a statement ends where C ends it") {
  const std::vector<std::string> statements{"x = 1;",
                                            ";",
                                            "{ a; b; }",
                                            "for (int i = 0; i < n; ++i) a[i] = f(i, (struct s){1, 2});",
                                            "for (;;) for (;;) { x; }",
                                            "while (x) { y; }",
                                            "do x; while (y);",
                                            "do { x; } while (f(y));",
                                            "do do x; while (y); while (z);",
                                            "if (a) b;",
                                            "if (a) b; else c;",
                                            "if (a) if (b) c; else d; else e;",
                                            "if (a) { b; } else if (c) { d; } else { e; }",
                                            "switch (x) { case 1: y; default: z; }",
                                            "case 1 + 2: x;",
                                            "default: x;",
                                            "again: x = y ? 1 : 2;",
                                            "return (x);",
                                            "int a[] = {1, 2}, b;",
                                            "x = ({ int y = 1; y; });"};
  for (const std::string& one : statements) {
    CHECK_MESSAGE(length(one) == all(one), one);
    CHECK_MESSAGE(length(one + " more; }") == all(one), one);
  }
}

TEST_CASE("where no statement begins, it has no tokens") {
  CHECK(length("") == 0);
  CHECK(length("}") == 0);
  CHECK(length("x }") == 0);
  CHECK(length("x = 1") == 0);
}

TEST_CASE("any tokens have an end of a statement") {
  const std::vector<std::string> pieces{"for", "while", "do", "if", "else", "switch", "case", "default", "{", "}",
                                        "(",   ")",     "[",  "]",  ";",    ":",      "x",    "?",       "1"};
  std::mt19937 random(5);
  for (int i = 0; i < test::scaled(20'000, 2'000'000); ++i) {
    std::string text;
    for (auto n = random() % 20; n > 0; --n) text += pieces[random() % pieces.size()] + " ";
    CHECK(length(text) <= all(text));
  }
}
