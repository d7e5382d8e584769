// Memory of objects: spilling to a file and back; copies to and from memory of the program.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <random>
#include <vector>

#include "campaign.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::with_variable;

STRETTO_KERNEL(memory_plus, (inout<float> x, float by), { x(global_id(0)) += by; })
STRETTO_KERNEL(memory_mean, (in<float> x, in<float> y, out<float> z),
               { z(global_id(0)) = 0.5f * (x(global_id(0)) + y(global_id(0))); })
STRETTO_KERNEL(memory_fill, (out<float> x, float value), { x(global_id(0)) = value; })
STRETTO_KERNEL(memory_plus_2d, (inout<float, 2> x, float by), { x(global_id(0), global_id(1)) += by; })

template <class Body>
std::string code_of(Body&& body) {
  return test::error_of(body).code();
}

const std::vector<std::string>& memory_devices() {
  static const std::vector<std::string> all = test::usable_devices({"none", "sim", "sim:2", "opencl:1"}, "objects");
  return all;
}

std::uint64_t spilled_bytes(const runtime& rt) {
  for (const device_statistics& d : rt.statistics().devices)
    if (d.name == "spill") return d.brought_bytes;
  return 0;
}

/// Random means over `count` objects of 4,096 floats (16 KiB each), compared with plain vectors; returns the spilled
/// bytes.
std::uint64_t random_means(const std::string& devices, unsigned workers, std::size_t count, unsigned seed,
                           unsigned steps) {
  constexpr int n = 4096;
  runtime rt({.workers = workers, .devices = devices});
  rt.run([&] {
    std::mt19937 draw(seed);
    std::vector<std::vector<float>> expected(count, std::vector<float>(n));
    std::vector<object<float>> objects;
    for (std::size_t i = 0; i < count; ++i) {
      std::iota(expected[i].begin(), expected[i].end(), static_cast<float>(i));
      if (i % 2) {
        objects.emplace_back(box(0, n), expected[i].data());
      } else {
        objects.emplace_back(box(0, n));
        objects.back().copy_from(expected[i].data());
      }
    }
    for (unsigned s = 0; s < steps; ++s) {
      const std::size_t a = draw() % count, b = draw() % count, c = draw() % count;
      const int first = static_cast<int>(draw() % n),
                last = first + 1 + static_cast<int>(draw() % static_cast<unsigned>(n - first));
      const box part(first, last);
      if (a == c || b == c || a == b || draw() % 4 == 0) {
        launch(memory_plus, part, objects[c](part), 0.25f);
        for (int i = first; i < last; ++i) expected[c][static_cast<std::size_t>(i)] += 0.25f;
      } else {
        launch(memory_mean, part, objects[a], objects[b], objects[c](part));
        for (int i = first; i < last; ++i) {
          const auto k = static_cast<std::size_t>(i);
          expected[c][k] = 0.5f * (expected[a][k] + expected[b][k]);
        }
      }
      if (draw() % 8 == 0) objects[draw() % count].remove_from_devices();
    }
    std::vector<std::vector<float>> seen(count, std::vector<float>(n));
    finish([&] {
      for (std::size_t i = 0; i < count; ++i) objects[i].copy_to(seen[i].data());
    });
    for (std::size_t i = 0; i < count; ++i) CHECK(seen[i] == expected[i]);
    for (std::size_t i = 0; i < count; i += 3) CHECK(objects[i].read().get().view()(n - 1) == expected[i][n - 1]);
  });
  return spilled_bytes(rt);
}

TEST_CASE("objects that do not fit into host memory are spilled to a file and come back") {
  const test::temporary_folder disk;
  const with_variable spill("STRETTO_SPILL", disk.path.c_str()), host("STRETTO_HOST_MEMORY", "256k"),
      device("STRETTO_DEVICE_MEMORY", "128k");
  for (const std::string& kind : memory_devices())
    for (unsigned seed = 0; seed < test::scaled(3u, 300u); ++seed) {
      INFO(kind << ", seed " << seed);
      CHECK(random_means(kind, 1 + seed % 3, 40, seed, 120) > 0);  // 640 KiB of objects
    }
  CHECK(std::filesystem::is_empty(disk.path));
}

TEST_CASE("with enough memory nothing is spilled") {
  const test::temporary_folder disk;
  const with_variable spill("STRETTO_SPILL", disk.path.c_str());
  for (const std::string& kind : memory_devices()) CHECK(random_means(kind, 2, 12, 1, 60) == 0);
}

