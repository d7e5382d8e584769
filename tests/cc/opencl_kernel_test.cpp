// Kernels of regions, run on the first device of OpenCL: each computes what the same code computes here.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <stretto/error.hpp>
#include <string>
#include <vector>

#include "device/opencl/opencl_api.hpp"
#include "translated_region.hpp"

using namespace stretto;
using namespace stretto::cc::acc;

namespace {

using device::opencl::check;

constexpr std::size_t bytes_ahead = 64;  // of the data in a buffer: kernels get them as the offset

struct opencl_device {
  std::shared_ptr<const device::opencl::api> cl;
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;

  /// Null if there is none. It stays open.
  static const opencl_device* first() {
    static const std::unique_ptr<opencl_device> one = open();
    if (!one) MESSAGE("skipped: no device of OpenCL");
    return one.get();
  }

 private:
  static std::unique_ptr<opencl_device> open() {
    auto one = std::make_unique<opencl_device>();
    try {
      one->cl = device::opencl::api::load();
    } catch (const error&) {
      return nullptr;
    }
    cl_platform_id platform = nullptr;
    cl_uint count = 0;
    if (one->cl->clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0) return nullptr;
    if (one->cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &one->id, nullptr) != CL_SUCCESS) return nullptr;
    cl_int status = CL_SUCCESS;
    one->context = one->cl->clCreateContext(nullptr, 1, &one->id, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    one->queue = one->cl->clCreateCommandQueue(one->context, one->id, 0, &status);
    check(status, "clCreateCommandQueue");
    return one;
  }
};

/// One run of the kernel of a region. Variables are given by their names.
class region_run {
 public:
  region_run(const opencl_device& on, const std::string& source)
      : on_(on), cl_(*on.cl), region_(source, device_language::opencl) {
    REQUIRE_MESSAGE(region_.result.kernel, region_.result.reason);
    build();
  }
  region_run(const region_run&) = delete;
  ~region_run() {
    for (const auto& [name, one] : buffers_) cl_.clReleaseMemObject(one.memory);
    for (const cl_mem one : copies_) cl_.clReleaseMemObject(one);
    cl_.clReleaseKernel(kernel_);
    cl_.clReleaseProgram(program_);
  }

  template <class T>
  region_run& value(const std::string& name, const T& of) {
    const char* const bytes = reinterpret_cast<const char*>(&of);
    values_[name].assign(bytes, bytes + sizeof of);
    return *this;
  }
  /// Of the rows of an array.
  region_run& extent(const std::string& name, std::size_t index, std::uint64_t count) {
    return value(name + std::to_string(index), count);
  }
  /// Data that the kernel reads and writes: an array, what a pointer points to, or a variable.
  template <class T>
  region_run& data(const std::string& name, T* first, std::size_t count = 1) {
    const std::size_t bytes = count * sizeof(T);
    cl_int status = CL_SUCCESS;
    cl_mem memory = cl_.clCreateBuffer(on_.context, CL_MEM_READ_WRITE, bytes + bytes_ahead, nullptr, &status);
    check(status, "clCreateBuffer");
    buffers_[name] = {memory, first, bytes};
    return *this;
  }

