#include "cc/acc/translation.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "base/child_process.hpp"
#include "cc/acc/call_declarations.hpp"
#include "temporary_folder.hpp"

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

translation translated(const std::string& text) { return translate(preprocessed_text(text), cc::language::c); }

/// Runs the gangs of a kernel one after another, last first: a result must not depend on their order.
const std::string runtime = R"(
int printf(const char *, ...);
void *memcpy(void *, const void *, unsigned long);
void stretto_acc_run(const struct stretto_acc_launch *launch) {
  char values[16][1024];
  void *arguments[16];
  for (long i = 0; i < launch->argument_count; ++i) {
    const struct stretto_acc_argument *one = &launch->arguments[i];
    arguments[i] = one->way == 1 ? one->host : memcpy(values[i], one->host, one->bytes);
  }
  const long gangs = launch->gangs > 0 ? launch->gangs : GANGS;
  for (long gang = gangs; gang-- > 0;) launch->kernel(arguments, gang, gangs);
}
static int held;
void stretto_acc_lock(void) { if (held++) printf("locked twice "); }
void stretto_acc_unlock(void) { --held; }
void stretto_acc_end(void) {}
struct stretto_acc_scope stretto_acc_open(const struct stretto_acc_data *data, long count, int queue, int condition,
                                          const char *where) {
  return (struct stretto_acc_scope){condition ? data : 0, count, queue, where};
}
void stretto_acc_close(struct stretto_acc_scope *scope) {}
)";

/// The output of a program, compiled by the system's compiler, with a number of gangs. Its main is `body`.
std::string output(const std::string& globals, const std::string& body, int gangs) {
  const test::temporary_folder folder;
  const translation result = translated("# 1 \"x.c\"\nint printf(const char *, ...);\n" + globals +
                                        "int main(void) {\n" + body + "\n  return 0;\n}\n");
  if (!result.refused.empty()) return result.refused[0].what();
  const auto source = folder.path / "x.i", other = folder.path / "runtime.c", program = folder.path / "x";
  std::ofstream(source) << result.text;
  std::ofstream(other) << call_declarations() << runtime;
  const auto compiled = base::run_child({.arguments = {"cc", "-O1", "-Wall", "-Werror", source,
                                                       "-DGANGS=" + std::to_string(gangs), other, "-o", program, "-lm"},
                                         .limit = std::chrono::minutes(5)});
  if (!compiled.has_succeeded()) return compiled.errors + result.text;
  return base::run_child({.arguments = {program}, .limit = std::chrono::minutes(5)}).output;
}

/// The same with one, two and seven gangs, if the outputs are the same.
std::string output(const std::string& globals, const std::string& body) {
  const std::string one = output(globals, body, 1);
  for (const int gangs : {2, 7})
    if (const std::string other = output(globals, body, gangs); other != one) return one + " but " + other;
  return one;
}

}  // namespace

TEST_CASE("a source without directives stays as it is") {
  const std::string text = "# 1 \"x.c\"\nint main(void) { return 0; }\n";
  CHECK(translated(text).text == text);
}

TEST_CASE("a report says what was made of each region, and why") {
  CHECK(translated(R"(# 1 "x.c"
int printf(const char *, ...);
void f(int n, double *a, const double *b) {
  double c[9], sum = 0;
#pragma acc data copy(c)
#pragma acc parallel loop collapse(2) reduction(+ : sum)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 9; ++j) a[9 * i + j] = b[i], sum += c[j];
#pragma acc kernels
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
#pragma acc serial present(a)
  printf("%g", a[0]);
}
)")
            .report == R"(x.c:4: data, lines 6 to 7
  copy(c)
  x.c:5: parallel loop, lines 6 to 7
    collapse(2)
    reduction(+: sum)
    - line 6: divided among gangs, 2 loops together
    - moved without a clause: copy(a) by the bounds of loops, copyin(b) by the bounds of loops, copy(sum), copy(c)
    - copied into each gang: n
    - OpenCL: a kernel
    - CUDA: a kernel
x.c:8: kernels, line 9
  - one gang: line 9: "a[i]" of one iteration may be "a[i - 1]" of another
  - moved without a clause: copy(a) by the bounds of loops
  - copied into each gang: n
  - OpenCL: a kernel
  - CUDA: a kernel
x.c:10: serial, line 11
  present(a)
  - one gang: serial
  - OpenCL: on the host, since it calls "printf"
  - CUDA: on the host, since it calls "printf"
)");
}

