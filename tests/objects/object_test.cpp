// Launches on objects, on the host and on all kinds of devices here: for any choice of places, the result is that of a
// loop.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "campaign.hpp"
#include "device/kernels_for_tests.hpp"
#include "function_reference.hpp"
#include "objects/random_program.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

const std::vector<std::string>& kinds() {
  static const std::vector<std::string> all =
      test::usable_devices({"none", "sim", "sim:3", "opencl:1", "opencl,sim:2"}, "objects");
  return all;
}

using test::random_program;
using test::with_variable;

constexpr const char* policies[] = {"fifo", "locality", "earliest_finish", "work_stealing"};

void everywhere(test::function_reference<void()> body) {
  const with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
  for (const char* policy : policies)
    for (const std::string& kind : kinds())
      for (const unsigned workers : {1u, 3u}) {
        INFO(std::string(policy) << " on " << kind << ", " << workers << " workers");
        const with_variable scheduler("STRETTO_SCHEDULER", policy);
        runtime rt({.workers = workers, .devices = kind});
        rt.run([&] { body(); });
      }
}

/// On one simulated device and the host.
void on_sim(test::function_reference<void()> body, const char* memory = "8M") {
  const with_variable of_device("STRETTO_DEVICE_MEMORY", memory);
  runtime rt({.workers = 2, .devices = "sim"});
  rt.run([&] { body(); });
}

STRETTO_KERNEL(large_numbers, (out<long long> x, unsigned long long by), {
  const long long beyond = 3000000000LL;
  x(global_id(0)) = beyond * global_id(0) + (long long)by;
})

TEST_CASE("long long has 64 bits on every device") {
  everywhere([] {
    object<long long> x(box(0, 100));
    launch(large_numbers, x.elements(), x, 1ull << 40);
    CHECK(x.read().get().view()(99) == 99 * 3'000'000'000LL + (1LL << 40));
  });
}

TEST_CASE("kernels on objects order themselves and give what a loop gives") {
  everywhere([] {
    constexpr int n = 40, steps = 9;
    const box whole({0, 0}, {n, n}), inner({1, 1}, {n - 1, n - 1});
    std::vector<float> a(n * n), b(n * n);
    a[n / 2 * n + n / 3] = 64;
    object<float, 2> u(whole, a.data(), {.name = "u"}), v(whole, b.data(), {.name = "v"});
    for (int s = 0; s < steps; ++s) {
      launch(jacobi, inner, u, v(inner), 0.25f);
      std::swap(u, v);
    }
    for (int s = 0; s < steps; ++s) {
      for (int i = 1; i < n - 1; ++i)
        for (int j = 1; j < n - 1; ++j)
          b[i * n + j] = a[i * n + j] + 0.25f * (a[(i - 1) * n + j] + a[(i + 1) * n + j] + a[i * n + j - 1] +
                                                 a[i * n + j + 1] - 4 * a[i * n + j]);
      std::swap(a, b);
    }
    const auto seen = u.read().get();
    int wrong = 0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) wrong += std::abs(seen.view()(i, j) - a[i * n + j]) > 1e-5f;
    CHECK(wrong == 0);
  });
}

TEST_CASE("random programs on objects give what they give on arrays, wherever they run") {
  unsigned seed = 0;
  const int rounds = test::scaled(1, 50);
  for (int round = 0; round < rounds; ++round)
    everywhere([&] {
      ++seed;
      random_program(seed, seed % 2).run(60);
    });
}

TEST_CASE("random programs run in a memory that holds a fraction of what they use") {
  // 3 objects of 2,304 bytes in tiles of 256; a launch uses two.
  const with_variable memory("STRETTO_DEVICE_MEMORY", "1024");
  for (unsigned seed = 0; seed < test::scaled(10u, 1000u); ++seed)
    for (const char* policy : policies) {
      const with_variable scheduler("STRETTO_SCHEDULER", policy);
      INFO(std::string(policy) << ", seed " << seed);
      runtime rt({.workers = 1 + seed % 3, .devices = seed % 2 ? "sim:2" : "sim"});
      rt.run([&] { random_program(seed, false).run(80); });
    }
}

TEST_CASE("random programs run on one to eight simulated devices") {
  const with_variable memory("STRETTO_DEVICE_MEMORY", "4096");
  for (unsigned seed = 0; seed < test::scaled(16u, 400u); ++seed)
    for (const bool shares_bus : {false, true}) {
      const std::string devices = "sim:" + std::to_string(1 + seed % 8) + (shares_bus ? "(shared_bus)" : "");
      const with_variable scheduler("STRETTO_SCHEDULER", policies[seed / 8 % 4]);
      INFO(devices << ", seed " << seed);
      runtime rt({.workers = 1 + seed % 3, .devices = devices});
      rt.run([&] { random_program(seed, true).run(60); });
    }
}

