#include "cc/acc/loop_dependence.hpp"
#include "cc/acc/clang_names.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "cc/acc/code_parser.hpp"

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

/// Why the iterations of a loop depend on each other; "" if they do not. Behind it, what becomes of variables.
std::string verdict_of(const std::string& loop) {
  const preprocessed_text source(
      "# 1 \"x.c\"\n"
      "double sqrt(double), fmax(double, double); int f(int);\n"
      "struct point { double x, y; };\n"
      "double table[8][16], other[8][16];\n"
      "void g(double *restrict a, const double *b, double *c, double *d, int *index, int n, int m, int k, double s,\n"
      "       double t, int j, struct point *points, double (*rows)[16], double **both, long count) {\n"
      "#pragma acc kernels\n" +
      loop + "\n}\n");
  const directive_tree tree = read_directives(source);
  const source_names names = read_names(source, std::array{text_range{0, source.text().size()}}, cc::language::c);
  const statement code = read_code(source, names, tree.outermost.at(0));
  const loop_verdict verdict = dependence_of(code, {});
  std::string text = verdict.obstacle;
  for (const scalar_role& one : verdict.scalars)
    text += (text.empty() ? "" : " ") + one.of->name + (one.reduction ? " reduced" : " own");
  return text;
}

bool is_independent(const std::string& loop) { return verdict_of(loop).empty(); }

}  // namespace

TEST_CASE("iterations that use elements of their own are independent") {
  CHECK(is_independent("for (int i = 0; i < n; ++i) a[i] = b[i] + b[i + 1];"));
  CHECK(is_independent("for (int i = n; i > 0; i -= 2) a[i] += 1;"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) a[2 * i + k] = a[2 * i + k] + 1;"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) a[k - i] = 1;"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) { points[i].x = points[i].y; }"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) *(a + i) = sqrt(a[i]);"));
}

TEST_CASE("iterations that use elements of others are not") {
  CHECK(verdict_of("for (int i = 1; i < n; ++i) a[i] = a[i - 1];") ==
        "\"a[i]\" of one iteration may be \"a[i - 1]\" of another");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) a[k] = i;") == "several iterations may use the same \"a[k]\"");
  CHECK_FALSE(is_independent("for (int i = 0; i < n; ++i) a[m * i] = i;"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; ++i) a[i] = a[n - i];"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; ++i) a[i / 2] = i;"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; ++i) a[index[i]] = i;"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; ++i) a[i * i] = i;"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; i += 2) { a[i] = i; i -= 1; }"));
}

TEST_CASE("steps, divisors and ranges keep elements apart") {
  CHECK(is_independent("for (int i = 0; i < n; i += 2) a[i] = a[i + 1];"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; i += 2) a[i] = a[i + 2];"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) a[2 * i] = a[4 * i + 1];"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) a[i] = a[i + n];"));
  CHECK_FALSE(is_independent("for (int i = 0; i <= n; ++i) a[i] = a[i + n];"));
  CHECK(is_independent("for (int i = 0; i < 10; ++i) a[i] = a[10 + k - k];"));
}

TEST_CASE("rows of an array with a size that is known when it runs are apart") {
  CHECK(is_independent("for (int i = 0; i < n; ++i) for (int x = 0; x < m; ++x) a[i * m + x] = 1;"));
  CHECK(
      is_independent("for (int i = 1; i < n - 1; ++i) for (int x = 1; x < m - 1; ++x)"
                     " a[i * m + x] = b[i * m + x - 1] + b[(i + 1) * m + x];"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; ++i) for (int x = 0; x <= m; ++x) a[i * m + x] = 1;"));
  CHECK_FALSE(
      is_independent("for (int i = 1; i < n; ++i) for (int x = 0; x < m; ++x) a[i * m + x] = a[(i - 1) * m + x];"));
  CHECK(
      is_independent("for (int i = 0; i < n; ++i) for (int y = 0; y < k; ++y) for (int x = 0; x < m; ++x)"
                     " a[(i * k + y) * m + x] = 1;"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) for (int x = 0; x <= i; ++x) a[i * n + x] = 1;"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; ++i) for (int x = 0; x < m; ++x) a[x] = i;"));
}

