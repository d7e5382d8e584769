#include "cc/acc/device_kernel.hpp"

#include <doctest/doctest.h>

#include <string>

#include "translated_region.hpp"

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

using test::translated_region;

/// The kernel alone, without what stands ahead of it and without the lines of the source.
std::string kernel_of(const std::string& source, device_language language = device_language::opencl) {
  const translated_region region(source, language);
  if (!region.result.kernel) return region.result.reason;
  const std::string& text = region.result.kernel->text;
  std::string kernel;
  bool is_kernel = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string line = text.substr(at, text.find('\n', at) + 1 - at);
    is_kernel |= line.find(" region(") != line.npos;
    const bool is_start = line.find("stretto_gang, ") != line.npos || line.find("stretto_gang =") != line.npos;
    if (is_kernel && !line.starts_with("#line") && !is_start) kernel += line;
    at += line.size();
  }
  return kernel;
}

std::string whole_text(const std::string& source, device_language language = device_language::opencl) {
  const translated_region region(source, language);
  return region.result.kernel ? region.result.kernel->text : region.result.reason;
}

/// Why a region with this code in a loop stays on the host.
std::string reason_of(const std::string& code, const std::string& globals = "",
                      device_language language = device_language::opencl) {
  const std::string source = globals +
                             "\nvoid f(int n, double *a, double *b, long k) {\n#pragma acc parallel loop\n"
                             "for (int i = 0; i < n; ++i) {\n" +
                             code + "\n}\n}\n";
  return translated_region(source, language).result.reason;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

const std::string scaled = R"(void f(int n, float *a, _Bool is_on) {
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) a[i] = is_on ? 2 * a[i] : 10LL;
}
)";

}  // namespace

TEST_CASE("a divided loop gives its iterations to work-items in turn, in OpenCL C") {
  CHECK(kernel_of(scaled) ==
        "__kernel void region(int n, __global char *stretto_base_a, ulong stretto_offset_a, uchar "
        "stretto_value_is_on) {\n"
        "  __global float *a = (__global float *)(stretto_base_a + stretto_offset_a);\n"
        "  bool is_on = stretto_value_is_on;\n"
        "  {\n"
        "    const long stretto_n0 = stretto_acc_trips((long)n - (long)0, 1);\n"
        "    const long stretto_count = stretto_n0;\n"
        "    for (long stretto_k = stretto_gang; stretto_k < stretto_count; stretto_k += stretto_gangs) {\n"
        "      int i = 0 + stretto_k;\n"
        "      a[i] = is_on ? 2 * a[i] : 10L;\n"
        "    }\n"
        "  }\n"
        "}\n");
  CHECK(has(whole_text(scaled), "const long stretto_gang = get_global_id(0), stretto_gangs = get_global_size(0);"));
  CHECK(has(whole_text(scaled), "#line 3 \"x.c\"\n"));
}

TEST_CASE("the same loop in C++ for CUDA") {
  const std::string kernel = kernel_of(scaled, device_language::cuda);
  CHECK(
      kernel.starts_with("extern \"C\" __global__ void region(int n, char *stretto_base_a, ulong stretto_offset_a, "));
  CHECK(has(kernel, "  float *a = (float *)(stretto_base_a + stretto_offset_a);\n"));
  CHECK(has(whole_text(scaled, device_language::cuda), "blockIdx.x * blockDim.x + threadIdx.x"));
}

TEST_CASE("the parameters say which argument and which form they have") {
  using form = device_parameter::form;
  const translated_region region(R"(typedef struct { int x; } point;
typedef struct { int *p; } link;
void f(int n, int m, double (*a)[m], point p, link l) {
  short few[3] = {1, 2, 3};
#pragma acc parallel loop firstprivate(p, l, few)
  for (int i = 0; i < n; ++i) a[i][0] = p.x + few[1] + l.p[0];
}
)",
                                 device_language::opencl);
  REQUIRE_MESSAGE(region.result.kernel, region.result.reason);
  std::string text;
  for (const device_parameter& one : region.result.kernel->parameters)
    text += region.plan.arguments[one.argument].of->name + (one.extent ? "[]" : "") +
            (one.is == form::value   ? ":value "
             : one.is == form::bytes ? ":bytes "
                                     : ":address ") +
            std::to_string(one.bytes) + " ";
  CHECK(text == "n:value 4 a[]:value 8 a:address 0 p:value 4 few:bytes 6 l:bytes 8 ");
  CHECK(region.result.kernel->uses_double);
  CHECK_FALSE(region.result.kernel->uses_long_atomics);
}

