// Directives in sources of C++: what they become, on a device with memory of its own, and what is refused.
#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <stretto/error.hpp>
#include <string>

#include "base/child_process.hpp"
#include "cc/acc/call_declarations.hpp"
#include "cc/acc/translation.hpp"
#include "separate_memory.hpp"
#include "temporary_folder.hpp"

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

translation of_cxx(const std::string& text) {
  return translate(preprocessed_text("# 1 \"x.cpp\"\n" + text), cc::language::cxx, "-std=c++17");
}

std::string run_all(std::vector<std::string> command) {
  const auto done = base::run_child({.arguments = std::move(command), .limit = std::chrono::minutes(5)});
  return done.has_succeeded() ? done.output : "failed: " + done.errors;
}

/// The output of a program on a device with memory of its own.
std::string printed_by(const std::string& globals, const std::string& body) {
  const test::temporary_folder folder;
  const translation result =
      of_cxx("extern \"C\" int printf(const char *, ...); " + globals + "\nint main() {\n" + body + "\n}\n");
  if (!result.refused.empty()) return result.refused[0].what();
  const auto source = folder.path / "x.ii", other = folder.path / "runtime.c", program = folder.path / "x";
  const auto object = folder.path / "runtime.o";
  std::ofstream(source) << result.text;
  std::ofstream(other) << call_declarations() << test::separate_memory;
  if (std::string failed = run_all({"cc", "-c", other, "-o", object}); !failed.empty()) return failed;
  const std::string failed =
      run_all({"c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", source, object, "-o", program});
  return failed.empty() ? run_all({program}) : failed + result.text;
}

/// The message for a region in a function whose parameters are `vec &v, double *p, int n`.
std::string refusal_of_cxx(const std::string& body) {
  const translation result = of_cxx(
      "struct vec { double *d; double &operator[](int i) { return d[i]; } int size() const { return 1; }\n"
      "double *begin(); double *end(); };"
      "struct named { named() {} int n; }; template <class T> struct pair { T x, y; };\n"
      "void f(vec &v, double *p, int n) {\n#pragma acc parallel loop copy(p[0:n])\n  for (int i = 0; i < n; ++i) {\n" +
      body + "\n  }\n  (void)v;\n}\n");
  return result.refused.empty() ? result.text : result.refused[0].what();
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a function of C++ has regions with its references, casts and constants") {
  CHECK(printed_by(R"(
namespace physics {
constexpr int width = 4;
static double rate = 0.5;
enum class color { red = 1, green };
enum { solid = 7 };
void scale(double *x, const double &by, double &total, unsigned long n) {
  const long shift = width + 1;
#pragma acc parallel loop copy(x[0:n]) reduction(+:total)
  for (unsigned long i = 0; i < n; ++i) {
    auto v = x[i];
    double u{0.5}, w(2), t[width] = {1, 2};
    const bool is_large = v > 1 && x != nullptr;
    if (is_large == true) v += static_cast<double>(width) + double(static_cast<int>(color::green)) + solid;
    x[i] = v * by * physics::rate + shift + u * w + t[1] + sizeof(t) / sizeof(double);
    total += x[i];
  }
}
})",
                   R"(
  double x[3] = {0, 1, 2}, total = 100;
  physics::scale(x, 2.0, total, 3);
  printf("%g %g %g %g", x[0], x[1], x[2], total);)") == "12 13 27 152");
}

TEST_CASE("each instantiation of a function template has a kernel") {
  const std::string function = R"(
template <class T, int N>
T sum(const T *x, int n) {
  T s = 0;
#pragma acc parallel loop reduction(+:s) copyin(x[0:n])
  for (int i = 0; i < n; ++i) {
    const T v = x[i] * N;
    s += static_cast<T>(v / 2);
  }
  return s;
}
template <class T> T twice(const T *x, int n) { return 2 * sum<T, 3>(x, n); }
)";
  CHECK(printed_by(function, R"(
  double d[3] = {1, 2, 4};
  int i[2] = {1, 1};
  printf("%g %d %g", sum<double, 2>(d, 3), twice(i, 2), (double)twice(d, 3));)") == "7 4 21");
  CHECK(printed_by(function, "").empty());
}

