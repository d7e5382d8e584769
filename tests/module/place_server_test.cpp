#include <doctest/doctest.h>
#include <stretto/stretto.hpp>

#include <atomic>
#include <thread>

#include "module/disk_module.hpp"
#include "module/with_module.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using test::disk_module;
using test::thrown_by;
using test::with;
using manner = disk_module::manner;

namespace {}  // namespace

TEST_CASE("tasks at a place that no worker serves run on the module's thread, and may wait there") {
  for (const bool stepped : {false, true})
    for (const std::uint32_t workers : {1u, 2u, 4u}) {
      auto disk = std::make_shared<disk_module>();
      runtime rt(with(disk, workers, stepped));
      const place there = rt.machine().at("disk");
      CHECK_FALSE(rt.machine().is_served(there));
      rt.run([&] {
        std::atomic<int> on_thread{0};
        finish([&] {
          for (int i = 0; i < 100; ++i)
            async(at(there), [&, i] {
              if (std::this_thread::get_id() == disk->thread()) ++on_thread;
              if (i % 10 == 0) CHECK(async([] { return 3; }).get() == 3);  // a worker's task, waited for here
            });
        });
        CHECK(on_thread == 100);
        auto sum = async(at(there), [] { return 20; });
        auto more = async(at(there), after(sum), [&] { return sum.get() + 1; });
        CHECK(async(after(more), [&] { return more.get() + 1; }).get() == 22);
      });
    }
}

TEST_CASE("a recorded task at a place that no worker serves runs on the module's thread in every replay") {
  for (const bool stepped : {false, true})
    for (const std::uint32_t workers : {1u, 2u}) {
      auto disk = std::make_shared<disk_module>();
      runtime rt(with(disk, workers, stepped));
      const place there = rt.machine().at("disk");
      rt.run([&] {
        std::atomic<int> on_thread{0}, after_it{0};
        recorded_graph<> g;
        const auto served = g.add(at(there), [&] { on_thread += std::this_thread::get_id() == disk->thread(); });
        g.add(after(served), [&] { ++after_it; });
        for (int i = 0; i < 3; ++i) wait(g.replay());
        CHECK(on_thread == 3);
        CHECK(after_it == 3);
      });
    }
}

TEST_CASE("an exception of a task on the module's thread poisons its future, and its finish rethrows it") {
  auto disk = std::make_shared<disk_module>();
  runtime rt(with(disk, 2));
  const place there = rt.machine().at("disk");
  rt.run([&] {
    auto f = async(at(there), [] { throw std::runtime_error("sector 7"); });
    CHECK(thrown_by([&] { f.get(); }) == "sector 7");
    CHECK(thrown_by([&] { finish([&] { async(at(there), [] { throw std::runtime_error("sector 8"); }); }); }) ==
          "sector 8");
    auto skipped = async(at(there), after(f), [] { FAIL("it ran"); });
    CHECK(thrown_by([&] { skipped.get(); }).find("sector 7") != std::string::npos);
  });
}

TEST_CASE("a server may give tasks to the workers, where they can suspend") {
  for (const bool stepped : {false, true}) {
    auto disk = std::make_shared<disk_module>(manner{.tasks = manner::workers});
    runtime rt(with(disk, 2, stepped));
    rt.run([&] {
      const user_event gate = user_event::create();
      auto f = async(at(rt.machine().at("disk")), [&] {
        CHECK(std::this_thread::get_id() != disk->thread());
        wait(gate);
        return 4;
      });
      gate.trigger();
      CHECK(f.get() == 4);
    });
  }
}

TEST_CASE("a server that drops or refuses a task fails it, each in words of its own") {
  const auto outcome = [](auto how) {
    auto disk = std::make_shared<disk_module>(manner{.tasks = how});
    std::string text;
    {
      runtime rt(with(disk, 2));
      attached_thread here(rt);
      auto f = async(at(rt.machine().at("disk")), name("save"), [] { FAIL("it ran"); });
      text = thrown_by([&] { f.get(); });
    }
    return text;
  };
  const std::string dropped = outcome(manner::drops);
  CHECK(dropped.starts_with(
      "error M07: task \"save\" was dropped by the server of its place\n  spawned     place_server_test.cpp:"));
  CHECK(dropped.find("  place       disk\n") != std::string::npos);
  CHECK(outcome(manner::refuses) == "the disk is full");
}

TEST_CASE("without a server, and without a claim, a task at such a place is refused as ever") {
  platform_description d = platform::synthetic("numa:1 core:2 pu:1", 2).describe();
  place_description other;
  other.name = "attic";
  other.kind = place_kind::other;
  d.places.push_back(other);
  d.links.push_back({place{0}, place{static_cast<std::uint32_t>(d.places.size() - 1)}, {}, {}});
  runtime_options o = with(std::make_shared<disk_module>(), 2);
  o.machine = std::make_shared<platform>(platform::build(d));
  runtime rt(o);
  rt.run([&] {
    const std::string text = thrown_by([&] { async(at(rt.machine().at("attic")), [] {}); });
    CHECK(text.starts_with("error S02: no worker's paths reach place \"attic\""));
  });
}

TEST_CASE("the end of a runtime waits for tasks that are with a server, many seeds") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto disk = std::make_shared<disk_module>();
    std::atomic<int> ran{0};
    {
      runtime rt(with(disk, 1 + static_cast<std::uint32_t>(seed % 4), seed % 2 == 0, seed));
      attached_thread here(rt);
      const place there = rt.machine().at("disk");
      for (int i = 0; i < 20; ++i) {
        const user_event e = user_event::create();
        async(at(there), [&ran, e] {
          std::this_thread::yield();
          ++ran;
          e.trigger();  // makes a task ready that nobody else could have
        });
        async(after(e), [&] { ++ran; });
      }
    }
    CHECK(ran == 40);
  }
}
