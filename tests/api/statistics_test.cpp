#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <stretto/stretto.hpp>

#include <thread>

#include "module/timer_module.hpp"

using namespace stretto;

TEST_CASE("statistics count tasks, spawns and module operations per place while the runtime runs") {
  runtime rt({.workers = 2, .modules = {std::make_shared<test::timer_module>()}});
  rt.run([&] {
    for (int i = 0; i < 500; ++i) async([] {});
    wait(this_runtimes<test::timer_module>().sleep_for(std::chrono::microseconds(10)));
    CHECK(rt.statistics().modules.at(0).count == 1);
  });
  const runtime_statistics s = rt.statistics();
  std::uint64_t tasks = 0, queued = 0, of_workers = 0;
  for (const auto& p : s.places) tasks += p.tasks, queued += p.queued;
  for (const auto& w : s.workers) of_workers += w.tasks;
  CHECK(tasks == of_workers);
  CHECK(tasks >= 500);
  CHECK(queued == 0);
  CHECK(s.modules == std::vector<module_statistics>{{"timer", "alarms", "", 1, 0, 0}});
}

TEST_CASE("ready tasks are counted in every queue: in order, by priority, bound, and from other threads") {
  runtime rt({.workers = 2, .stepped = true});
  const auto ready = [&] {
    std::uint64_t all = 0;
    for (const auto& p : rt.statistics().places) all += p.queued;
    return all;
  };
  rt.run([&] {
    CHECK(ready() == 0);
    async([] {});
    CHECK(ready() == 1);
    async(priority(3), [] {});
    CHECK(ready() == 2);
    async(on(worker(0)), [] {});
    async(on(worker(1)), [] {});
    CHECK(ready() == 4);
    async(on(worker(1)), priority(1), [] {});
    CHECK(ready() == 5);
    std::thread([&] {
      const attached_thread here(rt);
      for (int i = 0; i < 3; ++i) async([] {});
    }).join();
    CHECK(ready() == 8);
  });
  while (rt.step()) {
  }  // run does not wait for tasks that attached threads have spawned
  CHECK(ready() == 0);
}

TEST_CASE("statistics can be read from any thread at any time") {
  runtime rt({.workers = 2, .modules = {std::make_shared<test::timer_module>()}});
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    std::uint64_t last = 0;
    while (!stop) {
      std::uint64_t tasks = 0;
      for (const auto& p : rt.statistics().places) tasks += p.tasks;
      CHECK(tasks >= last);
      last = tasks;
    }
  });
  for (int i = 0; i < 20; ++i)
    rt.run([] {
      for (int k = 0; k < 500; ++k) async([] { async([] {}); });
    });
  stop = true;
  reader.join();
}

TEST_CASE("the table and the JSON of statistics say the same") {
  runtime_statistics s;
  s.places.push_back({"core_0", 12, 1.5e-3, 2});
  s.workers.push_back({.tasks = 12, .steals = 3, .stolen_tasks = 4, .suspensions = 5, .parks = 6});
  s.modules.push_back({"storage", "reads", "disk", 7, 2.25, 3 << 20});
  s.modules.push_back({"storage", "syncs", "", 0, 0, 0});
  CHECK(s.to_text() ==
        "place                       tasks         busy       queued\n"
        "core_0                         12      1.50 ms            2\n"
        "worker                      tasks       steals  suspensions       sleeps\n"
        "0                              12            3            5            6\n"
        "module                      count         time        bytes        place\n"
        "storage reads                   7       2.25 s      3.0 MiB         disk\n"
        "storage syncs                   0            -            -            -\n");
  const auto j = nlohmann::json::parse(s.to_json());
  CHECK(j["places"][0]["place"] == "core_0");
  CHECK(j["places"][0]["busy_seconds"] == 1.5e-3);
  CHECK(j["workers"][0]["stolen_tasks"] == 4);
  CHECK(j["modules"][0]["bytes"] == 3 << 20);
  CHECK(j["modules"][1]["what"] == "syncs");
}

TEST_CASE("a default statistic counts nothing, and threads outside of the runtime can add to one") {
  CHECK_NOTHROW(statistic().add(3));
  class counted final : public module {
   public:
    std::string_view name() const noexcept override { return "counted"; }
    void initialise(module_host& host) override { what = host.add_statistic("things"); }
    statistic what;
  };
  auto m = std::make_shared<counted>();
  runtime rt({.workers = 2, .modules = {m}});
  std::vector<std::thread> outside;
  for (int t = 0; t < 3; ++t)
    outside.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) m->what.add(1, std::chrono::nanoseconds(2), 3);
    });
  rt.run([&] {
    for (int i = 0; i < 1000; ++i) async([&] { m->what.add(1, std::chrono::nanoseconds(2), 3); });
  });
  for (auto& t : outside) t.join();
  const auto s = rt.statistics().modules.at(0);
  CHECK(s.count == 4000);
  CHECK(s.bytes == 12000);
  CHECK(s.seconds == doctest::Approx(8000e-9));
}