TEST_CASE(
    "random programs give the same with each optimisation switched off, one stream for all, and more in advance") {
  constexpr std::pair<const char*, const char*> settings[] = {
      {"STRETTO_DEVICE_STREAMS", "1"}, {"STRETTO_TEST_DEVICE_COPY_STREAMS", "0"},
      {"STRETTO_PREFETCH", "1"},       {"STRETTO_PREFETCH", "32"},
      {"STRETTO_LOCKED_MEMORY", "0"},  {"STRETTO_TEST_DEVICE_POOL", "0"},
      {"STRETTO_TEST_RECYCLE", "0"},   {"STRETTO_DEVICE_THREADS", "1"}};
  const with_variable memory("STRETTO_DEVICE_MEMORY", "4096");
  unsigned seed = 0;
  for (unsigned round = 0; round < test::scaled(1u, 40u); ++round)
    for (const auto& [name, value] : settings)
      for (const std::string& kind : kinds()) {
        const with_variable how(name, value), scheduler("STRETTO_SCHEDULER", policies[++seed % 4]);
        INFO(std::string(name) << "=" << std::string(value) << " on " << kind << ", seed " << seed);
        runtime rt({.workers = 1 + seed % 3, .devices = kind});
        rt.run([&] { random_program(seed, seed % 2).run(60); });
      }
}

TEST_CASE("a stepped runtime runs random programs on objects") {
  const with_variable memory("STRETTO_DEVICE_MEMORY", "4096");
  for (unsigned seed = 0; seed < test::scaled(20u, 2000u); ++seed) {
    INFO("seed " << seed);
    runtime rt({.workers = 2, .seed = seed, .devices = "sim:2", .stepped = true});
    rt.run([&] { random_program(seed, false).run(60); });
  }
}

TEST_CASE("measured speeds are kept between runs") {
  const test::temporary_folder folder;
  const std::string file = folder.path / "speeds.txt";
  const with_variable speeds("STRETTO_SPEEDS", file.c_str());
  for (int run = 0; run < 2; ++run) {
    runtime rt({.workers = 1, .devices = "sim"});
    rt.run([] {
      object<unsigned, 2> a(box({0, 0}, {8, 8}));
      for (const device_kind kind : {device_kind::host, device_kind::device})
        for (int n = 0; n < 3; ++n) launch(on(kind), set_all, a.elements(), a, 1u);
    });
  }
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  CHECK(text.starts_with("stretto speeds 1"));
  CHECK(text.find("set_all") != std::string::npos);
  CHECK(text.find("sim_0") != std::string::npos);
  CHECK(text.find("host") != std::string::npos);
}

TEST_CASE("a run decides by the speeds of the run before") {
  const test::temporary_folder folder;
  const std::string file = folder.path / "speeds.txt", other = folder.path / "swapped.txt";
  const auto launches_on_device = [](const std::string& speeds_in, std::initializer_list<device_kind> kinds) {
    const with_variable speeds("STRETTO_SPEEDS", speeds_in.c_str());
    runtime rt({.workers = 1, .devices = "sim(rate=5k)"});  // 13 ms for these
    rt.run([&] {
      object<unsigned, 2> a(box({0, 0}, {8, 8}));
      for (const device_kind kind : kinds)
        for (int n = 0; n < 3; ++n) wait(launch(on(kind), set_all, a.elements(), a, 1u));
      if (kinds.size() == 0) wait(launch(set_all, a.elements(), a, 1u));
    });
    return rt.statistics().devices.at(1).launches;
  };
  CHECK(launches_on_device(file, {device_kind::host, device_kind::device}) == 3);
  // The same with the names of the two exchanged.
  std::ifstream in(file);
  std::ofstream out(other);
  for (std::string line; std::getline(in, line); out << line << '\n')
    for (const auto& [from, to] : {std::pair("\thost\t", "\tsim_0\t"), std::pair("\tsim_0\t", "\thost\t")})
      if (const auto at = line.find(from); at != line.npos) {
        line.replace(at, std::string_view(from).size(), to);
        break;
      }
  out.close();
  CHECK(launches_on_device(file, {}) == 0);
  CHECK(launches_on_device(other, {}) == 1);
}

TEST_CASE("a finish waits for the launches in it, and throws their failures") {
  on_sim([] {
    object<unsigned, 2> a(box({0, 0}, {8, 8}), {.name = "a"});
    const event e = finish([&] { return launch(set_all, a.elements(), a, 1u); });
    CHECK(e.has_triggered());
    const std::string what = test::thrown_by([&] {
      finish([&] {
        const user_event data = user_event::create();
        launch(after(data), name("late"), set_all, a.elements(), a, 1u);
        data.poison(std::make_exception_ptr(std::runtime_error("no data today")));
      });
    });
    INFO(what);
    CHECK(what.find("no data today") != std::string::npos);
    CHECK(what.find("launch \"late\"") != std::string::npos);
  });
}

}  // namespace
}  // namespace stretto