  void run(std::size_t items) {
    for (const auto& [name, one] : buffers_)
      check(cl_.clEnqueueWriteBuffer(on_.queue, one.memory, CL_TRUE, bytes_ahead, one.bytes, one.host, 0, nullptr,
                                     nullptr),
            "clEnqueueWriteBuffer");
    set_arguments();
    check(cl_.clEnqueueNDRangeKernel(on_.queue, kernel_, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel");
    for (const auto& [name, one] : buffers_)
      check(cl_.clEnqueueReadBuffer(on_.queue, one.memory, CL_TRUE, bytes_ahead, one.bytes, one.host, 0, nullptr,
                                    nullptr),
            "clEnqueueReadBuffer");
  }

 private:
  struct buffer {
    cl_mem memory;
    void* host;
    std::size_t bytes;
  };

  void build() {
    const char* text = region_.result.kernel->text.c_str();
    cl_int status = CL_SUCCESS;
    program_ = cl_.clCreateProgramWithSource(on_.context, 1, &text, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    std::string log;
    if (cl_.clBuildProgram(program_, 1, &on_.id, "", nullptr, nullptr) != CL_SUCCESS) {
      log.resize(1 << 16);
      cl_.clGetProgramBuildInfo(program_, on_.id, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    }
    REQUIRE_MESSAGE(log.empty(), log << text);
    kernel_ = cl_.clCreateKernel(program_, "region", &status);
    check(status, "clCreateKernel");
  }

  void set_arguments() {
    cl_uint index = 0;
    const auto set = [&](std::size_t bytes, const void* of) {
      check(cl_.clSetKernelArg(kernel_, index++, bytes, of), "clSetKernelArg");
    };
    const std::uint64_t offset = bytes_ahead;
    for (const device_parameter& one : region_.result.kernel->parameters) {
      std::string name = region_.plan.arguments[one.argument].of->name;
      if (one.extent) name += std::to_string(*one.extent);
      CAPTURE(name);
      if (one.is == device_parameter::form::value) {
        REQUIRE(values_[name].size() == one.bytes);
        set(one.bytes, values_[name].data());
        continue;
      }
      if (one.is == device_parameter::form::bytes) {
        const cl_mem memory = copy_of(values_[name]);
        set(sizeof memory, &memory);
        continue;
      }
      REQUIRE(buffers_.contains(name));
      set(sizeof(cl_mem), &buffers_[name].memory);
      set(sizeof offset, &offset);
    }
  }

  cl_mem copy_of(std::vector<char>& bytes) {
    cl_int status = CL_SUCCESS;
    copies_.push_back(
        cl_.clCreateBuffer(on_.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data(), &status));
    check(status, "clCreateBuffer");
    return copies_.back();
  }

  const opencl_device& on_;
  const device::opencl::api& cl_;
  test::translated_region region_;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  std::map<std::string, std::vector<char>> values_;
  std::map<std::string, buffer> buffers_;
  std::vector<cl_mem> copies_;
};

std::vector<double> counted(std::size_t count) {
  std::vector<double> all(count);
  std::iota(all.begin(), all.end(), 0.0);
  return all;
}

}  // namespace

TEST_CASE("OpenCL: a stencil over a grid whose rows have a variable size") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  constexpr int n = 17, m = 23;
  std::vector<double> a = counted(n * m), b(n * m, -1), expected = b;
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      expected[i * m + j] = 0.25 * (a[(i - 1) * m + j] + a[(i + 1) * m + j] + a[i * m + j - 1] + a[i * m + j + 1]);
  region_run run(*on, R"(void f(int n, int m, double (*restrict a)[m], double b[n][m]) {
#pragma acc parallel loop collapse(2)
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      b[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + *(a[i] + j + 1));
})");
  run.value("n", n).value("m", m).extent("a", 0, m).extent("b", 0, m);
  run.data("a", a.data(), a.size()).data("b", b.data(), b.size()).run(13);
  CHECK(b == expected);
}

TEST_CASE("OpenCL: a product of matrices, with an inner reduction") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  constexpr int n = 12;
  std::vector<float> a(n * n), b(n * n), c(n * n, 0), expected(n * n, 0);
  for (int i = 0; i < n * n; ++i) a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) expected[i * n + j] += a[i * n + k] * b[k * n + j];
  region_run run(*on, R"(void f(int n, float a[n][n], float b[n][n], float c[n][n]) {
#pragma acc parallel loop gang
  for (int i = 0; i < n; ++i) {
#pragma acc loop worker
    for (int j = 0; j < n; ++j) {
      float sum = 0;
#pragma acc loop vector reduction(+:sum)
      for (int k = 0; k < n; ++k) sum += a[i][k] * b[k][j];
      c[i][j] = sum;
    }
  }
})");
  for (const char* name : {"a", "b", "c"}) run.extent(name, 0, n);
  run.value("n", n).data("a", a.data(), a.size()).data("b", b.data(), b.size()).data("c", c.data(), c.size()).run(5);
  CHECK(c == expected);
}