TEST_CASE("elements of rows of variable size are addressed by their number") {
  const std::string kernel = kernel_of(R"(void f(int n, int m, double a[n][m], double (*b)[m][4]) {
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) {
    a[i][i + 1] = *a[i] + b[i][2][3] + (*(a + 1))[i];
    double *row = a[i], *next = &a[i + 1][0];
    row[0] = next[0] + sizeof(a[0]) + sizeof(b[0][1]);
  }
}
)");
  CHECK(has(kernel, "a[i * stretto_rows0_of_a + i + 1] "));
  CHECK(has(kernel,
            "= *(a + i * stretto_rows0_of_a) + b[i * stretto_rows0_of_b * 4 + 2 * 4 + 3] + a[1 * "
            "stretto_rows0_of_a + i];\n"));
  CHECK(has(kernel, "__global double *row = (a + i * stretto_rows0_of_a);"));
  CHECK(has(kernel, "__global double *next = &a[(i + 1) * stretto_rows0_of_a + 0];"));
  CHECK(has(kernel, "(stretto_rows0_of_a * 8ul) + 32ul;"));
}

TEST_CASE("a variable that a region uses within sizeof alone reaches the kernel") {
  const std::string kernel = kernel_of(R"(void f(int n, int m, int *a, double (*b)[m]) {
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) a[i] = sizeof(b[0]) + sizeof(m);
}
)");
  CHECK(has(kernel, "a[i] = (stretto_rows0_of_b * 8ul) + 4ul;"));
}

TEST_CASE("functions are printed for each combination of memories, callees first") {
  const std::string text = whole_text(R"(static int twice(const int *p) { return 2 * *p; }
static int *after(int *p) { return p + twice(p); }
void f(int n, int *a) {
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) {
    int own[9] = {0};
    *after(own) = 1;
    *after(a) = own[0];
  }
}
)");
  const auto first = text.find("static int stretto_call_twice(int *p)");
  const auto second = text.find("static int *stretto_call_after(int *p)");
  CHECK(first < second);
  CHECK(second < text.find("static __global int *stretto_call_after_2(__global int *p)"));
  CHECK(has(text, "*stretto_call_after(own) = 1;"));
  CHECK(has(text, "*stretto_call_after_2(a) = own[0];"));
}

TEST_CASE("records have their definitions, in the order that they need") {
  const std::string text = whole_text(R"(struct inner { char c; short s; };
typedef struct { struct inner in[2]; union { int i; float f; } u; struct outer *up; double class; } middle;
struct outer { middle m; int *data; };
void f(int n, struct outer *all) {
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) all[i].m.class = all[i].data[i] + all[i].m.u.i;
}
)");
  CHECK(has(text,
            "struct middle {\n  struct inner in[2];\n  union stretto_record u;\n  __global struct outer *up;\n"
            "  double class;\n};\nstruct outer {\n"));
  CHECK(text.find("struct inner {") < text.find("struct middle {"));
}

TEST_CASE("names that a language reserves are changed") {
  const std::string source = R"(void f(int kernel, int *class, float global) {
#pragma acc parallel loop
  for (int float4 = 0; float4 < kernel; ++float4) class[float4] = global;
}
)";
  CHECK(has(kernel_of(source), "class[stretto_name_float4] = stretto_name_global;"));
  CHECK(has(kernel_of(source, device_language::cuda), "stretto_name_class[stretto_name_float4] = global;"));
}

TEST_CASE("functions of the library have the names and types of the device") {
  const std::string globals =
      "double sqrt(double); float fmaxf(float, float); int abs(int); double pow(double, double);\n";
  const std::string source = globals + R"(void f(int n, double *a) {
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) a[i] = sqrt(i) + fmaxf(1.5f, i) + abs(-i) + pow(a[i], 2) + __builtin_inf();
}
)";
  CHECK(has(kernel_of(source),
            "sqrt((double)(i)) + fmax(1.5f, (float)(i)) + (int)abs(-i) + pow(a[i], (double)(2)) + "
            "stretto_acc_infinity();"));
  CHECK(has(kernel_of(source, device_language::cuda), "fmaxf(1.5f, (float)(i))"));
}

TEST_CASE("atomic operations and reductions compare and swap") {
  const std::string text = whole_text(R"(void f(int n, double *a, float *weight) {
  double total = 0;
#pragma acc parallel loop reduction(+:total)
  for (int i = 0; i < n; ++i) {
    total += a[i];
#pragma acc atomic
    weight[i % 3]++;
  }
}
)");
  CHECK(has(text, "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"));
  CHECK(has(text, "static int stretto_swap_float(volatile __global float *at, float was, float next) {\n"));
  CHECK(has(text, "stretto_next = stretto_was + 1;\n"));
  CHECK(has(text, "double total = 0;\n"));
  CHECK(has(text, "__global double *const stretto_at = stretto_of_total;\n"));
}