TEST_CASE("one dimension that differs is enough") {
  CHECK(is_independent("for (int i = 0; i < 8; ++i) for (int x = 1; x < 16; ++x) table[i][x] = table[i][x - 1];"));
  CHECK_FALSE(
      is_independent("for (int i = 1; i < 8; ++i) for (int x = 0; x < 16; ++x) table[i][x] = table[i - 1][x];"));
  CHECK(is_independent("for (int i = 1; i < 8; ++i) for (int x = 0; x < 16; ++x) table[i][x] = other[i - 1][x];"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) rows[i][3] = rows[i][n];"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; ++i) both[i][0] = 1;"));
}

TEST_CASE("different pointers may point to the same elements, unless restrict or their types say otherwise") {
  CHECK(verdict_of("for (int i = 0; i < n; ++i) c[i] = d[i];") ==
        "\"c\" and \"d\" may point to the same elements: neither is restrict");
  CHECK(is_independent("for (int i = 0; i < n; ++i) a[i] = d[i];"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) d[i] = a[i];"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) c[i] = index[i];"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) index[i] = c[index[i]] + d[i];"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; ++i) c[i] = table[0][i];"));
}

TEST_CASE("pointers and numbers that an iteration sets once are followed") {
  CHECK(is_independent(
      "for (int i = 0; i < n; ++i) { double *row = a + i * m; for (int x = 0; x < m; ++x) row[x] = 1; }"));
  CHECK(is_independent(
      "for (int i = 0; i < n; ++i) { double *row = &a[i * m]; for (int x = 0; x < m; ++x) row[x] = 1; }"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) { const int at = i + k; a[at] = at; }"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; ++i) { int at = i; at /= 2; a[at] = at; }"));
  CHECK_FALSE(is_independent("for (int i = 0; i < n; ++i) { double *row = a + i; row++; *row = a[i]; }"));
  CHECK(is_independent("for (int i = 0; i < n; ++i) { double own[4]; own[0] = i; own[k] = 1; a[i] = own[0]; }"));
}

TEST_CASE("variables that each iteration sets first are its own") {
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { s = b[i]; a[i] = s * s; }") == "s own");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { for (j = 0; j < m; ++j) a[i * m + j] = j; }") == "j own");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { if (b[i] > 0) s = 1; else s = 2; a[i] = s; }") == "s own");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { if (b[i] > 0) s = 1; a[i] = s; }") ==
        "the value of \"s\" goes from one iteration to the next");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { if (b[i] > 0) { s = 1; a[i] = s; } }") ==
        "not every iteration sets \"s\", which has a value behind the loop");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { if (b[i] > 0) continue; s = 1; a[i] = s; }") ==
        "not every iteration sets \"s\", which has a value behind the loop");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { for (int x = 0; x < m; ++x) s = x; a[i] = s; }") ==
        "the value of \"s\" goes from one iteration to the next");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { a[i] = i; m = k; }") == "m own");
}

TEST_CASE("sums, products, least and greatest values are reductions") {
  CHECK(verdict_of("for (int i = 0; i < n; ++i) s += b[i];") == "s reduced");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) for (int x = 0; x < m; ++x) s = b[i] * x + s, t = t - 1;") ==
        "s reduced t reduced");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) if (b[i] > s) s = b[i];") == "s reduced");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { s = s < b[i] ? s : b[i]; t = fmax(b[i], t); k++; }") ==
        "s reduced t reduced k reduced");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) if (b[i] > s) { s = b[i]; k = i; }").starts_with("the value of \"s\""));
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { s += b[i]; a[i] = s; }").starts_with("the value of \"s\""));
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { s += b[i]; s *= 2; }").starts_with("the value of \"s\""));
  CHECK(verdict_of("for (int i = 0; i < n; ++i) s = b[i] - s;").starts_with("the value of \"s\""));
  CHECK(verdict_of("for (int i = 0; i < n; ++i) s += s * b[i];").starts_with("the value of \"s\""));
}

TEST_CASE("loops whose iterations are not known ahead, and calls, are not divided") {
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { a[i] = 1; if (b[i] > 3) break; }") == "it leaves the loop");
  CHECK(is_independent("for (int i = 0; i < n; ++i) { for (;;) break; a[i] = 1; }"));
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { if (b[i] > 3) goto next; a[i] = 1; next:; }") ==
        "it has goto or a label");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) { a[i] = 1; n = 3; }") ==
        "the number of its iterations is not known ahead");
  CHECK(verdict_of("for (int i = 0; i < index[0]; ++i) a[i] = 1;") ==
        "the number of its iterations is not known ahead");
  CHECK(verdict_of("for (int i = 0; i < n; ++i) a[i] = f(i);") == "it calls \"f\"");
}