TEST_CASE("OpenCL: reductions by all operators, of numbers of all sizes") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  int sum = 5, bits = 12, toggled = 1, mask = ~2;
  short least = 300;
  long product = 1, greatest = -5;
  double largest = -1e300;
  float smallest = 4;
  unsigned char all = 1;
  unsigned long any = 0;
  region_run run(*on, R"(void f(void) {
  int sum, bits, toggled, mask; short least; long product, greatest; double largest; float smallest;
  unsigned char all; unsigned long any;
#pragma acc parallel loop reduction(+:sum) reduction(*:product) reduction(|:bits) reduction(^:toggled) \
    reduction(&:mask) reduction(min:least,smallest) reduction(max:greatest,largest) reduction(&&:all) reduction(||:any)
  for (int i = 1; i <= 10; ++i) {
    sum += i;
    product *= i;
    bits |= 16 << (i & 1);
    toggled ^= i;
    mask &= ~(i << 4);
    least = 100 - i < least ? 100 - i : least;
    smallest = i - 2.5f < smallest ? i - 2.5f : smallest;
    greatest = i > greatest ? i : greatest;
    largest = -i > largest ? -i : largest;
    all = all && i != 7;
    any = any || i == 7;
  }
})");
  run.data("sum", &sum).data("bits", &bits).data("toggled", &toggled).data("mask", &mask).data("least", &least);
  run.data("product", &product).data("greatest", &greatest).data("largest", &largest).data("smallest", &smallest);
  run.data("all", &all).data("any", &any).run(4);
  CHECK(sum == 60);
  CHECK(product == 3628800);
  CHECK(bits == (12 | 16 | 32));
  CHECK(toggled == (1 ^ 11));
  CHECK(mask == (~2 & ~0xf0));
  CHECK(least == 90);
  CHECK(smallest == -1.5f);
  CHECK(greatest == 10);
  CHECK(largest == -1);
  CHECK(all == 0);
  CHECK(any == 1);
}

TEST_CASE("OpenCL: reductions of arrays, of gangs and of loops") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  std::vector<int> counts{1, 2, 3};
  std::vector<double> most{0, 0};
  int gangs = 0;
  region_run run(*on, R"(void f(int n, double *most) {
  int counts[3], gangs;
#pragma acc parallel reduction(+:gangs)
  {
    gangs += 1;
#pragma acc loop gang reduction(+:counts) reduction(max:most[0:2])
    for (int i = 0; i < n; ++i) {
      counts[i % 3]++;
      if (i * 0.5 > most[i & 1]) most[i & 1] = i * 0.5;
    }
  }
})");
  run.value("n", 100).data("counts", counts.data(), 3).data("most", most.data(), 2).data("gangs", &gangs).run(6);
  CHECK(counts == std::vector{35, 35, 36});
  CHECK(most == std::vector{49.0, 49.5});
  CHECK(gangs == 6);
}

TEST_CASE("OpenCL: parts of arrays that a gang has of its own keep their indices") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  std::vector<int> counts(6, 10);
  std::vector<double> given(8, 2), all(40), kept(9, 1);
  given[6] = 5;
  region_run run(*on, R"(enum { first = 3 };
void f(int n, int low, double *given, double *all, double *kept) {
  int counts[6];
#pragma acc parallel reduction(+:counts[1:4]) firstprivate(given[first + 2:2]) private(kept[low:2])
  {
    given[5] += 1;
#pragma acc loop gang
    for (int i = 0; i < n; ++i) {
      kept[low + i % 2] = i;
      counts[1 + i % 4] += low;
      all[i] = given[5] + given[6] + kept[low + i % 2];
    }
  }
})");
  run.value("n", 40).value("low", 7).data("counts", counts.data(), 6).data("given", given.data(), 8);
  run.data("all", all.data(), 40).run(6);
  CHECK(counts == std::vector{10, 80, 80, 80, 80, 10});
  for (int i = 0; i < 40; ++i) CHECK(all[i] == 3 + 5 + i);
  CHECK(given[5] == 2);
}

