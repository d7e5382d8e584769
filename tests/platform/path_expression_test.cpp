#include "platform/path_expression.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <optional>

using stretto::places::bad_expression;
using stretto::places::path_expression;

namespace {

std::string expand(std::string_view text, std::int64_t id) { return path_expression(text).expand(id); }

std::string expression_fault(std::string_view text, std::int64_t id = 0) {
  try {
    return "no fault: " + expand(text, id);
  } catch (const bad_expression& bad) {
    return std::to_string(bad.offset) + ": " + bad.why;
  }
}

/// A random expression as text and its value, computed beside it; nothing where it has no value.
struct sample {
  std::string text;
  std::optional<std::int64_t> value;
};

sample random_sample(std::int64_t id, int depth) {
  const int choice = *rc::gen::inRange(0, depth > 0 ? 8 : 2);
  if (choice == 0) return {"id", id};
  if (choice == 1) {
    const auto n = *rc::gen::inRange<std::int64_t>(0, 20);
    return {std::to_string(n), n};
  }
  const auto a = random_sample(id, depth - 1);
  if (choice == 2) {
    const auto value = a.value ? std::optional(-*a.value) : std::nullopt;
    return {"-(" + a.text + ")", value};
  }
  const auto b = random_sample(id, depth - 1);
  const char op = "+-*/%"[choice - 3];
  std::optional<std::int64_t> value;
  if (a.value && b.value && !((op == '/' || op == '%') && *b.value == 0)) {
    const auto x = *a.value, y = *b.value;
    value = op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : op == '/' ? x / y : x % y;
  }
  return {"(" + a.text + ") " + op + " (" + b.text + ")", value};
}

}  // namespace

TEST_CASE("a name without expression is the same for every worker") {
  CHECK(expand("sysmem", 7) == "sysmem");
  CHECK(expand("a$b(c)", 7) == "a$b(c)");
  CHECK_FALSE(path_expression("sysmem").depends_on_worker());
}

TEST_CASE("expressions follow the worker's number with the usual precedence") {
  CHECK(expand("L2_$(id / 6)_$(id % 6)", 15) == "L2_2_3");
  CHECK(expand("$(1 + 2 * 3)", 0) == "7");
  CHECK(expand("$((1 + 2) * 3)", 0) == "9");
  CHECK(expand("$(20 - 5 - 3)", 0) == "12");
  CHECK(expand("$(id*2+1)x", 4) == "9x");
  CHECK(expand("$(-id + 5)", 3) == "2");
  CHECK(expand("$( ( id ) )", 3) == "3");
  CHECK(expand("$(100 / 7 % 4)", 0) == "2");
}

TEST_CASE("a bad expression says what is wrong and where") {
  CHECK(expression_fault("L2_$(id") == "7: expected an operator or ), found the end of the name");
  CHECK(expression_fault("L2_$()") == "5: expected a number, id or (, found ')'");
  CHECK(expression_fault("$(id +)") == "6: expected a number, id or (, found ')'");
  CHECK(expression_fault("$(id 2)") == "5: expected an operator or ), found '2'");
  CHECK(expression_fault("$(worker)") == "2: knows \"id\", the worker's number, but not \"worker\"");
  CHECK(expression_fault("$(1 / id)") == "4: divides by zero");
  CHECK(expression_fault("$(1 % (id - 3))", 3) == "4: divides by zero");
  CHECK(expression_fault("$(99999999999999999999)") == "2: has a number that needs more than 64 bits");
  CHECK(expression_fault("$(9223372036854775807 + id)", 1) == "22: overflows 64 bits");
  CHECK(expression_fault("$(9223372036854775807 * 2)") == "22: overflows 64 bits");
  CHECK(expression_fault("$((-9223372036854775807 - 1) / -1)") == "29: overflows 64 bits");
  CHECK(expression_fault("$((-9223372036854775807 - 1) % -1)") == "no fault: 0");
  CHECK(expression_fault("$(" + std::string(1000, '(')).ends_with("is nested more than 64 deep"));
  CHECK(expression_fault("$(" + std::string(1000, '-') + "1)").ends_with("is nested more than 64 deep"));
  CHECK(expression_fault("$(\xC3\xA4)") == "2: expected a number, id or (, found '\xC3\xA4'");
}

TEST_CASE("random expressions have the value that arithmetic gives them") {
  CHECK(rc::check([] {
    const auto id = *rc::gen::inRange<std::int64_t>(0, 200);
    const auto s = random_sample(id, 4);
    if (s.value) RC_ASSERT(expand("n$(" + s.text + ")", id) == "n" + std::to_string(*s.value));
    else RC_ASSERT_THROWS_AS(expand("$(" + s.text + ")", id), bad_expression);
  }));
}
