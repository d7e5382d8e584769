// Objects in memory that host and device use in place: one copy for both, coherent with copies elsewhere.
#include <stretto/error.hpp>
#include <stretto/finish.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "campaign.hpp"
#include "conformance/devices.hpp"
#include "objects/on_devices.hpp"
#include "objects/random_program.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

using test::random_program;
using test::thrown_by;
using test::with_variable;

STRETTO_KERNEL(shared_plus, (inout<unsigned> x, unsigned by), { x(global_id(0)) += by; })
STRETTO_KERNEL(shared_sum, (in<unsigned> x, inout<unsigned> y), { y(global_id(0)) += x(global_id(0)); })
STRETTO_KERNEL(shared_set, (out<unsigned> x, unsigned value), { x(global_id(0)) = value; })
STRETTO_KERNEL(shared_three, (in<unsigned> x, in<unsigned> y, inout<unsigned> z),
               { z(global_id(0)) += x(global_id(0)) + y(global_id(0)); })
STRETTO_KERNEL(shared_counts, (reduce<sum<unsigned>> count, unsigned by), { count(global_id(0) % 16) << by; })
STRETTO_KERNEL(shared_most, (reduce<maximum<unsigned>> most, unsigned by),
               { most(global_id(0) % 16) << by + global_id(0); })

constexpr const char* all_policies[] = {"fifo", "locality", "earliest_finish", "work_stealing"};
constexpr int shared_length = 1000;
const box whole_shared(0, shared_length);

/// Bytes that copies have brought to any memory.
std::uint64_t bytes_copied_to_any() {
  std::uint64_t bytes = 0;
  for (const device_statistics& d : objects::statistics_of(*base::current()->runtime)) bytes += d.brought_bytes;
  return bytes;
}

/// Calls body(device) for each backend that has memory shared with the host, with the host as second place.
template <class Body>
void on_each_that_shares(Body&& body) {
  int shared = 0;
  for (const device::candidate& c : device::candidates()) {
    std::vector<std::unique_ptr<device::device>> one;
    one.push_back(c.make());
    if (!one[0]->about().host_memory_bytes) continue;
    ++shared;
    INFO(c.name);
    test::on_devices(std::move(one), "fifo", [&](device::device_set& d) { body(*d.all()[0]); });
  }
  CHECK(shared > 0);
}

TEST_CASE("an object that lives in memory of host and device is one copy for both, on every backend") {
  on_each_that_shares([](const device::attached_device& d) {
    const std::vector<unsigned> begin(shared_length, 5);
    const object<unsigned> x(whole_shared, begin.data(), {.memory = d.host_memory()}),
        fresh(whole_shared, {.name = "fresh", .memory = d.host_memory()});
    unsigned expected = 5;
    for (unsigned round = 0; round < 20; ++round) {
      launch(on(d.processor()), shared_plus, whole_shared, x, round);
      expected += round;
      if (round % 3 == 0) launch(on(device_kind::host), shared_plus, whole_shared, x, 7u), expected += 7;
      if (round % 4 == 0) {
        const auto mine = x.change().get();
        CHECK(d.is().shares(reinterpret_cast<const std::byte*>(&mine.view()(0)), shared_length * sizeof(unsigned)));
        for (int i = 0; i < shared_length; ++i) mine.view()(i) += 10;
        expected += 10;
      }
    }
    launch(on(d.processor()), shared_set, whole_shared, fresh, 3u);
    launch(on(device_kind::host), shared_sum, whole_shared, fresh, x);
    expected += 3;
    const auto seen = x.read().get();
    int wrong = 0;
    for (int i = 0; i < shared_length; ++i) wrong += seen.view()(i) != expected;
    CHECK(wrong == 0);
    CHECK(bytes_copied_to_any() == 0);
  });
}

TEST_CASE("parts of a divided launch, and tiles, are computed by the host and a device on one copy") {
  on_each_that_shares([](const device::attached_device& d) {
    const std::vector<unsigned> begin(shared_length, 1);
    const object<unsigned> x(whole_shared, begin.data(), {.memory = d.host_memory()}),
        y(whole_shared, begin.data(), {.memory = d.host_memory()});
    for (int round = 0; round < 10; ++round) launch(shared_sum, whole_shared, x(one_to_one), y(one_to_one));
    for (int first = 0; first < shared_length; first += 100) {
      const box part(first, first + 100);
      launch(first % 200 ? on(device_kind::host) : on(device_kind::device), shared_plus, part, y(part), 4u);
    }
    const auto seen = y.read().get();
    int wrong = 0;
    for (int i = 0; i < shared_length; ++i) wrong += seen.view()(i) != 15;
    CHECK(wrong == 0);
    CHECK(bytes_copied_to_any() == 0);
  });
}

