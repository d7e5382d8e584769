// Native kernels on every device: source code, binaries, driver calls, and their errors.
#include <stretto/error.hpp>
#include <stretto/native_kernel.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <numeric>
#include <stdexcept>

#include "conformance/bench.hpp"
#include "device/kernels_for_tests.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"

namespace stretto::device {
namespace {

namespace k = kernels;
using test::error_of;

constexpr const char* saxpy_opencl = R"(
__kernel void saxpy(__global const float* x, __global float* y, float a, int n) {
  int i = (int)get_global_id(0);
  if (i < n) y[i] += a * x[i];
})";
constexpr const char* saxpy_cuda = R"(
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
  int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] += a * x[i];
})";

using saxpy_kernel = native_kernel<void(k::in<float>, k::inout<float>, float, int)>;
saxpy_kernel::definition saxpy_definition() {
  return {.name = "saxpy",
          .host =
              [](const kernel_work& w, k::in<float> x, k::inout<float> y, float a, int) {
                for (auto i = w.min[0]; i < w.max[0]; ++i) y(i) += a * x(i);
              },
          .opencl = native_code::text(saxpy_opencl),
          .cuda = native_code::text(saxpy_cuda)};
}

void run_saxpy(bench& b, const kernel_code& code) {
  array<float> x({1001}), y({1001}, 1.0f);
  std::iota(x.values.begin(), x.values.end(), 0.0f);
  b.take(300);  // so that arrays do not begin where the memory does
  float a = 0.5f;
  int n = 1001;
  const auto dx = b.put(x), dy = b.put(y);
  b.launch(code, range({0}, {1001}), {dx, dy, bench::value(a), bench::value(n)});
  b.launch(code, range({0}, {1001}), {dx, dy, bench::value(a), bench::value(n)});
  b.get(y, dy);
  bool right = true;
  for (std::size_t i = 0; i < 1001; ++i) right = right && y.values[i] == 1.0f + static_cast<float>(i);
  CHECK(right);
}

TEST_CASE("code that the program brings is launched as any other") {
  const saxpy_kernel saxpy(saxpy_definition());
  on_each([&](bench& b) { run_saxpy(b, saxpy.code()); });
}

TEST_CASE("code may come from a file, have another entry, and be a binary") {
  const test::temporary_folder folder;
  const auto file = [&](const char* name, const std::string& content) {
    std::ofstream(folder.path / name, std::ios::binary) << content;
    return (folder.path / name).string();
  };
  on_each([&](bench& b, const candidate& c) {
    saxpy_kernel::definition d = saxpy_definition();
    d.name = "a kernel of ours";
    d.opencl = native_code::file(file("saxpy.cl", saxpy_opencl)).with_entry("saxpy");
    d.cuda = native_code::file(file("saxpy.cu", saxpy_cuda)).with_entry("saxpy");
    run_saxpy(b, saxpy_kernel(d).code());
    if (!c.compiled) return;
    const bool is_opencl = b.on->about().backend == "opencl";
    const std::string binary = c.compiled(is_opencl ? saxpy_opencl : saxpy_cuda);
    REQUIRE_FALSE(binary.empty());
    d.opencl = native_code::binary(binary).with_entry("saxpy");
    d.cuda = native_code::binary_file(file("saxpy.bin", binary)).with_entry("saxpy");
    run_saxpy(b, saxpy_kernel(d).code());
  });
}

