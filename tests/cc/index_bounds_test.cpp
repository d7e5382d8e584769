#include "cc/acc/index_bounds.hpp"
#include "cc/acc/clang_names.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <string>

#include "cc/acc/code_parser.hpp"
#include "cc/acc/small_work.hpp"
#include "cc/acc/variable_uses.hpp"

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

/// A loop in a function with a pointer `p` and some numbers.
struct loop_in_function {
  explicit loop_in_function(const std::string& code)
      : source(
            "# 1 \"x.c\"\n"
            "enum { width = 8 };\n"
            "int f(int);\n"
            "void g(double* p, double* q, const int* index, int n, int m, long k, double x) {\n"
            "#pragma acc parallel loop\n" +
            code + "\n}\n"),
        tree(read_directives(source)) {
    const placed_directive& one = tree.outermost.at(0);
    names = read_names(source, std::array{text_range{0, source.text().size()}}, cc::language::c);
    read = read_code(source, names, one);
  }

  preprocessed_text source;
  directive_tree tree;
  source_names names;
  statement read;
};

/// "first .. last" of the elements of p, or "unknown".
std::string bounds(const std::string& code) {
  const loop_in_function loop(code);
  for (const variable_use& one : outer_variables(loop.read))
    if (one.of->name == "p") {
      const auto found = bounds_of(loop.read, one.of);
      return found ? found->first + " .. " + found->last : "unknown";
    }
  return "unused";
}

std::string work(const std::string& code, std::size_t loops = 1) {
  const loop_in_function loop(code);
  return work_text(nested_shapes(loop.read, loops));
}

}  // namespace

TEST_CASE("loops up and down, with steps, give the first and the last element") {
  CHECK(bounds("for (int i = 0; i < n; ++i) p[i] = 1;") == "0 .. (n - 1)");
  CHECK(bounds("for (int i = 2; i <= n; i += 3) p[i] = 1;") == "2 .. n");
  CHECK(bounds("for (int i = n - 1; i >= 0; --i) p[i] = 1;") == "0 .. (n - 1)");
  CHECK(bounds("for (int i = n; i > m; i -= 2) p[i] = 1;") == "(m + 1) .. n");
  CHECK(bounds("for (int i = 0; i != n; i++) p[i] = 1;") == "0 .. (n - 1)");
  CHECK(bounds("for (int i = 0; i < width; ++i) p[i] = 1;") == "0 .. (8 - 1)");
}

TEST_CASE("sums, products, differences and negations of indices are bounded by their operands") {
  CHECK(bounds("for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) p[i * m + j] = 1;") ==
        "((0 * m) + 0) .. (((n - 1) * m) + (m - 1))");
  CHECK(bounds("for (int i = 0; i < n; ++i) p[m - i] = 1;") == "(m - (n - 1)) .. (m - 0)");
  CHECK(bounds("for (int i = 0; i < n; ++i) p[-i + n] = 1;") == "(-((n - 1)) + n) .. (-(0) + n)");
  CHECK(bounds("for (int i = 0; i < n; ++i) p[(long)i + k] = 1;") == "(0 + k) .. ((n - 1) + k)");
  CHECK(bounds("for (int i = 0; i < n; ++i) p[i / m] = p[i % m];") ==
        "stretto_acc_least((0 / m), 0) .. stretto_acc_greatest(((n - 1) / m), (m - 1))");
}

TEST_CASE("inner loops may begin and end by variables of outer ones") {
  CHECK(bounds("for (int i = 0; i < n; ++i) for (int j = i; j < m; ++j) p[j] = 1;") == "0 .. (m - 1)");
  CHECK(bounds("for (int i = 0; i < n; ++i) for (int j = 0; j <= i; ++j) p[j] = 1;") == "0 .. (n - 1)");
}