TEST_CASE("the host and a device contribute to an object that lives with both, and all contributions are there") {
  on_each_that_shares([](const device::attached_device& d) {
    const box few(0, 16);
    const object<unsigned> count(few, std::vector<unsigned>(16, 1).data(),
                                 {.name = "count", .memory = d.host_memory()});
    const object<unsigned> most(few, {.name = "most", .memory = d.host_memory()});  // never written
    for (unsigned round = 0; round < 40; ++round) {
      const auto where = round % 3 ? on(device_kind::device) : on(device_kind::host);
      launch(where, shared_counts, box(0, 1600), count, round);
      launch(where, shared_most, box(0, 160), most, round);
    }
    const auto seen = count.read().get(), largest = most.read().get();
    for (int i = 0; i < 16; ++i) {
      CHECK(seen.view()(i) == 1 + 100 * 39 * 40 / 2);
      CHECK(largest.view()(i) == 39u + 144u + static_cast<unsigned>(i));
    }
    CHECK(bytes_copied_to_any() == 0);
  });
}

TEST_CASE("copies on other devices are coherent with the one that host and device share") {
  const with_variable shared("STRETTO_DEVICE_HOST_MEMORY", "64k");
  for (const char* policy : all_policies) {
    const with_variable scheduler("STRETTO_SCHEDULER", policy);
    INFO(std::string(policy));
    runtime rt({.workers = 2, .devices = "sim:3"});
    rt.run([&] {
      const platform& m = rt.machine();
      const object<unsigned> x(whole_shared, std::vector<unsigned>(shared_length, 1).data(),
                               {.memory = m.at("sim_0_host_memory")});
      const object<unsigned> count(box(0, 16), std::vector<unsigned>(16).data(), {.memory = m.at("sim_1_host_memory")});
      for (unsigned round = 0; round < 12; ++round) {
        launch(on(m.at("sim_" + std::to_string(round % 3))), shared_plus, whole_shared, x, 1u);
        if (round % 4 == 0) launch(on(device_kind::host), shared_plus, whole_shared, x, 1u);
        for (const char* where : {"sim_0", "sim_1", "sim_2"})
          launch(on(m.at(where)), shared_counts, box(0, 160), count, round);
        launch(on(device_kind::host), shared_counts, box(0, 160), count, round);
      }
      CHECK(x.read().get().view()(999) == 16);
      CHECK(count.read().get().view()(15) == 10 * 4 * 66);
      x.remove_from_devices();
      launch(on(m.at("sim_0")), shared_plus, whole_shared, x, 1u);
      const std::uint64_t before = bytes_copied_to_any();
      CHECK(x.read().get().view()(0) == 17);
      CHECK(bytes_copied_to_any() == before);
    });
  }
}

TEST_CASE("objects that live in a shared memory leave it for others, and come back") {
  const with_variable shared("STRETTO_DEVICE_HOST_MEMORY", "10k");  // two of them
  test::temporary_folder disk;
  for (const bool spills : {false, true}) {
    const with_variable host("STRETTO_HOST_MEMORY", spills ? "12k" : "64k");
    std::optional<with_variable> spill;
    if (spills) spill.emplace("STRETTO_SPILL", disk.path.c_str());
    INFO(spills);
    runtime rt({.workers = 2, .devices = "sim"});
    rt.run([&] {
      const place shared_place = rt.machine().at("sim_0_host_memory");
      std::vector<object<unsigned>> many;
      for (unsigned k = 0; k < 8; ++k)
        many.emplace_back(whole_shared, std::vector<unsigned>(shared_length, k).data(),
                          object_options{.memory = shared_place});
      for (unsigned round = 0; round < 5; ++round)
        for (unsigned k = 0; k < many.size(); ++k)
          launch(on((round + k) % 2 ? device_kind::host : device_kind::device), shared_plus, whole_shared, many[k], 1u);
      for (std::size_t k = 1; k < many.size(); ++k)
        launch(on(device_kind::device), shared_sum, whole_shared, many[k - 1], many[k]);
      unsigned expected = 0;
      for (unsigned k = 0; k < 8; ++k) CHECK(many[k].read().get().view()(shared_length - 1) == (expected += k + 5));
      // Two objects fit there at a time. Three are used elsewhere, and so are those that do not fit next to a view.
      for (const device_kind where : {device_kind::device, device_kind::host})
        launch(on(where), shared_three, whole_shared, many[0], many[1], many[2]);
      CHECK(many[2].read().get().view()(0) == 18 + 2 * (5 + 11));
      const auto first = many[0].change().get(), second = many[1].change().get();
      launch(on(device_kind::device), shared_plus, whole_shared, many[3], 1u);
      CHECK(many[3].read().get().view()(0) == 27);
    });
  }
}