TEST_CASE("groups of code that the program brings have local memory") {
  const native_kernel<void(k::inout<int>, k::local<int>)> reversed({
      .name = "reversed",
      .in_groups = true,
      .host =
          [](const kernel_work& w, k::inout<int> x, k::local<int> part) {
            for (auto g = w.min[0]; g < w.max[0]; ++g) {
              for (std::int64_t i = 0; i < w.group[0]; ++i) part(i) = x(g * w.group[0] + i);
              for (std::int64_t i = 0; i < w.group[0]; ++i) x(g * w.group[0] + i) = part(w.group[0] - 1 - i);
            }
          },
      .opencl = native_code::text(R"(
__kernel void reversed(__global int* x, __local int* part) {
  int i = get_local_id(0), n = get_local_size(0), at = get_group_id(0) * n;
  part[i] = x[at + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[at + i] = part[n - 1 - i];
})"),
      .cuda = native_code::text(R"(
extern __shared__ __align__(16) char memory[];
extern "C" __global__ void reversed(int* x) {
  int* part = (int*)memory;
  int i = threadIdx.x, n = blockDim.x, at = blockIdx.x * n;
  part[i] = x[at + i];
  __syncthreads();
  x[at + i] = part[n - 1 - i];
})"),
  });
  on_each([&](bench& b) {
    array<int> x({96});
    std::iota(x.values.begin(), x.values.end(), 0);
    const auto dx = b.put(x);
    b.launch(reversed.code(), range({0}, {3}, {32}), {dx, {local_elements(32)}});
    b.get(x, dx);
    for (int i = 0; i < 96; ++i) CHECK(x.values[static_cast<std::size_t>(i)] == i / 32 * 32 + 31 - i % 32);
  });
}

TEST_CASE("with layouts a part of an array at any distances is handed over") {
  const native_kernel<void(k::inout<int, 2>, int, int)> raised({
      .name = "raised",
      .host =
          [](const kernel_work& w, k::inout<int, 2> x, int, int) {
            for (auto i = w.min[0]; i < w.max[0]; ++i)
              for (auto j = w.min[1]; j < w.max[1]; ++j) x(i + 3, j + 5) += static_cast<int>(100 * i + j);
          },
      .opencl = native_code::text(R"(
typedef struct { long offset; long stride[3]; } layout;
__kernel void raised(__global int* x, layout l, int rows, int columns) {
  int j = get_global_id(0), i = get_global_id(1);
  if (i < rows && j < columns) x[l.offset + i * l.stride[0] + j * l.stride[1]] += 100 * i + j;
})"),
      .cuda = native_code::text(R"(
struct layout { long offset; long stride[3]; };
extern "C" __global__ void raised(int* x, layout l, int rows, int columns) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < rows && j < columns) x[l.offset + i * l.stride[0] + j * l.stride[1]] += 100 * i + j;
})"),
      .with_layouts = true,
  });
  on_each([&](bench& b) {
    array<int> x({12, 40}, 7);
    launch_argument part = b.put(x);
    part.is.min[0] = 3, part.is.max[0] = 8;  // of the 12 rows and 40 columns
    part.is.min[1] = 5, part.is.max[1] = 38;
    int rows = 5, columns = 33;
    b.launch(raised.code(), range({0, 0}, {5, 33}), {part, bench::value(rows), bench::value(columns)});
    b.get(x, part);
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 40; ++j) {
        const bool inside = i >= 3 && i < 8 && j >= 5 && j < 38;
        CHECK(x.values[static_cast<std::size_t>(i * 40 + j)] == 7 + (inside ? 100 * (i - 3) + j - 5 : 0));
      }
  });
}

STRETTO_KERNEL(plus_one, (inout<float> x), { x(global_id(0)) += 1.0f; })

TEST_CASE("calls of the driver stand in the order of their stream") {
  on_each([](bench& b, const candidate& c) {
    REQUIRE(c.copies);
    int calls = 0;
    const auto counted = [&](const native_call& on, native_array<const float> from, native_array<float> to,
                             std::int64_t bytes) {
      ++calls;
      CHECK(on.work.max[0] == 500);
      CHECK(from.length(0) == 500);
      c.copies(on, from, to, bytes);
    };
    const native_kernel<void(k::in<float>, k::out<float>, std::int64_t)> copied(
        {.name = "copied", .host_calls = counted, .opencl_calls = counted, .cuda_calls = counted});
    array<float> x({500}), y({500}, -1.0f);
    std::iota(x.values.begin(), x.values.end(), 0.0f);
    b.take(260);
    const auto dx = b.put(x), dy = b.put(y);
    std::int64_t bytes = 500 * sizeof(float);
    counting_completion first, last;
    for (int round = 0; round < 20; ++round) {
      b.launch(plus_one.code(), range({0}, {500}), {dx});
      b.launch(copied.code(), range({0}, {500}), {dx, dy, bench::value(bytes)}, round == 10 ? &first : nullptr);
      b.launch(plus_one.code(), range({0}, {500}), {dy});
    }
    b.s->notify(last);
    b.wait(first);
    b.wait(last);
    b.get(y, dy);
    CHECK(calls == 20);
    bool right = true;
    for (std::size_t i = 0; i < 500; ++i) right = right && y.values[i] == static_cast<float>(i) + 21.0f;
    CHECK(right);
  });
}

