// Compiles the CUDA text of every kernel in the tests with NVIDIA's compiler and clang, if installed. Kernels of
// other programs: tests/kernel_texts.py.
#include <stretto/error.hpp>
#include <stretto/stretto.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "campaign.hpp"
#include "device/arrays.hpp"
#include "device/cuda/cuda_api.hpp"
#include "device/cuda/cuda_program.hpp"
#include "device/kernel_text.hpp"
#include "device/kernels_for_tests.hpp"
#include "device/portability.hpp"
#include "linked_kernels.hpp"
#include "temporary_folder.hpp"

namespace stretto::device::cuda {
namespace {

// clang-format off
STRETTO_DEVICE_STRUCT(mixture, { double a; float b; int64_t c; uint8_t d; })
STRETTO_DEVICE_CONSTANT(mixture, still, {1.0, 2.0f, 3, 4})
STRETTO_DEVICE_CONSTANT(double, half, 0.5)

STRETTO_KERNEL(structures, (inout<mixture, 2> p, mixture q, uint16_t few), {
  int i = global_id(0), j = global_id(1);
  mixture r = still;
  p(i, j).a += q.a + r.a + still.a * half;
  p(i, j).c = q.c + r.c + few;
})

STRETTO_KERNEL(double_mathematics, (in<double> x, out<double, 2> y), {
  int i = global_id(0);
  double b = x(i);
  y(i, 0) = sqrt(b) + rsqrt(b) + exp(b) + log(b) + sin(b) + cos(b) + tan(b) + atan(b) + tanh(b) + floor(b) + ceil(b) + round(b) + fabs(b);
  y(i, 1) = pow(b, 2.0f) + atan2(b, 1) + fmod(b, 3) + hypot(b, 4) + fmin(b, 2) + fmax(b, 1) + fma(b, 2, 1.0f);
})

STRETTO_GROUP_KERNEL(local_of_several_types, (in<double> x, out<float> y, local<uint8_t> few, local<double> many, local<int> counts), {
  each_item([&](item it) {
    few(it.local_id(0)) = 1;
    many(it.local_id(0)) = x(it.global_id(0));
    counts(0) = 0;
  });
  each_item([&](item it) {
    atomic_add(&counts(0), few(it.local_id(0)));
    atomic_max(&many(0), many(it.local_id(0)));
  });
  each_item([&](item it) { y(it.global_id(0)) = (float)(many(0)) + counts(0); });
})
// clang-format on

using test::axes_of;

/// All kernels of this program, except those that are written to be refused by devices.
const std::vector<const kernel_code*>& all_kernels() {
  static const std::vector<const kernel_code*> all = [] {
    const std::set<std::string_view> to_be_refused{// tests/device
                                                   "contributes_by_another_name",
                                                   "contributes_nothing",
                                                   "points_at",
                                                   "local_in_a_loop",
                                                   "uses_a_macro",
                                                   "calls_the_host",
                                                   "names_a_constant_of_the_host",
                                                   "has_a_type_of_the_host",
                                                   "takes_a_structure_of_the_host",
                                                   "is_helped_by_a_macro",
                                                   "has_a_directive",
                                                   "is_helped_by_a_directive",
                                                   "changes_a_part",
                                                   "changes_a_component",
                                                   "by_constant_of_a_class",
                                                   "by_constant_of_a_file"};
    std::vector<const kernel_code*> linked = test::linked_kernels(test::program_symbols());
    std::erase_if(linked, [&](const kernel_code* k) {
      const auto refused = device_refusal(*k);
      INFO(k->name, ": ", refused ? refused->what() : "is not refused");
      CHECK(refused.has_value() == to_be_refused.contains(k->name));
      return refused.has_value();
    });
    return linked;
  }();
  return all;
}

TEST_CASE("the kernels of a program are found, those of its tests and of the library") {
  // Using the kernels makes the linker keep them.
  for (const kernel_code* k :
       {&structures.code(), &double_mathematics.code(), &local_of_several_types.code(), &jacobi.code()})
    CHECK(std::ranges::count(all_kernels(), k) == 1);
  CHECK(std::ranges::count(all_kernels(), "copy_rows_by_8", &kernel_code::name) == 1);
}

/// Sanitizers do not affect external compilers, so only the plain run of the tests compiles the texts.
bool is_asked_for_elsewhere() { return base::address_sanitizer || base::thread_sanitizer || test::is_brief(); }

/// NVIDIA's compiler, or null if it is missing.
std::shared_ptr<const compiler> real_compiler() {
  static const std::shared_ptr<const compiler> found = []() -> std::shared_ptr<const compiler> {
    try {
      return compiler::find(1'000'000);
    } catch (const error& e) {
      std::fprintf(stderr, "no test of NVIDIA's compiler: %s: %s\n", e.sentence().c_str(), e.why().c_str());
      return nullptr;
    }
  }();
  return found;
}

TEST_CASE("every kernel is CUDA to NVIDIA's compiler") {
  const auto nvrtc = is_asked_for_elsewhere() ? nullptr : real_compiler();
  if (!nvrtc) return;
  const std::string architecture = "sm_" + std::to_string(nvrtc->architectures.back());
  CHECK(nvrtc->architecture_for(nvrtc->architectures.back()) == architecture);
  std::size_t number = 0;
  for (const kernel_code* k : all_kernels()) {
    const variant all[] = {
        {axes_of(*k)},
        {axes_of(*k), indexing::dense},
        {axes_of(*k), indexing::any, k->in_groups ? counting::groups_in_line : counting::items_in_line}};
    ++number;
    for (std::size_t which = 0; which < std::size(all); ++which) {
      if (!test::long_campaign() && which != number % std::size(all)) continue;  // a quick run: one of each kernel
      INFO(k->name);
      std::string image;
      CHECK_NOTHROW(
          image = nvrtc->compile(*k, text_for(*k, dialect::cuda).source, flags_of(all[which], architecture), "a test"));
      CHECK(
          image.starts_with("\x7f"
                            "ELF"));
    }
  }
  const std::string ptx =
      nvrtc->compile(add_one.code(), text_for(add_one.code(), dialect::cuda).source,
                     flags_of({1}, "compute_" + std::to_string(nvrtc->architectures.front())), "a test");
  CHECK(ptx.find(".entry stretto_kernel_add_one(") != std::string::npos);
}

TEST_CASE("NVIDIA's compiler reports an error in the user's file and line") {
  const auto nvrtc = real_compiler();
  if (!nvrtc) return;
  const std::string source = text_for(jacobi.code(), dialect::cuda).source;
  const std::string there = "c * laplace", faulty = "c * no_such_thing * laplace";
  std::string with_a_mistake = source;
  with_a_mistake.replace(with_a_mistake.find(there), there.size(), faulty);
  unsigned line = 0;
  std::ifstream in(STRETTO_SOURCE_DIR "/tests/device/kernels_for_tests.hpp");
  for (std::string one; std::getline(in, one) && one.find(there) == std::string::npos;) ++line;
  try {
    nvrtc->compile(jacobi.code(), with_a_mistake, flags_of({2}, nvrtc->architecture_for(nvrtc->architectures.back())),
                   "a test");
    FAIL("it was compiled");
  } catch (const error& e) {
    INFO(e.what());
    CHECK(e.code() == "K12");
    CHECK(e.why().find("kernels_for_tests.hpp:" + std::to_string(line + 1) +
                       ": error: identifier \"no_such_thing\" is undefined") != std::string::npos);
    CHECK(e.why().find("detected in the compilation") == std::string::npos);
    CHECK(e.why().find("warning") == std::string::npos);
  }
}

bool runs(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

/// Compiles the text of every kernel by a command, to which flags and the file are appended. A quick run compiles a
/// third of the kernels unchecked, and another third checked: starting the command takes most of the time.
void compile_all(const std::string& compiler) {
  const test::temporary_folder folder;
  const std::string in = folder.path / "kernel.cu", out = folder.path / "kernel.out", log = folder.path / "log";
  std::size_t number = 0;
  for (const kernel_code* k : all_kernels()) {
    ++number;
    for (const index_checks checked : {index_checks::off, index_checks::on}) {
      if (!test::long_campaign() && number % 3 != (checked == index_checks::on)) continue;
      std::ofstream(in) << text_for(*k, dialect::cuda, checked).source;
      const int status = std::system(fmt::format("{} -DSTRETTO_INDEXING={} -DSTRETTO_DIMENSIONS={} {} -o {} 2>{}",
                                                 compiler, number / 3 % 3, axes_of(*k), in, out, log)
                                         .c_str());
      std::ifstream said(log);
      INFO(k->name, ": ", std::string(std::istreambuf_iterator<char>(said), std::istreambuf_iterator<char>()));
      CHECK(status == 0);
    }
  }
}

TEST_CASE("every kernel is CUDA to clang") {
  if (is_asked_for_elsewhere()) return;
  const test::temporary_folder folder;
  const std::string empty = folder.path / "empty.cu";
  std::ofstream(empty) << "__global__ void empty() {}\n";
  std::vector<std::string> names{"clang"};
  for (int version = 22; version >= 14; --version) names.insert(names.end() - 1, "clang-" + std::to_string(version));
  for (const std::string& name : names) {
    const std::string lowered =
        name +
        " -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -S -O1 -w -std=c++14 "
        "-include " STRETTO_SOURCE_DIR "/tests/device/cuda_keywords_for_clang.hpp";
    if (!runs(lowered + " " + empty + " -o /dev/null")) continue;
    std::fprintf(stderr, "CUDA text is tested by %s\n", name.c_str());
    return compile_all(lowered);
  }
  std::fprintf(stderr, "no test of CUDA text by clang: there is none, from clang-14 on, that lowers to PTX\n");
}

TEST_CASE("every kernel is CUDA to nvcc, where it comes without NVRTC") {
  if (is_asked_for_elsewhere() || real_compiler()) return;
  const std::string nvcc = runs("nvcc --version") ? "nvcc" : "/usr/local/cuda/bin/nvcc";
  if (!runs(nvcc + " --version")) {
    std::fprintf(stderr, "no test of CUDA text by nvcc: there is none\n");
    return;
  }
  compile_all(nvcc + " -cubin -w -std=c++14");
}

TEST_CASE("messages of compilers are converted to one form") {
  CHECK(
      readable_log(
          "\n/a/b.cpp(12): error: no\n    here\n      ^\n\n1 error detected in the compilation of \"kernel.cu\".\n") ==
      "/a/b.cpp:12: error: no\n    here\n      ^");
  CHECK(readable_log("b.cpp(3): error #20014-D: (a) is not b\n") == "b.cpp:3: error: (a) is not b");
  CHECK(readable_log("a(1): b(22): warning: old\nc(7): catastrophic error: gone\r\n") ==
        "a(1): b:22: warning: old\nc:7: catastrophic error: gone\r");
  CHECK(readable_log("2 catastrophic errors detected in the compilation of \"kernel.cu\".\n3 errors\n(x): error: y") ==
        "3 errors\n(x): error: y");
  CHECK(readable_log("f(): error: y\nf(3) error: y\nf(3): errors: y") ==
        "f(): error: y\nf(3) error: y\nf(3): errors: y");
  CHECK(readable_log(std::string("short\0rest", 10)) == "short");
  CHECK(readable_log("").empty());
}

TEST_CASE("a compiler takes the device's own code, or the latest that its driver translates") {
  compiler c;
  c.architectures = {75, 80, 86, 90};
  CHECK(c.architecture_for(86) == "sm_86");
  CHECK(c.architecture_for(89) == "compute_86");
  CHECK(c.architecture_for(120) == "compute_90");
  CHECK(c.architecture_for(70).empty());
}

TEST_CASE("a compiler is searched in CUDA_HOME before all other places") {
  const char* const before = std::getenv("CUDA_HOME");
  const std::string kept = before ? before : "";
  setenv("CUDA_HOME", "/opt/some_cuda", 1);
  const std::vector<std::string> places = usual_compilers();
  before ? setenv("CUDA_HOME", kept.c_str(), 1) : unsetenv("CUDA_HOME");
  CHECK(places.front() == "/opt/some_cuda/lib64/libnvrtc.so.13");
  CHECK(places.back() == "/usr/local/cuda/lib64/libnvrtc.so");
  CHECK(std::count(places.begin(), places.end(), "libnvrtc.so.11.2") == 1);
}

TEST_CASE("a compiler that is newer than the driver is not taken") {
  if (!real_compiler()) return;
  try {
    const auto older = compiler::find(11'080);
    CHECK(older->version / 1000 <= 11);
  } catch (const error& e) {
    CHECK(e.code() == "K42");
    CHECK(e.sentence().find("is newer than the driver") != std::string::npos);
    CHECK(e.why() == "it belongs to CUDA " + version_text(real_compiler()->version) + ", but the driver to CUDA 11.8");
  }
}

}  // namespace
}  // namespace stretto::device::cuda