TEST_CASE("several uses give the least and the greatest of their bounds") {
  CHECK(bounds("for (int i = 1; i < n; ++i) p[i] = p[i - 1] + p[i];") ==
        "stretto_acc_least(1, (1 - 1)) .. stretto_acc_greatest((n - 1), ((n - 1) - 1))");
}

TEST_CASE("indices that are known in the region alone, and other uses of the pointer, give nothing") {
  CHECK(bounds("for (int i = 0; i < n; ++i) p[index[i]] = 1;") == "unknown");
  CHECK(bounds("for (int i = 0; i < n; ++i) p[f(i)] = 1;") == "unknown");
  CHECK(bounds("for (int i = 0; i < n; ++i) p[i & 7] = 1;") == "unknown");
  CHECK(bounds("for (int i = 0; i < n; ++i) { int j = 2 * i; p[j] = 1; }") == "unknown");
  CHECK(bounds("for (int i = 0; i < n; ++i) { m = i; p[m] = 1; }") == "unknown");
  CHECK(bounds("for (int i = 0; i < n; ++i) *(p + i) = 1;") == "unknown");
  CHECK(bounds("for (int i = 0; i < n; ++i) { double* r = p; r[i] = p[i]; }") == "unknown");
  CHECK(bounds("for (int i = 0; i < n; ++i) q[i] = 1;") == "unused");
  CHECK(bounds("for (int i = 0; i < n; ++i) p[i] = sizeof(*p);") == "0 .. (n - 1)");
}

TEST_CASE("elements that are used under a condition alone need not exist, and give nothing") {
  CHECK(bounds("for (int i = 0; i < n; ++i) { if (i > 0) q[i] = p[i - 1]; q[i] += p[i]; }") == "unknown");
  CHECK(bounds("for (int i = 0; i < n; ++i) q[i] = i > 0 ? p[i - 1] : p[i];") == "unknown");
  CHECK(bounds("for (int i = 0; i < n; ++i) q[i] = p[i] + (i + 1 < n && p[i + 1] > 0);") == "unknown");
  CHECK(bounds("for (int i = 0; i < n; ++i) { if (i == 0) continue; p[i - 1] = 1; }") == "unknown");
  CHECK(bounds("for (int i = 0; i < n; ++i) { p[i] += 1; if (p[i] > 3 || i == n - 1) p[i] = p[0]; }") ==
        "0 .. (n - 1)");
  CHECK(bounds("for (int i = 0; i < n; ++i) { for (int j = 0; j < m; ++j) if (j > 1) break; p[i] = 1; }") ==
        "0 .. (n - 1)");
}

TEST_CASE("the work of loops is their iterations times what their body computes") {
  const std::string one = work("for (int i = 0; i < n; ++i) p[i] = 1;");
  CHECK(one.ends_with(" * ((long)(n) - (0) + 1)"));
  CHECK(work("for (int i = n; i > 0; --i) p[i] = 1;").ends_with(" * ((long)(n) - (0) + 1)"));
  CHECK(work("for (int i = 0; i < n; ++i) for (int j = m; j >= 2; --j) p[i * m + j] = 1;", 2)
            .ends_with(" * ((long)(n) - (0) + 1) * ((long)(m) - (2) + 1)"));
  const auto operations = [](const std::string& text) { return std::stoul(text); };
  CHECK(operations(work("for (int i = 0; i < n; ++i) p[i] = q[i] * x + x / n - p[i];")) > operations(one));
}

TEST_CASE("the work is not known where the body loops or calls, or bounds change") {
  CHECK(work("for (int i = 0; i < n; ++i) p[i] = f(i);").empty());
  CHECK(work("for (int i = 0; i < n; ++i) while (p[i] > 1) p[i] /= 2;").empty());
  CHECK(work("for (int i = 0; i < n; ++i) for (int j = 0; j < i; ++j) p[j] = 1;", 2).empty());
  CHECK(work("for (double* r = p; r < q; ++r) *r = 1;").empty());
}