TEST_CASE("an exception of native calls ends their launch, and the device goes on") {
  on_each([](bench& b) {
    const auto fails = [](const native_call&, native_array<float>) { throw std::runtime_error("no handle"); };
    const native_kernel<void(k::inout<float>)> failing(
        {.name = "failing", .host_calls = fails, .opencl_calls = fails, .cuda_calls = fails});
    array<float> x({16}, 1.0f);
    const auto dx = b.put(x);
    counting_completion e;
    std::string said;
    try {
      b.launch(failing.code(), range({0}, {16}), {dx}, &e);
      b.wait(e);
      if (e.failure) std::rethrow_exception(e.failure);
    } catch (const std::exception& thrown) {
      said = thrown.what();
    }
    CHECK(said == "no handle");
    b.launch(plus_one.code(), range({0}, {16}), {dx});
    b.get(x, dx);
    CHECK(x.values == std::vector<float>(16, 2.0f));
  });
}

TEST_CASE("errors name code that is missing, lacks the entry, has other arguments or has no file") {
  on_each([](bench& b) {
    const bool is_simulated = b.on->about().backend == "sim";
    const auto compiling = [&](saxpy_kernel::definition d) {
      return error_of([&] { b.on->compile(saxpy_kernel(std::move(d)).code()); });
    };
    saxpy_kernel::definition none = saxpy_definition();
    none.opencl = none.cuda = {};
    none.host = {};
    CHECK(compiling(none).code() == "K14");
    if (is_simulated) return;
    saxpy_kernel::definition misspelt = saxpy_definition();
    misspelt.name = "sapxy";
    const error e = compiling(misspelt);
    CHECK(e.code() == "K15");
    if (b.on->about().backend == "opencl") CHECK(e.what_to_try() == "did you mean \"saxpy\"?");
    saxpy_kernel::definition lost = saxpy_definition();
    lost.opencl = lost.cuda = native_code::file("/no/such/file");
    CHECK(compiling(lost).code() == "K17");
    saxpy_kernel::definition wrong = saxpy_definition();
    wrong.opencl = native_code::text("__kernel void saxpy(__global float* x) { x[0] = y; }");
    wrong.cuda = native_code::text("extern \"C\" __global__ void saxpy(float* x) { x[0] = y; }");
    CHECK(compiling(wrong).code() == "K12");
    const native_kernel<void(k::in<float>, k::inout<float>, float)> short_of_one(
        {.name = "saxpy", .opencl = native_code::text(saxpy_opencl), .cuda = native_code::text(saxpy_cuda)});
    const error few = error_of([&] { b.on->compile(short_of_one.code()); });
    CHECK(few.code() == "K16");
    CHECK(few.sentence() == "the entry of kernel \"saxpy\" takes 4 arguments, but its signature has 3");
  });
}

TEST_CASE("an array that a plain pointer cannot describe is refused") {
  const saxpy_kernel saxpy(saxpy_definition());
  on_each([&](bench& b) {
    array<float> x({64}), y({64});
    launch_argument dx = b.put(x), dy = b.put(y);
    float a = 1;
    int n = 8;
    const auto launched = [&](const launch_range& r) {
      return error_of([&] { b.launch(saxpy.code(), r, {dx, dy, bench::value(a), bench::value(n)}); }).code();
    };
    CHECK(launched(range({1}, {8})) == "K18");
    dx.is.stride[0] = 2, dx.is.max[0] = 32;
    CHECK(launched(range({0}, {8})) == "K18");
  });
}

}  // namespace
}  // namespace stretto::device