TEST_CASE("a report says how loops run on devices of a kind that clauses behind device_type name") {
  const std::string report = translated(R"(# 1 "x.c"
void f(int n, double *a) {
#pragma acc parallel loop gang device_type(opencl) seq
  for (int i = 0; i < n; ++i) a[i] = i;
}
)")
                                 .report;
  CHECK(report.find(
            "- line 3: divided among gangs\n  - OpenCL: one gang: no loop is divided\n  - OpenCL: line 3: in order "
            "within a gang\n") != std::string::npos);
}

TEST_CASE("a loop is divided among gangs, and each iteration runs once") {
  CHECK(output("", R"(
  int a[100], n = 100, sum = 0;
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) a[i] = 2 * i;
  for (int i = 0; i < n; ++i) sum += a[i] == 2 * i;
  printf("%d", sum);)") == "100");
}

TEST_CASE("loops may go down, by steps, to bounds that belong to them, and over pointers") {
  CHECK(output("", R"(
  int a[40] = {0}, sum = 0, i;
#pragma acc parallel loop
  for (i = 39; i >= 30; i -= 3) a[i] += 1;
#pragma acc parallel loop
  for (int j = 1; 20 > j; j = j + 5) a[j] += 2;
#pragma acc parallel loop
  for (long k = 20; k != 25; k++) a[k] += 3;
#pragma acc parallel loop
  for (int *p = a + 26; p < a + 28; ++p) *p += 4;
  for (int j = 0; j < 40; ++j) sum += j * a[j];
  printf("%d", sum);)") ==
        std::to_string((39 + 36 + 33 + 30) + 2 * (1 + 6 + 11 + 16) + 3 * (20 + 21 + 22 + 23 + 24) + 4 * (26 + 27)));
}