TEST_CASE("arguments larger than the host's memory fail with the bytes, with a file behind it, too") {
  const test::temporary_folder disk;
  const with_variable spill("STRETTO_SPILL", disk.path.c_str()), host("STRETTO_HOST_MEMORY", "64k");
  runtime rt({.workers = 2});
  rt.run([] {
    object<float> x(box(0, 100'000), {.name = "x"}), small(box(0, 100), {.name = "small"});
    CHECK(code_of([&] { wait(launch(memory_fill, x.elements(), x, 1.0f)); }) == "A04");
    wait(launch(memory_fill, small.elements(), small, 2.0f));
    CHECK(small.read().get().view()(99) == 2);
  });
}

TEST_CASE("a folder that takes no file is refused at the start") {
  const with_variable spill("STRETTO_SPILL", "/proc/self");
  CHECK(code_of([] { const runtime rt({.workers = 1}); }) == "D23");
}

TEST_CASE("without a folder a full host is an error that says so") {
  const with_variable host("STRETTO_HOST_MEMORY", "64k"), device("STRETTO_DEVICE_MEMORY", "48k");
  runtime rt({.workers = 1, .devices = "sim"});
  rt.run([] {
    std::vector<object<float>> all;
    const std::string why = test::thrown_by([&] {
      finish([&] {
        for (int i = 0; i < 20; ++i) {
          all.emplace_back(box(0, 4096));
          launch(on(device_kind::device), memory_fill, all.back().elements(), all.back(), 1.0f);
        }
      });
    });
    CHECK(why.find("A04") != std::string::npos);
    CHECK(why.find("STRETTO_SPILL") != std::string::npos);
  });
}

TEST_CASE("objects that fit neither a device nor the host go to another device") {
  const with_variable host("STRETTO_HOST_MEMORY", "64k"), device("STRETTO_DEVICE_MEMORY", "256k");
  runtime rt({.workers = 2, .devices = "sim:2(shared_bus)"});
  const auto places = rt.machine().places(place_kind::gpu);
  REQUIRE(places.size() == 2);
  rt.run([&] {
    std::vector<object<float>> all;
    finish([&] {  // 448 KiB, computed where 256 are
      for (int i = 0; i < 28; ++i) {
        all.emplace_back(box(0, 4096));
        launch(on(places[0]), memory_fill, all.back().elements(), all.back(), static_cast<float>(i));
      }
    });
    std::vector<std::vector<float>> seen(all.size(), std::vector<float>(4096));
    finish([&] {
      for (std::size_t i = 0; i < all.size(); ++i) all[i].copy_to(seen[i].data());
    });
    for (std::size_t i = 0; i < all.size(); ++i) CHECK(std::ranges::count(seen[i], static_cast<float>(i)) == 4096);
  });
  std::uint64_t brought = 0;
  for (const device_statistics& d : rt.statistics().devices)
    if (d.name == "sim_1") brought = d.brought_bytes;
  CHECK(brought >= 28u * 4096 * sizeof(float) - (256 << 10) - (64 << 10));
}

TEST_CASE("copies to and from the program's memory go between launches") {
  for (const std::string& kind : memory_devices())
    for (const unsigned workers : {1u, 3u}) {
      INFO(kind << ", " << workers << " workers");
      runtime rt({.workers = workers, .devices = kind});
      rt.run([] {
        const box whole({0, 0}, {6, 5}), part({1, 2}, {4, 4});
        std::vector<float> zero(30), ones(6, 1.0f), before(6, -1.0f), after_it(30, -1.0f), nothing(1, 7.0f);
        object<float, 2> u(whole, {.name = "u"});
        finish([&] {
          u.copy_from(zero.data());
          launch(memory_plus_2d, whole, u, 2.0f);
          u.copy_to(before.data(), part);
          u.copy_from(ones.data(), part);
          launch(memory_plus_2d, part, u(part), 10.0f);
          u.copy_to(after_it.data());
          u.copy_to(nothing.data(), box({0, 0}, {0, 0}));
        });
        CHECK(before == std::vector<float>(6, 2.0f));
        for (int i = 0; i < 6; ++i)
          for (int j = 0; j < 5; ++j)
            CHECK(after_it[static_cast<std::size_t>(5 * i + j)] ==
                  (part.contains(box({i, j}, {i + 1, j + 1})) ? 11 : 2));
        CHECK(nothing[0] == 7);
      });
    }
}

TEST_CASE("a copy to the program's memory fails with what was to write the elements") {
  for (const std::string& kind : memory_devices()) {
    runtime rt({.workers = 2, .devices = kind});
    rt.run([] {
      object<float> u(box(0, 10), {.name = "u"});
      std::vector<float> out(20);
      const auto end_of = [](auto begin) { return test::thrown_by([&] { finish(begin); }); };
      CHECK(end_of([&] { u.copy_to(out.data()); }).find("A03") != std::string::npos);
      CHECK(code_of([&] { u.copy_to(out.data(), box(0, 11)); }) == "A05");
      u.copy_from(out.data());
      std::string seen, changed;
      finish([&] {
        const user_event never = user_event::create();
        launch(after(never), memory_fill, u.elements(), u, 1.0f);
        const event copied = u.copy_to(out.data());
        const event added = launch(memory_plus, u.elements(), u, 1.0f);
        never.poison(std::make_exception_ptr(std::runtime_error("no more")));
        seen = test::thrown_by([&] { wait(copied); });
        changed = test::thrown_by([&] { wait(added); });
      });
      // The data existed before, but is not what the program asked for.
      CHECK(seen.find("no more") != std::string::npos);
      CHECK(changed.find("no more") != std::string::npos);
      CHECK(out[0] == 0);
      wait(u.copy_from(out.data()));
      CHECK(u.read().get().view()(0) == 0);
    });
  }
}

}  // namespace
}  // namespace stretto