TEST_CASE("OpenCL: one element of an array is reduced") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  std::vector<long> sums{1, 2, 3};
  region_run run(*on, R"(void f(int n, int at, long *sums) {
#pragma acc parallel loop reduction(+:sums[at])
  for (int i = 0; i < n; ++i) sums[at] += i;
})");
  run.value("n", 10).value("at", 1).data("sums", sums.data(), 3).run(4);
  CHECK(sums == std::vector<long>{1, 47, 3});
}

TEST_CASE("OpenCL: atomic operations of all forms") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  constexpr int n = 200;
  std::vector<int> order(n), next(n);
  std::vector<double> sums(4, 0);
  std::vector<float> seen(1, 0);
  int count = 0, last = 0;
  long total = 0;
  char bytes[4] = {0, 0, 0, 0};
  float most = 0;
  region_run run(*on, R"(void f(int n, int *order, int *next, double *sums, float *seen, char *bytes) {
  int count = 0, last; long total; float most;
#pragma acc parallel loop copy(count, total, most, last)
  for (int i = 0; i < n; ++i) {
    float now;
#pragma acc atomic capture
    order[i] = count++;
#pragma acc atomic capture
    { total = total + i; next[i] = total; }
#pragma acc atomic update
    sums[i % 4] += 0.5;
#pragma acc atomic
    bytes[i & 3] = 1 + bytes[i & 3];
#pragma acc atomic
    most = i > most ? i : most;
#pragma acc atomic write
    last = 7;
#pragma acc atomic read
    now = most;
    if (now >= i) {
#pragma acc atomic
      ++seen[0];
    }
  }
})");
  run.value("n", n).data("order", order.data(), n).data("next", next.data(), n).data("sums", sums.data(), 4);
  run.data("count", &count).data("last", &last).data("total", &total).data("most", &most).data("bytes", bytes, 4);
  run.data("seen", seen.data(), 1).run(8);
  std::ranges::sort(order);
  CHECK(order[0] == 0);
  CHECK(order[n - 1] == n - 1);
  CHECK(std::ranges::adjacent_find(order) == order.end());
  CHECK(*std::ranges::max_element(next) == n * (n - 1) / 2);
  CHECK(total == n * (n - 1) / 2);
  CHECK(sums == std::vector<double>(4, 25));
  CHECK(std::ranges::all_of(bytes, [](char c) { return c == 50; }));
  CHECK(most == n - 1);
  CHECK(last == 7);
  CHECK(seen[0] == n);
}

TEST_CASE("OpenCL: private and firstprivate variables, arrays and records") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  struct pair {
    int x;
    double y;
  } p{3, 0.5};
  int few[3] = {1, 10, 100};
  std::vector<double> out(50), expected(50);
  for (int i = 0; i < 50; ++i) expected[i] = 3 * (i + 1 + (i + 10) + (i + 100)) + 0.5 + 1;
  region_run run(*on, R"(typedef struct { int x; double y; } pair;
void f(int n, double *out, pair p, _Bool one) {
  int few[3], tmp[3];
#pragma acc parallel loop private(tmp) firstprivate(few, p, one)
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) tmp[k] = i + few[k];
    pair sum = {.x = 0}, other = p;
    for (int k = 0; k < 3; ++k) sum.x += tmp[k];
    sum.y = other.x * sum.x;
    out[i] = sum.y + p.y + one;
  }
})");
  int unused[3] = {};
  run.value("n", 50).value("p", p).value("one", true).value("few", few).data("tmp", unused, 3);
  run.data("out", out.data(), out.size()).run(7);
  CHECK(out == expected);
}

