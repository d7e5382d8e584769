#include "cc/acc/code_parser.hpp"
#include "cc/acc/clang_names.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "cc/acc/code_printer.hpp"
#include "refused_code.hpp"

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

/// The code behind a directive in a function with some variables.
struct region {
  explicit region(const std::string& code, const std::string& directive = "serial")
      : source(
            "# 1 \"x.c\"\n"
            "typedef unsigned char byte;\n"
            "typedef struct { double x, y; } pair;\n"
            "struct node { int value; struct node* next; };\n"
            "double sqrt(double);\n"
            "void f(int n, double* a, float (*grid)[4], pair p, struct node* list, byte b, long k, unsigned u) {\n"
            "#pragma acc " +
            directive + "\n" + code + "\n}\n"),
        tree(read_directives(source)) {
    const placed_directive& one = tree.outermost.at(0);
    const std::size_t first = source.program()[one.first].offset;
    names = read_names(source, std::array{text_range{first, source.text().size()}}, cc::language::c);
    read = read_code(source, names, one);
  }

  preprocessed_text source;
  directive_tree tree;
  source_names names;
  statement read;
};

std::string again(const std::string& code) { return text_of(region(code).read); }

/// Of the expression in a statement.
std::string type_of(const std::string& expression) {
  const region r(expression + ";");
  const type_ref& type = r.read.values.at(0).type;
  return type ? type->spelling : "unknown";
}

}  // namespace

TEST_CASE("parentheses stay where compilers warn without them") {
  for (const char* text : {
           "k = n << (u + 1)",
           "k = (n - 1) >> u * 2",
           "k = n | (u & 3)",
           "k = (n ^ u) | k",
           "k = n & (u - 1)",
           "k = n & (u == 3)",
           "k = n | u << 1",
           "k = (n < 1) == (u < 1)",
           "k = (n < 1) < k",
           "k = (!n) == u",
           "k = (n && u) || k",
           "k = n || u || k",
           "k = n | u | k",
           "k = n + u - k",
           "k = n << 1 << u",
       }) {
    const std::string code = std::string(text) + ";\n";
    CHECK(again(code) == code);
  }
  CHECK(again("while ((k = n)) n--;").starts_with("while ((k = n))"));
  CHECK(again("if ((k = n)) n--;").starts_with("if ((k = n))"));
  CHECK(again("for (; (k = n);) n--;").starts_with("for (; (k = n);)"));
}

TEST_CASE("an expression keeps its meaning with as few parentheses as it needs") {
  for (const char* text : {
           "a[n] = (b + k) * 2",
           "a[0] = b + k * 2 - (n - 1)",
           "a[0] = - -n",
           "k = n << 2 | (u & 3)",
           "k = (n | u) & 3",
           "k = n > 0 ? n : u > 1 ? 1 : 2",
           "k = (n, u)",
           "a[0] += grid[1][2] * p.x / list->next->value",
           "*a = *(a + 1)",
           "(*a)++",
           "*a++ = ++n",
           "k = (long)n * (unsigned char)k",
           "k = sizeof(double) + sizeof(a[0])",
           "p = (pair){1.5, .5e3}",
           "p = (pair){.y = 1, .x = 2}",
           "a[0] = sqrt(a[1] + (n ? 1 : 2)) + 0x1fUL",
           "n = n == 1 || (u && !k)",
           "n = (n & 1) == 0",
           "n = &a[1] - a",
           "n = u = k",
           "a[n - 1] = 'x' + \"text\"[0]",
       }) {
    const std::string code = std::string(text) + ";\n";
    CHECK(again(code) == code);
  }
  CHECK(again("k = ((n) + ((u))) - -(-(byte)n);") == "k = n + u - - -(unsigned char)n;\n");
}

TEST_CASE("all statements that devices run are read") {
  const std::string code =
      "{\n"
      "  for (int i = 0, j = n; i < j; ++i, --j)\n"
      "    if (a[i] > 0)\n"
      "      a[i] = 0;\n"
      "    else\n"
      "    {\n"
      "      a[i] = 1;\n"
      "      continue;\n"
      "    }\n"
      "  for (;;)\n"
      "    break;\n"
      "  for (n = 0; n < 3; n++)\n"
      "    ;\n"
      "  while (n > 0)\n"
      "    n -= 2;\n"
      "  do\n"
      "  {\n"
      "    n++;\n"
      "  }\n"
      "  while (n < 10);\n"
      "  switch (n)\n"
      "  {\n"
      "    case 1:\n"
      "    case 2 + 1:\n"
      "    k = 1;\n"
      "    break;\n"
      "    default:\n"
      "    k = 2;\n"
      "  }\n"
      "}\n";
  CHECK(again(code) == code);
  CHECK(again("return;") == "return;\n");
}

TEST_CASE("declarations have their types, extents and values") {
  const region r(
      "{ double x = 1, *q = &a[2], local[2][n + 1]; static const byte c = 3; pair s = {1, 2}; float (*g)[4] = grid; }");
  CHECK(text_of(r.read) ==
        "{\n"
        "  double x = 1; double *q = &a[2]; double local[2][n + 1];\n"
        "  static const unsigned char c = 3;\n"
        "  pair s = {1, 2};\n"
        "  float (*g)[4] = grid;\n"
        "}\n");
  const statement& first = r.read.parts.at(0);
  REQUIRE(first.variables.size() == 3);
  CHECK(first.variables[1].of->type.is == type_form::pointer);
  CHECK(first.variables[2].extents.size() == 2);
}