TEST_CASE("atomic changes of integers are functions of the device") {
  const std::string source = R"(void f(int n, int *count, unsigned long *sum, unsigned char *bytes) {
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) {
    unsigned long now;
#pragma acc atomic
    count[i] = 3 + count[i];
#pragma acc atomic capture
    now = sum[0] -= i;
#pragma acc atomic
    sum[1] |= now;
#pragma acc atomic
    bytes[0] += 1;
  }
}
)";
  const std::string text = whole_text(source);
  CHECK(has(text, "const int stretto_operand = (int)3;\n"));
  CHECK(has(text, " atomic_add(&count[i], stretto_operand);\n"));
  CHECK(has(text, " now = atom_sub(&sum[0], stretto_operand) - stretto_operand;\n"));
  CHECK(has(text, "stretto_next = stretto_was | now;\n"));
  CHECK(has(text, "stretto_swap_uchar("));
  CHECK(has(text, "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"));
}

TEST_CASE("code that a device cannot express is refused with its reason") {
  CHECK(reason_of("printf(\"x\");", "int printf(const char *, ...);") == "it calls \"printf\"");
  CHECK(reason_of("g(i);", "void g(int);") == "it calls \"g\"");
  CHECK(reason_of("h(i);", "void (*h)(int);") == "it uses a pointer to a function");
  CHECK(reason_of("a[i] = (long double)i;") == "it uses the type \"long double\"");
  CHECK(reason_of("a[i] = z;", "_Complex double z;") == "it uses the type \"_Complex double\"");
  CHECK(reason_of("s->f = 1;", "struct bits { int f : 3; } *s;") == "\"f\" of \"struct bits\" is a bit-field");
  CHECK(reason_of("s->d = 1;", "struct __attribute__((packed)) tight { char c; double d; } *s;") ==
        "the members of \"struct tight\" do not lie at their natural offsets");
  CHECK(reason_of("static int s; s = i;") == "\"s\" is a static variable");
  CHECK(reason_of("double v[n]; v[0] = a[i];") == "the array \"v\" has no constant size");
  CHECK(reason_of("double v[9000]; v[0] = a[i];") == "\"v\" takes 72000 bytes in each gang");
  CHECK(reason_of("return;") == "it returns from its function");
  CHECK(reason_of("double x, *p = &x; if (i) p = a; *p = 1;") ==
        "the pointer \"p\" points to memory of one gang and to memory of all");
  CHECK(reason_of("double x; struct link l; l.p = &x; *l.p = 1;", "struct link { double *p; };") ==
        "a pointer to a variable of one gang is stored in a record or an array");
  CHECK(reason_of("a[i] = g(i);", "static int g(int i) { return i ? i * g(i - 1) : 1; }") ==
        "the function \"g\" calls itself");
  CHECK(reason_of("a[i] = *g(a);", "static double *g(double *p) { return *p > 1 ? g(p + 1) : p; }") ==
        "the function \"g\" calls itself");
  CHECK(reason_of("double x; *(i ? a : &x) = 1;") ==
        "it uses pointers to memory of one gang and to memory of all as one value");
  CHECK(reason_of("double x; a[i] = &x < a;") ==
        "it uses pointers to memory of one gang and to memory of all as one value");
  CHECK(reason_of("a[i] = g(i);", "static int kept; static int g(int i) { return i + kept; }") ==
        "a function that it calls uses the variable \"kept\" of the host");
  CHECK(reason_of("a[i] = g(i);", "static int g(int i) { if (i) goto out; i = 2; out: return i; }") == "");
  CHECK(reason_of("a[i] = g(i);", "static int g(int i) { __asm__(\"nop\"); return i; }") ==
        "\"g\" has code that no device runs");
  CHECK(reason_of("a[i] = g != 0;", "int g(int);") == "it uses the address of the function \"g\"");
}

TEST_CASE("private arrays need a constant size") {
  CHECK(kernel_of("void f(int n, int *a) {\n#pragma acc parallel loop private(a[0:n])\nfor (int i = 0; i < n; ++i) "
                  "a[i] = 1;\n}\n") == "the private array \"a\" has no constant size");
}

TEST_CASE("pointers to memory of a gang and of all are one type in CUDA") {
  CHECK(reason_of("double x, *p = &x; if (i) p = a; *p = 1;", "", device_language::cuda) == "");
  CHECK(reason_of("struct point q = (struct point){.x = 1}; a[i] = q.x;", "struct point { int x, y; };",
                  device_language::cuda) == "it has a designated initializer");
}

TEST_CASE("functions that regions call are found, also through others") {
  const preprocessed_text source(
      "static int one(int x) { return x; }\n"
      "struct s { int (*f)(int); };\n"
      "int __attribute__((unused)) two(int x) { return one(x) + 1; }\n"
      "int three(void) { return 3; }\n"
      "int main(void) { return two(1); }\n");
  const auto all = function_definitions(source);
  CHECK(all.size() == 4);
  const auto at = [&](const char* name) { return source.program()[all.find(name)->second.first].offset; };
  const std::vector<text_range> parts{{at("main"), source.text().size()}};
  std::vector<std::size_t> first;
  for (const text_range& one : with_called_functions(source, parts)) first.push_back(one.first);
  CHECK(first == std::vector<std::size_t>{at("one"), at("two"), at("main")});
}