TEST_CASE(
    "an object in memory shared with a device survives its loss: the host uses the written data, others copy it") {
  for (unsigned lost_at = 1; lost_at <= 8; ++lost_at) {
    const with_variable shared("STRETTO_DEVICE_HOST_MEMORY", "64k"), quiet("STRETTO_LOG", "off");
    INFO(lost_at);
    runtime rt({.workers = 2, .devices = "sim:2(device=0,lose=" + std::to_string(lost_at) + ")"});
    rt.run([&] {
      const platform& m = rt.machine();
      std::vector<object<unsigned>> link;
      for (int k = 0; k <= 6; ++k)
        link.emplace_back(whole_shared, std::vector<unsigned>(shared_length, 1).data(),
                          object_options{.memory = m.at("sim_0_host_memory")});
      std::vector<event> ends;
      const std::string what = thrown_by([&] {
        finish([&] {
          for (std::size_t k = 1; k < link.size(); ++k)
            ends.push_back(launch(on(m.at("sim_0")), shared_sum, whole_shared, link[k - 1], link[k]));
        });
      });
      if (!what.starts_with("nothing was thrown")) CHECK_MESSAGE(what.find("K31") != std::string::npos, what);
      for (std::size_t k = 0; k < link.size(); ++k) {
        const std::string seen = thrown_by([&] { CHECK(link[k].read().get().view()(7) == k + 1); });
        CHECK(seen.starts_with("nothing was thrown") == (k == 0 || !ends[k - 1].is_poisoned()));
      }
      launch(on(device_kind::host), shared_plus, whole_shared, link[0], 1u);
      launch(on(m.at("sim_1")), shared_plus, whole_shared, link[0], 1u);
      CHECK(link[0].read().get().view()(999) == 3);
    });
  }
}

TEST_CASE("random programs on objects of which some live in shared memories give what they give on arrays") {
  // An object has 2,304 bytes: one or three of them fit into a memory.
  for (unsigned seed = 0; seed < test::scaled(40u, 2000u); ++seed) {
    const with_variable shared("STRETTO_DEVICE_HOST_MEMORY", seed % 3 ? "8192" : "3000"),
        memory("STRETTO_DEVICE_MEMORY", seed % 2 ? "8192" : "5000");
    const with_variable scheduler("STRETTO_SCHEDULER", all_policies[seed / 2 % 4]);
    INFO("seed " << seed);
    runtime rt({.workers = 1 + seed % 3, .devices = "sim:" + std::to_string(1 + seed % 3), .stepped = seed % 7 == 0});
    rt.run([&] { random_program(seed, seed % 2, {}, rt.machine().places(place_kind::pinned_memory)).run(60); });
  }
}

TEST_CASE(
    "random programs lose devices that share memory with objects, and each element is right or its reader gets the "
    "error") {
  const with_variable quiet("STRETTO_LOG", "off"), shared("STRETTO_DEVICE_HOST_MEMORY", "8192"),
      memory("STRETTO_DEVICE_MEMORY", "8192");
  int lost = 0;
  for (unsigned seed = 0; seed < test::scaled(30u, 2000u); ++seed) {
    const with_variable scheduler("STRETTO_SCHEDULER", all_policies[seed % 4]);
    INFO("seed " << seed);
    runtime rt(
        {.workers = 1 + seed % 3,
         .devices = "sim:2(device=" + std::to_string(seed % 2) + ",lose=" + std::to_string(1 + seed * 7 % 25) + ")"});
    rt.run([&] {
      const std::string what = thrown_by([&] {
        finish([&] {
          random_program program(seed, seed % 2, random_program::losses{},
                                 rt.machine().places(place_kind::pinned_memory));
          program.run(60);
          lost += program.lost();
        });
      });
      if (!what.starts_with("nothing was thrown")) CHECK_MESSAGE(what.find("K31") != std::string::npos, what);
    });
  }
  CHECK(lost > 0);
}

TEST_CASE("random programs whose objects live with a device run on every backend") {
  on_each_that_shares([](const device::attached_device& d) {
    for (unsigned seed = 0; seed < test::scaled(3u, 50u); ++seed) {
      INFO("seed " << seed);
      random_program(seed, seed % 2, {}, {d.host_memory()}).run(60);
    }
  });
}

TEST_CASE("an object lives in no memory but one that host and device share, and fits there") {
  const with_variable shared("STRETTO_DEVICE_HOST_MEMORY", "4096");
  runtime rt({.workers = 1, .devices = "sim"});
  rt.run([&] {
    const platform& m = rt.machine();
    const std::string wrong =
        thrown_by([&] { object<unsigned> x(whole_shared, {.name = "x", .memory = m.at("sim_0_memory")}); });
    CHECK(wrong.find(
              "error K45: object \"x\" cannot be placed in memory \"sim_0_memory\", which the host and a device do "
              "not share") == 0);
    CHECK(wrong.find("\"sim_0_host_memory\"") != std::string::npos);
    CHECK(thrown_by([&] {
            object<unsigned> x(whole_shared, {.memory = m.at("sim_0")});
          }).find("a place that is not a memory") != std::string::npos);
    const std::string large =
        thrown_by([&] { object<unsigned> x(box(0, 1025), {.name = "x", .memory = m.at("sim_0_host_memory")}); });
    CHECK(large.find("error K46: object \"x\" is larger than memory \"sim_0_host_memory\", which was chosen for it") ==
          0);
    CHECK(large.find("4100 bytes") != std::string::npos);
    const object<unsigned> fits(box(0, 1024), {.memory = m.at("sim_0_host_memory")});
    launch(on(device_kind::device), shared_set, box(0, 1024), fits, 1u);
    CHECK(fits.read().get().view()(1023) == 1);
  });
}

}  // namespace
}  // namespace stretto