TEST_CASE("expressions have the types that C gives them") {
  CHECK(type_of("n + 1") == "int");
  CHECK(type_of("b + b") == "int");
  CHECK(type_of("n + u") == "unsigned int");
  CHECK(type_of("n + k") == "long");
  CHECK(type_of("u + k") == "long");
  CHECK(type_of("k + 1.0f") == "float");
  CHECK(type_of("1.5f * 2.0") == "double");
  CHECK(type_of("n < k") == "int");
  CHECK(type_of("a[n]") == "double");
  CHECK(type_of("a + n") == "double *");
  CHECK(type_of("&a[1]") == "double *");
  CHECK(type_of("grid[1][2]") == "float");
  CHECK(type_of("*grid[1]") == "float");
  CHECK(type_of("p.y") == "double");
  CHECK(type_of("list->next->value") == "int");
  CHECK(type_of("sqrt(2)") == "double");
  CHECK(type_of("(float)n") == "float");
  CHECK(type_of("n ? 1 : 2.0") == "double");
  CHECK(type_of("n ? a : a + 1") == "double *");
  CHECK(type_of("n ? 0 : a") == "double *");
  CHECK(type_of("k << n") == "long");
  CHECK(type_of("u++") == "unsigned int");
  CHECK(type_of("10000000000") == "long");
  CHECK(type_of("1UL") == "unsigned long");
  CHECK(type_of("sizeof n") == "unsigned long");
  CHECK(type_of("'c'") == "int");
  CHECK(type_of("a - &a[2]") == "long");
}

TEST_CASE("statements know the directives that govern them") {
  const region r(
      "#pragma acc loop gang\n"
      "for (int i = 0; i < n; ++i) {\n"
      "#pragma acc loop vector\n"
      "for (int j = 0; j < n; ++j)\n"
      "#pragma acc atomic update\n"
      "a[0] += j;\n"
      "}\n",
      "parallel");
  REQUIRE(r.read.directive);
  CHECK(r.read.directive->what.find(clause_kind::gang));
  const statement& inner = r.read.parts.at(1).parts.at(0);
  REQUIRE(inner.directive);
  CHECK(inner.directive->what.find(clause_kind::vector));
  REQUIRE(inner.parts.at(1).directive);
  CHECK(inner.parts.at(1).directive->what.kind == directive_kind::atomic);
}

TEST_CASE("code that no device can run is refused with its line") {
  CHECK(test::message_of([] { region("{\n k = 1;\n asm(\"nop\");\n }"); }) ==
        "error O09: a region on a device has code that cannot be translated\n"
        "  at          x.c:9\n"
        "  found       asm\n"
        "  because     no device runs assembly, computed jumps or statements in expressions\n"
        "  try         move this code out of the region");
  for (const char* code : {"__asm__(\"nop\");", "k = ({ 1; });", "goto *a;", "{ struct { int x; } s; k = 1; }"})
    CHECK_MESSAGE(test::code_of([&] { region r(code); }) == "O09", code);
}

TEST_CASE("jumps within a region are its code, and those over the edge of a divided loop are refused") {
  CHECK(again("{ again: k = 1; if (n) goto out; while (1) { if (k++ > 9) goto again; } out:; }") ==
        "{\n  again:;\n  k = 1;\n  if (n)\n    goto out;\n  while (1)\n  {\n    if (k++ > 9)\n      goto again;\n  }\n"
        "  out:;\n  ;\n}\n");
  CHECK(test::message_of([] { region("{\n k = 1;\n goto out;\n }\n out:;"); }) ==
        "error O20: a jump in a region on a device is not possible\n"
        "  at          x.c:9\n"
        "  found       goto out\n"
        "  because     the label is outside of the region, whose code runs on the device\n"
        "  try         set a variable in the region, and jump behind it if it is set");
  const std::string loop = "\n#pragma acc loop\nfor (int i = 0; i < n; ++i) ";
  CHECK(test::message_of([&] { region("{" + loop + "if (a[i]) goto out;\n out:; }", "parallel"); }) ==
        "error O20: a jump in a region on a device is not possible\n"
        "  at          x.c:9\n"
        "  found       goto out\n"
        "  because     the iterations of the loop at line 9 are divided, and a jump leaves it\n"
        "  try         end the iteration by continue, or add seq to the directive of the loop");
  CHECK(test::message_of([&] {
          region("{ goto in;" + loop + "{ in: k = 1; } }", "parallel");
        }).find("a jump enters it") != std::string::npos);
  CHECK(test::code_of([&] { region("{" + loop + "goto in;" + loop + "{ in: k = 1; } }", "parallel"); }) == "O20");
  const std::string in_order = "\n#pragma acc loop seq\nfor (int i = 0; i < n; ++i) ";
  CHECK(test::code_of([&] { region("{" + in_order + "if (a[i]) goto out;\n out:; }", "parallel"); }) == "");
  CHECK(test::code_of([&] { region("{" + loop + "{ if (a[i]) goto next; a[i] = 1; next:; } }", "parallel"); }) == "");
}