TEST_CASE("OpenCL: functions with pointers to memory of a gang and of all") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  std::vector<int> a(40), expected(40);
  std::iota(a.begin(), a.end(), 0);
  for (int i = 0; i < 40; ++i) expected[i] = (i == 0 ? 0 : 2) + i + (i + 1) * (i + 2) + (i % 2 ? 4 : 6);
  region_run run(*on, R"(static int sum(const int *p, int n) {
  int s = 0;
  for (const int *q = p, *end = p + n; q != end; ++q) s += *q;
  return s;
}
#pragma acc routine seq
static int last(int n, int grid[n][n]) { return grid[n - 1][n - 1]; }
static void swap(int *x, int *y) { int t = *x; *x = *y; *y = t; }
static int *pick(int *p, int i) { return i % 2 ? p : p + 1; }
void f(int n, int *a) {
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) {
    int own[2] = {i + 1, 1}, other[2] = {4, 6};
    int own_product = i + 2;
    swap(&own[1], &own_product);
    own[0] *= own[1];
    own[1] = 0;
    a[i] = sum(own, 2) + sum(a + i, 1) + *pick(other, i) + (i == 0 ? 0 : own_product + 1);
  }
})");
  run.value("n", 40).data("a", a.data(), a.size()).run(3);
  CHECK(a == expected);
}

TEST_CASE("OpenCL: triangular loops, steps, loops down and over pointers") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  std::vector<int> a(100, 0), expected(100, 0);
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j <= i; ++j) expected[i * 10 + j] += 1;
  for (int i = 99; i != 49; i--) expected[i] += 10;
  for (int i = 98; i >= 3; i -= 7) expected[i] += 100;
  for (int i = 20; i < 30; ++i) expected[i] += 1000;
  const std::string head = "void f(int n, int *a) {\n int i;\n#pragma acc parallel loop\n";
  for (const char* loop : {"for (i = 0; i < n; ++i) for (int j = 0; j <= i; ++j) a[i * 10 + j] += 1;",
                           "for (long k = 99; k != 49; k--) a[k] += n;", "for (i = 98; 3 <= i; i -= 7) a[i] += n * n;",
                           "for (int *p = a + 20; p < a + 3 * n; ++p) *p += n * n * n;"}) {
    region_run run(*on, head + loop + "}");
    run.value("n", 10).value("i", 0).data("a", a.data(), a.size()).run(4);
  }
  CHECK(a == expected);
}

TEST_CASE("OpenCL: functions of the library, sizes, switches and constants") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  std::vector<double> a = counted(30), expected = a;
  constexpr int red = 7;
  for (int i = 0; i < 30; ++i) {
    double& x = expected[i];
    x = std::sqrt(i) + std::fmax(x, 2.5) + std::abs(-i) + std::pow(x, 2) + std::floor(i / 4.0) + 240 + red;
    x += i % 3 == 0 ? 1 : i % 3 == 1 ? 5 : 6;
  }
  region_run run(*on, R"(double sqrt(double); double fmax(double, double); int abs(int); double pow(double, double);
double floor(double);
enum color { red = 7 };
void f(int n) {
  double a[30];
#pragma acc parallel loop
  for (int i = 0; i < n; ++i) {
    a[i] = sqrt(i) + fmax(a[i], 2.5) + abs(-i) + pow(a[i], 2) + floor(i / 4.0) + sizeof(a) + red;
    int more = 0;
    switch (i % 3) {
      case 0: more = 1; break;
      case 1: more = -1;
      default: more += 6;
    }
    a[i] += more;
  }
})");
  run.value("n", 30).data("a", a.data(), a.size()).run(4);
  for (int i = 0; i < 30; ++i) CHECK(a[i] == doctest::Approx(expected[i]).epsilon(1e-12));
}

TEST_CASE("OpenCL: one work-item runs a serial region, also after a divided loop") {
  const auto* const on = opencl_device::first();
  if (!on) return;
  std::vector<int> a(30, 0);
  int steps = 0;
  region_run run(*on, R"(void f(int *a) {
  int steps = 0;
#pragma acc serial copy(steps)
  {
    a[0] = 1;
    for (int i = 1; i < 30; ++i) a[i] = (a[i - 1] * 3) % 101;
    while (a[steps] != 81) ++steps;
  }
})");
  run.data("a", a.data(), a.size()).data("steps", &steps).run(1);
  CHECK(steps == 4);
  CHECK(a[29] == [] {
    int x = 1;
    for (int i = 1; i < 30; ++i) x = x * 3 % 101;
    return x;
  }());
}