TEST_CASE("member functions use members as variables, and data clauses of this attach its pointers") {
  const std::string classes = R"(
class sized { protected: int n_ = 4; };
class field : public sized {
 public:
  field() : values_(new double[4]) {
    for (int i = 0; i < n_; ++i) values_[i] = i;
#pragma acc enter data copyin(this[0:1])
#pragma acc enter data copyin(this->values_[0:n_])
  }
  ~field() {
#pragma acc exit data delete(values_[0:n_])
#pragma acc exit data delete(this[0:1])
    delete[] values_;
  }
  void add(double n) {
#pragma acc parallel loop present(values_[0:n_])
    for (int i = 0; i < this->n_; ++i) this->values_[i] += n + steps_[1];
#pragma acc update host(values_[0:n_])
  }
  static void fill(double *p, int n) {
#pragma acc parallel loop copyout(p[0:n])
    for (int i = 0; i < n; ++i) p[i] = i;
  }
  double operator()(int i) const { return values_[i]; }
 private:
  double *values_;
  double steps_[2] = {1, 2};
};
)";
  CHECK(printed_by(classes, R"(
  field f;
  f.add(10);
  double p[3];
  field::fill(p, 3);
  printf("%g %g %g", f(0), f(3), p[2]);)") == "12 15 2");
}

TEST_CASE("member functions of class templates have kernels for each class, and destructors their data") {
  const std::string grid = R"(
template <class T, int Width>
class grid {
 public:
  explicit grid(int n) : n_(n), data_(new T[n]()) {
#pragma acc enter data copyin(data_[0:n_])
  }
  ~grid() {
#pragma acc exit data delete(data_[0:n_])
    delete[] data_;
  }
  void add(T v);
  T at(int i) {
#pragma acc update host(data_[i:1])
    return data_[i];
  }
 private:
  int n_;
  T *data_;
};
template <class T, int Width>
void grid<T, Width>::add(T v) {
#pragma acc parallel loop present(data_[0:n_])
  for (int i = 0; i < n_; ++i) data_[i] += static_cast<T>(v + Width);
}
)";
  CHECK(printed_by(grid, R"(
  grid<double, 2> d(8);
  grid<int, 5> i(6);
  d.add(0.5), i.add(1), i.add(1);
  printf("%g %d", d.at(7), i.at(3));)") == "2.5 12");
}

TEST_CASE("a region in a template is refused where it is instantiated without a name") {
  const std::string holder = R"(
template <class T> struct holder {
  T x[4];
  ~holder() {
#pragma acc parallel loop
    for (int i = 0; i < 4; ++i) x[i] = 0;
  }
  void unused() {
#pragma acc parallel loop
    for (int i = 0; i < 4; ++i) x[i] = 0;
  }
  void set() {}
};
)";
  CHECK(holds(printed_by(holder, "holder<int> h; h.set();"), "nothing in this source names the instantiation"));
}