TEST_CASE("regions know the constants of enumerations, also those of their function") {
  CHECK(output("enum { least = -2 };\n", R"(
  enum { count = 12 };
  int a[count], sum = 0;
#pragma acc parallel loop
  for (int i = 0; i < count; ++i) a[i] = least;
  for (int i = 0; i < count; ++i) sum += a[i];
  printf("%d", sum);)") == "-24");
}

TEST_CASE("the size of an array in a region is that of the host's array") {
  CHECK(output("", R"(
  int a[7], rows[3][5], sizes[3] = {0};
#pragma acc parallel loop copy(a)
  for (int i = 0; i < 7; ++i) a[i] = i;
#pragma acc serial copy(sizes, a, rows)
  sizes[0] = sizeof a / sizeof a[0], sizes[1] = sizeof rows, sizes[2] = sizeof rows[0];
  printf("%d %d %d", sizes[0], sizes[1], sizes[2]);)") == "7 60 20");
}

TEST_CASE("a loop of kernels that is divided has temporary variables of its own in each gang") {
  CHECK(output("", R"(
  int a[60] = {0}, t, j, sum = 0;
#pragma acc kernels
#pragma acc loop independent
  for (int i = 0; i < 60; ++i) {
    t = 0;
    for (j = 0; j < i; ++j) t += j;
    a[i] = t;
  }
  for (int i = 0; i < 60; ++i) sum += a[i];
  printf("%d", sum);)") == "34220");
}

TEST_CASE("nested loops are divided together, if their bounds allow it") {
  const std::string check =
      "  for (int i = 0; i < 7; ++i) for (int j = 0; j < 5; ++j) sum += (10 * i + j) * a[i][j];\n  printf(\"%d\", "
      "sum);";
  CHECK(output("", R"(
  int a[7][5] = {0}, sum = 0;
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 5; ++j)
      a[i][j] += 1;
)" + check) == "1120");
  CHECK(output("", R"(
  int a[7][5] = {0}, sum = 0;
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j <= i; ++j)
      a[i][j] += 1;
)" + check) == "420");
}

TEST_CASE("gangs combine what they reduce, by each operator, also elements of arrays") {
  CHECK(output("double fabs(double);\n", R"(
  int sum = 5, all = 1, any = 0, bits = 12, count[3] = {0, 1, 2};
  double least = 9, greatest = -9;
  long product = 1;
#pragma acc parallel loop reduction(+:sum) reduction(min:least) reduction(max:greatest) reduction(&&:all) reduction(||:any)
  for (int i = 1; i <= 10; ++i) {
    sum += i;
    if (i - 20.5 < least) least = i - 20.5;
    greatest = fabs(i - 3.0) > greatest ? fabs(i - 3.0) : greatest;
    all = all && i;
    any = any || i == 7;
  }
#pragma acc parallel loop reduction(*:product) reduction(|:bits) reduction(+:count[0:3])
  for (int i = 1; i <= 10; ++i) {
    product *= i;
    bits |= i & 1;
    count[i % 3]++;
  }
  printf("%d %g %g %d %d %ld %d %d %d %d", sum, least, greatest, all, any, product, bits, count[0], count[1], count[2]);)") ==
        "60 -19.5 7 1 1 3628800 13 3 5 5");
}

TEST_CASE("private variables are private, scalars are copied into gangs, and clauses copy them back") {
  CHECK(output("", R"(
  int a[20], t = 7, first = 3, last = 0, j, sum = 0;
#pragma acc parallel private(t) copy(last)
  {
    t = first;
#pragma acc loop private(j)
    for (int i = 0; i < 20; ++i) {
      for (j = 0; j < i; ++j) ;
      a[i] = j + t;
      if (i == 19) last = a[i];
    }
  }
#pragma acc data copy(t)
  {
#pragma acc serial
    t += first;
  }
  for (int i = 0; i < 20; ++i) sum += a[i];
  printf("%d %d %d %d", sum, last, t, first);)") == "250 22 10 3");
}

TEST_CASE("arrays may have rows whose size is known at run time, and each gang may have a copy of an array") {
  CHECK(output(R"(
static void fill(int n, int m, double a[n][m], double (*cube)[2][m]) {
#pragma acc parallel loop collapse(2)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i][j] = 10 * i + j, cube[i][1][j] = -a[i][j];
}
)",
               R"(
  int n = 4, m = 3, small[2] = {5, 6};
  double a[n][m], cube[n][2][m], sum = 0;
  fill(n, m, a, cube);
#pragma acc parallel loop firstprivate(small) reduction(+:sum)
  for (int i = 0; i < n; ++i) {
    small[0] += i;
    sum += a[i][m - 1] - cube[i][1][0] + small[1];
  }
  printf("%g %d", sum, small[0]);)") == "152 5");
}

TEST_CASE("parts of arrays that a gang has of its own keep their indices") {
  CHECK(output("enum { first = 2, count = 3 };\n", R"(
  int own[9], sums[8] = {0}, a[30], low = 4, total = 0;
  int *kept = own, *given = own, (*rows)[3] = (int (*)[3])own;
  for (int i = 0; i < 9; ++i) own[i] = i;
#pragma acc parallel loop private(kept[low:first]) reduction(+:sums[first + 1:count]) private(rows[1:1][0:3])
  for (int i = 0; i < 30; ++i) {
    kept[low] = i, kept[low + 1] = 1;
    rows[1][2] = 5;
    a[i] = kept[low] + kept[low + 1];
    sums[3 + i % 3] += rows[1][2];
  }
#pragma acc parallel firstprivate(given[low:2])
  {
    given[4] += 10;
#pragma acc loop gang reduction(+:total)
    for (int i = 0; i < 30; ++i) total += given[4] + given[5] + a[i];
  }
  for (int i = 0; i < 8; ++i) printf("%d ", sums[i]);
  for (int i = 0; i < 9; ++i) printf("%d ", own[i]);
  printf("%d", total);)") == "0 0 0 50 50 50 0 0 0 1 2 3 4 5 6 7 8 1035");
}

TEST_CASE("a gang's part of an array has no pointer ahead of it, which compilers take for one to nothing") {
  CHECK(output("", R"(
  int a[9] = {0}, n = 20;
#pragma acc parallel loop reduction(+:a[1:1])
  for (int i = 0; i < n; ++i) a[1 + i * 4 % 1] += i;
  printf("%d", a[1]);)") == "190");
  const translation other = translated(
      "# 1 \"x.c\"\nvoid f(int n, int *a) {\n#pragma acc parallel loop reduction(+:a[1:2])\n"
      "for (int i = 0; i < n; ++i) { int *p = a; p[1] += i; }\n}\n");
  REQUIRE(other.refused.size() == 1);
  CHECK(other.refused[0].code() == "O10");
}

TEST_CASE("lengths in clauses may be constant expressions, also of constants that nothing else uses") {
  CHECK(output("enum { two = 2 };\n", R"(
  enum { start = two - 1 };
  int a[4][4] = {{0}}, sums[4] = {0};
#pragma acc parallel loop collapse(4 / two) reduction(+:sums[start:two])
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) a[i][j] += 1, sums[1 + j % 2] += 1;
  printf("%d %d %d", a[3][3], sums[1], sums[2]);)") == "1 8 8");
}

TEST_CASE("inner loops run whole within a gang, with reductions of their own") {
  CHECK(output("", R"(
  int rows[6], part, n = 5;
#pragma acc parallel loop gang private(part)
  for (int i = 0; i < 6; ++i) {
    part = 0;
#pragma acc loop vector reduction(+:part)
    for (int j = 0; j < n; ++j) part += i * j;
    rows[i] = part;
  }
  for (int i = 0; i < 6; ++i) printf("%d ", rows[i]);)") == "0 10 20 30 40 50 ");
}

TEST_CASE("kernels runs in order what nothing proves independent") {
  CHECK(output("", R"(
  int a[30], i;
#pragma acc kernels
  {
    a[0] = 1;
    for (i = 1; i < 30; ++i) a[i] = (a[i - 1] * 3) % 101;
  }
#pragma acc kernels loop independent
  for (int k = 0; k < 30; ++k) a[k] += k;
  printf("%d %d", a[29], i);)") == output("", R"(
  int a[30], i;
  a[0] = 1;
  for (i = 1; i < 30; ++i) a[i] = (a[i - 1] * 3) % 101;
  for (int k = 0; k < 30; ++k) a[k] += k;
  printf("%d %d", a[29], i);)"));
}

TEST_CASE("kernels divides a loop that is proven independent, and variables have their values behind it") {
  const std::string code = R"(
  int a[8][5], b[40] = {0}, i, j, t = 0, last = 9, sum = 1, most = -100, empty = 0;
#pragma acc kernels
  for (i = 0; i < 8; ++i)
    for (j = 0; j < 5; ++j) {
      t = i * j % 7;
      a[i][j] = t;
    }
  printf("%d %d %d ", i, j, t);
#pragma acc kernels
  for (i = 30; i >= 10; i -= 4) {
    last = i;
    if (i % 3 == 0) continue;
    for (j = 0; j < 3; ++j) b[i] += j * last;
  }
  printf("%d %d ", i, last);
#pragma acc kernels
  for (i = 0; i < 40; ++i) {
    sum += b[i];
    if (b[i] - 5 > most) most = b[i] - 5;
  }
#pragma acc kernels
  for (i = 3; i < empty; ++i)
    for (j = 0; j < 4; ++j) t = j, a[i][j] = t;
  printf("%d %d %d %d %d ", sum, most, i, j, t);
  for (i = 0; i < 8; ++i) for (j = 0; j < 5; ++j) sum += i * a[i][j];
  printf("%d", sum);)";
  std::string plain = code;
  for (auto at = plain.find("#pragma"); at != plain.npos; at = plain.find("#pragma")) plain.replace(at, 19, "");
  CHECK(output("", code) == output("", plain));
}

TEST_CASE("loops of kernels are launched one after another, and pass variables on") {
  const std::string code = R"(
  double a[100], b[100], sum = 0, scale = 1;
  int i, t = 0, n = 50, seen[3] = {0};
#pragma acc kernels if(n > 5)
  {
    n = 100;
    for (i = 0; i < n; ++i) a[i] = i;
    scale = a[n - 1] / 33;
    for (i = 1; i < n; ++i) a[i] += a[i - 1];
#pragma acc loop independent
    for (i = 0; i < n; ++i) {
      t = i % 3;
      b[i] = scale * a[i] + t;
#pragma acc atomic
      seen[t]++;
    }
    for (i = 0; i < n; ++i) sum += b[i];
  }
  printf("%g %g %d %d %d", sum, scale, i, n, seen[0]);)";
  std::string plain = code;
  for (auto at = plain.find("#pragma"); at != plain.npos; at = plain.find("#pragma"))
    plain.erase(at, plain.find('\n', at) - at);
  CHECK(output("", code) == output("", plain));
}

TEST_CASE("a report says how each part of kernels runs") {
  CHECK(translated(R"(# 1 "x.c"
void f(int n, double *restrict a) {
  double sum = 0;
#pragma acc kernels copy(a[0:n])
  {
    for (int i = 0; i < n; ++i) a[i] = i;
    for (int i = 1; i < n; ++i) a[i] += a[i - 1];
    sum = a[0];
  }
}
)")
            .report == R"(x.c:3: kernels, lines 4 to 8
  copy(a[0:n])
  - moved without a clause: copy(sum)
  - copied into each gang: n
  - line 5: divided among gangs
  - OpenCL: a kernel
  - CUDA: a kernel
  - one gang: line 6: "a[i]" of one iteration may be "a[i - 1]" of another
  - OpenCL: a kernel
  - CUDA: a kernel
  - one gang: it is no loop
  - OpenCL: a kernel
  - CUDA: a kernel
)");
}

TEST_CASE("a report says which loops of kernels are proven independent, and why others are not") {
  const std::string report = translated(R"(# 1 "x.c"
void f(int n, int m, double *restrict a, double *b, double *c) {
  double sum = 0;
#pragma acc kernels
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) a[i * m + j] = b[j];
#pragma acc kernels
  for (int i = 0; i < n; ++i) sum += b[i];
#pragma acc kernels
  for (int i = 0; i < n; ++i) b[i] = c[i];
}
)")
                                 .report;
  const auto says = [&](const std::string& part) { return report.find(part) != std::string::npos; };
  CHECK_MESSAGE(says("- line 4: divided among gangs, 2 loops together\n"), report);
  CHECK(says("- line 7: divided among gangs\n  - line 7: its results are combined: sum\n"));
  CHECK(says("- one gang: line 9: \"b\" and \"c\" may point to the same elements: neither is restrict\n"));
}

TEST_CASE("atomic statements, functions, records and switches work in regions") {
  CHECK(output(R"(
typedef struct { double x; int n; } item;
#pragma acc routine seq
static int twice(int k) { return 2 * k; }
static int total;
)",
               R"(
  item items[12];
  int odd = 0, order[12];
#pragma acc parallel loop copy(odd, total)
  for (int i = 0; i < 12; ++i) {
    items[i].n = twice(i);
    items[i].x = 0.5 * items[i].n;
    switch (i % 3) {
      case 1:
#pragma acc atomic
        odd += 1;
        break;
      default: ;
    }
#pragma acc atomic capture
    { order[i] = total; total += 1; }
  }
  double sum = 0;
  int orders = 0;
  for (int i = 0; i < 12; ++i) sum += items[i].x, orders += order[i];
  printf("%g %d %d %d", sum, odd, total, orders);)") == "66 4 12 66");
}

TEST_CASE("jumps in a region go where they go on the host") {
  CHECK(output("", R"(
  int a[40], first[40], steps = 0;
  for (int i = 0; i < 40; ++i) a[i] = i * 7 % 40;
#pragma acc parallel loop
  for (int i = 0; i < 40; ++i) {
    int k = 0;
    first[i] = -1;
  again:
    if (k == 40) goto next;
    for (int j = k; j < 40; ++j) {
      if (a[j] == i) goto found;
      if (j % 8 == 7) { k = j + 1; goto again; }
    }
  found:
    first[i] = a[k] == i ? k : k + 1;
  next:;
  }
#pragma acc kernels
  {
    for (int i = 0; i < 40; ++i) steps += first[i];
    if (steps > 0) goto behind;
    steps = -1;
    behind: steps += 1;
    for (int i = 0; i < 40; ++i) { if (i == 9) goto end; a[i] += i; }
    end:;
  }
  for (int i = 0; i < 40; ++i) steps = steps * 31 % 10007 + first[i] + a[i];
  printf("%d", steps);)") == output("", R"(
  int a[40], first[40], steps = 0;
  for (int i = 0; i < 40; ++i) a[i] = i * 7 % 40;
  for (int i = 0; i < 40; ++i) {
    int k = 0;
    while (k < 40) {
      int is_there = 0;
      for (int j = k; j < k + 8; ++j) is_there |= a[j] == i;
      if (is_there) break;
      k += 8;
    }
    first[i] = k == 40 ? -1 : a[k] == i ? k : k + 1;
  }
  for (int i = 0; i < 40; ++i) steps += first[i];
  if (steps <= 0) steps = -1;
  steps += 1;
  for (int i = 0; i < 9; ++i) a[i] += i;
  for (int i = 0; i < 40; ++i) steps = steps * 31 % 10007 + first[i] + a[i];
  printf("%d", steps);)"));
}

TEST_CASE("atomic statements of all forms are functions of the compiler") {
  const std::string globals = R"(
typedef struct { long count; float weight; } item;
enum color { red, green, blue };
static long calls;
static int counted(void) { return (int)++calls; }
)";
  const std::string body = R"(
  item one = {0, 1};
  unsigned char small = 250;
  short before[10];
  double product = 1, halves = 1024, difference = 0, olds[10];
  unsigned long mask = 1023, after[10];
  int bits = 0, written = 0, reads[10], exchanged[10], last = -1;
  enum color paint = red;
  _Bool any = 0;
#pragma acc parallel loop copy(one, small, product, halves, bits, written, last, paint, any, mask, \
                                   difference)
  for (int i = 0; i < 10; ++i) {
#pragma acc atomic
    one.count += i;
#pragma acc atomic update
    one.weight = one.weight + 0.5;
#pragma acc atomic
    small++;
#pragma acc atomic
    product *= i < 5 ? 2 : 1;
#pragma acc atomic capture
    olds[i] = halves /= 2;
#pragma acc atomic
    bits |= 1 << i;
#pragma acc atomic capture
    before[i] = one.count--;
#pragma acc atomic capture
    { mask ^= 1ul << i; after[i] = mask; }
#pragma acc atomic write
    written = 7;
#pragma acc atomic read
    reads[i] = written;
#pragma acc atomic capture
    { exchanged[i] = last; last = i; }
#pragma acc atomic
    paint = paint + (i < 2);
#pragma acc atomic
    any |= i == 3;
#pragma acc atomic
    difference = counted() - difference;
  }
  double old = 0;
  int all = 0;
  for (int i = 0; i < 10; ++i) old += olds[i], all += (after[i] != 0) + reads[i] + exchanged[i] + 0 * before[i];
  printf("%ld %g %d %g %g %d %d %g %d %d %d %lu %ld %g", one.count, one.weight, small, product, halves, bits,
         written, old, paint, any, all + last, mask, calls, difference);)";
  CHECK(output(globals, body) == "35 6 4 32 1 1023 7 1023 2 1 123 0 10 5");
  const std::string text = translated("# 1 \"x.c\"\n" + globals + "void f(void) {" + body + "}\n").text;
  CHECK(text.find("__atomic_fetch_add(&((*stretto_of_one).count)") != std::string::npos);
  CHECK(text.find("__atomic_xor_fetch(") != std::string::npos);
  CHECK(text.find("stretto_acc_lock();") == std::string::npos);
}

TEST_CASE("numbers without atomic functions are changed under a lock") {
  CHECK(output("struct flags { unsigned low : 4; unsigned high : 4; };\n", R"(
  struct flags both = {0, 0};
  long double sum = 0;
#pragma acc parallel loop copy(both, sum)
  for (int i = 0; i < 10; ++i) {
#pragma acc atomic
    both.low += 1;
#pragma acc atomic
    sum += i;
  }
  printf("%u %u %Lg", both.low, both.high, sum);)") == "10 0 45");
}

TEST_CASE("atomic statements in functions that regions call are atomic") {
  const std::string globals = R"(
static int counts[3];
#pragma acc routine seq
static int counted(int k) {
  int was;
#pragma acc atomic capture
  was = counts[k % 3]++;
  return was;
}
)";
  const std::string body = R"(
  int sum = 0;
#pragma acc parallel loop reduction(+ : sum) copy(counts)
  for (int i = 0; i < 12; ++i) sum += counted(i);
  printf("%d %d %d %d", sum, counts[0], counts[1], counts[2]);)";
  CHECK(output(globals, body) == "18 4 4 4");
  const std::string text = translated("# 1 \"x.c\"\n" + globals + "void f(void) {" + body + "}\n").text;
  CHECK(text.find("was = __atomic_fetch_add(&(counts[k % 3])") != std::string::npos);
}

TEST_CASE("lines of the user's source stay those of compilers and debuggers") {
  const translation result = translated(
      "# 1 \"dir/x.c\"\nvoid f(int* a) {\n#pragma acc parallel loop\n  for (int i = 0; i < 9; ++i)\n    a[i] = "
      "missing;\n}\n");
  const test::temporary_folder folder;
  std::ofstream(folder.path / "x.i") << result.text;
  const auto compiled = base::run_child({.arguments = {"cc", "-c", folder.path / "x.i", "-o", folder.path / "x.o"}});
  CHECK_MESSAGE(compiled.errors.find("dir/x.c:4:") != std::string::npos, compiled.errors);
}

TEST_CASE("what cannot be translated is reported, all of it") {
  const translation result = translated(
      "# 1 \"x.c\"\nvoid f(int n, double a[n][n], double *b, int m) {\n"
      "#pragma acc parallel loop\nfor (int i = 0; i < n; ++i) goto out;\nout:;\n"
      "#pragma acc parallel loop default(none) copy(b[0:n])\nfor (int i = 0; i < n; ++i) b[i] = m;\n}\n");
  std::vector<std::string> codes;
  for (const error& e : result.refused) codes.push_back(e.code());
  CHECK(codes == std::vector<std::string>{"O20", "O11"});
}
