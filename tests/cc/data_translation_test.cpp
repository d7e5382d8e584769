// Translated programs on a device with memory of its own: what clauses, and the rules without them, move.
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

translation with_data(const std::string& globals, const std::string& body) {
  return translate(preprocessed_text("# 1 \"x.c\"\nint printf(const char *, ...);\nvoid *malloc(unsigned long);\n" +
                                     globals + "int main(void) {\n" + body + "\n  return 0;\n}\n"),
                   cc::language::c);
}

/// The output of a program on a device with memory of its own, or the message of what is not translated.
std::string output_with_device(const std::string& globals, const std::string& body) {
  const test::temporary_folder folder;
  const translation result = with_data(globals, body);
  if (!result.refused.empty()) return result.refused[0].what();
  const auto source = folder.path / "x.i", other = folder.path / "runtime.c", program = folder.path / "x";
  std::ofstream(source) << result.text;
  std::ofstream(other) << call_declarations() << test::separate_memory;
  const auto compiled = base::run_child(
      {.arguments = {"cc", "-Wall", "-Werror", source, other, "-o", program}, .limit = std::chrono::minutes(5)});
  if (!compiled.has_succeeded()) return compiled.errors + result.text;
  return base::run_child({.arguments = {program}, .limit = std::chrono::minutes(5)}).output;
}

/// Of a function whose only parameters are `double *p, int n, int m`, if it is refused.
std::string refusal_of(const std::string& body) {
  const translation result = with_data("void f(double *p, int n, int m) {\n" + body + "\n}\n", "");
  return result.refused.empty() ? "" : result.refused[0].what();
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string calls_are_shown = "extern int shown;\n";

}  // namespace

TEST_CASE("data of kernels moves once for all its loops, and conditions are read once") {
  CHECK(
      output_with_device(calls_are_shown, R"(
  int a[4] = {1, 2, 3, 4}, n = 4, i;
  shown = 1;
#pragma acc kernels copy(a) async(3) wait(1) if(n < 5)
  {
    for (i = 0; i < n; ++i) a[i] += 1;
    n = 9;
    for (i = 0; i < 4; ++i) a[i] *= 2;
  }
  printf("| %d %d %d ", a[3], n, i);
#pragma acc kernels copy(a) self
  {
    for (i = 0; i < 4; ++i) a[i] += 1;
    for (i = 0; i < 4; ++i) a[i] *= 2;
  }
  printf("| %d", a[3]);)") ==
      "wait(1)@3 +a >a +i >i +n >n @3 run@3 run@3 run@3 <n -n <i -i <a -a @3 | 10 9 4 run on host@-2 run on host@-2 | "
      "22");
}

TEST_CASE("clauses behind device_type hold for the device that the program has") {
  CHECK(output_with_device(calls_are_shown + "extern int device_type;\n", R"(
  int a[4], gangs = 0;
  shown = 1;
  for (device_type = 2; device_type <= 5; ++device_type) {
#pragma acc parallel copy(a, gangs) num_gangs(2) async(1) device_type(host) num_gangs(4) wait(3) device_type(nvidia) async(2)
    {
      gangs += 1;
#pragma acc loop gang
      for (int i = 0; i < 4; ++i) a[i] = i;
    }
    printf("%d\n", gangs), gangs = 0;
    if (device_type == 2) ++device_type;
  })") ==
        "wait(3)@1 +a >a +gangs >gangs run@1 <gangs -gangs <a -a 4\n"
        "+a >a +gangs >gangs run@1 <gangs -gangs <a -a 2\n"
        "+a >a +gangs >gangs run@2 <gangs -gangs <a -a 2\n");
}