TEST_CASE("regions in lambdas use what the lambda captures") {
  CHECK(printed_by("", R"(
  double p[4] = {1, 2, 3, 4}, total = 0;
  auto add = [&](int k) {
#pragma acc parallel loop reduction(+:total) copyin(p)
    for (int i = 0; i < 4; ++i) total += p[i] * k;
  };
  add(2);
  printf("%g", total);)") == "20");
}

TEST_CASE("functions of one name are told apart by their types") {
  const std::string functions = R"(
namespace near {
#pragma acc routine seq
inline double twice(double v) { return 2 * v; }
inline int twice(int v) { return 2 * v + 1; }
}
)";
  CHECK(printed_by(functions, R"(
  double p[2] = {1.5, 2.5};
#pragma acc parallel loop copy(p)
  for (int i = 0; i < 2; ++i) p[i] = near::twice(p[i]) + near::twice(i);
  printf("%g %g", p[0], p[1]);)") == "4 8");
}

TEST_CASE("what is not in the C subset of C++ is refused with its line") {
  const auto is_refused = [](const std::string& body, const std::string& found, const std::string& remedy) {
    const std::string message = refusal_of_cxx(body);
    CAPTURE(message);
    CHECK(holds(message, "error O09"));
    CHECK(holds(message, "x.cpp:6\n"));
    CHECK(holds(message, found));
    CHECK(holds(message, remedy));
  };
  is_refused("p[i] = v[i];", "the operator [] of the class \"vec\"", "auto *p = v.data();");
  is_refused("p[i] = v.size();", "a call of the member function \"size\"", "ahead of the region");
  is_refused("double &c = p[i]; c = 1;", "a reference", "use a pointer");
  is_refused("for (double &x : v) p[i] += x;", "a loop over a range", "count with an index");
  is_refused("named w; p[i] = 1;", "a variable of the type \"named\"", "types that C has");
  is_refused("pair<int> w; p[i] = 1;", "a type of this form", "types that C has");
  is_refused("for (double x : v) p[i] += x;", "a loop over a range", "count with an index");
  is_refused("auto g = [](int k) { return k; };", "a lambda", "write its body");
  is_refused("double *q = new double[2];", "new", "move this code");
  is_refused("throw 1;", "throw", "outside of the region");
  is_refused("try { p[i] = 1; } catch (...) {}", "try", "outside of the region");
  is_refused("using number = double;", "using", "ahead of the region");
  is_refused("if constexpr (true) p[i] = 1;", "if constexpr", "a plain if");
}

TEST_CASE("parts of objects of classes in clauses are refused") {
  const translation part =
      of_cxx("struct vec { double *d; };\nvoid f(vec v, int n) {\n#pragma acc enter data copyin(v[0:n])\n}\n");
  REQUIRE(part.refused.size() == 1);
  CHECK(holds(part.refused[0].what(), "x.cpp:3\n  because     it is a structure or a class, and no array"));
}

TEST_CASE("calls of member functions and two variables of one name are refused") {
  const std::string head = "struct s { int n; double x[4]; int two() { return 2; }\n  void f(int m) {\n";
  const translation call =
      of_cxx(head + "#pragma acc parallel loop\n  for (int i = 0; i < 4; ++i) x[i] = two();\n} };\n");
  REQUIRE(call.refused.size() == 1);
  CHECK(holds(call.refused[0].what(), "x.cpp:4\n  found       a call of the member function \"two\""));
  const translation twice =
      of_cxx(head + "int n = m;\n#pragma acc parallel loop\n  for (int i = 0; i < n; ++i) x[i] = this->n;\n} };\n");
  REQUIRE(twice.refused.size() == 1);
  CHECK(holds(twice.refused[0].what(), "two variables \"n\", one of them \"this->n\""));
}

TEST_CASE("a region in a class within a class template is refused, and one in a lambda of a template is not") {
  const translation nested = of_cxx(
      "template <class T> struct outer {\n  struct inner {\n    T x[4];\n    void set() {\n#pragma acc parallel loop\n"
      "      for (int i = 0; i < 4; ++i) x[i] = 0;\n    }\n  };\n};\n");
  REQUIRE(nested.refused.size() == 1);
  CHECK(holds(nested.refused[0].what(), "x.cpp:2\n  found       a class within a template of a class"));
  CHECK(printed_by("template <class T> T twice(T *p) {\n"
                   "  auto add = [=](int k) {\n#pragma acc parallel loop copy(p[0:3])\n"
                   "    for (int i = 0; i < 3; ++i) p[i] += static_cast<T>(k);\n  };\n  add(1), add(2);\n"
                   "  return p[2];\n}\n",
                   "double d[3] = {1, 2, 3.5};\nint i[3] = {};\nprintf(\"%g %d\", twice(d), twice(i));") == "6.5 3");
}

TEST_CASE("a region in a lambda with a parameter of any type is refused") {
  const translation lambda = of_cxx(
      "void f(int *p) {\n  auto g = [&](auto k) {\n#pragma acc parallel loop copy(p[0:4])\n"
      "    for (int i = 0; i < 4; ++i) p[i] = k;\n  };\n  g(1);\n}\n");
  REQUIRE(lambda.refused.size() == 1);
  CHECK(holds(lambda.refused[0].what(), "x.cpp:2\n"));
  CHECK(holds(lambda.refused[0].what(), "name the type of the parameter in place of auto"));
}

TEST_CASE("variables of namespaces are in clauses, and operators have names") {
  CHECK(printed_by("namespace { double table[4]; } namespace a { long sum = 1; } using namespace a;", R"(
#pragma acc parallel loop copyout(table) reduction(+:sum)
  for (int i = 0; i < 4; ++i) {
    table[i] = i > 0 and not (i == 2) ? 1 : 0;
    sum += i;
  }
  printf("%g %g %ld", table[1], table[2], sum);)") == "1 0 7");
}

TEST_CASE("a source of C++ without directives stays as it is") {
  const std::string text = "int main() { return [] { return 0; }(); }\n";
  CHECK(of_cxx(text).text == "# 1 \"x.cpp\"\n" + text);
}