TEST_CASE("clauses of a region and of data move their variables") {
  CHECK(output_with_device(calls_are_shown, R"(
  shown = 1;
  int a[4] = {1, 2, 3, 4}, b[4], c[4], sum = 0;
#pragma acc data copyin(a) copyout(b) create(c)
  {
#pragma acc parallel loop present(a, c)
    for (int i = 0; i < 4; ++i) c[i] = 2 * a[i];
#pragma acc parallel loop copy(b) no_create(c)
    for (int i = 0; i < 4; ++i) b[i] = c[i] + 1;
  }
  for (int i = 0; i < 4; ++i) sum += b[i];
  printf("%d", sum);)") == "+a >a +b +c @-2 run@-2 run@-2 -c <b -b -a @-2 24");
}

TEST_CASE("arrays and results that no clause names move as the rules say") {
  CHECK(output_with_device("", R"(
  int a[3] = {1, 2, 3}, sum = 0, scale = 2;
  const int weights[3] = {1, 10, 100};
#pragma acc parallel loop reduction(+:sum)
  for (int i = 0; i < 3; ++i) { a[i] *= scale; sum += a[i] * weights[i]; }
  printf("%d %d", sum, a[2]);)") == "642 6");
}

TEST_CASE("clauses that name the same part ask for what all of them do") {
  CHECK(output_with_device(calls_are_shown, R"(
  shown = 1;
  int a[2] = {1, 2}, b[2] = {3, 4};
#pragma acc parallel loop copyin(a) copyout(a) copyin(b[0:2]) create(b[0:2])
  for (int i = 0; i < 2; ++i) a[i] += b[i];
  printf("%d", a[1]);)") == "+a >a +b >b run@-2 -b <a -a 6");
}

TEST_CASE("data enters, is updated in parts and with steps, and exits") {
  CHECK(output_with_device(calls_are_shown, R"(
  double grid[3][4] = {{0}}, *row = malloc(8 * 8), sum = 0;
  for (int i = 0; i < 8; ++i) row[i] = i;
  shown = 1;
#pragma acc enter data create(zero: grid) copyin(row[0:8]) async(3)
  for (int i = 0; i < 8; ++i) row[i] = 10 * i;
  grid[0][1] = grid[1][1] = grid[2][1] = 7;
#pragma acc update device(row[2:3], grid[0:2][1:1]) async(3) wait(1, 2)
#pragma acc parallel loop present(row[0:8], grid) async(3)
  for (int i = 0; i < 3; ++i) grid[i][0] = grid[i][1] + row[i + 1];
#pragma acc update self(grid[0:3][0:2])
#pragma acc exit data copyout(row[1:2]) delete(grid) finalize wait
  shown = 0;
  for (int i = 0; i < 3; ++i) sum = 100 * sum + grid[i][0] + grid[i][1];
  printf("%g %g %g", sum, row[1], row[2]);)") ==
        "+grid +row >row @3 wait(1,2)@3 >row >grid >grid @3 run@3 <grid <grid <grid @-2 "
        "wait(all)@-2 -grid <row -row @-2 " +
            std::to_string((7 + 7 + 1) * 10000 + (7 + 7 + 20) * 100 + 30) + " 1 20");
}

TEST_CASE("an update of absent data with if_present does nothing") {
  CHECK(output_with_device("", R"(
  int a[2] = {1, 2};
#pragma acc update host(a) if_present
  printf("%d ", a[1]);
#pragma acc update host(a) if(a[0] == 0)
#pragma acc update host(a))") == "2 a is absent ");
}

TEST_CASE("host_data gives names the addresses of the device") {
  CHECK(output_with_device("void *there;\n", R"(
  double a[4], *p = malloc(32), b[2];
#pragma acc data create(a, p[0:4])
  {
#pragma acc host_data use_device(a, p)
    {
      printf("%d %d ", (void *)a == 0, (void *)p == 0);
      there = a;
    }
    printf("%d ", there == (void *)a);
#pragma acc host_data use_device(a) if(0)
    there = a;
    printf("%d ", there == (void *)a);
#pragma acc host_data use_device(b) if_present
    there = b;
    printf("%d", there == (void *)b);
  })") == "0 0 0 1 1");
}

TEST_CASE("declared variables are on the device in their function, or for the whole program") {
  CHECK(output_with_device(R"(
int counts[3] = {1, 2, 3}, factor = 5;
#pragma acc declare copyin(counts) create(factor)
static int local(int n) {
  int own[3] = {4, 5, 6};
#pragma acc declare copy(own)
#pragma acc parallel loop present(own, counts)
  for (int i = 0; i < 3; ++i) own[i] += n * counts[i];
#pragma acc update host(own)
  return own[2];
}
)",
                           R"(
  factor = 7;
  int a[3];
#pragma acc update device(factor)
#pragma acc parallel loop copyout(a) present(counts, factor)
  for (int i = 0; i < 3; ++i) a[i] = factor * counts[i];
  printf("%d %d", local(10), a[2]);)") == "36 21");
}

TEST_CASE("a condition moves a region to the host, and data regions to nowhere") {
  CHECK(output_with_device(calls_are_shown, R"(
  int a[2] = {1, 2}, none = 0;
  shown = 1;
#pragma acc data copy(a) if(none)
  {
#pragma acc parallel loop copy(a) if(none)
    for (int i = 0; i < 2; ++i) a[i] += 1;
#pragma acc parallel loop copy(a) self
    for (int i = 0; i < 2; ++i) a[i] += 1;
#pragma acc parallel loop copy(a) self(none) if(!none)
    for (int i = 0; i < 2; ++i) a[i] += 1;
  }
  printf("%d", a[1]);)") == "run on host@-2 run on host@-2 +a >a run@-2 <a -a 5");
}

TEST_CASE("queues and waits reach the runtime in their order") {
  CHECK(output_with_device(calls_are_shown, R"(
  int a[2] = {0}, q = 4;
  shown = 1;
#pragma acc set default_async(q)
#pragma acc parallel loop async(q + 1) wait(1)
  for (int i = 0; i < 2; ++i) a[i] = i;
#pragma acc wait(q, 2) async(3)
#pragma acc wait(q + 1)
#pragma acc wait async
#pragma acc data create(a) async(2) wait(7)
  q = 5;
#pragma acc wait if(q == 4)
#pragma acc init device_num(0)
#pragma acc shutdown)") ==
        "set -1 -1 1 4 wait(1)@5 +a >a run@5 <a -a wait(4,2)@3 wait(5)@-2 wait(all)@-1 wait(7)@2 +a @2 -a @2 init -1 0 "
        "shutdown -1 -1 ");
}

TEST_CASE("arrays of pointers move with their rows") {
  CHECK(output_with_device("", R"(
  double *rows[3], sum = 0;
  for (int i = 0; i < 3; ++i) {
    rows[i] = malloc(32);
    for (int j = 0; j < 4; ++j) rows[i][j] = 10 * i + j;
  }
  double **all = rows;
#pragma acc data copy(all[0:3][1:2])
  {
#pragma acc parallel loop present(all)
    for (int i = 0; i < 3; ++i)
      for (int j = 1; j < 3; ++j) all[i][j] *= 2;
#pragma acc update host(all[1:1][1:2])
    sum = rows[1][1] + rows[0][1];
  }
  printf("%g %g %g", sum, rows[2][2], rows[2][3]);)") == "23 44 23");
}

TEST_CASE("members of structures are attached where they enter") {
  CHECK(output_with_device("typedef struct { int n; double *x; double fixed[2]; } box;\n", R"(
  box b = {4, malloc(32), {1, 2}}, *pb = &b;
  for (int i = 0; i < 4; ++i) b.x[i] = i;
#pragma acc enter data copyin(b) copyin(b.x[0:b.n])
#pragma acc parallel loop present(b)
  for (int i = 0; i < 4; ++i) b.x[i] += b.fixed[1];
#pragma acc exit data copyout(b.x[0:4]) delete(b)
  printf("%g ", b.x[3]);
#pragma acc data copyin(pb[0:1]) copy(pb->x[0:4])
  {
#pragma acc parallel loop present(pb)
    for (int i = 0; i < 4; ++i) pb->x[i] *= pb->n;
  }
  printf("%g ", b.x[3]);
#pragma acc enter data copyin(b) copyin(b.x[0:4])
#pragma acc exit data detach(b.x)
#pragma acc enter data attach(b.x)
#pragma acc parallel loop present(b)
  for (int i = 0; i < 4; ++i) b.x[i] -= 1;
#pragma acc update host(b.x[3:1])
  printf("%g", b.x[3]);)") == "5 20 19");
}

TEST_CASE("elements behind pointers move where the loops say which ones") {
  CHECK(output_with_device(calls_are_shown + R"(
static void scale(int n, const double *x, double *y, double *unused) {
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i + 1];
}
)",
                           R"(
  double x[6] = {0, 1, 2, 3, 4, 5}, y[5] = {0};
  shown = 1;
  scale(5, x, y, 0);
  scale(0, x, y, 0);
  printf("%g ", y[4]);
#pragma acc data copyin(x) copyout(y)
  scale(5, x, y, 0);
  printf("%g", y[4]);)") == "+y >y +x >x run@-2 -x <y -y run@-2 10 +x >x +y @-2 run@-2 <y -y -x @-2 10");
}

TEST_CASE("each gang has a copy of a part behind a pointer, and reduces parts and single elements") {
  CHECK(output_with_device("", R"(
  int *start = malloc(4 * sizeof(int)), *sums = malloc(4 * sizeof(int)), counts[3] = {0, 100, 0}, at = 1;
  for (int i = 0; i < 4; ++i) start[i] = i, sums[i] = 1000 * i;
#pragma acc parallel loop firstprivate(start[1:2]) reduction(+:sums[1:2]) reduction(+:counts[at])
  for (int i = 0; i < 6; ++i) {
    sums[1 + i % 2] += start[1] + start[2];
    counts[1] += i;
  }
  printf("%d %d %d %d", sums[1], sums[2], counts[1], sums[3]);)") == "1009 2009 115 3000");
}

TEST_CASE("a pointer without a part stands for what is on the device") {
  CHECK(output_with_device(calls_are_shown, R"(
  int *p = malloc(16), *q = 0;
  for (int i = 0; i < 4; ++i) p[i] = i;
  shown = 1;
#pragma acc data copyin(p[0:4])
  {
#pragma acc parallel loop present(p) copyin(q)
    for (int i = 0; i < 4; ++i) p[i] += q ? 1 : 2;
#pragma acc update host(p[0:4])
  }
  printf("%d", p[3]);)") == "+p >p @-2 run@-2 <p @-2 -p @-2 5");
}

TEST_CASE("clauses of what is not declared, or has no such part, are refused with their line") {
  const std::string unknown = refusal_of("#pragma acc enter data copyin(q[0:n])");
  CHECK(says(unknown, "error O15: a clause names \"q\", which is not declared"));
  CHECK(says(unknown, "x.c:4"));
  const std::string dimensions = refusal_of("#pragma acc enter data copyin(p[0:n][0:m])");
  CHECK(says(dimensions, "error O10"));
  CHECK(says(dimensions, "a part of \"p\", which has fewer dimensions,"));
  const std::string length = refusal_of("#pragma acc update host(p[n:])");
  CHECK(says(length, "error O10"));
  CHECK(says(length, "a part of \"p\" without a length behind a pointer"));
  CHECK(says(refusal_of("int k;\n#pragma acc host_data use_device(k)\n{ }"), "which is no pointer and no array"));
  CHECK(says(refusal_of("struct { int x; } s;\n#pragma acc enter data copyin(s.y)"), "the member \"s.y\" in a clause"));
  CHECK(says(refusal_of("double ***c = 0;\n#pragma acc enter data copyin(c[0:n][0:n][0:n])"), "pointers to pointers"));
}
